# SPDX-License-Identifier: MIT
# gen: tracegen, and the models of the built-in APIs, made from the installed headers.
bin_PROGRAMS += tracegen
tracegen_SOURCES = \
	gen/tracegen.c gen/tracegen.h \
	gen/parse.c gen/comment.c gen/comment.h \
	gen/model.c gen/model.h gen/model_json.c gen/allocate.h \
	gen/descriptor.c gen/check.c \
	gen/model_tables.h gen/model_tables.c format/file/describe.h format/file/describe.c common/stages.h common/stages.c common/levels.h common/text.h common/text.c \
	gen/emit.h gen/emit.c gen/emit_tables.c gen/emit_shims.c gen/emit_callbacks.c gen/emit_exports.c gen/emit_tracing.c gen/emit_layer.c
tracegen_CFLAGS = $(AM_CFLAGS) $(LIBCLANG_CFLAGS) $(JANSSON_CFLAGS) $(LIBELF_CFLAGS)
tracegen_LDADD = $(LIBCLANG_LIBS) $(JANSSON_LIBS) $(LIBELF_LIBS)

apisdir = $(pkgdatadir)/apis
dist_apis_DATA = gen/apis/level-zero.json gen/apis/opencl.json gen/apis/zlib.json gen/apis/sqlite3.json gen/apis/cuda.json
nodist_apis_DATA = apis/ze_model.json apis/cl_model.json
CLEANFILES += $(nodist_apis_DATA)

# The descriptor says level_zero/ze_api.h; --with-level-zero-headers may name a folder that is called otherwise.
apis/include/level_zero/ze_api.h:
	$(AM_V_GEN)$(MKDIR_P) apis/include && rm -f apis/include/level_zero && $(LN_S) '$(ZE_HEADERS)' apis/include/level_zero

apis/ze_model.json: tracegen$(EXEEXT) gen/apis/level-zero.json apis/include/level_zero/ze_api.h
	$(AM_V_GEN)./tracegen$(EXEEXT) model --api $(srcdir)/gen/apis/level-zero.json -o $@ -- -Iapis/include

apis/cl_model.json: tracegen$(EXEEXT) gen/apis/opencl.json
	$(AM_V_GEN)$(MKDIR_P) apis && ./tracegen$(EXEEXT) model --api $(srcdir)/gen/apis/opencl.json -o $@

clean-local: clean-apis
.PHONY: clean-apis
clean-apis:
	rm -rf apis/include
