/* SPDX-License-Identifier: MIT */
/*
 * debug_types.c: makes types of the model from debug information. The results are those that
 * parse_types.c gets from headers. Each type is made once; its spelling is its key.
 */
#include <dwarf.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "gen/allocate.h"
#include "gen/comment.h"
#include "gen/debug_info.h"

#define POINTER 8

struct die_type {
	const void *key;
	struct type *type;
	bool done;
};

static int die_type_compare(const void *a, const void *b)
{
	const struct die_type *one = a, *other = b;

	return (one->key > other->key) - (one->key < other->key);
}

static int type_compare_spelling(const void *a, const void *b)
{
	return strcmp(((const struct type *)a)->spelling, ((const struct type *)b)->spelling);
}

struct type *debug_type_known(const struct debug *debug, const char *spelling)
{
	struct type wanted = {.spelling = spelling};
	struct type *const *found =
		tfind(&wanted, (void *const *)&debug->by_spelling, type_compare_spelling);

	return found ? *found : NULL;
}

struct type *debug_type_new(struct debug *debug, enum tl_kind kind, const char *name,
			    const char *spelling, uint64_t size, uint64_t align)
{
	struct type *made = allocate(sizeof *made);

	made->kind = kind;
	made->name = name;
	made->spelling = spelling;
	made->size = size;
	made->align = align ? align : 1;
	*APPEND(debug->types, debug->ntypes) = made;
	tsearch(made, &debug->by_spelling, type_compare_spelling);
	return made;
}

static struct type *void_named(struct debug *debug, const char *name)
{
	struct type *known = debug_type_known(debug, name);

	return known ? known : debug_type_new(debug, TL_KIND_VOID, name, name, 0, 1);
}

struct type *debug_void(struct debug *debug)
{
	return void_named(debug, "void");
}

/* ---- scalars */

static bool scalar_kind(Dwarf_Die *die, uint64_t size, struct type *type)
{
	uint64_t encoding = 0;
	const char *name = debug_scalar_name(die);

	if (!name || !debug_number(die, DW_AT_encoding, &encoding) || !size || size > 32)
		return false;
	switch (encoding) {
	case DW_ATE_boolean:
		type->kind = TL_KIND_BOOL;
		return size <= 8;
	case DW_ATE_signed_char:
	case DW_ATE_unsigned_char:
		type->kind = !strcmp(name, "char")	      ? TL_KIND_CHAR
			     : encoding == DW_ATE_signed_char ? TL_KIND_INT
							      : TL_KIND_UINT;
		return size <= 8;
	case DW_ATE_signed:
	case DW_ATE_unsigned:
	case DW_ATE_UTF:
	case DW_ATE_address:
		type->kind = encoding == DW_ATE_signed ? TL_KIND_INT : TL_KIND_UINT;
		type->wide = size == 16 ? WIDE_INT128 : WIDE_NONE;
		return size <= 8 || size == 16;
	case DW_ATE_float:
		type->kind = size == 2 ? TL_KIND_UINT : TL_KIND_FLOAT;
		type->wide = size == 2			   ? WIDE_FLOAT16
			     : size != 16		   ? WIDE_NONE
			     : strstr(name, "long double") ? WIDE_LONG_DOUBLE
							   : WIDE_FLOAT128;
		/* Not all compilers pass __bf16 as they pass _Float16. */
		return (size == 2 && !strstr(name, "bf16")) || size == 4 || size == 8 || size == 16;
	default:
		return false;
	}
}

static struct type *float_named(struct debug *debug, const char *name, uint64_t size,
				enum wide wide)
{
	struct type *made = debug_type_known(debug, name);

	if (!made) {
		made = debug_type_new(debug, TL_KIND_FLOAT, name, name, size, size);
		made->wide = wide;
	}
	return made;
}

static struct type *complex_element(struct debug *debug, uint64_t size)
{
	switch (size) {
	case 8:
		return float_named(debug, "float", 4, WIDE_NONE);
	case 16:
		return float_named(debug, "double", 8, WIDE_NONE);
	case 32:
		return float_named(debug, "long double", 16, WIDE_LONG_DOUBLE);
	default:
		return NULL;
	}
}

/* `name`: that of a typedef, or the type's own. */
static struct type *type_scalar(struct debug *debug, Dwarf_Die *die, const char *name)
{
	struct type facts = {0}, *target = NULL,
		    *known = name ? debug_type_known(debug, name) : NULL;
	uint64_t size = 0, encoding = 0;

