/* SPDX-License-Identifier: MIT */
/*
 * crc32.h: the checksum of gzip (RFC 1952) where libdeflate is not linked in: tables, 16 bytes at a time.
 */
#ifndef TL_FORMAT_ENCODE_CRC32_H
#define TL_FORMAT_ENCODE_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* Makes the tables, unless they are there. Any thread, also several at once. */
void tl_crc32_prepare(void);

/* The checksum of what had the checksum `crc` (0: nothing) and these bytes behind it. Only after tl_crc32_prepare. */
uint32_t tl_crc32(uint32_t crc, const void *bytes, size_t size);

#endif
