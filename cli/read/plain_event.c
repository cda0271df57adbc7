/* SPDX-License-Identifier: MIT */
/*
 * plain_event.c: see plain_event.h. The byte behind the last one is 0, which no token of JSON has. So no
 * loop has to look for the end: the first byte that does not match ends the attempt, and only then the
 * code asks whether that was the end of the bytes.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "cli/read/plain_event.h"
#include "common/text.h"

#define DEEPEST	      32u /* values inside each other; jansson takes 2048 */
#define MOST_DIGITS   18u
#define EXACT_NUMBERS (UINT64_C(1) << 53) /* below it, a double has every whole number */

struct scanner {
	char *at;
	const char *end;
	unsigned long lines;
};

/* ---- tokens. All return false where the text is not as it should be. ---- */

static inline void space_pass(struct scanner *scanner)
{
	for (; (unsigned char)*scanner->at <= ' '; scanner->at++) {
		char c = *scanner->at;

		if (c == '\n')
			scanner->lines++;
		else if (c != ' ' && c != '\t' && c != '\r')
			return;
	}
}

/* White space, then this character. */
static inline bool char_pass(struct scanner *scanner, char c)
{
	space_pass(scanner);
	if (*scanner->at != c)
		return false;
	scanner->at++;
	return true;
}

static bool word_pass(struct scanner *scanner, const char *word, size_t size)
{
	if (strncmp(scanner->at, word, size) != 0)
		return false;
	scanner->at += size;
	return true;
}

/* Bytes of a string that need no second look: no control characters, quotes, backslashes, UTF-8. */
static const bool simple_bytes[256] = {
	[' ' ... '!'] = true, ['#' ... '['] = true, [']' ... 0x7f] = true};

static inline void simple_pass(struct scanner *scanner)
{
	const char *at = scanner->at;

	while (simple_bytes[(unsigned char)*at])
		at++;
	scanner->at += at - scanner->at;
}

static bool utf8_pass(struct scanner *scanner)
{
	size_t length = tl_text_utf8_length(scanner->at, (size_t)(scanner->end - scanner->at));

	scanner->at += length;
	return length > 1;
}

/* A string without escapes, behind its opening quote. */
static bool text_take(struct scanner *scanner, struct plain_text *text)
{
	text->at = scanner->at;
	for (;;) {
		simple_pass(scanner);
		if (*scanner->at == '"')
			break;
		if ((unsigned char)*scanner->at < 0x80 || !utf8_pass(scanner))
			return false;
	}
	text->size = (size_t)(scanner->at++ - text->at);
	return true;
}

/* Any string, behind its opening quote. \u is left to jansson: it may be half a character. */
static bool string_pass(struct scanner *scanner)
{
	for (;;) {
		simple_pass(scanner);
		if (*scanner->at == '"') {
			scanner->at++;
			return true;
		}
		if (*scanner->at == '\\') {
			if (!scanner->at[1] || !strchr("\"\\/bfnrt", scanner->at[1]))
				return false;
			scanner->at += 2;
		} else if ((unsigned char)*scanner->at < 0x80 || !utf8_pass(scanner)) {
			return false;
		}
	}
}

static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Up to a place at which there are too many. */
static inline void digits_take(char **at, const char *most, uint64_t *number)
{
	const char *digit = *at;

	for (; is_digit(*digit) && digit < most; digit++)
		*number = *number * 10 + (uint64_t)(*digit - '0');
	*at += digit - *at;
}

/*
 * A number without an exponent, as strtod reads it: a whole number and a power of ten that are both
 * exact give the nearest double.
 */
static bool number_take(struct scanner *scanner, double *value)
{
	static const double powers[MOST_DIGITS + 1] = {1e0,  1e1,  1e2,	 1e3,  1e4,  1e5,  1e6,
						       1e7,  1e8,  1e9,	 1e10, 1e11, 1e12, 1e13,
						       1e14, 1e15, 1e16, 1e17, 1e18};
	bool is_negative = *scanner->at == '-';
	char *at = scanner->at + is_negative;
	uint64_t number = 0;
	unsigned decimals = 0;
	const char *first = at;

	digits_take(&at, at + MOST_DIGITS + 1, &number);
	scanner->at = at;
	if (at == first || (*first == '0' && at - first > 1))
		return false;
	if (*at == '.') {
		const char *point = at++;

		digits_take(&at, first + MOST_DIGITS + 2, &number);
		scanner->at = at;
		decimals = (unsigned)(at - point - 1);
		if (!decimals)
			return false;
	}
	if (at - first > (long)MOST_DIGITS || number >= EXACT_NUMBERS || *at == 'e' || *at == 'E')
		return false;
	*value = (double)number / powers[decimals];
	*value = is_negative ? -*value : *value;
	return true;
}

static inline void digits_pass(char **at)
{
	while (is_digit(**at))
		++*at;
}

