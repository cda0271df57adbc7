/* SPDX-License-Identifier: MIT */
/*
 * tar_file.c: see tar_file.h.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "cli/export/tar_file.h"

/* Fields of a head: where they begin, and their bytes. */
enum {
	NAME_AT = 0,
	MODE_AT = 100,
	UID_AT = 108,
	GID_AT = 116,
	SIZE_AT = 124,
	MODIFIED_AT = 136,
	CHECKSUM_AT = 148,
	TYPE_AT = 156,
	MAGIC_AT = 257,
	VERSION_AT = 263,
};
#define OCTAL_MOST (((uint64_t)1 << 33) - 1) /* 11 octal digits */

/* Larger numbers are in base 256, which all of today's readers know. */
static void number_put(char *at, uint64_t number)
{
	char digits[16];

	if (number <= OCTAL_MOST) {
		snprintf(digits, sizeof(digits), "%011llo", (unsigned long long)number);
		memcpy(at, digits, 12);
		return;
	}
	memset(at, 0, 12);
	at[0] = (char)0x80;
	for (int i = 11; i > 3; i--, number >>= 8)
		at[i] = (char)number;
}

void tar_head(char head[TAR_BLOCK], const char *name, uint64_t size, uint64_t modified)
{
	char digits[8];
	unsigned sum = 0;

	memset(head, 0, TAR_BLOCK);
	memcpy(head + NAME_AT, name, strnlen(name, TAR_NAME));
	memcpy(head + MODE_AT, "0000600", 8);
	memcpy(head + UID_AT, "0000000", 8);
	memcpy(head + GID_AT, "0000000", 8);
	number_put(head + SIZE_AT, size);
	number_put(head + MODIFIED_AT, modified);
	head[TYPE_AT] = '0';
	memcpy(head + MAGIC_AT, "ustar", 6);
	memcpy(head + VERSION_AT, "00", 2);
	memset(head + CHECKSUM_AT, ' ', 8);
	for (size_t i = 0; i < TAR_BLOCK; i++)
		sum += (unsigned char)head[i];
	snprintf(digits, sizeof(digits), "%06o", sum);
	memcpy(head + CHECKSUM_AT, digits, 7);
}
