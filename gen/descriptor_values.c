/* SPDX-License-Identifier: MIT */
/*
 * descriptor_values.c: values of a descriptor, with errors that name file and line, and what
 * names and patterns in it mean. See descriptor.h.
 */
#include <fnmatch.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "common/stages.h"
#include "gen/allocate.h"
#include "gen/descriptor.h"

/* Errors. */

/*
 * The line of the first "text" in quotes after the first "key" in quotes. jansson doesn't keep the
 * places of values.
 */
unsigned descriptor_line(const struct descriptor *descriptor, const char *key, const char *text)
{
	const char *at = descriptor->text, *found;
	unsigned line = 1;

	if ((found = strstr(at, format_text("\"%s\"", key))))
		at = found;
	if (text && (found = strstr(at, format_text("\"%s\"", text))))
		at = found;
	for (const char *c = descriptor->text; c < at; c++)
		line += *c == '\n';
	return line;
}

void descriptor_wrong(struct descriptor *descriptor, const char *key, const char *text,
		      const char *what)
{
	fprintf(stderr, "tracegen: %s:%u: %s\n", descriptor->path,
		descriptor_line(descriptor, key, text), what);
	descriptor->failed = true;
}

/* Reading values of the right kind. */

const char *descriptor_text(struct descriptor *descriptor, json_t *object, const char *key,
			    bool needed)
{
	json_t *value = json_object_get(object, key);

	if (json_is_string(value))
		return copy_text(json_string_value(value));
	if (value)
		descriptor_wrong(descriptor, key, NULL,
				 format_text("\"%s\" must be a string; put it in quotes", key));
	else if (needed)
		descriptor_wrong(descriptor, key, NULL,
				 format_text("\"%s\" is missing; add it", key));
	return NULL;
}

json_t *descriptor_value(struct descriptor *descriptor, json_t *object, const char *key,
			 json_type kind)
{
	json_t *value = json_object_get(object, key);

	if (value && json_typeof(value) != kind) {
		descriptor_wrong(
			descriptor, key, NULL,
			format_text("\"%s\" must be %s; see tracelayer-descriptor(5)", key,
				    kind == JSON_ARRAY ? "a list, in []" : "an object, in {}"));
		return NULL;
	}
	return value;
}

const char *descriptor_string(struct descriptor *descriptor, const char *key, json_t *value)
{
	if (json_is_string(value))
		return json_string_value(value);
	descriptor_wrong(descriptor, key, NULL,
			 format_text("\"%s\" must hold strings; put each in quotes", key));
	return "";
}

const char **descriptor_texts(struct descriptor *descriptor, json_t *object, const char *key,
			      size_t *count)
{
	json_t *list = descriptor_value(descriptor, object, key, JSON_ARRAY), *one;
	const char **texts = NULL;
	size_t i;

	json_array_foreach(list, i, one)
		*APPEND(texts, *count) = copy_text(descriptor_string(descriptor, key, one));
	return texts;
}

void descriptor_check_keys(struct descriptor *descriptor, json_t *object,
			   const char *const *allowed)
{
	const char *key;
	json_t *value;

	json_object_foreach(object, key, value) {
		bool known = false;

		/* "comment", and "comment" with any words behind it, are for readers. */
		known = !strncmp(key, "comment", 7);
		for (size_t i = 0; allowed[i]; i++)
			known |= !strcmp(key, allowed[i]);
		if (!known)
			descriptor_wrong(
				descriptor, key, NULL,
				format_text(
					"unknown key \"%s\"; tracelayer-descriptor(5) lists them",
					key));
	}
}

/* Names and patterns. */

bool name_is_pattern(const char *name)
{
	return strpbrk(*name == '?' ? name + 1 : name, "*?[(") != NULL;
}

bool pattern_matches(const char *pattern, const char *name)
{
	return fnmatch(*pattern == '?' ? pattern + 1 : pattern, name, FNM_EXTMATCH) == 0;
}

