/* SPDX-License-Identifier: MIT */
/*
 * systrace_packed.h: unpacks the compressed trace that a systrace page carries.
 */
#ifndef TL_CLI_SYSTRACE_SYSTRACE_PACKED_H
#define TL_CLI_SYSTRACE_SYSTRACE_PACKED_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Unpacks the gzip or zlib data at this offset of the file into a temporary file, and returns that.
 * is_base64: the data is written in base64, and ends where that does. Returns -1 where it fails.
 * Where the data ends early, what is there is unpacked, and *is_cut is set. Both print a message.
 */
int systrace_unpack(int file, const char *path, uint64_t offset, bool is_base64, bool *is_cut);

#endif
