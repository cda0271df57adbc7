/* SPDX-License-Identifier: MIT */
/*
 * descriptor_functions.c: "results", "successes", "levels", "phases", "initialises", "creates",
 * "destroys", "exported", "left_out": what a descriptor says of functions.
 */
#include <fnmatch.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "common/stages.h"
#include "gen/allocate.h"
#include "gen/descriptor.h"

/*
 * "results": which values mean failure, and what to return where the real library lacks the
 * function.
 */

static bool result_rule_applies(json_t *rule, const struct function *function)
{
	const char *type = json_string_value(json_object_get(rule, "type"));
	json_t *functions = json_object_get(rule, "functions"),
	       *params = json_object_get(rule, "params"), *one;
	size_t i;

	if (type && !pattern_matches(type, function->result_spelling))
		return false;
	if (functions && !pattern_any_matches(functions, function->name))
		return false;
	json_array_foreach(params, i, one) {
		bool has = false;

		for (size_t j = 0; j < function->nparams; j++)
			has |= json_is_string(one) &&
			       pattern_matches(json_string_value(one), function->params[j].name);
		if (!has)
			return false;
	}
	return true;
}

static enum tl_failure failure_named(struct descriptor *descriptor, const char *name)
{
	static const char *const names[] = {"never", "nonzero", "negative", "null"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(names[i], name))
			return (enum tl_failure)i;
	descriptor_wrong(
		descriptor, "failure", name,
		format_text("no failure is called \"%s\"; there are never, nonzero, negative, null",
			    name));
	return TL_FAILURE_NEVER;
}

void describe_results(struct descriptor *descriptor)
{
	static const char *const keys[] = {"type",	  "functions", "params", "failure",
					   "unsupported", "comment",   NULL};
	json_t *rules = descriptor_value(descriptor, descriptor->root, "results", JSON_ARRAY),
	       *rule;
	struct model *model = descriptor->model;
	size_t i;

	json_array_foreach(rules, i, rule) {
		const char *failure = descriptor_text(descriptor, rule, "failure", true);

		descriptor_check_keys(descriptor, rule, keys);
		if (failure)
			failure_named(descriptor, failure);
	}
	for (size_t j = 0; j < model->nfunctions && !descriptor->failed; j++) {
		struct function *function = &model->functions[j];

		json_array_foreach(rules, i, rule) {
			if (!result_rule_applies(rule, function))
				continue;
			function->failure = failure_named(
				descriptor, descriptor_text(descriptor, rule, "failure", true));
			function->unsupported =
				descriptor_text(descriptor, rule, "unsupported", false);
			break;
		}
	}
}

void describe_successes(struct descriptor *descriptor)
{
	struct model *model = descriptor->model;
	size_t count = 0;
	const char **names = descriptor_texts(descriptor, descriptor->root, "successes", &count);

	for (size_t i = 0; i < count; i++) {
		int64_t value;

		if (model_constant_value(model, names[i], &value))
			*APPEND(model->successes, model->nsuccesses) = value;
		else
			descriptor_check_matched(descriptor, "successes", names[i], false,
						 "constant");
	}
}

/* "levels", "initialises", "creates", "destroys", "exported", "left_out". */

static void function_set_level(struct descriptor *descriptor, struct function *function,
			       void *level)
{
	(void)descriptor;
	function->level = *(unsigned *)level;
}

/* The first that matches decides, so the last is applied first. */
void describe_levels(struct descriptor *descriptor)
{
	static const struct {
		const char *name;
		unsigned level;
	} levels[] = {{"request", TL_LEVEL_REQUEST},
		      {"runtime", TL_LEVEL_RUNTIME},
		      {"operator", TL_LEVEL_OPERATOR},
		      {"debug", TL_LEVEL_DEBUG}};
	static const char *const keys[] = {"level", "functions", NULL};
	json_t *rules = descriptor_value(descriptor, descriptor->root, "levels", JSON_ARRAY);

	for (size_t i = json_array_size(rules); i-- > 0;) {
		json_t *rule = json_array_get(rules, i);
		const char *name = descriptor_text(descriptor, rule, "level", true);
		unsigned level = 0;
		size_t count = 0;
		const char **functions = descriptor_texts(descriptor, rule, "functions", &count);

		descriptor_check_keys(descriptor, rule, keys);
		for (size_t j = 0; name && j < sizeof levels / sizeof *levels; j++)
			if (!strcmp(name, levels[j].name))
				level = levels[j].level;
		if (name && !level)
			descriptor_wrong(
				descriptor, "level", name,
				format_text(
					"no level is called \"%s\"; there are request, runtime, operator, debug",
					name));
		for (size_t j = 0; j < count; j++)
			descriptor_each_function(descriptor, "levels", functions[j],
						 function_set_level, &level);
	}
}

