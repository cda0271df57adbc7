/* SPDX-License-Identifier: MIT */
/*
 * export_job.h: what export.c was asked for, and the work of export_encode.c: one .tlt file, whole.
 */
#ifndef TL_CLI_EXPORT_EXPORT_JOB_H
#define TL_CLI_EXPORT_EXPORT_JOB_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/basics/basics.h"
#include "cli/read/selection.h"
#include "cli/outputs/outputs.h"
#include "cli/outputs/trace_encoder.h"
#include "format/encode/formats.h"
#include "format/encode/gzip.h"
#include "format/file/record_reader.h"

struct symbols;
struct portion;
struct slot;

struct export
{
	struct words inputs;
	const char *input, *output; /* .input: the first */
	struct selection selection;
	struct tl_trace *trace;
	const struct tl_format *format;
	bool gzip, systrace, force;
	enum gpu_tracks gpu_tracks;
	bool gpu_events;	    /* .gpu_tracks chosen, of a .pftrace; then */
	struct tl_pf_gpus gpus;	    /* those of the trace */
	const char *symbol_folders; /* --symbols; NULL: none */
	struct symbols *symbols;
	bool stack_ids; /* JSON that is an object, with "stackFrames" */
	struct portion *portions;
	size_t nportions;
	uint64_t bytes; /* of records */

	/* Under the lock. */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct slot *slots;
	size_t nslots;
	size_t next;	/* the next portion to encode */
	size_t written; /* portions */
	bool failed;	/* the output failed: workers stop */

	struct output_file file;
	uint64_t place, written_bytes, events, unknown;
	struct tl_event_cost cost;
	struct tl_gzip total; /* of all that was written: .crc and .size */
};

/* False, after a message. */
bool export_output_open(struct export *export);

/*
 * Gives the file its name. If that fails, or it was not written (errno says why), removes the file,
 * prints a message and returns false.
 */
bool export_output_close(struct export *export, bool written);

/* Cut the trace's records into portions. */
void export_make_portions(struct export *export);

/* Encode all portions and write them to the file, with its end. False: errno says why. */
bool export_encode_all(struct export *export);

#endif
