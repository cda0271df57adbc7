/* SPDX-License-Identifier: MIT */
/*
 * args.h: from live arguments to bytes, and from those bytes to JSON.
 *
 * A call's words are its parameters in order, each param.words 8-byte words from word param.offset
 * on: integers zero- or sign-extended, pointers and handles as they are, floats by their bits,
 * structs passed by value as their bytes.
 *
 * Blobs: capture walks the parameters in order, and below each the pointers it meets depth first
 * (members in order, a pNext link after its struct's other members). For every pointer that its
 * type and direction say to follow, and that is not NULL, it appends one blob: a struct tl_blob and
 * the bytes, padded to 8; a blob without bytes says that there was nothing to read. Of an array
 * that the call fills, and tells right behind it how far, only so much is kept. Printing makes the
 * same walk, so that no blob says where it belongs. Structs are captured whole; the pointers in
 * them are then followed in the captured copy.
 */
#ifndef TL_FORMAT_ARGS_ARGS_H
#define TL_FORMAT_ARGS_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/file/record.h"
#include "common/text.h"
#include "tracelayer/api.h"

enum tl_capture_when {
	TL_CAPTURE_ENTRY, /* before the call: memory that IN parameters lead to */
	TL_CAPTURE_EXIT,  /* after a success: memory that OUT parameters lead to */
};

#define TL_CAPTURE_STRING   256 /* bytes of a string that are kept */
#define TL_CAPTURE_ELEMENTS 32	/* elements of an array that are kept */
#define TL_CAPTURE_DEPTH    6	/* pointers behind pointers */
#define TL_CAPTURE_LINKS    16	/* structs in a pNext chain */
#define TL_CAPTURE_BLOBS    256 /* blobs of one capture */

struct tl_blob {
	uint32_t bytes; /* that follow, before padding */
	uint32_t total; /* elements that the memory has, of which the first are here */
};
#define TL_BLOB_UNKNOWN UINT32_MAX /* total: more than what is here */

/*
 * Append the blobs of one call to `out` (8-byte aligned, `room` bytes). Returns the bytes used, a
 * multiple of 8. *cut is set to true where something did not fit; what was appended is whole and in
 * order even then. Reads OBLIGED memory directly and the rest by `tl_checked_copy`. No allocation,
 * no lock; safe in a signal handler.
 */
size_t tl_args_capture(const struct tl_function *function, const uint64_t *words,
		       enum tl_capture_when when, void *out, size_t room, bool *cut);

/*
 * Copy `size` bytes from memory that may not be there. Returns the bytes copied, 0 where none could
 * be. (process_vm_readv on ourselves; where that is forbidden, a pipe write; never a signal
 * handler. errno is kept.)
 */
size_t tl_checked_copy(void *to, const void *from, size_t size);

/* What a record kept of a call's arguments: words, and what the two captures made. */
struct tl_args_kept {
	const uint64_t *words;
	const void *entry, *exit;
	size_t entry_size, exit_size;
};

/*
 * What a member of ours is called among a call's arguments: `key`, which begins with "tracelayer_",
 * without that beginning, unless a parameter of the function has this name.
 */
const char *tl_args_own_key(const struct tl_function *function, const char *key);

/* Find it in a record that lies whole in its chunk; false where it is not sound. */
bool tl_args_find(struct tl_args_kept *kept, const struct tl_function *function,
		  const struct tl_call_record *record);

/*
 * Print a call's arguments as the members of a JSON object, without the braces:
 * `"hEvent":"0x55…","pCount":2`. entry and exit are the blobs that the two captures made. What a
 * call both read and wrote is shown as written; what it was before stands after it as "NAME:in"
 * where it differs. Strings are escaped; bytes that are not UTF-8 become U+FFFD. Integers beyond
 * 2^53 are printed as strings, since JSON readers lose their last digits. A record that was damaged
 * prints what is sound; a value that does not fit is left out whole.
 */
void tl_args_print(struct tl_text *text, const struct tl_function *function, const uint64_t *words,
		   const void *entry, size_t entry_size, const void *exit, size_t exit_size);

/* Print one value of a type, as JSON: a number, or a quoted string. Pointers and structs are not
 * followed. */
void tl_value_print(struct tl_text *text, const struct tl_type *type, const void *value);

/* Calls return something, of at most 8 bytes. */
bool tl_call_has_result(const struct tl_function *function);

/*
 * The call's result (zero-extended from its size) means failure. Most results are 0, which is one
 * only of what gives out pointers.
 */
bool tl_call_failed_by(const struct tl_function *function, uint64_t result);
static inline bool tl_call_failed(const struct tl_function *function, uint64_t result)
{
	return (result || function->failure == TL_FAILURE_NULL) &&
	       tl_call_failed_by(function, result);
}

#endif
