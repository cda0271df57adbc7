/* SPDX-License-Identifier: MIT */
/*
 * watched.c: see watched.h.
 *
 * A thread has a piece with its open calls once it makes a call, and a piece with its labels once
 * it has one. A seat is a thread with one or both, matched by the kernel's thread number. Seats
 * are made anew when a piece goes to another thread.
 *
 * Calls and labels are two stacks. Each entry has an address in its thread's real stack, and these
 * addresses order them together. Where a thread changes stacks (coroutines, signal handlers) the
 * order of calls among labels may be wrong; each stack keeps its own order.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/basics/basics.h"
#include "cli/live/live_file.h"
#include "cli/live/process_names.h"
#include "cli/live/watched.h"

#define ALIVE_NS 100000000u /* between two checks for ended threads */

struct seat {
	struct watched_thread *thread;
	const struct tl_thread_piece *calls; /* or NULL */
	uint32_t room;			     /* for open calls in it */
	const struct tl_labels *labels;	     /* or NULL */
	bool gone;
};

/*
 * The thread that has a piece, as it was when seats were made. The head is copied, because the
 * process may change it later.
 */
struct holder {
	const struct tl_piece *piece;
	struct tl_piece head;
	uint32_t who;
};

struct watched {
	struct live_file file;
	uint64_t checked;
	const struct tl_facts_piece *facts;
	char program[256];

	struct holder *holders;
	size_t nholders;
	struct seat *seats;
	size_t nseats;
	struct watched_thread **threads;
	size_t nthreads;
	struct process_names names;
};

const struct tl_file_header *watched_header(const struct watched *watched)
{
	return live_file_header(&watched->file);
}

const char *watched_path(const struct watched *watched)
{
	return watched->file.path;
}

const char *watched_program(struct watched *watched)
{
	if (!*watched->program && watched->facts)
		snprintf(watched->program, sizeof(watched->program), "%.*s",
			 (int)sizeof(watched->facts->facts.program) - 1,
			 watched->facts->facts.program);
	return watched->program;
}

struct watched *watched_open(const char *path)
{
	struct watched *watched = need(calloc(1, sizeof(*watched)));

	if (!live_file_open(&watched->file, path)) {
		free(watched);
		return NULL;
	}
	watched->names.pid = watched->file.pid;
	return watched;
}

/* Threads and texts are kept, because profiles use them. */
void watched_close(struct watched *watched)
{
	live_file_close(&watched->file);
	process_names_free(&watched->names);
	free(watched->holders);
	free(watched->seats);
	free(watched->threads);
	free(watched);
}

/* ---- pieces */

static void holder_add(struct watched *watched, const struct tl_piece *piece,
		       const struct tl_piece *head)
{
	watched->holders = need(
		reallocarray(watched->holders, watched->nholders + 1, sizeof(*watched->holders)));
	watched->holders[watched->nholders++] = (struct holder){.piece = piece, .head = *head};
}

static void piece_add(void *context, const struct tl_piece *piece, const struct tl_piece *head)
{
	struct watched *watched = context;

	switch (head->kind) {
	case TL_PIECE_THREAD:
		if (head->size >= sizeof(struct tl_thread_piece))
			holder_add(watched, piece, head);
		break;
	case TL_PIECE_LABELS:
		if (head->size >= sizeof(struct tl_labels_piece))
			holder_add(watched, piece, head);
		break;
	case TL_PIECE_FACTS:
		if (head->size >= sizeof(struct tl_facts_piece))
			watched->facts = (const void *)piece;
		break;
	case TL_PIECE_API:
		if (head->size >= sizeof(struct tl_api_piece))
			process_names_describe(&watched->names, piece, head->size);
		break;
	}
}

static void search_pieces(struct watched *watched)
{
	live_file_search(&watched->file, piece_add, watched);
}

/* ---- seats */

static uint32_t holder_thread(const struct holder *holder)
{
	/* Acquire: pairs with the process's release; the piece is this thread's. */
	if (holder->head.kind == TL_PIECE_THREAD)
		return atomic_load_explicit(&((const struct tl_thread_piece *)holder->piece)->lane,
					    memory_order_acquire);
	return __atomic_load_n(&((const struct tl_labels_piece *)holder->piece)->labels.thread,
			       __ATOMIC_ACQUIRE);
}

static bool holders_changed(struct watched *watched)
{
	bool changed = false;

	for (size_t i = 0; i < watched->nholders; i++) {
		uint32_t who = holder_thread(&watched->holders[i]);
		changed |= who != watched->holders[i].who;
		watched->holders[i].who = who;
	}
	return changed;
}

static struct watched_thread *thread_of(struct watched *watched, uint32_t tid)
{
	struct watched_thread *thread;

	for (size_t i = watched->nthreads; i--;)
		if (watched->threads[i]->tid == tid)
			return watched->threads[i];
	thread = need(calloc(1, sizeof(*thread)));
	thread->pid = watched->file.pid;
	thread->tid = tid;
	watched->threads =
		need(reallocarray(watched->threads, watched->nthreads + 1, sizeof(thread)));
	watched->threads[watched->nthreads++] = thread;
	return thread;
}

static void read_thread_name(struct watched_thread *thread)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/task/%u/comm", thread->pid, thread->tid);
	file = fopen(path, "re");
	if (!file)
		return;
	if (fgets(thread->name, sizeof(thread->name), file))
		thread->name[strcspn(thread->name, "\n")] = 0;
	fclose(file);
}

