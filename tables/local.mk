# SPDX-License-Identifier: MIT
# tables: rows and how they are printed. The command and the summary tool (callbacks/) use them.
noinst_LTLIBRARIES += libtl_table.la
libtl_table_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
libtl_table_la_SOURCES = %D%/tables.h %D%/needed_memory.h %D%/call_tables.h %D%/call_tables.c %D%/histogram.h %D%/histogram.c %D%/queue_time.h %D%/queue_time.c %D%/table.h %D%/table.c %D%/short_name.h %D%/short_name.c %D%/table_text.c %D%/table_inside.h %D%/arrange.c
