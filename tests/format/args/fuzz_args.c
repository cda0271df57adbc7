/* SPDX-License-Identifier: MIT */
/*
 * fuzz_args.c: damaged records never make printing read or write out of bounds, and what it prints
 * fits and is sound JSON.
 *
 * Built with clang -fsanitize=fuzzer this is a libFuzzer target; with FUZZ_STANDALONE it makes
 * inputs itself, for compilers without it: captured records of the made-up API with some bytes
 * changed.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/args/args.h"
#include "tests/lib/args_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

#define WORDS 16

/* byte 0: function; 1: room for the text, in 16 bytes; 2: entry blobs' size, in 8 bytes; then the
 * words, the entry blobs, the exit blobs */
int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	uint64_t words[WORDS] = {0};
	const struct tl_function *function;
	size_t taken, entry_size, exit_size, room;
	char *entry, *exit, *object;

	if (size < 3)
		return 0;
	function = &table_functions[input[0] % F_COUNT];
	room = (size_t)input[1] * 16;
	entry_size = (size_t)input[2] * 8;
	input += 3;
	size -= 3;
	taken = size < function->words * (size_t)8 ? size : function->words * (size_t)8;
	memcpy(words, input, taken);
	input += taken;
	size -= taken;
	entry_size = entry_size < size ? entry_size : size;
	exit_size = size - entry_size;
	/* malloc's sizes are exact, so that a sanitizer sees one byte too many */
	entry = malloc(entry_size);
	exit = malloc(exit_size);
	object = malloc(room + 2);
	if (entry_size)
		memcpy(entry, input, entry_size);
	if (exit_size)
		memcpy(exit, input + entry_size, exit_size);

	struct tl_text text = {object + 1, object + 1 + room, false};
	const struct tl_args_kept kept = {.words = words,
					  .entry = entry,
					  .exit = exit,
					  .entry_size = entry_size,
					  .exit_size = exit_size,
					  .failed = size % 2};
	tl_args_print(&text, function, &kept);
	object[0] = '{';
	*text.at = '}';
	json_t *json = json_loadb(object, (size_t)(text.at - object) + 1,
				  JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
	if (!json)
		abort();
	json_decref(json);
	free(entry);
	free(exit);
	free(object);
	return 0;
}

#ifdef FUZZ_STANDALONE
#include "tests/lib/random.h"

/* A sound record of one of the functions, to be damaged. */
static size_t sound_record(uint8_t *input, int function)
{
	static uint32_t values[80] = {1, 2, 3};
	static const char *list[] = {"one", "two \"2\""};
	static struct node nodes[] = {{1, &nodes[1]}, {2, &nodes[0]}};
	static struct name name = {STYPE_NAME, NULL, "kernel"};
	static struct hint hint = {STYPE_HINT, &name, 0.5};
	static struct desc desc = {STYPE_DESC, &hint, 3, 2, values};
	static struct mixed mixed = {.label = "label", .used = 3};
	static struct properties properties = {STYPE_DESC, &hint, 4, 5};
#define WORD(x) ((uint64_t)(uintptr_t)(x))
	const uint64_t words[F_COUNT][WORDS] = {
		[F_SCALARS] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
		[F_STRINGS] = {WORD("a string"), WORD("another"), 2, WORD("xy"), WORD(list)},
		[F_GET] = {1, WORD(values), WORD(values)},
		[F_CREATE] = {WORD(&desc), WORD(values)},
		[F_NODES] = {WORD(nodes)},
		[F_MIXED] = {WORD(&mixed)},
		[F_PROPERTIES] = {WORD(&properties)},
		[F_ARRAYS] = {2, WORD(values), WORD(values), WORD(values), WORD(values),
			      WORD(nodes)},
		[F_INFO] = {2, WORD(values), WORD(values)},
		[F_PAIRS] = {WORD(values)},
		[F_ALLOCATE] = {WORD(&desc), WORD(values)},
		[F_VALUE] = {STYPE_DESC, WORD(&hint), 2ull << 32, WORD(values), 1},
	};
	_Alignas(8) char entry[4096], exit[4096];
	bool cut;
	size_t entry_size = tl_args_capture(&table_functions[function], words[function],
					    TL_CAPTURE_ENTRY, entry, sizeof entry, &cut);
	size_t exit_size = tl_args_capture(&table_functions[function], words[function],
					   TL_CAPTURE_EXIT, exit, sizeof exit, &cut);
	size_t words_size = table_functions[function].words * (size_t)8;

	input[0] = (uint8_t)function;
	input[1] = 255;
	input[2] = (uint8_t)(entry_size / 8 < 255 ? entry_size / 8 : 255);
	memcpy(input + 3, words[function], words_size);
	memcpy(input + 3 + words_size, entry, entry_size);
	memcpy(input + 3 + words_size + entry_size, exit, exit_size);
	return 3 + words_size + entry_size + exit_size;
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 100000;
	static uint8_t input[16384];

	for (long i = 0; i < rounds; i++) {
		size_t size = sound_record(input, (int)(next_random() % F_COUNT));

		for (uint64_t damage = next_random() % 8; damage; damage--)
			input[3 + next_random() % (size - 3)] = (uint8_t)next_random();
		if (next_random() % 4 == 0)
			size = next_random() % size;
		if (next_random() % 4 == 0)
			input[1] = (uint8_t)next_random();
		LLVMFuzzerTestOneInput(input, size);
	}
	printf("ok 1 - %ld damaged records print sound JSON or nothing\n1..1\n", rounds);
	return 0;
}
#endif
