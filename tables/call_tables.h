/* SPDX-License-Identifier: MIT */
/*
 * call_tables.h: the tables of host calls and of device commands, as `tracelayer summary` and the
 * summary tool show them: their columns, and the contents of a row. Times are nanoseconds.
 */
#ifndef TL_TABLES_CALL_TABLES_H
#define TL_TABLES_CALL_TABLES_H

#include <stdbool.h>
#include <stddef.h>

#include "tables/queue_time.h"
#include "tables/table.h"
#include "tracelayer/device.h"

/*
 * With a group, tables have that column before the others, and rows say in .group what they belong
 * to (--by). NULL: without.
 */

/* ---- host calls ---- */

/* All calls of one function. */
struct calls {
	const char *group, *name;
	long long calls, failed, total, min, median, p99, max;
	const long long *self; /* NULL: the table has none */
};

/* A column that tables of calls may have: the time without that of the calls inside. */
extern const struct table_column self_column;

/*
 * A table of that name in JSON, still empty; `row` is what its rows are: "function". `with_self`: it has
 * self_column, and its rows have .self.
 */
struct table *calls_table(const char *name, const char *row, const struct table_column *group,
			  bool with_self);

/* Add a row; `whole` is the total of all rows. */
void calls_row(struct table *table, const struct calls *calls, long long whole);

/* ---- device commands ---- */

/* Which of the next three tables shows the command. */
enum commands_table { COMMANDS_KERNELS, COMMANDS_TRANSFERS, COMMANDS_OTHERS, COMMANDS_TABLES };
enum commands_table commands_table_of(enum tl_device_kind kind);

/*
 * The name of the command's row: a kernel's name, "write host to device". `name` is the command's,
 * `peer` the other memory: "host", a device, NULL. Cut to the room.
 */
void command_row_name(char *to, size_t room, enum tl_device_kind kind, const char *name,
		      const char *peer);

/*
 * All commands of one row. .share is the share of the time of all commands, in whatever table they
 * are.
 */
struct commands {
	const char *group, *name;
	long long count, total, min, median, p99, max;
	long long bytes, bytes_time; /* of commands that report their bytes */
	double best;		     /* bytes in a nanosecond */
	const struct kernel_needs *needs;
};

/*
 * What the driver knows of a kernel: bytes for a work-item and for a work-group, bytes for a
 * work-item that did not fit into registers, work-items of a subgroup. Negative: not known.
 */
struct kernel_needs {
	long long private_bytes, local_bytes, spill_bytes, simd_width;
};

struct table *commands_table(enum commands_table which, const struct table_column *group);
/* A table of kernels, whose rows have .needs, too. */
struct table *kernels_table(const struct table_column *group);
void commands_row(struct table *table, enum commands_table which, const struct commands *commands,
		  long long whole);
void commands_heading(struct table *table, size_t commands);

/* ---- queues ---- */

/* A queue, and what it waited for longest when it was idle; NULL: it never was. */
struct queue_row {
	const char *group, *name;
	struct queue_time time;
	const char *cause;
	long long cause_time;
};

struct table *queues_table(const struct table_column *group);
void queues_row(struct table *table, const struct queue_row *row);

/* The idle time of one queue that has one cause. */
struct wait_row {
	const char *group, *queue, *cause;
	long long gaps, total, longest; /* gaps that the cause had a part in */
	long long idle;			/* of the queue, whatever the cause */
};

struct table *waits_table(const struct table_column *group);
void waits_row(struct table *table, const struct wait_row *row);

void queues_headings(struct table *queues, struct table *waits, size_t count);

/*
 * What the events cost compared with the work that they describe: bytes of memory, and time of the
 * commands.
 */
struct table *memory_table(long long bytes, long long device_time);

/* ---- what --by tells apart ---- */

struct group_row {
	const char *name;
	long long span; /* from the start of the first to the end of the last */
	long long calls, failed, calls_time;
	long long commands, commands_time, bytes;
};

/* `name` is the table's: the plural of the first column's title. */
struct table *groups_table(const char *name, const struct table_column *group);
void groups_row(struct table *table, const struct group_row *row);

/* ---- all ---- */

/*
 * Sort, print and free those tables that are not NULL and have rows; `always` is printed without
 * any, too. Returns as table_print does.
 */
int calls_print(struct table **tables, size_t count, const struct table *always,
		enum table_format format, FILE *to);

#endif
