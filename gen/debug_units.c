/* SPDX-License-Identifier: MIT */
/*
 * debug_units.c: one pass over the top level of all units. It finds the DIE that describes each
 * exported function, and where structs, unions, enums and typedefs are defined.
 *
 * A function is found by the address of the library's symbol. So all names and versions of the
 * function find it. If no DIE has this address (the symbol is an ifunc, or the function is written in
 * assembly), the pass takes a declaration of the name, which some caller has.
 */
#include <dwarf.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "gen/allocate.h"
#include "gen/debug_info.h"

/* How well a DIE describes a function. */
enum { RANK_NONE, RANK_KINDRED, RANK_DECLARED, RANK_NAMED, RANK_AT, RANK_AT_AND_NAMED };

#define NESTING 8 /* levels of namespaces and modules */

struct pass {
	struct debug *debug;
	struct debug_exports *of;
	struct debug_files *files;
	bool functions; /* functions of these units count; those of a companion do not */
};

bool debug_flag(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	bool value = false;

	return dwarf_attr_integrate(die, name, &attribute) &&
	       dwarf_formflag(&attribute, &value) == 0 && value;
}

static int die_language(Dwarf_Die *die)
{
	Dwarf_Die unit;

	return dwarf_diecu(die, &unit, NULL, NULL) ? dwarf_srclang(&unit) : -1;
}

bool debug_is_cxx(Dwarf_Die *die)
{
	switch (die_language(die)) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case 0x2a: /* C++17 */
	case 0x2b: /* C++20 */
		return true;
	default:
		return false;
	}
}

bool debug_is_fortran(Dwarf_Die *die)
{
	switch (die_language(die)) {
	case DW_LANG_Fortran77:
	case DW_LANG_Fortran90:
	case DW_LANG_Fortran95:
	case DW_LANG_Fortran03:
	case DW_LANG_Fortran08:
	case 0x2d: /* Fortran 2018 */
		return true;
	default:
		return false;
	}
}

bool debug_is_foreign(const struct debug *debug, Dwarf_Die *die)
{
	switch (die_language(die)) {
	case -1:
		/* The units that dwz makes name no language. */
		return debug->foreign;
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case 0x2c: /* C17 */
	case DW_LANG_ObjC:
		return false;
	default:
		return true;
	}
}

/* ---- functions */

static int export_compare_address(const void *a, const void *b)
{
	const struct export *const *one = a, *const *other = b;

	return ((*one)->address > (*other)->address) - ((*one)->address < (*other)->address);
}

static void exports_sort_addresses(struct debug_exports *of)
{
	const struct exports *exports = of->exports;

	of->by_address = allocate((exports->count + 1) * sizeof *of->by_address);
	of->candidates = allocate((exports->count + 1) * sizeof *of->candidates);
	for (size_t i = 0; i < exports->count; i++)
		of->by_address[i] = &exports->list[i];
	if (exports->count)
		qsort(of->by_address, exports->count, sizeof *of->by_address,
		      export_compare_address);
}

/* The first export whose address is not below this one. */
static size_t exports_at(const struct debug_exports *of, uint64_t address)
{
	size_t low = 0, high = of->exports->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (of->by_address[middle]->address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool symbol_is_mangled(const char *name, Dwarf_Die *die)
{
	const struct debug none = {0};

	return !strncmp(name, "_Z", 2) || (!strncmp(name, "_R", 2) && debug_is_foreign(&none, die));
}

static void candidate_offer(struct debug_exports *of, const struct export *export, Dwarf_Die *die,
			    unsigned rank)
{
	struct candidate *candidate = &of->candidates[export - of->exports->list];

	/* A mangled name is a function of C++ or Rust. Its types are not those of C. */
	if (candidate->rank < rank && !symbol_is_mangled(export->name, die))
		*candidate = (struct candidate){*die, rank};
}

static const char *function_symbol(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *name = NULL;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute))
		name = dwarf_formstring(&attribute);
	return name ? name : dwarf_diename(die);
}

static void function_offer_address(struct pass *pass, Dwarf_Die *die, const char *name)
{
	struct debug_exports *of = pass->of;
	Dwarf_Addr base, start, end;
	ptrdiff_t offset = 0;

	/* A function may be in several parts. It begins with one of them. */
	for (int part = 0; part < 8; part++) {
		offset = dwarf_ranges(die, offset, &base, &start, &end);
		if (offset <= 0)
			return;
		for (size_t i = exports_at(of, start);
		     i < of->exports->count && of->by_address[i]->address == start; i++) {
			const struct export *export = of->by_address[i];
			bool named = name && !strcmp(name, export->name);

			if (!export->indirect)
				candidate_offer(of, export, die,
						named ? RANK_AT_AND_NAMED : RANK_AT);
		}
	}
}

