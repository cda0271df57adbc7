/* SPDX-License-Identifier: MIT */
/*
 * debug_spelling.c: types in debug information, written as C writes them. libclang writes them in the
 * same way, so a type has one name, whether it comes from a header or from debug information.
 *
 * Several units may have different types under one name. Then the names of all but the first get
 * their place added.
 */
#include <dwarf.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "gen/allocate.h"
#include "gen/debug_info.h"

/* ---- attributes */

bool debug_type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attribute;
	Dwarf_Die full;

	if (!dwarf_attr_integrate(die, DW_AT_type, &attribute) ||
	    !dwarf_formref_die(&attribute, type))
		return false;
	/* A DIE may be a declaration whose definition is in a type unit. */
	if (dwarf_attr(type, DW_AT_signature, &attribute) && dwarf_formref_die(&attribute, &full))
		*type = full;
	return true;
}

bool debug_number(Dwarf_Die *die, unsigned name, uint64_t *value)
{
	Dwarf_Attribute attribute;
	Dwarf_Word word;

	if (!dwarf_attr_integrate(die, name, &attribute) || dwarf_formudata(&attribute, &word) != 0)
		return false;
	*value = word;
	return true;
}

bool debug_unqualified(Dwarf_Die *die, bool *is_const)
{
	*is_const = false;
	for (unsigned depth = 0; depth < DEBUG_DEPTH; depth++) {
		Dwarf_Die type;

		switch (dwarf_tag(die)) {
		case DW_TAG_const_type:
			*is_const = true;
			break;
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type:
		case DW_TAG_immutable_type:
		case DW_TAG_packed_type:
			break;
		default:
			return true;
		}
		if (!debug_type_of(die, &type))
			return false;
		*die = type;
	}
	return false;
}

bool debug_bare(Dwarf_Die *die, bool *is_const)
{
	bool also;

	*is_const = false;
	for (unsigned depth = 0; depth < DEBUG_DEPTH; depth++) {
		Dwarf_Die type;

		if (!debug_unqualified(die, &also)) {
			*is_const |= also;
			return false;
		}
		*is_const |= also;
		if (dwarf_tag(die) != DW_TAG_typedef)
			return true;
		if (!debug_type_of(die, &type))
			return false;
		*die = type;
	}
	return false;
}

static const char *text_cleaned(const char *text)
{
	char *copy = copy_text(text);

	for (char *c = copy; *c; c++)
		if ((unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7f)
			*c = '?';
	return copy;
}

const char *debug_name(Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);

	return name && *name ? text_cleaned(name) : NULL;
}

/* dwarf_decl_file(3) asserts that the unit has a list of files, which one in a .dwo file may lack. */
const char *debug_file(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Word index;
	Dwarf_Files *files;
	Dwarf_Die unit;
	size_t count;

	if (!dwarf_attr_integrate(die, DW_AT_decl_file, &attribute) ||
	    dwarf_formudata(&attribute, &index) != 0 ||
	    dwarf_cu_info(attribute.cu, NULL, NULL, &unit, NULL, NULL, NULL, NULL) != 0 ||
	    !unit.addr || dwarf_getsrcfiles(&unit, &files, &count) != 0 || index >= count)
		return NULL;
	return dwarf_filesrc(files, index, NULL, NULL);
}

struct location debug_location(Dwarf_Die *die)
{
	const char *file = debug_file(die);
	int line = 0, column = 0;

	dwarf_decl_line(die, &line);
	dwarf_decl_column(die, &column);
	return (struct location){file ? text_cleaned(file) : "", (unsigned)line, (unsigned)column};
}

unsigned debug_dimensions(Dwarf_Die *array, uint64_t *counts)
{
	unsigned count = 0;
	Dwarf_Die die, next;

	if (dwarf_child(array, &die) != 0)
		return 0;
	do {
		uint64_t value, lower = 0;

		next = die;
		if (dwarf_tag(&die) != DW_TAG_subrange_type || count == DEBUG_DIMENSIONS)
			continue;
		debug_number(&die, DW_AT_lower_bound, &lower);
		if (debug_number(&die, DW_AT_count, &value))
			counts[count++] = value;
		else if (debug_number(&die, DW_AT_upper_bound, &value) && value + 1 > lower)
			counts[count++] = value + 1 - lower;
		else
			counts[count++] = 0;
		/* The size is unknown, or so large that no program has such an array. */
		if (counts[count - 1] > UINT32_MAX)
			counts[count - 1] = 0;
	} while (dwarf_siblingof(&next, &die) == 0 &&
		 (const char *)die.addr > (const char *)next.addr);
	return count;
}

