/* SPDX-License-Identifier: MIT */
/*
 * context_file.c: a context's events as a Chrome JSON file of their own (tl_context_dump).
 *
 * The file has the events that the context has when it is written. Other threads may log meanwhile.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/levels.h"
#include "common/text.h"
#include "layer/program/context.h"
#include "layer/calls/event.h"
#include "layer/buffers/strings.h"

struct placed {
	const struct tl_context_stored *stored;
	/* the place in the order so far: qsort may change the order of equal events */
	size_t place;
};

/*
 * By time. Of events at the same time the longer comes first, since viewers lose it otherwise; then
 * in the order of logging.
 */
static int by_time(const void *left, const void *right)
{
	const struct placed *a = left, *b = right;

	if (a->stored->time != b->stored->time)
		return a->stored->time < b->stored->time ? -1 : 1;
	if (a->stored->duration != b->stored->duration)
		return a->stored->duration > b->stored->duration ? -1 : 1;
	return a->place < b->place ? -1 : a->place > b->place;
}

static int by_lane(const void *left, const void *right)
{
	const struct placed *a = left, *b = right;

	if (a->stored->lane != b->stored->lane)
		return a->stored->lane < b->stored->lane ? -1 : 1;
	return by_time(left, right);
}

/* NULL: memory is short. */
static struct placed *events_gather(struct tl_context_whole *context, size_t *number)
{
	size_t bytes, room = tl_context_places(&context->seen, &bytes);
	struct placed *placed = malloc((room + 1) * sizeof(*placed));
	struct tl_context_block *block = context->first;
	uint64_t at = 0;

	for (*number = 0; placed && *number < room; ++*number) {
		placed[*number].place = *number;
		if (!(placed[*number].stored = tl_context_next(&block, &at)))
			break;
	}
	return placed;
}

/*
 * How long devices worked: the time that X events on their lanes cover. Time that several events
 * cover counts once. `placed` is in the order of lanes.
 */
static uint64_t device_time(const struct placed *placed, size_t number)
{
	uint64_t busy = 0, until = 0;

	for (size_t i = 0; i < number; i++) {
		const struct tl_context_stored *stored = placed[i].stored;
		uint64_t end = stored->time + stored->duration;
		if (!i || stored->lane != placed[i - 1].stored->lane)
			until = 0;
		if (stored->type != 'X' || end <= until || !tl_event_lane_shown(stored->lane))
			continue;
		busy += end - (stored->time > until ? stored->time : until);
		until = end;
	}
	return busy;
}

static void text_print(FILE *file, const char *text)
{
	char bytes[6 * TL_STRING_MAX];
	struct tl_text to = {bytes, bytes + sizeof(bytes), false};

	tl_text_escape(&to, text, strnlen(text, TL_STRING_MAX));
	fputc('"', file);
	fwrite(bytes, 1, (size_t)(to.at - bytes), file);
	fputc('"', file);
}

static void metadata_print(FILE *file, unsigned tid, const char *what, const char *name)
{
	fprintf(file,
		"{\"ph\":\"M\",\"pid\":%d,\"tid\":%u,\"ts\":0,\"name\":\"%s\",\"args\":{\"name\":",
		(int)getpid(), tid, what);
	text_print(file, name);
	fputs("}}", file);
}

/* Names of lanes, each once: the newest. */
static void lanes_print(FILE *file, struct tl_context_whole *context)
{
	const struct tl_context_lane *lane =
		atomic_load_explicit(&context->lanes, memory_order_acquire);

	for (; lane; lane = lane->next) {
		if (tl_context_lane_of(context, lane->shown) != lane)
			continue;
		fputs(",\n", file);
		metadata_print(file, lane->shown, "thread_name", lane->name);
	}
}

