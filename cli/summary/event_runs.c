/* SPDX-License-Identifier: MIT */
/*
 * event_runs.c: see event_runs.h. Numbers are packed seven bits to a byte, the last byte below 128.
 * Times are the difference to the one before; one that may be negative has its sign in the lowest bit.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/basics/basics.h"
#include "cli/read/read.h"
#include "cli/summary/event_runs.h"

/* Tests make it small. */
#ifndef EVENTS_IN_RUN
#define EVENTS_IN_RUN (64u << 10)
#endif

#define PACKED_MOST                                                                                \
	88u /* bytes of an event: a flag, a kind, and up to eight numbers of ten bytes */

struct event_run {
	uint64_t offset;
	uint32_t calls, commands; /* bytes of both parts */
};

struct event_runs {
	int spool;
	uint64_t size;
	struct event_run *places;
	struct scan_run *list;
	size_t count, room;
	unsigned char *bytes; /* of the run that is being packed */
};

struct event_runs *event_runs_new(void)
{
	int spool = spool_open();

	if (spool < 0)
		return NULL;
	struct event_runs *runs = need(calloc(1, sizeof(*runs)));

	runs->spool = spool;
	runs->bytes = need(malloc((size_t)EVENTS_IN_RUN * PACKED_MOST));
	return runs;
}

void event_runs_free(struct event_runs *runs)
{
	if (!runs)
		return;
	close(runs->spool);
	free(runs->places);
	free(runs->list);
	free(runs->bytes);
	free(runs);
}

const struct scan_run *event_runs_list(const struct event_runs *runs, size_t *count)
{
	*count = runs->count;
	return runs->list;
}

/* ---- numbers ---- */

static inline unsigned char *number_put(unsigned char *at, uint64_t number)
{
	for (; number > 127; number >>= 7)
		*at++ = (unsigned char)(number | 128);
	*at++ = (unsigned char)number;
	return at;
}

static inline uint64_t number_get(const unsigned char **at)
{
	uint64_t number = 0;

	for (unsigned shift = 0;; shift += 7) {
		unsigned char byte = *(*at)++;

		number |= (uint64_t)(byte & 127) << shift;
		if (byte < 128)
			return number;
	}
}

static inline unsigned char *signed_put(unsigned char *at, int64_t number)
{
	return number_put(at, (uint64_t)number << 1 ^ (uint64_t)(number >> 63));
}

static inline int64_t signed_get(const unsigned char **at)
{
	uint64_t number = number_get(at);

	return (int64_t)(number >> 1 ^ (0 - (number & 1)));
}

/* ---- calls ---- */

enum {
	CALL_FAILED = 1,
	CALL_OWN = 2,
	CALL_REQUEST = 4,
	CALL_CORRELATION = 8,
	CALL_SAME_THREAD = 16, /* as that of the call before */
	CALL_SAME_NAME = 32
};

static unsigned char *call_put(unsigned char *at, const struct host_call *call,
			       const struct host_call *before)
{
	unsigned same_thread = call->thread == before->thread ? CALL_SAME_THREAD : 0;
	unsigned same_name = call->name == before->name ? CALL_SAME_NAME : 0;

	*at++ = (unsigned char)((call->failed ? CALL_FAILED : 0u) | (call->own ? CALL_OWN : 0u) |
				(call->request ? CALL_REQUEST : 0u) |
				(call->correlation ? CALL_CORRELATION : 0u) | same_thread |
				same_name);
	at = signed_put(at, call->start - before->start);
	at = number_put(at, (uint64_t)call->duration);
	if (!same_thread)
		at = number_put(at, call->thread);
	if (!same_name)
		at = number_put(at, call->name);
	if (call->request)
		at = number_put(at, call->request);
	if (call->correlation)
		at = number_put(at, call->correlation);
	return at;
}

bool event_next_call(struct event_cursor *cursor)
{
	struct host_call *call = &cursor->call;

	if (cursor->at == cursor->end)
		return false;
	unsigned flags = *cursor->at++;

	call->failed = flags & CALL_FAILED;
	call->own = (flags & CALL_OWN) != 0;
	call->start += signed_get(&cursor->at);
	call->duration = (int64_t)number_get(&cursor->at);
	if (!(flags & CALL_SAME_THREAD))
		call->thread = (uint32_t)number_get(&cursor->at);
	if (!(flags & CALL_SAME_NAME))
		call->name = (uint32_t)number_get(&cursor->at) & 0x3fffffff;
	call->request = flags & CALL_REQUEST ? (uint32_t)number_get(&cursor->at) : 0;
	call->correlation = flags & CALL_CORRELATION ? (uint32_t)number_get(&cursor->at) : 0;
	return true;
}

/* ---- commands ---- */

enum { COMMAND_BYTES = 1, COMMAND_UNFINISHED = 2 };

