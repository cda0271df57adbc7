/* SPDX-License-Identifier: MIT */
/*
 * parse.c: headers to a model, by libclang.
 *
 * The headers are parsed as one C file that includes them in order. Functions are taken from the
 * named headers alone; types from wherever they are defined. In the end only the types that
 * functions reach, or that a pNext chain can bring, stay in the model.
 *
 * Some things are known by convention, because C has no words for them:
 *	flags		an integer typedef X_flags_t beside an enum X_flag_t (or XFlags beside
 *			XFlagBits)
 *	macro enums	an integer typedef that the comment above a group of #defines names:
 *			OpenCL's "cl_device_type - bitfield"
 *	chains		an enumerator ZE_STRUCTURE_TYPE_FOO whose comment names, or whose own name
 *			spells, the struct ze_foo_t
 *	callbacks	X_params_t and X_pfnFooCb_t whose names, but for case and underscores, are a
 *			function's
 */
#include <clang-c/Index.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "gen/allocate.h"
#include "gen/comment.h"
#include "gen/model.h"

#define MAIN_FILE "tracegen-input.c"

/* A file of the headers, with what its comments say. */
struct source {
	CXFile file;
	const char *name; /* as included */
	bool named;	  /* one of the headers that were asked for */
	struct comments *comments;
};

/* A typedef of the headers, whether or not a function reaches it. */
struct alias {
	const char *name;
	CXCursor cursor;
};

struct parse {
	CXIndex index;
	CXTranslationUnit unit;
	struct model *model;
	const char *const *flags;
	size_t nflags;
	struct source **sources; /* places point to them: the list grows, they stay */
	size_t nsources;
	struct alias *aliases;
	size_t naliases;
	struct type **types; /* all that were made, by spelling */
	size_t ntypes;
};

/* Small things around libclang. */

static const char *take(CXString string)
{
	const char *text = clang_getCString(string);
	char *copy = copy_text(text ? text : "");

	clang_disposeString(string);
	return copy;
}

static const char *cursor_name(CXCursor cursor)
{
	return take(clang_getCursorSpelling(cursor));
}

/* "a/b/../c" is "a/c". */
static char *without_dots(char *path)
{
	char *up;

	while ((up = strstr(path, "/../"))) {
		char *from = up;

		while (from > path && from[-1] != '/')
			from--;
		memmove(from, up + 4, strlen(up + 4) + 1);
	}
	return path;
}

/* Where a file was found does not matter; what it is included as does. */
static const char *included_name(const struct parse *parse, const char *path)
{
	static const char *const standard[] = {"/usr/local/include/", "/usr/include/"};
	const char *name = path;

	for (size_t i = 0; i < parse->nflags; i++) {
		const char *folder = parse->flags[i];

		if (!strcmp(folder, "-I") || !strcmp(folder, "-isystem"))
			folder = i + 1 < parse->nflags ? parse->flags[++i] : "";
		else if (!strncmp(folder, "-isystem", 8))
			folder += 8;
		else if (!strncmp(folder, "-I", 2))
			folder += 2;
		else
			continue;
		size_t length = strlen(folder);
		if (length && !strncmp(path, folder, length) &&
		    (path[length] == '/' || folder[length - 1] == '/'))
			name = path + length + strspn(path + length, "/");
	}
	for (size_t i = 0; i < sizeof standard / sizeof *standard; i++)
		if (name == path && !strncmp(path, standard[i], strlen(standard[i])))
			name = path + strlen(standard[i]);
	while (!strncmp(name, "./", 2))
		name += 2;
	return without_dots(copy_text(name));
}

static struct source *source_of(struct parse *parse, CXFile file)
{
	size_t size;

	for (size_t i = 0; i < parse->nsources; i++)
		if (clang_File_isEqual(parse->sources[i]->file, file))
			return parse->sources[i];
	const char *text = clang_getFileContents(parse->unit, file, &size);
	struct source *source = allocate(sizeof *source);

	*APPEND(parse->sources, parse->nsources) = source;
	source->file = file;
	source->name = included_name(parse, take(clang_getFileName(file)));
	source->comments = comments_scan(text ? text : "", text ? size : 0);
	return source;
}

struct place {
	struct source *source; /* NULL: nowhere (built in) */
	unsigned line, column;
	size_t offset;
};

static struct place place_of(struct parse *parse, CXSourceLocation location)
{
	struct place place = {0};
	CXFile file;
	unsigned offset;

	clang_getFileLocation(location, &file, &place.line, &place.column, &offset);
	place.offset = offset;
	if (file)
		place.source = source_of(parse, file);
	return place;
}

static struct place start_of(struct parse *parse, CXCursor cursor)
{
	return place_of(parse, clang_getRangeStart(clang_getCursorExtent(cursor)));
}

static struct place end_of(struct parse *parse, CXCursor cursor)
{
	return place_of(parse, clang_getRangeEnd(clang_getCursorExtent(cursor)));
}

static struct location location_of(struct parse *parse, CXCursor cursor)
{
	struct place place = place_of(parse, clang_getCursorLocation(cursor));

	return (struct location){place.source ? place.source->name : "built in", place.line,
				 place.column};
}

static bool is_named(struct parse *parse, CXCursor cursor)
{
	struct place place = place_of(parse, clang_getCursorLocation(cursor));

	return place.source && place.source->named;
}

