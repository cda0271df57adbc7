/* SPDX-License-Identifier: MIT */
/*
 * loose_json.h: JSON as programs write it that print traces themselves, or that use Python's json: it
 * is not quite JSON.
 */
#ifndef TL_CLI_READ_LOOSE_JSON_H
#define TL_CLI_READ_LOOSE_JSON_H

#include <stddef.h>

/*
 * A copy of a value's text that is JSON, if all that is wrong is this:
 *
 *	outside of strings	NaN and Infinity, in any case, with or without a sign, also "inf": they
 *				become strings
 *	in strings		control characters and backslashes that are not escaped: they are
 *				escaped; bytes that are not UTF-8: they become U+FFFD
 *
 * The caller frees it. NULL: nothing of this was found. *mended is the copy's size.
 */
char *loose_json_mend(const char *text, size_t size, size_t *mended);

#endif
