/* SPDX-License-Identifier: MIT */
/*
 * describe_test.c: an API's description, read again, prints every record as the API's own tables
 * do; and what is not sound is left out, and nothing else.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "format/args/args.h"
#include "format/file/describe.h"
#include "tests/lib/args_table.h"
#include "tests/lib/random.h"

extern const struct tl_api tl_api_ze, tl_api_cl;

static const struct tl_api *const apis[] = {&tl_api_ze, &tl_api_cl, &table_api};
#define GENERATED 2
#define APIS	  ((int)(sizeof(apis) / sizeof(*apis)))

static struct tl_api *read_again(const struct tl_api *api)
{
	char why[256] = "";
	size_t size;
	void *bytes = tl_describe(api, &size);
	struct tl_api *again;

	ck_assert_ptr_nonnull(bytes);
	again = tl_describe_read(bytes, size, why, sizeof(why));
	ck_assert_msg(again != NULL, "%s", why);
	free(bytes);
	return again;
}

/* Values as they come: small numbers, enumerators, pointers, anything. */
static uint64_t random_word(const struct tl_function *function, uint32_t at)
{
	for (uint32_t i = 0; i < function->count; i++) {
		const struct tl_type *type = function->params[i].type;
		if (function->params[i].offset == at && type->enumerators && type->count &&
		    next_random() % 4)
			return type->enumerators[next_random() % type->count].value;
	}
	return next_random() >> next_random() % 64;
}

static size_t random_blobs(uint64_t *blobs, size_t words)
{
	for (size_t i = 0; i < words; i++)
		blobs[i] = next_random() % 3
				   ? next_random() >> next_random() % 64
				   : (uint64_t)(next_random() % 64) | next_random() % 8 << 32;
	return words * 8;
}

static size_t print(char *to, size_t room, const struct tl_function *function,
		    const uint64_t *words, const uint64_t *blobs, size_t entry, size_t exit,
		    uint64_t result)
{
	struct tl_text text = {to, to + room, false};

	const struct tl_args_kept kept = {.words = words,
					  .entry = blobs,
					  .exit = blobs + entry / 8,
					  .entry_size = entry,
					  .exit_size = exit,
					  .failed = tl_call_failed(function, result)};
	tl_args_print(&text, function, &kept);
	if (function->result->kind != TL_KIND_VOID && function->result->size <= 8)
		tl_value_print(&text, function->result, &result);
	tl_text_unsigned(&text, tl_call_failed(function, result));
	return (size_t)(text.at - to);
}

START_TEST(prints_as_the_tables_do)
{
	const struct tl_api *api = apis[_i];
	struct tl_api *again = read_again(api);
	static char ours[65536], theirs[65536];
	static uint64_t words[256], blobs[512];

	random_state = RANDOM_SEED;
	ck_assert_uint_eq(again->count, api->count);
	ck_assert_str_eq(again->name, api->name);
	ck_assert_str_eq(again->version, api->version ? api->version : "");
	for (uint32_t i = 0; i < api->count; i++) {
		const struct tl_function *function = &api->functions[i],
					 *twin = &again->functions[i];

		ck_assert_str_eq(twin->name, function->name);
		ck_assert_uint_eq(twin->words, function->words);
		ck_assert_uint_eq(twin->level, function->level);
		ck_assert_uint_eq(twin->layer, function->layer);
		ck_assert_uint_eq(twin->phase, function->phase);
		ck_assert_uint_eq(twin->flags, function->flags);
		ck_assert_uint_eq(twin->line, function->line);
		ck_assert_uint_eq(twin->index, i);
		ck_assert_ptr_eq(twin->api, again);
		for (int round = 0; round < 40; round++) {
			for (uint32_t word = 0; word < function->words; word++)
				words[word] = random_word(function, word);
			size_t entry = random_blobs(blobs, next_random() % 200),
			       exit = random_blobs(blobs + entry / 8, next_random() % 200);
			uint64_t result = next_random() % 2 ? next_random() : 0;
			size_t size = print(ours, sizeof(ours), function, words, blobs, entry, exit,
					    result);
			ck_assert_uint_eq(print(theirs, sizeof(theirs), twin, words, blobs, entry,
						exit, result),
					  size);
			ck_assert_msg(!memcmp(ours, theirs, size), "%.*s\n%.*s", (int)size, ours,
				      (int)size, theirs);
		}
	}
	tl_describe_free(again);
}
END_TEST

