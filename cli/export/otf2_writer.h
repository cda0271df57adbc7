/* SPDX-License-Identifier: MIT */
/*
 * otf2_writer.h: the state of writing an archive of OTF2 (timeline_otf2.c), which its parts share: the
 * definitions so far (otf2_definitions.h), and the process that is being read (otf2_records.h).
 */
#ifndef TL_CLI_EXPORT_OTF2_WRITER_H
#define TL_CLI_EXPORT_OTF2_WRITER_H

#include <otf2/otf2.h>

#include "cli/export/export_timeline.h"
#include "cli/export/otf2_messages.h"
#include "cli/export/otf2_slices.h"
#include "cli/export/timeline_records.h"
#include "format/encode/touching.h"

struct otf2_location {
	uint32_t name, group; /* .name: a string */
	bool is_queue;
	uint64_t events; /* 0: it is left out */
	uint32_t number; /* in the archive */
};

/* A process, or the queues of one. */
struct otf2_group {
	uint32_t name, node, process;
	bool is_queues;
};

struct otf2_region {
	uint32_t name, category;
	bool is_transfer;
};

struct otf2_metric {
	uint32_t name, unit;
	OTF2_Type type;
};

struct otf2_writer {
	struct timeline *timeline;
	OTF2_Archive *archive;
	OTF2_EvtWriter *events;
	char *error; /* the first one's words */

	struct names strings, region_keys, metric_keys;
	struct numbers location_keys; /* the numbers that threads and lanes have in an output */
	struct numbers nodes;	      /* hosts' strings */
	struct otf2_region *regions;
	struct otf2_metric *metrics;
	struct otf2_location *locations;
	struct otf2_group *groups;
	uint32_t ngroups;
	uint64_t first, last;
	struct otf2_messages messages;

	/* The process that is being read. */
	struct timeline_records records;
	uint32_t group, queues; /* .queues: UINT32_MAX while it has none */
	struct tl_touching *touching;
	struct otf2_slices slices;
	struct numbers open_keys; /* locations with marks */
	struct otf2_slice **open; /* their open marks, by place in .open_keys */
	size_t *depths;
	uint32_t location;   /* that .events is of */
	uint32_t nlocations; /* in the archive */
};

#endif
