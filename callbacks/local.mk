# SPDX-License-Identifier: MIT
# callbacks: tool libraries, built on the public headers, and on format/ for how files are named and made. (The summary's table is the command's.)
toolsdir = $(libdir)/tracelayer/tools
tools_LTLIBRARIES = %D%/summary.la %D%/log.la %D%/leaks.la %D%/faults.la
TOOL_CFLAGS = $(AM_CFLAGS) -fexceptions -fvisibility=hidden
TOOL_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -no-undefined -static-libgcc -export-symbols-regex '^tl_tool_' \
	-Wl,-z,nodelete -Wl,-z,relro -Wl,-z,now -Wl,--no-as-needed,.libs/libtracelayer.so,--as-needed
# They need libtracelayer.so by its name alone: where a tool is loaded, it is there already.
TOOL_COMMON = %D%/callbacks.h %D%/tool_common.h %D%/tool_common.c

%C%_summary_la_SOURCES = %D%/summary.c %D%/tool_ending.h %D%/summary_device.h %D%/summary_device.c %D%/recent_calls.h %D%/recent_calls.c %D%/duration_bins.h $(TOOL_COMMON)
%C%_summary_la_CFLAGS = $(TOOL_CFLAGS)
%C%_summary_la_LDFLAGS = $(TOOL_LDFLAGS)
%C%_summary_la_LIBADD = libtl_table.la libtl_format.la -lm
%C%_summary_la_DEPENDENCIES = libtracelayer.la libtl_table.la libtl_format.la
%C%_log_la_SOURCES = %D%/log.c $(TOOL_COMMON)
%C%_log_la_CFLAGS = $(TOOL_CFLAGS)
%C%_log_la_LDFLAGS = $(TOOL_LDFLAGS)
%C%_log_la_LIBADD = libtl_format.la
%C%_log_la_DEPENDENCIES = libtracelayer.la libtl_format.la
%C%_leaks_la_SOURCES = %D%/leaks.c %D%/tool_ending.h %D%/leak_callers.h %D%/leak_callers.c %D%/leak_files.h %D%/leak_files.c $(TOOL_COMMON)
%C%_leaks_la_CFLAGS = $(TOOL_CFLAGS)
%C%_leaks_la_LDFLAGS = $(TOOL_LDFLAGS)
%C%_leaks_la_LIBADD = libtl_format.la
%C%_leaks_la_DEPENDENCIES = libtracelayer.la libtl_format.la
%C%_faults_la_SOURCES = %D%/faults.c $(TOOL_COMMON)
%C%_faults_la_CFLAGS = $(TOOL_CFLAGS)
%C%_faults_la_LDFLAGS = $(TOOL_LDFLAGS)
%C%_faults_la_LIBADD = libtl_format.la
%C%_faults_la_DEPENDENCIES = libtracelayer.la libtl_format.la