START_TEST(described_again_it_is_the_same)
{
	size_t size, again_size;
	void *bytes = tl_describe(apis[_i], &size), *again_bytes;
	struct tl_api *again = read_again(apis[_i]);

	again_bytes = tl_describe(again, &again_size);
	ck_assert_uint_eq(again_size, size);
	ck_assert(!memcmp(bytes, again_bytes, size));
	free(bytes);
	free(again_bytes);
	tl_describe_free(again);
}
END_TEST

/* tracegen put it there from its own tables; here it is made from those that were compiled. */
START_TEST(tables_carry_their_description)
{
	size_t size;
	void *bytes = tl_describe_packed(apis[_i], &size);

	ck_assert_uint_eq(apis[_i]->description_size, size);
	ck_assert(!memcmp(apis[_i]->description, bytes, size));
	free(bytes);
}
END_TEST

START_TEST(packed_it_is_the_same)
{
	size_t size, packed_size, again_size;
	char why[256] = "";
	void *bytes = tl_describe(apis[_i], &size);
	void *packed = tl_describe_packed(apis[_i], &packed_size);

	ck_assert_uint_lt(packed_size, size);
	ck_assert_int_eq(memcmp(packed, TL_DESCRIPTION_PACKED, sizeof(TL_DESCRIPTION_PACKED)), 0);
	struct tl_api *read = tl_describe_read(packed, packed_size, why, sizeof(why));
	ck_assert_msg(read != NULL, "%s", why);
	void *again = tl_describe(read, &again_size);
	ck_assert_uint_eq(again_size, size);
	ck_assert(!memcmp(bytes, again, size));
	free(bytes);
	free(packed);
	free(again);
	tl_describe_free(read);
}
END_TEST

/* A packed description, read with another number of unpacked bytes in it. */
static bool packed_is_read(const char *packed, size_t size, uint64_t says, const char *wanted)
{
	size_t head = sizeof(TL_DESCRIPTION_PACKED), old = head, at = head;
	char *bytes = malloc(size + 16), why[128] = "";

	while (packed[old++] & 0x80)
		;
	memcpy(bytes, packed, head);
	for (; says > 0x7f; says >>= 7)
		bytes[at++] = (char)(says | 0x80);
	bytes[at++] = (char)says;
	memcpy(bytes + at, packed + old, size - old);
	struct tl_api *api = tl_describe_read(bytes, at + size - old, why, sizeof(why));
	ck_assert_msg(api || strstr(why, wanted), "%s", why);
	free(bytes);
	tl_describe_free(api);
	return api;
}

START_TEST(packed_it_has_the_size_that_it_says)
{
	size_t plain, size;
	void *bytes = tl_describe(&table_api, &plain);
	char *packed = tl_describe_packed(&table_api, &size);

	ck_assert(packed_is_read(packed, size, plain, ""));
	ck_assert(!packed_is_read(packed, size, plain - 1, "it can't be unpacked"));
	ck_assert(!packed_is_read(packed, size, plain + 1, "it can't be unpacked"));
	ck_assert(!packed_is_read(packed, size, 0, "it can't be unpacked"));
	ck_assert(!packed_is_read(packed, size, TL_DESCRIPTION_UNPACKED_MAX, "where at most"));
	packed = realloc(packed, size + 1);
	packed[size] = 0;
	ck_assert(!packed_is_read(packed, size + 1, plain, "it can't be unpacked"));
	free(bytes);
	free(packed);
}
END_TEST

