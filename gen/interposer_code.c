/* SPDX-License-Identifier: MIT */
/*
 * interposer_code.c: the machine code of an interposer: a stub for each function, and the
 * constructor; and the tables that unwinders read.
 *
 * A stub jumps to the real function while nobody watches (tl_shim.direct). Otherwise it gives its
 * shim to the generic entry, in a register that no argument is in.
 */
#include <elf.h>
#include <string.h>

#include "gen/allocate.h"
#include "gen/interposer.h"

static void distance_add(struct image *image, struct spot at, struct spot to,
			 void (*apply)(uint8_t *bytes, uint64_t at, uint64_t to))
{
	*APPEND(image->distances, image->ndistances) =
		(struct distance){.at = at, .to = to, .apply = apply};
}

/* A 32-bit distance from its own place. */
static void apply_relative(uint8_t *bytes, uint64_t at, uint64_t to)
{
	int32_t value;

	memcpy(&value, bytes, sizeof value);
	value += (int32_t)(to - at);
	memcpy(bytes, &value, sizeof value);
}

/* ---- x86-64 */

/* An instruction's distance is counted from the instruction's end, 4 bytes on. */
static void apply_x86(uint8_t *bytes, uint64_t at, uint64_t to)
{
	int32_t value = (int32_t)(to - at - 4);

	memcpy(bytes, &value, sizeof value);
}

static struct code_stub x86_stub_add(struct image *image, struct spot shim, struct spot entry)
{
	static const uint8_t code[32] = {
		0xf3, 0x0f, 0x1e, 0xfa,		 /* endbr64 */
		0x4c, 0x8b, 0x1d, 0,	0, 0, 0, /* mov shim.direct(%rip),%r11 */
		0x4d, 0x85, 0xdb,		 /* test %r11,%r11 */
		0x74, 0x03,			 /* je 1f */
		0x41, 0xff, 0xe3,		 /* jmp *%r11 */
		0x4c, 0x8d, 0x1d, 0,	0, 0, 0, /* 1: lea shim(%rip),%r11 */
		0xff, 0x25, 0,	  0,	0, 0,	 /* jmp *entry(%rip) */
	};
	struct spot at = image_add(image, PART_TEXT, code, sizeof code, 32);

	distance_add(image, spot_behind(at, 7), shim, apply_x86);
	distance_add(image, spot_behind(at, 22), shim, apply_x86);
	distance_add(image, spot_behind(at, 28), entry, apply_x86);
	return (struct code_stub){.at = at, .size = sizeof code};
}

static void x86_constructor_add(struct image *image, struct spot library, struct spot function)
{
	static const uint8_t code[] = {
		0xf3, 0x0f, 0x1e, 0xfa,		 /* endbr64 */
		0x48, 0x8d, 0x3d, 0,	0, 0, 0, /* lea library(%rip),%rdi */
		0xff, 0x25, 0,	  0,	0, 0,	 /* jmp *function(%rip) */
	};
	struct spot at = image_add(image, PART_TEXT, code, sizeof code, 32);

	distance_add(image, spot_behind(at, 7), library, apply_x86);
	distance_add(image, spot_behind(at, 13), function, apply_x86);
	image_point(image, image_reserve(image, PART_INIT_ARRAY, 8, 8), at);
}

/* At each instruction the caller's frame begins 8 bytes on, and the return address is there. */
static const uint8_t x86_frame[] = {
	0x14, 0,    0, 0, /* size */
	0,    0,    0, 0, /* what all functions share */
	1,		  /* version */
	'z',  'R',  0,	  /* encodings follow */
	1,		  /* code is counted in bytes */
	0x78,		  /* data in -8 bytes */
	16,		  /* the return address's column */
	1,    0x1b,	  /* distances of 4 bytes */
	0x0c, 7,    8,	  /* DW_CFA_def_cfa: rsp + 8 */
	0x90, 1,	  /* DW_CFA_offset: the return address is at -8 */
	0,    0,	  /* DW_CFA_nop */
};

/* ---- aarch64 */

#define BITS(value, low, count) ((uint32_t)((uint64_t)(value) >> (low)) & ((1u << (count)) - 1))

static void instruction_or(uint8_t *bytes, uint32_t bits)
{
	uint32_t instruction;

	memcpy(&instruction, bytes, sizeof instruction);
	instruction |= bits;
	memcpy(bytes, &instruction, sizeof instruction);
}

/* adrp: pages between */
static void apply_page(uint8_t *bytes, uint64_t at, uint64_t to)
{
	uint64_t pages = (to >> 12) - (at >> 12);

	instruction_or(bytes, BITS(pages, 0, 2) << 29 | BITS(pages, 2, 19) << 5);
}

/* ldr of 8 bytes, and add: the place on its page */
static void apply_load(uint8_t *bytes, uint64_t at, uint64_t to)
{
	(void)at;
	instruction_or(bytes, BITS(to, 3, 9) << 10);
}

