/* SPDX-License-Identifier: MIT */
/*
 * kernel_facts.c: see kernel_facts.h.
 */
#include "layer/device/kernel_facts.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS	     64u
#define KERNELS_MOST 4096u

struct kept {
	struct kept *next;
	uint16_t number;
	struct tl_kernel_facts facts;
	char name[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects all below */
static struct kept *buckets[BUCKETS];
static uint16_t count;

/* By number. An entry is stored before its number is given away, and does not change. */
static struct kept *_Atomic kernels[KERNELS_MOST + 1];

static bool facts_are_same(const struct tl_kernel_facts *a, const struct tl_kernel_facts *b)
{
	return a->has == b->has && a->private_bytes == b->private_bytes &&
	       a->local_bytes == b->local_bytes && a->spill_bytes == b->spill_bytes &&
	       a->simd_width == b->simd_width;
}

/* Under the lock. */
static struct kept *kept_new(const char *name, const struct tl_kernel_facts *facts,
			     struct kept **bucket)
{
	size_t size = strlen(name) + 1;
	struct kept *kept = count < KERNELS_MOST ? malloc(sizeof(*kept) + size) : NULL;

	if (!kept)
		return NULL;
	kept->facts = *facts;
	memcpy(kept->name, name, size);
	atomic_init(&kept->facts.shown, false);
	kept->next = *bucket;
	*bucket = kept;
	kept->number = ++count;
	atomic_store_explicit(&kernels[count], kept, memory_order_release);
	return kept;
}

uint16_t tl_kernel_facts_keep(const char *name, const struct tl_kernel_facts *facts)
{
	if (!name || !facts->has)
		return 0;
	pthread_mutex_lock(&lock);
	struct kept **bucket = &buckets[tl_kernel_name_hash(name) % BUCKETS], *kept = *bucket;

	while (kept && (strcmp(kept->name, name) != 0 || !facts_are_same(&kept->facts, facts)))
		kept = kept->next;
	if (!kept)
		kept = kept_new(name, facts, bucket);
	pthread_mutex_unlock(&lock);
	return kept ? kept->number : 0;
}

struct tl_kernel_facts *tl_kernel_facts_of(uint16_t number)
{
	return &atomic_load_explicit(&kernels[number], memory_order_acquire)->facts;
}

void tl_kernel_facts_after_fork(void)
{
	pthread_mutex_init(&lock, NULL);
	for (unsigned i = 0; i < BUCKETS; i++)
		for (struct kept *kept = buckets[i]; kept; kept = kept->next)
			atomic_store_explicit(&kept->facts.shown, false, memory_order_relaxed);
}
