/* SPDX-License-Identifier: MIT */
/*
 * parse_functions.c: the functions of the headers: parameters, comments, and the reasons why a
 * function has no shim.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "gen/allocate.h"
#include "gen/exports.h"
#include "gen/parse.h"

/*
 * Why C can't pass a value of this type on, or NULL. `only_generic`: what passes registers and stack
 * on as they are could.
 */
static const char *type_unforwardable(CXType type, bool *only_generic)
{
	CXType canonical = clang_getCanonicalType(type);
	const char *written = cxstring_text(clang_getTypeSpelling(type));

	*only_generic = true;
	if (strstr(written, "va_list"))
		return "a va_list, which can be read only once";
	if (canonical.kind == CXType_Record &&
	    (strstr(written, "(unnamed") || strstr(written, "(anonymous")))
		return "a struct without a name, which can't be written down again";
	switch (canonical.kind) {
	case CXType_Vector:
	case CXType_ExtVector:
		return "a vector, which is passed in registers that shims don't save";
	case CXType_LongDouble:
	case CXType_Float128:
		return "wider than a 64-bit word and no struct (long double)";
	case CXType_Int128:
	case CXType_UInt128:
		return "wider than a 64-bit word and no struct (128-bit integer)";
	case CXType_Complex:
		return "a complex number";
	case CXType_Half:
	case CXType_Float16:
		return "a 16-bit float";
	case CXType_Record:
	case CXType_Enum:
		*only_generic = false;
		return clang_Type_getSizeOf(canonical) < 0
			       ? "passed by value, and its type is incomplete"
			       : NULL;
	default:
		return NULL;
	}
}

/*
 * The first reason is the one that messages show. A function is only_generic if all its reasons
 * are.
 */
static void function_leave_out(struct function *function, const char *why, bool only_generic)
{
	function->only_generic = only_generic && (!function->left_out || function->only_generic);
	if (!function->left_out)
		function->left_out = why;
}

/* clang knows the attribute returns_twice, but libclang's interface does not show it. */
static bool function_returns_twice(CXCursor cursor)
{
	return strstr(cxstring_text(clang_getCursorPrettyPrinted(cursor, NULL)),
		      "__attribute__((returns_twice))") != NULL;
}

static bool name_is_identifier(const char *name)
{
	for (const char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && *c != '_' && *c != '$')
			return false;
	return *name && !isdigit((unsigned char)*name);
}

static bool function_has_foreign_convention(CXCursor cursor)
{
	switch (clang_getFunctionTypeCallingConv(
		clang_getCanonicalType(clang_getCursorType(cursor)))) {
	case CXCallingConv_Default:
	case CXCallingConv_C:
		return false;
	default:
		return true;
	}
}

static void function_check_traceable(struct function *function, CXCursor cursor)
{
	const char *why = function_untraceable(function->name);

	if (!why && function->declared)
		why = function_untraceable(function->declared);
	if (!why && function_returns_twice(cursor))
		why = "it returns twice, the second time to a frame that a shim has already left";
	if (!why && function_has_foreign_convention(cursor))
		why = LEFT_OUT_CONVENTION;
	if (why)
		function_leave_out(function, why, false);
	if (!name_is_identifier(function->name))
		function_leave_out(function, "its symbol is no name in C", true);
}

static void function_check_forwardable(struct function *function, CXType type)
{
	bool only_generic;
	const char *why = type_unforwardable(clang_getResultType(type), &only_generic);
	int n = clang_getNumArgTypes(type);

	if (type.kind == CXType_FunctionNoProto)
		function_leave_out(function,
				   "declared without a prototype: its parameters are not known",
				   true);
	if (why)
		function_leave_out(function, format_text("its result is %s", why), only_generic);
	for (int i = 0; i < n; i++)
		if ((why = type_unforwardable(clang_getArgType(type, (unsigned)i), &only_generic)))
			function_leave_out(
				function,
				format_text("parameter %s is %s", function->params[i].name, why),
				only_generic);
	/* Last: a descriptor may take this reason away. */
	if (function->variadic)
		function_leave_out(function, LEFT_OUT_VARIADIC, true);
}

