/* SPDX-License-Identifier: MIT */
/*
 * export_encode.c: the encoding of a .tlt file, by several threads.
 *
 * The work is cut into portions: runs of records that together are large enough to be worth the
 * trouble. Workers take them in order. Each encodes its portion into a block of its own, compresses
 * that, and puts it into a ring of slots, from which it is written in order. The ring's size limits
 * how far workers are ahead. Where a format's parts can be encoded apart (tl_format.in_parts) there
 * are as many workers as cores. Otherwise one worker does all portions by one encoder, and so it is
 * with a trace in which records are missing.
 *
 * Calls that overlap, as those of coroutines, have further lanes in JSON (format/encode/touching.h).
 * Who writes the portions sees whether a portion has such a call; that portion is encoded once more,
 * by an encoder that knows what was before.
 */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "cli/basics/basics.h"
#include "cli/export/export_job.h"
#include "cli/export/export_stacks.h"
#include "cli/outputs/outputs.h"
#include "cli/read/read.h"
#include "format/encode/formats.h"
#include "format/encode/gzip.h"
#include "format/encode/touching.h"

#define PORTION (256u * 1024) /* bytes of records */
#define HINTS	(PORTION / 4) /* calls have as many as they have members, and each takes a word */
#define WORKERS 64

/* Runs [first, last). Of a run that is larger than a portion, the part that .part says. */
struct portion {
	size_t first, last;
	struct tl_trace_run part; /* .records NULL: whole runs */
	uint64_t size;
};

/* An encoded portion. */
struct slot {
	bool done;
	char *text, *packed; /* grow as they have to; stay with the slot */
	size_t room, packed_room;
	struct tl_repeat_hints hints; /* where text is compressed */
	size_t size;		      /* of what is to be written */
	size_t plain;		      /* before it was compressed */
	uint32_t crc;
	uint64_t events, unknown;
	struct tl_event_cost cost;
	/* 1 + where the first record was that could not be stepped over, in the file */
	uint64_t damage;
	/* by tid, as in struct tl_touching; NULL: it was encoded after what was before */
	struct tl_touching_seam *seams;
	uint64_t has_seam; /* a bit each */
};

struct worker {
	struct export *export;
	pthread_t thread;
	struct tl_encoder encoder;
	struct tl_gzip gzip;
	void *gzip_memory;
	struct tl_pf_gpus gpus;
	struct tl_touching *touching; /* of an encoder that does not know what was before */
};

/* --- portions */

static void add_portion(struct export *export, size_t *room, struct portion portion)
{
	if (export->nportions == *room) {
		*room = *room ? 2 * *room : 1024;
		export->portions =
			need(realloc(export->portions, *room * sizeof(*export->portions)));
	}
	export->portions[export->nportions++] = portion;
	export->bytes += portion.size;
}

/* A run that is larger than any chunk: cut between records. */
static void cut_run(struct export *export, size_t *room, size_t at)
{
	const struct tl_trace_run *run = &export->trace->runs[at];
	struct tl_trace_place place = {0};
	uint64_t from = 0;

	while (from < run->size) {
		uint64_t to = run->size;
		while (tl_trace_next(run, &place))
			if (place.at - from >= PORTION) {
				to = place.at;
				break;
			}
		struct tl_trace_run part = {run->lane, run->records + from, to - from,
					    run->offset + from};
		add_portion(export, room, (struct portion){at, at + 1, part, to - from});
		from = to;
	}
}

void export_make_portions(struct export *export)
{
	const struct tl_trace *trace = export->trace;
	struct portion portion = {0};
	size_t room = 0;

	/* The first has the file's beginning, and no records. */
	add_portion(export, &room, portion);
	for (size_t i = 0; i < trace->nruns; i++) {
		bool large = trace->runs[i].size > 2 * PORTION;

		if (portion.size && (large || portion.size >= PORTION)) {
			add_portion(export, &room, portion);
			portion = (struct portion){0};
		}
		if (large) {
			cut_run(export, &room, i);
			continue;
		}
		if (!portion.size)
			portion.first = i;
		portion.last = i + 1;
		portion.size += trace->runs[i].size;
	}
	if (portion.size)
		add_portion(export, &room, portion);
}

