/* SPDX-License-Identifier: MIT */
/*
 * sqlite_reader.c: see sqlite_reader.h. A database must be a file, which is mapped: what comes from
 * a pipe, or is compressed, becomes a temporary one.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/basics/basics.h"
#include "cli/read/sqlite_reader.h"
#include "cli/read/shown_names.h"
#include "cli/read/temporary_file.h"

#if !HAVE_SQLITE

int sqlite_walk(struct block_reader *blocks, unsigned char *at, unsigned char *end,
		const struct trace_visitor *visitor, void *user)
{
	(void)at, (void)end, (void)visitor, (void)user;
	say("%s: this tracelayer was built without SQLite; install libsqlite3-dev and build it again, or give .tlt or .json",
	    blocks->shown);
	return EXIT_BROKEN;
}

#else

#include <sqlite3.h>

struct base {
	sqlite3 *handle;
	const char *shown;
	const struct trace_visitor *visitor;
	void *user;
	unsigned long long arrows;
	int error; /* SQLite's first one */
	bool stops;
};

/* ---- columns ---- */

static const char *column_text(sqlite3_stmt *row, int column)
{
	const char *text = (const char *)sqlite3_column_text(row, column);

	return text ? text : "";
}

/* A number or a text. NULL: there is none. */
static json_t *column_json(sqlite3_stmt *row, int column)
{
	switch (sqlite3_column_type(row, column)) {
	case SQLITE_INTEGER:
	case SQLITE_FLOAT:
		return json_real(sqlite3_column_double(row, column));
	case SQLITE_TEXT:
		return json_string(column_text(row, column));
	}
	return NULL;
}

/* An object; an empty one where there is none. */
static json_t *column_object(sqlite3_stmt *row, int column)
{
	json_t *object = json_loads(column_text(row, column),
				    JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL, NULL);

	if (json_is_object(object))
		return object;
	json_decref(object);
	return json_object();
}

static void member_set(json_t *event, const char *name, json_t *value)
{
	if (value)
		json_object_set_new(event, name, value);
}

static json_t *column_time(sqlite3_stmt *row, int column)
{
	return json_real((double)sqlite3_column_int64(row, column) / 1000);
}

/* ---- events ---- */

/* Takes the event over. */
static void event_give(struct base *base, json_t *event)
{
	event_show_name(event);
	if (!base->stops)
		base->stops = !base->visitor->parsed(base->user, event);
	json_decref(event);
}

/* The first two columns of all queries are the process's and the thread's number. */
static json_t *event_new(sqlite3_stmt *row, const char *phase)
{
	json_t *event = json_object();

	member_set(event, "ph", json_string(phase));
	member_set(event, "pid", column_json(row, 0));
	member_set(event, "tid", column_json(row, 1));
	return event;
}

static void metadata_give(struct base *base, sqlite3_stmt *row, const char *name, json_t *args)
{
	json_t *event = event_new(row, "M");

	member_set(event, "name", json_string(name));
	member_set(event, "args", args);
	event_give(base, event);
}

/* One member, if the column has a value. */
static void metadata_column(struct base *base, sqlite3_stmt *row, int column, const char *name,
			    const char *key)
{
	json_t *value = column_json(row, column), *args;

	if (!value)
		return;
	args = json_object();
	json_object_set_new(args, key, value);
	metadata_give(base, row, name, args);
}

static void process_give(struct base *base, sqlite3_stmt *row)
{
	metadata_column(base, row, 2, "process_name", "name");
	metadata_column(base, row, 3, "process_labels", "labels");
	if (sqlite3_column_type(row, 4) == SQLITE_TEXT)
		metadata_give(base, row, "tracelayer", column_object(row, 4));
}

static void process_end_give(struct base *base, sqlite3_stmt *row)
{
	metadata_give(base, row, "tracelayer_end", column_object(row, 2));
}

static void thread_give(struct base *base, sqlite3_stmt *row)
{
	metadata_column(base, row, 2, "thread_name", "name");
	metadata_column(base, row, 3, "thread_sort_index", "sort_index");
}

/* A slice, or an instant where there is no length: name, categories, start, length, arguments. */
static json_t *slice_new(sqlite3_stmt *row)
{
	bool is_instant = sqlite3_column_type(row, 5) == SQLITE_NULL;
	json_t *event = event_new(row, is_instant ? "i" : "X");

	member_set(event, "name", column_json(row, 2));
	member_set(event, "cat", column_json(row, 3));
	member_set(event, "ts", column_time(row, 4));
	if (is_instant)
		member_set(event, "s", json_string("t"));
	else
		member_set(event, "dur", column_time(row, 5));
	member_set(event, "args", column_object(row, 6));
	return event;
}

