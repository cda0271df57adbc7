/* SPDX-License-Identifier: MIT */
/*
 * libc_bytes.c: the functions for memory and strings, for libtracelayer.so alone. See libc.h.
 *
 * The linker also binds to them the calls that the compiler inserts, and those of libffi and libdeflate.
 *
 * Most of what the encoders move is short: up to 128 bytes go without a loop, by loads and stores
 * that overlap. A build under a sanitizer has the sanitizer's functions, which check their
 * arguments.
 */
#include "layer/base/libc/own_libc.h"

#ifdef TL_OWN_LIBC

/* Its checks would call the very functions that are defined here. */
#undef _FORTIFY_SOURCE
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifndef __clang__
/* A loop that copies must not be compiled to a call of the function that it is in. */
#pragma GCC optimize("no-tree-loop-distribute-patterns")
#endif

typedef uint16_t two __attribute__((aligned(1), may_alias));
typedef uint32_t four __attribute__((aligned(1), may_alias));
typedef uint64_t eight __attribute__((aligned(1), may_alias));
typedef uint64_t word __attribute__((may_alias));
typedef uint64_t sixteen __attribute__((vector_size(16), aligned(1), may_alias));

/* Everything is loaded before anything is stored, so that the two may overlap. */
#define MOVE_ENDS(type, to, from, size)                                                            \
	do {                                                                                       \
		const type first_ = *(const type *)(from),                                         \
			   last_ = *(const type *)((from) + (size) - sizeof(type));                \
		*(type *)(to) = first_;                                                            \
		*(type *)((to) + (size) - sizeof(type)) = last_;                                   \
	} while (0)

static inline void move_short(char *to, const char *from, size_t size)
{
	if (size >= 8)
		MOVE_ENDS(eight, to, from, size);
	else if (size >= 4)
		MOVE_ENDS(four, to, from, size);
	else if (size >= 2)
		MOVE_ENDS(two, to, from, size);
	else if (size)
		*to = *from;
}

/* 33 to 128 bytes. */
static inline void move_some(char *to, const char *from, size_t size)
{
	const sixteen *a = (const sixteen *)from, *z = (const sixteen *)(from + size);
	sixteen *b = (sixteen *)to, *y = (sixteen *)(to + size);
	const sixteen first = a[0], second = a[1], last = z[-1], last_but_one = z[-2];

	if (size > 64) {
		const sixteen third = a[2], fourth = a[3], before = z[-3], before_that = z[-4];
		b[2] = third;
		b[3] = fourth;
		y[-3] = before;
		y[-4] = before_that;
	}
	b[0] = first;
	b[1] = second;
	y[-1] = last;
	y[-2] = last_but_one;
}

static void move_forward(char *to, const char *from, size_t size)
{
	const sixteen *a = (const sixteen *)from;
	sixteen *b = (sixteen *)to;
	/* The last 64 bytes: loaded now, since the loop may overwrite them. */
	const sixteen *z = (const sixteen *)(from + size);
	sixteen *y = (sixteen *)(to + size);
	const sixteen last[4] = {z[-4], z[-3], z[-2], z[-1]};

	for (; size > 64; size -= 64, a += 4, b += 4) {
		const sixteen part[4] = {a[0], a[1], a[2], a[3]};
		b[0] = part[0];
		b[1] = part[1];
		b[2] = part[2];
		b[3] = part[3];
	}
	y[-4] = last[0];
	y[-3] = last[1];
	y[-2] = last[2];
	y[-1] = last[3];
}

static void move_backward(char *to, const char *from, size_t size)
{
	const sixteen *z = (const sixteen *)(from + size);
	sixteen *y = (sixteen *)(to + size);
	const sixteen *a = (const sixteen *)from;
	sixteen *b = (sixteen *)to;
	const sixteen first[4] = {a[0], a[1], a[2], a[3]};

	for (; size > 64; size -= 64, z -= 4, y -= 4) {
		const sixteen part[4] = {z[-1], z[-2], z[-3], z[-4]};
		y[-1] = part[0];
		y[-2] = part[1];
		y[-3] = part[2];
		y[-4] = part[3];
	}
	b[0] = first[0];
	b[1] = first[1];
	b[2] = first[2];
	b[3] = first[3];
}

