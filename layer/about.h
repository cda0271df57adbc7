/*
 * about.h: metadata events: what a trace says of its process and threads, and of itself.
 *
 * Runs on the writer's thread: system calls only. One at a time (the writer's pen).
 */
#ifndef TL_LAYER_ABOUT_H
#define TL_LAYER_ABOUT_H

#include <stdint.h>

#include "format/chrome.h"
#include "format/trace_file.h"

#define TL_ABOUT_SCRATCH (64u * 1024)

/* Where events go, and room to make their arguments in. */
struct tl_about {
	const struct tl_chrome *chrome;
	struct tl_text *text;
	char *scratch;	/* TL_ABOUT_SCRATCH bytes */
};

/* What is to be said of this process, now, into zeroed memory. Async-signal-safe; one thread at a time. */
void tl_about_facts(struct tl_facts *facts);

/* What the file starts with. The first event's comma becomes the array's bracket. */
void tl_about_process(const struct tl_about *about, const struct tl_facts *facts);

/* A thread's name, as the kernel has it. */
void tl_about_thread(const struct tl_about *about, uint32_t tid, const char name[16]);

/*
 * An event made by the caller: put the inside of a JSON object to what _args gives, then
 * hand it to _put.
 */
struct tl_text tl_about_args(const struct tl_about *about);
void tl_about_put(const struct tl_about *about, uint32_t tid, const char *name,
		  struct tl_text *args);

#endif
