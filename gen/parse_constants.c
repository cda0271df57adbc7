/* SPDX-License-Identifier: MIT */
/*
 * parse_constants.c: macros that are whole numbers, in the groups that the header's comments make
 * of them, and the types that such a comment names: OpenCL's "cl_device_type - bitfield". Constants
 * of enums without a name, as the standard ABI of MPI has. And constants that are variables, in
 * families by their type, as Vulkan's of 64 bits.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "gen/allocate.h"
#include "gen/parse.h"

/*
 * Whether a comment that stands alone begins a new group, or only remarks on a line of the one that
 * it stands in.
 */
static bool comment_is_remark(const char *text)
{
	return isdigit((unsigned char)*text) || !strncasecmp(text, "reserved", 8) ||
	       !strncmp(text, "enum ", 5);
}

static bool line_is_directive_or_blank(const char *source, size_t at, size_t end)
{
	while (at < end && isblank((unsigned char)source[at]))
		at++;
	return at >= end || source[at] == '#';
}

/*
 * Only preprocessor lines (with their continuations), comments and blanks stand between two offsets
 * that begin lines.
 */
static bool text_only_directives(const struct comments *comments, size_t from, size_t to)
{
	bool continued = false;

	for (size_t i = 0, at = from; at < to;) {
		const char *newline = memchr(comments->source + at, '\n', comments->size - at);
		size_t end = newline ? (size_t)(newline - comments->source) : comments->size;

		while (i < comments->count && comments->list[i].end <= at)
			i++;
		bool in_comment = i < comments->count && comments->list[i].start < end &&
				  comments->list[i].alone;
		if (in_comment)
			end = comments->list[i].end > end ? comments->list[i].end : end;
		else if (!continued && !line_is_directive_or_blank(comments->source, at, end))
			return false;
		continued = end > at && comments->source[end - 1] == '\\';
		at = end + 1;
	}
	return true;
}

/*
 * The comment that a macro's group stands under: the nearest above it that is no remark, with
 * nothing but directives between.
 */
static const struct comment *group_comment(const struct comments *comments, size_t offset)
{
	for (size_t i = comments->count; i-- > 0;) {
		const struct comment *comment = &comments->list[i];

		if (comment->start >= offset || !comment->alone || !*comment->text ||
		    comment_is_remark(comment->text))
			continue;
		return text_only_directives(comments, comment->end, offset) ? comment : NULL;
	}
	return NULL;
}

static const char *comment_first_line(const char *text)
{
	return copy_bytes(text, strcspn(text, "\n"));
}

static struct macro *macros_read(struct parse *parse, CXCursor all, size_t *count)
{
	struct cursors row = cursors_of_kind(all, CXCursor_MacroDefinition);
	struct macro *macros = NULL;

	*count = 0;
	for (size_t i = 0; i < row.count; i++) {
		struct place place = parse_place(parse, clang_getCursorLocation(row.list[i]));

		if (!place.source || !place.source->named ||
		    clang_Cursor_isMacroFunctionLike(row.list[i]))
			continue;
		struct macro *macro = APPEND(macros, *count);
		macro->name = cursor_name(row.list[i]);
		macro->place = place;
	}
	free(row.list);
	return macros;
}

static bool variable_value(CXCursor variable, int64_t *value)
{
	CXEvalResult result = clang_Cursor_Evaluate(variable);
	bool is = result && clang_EvalResult_getKind(result) == CXEval_Int;

	if (is)
		*value = clang_EvalResult_getAsLongLong(result);
	if (result)
		clang_EvalResult_dispose(result);
	return is;
}

static void constant_add(struct model *model, const struct macro *macro, int64_t value)
{
	const struct comment *comment =
		group_comment(macro->place.source->comments, macro->place.offset);
	const char *title = comment ? comment_first_line(comment->text) : "";
	struct constants *last =
		model->nconstants ? &model->constants[model->nconstants - 1] : NULL;

	if (!last || strcmp(last->title, title) != 0 ||
	    strcmp(last->where.file, macro->place.source->name) != 0) {
		last = APPEND(model->constants, model->nconstants);
		last->title = title;
		last->where = (struct location){macro->place.source->name, macro->place.line,
						macro->place.column};
	}
	struct enumerator *constant = APPEND(last->values, last->nvalues);
	constant->name = macro->name;
	constant->value = value;
	constant->comment = comment_behind(macro->place.source->comments,
					   macro->place.offset + strlen(macro->name),
					   macro->place.source->comments->size);
}

static void enum_add(struct parse *parse, CXCursor declared)
{
	struct cursors row = cursors_of_kind(declared, CXCursor_EnumConstantDecl);
	size_t limit = parse_end(parse, declared).offset;
	struct constants *group = APPEND(parse->model->constants, parse->model->nconstants);

	group->title = "";
	group->where = parse_location(parse, declared);
	group->is_enum = true;
	for (size_t i = 0; i < row.count; i++) {
		struct enumerator *constant = APPEND(group->values, group->nvalues);

		constant->name = cursor_name(row.list[i]);
		constant->value = clang_getEnumConstantDeclValue(row.list[i]);
		constant->comment = parse_row_comment(parse, &row, i, limit);
	}
	free(row.list);
}

