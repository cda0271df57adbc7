/* SPDX-License-Identifier: MIT */
/* loose_json.c: see loose_json.h. */
#include "config.h"

#include "cli/read/loose_json.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/basics/basics.h"
#include "common/text.h"

#define GROWTH 6 /* a byte becomes at most \u0000 */

struct mending {
	const char *at, *end;
	char *to;
	bool has_mended;
};

static void bytes_keep(struct mending *mending, size_t count)
{
	memcpy(mending->to, mending->at, count);
	mending->to += count;
	mending->at += count;
}

/* In place of `count` bytes. */
static void bytes_replace(struct mending *mending, size_t count, const char *with, size_t size)
{
	memcpy(mending->to, with, size);
	mending->to += size;
	mending->at += count;
	mending->has_mended = true;
}

/* The length of a number that JSON lacks. 0: there is none. */
static size_t number_length(const char *at, const char *end)
{
	static const char *const words[] = {"nan", "infinity", "inf"};
	size_t sign = *at == '-' || *at == '+';

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		size_t length = strlen(words[i]);

		if ((size_t)(end - at) > sign + length &&
		    !strncasecmp(at + sign, words[i], length) &&
		    !isalnum((unsigned char)at[sign + length]))
			return sign + length;
	}
	return 0;
}

static void mend_number(struct mending *mending, size_t length)
{
	*mending->to++ = '"';
	bytes_keep(mending, length);
	*mending->to++ = '"';
	mending->has_mended = true;
}

/* One character of a string. False: the string ends with it. */
static bool mend_character(struct mending *mending)
{
	size_t left = (size_t)(mending->end - mending->at);
	unsigned char c = (unsigned char)*mending->at;
	char escaped[8];

	if (c == '"') {
		bytes_keep(mending, 1);
		return false;
	}
	if (c == '\\' && left > 1 && strchr("\"\\/bfnrtu", mending->at[1]) && mending->at[1]) {
		bytes_keep(mending, 2);
	} else if (c == '\\') {
		bytes_replace(mending, 1, "\\\\", 2);
	} else if (c < ' ') {
		snprintf(escaped, sizeof(escaped), "\\u%04x", c);
		bytes_replace(mending, 1, escaped, 6);
	} else {
		size_t length = tl_text_utf8_length(mending->at, left);

		if (length)
			bytes_keep(mending, length);
		else
			bytes_replace(mending, 1, "\xef\xbf\xbd", 3);
	}
	return true;
}

char *loose_json_mend(const char *text, size_t size, size_t *mended)
{
	char *copy = need(malloc(GROWTH * size + 1));
	struct mending mending = {text, text + size, copy, false};
	bool is_string = false;

	while (mending.at < mending.end) {
		size_t length = is_string ? 0 : number_length(mending.at, mending.end);

		if (is_string) {
			is_string = mend_character(&mending);
		} else if (length) {
			mend_number(&mending, length);
		} else {
			is_string = *mending.at == '"';
			bytes_keep(&mending, 1);
		}
	}
	*mended = (size_t)(mending.to - copy);
	if (mending.has_mended)
		return copy;
	free(copy);
	return NULL;
}
