/* SPDX-License-Identifier: MIT */
/*
 * phase_threads.c: see phase_threads.h.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/systrace/systrace.h"
#include "cli/phases/phase_threads.h"

/* ---- processes ---- */

/* The text that names a process, as a number that is not 0. */
static uint64_t process_named(const char *text, size_t size)
{
	uint64_t number = 0, hash = 0xcbf29ce484222325;
	bool is_number = size && size <= 18;

	for (size_t i = 0; i < size; i++) {
		is_number &= text[i] >= '0' && text[i] <= '9';
		number = 10 * number + (uint64_t)(text[i] - '0');
		hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3;
	}
	return is_number ? number + 1 : hash | (uint64_t)1 << 63;
}

/* The second of the fields that bars part, or NULL. */
static const char *second_field(const struct row *row, size_t *size)
{
	const char *end = row->mark + row->mark_size, *bar = memchr(row->mark, '|', row->mark_size),
		   *next;

	if (!bar)
		return NULL;
	next = memchr(bar + 1, '|', (size_t)(end - bar - 1));
	*size = (size_t)((next ? next : end) - bar - 1);
	return bar + 1;
}

/* ftrace did not know it. */
static bool is_dashes(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (text[i] != '-')
			return false;
	return size > 0;
}

/* The process that the row says; 0: none. */
static uint64_t process_of(const struct row *row)
{
	size_t size;
	const char *field;

	if (row->process && !is_dashes(row->process, row->process_size))
		return process_named(row->process, row->process_size);
	field = second_field(row, &size);
	if (!field || (row->process && !(size && field[0] >= '0' && field[0] <= '9')))
		return 0;
	return process_named(field, size);
}

/* ---- threads ---- */

static struct thread *thread_of(struct threads *threads, uint64_t number)
{
	struct numbers *numbers = &threads->numbers;

	if (!numbers->count || numbers->list[threads->last] != number) {
		uint32_t before = numbers->count;

		threads->last = numbers_add(numbers, number);
		if (numbers->count > threads->room) {
			threads->room = threads->room ? 2 * threads->room : 64;
			threads->list = need(
				reallocarray(threads->list, threads->room, sizeof(*threads->list)));
		}
		if (numbers->count > before)
			threads->list[threads->last] = (struct thread){0};
	}
	return &threads->list[threads->last];
}

static void thread_keep_task(struct thread *thread, const struct row *row)
{
	if (thread->task && strlen(thread->task) == row->task_size &&
	    !memcmp(thread->task, row->task, row->task_size))
		return;
	free(thread->task);
	thread->task = need(strndup(row->task, row->task_size));
}

void threads_row(struct threads *threads, const struct row *row)
{
	struct thread *thread = thread_of(threads, row->thread);
	uint64_t process = process_of(row);
	bool is_nn, is_driver;

	if (threads->keeps_tasks)
		thread_keep_task(thread, row);
	if (process) {
		thread->process = process;
	} else if ((!thread->process || row->process) && !thread->is_lost) {
		thread->is_lost = true;
		thread->lost_offset = row->offset;
	}
	if (row->mark[0] == 'E' && row->mark_size < 16)
		return; /* too short for what follows */
	is_nn = row_has(row->mark, row->mark_size, "[NN");
	is_driver = row_has(row->mark, row->mark_size, MARK_DEVICE) &&
		    row_has(row->mark, row->mark_size, "::server");
	if (is_driver)
		numbers_add(&threads->drivers, thread->process);
	if (!is_nn && !is_driver)
		return;
	if (!thread->tracker)
		thread->tracker = 1 + numbers_add(&threads->tracked, row->thread);
	thread->tracked_process = thread->process;
	if (is_nn && row_has(row->mark, row->mark_size, "NN_LR"))
		threads->has_runtime = true;
}

uint32_t threads_tracked(struct threads *threads, uint64_t number)
{
	if (!threads->numbers.count)
		return NO_NUMBER;
	if (threads->numbers.list[threads->last] != number) {
		uint32_t place = numbers_find(&threads->numbers, number);

		if (place == NO_NUMBER)
			return NO_NUMBER;
		threads->last = place;
	}
	return threads->list[threads->last].tracker - 1;
}

const struct thread *threads_at(const struct threads *threads, uint32_t tracked)
{
	return &threads->list[numbers_find(&threads->numbers, threads->tracked.list[tracked])];
}

bool threads_is_driver(const struct threads *threads, uint32_t tracked)
{
	return numbers_find(&threads->drivers, threads_at(threads, tracked)->tracked_process) !=
	       NO_NUMBER;
}

uint64_t threads_process(const struct thread *thread)
{
	return thread->tracked_process >> 63 ? 0 : thread->tracked_process - 1;
}

const char *threads_task(const struct threads *threads, uint64_t number)
{
	uint32_t place = numbers_find(&threads->numbers, number);

	return place == NO_NUMBER ? NULL : threads->list[place].task;
}

void threads_free(struct threads *threads)
{
	for (uint32_t i = 0; i < threads->numbers.count; i++)
		free(threads->list[i].task);
	numbers_free(&threads->numbers);
	numbers_free(&threads->tracked);
	numbers_free(&threads->drivers);
	free(threads->list);
}