/* A file of a few kB could take gigabytes of memory, and one of a few MB hours. */
START_TEST(packed_it_may_not_be_much_more_than_its_stream)
{
	static const int64_t zeros[100000];
	const struct tl_api api = {
		.name = "api", .successes = zeros, .nsuccesses = sizeof(zeros) / sizeof(*zeros)};
	size_t plain, size, at = sizeof(TL_DESCRIPTION_PACKED);
	uLongf stream = compressBound(sizeof(zeros));
	void *bytes = tl_describe(&api, &plain), *as_it_is = tl_describe_packed(&api, &size);
	char why[128], *bomb = malloc(at + 4 + stream);

	ck_assert_uint_eq(size, plain);
	ck_assert(!memcmp(bytes, as_it_is, size));
	memcpy(bomb, TL_DESCRIPTION_PACKED, at);
	for (size_t left = plain; left; left >>= 7)
		bomb[at++] = (char)((left & 0x7f) | (left > 0x7f ? 0x80 : 0));
	ck_assert_int_eq(compress((Bytef *)bomb + at, &stream, bytes, plain), Z_OK);
	ck_assert_uint_gt(plain, 100 * stream);
	ck_assert(!tl_describe_read(bomb, at + stream, why, sizeof(why)));
	ck_assert_msg(strstr(why, "where at most"), "%s", why);
	free(bytes);
	free(as_it_is);
	free(bomb);
}
END_TEST

/* Or it is as it was: a stream has bits that say nothing, behind its last code. */
START_TEST(packed_and_damaged_it_is_refused)
{
	size_t size, plain_size, again_size;
	char *bytes = tl_describe_packed(&table_api, &size), why[128];
	void *plain = tl_describe(&table_api, &plain_size);
	size_t taken = 0;

	for (size_t cut = 0; cut < size; cut++) {
		why[0] = 0;
		ck_assert(!tl_describe_read(bytes, cut, why, sizeof(why)));
		ck_assert(*why);
		bytes[cut] ^= 0x10;
		why[0] = 0;
		struct tl_api *api = tl_describe_read(bytes, size, why, sizeof(why));
		void *again = api ? tl_describe(api, &again_size) : NULL;
		ck_assert(api ? again_size == plain_size && !memcmp(again, plain, plain_size)
			      : *why != 0);
		taken += api != NULL;
		bytes[cut] ^= 0x10;
		free(again);
		tl_describe_free(api);
	}
	ck_assert_uint_le(taken, 1);
	free(plain);
	free(bytes);
}
END_TEST

START_TEST(cut_short_it_is_refused)
{
	size_t size;
	char *bytes = tl_describe(&table_api, &size), why[128];

	for (size_t cut = 0; cut < size; cut++) {
		char *exact = malloc(cut ? cut : 1);
		memcpy(exact, bytes, cut);
		why[0] = 0;
		ck_assert_msg(!tl_describe_read(exact, cut, why, sizeof(why)),
			      "of %zu bytes, %zu are enough", size, cut);
		ck_assert(*why);
		free(exact);
	}
	free(bytes);
}
END_TEST

/* What a hostile file may say, each in tables made by hand. */
static struct tl_type bad_types[8];
static struct tl_variable bad_members[8], bad_params[4];
static struct tl_function bad_function;
static struct tl_api bad_api;

static void one_function_of(const struct tl_type *type, uint16_t words)
{
	bad_params[0] = (struct tl_variable){.name = "p", .type = type, .words = words};
	bad_function = (struct tl_function){.name = "f",
					    .result = &bad_types[0],
					    .params = bad_params,
					    .api = &bad_api,
					    .count = 1,
					    .words = words,
					    .file = ""};
	bad_api = (struct tl_api){
		.name = "bad", .version = "1", .functions = &bad_function, .count = 1};
	bad_types[0] = (struct tl_type){.name = "int", .kind = TL_KIND_INT, .size = 4};
}