/* A parameter written as an array or a function, be it by a typedef, is passed as a pointer. */
static bool type_decays(CXType written)
{
	switch (clang_getCanonicalType(written).kind) {
	case CXType_ConstantArray:
	case CXType_IncompleteArray:
	case CXType_VariableArray:
	case CXType_FunctionProto:
	case CXType_FunctionNoProto:
		return true;
	default:
		return false;
	}
}

/* The end of what a doc comment says after a command: before the next command, or an empty line. */
static size_t comment_paragraph(const char *text)
{
	const char *end = text;

	while ((end = strchr(end, '\n'))) {
		end++;
		const char *next = end + strspn(end, " \t");
		if (*next == '\n' || *next == '\\' || *next == '@')
			break;
	}
	return end ? (size_t)(end - text - 1) : strlen(text);
}

/*
 * The comment of a parameter in its function's doc comment: "@param[out] name - text" gives "[out]
 * text". NULL: none.
 */
static const char *comment_documented_param(const char *comment, const char *name)
{
	for (const char *at = comment; at && (at = strstr(at, "param")); at += 5) {
		const char *tag = at + 5, *word = tag;

		if (at == comment || (at[-1] != '\\' && at[-1] != '@'))
			continue;
		while (*tag == ' ' || *tag == '\t')
			tag++;
		word = tag;
		if (*tag == '[')
			word = strchr(tag, ']') ? strchr(tag, ']') + 1 : tag;
		size_t tag_length = (size_t)(word - tag), length = strlen(name);
		word += strspn(word, " \t");
		if (strncmp(word, name, length) != 0 || isalnum((unsigned char)word[length]) ||
		    word[length] == '_')
			continue;
		word += length;
		word += strspn(word, " \t-:");
		return format_text("%.*s%s%.*s", (int)tag_length, tag, tag_length ? " " : "",
				   (int)comment_paragraph(word), word);
	}
	return NULL;
}

static void function_add_param(struct parse *parse, struct function *function,
			       const struct cursors *row, size_t i, CXType passed, size_t limit)
{
	CXCursor cursor = row->list[i];
	CXType written = clang_getCursorType(cursor);
	long long elements = clang_getArraySize(clang_getCanonicalType(written));
	const char *name = cursor_name(cursor);
	struct variable *param = APPEND(function->params, function->nparams);

	param->name = *name ? name : format_text("arg%zu", i);
	param->type = type_decays(written) ? parse_decayed(parse, written, passed)
					   : parse_type(parse, written);
	param->spelling = type_decays(written) ? parse_decayed_spelling(written, passed)
					       : parse_spelling(written);
	param->comment = parse_row_comment(parse, row, i, limit);
	if (!param->comment)
		param->comment = comment_documented_param(function->comment, param->name);
	param->where = parse_location(parse, cursor);
	struct tags tags = tags_read(param->comment);
	/* T name[3] promises at least three. */
	if (elements > 0 && !tags.has_length) {
		tags.has_length = true;
		tags.checked = !tags.direction;
		tags.length =
			(struct length){.kind = TL_LENGTH_CONSTANT, .constant = (uint32_t)elements};
		if (!tags.direction && param->type->is_const)
			tags.direction = TL_IN;
	}
	variable_settle(param, &tags, function->params, function->nparams);
}

/*
 * The comments in front of a declaration and behind it. If parameters have comments behind them, the
 * last one is the last parameter's.
 */
static const char *function_comment(struct parse *parse, CXCursor cursor, const struct cursors *row,
				    size_t limit)
{
	const char *before = parse_comment(parse, cursor);
	const char *behind = parse_comment_behind(parse, cursor);

	for (size_t i = 0; i < row->count; i++)
		if (parse_row_comment(parse, row, i, limit))
			return before;
	return before && behind ? format_text("%s\n%s", before, behind) : before ? before : behind;
}

