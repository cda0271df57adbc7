# The tracelayer command: shares the formats, the settings and the API tables with the layer, but nothing of its code.
# The tables are also the summary tool's (callbacks/).
noinst_LTLIBRARIES += libtl_table.la
libtl_table_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
libtl_table_la_SOURCES = %D%/calls.h %D%/calls.c %D%/queue_time.h %D%/queue_time.c %D%/table.h %D%/table.c

# The statistics of phases: the fuzzer's, too.
noinst_LTLIBRARIES += libtl_phases.la
libtl_phases_la_SOURCES = %D%/names.h %D%/names.c %D%/phase_names.h %D%/phase_names.c %D%/phase_row.h %D%/phase_row.c %D%/phase_scan.h \
	%D%/phase_text.h %D%/phase_text.c %D%/phase_unpack.h %D%/phase_unpack.c %D%/phase_reader.h %D%/phase_reader.c %D%/phase_threads.h %D%/phase_threads.c \
	%D%/phase_mark.h %D%/phase_mark.c %D%/phase_tree.h %D%/phase_tree.c %D%/phase_run.h %D%/phase_run.c %D%/phase_print.h %D%/phase_print.c \
	%D%/phase_detail.h %D%/phase_detail.c %D%/progress.h %D%/progress.c %D%/shown.h %D%/shown.c \
	%D%/inflated.h %D%/inflated.c

bin_PROGRAMS += tracelayer
tracelayer_SOURCES = \
	format/report.h \
	%D%/command.h %D%/tracelayer.c \
	%D%/output_file.h %D%/output_file.c \
	%D%/control.h %D%/control.c \
	%D%/phases.c \
	%D%/profile.h %D%/profile.c %D%/profile_process.h %D%/profile_process.c %D%/profile_output.c \
	%D%/run.h %D%/run.c %D%/installed.h %D%/installed.c %D%/program.h %D%/program.c %D%/launch.h %D%/launch.c %D%/closing.h %D%/closing.c %D%/images.h %D%/images.c \
	%D%/summary.c %D%/history.h %D%/history.c %D%/waits.h %D%/waits.c %D%/tabulate.h %D%/tabulate.c \
	%D%/trace_reader.h %D%/trace_reader.c \
	%D%/trace_events.h %D%/trace_events.c %D%/slices.h %D%/slices.c %D%/systrace.h %D%/systrace.c \
	%D%/export.c %D%/record_file.h %D%/record_file.c \
	%D%/leftovers.h %D%/leftovers.c %D%/trace_sink.h %D%/trace_sink.c %D%/trace_spool.h %D%/trace_spool.c \
	%D%/recovery.h %D%/recovery.c %D%/recover.c
tracelayer_CPPFLAGS = $(AM_CPPFLAGS) -DBINDIR='"$(bindir)"' -DLIBDIR='"$(libdir)"'
tracelayer_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS) $(LIBELF_CFLAGS) $(ZLIB_CFLAGS)
tracelayer_LDADD = libtl_table.la libtl_phases.la libtl_reader.la libtl_gzip.la libtl_format.la $(JANSSON_LIBS) $(LIBELF_LIBS) $(ZLIB_LIBS) -lm

# Prints the settings for the manual pages.
noinst_PROGRAMS += settings_doc
settings_doc_SOURCES = %D%/settings_doc.c
settings_doc_LDADD = libtl_format.la
