/* SPDX-License-Identifier: MIT */
/*
 * export.c: `tracelayer export`: a .tlt file as JSON or as a Perfetto trace; and (systrace.h)
 * either kind of ours as ftrace's text.
 *
 * The work is cut into portions: runs of records that together are large enough to be worth the
 * trouble. Workers take them in order, encode each into a block of its own, compress that, and put
 * it down in a ring of slots, from which it is written in order. How far workers may be ahead is
 * the ring's size. JSON's events know nothing of each other, so there are as many workers as cores.
 * An encoder that refers to what it wrote before has one worker, which does all portions by one
 * encoder; so has a trace in which records are missing.
 *
 * The output is made beside its name, and gets that when it is whole (output_file.h).
 */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "cli/basics/basics.h"
#include "cli/export/export.h"
#include "cli/outputs/outputs.h"
#include "cli/read/read.h"
#include "cli/systrace/systrace.h"
#include "format/encode/formats.h"
#include "format/encode/gzip.h"

#define PORTION (256u * 1024) /* bytes of records */
#define WORKERS 64

/* Runs [first, last). Of a run that is larger than a portion, the part that .part says. */
struct portion {
	size_t first, last;
	struct tl_trace_run part; /* .records NULL: whole runs */
	uint64_t size;
};

/* What became of a portion. */
struct slot {
	bool done;
	char *text, *packed; /* grow as they have to; stay with the slot */
	size_t room, packed_room;
	size_t size;  /* of what is to be written */
	size_t plain; /* before it was compressed */
	uint32_t crc;
	uint64_t events, unknown;
	struct tl_event_cost cost;
	/* 1 + where the first record was that could not be stepped over, in the file */
	uint64_t damage;
};

struct export
{
	const char *input, *output;
	struct tl_trace *trace;
	const struct tl_format *format;
	bool gzip, systrace, force;
	struct portion *portions;
	size_t nportions;
	uint64_t bytes; /* of records */

	/* Under the lock. */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct slot *slots;
	size_t nslots;
	size_t next;	/* portion that nobody has taken */
	size_t written; /* portions */
	bool failed;	/* no use to go on */

	struct output_file file;
	uint64_t place, written_bytes, events, unknown;
	struct tl_event_cost cost;
	struct tl_gzip total; /* of all that was written: .crc and .size */
};

struct worker {
	struct export *export;
	pthread_t thread;
	struct tl_encoder encoder;
	struct tl_gzip gzip;
	void *gzip_memory;
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

static void make_portions(struct export *export)
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

static void encode_run(struct worker *worker, struct slot *slot, struct tl_text *text,
		       const struct tl_trace_run *run)
{
	struct tl_encoder *encoder = &worker->encoder;
	uint32_t tid = worker->export->trace->lanes[run->lane].shown;
	struct tl_trace_place place = {0};
	const struct tl_call_record *record;

	while ((record = tl_trace_next(run, &place))) {
		keep_room(slot, text);
		if (!encoder->format->record(encoder, text, tid, record, place.left))
			slot->unknown++;
		else
			count_record(slot, encoder, record);
	}
	if (place.unsound && !slot->damage)
		slot->damage = run->offset + place.unsound;
}

static void encode_beginning(struct worker *worker, struct slot *slot, struct tl_text *text)
{
	const struct tl_trace *trace = worker->export->trace;
	struct tl_encoder *encoder = &worker->encoder;

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

static void pack(struct worker *worker, struct slot *slot)
{
	size_t room = tl_gzip_bound(slot->plain);

	if (room > slot->packed_room) {
		slot->packed_room = room;
		free(slot->packed);
		slot->packed = need(malloc(room));
	}
	/* Nothing is kept, so that the figures are the block's own. */
	slot->size = tl_gzip_block(&worker->gzip, slot->packed, slot->text, slot->plain);
	slot->crc = worker->gzip.next_crc;
}

static void encode(struct worker *worker, struct slot *slot, size_t number)
{
	struct export *export = worker->export;
	const struct portion *portion = &export->portions[number];
	struct tl_text text = {NULL, NULL, false};

	slot->events = slot->unknown = slot->damage = 0;
	slot->cost = (struct tl_event_cost){0, 0};
	make_room(slot, &text);
	worker->encoder.format->block(&worker->encoder);
	if (!number)
		encode_beginning(worker, slot, &text);
	else if (portion->part.records)
		encode_run(worker, slot, &text, &portion->part);
	else
		for (size_t i = portion->first; i < portion->last; i++)
			encode_run(worker, slot, &text, &export->trace->runs[i]);
	/* If it does not reach the file, nothing does. */
	worker->encoder.format->kept(&worker->encoder);
	slot->size = slot->plain = (size_t)(text.at - slot->text);
	if (export->gzip)
		pack(worker, slot);
}

static void *work(void *of)
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
		encode(worker, &export->slots[number % export->nslots], number);
		pthread_mutex_lock(&export->lock);
		export->slots[number % export->nslots].done = true;
		pthread_cond_broadcast(&export->changed);
	}
	pthread_mutex_unlock(&export->lock);
	return NULL;
}

