/* SPDX-License-Identifier: MIT */
/*
 * timeline_otf2.c: an archive of OTF2, for Vampir and Scalasca: a location for each thread and queue, a
 * location group for each process and for its queues, a node of the system tree for each host.
 * Calls, commands and marks are regions; transfers' bytes and counters are metrics. MPI messages are
 * events of their ranks' threads (otf2_messages.c).
 *
 * otf2_records.c makes slices of a process's records, otf2_definitions.c has the definitions. Here slices
 * become events, and files.
 */
#include "config.h"

#include "cli/basics/basics.h"
#include "cli/export/export_timeline.h"

#if !HAVE_OTF2

int timeline_write_otf2(struct timeline *timeline, const char *path, bool force)
{
	say("%s: this tracelayer was built without OTF2; install libopen-trace-format2-dev and build it again, or write .pftrace, .json or .tar",
	    path);
	return EXIT_USAGE;
}

#else

#include <errno.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/export/otf2_archive.h"
#include "cli/export/otf2_definitions.h"
#include "cli/export/otf2_records.h"

#define EVENTS_CHUNK (1024u * 1024)
#define DEFS_CHUNK   (4u * 1024 * 1024)

/* --- events, in the order of time */

static void play_close(struct otf2_writer *writer)
{
	if (!writer->events)
		return;
	OTF2_EvtWriter_GetNumberOfEvents(writer->events,
					 &writer->locations[writer->location].events);
	OTF2_Archive_CloseEvtWriter(writer->archive, writer->events);
	writer->events = NULL;
}

static void play_location(void *to, uint32_t location)
{
	struct otf2_writer *writer = to;

	play_close(writer);
	writer->location = location;
	writer->locations[location].number = writer->nlocations++;
	writer->events =
		OTF2_Archive_GetEvtWriter(writer->archive, writer->locations[location].number);
}

static void play_enter(void *to, uint64_t time, uint32_t region)
{
	OTF2_EvtWriter_Enter(((struct otf2_writer *)to)->events, NULL, time, region);
}

static void play_leave(void *to, uint64_t time, uint32_t region)
{
	OTF2_EvtWriter_Leave(((struct otf2_writer *)to)->events, NULL, time, region);
}

static void play_value(void *to, uint64_t time, uint32_t metric, uint64_t value)
{
	struct otf2_writer *writer = to;
	OTF2_MetricValue values = {.unsigned_int = value};

	OTF2_EvtWriter_Metric(writer->events, NULL, time, metric, 1, &writer->metrics[metric].type,
			      &values);
}

static void play_message(void *to, uint64_t time, uint64_t value)
{
	struct otf2_writer *writer = to;

	otf2_messages_event(&writer->messages, writer->events, time,
			    &writer->timeline->messages.list[value / 2], value % 2);
}

/* Now locations have their numbers in the archive. */
static void messages_locate(struct otf2_writer *writer)
{
	struct timeline *timeline = writer->timeline;
	const struct timeline_process *process = writer->records.process;
	size_t count;
	const struct mpi_end *ends = mpi_messages_of(
		&timeline->messages, (size_t)(process - timeline->inputs.list), &count);

	if (count) {
		uint32_t tid = timeline_number(&timeline->numbers, ends->tid);
		uint32_t location = numbers_add(&writer->location_keys, tid);

		otf2_messages_locate(&writer->messages, process->rank,
				     writer->locations[location].number);
	}
}

static void process_write(struct otf2_writer *writer, const struct timeline_process *process,
			  const char *where)
{
	static const struct otf2_events events = {play_location, play_enter, play_leave, play_value,
						  play_message};
	struct timeline *timeline = writer->timeline;
	const struct tl_trace *of = NULL;

	timeline_numbers_next(&timeline->numbers);
	if (timeline_records_open(&writer->records, process, &timeline->numbers,
				  &timeline->selection, timeline->inputs.start)) {
		otf2_process_define(writer, process);
		memset(writer->touching, 0, sizeof(*writer->touching));
		while (!otf2_place_is_stopped() &&
		       (timeline_records_next(&writer->records) || !of)) {
			if (writer->records.trace != of)
				otf2_find_locations(writer);
			of = writer->records.trace;
			if (writer->records.size)
				otf2_batch_add(writer);
		}
		otf2_unfinished_add(writer);
		otf2_messages_add(writer);
		otf2_slices_play(&writer->slices, &events, writer);
		play_close(writer);
		messages_locate(writer);
		otf2_free_marks(writer);
		timeline_judge(timeline, &writer->records, 0, where);
	} else {
		timeline->incomplete = true;
	}
	timeline_records_close(&writer->records);
}