/*
 * What is read of the tables: each is taken, whatever it says. Whether the function's parameter is shown,
 * and has members or elements, if its type is one that can have such.
 */
static bool taken_whole(void)
{
	char why[256] = "";
	size_t size;
	void *bytes = tl_describe(&bad_api, &size);
	struct tl_api *api = tl_describe_read(bytes, size, why, sizeof(why));

	ck_assert_msg(api != NULL, "%s", why);
	const struct tl_function *function = &api->functions[0];
	bool whole = function->count == bad_function.count;
	for (uint32_t i = 0; i < function->count; i++) {
		const struct tl_type *type = function->params[i].type,
				     *wanted = bad_function.params[i].type;
		for (int depth = 0; depth < 32 && whole; depth++) {
			whole = type->kind == wanted->kind && type->count == wanted->count &&
				type->size == wanted->size;
			if (!whole || !type->count)
				break;
			if (type->kind != TL_KIND_STRUCT && type->kind != TL_KIND_ARRAY)
				break;
			bool array = type->kind == TL_KIND_ARRAY;
			type = array ? type->target : type->members[0].type;
			wanted = array ? wanted->target : wanted->members[0].type;
		}
	}
	/* Printing it is safe, which sanitizers see. */
	static const uint64_t words[64];
	static char to[65536];
	if (function->words <= 64)
		print(to, sizeof(to), function, words, words, 0, 0, 0);
	free(bytes);
	tl_describe_free(api);
	return whole;
}

static void a_struct_of(uint32_t size, const struct tl_type *member, uint32_t offset)
{
	one_function_of(&bad_types[1], 2);
	bad_types[1] = (struct tl_type){.name = "s",
					.kind = TL_KIND_STRUCT,
					.size = size,
					.count = 1,
					.members = bad_members};
	bad_members[0] = (struct tl_variable){.name = "m", .type = member, .offset = offset};
}

START_TEST(members_lie_within_their_struct)
{
	a_struct_of(8, &bad_types[0], 4);
	ck_assert(taken_whole());
	a_struct_of(8, &bad_types[0], 5);
	ck_assert(!taken_whole());
	a_struct_of(8, &bad_types[0], 0xfffffffc);
	ck_assert(!taken_whole());
}
END_TEST

START_TEST(a_type_does_not_hold_itself)
{
	a_struct_of(8, &bad_types[1], 0);
	ck_assert(!taken_whole());
	a_struct_of(8, &bad_types[2], 0);
	bad_types[2] = (struct tl_type){
		.name = "a", .kind = TL_KIND_ARRAY, .size = 8, .count = 1, .target = &bad_types[1]};
	ck_assert(!taken_whole());
	/* Through a pointer it may. */
	bad_types[2] = (struct tl_type){
		.name = "p", .kind = TL_KIND_POINTER, .size = 8, .target = &bad_types[1]};
	ck_assert(taken_whole());
}
END_TEST

START_TEST(members_may_overlap)
{
	a_struct_of(8, &bad_types[0], 0);
	bad_types[1].count = 2;
	bad_members[1] = (struct tl_variable){.name = "n", .type = &bad_types[0], .offset = 4};
	ck_assert(taken_whole());
	/* Rust's compiler orders members as it likes; an empty one of C++ takes no place of its own. */
	bad_members[1].offset = 2;
	ck_assert(taken_whole());
	bad_members[0].offset = 4;
	bad_members[1].offset = 0;
	ck_assert(taken_whole());
	bad_members[0].offset = 0;
	bad_members[1].bit_width = 3;
	ck_assert(taken_whole());
	/* A packed struct may end before the unit does. */
	bad_members[1].offset = 7;
	bad_members[1].bit_offset = 5;
	ck_assert(taken_whole());
	bad_members[1].bit_width = 4;
	ck_assert(!taken_whole());
}
END_TEST

