/* SPDX-License-Identifier: MIT */
/*
 * sqlite_write.c: see sqlite.h. All of it is one transaction in a file of its own, which gets its name
 * when it is complete, so that no journal is needed.
 */
#include "config.h"

#include "cli/basics/basics.h"
#include "cli/sqlite/sqlite.h"

#if !HAVE_SQLITE

#if HAVE_JANSSON
#define WITHOUT_TOO ""
#define PACKAGES    "libsqlite3-dev"
#else
#define WITHOUT_TOO " or jansson"
#define PACKAGES    "libsqlite3-dev and libjansson-dev"
#endif

bool sqlite_is_there(const char *path)
{
	say("%s: this tracelayer was built without SQLite" WITHOUT_TOO "; install " PACKAGES
	    " and build it again, or write .json or .pftrace",
	    path);
	return false;
}

int sqlite_write(const char *const *inputs, size_t count, struct selection *selection,
		 struct symbols *symbols, const char *output, bool force)
{
	(void)inputs, (void)count, (void)selection, (void)symbols, (void)force;
	sqlite_is_there(output);
	return EXIT_USAGE;
}

#else

#include <errno.h>
#include <jansson.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/outputs/outputs.h"
#include "cli/read/read.h"
#include "cli/sqlite/sqlite_schema.h"
#include "cli/symbols/symbols.h"

enum statement {
	ADD_PROCESS,
	NAME_PROCESS,
	LABEL_PROCESS,
	DESCRIBE_PROCESS,
	END_PROCESS,
	ADD_THREAD,
	NAME_THREAD,
	SORT_THREAD,
	MAKE_QUEUE,
	ADD_CALL,
	ADD_COMMAND,
	ADD_EVENT,
	ADD_COUNTER,
	ADD_ARROW_END,
	ADD_FRAME,
	ADD_STACK,
	STATEMENTS
};

static const char *const statements[STATEMENTS] = {
	[ADD_PROCESS] = "INSERT INTO process (id, pid) VALUES (?, ?)",
	[NAME_PROCESS] = "UPDATE process SET name = ?2 WHERE id = ?1",
	[LABEL_PROCESS] = "UPDATE process SET labels = ?2 WHERE id = ?1",
	[DESCRIBE_PROCESS] = "UPDATE process SET metadata = ?2 WHERE id = ?1",
	[END_PROCESS] = "UPDATE process SET totals = ?2 WHERE id = ?1",
	[ADD_THREAD] = "INSERT INTO thread (id, process, tid) VALUES (?, ?, ?)",
	[NAME_THREAD] = "UPDATE thread SET name = ?2 WHERE id = ?1",
	[SORT_THREAD] = "UPDATE thread SET sort_index = ?2 WHERE id = ?1",
	[MAKE_QUEUE] = "UPDATE thread SET is_queue = 1 WHERE id = ?1",
	[ADD_CALL] = "INSERT INTO call (thread, name, api, start_ns, duration_ns, failed, result,"
		     " correlation, request, categories, arguments, stack)"
		     " VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
	[ADD_COMMAND] =
		"INSERT INTO command (lane, name, kind, queue, device, start_ns, duration_ns,"
		" bytes, correlation, request, categories, arguments)"
		" VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
	[ADD_EVENT] =
		"INSERT INTO event (thread, name, categories, start_ns, duration_ns, arguments)"
		" VALUES (?,?,?,?,?,?)",
	[ADD_COUNTER] =
		"INSERT INTO counter (thread, name, series, time_ns, value) VALUES (?,?,?,?,?)",
	[ADD_ARROW_END] = "INSERT INTO arrow_end (process, number, name, thread, time_ns, last)"
			  " VALUES (?,?,?,?,?,?)",
	[ADD_FRAME] = "INSERT INTO frame (id, caller, name) VALUES (?,?,?)",
	[ADD_STACK] = "INSERT INTO stack (id, frame, functions) VALUES (?,?,?)",
};

/* An event B without its E so far. The event is kept whole. */
struct mark {
	json_t *event;
	struct mark *outer;
};

