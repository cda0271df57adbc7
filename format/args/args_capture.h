/* SPDX-License-Identifier: MIT */
/*
 * args_capture.h: live arguments, and the memory behind them, as bytes.
 *
 * A call's words are its parameters in order. Each takes param.words 8-byte words from word
 * param.offset on: integers zero- or sign-extended, pointers and handles as they are, floats by
 * their bits, structs passed by value as their bytes.
 *
 * Blobs: capture walks over the parameters in order. Below each, it walks over the pointers that it
 * meets, depth first: members in order, a pNext link after the other members of its struct. It
 * follows a pointer if it is not NULL, and if its type and direction say so. Each pointer that it
 * follows gives one blob: a struct tl_blob and the bytes, padded to 8. A blob without bytes means
 * that there was nothing to read.
 * Where the call fills an array, and stores its length through the next parameter, only that length
 * is kept. Printing makes the same walk, so that no blob has to say where it belongs. Structs are
 * captured whole; the pointers in them are then followed in the captured copy.
 *
 * A function's result may have a blob, too (TL_FUNCTION_TEXT, TL_FUNCTION_ERRNO). It stands in
 * front of those that are captured at exit.
 */
#ifndef TL_FORMAT_ARGS_ARGS_CAPTURE_H
#define TL_FORMAT_ARGS_ARGS_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracelayer/api.h"

enum tl_capture_when {
	TL_CAPTURE_ENTRY,  /* before the call: memory that IN parameters lead to */
	TL_CAPTURE_EXIT,   /* after a success: memory that OUT parameters lead to */
	TL_CAPTURE_FAILED, /* after a failure: of these, what is TL_ALWAYS */
};

#define TL_CAPTURE_STRING   256 /* bytes of a string that are kept */
#define TL_CAPTURE_ELEMENTS 32	/* elements of an array that are kept, and shown */
/*
 * bytes of an array of handles, or of structs that lead nowhere, also where these are more elements; and no
 * more than half of the room that is left. They are for who reads the trace: many of MPI's requests are
 * waited for at once.
 */
#define TL_CAPTURE_PLAIN 4096
#define TL_CAPTURE_DEPTH 6   /* pointers behind pointers */
#define TL_CAPTURE_LINKS 16  /* structs in a pNext chain */
#define TL_CAPTURE_BLOBS 256 /* blobs of one capture */

struct tl_blob {
	uint32_t bytes; /* bytes that follow, before padding */
	uint32_t total; /* elements that the memory has, of which the first are here */
};
#define TL_BLOB_UNKNOWN UINT32_MAX /* .total: there are more than the bytes here */

/*
 * Append the blobs of one call to `out` (8-byte aligned, `room` bytes). Returns the bytes used, a
 * multiple of 8. If something does not fit, *cut is set to true; what was appended is whole and in
 * order even then. Reads OBLIGED memory directly, other memory by `tl_passed_copy`. No allocation,
 * no lock; safe in a signal handler.
 */
size_t tl_args_capture(const struct tl_function *function, const uint64_t *words,
		       enum tl_capture_when when, void *out, size_t room, bool *cut);

/*
 * The blob of a call's result, if there is something to keep: errno (`error`) of a call that failed,
 * or the text that the result leads to. As tl_args_capture otherwise.
 */
size_t tl_args_capture_result(const struct tl_function *function, uint64_t result, bool failed,
			      int error, void *out, size_t room);

/*
 * Copy `size` bytes from memory that may not be mapped. Returns the bytes copied, 0 where none
 * could be read. Installs no signal handler. errno is kept. Safe in a signal handler and in a
 * forked child.
 */
size_t tl_checked_copy(void *to, const void *from, size_t size);

/*
 * The same for memory that the program passes in a call that is under way: the kernel is not asked
 * each time about the thread's stack, the heap, and the program's image.
 */
size_t tl_passed_copy(void *to, const void *from, size_t size);

#endif