static void function_offer_name(struct pass *pass, Dwarf_Die *die, const char *name)
{
	const struct exports *exports = pass->of->exports;
	const struct export *first = exports_find(exports, name);
	const struct export *kindred =
		!strncmp(name, "__", 2) ? exports_find(exports, name + 2) : NULL;
	unsigned rank = debug_flag(die, DW_AT_declaration) ? RANK_DECLARED : RANK_NAMED;

	for (; first && first < exports->list + exports->count && !strcmp(first->name, name);
	     first++)
		candidate_offer(pass->of, first, die, rank);
	/* glibc defines the ifunc sin under the name __sin. */
	if (kindred && kindred->indirect)
		candidate_offer(pass->of, kindred, die, RANK_KINDRED);
}

static void function_consider(struct pass *pass, Dwarf_Die *die)
{
	const char *name = function_symbol(die);

	if (!pass->functions)
		return;
	function_offer_address(pass, die, name);
	if (name && debug_flag(die, DW_AT_external))
		function_offer_name(pass, die, name);
}

/* The names of an ifunc share one resolver, and so one description. */
static void candidates_share(struct debug_exports *of)
{
	for (size_t i = 0; i < of->exports->count; i++) {
		const struct export *export = &of->exports->list[i];
		size_t j = exports_at(of, export->address);

		if (!export->indirect || of->candidates[i].rank)
			continue;
		for (; j < of->exports->count && of->by_address[j]->address == export->address;
		     j++) {
			struct candidate *other =
				&of->candidates[of->by_address[j] - of->exports->list];

			if (other->rank)
				candidate_offer(of, export, &other->die, RANK_KINDRED);
		}
	}
}

/* ---- definitions */

static int naming_compare(const void *a, const void *b)
{
	const struct naming *one = a, *other = b;

	return (one->key > other->key) - (one->key < other->key);
}

const struct naming *debug_naming(const struct debug *debug, const Dwarf_Die *die)
{
	struct naming wanted = {.key = die->addr};
	struct naming *const *found = tfind(&wanted, (void *const *)&debug->naming, naming_compare);

	return found ? *found : NULL;
}

static unsigned die_line(Dwarf_Die *die)
{
	int line = 0;

	return dwarf_decl_line(die, &line) == 0 ? (unsigned)line : 0;
}

/* Of two typedefs for one type, the one with the tag's name is better, otherwise the first. */
static bool typedef_is_better(Dwarf_Die *is, Dwarf_Die *than, Dwarf_Die *named)
{
	const char *tag = dwarf_diename(named), *name = dwarf_diename(is),
		   *other = dwarf_diename(than);

	if (tag && name && other && !strcmp(tag, name) != !strcmp(tag, other))
		return !strcmp(tag, name);
	return die_line(is) < die_line(than);
}

static bool tag_is_tagged(int tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_union_type ||
	       tag == DW_TAG_class_type || tag == DW_TAG_enumeration_type;
}

/* Looks for `typedef struct foo *foo` and `typedef struct foo foo`. */
static void typedef_consider(struct pass *pass, Dwarf_Die *die)
{
	Dwarf_Die type;
	bool is_pointer = false, ignored;

	if (!debug_type_of(die, &type) || !debug_unqualified(&type, &ignored))
		return;
	if (dwarf_tag(&type) == DW_TAG_pointer_type) {
		Dwarf_Die to;

		is_pointer = true;
		if (!debug_type_of(&type, &to) || !debug_unqualified(&to, &ignored))
			return;
		type = to;
	}
	if (!tag_is_tagged(dwarf_tag(&type)))
		return;
	struct naming *made = allocate(sizeof *made);
	made->key = type.addr;
	struct naming **in = tsearch(made, &pass->debug->naming, naming_compare);
	struct naming *naming = *in;
	bool *has = is_pointer ? &naming->has_pointer : &naming->has_name;
	Dwarf_Die *by = is_pointer ? &naming->pointer : &naming->name;
	if (naming != made)
		free(made);
	if (!*has || typedef_is_better(die, by, &type))
		*by = *die;
	*has = true;
}

static void definition_add(struct pass *pass, Dwarf_Die *die, unsigned tag)
{
	const char *name = dwarf_diename(die);

	if (name && !dwarf_hasattr(die, DW_AT_declaration))
		*APPEND(pass->debug->definitions, pass->debug->ndefinitions) =
			(struct definition){tag, name, *die};
}

static int definition_compare(const void *a, const void *b)
{
	const struct definition *one = a, *other = b;

	return one->tag != other->tag ? (one->tag > other->tag) - (one->tag < other->tag)
				      : strcmp(one->name, other->name);
}