/* Any number that surely is not too large for a double. */
static bool number_pass(struct scanner *scanner)
{
	char *at = scanner->at + (*scanner->at == '-');
	const char *first = at;

	digits_pass(&at);
	scanner->at = at;
	if (at == first || (*first == '0' && at - first > 1))
		return false;
	if (*at == '.') {
		const char *point = at++;

		digits_pass(&at);
		scanner->at = at;
		if (at - point < 2)
			return false;
	}
	if (at - first > 100)
		return false;
	if (*at == 'e' || *at == 'E') {
		at += at[1] == '-' || at[1] == '+' ? 2 : 1;
		first = at;
		digits_pass(&at);
		scanner->at = at;
		if (at == first || at - first > 2)
			return false;
	}
	return true;
}

/* ---- values ---- */

static bool value_pass(struct scanner *scanner, unsigned depth);

/* The members of an object or the elements of an array, behind the opening bracket. */
static bool values_pass(struct scanner *scanner, bool is_object, unsigned depth)
{
	char closing = is_object ? '}' : ']';

	if (depth == DEEPEST)
		return false;
	if (char_pass(scanner, closing))
		return true;
	do {
		if (is_object &&
		    !(char_pass(scanner, '"') && string_pass(scanner) && char_pass(scanner, ':')))
			return false;
		if (!value_pass(scanner, depth + 1))
			return false;
	} while (char_pass(scanner, ','));
	return char_pass(scanner, closing);
}

static bool value_pass(struct scanner *scanner, unsigned depth)
{
	space_pass(scanner);
	switch (*scanner->at) {
	case '"':
		scanner->at++;
		return string_pass(scanner);
	case '{':
	case '[':
		scanner->at++;
		return values_pass(scanner, scanner->at[-1] == '{', depth);
	case 't':
		return word_pass(scanner, "true", 4);
	case 'f':
		return word_pass(scanner, "false", 5);
	case 'n':
		return word_pass(scanner, "null", 4);
	default:
		return number_pass(scanner);
	}
}

/* Values of the type that they should have. Any other type is left to jansson. */

static bool value_text(struct scanner *scanner, struct plain_text *text)
{
	return char_pass(scanner, '"') && text_take(scanner, text);
}

static bool value_number(struct scanner *scanner, double *number)
{
	space_pass(scanner);
	return number_take(scanner, number);
}

static bool value_u32(struct scanner *scanner, uint32_t *to)
{
	double number;

	if (!value_number(scanner, &number))
		return false;
	*to = number > 0 && number <= UINT32_MAX ? (uint32_t)number : 0;
	return true;
}

/* A number of a process or a thread, which is shown as it is. */
static bool value_id(struct scanner *scanner, uint32_t *to)
{
	double number;

	if (!value_number(scanner, &number) || signbit(number) || number > UINT32_MAX ||
	    number != (double)(uint32_t)number)
		return false;
	*to = (uint32_t)number;
	return true;
}

/* As event_nanoseconds gives it. */
static bool value_time(struct scanner *scanner, long long *ns)
{
	double number;

	if (!value_number(scanner, &number))
		return false;
	*ns = llround(number * 1000);
	return true;
}

static bool value_truth(struct scanner *scanner, bool *truth)
{
	space_pass(scanner);
	*truth = *scanner->at == 't';
	return *truth ? word_pass(scanner, "true", 4) : word_pass(scanner, "false", 5);
}

/* ---- members ---- */

#define KEY_IS(key, word)                                                                          \
	((key)->size == sizeof(word) - 1 && !memcmp((key)->at, word, sizeof(word) - 1))

/* KERNEL_FACTS: it is none. */
static unsigned kernel_key(const struct plain_text *key)
{
	static const char *const keys[] = {EVENT_KERNEL_KEYS};
	unsigned i = 0;

	while (i < KERNEL_FACTS &&
	       (strlen(keys[i]) != key->size || memcmp(keys[i], key->at, key->size) != 0))
		i++;
	return i;
}

static bool value_kernel(struct scanner *scanner, unsigned which, struct plain_event *event)
{
	event->kernel.has |= (uint8_t)(1u << which);
	return value_u32(scanner, &event->kernel.of[which]);
}