struct stage {
	enum tl_work_layer layer;
	enum tl_work_phase phase;
};

static void function_set_stage(struct descriptor *descriptor, struct function *function,
			       void *stage)
{
	const struct stage *said = stage;

	(void)descriptor;
	function->layer = said->layer;
	function->phase = said->phase;
}

/* The number of the word that stands under a key; 0 after an error. */
static size_t stage_word(struct descriptor *descriptor, json_t *rule, const char *key,
			 const char *const *words, size_t count)
{
	const char *word = descriptor_text(descriptor, rule, key, true);
	char *known = copy_text("");

	for (size_t i = 1; i < count; i++) {
		if (word && !strcmp(word, words[i]))
			return i;
		known = format_text("%s%s%s", known, *known ? ", " : "", words[i]);
	}
	if (word)
		descriptor_wrong(
			descriptor, key, word,
			format_text("no %s is called \"%s\"; there are %s", key, word, known));
	return 0;
}

/* "phases": as "levels". */
void describe_phases(struct descriptor *descriptor)
{
	static const char *const keys[] = {"layer", "phase", "functions", NULL};
	json_t *rules = descriptor_value(descriptor, descriptor->root, "phases", JSON_ARRAY);

	for (size_t i = json_array_size(rules); i-- > 0;) {
		json_t *rule = json_array_get(rules, i);
		size_t count = 0;

		descriptor_check_keys(descriptor, rule, keys);
		struct stage stage = {(enum tl_work_layer)stage_word(descriptor, rule, "layer",
								     tl_layer_words, TL_LAYERS),
				      (enum tl_work_phase)stage_word(descriptor, rule, "phase",
								     tl_phase_words, TL_PHASES)};
		const char **functions = descriptor_texts(descriptor, rule, "functions", &count);
		for (size_t j = 0; j < count; j++)
			descriptor_each_function(descriptor, "phases", functions[j],
						 function_set_stage, &stage);
	}
}

static void function_set_flag(struct descriptor *descriptor, struct function *function, void *flag)
{
	(void)descriptor;
	function->flags |= *(unsigned *)flag;
}

static void function_set_exported(struct descriptor *descriptor, struct function *function,
				  void *nothing)
{
	(void)descriptor;
	(void)nothing;
	function->exported = true;
}

static void function_set_left_out(struct descriptor *descriptor, struct function *function,
				  void *why)
{
	(void)descriptor;
	function->left_out = why;
}

void describe_flags(struct descriptor *descriptor)
{
	static const struct {
		const char *key;
		unsigned flag;
	} flags[] = {{"initialises", TL_FUNCTION_INITIALISES},
		     {"creates", TL_FUNCTION_CREATES},
		     {"destroys", TL_FUNCTION_DESTROYS}};

	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
		size_t count = 0;
		const char **names =
			descriptor_texts(descriptor, descriptor->root, flags[i].key, &count);
		unsigned flag = flags[i].flag;

		for (size_t j = 0; j < count; j++)
			descriptor_each_function(descriptor, flags[i].key, names[j],
						 function_set_flag, &flag);
	}
}

/* The name of one of the headers stands for all that it declares. */
static bool header_export(struct model *model, const char *name)
{
	bool is_header = false;

	for (size_t i = 0; i < model->nheaders; i++)
		is_header |= !strcmp(model->headers[i], name);
	for (size_t i = 0; is_header && i < model->nfunctions; i++)
		if (!strcmp(model->functions[i].where.file, name))
			model->functions[i].exported = true;
	return is_header;
}

void describe_exports(struct descriptor *descriptor)
{
	struct model *model = descriptor->model;
	size_t count = 0;
	const char **names = descriptor_texts(descriptor, descriptor->root, "exported", &count);

	for (size_t i = 0; json_object_get(descriptor->root, "exported") && i < model->nfunctions;
	     i++)
		model->functions[i].exported = false;
	for (size_t i = 0; i < count; i++)
		if (!header_export(model, names[i]))
			descriptor_each_function(descriptor, "exported", names[i],
						 function_set_exported, NULL);
}

void describe_left_out(struct descriptor *descriptor)
{
	const char *name;
	json_t *why;

	json_object_foreach(descriptor_value(descriptor, descriptor->root, "left_out", JSON_OBJECT),
			    name, why)
		descriptor_each_function(descriptor, "left_out", name, function_set_left_out,
					 copy_text(descriptor_string(descriptor, name, why)));
}
