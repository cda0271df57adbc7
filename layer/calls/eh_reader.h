/* SPDX-License-Identifier: MIT */
/*
 * eh_reader.h: reads the numbers that tables for unwinding consist of: .eh_frame (eh_frame.c) and
 * the tables of landing pads (exceptions.c).
 *
 * The formats: DWARF 5, 7.6 (LEB128); Linux Standard Base, "DWARF Exception Header Encoding".
 */
#ifndef TL_LAYER_CALLS_EH_READER_H
#define TL_LAYER_CALLS_EH_READER_H

#include <stdbool.h>
#include <stdint.h>

/* Reads bytes up to .end. A read beyond that gives 0, and sets .failed. */
struct tl_eh_reader {
	const uint8_t *at, *end;
	bool failed;
};

uint64_t tl_eh_read(struct tl_eh_reader *reader, unsigned count);
int64_t tl_eh_read_signed(struct tl_eh_reader *reader, unsigned count);
uint64_t tl_eh_read_leb(struct tl_eh_reader *reader, bool is_signed);

/*
 * An address by its encoding (DW_EH_PE_*). `data` is what a relative one with base "data" is
 * relative to. An encoding that gcc and clang do not use in these tables sets .failed.
 */
uintptr_t tl_eh_read_encoded(struct tl_eh_reader *reader, uint8_t encoding, uintptr_t data);

#endif