static void slice_give(struct base *base, sqlite3_stmt *row)
{
	event_give(base, slice_new(row));
}

/* The same, and who called. */
static void call_give(struct base *base, sqlite3_stmt *row)
{
	json_t *event = slice_new(row);

	if (sqlite3_column_type(row, 7) != SQLITE_NULL)
		member_set(event, "sf", json_string(column_text(row, 7)));
	event_give(base, event);
}

/* name, series, time, value */
static void count_give(struct base *base, sqlite3_stmt *row)
{
	json_t *event = event_new(row, "C"), *args = json_object();

	member_set(event, "name", column_json(row, 2));
	member_set(event, "cat", json_string("tracelayer"));
	member_set(event, "ts", column_time(row, 4));
	json_object_set_new(args, column_text(row, 3), json_real(sqlite3_column_double(row, 5)));
	member_set(event, "args", args);
	event_give(base, event);
}

static void arrow_end(struct base *base, json_t *event, sqlite3_stmt *row, int time)
{
	member_set(event, "name", column_json(row, 2));
	member_set(event, "cat", json_string("tracelayer"));
	member_set(event, "id", json_real((double)base->arrows));
	member_set(event, "ts", column_time(row, time));
	event_give(base, event);
}

/* name, from when, the other process and thread, to when */
static void arrow_give(struct base *base, sqlite3_stmt *row)
{
	base->arrows++;
	arrow_end(base, event_new(row, "s"), row, 3);
	json_t *event = event_new(row, "f");

	member_set(event, "pid", column_json(row, 4));
	member_set(event, "tid", column_json(row, 5));
	member_set(event, "bp", json_string("e"));
	arrow_end(base, event, row, 6);
}

/* ---- queries ---- */

static void result_note(struct base *base, int result)
{
	if (result != SQLITE_OK && result != SQLITE_DONE && result != SQLITE_ROW && !base->error)
		base->error = result;
}

static void rows_give(struct base *base, const char *query,
		      void (*give)(struct base *base, sqlite3_stmt *row))
{
	sqlite3_stmt *row = NULL;
	int result = SQLITE_DONE;

	if (!base->error)
		result_note(base, sqlite3_prepare_v2(base->handle, query, -1, &row, NULL));
	while (!base->error && !base->stops && (result = sqlite3_step(row)) == SQLITE_ROW)
		give(base, row);
	result_note(base, result);
	sqlite3_finalize(row);
}

static int64_t number_ask(struct base *base, const char *query)
{
	sqlite3_stmt *row = NULL;
	int64_t number = -1;

	result_note(base, sqlite3_prepare_v2(base->handle, query, -1, &row, NULL));
	int result = base->error ? SQLITE_DONE : sqlite3_step(row);

	result_note(base, result);
	if (result == SQLITE_ROW)
		number = sqlite3_column_int64(row, 0);
	sqlite3_finalize(row);
	return number;
}

/* id, caller, name */
static void frame_give(struct base *base, sqlite3_stmt *row)
{
	json_t *frame = json_object();

	member_set(frame, "name", column_json(row, 2));
	if (sqlite3_column_type(row, 1) != SQLITE_NULL)
		member_set(frame, "parent", json_string(column_text(row, 1)));
	base->visitor->frame(base->user, column_text(row, 0), frame);
	json_decref(frame);
}

/* `version`: of the layout. */
static void events_give(struct base *base, int64_t version)
{
	bool has_ends = version >= 2, has_stacks = version >= 3;

	if (has_stacks && base->visitor->frame)
		rows_give(base, "SELECT id, caller, name FROM frame ORDER BY id", frame_give);
	rows_give(base, "SELECT pid, 0, name, labels, metadata FROM process ORDER BY id",
		  process_give);
	rows_give(base,
		  has_ends ? "SELECT pid, tid, thread.name, sort_index FROM thread"
			     " JOIN process ON process.id = process ORDER BY thread.id"
			   : "SELECT pid, tid, thread.name, NULL FROM thread"
			     " JOIN process ON process.id = process ORDER BY thread.id",
		  thread_give);
	rows_give(base,
		  has_stacks ? "SELECT pid, tid, call.name, categories, start_ns, duration_ns,"
			       " arguments, stack.frame FROM call JOIN thread ON thread.id = thread"
			       " JOIN process ON process.id = process"
			       " LEFT JOIN stack ON stack.id = call.stack ORDER BY call.id"
			     : "SELECT pid, tid, call.name, categories, start_ns, duration_ns,"
			       " arguments, NULL FROM call JOIN thread ON thread.id = thread"
			       " JOIN process ON process.id = process ORDER BY call.id",
		  call_give);
	rows_give(base,
		  has_ends ? "SELECT pid, tid, command.name, categories, start_ns, duration_ns,"
			     " arguments FROM command JOIN thread ON thread.id = lane"
			     " JOIN process ON process.id = process ORDER BY command.id"
			   : "SELECT pid, tid, command.name, 'device', start_ns, duration_ns,"
			     " arguments FROM command JOIN thread ON thread.id = lane"
			     " JOIN process ON process.id = process ORDER BY command.id",
		  slice_give);
	rows_give(base,
		  "SELECT pid, tid, event.name, categories, start_ns, duration_ns, arguments"
		  " FROM event JOIN thread ON thread.id = thread"
		  " JOIN process ON process.id = process ORDER BY event.id",
		  slice_give);
	rows_give(base,
		  "SELECT pid, tid, counter.name, series, time_ns, value FROM counter"
		  " JOIN thread ON thread.id = thread JOIN process ON process.id = process"
		  " ORDER BY counter.rowid",
		  count_give);
	rows_give(
		base,
		"SELECT one.pid, a.tid, arrow.name, from_ns, other.pid, b.tid, to_ns FROM arrow"
		" JOIN thread AS a ON a.id = from_thread JOIN process AS one ON one.id = a.process"
		" JOIN thread AS b ON b.id = to_thread JOIN process AS other"
		" ON other.id = b.process ORDER BY arrow.id",
		arrow_give);
	if (has_ends)
		rows_give(base,
			  "SELECT pid, 0, totals FROM process WHERE totals IS NOT NULL ORDER BY id",
			  process_end_give);
}

