/* SPDX-License-Identifier: MIT */
/*
 * parse_types.c: C types to types of the model. Each type is made once; its spelling is its key.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "gen/allocate.h"
#include "gen/parse.h"

static enum CXVisitorResult field_collect(CXCursor cursor, CXClientData to)
{
	struct cursors *cursors = to;

	*APPEND(cursors->list, cursors->count) = cursor;
	return CXVisit_Continue;
}

static struct type *type_find(const struct parse *parse, const char *spelling)
{
	for (size_t i = 0; i < parse->ntypes; i++)
		if (!strcmp(parse->types[i]->spelling, spelling))
			return parse->types[i];
	return NULL;
}

static struct type *type_new(struct parse *parse, enum tl_kind kind, const char *name,
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
static const char *spelling_plain(CXType type)
{
	static const char *const words[] = {"const", "volatile", "restrict", "__restrict"};
	char *text = copy_text(cxstring_text(clang_getTypeSpelling(type)));
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

enum tl_kind parse_scalar_kind(enum CXTypeKind kind)
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

static bool type_is_unsigned(CXType type)
{
	enum tl_kind kind = parse_scalar_kind(clang_getCanonicalType(type).kind);

	return kind == TL_KIND_UINT || kind == TL_KIND_BOOL;
}

/* The typedef that gives a struct, union or enum its name, or NULL. */
static const char *alias_naming(const struct parse *parse, CXCursor declared)
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

static void enum_fill(struct parse *parse, struct type *type, CXCursor declared)
{
	struct cursors row = cursors_of_kind(declared, CXCursor_EnumConstantDecl);
	bool narrow = type_is_unsigned(clang_getEnumDeclIntegerType(declared)) && type->size == 4;
	size_t limit = parse_end(parse, declared).offset;

	for (size_t i = 0; i < row.count; i++) {
		int64_t value = clang_getEnumConstantDeclValue(row.list[i]);

		enumerator_add(type, (struct enumerator){
					     .name = cursor_name(row.list[i]),
					     .value = narrow ? (int64_t)(uint32_t)value : value,
					     .comment = parse_row_comment(parse, &row, i, limit),
				     });
	}
	free(row.list);
}

/* A member without tags of its own is read or written with its struct. */
static void members_settle(struct variable *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct tags tags = tags_read(list[i].comment);

		variable_settle(&list[i], &tags, list, count);
		if (!tags.direction)
			list[i].direction = 0;
	}
}

/*
 * The spelling of an unnamed struct holds a path and doesn't compile, so only its kind is kept.
 */
const char *parse_spelling(CXType type)
{
	CXType canonical = clang_getCanonicalType(type);
	/* A typedef that holds "restrict", as png_structrp: a parameter's address would discard it. */
	const char *spelling =
		spelling_plain(clang_isRestrictQualifiedType(canonical) ? canonical : type);

	if (strstr(spelling, "(unnamed") || strstr(spelling, "(anonymous"))
		return canonical.kind == CXType_Enum ? "enum" : "struct";
	return spelling;
}

static void record_fill(struct parse *parse, struct type *type, CXType record, uint64_t base);

/*
 * Add a struct or union without a name: a struct's members become members of the type around it, a
 * union is called after its first member.
 */
static void record_add_unnamed(struct parse *parse, struct type *type, CXType record,
			       uint64_t offset)
{
	struct type *inner = parse_type(parse, record);

	if (inner->kind == TL_KIND_STRUCT) {
		record_fill(parse, type, record, offset);
		return;
	}
	struct variable *member = APPEND(type->members, type->nmembers);
	member->name = inner->nmembers ? inner->members[0].name : "unnamed";
	member->type = inner;
	member->spelling = "union";
	member->offset = offset;
	member->where = inner->where;
}

/* Types have no names of parameters, declarations have. */
static void member_name_arguments(struct variable *member, CXCursor cursor)
{
	struct cursors row = cursors_of_kind(cursor, CXCursor_ParmDecl);

	for (size_t i = 0; i < row.count; i++)
		*APPEND(member->argument_names, member->nargument_names) = cursor_name(row.list[i]);
	free(row.list);
}

static void record_add_member(struct parse *parse, struct type *type, const struct cursors *row,
			      size_t i, uint64_t base, size_t limit)
{
	CXCursor cursor = row->list[i];
	CXType field = clang_getCursorType(cursor);
	const char *name = cursor_name(cursor);
	long long bits = clang_Cursor_getOffsetOfField(cursor);
	uint64_t offset = base + (bits > 0 ? (uint64_t)bits / 8 : 0);

	if (clang_Cursor_isAnonymous(cursor) || !*name) {
		if (clang_getCanonicalType(field).kind == CXType_Record)
			record_add_unnamed(parse, type, field, offset);
		return;
	}
	struct variable member = {
		.name = name,
		.type = parse_type(parse, field),
		.spelling = parse_spelling(field),
		.offset = offset,
		.comment = parse_row_comment(parse, row, i, limit),
		.where = parse_location(parse, cursor),
	};
	if (clang_Cursor_isBitField(cursor) && member.type->size) {
		uint64_t unit = member.type->size < 8 ? member.type->size : 8;

		member.offset = base + (uint64_t)bits / (8 * unit) * unit;
		member.bit_offset = (unsigned)((uint64_t)bits % (8 * unit));
		member.bit_width = (unsigned)clang_getFieldDeclBitWidth(cursor);
	}
	if (member.type->kind == TL_KIND_FUNCTION)
		member_name_arguments(&member, cursor);
	*APPEND(type->members, type->nmembers) = member;
}

