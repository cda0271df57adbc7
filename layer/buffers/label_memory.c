/* SPDX-License-Identifier: MIT */
/*
 * label_memory.c: see label_memory.h.
 *
 * A piece is never given back to the arena: a later thread gets the piece of an earlier one.
 * .thread says whose it is. It is stored once the earlier thread's labels are removed, and is the
 * first thing to be cleared when a thread's labels end.
 */
#include "layer/buffers/label_memory.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "format/file/trace_file.h"
#include "layer/buffers/arena.h"
#include "layer/base/bounded_lock.h"
#include "layer/buffers/process_state.h"

_Static_assert(sizeof(struct tl_labels_piece) == TL_ARENA_UNIT, "labels fill a page");

/* Protects .spare, which is linked by .next. */
static struct tl_bounded_lock lock;
static struct tl_labels *spare;

static struct tl_labels *labels_take_spare(void)
{
	struct tl_labels *labels;
	sigset_t signals;

	tl_bounded_lock_take_quietly(&lock, &signals);
	labels = spare;
	if (labels)
		spare = labels->next;
	tl_bounded_lock_release_quietly(&lock, &signals);
	return labels;
}

static struct tl_labels *labels_take_new(void)
{
	struct tl_labels_piece *piece = tl_arena_take(TL_PIECE_LABELS, sizeof(*piece));

	return piece ? &piece->labels : NULL;
}

static struct tl_labels *labels_begin(void)
{
	struct tl_labels *labels = NULL;
	int error = errno;

	tl_process_start();
	tl_process_notice_fork();
	if (tl_process_may_record() && tl_process_begin() && tl_process_is_owner()) {
		labels = labels_take_spare();
		labels = labels ? labels : labels_take_new();
	}
	if (labels) {
		__atomic_store_n(&labels->size, 0, __ATOMIC_RELAXED);
		labels->shared = 1;
		labels->profile = 0;
		/*
		 * Release: pairs with the acquire of the process that reads the labels. It must not
		 * take an earlier thread's labels for this one's.
		 */
		__atomic_store_n(&labels->thread, (uint32_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
	}
	errno = error;
	return labels;
}

static void labels_end(struct tl_labels *labels)
{
	sigset_t signals;

	/* In a child that was forked without fork handlers, the parent's labels read as zeros. */
	if (!labels->shared)
		return;
	__atomic_store_n(&labels->thread, 0, __ATOMIC_RELAXED);
	tl_bounded_lock_take_quietly(&lock, &signals);
	labels->next = spare;
	spare = labels;
	tl_bounded_lock_release_quietly(&lock, &signals);
}

extern TL_EXPORT const struct tl_labels_library tl_labels_here;
const struct tl_labels_library tl_labels_here = {sizeof(struct tl_labels_library), labels_begin,
						 labels_end};

void tl_labels_after_fork(void)
{
	lock = (struct tl_bounded_lock){0};
	spare = NULL;
}
