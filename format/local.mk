# format: what the layer, the command and the tests share; needs libc only.
noinst_LTLIBRARIES += libtl_format.la
libtl_format_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
libtl_format_la_SOURCES = \
	%D%/record.h %D%/trace_file.h %D%/encoder.h %D%/encoder.c %D%/open_marks.h %D%/open_marks.c %D%/json.c %D%/json_event.h %D%/json_event.c \
	%D%/protobuf.h %D%/pftrace.h %D%/pftrace.c %D%/pftrace_names.h %D%/pftrace_names.c \
	%D%/pftrace_notes.h %D%/pftrace_notes.c %D%/pftrace_ties.h %D%/pftrace_ties.c \
	%D%/args.h %D%/args_walk.h %D%/args_capture.c %D%/args_print.h %D%/args_print.c \
	%D%/args_plan.h %D%/args_plan.c %D%/checked_copy.c \
	%D%/checked_stdout.h %D%/digits.h %D%/text.h %D%/text.c %D%/levels.h %D%/levels.c %D%/stages.h %D%/stages.c %D%/kinds.h %D%/kinds.c \
	%D%/follow.h %D%/follow.c \
	%D%/launcher.h %D%/launcher.c \
	%D%/limits.h %D%/limits.c \
	%D%/chrome.h %D%/touching.h %D%/chrome.c \
	%D%/output.h %D%/output.c \
	%D%/places.h %D%/places.c \
	%D%/proc.h %D%/proc.c \
	%D%/program_file.h %D%/program_file.c \
	%D%/settings.c %D%/settings.h %D%/settings_table.h \
	%D%/tools.c %D%/tools.h \
	%D%/xpti.c %D%/xpti.h

# What of them needs zlib.
noinst_LTLIBRARIES += libtl_gzip.la
libtl_gzip_la_CFLAGS = $(AM_CFLAGS) $(ZLIB_CFLAGS) -fvisibility=hidden
libtl_gzip_la_SOURCES = %D%/gzip.h %D%/gzip.c

# Reading files in the record format: the command and the tests. The layer has no part of it.
noinst_LTLIBRARIES += libtl_reader.la
libtl_reader_la_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS) -fvisibility=hidden
libtl_reader_la_SOURCES = %D%/describe.h %D%/describe.c %D%/describe_read.c %D%/trace_reader.h %D%/trace_reader.c
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