static inline void *bytes_move(void *to, const void *from, size_t size)
{
	if (size <= 16)
		move_short(to, from, size);
	else if (size <= 32)
		MOVE_ENDS(sixteen, (char *)to, (const char *)from, size);
	else if (size <= 128)
		move_some(to, from, size);
	else if ((uintptr_t)to - (uintptr_t)from >= size)
		move_forward(to, from, size);
	else
		move_backward(to, from, size);
	return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
	return bytes_move(to, from, size);
}

void *memmove(void *to, const void *from, size_t size)
{
	return bytes_move(to, from, size);
}

void *memset(void *to, int byte, size_t size)
{
	const uint64_t all = (unsigned char)byte * UINT64_C(0x0101010101010101);
	const sixteen wide = {all, all};
	char *at = to, *end = at + size;

	if (size >= 16) {
		for (; (size_t)(end - at) > 16; at += 16)
			*(sixteen *)at = wide;
		*(sixteen *)(end - 16) = wide;
	} else if (size >= 8) {
		*(eight *)at = *(eight *)(end - 8) = all;
	} else if (size >= 4) {
		*(four *)at = *(four *)(end - 4) = (uint32_t)all;
	} else {
		while (at < end)
			*at++ = (char)byte;
	}
	return to;
}

/* Compares two words that differ as memcmp does: by their first bytes that differ. */
static inline int words_order(uint64_t a, uint64_t b)
{
	return __builtin_bswap64(a) < __builtin_bswap64(b) ? -1 : 1;
}

int memcmp(const void *a, const void *b, size_t size)
{
	const char *at = a, *other = b;

	if (size < 8) {
		for (; size; size--, at++, other++)
			if (*at != *other)
				return (unsigned char)*at - (unsigned char)*other;
		return 0;
	}
	for (; size > 8; size -= 8, at += 8, other += 8)
		if (*(const eight *)at != *(const eight *)other)
			return words_order(*(const eight *)at, *(const eight *)other);
	/* The last eight bytes, some of which may have been compared already. */
	at -= 8 - size;
	other -= 8 - size;
	return *(const eight *)at == *(const eight *)other
		       ? 0
		       : words_order(*(const eight *)at, *(const eight *)other);
}

int bcmp(const void *a, const void *b, size_t size)
{
	return memcmp(a, b, size);
}

/*
 * The C library may have a macro of the same name, as of memchr, strchr, strrchr and strstr from
 * glibc 2.43 on. It is not expanded where parentheses surround the name.
 */
void *(memchr)(const void *text, int byte, size_t size)
{
	for (const unsigned char *at = text; size; size--, at++)
		if (*at == (unsigned char)byte)
			return (void *)(uintptr_t)at;
	return NULL;
}

void *memmem(const void *text, size_t size, const void *part, size_t length)
{
	const char *at = text;

	for (; size >= length; size--, at++)
		if (!memcmp(at, part, length))
			return (void *)(uintptr_t)at;
	return NULL;
}

/* --- strings */

/*
 * The position of the word's first zero byte, in bits; 64 or more: it has none. Both machines are
 * little endian.
 */
static inline unsigned zero_in(uint64_t bytes)
{
	uint64_t zeros =
		(bytes - UINT64_C(0x0101010101010101)) & ~bytes & UINT64_C(0x8080808080808080);

	return zeros ? (unsigned)__builtin_ctzll(zeros) : 64;
}

/*
 * By whole, aligned words, so each lies in a page of the text. In the first word the bytes before
 * the text don't count. AddressSanitizer would complain about them.
 */