/* ---- names */

struct die_label {
	const void *key;
	const char *label;
};

struct debug_label {
	const char *name;
	const char **prints; /* the different types under this name */
	size_t nprints;
};

static bool tag_is_record(int tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_union_type ||
	       tag == DW_TAG_class_type || tag == DW_TAG_enumeration_type;
}

static int die_label_compare(const void *a, const void *b)
{
	const struct die_label *one = a, *other = b;

	return (one->key > other->key) - (one->key < other->key);
}

static int label_compare(const void *a, const void *b)
{
	return strcmp(((const struct debug_label *)a)->name, ((const struct debug_label *)b)->name);
}

/* Two types under one name are different if their sizes or their parts differ. */
static void record_print(Dwarf_Die *die, FILE *to)
{
	Dwarf_Die child, next;
	uint64_t number = 0;

	debug_number(die, DW_AT_byte_size, &number);
	fprintf(to, "%llu", (unsigned long long)number);
	for (int more = dwarf_child(die, &child) == 0; more;) {
		const char *name = dwarf_diename(&child);

		number = 0;
		debug_number(&child, DW_AT_data_member_location, &number);
		fprintf(to, ",%s@%llu", name ? name : "", (unsigned long long)number);
		next = child;
		more = dwarf_siblingof(&next, &child) == 0 &&
		       (const char *)child.addr > (const char *)next.addr;
	}
}

/* The type that a typedef stands for. */
static const char *die_print(struct debug *debug, Dwarf_Die *die)
{
	Dwarf_Die type = *die;
	char *text = NULL;
	size_t size;
	bool is_const;
	FILE *to = open_memstream(&text, &size);

	if (dwarf_tag(die) == DW_TAG_typedef &&
	    (!debug_type_of(die, &type) || !debug_unqualified(&type, &is_const))) {
		fprintf(to, "void");
	} else if (tag_is_record(dwarf_tag(&type)) &&
		   (dwarf_tag(die) != DW_TAG_typedef || !dwarf_diename(&type))) {
		record_print(&type, to);
	} else {
		const char *spelling = debug_spelling(debug, &type, "");

		fprintf(to, "%s", spelling ? spelling : "?");
	}
	fclose(to);
	return text;
}

static const char *label_of(struct debug *debug, const char *name, Dwarf_Die *die)
{
	struct debug_label *made = allocate(sizeof *made);
	const char *print = die_print(debug, die);

	made->name = name;
	struct debug_label *label =
		*(struct debug_label **)tsearch(made, &debug->labels, label_compare);
	size_t i = 0;
	while (i < label->nprints && strcmp(label->prints[i], print) != 0)
		i++;
	if (i == label->nprints)
		*APPEND(label->prints, label->nprints) = print;
	if (i == 0)
		return name;
	struct location where = debug_location(die);
	const char *slash = strrchr(where.file, '/');
	return format_text("%s (%s:%u, %zu)", name, slash ? slash + 1 : where.file, where.line, i);
}

static const char *tag_word(int tag)
{
	return tag == DW_TAG_union_type		? "union"
	       : tag == DW_TAG_enumeration_type ? "enum"
						: "struct";
}

static const char *label_make(struct debug *debug, Dwarf_Die *die)
{
	const struct naming *naming = debug_naming(debug, die);
	const char *name = debug_name(die), *word = tag_word(dwarf_tag(die));
	Dwarf_Die definition = *die;

	if (dwarf_tag(die) == DW_TAG_typedef)
		return name ? label_of(debug, name, die) : NULL;
	if (name && dwarf_hasattr(die, DW_AT_declaration))
		debug_definition(debug, (unsigned)dwarf_tag(die), name, &definition);
	if (!name && naming && naming->has_name) {
		Dwarf_Die by = naming->name;

		return debug_label(debug, &by);
	}
	if (name)
		return label_of(debug, format_text("%s %s", word, name), &definition);
	struct location where = debug_location(die);
	return label_of(
		debug,
		format_text("%s (unnamed at %s:%u:%u)", word, where.file, where.line, where.column),
		die);
}

