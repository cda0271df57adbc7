/* SPDX-License-Identifier: MIT */
/*
 * api_descriptors.h: all descriptors: those of built-in APIs, other installed ones, and the user's
 * own.
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
	char *version;	   /* of the headers; NULL: it stands in the headers only */
	char **sonames;	   /* NULL-ended */
	char **companions; /* more libraries of it, which may be among the sonames; NULL-ended */
	long functions;	   /* BUILT_IN: how many have shims; otherwise -1 */
	char *trouble;	   /* why it can't be read; NULL: it can */
};

struct api_descriptors {
	struct api_descriptor *item;
	size_t count;
};

/*
 * All descriptors, ordered by name. The user's own descriptor hides an installed one of the same
 * name. `whole`: with versions and numbers of functions, which means reading large files.
 */
void api_descriptors_find(struct api_descriptors *list, bool whole);

/*
 * The descriptor of that name, not read yet: without version, sonames and trouble, and a built-in
 * API's counts as installed. False: there is none, and the list is empty.
 */
bool api_descriptors_find_named(struct api_descriptors *list, const char *name);

/* Reads one that api_descriptors_find_named found. */
void api_descriptor_read(struct api_descriptor *descriptor);

/* Those called NAME-KIND, ordered by name. Reads no other descriptor. */
void api_descriptors_find_kinds(struct api_descriptors *list, const char *name);
void api_descriptors_free(struct api_descriptors *list);

/*
 * The user's folder for descriptors, as text for messages: "~/.config/tracelayer/apis" or the
 * folder that the environment names.
 */
const char *api_descriptors_user_folder(void);

#endif
