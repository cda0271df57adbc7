/* SPDX-License-Identifier: MIT */
/*
 * open_marks.c: see open_marks.h. Threads lie in a table with open addressing; a thread is removed
 * only when it has no mark. Each thread's marks are a list, the last one first.
 */
#include "format/encode/open_marks.h"

#include <string.h>

/* The thread's place, or a free one for it; NULL: there is neither. */
static struct tl_open_marks_thread *marks_thread(struct tl_open_marks_state *state, uint32_t tid)
{
	for (uint32_t i = 0; i < 16; i++) {
		struct tl_open_marks_thread *thread =
			&state->threads[(tid * 2654435761u + i) % TL_OPEN_MARKS_THREADS];

		if (thread->tid == tid)
			return thread;
	}
	for (uint32_t i = 0; i < 16; i++) {
		struct tl_open_marks_thread *thread =
			&state->threads[(tid * 2654435761u + i) % TL_OPEN_MARKS_THREADS];

		if (!thread->tid || !thread->top)
			return thread;
	}
	return NULL;
}

/* 1 + a free place; 0: none. */
static uint32_t mark_take_place(struct tl_open_marks_state *state)
{
	uint32_t place = state->free;

	if (place)
		state->free = state->marks[place - 1].below;
	else if (state->used < TL_OPEN_MARKS)
		place = ++state->used;
	return place;
}

static void mark_push(struct tl_open_marks_state *state, uint32_t tid,
		      const struct tl_event_record *event, uint64_t ns)
{
	struct tl_open_marks_thread *thread = marks_thread(state, tid);
	uint32_t place = thread ? mark_take_place(state) : 0;

	if (!place) {
		state->is_over = true;
		return;
	}
	if (thread->tid != tid)
		*thread = (struct tl_open_marks_thread){.tid = tid};
	state->marks[place - 1] = (struct tl_open_mark){.below = thread->top,
							.name = event->name,
							.category = event->category,
							.lane = event->lane,
							.start = ns,
							.flags = event->flags & TL_EVENT_TID,
							.level = event->level};
	thread->top = place;
	thread->latest = ns > thread->latest ? ns : thread->latest;
	state->open++;
}

/* Takes the last mark of the event's lane. */
static bool mark_pop(struct tl_open_marks_state *state, struct tl_open_marks_thread *thread,
		     const struct tl_event_record *event)
{
	for (uint32_t *link = &thread->top; *link; link = &state->marks[*link - 1].below) {
		uint32_t place = *link;
		struct tl_open_mark *mark = &state->marks[place - 1];

		if (mark->lane != event->lane || mark->flags != (event->flags & TL_EVENT_TID))
			continue;
		*link = mark->below;
		mark->below = state->free;
		state->free = place;
		state->open--;
		return true;
	}
	return false;
}

bool tl_open_marks_event(struct tl_open_marks *marks, uint32_t tid,
			 const struct tl_event_record *event, uint64_t ns)
{
	struct tl_open_marks_state *state = &marks->now;
	struct tl_open_marks_thread *thread;

	marks->changed = true;
	if (event->phase == 'B') {
		mark_push(state, tid, event, ns);
		return true;
	}
	thread = state->open ? marks_thread(state, tid) : NULL;
	if (!thread || thread->tid != tid)
		return state->is_over;
	thread->latest = ns > thread->latest ? ns : thread->latest;
	return mark_pop(state, thread, event) || state->is_over;
}

void tl_open_marks_latest(struct tl_open_marks *marks, uint32_t tid, uint64_t ns)
{
	struct tl_open_marks_thread *thread = marks_thread(&marks->now, tid);

	if (!thread || thread->tid != tid || thread->latest >= ns)
		return;
	thread->latest = ns;
	marks->changed = true;
}

bool tl_open_marks_gap(struct tl_open_marks *marks, uint32_t tid, struct tl_open_mark *mark,
		       uint64_t *end)
{
	struct tl_open_marks_state *state = &marks->now;
	struct tl_open_marks_thread *thread = state->open ? marks_thread(state, tid) : NULL;

	if (!thread || thread->tid != tid || !thread->top)
		return false;
	uint32_t place = thread->top;
	*mark = state->marks[place - 1];
	*end = thread->latest;
	thread->top = mark->below;
	state->marks[place - 1].below = state->free;
	state->free = place;
	state->open--;
	marks->changed = true;
	return true;
}

static void marks_copy(struct tl_open_marks_state *to, const struct tl_open_marks_state *from)
{
	to->open = from->open;
	to->used = from->used;
	to->free = from->free;
	to->is_over = from->is_over;
	memcpy(to->threads, from->threads, sizeof(to->threads));
	memcpy(to->marks, from->marks, from->used * sizeof(from->marks[0]));
}

void tl_open_marks_block(struct tl_open_marks *marks)
{
	if (marks->changed)
		marks_copy(&marks->now, &marks->kept);
	marks->changed = false;
}

void tl_open_marks_kept(struct tl_open_marks *marks)
{
	if (marks->changed)
		marks_copy(&marks->kept, &marks->now);
	marks->changed = false;
}
