/* SPDX-License-Identifier: MIT */
/*
 * checked_copy.c: read memory of this process that may not be mapped.
 *
 * The kernel copies, and returns EFAULT where a plain read would have killed the program. No signal
 * handler, no lock, no lasting descriptor; safe in a signal handler, and in a forked child.
 */
#include "format/args/args_capture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAGE   ((uintptr_t)4096) /* no machine has smaller ones; larger pages are just split */
#define PIECES 16

/*
 * process_vm_readv was refused (a sandbox), and is not tried again. Only ever goes from false to
 * true.
 */
static _Atomic bool refused;

/* Bytes of [from, from + size) that lie on from's page. */
static size_t bytes_on_page(uintptr_t from, size_t size)
{
	size_t rest = PAGE - from % PAGE;

	return size < rest ? size : rest;
}

/* The kernel stops at a piece that it can't read, so that a piece per page gives all that is
 * readable. */
static ssize_t copy_by_kernel(void *to, uintptr_t from, size_t size)
{
	struct iovec remote[PIECES];
	struct iovec local = {to, 0};
	unsigned long pieces = 0;

	for (; size && pieces < PIECES; pieces++) {
		size_t part = bytes_on_page(from, size);
		remote[pieces] = (struct iovec){(void *)from, part};
		local.iov_len += part;
		from += part;
		size -= part;
	}
	return process_vm_readv(getpid(), &local, 1, remote, pieces, 0);
}

/* A page's worth fits into any pipe. */
static ssize_t copy_by_pipe(void *to, uintptr_t from, size_t size)
{
	int ends[2];
	ssize_t n = -1;

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0) {
		n = write(ends[1], (const void *)from, bytes_on_page(from, size));
		if (n > 0)
			n = read(ends[0], to, (size_t)n);
		close(ends[0]);
		close(ends[1]);
	}
	return n;
}

/*
 * This thread runs on the page, so it is there. Programs often have what they pass on it. A sanitizer
 * that this code is built with would object: whoever asks may ask for what no frame has.
 */
static bool is_on_own_page(const void *from, size_t size)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	return false;
#endif
	uintptr_t page = (uintptr_t)__builtin_frame_address(0) / PAGE;

	return (uintptr_t)from / PAGE == page && size <= PAGE - (uintptr_t)from % PAGE;
}

size_t tl_checked_copy(void *to, const void *from, size_t size)
{
	int error = errno;
	size_t done = 0;

	if ((uintptr_t)from > UINTPTR_MAX - size)
		return 0;
	if (is_on_own_page(from, size)) {
		memcpy(to, from, size);
		return size;
	}
	while (done < size) {
		uintptr_t next = (uintptr_t)from + done;
		ssize_t n = -1;

		if (!atomic_load_explicit(&refused, memory_order_relaxed)) {
			n = copy_by_kernel((char *)to + done, next, size - done);
			if (n < 0 && errno != EFAULT)
				atomic_store_explicit(&refused, true, memory_order_relaxed);
		}
		if (atomic_load_explicit(&refused, memory_order_relaxed))
			n = copy_by_pipe((char *)to + done, next, size - done);
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	errno = error;
	return done;
}
