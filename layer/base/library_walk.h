/* SPDX-License-Identifier: MIT */
/*
 * library_walk.h: dl_iterate_phdr, for a process that may be forked at any time.
 *
 * A fork does not reset the dynamic linker's lock in the child. If another thread of the parent
 * held it, it stays taken, and the child's first walk would wait for ever. So forks that run
 * handlers wait until the layer's walks are over. The program's own use of dl_iterate_phdr is not
 * the layer's business.
 */
#ifndef TL_LAYER_BASE_LIBRARY_WALK_H
#define TL_LAYER_BASE_LIBRARY_WALK_H

#include <link.h>

/* As dl_iterate_phdr. Walks may be nested. No signal handler runs meanwhile. */
int tl_library_walk(int (*callback)(struct dl_phdr_info *library, size_t size, void *data),
		    void *data);

/*
 * The first entry of the dynamic linker's own list, and the one of the image that this code is linked
 * into; NULL: there is none. They may be called before constructors have run, and call nothing of
 * libc but getauxval.
 */
const struct link_map *tl_library_first_map(void);
const struct link_map *tl_library_own_map(void);

/* Around a fork, in this order; after it in both processes. */
void tl_library_walk_before_fork(void);
void tl_library_walk_after_fork_parent(void);
void tl_library_walk_after_fork_child(void);

#endif