START_TEST(arrays_hold_their_elements)
{
	a_struct_of(16, &bad_types[2], 0);
	bad_types[2] = (struct tl_type){.name = "a",
					.kind = TL_KIND_ARRAY,
					.size = 16,
					.count = 4,
					.target = &bad_types[0]};
	ck_assert(taken_whole());
	bad_types[2].count = 5;
	ck_assert(!taken_whole());
	bad_types[2].count = 0x40000001;
	ck_assert(!taken_whole());
	bad_types[3] = (struct tl_type){.name = "void", .kind = TL_KIND_VOID};
	bad_types[2].target = &bad_types[3];
	ck_assert(!taken_whole());
}
END_TEST

START_TEST(parameters_fit_their_words)
{
	one_function_of(&bad_types[0], 1);
	ck_assert(taken_whole());
	bad_params[0].offset = 1;
	ck_assert(!taken_whole());
	one_function_of(&bad_types[0], 1);
	bad_function.count = bad_function.words = 2;
	bad_params[1] = bad_params[0];
	ck_assert(!taken_whole());
	bad_params[1].offset = 1;
	ck_assert(taken_whole());
	a_struct_of(16, &bad_types[0], 0);
	ck_assert(taken_whole());
	bad_types[1].size = 17;
	ck_assert(!taken_whole());
}
END_TEST

START_TEST(things_of_no_size_may_be_many)
{
	a_struct_of(0, &bad_types[2], 0);
	bad_types[2] = (struct tl_type){.name = "empty", .kind = TL_KIND_STRUCT};
	static struct tl_variable members[12];
	for (int i = 0; i < 12; i++)
		members[i] = (struct tl_variable){.name = "e", .type = &bad_types[2]};
	bad_types[1].members = members;
	bad_types[1].count = 12;
	ck_assert(taken_whole());
	a_struct_of(1, &bad_types[3], 0);
	bad_types[3] = (struct tl_type){
		.name = "a", .kind = TL_KIND_ARRAY, .count = 3, .target = &bad_types[2]};
	ck_assert(taken_whole());
	bad_types[3].count = UINT32_MAX;
	ck_assert(!taken_whole());
}
END_TEST

START_TEST(a_walk_ends_soon)
{
	static struct tl_type doubled[16];
	static struct tl_variable members[16][16];

	/* Each has the one before it 16 times, at the same place. */
	for (int i = 0; i < 16; i++) {
		doubled[i] = (struct tl_type){.name = "d",
					      .kind = TL_KIND_STRUCT,
					      .size = 4,
					      .count = 16,
					      .members = members[i]};
		for (int j = 0; j < 16; j++)
			members[i][j] = (struct tl_variable){
				.name = "m", .type = i ? &doubled[i - 1] : &bad_types[0]};
	}
	a_struct_of(4, &doubled[1], 0);
	ck_assert(taken_whole());
	a_struct_of(4, &doubled[15], 0);
	ck_assert(!taken_whole());
}
END_TEST

START_TEST(types_nest_so_deep)
{
	static struct tl_type deeper[512];
	static struct tl_variable members[512];

	for (int i = 0; i < 512; i++) {
		deeper[i] = (struct tl_type){.name = "d",
					     .kind = TL_KIND_STRUCT,
					     .size = 4,
					     .count = 1,
					     .members = &members[i]};
		members[i] = (struct tl_variable){.name = "m",
						  .type = i ? &deeper[i - 1] : &bad_types[0]};
	}
	a_struct_of(4, &deeper[14], 0);
	ck_assert(taken_whole());
	a_struct_of(4, &deeper[16], 0);
	ck_assert(!taken_whole());
	a_struct_of(4, &deeper[511], 0);
	ck_assert(!taken_whole());
}
END_TEST

START_TEST(names_have_nothing_that_json_minds)
{
	static const char *const names[][2] = {
		{"a\"b", "a?b"},	 {"a\\b", "a?b"},
		{"a\nb", "a?b"},	 {"\xff", "?"},
		{"\xe0\x80\x80", "???"}, {"\xed\xa0\x80", "???"},
		{"\xc3", "?"},		 {"gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f"}};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		one_function_of(&bad_types[0], 1);
		bad_params[0].name = names[i][0];
		struct tl_api *again = read_again(&bad_api);
		ck_assert_str_eq(again->functions[0].params[0].name, names[i][1]);
		tl_describe_free(again);
	}
}
END_TEST

