# SPDX-License-Identifier: MIT
# format: what is captured of arguments, records to bytes, and the record files. Needs libc only.
noinst_LTLIBRARIES += libtl_format.la
libtl_format_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
libtl_format_la_SOURCES = \
	%D%/file/file.h %D%/file/record.h %D%/file/trace_file.h %D%/encode/encode.h %D%/encode/encoder.h %D%/encode/encoder.c %D%/encode/formats.h %D%/encode/formats.c %D%/encode/open_marks.h %D%/encode/open_marks.c %D%/encode/json.c %D%/encode/json_event.h %D%/encode/json_event.c \
	%D%/encode/protobuf.h %D%/encode/pftrace.h %D%/encode/pftrace.c %D%/encode/pftrace_names.h %D%/encode/pftrace_names.c \
	%D%/encode/pftrace_notes.h %D%/encode/pftrace_notes.c %D%/encode/pftrace_ties.h %D%/encode/pftrace_ties.c \
	%D%/args/args.h %D%/args/args_capture.h %D%/args/args_kept.h %D%/args/args_kept.c %D%/args/args_walk.h %D%/args/args_capture.c %D%/args/args_print.h %D%/args/args_print.c \
	%D%/args/args_plan.h %D%/args/args_plan.c %D%/args/checked_copy.c \
	%D%/encode/chrome.h %D%/encode/touching.h %D%/encode/chrome.c
libtl_format_la_LIBADD = libtl_common.la

# What of them needs zlib.
noinst_LTLIBRARIES += libtl_gzip.la
libtl_gzip_la_CFLAGS = $(AM_CFLAGS) $(ZLIB_CFLAGS) -fvisibility=hidden
libtl_gzip_la_SOURCES = %D%/encode/gzip.h %D%/encode/gzip.c

# Reading files in the record format: the command and the tests. The layer has no part of it.
noinst_LTLIBRARIES += libtl_reader.la
libtl_reader_la_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS) -fvisibility=hidden
libtl_reader_la_SOURCES = %D%/file/describe.h %D%/file/describe.c %D%/file/describe_read.c %D%/file/record_reader.h %D%/file/record_reader.c \
	%D%/file/trace_inside.h %D%/file/trace_clock.c %D%/file/trace_facts.c %D%/file/trace_texts.c %D%/file/trace_lanes.c %D%/file/trace_calls.c \
	%D%/encode/trace_source.h %D%/encode/trace_source.c
libtl_reader_la_LIBADD = $(JANSSON_LIBS)

# The built-in APIs: tables for the layer and the command, shims for the layer. Made by tracegen in apis/ of the build folder.
noinst_LTLIBRARIES += libtl_tables.la libtl_shims.la
nodist_libtl_tables_la_SOURCES = apis/ze_tables.c apis/cl_tables.c
libtl_tables_la_SOURCES =
libtl_tables_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
nodist_libtl_shims_la_SOURCES = apis/ze_shims.c apis/cl_shims.c
libtl_shims_la_SOURCES =
libtl_shims_la_CPPFLAGS = $(AM_CPPFLAGS)
libtl_shims_la_CFLAGS = -std=gnu11 $(TL_WARNINGS) -O2 -fexceptions -fvisibility=hidden -fno-stack-protector
nodist_pkginclude_HEADERS = apis/ze_callbacks.h apis/cl_callbacks.h

ZE_EMITTED = apis/ze_tables.c apis/ze_shims.c apis/ze_callbacks.h apis/ze_tracing.c apis/ze_tracing.exports apis/ze_layer.c
CL_EMITTED = apis/cl_tables.c apis/cl_shims.c apis/cl_callbacks.h apis/cl_layer.c
BUILT_SOURCES += $(ZE_EMITTED) $(CL_EMITTED)
CLEANFILES += $(ZE_EMITTED) $(CL_EMITTED) apis/ze.exports apis/cl.exports

# One run makes them all; the exports come last and stand for all.
apis/ze.exports: apis/ze_model.json
	$(AM_V_GEN)./tracegen$(EXEEXT) emit --model apis/ze_model.json -o apis
apis/cl.exports: apis/cl_model.json
	$(AM_V_GEN)./tracegen$(EXEEXT) emit --model apis/cl_model.json -o apis
$(ZE_EMITTED): apis/ze.exports
	@test -f $@ || { rm -f apis/ze.exports && $(MAKE) $(AM_MAKEFLAGS) apis/ze.exports; }
	@touch $@
$(CL_EMITTED): apis/cl.exports
	@test -f $@ || { rm -f apis/cl.exports && $(MAKE) $(AM_MAKEFLAGS) apis/cl.exports; }
	@touch $@