static void set_up(struct worker *worker, struct export *export)
{
	worker->export = export;
	trace_encoder_start(&worker->encoder, export->format, export->trace);
	if (export->gzip) {
		worker->gzip_memory = need(calloc(1, TL_GZIP_MEMORY));
		need(tl_gzip_start(&worker->gzip, worker->gzip_memory) ? worker : NULL);
	}
}

static void take_down(struct worker *worker)
{
	trace_encoder_end(&worker->encoder);
	free(worker->gzip_memory);
}

/* --- the output */

/* A pipe, a terminal, /dev/null. */
static bool is_no_file(const char *path)
{
	struct stat about;

	return stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode);
}

/* False: it has been said why. */
static bool open_output(struct export *export)
{
	int error = output_file_open(&export->file, export->output, export->force);

	if (error)
		say("%s: %s; give another place with -o", export->output,
		    output_file_trouble(error));
	return !error;
}

static bool put(struct export *export, const char *bytes, size_t size)
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

static bool put_block(struct export *export, const struct slot *slot)
{
	char header[TL_GZIP_HEADER];

	if (!export->gzip)
		return put(export, slot->text, slot->size);
	if (!export->written_bytes && !put(export, header, tl_gzip_header(header)))
		return false;
	export->total.crc =
		(uint32_t)crc32_combine(export->total.crc, slot->crc, (z_off_t)slot->plain);
	export->total.size += (uint32_t)slot->plain;
	return put(export, slot->packed, slot->size);
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
			encoder->format->unfinished(encoder, text, lane->shown,
						    lane->opens[open].function,
						    lane->opens[open].start, export->trace->last);
			export->events++;
		}
	}
}

static bool put_end(struct export *export, struct worker *worker)
{
	struct slot *slot = &export->slots[0];
	struct tl_text text = {NULL, NULL, false};
	struct tl_totals totals = {.lost = record_file_lost(export->trace),
				   .lost_by_thread = lost_by_thread,
				   .context = export->trace,
				   .overwritten = export->trace->overwritten};

	make_room(slot, &text);
	worker->encoder.format->block(&worker->encoder);
	encode_unfinished(export, &worker->encoder, slot, &text);
	keep_room(slot, &text);
	totals.events = export->events;
	totals.cost = export->cost;
	worker->encoder.format->end(&worker->encoder, &text, &totals);
	slot->plain = (size_t)(text.at - slot->text);
	if (!export->gzip)
		return put(export, slot->text, slot->plain);
	worker->gzip.crc = export->total.crc;
	worker->gzip.size = export->total.size;
	char *packed = need(malloc(tl_gzip_bound(slot->plain)));
	bool written =
		put(export, packed, tl_gzip_end(&worker->gzip, packed, slot->text, slot->plain));
	free(packed);
	return written;
}

/* --- the bar */

static double now(void)
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
	       passed = now() - since;
	int filled = (int)(part * width);

	fprintf(stderr, "\r\033[K%3d%% [%-*.*s] %.1f million events", (int)(part * 100), width,
		filled, full, (double)export->events / 1e6);
	if (part > 0.02)
		fprintf(stderr, ", %.0f s left", passed / part - passed);
	fflush(stderr);
}

