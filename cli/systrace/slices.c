/* SPDX-License-Identifier: MIT */
/*
 * slices.c: see slices.h.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/systrace/nn_names.h"
#include "cli/systrace/slices.h"
#include "cli/read/read.h"

#define LATEST	  (INT64_C(1) << 59) /* no clock reaches this */
#define MARK_SIGN "[NN_"

/* ---- reading ---- */

static const char *text_in(const json_t *event, const char *member)
{
	const char *text = json_string_value(json_object_get(event, member));

	return text ? text : "";
}

/* 0 for a string: other tools use strings as numbers of threads. */
static uint64_t number_in(const json_t *event, const char *member)
{
	double number = json_number_value(json_object_get(event, member));

	return number > 0 && number < 1e15 ? (uint64_t)number : 0;
}

static int64_t time_in(const json_t *event, const char *member)
{
	long long time = event_nanoseconds(event, member, 0);

	return time < 0 ? 0 : time > LATEST ? LATEST : time;
}

static uint32_t thread_of(struct slices *slices, const json_t *event)
{
	uint64_t pid = number_in(event, "pid"), tid = number_in(event, "tid");
	char key[64];

	snprintf(key, sizeof(key), "%llu %llu", (unsigned long long)pid, (unsigned long long)tid);
	uint32_t number = names_number(&slices->thread_keys, key);
	if (number == slices->nthreads) {
		slices->threads =
			need(reallocarray(slices->threads, number + 1, sizeof(*slices->threads)));
		slices->threads[slices->nthreads++] = (struct slice_thread){.pid = pid, .tid = tid};
	}
	return number;
}

/* The word NN_LD_PE of a call's category. */
static void find_stage(struct slice *slice, const char *category)
{
	const char *word = strstr(category, ",NN_"), *nn_layer = word ? word + 4 : "",
		   *nn_phase = strchr(nn_layer, '_');

	if (!nn_phase)
		return;
	slice->nn_layer = nn_layer_number(nn_layer, (size_t)(nn_phase - nn_layer));
	nn_phase++;
	slice->nn_phase = nn_phase_number(nn_phase, strcspn(nn_phase, ","));
}

static struct slice *slices_add(struct slices *slices)
{
	if (slices->count == slices->room) {
		slices->room = slices->room ? 2 * slices->room : 1024;
		slices->list =
			need(reallocarray(slices->list, slices->room, sizeof(*slices->list)));
	}
	slices->list[slices->count] =
		(struct slice){.order = (uint32_t)slices->count, .nn_layer = NN_LAYER_NONE};
	return &slices->list[slices->count++];
}

static uint32_t name_of(struct slices *slices, const json_t *event)
{
	const char *name = text_in(event, "name");

	slices->any_mark |= strstr(name, MARK_SIGN) != NULL;
	return names_number(&slices->names, name);
}

static void name_slice(const struct slices *slices, struct slice *slice, uint32_t name)
{
	slice->name = name;
	slice->is_mark = strstr(slices->names.list[name], MARK_SIGN) != NULL;
}

static void complete_event(struct slices *slices, const json_t *event)
{
	uint32_t thread = thread_of(slices, event);
	struct slice *slice = slices_add(slices);

	slice->thread = thread;
	slice->start = time_in(event, "ts");
	slice->end = slice->start + time_in(event, "dur");
	if (json_is_true(json_object_get(json_object_get(event, "args"), "unfinished")))
		slice->end = SLICE_OPEN;
	name_slice(slices, slice, name_of(slices, event));
	find_stage(slice, text_in(event, "cat"));
}

static void begin_event(struct slices *slices, const json_t *event)
{
	uint32_t number = thread_of(slices, event);
	struct slice_thread *thread = &slices->threads[number];

	if (thread->depth == thread->room) {
		thread->room = thread->room ? 2 * thread->room : 16;
		thread->begun =
			need(reallocarray(thread->begun, thread->room, sizeof(*thread->begun)));
	}
	thread->begun[thread->depth++] =
		(struct slice_begun){time_in(event, "ts"), name_of(slices, event)};
}

