/* SPDX-License-Identifier: MIT */
/*
 * places.h: where buffers files lie, and their names. The layer makes them there, and `tracelayer
 * recover` looks for them there.
 *
 * No allocation. The places come from the environment, so the layer reads them once, before the
 * program can change it.
 */
#ifndef TL_COMMON_PLACES_H
#define TL_COMMON_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A file's name: this, its process's pid (in the process's own namespace), a dot, and a number that
 * no other file of that name there has.
 */
#define TL_PLACES_PREFIX "tracelayer-buffers."
#define TL_PLACES_MAX	 6
#define TL_PLACES_FOLDER 200 /* longer ones are left out */
#define TL_PLACES_PATH	 (TL_PLACES_FOLDER + 64)

/*
 * Folders, the best first: that of --buffers, memory (/dev/shm), $XDG_RUNTIME_DIR, $TMPDIR, /tmp,
 * /var/tmp. Absolute, each once. They need not exist.
 */
#define TL_PLACES_VARIABLE "TRACELAYER_BUFFERS"
struct tl_places {
	unsigned count;
	char folder[TL_PLACES_MAX][TL_PLACES_FOLDER];
};

void tl_places(struct tl_places *places);

/* A file's path there. Async-signal-safe. */
void tl_places_path(char path[TL_PLACES_PATH], const char *folder, uint32_t pid, uint32_t number);

/* Whether a name within a folder is a buffers file's; *pid becomes its process's. */
bool tl_places_is_buffers(const char *name, uint32_t *pid);

#endif
