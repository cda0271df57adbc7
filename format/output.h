/*
 * output.h: the trace file's name, and how it is opened. The layer's writer and the command use it alike.
 *
 * Only system calls: it runs on the writer's thread. One thread at a time (in the layer: who holds the pen, layer/writer.c). Errors are
 * returned as negative errno values.
 */
#ifndef TL_FORMAT_OUTPUT_H
#define TL_FORMAT_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TL_OUTPUT_PATH 4096

/* An open file, and what is needed to open it again. */
struct tl_output {
	char path[TL_OUTPUT_PATH];
	uint64_t device, inode;
	bool regular;	/* it can be cut, and its end overwritten */
	bool stream;	/* a pipe: what was written is gone */
	bool gzip;
	uint32_t number;	/* of its name: see tl_output_create */
};

/* Base name of the running executable. */
void tl_output_program(char *name, size_t room);

/* What a pattern's letters stand for. */
struct tl_output_names {
	uint32_t pid;
	int64_t rank;	/* below 0: there is no launcher */
	uint64_t seconds;	/* since 1970 */
	const char *program, *host;
};

/*
 * Fill in a pattern: %p process, %e program, %h host, %r rank (0 without a launcher), %t time in UTC, %% a %. Characters that
 * don't belong into a file's name become _. False where it gets too long.
 */
bool tl_output_expand_for(char *path, size_t room, const char *pattern, const struct tl_output_names *names);

/* The same for the calling process, and now. */
bool tl_output_expand(char *path, size_t room, const char *pattern, int64_t rank);

/*
 * Create the file that output->path names, mode 0600. A name that is taken gets .1, .2, … before its ending; numbers below output->number are
 * passed over, which then is the one that the name got (0: none). A device is opened as it is, and so is a pipe: -ENXIO while nobody has it open to
 * read. No symbolic link on the way is followed but the user's own and root's. Returns a descriptor.
 */
int tl_output_create(struct tl_output *output);

/* Open the file again. -ESTALE where the name leads to something else now. */
int tl_output_reopen(const struct tl_output *output);

#endif
