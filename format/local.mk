# format: what the layer, the command and the tests share; needs libc only.
noinst_LTLIBRARIES += libtl_format.la
libtl_format_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
libtl_format_la_SOURCES = \
	%D%/record.h \
	%D%/args.h %D%/args_walk.h %D%/args_capture.c %D%/args_print.c %D%/checked_copy.c \
	%D%/text.h %D%/text.c \
	%D%/settings.c %D%/settings.h %D%/settings_table.h
