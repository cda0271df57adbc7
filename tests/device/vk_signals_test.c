/* SPDX-License-Identifier: MIT */
/*
 * vk_signals_test.c: which batches of Vulkan have ended, by what was found signaled
 * (layer/device/vulkan/vulkan_signals.h). Its file is compiled in here, with a malloc that counts.
 */
#include <check.h>
#include <stdlib.h>

static unsigned allocated;

static void *counted(size_t size)
{
	allocated++;
	return calloc(1, size);
}
#define malloc counted
#include "layer/device/vulkan/vulkan_signals.c"
#undef malloc

static struct vk_device device;
static struct vk_queue queue;
static struct vk_batch batches[100];

static const void *handle(unsigned number)
{
	return (const void *)(uintptr_t)(0x55550000ul + 16ul * number);
}

/* A queue of the device, with batches 1, 2, … */
static void submit(unsigned count)
{
	queue = (struct vk_queue){.device = &device, .first = batches};
	device = (struct vk_device){.queues = &queue};
	for (unsigned i = 0; i < count; i++)
		batches[i] = (struct vk_batch){.number = i + 1, .next = &batches[i + 1]};
	batches[count - 1].next = NULL;
}

/* The first batch is reported. */
static void report(void)
{
	queue.first = queue.first->next;
	tl_vk_signals_drop(&queue);
}

START_TEST(a_signal_says_that_the_batches_before_it_have_ended)
{
	submit(3);
	tl_vk_signal_add(&queue, handle(1), 0);
	for (queue.number = 1; queue.number <= 3; queue.number++) {
		tl_vk_signal_add(&queue, handle(1 + queue.number), 0);
		tl_vk_signal_add(&queue, handle(9), 10 * queue.number);
	}
	queue.number = 3;
	ck_assert_uint_eq(tl_vk_signal_number(&queue, handle(1), 0), 0);
	ck_assert_uint_eq(tl_vk_signal_number(&queue, handle(2), 0), 1);
	ck_assert_uint_eq(tl_vk_signal_number(&queue, handle(4), 0), 3);
	ck_assert_uint_eq(tl_vk_signal_number(&queue, handle(9), 9), 0);
	ck_assert_uint_eq(tl_vk_signal_number(&queue, handle(9), 29), 2);
	ck_assert_uint_eq(tl_vk_signal_number(&queue, handle(9), 30), 3);
	report();
	ck_assert_uint_eq(tl_vk_signal_number(&queue, handle(2), 0), 0);
	ck_assert_uint_eq(tl_vk_signal_number(&queue, handle(3), 0), 2);
	tl_vk_signals_forget(&device, handle(9));
	ck_assert_uint_eq(tl_vk_signal_number(&queue, handle(9), 30), 0);
	ck_assert_uint_eq(tl_vk_signal_number(&queue, handle(4), 0), 3);
	report();
	report();
	ck_assert_ptr_null(queue.signals);
	ck_assert_ptr_null(queue.last_signal);
}
END_TEST

START_TEST(a_fence_and_a_semaphore_may_have_the_same_handle)
{
	submit(3);
	queue.number = 1;
	tl_vk_signal_add(&queue, handle(1), 7);
	tl_vk_signal_add(&queue, handle(1), 0);
	queue.number = 2;
	tl_vk_signal_add(&queue, handle(1), 0);
	queue.number = 3;
	tl_vk_signal_add(&queue, handle(1), 8);
	ck_assert_uint_eq(tl_vk_signal_number(&queue, handle(1), 0), 2);
	ck_assert_uint_eq(tl_vk_signal_number(&queue, handle(1), 6), 0);
	ck_assert_uint_eq(tl_vk_signal_number(&queue, handle(1), 7), 1);
	ck_assert_uint_eq(tl_vk_signal_number(&queue, handle(1), 8), 3);
	report();
	ck_assert_uint_eq(tl_vk_signal_number(&queue, handle(1), 7), 0);
}
END_TEST

START_TEST(signals_behind_the_last_batch_take_no_memory_for_ever)
{
	submit(2);
	queue.number = 2;
	for (unsigned i = 1; i <= 100; i++) {
		tl_vk_signal_add(&queue, handle(i % 4), i);
		tl_vk_signal_add(&queue, handle(4), 0);
	}
	ck_assert_uint_eq(allocated, 5);
	ck_assert_uint_eq(tl_vk_signal_number(&queue, handle(1), 1), 2);
	ck_assert_uint_eq(tl_vk_signal_number(&queue, handle(1), 100), 2);
	report();
	report();
	submit(1);
	for (queue.number = 1; queue.number <= 5; queue.number++)
		tl_vk_signal_add(&queue, handle(1), queue.number);
	ck_assert_uint_eq(allocated, 5);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("vk_signals");
	TCase *signals = tcase_create("signals");
	SRunner *runner;

	tcase_add_test(signals, a_signal_says_that_the_batches_before_it_have_ended);
	tcase_add_test(signals, a_fence_and_a_semaphore_may_have_the_same_handle);
	tcase_add_test(signals, signals_behind_the_last_batch_take_no_memory_for_ever);
	suite_add_tcase(suite, signals);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
