# layer: libtracelayer.so, the runtime that shims call into. See doc/internals.md.

# What knows nothing of generated code, so that tests can put doubles around it.
noinst_LTLIBRARIES += libtl_core.la
libtl_core_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
libtl_core_la_SOURCES = \
	%D%/arena.h %D%/arena.c \
	%D%/buffer.h %D%/buffer.c \
	%D%/call.h %D%/call.c \
	%D%/clock.h %D%/clock.c \
	%D%/config.h %D%/config.c \
	%D%/once.h %D%/once.c \
	%D%/preload.h %D%/preload.c \
	%D%/report.h %D%/report.c \
	%D%/runtime.h %D%/runtime.c \
	%D%/say.h %D%/say.c \
	%D%/thread.h %D%/thread.c \
	%D%/resolve.h

# From chunks to the trace file. Links with zlib.
noinst_LTLIBRARIES += libtl_writer.la
libtl_writer_la_CFLAGS = $(AM_CFLAGS) $(ZLIB_CFLAGS) -fvisibility=hidden
libtl_writer_la_SOURCES = \
	%D%/gzip.h %D%/gzip.c \
	%D%/lanes.h %D%/lanes.c \
	%D%/output.h %D%/output.c \
	%D%/thread_raw.h %D%/thread_raw.c \
	%D%/writer.h %D%/writer.c