static const char *comment_of(struct parse *parse, CXCursor cursor)
{
	struct place place = start_of(parse, cursor);

	return place.source ? comment_before(place.source->comments, place.offset) : NULL;
}

/* The children of a cursor that are of one kind, in order. */
struct cursors {
	CXCursor *list;
	size_t count;
	enum CXCursorKind kind;
};

static enum CXChildVisitResult collect(CXCursor cursor, CXCursor parent, CXClientData to)
{
	struct cursors *cursors = to;

	(void)parent;
	if (clang_getCursorKind(cursor) == cursors->kind)
		*APPEND(cursors->list, cursors->count) = cursor;
	return CXChildVisit_Continue;
}

static struct cursors children(CXCursor parent, enum CXCursorKind kind)
{
	struct cursors cursors = {.kind = kind};

	clang_visitChildren(parent, collect, &cursors);
	return cursors;
}

static enum CXVisitorResult collect_field(CXCursor cursor, CXClientData to)
{
	struct cursors *cursors = to;

	*APPEND(cursors->list, cursors->count) = cursor;
	return CXVisit_Continue;
}

/*
 * The comment of the i-th of several things in a row (parameters, members, enumerators), whose list
 * ends at `limit`: behind it on its line, else in front of it.
 */
static const char *comment_in_row(struct parse *parse, const struct cursors *row, size_t i,
				  size_t limit)
{
	struct place start = start_of(parse, row->list[i]), end = end_of(parse, row->list[i]);
	const char *text;

	if (!start.source || start.source != end.source)
		return NULL;
	size_t next = i + 1 < row->count ? start_of(parse, row->list[i + 1]).offset : limit;
	text = comment_behind(end.source->comments, end.offset, next);
	return text ? text : comment_before(start.source->comments, start.offset);
}

/* Types. */

static struct type *type_from(struct parse *parse, CXType type);

static struct type *find_type(const struct parse *parse, const char *spelling)
{
	for (size_t i = 0; i < parse->ntypes; i++)
		if (!strcmp(parse->types[i]->spelling, spelling))
			return parse->types[i];
	return NULL;
}

static struct type *new_type(struct parse *parse, enum tl_kind kind, const char *name,
			     const char *spelling, CXType type)
{
	struct type *made = allocate(sizeof *made);
	long long size = clang_Type_getSizeOf(type), align = clang_Type_getAlignOf(type);

	made->kind = kind;
	made->name = name;
	made->spelling = spelling;
	made->size = size > 0 ? (uint64_t)size : 0;
	made->align = align > 0 ? (uint64_t)align : 1;
	*APPEND(parse->types, parse->ntypes) = made;
	return made;
}

/*
 * As C writes the type, without const and its like on the outermost level: "T *const" is a "T *",
 * "const int" an "int".
 */
static const char *plain_spelling(CXType type)
{
	static const char *const words[] = {"const", "volatile", "restrict", "__restrict"};
	char *text = copy_text(take(clang_getTypeSpelling(type)));
	size_t length = strlen(text), before;
	bool behind = strchr(text, '*') != NULL;

	do {
		before = length;
		for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
			size_t word = strlen(words[i]);

			if (behind && length > word && !strcmp(text + length - word, words[i]))
				length -= word;
			else if (!behind && !strncmp(text, words[i], word) && text[word] == ' ')
				text += word + 1, length -= word + 1;
			else
				continue;
			text[length] = '\0';
		}
	} while (length != before);
	return text;
}

static enum tl_kind scalar_kind(enum CXTypeKind kind)
{
	switch (kind) {
	case CXType_Bool:
		return TL_KIND_BOOL;
	case CXType_Char_S:
	case CXType_Char_U:
		return TL_KIND_CHAR;
	case CXType_SChar:
	case CXType_Short:
	case CXType_Int:
	case CXType_Long:
	case CXType_LongLong:
	case CXType_WChar:
		return TL_KIND_INT;
	case CXType_UChar:
	case CXType_Char16:
	case CXType_Char32:
	case CXType_UShort:
	case CXType_UInt:
	case CXType_ULong:
	case CXType_ULongLong:
		return TL_KIND_UINT;
	case CXType_Float:
	case CXType_Double:
		return TL_KIND_FLOAT;
	default:
		return TL_KIND_VOID;
	}
}

static bool is_unsigned(CXType type)
{
	enum tl_kind kind = scalar_kind(clang_getCanonicalType(type).kind);

	return kind == TL_KIND_UINT || kind == TL_KIND_BOOL;
}

/* The typedef that gives a struct, union or enum its name, or NULL. */
static const char *name_by_alias(const struct parse *parse, CXCursor declared)
{
	for (size_t i = 0; i < parse->naliases; i++) {
		CXType under = clang_getTypedefDeclUnderlyingType(parse->aliases[i].cursor);

		if (under.kind == CXType_Elaborated)
			under = clang_Type_getNamedType(under);
		if ((under.kind == CXType_Record || under.kind == CXType_Enum) &&
		    clang_equalCursors(clang_getCanonicalCursor(clang_getTypeDeclaration(under)),
				       declared))
			return parse->aliases[i].name;
	}
	return NULL;
}

