// SPDX-License-Identifier: MIT
// odd_test.cc: calls through generated shims reach the real functions with their arguments and come back with their results; on each
// way through a shim: straight, recorded in the entry, out of line, and through libffi. C++, because it throws, and because the callbacks
// header must be usable from it.
#include <cstdio>
#include <cstring>
#include <ffi.h>

extern "C" {
#include "odd.h"
#include "runtime.h"
}
#undef odd_macro
#include "odd_callbacks.h"

static int tests, failures;
static const char *mode_name;

static void ok(bool fine, const char *what)
{
	failures += !fine;
	std::printf("%s %d - %s: %s\n", fine ? "ok" : "not ok", ++tests, mode_name, what);
}

static int seen;

extern "C" void note(void *user, int value)
{
	seen = *static_cast<int *>(user) + value;
}

extern "C" void thrower()
{
	throw 42;
}

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static void call_everything()
{
	int base = 100, values[3] = {1, 2, 3}, code = 0;
	odd_result result = ODD_BAD;
	odd_large large = {{1, 2, 3, 4, 5}, 6};
	const char *strings[] = {"a", "b"};

	ok(odd_narrow(-1, 255, -2, 65535, -3, UINT32_MAX, -4, UINT64_MAX) == -7, "integers of every size");
	ok(odd_byte(0x0f) == 0xf0, "a narrow unsigned result");
	ok(odd_float(1.5f, 2.25) == 3.75f && odd_double(2.0, 1.5f, 7) == 10.0, "floats and doubles");
	ok(odd_bool(false) && !odd_bool(true), "bools");
	ok(odd_enum(ODD_BAD) == ODD_BAD, "negative enums");
	odd_pair pair = odd_swap({1.0, 2.0});
	ok(pair.x == 2.0 && pair.y == 1.0, "structs by value, in registers");
	large = odd_grow(large, 10);
	ok(large.words[4] == 15 && large.last == 7, "structs by value, in memory");
	struct odd_small small = {{'a', 'b', 'c'}};
	ok(odd_small(small).text[0] == 'b', "structs of 3 bytes");
	odd_call(note, &base);
	ok(seen == 105, "callbacks");
	odd_call_plain(note, &base);
	ok(seen == 106, "callbacks without a typedef");
	ok(odd_choose(1)(5) == 6 && odd_choose(2)(5) == 7, "functions that return functions");
	ok(odd_names(1, 1, 1, 1, 1, 1) == 63 && odd_names(0, 0, 0, 1, 0, 0) == 8, "parameters called like the shim's own variables");
	ok(odd_unnamed(1, "A") == 66, "parameters without a name");
	ok(odd_array(values, "A") == 71, "parameters written as arrays");
	ok(odd_strings(strings, 1) == strings + 1, "constant parameters and pointers");
	odd_nothing();
	ok(odd_make(&result) == reinterpret_cast<odd_handle>(0x1234) && result == ODD_OK, "handles, and values behind pointers");
	ok(!std::strcmp(odd_version(), "odd 1"), "a deprecated function");
	ok(odd_macro(4) == 8, "a function that is also a macro");
	ok(odd_many(1, 2, "A", 4.5, 5, reinterpret_cast<void *>(6), 7, 8.5f, 9, {10, 11}, 12) == 1 + 2 + 65 + 4 + 5 + 6 + 7 + 8 + 9 + 21 + 12,
	   "more parameters than registers");
	ok(odd_missing(3, &code) == -9 && code == -5, "a function that the library lacks gives its API's error");
}

static void check_words()
{
	const uint64_t *record = runtime_record();

	odd_narrow(-1, 255, -2, 65535, -3, UINT32_MAX, -4, UINT64_MAX);
	static const uint64_t expected[] = {UINT64_MAX, 255, UINT64_MAX - 1, 65535, UINT64_MAX - 2, UINT32_MAX, UINT64_MAX - 3, UINT64_MAX};
	ok((record[0] & 0xffff) == 12 && (record[0] >> 16 & 0xff) == 1 && (record[0] >> 24 & 0xff) == 1, "the record's size, type and flags");
	ok(record[0] >> 32 == runtime_id("odd_narrow"), "the record's function");
	ok(record[1] && record[2] < 1000000000, "the record's time");
	ok(record[3] == 0xf9, "the result, zero-extended from its size");
	ok(!std::memcmp(record + 4, expected, sizeof expected), "words extended by their signs");
	record = runtime_record();
	odd_many(1, 2, "A", 4.5, 5, nullptr, 7, 8.5f, 9, {10, 11}, 12);
	const tl_function *many = runtime_function("odd_many");
	double d;
	float f;
	std::memcpy(&d, record + 4 + many->params[3].offset, 8);
	std::memcpy(&f, record + 4 + many->params[7].offset, 4);
	ok(d == 4.5 && f == 8.5f, "floats by their bits");
	std::memcpy(&d, record + 4 + many->params[9].offset + 1, 8);
	ok(many->words == 12 && many->params[9].words == 2 && d == 11.0, "structs by their bytes");
	ok(static_cast<int>(record[4 + many->params[10].offset]) == 12, "what stands behind a struct");
	record = runtime_record();
	odd_grow({{1, 2, 3, 4, 5}, 6}, 1);
	ok(record[4] == 1 && (record[4 + 5] & 0xff) == 6 && record[3] == 2, "structs in memory, and results, by their bytes");
}

