/* SPDX-License-Identifier: MIT */
/*
 * fuzz_deflate.c: what tl_deflate() makes of any bytes, zlib makes the same bytes again, and it is
 * no larger than tl_deflate_bound() says.
 *
 * The first byte says how often the others come, in how many parts, and how many bytes of noise lie
 * between: so repeats are long, far apart and cut. Hints are right, wrong, or in no order. With clang -fsanitize=fuzzer a libFuzzer target;
 * with FUZZ_STANDALONE it makes inputs itself.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "format/encode/deflate.h"

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

#define MOST (400u * 1024)

static uint32_t noise_seed;

static uint8_t noise(void)
{
	noise_seed = noise_seed * 1664525 + 1013904223;
	return (uint8_t)(noise_seed >> 24);
}

/* The input, again and again. */
static size_t text_make(char *text, const uint8_t *input, size_t size)
{
	unsigned times = size ? 1u << (input[0] & 7) : 1, between = size ? input[0] >> 5 : 0;
	size_t used = 0;

	for (; times && used + size + 8 <= MOST; times--) {
		if (size)
			memcpy(text + used, input, size);
		used += size;
		for (unsigned i = 0; i < between; i++)
			text[used++] = (char)noise();
	}
	return used;
}

#define HINTS 4096

/* For text of `size` bytes that comes again after `period` bytes. */
static void hints_make(struct tl_repeat_hints *hints, size_t size, size_t period)
{
	static struct tl_repeat_hint list[HINTS];
	unsigned step = 1 + noise() % 60;

	*hints = (struct tl_repeat_hints){.list = list, .room = HINTS};
	for (size_t at = noise(); at < size + 40 && hints->count < HINTS;
	     at += 1 + noise() % step) {
		size_t before = noise() % 4 ? at - period : at - noise() * (size_t)noise();

		list[hints->count++] =
			(struct tl_repeat_hint){(uint32_t)at, (uint32_t)(at - before)};
		if (!noise())
			at = noise() * (size_t)noise();
	}
}

/* Compresses in `parts`, each into exactly as much room as it may need. `period`: for hints, or 0. */
static void round_trip(const char *text, size_t size, unsigned parts, size_t period)
{
	struct tl_repeat_hints hints;
	static struct tl_deflate deflate;
	static char back[MOST + 1];
	z_stream zlib = {.next_out = (Bytef *)back, .avail_out = sizeof(back)};
	int status = Z_OK;

	if (inflateInit2(&zlib, -15) != Z_OK)
		abort();
	for (unsigned part = 0; part < parts; part++) {
		size_t from = size * part / parts, to = size * (part + 1) / parts;
		size_t bound = tl_deflate_bound(to - from);
		char *packed = malloc(bound);
		char *exactly = malloc(to - from + 1);

		memcpy(exactly, text + from, to - from);
		/* The last byte is there for malloc(0) alone. */
		exactly = realloc(exactly, to - from ? to - from : 1);
		if (period)
			hints_make(&hints, to - from, period);
		zlib.avail_in = (uInt)tl_deflate(&deflate, packed, exactly, to - from,
						 part == parts - 1, period ? &hints : NULL);
		if (zlib.avail_in > bound)
			abort();
		zlib.next_in = (Bytef *)packed;
		status = inflate(&zlib, Z_SYNC_FLUSH);
		if (zlib.avail_in || zlib.total_out != to ||
		    status != (part == parts - 1 ? Z_STREAM_END : Z_OK))
			abort();
		free(exactly);
		free(packed);
	}
	inflateEnd(&zlib);
	if (memcmp(text, back, size) != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	static char text[MOST];
	size_t used = text_make(text, input, size);

	noise_seed = (uint32_t)size;
	round_trip(text, used, 1, 0);
	round_trip(text, used, 3, 0);
	if (!size)
		return 0;
	round_trip(text, used, 1, size + (input[0] >> 5));
	round_trip(text, used, 3, size + (input[0] >> 5));
	return 0;
}

#ifdef FUZZ_STANDALONE
int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) / 50 : 2000;

	for (unsigned round = 0; round < rounds; round++) {
		uint8_t input[1200];
		size_t size = (unsigned)rand() % sizeof(input);

		for (size_t i = 0; i < size; i++)
			input[i] = (uint8_t)(rand() % (1 + rand() % 256));
		LLVMFuzzerTestOneInput(input, size);
	}
	return 0;
}
#endif