static void fill_enum(struct parse *parse, struct type *type, CXCursor declared)
{
	struct cursors row = children(declared, CXCursor_EnumConstantDecl);
	bool narrow = is_unsigned(clang_getEnumDeclIntegerType(declared)) && type->size == 4;
	size_t limit = end_of(parse, declared).offset;

	for (size_t i = 0; i < row.count; i++) {
		int64_t value = clang_getEnumConstantDeclValue(row.list[i]);

		enumerator_add(type, (struct enumerator){
					     .name = cursor_name(row.list[i]),
					     .value = narrow ? (int64_t)(uint32_t)value : value,
					     .comment = comment_in_row(parse, &row, i, limit),
				     });
	}
	free(row.list);
}

/* A member that says nothing of itself is read or written with what it is in. */
static void settle_members(struct variable *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct tags tags = tags_read(list[i].comment);

		variable_settle(&list[i], &tags, list, count);
		if (!tags.direction)
			list[i].direction = 0;
	}
}

/*
 * The spelling of an unnamed struct holds a path; it compiles nowhere, so no more than its kind is
 * kept.
 */
static const char *type_spelling(CXType type)
{
	const char *spelling = plain_spelling(type);

	if (strstr(spelling, "(unnamed") || strstr(spelling, "(anonymous"))
		return clang_getCanonicalType(type).kind == CXType_Enum ? "enum" : "struct";
	return spelling;
}

static void fill_record(struct parse *parse, struct type *type, CXType record, uint64_t base);

/*
 * A struct or union with no name of its own: a struct's members belong to what is around it, a
 * union is called after its first member.
 */
static void add_unnamed_record(struct parse *parse, struct type *type, CXType record,
			       uint64_t offset)
{
	struct type *inner = type_from(parse, record);

	if (inner->kind == TL_KIND_STRUCT) {
		fill_record(parse, type, record, offset);
		return;
	}
	struct variable *member = APPEND(type->members, type->nmembers);
	member->name = inner->nmembers ? inner->members[0].name : "unnamed";
	member->type = inner;
	member->spelling = "union";
	member->offset = offset;
	member->where = inner->where;
}

static void add_member(struct parse *parse, struct type *type, const struct cursors *row, size_t i,
		       uint64_t base, size_t limit)
{
	CXCursor cursor = row->list[i];
	CXType field = clang_getCursorType(cursor);
	const char *name = cursor_name(cursor);
	long long bits = clang_Cursor_getOffsetOfField(cursor);
	uint64_t offset = base + (bits > 0 ? (uint64_t)bits / 8 : 0);

	if (clang_Cursor_isAnonymous(cursor) || !*name) {
		if (clang_getCanonicalType(field).kind == CXType_Record)
			add_unnamed_record(parse, type, field, offset);
		return;
	}
	struct variable member = {
		.name = name,
		.type = type_from(parse, field),
		.spelling = type_spelling(field),
		.offset = offset,
		.comment = comment_in_row(parse, row, i, limit),
		.where = location_of(parse, cursor),
	};
	if (clang_Cursor_isBitField(cursor) && member.type->size) {
		uint64_t unit = member.type->size;

		member.offset = base + (uint64_t)bits / (8 * unit) * unit;
		member.bit_offset = (unsigned)((uint64_t)bits % (8 * unit));
		member.bit_width = (unsigned)clang_getFieldDeclBitWidth(cursor);
	}
	*APPEND(type->members, type->nmembers) = member;
}

static void fill_record(struct parse *parse, struct type *type, CXType record, uint64_t base)
{
	struct cursors row = {0};
	size_t limit = end_of(parse, clang_getTypeDeclaration(record)).offset;

	clang_Type_visitFields(record, collect_field, &row);
	for (size_t i = 0; i < row.count; i++)
		add_member(parse, type, &row, i, base, limit);
	free(row.list);
	settle_members(type->members, type->nmembers);
}

/*
 * A struct, union or enum. It is in the table before its members are read, because they may lead
 * back to it.
 */
static struct type *type_declared(struct parse *parse, CXType type)
{
	CXCursor declared = clang_getTypeDeclaration(type);
	const char *tag = cursor_name(declared);
	const char *name = name_by_alias(parse, clang_getCanonicalCursor(declared));
	bool unnamed = clang_Cursor_isAnonymous(declared) || !*tag || strchr(tag, '(');
	struct type *known;

	const char *spelling = name ? name : plain_spelling(clang_getCanonicalType(type));
	if ((known = find_type(parse, spelling)))
		return known;
	bool is_enum = type.kind == CXType_Enum;
	bool is_union = clang_getCursorKind(declared) == CXCursor_UnionDecl;
	struct type *made = new_type(parse,
				     is_enum	? TL_KIND_ENUM
				     : is_union ? TL_KIND_UNION
						: TL_KIND_STRUCT,
				     name      ? name
				     : unnamed ? NULL
					       : tag,
				     spelling, type);
	made->incomplete = clang_Type_getSizeOf(type) < 0;
	made->where = location_of(parse, declared);
	made->comment = comment_of(parse, declared);
	if (is_enum)
		fill_enum(parse, made, declared);
	else if (!made->incomplete)
		fill_record(parse, made, type, 0);
	return made;
}

static struct type *type_scalar(struct parse *parse, CXType type, const char *name)
{
	struct type *known = find_type(parse, name);

	return known ? known
		     : new_type(parse, scalar_kind(clang_getCanonicalType(type).kind), name, name,
				type);
}

