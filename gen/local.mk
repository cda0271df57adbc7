# SPDX-License-Identifier: MIT
# gen: tracegen, where configure finds what it needs. What it makes of the built-in APIs is in gen/apis.mk.
if HAVE_TRACEGEN
bin_PROGRAMS += tracegen
noinst_LIBRARIES += libtl_model.a
endif
# Headers and descriptors to a model.
tracegen_model = \
	gen/gen.h gen/allocate.h gen/comment.h gen/comment.c gen/model.h gen/model.c gen/model_json.c \
	gen/exports.h gen/exports.c common/library_file.h common/library_file.c gen/refused.c gen/guess.h gen/guess_rules.h gen/guess.c gen/guess_flags.c gen/guess_objects.c \
	gen/libclang.h gen/libclang.c gen/parse.h gen/parse.c gen/parse_unit.c gen/parse_constants.c gen/parse_conventions.c gen/parse_cursors.c gen/parse_functions.c gen/parse_includes.c gen/parse_types.c \
	gen/descriptor.h gen/descriptor.c gen/descriptor_functions.c gen/descriptor_getprocs.c gen/descriptor_objects.c gen/descriptor_types.c \
	gen/descriptor_values.c gen/descriptor_variables.c
# A test links it, too.
libtl_model_a_SOURCES = $(tracegen_model)
libtl_model_a_CFLAGS = $(AM_CFLAGS) $(LIBCLANG_CFLAGS) $(JANSSON_CFLAGS) $(LIBELF_CFLAGS)
# Debug information to a model.
tracegen_debug = \
	gen/debug_info.h gen/debug_info.c gen/debug_files.c gen/debug_functions.c gen/debug_records.c gen/debug_spelling.c gen/debug_types.c gen/debug_units.c
# A model to an interposer.
tracegen_interposer = \
	gen/model_tables.h gen/model_tables.c gen/emit.h gen/emit.c \
	gen/compared_functions.c gen/interposer.h gen/interposer.c gen/interposer_code.c gen/interposer_elf.c gen/interposer_exports.c gen/interposer_image.c \
	gen/interposer_signature.h gen/interposer_signature.c gen/interposer_x86_64.c gen/interposer_aarch64.c gen/interposer_tables.c common/signature.h common/interposer_library.h \
	format/file/describe.h format/file/describe.c format/file/describe_read.c common/stages.h common/stages.c
tracegen_SOURCES = $(tracegen_debug) $(tracegen_interposer) \
	gen/tracegen.h gen/tracegen.c gen/check.c gen/library.c gen/packages.h gen/packages.c gen/suggest.c \
	gen/emit_tables.c gen/emit_shims.c gen/emit_callbacks.c gen/emit_exports.c gen/emit_tracing.c gen/emit_layer.c \
	common/command_options.h common/command_options.c common/message_line.h common/message_line.c common/levels.h common/library_path.h common/library_path.c common/text.h common/text.c
tracegen_CFLAGS = $(AM_CFLAGS) $(LIBCLANG_CFLAGS) $(JANSSON_CFLAGS) $(LIBELF_CFLAGS) $(LIBDW_CFLAGS) $(ZLIB_CFLAGS)
tracegen_LDADD = libtl_model.a $(JANSSON_LIBS) $(LIBELF_LIBS) $(LIBDW_LIBS) $(ZLIB_LIBS)
