/*
 * tracelayer summary: the host calls of trace files, by function.
 *
 * Every duration is kept, eight bytes each, so that medians and percentiles are exact: they are
 * durations that really occurred (nearest rank), not estimates. Calls made inside other calls count
 * in both.
 */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <locale.h>
#include <search.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/calls.h"
#include "cli/command.h"
#include "cli/record_file.h"
#include "cli/trace_reader.h"
#include "format/encoder.h"

/* All calls with one name. */
struct group {
	char *name;
	int64_t *durations;
	size_t calls, room, failed;
	int64_t total;
};

/* A B event whose E has not come yet. */
struct begun {
	char *name;
	int64_t start;
	bool failed;
};

/* A thread, as the trace numbers it. */
struct lane {
	char *key;
	struct begun *stack;
	size_t depth, room;
};

struct summary {
	void *groups, *lanes; /* trees of the above (tsearch), by name and by key */
	struct group **list;  /* the groups again, for walking */
	size_t ngroups, nlanes, calls, unended;
	unsigned long long lost; /* events that the traces say they lack */
	int64_t total;
};

/* What calls can be gathered by; each yields the name of the group that an event belongs to. */
static const char *by_function(const json_t *event)
{
	return json_string_value(json_object_get(event, "name"));
}

static const struct grouping {
	const char *name;
	const char *(*of)(const json_t *event);
} groupings[] = {
	{"function", by_function},
};

static int compare_groups(const void *a, const void *b)
{
	return strcmp(((const struct group *)a)->name, ((const struct group *)b)->name);
}

static int compare_lanes(const void *a, const void *b)
{
	return strcmp(((const struct lane *)a)->key, ((const struct lane *)b)->key);
}

static struct group *group_named(struct summary *summary, const char *name)
{
	struct group wanted = {.name = (char *)name};
	struct group **found = tfind(&wanted, &summary->groups, compare_groups);

	if (found)
		return *found;
	struct group *group = need(calloc(1, sizeof(*group)));

	group->name = need(strdup(name));
	need(tsearch(group, &summary->groups, compare_groups));
	summary->list =
		need(reallocarray(summary->list, summary->ngroups + 1, sizeof(struct group *)));
	summary->list[summary->ngroups++] = group;
	return group;
}

/* Other tools number threads with strings, too. Two files' lanes are kept apart by the file's
 * number. */
static struct lane *lane_of(struct summary *summary, const json_t *event, int file)
{
	char *pid = json_dumps(json_object_get(event, "pid"), JSON_ENCODE_ANY);
	char *tid = json_dumps(json_object_get(event, "tid"), JSON_ENCODE_ANY);
	struct lane wanted;

	if (asprintf(&wanted.key, "%d %s %s", file, pid ? pid : "", tid ? tid : "") < 0)
		need(NULL);
	free(pid);
	free(tid);
	struct lane **found = tfind(&wanted, &summary->lanes, compare_lanes);

	if (found) {
		free(wanted.key);
		return *found;
	}
	struct lane *lane = need(calloc(1, sizeof(*lane)));

	lane->key = wanted.key;
	need(tsearch(lane, &summary->lanes, compare_lanes));
	summary->nlanes++;
	return lane;
}

static void add_call(struct summary *summary, const char *name, int64_t duration, bool failed)
{
	struct group *group = group_named(summary, name);

	if (group->calls == group->room) {
		group->room = group->room ? 2 * group->room : 16;
		group->durations =
			need(reallocarray(group->durations, group->room, sizeof(int64_t)));
	}
	group->durations[group->calls++] = duration;
	group->failed += failed;
	group->total += duration;
	summary->calls++;
	summary->total += duration;
}

/* Categories are words with commas between; "failed" is one of them where the result means failure.
 */
static bool has_failed(const json_t *event)
{
	const char *word = json_string_value(json_object_get(event, "cat"));

	for (; word; word = strchr(word, ',')) {
		word += *word == ',';
		if (strcspn(word, ",") == 6 && !strncmp(word, "failed", 6))
			return true;
	}
	return false;
}

static void begin(struct lane *lane, const json_t *event, const char *name)
{
	if (lane->depth == lane->room) {
		lane->room = lane->room ? 2 * lane->room : 8;
		lane->stack = need(reallocarray(lane->stack, lane->room, sizeof(struct begun)));
	}
	lane->stack[lane->depth++] = (struct begun){
		.name = need(strdup(name)),
		.start = trace_nanoseconds(event, "ts", 0),
		.failed = has_failed(event),
	};
}

static void end(struct summary *summary, struct lane *lane, const json_t *event)
{
	if (!lane->depth)
		return; /* begun before the trace was */
	struct begun *begun = &lane->stack[--lane->depth];

	add_call(summary, begun->name, trace_nanoseconds(event, "ts", begun->start) - begun->start,
		 begun->failed || has_failed(event));
	free(begun->name);
}

/* The end of a trace of ours says what was lost. */
static void note_lost(struct summary *summary, const json_t *event)
{
	const char *name = json_string_value(json_object_get(event, "name"));

	if (name && !strcmp(name, "tracelayer_end"))
		summary->lost += (unsigned long long)json_number_value(
			json_object_get(json_object_get(event, "args"), "lost"));
}

