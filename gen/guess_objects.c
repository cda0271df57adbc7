/* SPDX-License-Identifier: MIT */
/*
 * guess_objects.c: which functions make objects, end them, or take references to them, by their names
 * and by what they give and take.
 */
#include <fnmatch.h>
#include <stdbool.h>
#include <string.h>

#include "gen/allocate.h"
#include "gen/guess.h"
#include "gen/guess_rules.h"

bool type_is_object(const struct type *type)
{
	return type->kind == TL_KIND_HANDLE ||
	       (type->kind == TL_KIND_POINTER && !type->is_const &&
		(!type->target || type->target->kind == TL_KIND_STRUCT ||
		 type->target->kind == TL_KIND_UNION));
}

static bool type_is_place_for_object(const struct type *type)
{
	return type->kind == TL_KIND_POINTER && !type->is_const && type->target &&
	       type_is_object(type->target);
}

static bool name_fits_case(const char *pattern, const char *name)
{
	return fnmatch(pattern, name, FNM_EXTMATCH) == 0;
}

static bool function_makes(const struct function *function)
{
	bool makes = type_is_object(function->result);

	for (size_t i = 0; i < function->nparams; i++)
		makes |= type_is_place_for_object(function->params[i].type);
	return makes && name_fits_case(RULE_CREATES, function->name);
}

/* The object that a function takes, or takes from a place. NULL: none. */
static const struct type *function_object(const struct function *function)
{
	for (size_t i = 0; i < function->nparams; i++) {
		const struct type *type = function->params[i].type;

		if (type_is_object(type) || type_is_place_for_object(type))
			return type_is_object(type) ? type : type->target;
	}
	return NULL;
}

/* It takes this object, and nothing else. */
static bool function_takes_alone(const struct function *function, const struct type *object)
{
	return function->nparams == 1 &&
	       !strcmp(function->params[0].type->spelling, object->spelling);
}

/* It gives this object: by its result, or in a place. */
static bool function_makes_this(const struct function *function, const struct type *object)
{
	bool same = !strcmp(function->result->spelling, object->spelling);

	for (size_t i = 0; i < function->nparams; i++)
		same |= type_is_place_for_object(function->params[i].type) &&
			!strcmp(function->params[i].type->target->spelling, object->spelling);
	return same && function_makes(function);
}

static bool model_has_maker(const struct model *model, const char *name, const struct type *object)
{
	for (size_t i = 0; i < model->nfunctions; i++)
		if (!strcmp(model->functions[i].name, name))
			return function_makes_this(&model->functions[i], object);
	return false;
}

/* How long a name is without an end of the list: 0 if it has none of them, or is nothing else. */
static size_t name_stem(const char *name, const char *const *ends, size_t count)
{
	size_t length = strlen(name), stem = 0;

	for (size_t i = 0; i < count; i++) {
		size_t word = strlen(ends[i]);

		if (length > word && !strcmp(name + length - word, ends[i]))
			stem = length - word;
	}
	return stem;
}

#define NAME_STEM(name, ends) name_stem(name, ends, sizeof(ends) / sizeof *(ends))

/* True for functions like gzclose: they end an object, because there is a gzopen that makes it. */
static bool function_ends_weakly(const struct model *model, const struct function *function)
{
	size_t stem = NAME_STEM(function->name, rules_weak_ends);

	for (size_t i = 0; stem && i < sizeof rules_beginnings / sizeof *rules_beginnings; i++) {
		const char *begins =
			format_text("%.*s%s", (int)stem, function->name, rules_beginnings[i]);

		for (size_t j = 0; j < model->nfunctions; j++)
			if (!strncmp(model->functions[j].name, begins, strlen(begins)) &&
			    (function_makes(&model->functions[j]) ||
			     function_object(&model->functions[j])))
				return true;
	}
	return false;
}

/* True for functions like glp_delete_prob. */
static bool function_ends_by_pair(const struct model *model, const struct function *function)
{
	const struct type *object = function_object(function);

	if (!function_takes_alone(function, object) || !strcmp(object->spelling, "void *"))
		return false;
	for (size_t i = 0; i < sizeof rules_pairs / sizeof *rules_pairs; i++) {
		const char *end = strstr(function->name, rules_pairs[i][0]);

		if (end && model_has_maker(model,
					   format_text("%.*s%s%s", (int)(end - function->name),
						       function->name, rules_pairs[i][1],
						       end + strlen(rules_pairs[i][0])),
					   object))
			return true;
	}
	return false;
}

/* A function takes this function's object alone, and its name begins alike, with such an end. */
static bool function_has_sibling(const struct model *model, const struct function *function,
				 size_t stem, const char *ends)
{
	const struct type *object = function_object(function);

	for (size_t i = 0; i < model->nfunctions; i++) {
		const struct function *other = &model->functions[i];

		if (!strncmp(other->name, function->name, stem) &&
		    name_fits_case(ends, other->name + stem) && function_takes_alone(other, object))
			return true;
	}
	return false;
}

/* True for functions like archive_read_close. */
static bool function_ends_in_passing(const struct model *model, const struct function *function)
{
	const struct type *object = function_object(function);
	size_t stem = NAME_STEM(function->name, rules_passing_ends);
	bool opposite = false;

	if (!stem || object != function->params[0].type)
		return false;
	for (size_t i = 0; i < sizeof rules_passing_starts / sizeof *rules_passing_starts; i++)
		opposite |= model_has_maker(
			model,
			format_text("%.*s%s", (int)stem, function->name, rules_passing_starts[i]),
			object);
	return function_has_sibling(model, function, stem,
				    opposite ? RULE_COUNTED_ENDS : RULE_LASTING_ENDS);
}