struct lane {
	uint32_t process;
	bool is_queue;
	struct mark *mark;
};

struct database {
	sqlite3 *handle;
	sqlite3_stmt *prepared[STATEMENTS];
	struct lane_keys keys; /* an id is one more */
	struct lane *lanes;
	struct event_stacks stacks;
	struct symbols *symbols;
	size_t file;
	uint32_t described; /* the process that the file says most of; 0: none */
	uint64_t rows;
	bool has_events; /* more than metadata */
	int error;	 /* SQLite's first one */
};

/* ---- statements ---- */

static void result_note(struct database *database, int result)
{
	if (result != SQLITE_OK && result != SQLITE_DONE && result != SQLITE_ROW &&
	    !database->error)
		database->error = result;
}

static void bind_text(sqlite3_stmt *statement, int place, const char *text)
{
	if (text)
		sqlite3_bind_text(statement, place, text, -1, SQLITE_TRANSIENT);
}

static bool real_is_whole(double number)
{
	return number > -9e15 && number < 9e15 && number == (double)(int64_t)number;
}

/* Readers of JSON give numbers as reals. Whole ones become integers, so that they are written so. */
static json_t *json_whole(json_t *value)
{
	const char *key;
	json_t *member;
	size_t i;

	if (json_is_real(value) && real_is_whole(json_real_value(value)))
		return json_integer((json_int_t)json_real_value(value));
	json_object_foreach(value, key, member) {
		json_t *whole = json_whole(member);

		if (whole)
			json_object_set_new_nocheck(value, key, whole);
	}
	json_array_foreach(value, i, member) {
		json_t *whole = json_whole(member);

		if (whole)
			json_array_set_new(value, i, whole);
	}
	return NULL;
}

/* A number as such, a text as such, anything else as JSON. */
static void bind_json(sqlite3_stmt *statement, int place, const json_t *value)
{
	if (json_is_integer(value)) {
		sqlite3_bind_int64(statement, place, json_integer_value(value));
	} else if (json_is_real(value)) {
		double number = json_real_value(value);

		if (real_is_whole(number))
			sqlite3_bind_int64(statement, place, (int64_t)number);
		else
			sqlite3_bind_double(statement, place, number);
	} else if (json_is_string(value)) {
		bind_text(statement, place, json_string_value(value));
	} else if (json_is_boolean(value)) {
		sqlite3_bind_int(statement, place, json_is_true(value));
	} else if (value && !json_is_null(value)) {
		/* The event is nobody's but this callback's. */
		json_whole((json_t *)value);
		char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);

		bind_text(statement, place, text);
		free(text);
	}
}

static void statement_run(struct database *database, enum statement which)
{
	sqlite3_stmt *statement = database->prepared[which];

	result_note(database, sqlite3_step(statement));
	sqlite3_reset(statement);
	sqlite3_clear_bindings(statement);
	database->rows++;
}

static void run_script(struct database *database, const char *script)
{
	if (!database->error)
		result_note(database, sqlite3_exec(database->handle, script, NULL, NULL, NULL));
}

/* ---- who an event is of ---- */

/* Ids count from 1. */
static uint32_t process_of(struct database *database, const json_t *event)
{
	char number[LANE_NUMBER_ROOM];
	uint32_t process;

	lane_number_print(number, event, "pid");
	if (lane_keys_process(&database->keys, database->file, number, &process)) {
		sqlite3_bind_int64(database->prepared[ADD_PROCESS], 1, process + 1);
		bind_json(database->prepared[ADD_PROCESS], 2, json_object_get(event, "pid"));
		statement_run(database, ADD_PROCESS);
	}
	return process + 1;
}

static uint32_t thread_of(struct database *database, const json_t *event)
{
	uint32_t process = process_of(database, event), lane;
	char number[LANE_NUMBER_ROOM];

	lane_number_print(number, event, "tid");
	if (lane_keys_lane(&database->keys, process, number, &lane)) {
		database->lanes =
			need(reallocarray(database->lanes, lane + 1, sizeof(struct lane)));
		database->lanes[lane] = (struct lane){.process = process};
		sqlite3_bind_int64(database->prepared[ADD_THREAD], 1, lane + 1);
		sqlite3_bind_int64(database->prepared[ADD_THREAD], 2, process);
		bind_json(database->prepared[ADD_THREAD], 3, json_object_get(event, "tid"));
		statement_run(database, ADD_THREAD);
	}
	return lane + 1;
}

