/* SPDX-License-Identifier: MIT */
/*
 * descriptor_types.c: "version", "handles", "bools", "numbers", "flag_enums", "chains": what a
 * descriptor says of types and of the API as a whole.
 */
#include <fnmatch.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "common/stages.h"
#include "gen/allocate.h"
#include "gen/descriptor.h"

/* "version": a string, or {"from": NAME, "parts": [[divide, modulo], …]}. */
void describe_version(struct descriptor *descriptor)
{
	static const char *const keys[] = {"from", "parts", NULL};
	json_t *version = json_object_get(descriptor->root, "version"), *part;
	char *text = copy_text("");
	int64_t value = 0;
	size_t i;

	if (!json_is_object(version)) {
		descriptor->model->version =
			descriptor_text(descriptor, descriptor->root, "version", true);
		return;
	}
	descriptor_check_keys(descriptor, version, keys);
	const char *from = descriptor_text(descriptor, version, "from", true);
	if (!from)
		return;
	if (!model_constant_value(descriptor->model, from, &value))
		descriptor_wrong(
			descriptor, "version", from,
			format_text(
				"the headers have no constant %s; name the macro or enumerator with the version",
				from));
	json_array_foreach(descriptor_value(descriptor, version, "parts", JSON_ARRAY), i, part) {
		int64_t divide = json_integer_value(json_array_get(part, 0)),
			modulo = json_integer_value(json_array_get(part, 1));

		if (divide <= 0 || modulo <= 0)
			descriptor_wrong(
				descriptor, "parts", NULL,
				"\"parts\" must hold pairs of whole numbers above 0; see tracelayer-descriptor(5)");
		else
			text = format_text("%s%s%lld", text, i ? "." : "",
					   (long long)(value / divide % modulo));
	}
	descriptor->model->version = text;
}

/* "handles", "bools", "numbers", "flag_enums": what kind types are. */

static void type_set_kind(struct descriptor *descriptor, struct type *type, void *kind)
{
	(void)descriptor;
	type->kind = *(enum tl_kind *)kind;
	/* An enum stays an enum; only its values can now be added. */
	if (type->kind == TL_KIND_FLAGS)
		return;
	type->name = type->name ? type->name : type->spelling;
	type->enumerators = NULL;
	type->nenumerators = 0;
	if (type->kind != TL_KIND_HANDLE)
		return;
	type->target = NULL;
	type->members = NULL;
	type->nmembers = 0;
}

void describe_kinds(struct descriptor *descriptor)
{
	static const struct {
		const char *key;
		enum tl_kind kind;
	} kinds[] = {{"handles", TL_KIND_HANDLE},
		     {"bools", TL_KIND_BOOL},
		     {"numbers", TL_KIND_UINT},
		     {"flag_enums", TL_KIND_FLAGS}};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		size_t count = 0;
		const char **names =
			descriptor_texts(descriptor, descriptor->root, kinds[i].key, &count);
		enum tl_kind kind = kinds[i].kind;

		for (size_t j = 0; j < count; j++)
			descriptor_each_type(descriptor, kinds[i].key, names[j], type_set_kind,
					     &kind);
	}
}

/* "chains": structs whose names do not say their enumerator. */

static void type_set_stype(struct descriptor *descriptor, struct type *type, void *value)
{
	(void)descriptor;
	type->has_stype = true;
	type->stype = *(int64_t *)value;
}

void describe_chains(struct descriptor *descriptor)
{
	const char *name;
	json_t *constant;

	json_object_foreach(descriptor_value(descriptor, descriptor->root, "chains", JSON_OBJECT),
			    name, constant) {
		const char *text = descriptor_string(descriptor, name, constant);
		int64_t value;

		if (model_constant_value(descriptor->model, *text == '?' ? text + 1 : text, &value))
			descriptor_each_type(descriptor, "chains", name, type_set_stype, &value);
		else
			descriptor_check_matched(descriptor, "chains", text, false, "constant");
	}
}
