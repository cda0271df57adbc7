/* SPDX-License-Identifier: MIT */
/*
 * describe.h: an API's tables (tracelayer/api.h) as bytes that mean the same in another process, on
 * another machine, and in years.
 *
 * A trace in the record format carries the description of each API whose calls are in it. So a
 * reader without that API's tables knows the names and shapes of its functions, parameters and
 * types. tracegen makes the description together with the tables, and stores it in them: a traced
 * process only copies bytes.
 *
 * The bytes: TL_DESCRIPTION_MAGIC with its NUL, then what follows here, in order. A number is
 * unsigned LEB128 (seven bits a byte, low ones first, 0x80: more follow); a signed number is
 * zigzag-coded first (0, -1, 1, -2: 0, 1, 2, 3). A string ends with a NUL. A type is named by its
 * place in the list of types, from 0.
 *
 *	api		string name, string version; numbers of types, functions, successes, chains;
 *			then these, in that order
 *	type		number enum tl_kind, string name, number size; then
 *			  POINTER	1 + type of the target; 0: void
 *			  ARRAY		type of an element, number of elements
 *			  ENUM, FLAGS	number of enumerators; each: string name, signed value
 *			  HANDLE	nothing; if some have names, the kind is
 *					TL_DESCRIBED_NAMED_HANDLE, and it goes on as an ENUM
 *			  STRUCT, UNION	number of members; each: variable
 *	variable	string name, type, numbers .offset .words .direction .chain .bit_offset
 *			.bit_width .length.kind; where that is not
 *			  TL_LENGTH_NONE: numbers .length.bytes .sibling .constant
 *	function	string name, type of the result, numbers .words .level .flags .failure
 *			.layer .phase, string file, number line, number of parameters;
 *			  each: variable
 *	success		signed
 *	chain		number stype, type
 *
 * Packed, these bytes are TL_DESCRIPTION_PACKED with its NUL, the number of bytes that they have
 * unpacked, and a zlib stream (RFC 1950) of them. Vulkan's take a fifth of their room then: in the
 * tables, in the buffers of each process, and in each .tlt.
 *
 * Left out: .sonames and .getprocs, which say nothing about records.
 */
#ifndef TL_FORMAT_FILE_DESCRIBE_H
#define TL_FORMAT_FILE_DESCRIBE_H

#include <stddef.h>

#include "tracelayer/api.h"

#define TL_DESCRIPTION_MAGIC  "tlapi 2"
#define TL_DESCRIPTION_PACKED "tlapi 3"

/*
 * A packed description has at most so many bytes unpacked, and at most so many for each byte of its
 * stream: others are left as they are. Descriptions have four to eight. A stream may have a thousand, so
 * that a small hostile file would take hours to read, or gigabytes of memory.
 */
#define TL_DESCRIPTION_UNPACKED_MAX ((size_t)16 << 20)
#define TL_DESCRIPTION_RATIO_MAX    ((size_t)16)

/* A number of the file only: readers that do not know it refuse the description. */
#define TL_DESCRIBED_NAMED_HANDLE (TL_KIND_UNION + 1)

/*
 * The description of an API: *size bytes, which the caller frees. NULL where memory is short. Not
 * for traced processes.
 */
void *tl_describe(const struct tl_api *api, size_t *size);

/* The same, packed, if that is shorter. */
void *tl_describe_packed(const struct tl_api *api, size_t *size);

/*
 * Tables from a description, packed or not, to be given to tl_describe_free. The bytes are not needed
 * afterwards. NULL where they are not sound, and why in `why`. The bytes may come from anywhere:
 * whatever they contain, capture and print are safe with the resulting tables.
 */
struct tl_api *tl_describe_read(const void *bytes, size_t size, char *why, size_t room);
void tl_describe_free(struct tl_api *api);

/* Functions of such tables get the names that `shown` returns, which the caller keeps. */
void tl_describe_show_names(struct tl_api *api, const char *(*shown)(const char *name));

#endif
