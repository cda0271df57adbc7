/* SPDX-License-Identifier: MIT */
/*
 * stack_memory.c: see stack_memory.h.
 */
#include "layer/calls/stack_memory.h"

#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>

#include "format/args/args.h"

#define PAGE  ((uintptr_t)4096)
#define PAGES 32u

static bool page_is_readable(uintptr_t page)
{
	char byte;

	return tl_checked_copy(&byte, (const void *)page, 1) == 1;
}

static bool window_can_read(struct tl_window *window, uintptr_t at)
{
	uintptr_t first = at & ~(PAGE - 1), last = (at + 7) & ~(PAGE - 1);

	if (at > UINTPTR_MAX - PAGE)
		return false;
	if (at >= window->low && at + 8 <= window->high)
		return true;
	if (!page_is_readable(first) || (last != first && !page_is_readable(last)))
		return false;
	if (first == window->high)
		window->high = last + PAGE;
	else
		*window = (struct tl_window){first, last + PAGE};
	return true;
}

__attribute__((no_sanitize("address", "thread"))) bool tl_window_load(struct tl_window *window,
								      uintptr_t at, uintptr_t *word)
{
	if (!window_can_read(window, at))
		return false;
	__builtin_memcpy(word, (const void *)at, sizeof(*word));
	return true;
}

/*
 * Whether a byte of each page can be read. If a sandbox forbids to ask for all at once, asks one by
 * one.
 */
static bool pages_are_readable(uintptr_t first, unsigned count)
{
	char bytes[PAGES];
	struct iovec local = {bytes, count}, remote[PAGES];
	int error = errno;

	for (unsigned i = 0; i < count; i++)
		remote[i] = (struct iovec){(void *)(first + i * PAGE), 1};
	ssize_t read = process_vm_readv(getpid(), &local, 1, remote, count, 0);
	for (unsigned i = 0; read < 0 && errno != EFAULT && i < count; i++)
		if (!page_is_readable(first + i * PAGE))
			break;
		else if (i + 1 == count)
			read = count;
	errno = error;
	return read == (ssize_t)count;
}

/*
 * A gap, if there is one, is as a rule right below the stack that `to` is on: its guard. Between
 * two coroutines' stacks there may be very much other memory, which all can be read. But the kernel may
 * enlarge the first thread's stack when a page below it is read.
 */
bool tl_stack_is_mapped(uintptr_t from, uintptr_t to)
{
	uintptr_t low = from & ~(PAGE - 1), high = (to + PAGE - 1) & ~(PAGE - 1);
	bool upwards = tl_stack_is_first(to, to);

	while (low < high) {
		uintptr_t left = (high - low) / PAGE;
		unsigned count = left < PAGES ? (unsigned)left : PAGES;

		if (!pages_are_readable(upwards ? low : high - count * PAGE, count))
			return false;
		if (upwards)
			low += count * PAGE;
		else
			high -= count * PAGE;
	}
	return true;
}
