# format: what the layer, the command and the tests share; needs libc only.
noinst_LTLIBRARIES += libtl_format.la
libtl_format_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
libtl_format_la_SOURCES = \
	%D%/record.h \
	%D%/settings.c %D%/settings.h %D%/settings_table.h
