/* SPDX-License-Identifier: MIT */
/*
 * count_slices [NAME...] -- TRACE...: prints for each trace how many slices (events "X") it has, or how
 * many of these names. Reads them once, as they stand, so that large traces cost a test little.
 * count_slices --by-name -- TRACE...: a line "NAME COUNT" for each name in the traces, in no order.
 *
 * A trace is an array of objects in strict JSON (RFC 8259, UTF-8 throughout). Exit code 1, after a line
 * on stderr, if one is not, or if one of its events says twice what it is.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEEPEST 500

struct reader {
	const char *path;
	const unsigned char *begin, *at, *end;
};

/* A string as it stands between its quotes. */
struct text {
	const unsigned char *begin;
	size_t size;
};

static _Noreturn void reader_fail(const struct reader *reader, const char *what)
{
	fprintf(stderr, "%s: byte %td: %s\n", reader->path, reader->at - reader->begin, what);
	exit(1);
}

static int reader_next(const struct reader *reader)
{
	return reader->at < reader->end ? *reader->at : -1;
}

static void skip_space(struct reader *reader)
{
	while (reader->at < reader->end && (*reader->at == '\n' || *reader->at == ' ' ||
					    *reader->at == '\t' || *reader->at == '\r'))
		reader->at++;
}

static bool take(struct reader *reader, char sign)
{
	skip_space(reader);
	if (reader_next(reader) != sign)
		return false;
	reader->at++;
	return true;
}

static void want(struct reader *reader, char sign)
{
	char what[] = "no ? here";

	what[3] = sign;
	if (!take(reader, sign))
		reader_fail(reader, what);
}

static bool is_hex(int sign)
{
	return (sign >= '0' && sign <= '9') || ((sign | 32) >= 'a' && (sign | 32) <= 'f');
}

static void skip_escape(struct reader *reader)
{
	int sign = ++reader->at < reader->end ? *reader->at++ : -1;

	if (sign == 'u') {
		for (int i = 0; i < 4; i++, reader->at++)
			if (!is_hex(reader_next(reader)))
				reader_fail(reader, "no hexadecimal digit");
	} else if (sign < 0 || !strchr("\"\\/bfnrt", sign)) {
		reader_fail(reader, "no such escape");
	}
}