	if (!name || known)
		return known;
	debug_number(die, DW_AT_byte_size, &size);
	debug_number(die, DW_AT_encoding, &encoding);
	if (encoding == DW_ATE_complex_float) {
		const char *own = debug_scalar_name(die);

		target = own && !strstr(own, "128") ? complex_element(debug, size) : NULL;
		facts.kind = TL_KIND_ARRAY;
		facts.wide = WIDE_COMPLEX;
	}
	if (!target && (encoding == DW_ATE_complex_float || !scalar_kind(die, size, &facts)))
		return NULL;
	struct type *made =
		debug_type_new(debug, facts.kind, name, name, size, target ? target->align : size);
	made->wide = facts.wide;
	made->target = target;
	made->count = target ? 2 : 0;
	return made;
}

static struct type *type_vector(struct debug *debug, Dwarf_Die *die, const char *name)
{
	struct type *known = name ? debug_type_known(debug, name) : NULL;
	uint64_t counts[DEBUG_DIMENSIONS], size;
	Dwarf_Die element;

	if (!name || known)
		return known;
	if (debug_dimensions(die, counts) != 1 || !counts[0] || counts[0] > 1024 ||
	    !debug_type_of(die, &element))
		return NULL;
	struct type *target = debug_type(debug, &element);
	if (!target || !target->size || target->wide)
		return NULL;
	size = counts[0] * target->size;
	struct type *made = debug_type_new(debug, TL_KIND_ARRAY, name, name, size, size);
	made->wide = WIDE_VECTOR;
	made->target = target;
	made->count = counts[0];
	return made;
}

/* ---- arrays */

/* Each dimension is an array whose elements are the next dimension. */
static struct type *type_array(struct debug *debug, Dwarf_Die *die)
{
	uint64_t counts[DEBUG_DIMENSIONS];
	unsigned n = debug_dimensions(die, counts);
	Dwarf_Die element;
	struct type *type = debug_type_of(die, &element) ? debug_type(debug, &element) : NULL;
	const char *inner = "";

	if (!n)
		counts[n++] = 0;
	for (unsigned i = n; type && i-- > 0;) {
		struct type *target = type;
		uint64_t size;

		inner = counts[i] ? format_text("[%llu]%s", (unsigned long long)counts[i], inner)
				  : format_text("[]%s", inner);
		const char *spelling = debug_spelling(debug, &element, inner);
		if (!spelling || __builtin_mul_overflow(counts[i], target->size, &size) ||
		    size > UINT32_MAX)
			return NULL;
		type = debug_type_known(debug, spelling);
		if (!type) {
			type = debug_type_new(debug, TL_KIND_ARRAY, NULL, spelling, size,
					      target->align);
			type->target = target;
			type->count = counts[i];
		}
	}
	return type;
}

/* ---- pointers */

static void params_read(struct debug *debug, Dwarf_Die *function, struct type *type)
{
	Dwarf_Die child, next;

	for (int more = dwarf_child(function, &child) == 0; more;) {
		if (dwarf_tag(&child) == DW_TAG_formal_parameter) {
			struct type *of = debug_type_of_variable(debug, &child);
			struct variable *param = APPEND(type->members, type->nmembers);

			param->name = format_text("arg%zu", type->nmembers - 1);
			param->type = of ? of : debug_void(debug);
			param->spelling = debug_variable_spelling(debug, &child);
			param->direction = TL_IN;
		}
		next = child;
		more = dwarf_siblingof(&next, &child) == 0 &&
		       (const char *)child.addr > (const char *)next.addr;
	}
}

static struct type *type_function(struct debug *debug, Dwarf_Die *function, const char *name,
				  const char *spelling)
{
	struct type *made =
		debug_type_new(debug, TL_KIND_FUNCTION, name, spelling, POINTER, POINTER);
	struct type *result = debug_type_of_variable(debug, function);

	made->target = result ? result : debug_void(debug);
	params_read(debug, function, made);
	return made;
}

static bool tag_is_record(int tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_union_type || tag == DW_TAG_class_type;
}

/* A pointer, with the name of its typedef if it has one. */
static struct type *type_pointer(struct debug *debug, Dwarf_Die *die, const char *name)
{
	const char *spelling = name ? name : debug_spelling(debug, die, "");
	struct type *known = spelling ? debug_type_known(debug, spelling) : NULL;
	Dwarf_Die to, bare;
	bool is_const = false;

	if (!spelling || known)
		return known;
	bool is_void = !debug_type_of(die, &to);
	bare = to;
	is_void = is_void || !debug_bare(&bare, &is_const) ||
		  dwarf_tag(&bare) == DW_TAG_unspecified_type;
	if (!is_void && dwarf_tag(&bare) == DW_TAG_subroutine_type)
		return type_function(debug, &bare, name, spelling);
	bool opaque = !is_void && tag_is_record(dwarf_tag(&bare)) && debug_is_opaque(debug, &bare);
	struct type *made = debug_type_new(debug, opaque ? TL_KIND_HANDLE : TL_KIND_POINTER,
					   opaque ? name : NULL, spelling, POINTER, POINTER);
	made->is_const = is_const;
	if (!opaque && !is_void)
		made->target = debug_type(debug, &to);
	return made;
}