/* Count an event if it is a host call, or one end of one. */
static void count_event(struct summary *summary, const struct grouping *by, const json_t *event,
			int file)
{
	const char *phase = json_string_value(json_object_get(event, "ph"));
	const char *name = by->of(event);

	if (!phase || (strcmp(phase, "E") && !name))
		return;
	if (!strcmp(phase, "X")) {
		lane_of(summary, event, file);
		add_call(summary, name, trace_nanoseconds(event, "dur", 0), has_failed(event));
	} else if (!strcmp(phase, "B")) {
		begin(lane_of(summary, event, file), event, name);
	} else if (!strcmp(phase, "E")) {
		end(summary, lane_of(summary, event, file), event);
	} else if (!strcmp(phase, "M")) {
		note_lost(summary, event);
	}
}

/* ---- files in the record format ---- */

/* Each record as the event that it would be in a JSON file. */
struct encoding {
	struct tl_encoder encoder;
	char *room;
};

static void start_encoding(struct encoding *encoding, const struct tl_trace *trace)
{
	size_t size = (tl_format_json.state + 63) & ~(size_t)63;

	encoding->encoder = (struct tl_encoder){
		.format = &tl_format_json,
		.pid = trace->facts.pid,
		.ns = tl_trace_ns,
		.function = tl_trace_function,
		.string = tl_trace_string,
		.lane = tl_trace_lane,
		.state = need(aligned_alloc(64, size)),
	};
	memset(encoding->encoder.state, 0, size);
	encoding->room = need(malloc(TL_ENCODER_ROOM));
}

/* NULL where the record has no event. *sound: it can be encoded. */
static json_t *encode(struct encoding *encoding, const struct tl_call_record *record, uint64_t left, uint32_t tid, bool *sound)
{
	struct tl_text text = {encoding->room, encoding->room + TL_ENCODER_ROOM, false};
	size_t comma = strlen(",\n");

	*sound = tl_format_json.record(&encoding->encoder, &text, tid, record, left) && !text.cut;
	if ((size_t)(text.at - encoding->room) <= comma)
		return NULL;
	return json_loadb(encoding->room + comma, (size_t)(text.at - encoding->room) - comma, JSON_ALLOW_NUL, NULL);
}

static size_t count_runs(struct summary *summary, const struct grouping *by, struct tl_trace *trace, int file)
{
	struct encoding encoding;
	size_t unknown = 0;

	start_encoding(&encoding, trace);
	for (size_t i = 0; i < trace->nruns; i++) {
		const struct tl_trace_run *run = &trace->runs[i];
		struct tl_trace_place place = {0};
		const struct tl_call_record *record;
		bool sound;

		while ((record = tl_trace_next(run, &place))) {
			json_t *event = encode(&encoding, record, place.left, trace->lanes[run->lane].shown, &sound);

			unknown += !sound;
			if (event)
				count_event(summary, by, event, file);
			json_decref(event);
		}
		if (place.unsound)
			record_file_damaged(trace, run->offset + place.unsound - 1);
	}
	free(encoding.encoder.state);
	free(encoding.room);
	return unknown;
}

static int read_records(struct summary *summary, const struct grouping *by, const char *path, int file)
{
	struct tl_trace *trace = record_file_open(path);

	if (!trace)
		return EXIT_BROKEN;
	size_t unknown = count_runs(summary, by, trace, file);
	summary->lost += record_file_lost(trace);
	int code = record_file_judge(trace, path, unknown, "the table");
	tl_trace_close(trace);
	return code;
}

static int read_file(struct summary *summary, const struct grouping *by, const char *path, int file)
{
	if (record_file_is(path))
		return read_records(summary, by, path, file);

	struct trace_reader *reader = trace_open(path);
	enum trace_state state;
	json_t *event;

	if (!reader)
		return EXIT_BROKEN;
	while ((state = trace_next(reader, &event)) == TRACE_EVENT) {
		count_event(summary, by, event, file);
		json_decref(event);
	}
	trace_close(reader);
	return state == TRACE_END	   ? EXIT_DONE
	       : state == TRACE_INCOMPLETE ? EXIT_INCOMPLETE
					   : EXIT_BROKEN;
}

