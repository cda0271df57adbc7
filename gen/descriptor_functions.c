/* SPDX-License-Identifier: MIT */
/*
 * descriptor_functions.c: "results", "variadic", "successes", "levels", "phases", "initialises",
 * "creates", "destroys", "retains", "exported", "left_out", "not_compiled", "fortran",
 * "more_words": what a descriptor says of functions.
 */
#include <fnmatch.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "common/stages.h"
#include "gen/allocate.h"
#include "gen/comment.h"
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

static void result_flag_set(struct descriptor *descriptor, json_t *rule, const char *key,
			    struct function *function, unsigned flag)
{
	json_t *on = json_object_get(rule, key);

	if (on && !json_is_boolean(on))
		descriptor_wrong(
			descriptor, key, NULL,
			format_text("\"%s\" must be true or false; write it without quotes", key));
	if (json_is_true(on))
		function->flags |= flag;
	else if (on)
		function->flags &= ~flag;
}

/* What is shown as text, or followed up to errno, must be able to. */
static void result_rule_apply(struct descriptor *descriptor, json_t *rule,
			      struct function *function)
{
	const struct type *result = function->result;

	function->failure =
		failure_named(descriptor, descriptor_text(descriptor, rule, "failure", true));
	function->unsupported = descriptor_text(descriptor, rule, "unsupported", false);
	result_flag_set(descriptor, rule, "errno", function, TL_FUNCTION_ERRNO);
	if (result->kind == TL_KIND_POINTER && (!result->target || result->target->size <= 1))
		result_flag_set(descriptor, rule, "text", function, TL_FUNCTION_TEXT);
}

void describe_results(struct descriptor *descriptor)
{
	static const char *const keys[] = {"type",    "functions",   "params",
					   "failure", "unsupported", "errno",
					   "text",    "comment",     NULL};
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
			result_rule_apply(descriptor, rule, function);
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

/*
 * "variadic": what callers pass in place of "...": a type, or a list of them. They become parameters
 * like the others.
 */

/* C's own types that a variadic argument can have: those that others are promoted to. */
static struct type *type_plain(const char *spelling)
{
	static const struct {
		const char *spelling;
		enum tl_kind kind;
		uint8_t size;
	} plain[] = {
		{"int", TL_KIND_INT, 4},
		{"unsigned int", TL_KIND_UINT, 4},
		{"long", TL_KIND_INT, 8},
		{"unsigned long", TL_KIND_UINT, 8},
		{"long long", TL_KIND_INT, 8},
		{"unsigned long long", TL_KIND_UINT, 8},
		{"double", TL_KIND_FLOAT, 8},
		{"void *", TL_KIND_POINTER, 8},
		{"const void *", TL_KIND_POINTER, 8},
		{"char *", TL_KIND_POINTER, 8},
		{"const char *", TL_KIND_POINTER, 8},
		{"char", TL_KIND_CHAR, 1},
	};

	for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
		if (strcmp(plain[i].spelling, spelling) != 0)
			continue;
		struct type *type = allocate(sizeof *type);

		type->spelling = plain[i].spelling;
		type->name = strchr(type->spelling, '*') ? NULL : type->spelling;
		type->kind = plain[i].kind;
		type->size = type->align = plain[i].size;
		type->is_const = !strncmp(spelling, "const ", 6);
		if (strstr(spelling, "char *"))
			type->target = type_plain("char");
		return type;
	}
	return NULL;
}

static bool type_is_one_word(const struct type *type)
{
	return type->kind != TL_KIND_VOID && type->kind != TL_KIND_STRUCT &&
	       type->kind != TL_KIND_UNION && type->kind != TL_KIND_ARRAY &&
	       (type->size == 8 || (type->size == 4 && type->kind != TL_KIND_FLOAT));
}

static const struct variable *function_param_named(const struct function *function,
						   const char *name)
{
	for (size_t i = 0; i < function->nparams; i++)
		if (!strcmp(function->params[i].name, name))
			return &function->params[i];
	return NULL;
}

static void function_add_argument(struct descriptor *descriptor, struct function *function,
				  const char *spelling, size_t number)
{
	struct type *type = model_type_spelled(descriptor->model, spelling);
	char *name = number ? format_text("arg%zu", number) : copy_text("arg");
	struct tags none = {0};

	type = type ? type : type_plain(spelling);
	if (!type || !type_is_one_word(type)) {
		descriptor_wrong(
			descriptor, function->name, spelling,
			format_text(
				"%s is no type that \"...\" can stand for; write one of the headers, or int, long, double, void * or const char *",
				spelling));
		return;
	}
	while (function_param_named(function, name))
		name = format_text("%s_", name);
	struct variable *param = APPEND(function->params, function->nparams);
	param->name = name;
	param->type = type;
	param->spelling = copy_text(spelling);
	param->where = function->where;
	function->nvariadic++;
	variable_settle(param, &none, function->params, function->nparams);
}

struct variadic_rule {
	const char *name;
	json_t *types;
};

static void function_set_variadic(struct descriptor *descriptor, struct function *function,
				  void *more)
{
	const struct variadic_rule *rule = more;
	json_t *said = rule->types, *one;
	size_t i;

	if (function->nvariadic || (!function->variadic && name_is_pattern(rule->name)))
		return;

	if (!function->variadic) {
		descriptor_wrong(
			descriptor, "variadic", function->name,
			format_text("%s has no \"...\"; correct the name", function->name));
		return;
	}
	if (function->left_out && !strcmp(function->left_out, LEFT_OUT_VARIADIC)) {
		function->left_out = NULL;
		function->only_generic = false;
	}
	if (json_is_string(said))
		function_add_argument(descriptor, function, json_string_value(said), 0);
	json_array_foreach(said, i, one)
		function_add_argument(descriptor, function,
				      descriptor_string(descriptor, function->name, one), i + 1);
}

