/* SPDX-License-Identifier: MIT */
/*
 * event_category.h: what the categories of an event in a Chrome trace say of it.
 */
#ifndef TL_CLI_READ_EVENT_CATEGORY_H
#define TL_CLI_READ_EVENT_CATEGORY_H

#include <stdbool.h>

struct event_category {
	bool own;     /* no call: the program's own event, or another library's */
	bool context; /* the program's own */
	bool failed, device;
};

/* The list of words with commas between has this one. NULL: an empty list. */
bool category_has(const char *category, const char *wanted);

/* Of such a list. */
struct event_category category_of(const char *words);

#endif
