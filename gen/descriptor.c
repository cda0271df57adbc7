/* SPDX-License-Identifier: MIT */
/*
 * descriptor.c: an API's descriptor, gen/apis/NAME.json: what headers cannot say, checked against
 * the headers. doc/tracelayer-descriptor.5 is its manual.
 *
 * A name without wildcards must exist in the headers, unless a "?" stands in front of it: then only
 * some versions of the headers have it. A pattern may match nothing. Each error gives file and line.
 *
 * To add a key: a function describe_KEY in the descriptor_*.c that it belongs to, and the lists here.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "gen/allocate.h"
#include "gen/descriptor.h"
#include "gen/guess.h"
#include "gen/tracegen.h"

static const char *const all_keys[] = {
	"name",		 "prefix",	"version",    "headers",   "headers_left_out",
	"included",	 "flags",	"sonames",    "handles",   "bools",
	"numbers",	 "enums",	"results",    "successes", "levels",
	"phases",	 "initialises", "creates",    "destroys",  "exported",
	"left_out",	 "variables",	"variadic",   "getprocs",  "since",
	"first_members", "newer",	"chains",     "guesses",   "flag_enums",
	"objects",	 "pkgs",	"companions", "fortran",   "retains",
	"not_compiled",	 "more_words",	"outputs",    NULL};

static char *file_read_whole(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;

	if (!file)
		return NULL;
	ssize_t length = getdelim(&text, &size, '\0', file);
	fclose(file);
	return length < 0 ? copy_text("") : text;
}

static bool descriptor_open(struct descriptor *descriptor, const char *path)
{
	json_error_t error;

	descriptor->path = path;
	descriptor->text = file_read_whole(path);
	if (!descriptor->text) {
		fprintf(stderr, "tracegen: %s: %m; name an existing descriptor with --api\n", path);
		return false;
	}
	descriptor->root = json_loads(descriptor->text, JSON_REJECT_DUPLICATES, &error);
	if (!descriptor->root) {
		fprintf(stderr, "tracegen: %s:%d: %s; correct the JSON there\n", path, error.line,
			error.text);
		return false;
	}
	if (!json_is_object(descriptor->root)) {
		fprintf(stderr, "tracegen: %s:1: a descriptor is an object; put it in {}\n", path);
		return false;
	}
	descriptor_check_keys(descriptor, descriptor->root, all_keys);
	return true;
}

int descriptor_sources(const char *path, struct model_sources *sources)
{
	struct descriptor descriptor = {0};

	if (!descriptor_open(&descriptor, path))
		return -1;
	sources->headers =
		descriptor_texts(&descriptor, descriptor.root, "headers", &sources->nheaders);
	sources->included =
		descriptor_texts(&descriptor, descriptor.root, "included", &sources->nincluded);
	sources->flags = descriptor_texts(&descriptor, descriptor.root, "flags", &sources->nflags);
	sources->packages =
		descriptor_texts(&descriptor, descriptor.root, "pkgs", &sources->npackages);
	if (!sources->nheaders)
		descriptor_wrong(&descriptor, "headers", NULL,
				 "\"headers\" is missing or empty; name the headers to read");
	json_decref(descriptor.root);
	return descriptor.failed ? -1 : 0;
}

const char **descriptor_sonames(const char *path, bool with_headers, size_t *count)
{
	json_t *root = json_load_file(path, 0, NULL), *one;
	const char **list = NULL;
	size_t i;

	*count = 0;
	if (root && with_headers == (json_array_size(json_object_get(root, "headers")) > 0))
		json_array_foreach(json_object_get(root, "sonames"), i, one)
			if (json_is_string(one))
				*APPEND(list, *count) = copy_text(json_string_value(one));
	json_decref(root);
	return list;
}

/* "guesses": the rules' guesses come first, so that the descriptor can overrule them. */
static void describe_guesses(struct descriptor *descriptor)
{
	json_t *on = json_object_get(descriptor->root, "guesses");

	if (on && !json_is_boolean(on))
		descriptor_wrong(descriptor, "guesses", NULL,
				 "\"guesses\" must be true or false; write it without quotes");
	if (!json_is_true(on))
		return;
	struct guesses guesses = model_guess(descriptor->model);
	/* A list that the descriptor has is complete: guesses add nothing to it. */
	for (size_t i = 0; i < guesses.count; i++)
		if ((guesses.list[i].kind == GUESS_CREATES &&
		     json_object_get(descriptor->root, "creates")) ||
		    (guesses.list[i].kind == GUESS_DESTROYS &&
		     json_object_get(descriptor->root, "destroys")) ||
		    (guesses.list[i].kind == GUESS_RETAINS &&
		     json_object_get(descriptor->root, "retains")))
			guesses.list[i--] = guesses.list[--guesses.count];
	model_apply_guesses(&guesses);
}

/* "companions": they implement the API, too, so what they call of it is the API's own. */
static void describe_companions(struct descriptor *descriptor)
{
	struct model *model = descriptor->model;

	model->companions =
		descriptor_texts(descriptor, descriptor->root, "companions", &model->ncompanions);
	for (size_t i = 0; i < model->ncompanions; i++) {
		bool known = false;

		for (size_t j = 0; j < model->nsonames; j++)
			known |= !strcmp(model->sonames[j], model->companions[i]);
		if (!known)
			*APPEND(model->sonames, model->nsonames) = model->companions[i];
	}
}

int model_describe(struct model *model, const char *path)
{
	static void (*const parts[])(struct descriptor *) = {
		describe_newer,		describe_version,    describe_variadic,
		describe_fortran,	describe_more_words, describe_kinds,
		describe_enums,		describe_variables,  describe_outputs,
		describe_results,	describe_successes,  describe_levels,
		describe_phases,	describe_flags,	     describe_exports,
		describe_left_out,	describe_getprocs,   describe_object_getprocs,
		describe_newer_members, describe_tables,     describe_chains,
	};
	struct descriptor descriptor = {.model = model};

	if (!descriptor_open(&descriptor, path))
		return -1;
	model->name = descriptor_text(&descriptor, descriptor.root, "name", true);
	model->prefix = descriptor_text(&descriptor, descriptor.root, "prefix", true);
	model->sonames =
		descriptor_texts(&descriptor, descriptor.root, "sonames", &model->nsonames);
	describe_companions(&descriptor);
	describe_objects(&descriptor);
	describe_guesses(&descriptor);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		parts[i](&descriptor);
	model_collect(model, model->types, model->ntypes);
	json_decref(descriptor.root);
	return descriptor.failed ? -1 : 0;
}