static void enums_add(struct parse *parse, CXCursor all)
{
	struct cursors row = cursors_of_kind(all, CXCursor_EnumDecl);

	for (size_t i = 0; i < row.count; i++)
		if (clang_Cursor_isAnonymous(row.list[i]) && parse_is_named(parse, row.list[i]))
			enum_add(parse, row.list[i]);
	free(row.list);
}

void parse_constants(struct parse *parse, CXCursor all)
{
	size_t count;
	struct macro *macros = macros_read(parse, all, &count);
	char *text = parse_input(parse->model, NULL, 0, macros, count);
	CXTranslationUnit unit = parse_unit(parse, text, CXTranslationUnit_None);
	struct cursors row =
		unit ? cursors_of_kind(clang_getTranslationUnitCursor(unit), CXCursor_VarDecl)
		     : (struct cursors){0};

	for (size_t i = 0; i < row.count; i++) {
		unsigned long number;
		int64_t value;

		if (sscanf(cursor_name(row.list[i]), "tracegen_value_%lu", &number) == 1 &&
		    number < count && variable_value(row.list[i], &value))
			constant_add(parse->model, &macros[number], value);
	}
	free(row.list);
	free(text);
	if (unit)
		clang_disposeTranslationUnit(unit);
	enums_add(parse, all);
}

static struct family *family_of(struct parse *parse, const char *name, CXType type)
{
	for (size_t i = 0; i < parse->nfamilies; i++)
		if (!strcmp(parse->families[i].name, name))
			return &parse->families[i];
	struct family *family = APPEND(parse->families, parse->nfamilies);
	family->name = name;
	family->values = allocate(sizeof *family->values);
	family->values->kind = TL_KIND_ENUM;
	family->values->size = (uint64_t)clang_Type_getSizeOf(type);
	family->values->align = (uint64_t)clang_Type_getAlignOf(type);
	return family;
}

void parse_families(struct parse *parse, CXCursor all)
{
	struct cursors row = cursors_of_kind(all, CXCursor_VarDecl);

	for (size_t i = 0; i < row.count; i++) {
		CXType type = clang_getCursorType(row.list[i]);
		enum tl_kind kind = parse_scalar_kind(clang_getCanonicalType(type).kind);
		struct enumerator constant = {.name = cursor_name(row.list[i])};

		if ((kind != TL_KIND_UINT && kind != TL_KIND_INT) ||
		    !clang_isConstQualifiedType(type) || !parse_is_named(parse, row.list[i]))
			continue;
		/* uint32_t is the type of constants that have nothing to do with each other. */
		CXCursor declared = clang_getTypeDeclaration(type);
		const struct alias *alias = parse_alias(parse, cursor_name(declared));
		if (!alias || !parse_is_named(parse, alias->cursor) ||
		    !variable_value(row.list[i], &constant.value))
			continue;
		constant.comment = parse_comment_behind(parse, row.list[i]);
		enumerator_add(family_of(parse, alias->name, type)->values, constant);
	}
	free(row.list);
}

/* True if the type, or a typedef that it stands for, is called a bit field. */
static bool is_bitfield_alias(CXType type)
{
	for (;;) {
		while (type.kind == CXType_Elaborated)
			type = clang_Type_getNamedType(type);
		if (type.kind != CXType_Typedef)
			return false;
		if (strstr(cxstring_text(clang_getTypedefName(type)), "bitfield"))
			return true;
		type = clang_getTypedefDeclUnderlyingType(clang_getTypeDeclaration(type));
	}
}

static void alias_extend_by_group(struct parse *parse, const struct alias *alias,
				  const struct constants *group, bool bitfield)
{
	struct type *type = parse_type(parse, clang_getCursorType(alias->cursor));

	if (type->kind == TL_KIND_UINT || type->kind == TL_KIND_INT)
		type->kind = bitfield || is_bitfield_alias(clang_getCursorType(alias->cursor))
				     ? TL_KIND_FLAGS
				     : TL_KIND_ENUM;
	if (type->kind != TL_KIND_ENUM && type->kind != TL_KIND_FLAGS)
		return;
	for (size_t i = 0; i < group->nvalues; i++) {
		int64_t value = group->values[i].value;

		/*
		 * Headers also list names of properties under a bit field's name, and a property's
		 * value is not one bit.
		 */
		if (type->kind == TL_KIND_ENUM || bitfield || (value & (value - 1)) == 0)
			enumerator_add(type, group->values[i]);
	}
}

bool parse_title(struct parse *parse, const struct constants *group, bool extend)
{
	static const char *const joining[] = {"and",	  "or", "type",	    "flags",
					      "addition", "to", "bitfield", "-"};
	bool bitfield = strstr(group->title, "bitfield") != NULL, named = false;
	char *words = copy_text(group->title), *rest;

	for (char *word = strtok_r(words, " ,\t", &rest); word;
	     word = strtok_r(NULL, " ,\t", &rest)) {
		const struct alias *alias = parse_alias(parse, word);
		bool joins = false;

		for (size_t i = 0; i < sizeof joining / sizeof *joining; i++)
			joins |= !strcmp(word, joining[i]);
		if (joins)
			continue;
		if (!alias || !parse_is_named(parse, alias->cursor) ||
		    parse_scalar_kind(
			    clang_getCanonicalType(clang_getCursorType(alias->cursor)).kind) ==
			    TL_KIND_VOID) {
			free(words);
			return false;
		}
		if (extend)
			alias_extend_by_group(parse, alias, group, bitfield);
		named = true;
	}
	free(words);
	return named;
}
