/* SPDX-License-Identifier: MIT */
/*
 * report_text.c: model_text of report_model.h: calls from the text of their events, without a tree of
 * JSON. It knows only what most events of a .tlt file are: objects of known members, strings
 * without escapes, whole numbers. All else is left to model_event.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report/report_model.h"
#include "cli/summary/summary.h"

#define MOST_WHOLE UINT64_C(9000000000000000) /* exact in a double */

/* A place in the text, which ends with a NUL byte. */
struct reader {
	char *at;
	bool wrong;
};

static bool reader_has(struct reader *reader, char byte)
{
	if (reader->wrong || *reader->at != byte)
		return false;
	reader->at++;
	return true;
}

static void reader_needs(struct reader *reader, char byte)
{
	if (!reader_has(reader, byte))
		reader->wrong = true;
}

/* A string, which gets a NUL byte for its last quote. The text has no backslash. */
static char *reader_string(struct reader *reader)
{
	reader_needs(reader, '"');
	char *start = reader->at, *end = reader->wrong ? NULL : strchr(start, '"');

	if (!end) {
		reader->wrong = true;
		return start;
	}
	*end = 0;
	reader->at = end + 1;
	return start;
}

static uint64_t reader_whole(struct reader *reader)
{
	uint64_t number = 0;
	char *start = reader->at;

	for (; *reader->at >= '0' && *reader->at <= '9'; reader->at++)
		number = number * 10 + (uint64_t)(*reader->at - '0');
	if (reader->at == start || reader->at - start > 16)
		reader->wrong = true;
	return number;
}

/* Microseconds with up to three decimals, in nanoseconds. */
static int64_t reader_time(struct reader *reader)
{
	uint64_t number = reader_whole(reader);
	int decimals = 0;

	if (reader_has(reader, '.'))
		for (; *reader->at >= '0' && *reader->at <= '9'; reader->at++, decimals++)
			number = number * 10 + (uint64_t)(*reader->at - '0');
	if (decimals > 3)
		reader->wrong = true;
	for (; decimals < 3; decimals++)
		number *= 10;
	return (int64_t)number;
}

/* ---- arguments ---- */

static void shape_bytes(struct report_model *model, const char *text, size_t size)
{
	bytes_text(&model->shape, text, size);
}

/* A whole number is a value; others, true, false and null stay in the shape. */
static void word_read(struct report_model *model, struct reader *reader)
{
	size_t size = strspn(reader->at, "0123456789"), all;
	uint64_t number = size && size <= 16 ? strtoull(reader->at, NULL, 10) : MOST_WHOLE + 1;

	all = size + strspn(reader->at + size, "0123456789+-.eEaflnrstu");
	if (!all)
		reader->wrong = true;
	if (all == size && number <= MOST_WHOLE) {
		shape_bytes(model, "\1", 1);
		bytes_number(&model->values, number);
	} else {
		shape_bytes(model, reader->at, all);
	}
	reader->at += all;
}

/* One value, or the beginning or the end of a container; the shape gets the commas and brackets. */
static void args_read(struct report_model *model, struct reader *reader)
{
	int depth = 0;

	do {
		char byte = *reader->at;

		if (byte == '"') {
			char *text = reader_string(reader);

			if (*reader->at == ':') {
				shape_bytes(model, "\"", 1);
				shape_bytes(model, text, strlen(text));
				shape_bytes(model, "\":", 2);
				reader->at++;
			} else {
				shape_string(model, text);
			}
		} else if (byte && strchr("{}[],", byte)) {
			depth += byte == '{' || byte == '[';
			depth -= byte == '}' || byte == ']';
			shape_bytes(model, reader->at++, 1);
		} else {
			word_read(model, reader);
		}
	} while (depth > 0 && !reader->wrong);
}

/* ---- events ---- */

struct call {
	char *name, *category;
	uint64_t pid, tid;
	struct report_slice slice;
	bool is_slice, has_time, has_duration;
};

static void member_read(struct report_model *model, struct reader *reader, struct call *call)
{
	const char *member = reader_string(reader);

	reader_needs(reader, ':');
	if (!strcmp(member, "ph"))
		call->is_slice = !strcmp(reader_string(reader), "X");
	else if (!strcmp(member, "name"))
		call->name = reader_string(reader);
	else if (!strcmp(member, "cat"))
		call->category = reader_string(reader);
	else if (!strcmp(member, "pid"))
		call->pid = reader_whole(reader);
	else if (!strcmp(member, "tid"))
		call->tid = reader_whole(reader);
	else if (!strcmp(member, "ts"))
		call->has_time = true, call->slice.start = reader_time(reader);
	else if (!strcmp(member, "dur"))
		call->has_duration = true, call->slice.duration = reader_time(reader);
	else if (!strcmp(member, "args"))
		args_read(model, reader);
	else if (!strcmp(member, "sf"))
		call->slice.stack =
			event_stack_id(&model->stacks, model->file, reader_string(reader));
	else
		reader->wrong = true;
}

static uint32_t lane_numbered(struct report_model *model, const struct call *call)
{
	char pid[24], tid[24];

	if (model->has_lane && model->lane_pid == call->pid && model->lane_tid == call->tid)
		return model->lane;
	snprintf(pid, sizeof(pid), "%llu", (unsigned long long)call->pid);
	snprintf(tid, sizeof(tid), "%llu", (unsigned long long)call->tid);
	model->has_lane = true;
	model->lane_pid = call->pid;
	model->lane_tid = call->tid;
	return model->lane = model_lane(model, pid, tid);
}

static void call_take(struct report_model *model, struct call *call)
{
	static char empty_args[] = "{}";

	call->slice.lane = lane_numbered(model, call);
	if (model->shape.count == sizeof(empty_args) - 1 &&
	    !memcmp(model->shape.list, empty_args, sizeof(empty_args) - 1))
		model->shape.count = 0;
	model_slice(model, &call->slice, names_number(&model->texts, call->name),
		    names_number(&model->texts, call->category),
		    category_of(call->category).failed);
}

bool model_text(struct report_model *model, const char *text, size_t size)
{
	static const char slice[] = "{\"ph\":\"X\"";
	static char none[] = "";
	struct call call = {.name = none, .category = none};
	struct reader reader = {0};

	/* Only calls: the first member says what it is. */
	if (strncmp(text + 1 + (text[1] == '\n'), slice, strlen(slice)))
		return false;
	if (memchr(text, '\\', size))
		return false;
	model->words.count = 0;
	bytes_text(&model->words, text, size + 1);
	reader.at = (char *)model->words.list + 1;
	reader_has(&reader, '\n');
	reader_needs(&reader, '{');
	call.slice.values = model->values.count;
	model->shape.count = 0;
	do
		member_read(model, &reader, &call);
	while (reader_has(&reader, ','));
	reader_needs(&reader, '}');
	reader_needs(&reader, ']');
	if (reader.wrong || *reader.at || !call.is_slice || !call.has_time || !call.has_duration ||
	    category_of(call.category).device) {
		model->values.count = call.slice.values;
		return false;
	}
	call_take(model, &call);
	return true;
}