const char *debug_label(struct debug *debug, Dwarf_Die *die)
{
	struct die_label wanted = {.key = die->addr};
	struct die_label **known = tfind(&wanted, &debug->die_labels, die_label_compare);

	if (known)
		return (*known)->label;
	/* Typedefs of a damaged file may lead to each other. */
	if (debug->labelling == DEBUG_DEPTH)
		return NULL;
	debug->labelling++;
	struct die_label *made = allocate(sizeof *made);
	*made = (struct die_label){die->addr, label_make(debug, die)};
	debug->labelling--;
	tsearch(made, &debug->die_labels, die_label_compare);
	return made->label;
}

/* ---- scalars */

static const struct {
	const char *compilers, *ours;
} scalars[] = {
	{"long int", "long"},
	{"long unsigned int", "unsigned long"},
	{"short int", "short"},
	{"short unsigned int", "unsigned short"},
	{"long long int", "long long"},
	{"long long unsigned int", "unsigned long long"},
	{"unsigned", "unsigned int"},
	{"__int128 unsigned", "unsigned __int128"},
	{"_Float128", "__float128"},
	{"bool", "_Bool"},
	{"complex float", "_Complex float"},
	{"complex double", "_Complex double"},
	{"complex long double", "_Complex long double"},
};

const char *debug_scalar_name(Dwarf_Die *die)
{
	const char *name = debug_name(die);
	uint64_t encoding = 0, size = 0;

	debug_number(die, DW_AT_encoding, &encoding);
	debug_number(die, DW_AT_byte_size, &size);
	for (size_t i = 0; name && i < sizeof scalars / sizeof *scalars; i++)
		if (!strcmp(scalars[i].compilers, name))
			return scalars[i].ours;
	/* clang writes all of them as _Complex. */
	if (encoding == DW_ATE_complex_float)
		return size == 8    ? "_Complex float"
		       : size == 16 ? "_Complex double"
				    : "_Complex long double";
	return name;
}

/* ---- types */

static const char *spelling_at(struct debug *debug, Dwarf_Die *die, const char *inner,
			       unsigned depth);

/* "int" and "*p" make "int *p", "int" and "[3]" make "int[3]". */
static const char *spelling_join(const char *name, const char *inner)
{
	return name ? format_text("%s%s%s", name, *inner && *inner != '[' ? " " : "", inner) : NULL;
}

static const char *spelling_target(struct debug *debug, Dwarf_Die *die, const char *inner,
				   unsigned depth)
{
	Dwarf_Die type;

	return debug_type_of(die, &type) ? spelling_at(debug, &type, inner, depth)
					 : spelling_join("void", inner);
}

static const char *spelling_pointer(struct debug *debug, Dwarf_Die *die, const char *inner,
				    unsigned depth)
{
	Dwarf_Die to;
	const char *star = dwarf_tag(die) == DW_TAG_pointer_type ? "*" : "&";
	bool is_const;

	if (debug_type_of(die, &to) && debug_unqualified(&to, &is_const) &&
	    (dwarf_tag(&to) == DW_TAG_array_type || dwarf_tag(&to) == DW_TAG_subroutine_type))
		return spelling_target(debug, die, format_text("(%s%s)", star, inner), depth);
	return spelling_target(debug, die, format_text("%s%s", star, inner), depth);
}

/* The qualifiers of a pointer follow its star. Others come first. */
static const char *spelling_qualified(struct debug *debug, Dwarf_Die *die, const char *word,
				      const char *inner, unsigned depth)
{
	Dwarf_Die to;
	bool is_const;

	if (debug_type_of(die, &to) && debug_unqualified(&to, &is_const) &&
	    dwarf_tag(&to) == DW_TAG_pointer_type)
		return spelling_target(
			debug, die, format_text("%s%s%s", word, *inner ? " " : "", inner), depth);
	const char *rest = spelling_target(debug, die, inner, depth);
	return rest ? format_text("%s %s", word, rest) : NULL;
}

