/* SPDX-License-Identifier: MIT */
/*
 * report_model.c: see report_model.h.
 *
 * Arguments of calls differ in their values more than in their form. So each slice has a shape, which
 * is JSON with placeholders (\1: a number, \2: an address, \3: a text), and the values that
 * fill it. Shapes, texts and addresses are stored once.
 */
#include "config.h"

#include "cli/report/report_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/read/read.h"
#include "cli/summary/summary.h"

#define MOST_WHOLE 9e15 /* whole numbers up to here are exact in a double */
#define MOST_DEEP  64

static void bytes_room(struct bytes *bytes, size_t more)
{
	if (bytes->room - bytes->count >= more)
		return;
	bytes->room = bytes->room * 2 + more + 64;
	bytes->list = need(realloc(bytes->list, bytes->room));
}

void bytes_number(struct bytes *bytes, uint64_t number)
{
	bytes_room(bytes, 10);
	for (; number >= 0x80; number >>= 7)
		bytes->list[bytes->count++] = (unsigned char)(number | 0x80);
	bytes->list[bytes->count++] = (unsigned char)number;
}

void bytes_text(struct bytes *bytes, const char *text, size_t size)
{
	bytes_room(bytes, size + 1);
	memcpy(bytes->list + bytes->count, text, size);
	bytes->count += size;
}

/* ---- arguments ---- */

static void shape_word(struct report_model *model, const char *word)
{
	bytes_text(&model->shape, word, strlen(word));
}

static void shape_key(struct report_model *model, const char *key)
{
	static const char digits[] = "0123456789abcdef";

	shape_word(model, "\"");
	for (; *key; key++) {
		unsigned char byte = (unsigned char)*key;
		char escaped[] = {'\\', 'u', '0', '0', digits[byte >> 4], digits[byte & 15], 0};

		if (byte < ' ' || byte == '"' || byte == '\\')
			shape_word(model, escaped);
		else
			bytes_text(&model->shape, key, 1);
	}
	shape_word(model, "\":");
}

/* An address as traces print it: 0x and up to 16 digits, without zeros in front. */
static bool address_is(const char *text, uint64_t *address)
{
	size_t size = strspn(text + (strncmp(text, "0x", 2) ? 0 : 2), "0123456789abcdef");

	if (strncmp(text, "0x", 2) || !size || size > 16 || text[2 + size] ||
	    (text[2] == '0' && size > 1))
		return false;
	*address = strtoull(text + 2, NULL, 16);
	return true;
}

void shape_string(struct report_model *model, const char *text)
{
	uint64_t address;

	if (address_is(text, &address)) {
		shape_word(model, "\2");
		bytes_number(&model->values, numbers_add(&model->addresses, address));
	} else {
		shape_word(model, "\3");
		bytes_number(&model->values, names_number(&model->texts, text));
	}
}

static void shape_number(struct report_model *model, double number)
{
	char text[40];

	if (number >= 0 && number <= MOST_WHOLE && number == (double)(uint64_t)number) {
		shape_word(model, "\1");
		bytes_number(&model->values, (uint64_t)number);
		return;
	}
	snprintf(text, sizeof(text), "%.17g", number);
	shape_word(model, text);
}

static void shape_value(struct report_model *model, const json_t *value, int depth)
{
	const char *key;
	json_t *member;
	size_t i;
	bool some = false;

	if (json_is_string(value)) {
		shape_string(model, json_string_value(value));
	} else if (json_is_number(value)) {
		shape_number(model, json_number_value(value));
	} else if (json_is_boolean(value)) {
		shape_word(model, json_is_true(value) ? "true" : "false");
	} else if (json_is_object(value) && depth < MOST_DEEP) {
		shape_word(model, "{");
		json_object_foreach((json_t *)value, key, member) {
			shape_word(model, some ? "," : "");
			shape_key(model, key);
			shape_value(model, member, depth + 1);
			some = true;
		}
		shape_word(model, "}");
	} else if (json_is_array(value) && depth < MOST_DEEP) {
		shape_word(model, "[");
		json_array_foreach(value, i, member) {
			shape_word(model, i ? "," : "");
			shape_value(model, member, depth + 1);
		}
		shape_word(model, "]");
	} else {
		shape_word(model, "null");
	}
}

