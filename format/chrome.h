/*
 * chrome.h: events as Chrome trace JSON. An array, one event a line; metadata first; see doc/tracelayer-trace.5.
 *
 * The encoder formats into memory given to it, allocates nothing, knows no locale, and uses integers only.
 */
#ifndef TL_FORMAT_CHROME_H
#define TL_FORMAT_CHROME_H

#include "format/args.h"
#include "format/record.h"

struct tl_chrome {
	uint32_t pid;
	uint64_t (*ns)(uint64_t ticks);		/* ticks to nanoseconds of CLOCK_MONOTONIC */
	const struct tl_function *(*function)(uint32_t id);
};

/* Most bytes that one record can become. */
#define TL_CHROME_EVENT_MAX (256u * 1024)

/* One call as an X event, with the comma and newline before it. Returns the record's size in bytes, 0 where it is not sound. */
size_t tl_chrome_call(const struct tl_chrome *chrome, struct tl_text *text, uint32_t tid, const struct tl_call_record *record);

/* One metadata event: name is process_name, thread_name, process_labels, process_sort_index, tracelayer, …; args is JSON text. */
void tl_chrome_metadata(const struct tl_chrome *chrome, struct tl_text *text, uint32_t tid, const char *name, const char *args);

#endif
