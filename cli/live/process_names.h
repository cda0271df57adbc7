/* SPDX-License-Identifier: MIT */
/*
 * process_names.h: names of a traced process's functions, and texts of its labels.
 *
 * A label's text is an address in the process. Literals are read from its files; other memory is
 * read only where the kernel allows it. Functions are named by the descriptions of their APIs in
 * the buffers file.
 */
#ifndef TL_CLI_LIVE_PROCESS_NAMES_H
#define TL_CLI_LIVE_PROCESS_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "format/file/trace_file.h"

#define PROCESS_APIS 32u

/* An API's description, which may still be on its way into its piece: its size is stored last. */
struct description {
	const struct tl_api_piece *piece;
	uint64_t room;
};

struct known_text {
	uint64_t address; /* 0: free */
	const char *text;
};

struct process_names {
	uint32_t pid;
	struct description *descriptions;
	size_t ndescriptions;
	struct tl_api *api[PROCESS_APIS];
	struct known_text *texts; /* a table with open addressing */
	size_t ntexts, text_room;
};

/* A piece of the buffers file, of `size` bytes, in which an API is described. */
void process_names_describe(struct process_names *names, const struct tl_piece *piece,
			    uint64_t size);

/* A function; NULL: its API is not described yet. */
const struct tl_function *process_names_described(struct process_names *names, uint32_t function);

/* The name of a function. NULL: its API is not described yet. */
const char *process_names_function(struct process_names *names, uint32_t function);
const char *process_names_label(struct process_names *names, uint64_t address);

/* Frees all but the names and texts, which profiles use. */
void process_names_free(struct process_names *names);

/* Frees the names and texts, too. */
void process_names_forget(struct process_names *names);

#endif