/* --- encoding */

static void make_room(struct slot *slot, struct tl_text *text)
{
	size_t used = text->at ? (size_t)(text->at - slot->text) : 0;

	if (slot->room - used < TL_ENCODER_ROOM) {
		slot->room = 2 * slot->room + 4 * TL_ENCODER_ROOM;
		slot->text = need(realloc(slot->text, slot->room));
	}
	*text = (struct tl_text){slot->text + used, slot->text + slot->room, false};
	slot->hints.base = slot->text;
}

/* For one call of the encoder. */
static inline void keep_room(struct slot *slot, struct tl_text *text)
{
	if ((size_t)(text->end - text->at) < TL_ENCODER_ROOM)
		make_room(slot, text);
}

static void count_record(struct slot *slot, const struct tl_encoder *encoder,
			 const struct tl_call_record *record)
{
	slot->events += tl_record_counts(record->type);
	if (record->type == TL_RECORD_EVENT)
		tl_event_add_cost(&slot->cost, encoder, (const void *)record);
}

/* The portion's seam for a thread. NULL: it has none. */
static struct tl_touching_seam *slot_seam(struct worker *worker, struct slot *slot, uint32_t tid)
{
	const uint32_t number = tid % TL_TOUCHING_LANES;

	_Static_assert(TL_TOUCHING_LANES <= 64, "a bit each");
	if (!worker->touching)
		return NULL;
	struct tl_touching_seam *seam = &slot->seams[number];
	if (!(slot->has_seam >> number & 1) || worker->touching->lanes[number].tid != tid)
		tl_touching_part(worker->touching, tid, seam);
	slot->has_seam |= UINT64_C(1) << number;
	return seam;
}

static void encode_run(struct worker *worker, struct slot *slot, struct tl_text *text,
		       const struct tl_trace_run *run)
{
	struct tl_encoder *encoder = &worker->encoder;
	uint32_t tid = worker->export->trace->lanes[run->lane].shown;
	struct tl_touching_seam *seam = slot_seam(worker, slot, tid);
	struct tl_trace_place place = {0};
	const struct tl_call_record *record;

	while ((record = tl_trace_next(run, &place))) {
		keep_room(slot, text);
		if (!encoder->format->record(encoder, text, tid, record, place.left))
			slot->unknown++;
		else
			count_record(slot, encoder, record);
		if (seam && record->type == TL_RECORD_CALL)
			tl_touching_note(worker->touching, tid, seam);
	}
	if (place.unsound && !slot->damage)
		slot->damage = run->offset + place.unsound;
}

static void encode_beginning(struct worker *worker, struct slot *slot, struct tl_text *text)
{
	const struct tl_trace *trace = worker->export->trace;
	struct tl_encoder *encoder = &worker->encoder;

	if (worker->export->stack_ids)
		tl_text_string(text, "{\"traceEvents\":");
	encoder->format->begin(encoder, text, &trace->facts);
	for (size_t i = 0; i < trace->nlanes; i++) {
		keep_room(slot, text);
		if (trace->lanes[i].nruns)
			encoder->format->thread(encoder, text, trace->lanes[i].shown,
						trace->lanes[i].name);
	}
	for (size_t i = 0; i < trace->nnamed; i++) {
		keep_room(slot, text);
		trace_encoder_lane(encoder, text, trace, &trace->named[i]);
	}
}

static void slot_pack(struct worker *worker, struct slot *slot)
{
	size_t room = tl_gzip_bound(slot->plain);

	if (room > slot->packed_room) {
		slot->packed_room = room;
		free(slot->packed);
		slot->packed = need(malloc(room));
	}
	worker->gzip.hints = &slot->hints;
	/* No tl_gzip_keep, so checksum and size are of this block alone. */
	slot->size = tl_gzip_block(&worker->gzip, slot->packed, slot->text, slot->plain);
	slot->crc = worker->gzip.next_crc;
}