/* ---- events ---- */

static const char *text_in(const json_t *event, const char *member)
{
	return json_string_value(json_object_get(event, member));
}

static void bind_args(sqlite3_stmt *statement, int place, const json_t *event)
{
	const json_t *args = json_object_get(event, "args");

	if (json_object_size(args))
		bind_json(statement, place, args);
}

/* The list of words with commas between has this one. */
static bool has_category(const json_t *event, const char *wanted)
{
	const char *list = text_in(event, "cat");
	size_t size = strlen(wanted);

	for (; list; list = strchr(list, ',')) {
		list += *list == ',';
		if (!strncmp(list, wanted, size) && (!list[size] || list[size] == ','))
			return true;
	}
	return false;
}

static void add_call(struct database *database, const json_t *event, uint32_t thread, int64_t start,
		     int64_t duration)
{
	sqlite3_stmt *statement = database->prepared[ADD_CALL];
	const char *categories = text_in(event, "cat");

	sqlite3_bind_int64(statement, 1, thread);
	bind_text(statement, 2, text_in(event, "name"));
	if (categories)
		sqlite3_bind_text(statement, 3, categories, (int)strcspn(categories, ","),
				  SQLITE_TRANSIENT);
	sqlite3_bind_int64(statement, 4, start);
	sqlite3_bind_int64(statement, 5, duration);
	sqlite3_bind_int(statement, 6, has_category(event, "failed"));
	bind_json(statement, 7, event_arg(event, "result"));
	bind_json(statement, 8, event_arg(event, "correlation"));
	bind_json(statement, 9, event_arg(event, "request"));
	bind_text(statement, 10, categories);
	bind_args(statement, 11, event);
	uint32_t stack = event_stack(&database->stacks, (int)database->file, event);
	if (stack)
		sqlite3_bind_int64(statement, 12, stack);
	statement_run(database, ADD_CALL);
}

static void add_command(struct database *database, const json_t *event, uint32_t lane,
			int64_t start, int64_t duration)
{
	sqlite3_stmt *statement = database->prepared[ADD_COMMAND];

	if (!database->lanes[lane - 1].is_queue) {
		database->lanes[lane - 1].is_queue = true;
		sqlite3_bind_int64(database->prepared[MAKE_QUEUE], 1, lane);
		statement_run(database, MAKE_QUEUE);
	}
	sqlite3_bind_int64(statement, 1, lane);
	bind_text(statement, 2, text_in(event, "name"));
	bind_json(statement, 3, event_arg(event, "kind"));
	bind_json(statement, 4, event_arg(event, "queue"));
	bind_json(statement, 5, event_arg(event, "device"));
	sqlite3_bind_int64(statement, 6, start);
	sqlite3_bind_int64(statement, 7, duration);
	bind_json(statement, 8, event_arg(event, "bytes"));
	bind_json(statement, 9, event_arg(event, "correlation"));
	bind_json(statement, 10, event_arg(event, "request"));
	bind_text(statement, 11, text_in(event, "cat"));
	bind_args(statement, 12, event);
	statement_run(database, ADD_COMMAND);
}

/* `duration` is -1 for an instant. */
static void add_event(struct database *database, const json_t *event, uint32_t thread,
		      int64_t start, int64_t duration)
{
	sqlite3_stmt *statement = database->prepared[ADD_EVENT];

	sqlite3_bind_int64(statement, 1, thread);
	bind_text(statement, 2, text_in(event, "name"));
	bind_text(statement, 3, text_in(event, "cat"));
	sqlite3_bind_int64(statement, 4, start);
	if (duration >= 0)
		sqlite3_bind_int64(statement, 5, duration);
	bind_args(statement, 6, event);
	statement_run(database, ADD_EVENT);
}

