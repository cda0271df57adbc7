/* SPDX-License-Identifier: MIT */
/*
 * report_model.h: what the page shows of traces: slices by lane and row, arrows, texts, and what the
 * traces say of their processes.
 */
#ifndef TL_CLI_REPORT_REPORT_MODEL_H
#define TL_CLI_REPORT_REPORT_MODEL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/basics/basics.h"
#include "cli/read/read.h"

/* Bytes that grow. */
struct bytes {
	unsigned char *list;
	size_t count, room;
};

void bytes_number(struct bytes *bytes, uint64_t number); /* as a varint */
void bytes_text(struct bytes *bytes, const char *text, size_t size);

enum { SLICE_FAILED = 1, SLICE_UNENDED = 2, SLICE_FLAGS = 2 /* bits */ };

struct report_slice {
	int64_t start, duration; /* nanoseconds; a duration of -1: it goes on to the trace's end */
	uint32_t lane, row;
	uint32_t kind;	/* in .kinds */
	uint32_t shape; /* of its arguments, in .texts */
	uint32_t
		stack; /* number in .stacks; after model_arrange, that of the innermost frame. 0: none */
	size_t values,
		nvalues; /* of its arguments: varints, where in .values, and how many bytes */
};

struct report_arrow {
	int64_t from, to;
	uint32_t from_lane, to_lane;
};

/* One end of an arrow. Steps between the ends are ends, too. */
struct arrow_end {
	uint64_t id;
	int64_t time;
	uint32_t process, name, lane;
	int last; /* 0: the start; 1: a step; 2: the end */
};

struct report_lane {
	uint32_t process, nrows;
	char *name, *number;
	bool is_queue;
	size_t *open; /* slices that have begun */
	size_t depth, room;
};

struct report_process {
	char *name, *labels, *number;
	json_t *facts; /* the machine and the settings */
	int file;
};

struct report_model {
	struct report_slice *slices;
	size_t nslices, slices_room;
	struct report_arrow *arrows;
	size_t narrows, arrows_room;
	struct arrow_end *ends;
	size_t nends, ends_room;
	struct report_lane *lanes;
	struct report_process *processes;
	struct lane_keys keys; /* of .processes and .lanes */
	struct names texts;
	struct numbers addresses, kinds; /* a kind: its name, its categories, its flags */
	struct bytes values;
	struct event_stacks stacks;
	uint32_t *frame_names; /* in .texts, by a frame's number - 1; after model_arrange */
	int64_t first, last;
	bool any;
	int file;
	struct bytes shape;	     /* in the making */
	struct bytes words;	     /* a copy of the text that is read */
	uint64_t lane_pid, lane_tid; /* the numbers of .lane, if .has_lane */
	uint32_t lane;
	bool has_lane;
};

void model_event(struct report_model *model, const json_t *event);

/*
 * The same for the text of a JSON array of events, as the encoder of .json writes it. False: it has
 * something else than calls in their plain form; nothing was taken, and model_event has to get the
 * events.
 */
bool model_text(struct report_model *model, const char *text, size_t size);

/*
 * For the two above. A lane by its numbers; a slice whose shape is in .shape, and whose values are
 * at the end of .values, from `values` on.
 */
void shape_string(struct report_model *model, const char *text);
uint32_t model_lane(struct report_model *model, const char *pid, const char *tid);
void model_slice(struct report_model *model, const struct report_slice *slice, uint32_t name,
		 uint32_t category, bool failed);

/*
 * All events and frames are in: sorts slices by lane, row and time, and makes arrows of their ends.
 * Slices of a row do not overlap.
 */
void model_arrange(struct report_model *model);
void model_free(struct report_model *model);

/* The parts of a kind. */
static inline uint32_t kind_name(uint64_t kind)
{
	return (uint32_t)(kind >> 32);
}

static inline uint32_t kind_category(uint64_t kind)
{
	return (uint32_t)kind >> SLICE_FLAGS;
}

static inline unsigned kind_flags(uint64_t kind)
{
	return kind & ((1u << SLICE_FLAGS) - 1);
}

#endif
