/* SPDX-License-Identifier: MIT */
/*
 * api_descriptors.h: the descriptors that are there: those of built-in APIs, those installed beside
 * them, and the user's own.
 */
#ifndef TL_CLI_APIS_API_DESCRIPTORS_H
#define TL_CLI_APIS_API_DESCRIPTORS_H

#include <stdbool.h>
#include <stddef.h>

enum api_origin { API_BUILT_IN, API_INSTALLED, API_OF_USER };

struct api_descriptor {
	char *name; /* the file's name without .json */
	char *path;
	enum api_origin origin;
	char *version;	/* of the headers; NULL where only the headers tell */
	char **sonames; /* NULL-ended */
	long functions; /* BUILT_IN: how many have shims; else -1 */
	char *trouble;	/* it can't be read: why; else NULL */
};

struct api_descriptors {
	struct api_descriptor *item;
	size_t count;
};

/*
 * All of them by name. A descriptor of the user's hides an installed one of that name. `whole`: with
 * versions and numbers of functions, for which large files are read.
 */
void api_descriptors_find(struct api_descriptors *list, bool whole);

/*
 * The one descriptor of that name, as api_descriptors_find would give it: no other is read. Returns
 * false where there is none; the list is empty then.
 */
bool api_descriptors_find_named(struct api_descriptors *list, const char *name);
void api_descriptors_free(struct api_descriptors *list);

/*
 * The user's folder for descriptors, as text for messages: "~/.config/tracelayer/apis" or what the
 * environment says.
 */
const char *api_descriptors_user_folder(void);

#endif