bool debug_definition(struct debug *debug, unsigned tag, const char *name, Dwarf_Die *die)
{
	struct definition wanted = {.tag = tag, .name = name};

	if (!debug->ndefinitions)
		return false;
	if (debug->nsorted != debug->ndefinitions)
		qsort(debug->definitions, debug->ndefinitions, sizeof *debug->definitions,
		      definition_compare);
	debug->nsorted = debug->ndefinitions;
	const struct definition *found = bsearch(&wanted, debug->definitions, debug->ndefinitions,
						 sizeof *debug->definitions, definition_compare);
	/* bsearch finds any of several. Take the first. */
	while (found && found > debug->definitions && !definition_compare(found - 1, &wanted))
		found--;
	if (found)
		*die = found->die;
	return found != NULL;
}

/* ---- units */

static void children_read(struct pass *pass, Dwarf_Die *of, unsigned depth);

static void child_read(struct pass *pass, Dwarf_Die *die, unsigned depth)
{
	int tag = dwarf_tag(die);

	switch (tag) {
	case DW_TAG_subprogram:
		function_consider(pass, die);
		break;
	case DW_TAG_typedef:
		definition_add(pass, die, DW_TAG_typedef);
		typedef_consider(pass, die);
		break;
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_class_type:
	case DW_TAG_enumeration_type:
		definition_add(pass, die, (unsigned)tag);
		break;
	case DW_TAG_namespace:
	case DW_TAG_module:
		if (depth < NESTING)
			children_read(pass, die, depth + 1);
		break;
	default:
		break;
	}
}

static void children_read(struct pass *pass, Dwarf_Die *of, unsigned depth)
{
	Dwarf_Die die, next;

	if (dwarf_child(of, &die) != 0)
		return;
	for (;;) {
		child_read(pass, &die, depth);
		/* In a damaged file, the next DIE may lie before this one. */
		if (dwarf_siblingof(&die, &next) != 0 ||
		    (const char *)next.addr <= (const char *)die.addr)
			return;
		die = next;
	}
}

/* Notes where libdw looks for the unit: it opens the first file that has it. */
static void unit_note_split(struct pass *pass, Dwarf_Die *unit, bool found)
{
	struct debug_exports *of = pass->of;
	Dwarf_Attribute attribute;
	const char *name = NULL, *folder = NULL;

	if (dwarf_attr(unit, DW_AT_dwo_name, &attribute) ||
	    dwarf_attr(unit, DW_AT_GNU_dwo_name, &attribute))
		name = dwarf_formstring(&attribute);
	if (dwarf_attr(unit, DW_AT_comp_dir, &attribute))
		folder = dwarf_formstring(&attribute);
	if (!found && !of->nlost++)
		of->lost = copy_text(name ? name : "");
	if (!name || !pass->files->path)
		return;
	/* Newer versions of libdw take the unit from the package. */
	debug_files_note(pass->files, format_text("%s.dwp", pass->files->path));
	const char *slash = strrchr(pass->files->path, '/');
	int length = slash ? (int)(slash - pass->files->path) + 1 : 0;
	if (*name == '/') {
		debug_files_note(pass->files, copy_text(name));
		return;
	}
	if (!debug_files_note(pass->files,
			      format_text("%.*s%s", length, pass->files->path, name)) &&
	    folder)
		debug_files_note(pass->files, format_text("%s/%s", folder, name));
}

/* False: the file is damaged. */
static bool units_read(struct pass *pass, Dwarf *dwarf, bool split)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die die, sub;
	uint8_t type;
	int result;

	while ((result = dwarf_get_units(dwarf, unit, &unit, NULL, &type, &die, &sub)) == 0) {
		if (!die.addr)
			continue;
		/* A unit of the assembler: it has names and addresses only. */
		if (dwarf_srclang(&die) == DW_LANG_Mips_Assembler)
			continue;
		if (type == DW_UT_skeleton && !split) {
			bool found = dwarf_tag(&sub) == DW_TAG_compile_unit;

			unit_note_split(pass, &die, found);
			/* The type units of the .dwo file, too. */
			if (found && !units_read(pass, dwarf_cu_getdwarf(sub.cu), true))
				return false;
		}
		pass->of->nunits++;
		children_read(pass, &die, 0);
	}
	return result > 0;
}

bool debug_read_units(struct debug *debug, struct debug_exports *of, Dwarf *dwarf,
		      struct debug_files *files)
{
	struct pass pass = {.debug = debug, .of = of, .files = files, .functions = true};
	Dwarf *companion = dwarf_getalt(dwarf);

	exports_sort_addresses(of);
	if (!units_read(&pass, dwarf, false))
		return false;
	pass.functions = false;
	if (companion && !units_read(&pass, companion, false))
		return false;
	candidates_share(of);
	return true;
}
