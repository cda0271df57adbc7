/* SPDX-License-Identifier: MIT */
/*
 * workspace.h: pieces of memory for who may be on a small stack: a thread of 16 KiB, or a signal
 * handler. There are as many as were ever in use at once; they are not freed, since a thread without
 * a lock may be about to take one. Async-signal-safe.
 */
#ifndef TL_COMMON_WORKSPACE_H
#define TL_COMMON_WORKSPACE_H

#include <stdatomic.h>
#include <stddef.h>

struct tl_workspace;

/* Pieces of one size. Zero but for .size. */
struct tl_workspaces {
	size_t size;
	_Atomic(struct tl_workspace *) all;
};

/* NULL: there is no memory. Its bytes are those of its last user. Aligned to 16 bytes. */
void *tl_workspace_take(struct tl_workspaces *workspaces);
void tl_workspace_give_back(void *memory);

#endif