void descriptor_check_matched(struct descriptor *descriptor, const char *key, const char *name,
			      bool matched, const char *what)
{
	if (matched || *name == '?' || name_is_pattern(name))
		return;
	for (size_t i = 0; i < descriptor->model->nrefused; i++) {
		const struct refused *refused = &descriptor->model->refused[i];

		if (strcmp(refused->name, name) != 0)
			continue;
		/* A descriptor is for many versions of a library. */
		if (strcmp(refused->why, REFUSED_UNEXPORTED) != 0)
			descriptor_wrong(descriptor, key, name,
					 format_text("%s can't be traced: %s (%s:%u); take it out",
						     name, refused->why, refused->where.file,
						     refused->where.line));
		return;
	}
	descriptor_wrong(
		descriptor, key, name,
		format_text(
			"the headers have no %s %s; correct the name, or write \"?%s\" if other versions have it",
			what, name, name));
}

void descriptor_each_function(struct descriptor *descriptor, const char *key, const char *name,
			      void (*each)(struct descriptor *descriptor, struct function *function,
					   void *more),
			      void *more)
{
	struct model *model = descriptor->model;
	bool matched = false;

	for (size_t i = 0; i < model->nfunctions; i++)
		if (pattern_matches(name, model->functions[i].name) ||
		    (model->functions[i].declared &&
		     pattern_matches(name, model->functions[i].declared))) {
			matched = true;
			each(descriptor, &model->functions[i], more);
		}
	descriptor_check_matched(descriptor, key, name, matched, "function");
}

bool pattern_any_matches(json_t *list, const char *name)
{
	json_t *one;
	size_t i;

	json_array_foreach(list, i, one)
		if (json_is_string(one) && pattern_matches(json_string_value(one), name))
			return true;
	return false;
}

/* Every type that the model reaches, named or not, by its spelling. */
struct type_search {
	const char *pattern;
	void (*each)(struct descriptor *descriptor, struct type *type, void *more);
	void *more;
	struct type **seen;
	size_t nseen;
	bool matched;
};

static void type_search_from(struct descriptor *descriptor, struct type *type,
			     struct type_search *search)
{
	if (!type)
		return;
	for (size_t i = 0; i < search->nseen; i++)
		if (search->seen[i] == type)
			return;
	*APPEND(search->seen, search->nseen) = type;
	type_search_from(descriptor, type->target, search);
	for (size_t i = 0; i < type->nmembers; i++)
		type_search_from(descriptor, type->members[i].type, search);
	if (pattern_matches(search->pattern, type->spelling)) {
		search->matched = true;
		search->each(descriptor, type, search->more);
	}
}

void descriptor_each_type(struct descriptor *descriptor, const char *key, const char *name,
			  void (*each)(struct descriptor *descriptor, struct type *type,
				       void *more),
			  void *more)
{
	struct model *model = descriptor->model;
	struct type_search search = {.pattern = name, .each = each, .more = more};

	for (size_t i = 0; i < model->nfunctions; i++) {
		type_search_from(descriptor, model->functions[i].result, &search);
		for (size_t j = 0; j < model->functions[i].nparams; j++)
			type_search_from(descriptor, model->functions[i].params[j].type, &search);
	}
	for (size_t i = 0; i < model->ntypes; i++)
		type_search_from(descriptor, model->types[i], &search);
	free(search.seen);
	descriptor_check_matched(descriptor, key, name, search.matched, "type");
}

struct type *model_type_spelled(const struct model *model, const char *spelling)
{
	for (size_t i = 0; i < model->nfunctions; i++) {
		const struct function *function = &model->functions[i];

		if (!strcmp(function->result_spelling, spelling))
			return function->result;
		for (size_t j = 0; j < function->nparams; j++)
			if (!strcmp(function->params[j].spelling, spelling))
				return function->params[j].type;
	}
	for (size_t i = 0; i < model->ntypes; i++)
		if (!strcmp(model->types[i]->spelling, spelling))
			return model->types[i];
	return NULL;
}

bool model_constant_value(const struct model *model, const char *name, int64_t *value)
{
	for (size_t i = 0; i < model->ntypes; i++)
		for (size_t j = 0; j < model->types[i]->nenumerators; j++)
			if (!strcmp(model->types[i]->enumerators[j].name, name)) {
				*value = model->types[i]->enumerators[j].value;
				return true;
			}
	for (size_t i = 0; i < model->nconstants; i++)
		for (size_t j = 0; j < model->constants[i].nvalues; j++)
			if (!strcmp(model->constants[i].values[j].name, name)) {
				*value = model->constants[i].values[j].value;
				return true;
			}
	return false;
}
