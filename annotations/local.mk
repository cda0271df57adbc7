# SPDX-License-Identifier: MIT
# annotations: libtracelayer-annotations.so, which NVTX and ITT load into annotated programs. See annotations/annotations.h.

# It is never unloaded, since threads and domains have its state.
noinst_LTLIBRARIES += libtl_annotations.la
libtl_annotations_la_CFLAGS = $(AM_CFLAGS) -fexceptions -fvisibility=hidden
libtl_annotations_la_SOURCES = \
	%D%/annotations.h \
	%D%/annotation_state.h %D%/annotation_state.c \
	%D%/annotation_texts.h %D%/annotation_texts.c \
	%D%/annotation_domains.h %D%/annotation_domains.c \
	%D%/annotation_threads.h %D%/annotation_threads.c \
	%D%/annotation_ranges.h %D%/annotation_ranges.c \
	%D%/annotation_events.h %D%/annotation_events.c \
	%D%/nvtx_abi.h %D%/nvtx.c \
	%D%/itt_abi.h %D%/itt_values.h %D%/itt_values.c %D%/itt.c \
	%D%/roctx_ranges.c layer/program/roctx.h \
	%D%/annotation_library.c \
	common/digits.h common/text.h common/text.c \
	layer/program/xpti_events.h layer/base/membarrier.h layer/base/message.h layer/base/message.c

annotations = .libs/libtracelayer-annotations.so
$(annotations): libtl_annotations.la libtracelayer.la
	$(AM_V_CCLD)$(CC) -o $@ -shared $(SANITIZE) $(CFLAGS) $(LDFLAGS) -static-libgcc -Wl,-soname,$(@F) \
		-Wl,--whole-archive .libs/libtl_annotations.a -Wl,--no-whole-archive -L.libs -ltracelayer \
		-Wl,-rpath,'$$ORIGIN' -Wl,--enable-new-dtags \
		-Wl,-Bsymbolic -Wl,-z,nodelete -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack -Wl,-z,defs $(TL_PORTABLE_LIBS)
CLEANFILES += $(annotations)
all-local: $(annotations)
install-exec-local: install-annotations
uninstall-local: uninstall-annotations
.PHONY: install-annotations uninstall-annotations
install-annotations: $(annotations)
	$(MKDIR_P) "$(DESTDIR)$(libdir)"
	$(INSTALL_PROGRAM) $(annotations) "$(DESTDIR)$(libdir)/libtracelayer-annotations.so"
uninstall-annotations:
	rm -f "$(DESTDIR)$(libdir)/libtracelayer-annotations.so"
