/* SPDX-License-Identifier: MIT */
/*
 * debug_records.c: structs, unions and enums in debug information, and which of them a library hides
 * from programs.
 */
#include <dwarf.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "gen/allocate.h"
#include "gen/comment.h"
#include "gen/debug_info.h"

/* ---- what is hidden */

static bool path_is_header(const char *path)
{
	return fnmatch("*.@(h|hh|hpp|hxx|h++|inc)", path, FNM_EXTMATCH) == 0;
}

/* A header of the C library, of a compiler or of a package. Programs see all of it. */
static bool path_is_system(const char *path)
{
	return !strncmp(path, "/usr/include/", 13) || !strncmp(path, "/usr/lib/", 9);
}

/*
 * A header declares a typedef for the struct, or for pointers to it, and another file of the library
 * defines the struct. Then programs are meant to see the typedef only.
 */
static bool typedef_hides(Dwarf_Die *alias, Dwarf_Die *definition)
{
	const char *public = debug_file(alias), *private = debug_file(definition);

	return public && private && strcmp(public, private) != 0 && path_is_header(public) &&
	       !path_is_system(private);
}

static bool naming_hides(const struct naming *naming, Dwarf_Die *definition)
{
	Dwarf_Die name, pointer;

	if (!naming)
		return false;
	name = naming->name;
	pointer = naming->pointer;
	return (naming->has_name && typedef_hides(&name, definition)) ||
	       (naming->has_pointer && typedef_hides(&pointer, definition));
}

/* Finds the definition, which may stand in another unit. False: there is none. */
static bool record_definition(struct debug *debug, Dwarf_Die *die, Dwarf_Die *definition)
{
	const char *name = dwarf_diename(die);

	*definition = *die;
	return !dwarf_hasattr(die, DW_AT_declaration) ||
	       (name && debug_definition(debug, (unsigned)dwarf_tag(die), name, definition));
}

bool debug_is_opaque(struct debug *debug, Dwarf_Die *record)
{
	Dwarf_Die definition;

	return !record_definition(debug, record, &definition) ||
	       naming_hides(debug_naming(debug, record), &definition) ||
	       naming_hides(debug_naming(debug, &definition), &definition);
}

/* ---- enums */

static bool enum_is_unsigned(Dwarf_Die *die)
{
	Dwarf_Die type;
	uint64_t encoding = 0;
	bool is_const;

	return debug_type_of(die, &type) && debug_bare(&type, &is_const) &&
	       debug_number(&type, DW_AT_encoding, &encoding) &&
	       (encoding == DW_ATE_unsigned || encoding == DW_ATE_unsigned_char ||
		encoding == DW_ATE_boolean);
}

/* Compilers write small positive values as unsigned, whatever the sign of the type. */
static bool enumerator_value(Dwarf_Die *die, int64_t *value)
{
	Dwarf_Attribute attribute;
	Dwarf_Word word;
	Dwarf_Sword number;

	if (!dwarf_attr(die, DW_AT_const_value, &attribute))
		return false;
	if (dwarf_whatform(&attribute) == DW_FORM_sdata ||
	    dwarf_whatform(&attribute) == DW_FORM_implicit_const) {
		if (dwarf_formsdata(&attribute, &number) != 0)
			return false;
		*value = number;
		return true;
	}
	if (dwarf_formudata(&attribute, &word) != 0)
		return false;
	*value = (int64_t)word;
	return true;
}

static void enum_fill(struct type *type, Dwarf_Die *die)
{
	bool is_unsigned = enum_is_unsigned(die), has_sign = dwarf_hasattr(die, DW_AT_type);
	Dwarf_Die child, next;

	for (int more = dwarf_child(die, &child) == 0; more;) {
		const char *name = debug_name(&child);
		int64_t value;

		if (dwarf_tag(&child) == DW_TAG_enumerator && name &&
		    enumerator_value(&child, &value)) {
			if (type->size == 4 && has_sign)
				value = is_unsigned ? (int64_t)(uint32_t)value : (int32_t)value;
			enumerator_add(type, (struct enumerator){.name = name, .value = value});
		}
		next = child;
		more = dwarf_siblingof(&next, &child) == 0 &&
		       (const char *)child.addr > (const char *)next.addr;
	}
}

/* ---- members */