/* True for functions like wgpuBufferDestroy: wgpuBufferRelease ends the object. */
static bool function_ends_use_only(const struct model *model, const struct function *function)
{
	const struct type *object = function_object(function);
	size_t stem = NAME_STEM(function->name, rules_ends_of_use);

	return stem && object == function->params[0].type &&
	       function_has_sibling(model, function, stem, RULE_GIVES_REFERENCE) &&
	       function_has_sibling(model, function, stem, RULE_TAKES_REFERENCE);
}

/* True for functions like av_frame_unref: av_frame_free ends the object, and empties its place. */
static bool function_ends_content_only(const struct model *model, const struct function *function)
{
	const struct type *object = function_object(function);
	size_t stem = NAME_STEM(function->name, rules_ends_of_content);

	if (!stem || object != function->params[0].type)
		return false;
	for (size_t i = 0; i < model->nfunctions; i++) {
		const struct function *other = &model->functions[i];

		if (!strncmp(other->name, function->name, stem) &&
		    name_fits_case(RULE_ENDS_AT_PLACE, other->name + stem) && other->nparams == 1 &&
		    type_is_place_for_object(other->params[0].type) &&
		    !strcmp(other->params[0].type->target->spelling, object->spelling))
			return true;
	}
	return false;
}

/* The word that says what a function ends: Windows of XDestroyWindows. NULL: none. */
static const char *name_ended_word(const char *name)
{
	const char *word = NULL;

	for (const char *at = name; *at; at++)
		for (size_t i = 0; i < sizeof rules_end_verbs / sizeof *rules_end_verbs; i++)
			if (!strncmp(at, rules_end_verbs[i], strlen(rules_end_verbs[i])))
				word = at + strlen(rules_end_verbs[i]);
	return word && *word ? word : NULL;
}

/* True for functions like XDestroyWindow: what they end is a number behind the object. */
static bool function_ends_other(const struct function *function)
{
	const struct type *object = function_object(function);
	const char *word = name_ended_word(function->name);

	if (!word || function->nparams < 2 || object != function->params[0].type ||
	    name_fits_case(RULE_ENDED_ALL, word))
		return false;
	for (size_t i = 1; i < function->nparams; i++)
		if (type_is_object(function->params[i].type) ||
		    type_is_place_for_object(function->params[i].type))
			return false;
	char *ended = name_squeezed(word, strlen(word));
	size_t length = strlen(ended);

	if (length > 1 && ended[length - 1] == 's')
		ended[length - 1] = 0;
	return !strstr(name_squeezed(object->spelling, strlen(object->spelling)), ended);
}

static bool function_takes_objects_only(const struct function *function)
{
	for (size_t i = 0; i < function->nparams; i++)
		if (!type_is_object(function->params[i].type) &&
		    !type_is_place_for_object(function->params[i].type))
			return false;
	return true;
}

static bool function_has_destroyers_name(const struct function *function)
{
	return name_fits_case(RULE_DESTROYS, function->name) ||
	       (name_fits_case(RULE_DESTROYS_OBJECTS, function->name) &&
		function_takes_objects_only(function));
}

static bool function_ends(const struct model *model, const struct function *function)
{
	return function_object(function) && !function_ends_in_passing(model, function) &&
	       !function_ends_use_only(model, function) &&
	       !function_ends_content_only(model, function) && !function_ends_other(function) &&
	       (function_has_destroyers_name(function) || function_ends_weakly(model, function) ||
		function_ends_by_pair(model, function));
}

/* True for functions like hb_font_reference, because there is hb_font_destroy. */
static bool function_retains(const struct model *model, const struct function *function)
{
	const struct type *object = function_object(function);

	if (!object || !function_takes_alone(function, object) ||
	    !name_fits_case(RULE_RETAINS, function->name))
		return false;
	for (size_t i = 0; i < model->nfunctions; i++)
		if (function_takes_alone(&model->functions[i], object) &&
		    function_ends(model, &model->functions[i]))
			return true;
	return false;
}

static void function_guess_objects(struct guesses *guesses, const struct model *model,
				   struct function *function)
{
	struct guess guess = {.name = function->name, .function = function};

	if (function_ends(model, function)) {
		guess.kind = GUESS_DESTROYS;
		guess.why = function_has_destroyers_name(function)
				    ? "by its name it ends an object, and it takes one"
				    : "another function, whose name begins alike, makes the object";
	} else if (function_retains(model, function)) {
		guess.kind = GUESS_RETAINS;
		guess.why =
			"by its name it takes a reference, and another function ends the object";
	} else if (function_makes(function)) {
		guess.kind = GUESS_CREATES;
		guess.why = "by its name it makes an object, and it gives one";
	} else {
		return;
	}
	*APPEND(guesses->list, guesses->count) = guess;
}

void model_guess_objects(const struct model *model, struct guesses *guesses)
{
	for (size_t i = 0; i < model->nfunctions; i++)
		if (!model->functions[i].left_out || model->functions[i].only_generic)
			function_guess_objects(guesses, model, &model->functions[i]);
}