static struct tl_repeat_hints *slot_hints(struct slot *slot)
{
	if (!slot->hints.list) {
		slot->hints.room = HINTS;
		slot->hints.list = need(malloc(HINTS * sizeof(*slot->hints.list)));
	}
	tl_repeat_hints_begin(&slot->hints, slot->text);
	return &slot->hints;
}

static void slot_encode(struct worker *worker, struct slot *slot, size_t number)
{
	struct export *export = worker->export;
	const struct portion *portion = &export->portions[number];
	struct tl_text text = {NULL, NULL, false};

	slot->events = slot->unknown = slot->damage = 0;
	if (worker->touching && !slot->seams)
		slot->seams = need(calloc(TL_TOUCHING_LANES, sizeof(*slot->seams)));
	slot->has_seam = 0;
	slot->cost = (struct tl_event_cost){0, 0};
	make_room(slot, &text);
	if (export->gzip)
		worker->encoder.hints = slot_hints(slot);
	worker->encoder.format->block(&worker->encoder);
	if (!number)
		encode_beginning(worker, slot, &text);
	else if (portion->part.records)
		encode_run(worker, slot, &text, &portion->part);
	else
		for (size_t i = portion->first; i < portion->last; i++)
			encode_run(worker, slot, &text, &export->trace->runs[i]);
	for (uint32_t i = 0; i < TL_TOUCHING_LANES; i++)
		if (slot->has_seam >> i & 1)
			tl_touching_part_end(worker->touching, worker->touching->lanes[i].tid,
					     &slot->seams[i]);
	/* Always true: if this block cannot be written, the whole export fails. */
	worker->encoder.format->kept(&worker->encoder);
	slot->size = slot->plain = (size_t)(text.at - slot->text);
	if (export->gzip)
		slot_pack(worker, slot);
}

static void *worker_run(void *of)
{
	struct worker *worker = of;
	struct export *export = worker->export;

	pthread_mutex_lock(&export->lock);
	while (export->next < export->nportions && !export->failed) {
		if (export->next >= export->written + export->nslots) {
			pthread_cond_wait(&export->changed, &export->lock);
			continue;
		}
		size_t number = export->next++;
		pthread_mutex_unlock(&export->lock);
		slot_encode(worker, &export->slots[number % export->nslots], number);
		pthread_mutex_lock(&export->lock);
		export->slots[number % export->nslots].done = true;
		pthread_cond_broadcast(&export->changed);
	}
	pthread_mutex_unlock(&export->lock);
	return NULL;
}

static void worker_start(struct worker *worker, struct export *export)
{
	worker->export = export;
	trace_encoder_start(&worker->encoder, export->format, export->trace);
	worker->encoder.gpu_events = export->gpu_events;
	/* Workers learn nothing more of them that counts. */
	worker->gpus = export->gpus;
	worker->encoder.gpus = export->gpu_events ? &worker->gpus : NULL;
	worker->encoder.frame_name = symbols_name;
	worker->encoder.names = export->symbols;
	worker->encoder.stack_ids = worker->encoder.leads = export->stack_ids;
	if (export->gzip) {
		worker->gzip_memory = need(malloc(TL_GZIP_MEMORY));
		tl_gzip_start(&worker->gzip, worker->gzip_memory);
	}
}

static void worker_end(struct worker *worker)
{
	trace_encoder_end(&worker->encoder);
	free(worker->gzip_memory);
}

/* --- the output */

