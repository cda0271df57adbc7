/* SPDX-License-Identifier: MIT */
/*
 * eh_frame.h: the tables that compilers make for unwinding: what .eh_frame says of the function at
 * an address.
 *
 * The formats: DWARF 5, 6.4; Linux Standard Base, "Exception Frames".
 */
#ifndef TL_LAYER_CALLS_EH_FRAME_H
#define TL_LAYER_CALLS_EH_FRAME_H

#include <stdbool.h>
#include <stdint.h>

/* Reads bytes up to .end. What lies behind it reads as 0, and sets .failed. */
struct tl_eh_reader {
	const uint8_t *at, *end;
	bool failed;
};

uint64_t tl_eh_read(struct tl_eh_reader *reader, unsigned count);
int64_t tl_eh_read_signed(struct tl_eh_reader *reader, unsigned count);
uint64_t tl_eh_read_leb(struct tl_eh_reader *reader, bool is_signed);

/* An address by its encoding (DW_EH_PE_*), as the tables of functions have them. */
uintptr_t tl_eh_read_encoded(struct tl_eh_reader *reader, uint8_t encoding, uintptr_t data);

/* What the tables say of a function. */
struct tl_eh_function {
	uintptr_t start, end;
	struct tl_eh_reader common, own; /* instructions */
	uint64_t code_unit;
	int64_t data_unit;
	uint8_t encoding; /* of addresses */
	bool has_more;	  /* a size of what a language adds */
	bool of_signal;
	uint64_t back; /* the register that has the return address */
};

/* Find the function at the address. `table`: the library's .eh_frame_hdr, or NULL. */
bool tl_eh_find(const uint8_t *table, uintptr_t address, struct tl_eh_function *function);

#endif