/* ---- typedefs */

static struct type *type_alias(struct debug *debug, Dwarf_Die *die)
{
	const char *name = debug_label(debug, die);
	struct type *known = name ? debug_type_known(debug, name) : NULL, *made;
	Dwarf_Die bare = *die;
	bool is_const;

	if (!name || known)
		return known;
	if (!debug_bare(&bare, &is_const))
		return void_named(debug, name);
	switch (dwarf_tag(&bare)) {
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		made = type_pointer(debug, &bare, name);
		break;
	case DW_TAG_array_type:
		if (!debug_flag(&bare, DW_AT_GNU_vector))
			return debug_type(debug, &bare);
		made = type_vector(debug, &bare, name);
		break;
	case DW_TAG_base_type:
		made = type_scalar(debug, &bare, name);
		break;
	case DW_TAG_unspecified_type:
		return void_named(debug, name);
	default:
		return debug_type(debug, &bare);
	}
	if (made && !made->where.file)
		made->where = debug_location(die);
	return made;
}

static struct type *type_make(struct debug *debug, Dwarf_Die *die)
{
	Dwarf_Die bare = *die;
	bool is_const;
	const char *spelling;

	switch (dwarf_tag(die)) {
	case DW_TAG_base_type:
		return type_scalar(debug, die, debug_scalar_name(die));
	case DW_TAG_typedef:
		return type_alias(debug, die);
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
		return debug_record(debug, die);
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		return type_pointer(debug, die, NULL);
	case DW_TAG_array_type:
		return debug_flag(die, DW_AT_GNU_vector)
			       ? type_vector(debug, die, debug_spelling(debug, die, ""))
			       : type_array(debug, die);
	case DW_TAG_subroutine_type:
		spelling = debug_spelling(debug, die, "");
		return !spelling ? NULL
		       : debug_type_known(debug, spelling)
			       ? debug_type_known(debug, spelling)
			       : type_function(debug, die, NULL, spelling);
	case DW_TAG_unspecified_type:
		return debug_void(debug);
	case DW_TAG_const_type:
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type:
	case DW_TAG_immutable_type:
	case DW_TAG_packed_type:
		return debug_unqualified(&bare, &is_const) ? debug_type(debug, &bare)
							   : debug_void(debug);
	case DW_TAG_subrange_type:
		return debug_type_of(die, &bare) ? debug_type(debug, &bare) : NULL;
	default:
		return NULL;
	}
}

struct type *debug_type(struct debug *debug, Dwarf_Die *die)
{
	struct die_type wanted = {.key = die->addr};
	struct die_type **known = tfind(&wanted, &debug->by_die, die_type_compare);

	if (known && (*known)->done)
		return (*known)->type;
	/* A type that is still being made leads back to itself. It has its spelling already, unless
	 * the file is damaged. */
	if (debug->nesting == DEBUG_NESTING)
		return NULL;
	if (known) {
		debug->nesting++;
		struct type *again = type_make(debug, die);
		debug->nesting--;
		return again;
	}
	struct die_type *made = allocate(sizeof *made);
	made->key = die->addr;
	tsearch(made, &debug->by_die, die_type_compare);
	debug->nesting++;
	made->type = type_make(debug, die);
	debug->nesting--;
	made->done = true;
	return made->type;
}

struct type *debug_type_of_variable(struct debug *debug, Dwarf_Die *die)
{
	Dwarf_Die type;

	return debug_type_of(die, &type) ? debug_type(debug, &type) : debug_void(debug);
}

void debug_flags(struct debug *debug)
{
	for (size_t i = 0; i < debug->ntypes; i++) {
		struct type *type = debug->types[i];
		const char *bits = type->name && type->kind == TL_KIND_UINT && !type->wide
					   ? model_flag_enum(type->name)
					   : NULL;
		Dwarf_Die die;

		if (!bits || !debug_definition(debug, DW_TAG_typedef, bits, &die))
			continue;
		struct type *named = debug_type(debug, &die);
		if (!named || (named->kind != TL_KIND_ENUM && named->kind != TL_KIND_FLAGS))
			continue;
		type->kind = named->kind = TL_KIND_FLAGS;
		type->enumerators = named->enumerators;
		type->nenumerators = named->nenumerators;
	}
}