static void end_innermost(struct slices *slices, uint32_t number, int64_t end)
{
	struct slice_thread *thread = &slices->threads[number];
	struct slice_begun begun = thread->begun[--thread->depth];
	struct slice *slice = slices_add(slices);

	slice->thread = number;
	slice->start = begun.start;
	slice->end = end > begun.start ? end : begun.start;
	name_slice(slices, slice, begun.name);
}

static void metadata_event(struct slices *slices, const json_t *event)
{
	const char *what = text_in(event, "name"),
		   *name = text_in(json_object_get(event, "args"), "name");
	uint32_t thread = thread_of(slices, event);
	char **place = NULL;

	if (!strcmp(what, "thread_name"))
		place = &slices->threads[thread].name;
	else if (!strcmp(what, "process_name"))
		place = &slices->process;
	if (!place)
		return;
	free(*place);
	*place = need(strdup(name));
}

void slices_event(struct slices *slices, const json_t *event)
{
	const char *phase = text_in(event, "ph");

	if (!*phase || phase[1])
		return;
	if (*phase == 'M') {
		metadata_event(slices, event);
	} else if (*phase == 'X') {
		complete_event(slices, event);
	} else if (*phase == 'B') {
		begin_event(slices, event);
	} else if (*phase == 'E') {
		uint32_t thread = thread_of(slices, event);

		if (slices->threads[thread].depth)
			end_innermost(slices, thread, time_in(event, "ts"));
		else
			slices->stray++;
	}
}

/* ---- order ---- */

/* If two slices have the same times, the one that ended last is the outer one. */
static int outer_first(const void *a, const void *b)
{
	const struct slice *one = a, *other = b;

	if (one->thread != other->thread)
		return one->thread < other->thread ? -1 : 1;
	if (one->start != other->start)
		return one->start < other->start ? -1 : 1;
	if (one->end != other->end)
		return one->end > other->end ? -1 : 1;
	return one->order > other->order ? -1 : one->order < other->order;
}

void slices_add_around(struct slices *slices, uint32_t thread, const char *name, int64_t start,
		       int64_t end)
{
	struct slice *slice = slices_add(slices);

	slice->thread = thread;
	slice->start = start;
	slice->end = end;
	slice->order = UINT32_MAX;
	slice->name = names_number(&slices->names, name);
	slice->is_mark = true;
}

/* Which calls have marks in them. */
static void find_marks_within(struct slices *slices, const struct slice_thread *thread)
{
	struct slice **stack = need(calloc(thread->last - thread->first + 1, sizeof(*stack)));
	size_t depth = 0;

	for (size_t i = thread->first; i < thread->last; i++) {
		struct slice *slice = &slices->list[i];

		while (depth && !slice_is_in(slice, stack[depth - 1]->start, stack[depth - 1]->end))
			depth--;
		for (size_t above = depth;
		     slice->is_mark && above > 0 && !stack[above - 1]->holds_mark; above--)
			stack[above - 1]->holds_mark = true;
		stack[depth++] = slice;
	}
	free(stack);
}

void slices_arrange(struct slices *slices)
{
	/* The outer ones end last. */
	for (uint32_t thread = 0; thread < slices->nthreads; thread++)
		while (slices->threads[thread].depth)
			end_innermost(slices, thread, SLICE_OPEN);
	if (slices->count)
		qsort(slices->list, slices->count, sizeof(*slices->list), outer_first);
	for (size_t i = 0; i < slices->count; i++) {
		struct slice_thread *thread = &slices->threads[slices->list[i].thread];

		if (!thread->last)
			thread->first = i;
		thread->last = i + 1;
	}
	for (uint32_t thread = 0; thread < slices->nthreads; thread++)
		find_marks_within(slices, &slices->threads[thread]);
}

void slices_free(struct slices *slices)
{
	for (uint32_t i = 0; i < slices->nthreads; i++) {
		free(slices->threads[i].name);
		free(slices->threads[i].begun);
	}
	free(slices->threads);
	free(slices->list);
	free(slices->process);
	names_free(&slices->names);
	names_free(&slices->thread_keys);
}
