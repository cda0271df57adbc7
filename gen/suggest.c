/* SPDX-License-Identifier: MIT */
/*
 * suggest.c: writes the guesses as a descriptor, for the user to correct and keep. With this
 * descriptor tracegen makes the same output from the same headers as without one.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "gen/allocate.h"
#include "gen/guess.h"

static json_t *json_of_texts(const char **list, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(array, json_string(list[i]));
	return array;
}

static void object_set_list(json_t *object, const char *key, json_t *list)
{
	if (json_array_size(list))
		json_object_set_new(object, key, list);
	else
		json_decref(list);
}

/* Headers that declare functions and were not named. */
static json_t *model_included(const struct model *model)
{
	const char **files = NULL;
	size_t count = 0;

	for (size_t i = 0; i < model->nfunctions && model->nheaders; i++) {
		const char *file = model->functions[i].where.file;
		bool known = false;

		for (size_t j = 0; j < model->nheaders && !known; j++)
			known = !strcmp(model->headers[j], file);
		for (size_t j = 0; j < count && !known; j++)
			known = !strcmp(files[j], file);
		if (!known)
			*APPEND(files, count) = file;
	}
	return json_of_texts(files, count);
}

/* The names of all guesses of one kind that say the same for the same reason. */
static json_t *guesses_alike(const struct guesses *guesses, size_t first)
{
	const struct guess *like = &guesses->list[first];
	json_t *names = json_array();

	for (size_t i = first; i < guesses->count; i++) {
		const struct guess *guess = &guesses->list[i];

		if (guess->kind == like->kind && !strcmp(guess->why, like->why) &&
		    guess->text == like->text && guess->sets_errno == like->sets_errno &&
		    (!guess->says || !strcmp(guess->says, like->says)))
			json_array_append_new(names, json_string(guess->name));
	}
	return names;
}

static bool guess_is_first_alike(const struct guesses *guesses, size_t index)
{
	const struct guess *guess = &guesses->list[index];

	for (size_t i = 0; i < index; i++)
		if (guesses->list[i].kind == guess->kind &&
		    !strcmp(guesses->list[i].why, guess->why) &&
		    (!guess->says || !strcmp(guesses->list[i].says, guess->says)))
			return false;
	return true;
}

static json_t *json_of_results(const struct guesses *guesses)
{
	json_t *rules = json_array();

	for (size_t i = 0; i < guesses->count; i++) {
		const struct guess *guess = &guesses->list[i];

		if (guess->kind != GUESS_RESULT || !guess_is_first_alike(guesses, i))
			continue;
		json_t *rule = json_object();
		json_object_set_new(rule, "comment", json_string(guess->why));
		json_object_set_new(rule, "failure", json_string(guess->says));
		if (guess->sets_errno)
			json_object_set_new(rule, "errno", json_true());
		if (guess->text)
			json_object_set_new(rule, "text", json_true());
		json_object_set_new(rule, "functions", guesses_alike(guesses, i));
		json_array_append_new(rules, rule);
	}
	return rules;
}

/* "creates", "destroys", "flag_enums": a list under a key, and beside it the reasons. */
static void object_set_guesses(json_t *object, const char *key, enum guess_kind kind,
			       const struct guesses *guesses)
{
	json_t *names = json_array();
	const char *why = "";

	for (size_t i = 0; i < guesses->count; i++) {
		const struct guess *guess = &guesses->list[i];

		if (guess->kind != kind)
			continue;
		json_array_append_new(names, json_string(guess->name));
		if (guess_is_first_alike(guesses, i))
			why = format_text("%s%s%s", why, *why ? "; or " : "", guess->why);
	}
	if (json_array_size(names))
		json_object_set_new(object, format_text("comment on %s", key), json_string(why));
	object_set_list(object, key, names);
}

