/*
 * tracelayer summary: tables of the host calls and the device commands in trace files.
 *
 * Files become a history (history.h), which becomes tables (tabulate.h). Calls made inside other calls count in both.
 */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <locale.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/calls.h"
#include "cli/command.h"
#include "cli/history.h"
#include "cli/record_file.h"
#include "cli/tabulate.h"
#include "cli/trace_reader.h"
#include "format/encoder.h"

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

static struct tl_text new_text(const struct encoding *encoding)
{
	return (struct tl_text){encoding->room, encoding->room + TL_ENCODER_ROOM, false};
}

/* Events as they were encoded, none or several, each with a comma (the file's first one: a bracket) before it. */
static void add_events(struct history *history, const struct encoding *encoding, struct tl_text *text, int file)
{
	if (text->at == encoding->room)
		return;
	encoding->room[0] = '[';
	tl_text_string(text, "]");
	json_t *events = json_loadb(encoding->room, (size_t)(text->at - encoding->room), JSON_ALLOW_NUL, NULL), *event;
	size_t i;

	json_array_foreach(events, i, event)
		history_event(history, event, file);
	json_decref(events);
}

/* The process, and what threads and lanes are called. */
static void add_names(struct history *history, struct encoding *encoding, const struct tl_trace *trace, int file)
{
	struct tl_text text = new_text(encoding);

	if (trace->has_facts)
		tl_format_json.begin(&encoding->encoder, &text, &trace->facts);
	add_events(history, encoding, &text, file);
	for (size_t i = 0; i < trace->nlanes; i++) {
		text = new_text(encoding);
		tl_format_json.thread(&encoding->encoder, &text, trace->lanes[i].shown, trace->lanes[i].name);
		add_events(history, encoding, &text, file);
	}
	for (size_t i = 0; i < trace->nnamed; i++) {
		size_t size = 0;
		const char *name = tl_trace_string(trace->named[i].name, &size);

		text = new_text(encoding);
		tl_format_json.lane(&encoding->encoder, &text, trace->named[i].shown, name ? name : "", size, trace->named[i].sort);
		add_events(history, encoding, &text, file);
	}
}

/* Returns how many records could not be understood. */
static size_t add_records(struct history *history, struct tl_trace *trace, int file)
{
	struct encoding encoding;
	size_t unknown = 0;

	start_encoding(&encoding, trace);
	add_names(history, &encoding, trace, file);
	for (size_t i = 0; i < trace->nruns; i++) {
		const struct tl_trace_run *run = &trace->runs[i];
		struct tl_trace_place place = {0};
		const struct tl_call_record *record;

		while ((record = tl_trace_next(run, &place))) {
			struct tl_text text = new_text(&encoding);

			unknown += !tl_format_json.record(&encoding.encoder, &text, trace->lanes[run->lane].shown, record, place.left) || text.cut;
			add_events(history, &encoding, &text, file);
			history->bytes += record->type == TL_RECORD_EVENT ? record->size * 8u : 0; /* what an exported file's end would say */
		}
		if (place.unsound)
			record_file_damaged(trace, run->offset + place.unsound - 1);
	}
	free(encoding.encoder.state);
	free(encoding.room);
	return unknown;
}

static int read_records(struct history *history, const char *path, int file)
{
	struct tl_trace *trace = record_file_open(path);

	if (!trace)
		return EXIT_BROKEN;
	size_t unknown = add_records(history, trace, file);
	history->lost += record_file_lost(trace);
	int code = record_file_judge(trace, path, unknown, "the table");
	tl_trace_close(trace);
	return code;
}

static int read_file(struct history *history, const char *path, int file)
{
	if (record_file_is(path))
		return read_records(history, path, file);

	struct trace_reader *reader = trace_open(path);
	enum trace_state state;
	json_t *event;

	if (!reader)
		return EXIT_BROKEN;
	while ((state = trace_next(reader, &event)) == TRACE_EVENT) {
		history_event(history, event, file);
		json_decref(event);
	}
	trace_close(reader);
	return state == TRACE_END	   ? EXIT_DONE
	       : state == TRACE_INCOMPLETE ? EXIT_INCOMPLETE
					   : EXIT_BROKEN;
}

/* ---- options ---- */

enum { OPTION_CSV = 256, OPTION_JSON, OPTION_BY, OPTION_FORMAT, OPTION_TABLE };

struct wishes {
	enum table_format format;
	enum grouping by;
	int table; /* only this one; -1: all */
	char **files;
	int nfiles;
};