/* A character of several bytes (RFC 3629): neither longer than needed, nor a surrogate, nor too large. */
static void skip_wide(struct reader *reader)
{
	static const unsigned least[] = {0, 0x80, 0x800, 0x10000};
	unsigned first = *reader->at++;
	unsigned more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1, value = first & (0x3f >> more);

	if (first < 0xc2 || first > 0xf4)
		reader_fail(reader, "no UTF-8");
	for (unsigned i = 0; i < more; i++, reader->at++) {
		int next = reader_next(reader);
		if (next < 0x80 || next > 0xbf)
			reader_fail(reader, "no UTF-8");
		value = value << 6 | (next & 0x3f);
	}
	if (value < least[more] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
		reader_fail(reader, "no UTF-8");
}

static struct text take_string(struct reader *reader)
{
	struct text text;

	want(reader, '"');
	text.begin = reader->at;
	for (;;) {
		int sign = reader_next(reader);

		if (sign < 0x20)
			reader_fail(reader,
				    sign < 0 ? "a string has no end" : "a control character");
		if (sign == '"')
			break;
		if (sign == '\\')
			skip_escape(reader);
		else if (sign < 0x80)
			reader->at++;
		else
			skip_wide(reader);
	}
	text.size = (size_t)(reader->at++ - text.begin);
	return text;
}

static void skip_digits(struct reader *reader)
{
	const unsigned char *begin = reader->at;

	while (reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9')
		reader->at++;
	if (reader->at == begin)
		reader_fail(reader, "no digit");
}

static void skip_number(struct reader *reader)
{
	if (reader_next(reader) == '-')
		reader->at++;
	if (reader_next(reader) == '0')
		reader->at++;
	else
		skip_digits(reader);
	if (reader_next(reader) == '.') {
		reader->at++;
		skip_digits(reader);
	}
	if ((reader_next(reader) | 32) == 'e') {
		reader->at++;
		if (reader_next(reader) == '+' || reader_next(reader) == '-')
			reader->at++;
		skip_digits(reader);
	}
}

static bool skip_word(struct reader *reader, const char *word)
{
	size_t size = strlen(word);

	if ((size_t)(reader->end - reader->at) < size || memcmp(reader->at, word, size))
		return false;
	reader->at += size;
	return true;
}

static void skip_value(struct reader *reader, int depth);

static void skip_list(struct reader *reader, int depth, char end)
{
	if (depth == DEEPEST)
		reader_fail(reader, "too deep");
	reader->at++;
	if (take(reader, end))
		return;
	do {
		if (end == '}') {
			take_string(reader);
			want(reader, ':');
		}
		skip_value(reader, depth + 1);
	} while (take(reader, ','));
	want(reader, end);
}

static void skip_value(struct reader *reader, int depth)
{
	skip_space(reader);
	switch (reader_next(reader)) {
	case '{':
		skip_list(reader, depth, '}');
		break;
	case '[':
		skip_list(reader, depth, ']');
		break;
	case '"':
		take_string(reader);
		break;
	default:
		if (!skip_word(reader, "true") && !skip_word(reader, "false") &&
		    !skip_word(reader, "null"))
			skip_number(reader);
	}
}

static bool text_is(struct text text, const char *word)
{
	return text.size == strlen(word) && !memcmp(text.begin, word, text.size);
}

/* How many slices have each name. */
#define NAMES 4096

static struct {
	struct text name;
	size_t count;
} by_name[NAMES];

static void by_name_add(struct text name)
{
	size_t at = 0;

	for (size_t i = 0; i < name.size; i++)
		at = at * 31 + name.begin[i];
	for (size_t tries = 0; tries < NAMES; tries++, at++) {
		struct text *here = &by_name[at % NAMES].name;

		if (!here->begin)
			*here = name;
		if (here->size == name.size && !memcmp(here->begin, name.begin, name.size)) {
			by_name[at % NAMES].count++;
			return;
		}
	}
	fprintf(stderr, "count_slices: more than %d names\n", NAMES);
	exit(1);
}

static void by_name_print(void)
{
	for (size_t i = 0; i < NAMES; i++)
		if (by_name[i].count)
			printf("%.*s %zu\n", (int)by_name[i].name.size, by_name[i].name.begin,
			       by_name[i].count);
}

/* A member that says what the event is. */
static void take_once(struct reader *reader, struct text *of)
{
	if (of->begin)
		reader_fail(reader, "a key stands twice");
	*of = take_string(reader);
}

static bool is_counted(struct text phase, struct text name, char **names, int count)
{
	if (!text_is(phase, "X"))
		return false;
	if (count < 0 && name.begin)
		by_name_add(name);
	for (int i = 0; i < count; i++)
		if (text_is(name, names[i]))
			return true;
	return count <= 0;
}

static bool event_counts(struct reader *reader, char **names, int count)
{
	struct text phase = {0}, name = {0};

	want(reader, '{');
	if (take(reader, '}'))
		return false;
	do {
		struct text key = take_string(reader);
		want(reader, ':');
		if (text_is(key, "ph"))
			take_once(reader, &phase);
		else if (text_is(key, "name"))
			take_once(reader, &name);
		else
			skip_value(reader, 2);
	} while (take(reader, ','));
	want(reader, '}');
	return is_counted(phase, name, names, count);
}

static size_t trace_count(struct reader *reader, char **names, int count)
{
	size_t counted = 0;

	want(reader, '[');
	if (!take(reader, ']')) {
		do
			counted += event_counts(reader, names, count);
		while (take(reader, ','));
		want(reader, ']');
	}
	skip_space(reader);
	if (reader->at < reader->end)
		reader_fail(reader, "there is more behind the array");
	return counted;
}

static void reader_open(struct reader *reader, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat about;

	*reader = (struct reader){.path = path};
	if (fd < 0 || fstat(fd, &about)) {
		perror(path);
		exit(1);
	}
	void *bytes = about.st_size ? mmap(NULL, (size_t)about.st_size, PROT_READ,
					   MAP_PRIVATE | MAP_POPULATE, fd, 0)
				    : NULL;
	if (bytes == MAP_FAILED) {
		perror(path);
		exit(1);
	}
	close(fd);
	reader->begin = reader->at = bytes;
	reader->end = reader->begin + about.st_size;
}

int main(int argc, char **argv)
{
	int names = 0;
	bool by = argc > 1 && !strcmp(argv[1], "--by-name");

	while (names + 1 < argc && strcmp(argv[names + 1], "--"))
		names++;
	if (names + 2 >= argc) {
		fprintf(stderr, "usage: count_slices [--by-name | NAME...] -- TRACE...\n");
		return 2;
	}
	for (int i = names + 2; i < argc; i++) {
		struct reader reader;

		reader_open(&reader, argv[i]);
		size_t count = trace_count(&reader, argv + 1, by ? -1 : names);
		if (!by)
			printf("%zu\n", count);
	}
	if (by)
		by_name_print();
	return 0;
}
