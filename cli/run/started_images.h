/* SPDX-License-Identifier: MIT */
/*
 * started_images.h: which programs the layer was loaded into after the first one, and into which
 * it was not, as the layer reported (common/run_protocol.h).
 */
#ifndef TL_CLI_RUN_STARTED_IMAGES_H
#define TL_CLI_RUN_STARTED_IMAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct image;

struct images {
	struct image *list;
	size_t count;
};

/* The layer is in the process `pid`, in a program of that name. `number`: the report's. */
void images_loaded(struct images *images, pid_t pid, unsigned long long number, const char *name);

/* The process starts a program without the layer. `message`: the report. */
void images_without(struct images *images, pid_t pid, unsigned long long number,
		    const char *message);

/*
 * Say why some program ran without the layer: preferably what the process `pid` became. `none`:
 * there is no trace for that reason; else it is only said if that is what the process ended as,
 * since it may be what was to be traced. False: there is nothing to say.
 */
bool images_say(const struct images *images, pid_t pid, bool none);

/*
 * The last program that the layer reported from, if it gives others a root of their own, such as
 * bwrap: what it starts can't report. NULL: it is none of these.
 */
const char *images_sandbox(const struct images *images);

/* That program is mount or pivot_root: these can hide the folder in which programs report. */
bool images_mounted(const struct images *images);

void images_forget(struct images *images);

#endif
