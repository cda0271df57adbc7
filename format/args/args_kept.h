/* SPDX-License-Identifier: MIT */
/*
 * args_kept.h: what a record has of a call's arguments, and what the call's result means.
 */
#ifndef TL_FORMAT_ARGS_ARGS_KEPT_H
#define TL_FORMAT_ARGS_ARGS_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/args/args_capture.h"
#include "format/file/record.h"
#include "tracelayer/api.h"

/* What a record kept of a call's arguments: words, and what the two captures made. */
struct tl_args_kept {
	const uint64_t *words;
	const void *entry, *exit;
	size_t entry_size, exit_size;
	/* a struct tl_blob: the text that the result leads to, or errno; NULL: none */
	const void *result;
	bool failed; /* .exit has what TL_CAPTURE_FAILED makes */
};

/*
 * The name of a member that the encoders add to a call's arguments. `key` is "tracelayer_" and a
 * word. The name is the word, but if a parameter of the function has that name, it is the key.
 */
const char *tl_args_own_key(const struct tl_function *function, const char *key);

/*
 * Find the arguments in a record that lies whole in its chunk. False: the record is damaged.
 */
bool tl_args_find(struct tl_args_kept *kept, const struct tl_function *function,
		  const struct tl_call_record *record);

/* What one of the captures made: blobs in the order in which it met the memory. */
struct tl_blobs {
	const char *at, *end;
};

/* The next blob. NULL: there is none, or it is damaged. */
static inline const struct tl_blob *tl_blob_take(struct tl_blobs *blobs)
{
	size_t room = (size_t)(blobs->end - blobs->at);
	const struct tl_blob *blob = (const struct tl_blob *)(const void *)blobs->at;

	if (room < sizeof *blob || room - sizeof *blob < blob->bytes) {
		blobs->at = blobs->end;
		return NULL;
	}
	size_t padded = (blob->bytes + (size_t)7) & ~(size_t)7;
	room -= sizeof *blob;
	blobs->at += sizeof *blob + (padded < room ? padded : room);
	return blob;
}

/* The errno that a failed call has set; 0: it was not kept. */
int tl_args_errno(const struct tl_args_kept *kept, const struct tl_function *function,
		  uint64_t result);

/* Whether the function has a result of at most 8 bytes. */
bool tl_call_has_result(const struct tl_function *function);

/*
 * Whether the call's result (zero-extended from its size) means failure. Most results are 0. That
 * is a failure only if the function returns a pointer.
 */
bool tl_call_failed_by(const struct tl_function *function, uint64_t result);
static inline bool tl_call_failed(const struct tl_function *function, uint64_t result)
{
	return (result || function->failure == TL_FAILURE_NULL) &&
	       tl_call_failed_by(function, result);
}

#endif
