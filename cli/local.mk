# SPDX-License-Identifier: MIT
# The tracelayer command: shares the formats, the settings and the API tables with the layer, but nothing of its code.

# The statistics of phases: the fuzzer's, too.
noinst_LTLIBRARIES += libtl_phases.la
libtl_phases_la_SOURCES = %D%/interned.h %D%/interned.c %D%/phases/phase_names.h %D%/phases/phase_names.c %D%/phases/phase_row.h %D%/phases/phase_row.c %D%/phases/phase_scan.h \
	%D%/phases/phase_text.h %D%/phases/phase_text.c %D%/phases/phase_unpack.h %D%/phases/phase_unpack.c %D%/phases/phase_reader.h %D%/phases/phase_reader.c %D%/phases/phase_threads.h %D%/phases/phase_threads.c \
	%D%/phases/phase_mark.h %D%/phases/phase_mark.c %D%/phases/phase_tree.h %D%/phases/phase_tree.c %D%/phases/phase_run.h %D%/phases/phase_run.c %D%/phases/phase_print.h %D%/phases/phase_print.c \
	%D%/phases/phase_detail.h %D%/phases/phase_detail.c %D%/progress.h %D%/progress.c %D%/shown.h %D%/shown.c \
	%D%/read/inflated.h %D%/read/inflated.c

bin_PROGRAMS += tracelayer
tracelayer_SOURCES = \
	common/run_protocol.h \
	%D%/command.h %D%/tracelayer.c \
	%D%/write/output_file.h %D%/write/output_file.c \
	%D%/control/control.h %D%/control/control.c \
	%D%/phases/phases.c \
	%D%/profile/profile.h %D%/profile/profile.c %D%/profile/profile_process.h %D%/profile/profile_process.c %D%/profile/profile_output.c \
	%D%/run/run.h %D%/run/run.c common/installed.h common/installed.c %D%/run/program_path.h %D%/run/program_path.c %D%/run/launch.h %D%/run/launch.c %D%/run/closing.h %D%/run/closing.c %D%/run/started_images.h %D%/run/started_images.c \
	%D%/summary/summary_command.c %D%/summary/history.h %D%/summary/history.c %D%/summary/waits.h %D%/summary/waits.c %D%/summary/tabulate.h %D%/summary/tabulate.c \
	%D%/read/chrome_reader.h %D%/read/chrome_reader.c \
	%D%/read/trace_events.h %D%/read/trace_events.c %D%/read/slices.h %D%/read/slices.c %D%/export/systrace.h %D%/export/systrace.c \
	%D%/export/export.c %D%/read/record_file.h %D%/read/record_file.c \
	%D%/recover/leftovers.h %D%/recover/leftovers.c %D%/write/trace_encoder.h %D%/write/trace_encoder.c %D%/write/trace_sink.h %D%/write/trace_sink.c %D%/write/encoded_pieces.c %D%/write/record_pieces.c \
	%D%/recover/recovery.h %D%/recover/recovery.c %D%/recover/recover.c
tracelayer_CPPFLAGS = $(AM_CPPFLAGS) -DBINDIR='"$(bindir)"' -DLIBDIR='"$(libdir)"'
tracelayer_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS) $(LIBELF_CFLAGS) $(ZLIB_CFLAGS)
tracelayer_LDADD = libtl_table.la libtl_phases.la libtl_reader.la libtl_gzip.la libtl_format.la $(JANSSON_LIBS) $(LIBELF_LIBS) $(ZLIB_LIBS) -lm

# Prints the settings for the manual pages.
noinst_PROGRAMS += settings_doc
settings_doc_SOURCES = %D%/settings_doc.c
settings_doc_LDADD = libtl_format.la
