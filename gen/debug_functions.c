/* SPDX-License-Identifier: MIT */
/*
 * debug_functions.c: functions in debug information.
 *
 * The compiler may have optimised a function: then its parameters stand in the DIE that it was made
 * from (its abstract origin). A function that was declared first has its parameters in the
 * declaration, too, maybe under other names.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "gen/allocate.h"
#include "gen/comment.h"
#include "gen/debug_info.h"

struct function debug_function_named(struct debug *debug, const char *name)
{
	struct function function = {.name = name,
				    .result = debug_void(debug),
				    .result_spelling = "void",
				    .exported = true,
				    .level = TL_LEVEL_DEBUG,
				    .passed = 1,
				    .where = {.file = ""}};

	return function;
}

/* Whether a shim can pass on a value of this type. */
static bool type_is_passable(const struct type *type)
{
	const struct type *of = type;

	while (of && of->kind == TL_KIND_ARRAY)
		of = of->target;
	return type && of && !of->partial && !of->incomplete &&
	       (type->kind != TL_KIND_ARRAY || type->wide);
}

static bool has_params(Dwarf_Die *die)
{
	Dwarf_Die child, next;

	for (int more = dwarf_child(die, &child) == 0; more;) {
		if (dwarf_tag(&child) == DW_TAG_formal_parameter ||
		    dwarf_tag(&child) == DW_TAG_unspecified_parameters)
			return true;
		next = child;
		more = dwarf_siblingof(&next, &child) == 0 &&
		       (const char *)child.addr > (const char *)next.addr;
	}
	return false;
}

/* The DIE that has the parameters of a function. */
static Dwarf_Die function_root(Dwarf_Die die)
{
	static const unsigned links[] = {DW_AT_abstract_origin, DW_AT_specification};
	Dwarf_Attribute attribute;
	Dwarf_Die to;

	for (unsigned depth = 0; depth < 8; depth++) {
		bool found = false;

		for (size_t i = 0; i < 2 && !found; i++)
			found = dwarf_attr(&die, links[i], &attribute) &&
				dwarf_formref_die(&attribute, &to) &&
				(links[i] == DW_AT_abstract_origin || !has_params(&die));
		if (!found)
			break;
		die = to;
	}
	return die;
}

static bool function_add_param(struct debug *debug, struct function *function, Dwarf_Die *die)
{
	const char *name = debug_name(die);
	struct variable *param = APPEND(function->params, function->nparams);
	const struct tags none = {0};

	param->name = name ? name : format_text("arg%zu", function->nparams - 1);
	param->type = debug_type_of_variable(debug, die);
	param->spelling = debug_variable_spelling(debug, die);
	param->where = debug_location(die);
	if (!type_is_passable(param->type) || param->type->kind == TL_KIND_VOID)
		return false;
	variable_settle(param, &none, function->params, function->nparams);
	return true;
}

/* A caller that sees no prototype passes a double where the function expects a float. */
static bool params_are_promoted(const struct function *function)
{
	for (size_t i = 0; i < function->nparams; i++) {
		const struct type *type = function->params[i].type;

		if (type->kind == TL_KIND_FLOAT && type->size == 4)
			return true;
	}
	return false;
}

bool debug_function(struct debug *debug, Dwarf_Die *of, struct function *function)
{
	Dwarf_Die die = function_root(*of), child, next;
	bool fine = true, prototyped;
	uint64_t convention = 0;

	/*
	 * Fortran's debug information does not say which parameters are passed by value, nor the
	 * hidden lengths of texts.
	 */
	if (debug_is_fortran(of))
		return false;
	debug->foreign = false;
	debug->foreign = debug_is_foreign(debug, of);
	prototyped = debug_flag(of, DW_AT_prototyped) || debug->foreign;

	function->passed = 0;
	function->result = debug_type_of_variable(debug, of);
	function->result_spelling = debug_variable_spelling(debug, of);
	function->where = debug_location(of);
	for (int more = dwarf_child(&die, &child) == 0; more && fine;) {
		if (dwarf_tag(&child) == DW_TAG_formal_parameter)
			fine = function_add_param(debug, function, &child);
		else if (dwarf_tag(&child) == DW_TAG_unspecified_parameters)
			function->variadic = true;
		next = child;
		more = dwarf_siblingof(&next, &child) == 0 &&
		       (const char *)child.addr > (const char *)next.addr;
	}
	if (!fine || !type_is_passable(function->result))
		return false;
	/* Declared as `int f()`, without a prototype. */
	if (!prototyped &&
	    (params_are_promoted(function) || (function->variadic && !function->nparams)))
		return false;
	if (function->variadic) {
		function->left_out = LEFT_OUT_VARIADIC;
		function->only_generic = true;
	}
	/* clang says so; gcc does not. */
	if (debug_number(&die, DW_AT_calling_convention, &convention) &&
	    convention >= DW_CC_lo_user) {
		function->left_out = LEFT_OUT_CONVENTION;
		function->only_generic = false;
	}
	return true;
}