static bool argument_take(struct scanner *scanner, const struct plain_text *key,
			  struct plain_event *event)
{
	switch (key->size) {
	case 3:
		if (KEY_IS(key, "cut"))
			return value_truth(scanner, &event->cut);
		if (KEY_IS(key, "pci"))
			return value_text(scanner, &event->pci);
		break;
	case 4:
		if (KEY_IS(key, "kind"))
			return value_text(scanner, &event->kind);
		if (KEY_IS(key, "peer"))
			return value_text(scanner, &event->peer);
		if (KEY_IS(key, "uuid"))
			return value_text(scanner, &event->uuid);
		break;
	case 5:
		if (KEY_IS(key, "queue"))
			return value_u32(scanner, &event->queue);
		if (KEY_IS(key, "local"))
			return value_text(scanner, &event->local);
		if (!KEY_IS(key, "bytes"))
			break;
		event->has_bytes = true;
		return value_number(scanner, &event->bytes);
	default:
		if (key->size >= 10 && kernel_key(key) < KERNEL_FACTS)
			return value_kernel(scanner, kernel_key(key), event);
		if (KEY_IS(key, "global"))
			return value_text(scanner, &event->global);
		if (KEY_IS(key, "device"))
			return value_text(scanner, &event->device);
		if (KEY_IS(key, "request"))
			return value_u32(scanner, &event->request);
		if (KEY_IS(key, "unfinished"))
			return value_truth(scanner, &event->unfinished);
		if (KEY_IS(key, "correlation"))
			return value_u32(scanner, &event->correlation);
	}
	return value_pass(scanner, 2);
}

/* Of two members of one name the last one counts. */
static void arguments_forget(struct plain_event *event)
{
	static const struct plain_text none = {NULL, 0};

	event->correlation = event->request = event->queue = 0;
	event->kind = event->device = event->peer = event->pci = event->uuid = none;
	event->global = event->local = none;
	event->kernel = (struct event_kernel){.has = 0};
	event->has_bytes = event->unfinished = event->cut = false;
	event->bytes = 0;
}

static bool arguments_take(struct scanner *scanner, struct plain_event *event)
{
	struct plain_text key;

	arguments_forget(event);
	if (!char_pass(scanner, '{'))
		return false;
	if (char_pass(scanner, '}'))
		return true;
	do {
		if (!value_text(scanner, &key) || !char_pass(scanner, ':') ||
		    !argument_take(scanner, &key, event))
			return false;
	} while (char_pass(scanner, ','));
	return char_pass(scanner, '}');
}

static bool phase_take(struct scanner *scanner, struct plain_event *event)
{
	struct plain_text text;

	if (!value_text(scanner, &text) || text.size != 1)
		return false;
	event->phase = *text.at;
	return true;
}

/* A text, or a whole number as jansson's users print it. */
static bool value_frame(struct scanner *scanner, struct plain_text *text)
{
	double number;

	space_pass(scanner);
	if (*scanner->at == '"')
		return value_text(scanner, text);
	text->at = scanner->at;
	if (!is_digit(*scanner->at) || !number_take(scanner, &number))
		return false;
	text->size = (size_t)(scanner->at - text->at);
	return !memchr(text->at, '.', text->size);
}

static bool value_keep(struct scanner *scanner, struct plain_text *text)
{
	space_pass(scanner);
	text->at = scanner->at;
	if (!value_pass(scanner, 1))
		return false;
	text->size = (size_t)(scanner->at - text->at);
	return true;
}

static bool member_take(struct scanner *scanner, const struct plain_text *key,
			struct plain_event *event)
{
	switch (key->size) {
	case 2:
		if (KEY_IS(key, "ph"))
			return phase_take(scanner, event);
		if (KEY_IS(key, "ts"))
			return value_time(scanner, &event->start);
		if (KEY_IS(key, "sf"))
			return value_frame(scanner, &event->frame);
		break;
	case 3:
		if (KEY_IS(key, "tid")) {
			event->has_thread = true;
			return value_id(scanner, &event->thread);
		}
		if (KEY_IS(key, "pid")) {
			event->has_process = true;
			return value_id(scanner, &event->process);
		}
		if (KEY_IS(key, "dur"))
			return value_time(scanner, &event->duration);
		if (KEY_IS(key, "cat"))
			return value_text(scanner, &event->category);
		break;
	case 4:
		if (KEY_IS(key, "name"))
			return value_text(scanner, &event->name);
		if (KEY_IS(key, "args"))
			return arguments_take(scanner, event);
		break;
	case 5:
		if (KEY_IS(key, "stack"))
			return value_keep(scanner, &event->stack);
		break;
	default:
		break;
	}
	return value_pass(scanner, 1);
}

static bool event_take(struct scanner *scanner, struct plain_event *event)
{
	struct plain_text key;

	scanner->at++;
	if (char_pass(scanner, '}'))
		return true;
	do {
		if (!value_text(scanner, &key) || !char_pass(scanner, ':') ||
		    !member_take(scanner, &key, event))
			return false;
	} while (char_pass(scanner, ','));
	return char_pass(scanner, '}');
}

enum plain_state plain_event_take(char **at, const char *end, struct plain_event *event,
				  unsigned long *lines)
{
	const ptrdiff_t token = 8; /* the longest one that may have come to its end within */
	struct scanner scanner = {*at, end, 0};

	memset(event, 0, sizeof(*event));
	if (!event_take(&scanner, event))
		return end - scanner.at < token ? PLAIN_SHORT : PLAIN_UNUSUAL;
	*at = scanner.at;
	*lines += scanner.lines;
	return PLAIN_TAKEN;
}