/* ---- whose an event is ---- */

static void text_set(char **to, const char *text)
{
	if (!text)
		return;
	free(*to);
	*to = need(strdup(text));
}

static uint32_t process_numbered(struct report_model *model, const char *number)
{
	uint32_t process;

	if (lane_keys_process(&model->keys, (size_t)model->file, number, &process)) {
		model->processes = need(
			reallocarray(model->processes, process + 1, sizeof(*model->processes)));
		model->processes[process] = (struct report_process){.file = model->file};
		text_set(&model->processes[process].number, number);
	}
	return process;
}

uint32_t model_lane(struct report_model *model, const char *pid, const char *tid)
{
	uint32_t process = process_numbered(model, pid), lane;

	if (lane_keys_lane(&model->keys, process, tid, &lane)) {
		model->lanes = need(reallocarray(model->lanes, lane + 1, sizeof(*model->lanes)));
		model->lanes[lane] = (struct report_lane){.process = process};
		text_set(&model->lanes[lane].number, tid);
	}
	return lane;
}

static uint32_t process_of(struct report_model *model, const json_t *event)
{
	char number[LANE_NUMBER_ROOM];

	lane_number_print(number, event, "pid");
	return process_numbered(model, number);
}

static uint32_t lane_of(struct report_model *model, const json_t *event)
{
	char pid[LANE_NUMBER_ROOM], tid[LANE_NUMBER_ROOM];

	lane_number_print(pid, event, "pid");
	lane_number_print(tid, event, "tid");
	return model_lane(model, pid, tid);
}

/* ---- events ---- */

static void time_take(struct report_model *model, int64_t from, int64_t to)
{
	if (!model->any || from < model->first)
		model->first = from;
	if (!model->any || to > model->last)
		model->last = to;
	model->any = true;
}

static uint32_t kind_of(struct report_model *model, uint32_t name, uint32_t category,
			unsigned flags)
{
	return numbers_add(&model->kinds, (uint64_t)name << 32 | category << SLICE_FLAGS | flags);
}

/* A command's kind, which is an argument, becomes a category, so that kernels differ from transfers. */
static uint32_t slice_category(struct report_model *model, const json_t *event)
{
	const char *category = event_text(event, "cat"), *kind;
	char both[128];

	if (!category_of(category).device || !(kind = json_string_value(event_arg(event, "kind"))))
		return names_number(&model->texts, category);
	snprintf(both, sizeof(both), "%s,%s", category, kind);
	return names_number(&model->texts, both);
}

void model_slice(struct report_model *model, const struct report_slice *slice, uint32_t name,
		 uint32_t category, bool failed)
{
	LIST_ROOM(model->slices, model->nslices, model->slices_room);
	struct report_slice *added = &model->slices[model->nslices++];

	*added = *slice;
	bytes_text(&model->shape, "", 1);
	added->shape = names_number(&model->texts, (const char *)model->shape.list);
	added->nvalues = model->values.count - slice->values;
	added->kind = kind_of(model, name, category, failed ? SLICE_FAILED : 0);
	time_take(model, slice->start, slice->start + (slice->duration > 0 ? slice->duration : 0));
}

static void slice_add(struct report_model *model, const json_t *event, int64_t start,
		      int64_t duration)
{
	const char *category = event_text(event, "cat");
	const json_t *args = json_object_get(event, "args");
	const struct report_slice slice = {
		.start = start,
		.duration = duration,
		.lane = lane_of(model, event),
		.values = model->values.count,
		.stack = event_stack(&model->stacks, model->file, event),
	};

	if (category_of(category).device)
		model->lanes[slice.lane].is_queue = true;
	model->shape.count = 0;
	if (json_object_size(args))
		shape_value(model, args, 0);
	model_slice(model, &slice, names_number(&model->texts, event_text(event, "name")),
		    slice_category(model, event), category_of(category).failed);
}

static void mark_begin(struct report_model *model, const json_t *event, int64_t time)
{
	uint32_t number = lane_of(model, event);
	struct report_lane *lane = &model->lanes[number];

	LIST_ROOM(lane->open, lane->depth, lane->room);
	lane->open[lane->depth++] = model->nslices;
	slice_add(model, event, time, -1);
}

