/* SPDX-License-Identifier: MIT */
/*
 * api_descriptors.c: see api_descriptors.h.
 *
 * A folder of descriptors holds NAME.json for each API. For each built-in API it also holds
 * PREFIX_model.json, the model, which has the functions with shims.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/apis/api_descriptors.h"
#include "cli/basics/user_folders.h"
#include "cli/basics/basics.h"
#include "common/installed.h"

#define ENDING ".json"
#define MODEL  "_model"

static bool text_ends_with(const char *text, const char *ending)
{
	size_t length = strlen(text), of_ending = strlen(ending);

	return length > of_ending && !strcmp(text + length - of_ending, ending);
}

static char *descriptor_path(const char *folder, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s" ENDING, folder, name) < 0)
		need(NULL);
	return path;
}

/* ---- one descriptor ---- */

static char **json_texts(const json_t *array)
{
	char **texts = need(calloc(json_array_size(array) + 1, sizeof(*texts)));
	size_t count = 0;

	for (size_t i = 0; i < json_array_size(array); i++) {
		const char *text = json_string_value(json_array_get(array, i));

		if (text)
			texts[count++] = need(strdup(text));
	}
	return texts;
}

/* A built-in API has a model beside its descriptor. */
static char *descriptor_model(const char *beside, const char *prefix)
{
	const int folder = (int)(strrchr(beside, '/') - beside);
	char *path = NULL;

	if (prefix && asprintf(&path, "%.*s/%s" MODEL ENDING, folder, beside, prefix) < 0)
		need(NULL);
	if (path && access(path, R_OK)) {
		free(path);
		return NULL;
	}
	return path;
}

/* The model knows the headers' version and the functions. */
static void descriptor_read_model(struct api_descriptor *descriptor, const char *path)
{
	json_t *model = json_load_file(path, 0, NULL);
	const json_t *functions = json_object_get(model, "functions"), *function;
	const char *version = json_string_value(json_object_get(model, "version"));
	size_t i;

	if (functions) {
		descriptor->functions = 0;
		json_array_foreach(functions, i, function)
			descriptor->functions += !json_object_get(function, "left_out");
	}
	if (version && !descriptor->version)
		descriptor->version = need(strdup(version));
	json_decref(model);
}

static void descriptor_read(struct api_descriptor *descriptor, bool whole)
{
	json_error_t error;
	json_t *root = json_load_file(descriptor->path, 0, &error);
	const char *version = json_string_value(json_object_get(root, "version"));

	if (!json_is_object(root)) {
		const char *why = root ? "it is no JSON object" : error.text;

		if (asprintf(&descriptor->trouble, "line %d: %s", root ? 1 : error.line, why) < 0)
			need(NULL);
		root = NULL;
	}
	if (version)
		descriptor->version = need(strdup(version));
	descriptor->sonames = json_texts(json_object_get(root, "sonames"));
	descriptor->companions = json_texts(json_object_get(root, "companions"));
	/* A model beside the user's own descriptor does not mean that the layer has shims. */
	char *model =
		descriptor->origin == API_OF_USER
			? NULL
			: descriptor_model(descriptor->path,
					   json_string_value(json_object_get(root, "prefix")));

	if (model) {
		descriptor->origin = API_BUILT_IN;
		if (whole)
			descriptor_read_model(descriptor, model);
	}
	free(model);
	json_decref(root);
}

static void texts_free(char **texts)
{
	for (char **text = texts; text && *text; text++)
		free(*text);
	free(texts);
}

static void descriptor_free(struct api_descriptor *descriptor)
{
	texts_free(descriptor->sonames);
	texts_free(descriptor->companions);
	free(descriptor->name);
	free(descriptor->path);
	free(descriptor->version);
	free(descriptor->trouble);
}

/* ---- the folders ---- */