static bool type_is_filling(const struct debug *debug, const struct type *type)
{
	while (type && type->kind == TL_KIND_ARRAY)
		type = type->target;
	for (size_t i = 0; i < debug->nfilling; i++)
		if (debug->filling[i] == type)
			return true;
	return false;
}

static bool type_is_partial(const struct type *type)
{
	while (type && type->kind == TL_KIND_ARRAY)
		type = type->target;
	return type && (type->partial || type->incomplete);
}

/* The offset in bytes. Debug information may have that of a bit field in bits. */
static bool member_offset(Dwarf_Die *die, uint64_t *offset)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;
	size_t count;

	*offset = 0;
	if (!dwarf_attr(die, DW_AT_data_member_location, &attribute))
		return true;
	if (debug_number(die, DW_AT_data_member_location, offset))
		return true;
	if (dwarf_getlocation(&attribute, &ops, &count) != 0 || count != 1 ||
	    ops->atom != DW_OP_plus_uconst)
		return false;
	*offset = ops->number;
	return true;
}

/* The place of a bit field. DWARF 2 counts from the other end of its storage unit. */
static bool member_place_bits(Dwarf_Die *die, struct variable *member, uint64_t base, uint64_t at)
{
	uint64_t bits, width, unit = member->type->size, storage = unit, other;

	if (!debug_number(die, DW_AT_bit_size, &width))
		return true;
	if (!unit || unit > 16 || !width || width > 8 * unit)
		return false;
	if (debug_number(die, DW_AT_data_bit_offset, &bits)) {
		;
	} else if (debug_number(die, DW_AT_bit_offset, &other)) {
		debug_number(die, DW_AT_byte_size, &storage);
		bits = 8 * at + 8 * storage - other - width;
	} else {
		bits = 8 * at;
	}
	if (bits > 8ull * UINT32_MAX)
		return false;
	unit = unit < 8 ? unit : 8;
	member->offset = base + bits / (8 * unit) * unit;
	member->bit_offset = (unsigned)(bits % (8 * unit));
	member->bit_width = (unsigned)width;
	return true;
}

/* Bytes from its offset on: a packed struct may end before the whole unit of its last bit-field. */
static uint64_t member_size(const struct variable *member)
{
	return member->bit_width ? (member->bit_offset + member->bit_width + 7u) / 8
				 : member->type->size;
}

static bool record_fill(struct debug *debug, struct type *type, Dwarf_Die *die, uint64_t base);

/*
 * A struct or union without a name. The members of such a struct become members of the struct around
 * it. Such a union gets the name of its first member.
 */
static bool record_add_unnamed(struct debug *debug, struct type *type, Dwarf_Die *member,
			       struct type *inner, uint64_t offset)
{
	Dwarf_Die die;

	if (inner->kind == TL_KIND_STRUCT)
		return debug_type_of(member, &die) && debug->nesting < DEBUG_NESTING &&
		       record_fill(debug, type, &die, offset);
	if (inner->kind != TL_KIND_UNION)
		return true;
	*APPEND(type->members, type->nmembers) = (struct variable){
		.name = inner->nmembers ? inner->members[0].name : "unnamed",
		.type = inner,
		.spelling = "union",
		.offset = offset,
		.where = inner->where,
	};
	return true;
}

/* False: the model can't describe the member. */
static bool record_add_member(struct debug *debug, struct type *type, Dwarf_Die *die, uint64_t base)
{
	struct variable member = {.name = debug_name(die)};
	uint64_t at;

	/* A static member of a class. */
	if (dwarf_hasattr(die, DW_AT_external) || dwarf_hasattr(die, DW_AT_declaration))
		return true;
	member.type = debug_type_of_variable(debug, die);
	if (!member.type || !member_offset(die, &at) || type_is_filling(debug, member.type))
		return false;
	member.offset = base + at;
	if (!member_place_bits(die, &member, base, at) || member.offset > type->size ||
	    member_size(&member) > type->size - member.offset)
		return false;
	if (!member.name)
		return record_add_unnamed(debug, type, die, member.type, member.offset);
	member.spelling = debug_variable_spelling(debug, die);
	member.where = debug_location(die);
	*APPEND(type->members, type->nmembers) = member;
	return !type_is_partial(member.type);
}

/* Debug information has an alignment only if the source has one. */
static void record_align(struct type *type, const struct type *member, uint64_t offset)
{
	if (member->align > type->align && offset % member->align == 0 &&
	    type->size % member->align == 0)
		type->align = member->align;
}