__attribute__((no_sanitize("address"))) size_t strlen(const char *text)
{
	size_t before = (uintptr_t)text % 8;
	const char *at = text - before;
	unsigned zero = zero_in(*(const word *)at | ((UINT64_C(1) << 8 * before) - 1));

	while (zero == 64) {
		at += 8;
		zero = zero_in(*(const word *)at);
	}
	return (size_t)(at - text) + zero / 8;
}

size_t strnlen(const char *text, size_t most)
{
	size_t size = 0;

	while (size < most && text[size])
		size++;
	return size;
}

int strcmp(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return (unsigned char)*a - (unsigned char)*b;
}

int strncmp(const char *a, const char *b, size_t most)
{
	for (; most; most--, a++, b++)
		if (*a != *b || !*a)
			return (unsigned char)*a - (unsigned char)*b;
	return 0;
}

char *(strchr)(const char *text, int byte)
{
	for (;; text++) {
		if (*text == (char)byte)
			return (char *)(uintptr_t)text;
		if (!*text)
			return NULL;
	}
}

char *(strrchr)(const char *text, int byte)
{
	const char *found = NULL;

	for (;; text++) {
		if (*text == (char)byte)
			found = text;
		if (!*text)
			return (char *)(uintptr_t)found;
	}
}

size_t strspn(const char *text, const char *of)
{
	size_t size = 0;

	while (text[size] && strchr(of, text[size]))
		size++;
	return size;
}

size_t strcspn(const char *text, const char *of)
{
	size_t size = 0;

	while (text[size] && !strchr(of, text[size]))
		size++;
	return size;
}

char *(strstr)(const char *text, const char *part)
{
	size_t size = strlen(part);

	for (; *text || !size; text++)
		if (!strncmp(text, part, size))
			return (char *)(uintptr_t)text;
	return NULL;
}

char *stpcpy(char *restrict to, const char *restrict from)
{
	size_t size = strlen(from);

	memcpy(to, from, size + 1);
	return to + size;
}

char *strcpy(char *restrict to, const char *restrict from)
{
	return memcpy(to, from, strlen(from) + 1);
}

char *strncpy(char *restrict to, const char *restrict from, size_t most)
{
	size_t size = strnlen(from, most);

	memcpy(to, from, size);
	memset(to + size, 0, most - size);
	return to;
}

char *strcat(char *restrict to, const char *restrict from)
{
	strcpy(to + strlen(to), from);
	return to;
}

/*
 * --- the names that a build with _FORTIFY_SOURCE calls; the compiler has checked the sizes where
 * it could
 */

void *__memcpy_chk(void *restrict to, const void *restrict from, size_t size, size_t room);
void *__memcpy_chk(void *restrict to, const void *restrict from, size_t size, size_t room)
{
	return size <= room ? memcpy(to, from, size) : (__builtin_trap(), NULL);
}

void *__memmove_chk(void *to, const void *from, size_t size, size_t room);
void *__memmove_chk(void *to, const void *from, size_t size, size_t room)
{
	return size <= room ? memmove(to, from, size) : (__builtin_trap(), NULL);
}

void *__memset_chk(void *to, int byte, size_t size, size_t room);
void *__memset_chk(void *to, int byte, size_t size, size_t room)
{
	return size <= room ? memset(to, byte, size) : (__builtin_trap(), NULL);
}

char *__strcpy_chk(char *restrict to, const char *restrict from, size_t room);
char *__strcpy_chk(char *restrict to, const char *restrict from, size_t room)
{
	return strlen(from) < room ? strcpy(to, from) : (__builtin_trap(), NULL);
}

char *__strncpy_chk(char *restrict to, const char *restrict from, size_t most, size_t room);
char *__strncpy_chk(char *restrict to, const char *restrict from, size_t most, size_t room)
{
	return most <= room ? strncpy(to, from, most) : (__builtin_trap(), NULL);
}

#else
typedef int tl_nothing_here;
#endif