static void apply_add(uint8_t *bytes, uint64_t at, uint64_t to)
{
	(void)at;
	instruction_or(bytes, BITS(to, 0, 12) << 10);
}

static struct code_stub arm_stub_add(struct image *image, struct spot shim, struct spot entry)
{
	static const uint32_t code[] = {
		0xd503245f, /* bti c */
		0x90000010, /* adrp x16, shim */
		0xf9400211, /* ldr x17, [x16, :lo12:shim] */
		0xb4000051, /* cbz x17, 1f */
		0xd61f0220, /* br x17 */
		0x91000210, /* 1: add x16, x16, :lo12:shim */
		0x90000011, /* adrp x17, entry */
		0xf9400231, /* ldr x17, [x17, :lo12:entry] */
		0xd61f0220, /* br x17 */
	};
	struct spot at = image_add(image, PART_TEXT, code, sizeof code, 16);

	distance_add(image, spot_behind(at, 4), shim, apply_page);
	distance_add(image, spot_behind(at, 8), shim, apply_load);
	distance_add(image, spot_behind(at, 20), shim, apply_add);
	distance_add(image, spot_behind(at, 24), entry, apply_page);
	distance_add(image, spot_behind(at, 28), entry, apply_load);
	return (struct code_stub){.at = at, .size = sizeof code};
}

static void arm_constructor_add(struct image *image, struct spot library, struct spot function)
{
	static const uint32_t code[] = {
		0xd503245f, /* bti c */
		0x90000000, /* adrp x0, library */
		0x91000000, /* add x0, x0, :lo12:library */
		0x90000011, /* adrp x17, function */
		0xf9400231, /* ldr x17, [x17, :lo12:function] */
		0xd61f0220, /* br x17 */
	};
	struct spot at = image_add(image, PART_TEXT, code, sizeof code, 16);

	distance_add(image, spot_behind(at, 4), library, apply_page);
	distance_add(image, spot_behind(at, 8), library, apply_add);
	distance_add(image, spot_behind(at, 12), function, apply_page);
	distance_add(image, spot_behind(at, 16), function, apply_load);
	image_point(image, image_reserve(image, PART_INIT_ARRAY, 8, 8), at);
}

static const uint8_t arm_frame[] = {
	0x10, 0,    0, 0, /* size */
	0,    0,    0, 0, /* what all functions share */
	1,		  /* version */
	'z',  'R',  0,	  /* encodings follow */
	4,		  /* code is counted in instructions */
	0x78,		  /* data in -8 bytes */
	30,		  /* the return address's column */
	1,    0x1b,	  /* distances of 4 bytes */
	0x0c, 31,   0,	  /* DW_CFA_def_cfa: sp */
};

/* ---- by machine */

struct code_stub code_stub_add(struct image *image, uint16_t machine, struct spot shim,
			       struct spot entry)
{
	return machine == EM_AARCH64 ? arm_stub_add(image, shim, entry)
				     : x86_stub_add(image, shim, entry);
}

void code_constructor_add(struct image *image, uint16_t machine, struct spot library,
			  struct spot function)
{
	if (machine == EM_AARCH64)
		arm_constructor_add(image, library, function);
	else
		x86_constructor_add(image, library, function);
}

void code_frames_add(struct image *image, uint16_t machine)
{
	bool arm = machine == EM_AARCH64;
	uint32_t size_common = arm ? sizeof arm_frame : sizeof x86_frame;
	const struct spot text = {PART_TEXT, 0};
	struct spot common =
		image_add(image, PART_EH_FRAME, arm ? arm_frame : x86_frame, size_common, 4);
	/* One function for unwinders: nowhere in the code does the stack change. */
	uint32_t size = (uint32_t)image->parts[PART_TEXT].size;
	const uint32_t own[] = {16, size_common + 4, 0, size, 0};
	struct spot frame = image_add(image, PART_EH_FRAME, own, sizeof own, 4);
	const uint32_t end = 0;

	image_add(image, PART_EH_FRAME, &end, sizeof end, 4);
	distance_add(image, spot_behind(frame, 8), text, apply_relative);
	/* The sorted table: 4-byte distances, from its own beginning. */
	const uint8_t head[20] = {1, 0x1b, 0x03, 0x3b, 0, 0, 0, 0, 1};
	struct spot table = image_add(image, PART_EH_FRAME_HDR, head, sizeof head, 4);
	int32_t from_start[2] = {12, 16};

	memcpy(image_at(image, spot_behind(table, 12)), from_start, sizeof from_start);
	distance_add(image, spot_behind(table, 4), common, apply_relative);
	distance_add(image, spot_behind(table, 12), text, apply_relative);
	distance_add(image, spot_behind(table, 16), frame, apply_relative);
}
