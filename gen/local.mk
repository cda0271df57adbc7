# SPDX-License-Identifier: MIT
# gen: tracegen. What it makes of the built-in APIs is in gen/apis.mk.
bin_PROGRAMS += tracegen
tracegen_SOURCES = \
	gen/gen.h gen/tracegen.c gen/tracegen.h \
	gen/parse.c gen/comment.c gen/comment.h \
	gen/model.c gen/model.h gen/model_json.c gen/allocate.h \
	gen/descriptor.c gen/check.c \
	gen/model_tables.h gen/model_tables.c format/file/describe.h format/file/describe.c common/stages.h common/stages.c common/levels.h common/text.h common/text.c \
	gen/emit.h gen/emit.c gen/emit_tables.c gen/emit_shims.c gen/emit_callbacks.c gen/emit_exports.c gen/emit_tracing.c gen/emit_layer.c
tracegen_CFLAGS = $(AM_CFLAGS) $(LIBCLANG_CFLAGS) $(JANSSON_CFLAGS) $(LIBELF_CFLAGS)
tracegen_LDADD = $(LIBCLANG_LIBS) $(JANSSON_LIBS) $(LIBELF_LIBS)
