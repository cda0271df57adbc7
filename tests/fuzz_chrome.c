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

#include "format/chrome.h"
#include "tests/args_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

static const struct tl_function *function(uint32_t id)
{
	return id < F_COUNT ? &table_functions[id] : NULL;
}

static uint64_t ns(uint64_t ticks)
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
	static char room[TL_CHROME_EVENT_MAX + 8];
	const struct tl_chrome chrome = {.pid = 1, .ns = ns, .function = function, .names = names};
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
static uint64_t random_state = 88172645463325252ull;

static uint64_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static size_t sound_record(char *to)
{
	struct tl_call_record *record = (void *)to;
	uint32_t id = next_random() % F_COUNT;
	size_t words = table_functions[id].words;

	*record = (struct tl_call_record){.size = 4 + words,
					  .type = next_random() % 9 ? 1 : 3,
					  .flags = TL_RECORD_WORDS | (next_random() & 12),
					  .function = id,
					  .start = next_random(),
					  .duration = next_random() >> next_random() % 64,
					  .result = next_random() % 4 ? 0 : next_random()};
	for (size_t i = 0; i < words; i++)
		((uint64_t *)(record + 1))[i] = next_random() >> next_random() % 64;
	if (next_random() % 2) {
		struct tl_blob_sizes *sizes = (void *)((uint64_t *)(record + 1) + words);
		*sizes = (struct tl_blob_sizes){next_random() % 8 * 8, next_random() % 8 * 8};
		for (size_t i = 0; i < (sizes->entry + sizes->exit) / 8; i++)
			((uint64_t *)(sizes + 1))[i] = next_random() >> next_random() % 64;
		record->flags |= TL_RECORD_BLOBS;
		record->size += 1 + (sizes->entry + sizes->exit) / 8;
	}
	return record->size * 8u;
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 100000;
	static _Alignas(8) char input[16384];

	for (long i = 0; i < rounds; i++) {
		size_t size = 0;
		for (uint64_t n = next_random() % 5 + 1; n; n--)
			size += sound_record(input + size);
		for (uint64_t damage = next_random() % 6; damage; damage--)
			input[next_random() % size] = (char)next_random();
		LLVMFuzzerTestOneInput((uint8_t *)input,
				       next_random() % 4 ? size : next_random() % size);
	}
	return 0;
}
#endif
