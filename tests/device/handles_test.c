/* SPDX-License-Identifier: MIT */
/*
 * handles_test.c: tables of drivers' handles (layer/device/handles.h).
 */
#include <check.h>
#include <pthread.h>
#include <stdlib.h>

#include "layer/device/handles.h"

#define MANY 20000u /* several in each bucket */

struct thing {
	struct tl_handle handle;
	unsigned number;
};

static struct tl_handles table;

/* As handles are: addresses, 16 bytes apart. */
static const void *key(unsigned number)
{
	return (const void *)(uintptr_t)(0x55550000ul + 16ul * number);
}

static void put(struct thing *thing, unsigned at, unsigned number)
{
	thing->handle.key = key(at);
	thing->number = number;
	tl_handles_put(&table, &thing->handle);
}

static const struct thing *find(unsigned at)
{
	return (const struct thing *)tl_handles_find(&table, key(at));
}

static struct thing *fill(void)
{
	struct thing *things = calloc(MANY, sizeof(*things));

	ck_assert(things != NULL);
	table = (struct tl_handles){0};
	for (unsigned i = 0; i < MANY; i++)
		put(&things[i], i, i);
	return things;
}

START_TEST(each_is_found_by_its_handle)
{
	struct thing *things = fill();

	for (unsigned i = 0; i < MANY; i++)
		ck_assert_ptr_eq(find(i), &things[i]);
	ck_assert_ptr_null(find(MANY));
	ck_assert_ptr_null(tl_handles_find(&table, NULL));
	free(things);
}
END_TEST

START_TEST(handles_are_spread_over_the_buckets)
{
	struct thing *things = fill();

	for (unsigned i = 0; i < TL_HANDLE_BUCKETS; i++) {
		unsigned length = 0;
		for (struct tl_handle *handle = table.buckets[i]; handle; handle = handle->next)
			length++;
		ck_assert_uint_lt(length, 4 * MANY / TL_HANDLE_BUCKETS);
	}
	free(things);
}
END_TEST

START_TEST(what_is_taken_out_is_gone_and_the_rest_stays)
{
	struct thing *things = fill();

	for (unsigned i = 0; i < MANY; i += 2)
		ck_assert_ptr_eq(tl_handles_take(&table, key(i)), &things[i].handle);
	for (unsigned i = 0; i < MANY; i++)
		ck_assert_ptr_eq(find(i), i % 2 ? &things[i] : NULL);
	ck_assert_ptr_null(tl_handles_take(&table, key(0)));
	free(things);
}
END_TEST

START_TEST(a_newer_one_hides_an_older_until_it_is_taken_out)
{
	struct thing *things = fill(), newer = {.number = 0};

	put(&newer, 7, 1000);
	ck_assert_uint_eq(find(7)->number, 1000);
	tl_handles_take(&table, key(7));
	ck_assert_uint_eq(find(7)->number, 7);
	free(things);
}
END_TEST

/* How many were found that are others. */
static void *look(void *stop)
{
	uintptr_t wrong = 0;

	while (!atomic_load_explicit((_Atomic int *)stop, memory_order_relaxed))
		for (unsigned i = 0; i < MANY; i += 97) {
			const struct thing *thing = find(i);
			wrong += thing && thing->number != i;
		}
	return (void *)wrong;
}

START_TEST(others_look_while_one_puts_in)
{
	struct thing *things = calloc(MANY, sizeof(*things));
	_Atomic int stop = 0;
	pthread_t thread;
	void *wrong;

	table = (struct tl_handles){0};
	ck_assert_int_eq(pthread_create(&thread, NULL, look, &stop), 0);
	for (unsigned i = 0; i < MANY; i++)
		put(&things[i], i, i);
	stop = 1;
	pthread_join(thread, &wrong);
	ck_assert_ptr_null(wrong);
	for (unsigned i = 0; i < MANY; i++)
		ck_assert_ptr_eq(find(i), &things[i]);
	free(things);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("handles");
	TCase *tables = tcase_create("tables");
	SRunner *runner;

	tcase_add_test(tables, each_is_found_by_its_handle);
	tcase_add_test(tables, handles_are_spread_over_the_buckets);
	tcase_add_test(tables, what_is_taken_out_is_gone_and_the_rest_stays);
	tcase_add_test(tables, a_newer_one_hides_an_older_until_it_is_taken_out);
	tcase_add_test(tables, others_look_while_one_puts_in);
	suite_add_tcase(suite, tables);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