static void mark_end(struct report_model *model, const json_t *event, int64_t time)
{
	uint32_t number = lane_of(model, event);
	struct report_lane *lane = &model->lanes[number];

	if (!lane->depth)
		return; /* begun before the trace was */
	struct report_slice *slice = &model->slices[lane->open[--lane->depth]];
	uint64_t kind = model->kinds.list[slice->kind];

	slice->duration = time > slice->start ? time - slice->start : 0;
	if (category_of(event_text(event, "cat")).failed)
		slice->kind = kind_of(model, kind_name(kind), kind_category(kind), SLICE_FAILED);
	time_take(model, slice->start, slice->start + slice->duration);
}

static void arrow_end_add(struct report_model *model, const json_t *event, int64_t time, int last)
{
	const json_t *id = json_object_get(event, "id");
	uint32_t lane = lane_of(model, event);

	LIST_ROOM(model->ends, model->nends, model->ends_room);
	model->ends[model->nends++] = (struct arrow_end){
		.id = json_is_string(id) ? names_number(&model->texts, json_string_value(id)) |
						   UINT64_C(1) << 63
					 : (uint64_t)json_number_value(id),
		.time = time,
		.process = model->lanes[lane].process,
		.name = names_number(&model->texts, event_text(event, "name")),
		.lane = lane,
		.last = last,
	};
}

static void process_describe(struct report_process *process, const char *what, const json_t *event)
{
	if (!strcmp(what, "process_name")) {
		text_set(&process->name, json_string_value(event_arg(event, "name")));
	} else if (!strcmp(what, "process_labels")) {
		text_set(&process->labels, json_string_value(event_arg(event, "labels")));
	} else if (!strcmp(what, "tracelayer")) {
		json_decref(process->facts);
		process->facts = json_incref(json_object_get(event, "args"));
	}
}

static void metadata_take(struct report_model *model, const json_t *event)
{
	const char *what = event_text(event, "name");

	if (!strcmp(what, "thread_name")) {
		uint32_t lane = lane_of(model, event);

		text_set(&model->lanes[lane].name, json_string_value(event_arg(event, "name")));
	} else {
		uint32_t process = process_of(model, event);

		process_describe(&model->processes[process], what, event);
	}
}

void model_event(struct report_model *model, const json_t *event)
{
	int64_t time = event_nanoseconds(event, "ts", 0), duration;

	switch (*event_text(event, "ph")) {
	case 'M':
		metadata_take(model, event);
		return;
	case 'X':
		duration = event_nanoseconds(event, "dur", 0);
		slice_add(model, event, time, duration > 0 ? duration : 0);
		return;
	case 'i':
	case 'I':
		/* Those of arrows mark a place for viewers that need one. */
		if (!category_of(event_text(event, "cat")).device)
			slice_add(model, event, time, 0);
		return;
	case 'B':
		mark_begin(model, event, time);
		return;
	case 'E':
		mark_end(model, event, time);
		return;
	case 's':
		arrow_end_add(model, event, time, 0);
		return;
	case 't':
		arrow_end_add(model, event, time, 1);
		return;
	case 'f':
		arrow_end_add(model, event, time, 2);
		return;
	}
}

/* ---- the whole ---- */

#define ORDER(a, b)                                                                                \
	do {                                                                                       \
		if ((a) != (b))                                                                    \
			return (a) < (b) ? -1 : 1;                                                 \
	} while (0)

static int slice_by_time(const void *one, const void *other)
{
	const struct report_slice *a = one, *b = other;

	ORDER(a->lane, b->lane);
	ORDER(a->start, b->start);
	ORDER(b->duration, a->duration);
	return 0;
}

static int slice_by_row(const void *one, const void *other)
{
	const struct report_slice *a = one, *b = other;

	ORDER(a->lane, b->lane);
	ORDER(a->row, b->row);
	ORDER(a->start, b->start);
	ORDER(a->start + a->duration, b->start + b->duration);
	return 0;
}