static const char *spelling_array(struct debug *debug, Dwarf_Die *die, const char *inner,
				  unsigned depth)
{
	uint64_t counts[DEBUG_DIMENSIONS];
	unsigned n = debug_dimensions(die, counts);

	if (debug_flag(die, DW_AT_GNU_vector)) {
		const char *of = spelling_target(debug, die, "", depth);

		return of && n == 1
			       ? spelling_join(format_text("__attribute__((__vector_size__(%llu * "
							   "sizeof(%s)))) %s",
							   (unsigned long long)counts[0], of, of),
					       inner)
			       : NULL;
	}
	for (unsigned i = 0; i < n; i++)
		inner = counts[i] ? format_text("%s[%llu]", inner, (unsigned long long)counts[i])
				  : format_text("%s[]", inner);
	return spelling_target(debug, die, n ? inner : format_text("%s[]", inner), depth);
}

static const char *spelling_function(struct debug *debug, Dwarf_Die *die, const char *inner,
				     unsigned depth)
{
	const char *params = "";
	Dwarf_Die child, next;

	for (int more = dwarf_child(die, &child) == 0; more;) {
		const char *one = NULL;

		if (dwarf_tag(&child) == DW_TAG_formal_parameter) {
			if (!(one = spelling_target(debug, &child, "", depth)))
				return NULL;
		} else if (dwarf_tag(&child) == DW_TAG_unspecified_parameters && *params) {
			one = "...";
		}
		if (one)
			params = format_text("%s%s%s", params, *params ? ", " : "", one);
		next = child;
		more = dwarf_siblingof(&next, &child) == 0 &&
		       (const char *)child.addr > (const char *)next.addr;
	}
	if (!*params && debug_flag(die, DW_AT_prototyped))
		params = "void";
	return spelling_target(debug, die, format_text("%s(%s)", inner, params), depth);
}

static const char *spelling_at(struct debug *debug, Dwarf_Die *die, const char *inner,
			       unsigned depth)
{
	if (depth == DEBUG_DEPTH || strlen(inner) > 4096)
		return NULL;
	switch (dwarf_tag(die)) {
	case DW_TAG_base_type:
		return spelling_join(debug_scalar_name(die), inner);
	case DW_TAG_typedef:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
		return spelling_join(debug_label(debug, die), inner);
	case DW_TAG_unspecified_type:
		return spelling_join("void", inner);
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		return spelling_pointer(debug, die, inner, depth + 1);
	case DW_TAG_const_type:
		return spelling_qualified(debug, die, "const", inner, depth + 1);
	case DW_TAG_volatile_type:
		return spelling_qualified(debug, die, "volatile", inner, depth + 1);
	case DW_TAG_restrict_type:
		return spelling_qualified(debug, die, "restrict", inner, depth + 1);
	case DW_TAG_atomic_type:
	case DW_TAG_immutable_type:
	case DW_TAG_packed_type:
	case DW_TAG_subrange_type:
		return spelling_target(debug, die, inner, depth + 1);
	case DW_TAG_array_type:
		return spelling_array(debug, die, inner, depth + 1);
	case DW_TAG_subroutine_type:
		return spelling_function(debug, die, inner, depth + 1);
	default:
		return NULL;
	}
}

const char *debug_spelling(struct debug *debug, Dwarf_Die *die, const char *inner)
{
	return spelling_at(debug, die, inner, 0);
}

const char *debug_variable_spelling(struct debug *debug, Dwarf_Die *of)
{
	Dwarf_Die type;
	bool is_const;

	if (!debug_type_of(of, &type) || !debug_unqualified(&type, &is_const))
		return "void";
	const char *spelling = debug_spelling(debug, &type, "");
	if (!spelling)
		return "void *";
	if (strstr(spelling, "(unnamed"))
		return dwarf_tag(&type) == DW_TAG_enumeration_type ? "enum" : "struct";
	return spelling;
}