static bool output_put(struct export *export, const char *bytes, size_t size)
{
	while (size) {
		ssize_t n = write(export->file.fd, bytes, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		bytes += n;
		size -= (size_t)n;
		export->written_bytes += (size_t)n;
	}
	return true;
}

static bool output_put_block(struct export *export, const struct slot *slot)
{
	char header[TL_GZIP_HEADER];

	if (!export->gzip)
		return output_put(export, slot->text, slot->size);
	if (!export->written_bytes && !output_put(export, header, tl_gzip_header(header)))
		return false;
	export->total.crc =
		(uint32_t)crc32_combine(export->total.crc, slot->crc, (z_off_t)slot->plain);
	export->total.size += (uint32_t)slot->plain;
	return output_put(export, slot->packed, slot->size);
}

static void lost_by_thread(void *context, void (*tell)(void *to, uint32_t tid, uint64_t lost),
			   void *to)
{
	const struct tl_trace *trace = context;

	for (size_t i = 0; i < trace->nlanes; i++)
		if (trace->lanes[i].lost)
			tell(to, trace->lanes[i].shown, trace->lanes[i].lost);
}

/*
 * Calls that had not returned. A file that a process wrote itself has none, one that was recovered
 * may.
 */
static void encode_unfinished(struct export *export, struct tl_encoder *encoder, struct slot *slot,
			      struct tl_text *text)
{
	for (size_t i = 0; i < export->trace->nlanes; i++) {
		const struct tl_trace_lane *lane = &export->trace->lanes[i];

		keep_room(slot, text);
		if (lane->nopens && !lane->nruns)
			encoder->format->thread(encoder, text, lane->shown, lane->name);
		/* As if they ended when the process did, the innermost first. */
		for (size_t open = lane->nopens; open-- > 0;) {
			keep_room(slot, text);
			encoder->format->unfinished(encoder, text, lane->shown, &lane->opens[open],
						    export->trace->last);
			export->events++;
		}
	}
}

/* The end of the object: it may be larger than what an encoder puts in at once. */
static void put_stack_frames(struct export *export, struct slot *slot, struct tl_text *text)
{
	size_t size, used = (size_t)(text->at - slot->text);

	if (!export->stack_ids)
		return;
	char *frames = export_stack_frames(export->trace, export->symbols, &size);
	slot->room = used + size;
	slot->text = need(realloc(slot->text, slot->room));
	memcpy(slot->text + used, frames, size);
	*text = (struct tl_text){slot->text + used + size, slot->text + slot->room, false};
	free(frames);
}

static bool put_end(struct export *export, struct worker *worker)
{
	struct slot *slot = &export->slots[0];
	struct tl_text text = {NULL, NULL, false};
	struct tl_totals totals = {.lost = record_file_lost(export->trace),
				   .lost_by_thread = lost_by_thread,
				   .context = export->trace,
				   .overwritten = export->trace->overwritten,
				   .stackless = export->trace->stackless};

	make_room(slot, &text);
	worker->encoder.format->block(&worker->encoder);
	encode_unfinished(export, &worker->encoder, slot, &text);
	keep_room(slot, &text);
	totals.events = export->events;
	totals.cost = export->cost;
	worker->encoder.format->end(&worker->encoder, &text, &totals);
	put_stack_frames(export, slot, &text);
	slot->plain = (size_t)(text.at - slot->text);
	if (!export->gzip)
		return output_put(export, slot->text, slot->plain);
	worker->gzip.crc = export->total.crc;
	worker->gzip.size = export->total.size;
	char *packed = need(malloc(tl_gzip_bound(slot->plain)));
	bool written = output_put(export, packed,
				  tl_gzip_end(&worker->gzip, packed, slot->text, slot->plain));
	free(packed);
	return written;
}

/* --- the bar */

static double now_seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void draw_bar(const struct export *export, double since)
{
	static const char full[] = "########################################";
	const int width = sizeof(full) - 1;
	double part = export->bytes ? (double)export->place / (double)export->bytes : 1,
	       passed = now_seconds() - since;
	int filled = (int)(part * width);

	fprintf(stderr, "\r\033[K%3d%% [%-*.*s] %.1f million events", (int)(part * 100), width,
		filled, full, (double)export->events / 1e6);
	if (part > 0.02)
		fprintf(stderr, ", %.0f s left", passed / part - passed);
	fflush(stderr);
}

/* --- from workers to the file */

/* Waits for a worker, at most until the bar is due again. */
static void wait_for_change(struct export *export)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += 100000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	pthread_cond_clockwait(&export->changed, &export->lock, CLOCK_MONOTONIC, &until);
}

static void count_slot(struct export *export, const struct slot *slot, size_t number)
{
	export->events += slot->events;
	export->unknown += slot->unknown;
	export->cost.bytes += slot->cost.bytes;
	export->cost.device_ns += slot->cost.device_ns;
	export->place += export->portions[number].size;
	if (slot->damage)
		record_file_damaged(export->trace, slot->damage - 1);
}