/* Marks of the program and of streams are no calls. */
static void add_slice(struct database *database, const json_t *event, uint32_t thread,
		      int64_t start, int64_t duration)
{
	bool own = has_category(event, "context") || has_category(event, "xpti") ||
		   has_category(event, "annotation") || has_category(event, "nntrace");

	if (has_category(event, "device") && json_is_string(event_arg(event, "kind")))
		add_command(database, event, thread, start, duration);
	else if (own)
		add_event(database, event, thread, start, duration);
	else
		add_call(database, event, thread, start, duration);
}

static void mark_begin(struct database *database, const json_t *event, uint32_t thread)
{
	struct mark *mark = need(calloc(1, sizeof(*mark)));

	mark->event = json_incref((json_t *)event);
	mark->outer = database->lanes[thread - 1].mark;
	database->lanes[thread - 1].mark = mark;
}

static void mark_end(struct database *database, uint32_t thread, int64_t end)
{
	struct mark *mark = database->lanes[thread - 1].mark;

	if (!mark)
		return; /* begun before the trace was */
	int64_t start = event_nanoseconds(mark->event, "ts", 0);

	database->lanes[thread - 1].mark = mark->outer;
	add_slice(database, mark->event, thread, start, end > start ? end - start : 0);
	json_decref(mark->event);
	free(mark);
}

/* What had not ended when the trace did has no duration. */
static void marks_flush(struct database *database)
{
	for (uint32_t i = 0; i < database->keys.lanes.count; i++)
		for (struct mark *mark = database->lanes[i].mark, *outer; mark; mark = outer) {
			outer = mark->outer;
			add_event(database, mark->event, i + 1,
				  event_nanoseconds(mark->event, "ts", 0), -1);
			json_decref(mark->event);
			free(mark);
		}
}

static void add_counter(struct database *database, const json_t *event, uint32_t thread,
			int64_t time)
{
	sqlite3_stmt *statement = database->prepared[ADD_COUNTER];
	const char *series;
	json_t *value;

	json_object_foreach(json_object_get(event, "args"), series, value) {
		if (!json_is_number(value))
			continue;
		sqlite3_bind_int64(statement, 1, thread);
		bind_text(statement, 2, text_in(event, "name"));
		bind_text(statement, 3, series);
		sqlite3_bind_int64(statement, 4, time);
		sqlite3_bind_double(statement, 5, json_number_value(value));
		statement_run(database, ADD_COUNTER);
	}
}

/* Steps between the ends are ends, too. */
static void add_arrow_end(struct database *database, const json_t *event, uint32_t thread,
			  int64_t time, int last)
{
	sqlite3_stmt *statement = database->prepared[ADD_ARROW_END];

	sqlite3_bind_int64(statement, 1, database->lanes[thread - 1].process);
	bind_json(statement, 2, json_object_get(event, "id"));
	bind_text(statement, 3, text_in(event, "name"));
	sqlite3_bind_int64(statement, 4, thread);
	sqlite3_bind_int64(statement, 5, time);
	sqlite3_bind_int(statement, 6, last);
	statement_run(database, ADD_ARROW_END);
}

static void set_text(struct database *database, enum statement which, uint32_t id,
		     const json_t *value)
{
	sqlite3_bind_int64(database->prepared[which], 1, id);
	bind_json(database->prepared[which], 2, value);
	statement_run(database, which);
}

static void add_metadata(struct database *database, const json_t *event)
{
	const char *what = text_in(event, "name");

	if (!what)
		return;
	if (!strcmp(what, "process_name"))
		set_text(database, NAME_PROCESS, process_of(database, event),
			 event_arg(event, "name"));
	else if (!strcmp(what, "process_labels"))
		set_text(database, LABEL_PROCESS, process_of(database, event),
			 event_arg(event, "labels"));
	else if (!strcmp(what, "thread_name"))
		set_text(database, NAME_THREAD, thread_of(database, event),
			 event_arg(event, "name"));
	else if (!strcmp(what, "thread_sort_index"))
		set_text(database, SORT_THREAD, thread_of(database, event),
			 event_arg(event, "sort_index"));
	else if (!strcmp(what, "tracelayer_end"))
		set_text(database, END_PROCESS, process_of(database, event),
			 json_object_get(event, "args"));
	else if (!strcmp(what, "tracelayer") && (database->described = process_of(database, event)))
		set_text(database, DESCRIBE_PROCESS, database->described,
			 json_object_get(event, "args"));
}

