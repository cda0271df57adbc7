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
 * is_base64: the data is in base64, and ends with it. Returns -1 if it fails. If the data ends
 * early, the part before that is unpacked, and *is_cut is set. Both print a message.
 */
int systrace_unpack(int file, const char *path, uint64_t offset, bool is_base64, bool *is_cut);

#endif
