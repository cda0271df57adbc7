/* SPDX-License-Identifier: MIT */
/*
 * strict_json FILE: reads a trace as strictly as jansson can, and prints how many complete events
 * it has.
 *
 * Exit code 1, with jansson's word on stderr, where it is not a JSON array of objects or an object
 * has a key twice. FILE may be compressed by gzip.
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

/* For json_load_callback; gzread reads plain files as they are. */
static size_t read_some(void *buffer, size_t size, void *file)
{
	int got = gzread(file, buffer, (unsigned)size);

	return got < 0 ? (size_t)-1 : (size_t)got;
}

static int complete(const json_t *event)
{
	const char *phase = json_string_value(json_object_get(event, "ph"));

	return phase && !strcmp(phase, "X");
}

int main(int argc, char **argv)
{
	json_error_t error;
	size_t index, count = 0;
	json_t *event;

	gzFile file = argc == 2 ? gzopen(argv[1], "rb") : NULL;
	if (!file) {
		fprintf(stderr, "usage: strict_json FILE (that can be read)\n");
		return 2;
	}
	json_t *trace = json_load_callback(read_some, file, JSON_REJECT_DUPLICATES, &error);
	gzclose(file);
	if (!json_is_array(trace)) {
		fprintf(stderr, "%s:%d:%d: %s\n", argv[1], error.line, error.column,
			trace ? "not an array" : error.text);
		return 1;
	}
	json_array_foreach(trace, index, event) {
		if (!json_is_object(event)) {
			fprintf(stderr, "%s: element %zu is not an object\n", argv[1], index);
			return 1;
		}
		count += complete(event);
	}
	json_decref(trace);
	printf("%zu\n", count);
	return 0;
}