static void take_event(void *user, const json_t *event)
{
	struct database *database = user;
	const char *phase = text_in(event, "ph");

	if (!phase || database->error)
		return;
	if (*phase == 'M') {
		add_metadata(database, event);
		return;
	}
	database->has_events = true;
	uint32_t thread = thread_of(database, event);
	int64_t time = event_nanoseconds(event, "ts", 0);

	switch (*phase) {
	case 'X':
		add_slice(database, event, thread, time, event_nanoseconds(event, "dur", 0));
		break;
	case 'B':
		mark_begin(database, event, thread);
		break;
	case 'E':
		mark_end(database, thread, time);
		break;
	case 'C':
		add_counter(database, event, thread, time);
		break;
	case 's':
	case 't':
	case 'f':
		add_arrow_end(database, event, thread, time,
			      *phase == 's'   ? 0
			      : *phase == 't' ? 1
					      : 2);
		break;
	case 'i':
	case 'I':
		add_event(database, event, thread, time, -1);
		break;
	}
}

/* ---- stacks ---- */

static void take_frame(void *user, const char *id, const json_t *frame)
{
	struct database *database = user;

	event_stacks_frame(&database->stacks, (int)database->file, id, frame);
}

static void take_stacks(void *user, const struct tl_trace *trace)
{
	struct database *database = user;

	trace_stacks_tell(&database->stacks, (int)database->file, trace, database->symbols);
}

/* "work < main < _start" */
static void bind_functions(sqlite3_stmt *statement, int place, const struct event_stacks *stacks,
			   uint32_t frame)
{
	char *text = NULL;
	size_t size;
	FILE *to = need(open_memstream(&text, &size));

	for (bool first = true; frame; frame = event_stacks_caller(stacks, frame), first = false)
		fprintf(to, "%s%s", first ? "" : " < ", event_stacks_name(stacks, frame));
	fclose(to);
	bind_text(statement, place, need(text));
	free(text);
}

/* The stacks that calls have, once all files are read: then it is known whom they stand for. */
static void stacks_add(struct database *database)
{
	const struct event_stacks *stacks = &database->stacks;

	for (uint32_t i = 1; i <= stacks->stacks.count; i++) {
		uint32_t frame = event_stacks_innermost(&database->stacks, i);

		sqlite3_bind_int64(database->prepared[ADD_STACK], 1, i);
		if (frame) {
			sqlite3_bind_int64(database->prepared[ADD_STACK], 2, frame);
			bind_functions(database->prepared[ADD_STACK], 3, stacks, frame);
		}
		statement_run(database, ADD_STACK);
	}
	for (uint32_t i = 1; i <= stacks->frames.count; i++) {
		uint32_t caller = event_stacks_caller(stacks, i);

		sqlite3_bind_int64(database->prepared[ADD_FRAME], 1, i);
		if (caller)
			sqlite3_bind_int64(database->prepared[ADD_FRAME], 2, caller);
		bind_text(database->prepared[ADD_FRAME], 3, event_stacks_name(stacks, i));
		statement_run(database, ADD_FRAME);
	}
}

/* ---- the whole ---- */

bool sqlite_is_there(const char *path)
{
	(void)path;
	return true;
}

static void database_open(struct database *database, const char *path)
{
	result_note(database,
		    sqlite3_open_v2(path, &database->handle, SQLITE_OPEN_READWRITE, NULL));
	run_script(database, sqlite_tables);
	for (int i = 0; i < STATEMENTS && !database->error; i++)
		result_note(database, sqlite3_prepare_v2(database->handle, statements[i], -1,
							 &database->prepared[i], NULL));
}