static void read_params(struct parse *parse, CXType function, struct variable **params,
			size_t *count)
{
	int n = clang_getNumArgTypes(function);

	for (int i = 0; i < n; i++) {
		CXType argument = clang_getArgType(function, (unsigned)i);
		struct variable *param = APPEND(*params, *count);

		param->name = format_text("arg%d", i);
		param->type = type_from(parse, argument);
		param->spelling = type_spelling(argument);
		param->direction = TL_IN;
	}
}

static struct type *type_function(struct parse *parse, CXType pointer, CXType function,
				  const char *name, const char *spelling)
{
	struct type *made = new_type(parse, TL_KIND_FUNCTION, name, spelling, pointer);

	made->target = type_from(parse, clang_getResultType(function));
	read_params(parse, function, &made->members, &made->nmembers);
	return made;
}

static CXType without_parens(CXType type)
{
	CXType canonical = clang_getCanonicalType(type);

	return canonical.kind == CXType_FunctionProto || canonical.kind == CXType_FunctionNoProto
		       ? canonical
		       : type;
}

/* A pointer, under the name that a typedef gives it or under none. */
static struct type *type_pointer(struct parse *parse, CXType type, const char *name)
{
	const char *spelling = name ? name : plain_spelling(type);
	CXType to = without_parens(clang_getPointeeType(clang_getCanonicalType(type)));
	struct type *known = find_type(parse, spelling);

	if (known)
		return known;
	if (to.kind == CXType_FunctionProto || to.kind == CXType_FunctionNoProto)
		return type_function(parse, type, to, name, spelling);
	CXType written = type.kind == CXType_Pointer ? clang_getPointeeType(type) : to;
	bool opaque =
		clang_getCanonicalType(to).kind == CXType_Record && clang_Type_getSizeOf(to) < 0;
	struct type *made = new_type(parse, opaque ? TL_KIND_HANDLE : TL_KIND_POINTER,
				     opaque ? name : NULL, spelling, type);
	made->is_const = clang_isConstQualifiedType(to);
	if (!opaque)
		made->target = to.kind == CXType_Void ? NULL : type_from(parse, written);
	return made;
}

static struct type *type_alias(struct parse *parse, CXType type)
{
	CXCursor declared = clang_getTypeDeclaration(type);
	const char *name = cursor_name(declared);
	CXType under = clang_getTypedefDeclUnderlyingType(declared);
	CXType canonical = clang_getCanonicalType(under);
	struct type *known = find_type(parse, name);

	if (known)
		return known;
	struct type *made;
	if (canonical.kind == CXType_Record || canonical.kind == CXType_Enum)
		return type_from(parse, under);
	if (canonical.kind == CXType_Pointer) {
		while (under.kind == CXType_Elaborated)
			under = clang_Type_getNamedType(under);
		/* A second name for a handle stays a name of its own. */
		made = type_pointer(parse, under.kind == CXType_Pointer ? under : canonical, name);
	} else if (canonical.kind == CXType_ConstantArray ||
		   canonical.kind == CXType_FunctionProto) {
		return type_from(parse, canonical);
	} else {
		made = type_scalar(parse, canonical, name);
	}
	if (!made->where.file) {
		made->where = location_of(parse, declared);
		made->comment = comment_of(parse, declared);
	}
	return made;
}

static struct type *type_array(struct parse *parse, CXType type)
{
	const char *spelling = plain_spelling(type);
	struct type *known = find_type(parse, spelling);
	long long count = clang_getArraySize(type);

	if (known)
		return known;
	struct type *made = new_type(parse, TL_KIND_ARRAY, NULL, spelling, type);
	made->target = type_from(parse, clang_getArrayElementType(type));
	made->count = count > 0 ? (uint64_t)count : 0;
	return made;
}

static struct type *type_from(struct parse *parse, CXType type)
{
	switch (type.kind) {
	case CXType_Elaborated:
		return type_from(parse, clang_Type_getNamedType(type));
	case CXType_Typedef:
		return type_alias(parse, type);
	case CXType_Record:
	case CXType_Enum:
		return type_declared(parse, type);
	case CXType_Pointer:
		return type_pointer(parse, type, NULL);
	case CXType_ConstantArray:
	case CXType_IncompleteArray:
		return type_array(parse, type);
	case CXType_Atomic:
		return type_from(parse, clang_Type_getValueType(type));
	case CXType_Attributed:
		return type_from(parse, clang_Type_getModifiedType(type));
	case CXType_FunctionProto:
	case CXType_FunctionNoProto: {
		const char *spelling = take(clang_getTypeSpelling(type));
		struct type *known = find_type(parse, spelling);

		return known ? known : type_function(parse, type, type, NULL, spelling);
	}
	case CXType_Unexposed: {
		CXType canonical = clang_getCanonicalType(type);

		if (canonical.kind != CXType_Unexposed)
			return type_from(parse, canonical);
	} /* fall through */
	default:
		return type_scalar(parse, type, plain_spelling(type));
	}
}

/* Functions. */

/* Why a value of this type can't be passed on, or NULL. */
static const char *unforwardable(CXType type)
{
	CXType canonical = clang_getCanonicalType(type);
	const char *written = take(clang_getTypeSpelling(type));

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
		return clang_Type_getSizeOf(canonical) < 0
			       ? "passed by value, and its type is incomplete"
			       : NULL;
	default:
		return NULL;
	}
}

