/* SPDX-License-Identifier: MIT */
/*
 * fuzz_config.c: the reader of tracelayer.conf on any bytes. What it takes has a name, and no blanks
 * around names and values.
 *
 * With clang -fsanitize=fuzzer a libFuzzer target; with FUZZ_STANDALONE it makes inputs itself.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/basics/messages.h"
#include "cli/run/config_file.h"
#include "tables/needed_memory.h"
#ifdef FUZZ_STANDALONE
#include "tests/lib/random.h"
#endif

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

void *need(void *allocated)
{
	if (!allocated)
		abort();
	return allocated;
}

static unsigned said;

void say(const char *format, ...)
{
	(void)format;
	said++;
}

static bool is_trimmed(const char *text)
{
	size_t size = strlen(text);

	return !size || (!strchr(" \t\r\n", text[0]) && !strchr(" \t\r\n", text[size - 1]));
}

static bool take(const struct config_line *line, void *user)
{
	unsigned *last = user;

	if (!*line->name || !is_trimmed(line->name) || (line->value && !is_trimmed(line->value)) ||
	    strchr(line->name, '=') || line->number <= *last)
		abort();
	*last = line->number;
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	FILE *from = size ? fmemopen((void *)(uintptr_t)input, size, "r") : NULL;
	unsigned last = 0;

	said = 0;
	if (!from)
		return 0;
	if (config_read(from, "fuzz.conf", take, &last) != !said)
		abort();
	fclose(from);
	return 0;
}

#ifdef FUZZ_STANDALONE
int main(int argc, char **argv)
{
	static const char seed[] = "# a file\n\nargs = none\n summary\r\nexclude=*Get*, z = y\n=\n";

	for (long rounds = argc > 1 ? atol(argv[1]) : 1000; rounds; rounds--) {
		uint8_t bytes[sizeof(seed)];

		memcpy(bytes, seed, sizeof(seed));
		for (uint64_t changes = next_random() % 8; changes; changes--)
			bytes[next_random() % sizeof(bytes)] = (uint8_t)next_random();
		LLVMFuzzerTestOneInput(bytes, next_random() % sizeof(bytes));
	}
	return 0;
}
#endif