static void check_params()
{
	runtime_record();
	odd_double(2.0, 1.5f, 7);
	ok(last.entered == 1 && last.left == 1 && !std::strcmp(last.function->name, "odd_double"), "every call comes by once");
	double sum;
	std::memcpy(&sum, &last.result, 8);
	ok(sum == 10.0 && last.count == 3, "result and words out of line");
	ok(last.caller != nullptr, "the caller");
	ok(last.a == 2.0, "the parameters, as the callbacks header names them");
}

/* While the call is open: what callbacks get. */
extern "C" void look(void *const *params)
{
	if (!std::strcmp(last.function->name, "odd_double"))
		last.a = *reinterpret_cast<const odd_double_params_t *>(params)->pa;
}

extern "C" void move_over(void *, int)
{
	runtime_move_over();
}

static void check_moving(bool words)
{
	runtime_record();
	odd_call(move_over, nullptr);
	ok(last.left == 1 && runtime_depth() == 0, "a call that goes on in another thread is left there");
	const uint64_t *record = runtime_record();
	odd_call(note, &seen);
	ok(last.left == 0 && (record[0] & 0xffff) == (words ? 6 : 4), "and the next is recorded again");
}

static void check_unwinding(const char *what)
{
	long depth = runtime_depth();
	bool caught = false;

	runtime_record();
	try {
		odd_throw(thrower);
	} catch (int value) {
		caught = value == 42;
	}
	ok(caught && last.unwound == 1 && last.left == 0 && runtime_depth() == depth, what);
}

/* What a closure does. */
static void check_invoke()
{
	int8_t a = -1;
	uint8_t b = 255;
	int16_t c = -2;
	uint16_t d = 65535;
	int32_t e = -3;
	uint32_t f = UINT32_MAX;
	int64_t g = -4;
	uint64_t h = UINT64_MAX;
	void *args[] = {&a, &b, &c, &d, &e, &f, &g, &h};
	ffi_arg word = 0x5a5a5a5a5a5a5a5a;

	runtime_invoke("odd_narrow", args, &word);
	ok(static_cast<ffi_sarg>(word) == -7, "invoke widens signed results");
	uint8_t byte = 0x0f;
	void *byte_args[] = {&byte};
	word = 0x5a5a5a5a5a5a5a5a;
	runtime_invoke("odd_byte", byte_args, &word);
	ok(word == 0xf0, "invoke widens unsigned results");
	odd_pair pair = {1, 2}, swapped;
	void *pair_args[] = {&pair};
	runtime_invoke("odd_swap", pair_args, &swapped);
	ok(swapped.x == 2 && swapped.y == 1, "invoke with structs");
	float x = 1.5f, sum;
	double y = 2.25;
	void *float_args[] = {&x, &y};
	runtime_invoke("odd_float", float_args, &sum);
	ok(sum == 3.75f, "invoke with floats");
}

int main()
{
	static const char *const names[] = {"straight", "recorded", "recorded with words", "out of line", "recorded in a full chunk"};

	mode_name = "the table";
	ok(runtime_api()->count == 23 && !runtime_function("odd_variadic"), "all functions but the variadic one have a shim");
	ok(!std::strcmp(runtime_api()->functions[0].name, "odd_narrow") && runtime_api()->functions[0].words == 8, "functions in order");
	for (int way = WAY_STRAIGHT; way <= WAY_RECORDED_FULL; way++) {
		mode_name = names[way];
		runtime_watch(static_cast<enum way>(way));
		runtime_record();
		call_everything();
		if (way == WAY_STRAIGHT)
			continue;
		ok((way == WAY_RECORDED_FULL) == (last.lost > 20) && runtime_depth() == 0, "all calls left");
		if (way == WAY_RECORDED_WITH_WORDS)
			check_words();
		if (way == WAY_OUT_OF_LINE)
			check_params();
		if (way == WAY_RECORDED || way == WAY_RECORDED_WITH_WORDS)
			check_moving(way == WAY_RECORDED_WITH_WORDS);
		check_unwinding("an exception ends the call once");
		if (way != WAY_OUT_OF_LINE)
			ok(last.unwound_words[0] == reinterpret_cast<uintptr_t>(thrower), "and its words are at hand");
		check_invoke();
	}
	std::printf("1..%d\n", tests);
	return failures != 0;
}