/* Print how much memory the events take, for each millisecond of the device's work. */
static void cost_print(FILE *file, struct tl_context_whole *context, size_t number, uint64_t busy)
{
	size_t bytes, lost;

	tl_context_size(&context->seen, &bytes, &lost);
	fprintf(file,
		",\n{\"ph\":\"M\",\"pid\":%d,\"tid\":0,\"ts\":0,\"name\":\"tracelayer_context\",\"args\":{\"events\":%zu,\"lost\":%zu,"
		"\"bytes\":%zu,\"device_ns\":%llu",
		(int)getpid(), number, lost, bytes, (unsigned long long)busy);
	if (busy) {
		uint64_t thousandths = (uint64_t)((unsigned __int128)bytes * 1000000000 / busy);
		fprintf(file, ",\"bytes_per_device_ms\":%llu.%03u",
			(unsigned long long)(thousandths / 1000), (unsigned)(thousandths % 1000));
	}
	fputs("}}", file);
}

static void key_print(FILE *file, const struct tl_context_event *event, size_t at)
{
	uint32_t number = tl_context_key_number(event, at);
	char numbered[TL_STRING_MAX];

	if (number)
		snprintf(numbered, sizeof(numbered), "%.*s %u", (int)sizeof(numbered) - 16,
			 event->args[at].key, number);
	text_print(file, number ? numbered : event->args[at].key);
}

static void args_print(FILE *file, const struct tl_context_event *event)
{
	const char *comma = "";

	fputs(",\"args\":{", file);
	for (size_t i = 0; i < event->nargs; i++) {
		fputs(comma, file);
		key_print(file, event, i);
		fputc(':', file);
		text_print(file, event->args[i].value);
		comma = ",";
	}
	if (event->request)
		fprintf(file, "%s\"request\":%u", comma, event->request);
	fputc('}', file);
}

static void levels_print(FILE *file, unsigned level)
{
	char bytes[64];
	struct tl_text to = {bytes, bytes + sizeof(bytes), false};

	tl_text_levels(&to, level);
	fwrite(bytes, 1, (size_t)(to.at - bytes), file);
}

static void event_print(FILE *file, const struct tl_context_stored *stored)
{
	struct tl_context_arg args[TL_CONTEXT_ARGS];
	struct tl_context_event event;

	tl_context_show(stored, &event, args);
	fprintf(file, ",\n{\"ph\":\"%c\",\"pid\":%d,\"tid\":%u,\"name\":",
		event.type == 'I' ? 'i' : event.type, (int)getpid(), event.lane);
	text_print(file, event.name);
	fputs(",\"cat\":\"context", file);
	levels_print(file, event.level);
	fprintf(file, "\",\"ts\":%llu.%03u", (unsigned long long)(event.time / 1000),
		(unsigned)(event.time % 1000));
	if (event.type == 'X')
		fprintf(file, ",\"dur\":%llu.%03u", (unsigned long long)(event.duration / 1000),
			(unsigned)(event.duration % 1000));
	if (event.type == 'I')
		fputs(",\"s\":\"t\"", file);
	args_print(file, &event);
	fputc('}', file);
}

static void context_print(FILE *file, struct tl_context_whole *context, struct placed *placed,
			  size_t number, const char *process)
{
	fputs("[\n", file);
	metadata_print(file, 0, "process_name",
		       process && *process ? process : program_invocation_short_name);
	lanes_print(file, context);
	qsort(placed, number, sizeof(*placed), by_lane);
	cost_print(file, context, number, device_time(placed, number));
	qsort(placed, number, sizeof(*placed), by_time);
	for (size_t i = 0; i < number; i++)
		event_print(file, placed[i].stored);
	fputs("\n]\n", file);
}

int tl_context_dump_here(struct tl_context *seen, const char *path, const char *process)
{
	struct tl_context_whole *context = tl_context_whole_of(seen);
	size_t number;
	struct placed *placed = events_gather(context, &number);
	FILE *file = placed ? fopen(path, "we") : NULL;

	if (!file) {
		free(placed);
		return -1;
	}
	context_print(file, context, placed, number, process);
	free(placed);
	int failed = ferror(file);
	return fclose(file) || failed ? -1 : 0;
}