static int end_by_arrow(const void *one, const void *other)
{
	const struct arrow_end *a = one, *b = other;

	ORDER(a->process, b->process);
	ORDER(a->name, b->name);
	ORDER(a->id, b->id);
	ORDER(a->last, b->last);
	ORDER(a->time, b->time);
	return 0;
}

static int arrow_by_time(const void *one, const void *other)
{
	const struct report_arrow *a = one, *b = other;

	ORDER(a->from, b->from);
	ORDER(a->to, b->to);
	return 0;
}

/* What had not ended when the trace did goes on up to there. */
static void slices_end(struct report_model *model)
{
	for (size_t i = 0; i < model->nslices; i++) {
		struct report_slice *slice = &model->slices[i];
		uint64_t kind = model->kinds.list[slice->kind];

		if (slice->duration >= 0)
			continue;
		slice->duration = model->last - slice->start;
		slice->kind = kind_of(model, kind_name(kind), kind_category(kind),
				      kind_flags(kind) | SLICE_UNENDED);
	}
}

/* A slice's row is the number of slices that it begins in. */
static void rows_give(struct report_model *model)
{
	int64_t *ends = NULL;
	size_t open = 0, room = 0;
	bool is_ordered = true;

	for (size_t i = 0; i < model->nslices; i++) {
		struct report_slice *slice = &model->slices[i];
		struct report_lane *lane = &model->lanes[slice->lane];

		if (i && slice->lane != slice[-1].lane)
			open = 0;
		while (open && ends[open - 1] <= slice->start)
			open--;
		LIST_ROOM(ends, open, room);
		slice->row = (uint32_t)open;
		ends[open++] = slice->start + slice->duration;
		if (lane->nrows < open)
			lane->nrows = (uint32_t)open;
		is_ordered &= !slice->row;
	}
	free(ends);
	if (!is_ordered)
		qsort(model->slices, model->nslices, sizeof(*model->slices), slice_by_row);
}

static void arrows_make(struct report_model *model)
{
	qsort(model->ends, model->nends, sizeof(*model->ends), end_by_arrow);
	for (size_t i = 1; i < model->nends; i++) {
		const struct arrow_end *to = &model->ends[i], *from = to - 1;

		if (!to->last || from->process != to->process || from->name != to->name ||
		    from->id != to->id)
			continue;
		LIST_ROOM(model->arrows, model->narrows, model->arrows_room);
		model->arrows[model->narrows++] =
			(struct report_arrow){from->time, to->time, from->lane, to->lane};
	}
	qsort(model->arrows, model->narrows, sizeof(*model->arrows), arrow_by_time);
}

/* Stacks become frames, and the frames' names texts of the page. */
static void frames_find(struct report_model *model)
{
	for (size_t i = 0; i < model->nslices; i++)
		model->slices[i].stack =
			event_stacks_innermost(&model->stacks, model->slices[i].stack);
	uint32_t count = model->stacks.frames.count;

	model->frame_names = need(calloc(count + 1ul, sizeof(*model->frame_names)));
	for (uint32_t i = 0; i < count; i++)
		model->frame_names[i] =
			names_number(&model->texts, event_stacks_name(&model->stacks, i + 1));
}

void model_arrange(struct report_model *model)
{
	frames_find(model);
	slices_end(model);
	if (model->nslices)
		qsort(model->slices, model->nslices, sizeof(*model->slices), slice_by_time);
	rows_give(model);
	if (model->nends)
		arrows_make(model);
}

void model_free(struct report_model *model)
{
	for (uint32_t i = 0; i < model->keys.lanes.count; i++) {
		free(model->lanes[i].name);
		free(model->lanes[i].number);
		free(model->lanes[i].open);
	}
	for (uint32_t i = 0; i < model->keys.processes.count; i++) {
		free(model->processes[i].name);
		free(model->processes[i].labels);
		free(model->processes[i].number);
		json_decref(model->processes[i].facts);
	}
	free(model->lanes);
	free(model->processes);
	free(model->slices);
	free(model->arrows);
	free(model->ends);
	free(model->values.list);
	free(model->shape.list);
	free(model->words.list);
	names_free(&model->texts);
	lane_keys_free(&model->keys);
	numbers_free(&model->addresses);
	numbers_free(&model->kinds);
	event_stacks_free(&model->stacks);
	free(model->frame_names);
}
