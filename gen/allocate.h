/* SPDX-License-Identifier: MIT */
/*
 * allocate.h: memory for tracegen, a program that runs once and keeps what it builds.
 *
 * Nothing here returns NULL: without memory tracegen says so and exits with 1.
 */
#ifndef TL_GEN_ALLOCATE_H
#define TL_GEN_ALLOCATE_H

#include <stdarg.h>
#include <stddef.h>

void *allocate(size_t size); /* zeroed */
void *reallocate(void *old, size_t size);
char *copy_text(const char *text);
char *copy_bytes(const char *from, size_t size); /* with a NUL after them */
/*
 * Small letters and digits alone: names that differ in nothing else are the same name, however they
 * are spelled.
 */
char *name_squeezed(const char *from, size_t length);
char *format_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Make room for one more element at the end of `array`, zeroed. Returns its address. Arrays grow by
 * doubling.
 */
void *append_element(void *array, size_t *count, size_t size);
#define APPEND(array, count)                                                                       \
	((__typeof__(array))append_element(&(array), &(count), sizeof *(array)))

#endif