static void leave_out(struct function *function, const char *why)
{
	if (!function->left_out)
		function->left_out = why;
}

static void check_forwardable(struct function *function, CXType type)
{
	const char *why = unforwardable(clang_getResultType(type));
	int n = clang_getNumArgTypes(type);

	if (function->variadic)
		leave_out(function, "variadic: its arguments can't be passed on");
	if (type.kind == CXType_FunctionNoProto)
		leave_out(function, "declared without a prototype: its parameters are not known");
	if (why)
		leave_out(function, format_text("its result is %s", why));
	for (int i = 0; i < n; i++)
		if ((why = unforwardable(clang_getArgType(type, (unsigned)i))))
			leave_out(function,
				  format_text("parameter %s is %s", function->params[i].name, why));
}

/* A parameter written as an array or a function, be it by a typedef, is passed as a pointer. */
static bool decays(CXType written)
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
static size_t paragraph(const char *text)
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
 * What a function's doc comment says of a parameter ("@param[out] name - text"), in the form of a
 * comment of its own: "[out] text". NULL: nothing.
 */
static const char *documented_param(const char *comment, const char *name)
{
	for (const char *at = comment; at && (at = strstr(at, "param")); at += 5) {
		const char *tag = at + 5, *word = tag;

		if (at == comment || (at[-1] != '\\' && at[-1] != '@'))
			continue;
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
				   (int)paragraph(word), word);
	}
	return NULL;
}

static void add_param(struct parse *parse, struct function *function, const struct cursors *row,
		      size_t i, CXType passed, size_t limit)
{
	CXCursor cursor = row->list[i];
	CXType written = clang_getCursorType(cursor);
	long long elements = clang_getArraySize(clang_getCanonicalType(written));
	const char *name = cursor_name(cursor);
	struct variable *param = APPEND(function->params, function->nparams);

	param->name = *name ? name : format_text("arg%zu", i);
	param->type = type_from(parse, decays(written) ? passed : written);
	param->spelling = type_spelling(decays(written) ? passed : written);
	param->comment = comment_in_row(parse, row, i, limit);
	if (!param->comment)
		param->comment = documented_param(function->comment, param->name);
	param->where = location_of(parse, cursor);
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

static void add_function(struct parse *parse, CXCursor cursor)
{
	CXType type = clang_getCanonicalType(clang_getCursorType(cursor));
	CXType result = clang_getResultType(clang_getCursorType(cursor));
	struct cursors row = {0};
	size_t limit = end_of(parse, cursor).offset;
	struct model *model = parse->model;
	struct function *function = APPEND(model->functions, model->nfunctions);

	/* Not its children: where it returns a function, they are that one's parameters too. */
	for (int i = 0; i < clang_Cursor_getNumArguments(cursor); i++)
		*APPEND(row.list, row.count) = clang_Cursor_getArgument(cursor, (unsigned)i);
	function->name = cursor_name(cursor);
	function->result = type_from(parse, result);
	function->result_spelling = type_spelling(result);
	function->variadic = clang_Cursor_isVariadic(cursor);
	function->exported = true;
	function->level = TL_LEVEL_DEBUG;
	function->comment = comment_of(parse, cursor);
	function->where = location_of(parse, cursor);
	for (size_t i = 0; i < row.count; i++)
		add_param(parse, function, &row, i, clang_getArgType(type, (unsigned)i), limit);
	/* Once more, now that all are known: lengths may name parameters that come later. */
	for (size_t i = 0; i < row.count; i++) {
		struct tags tags = tags_read(function->params[i].comment);

		if (tags.has_length)
			variable_settle(&function->params[i], &tags, function->params,
					function->nparams);
	}
	check_forwardable(function, type);
	free(row.list);
}

static void add_functions(struct parse *parse, CXCursor all)
{
	struct cursors row = children(all, CXCursor_FunctionDecl);

	for (size_t i = 0; i < row.count; i++) {
		bool callable = clang_Cursor_getStorageClass(row.list[i]) != CX_SC_Static &&
				!clang_Cursor_isFunctionInlined(row.list[i]);

		if (callable && is_named(parse, row.list[i]) &&
		    !model_function(parse->model, cursor_name(row.list[i])))
			add_function(parse, row.list[i]);
	}
	free(row.list);
}

/* Conventions: flags, groups of macros, chains, callbacks. */

static const struct alias *find_alias(const struct parse *parse, const char *name)
{
	for (size_t i = 0; i < parse->naliases; i++)
		if (!strcmp(parse->aliases[i].name, name))
			return &parse->aliases[i];
	return NULL;
}

static struct type *type_named(struct parse *parse, const char *name)
{
	const struct alias *alias = find_alias(parse, name);

	return alias ? type_from(parse, clang_getCursorType(alias->cursor)) : NULL;
}

/*
 * The name of the enum whose bits X_flags_t (or XFlags) holds, by convention; NULL where the name
 * is no such name.
 */
static const char *flag_enum_name(const char *name)
{
	size_t length = strlen(name);

	if (length > 8 && !strcmp(name + length - 8, "_flags_t"))
		return format_text("%.*s_t", (int)length - 3, name);
	if (length > 5 && !strcmp(name + length - 5, "Flags"))
		return format_text("%.*sBits", (int)length - 1, name);
	return NULL;
}

static void make_flags(struct parse *parse)
{
	for (size_t i = 0; i < parse->ntypes; i++) {
		struct type *type = parse->types[i];
		const char *bits = type->name && type->kind == TL_KIND_UINT
					   ? flag_enum_name(type->name)
					   : NULL;
		/* ze_init_flags_t: "_flags_t" less its last "s_t", and "_t" again. */
		struct type *named = bits ? type_named(parse, bits) : NULL;

		if (!named || (named->kind != TL_KIND_ENUM && named->kind != TL_KIND_FLAGS))
			continue;
		type->kind = named->kind = TL_KIND_FLAGS;
		type->enumerators = named->enumerators;
		type->nenumerators = named->nenumerators;
	}
}

/*
 * Whether a comment that stands alone begins a new group, or only remarks on a line of the one that
 * it stands in.
 */
static bool is_remark(const char *text)
{
	return isdigit((unsigned char)*text) || !strncasecmp(text, "reserved", 8) ||
	       !strncmp(text, "enum ", 5);
}

static bool is_directive_or_blank(const char *source, size_t at, size_t end)
{
	while (at < end && isblank((unsigned char)source[at]))
		at++;
	return at >= end || source[at] == '#';
}

/*
 * Only preprocessor lines (with their continuations), comments and blanks stand between two offsets
 * that begin lines.
 */
static bool only_directives(const struct comments *comments, size_t from, size_t to)
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
		else if (!continued && !is_directive_or_blank(comments->source, at, end))
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
		    is_remark(comment->text))
			continue;
		return only_directives(comments, comment->end, offset) ? comment : NULL;
	}
	return NULL;
}