static unsigned char *command_put(unsigned char *at, const struct device_command *command,
				  int64_t before)
{
	*at++ = (unsigned char)((command->has_bytes ? COMMAND_BYTES : 0u) |
				(command->unfinished ? COMMAND_UNFINISHED : 0u));
	*at++ = command->kind;
	at = signed_put(at, command->start - before);
	at = number_put(at, (uint64_t)(command->end - command->start));
	at = number_put(at, (uint64_t)command->bytes);
	at = number_put(at, command->queue);
	at = number_put(at, command->row);
	at = number_put(at, command->correlation);
	at = number_put(at, command->request);
	return number_put(at, command->size);
}

bool event_next_command(struct event_cursor *cursor, struct device_command *command)
{
	if (cursor->at == cursor->end)
		return false;
	*command = (struct device_command){.thread = NOBODY, .submit = NOBODY};
	command->has_bytes = *cursor->at & COMMAND_BYTES;
	command->unfinished = (*cursor->at++ & COMMAND_UNFINISHED) != 0;
	command->kind = *cursor->at++;
	command->start = cursor->start += signed_get(&cursor->at);
	command->end = command->start + (int64_t)number_get(&cursor->at);
	command->bytes = (int64_t)number_get(&cursor->at);
	command->queue = (uint32_t)number_get(&cursor->at);
	command->row = (uint32_t)number_get(&cursor->at);
	command->correlation = (uint32_t)number_get(&cursor->at);
	command->request = (uint32_t)number_get(&cursor->at);
	command->size = (uint32_t)number_get(&cursor->at);
	return true;
}

/* ---- runs ---- */

/* A new run, which has nothing yet. */
static struct event_run *run_new(struct event_runs *runs)
{
	if (runs->count == runs->room) {
		runs->room = runs->room ? 2 * runs->room : 64;
		runs->list = need(reallocarray(runs->list, runs->room, sizeof(*runs->list)));
		runs->places = need(reallocarray(runs->places, runs->room, sizeof(*runs->places)));
	}
	runs->list[runs->count] = (struct scan_run){
		.run = (uint32_t)runs->count, .first = INT64_MAX, .last = INT64_MIN};
	runs->places[runs->count] = (struct event_run){.offset = runs->size};
	return &runs->places[runs->count++];
}

/* So many of a history's calls and commands, from these on. */
struct portion {
	size_t call, ncalls, command, ncommands;
};

static bool run_add(struct event_runs *runs, const struct history *history,
		    const struct portion *portion)
{
	struct event_run *place = run_new(runs);
	struct scan_run *run = &runs->list[runs->count - 1];
	struct host_call before = {.start = 0};
	int64_t start = 0;
	unsigned char *at = runs->bytes;

	for (size_t i = 0; i < portion->ncalls; i++) {
		const struct host_call *call = &history->calls[portion->call + i];

		at = call_put(at, call, &before);
		before = *call;
		scan_run_note_call(run, call);
	}
	place->calls = (uint32_t)(at - runs->bytes);
	for (size_t i = 0; i < portion->ncommands; i++) {
		const struct device_command *command = &history->commands[portion->command + i];

		at = command_put(at, command, start);
		start = command->start;
		scan_run_note_command(run, start);
	}
	place->commands = (uint32_t)(at - runs->bytes) - place->calls;
	runs->size += place->calls + place->commands;
	return spool_write(runs->spool, runs->bytes, (size_t)(at - runs->bytes));
}

static size_t smaller_of(size_t a, size_t b)
{
	return a < b ? a : b;
}

bool event_runs_add(struct event_runs *runs, const struct history *history)
{
	struct portion portion = {0};

	while (portion.call < history->ncalls || portion.command < history->ncommands) {
		portion.ncalls = smaller_of(history->ncalls - portion.call, EVENTS_IN_RUN);
		portion.ncommands = smaller_of(history->ncommands - portion.command,
					       EVENTS_IN_RUN - portion.ncalls);
		if (!run_add(runs, history, &portion))
			return false;
		portion.call += portion.ncalls;
		portion.command += portion.ncommands;
	}
	return true;
}

/* ---- reading ---- */

static bool cursor_read(struct event_cursor *cursor, uint64_t offset, size_t size)
{
	size_t got = 0;

	if (size > cursor->room) {
		free(cursor->bytes);
		cursor->bytes = need(malloc(size));
		cursor->room = size;
	}
	while (got < size) {
		ssize_t more = file_read(cursor->runs->spool, "the temporary file",
					 cursor->bytes + got, size - got, offset + got);

		if (more <= 0)
			return false;
		got += (size_t)more;
	}
	cursor->at = cursor->bytes;
	cursor->end = cursor->bytes + size;
	return true;
}

bool event_cursor_calls(struct event_cursor *cursor, size_t run)
{
	const struct event_run *place = &cursor->runs->places[run];

	cursor->call = (struct host_call){.start = 0};
	return cursor_read(cursor, place->offset, place->calls);
}

bool event_cursor_commands(struct event_cursor *cursor, size_t run)
{
	const struct event_run *place = &cursor->runs->places[run];

	cursor->start = 0;
	return cursor_read(cursor, place->offset + place->calls, place->commands);
}

void event_cursor_free(struct event_cursor *cursor)
{
	free(cursor->bytes);
}
