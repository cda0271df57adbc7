# SPDX-License-Identifier: MIT
# common: what the layer, the command and the tools share. Needs libc only.
noinst_LTLIBRARIES += libtl_common.la
libtl_common_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
libtl_common_la_SOURCES = \
	%D%/common.h \
	%D%/annotation_environment.c %D%/annotation_environment.h \
	%D%/checked_stdout.h \
	%D%/digits.h \
	%D%/errno_names.h %D%/errno_names.c \
	%D%/text.h %D%/text.c \
	%D%/levels.h %D%/levels.c \
	%D%/stages.h %D%/stages.c \
	%D%/command_kinds.h %D%/command_kinds.c \
	%D%/follow.h %D%/follow.c \
	%D%/launcher.h %D%/launcher.c \
	%D%/memory_limits.h %D%/memory_limits.c \
	%D%/output.h %D%/output.c \
	%D%/output_formats.h %D%/output_formats.c \
	%D%/places.h %D%/places.c \
	%D%/proc.h %D%/proc.c \
	%D%/program_file.h %D%/program_file.c \
	%D%/rank_set.h %D%/rank_set.c \
	%D%/workspace.h %D%/workspace.c \
	%D%/settings.c %D%/settings.h \
	%D%/settings_table.h \
	%D%/tool_list.c %D%/tool_list.h \
	%D%/xpti_environment.c %D%/xpti_environment.h

# --enable-portable: functions of old versions of the C library, in everything. See common/old_glibc.h.
if PORTABLE
noinst_LIBRARIES += libtl_portable.a
BUILT_SOURCES += libtl_portable.a
EXTRA_libtl_portable_a_DEPENDENCIES = old_libraries/libpthread.so.0 old_libraries/libdl.so.2
CLEANFILES += old_libraries/libpthread.so.0 old_libraries/libdl.so.2
old_math = -Wl,-u,tl_old_math
endif
EXTRA_DIST += %D%/old_libraries.list
# What is linked with a newer glibc says that it expects the functions of libpthread and libdl in libc.so.6. Before 2.30 the dynamic linker gives up where it
# meets libc.so.6 first. So the linker gets libraries in place of these two that have the functions, and do nothing: it notes their names. As in newer releases of glibc,
# the old version of a function is not its default (one @): else the linker takes our hidden function of that name for it, which then calls itself.
old_libraries/libpthread.so.0 old_libraries/libdl.so.2: %D%/old_libraries.list
	$(AM_V_GEN)$(MKDIR_P) old_libraries && awk -v library='$(@F)' -v cpu='$(host_cpu)' -v code='$@.c' -v map='$@.map' '$$1 == library { \
			version = cpu == "x86_64" ? $$2 : "GLIBC_2.17"; \
			print "void old_" $$3 "(void);\nvoid old_" $$3 "(void) {}\n__asm__(\".symver old_" $$3 "," $$3 "@" version "\");" >code; \
			if (!noted[version]++) print version " {};" >map }' $(srcdir)/%D%/old_libraries.list && \
		$(CC) -shared -nostdlib -fPIC -ffreestanding -w -Wl,-soname,$(@F) -Wl,--version-script=$@.map $@.c -o $@ && rm -f $@.c $@.map
# gcc takes pthread_setspecific for a reader of what the value points to.
libtl_portable_a_CFLAGS = $(AM_CFLAGS) -fPIC -fexceptions -Wno-maybe-uninitialized
libtl_portable_a_SOURCES = %D%/old_glibc.h %D%/old_dlopen.c %D%/old_dlsym.c %D%/old_files.c %D%/old_find_object.c %D%/old_math.c \
	%D%/old_start.c %D%/old_threads.c
