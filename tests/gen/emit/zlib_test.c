/* SPDX-License-Identifier: MIT */
/* zlib_test.c: zlib through shims made from zlib.h gives right results. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "runtime.h"

static int tests, failures;

static void ok(bool fine, const char *what)
{
	failures += !fine;
	printf("%s %d - zlib through shims: %s\n", fine ? "ok" : "not ok", ++tests, what);
}

void look(void *const *params)
{
	(void)params;
}

/* Whether a function is among the records; zlib's calls to itself are, too. */
static bool is_recorded(const uint64_t *record, const char *name)
{
	for (; record[0]; record += record[0] & 0xffff)
		if (record[0] >> 32 == runtime_id(name))
			return true;
	return false;
}

int main(void)
{
	static char text[20000], back[20000];
	static Bytef packed[20000];
	uLongf packed_size = sizeof packed, back_size = sizeof back;
	z_stream stream = {0};

	for (size_t i = 0; i < sizeof text; i++)
		text[i] = "a line that repeats\n"[i % 20];
	for (int way = WAY_RECORDED; way <= WAY_OUT_OF_LINE; way++) {
		runtime_watch((enum way)way);
		const uint64_t *record = runtime_record();
		packed_size = sizeof packed;
		back_size = sizeof back;
		ok(compress2(packed, &packed_size, (const Bytef *)text, sizeof text, 9) == Z_OK &&
			   packed_size < 500,
		   "compress2");
		ok(way == WAY_OUT_OF_LINE ? last.left >= 1 : is_recorded(record, "compress2"),
		   "it is seen");
		ok(uncompress((Bytef *)back, &back_size, packed, packed_size) == Z_OK &&
			   !memcmp(text, back, sizeof text),
		   "uncompress");
		ok(crc32(0, (const Bytef *)"123456789", 9) == 0xcbf43926, "crc32");
		ok(!strcmp(zlibVersion(), ZLIB_VERSION) &&
			   !strcmp(zError(Z_DATA_ERROR), "data error"),
		   "strings");
		memset(&stream, 0, sizeof stream);
		ok(deflateInit(&stream, 6) == Z_OK, "deflateInit, a macro");
		stream.next_in = (Bytef *)text;
		stream.avail_in = sizeof text;
		stream.next_out = packed;
		stream.avail_out = sizeof packed;
		ok(deflate(&stream, Z_FINISH) == Z_STREAM_END && deflateEnd(&stream) == Z_OK &&
			   stream.total_out < 500,
		   "a stream");
		ok(deflate(NULL, Z_FINISH) == Z_STREAM_ERROR, "errors");
	}
	ok(!runtime_function("gzprintf") && runtime_function("gzgetc"),
	   "variadic functions have no shim, macros' functions have");
	printf("1..%d\n", tests);
	return failures != 0;
}