/* A new item; if there is one of that name, that one, emptied. */
static struct api_descriptor *list_place(struct api_descriptors *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++)
		if (!strcmp(list->item[i].name, name)) {
			descriptor_free(&list->item[i]);
			return &list->item[i];
		}
	list->item = need(reallocarray(list->item, list->count + 1, sizeof(*list->item)));
	return &list->item[list->count++];
}

/* NAME.json of a folder. The list keeps `name`. */
static struct api_descriptor *list_add_file(struct api_descriptors *list, const char *folder,
					    char *name, enum api_origin origin)
{
	struct api_descriptor *descriptor = list_place(list, name);

	*descriptor = (struct api_descriptor){
		.name = name,
		.path = descriptor_path(folder, name),
		.origin = origin,
		.functions = -1,
	};
	return descriptor;
}

/* Whether the file's name is that of a descriptor, not that of a model. */
static bool name_is_descriptor(const char *name)
{
	return *name && *name != '.' && !text_ends_with(name, MODEL);
}

/* Those of a folder whose names begin so. */
static void list_add_folder(struct api_descriptors *list, const char *folder,
			    enum api_origin origin, const char *beginning, bool whole)
{
	DIR *open = opendir(folder);
	const struct dirent *entry;

	while (open && (entry = readdir(open))) {
		if (!text_ends_with(entry->d_name, ENDING) ||
		    strncmp(entry->d_name, beginning, strlen(beginning)))
			continue;
		char *name = need(strndup(entry->d_name, strlen(entry->d_name) - strlen(ENDING)));

		if (name_is_descriptor(name))
			descriptor_read(list_add_file(list, folder, name, origin), whole);
		else
			free(name);
	}
	if (open)
		closedir(open);
}

/* False: the folder has no descriptor of that name. */
static bool list_add_named(struct api_descriptors *list, const char *folder, const char *name,
			   enum api_origin origin)
{
	char *path = descriptor_path(folder, name);
	bool found = name_is_descriptor(name) && !access(path, F_OK);

	free(path);
	if (found)
		list_add_file(list, folder, need(strdup(name)), origin);
	return found;
}

static int descriptors_by_name(const void *a, const void *b)
{
	return strcmp(((const struct api_descriptor *)a)->name,
		      ((const struct api_descriptor *)b)->name);
}

const char *api_descriptors_user_folder(void)
{
	static char folder[PATH_MAX];

	return user_folder("XDG_CONFIG_HOME", ".config", "apis", folder) ? folder : NULL;
}

static void list_find(struct api_descriptors *list, const char *beginning, bool whole)
{
	char installed[PATH_MAX];
	const char *own = api_descriptors_user_folder();

	*list = (struct api_descriptors){0};
	if (installed_descriptors(installed))
		list_add_folder(list, installed, API_INSTALLED, beginning, whole);
	if (own)
		list_add_folder(list, own, API_OF_USER, beginning, whole);
	if (list->count)
		qsort(list->item, list->count, sizeof(*list->item), descriptors_by_name);
}

void api_descriptors_find(struct api_descriptors *list, bool whole)
{
	list_find(list, "", whole);
}

void api_descriptors_find_kinds(struct api_descriptors *list, const char *name)
{
	char *beginning;

	if (asprintf(&beginning, "%s-", name) < 0)
		need(NULL);
	list_find(list, beginning, false);
	free(beginning);
}

bool api_descriptors_find_named(struct api_descriptors *list, const char *name)
{
	char installed[PATH_MAX];
	const char *own = api_descriptors_user_folder();

	*list = (struct api_descriptors){0};
	return (own && list_add_named(list, own, name, API_OF_USER)) ||
	       (installed_descriptors(installed) &&
		list_add_named(list, installed, name, API_INSTALLED));
}

void api_descriptor_read(struct api_descriptor *descriptor)
{
	descriptor_read(descriptor, false);
}

void api_descriptors_free(struct api_descriptors *list)
{
	for (size_t i = 0; i < list->count; i++)
		descriptor_free(&list->item[i]);
	free(list->item);
	*list = (struct api_descriptors){0};
}
