/* SPDX-License-Identifier: MIT */
/*
 * hash_trie.c: the rare operations of hash_trie.h: mapping the roots, visiting all entries.
 */
#include "xpti/dispatcher/hash_trie.h"

#include <sys/auxv.h>
#include <sys/mman.h>

void tl_index_warm_up(struct tl_index *index)
{
	atomic_store_explicit(&index->warm, true, memory_order_relaxed);
#ifdef MADV_POPULATE_WRITE
	/* Where madvise fails, the pages come one by one. */
	uintptr_t at = (uintptr_t)index->roots, before = at & (getauxval(AT_PAGESZ) - 1);
	madvise((void *)(at - before), before + sizeof(index->roots), MADV_POPULATE_WRITE);
#endif
}

/*
 * The depth is a little more than the logarithm of the number of entries. Two equal hashes are one
 * level deeper.
 */
static void entry_visit_from(struct tl_entry *entry, tl_index_visit visit)
{
	/* Acquire as tl_index_find_on's. */
	for (; entry; entry = atomic_load_explicit(&entry->child[0], memory_order_acquire)) {
		visit(entry);
		entry_visit_from(atomic_load_explicit(&entry->child[1], memory_order_acquire),
				 visit);
	}
}

void tl_index_visit_all(struct tl_index *index, tl_index_visit visit)
{
	for (size_t i = 0; i < sizeof(index->roots) / sizeof(index->roots[0]); i++)
		entry_visit_from(atomic_load_explicit(&index->roots[i], memory_order_acquire),
				 visit);
}
