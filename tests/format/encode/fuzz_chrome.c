/* SPDX-License-Identifier: MIT */
/*
 * fuzz_chrome.c: whatever bytes a chunk holds, the encoder reads none outside of it, what it
 * makes of them is a JSON array, and what was prepared for a function's calls gives the same bytes
 * as the walk of its tables.
 *
 * With clang -fsanitize=fuzzer a libFuzzer target; with FUZZ_STANDALONE it damages sound chunks
 * itself.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/encode/chrome.h"
#include "tests/lib/args_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

static const struct tl_function *function(const void *source, uint32_t id)
{
	return id < F_COUNT ? &table_functions[id] : NULL;
}

static uint64_t ns(const void *source, uint64_t ticks)
{
	return ticks / 3;
}

/* The same record, by the walk. */
static void compare_with_walk(const struct tl_call_record *record, size_t size,
			      const char *prepared, size_t length)
{
	static char room[TL_CHROME_EVENT_MAX];
	const struct tl_chrome chrome = {.pid = 1, .ns = ns, .function = function};
	struct tl_text text = {room, room + TL_CHROME_EVENT_MAX, false};

	if (!tl_chrome_record(&chrome, &text, 2, record, size) ||
	    (size_t)(text.at - room) != length || memcmp(room, prepared, length) != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	static struct tl_chrome_name names[TL_CHROME_NAMES];
	static struct tl_chrome_time time_kept;
	static char room[TL_CHROME_EVENT_MAX + 8];
	const struct tl_chrome chrome = {
		.pid = 1, .ns = ns, .function = function, .names = names, .time = &time_kept};
	/* Exactly as large as what is in it, so that a sanitizer sees one byte too many. */
	size_t taken = 0;

	size &= ~(size_t)7;
	char *chunk = malloc(size ? size : 1);
	if (size)
		memcpy(chunk, input, size);
	while (taken < size) {
		struct tl_text text = {room, room + TL_CHROME_EVENT_MAX, false};
		size_t step = tl_chrome_record(&chrome, &text, 2, (const void *)(chunk + taken),
					       size - taken);
		if (!step)
			break;
		compare_with_walk((const void *)(chunk + taken), size - taken, room,
				  (size_t)(text.at - room));
		taken += step;
		if (taken > size || text.cut)
			abort();
		if (text.at == room)
			continue;
		json_t *event = json_loadb(room + 2, text.at - room - 2,
					   JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
		if (!event)
			abort();
		json_decref(event);
	}
	free(chunk);
	return 0;
}

#ifdef FUZZ_STANDALONE
#include "tests/lib/fuzz_records.h"

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 100000;

	fuzz_damaged(rounds, sound_call, LLVMFuzzerTestOneInput);
	return 0;
}
#endif