/* False: the model can't describe all members. */
static bool record_fill(struct debug *debug, struct type *type, Dwarf_Die *die, uint64_t base)
{
	bool whole = true;
	Dwarf_Die child, next;

	for (int more = dwarf_child(die, &child) == 0; more;) {
		switch (dwarf_tag(&child)) {
		case DW_TAG_member:
			whole &= record_add_member(debug, type, &child, base);
			break;
		case DW_TAG_inheritance:
		case DW_TAG_variant_part:
			whole = false;
			break;
		default:
			break;
		}
		next = child;
		more = dwarf_siblingof(&next, &child) == 0 &&
		       (const char *)child.addr > (const char *)next.addr;
	}
	return whole;
}

/* There are no comments, so only const tells what a member leads to. */
static void members_settle(struct variable *list, size_t count)
{
	const struct tags none = {0};

	for (size_t i = 0; i < count; i++) {
		variable_settle(&list[i], &none, list, count);
		list[i].direction = 0;
	}
}

static bool record_has_functions(Dwarf_Die *die)
{
	Dwarf_Die child, next;

	for (int more = dwarf_child(die, &child) == 0; more;) {
		if (dwarf_tag(&child) == DW_TAG_subprogram)
			return true;
		next = child;
		more = dwarf_siblingof(&next, &child) == 0 &&
		       (const char *)child.addr > (const char *)next.addr;
	}
	return false;
}

/*
 * C++ passes a value by its address if its type has a destructor or a copying constructor. gcc does
 * not tell how it passes the type, so a type with any function counts as passed by address.
 */
static bool record_is_passed_otherwise(const struct debug *debug, Dwarf_Die *die)
{
	uint64_t convention = 0;

	if (!debug_is_foreign(debug, die))
		return false;
	if (debug_number(die, DW_AT_calling_convention, &convention))
		return convention != DW_CC_pass_by_value;
	return !debug_is_cxx(die) || record_has_functions(die);
}

static void record_read(struct debug *debug, struct type *type, Dwarf_Die *die)
{
	uint64_t align = 0;

	*APPEND(debug->filling, debug->nfilling) = type;
	type->partial = !record_fill(debug, type, die, 0) || record_is_passed_otherwise(debug, die);
	debug->nfilling--;
	for (size_t i = 0; i < type->nmembers; i++)
		record_align(type, type->members[i].type, type->members[i].offset);
	if (debug_number(die, DW_AT_alignment, &align) && align <= 4096 &&
	    (align & (align - 1)) == 0 && align > type->align)
		type->align = align;
	members_settle(type->members, type->nmembers);
}

static const char *record_name(Dwarf_Die *die, const struct naming *naming, const char *label)
{
	const char *name = debug_name(die);

	/* If labels conflict, the part that makes them differ belongs to the name, too. */
	if (naming && naming->has_name)
		return label;
	if (name && strchr(label, ' '))
		return strchr(label, ' ') + 1;
	return name ? label : NULL;
}

struct type *debug_record(struct debug *debug, Dwarf_Die *from)
{
	int tag = dwarf_tag(from);
	Dwarf_Die die, by;
	bool complete = record_definition(debug, from, &die);
	const struct naming *naming = debug_naming(debug, &die);
	uint64_t size = 0;

	if (!naming || !naming->has_name)
		naming = debug_naming(debug, from);
	if (naming && naming->has_name)
		by = naming->name;
	const char *label = debug_label(debug, naming && naming->has_name ? &by : &die);
	struct type *known = label ? debug_type_known(debug, label) : NULL;
	if (!label || known)
		return known;
	complete = complete && debug_number(&die, DW_AT_byte_size, &size) && size <= UINT32_MAX;
	struct type *type = debug_type_new(debug,
					   tag == DW_TAG_enumeration_type ? TL_KIND_ENUM
					   : tag == DW_TAG_union_type	  ? TL_KIND_UNION
									  : TL_KIND_STRUCT,
					   record_name(&die, naming, label), label, size, 1);
	type->incomplete = !complete;
	type->where = debug_location(&die);
	if (tag == DW_TAG_enumeration_type) {
		type->align = size == 1 || size == 2 || size == 8 ? size : 4;
		enum_fill(type, &die);
	} else if (complete) {
		record_read(debug, type, &die);
	}
	return type;
}
