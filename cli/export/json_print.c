/* SPDX-License-Identifier: MIT */
/* json_print.c: see json_print.h. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/export/json_print.h"
#include "common/text.h"

#define PART 512u /* bytes that are escaped at once; each takes at most six */

void json_print_text(FILE *to, const char *bytes, size_t size)
{
	char room[6 * PART + 16];

	putc('"', to);
	while (size) {
		struct tl_text text = {room, room + sizeof(room), false};
		size_t part = size < PART ? size : PART;

		/* A character is not cut: only its first byte has other bits than 10. */
		while (part < size && part > PART - 4 &&
		       ((unsigned char)bytes[part] & 0xc0) == 0x80)
			part--;
		tl_text_escape(&text, bytes, part);
		fwrite(room, 1, (size_t)(text.at - room), to);
		bytes += part;
		size -= part;
	}
	putc('"', to);
}

static void number_print(FILE *to, double number)
{
	char text[40];

	if (number > -9e15 && number < 9e15 && number == (double)(long long)number) {
		fprintf(to, "%lld", (long long)number);
		return;
	}
	/* As large as times of day are: nearly what it was. */
	if (number > -1e19 && number < 1e19 && number == floor(number)) {
		fprintf(to, "%.0f", number);
		return;
	}
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, number);
		if (strtod(text, NULL) == number)
			break;
	}
	fputs(text, to);
}

static void object_print(FILE *to, const json_t *object)
{
	const char *key, *between = "";
	json_t *value;

	putc('{', to);
	json_object_foreach((json_t *)object, key, value) {
		fputs(between, to);
		json_print_text(to, key, strlen(key));
		putc(':', to);
		json_print(to, value);
		between = ",";
	}
	putc('}', to);
}

static void array_print(FILE *to, const json_t *array)
{
	putc('[', to);
	for (size_t i = 0; i < json_array_size(array); i++) {
		if (i)
			putc(',', to);
		json_print(to, json_array_get(array, i));
	}
	putc(']', to);
}

void json_print(FILE *to, const json_t *value)
{
	switch (json_typeof(value)) {
	case JSON_OBJECT:
		object_print(to, value);
		break;
	case JSON_ARRAY:
		array_print(to, value);
		break;
	case JSON_STRING:
		json_print_text(to, json_string_value(value), json_string_length(value));
		break;
	case JSON_INTEGER:
		fprintf(to, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
		break;
	case JSON_REAL:
		number_print(to, json_real_value(value));
		break;
	case JSON_TRUE:
	case JSON_FALSE:
		fputs(json_is_true(value) ? "true" : "false", to);
		break;
	default:
		fputs("null", to);
	}
}
