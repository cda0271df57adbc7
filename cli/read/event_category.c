/* SPDX-License-Identifier: MIT */
/*
 * event_category.c: see event_category.h.
 */
#include "config.h"

#include <string.h>

#include "cli/read/event_category.h"

bool category_has(const char *category, const char *wanted)
{
	size_t length = strlen(wanted);

	for (const char *word = category; word; word = strchr(word, ',')) {
		word += *word == ',';
		if (strcspn(word, ",") == length && !strncmp(word, wanted, length))
			return true;
	}
	return false;
}

struct event_category category_of(const char *words)
{
	bool context = category_has(words, "context");

	return (struct event_category){
		.own = context || category_has(words, "xpti") || category_has(words, "annotation"),
		.context = context,
		.failed = category_has(words, "failed"),
		.device = category_has(words, "device"),
	};
}
