/* SPDX-License-Identifier: MIT */
/*
 * plain_history.h: events of a Chrome trace that were read as plain ones (cli/read/plain_event.h), for a
 * history. Texts and lanes that were seen lately are found without a search.
 */
#ifndef TL_CLI_SUMMARY_PLAIN_HISTORY_H
#define TL_CLI_SUMMARY_PLAIN_HISTORY_H

#include "cli/read/read.h"
#include "cli/summary/history.h"

#define PLAIN_NEAR 256u

/* Begins as zeros. */
struct plain_memory {
	int file;
	struct {
		size_t size;
		uint32_t number; /* in the history's names */
	} names[PLAIN_NEAR];
	struct plain_category {
		char text[64];
		size_t size; /* 0: none yet */
		struct event_category category;
	} categories[16];
	struct {
		uint32_t process, thread;
		uint32_t lane; /* + 1; 0: none yet */
	} lanes[PLAIN_NEAR];
};

/* Other events of the file may have named processes: forget which lane is whose. */
void plain_memory_forget(struct plain_memory *memory, int file);

/* The same as history_event. The event's texts are used up. */
void history_plain(struct history *history, struct plain_memory *memory, struct plain_event *event);

#endif
