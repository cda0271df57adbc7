/* SPDX-License-Identifier: MIT */
/*
 * text.h: text made in memory that somebody else owns. No allocation, no locale, no floating point
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
	bool cut;	/* something did not fit, and was left out whole */
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
 * An integer as a JSON value. Viewers compute in doubles, which hold all integers up to here and no
 * further: what is beyond is a string, so that no digit is lost. The one rule of all formats.
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
 * -0, 3. What JSON has no number for becomes the string "NaN", "Infinity" or "-Infinity".
 */
void tl_text_float(struct tl_text *text, uint32_t bits);
void tl_text_double(struct tl_text *text, uint64_t bits);

/*
 * Bytes as the inside of a JSON string: escaped, and what is not UTF-8 replaced by U+FFFD. What
 * would steer a terminal is escaped, too: files are looked at with cat.
 */
void tl_text_escape(struct tl_text *text, const char *bytes, size_t size);

/*
 * Bytes as a terminal may get them: what would steer it (control characters, those beyond ASCII and
 * those that turn the direction of writing), and what is no UTF-8, is shown as \xNN. A tab stays.
 */
void tl_text_shown(struct tl_text *text, const char *bytes, size_t size);

/* Bytes as UTF-8: what is none is replaced by U+FFFD. */
void tl_text_utf8(struct tl_text *text, const char *bytes, size_t size);

#endif
