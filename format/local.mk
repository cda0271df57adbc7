# SPDX-License-Identifier: MIT
# format: what is captured of arguments, records to bytes, and the record files. Needs libc only.
noinst_LTLIBRARIES += libtl_format.la
libtl_format_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
libtl_format_la_SOURCES = \
	%D%/file/file.h %D%/file/record.h %D%/file/record_words.h %D%/file/stack_text.h %D%/file/stack_text.c %D%/file/clock_line.h %D%/file/trace_file.h %D%/encode/encode.h %D%/encode/encoder.h %D%/encode/encoder.c %D%/encode/formats.h %D%/encode/formats.c %D%/encode/open_marks.h %D%/encode/open_marks.c %D%/encode/json.c %D%/encode/json_event.h %D%/encode/text_pieces.h %D%/encode/json_event.c \
	%D%/encode/protobuf.h %D%/encode/pftrace.h %D%/encode/pftrace.c %D%/encode/pftrace_packets.h %D%/encode/pftrace_packets.c %D%/encode/pftrace_calls.c %D%/encode/pftrace_events.c \
	%D%/encode/pftrace_names.h %D%/encode/pftrace_names.c \
	%D%/encode/pftrace_notes.h %D%/encode/pftrace_notes.c %D%/encode/pftrace_members.c %D%/encode/pftrace_sink.c %D%/encode/pftrace_ties.h %D%/encode/pftrace_ties.c %D%/encode/pftrace_stacks.h %D%/encode/pftrace_stacks.c %D%/encode/pftrace_gpu.h %D%/encode/pftrace_gpu_list.h %D%/encode/pftrace_gpu.c \
	%D%/args/args.h %D%/args/args_capture.h %D%/args/args_kept.h %D%/args/args_kept.c %D%/args/args_walk.h %D%/args/args_capture.c %D%/args/capture_plan.h %D%/args/capture_plan.c %D%/args/args_sink.h %D%/args/args_print.h %D%/args/args_print.c %D%/args/args_visit.c %D%/args/args_result.c %D%/args/args_same.h %D%/args/args_same.c %D%/args/args_values.h %D%/args/args_values.c \
	%D%/args/args_plan.h %D%/args/args_plan.c %D%/args/checked_copy.c %D%/args/passed_copy.c \
	%D%/encode/stack_frames_text.h %D%/encode/stack_frames_text.c %D%/encode/chrome.h %D%/encode/touching.h %D%/encode/further_lanes.h %D%/encode/chrome.c
libtl_format_la_LIBADD = libtl_common.la

# What of them needs libdeflate, where there is one.
noinst_LTLIBRARIES += libtl_gzip.la
libtl_gzip_la_CFLAGS = $(AM_CFLAGS) $(GZIP_CFLAGS) -fvisibility=hidden
libtl_gzip_la_SOURCES = %D%/encode/gzip.h %D%/encode/gzip.c %D%/encode/crc32.h %D%/encode/crc32.c %D%/encode/repeat_hints.h %D%/encode/deflate.h %D%/encode/deflate.c \
	%D%/encode/bit_sink.h %D%/encode/deflate_codes.h %D%/encode/deflate_codes.c %D%/encode/prefix_code.h %D%/encode/prefix_code.c

# Reading files in the record format: the command and the tests. The layer has no part of it.
noinst_LTLIBRARIES += libtl_reader.la
libtl_reader_la_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS) $(ZLIB_CFLAGS) -fvisibility=hidden
libtl_reader_la_SOURCES = %D%/file/describe.h %D%/file/describe.c %D%/file/describe_read.c %D%/file/record_reader.h %D%/file/record_reader.c \
	%D%/file/trace_inside.h %D%/file/trace_inside.c %D%/file/trace_clock.c %D%/file/trace_facts.c %D%/file/trace_texts.c %D%/file/trace_lanes.c %D%/file/trace_calls.c \
	%D%/encode/trace_source.h %D%/encode/trace_source.c
libtl_reader_la_LIBADD = $(JANSSON_LIBS) $(ZLIB_LIBS)