static struct seat *seat_of(struct watched *watched, uint32_t tid)
{
	for (size_t i = watched->nseats; i--;)
		if (watched->seats[i].thread->tid == tid)
			return &watched->seats[i];
	watched->seats =
		need(reallocarray(watched->seats, watched->nseats + 1, sizeof(*watched->seats)));
	struct seat *seat = &watched->seats[watched->nseats++];

	*seat = (struct seat){.thread = thread_of(watched, tid)};
	if (!*seat->thread->name)
		read_thread_name(seat->thread);
	return seat;
}

static void make_seats(struct watched *watched)
{
	watched->nseats = 0;
	for (size_t i = 0; i < watched->nholders; i++) {
		const struct holder *holder = &watched->holders[i];
		if (!holder->who)
			continue;
		if (holder->head.kind == TL_PIECE_THREAD) {
			const struct tl_thread_piece *calls = (const void *)holder->piece;
			struct seat *seat = seat_of(watched, calls->tid);
			seat->calls = calls;
			seat->room = (uint32_t)((holder->head.size - sizeof(*calls)) /
						sizeof(calls->open[0]));
		} else {
			seat_of(watched, holder->who)->labels =
				&((const struct tl_labels_piece *)holder->piece)->labels;
		}
	}
}

/*
 * Finds threads that ended without a report. If the process is in a container, its thread numbers
 * mean nothing here.
 */
static void check_threads(struct watched *watched)
{
	for (size_t i = 0; i < watched->nseats; i++) {
		const struct watched_thread *thread = watched->seats[i].thread;
		watched->seats[i].gone =
			syscall(SYS_tgkill, thread->pid, thread->tid, 0) && errno == ESRCH;
	}
}

/* ---- looking */

struct open_call {
	uint64_t frame;
	uint32_t function;
};

/* Acquire: pairs with the release of .frame, after the rest of the entry. */
static uint32_t copy_calls(const struct seat *seat, struct open_call *to)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < seat->room && i < WATCHED_CALLS; i++) {
		const struct tl_open_call *open = &seat->calls->open[i];
		uint64_t frame = atomic_load_explicit(&open->frame, memory_order_acquire);
		uint32_t mode = __atomic_load_n(&open->mode, __ATOMIC_ACQUIRE);
		if (frame && frame != TL_NO_FRAME)
			to[count++] = (struct open_call){
				frame, __atomic_load_n(&open->function, __ATOMIC_ACQUIRE)};
		else if (!(mode & TL_OPEN_FINISHED))
			break;
	}
	return count;
}

/* Copies until two copies are the same, as tl_labels_read does. */
static uint32_t read_calls(const struct seat *seat, struct open_call *to)
{
	struct open_call again[WATCHED_CALLS];
	uint32_t count = copy_calls(seat, to), second;

	for (int tries = 0; tries < 3; tries++) {
		second = copy_calls(seat, again);
		bool same = second == count;
		for (uint32_t i = 0; same && i < count; i++)
			same = to[i].frame == again[i].frame && to[i].function == again[i].function;
		if (same)
			break;
		count = second;
		memcpy(to, again, count * sizeof(*to));
	}
	return count;
}

static const char *call_name(struct watched *watched, uint32_t function)
{
	const char *name = process_names_function(&watched->names, function);

	if (name)
		return name;
	search_pieces(watched);
	name = process_names_function(&watched->names, function);
	return name ? name : "(a function that is not described)";
}

/* The layer's thread that collects devices' commands. It has this name from its start. */
static bool seat_is_layers(const struct seat *seat)
{
	return !seat->labels && seat->thread->tid != seat->thread->pid &&
	       !strcmp(seat->thread->name, "tracelayer");
}

static void seat_visit(struct watched *watched, const struct seat *seat, watched_visit visit,
		       void *context)
{
	struct tl_label labels[TL_LABELS_MOST], stack[WATCHED_DEEPEST];
	struct open_call calls[WATCHED_CALLS];
	uint32_t nlabels = seat->labels ? tl_labels_read(seat->labels, labels) : 0;
	uint32_t ncalls = seat->calls ? read_calls(seat, calls) : 0, count = 0;

	if (nlabels > TL_LABELS_MOST)
		nlabels = TL_LABELS_MOST;
	/* A thread that is ending has no labels any more, but may still make calls. */
	if (seat->calls && !seat->labels && !ncalls &&
	    atomic_load_explicit(&seat->calls->ended, memory_order_relaxed))
		return;
	for (uint32_t i = 0, j = 0; i < nlabels || j < ncalls;) {
		bool label = j == ncalls || (i < nlabels && labels[i].stack > calls[j].frame);
		uint64_t address = label ? (uintptr_t)labels[i].text : 0;
		if (!label)
			stack[count++].text = call_name(watched, calls[j].function);
		else if (address)
			stack[count++].text = process_names_label(&watched->names, address);
		i += label;
		j += !label;
	}
	visit(context, seat->thread, stack, count);
}

bool watched_look(struct watched *watched, watched_visit visit, void *context)
{
	uint64_t now = tl_profile_now();

	if (!live_file_lives(&watched->file))
		return false;
	if (!live_file_is_used(&watched->file))
		return true;
	search_pieces(watched);
	bool changed = holders_changed(watched);
	if (changed)
		make_seats(watched);
	if (changed || now - watched->checked > ALIVE_NS) {
		check_threads(watched);
		watched->checked = now;
	}
	for (size_t i = 0; i < watched->nseats; i++)
		if (!watched->seats[i].gone && !seat_is_layers(&watched->seats[i]))
			seat_visit(watched, &watched->seats[i], visit, context);
	return true;
}
