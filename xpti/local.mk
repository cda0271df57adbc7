# SPDX-License-Identifier: MIT
# xpti: libtracelayer-xpti.so, the dispatcher of the XPTI tracing framework. See xpti/dispatcher/dispatcher.h.

pkginclude_HEADERS += include/tracelayer/xpti.h

noinst_LTLIBRARIES += libtl_xpti.la
libtl_xpti_la_CFLAGS = $(AM_CFLAGS) -fexceptions -fvisibility=hidden
libtl_xpti_la_SOURCES = \
	%D%/dispatcher/dispatcher.h \
	%D%/dispatcher/dispatcher_state.h %D%/dispatcher/dispatcher_state.c \
	%D%/dispatcher/pools.h %D%/dispatcher/pools.c \
	%D%/dispatcher/id_table.h \
	%D%/dispatcher/hash_trie.h %D%/dispatcher/hash_trie.c \
	%D%/dispatcher/pins.h %D%/dispatcher/pins.c \
	%D%/dispatcher/string_table.h %D%/dispatcher/string_table.c \
	%D%/dispatcher/object_table.c \
	%D%/dispatcher/stream_names.h %D%/dispatcher/stream_names.c \
	%D%/dispatcher/event_metadata.h %D%/dispatcher/event_metadata.c \
	%D%/dispatcher/cxx_interfaces.h %D%/dispatcher/cxx_interfaces.c \
	%D%/dispatcher/code_places.h %D%/dispatcher/code_places.c \
	%D%/dispatcher/trace_points.h %D%/dispatcher/trace_points.c \
	%D%/dispatcher/stream_callbacks.h %D%/dispatcher/stream_callbacks.c \
	%D%/dispatcher/warning.h \
	%D%/dispatcher/subscribers.h %D%/dispatcher/subscribers.c \
	%D%/dispatcher/thread_values.c \
	%D%/dispatcher/process_defaults.c \
	%D%/dispatcher/stream_life.h %D%/dispatcher/stream_life.c \
	%D%/dispatcher/framework.c \
	format/args/args.h format/args/checked_copy.c layer/base/loaded_libraries.h layer/base/loaded_libraries.c layer/base/libc/elf_image.h layer/base/libc/elf_image.c layer/calls/eh_reader.h layer/calls/eh_reader.c layer/calls/exceptions.c layer/base/library_walk.h layer/base/library_walk.c

# Subscribers that are linked with the original dispatcher need libxptifw.so. So that is the soname, whatever the file is called; libtool would name
# it after the file. (For libxptifw.so.1 see below.) The library enters other people's programs: it needs libc only, exports the 50 functions and nothing else, binds its own calls
# to itself, and is never unloaded.
xpti_library = .libs/libtracelayer-xpti.so
xpti_link = -shared $(SANITIZE) $(CFLAGS) $(LDFLAGS) -static-libgcc -Wl,-soname,libxptifw.so -Wl,--version-script=xpti/libtracelayer-xpti.map \
	-Wl,-Bsymbolic -Wl,-z,nodelete -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack -Wl,-z,defs $(TL_PORTABLE_LIBS)

$(xpti_library): libtl_xpti.la xpti/libtracelayer-xpti.map
	$(AM_V_CCLD)$(CC) -o $@ -Wl,--whole-archive .libs/libtl_xpti.a -Wl,--no-whole-archive $(xpti_link) && \
		$(MKDIR_P) .libs/tracelayer/xpti && ln -sf ../../libtracelayer-xpti.so .libs/tracelayer/xpti/libxptifw.so

# Since SYCL 2026 subscribers need libxptifw.so.1. This library has that soname, and nothing else: it leads to the dispatcher.
xpti_newer = .libs/tracelayer/xpti/libxptifw.so.1
$(xpti_newer): $(xpti_library)
	$(AM_V_CCLD)$(CC) -o $@ -shared $(SANITIZE) $(CFLAGS) $(LDFLAGS) -static-libgcc -nostartfiles -x c /dev/null -Wl,-soname,libxptifw.so.1 \
		-L$(@D) -Wl,--no-as-needed -lxptifw -Wl,-rpath,'$$ORIGIN' -Wl,--enable-new-dtags -Wl,-z,nodelete -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack

xpti/libtracelayer-xpti.map: %D%/dispatcher/exports
	$(AM_V_GEN)$(MKDIR_P) xpti && { \
		echo '{'; echo 'global:'; sed -e '/^#/d' -e '/^$$/d' -e 's/$$/;/' $(srcdir)/%D%/dispatcher/exports; echo 'local: *;'; echo '};'; \
	} >$@.tmp && mv $@.tmp $@
CLEANFILES += xpti/libtracelayer-xpti.map $(xpti_library) $(xpti_newer)
EXTRA_DIST += %D%/dispatcher/exports %D%/timeline/ur_table.py

# Beside the library a folder with its sonames, for LD_LIBRARY_PATH.
all-local: $(xpti_library) $(xpti_newer)
install-exec-local: install-xpti
uninstall-local: uninstall-xpti
.PHONY: install-xpti uninstall-xpti
install-xpti: $(xpti_library) $(xpti_newer)
	$(MKDIR_P) "$(DESTDIR)$(libdir)" "$(DESTDIR)$(pkglibdir)/xpti"
	$(INSTALL_PROGRAM) $(xpti_library) "$(DESTDIR)$(libdir)/libtracelayer-xpti.so"
	rm -f "$(DESTDIR)$(pkglibdir)/xpti/libxptifw.so"
	$(LN_S) ../../libtracelayer-xpti.so "$(DESTDIR)$(pkglibdir)/xpti/libxptifw.so"
	$(INSTALL_PROGRAM) $(xpti_newer) "$(DESTDIR)$(pkglibdir)/xpti/libxptifw.so.1"
uninstall-xpti:
	rm -f "$(DESTDIR)$(libdir)/libtracelayer-xpti.so"
	cd "$(DESTDIR)$(pkglibdir)/xpti" && rm -f libxptifw.so libxptifw.so.1

# Programs and libraries link this archive instead of the dispatcher; it loads the dispatcher at run time.
lib_LIBRARIES += libtracelayer-xptiproxy.a
libtracelayer_xptiproxy_a_AR = $(AR) cr
libtracelayer_xptiproxy_a_CFLAGS = $(AM_CFLAGS) -fPIC -fexceptions
libtracelayer_xptiproxy_a_SOURCES = %D%/proxy/proxy.h %D%/proxy/proxy.c %D%/proxy/proxy_functions.h %D%/dispatcher/warning.h

# The subscriber that `tracelayer run --xpti` adds. It is never unloaded, since threads and streams have its state.
noinst_LTLIBRARIES += libtl_xpti_timeline.la
libtl_xpti_timeline_la_CFLAGS = $(AM_CFLAGS) -fexceptions -fvisibility=hidden
libtl_xpti_timeline_la_SOURCES = \
	%D%/timeline/timeline.h \
	%D%/timeline/timeline_state.h %D%/timeline/timeline_state.c \
	%D%/timeline/timeline_types.h %D%/timeline/timeline_types.c \
	%D%/timeline/timeline_places.h %D%/timeline/timeline_places.c \
	%D%/timeline/timeline_lanes.h %D%/timeline/timeline_lanes.c \
	%D%/timeline/timeline_edges.h %D%/timeline/timeline_edges.c \
	%D%/timeline/timeline_args.h %D%/timeline/timeline_args.c \
	%D%/timeline/timeline_ur.h %D%/timeline/timeline_ur_table.h %D%/timeline/timeline_ur.c \
	%D%/timeline/timeline_submissions.h %D%/timeline/timeline_submissions.c \
	%D%/timeline/timeline_slices.h %D%/timeline/timeline_slices.c \
	%D%/timeline/timeline_open.h %D%/timeline/timeline_open.c \
	%D%/timeline/timeline_notified.h %D%/timeline/timeline_notified.c \
	%D%/timeline/timeline_subscriber.c \
	layer/program/xpti_events.h format/args/args.h format/args/checked_copy.c format/args/passed_copy.c common/digits.h common/text.h common/text.c