static void database_close(struct database *database)
{
	for (int i = 0; i < STATEMENTS; i++)
		sqlite3_finalize(database->prepared[i]);
	result_note(database, sqlite3_close(database->handle));
	lane_keys_free(&database->keys);
	event_stacks_free(&database->stacks);
	free(database->lanes);
}

/* What a .tlt file says at its end, as the event that JSON has for it. */
static void totals_add(struct database *database, const struct trace_totals *totals)
{
	if (!database->described || (!totals->bytes && !totals->lost))
		return;
	json_t *args = json_pack("{s:I, s:I}", "lost", (json_int_t)totals->lost, "event_bytes",
				 (json_int_t)totals->bytes);

	set_text(database, END_PROCESS, database->described, args);
	json_decref(args);
}

/* What a database is made of. .filter NULL: all of it. */
struct database_inputs {
	const char *const *paths;
	size_t count;
	struct event_filter *filter;
	struct symbols *symbols;
};

static int inputs_add(struct database *database, const char *const *inputs, size_t count,
		      struct event_filter *filter)
{
	const struct trace_listener listener = {
		.each = take_event, .frame = take_frame, .stacks = take_stacks};
	int code = EXIT_DONE;

	for (size_t i = 0; i < count && !database->error; i++) {
		struct trace_totals totals = {0};

		database->file = i;
		database->described = 0;
		int state = filter ? event_filter_read(filter, i, "the database", &listener,
						       database, &totals)
				   : trace_listen(inputs[i], "the database", &listener, database,
						  &totals);

		if (state == EXIT_BROKEN)
			return state;
		totals_add(database, &totals);
		code = state == EXIT_DONE ? code : state;
	}
	return code;
}

static int database_write(const struct database_inputs *from, const struct output_file *file,
			  int *error)
{
	struct database database = {.symbols = from->symbols};
	char path[64 + sizeof(file->made)];

	snprintf(path, sizeof(path), "/proc/self/fd/%d/%s", file->folder, file->made);
	database_open(&database, path);
	int code = database.error ? EXIT_BROKEN
				  : inputs_add(&database, from->paths, from->count, from->filter);

	marks_flush(&database);
	stacks_add(&database);
	for (int i = 0; i < STATEMENTS; i++) {
		sqlite3_finalize(database.prepared[i]);
		database.prepared[i] = NULL;
	}
	if (code != EXIT_BROKEN) {
		run_script(&database, sqlite_indexes);
		run_script(&database, sqlite_views);
	}
	database_close(&database);
	*error = database.error;
	if (from->filter && !database.has_events && !database.error && code != EXIT_BROKEN)
		selection_say_empty(from->count);
	return database.error ? EXIT_BROKEN : code;
}

static int database_make(const struct database_inputs *from, const char *output, bool force)
{
	struct output_file file;
	int trouble = 0, error = output_file_open(&file, output, force);

	if (error) {
		say("%s: %s; %s", output, output_file_trouble(error),
		    output_file_remedy(error, "give another place with -o"));
		return EXIT_BROKEN;
	}
	if (!file.temporary) {
		say("%s: a database must be a file; give a name with -o", output);
		output_file_close(&file, false);
		return EXIT_USAGE;
	}
	int code = database_write(from, &file, &trouble);

	error = output_file_close(&file, code != EXIT_BROKEN);
	if (trouble || error)
		say("%s: %s; no database was left there; free some space, or give another place with -o",
		    output, trouble ? sqlite3_errstr(trouble) : strerror(error));
	else if (code != EXIT_BROKEN)
		output_file_say(&file);
	return trouble || error ? EXIT_BROKEN : code;
}

int sqlite_write(const char *const *inputs, size_t count, struct selection *selection,
		 struct symbols *symbols, const char *output, bool force)
{
	struct database_inputs from = {inputs, count, NULL, symbols};
	int code = EXIT_DONE;

	if (selection_is_any(selection) &&
	    !(from.filter = event_filter_new(selection, inputs, count, &code)))
		return code;
	code = database_make(&from, output, force);
	event_filter_free(from.filter);
	return code;
}

#endif