static struct function *function_add(struct parse *parse, CXCursor cursor)
{
	CXType type = clang_getCanonicalType(clang_getCursorType(cursor));
	CXType result = clang_getResultType(clang_getCursorType(cursor));
	struct cursors row = {0};
	size_t limit = parse_end(parse, cursor).offset;
	struct model *model = parse->model;
	struct function *function = APPEND(model->functions, model->nfunctions);

	/* Not the cursor's children: if the result is a function, these include its parameters. */
	for (int i = 0; i < clang_Cursor_getNumArguments(cursor); i++)
		*APPEND(row.list, row.count) = clang_Cursor_getArgument(cursor, (unsigned)i);
	function->name = cursor_symbol(cursor);
	function->declared = cursor_name(cursor);
	if (!strcmp(function->declared, function->name))
		function->declared = NULL;
	function->result = parse_type(parse, result);
	function->result_spelling = parse_spelling(result);
	function->variadic = clang_Cursor_isVariadic(cursor);
	function->exported = true;
	function->level = TL_LEVEL_DEBUG;
	function->comment = function_comment(parse, cursor, &row, limit);
	function->where = parse_location(parse, cursor);
	for (size_t i = 0; i < row.count; i++)
		function_add_param(parse, function, &row, i, clang_getArgType(type, (unsigned)i),
				   limit);
	/* Again, now that all parameters are known: lengths may name later ones. */
	for (size_t i = 0; i < row.count; i++) {
		struct tags tags = tags_read(function->params[i].comment);

		if (tags.has_length)
			variable_settle(&function->params[i], &tags, function->params,
					function->nparams);
	}
	function_check_traceable(function, cursor);
	function_check_forwardable(function, type);
	free(row.list);
	return function;
}

static void refused_add(struct parse *parse, CXCursor cursor, const char *why)
{
	struct model *model = parse->model;
	struct refused *refused = APPEND(model->refused, model->nrefused);

	refused->name = cursor_name(cursor);
	refused->why = why;
	refused->where = parse_location(parse, cursor);
}

static const char inlined[] = "it is static or inline: compilers put it into the program";

/* Where a library exports it, too, an interposer can have the calls that are not inlined. */
static bool function_is_inlined(CXCursor cursor)
{
	return clang_Cursor_getStorageClass(cursor) == CX_SC_Static ||
	       clang_Cursor_isFunctionInlined(cursor);
}

/*
 * Without libraries, take all functions of the headers that count. With libraries, take what these
 * export, whatever header declares it.
 */
static void function_consider(struct parse *parse, CXCursor cursor)
{
	const struct exports *exports = parse->from->exports;
	struct model *model = parse->model;
	const char *symbol = cursor_symbol(cursor);
	bool named = parse_is_named(parse, cursor);

	if (model_function(model, symbol))
		return;
	if (function_is_inlined(cursor)) {
		if (exports && exports_find(exports, symbol))
			function_leave_out(function_add(parse, cursor), inlined, true);
		else if (named)
			refused_add(parse, cursor, inlined);
	} else if (exports ? exports_find(exports, symbol) != NULL : named) {
		function_add(parse, cursor);
	} else if (exports && exports_has_data(exports, symbol)) {
		refused_add(parse, cursor, "the library exports it as data, not as a function");
	} else if (named) {
		if (!model->nunexported++)
			model->unexported_name = symbol;
		refused_add(parse, cursor, REFUSED_UNEXPORTED);
	} else if (!model->nelsewhere++) {
		model->elsewhere = parse_location(parse, cursor);
		model->elsewhere_name = symbol;
	}
}

void parse_functions(struct parse *parse, CXCursor all)
{
	struct cursors row = cursors_of_kind(all, CXCursor_FunctionDecl);

	for (size_t i = 0; i < row.count; i++)
		function_consider(parse, row.list[i]);
	free(row.list);
	row = cursors_of_kind(all, CXCursor_VarDecl);
	for (size_t i = 0; i < row.count; i++)
		if (parse_is_named(parse, row.list[i]))
			refused_add(parse, row.list[i], "it is data, and only calls are traced");
	free(row.list);
}
