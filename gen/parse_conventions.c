/* SPDX-License-Identifier: MIT */
/*
 * parse_conventions.c: facts that C has no words for, and that names give away by convention.
 *
 *	flags		an integer typedef X_flags_t beside an enum X_flag_t (or XFlags beside
 *			XFlagBits, XFlagsKHR beside XFlagBitsKHR). Beside an integer typedef
 *			XFlagBits2 with constants of its own, it is a sum of these. An integer typedef
 *			whose constants are bits is a sum of them under any name
 *	chains		an enumerator ZE_STRUCTURE_TYPE_FOO whose comment names, or whose own name
 *			spells, the struct ze_foo_t; VK_STRUCTURE_TYPE_FOO_BAR and VkFooBar
 *	callbacks	X_params_t and X_pfnFooCb_t whose names, but for case and underscores, are a
 *			function's
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "gen/allocate.h"
#include "gen/guess.h"
#include "gen/parse.h"

const struct alias *parse_alias(const struct parse *parse, const char *name)
{
	for (size_t i = 0; i < parse->naliases; i++)
		if (!strcmp(parse->aliases[i].name, name))
			return &parse->aliases[i];
	return NULL;
}

struct type *parse_type_named(struct parse *parse, const char *name)
{
	const struct alias *alias = parse_alias(parse, name);

	return alias ? parse_type(parse, clang_getCursorType(alias->cursor)) : NULL;
}

const struct alias *parse_alias_under(const struct parse *parse, const struct alias *alias)
{
	CXType under = clang_getTypedefDeclUnderlyingType(alias->cursor);

	while (under.kind == CXType_Elaborated)
		under = clang_Type_getNamedType(under);
	return under.kind == CXType_Typedef
		       ? parse_alias(parse, cursor_name(clang_getTypeDeclaration(under)))
		       : NULL;
}

static struct family *family_named(const struct parse *parse, const char *name)
{
	for (size_t i = 0; i < parse->nfamilies; i++)
		if (!strcmp(parse->families[i].name, name))
			return &parse->families[i];
	return NULL;
}

/*
 * The values that the type of that name has: an enum, or a family of constants. NULL: no such type
 * has any. XFlagBits2KHR stands for XFlagBits2, which has them.
 */
static struct type *values_named(struct parse *parse, const char *name)
{
	struct type *type = parse_type_named(parse, name);

	if (type && (type->kind == TL_KIND_ENUM || type->kind == TL_KIND_FLAGS))
		return type;
	for (const struct alias *alias = parse_alias(parse, name); alias;
	     alias = parse_alias_under(parse, alias)) {
		struct family *family = family_named(parse, alias->name);

		if (family)
			return family->values;
	}
	return NULL;
}

static void type_take_flags(struct type *type, struct type *values)
{
	type->kind = values->kind = TL_KIND_FLAGS;
	type->enumerators = values->enumerators;
	type->nenumerators = values->nenumerators;
}

/* The constants' values are bits, and enough of them, or the name of a typedef between says flags. */
static bool family_is_of_flags(const struct parse *parse, const struct family *family)
{
	const struct alias *alias = parse_alias(parse, family->name);
	bool named, is = family->values->kind == TL_KIND_FLAGS;

	for (; alias && !is; alias = parse_alias_under(parse, alias))
		is = enum_is_of_flags(family->values, alias->name, &named);
	return is;
}

void parse_flags(struct parse *parse)
{
	for (size_t i = 0; i < parse->ntypes; i++) {
		struct type *type = parse->types[i];
		const char *bits = type->name && type->kind == TL_KIND_UINT
					   ? model_flag_enum(type->name)
					   : NULL;
		/* ze_init_flags_t: "_flags_t" less its last "s_t", and "_t" again. */
		struct type *values = bits ? values_named(parse, bits) : NULL;

		if (values)
			type_take_flags(type, values);
	}
	/* Where the constants' type is itself that of parameters and members. */
	for (size_t i = 0; i < parse->ntypes; i++) {
		struct type *type = parse->types[i];
		bool plain = type->kind == TL_KIND_UINT || type->kind == TL_KIND_INT;
		struct family *family =
			plain && type->name ? family_named(parse, type->name) : NULL;

		if (family && family_is_of_flags(parse, family))
			type_take_flags(type, family->values);
	}
}