/*
 * The bytes are the database: a temporary file has no name by which SQLite could open it. They are
 * the caller's, and may be written to.
 */
static void base_open(struct base *base, unsigned char *bytes, size_t size)
{
	result_note(base, sqlite3_open_v2(":memory:", &base->handle, SQLITE_OPEN_READWRITE, NULL));
	if (base->error)
		return;
	result_note(base, sqlite3_deserialize(base->handle, "main", bytes, (sqlite3_int64)size,
					      (sqlite3_int64)size, SQLITE_DESERIALIZE_READONLY));
	/* The schema may be anything: nothing in it is trusted. */
	sqlite3_db_config(base->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(base->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
}

static int base_walk(struct base *base, unsigned char *bytes, size_t size)
{
	char id[24];

	base_open(base, bytes, size);
	int64_t application = base->error ? -1 : number_ask(base, "PRAGMA application_id"),
		version = base->error ? -1 : number_ask(base, "PRAGMA user_version");

	snprintf(id, sizeof(id), "%lld", (long long)application);
	if (!base->error && strcmp(id, SQLITE_APPLICATION_ID) != 0) {
		say("%s: a database of something else; give one that `tracelayer export -o NAME.sqlite` made",
		    base->shown);
		return EXIT_BROKEN;
	}
	if (!base->error)
		events_give(base, version);
	if (base->error)
		say("%s: the database can't be read: %s; make it again with `tracelayer export`",
		    base->shown, sqlite3_errstr(base->error));
	return base->error || base->stops ? EXIT_BROKEN : EXIT_DONE;
}

/* ---- the file ---- */

/* -1, after a message. */
static int blocks_spool(struct block_reader *blocks, unsigned char *at, unsigned char *end)
{
	int spool = spool_open();
	bool failed = false, written = spool >= 0;

	do {
		written = written && spool_write(spool, at, (size_t)(end - at));
	} while (written && block_next(blocks, &at, &end, 0, &failed, 0));
	if (written && !failed)
		return spool;
	if (spool >= 0)
		close(spool);
	return -1;
}

static int file_walk(struct base *base, int file)
{
	struct stat about;
	unsigned char *bytes = MAP_FAILED;

	if (!fstat(file, &about) && about.st_size > 0)
		bytes = mmap(NULL, (size_t)about.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file,
			     0);
	if (bytes == MAP_FAILED) {
		say("%s: cannot read: %s; give the path of a trace file", base->shown,
		    strerror(errno));
		return EXIT_BROKEN;
	}
	int code = base_walk(base, bytes, (size_t)about.st_size);

	sqlite3_close(base->handle);
	munmap(bytes, (size_t)about.st_size);
	return code;
}

int sqlite_walk(struct block_reader *blocks, unsigned char *at, unsigned char *end,
		const struct trace_visitor *visitor, void *user)
{
	struct base base = {.shown = blocks->shown, .visitor = visitor, .user = user};
	struct stat about;
	int spool = -1, file = blocks->descriptor;

	if (blocks->packed || fstat(file, &about) || !S_ISREG(about.st_mode))
		file = spool = blocks_spool(blocks, at, end);
	int code = file < 0 ? EXIT_BROKEN : file_walk(&base, file);

	if (spool >= 0)
		close(spool);
	return code;
}

#endif
