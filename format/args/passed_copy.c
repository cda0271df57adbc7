/* SPDX-License-Identifier: MIT */
/*
 * passed_copy.c: read memory that a program passes to a function.
 *
 * To ask the kernel takes a microsecond and more. Most of what programs pass lies on the thread's
 * stack, in the heap, or in the program's image. Once the kernel could read from stack or heap, it
 * is not asked again about as much as must stay mapped with that. A pointer that the program may
 * use can always be read; what these rules must find out is pointers that it may not. They hold for
 * the stack that the thread runs on. Who looks at other stacks, which may be gone, uses
 * tl_checked_copy.
 */
#include "format/args/args_capture.h"

#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#define PAGE ((uintptr_t)4096) /* no machine has smaller ones */
#define NEAR 16u	       /* pages of the stack, from the thread's own frame */

/*
 * Programs often pass what lies on their stack. The pages between this function's frame and a
 * variable of its callers stay as long as the thread runs there, so the kernel need not be asked
 * about them each time. Pages that it could read are noted: the number of the first one times
 * PAGES, and how many they are. It is one word because a signal handler may copy, too.
 */
#define PAGES ((uint64_t)1 << 16)

static __thread uint64_t stack_pages __attribute__((tls_model("initial-exec")));

static bool stack_has_noted(uint64_t first, uint64_t count)
{
	return first >= stack_pages / PAGES &&
	       first + count <= stack_pages / PAGES + stack_pages % PAGES;
}

/* Pages that touch those noted before become one piece with them. */
static void stack_note(uint64_t first, uint64_t count)
{
	uint64_t noted = stack_pages / PAGES, end = first + count,
		 noted_end = noted + stack_pages % PAGES;

	if (first <= noted_end && noted <= end) {
		first = first < noted ? first : noted;
		end = end > noted_end ? end : noted_end;
	}
	if (end - first < PAGES)
		stack_pages = first * PAGES + (end - first);
}

/* But for the first page, which the thread runs on: its beginning may be below the stack's pointer. */
static bool stack_is_readable(uint64_t first, uint64_t count)
{
	char byte;

	for (uint64_t i = 1; i < count; i++)
		if (tl_checked_copy(&byte, (const void *)((first + i) * PAGE), 1) != 1)
			return false;
	return true;
}

static bool is_on_own_stack(uintptr_t from, size_t size)
{
	uint64_t first = (uintptr_t)__builtin_frame_address(0) / PAGE,
		 count = (from + size - 1) / PAGE - first + 1;

	if (from / PAGE < first || count > NEAR)
		return false;
	if (count == 1 || stack_has_noted(first, count))
		return true;
	if (!stack_is_readable(first, count))
		return false;
	stack_note(first, count);
	return true;
}

/* The program's image, by its headers. Nothing takes parts of it away. */
static bool is_in_image(uintptr_t from, size_t size)
{
	const ElfW(Phdr) *headers = (const void *)getauxval(AT_PHDR), *header;
	unsigned long count = headers ? getauxval(AT_PHNUM) : 0;
	uintptr_t base = 0;

	for (unsigned long i = 0; i < count; i++)
		if (headers[i].p_type == PT_PHDR)
			base = (uintptr_t)headers - headers[i].p_vaddr;
	for (header = headers; header < headers + count; header++)
		if (header->p_type == PT_LOAD && header->p_flags & PF_R &&
		    from >= base + header->p_vaddr &&
		    from + size <= base + header->p_vaddr + header->p_memsz)
			return true;
	return false;
}

/*
 * The heap that grows by brk(), where the main thread's malloc() has its memory. It lies behind the
 * program's image, with nothing between the two, and ends where the C library says. So from the
 * lowest byte that the kernel could read there, all of it can be read.
 */
extern void *__curbrk __attribute__((weak));

static _Atomic uintptr_t heap_noted = UINTPTR_MAX; /* only ever falls */

/* 0: the C library does not say. */
static uintptr_t heap_end(void)
{
	return &__curbrk ? (uintptr_t)__atomic_load_n(&__curbrk, __ATOMIC_RELAXED) : 0;
}

static bool is_in_noted_heap(uintptr_t from, size_t size)
{
	return from >= atomic_load_explicit(&heap_noted, memory_order_relaxed) &&
	       from + size <= heap_end();
}

/*
 * The kernel could read this, which is not in the image. It is in the heap if it lies behind the
 * image's headers, and there is no gap up to the heap's end.
 */
static void heap_note(uintptr_t from, size_t size)
{
	uintptr_t noted = atomic_load_explicit(&heap_noted, memory_order_relaxed), page, end;

	if (from + size > heap_end() || from >= noted || from < getauxval(AT_PHDR))
		return;
	page = from / PAGE * PAGE;
	end = noted == UINTPTR_MAX ? heap_end() : noted;
	int error = errno;
	bool whole = msync((void *)page, end - page, MS_ASYNC) == 0;
	errno = error;
	if (!whole)
		return;
	while (from < noted &&
	       !atomic_compare_exchange_weak_explicit(&heap_noted, &noted, from,
						      memory_order_relaxed, memory_order_relaxed))
		continue;
}

/*
 * Valgrind's memcheck follows bytes that have no value yet to where something depends on them. What
 * the kernel copies has a value.
 */
static bool is_under_valgrind(void)
{
	static _Atomic int known; /* 1: no; 2: yes */
	int is = atomic_load_explicit(&known, memory_order_relaxed);

	if (!is) {
		const char *preloaded = getenv("LD_PRELOAD");
		is = preloaded && strstr(preloaded, "vgpreload") ? 2 : 1;
		atomic_store_explicit(&known, is, memory_order_relaxed);
	}
	return is == 2;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
/* Memory that is there may be out of bounds for the sanitizers. */
__attribute__((no_sanitize("address", "thread"))) static void known_copy(char *to, const char *from,
									 size_t size)
{
	while (size--)
		*(volatile char *)to++ = *(volatile const char *)from++;
}
#else
#define known_copy memcpy
#endif

size_t tl_passed_copy(void *to, const void *from, size_t size)
{
	uintptr_t at = (uintptr_t)from;

	if (!size || at > UINTPTR_MAX - size)
		return 0;
	if (!is_under_valgrind() &&
	    (is_in_noted_heap(at, size) || is_on_own_stack(at, size) || is_in_image(at, size))) {
		known_copy(to, from, size);
		return size;
	}
	size_t done = tl_checked_copy(to, from, size);
	if (done == size)
		heap_note(at, size);
	return done;
}