static json_t *json_of_variables(const struct guesses *guesses)
{
	json_t *variables = json_object();

	for (size_t i = 0; i < guesses->count; i++) {
		const struct guess *guess = &guesses->list[i];

		if (guess->kind == GUESS_VARIABLE)
			json_object_set_new(
				variables, guess->name,
				json_pack("{s:s,s:s}", "tags", guess->says, "comment", guess->why));
	}
	return variables;
}

/* "enums": each set of flags, with the parameters that are sums of them. */
static json_t *json_of_flag_sets(const struct guesses *guesses)
{
	json_t *sets = json_object();

	for (size_t i = 0; i < guesses->count; i++) {
		const struct guess *guess = &guesses->list[i];

		if (guess->kind != GUESS_CONSTANTS)
			continue;
		json_t *set = json_object_get(sets, guess->type->name);
		if (!set) {
			json_t *constants = json_array();

			for (size_t j = 0; j < guess->type->nenumerators; j++)
				json_array_append_new(
					constants, json_string(guess->type->enumerators[j].name));
			set = json_pack("{s:s,s:s,s:b,s:o,s:[]}", "comment", guess->why, "type",
					guess->variable->type->spelling, "flags",
					guess->type->kind == TL_KIND_FLAGS, "constants", constants,
					"where");
			json_object_set_new(sets, guess->type->name, set);
		}
		json_array_append_new(json_object_get(set, "where"), json_string(guess->name));
	}
	return sets;
}

/* Without headers no C is made, and what C can't pass on may stay. */
static json_t *json_of_left_out(const struct model *model)
{
	json_t *left_out = json_object();

	for (size_t i = 0; i < model->nfunctions; i++)
		if (model->functions[i].left_out &&
		    (model->nheaders || !model->functions[i].only_generic))
			json_object_set_new(left_out, model->functions[i].name,
					    json_string(model->functions[i].left_out));
	for (size_t i = 0; i < model->nrefused; i++)
		if (!strcmp(model->refused[i].why, REFUSED_UNEXPORTED))
			json_object_set_new(left_out, format_text("?%s", model->refused[i].name),
					    json_string(model->refused[i].why));
	return left_out;
}

int suggest_write(const struct model *model, const struct guesses *guesses, FILE *to)
{
	json_t *root = json_object(), *left_out = json_of_left_out(model);

	json_object_set_new(
		root, "comment",
		json_string(
			model->nheaders
				? "Made by tracegen suggest: what tracegen guesses of these headers. Correct what is wrong; comments are for you."
				: "Made by tracegen suggest: what tracegen guesses of these libraries' debug information. Correct what is wrong; comments are for you."));
	json_object_set_new(root, "name", json_string(model->name));
	json_object_set_new(root, "prefix", json_string(model->prefix));
	json_object_set_new(root, "version", json_string(model->version ? model->version : ""));
	json_object_set_new(root, "headers", json_of_texts(model->headers, model->nheaders));
	object_set_list(root, "included", model_included(model));
	object_set_list(root, "flags", json_of_texts(model->flags, model->nflags));
	object_set_list(root, "sonames", json_of_texts(model->sonames, model->nsonames));
	object_set_list(root, "results", json_of_results(guesses));
	object_set_guesses(root, "creates", GUESS_CREATES, guesses);
	object_set_guesses(root, "destroys", GUESS_DESTROYS, guesses);
	object_set_guesses(root, "retains", GUESS_RETAINS, guesses);
	object_set_guesses(root, "flag_enums", GUESS_FLAGS, guesses);
	json_t *sets = json_of_flag_sets(guesses);
	if (json_object_size(sets))
		json_object_set(root, "enums", sets);
	json_decref(sets);
	if (json_object_size(left_out))
		json_object_set(root, "left_out", left_out);
	json_decref(left_out);
	json_object_set_new(root, "variables", json_of_variables(guesses));
	int failed = json_dumpf(root, to, JSON_INDENT(1) | JSON_ENSURE_ASCII);
	json_decref(root);
	failed |= fputc('\n', to) == EOF || fflush(to) != 0;
	return failed ? -1 : 0;
}