static void record_fill(struct parse *parse, struct type *type, CXType record, uint64_t base)
{
	struct cursors row = {0};
	size_t limit = parse_end(parse, clang_getTypeDeclaration(record)).offset;

	clang_Type_visitFields(record, field_collect, &row);
	for (size_t i = 0; i < row.count; i++)
		record_add_member(parse, type, &row, i, base, limit);
	free(row.list);
	members_settle(type->members, type->nmembers);
}

/*
 * A struct, union or enum. It is in the table before its members are read, because they may lead
 * back to it.
 */
static struct type *type_declared(struct parse *parse, CXType type)
{
	CXCursor declared = clang_getTypeDeclaration(type);
	const char *tag = cursor_name(declared);
	const char *name = alias_naming(parse, clang_getCanonicalCursor(declared));
	bool unnamed = clang_Cursor_isAnonymous(declared) || !*tag;
	struct type *known;

	const char *spelling = name ? name : spelling_plain(clang_getCanonicalType(type));
	if ((known = type_find(parse, spelling)))
		return known;
	bool is_enum = type.kind == CXType_Enum;
	bool is_union = clang_getCursorKind(declared) == CXCursor_UnionDecl;
	struct type *made = type_new(parse,
				     is_enum	? TL_KIND_ENUM
				     : is_union ? TL_KIND_UNION
						: TL_KIND_STRUCT,
				     name      ? name
				     : unnamed ? NULL
					       : tag,
				     spelling, type);
	made->incomplete = clang_Type_getSizeOf(type) < 0;
	made->where = parse_location(parse, declared);
	made->comment = parse_comment(parse, declared);
	if (is_enum)
		enum_fill(parse, made, declared);
	else if (!made->incomplete)
		record_fill(parse, made, type, 0);
	return made;
}

static enum wide wide_of(enum CXTypeKind kind)
{
	switch (kind) {
	case CXType_LongDouble:
		return WIDE_LONG_DOUBLE;
	case CXType_Float128:
		return WIDE_FLOAT128;
	case CXType_Half:
	case CXType_Float16:
		return WIDE_FLOAT16;
	case CXType_Int128:
	case CXType_UInt128:
		return WIDE_INT128;
	case CXType_Complex:
		return WIDE_COMPLEX;
	case CXType_Vector:
	case CXType_ExtVector:
		return WIDE_VECTOR;
	default:
		return WIDE_NONE;
	}
}

/*
 * Note what calling conventions must know of the type, and how it is shown: as a number or as an
 * array.
 */
static void type_widen(struct parse *parse, struct type *type, CXType canonical)
{
	type->wide = wide_of(canonical.kind);
	switch (type->wide) {
	case WIDE_LONG_DOUBLE:
	case WIDE_FLOAT128:
		type->kind = TL_KIND_FLOAT;
		break;
	case WIDE_FLOAT16:
		type->kind = TL_KIND_UINT;
		break;
	case WIDE_INT128:
		type->kind = canonical.kind == CXType_Int128 ? TL_KIND_INT : TL_KIND_UINT;
		break;
	case WIDE_COMPLEX:
	case WIDE_VECTOR:
		type->kind = TL_KIND_ARRAY;
		type->target = parse_type(parse, clang_getElementType(canonical));
		type->count = type->target->size ? type->size / type->target->size : 0;
		break;
	case WIDE_NONE:
		break;
	}
}

static struct type *type_scalar(struct parse *parse, CXType type, const char *name)
{
	struct type *known = type_find(parse, name);
	CXType canonical = clang_getCanonicalType(type);

	if (known)
		return known;
	struct type *made = type_new(parse, parse_scalar_kind(canonical.kind), name, name, type);
	type_widen(parse, made, canonical);
	return made;
}

static void params_read(struct parse *parse, CXType function, struct variable **params,
			size_t *count)
{
	int n = clang_getNumArgTypes(function);

	for (int i = 0; i < n; i++) {
		CXType argument = clang_getArgType(function, (unsigned)i);
		struct variable *param = APPEND(*params, *count);

		param->name = format_text("arg%d", i);
		param->type = parse_type(parse, argument);
		param->spelling = parse_spelling(argument);
		param->direction = TL_IN;
	}
}

static struct type *type_function(struct parse *parse, CXType pointer, CXType function,
				  const char *name, const char *spelling)
{
	struct type *made = type_new(parse, TL_KIND_FUNCTION, name, spelling, pointer);

	made->target = parse_type(parse, clang_getResultType(function));
	params_read(parse, function, &made->members, &made->nmembers);
	return made;
}

static CXType type_without_parens(CXType type)
{
	CXType canonical = clang_getCanonicalType(type);

	return canonical.kind == CXType_FunctionProto || canonical.kind == CXType_FunctionNoProto
		       ? canonical
		       : type;
}

