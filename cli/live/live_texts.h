/* SPDX-License-Identifier: MIT */
/*
 * live_texts.h: texts that a traced process's records refer to by number, and the names of its queues.
 */
#ifndef TL_CLI_LIVE_LIVE_TEXTS_H
#define TL_CLI_LIVE_LIVE_TEXTS_H

#include <stddef.h>
#include <stdint.h>

#include "format/file/trace_file.h"

struct live_texts {
	struct live_strings {
		const struct tl_strings_piece *piece;
		uint64_t size;
	} * strings;
	size_t nstrings;
	struct live_queues {
		const struct tl_lanes_piece *piece;
		uint64_t size;
	} * queues;
	size_t nqueues;
	struct live_text {
		uint32_t number;
		char *text;
	} * texts; /* that were asked for */
	size_t ntexts;
};

/* A piece of the buffers file, of `size` bytes. */
void live_texts_add_strings(struct live_texts *texts, const struct tl_piece *piece, uint64_t size);
void live_texts_add_queues(struct live_texts *texts, const struct tl_piece *piece, uint64_t size);

/* Texts stay until they are freed. NULL: not known (yet). */
const char *live_texts_text(struct live_texts *texts, uint32_t number);
const char *live_texts_queue(struct live_texts *texts, uint32_t lane);

void live_texts_free(struct live_texts *texts);

#endif
