/* SPDX-License-Identifier: MIT */
/*
 * otf2_slices.h: what a process did, as OTF2 wants it: for each location in the order of time, with
 * an end for each beginning.
 *
 * Records come in the order in which calls ended, so the process's slices are kept until all are
 * there: 40 bytes for each.
 */
#ifndef TL_CLI_EXPORT_OTF2_SLICES_H
#define TL_CLI_EXPORT_OTF2_SLICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OTF2_NO_METRIC UINT32_MAX
#define OTF2_MESSAGE   (UINT32_MAX - 1) /* no metric: .value is an event of a message */

struct otf2_slice {
	uint32_t location;
	uint32_t region; /* of a metric's value alone: unused */
	uint64_t start, end;
	uint32_t metric; /* OTF2_NO_METRIC: none */
	bool is_value;	 /* no slice: a metric's value, or a message's event, at .start */
	uint64_t value;	 /* of the metric, by its bits */
};

/* Begins as zeros. */
struct otf2_slices {
	struct otf2_slice *list;
	size_t count, room;
};

/* What is called in the order of time, for one location after another. */
struct otf2_events {
	void (*location)(void *to, uint32_t location); /* its events follow */
	void (*enter)(void *to, uint64_t time, uint32_t region);
	void (*leave)(void *to, uint64_t time, uint32_t region);
	void (*value)(void *to, uint64_t time, uint32_t metric, uint64_t value);
	void (*message)(void *to, uint64_t time, uint64_t value);
};

void otf2_slices_add(struct otf2_slices *slices, struct otf2_slice slice);

/* Takes all slices. An event's that would end behind the slice around it ends with it. */
void otf2_slices_play(struct otf2_slices *slices, const struct otf2_events *events, void *to);

void otf2_slices_free(struct otf2_slices *slices);

#endif