static const struct argp_option options[] = {
	{"by", OPTION_BY, "WHAT", 0, "what rows are told apart by: function (the default), thread, queue, process or request", 0},
	{"table", OPTION_TABLE, "TABLE", 0, "only this one: groups, calls, events, kernels, transfers, others, queues, waits or memory", 0},
	{"format", OPTION_FORMAT, "FORMAT", 0, "text (the default), csv or json", 0},
	{"csv", OPTION_CSV, NULL, 0, "the same as --format=csv", 0},
	{"json", OPTION_JSON, NULL, 0, "the same as --format=json", 0},
	{0},
};

static void wish_by(struct argp_state *state, struct wishes *wishes, const char *word)
{
	int by = grouping_named(word);

	if (by < 0)
		argp_error(state, "--by=%s: no such grouping; give function, thread, queue, process or request", word);
	wishes->by = (enum grouping)by;
}

static void wish_table(struct argp_state *state, struct wishes *wishes, const char *word)
{
	static const char *const words[TABLES] = {"groups", "calls", "events", "kernels", "transfers", "others", "queues", "waits", "memory"};

	for (int i = 0; i < TABLES; i++)
		if (!strcmp(word, words[i])) {
			wishes->table = i;
			return;
		}
	argp_error(state, "--table=%s: no such table; give groups, calls, events, kernels, transfers, others, queues, waits or memory", word);
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
	case OPTION_TABLE:
		wish_table(state, wishes, argument);
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
	case ARGP_KEY_END:
		if (wishes->table == TABLE_GROUPS && (wishes->by == BY_FUNCTION || wishes->by == BY_QUEUE))
			argp_error(state, "--table=groups: there is none; give --by=thread, process or request, too");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.args_doc = "FILE...",
	.doc = "Tables of the host calls and the device commands in trace files: Chrome JSON, plain or gzip-compressed, of tracelayer or another "
	       "tool, and .tlt. - reads standard input.\v"
	       "Percentiles are nearest-rank: durations that really occurred. Exit code: 0 done, 1 a file is broken, "
	       "2 usage, 3 a file ends early (the tables show what is there).",
};

/* ---- the whole ---- */

static void say_missing(const struct history *history, enum grouping by)
{
	size_t unended = history_unended(history);

	if (unended)
		say("%zu call%s without an end; not in the table", unended, unended == 1 ? "" : "s");
	if (history->unfinished)
		say("%zu device command%s had not ended when the trace did; counted up to there", history->unfinished,
		    history->unfinished == 1 ? "" : "s");
	if (history->lost)
		say("%llu events were lost when the trace was made, and are not in the table; the trace's last lines say where", history->lost);
	if (by == BY_QUEUE && !history->nqueues)
		say("--by=queue: the trace has no device commands; see --device in tracelayer-run(1)");
	if (by == BY_REQUEST && history->requests.count < 2)
		say("--by=request: the trace has no requests; a program sets them as tracelayer-contexts(7) says");
}

static int print_summary(struct history *history, const struct wishes *wishes)
{
	struct table *tables[TABLES];

	tabulate(tables, history, wishes->by, wishes->nfiles);
	for (int i = 0; i < TABLES; i++)
		if (wishes->table >= 0 && i != wishes->table && tables[i]) {
			table_free(tables[i]);
			tables[i] = NULL;
		}
	if (!calls_print(tables, TABLES, tables[TABLE_CALLS], wishes->format, stdout))
		return EXIT_DONE;
	say("cannot write the table: %s; free some space, or send it elsewhere", strerror(errno));
	return EXIT_BROKEN;
}

int command_summary(int argc, char **argv)
{
	struct wishes wishes = {.format = TABLE_AS_TEXT, .by = BY_FUNCTION, .table = -1};
	struct history history = {0};
	int code = EXIT_DONE;

	setlocale(LC_CTYPE, "");
	argp_parse(&argp, argc, argv, 0, NULL, &wishes);
	for (int i = 0; i < wishes.nfiles && code != EXIT_BROKEN; i++) {
		int state = read_file(&history, wishes.files[i], i);

		if (state != EXIT_DONE)
			code = state;
	}
	if (code != EXIT_BROKEN) {
		history_resolve(&history);
		say_missing(&history, wishes.by);
		if (print_summary(&history, &wishes))
			code = EXIT_BROKEN;
	}
	history_free(&history);
	return code;
}
