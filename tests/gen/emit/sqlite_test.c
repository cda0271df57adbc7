/* SPDX-License-Identifier: MIT */
/* sqlite_test.c: SQLite through shims made from sqlite3.h gives right results, also its callbacks.
 */
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

static int tests, failures;

static void ok(bool fine, const char *what)
{
	failures += !fine;
	printf("%s %d - SQLite through shims: %s\n", fine ? "ok" : "not ok", ++tests, what);
}

void look(void *const *params)
{
	(void)params;
}

static int add_row(void *sum, int columns, char **values, char **names)
{
	*(int *)sum += atoi(values[0]) + columns + !strcmp(names[0], "twice(n)");
	return 0;
}

static void twice(sqlite3_context *context, int count, sqlite3_value **values)
{
	sqlite3_result_double(context, count * 2 * sqlite3_value_double(values[0]));
}

int main(void)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *statement = NULL;
	char *message = NULL;

	for (int way = WAY_RECORDED; way <= WAY_OUT_OF_LINE; way++) {
		int sum = 0;

		runtime_watch((enum way)way);
		runtime_record();
		ok(sqlite3_open(":memory:", &db) == SQLITE_OK && db, "open");
		runtime_record();
		ok(sqlite3_create_function(db, "twice", 1, SQLITE_UTF8, NULL, twice, NULL, NULL) ==
			   SQLITE_OK,
		   "a function of the program's");
		ok(sqlite3_exec(db, "create table t(n); insert into t values (1), (20)", NULL, NULL,
				&message) == SQLITE_OK,
		   "exec");
		ok(sqlite3_exec(db, "select twice(n) from t", add_row, &sum, &message) ==
				   SQLITE_OK &&
			   sum == 2 + 40 + 2 * 2,
		   "a query");
		runtime_record();
		ok(sqlite3_prepare_v2(db, "select n / 8.0 from t where n > ?", -1, &statement,
				      NULL) == SQLITE_OK,
		   "prepare");
		ok(sqlite3_bind_int64(statement, 1, 5) == SQLITE_OK &&
			   sqlite3_step(statement) == SQLITE_ROW,
		   "bind and step");
		ok(sqlite3_column_double(statement, 0) == 2.5, "a floating-point result");
		ok(sqlite3_finalize(statement) == SQLITE_OK, "finalize");
		ok(sqlite3_exec(db, "nonsense", NULL, NULL, &message) == SQLITE_ERROR &&
			   strstr(message, "syntax error"),
		   "errors");
		sqlite3_free(message);
		runtime_record();
		ok(sqlite3_close(db) == SQLITE_OK, "close");
	}
	ok(!runtime_function("sqlite3_mprintf") && !runtime_function("sqlite3_vmprintf") &&
		   runtime_function("sqlite3_free"),
	   "variadic functions have no shim");
	printf("1..%d\n", tests);
	return failures != 0;
}