START_TEST(names_may_be_long)
{
	static char name[60000];

	memset(name, 'f', sizeof(name) - 1);
	one_function_of(&bad_types[0], 1);
	bad_function.name = name;
	bad_params[0].name = name;
	struct tl_api *again = read_again(&bad_api);
	ck_assert_str_eq(again->functions[0].name, name);
	tl_describe_free(again);
	ck_assert(taken_whole());
}
END_TEST

START_TEST(an_odd_type_costs_no_other)
{
	static struct tl_function functions[2];

	a_struct_of(8, &bad_types[0], 5);
	functions[0] = bad_function;
	functions[1] = (struct tl_function){.name = "g", .result = &bad_types[0], .file = ""};
	bad_api.functions = functions;
	bad_api.count = 2;
	struct tl_api *again = read_again(&bad_api);
	ck_assert_str_eq(again->functions[0].name, "f");
	ck_assert_uint_eq(again->functions[0].words, 2);
	ck_assert_uint_eq(again->functions[0].params[0].type->size, 8);
	ck_assert_uint_eq(again->functions[0].params[0].type->count, 0);
	ck_assert_str_eq(again->functions[1].name, "g");
	tl_describe_free(again);
}
END_TEST

START_TEST(sizes_are_those_of_their_kinds)
{
	static const struct {
		uint8_t kind;
		uint32_t size;
	} bad[] = {
		{TL_KIND_INT, 0},     {TL_KIND_ENUM, 3}, {TL_KIND_FLAGS, 16}, {TL_KIND_POINTER, 4},
		{TL_KIND_HANDLE, 12}, {TL_KIND_CHAR, 0}, {TL_KIND_FLOAT, 64}, {TL_KIND_VOID, 2},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		one_function_of(&bad_types[1], 8);
		bad_types[1] =
			(struct tl_type){.name = "t", .kind = bad[i].kind, .size = bad[i].size};
		ck_assert_msg(!taken_whole(), "kind %d of %u bytes", bad[i].kind, bad[i].size);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("describe");
	TCase *round = tcase_create("round trip"), *hostile = tcase_create("hostile");
	SRunner *runner;
	int failed;

	tcase_add_loop_test(round, prints_as_the_tables_do, 0, APIS);
	tcase_add_loop_test(round, described_again_it_is_the_same, 0, APIS);
	tcase_add_loop_test(round, tables_carry_their_description, 0, GENERATED);
	tcase_add_loop_test(round, packed_it_is_the_same, 0, APIS);
	tcase_add_test(hostile, packed_it_has_the_size_that_it_says);
	tcase_add_test(hostile, packed_it_may_not_be_much_more_than_its_stream);
	tcase_add_test(hostile, packed_and_damaged_it_is_refused);
	tcase_add_test(hostile, cut_short_it_is_refused);
	tcase_add_test(hostile, members_lie_within_their_struct);
	tcase_add_test(hostile, a_type_does_not_hold_itself);
	tcase_add_test(hostile, members_may_overlap);
	tcase_add_test(hostile, things_of_no_size_may_be_many);
	tcase_add_test(hostile, a_walk_ends_soon);
	tcase_add_test(hostile, types_nest_so_deep);
	tcase_add_test(hostile, names_may_be_long);
	tcase_add_test(hostile, an_odd_type_costs_no_other);
	tcase_add_test(hostile, arrays_hold_their_elements);
	tcase_add_test(hostile, parameters_fit_their_words);
	tcase_add_test(hostile, names_have_nothing_that_json_minds);
	tcase_add_test(hostile, sizes_are_those_of_their_kinds);
	suite_add_tcase(suite, round);
	suite_add_tcase(suite, hostile);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
