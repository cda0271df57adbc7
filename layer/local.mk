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
	%D%/resolve.h %D%/writer.h
