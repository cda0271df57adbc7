/* SPDX-License-Identifier: MIT */
/*
 * workspace.c: see workspace.h.
 */
#include "common/workspace.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>

struct tl_workspace {
	struct tl_workspace *next;
	_Atomic bool taken;
	_Alignas(16) char memory[];
};

static struct tl_workspace *workspace_make(struct tl_workspaces *workspaces)
{
	int kept = errno;
	struct tl_workspace *made =
		mmap(NULL, sizeof(*made) + workspaces->size, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	errno = kept;
	if (made == MAP_FAILED)
		return NULL;
	atomic_store_explicit(&made->taken, true, memory_order_relaxed);
	made->next = atomic_load_explicit(&workspaces->all, memory_order_relaxed);
	/* Release pairs with tl_workspace_take's acquire. */
	while (!atomic_compare_exchange_weak_explicit(&workspaces->all, &made->next, made,
						      memory_order_release, memory_order_relaxed))
		;
	return made;
}

void *tl_workspace_take(struct tl_workspaces *workspaces)
{
	struct tl_workspace *at = atomic_load_explicit(&workspaces->all, memory_order_acquire);

	/* Acquire pairs with the release of who had it last. */
	while (at && (atomic_load_explicit(&at->taken, memory_order_relaxed) ||
		      atomic_exchange_explicit(&at->taken, true, memory_order_acquire)))
		at = at->next;
	if (!at)
		at = workspace_make(workspaces);
	return at ? at->memory : NULL;
}

void tl_workspace_give_back(void *memory)
{
	struct tl_workspace *workspace =
		(struct tl_workspace *)(void *)((char *)memory -
						offsetof(struct tl_workspace, memory));

	atomic_store_explicit(&workspace->taken, false, memory_order_release);
}
