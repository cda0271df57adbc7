/* SPDX-License-Identifier: MIT */
/*
 * interposer.h: `tracegen interposer`: a shared library that stands between programs and a library,
 * written without a compiler.
 *
 *	interposer.c		the parts put together: which functions, tables, the file
 *	interposer_exports.c	what a library exports, with its versions
 *	compared_functions.c	which of these it may compare pointers with
 *	interposer_signature.c	where calling conventions put parameters and results
 *	interposer_x86_64.c, interposer_aarch64.c	the conventions
 *	interposer_image.c	bytes with pointers in them, before their addresses are known
 *	interposer_tables.c	an API's tables (tracelayer/api.h) as such bytes
 *	interposer_code.c	the stubs' machine code, and what unwinders read of it
 *	interposer_elf.c	the ELF file
 */
#ifndef TL_GEN_INTERPOSER_H
#define TL_GEN_INTERPOSER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/signature.h"
#include "gen/model.h"

/*
 * Write the interposer of the model's functions that `library` exports to `output`. Says on stdout what is left out, and why. Returns 0,
 * or -1 after an error (printed).
 */
int interposer_write(struct model *model, const char *library, const char *output);

/* Whether the library is one that an interposer can stand in front of; if not, prints why. */
bool interposer_can_be(const char *library);

/* --- interposer_exports.c */

/* A function that the library exports. */
struct interposed {
	const char *name;
	const char *version; /* "": it has none */
	bool is_default;     /* the version that new programs get */
	bool compared;	     /* the library may compare pointers with it: TL_FUNCTION_COMPARED */
	/* among the model's functions that have a shim */
	const struct function *function;
};

struct library {
	const char *path, *soname; /* soname: the file's name where it has none */
	uint16_t machine;	   /* EM_* */
	bool has_versions;
	const char **versions; /* in the library's order, without its own name */
	size_t nversions;
	struct interposed *exports; /* by name; of several versions the default comes first */
	size_t nexports;
	size_t undeclared; /* names among them that no header declares */
};

/*
 * With the exports of its companions (names or paths) that are there. NULL after an error
 * (printed).
 */
struct library *library_read(const char *path, const char *const *companions, size_t ncompanions);

/* --- interposer_signature.c */

/* A function that can't be described, or has .passed, gets TL_SIGNATURE_UNKNOWN. */
const struct tl_signature *signature_of(const struct function *function, uint16_t machine);
size_t signature_size(const struct tl_signature *signature);

/* --- interposer_image.c */

/* Parts of the file, in its order. */
enum part {
	PART_NOTE,
	PART_GNU_HASH,
	PART_DYNSYM,
	PART_DYNSTR,
	PART_VERSYM,
	PART_VERDEF,
	PART_RELA,
	PART_LATE_WORDS,
	PART_RODATA,
	PART_EH_FRAME_HDR,
	PART_EH_FRAME,
	PART_TEXT,
	PART_INIT_ARRAY,
	PART_RELRO, /* constants with pointers in them */
	PART_DYNAMIC,
	PART_GOT,
	PART_DATA,
	PART_LATE, /* tables, whose pointers are late words: common/interposer_library.h */
	NPARTS
};

/* A place in a part. */
struct spot {
	enum part part;
	uint32_t offset;
};

/* A pointer that the dynamic linker fills in; in PART_LATE, a late word. */
struct pointer {
	struct spot at, to;
	unsigned symbol; /* not 0: of .dynsym, in place of `to` */
};

/*
 * A distance between two places, in code or in tables for unwinders; apply gets both addresses.
 */
struct distance {
	struct spot at, to;
	void (*apply)(uint8_t *bytes, uint64_t at, uint64_t to);
};

struct image {
	struct {
		uint8_t *bytes;
		size_t size, room;
	} parts[NPARTS];
	struct pointer *pointers;
	size_t npointers;
	struct distance *distances;
	size_t ndistances;
	struct string_slot *strings; /* hash table of what is in PART_RODATA */
	size_t nstrings, string_slots;
};

/* Room at the end of a part, zeroed. */
struct spot image_reserve(struct image *image, enum part part, size_t size, size_t align);
struct spot image_add(struct image *image, enum part part, const void *bytes, size_t size,
		      size_t align);
/* A string of PART_RODATA, once for the same text. */
struct spot image_string(struct image *image, const char *text);
void *image_at(const struct image *image, struct spot spot);
struct spot spot_behind(struct spot spot, size_t offset);
void image_point(struct image *image, struct spot at, struct spot to);
/* The same for a string; NULL: nothing. */
void image_point_string(struct image *image, struct spot at, const char *text);
/* How many pointers are late words. */
size_t image_late_words(const struct image *image);

/* --- interposer_tables.c */

/* struct tl_api; *functions: its array of struct tl_function. */
struct tables;
struct spot tables_place(struct image *image, const struct tables *tables, struct spot *functions);

/* --- interposer_code.c */

struct code_stub {
	const char *name; /* NULL: it is not exported */
	unsigned version; /* of .gnu.version */
	bool compared;	  /* pointers to it lead to the library: see interposer_elf.c */
	struct spot at;
	uint32_t size;
};

/* A stub for the shim; `entry`: the entry's place in PART_GOT. */
struct code_stub code_stub_add(struct image *image, uint16_t machine, struct spot shim,
			       struct spot entry);
/* The constructor: registers the struct tl_shim_library. */
void code_constructor_add(struct image *image, uint16_t machine, struct spot library,
			  struct spot function);
/* What unwinders read of all code. Last. */
void code_frames_add(struct image *image, uint16_t machine);

/* --- interposer_elf.c */

struct elf_input {
	const struct library *library;
	const char *soname;
	const struct code_stub *stubs;
	size_t nstubs;
	const char *const *imports; /* of libtracelayer.so: symbols 1 to n */
	size_t nimports;
};

/* -1 after an error (printed). */
int elf_write(struct image *image, const struct elf_input *input, const char *output);

#endif