/* The aliases' names, squeezed, to look names up that are spelled in another way. */
static const char **aliases_squeezed(const struct parse *parse)
{
	const char **names = allocate((parse->naliases + 1) * sizeof *names);

	for (size_t i = 0; i < parse->naliases; i++)
		names[i] = name_squeezed(parse->aliases[i].name, strlen(parse->aliases[i].name));
	return names;
}

/* VK_STRUCTURE_TYPE_FOO_BAR is VkFooBar, whatever becomes of digits and of abbreviations. */
static struct type *chain_struct_squeezed(struct parse *parse, const char **squeezed,
					  const char *name, const char *middle)
{
	char *key = format_text("%.*s%s", (int)(middle - name), name,
				middle + strlen("_STRUCTURE_TYPE_"));

	key = name_squeezed(key, strlen(key));
	for (size_t i = 0; i < parse->naliases; i++)
		if (!strcmp(squeezed[i], key))
			return parse_type_named(parse, parse->aliases[i].name);
	return NULL;
}

/* FOO_BAR of ZE_STRUCTURE_TYPE_FOO_BAR is ze_foo_bar_t; the comment's ::name is believed first. */
static struct type *chain_struct(struct parse *parse, const char **squeezed,
				 const struct enumerator *value)
{
	const char *mark = value->comment ? strstr(value->comment, "::") : NULL;
	const char *middle = strstr(value->name, "_STRUCTURE_TYPE_");
	struct type *type = NULL;

	if (mark) {
		size_t length = 0;

		while (isalnum((unsigned char)mark[2 + length]) || mark[2 + length] == '_')
			length++;
		type = parse_type_named(parse, copy_bytes(mark + 2, length));
	}
	if (!type && middle) {
		char *name = format_text("%.*s_%s_t", (int)(middle - value->name), value->name,
					 middle + strlen("_STRUCTURE_TYPE_"));

		for (char *c = name; *c; c++)
			*c = (char)tolower((unsigned char)*c);
		type = parse_type_named(parse, name);
		type = type ? type : chain_struct_squeezed(parse, squeezed, value->name, middle);
	}
	return type && type->kind == TL_KIND_STRUCT ? type : NULL;
}

static bool name_is_structure_type(const char *name)
{
	static const char *const ends[] = {"_structure_type_t", "StructureType"};
	size_t length = strlen(name);

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		size_t end = strlen(ends[i]);

		if (length > end && !strcmp(name + length - end, ends[i]))
			return true;
	}
	return false;
}

void parse_chains(struct parse *parse)
{
	const char **squeezed = aliases_squeezed(parse);

	for (size_t i = 0; i < parse->naliases; i++) {
		const char *name = parse->aliases[i].name;

		if (!name_is_structure_type(name))
			continue;
		struct type *values = parse_type_named(parse, name);
		for (size_t j = 0; j < values->nenumerators; j++) {
			struct type *type = chain_struct(parse, squeezed, &values->enumerators[j]);

			if (type && !type->has_stype && !values->enumerators[j].alias) {
				type->has_stype = true;
				type->stype = values->enumerators[j].value;
			}
		}
	}
}

void parse_callbacks(struct parse *parse)
{
	struct model *model = parse->model;

	for (size_t i = 0; i < parse->naliases; i++) {
		const char *name = parse->aliases[i].name, *pfn = strstr(name, "_pfn");
		size_t length = strlen(name);
		bool params = length > 9 && !strcmp(name + length - 9, "_params_t");
		bool callback = length > 4 && !strcmp(name + length - 4, "Cb_t") && pfn;
		char *key;

		if (params)
			key = name_squeezed(name, length - 9);
		else if (callback)
			key = name_squeezed(format_text("%.*s%s", (int)(pfn - name), name, pfn + 4),
					    length - 8);
		else
			continue;
		for (size_t j = 0; j < model->nfunctions; j++) {
			struct function *function = &model->functions[j];

			if (strcmp(name_squeezed(function->name, strlen(function->name)), key) != 0)
				continue;
			if (params)
				function->params_type = name;
			else
				function->callback_type = name;
		}
	}
}
