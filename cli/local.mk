# SPDX-License-Identifier: MIT
# The tracelayer command: shares the formats, the settings and the API tables with the layer, but nothing of its code.

# `tracelayer phases`, apart from what the command defines for all: a fuzzer links it, too.
noinst_LTLIBRARIES += libtl_phases.la
libtl_phases_la_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS) $(ZLIB_CFLAGS)
libtl_phases_la_SOURCES = \
	%D%/basics/basics.h %D%/basics/exit_codes.h %D%/basics/messages.h \
	%D%/basics/escaped.h %D%/basics/escaped.c %D%/basics/interned.h %D%/basics/interned.c %D%/basics/progress.h %D%/basics/progress.c \
	%D%/read/inflater.h %D%/read/inflater.c %D%/read/temporary_file.h %D%/read/temporary_file.c \
	%D%/systrace/systrace.h %D%/systrace/nn_mark.h %D%/systrace/nn_mark.c %D%/systrace/nn_names.h %D%/systrace/nn_names.c \
	%D%/systrace/systrace_packed.h %D%/systrace/systrace_packed.c %D%/systrace/systrace_reader.h %D%/systrace/systrace_reader.c \
	%D%/systrace/systrace_row.h %D%/systrace/systrace_row.c %D%/systrace/systrace_scan.h %D%/systrace/systrace_text.h %D%/systrace/systrace_text.c \
	%D%/phases/phase_detail.h %D%/phases/phase_detail.c %D%/phases/phase_print.h %D%/phases/phase_print.c %D%/phases/phase_run.h %D%/phases/phase_run.c %D%/phases/phase_times.h %D%/phases/phase_times.c \
	%D%/phases/phase_threads.h %D%/phases/phase_threads.c %D%/phases/phase_tree.h %D%/phases/phase_tree.c

# A line for each room; a new command adds its own.
bin_PROGRAMS += tracelayer
tracelayer_SOURCES = \
	%D%/tracelayer.c %D%/cli.h common/installed.h common/installed.c common/run_protocol.h \
	%D%/basics/messages.c %D%/basics/words.h %D%/basics/words.c \
	%D%/leftovers/leftovers.h %D%/leftovers/leftovers.c \
	%D%/outputs/outputs.h %D%/outputs/output_file.h %D%/outputs/output_file.c %D%/outputs/encoded_pieces.c %D%/outputs/record_pieces.c %D%/outputs/trace_encoder.h %D%/outputs/trace_encoder.c %D%/outputs/trace_sink.h %D%/outputs/trace_sink.c \
	%D%/read/read.h %D%/read/chrome_reader.h %D%/read/chrome_reader.c %D%/read/record_file.h %D%/read/record_file.c %D%/read/trace_events.h %D%/read/trace_events.c \
	%D%/systrace/slices.h %D%/systrace/slices.c %D%/systrace/systrace_writer.h %D%/systrace/systrace_writer.c \
	%D%/control/control.h %D%/control/control.c \
	%D%/phases/phases.h %D%/phases/phases.c \
	%D%/export/export.h %D%/export/export.c %D%/export/export_job.h %D%/export/export_encode.c \
	%D%/recover/recover.h %D%/recover/recover.c %D%/recover/recovery.h %D%/recover/recovery.c \
	%D%/summary/summary.h %D%/summary/summary_command.c %D%/summary/history.h %D%/summary/history.c %D%/summary/waits.h %D%/summary/waits.c %D%/summary/tabulate.h %D%/summary/tabulate.c \
	%D%/apis/apis.h %D%/apis/apis_command.c %D%/apis/api_descriptors.h %D%/apis/api_descriptors.c %D%/apis/interposers.c %D%/apis/interposer_cache.h %D%/apis/interposer_cache.c %D%/apis/user_folders.h %D%/apis/user_folders.c \
	%D%/run/run.h %D%/run/run.c %D%/run/program_path.h %D%/run/program_path.c %D%/run/launch.h %D%/run/launch.c %D%/run/closing.h %D%/run/closing.c %D%/run/layer_reports.h %D%/run/layer_reports.c %D%/run/started_images.h %D%/run/started_images.c \
	%D%/profile/profile.h %D%/profile/profile.c %D%/profile/profile_process.h %D%/profile/profile_process.c %D%/profile/profile_sampler.h %D%/profile/profile_sampler.c %D%/profile/profile_names.h %D%/profile/profile_names.c %D%/profile/profile_output.c
tracelayer_CPPFLAGS = $(AM_CPPFLAGS) -DBINDIR='"$(bindir)"' -DLIBDIR='"$(libdir)"' -DPKGDATADIR='"$(pkgdatadir)"'
tracelayer_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS) $(LIBELF_CFLAGS) $(ZLIB_CFLAGS)
# Shims that a user preloads need libtracelayer.so, and the dynamic linker starts the command with them, too. What a DT_RPATH names (unlike
# a DT_RUNPATH) is also searched for what preloaded libraries need.
tracelayer_LDFLAGS = $(AM_LDFLAGS) -Wl,--disable-new-dtags,-rpath,'$$ORIGIN/../lib:$(libdir)'
tracelayer_LDADD = libtl_table.la libtl_phases.la libtl_reader.la libtl_gzip.la libtl_format.la $(JANSSON_LIBS) $(LIBELF_LIBS) $(ZLIB_LIBS) -lm

# Prints the settings for the manual pages.
noinst_PROGRAMS += settings_doc
settings_doc_SOURCES = %D%/settings_doc.c
settings_doc_LDADD = libtl_format.la
