/* SPDX-License-Identifier: MIT */
/*
 * args_print.h: captured arguments as JSON: a whole call's, one parameter's, or one value.
 */
#ifndef TL_FORMAT_ARGS_ARGS_PRINT_H
#define TL_FORMAT_ARGS_ARGS_PRINT_H

#include "format/args/args_sink.h"

/*
 * Print a call's arguments as the members of a JSON object, without the braces:
 * `"hEvent":"0x55…","pCount":2`. `kept` has the blobs that the two captures made. Memory
 * that a call both read and wrote is shown as after the call; where it was different before,
 * "NAME:in" follows with the earlier value. Strings are escaped; bytes that are not UTF-8 become
 * U+FFFD. Integers beyond 2^53 are printed as strings, since JSON readers lose their last digits.
 * Of a damaged record, the valid part is printed. A value that does not fit is left out whole.
 */
void tl_args_print(struct tl_text *text, const struct tl_function *function,
		   const struct tl_args_kept *kept);

/* Print one value of a type, as JSON: a number, or a quoted string. Pointers and structs are not
 * followed. */
void tl_value_print(struct tl_text *text, const struct tl_type *type, const void *value);

/* JSON. What .begin writes has a comma before it, unless it is the first. */
extern const struct tl_sink tl_json_sink;

#endif