void describe_variadic(struct descriptor *descriptor)
{
	const char *name;
	json_t *said;

	json_object_foreach(descriptor_value(descriptor, descriptor->root, "variadic", JSON_OBJECT),
			    name, said) {
		if (!json_is_string(said) && !json_is_array(said))
			descriptor_wrong(
				descriptor, name, NULL,
				format_text("\"%s\" must be a type or a list of types", name));
		else
			descriptor_each_function(descriptor, "variadic", name,
						 function_set_variadic,
						 &(struct variadic_rule){name, said});
	}
}

/*
 * "fortran": functions of Fortran. Compilers pass the length of each text behind all parameters;
 * callers in C leave it out or pass it. Compiled shims have the declared parameters only.
 */
static void function_set_fortran(struct descriptor *descriptor, struct function *function,
				 void *nothing)
{
	(void)descriptor, (void)nothing;
	for (size_t i = 0; i < function->nparams; i++) {
		const struct type *type = function->params[i].type;

		function->nhidden += type->kind == TL_KIND_POINTER && type->target &&
				     type->target->kind == TL_KIND_CHAR;
	}
	if (function->nhidden && !function->left_out) {
		function->left_out = LEFT_OUT_FORTRAN;
		function->only_generic = true;
	}
}

void describe_fortran(struct descriptor *descriptor)
{
	size_t count = 0;
	const char **names = descriptor_texts(descriptor, descriptor->root, "fortran", &count);

	for (size_t i = 0; i < count; i++)
		descriptor_each_function(descriptor, "fortran", names[i], function_set_fortran,
					 NULL);
}

/*
 * "more_words": functions that have more parameters in other headers than in these. Which form a
 * program was built with is not known, so the shim passes on as many words as the longest form has,
 * and no argument has a name. Each parameter is one word.
 */
static bool function_takes_words(const struct function *function)
{
	for (size_t i = 0; i < function->nparams; i++) {
		const struct type *type = function->params[i].type;

		if (type->kind == TL_KIND_FLOAT || type->kind == TL_KIND_STRUCT ||
		    type->kind == TL_KIND_UNION || type->wide)
			return false;
	}
	return true;
}

static void function_set_more_words(struct descriptor *descriptor, struct function *function,
				    void *more)
{
	unsigned words = (unsigned)function->nparams + *(unsigned *)more;

	if (!function_takes_words(function) || words > TL_PASSED_MAX) {
		descriptor_wrong(descriptor, "more_words", function->name,
				 format_text("%s must take words alone, at most %d with those; "
					     "name it under left_out",
					     function->name, TL_PASSED_MAX));
		return;
	}
	function->passed = words;
	for (unsigned i = 0; i < function->passed; i++)
		*APPEND(function->places, function->nplaces) = i;
	function->params = NULL;
	function->nparams = 0;
	function->undeclared = true;
}

void describe_more_words(struct descriptor *descriptor)
{
	const char *name;
	json_t *more;

	json_object_foreach(
		descriptor_value(descriptor, descriptor->root, "more_words", JSON_OBJECT), name,
		more) {
		unsigned words = (unsigned)json_integer_value(more);

		if (words < 1 || words > TL_PASSED_MAX / 2)
			descriptor_wrong(descriptor, "more_words", name,
					 format_text("a function can have 1 to %d words more; "
						     "correct the number",
						     TL_PASSED_MAX / 2));
		else
			descriptor_each_function(descriptor, "more_words", name,
						 function_set_more_words, &words);
	}
}

/* "levels", "initialises", "creates", "destroys", "exported", "left_out", "not_compiled". */

static void function_set_level(struct descriptor *descriptor, struct function *function,
			       void *level)
{
	(void)descriptor;
	function->level = *(unsigned *)level;
}

/* The first rule that matches decides, so the last rule is applied first. */
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
	function->only_generic = false;
}

/* Interposers have it all the same. */
static void function_set_not_compiled(struct descriptor *descriptor, struct function *function,
				      void *why)
{
	(void)descriptor;
	if (function->left_out && !function->only_generic)
		return;
	function->left_out = why;
	function->only_generic = true;
}

void describe_flags(struct descriptor *descriptor)
{
	static const struct {
		const char *key;
		unsigned flag;
	} flags[] = {{"initialises", TL_FUNCTION_INITIALISES},
		     {"creates", TL_FUNCTION_CREATES},
		     {"destroys", TL_FUNCTION_DESTROYS},
		     {"retains", TL_FUNCTION_RETAINS}};

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

/* The name of one of the headers stands for all that it declares. Returns whether it declares any. */
static bool header_export(struct model *model, const char *name)
{
	bool is_header = false, declares = false;

	for (size_t i = 0; i < model->nheaders; i++)
		is_header |= !strcmp(model->headers[i], name);
	for (size_t i = 0; is_header && i < model->nfunctions; i++)
		if (!strcmp(model->functions[i].where.file, name))
			declares = model->functions[i].exported = true;
	return declares;
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

static void functions_leave_out(struct descriptor *descriptor, const char *key,
				void (*each)(struct descriptor *descriptor,
					     struct function *function, void *why))
{
	const char *name;
	json_t *why;

	json_object_foreach(descriptor_value(descriptor, descriptor->root, key, JSON_OBJECT), name,
			    why)
		descriptor_each_function(descriptor, key, name, each,
					 copy_text(descriptor_string(descriptor, name, why)));
}

void describe_left_out(struct descriptor *descriptor)
{
	functions_leave_out(descriptor, "not_compiled", function_set_not_compiled);
	functions_leave_out(descriptor, "left_out", function_set_left_out);
}