static const char *first_line(const char *text)
{
	return copy_bytes(text, strcspn(text, "\n"));
}

struct macro {
	const char *name;
	struct place place;
};

static struct macro *read_macros(struct parse *parse, CXCursor all, size_t *count)
{
	struct cursors row = children(all, CXCursor_MacroDefinition);
	struct macro *macros = NULL;

	*count = 0;
	for (size_t i = 0; i < row.count; i++) {
		struct place place = place_of(parse, clang_getCursorLocation(row.list[i]));

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

/*
 * What the headers are parsed as, and after it one variable for each macro, so that clang says
 * which are whole numbers.
 */
static char *input_text(const struct model *model, const char *const *optional, size_t noptional,
			const struct macro *macros, size_t nmacros)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	for (size_t i = 0; i < model->nheaders; i++)
		fprintf(stream, "#include \"%s\"\n", model->headers[i]);
	for (size_t i = 0; i < noptional; i++)
		fprintf(stream, "#if __has_include(\"%s\")\n#include \"%s\"\n#endif\n", optional[i],
			optional[i]);
	for (size_t i = 0; i < nmacros; i++)
		fprintf(stream, "const long long tracegen_value_%zu = (%s);\n", i, macros[i].name);
	fclose(stream);
	return text;
}

static CXTranslationUnit parse_text(struct parse *parse, const char *text, unsigned options)
{
	static const char *const own[] = {"-x", "c", "-std=gnu11", "-ferror-limit=0",
					  "-Wno-everything"};
	size_t nown = sizeof own / sizeof *own;
	const char **arguments = allocate((nown + parse->nflags) * sizeof *arguments);
	struct CXUnsavedFile file = {MAIN_FILE, text, strlen(text)};
	CXTranslationUnit unit = NULL;

	memcpy(arguments, own, sizeof own);
	for (size_t i = 0; i < parse->nflags; i++)
		arguments[nown + i] = parse->flags[i];
	clang_parseTranslationUnit2(parse->index, MAIN_FILE, arguments, (int)(nown + parse->nflags),
				    &file, 1, options, &unit);
	free(arguments);
	return unit;
}

static bool whole_number(CXCursor variable, int64_t *value)
{
	CXEvalResult result = clang_Cursor_Evaluate(variable);
	bool is = result && clang_EvalResult_getKind(result) == CXEval_Int;

	if (is)
		*value = clang_EvalResult_getAsLongLong(result);
	if (result)
		clang_EvalResult_dispose(result);
	return is;
}

static void add_constant(struct model *model, const struct macro *macro, int64_t value)
{
	const struct comment *comment =
		group_comment(macro->place.source->comments, macro->place.offset);
	const char *title = comment ? first_line(comment->text) : "";
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

static void add_constants(struct parse *parse, CXCursor all)
{
	size_t count;
	struct macro *macros = read_macros(parse, all, &count);
	char *text = input_text(parse->model, NULL, 0, macros, count);
	CXTranslationUnit unit = parse_text(parse, text, CXTranslationUnit_None);
	struct cursors row = unit ? children(clang_getTranslationUnitCursor(unit), CXCursor_VarDecl)
				  : (struct cursors){0};

	for (size_t i = 0; i < row.count; i++) {
		unsigned long number;
		int64_t value;

		if (sscanf(cursor_name(row.list[i]), "tracegen_value_%lu", &number) == 1 &&
		    number < count && whole_number(row.list[i], &value))
			add_constant(parse->model, &macros[number], value);
	}
	free(row.list);
	free(text);
	if (unit)
		clang_disposeTranslationUnit(unit);
}

/* A typedef that is, some steps down, called a bit field. */
static bool is_bitfield_alias(CXType type)
{
	for (;;) {
		while (type.kind == CXType_Elaborated)
			type = clang_Type_getNamedType(type);
		if (type.kind != CXType_Typedef)
			return false;
		if (strstr(take(clang_getTypedefName(type)), "bitfield"))
			return true;
		type = clang_getTypedefDeclUnderlyingType(clang_getTypeDeclaration(type));
	}
}

static void extend_by_group(struct parse *parse, const struct alias *alias,
			    const struct constants *group, bool bitfield)
{
	struct type *type = type_from(parse, clang_getCursorType(alias->cursor));

	if (type->kind == TL_KIND_UINT || type->kind == TL_KIND_INT)
		type->kind = bitfield || is_bitfield_alias(clang_getCursorType(alias->cursor))
				     ? TL_KIND_FLAGS
				     : TL_KIND_ENUM;
	if (type->kind != TL_KIND_ENUM && type->kind != TL_KIND_FLAGS)
		return;
	for (size_t i = 0; i < group->nvalues; i++) {
		int64_t value = group->values[i].value;

		/*
		 * Headers also list the names of properties under a bit field's name; a property is
		 * not one bit.
		 */
		if (type->kind == TL_KIND_ENUM || bitfield || (value & (value - 1)) == 0)
			enumerator_add(type, group->values[i]);
	}
}

/*
 * A group's title names types if it is made of integer typedefs of these headers and of nothing
 * else but the words that join them. Called twice: first to see whether it is so (extend false),
 * then to do it.
 */
static bool apply_title(struct parse *parse, const struct constants *group, bool extend)
{
	static const char *const joining[] = {"and",	  "or", "type",	    "flags",
					      "addition", "to", "bitfield", "-"};
	bool bitfield = strstr(group->title, "bitfield") != NULL, named = false;
	char *words = copy_text(group->title), *rest;

	for (char *word = strtok_r(words, " ,\t", &rest); word;
	     word = strtok_r(NULL, " ,\t", &rest)) {
		const struct alias *alias = find_alias(parse, word);
		bool joins = false;

		for (size_t i = 0; i < sizeof joining / sizeof *joining; i++)
			joins |= !strcmp(word, joining[i]);
		if (joins)
			continue;
		if (!alias || !is_named(parse, alias->cursor) ||
		    scalar_kind(clang_getCanonicalType(clang_getCursorType(alias->cursor)).kind) ==
			    TL_KIND_VOID) {
			free(words);
			return false;
		}
		if (extend)
			extend_by_group(parse, alias, group, bitfield);
		named = true;
	}
	free(words);
	return named;
}

/* FOO_BAR of ZE_STRUCTURE_TYPE_FOO_BAR is ze_foo_bar_t; the comment's ::name is believed first. */
static struct type *announced_struct(struct parse *parse, const struct enumerator *value)
{
	const char *mark = value->comment ? strstr(value->comment, "::") : NULL;
	const char *middle = strstr(value->name, "_STRUCTURE_TYPE_");
	struct type *type = NULL;

	if (mark) {
		size_t length = 0;

		while (isalnum((unsigned char)mark[2 + length]) || mark[2 + length] == '_')
			length++;
		type = type_named(parse, copy_bytes(mark + 2, length));
	}
	if (!type && middle) {
		char *name = format_text("%.*s_%s_t", (int)(middle - value->name), value->name,
					 middle + strlen("_STRUCTURE_TYPE_"));

		for (char *c = name; *c; c++)
			*c = (char)tolower((unsigned char)*c);
		type = type_named(parse, name);
	}
	return type && type->kind == TL_KIND_STRUCT ? type : NULL;
}

static void make_chains(struct parse *parse)
{
	for (size_t i = 0; i < parse->naliases; i++) {
		const char *name = parse->aliases[i].name;
		size_t length = strlen(name);

		if (length < 17 || strcmp(name + length - 17, "_structure_type_t") != 0)
			continue;
		struct type *values = type_named(parse, name);
		for (size_t j = 0; j < values->nenumerators; j++) {
			struct type *type = announced_struct(parse, &values->enumerators[j]);

			if (type && !type->has_stype && !values->enumerators[j].alias) {
				type->has_stype = true;
				type->stype = values->enumerators[j].value;
			}
		}
	}
}

/* Lower case and no underscores: names that differ in nothing else are the same name. */
static char *squeezed(const char *from, size_t length)
{
	char *name = copy_bytes(from, length), *to = name;

	for (const char *c = name; *c; c++)
		if (*c != '_')
			*to++ = (char)tolower((unsigned char)*c);
	*to = '\0';
	return name;
}

static void find_callbacks(struct parse *parse)
{
	struct model *model = parse->model;

	for (size_t i = 0; i < parse->naliases; i++) {
		const char *name = parse->aliases[i].name, *pfn = strstr(name, "_pfn");
		size_t length = strlen(name);
		bool params = length > 9 && !strcmp(name + length - 9, "_params_t");
		bool callback = length > 4 && !strcmp(name + length - 4, "Cb_t") && pfn;
		char *key;

		if (params)
			key = squeezed(name, length - 9);
		else if (callback)
			key = squeezed(format_text("%.*s%s", (int)(pfn - name), name, pfn + 4),
				       length - 8);
		else
			continue;
		for (size_t j = 0; j < model->nfunctions; j++) {
			struct function *function = &model->functions[j];

			if (strcmp(squeezed(function->name, strlen(function->name)), key) != 0)
				continue;
			if (params)
				function->params_type = name;
			else
				function->callback_type = name;
		}
	}
}

/* The whole. */

#define ERRORS_SHOWN 10

static char *describe_error(struct parse *parse, CXDiagnostic diagnostic)
{
	struct place place = place_of(parse, clang_getDiagnosticLocation(diagnostic));
	const char *what = take(clang_getDiagnosticSpelling(diagnostic));
	const char *hint =
		strstr(what, "file not found")
			? "name its folder behind --, as in `-- -IDIR`"
			: "make the header compile first: a definition or an include may be missing behind --";

	/* Our own text names a header a line: one that is not there, or that ends too early. */
	if (place.source && !strcmp(place.source->name, MAIN_FILE))
		return place.line <= parse->model->nheaders
			       ? format_text("tracegen: %s: at its end: %s; %s\n",
					     parse->model->headers[place.line - 1], what, hint)
			       : format_text("tracegen: %s; %s\n", what, hint);
	return format_text("tracegen: %s:%u:%u: %s; %s\n",
			   place.source ? place.source->name : "headers", place.line, place.column,
			   what, hint);
}

/* Each error once, though a header without guards may be read many times. */
static bool report_diagnostics(struct parse *parse)
{
	unsigned count = clang_getNumDiagnostics(parse->unit);
	char *shown[ERRORS_SHOWN];
	size_t nshown = 0;

	for (unsigned i = 0; i < count && nshown < ERRORS_SHOWN; i++) {
		CXDiagnostic diagnostic = clang_getDiagnostic(parse->unit, i);
		char *text = NULL;

		if (clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error)
			text = describe_error(parse, diagnostic);
		for (size_t j = 0; text && j < nshown; j++)
			if (!strcmp(shown[j], text))
				text = NULL;
		if (text) {
			fputs(text, stderr);
			shown[nshown++] = text;
		}
		clang_disposeDiagnostic(diagnostic);
	}
	return nshown == 0;
}

static void find_sources(struct parse *parse, CXCursor all)
{
	struct cursors row = children(all, CXCursor_InclusionDirective);
	struct model *model = parse->model;

	model->headers = NULL;
	model->nheaders = 0;
	for (size_t i = 0; i < row.count; i++) {
		CXFile included = clang_getIncludedFile(row.list[i]);
		struct place place = place_of(parse, clang_getCursorLocation(row.list[i]));

		if (!included || !place.source || strcmp(place.source->name, MAIN_FILE) != 0)
			continue;
		source_of(parse, included)->named = true;
		*APPEND(model->headers, model->nheaders) =
			included_name(parse, cursor_name(row.list[i]));
	}
	free(row.list);
}

static void find_aliases(struct parse *parse, CXCursor all)
{
	struct cursors row = children(all, CXCursor_TypedefDecl);

	for (size_t i = 0; i < row.count; i++) {
		struct alias *alias = APPEND(parse->aliases, parse->naliases);

		alias->name = cursor_name(row.list[i]);
		alias->cursor = row.list[i];
	}
	free(row.list);
}

/* Folders differ between machines; what changes the meaning of the headers does not. */
static void keep_flags(struct model *model, const char *const *flags, size_t nflags)
{
	for (size_t i = 0; i < nflags; i++)
		if (!strncmp(flags[i], "-D", 2) || !strncmp(flags[i], "-U", 2) ||
		    !strncmp(flags[i], "-std", 4))
			*APPEND(model->flags, model->nflags) = flags[i];
}

static void read_unit(struct parse *parse)
{
	CXCursor all = clang_getTranslationUnitCursor(parse->unit);
	struct model *model = parse->model;

	find_aliases(parse, all);
	add_functions(parse, all);
	add_constants(parse, all);
	for (size_t i = 0; i < model->nconstants; i++)
		if (apply_title(parse, &model->constants[i], false))
			apply_title(parse, &model->constants[i], true);
	make_chains(parse);
	make_flags(parse);
	find_callbacks(parse);
	model_collect(model, parse->types, parse->ntypes);
}

struct model *model_parse(const char *const *headers, size_t nheaders, const char *const *flags,
			  size_t nflags)
{
	struct parse parse = {
		.flags = flags, .nflags = nflags, .model = allocate(sizeof *parse.model)};
	const char **optional = NULL;
	size_t noptional = 0;
	bool fine = false;

	/* A header whose name begins with "?" is taken where it exists. */
	for (size_t i = 0; i < nheaders; i++)
		if (*headers[i] == '?')
			*APPEND(optional, noptional) = headers[i] + 1;
		else
			*APPEND(parse.model->headers, parse.model->nheaders) = headers[i];
	parse.index = clang_createIndex(0, 0);
	parse.unit = parse_text(&parse, input_text(parse.model, optional, noptional, NULL, 0),
				CXTranslationUnit_DetailedPreprocessingRecord |
					CXTranslationUnit_SkipFunctionBodies);
	keep_flags(parse.model, flags, nflags);
	if (!parse.unit) {
		fputs("tracegen: libclang could not parse the headers; check the flags behind --\n",
		      stderr);
	} else {
		find_sources(&parse, clang_getTranslationUnitCursor(parse.unit));
		fine = report_diagnostics(&parse);
		if (fine)
			read_unit(&parse);
		clang_disposeTranslationUnit(parse.unit);
	}
	clang_disposeIndex(parse.index);
	return fine ? parse.model : NULL;
}