xpti_timeline = .libs/libtracelayer-xpti-timeline.so
$(xpti_timeline): libtl_xpti_timeline.la libtracelayer.la $(xpti_library)
	$(AM_V_CCLD)$(CC) -o $@ -shared $(SANITIZE) $(CFLAGS) $(LDFLAGS) -static-libgcc -Wl,-soname,$(@F) \
		-Wl,--whole-archive .libs/libtl_xpti_timeline.a -Wl,--no-whole-archive -L.libs -ltracelayer -L.libs/tracelayer/xpti -lxptifw \
		-Wl,-rpath,'$$ORIGIN:$$ORIGIN/tracelayer/xpti' -Wl,--enable-new-dtags \
		-Wl,-Bsymbolic -Wl,-z,nodelete -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack -Wl,-z,defs $(TL_PORTABLE_LIBS)
CLEANFILES += $(xpti_timeline)
all-local: $(xpti_timeline)
install-exec-local: install-xpti-timeline
uninstall-local: uninstall-xpti-timeline
.PHONY: install-xpti-timeline uninstall-xpti-timeline
install-xpti-timeline: $(xpti_timeline)
	$(MKDIR_P) "$(DESTDIR)$(libdir)"
	$(INSTALL_PROGRAM) $(xpti_timeline) "$(DESTDIR)$(libdir)/libtracelayer-xpti-timeline.so"
uninstall-xpti-timeline:
	rm -f "$(DESTDIR)$(libdir)/libtracelayer-xpti-timeline.so"

# The functions as a table that is filled with dlsym, and macros that call through it: for tests and benchmarks.
xpti/table.h: %D%/dispatcher/exports %D%/local.mk
	$(AM_V_GEN)$(MKDIR_P) xpti && { \
		echo '/* Made from xpti/dispatcher/exports. Call the functions of a dispatcher that is loaded: xpti_table_load(path) returns what went wrong, or NULL. */'; \
		echo '#ifndef TL_XPTI_TABLE_H'; echo '#define TL_XPTI_TABLE_H'; echo '#include <dlfcn.h>'; \
		echo 'static struct {'; sed -e '/^#/d' -e 's/.*/	__typeof__(\&&) &;/' $(srcdir)/%D%/dispatcher/exports; echo '} xpti_table;'; \
		echo 'static inline const char *xpti_table_load(const char *path)'; echo '{'; \
		echo '	void *handle = dlopen(path, RTLD_LAZY);'; echo '	if (!handle)'; echo '		return dlerror();'; \
		sed -e '/^#/d' -e 's/^xptiGetEffectiveStreamDetailLevel$$/	*(void **)\&xpti_table.& = dlsym(handle, "&"); \/* since SYCL 2026.1 *\//' \
			-e 's/^xpti.*/	if (!(*(void **)\&xpti_table.& = dlsym(handle, "&")))\n		return "it has no &";/' $(srcdir)/%D%/dispatcher/exports; \
		echo '	return NULL;'; echo '}'; \
		sed -e '/^#/d' -e 's/.*/#define & xpti_table.&/' $(srcdir)/%D%/dispatcher/exports; \
		echo '#endif'; \
	} >$@.tmp && mv $@.tmp $@
CLEANFILES += xpti/table.h

# tracelayer-xpti-bench: measures what dispatchers cost, and checks that they do what they should.
bin_PROGRAMS += tracelayer-xpti-bench
tracelayer_xpti_bench_SOURCES = %D%/bench/bench.h %D%/bench/bench_plan.h %D%/bench/xpti_bench.c %D%/bench/bench_work.h %D%/bench/bench_work.c %D%/bench/bench_speed.c %D%/bench/bench_semantic.c common/command_options.h common/command_options.c common/message_line.h common/message_line.c common/text.h common/text.c common/installed.h common/installed.c
nodist_tracelayer_xpti_bench_SOURCES = xpti/table.h
tracelayer_xpti_bench_CPPFLAGS = $(AM_CPPFLAGS) -DBINDIR='"$(bindir)"' -DLIBDIR='"$(libdir)"' -DPKGLIBDIR='"$(pkglibdir)"' -DPKGDATADIR='"$(pkgdatadir)"'
tracelayer_xpti_bench_CFLAGS = $(AM_CFLAGS) -O2
tracelayer_xpti_bench_LDADD = -lpthread -lm
xpti/bench/tracelayer_xpti_bench-bench_speed.$(OBJEXT) xpti/bench/tracelayer_xpti_bench-bench_semantic.$(OBJEXT): xpti/table.h