static int compare_durations(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Nearest rank: the least duration that at least `percent` of all do not exceed. */
static int64_t percentile(const struct group *group, unsigned percent)
{
	size_t rank = (group->calls * percent + 99) / 100;

	return group->durations[rank ? rank - 1 : 0];
}

static struct table *host_calls(struct summary *summary)
{
	struct table *table = calls_table("host calls");

	for (size_t i = 0; i < summary->ngroups; i++) {
		struct group *group = summary->list[i];

		qsort(group->durations, group->calls, sizeof(int64_t), compare_durations);
		struct calls calls = {
			.name = group->name,
			.calls = (long long)group->calls,
			.failed = (long long)group->failed,
			.total = group->total,
			.min = group->durations[0],
			.median = percentile(group, 50),
			.p99 = percentile(group, 99),
			.max = group->durations[group->calls - 1],
		};
		calls_row(table, &calls, summary->total);
	}
	calls_sort(table);
	return table;
}

static void free_group(void *node)
{
	struct group *group = node;

	free(group->name);
	free(group->durations);
	free(group);
}

static void free_lane(void *node)
{
	struct lane *lane = node;

	while (lane->depth)
		free(lane->stack[--lane->depth].name);
	free(lane->stack);
	free(lane->key);
	free(lane);
}

static void count_unended(const void *node, VISIT visit, void *context)
{
	const struct lane *lane = *(const struct lane *const *)node;

	if (visit == postorder || visit == leaf)
		*(size_t *)context += lane->depth;
}

/* ---- options ---- */

enum { OPTION_CSV = 256, OPTION_JSON, OPTION_BY, OPTION_FORMAT };

struct wishes {
	enum table_format format;
	const struct grouping *by;
	char **files;
	int nfiles;
};

static const struct argp_option options[] = {
	{"by", OPTION_BY, "WHAT", 0, "what a row stands for: function (the default)", 0},
	{"format", OPTION_FORMAT, "FORMAT", 0, "text (the default), csv or json", 0},
	{"csv", OPTION_CSV, NULL, 0, "the same as --format=csv", 0},
	{"json", OPTION_JSON, NULL, 0, "the same as --format=json", 0},
	{0},
};

static void wish_by(struct argp_state *state, struct wishes *wishes, const char *name)
{
	for (size_t i = 0; i < sizeof(groupings) / sizeof(*groupings); i++)
		if (!strcmp(name, groupings[i].name)) {
			wishes->by = &groupings[i];
			return;
		}
	argp_error(state, "--by=%s: no such grouping; give function", name);
}

static void wish_format(struct argp_state *state, struct wishes *wishes, const char *name)
{
	int format = table_format_named(name);

	if (format < 0)
		argp_error(state, "--format=%s: no such format; give text, csv or json", name);
	wishes->format = (enum table_format)format;
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct wishes *wishes = state->input;

	switch (key) {
	case OPTION_BY:
		wish_by(state, wishes, argument);
		return 0;
	case OPTION_FORMAT:
		wish_format(state, wishes, argument);
		return 0;
	case OPTION_CSV:
		wishes->format = TABLE_AS_CSV;
		return 0;
	case OPTION_JSON:
		wishes->format = TABLE_AS_JSON;
		return 0;
	case ARGP_KEY_ARGS:
		wishes->files = state->argv + state->next;
		wishes->nfiles = state->argc - state->next;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state,
			   "no trace file given; name the files that `tracelayer run` wrote");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.args_doc = "FILE...",
	.doc = "Tables of the host calls in trace files: Chrome JSON, plain or gzip-compressed, of tracelayer or another tool, and .tlt. "
	       "- reads standard input.\v"
	       "Percentiles are nearest-rank: durations that really occurred. Exit code: 0 done, 1 a file is broken, "
	       "2 usage, 3 a file ends early (the tables show what is there).",
};

static void print_heading(const struct summary *summary, int files)
{
	printf("host calls: %zu in %zu function%s, on %zu thread%s", summary->calls,
	       summary->ngroups, summary->ngroups == 1 ? "" : "s", summary->nlanes,
	       summary->nlanes == 1 ? "" : "s");
	if (files > 1)
		printf(", from %d files", files);
	puts("\n");
}

static int print_summary(struct summary *summary, const struct wishes *wishes)
{
	struct table *table = host_calls(summary);

	if (wishes->format == TABLE_AS_TEXT)
		print_heading(summary, wishes->nfiles);
	int failed = table_print(&table, 1, wishes->format, stdout);

	table_free(table);
	if (failed) {
		say("cannot write the table: %s; free some space, or send it elsewhere",
		    strerror(errno));
		return EXIT_BROKEN;
	}
	return EXIT_DONE;
}

int command_summary(int argc, char **argv)
{
	struct wishes wishes = {.format = TABLE_AS_TEXT, .by = &groupings[0]};
	struct summary summary = {0};
	int code = EXIT_DONE;

	setlocale(LC_CTYPE, "");
	argp_parse(&argp, argc, argv, 0, NULL, &wishes);
	for (int i = 0; i < wishes.nfiles && code != EXIT_BROKEN; i++) {
		int state = read_file(&summary, wishes.by, wishes.files[i], i);

		if (state != EXIT_DONE)
			code = state;
	}
	if (code != EXIT_BROKEN) {
		twalk_r(summary.lanes, count_unended, &summary.unended);
		if (summary.unended)
			say("%zu call%s without an end; not in the table", summary.unended,
			    summary.unended == 1 ? "" : "s");
		if (summary.lost)
			say("%llu events were lost when the trace was made, and are not in the table; the trace's last lines say where",
			    summary.lost);
		if (print_summary(&summary, &wishes))
			code = EXIT_BROKEN;
	}
	tdestroy(summary.groups, free_group);
	tdestroy(summary.lanes, free_lane);
	free(summary.list);
	return code;
}