/* --- the archive */

static OTF2_ErrorCode error_keep(void *to, const char *file, uint64_t line, const char *function,
				 OTF2_ErrorCode code, const char *format, va_list arguments)
{
	struct otf2_writer *writer = to;

	/* Warnings are below it. */
	if (code > OTF2_SUCCESS && !writer->error &&
	    vasprintf(&writer->error, format, arguments) < 0)
		need(NULL);
	return code;
}

static OTF2_FlushType flush_always(void *data, OTF2_FileType type, OTF2_LocationRef location,
				   void *caller, bool final)
{
	return OTF2_FLUSH;
}

static void archive_write(struct otf2_writer *writer, const char *where)
{
	static const OTF2_FlushCallbacks flush = {.otf2_pre_flush = flush_always};
	const struct timeline_inputs *inputs = &writer->timeline->inputs;

	mpi_messages_find(&writer->timeline->messages, inputs, &writer->timeline->selection);
	mpi_messages_keep_plain(&writer->timeline->messages, inputs);
	otf2_messages_start(&writer->messages, &writer->timeline->messages, inputs);
	OTF2_Archive_SetFlushCallbacks(writer->archive, &flush, NULL);
	OTF2_Archive_SetSerialCollectiveCallbacks(writer->archive);
	OTF2_Archive_SetCreator(writer->archive, PACKAGE_STRING);
	OTF2_Archive_OpenEvtFiles(writer->archive);
	for (size_t i = 0; i < inputs->count && !writer->error && !otf2_place_is_stopped(); i++) {
		progress_show("process %zu of %zu, %.1f million events", i + 1, inputs->count,
			      (double)writer->timeline->events / 1e6);
		process_write(writer, &inputs->list[i], where);
	}
	progress_hide();
	OTF2_Archive_CloseEvtFiles(writer->archive);
	otf2_archive_define(writer);
}

static void writer_free(struct otf2_writer *writer)
{
	names_free(&writer->strings);
	names_free(&writer->region_keys);
	names_free(&writer->metric_keys);
	numbers_free(&writer->location_keys);
	numbers_free(&writer->nodes);
	otf2_slices_free(&writer->slices);
	otf2_messages_free(&writer->messages);
	free(writer->regions);
	free(writer->metrics);
	free(writer->locations);
	free(writer->groups);
	free(writer->touching);
	free(writer->error);
}

/* The archive got another name than the user asked for. */
static void place_say(const struct otf2_place *place, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	if (strncmp(name, place->name, strlen(place->name)) ||
	    strcmp(name + strlen(place->name), ".otf2"))
		say("%s: that name is taken; written to %s/%s.otf2 (-f overwrites)", path,
		    place->folder, place->name);
}

int timeline_write_otf2(struct timeline *timeline, const char *path, bool force)
{
	struct otf2_writer writer = {.timeline = timeline,
				     .touching = need(calloc(1, sizeof(*writer.touching))),
				     .first = UINT64_MAX};
	struct otf2_place place;
	int error = otf2_place_open(&place, path, force);

	if (error) {
		free(writer.touching);
		say("%s: %s; %s", path, strerror(error),
		    output_file_remedy(error, "give another place with -o"));
		return EXIT_BROKEN;
	}
	OTF2_Error_RegisterCallback(error_keep, &writer);
	writer.archive =
		OTF2_Archive_Open(place.made, place.asked, OTF2_FILEMODE_WRITE, EVENTS_CHUNK,
				  DEFS_CHUNK, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	if (writer.archive) {
		archive_write(&writer, path);
		OTF2_Archive_Close(writer.archive);
	}
	bool written = writer.archive && !writer.error;
	error = otf2_place_close(&place, written);
	if (!written || error)
		say("%s: %s; no archive was left there; %s", path,
		    error == EEXIST ? "another file beside it has a name that the archive needs"
		    : error	    ? strerror(error)
		    : writer.error  ? writer.error
				    : "OTF2 failed",
		    error == EEXIST
			    ? "give another name with -o"
			    : output_file_remedy(error,
						 "free some space, or give another place with -o"));
	else
		place_say(&place, path);
	writer_free(&writer);
	return written && !error ? EXIT_DONE : EXIT_BROKEN;
}

#endif
