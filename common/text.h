/* SPDX-License-Identifier: MIT */
/*
 * text.h: text made in memory that the caller owns. No allocation, no locale, no floating point
 * arithmetic; safe in a signal handler. All output of the encoders goes through here.
 */
#ifndef TL_COMMON_TEXT_H
#define TL_COMMON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Room for text. Each tl_text_ function appends its whole output, or nothing and sets .cut. */
struct tl_text {
	char *at, *end; /* free room */
	bool cut;	/* something did not fit, and was left out completely */
};

static inline void tl_text_put(struct tl_text *text, const char *bytes, size_t size)
{
	if (size > (size_t)(text->end - text->at)) {
		text->cut = true;
		return;
	}
	memcpy(text->at, bytes, size);
	text->at += size;
}

static inline void tl_text_string(struct tl_text *text, const char *string)
{
	tl_text_put(text, string, strlen(string));
}

static inline void tl_text_char(struct tl_text *text, char c)
{
	tl_text_put(text, &c, 1);
}

void tl_text_unsigned(struct tl_text *text, uint64_t value);
void tl_text_signed(struct tl_text *text, int64_t value);

/*
 * An integer as a JSON value. Viewers compute in doubles, which hold all integers up to this one. A
 * larger integer becomes a string, so that no digit is lost. All formats follow this rule.
 */
#define TL_TEXT_WHOLE (1ull << 53)
void tl_text_integer(struct tl_text *text, uint64_t value, bool is_signed);

static inline bool tl_text_is_whole(uint64_t value, bool is_signed)
{
	return (is_signed && (int64_t)value < 0 ? 0 - value : value) <= TL_TEXT_WHOLE;
}

/* Nanoseconds as microseconds, with three decimals. */
void tl_text_microseconds(struct tl_text *text, uint64_t ns);

/* 0x and the hexadecimal digits, without leading zeros. */
void tl_text_hex(struct tl_text *text, uint64_t value);

/*
 * The shortest decimal that reads back as the same float or double, given by its bits: 0.1, 1e-09,
 * -0, 3. Values that are no JSON numbers become the strings "NaN", "Infinity" and "-Infinity".
 */
void tl_text_float(struct tl_text *text, uint32_t bits);
void tl_text_double(struct tl_text *text, uint64_t bits);

/*
 * Bytes as the inside of a JSON string: escaped; bytes that are not UTF-8 become U+FFFD. Characters
 * that control a terminal are escaped, too, since people look at files with cat.
 */
void tl_text_escape(struct tl_text *text, const char *bytes, size_t size);

/*
 * Bytes as a terminal may get them: characters that control it (control characters, those beyond
 * ASCII and those that change the direction of writing), and bytes that are not UTF-8, are shown as
 * \xNN. A tab stays.
 */
void tl_text_shown(struct tl_text *text, const char *bytes, size_t size);

/* Of the character that the bytes begin with, in UTF-8, of which there is at least one; 0: it is none. */
size_t tl_text_utf8_length(const char *bytes, size_t size);

/* Bytes as UTF-8: other bytes become U+FFFD. */
void tl_text_utf8(struct tl_text *text, const char *bytes, size_t size);

#endif