/* --- from workers to the file */

/* At most until the bar is to be drawn again. */
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

static void count(struct export *export, const struct slot *slot, size_t number)
{
	export->events += slot->events;
	export->unknown += slot->unknown;
	export->cost.bytes += slot->cost.bytes;
	export->cost.device_ns += slot->cost.device_ns;
	export->place += export->portions[number].size;
	if (slot->damage)
		record_file_damaged(export->trace, slot->damage - 1);
}

/* Blocks in order, as they get ready. False: writing failed, and errno says why. */
static bool write_all(struct export *export)
{
	bool bar = isatty(STDERR_FILENO), written = true;
	double since = now(), drawn = since;
	int error;

	pthread_mutex_lock(&export->lock);
	while (export->written < export->nportions && written) {
		struct slot *slot = &export->slots[export->written % export->nslots];
		if (bar && now() - drawn > 0.1) {
			draw_bar(export, since);
			drawn = now();
		}
		if (!slot->done) {
			wait_for_change(export);
			continue;
		}
		pthread_mutex_unlock(&export->lock);
		written = put_block(export, slot);
		error = errno;
		pthread_mutex_lock(&export->lock);
		count(export, slot, export->written);
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
	/* What is open at a gap knows only who encoded all that stands before it. */
	size_t count =
		export->format->in_parts && cores > 1 && !export->trace->gaps ? (size_t)cores : 1;

	count = count < WORKERS ? count : WORKERS;
	return count < export->nportions ? count : export->nportions;
}

static bool encode_all(struct export *export)
{
	struct worker workers[WORKERS] = {0};
	size_t count = workers_for(export), started = 0;
	bool written;
	int error;

	export->nslots = 3 * count + 1;
	export->slots = need(calloc(export->nslots, sizeof(*export->slots)));
	pthread_mutex_init(&export->lock, NULL);
	pthread_cond_init(&export->changed, NULL);
	for (size_t i = 0; i < count; i++) {
		set_up(&workers[i], export);
		started += i == started &&
			   !pthread_create(&workers[i].thread, NULL, work, &workers[i]);
	}
	need(started ? export : NULL);
	written = write_all(export);
	error = errno;
	for (size_t i = 0; i < started; i++)
		pthread_join(workers[i].thread, NULL);
	if (written) {
		written = put_end(export, &workers[0]);
		error = errno;
	}
	for (size_t i = 0; i < count; i++)
		take_down(&workers[i]);
	for (size_t i = 0; i < export->nslots; i++) {
		free(export->slots[i].text);
		free(export->slots[i].packed);
	}
	free(export->slots);
	free(export->portions);
	errno = error;
	return written;
}

/* Whole and in its place, or not there at all; then it has been said why. */
static bool settle(struct export *export, bool written)
{
	int failed = written ? 0 : errno, error = output_file_close(&export->file, written);

	error = failed ? failed : error;
	if (error)
		say("%s: %s; nothing was left there. Free some space, or give another place with -o",
		    export->output, strerror(error));
	else
		output_file_say(&export->file);
	return !error;
}

/* --- ftrace's text */

static int export_systrace(struct export *export)
{
	if (!open_output(export))
		return EXIT_BROKEN;
	FILE *to = need(fdopen(dup(export->file.fd), "w"));
	int code = systrace_write(export->input, export->file.path, to);
	bool written = !ferror(to);
	written = !fclose(to) && written;
	if (code != EXIT_BROKEN)
		return settle(export, written) ? code : EXIT_BROKEN;
	output_file_close(&export->file, false);
	return code;
}

/* --- the command */

static int export_trace(struct export *export)
{
	int code = EXIT_BROKEN;

	export->trace = record_file_open(export->input);
	if (!export->trace)
		return code;
	make_portions(export);
	if (open_output(export) && settle(export, encode_all(export)))
		code = record_file_judge(export->trace, export->input, export->unknown,
					 export->file.path);
	tl_trace_close(export->trace);
	return code;
}

enum { OPTION_SYSTRACE = 256 };

static const struct argp_option options[] = {
	{"output", 'o', "FILE", 0,
	 "What to make: .json or .pftrace, either with .gz; or a folder; - is standard output, as JSON. Default: FILE, with .json for "
	 ".tlt",
	 0},
	{"force", 'f', NULL, 0,
	 "Overwrite what is there; without it, a name that is taken gets a number", 0},
	{"systrace", OPTION_SYSTRACE, NULL, 0,
	 "Make ftrace's text of FILE, a .tlt or JSON trace, with layers and phases as NNAPI's systraces have them. Default output: FILE, "
	 "with .systrace for its ending",
	 0},
	{0},
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct export *export = state->input;

	switch (key) {
	case 'o':
		/* The descriptor that we have, whatever it leads to. */
		export->output = strcmp(argument, "/dev/stdout") ? argument : "-";
		return 0;
	case 'f':
		export->force = true;
		return 0;
	case OPTION_SYSTRACE:
		export->systrace = true;
		return 0;
	case ARGP_KEY_ARG:
		if (export->input)
			argp_error(state, "more than one file given; export each by itself");
		export->input = argument;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state,
			   "no file given; name a .tlt file, or with --systrace a trace in JSON");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.args_doc = "FILE",
	.doc = "Encodes a .tlt file, as `tracelayer run -o trace.tlt` makes it, for a viewer: as Chrome trace JSON, plain or compressed, or as a "
	       "Perfetto trace; with --systrace, that or JSON as ftrace's text. FILE - reads standard input.\v"
	       "Exit code: 0 done, 1 the file is broken or the output cannot be written, 2 usage, 3 the file ends early or is damaged (the output "
	       "has all that is sound).",
};

/* The name with another ending in the place of these, of which each may be there or not. */
static char *default_output(const char *input, const char *const *endings, const char *ending)
{
	size_t length = strlen(input), size;
	char *output;

	if (!strcmp(input, "-"))
		return need(strdup("-"));
	for (; *endings; endings++)
		if (length > (size = strlen(*endings)) &&
		    !memcmp(input + length - size, *endings, size))
			length -= size;
	return asprintf(&output, "%.*s%s", (int)length, input, ending) < 0 ? need(NULL) : output;
}

/*
 * Where no file was named: the default name, in the folder that was named, or beside the input.
 * NULL: a file was named.
 */
static char *choose_output(struct export *export, const char *const *endings, const char *ending)
{
	size_t length = export->output ? strlen(export->output) : 0;
	char *chosen, *inside;
	struct stat about;

	if (length && (stat(export->output, &about) || !S_ISDIR(about.st_mode)))
		return NULL;
	chosen = default_output(export->input, endings, ending);
	if (length) {
		const char *slash = strrchr(chosen, '/'), *name = !strcmp(chosen, "-")
									  ? "trace.json"
								  : slash ? slash + 1
									  : chosen;

		if (asprintf(&inside, "%s%s%s", export->output,
			     export->output[length - 1] == '/' ? "" : "/", name) < 0)
			need(NULL);
		free(chosen);
		chosen = inside;
	}
	export->output = chosen;
	return chosen;
}

static int command_systrace(struct export *export)
{
	static const char *const endings[] = {".gz", ".json", ".tlt", NULL};
	char *chosen = choose_output(export, endings, ".systrace");
	int code = export_systrace(export);
	free(chosen);
	return code;
}

int command_export(int argc, char **argv)
{
	static const char *const endings[] = {".tlt", NULL};
	struct export export = {0};
	char *chosen = NULL;

	argp_parse(&argp, argc, argv, 0, NULL, &export);
	if (export.systrace)
		return command_systrace(&export);
	chosen = choose_output(&export, endings, ".json");
	export.format = tl_format_of(export.output, &export.gzip);
	if (export.format == &tl_format_tlt)
		export.format = NULL; /* records are what it is made of */
	if (!export.format && (!strcmp(export.output, "-") || is_no_file(export.output)))
		export.format = &tl_format_json;
	int code = EXIT_USAGE;
	if (export.format)
		code = export_trace(&export);
	else
		say("%s: no format has this ending; use .json or .pftrace, either with .gz",
		    export.output);
	free(chosen);
	return code;
}