/* A pointer, under the name that a typedef gives it or under none. */
static struct type *type_pointer(struct parse *parse, CXType type, const char *name)
{
	const char *spelling = name ? name : spelling_plain(type);
	CXType to = type_without_parens(clang_getPointeeType(clang_getCanonicalType(type)));
	struct type *known = type_find(parse, spelling);

	if (known)
		return known;
	if (to.kind == CXType_FunctionProto || to.kind == CXType_FunctionNoProto)
		return type_function(parse, type, to, name, spelling);
	CXType written = type.kind == CXType_Pointer ? clang_getPointeeType(type) : to;
	bool opaque =
		clang_getCanonicalType(to).kind == CXType_Record && clang_Type_getSizeOf(to) < 0;
	struct type *made = type_new(parse, opaque ? TL_KIND_HANDLE : TL_KIND_POINTER,
				     opaque ? name : NULL, spelling, type);
	made->is_const = clang_isConstQualifiedType(to);
	if (!opaque)
		made->target = to.kind == CXType_Void ? NULL : parse_type(parse, written);
	return made;
}

/* The element as written, where the pointer's own spelling would lose the typedef's name. */
static bool array_element(CXType written, CXType *element)
{
	if (written.kind != CXType_ConstantArray && written.kind != CXType_IncompleteArray)
		return false;
	*element = clang_getArrayElementType(written);
	return !strpbrk(cxstring_text(clang_getTypeSpelling(*element)), "([");
}

struct type *parse_decayed(struct parse *parse, CXType written, CXType passed)
{
	CXType element;

	if (!array_element(written, &element))
		return parse_type(parse, passed);
	const char *spelling = parse_decayed_spelling(written, passed);
	struct type *known = type_find(parse, spelling);

	if (known)
		return known;
	struct type *made = type_new(parse, TL_KIND_POINTER, NULL, spelling, passed);
	made->is_const = clang_isConstQualifiedType(element);
	made->target = parse_type(parse, element);
	return made;
}

const char *parse_decayed_spelling(CXType written, CXType passed)
{
	CXType element;

	if (!array_element(written, &element))
		return parse_spelling(passed);
	const char *spelling = parse_spelling(element);
	size_t length = strlen(spelling);
	bool is_pointer = length && spelling[length - 1] == '*';

	if (!clang_isConstQualifiedType(element))
		return format_text(is_pointer ? "%s*" : "%s *", spelling);
	return format_text(is_pointer ? "%sconst *" : "const %s *", spelling);
}

static struct type *type_alias(struct parse *parse, CXType type)
{
	CXCursor declared = clang_getTypeDeclaration(type);
	const char *name = cursor_name(declared);
	CXType under = clang_getTypedefDeclUnderlyingType(declared);
	CXType canonical = clang_getCanonicalType(under);
	struct type *known = type_find(parse, name);

	if (known)
		return known;
	struct type *made;
	if (canonical.kind == CXType_Record || canonical.kind == CXType_Enum)
		return parse_type(parse, under);
	if (canonical.kind == CXType_Pointer) {
		while (under.kind == CXType_Elaborated)
			under = clang_Type_getNamedType(under);
		/* A second typedef of a handle stays a type of its own. */
		made = type_pointer(parse, under.kind == CXType_Pointer ? under : canonical, name);
	} else if (canonical.kind == CXType_ConstantArray ||
		   canonical.kind == CXType_FunctionProto) {
		return parse_type(parse, canonical);
	} else {
		made = type_scalar(parse, canonical, name);
	}
	if (!made->where.file) {
		made->where = parse_location(parse, declared);
		made->comment = parse_comment(parse, declared);
	}
	return made;
}

static struct type *type_array(struct parse *parse, CXType type)
{
	const char *spelling = spelling_plain(type);
	struct type *known = type_find(parse, spelling);
	long long count = clang_getArraySize(type);

	if (known)
		return known;
	struct type *made = type_new(parse, TL_KIND_ARRAY, NULL, spelling, type);
	made->target = parse_type(parse, clang_getArrayElementType(type));
	made->count = count > 0 ? (uint64_t)count : 0;
	return made;
}

struct type *parse_type(struct parse *parse, CXType type)
{
	switch (type.kind) {
	case CXType_Elaborated:
		return parse_type(parse, clang_Type_getNamedType(type));
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
		return parse_type(parse, clang_Type_getValueType(type));
	case CXType_Attributed:
		return parse_type(parse, clang_Type_getModifiedType(type));
	case CXType_FunctionProto:
	case CXType_FunctionNoProto: {
		const char *spelling = cxstring_text(clang_getTypeSpelling(type));
		struct type *known = type_find(parse, spelling);

		return known ? known : type_function(parse, type, type, NULL, spelling);
	}
	case CXType_Unexposed: {
		CXType canonical = clang_getCanonicalType(type);

		if (canonical.kind != CXType_Unexposed)
			return parse_type(parse, canonical);
	} /* fall through */
	default:
		return type_scalar(parse, type, spelling_plain(type));
	}
}