/* Puts a portion behind those before it. `last`: an encoder that knows them. */
static void slot_join(struct worker *last, struct slot *slot, size_t number)
{
	struct tl_touching *touching = last->encoder.format->touching(&last->encoder);

	/* No lane is joined before all are known to do: their calls would come twice. */
	for (uint64_t seams = slot->has_seam; seams; seams &= seams - 1) {
		const struct tl_touching_seam *seam = &slot->seams[__builtin_ctzll(seams)];

		if (!tl_touching_joins(touching, seam->lane.tid, seam)) {
			slot_encode(last, slot, number);
			return;
		}
	}
	for (uint64_t seams = slot->has_seam; seams; seams &= seams - 1) {
		const struct tl_touching_seam *seam = &slot->seams[__builtin_ctzll(seams)];

		tl_touching_append(touching, seam->lane.tid, seam);
	}
}

/*
 * Blocks in order, as they get ready. `last`: NULL: there is one worker. False: writing failed, and
 * errno says why.
 */
static bool write_all(struct export *export, struct worker *last)
{
	bool bar = isatty(STDERR_FILENO), written = true;
	double since = now_seconds(), drawn = since;
	int error;

	pthread_mutex_lock(&export->lock);
	while (export->written < export->nportions && written) {
		struct slot *slot = &export->slots[export->written % export->nslots];
		if (bar && now_seconds() - drawn > 0.1) {
			draw_bar(export, since);
			drawn = now_seconds();
		}
		if (!slot->done) {
			wait_for_change(export);
			continue;
		}
		pthread_mutex_unlock(&export->lock);
		if (last)
			slot_join(last, slot, export->written);
		written = output_put_block(export, slot);
		error = errno;
		pthread_mutex_lock(&export->lock);
		count_slot(export, slot, export->written);
		slot->done = false;
		export->written++;
		export->failed = !written;
		pthread_cond_broadcast(&export->changed);
		errno = error;
	}
	error = errno;
	pthread_mutex_unlock(&export->lock);
	if (bar && drawn != since)
		fputs("\r\033[K", stderr);
	errno = error;
	return written;
}

static size_t workers_for(const struct export *export)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	/*
	 * Which calls are open where records are missing depends on all records before: one worker.
	 */
	size_t count =
		export->format->in_parts && cores > 1 && !export->trace->gaps ? (size_t)cores : 1;

	count = count < WORKERS ? count : WORKERS;
	return count < export->nportions ? count : export->nportions;
}

bool export_encode_all(struct export *export)
{
	size_t count = workers_for(export), started = 0;
	/* Too large for a stack that the user has made small. */
	struct worker *workers = need(calloc(count + 1, sizeof(*workers)));
	/* Parts that are encoded apart are joined by an encoder of its own. */
	struct worker *last = count > 1 && export->format->touching ? &workers[count] : NULL;
	bool written;
	int error;

	export->nslots = 3 * count + 1;
	export->slots = need(calloc(export->nslots, sizeof(*export->slots)));
	pthread_mutex_init(&export->lock, NULL);
	pthread_cond_init(&export->changed, NULL);
	for (size_t i = 0; i < count; i++) {
		worker_start(&workers[i], export);
		if (last)
			workers[i].touching = export->format->touching(&workers[i].encoder);
		started += i == started &&
			   !pthread_create(&workers[i].thread, NULL, worker_run, &workers[i]);
	}
	need(started ? export : NULL);
	if (last)
		worker_start(last, export);
	written = write_all(export, last);
	error = errno;
	for (size_t i = 0; i < started; i++)
		pthread_join(workers[i].thread, NULL);
	if (written) {
		written = put_end(export, last ? last : &workers[0]);
		error = errno;
	}
	for (size_t i = 0; i < count; i++)
		worker_end(&workers[i]);
	if (last)
		worker_end(last);
	free(workers);
	for (size_t i = 0; i < export->nslots; i++) {
		free(export->slots[i].text);
		free(export->slots[i].packed);
		free(export->slots[i].hints.list);
		free(export->slots[i].seams);
	}
	free(export->slots);
	free(export->portions);
	errno = error;
	return written;
}
