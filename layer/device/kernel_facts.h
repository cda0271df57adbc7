/* SPDX-License-Identifier: MIT */
/*
 * kernel_facts.h: what a driver knows of a kernel: the memory that it needs, and how wide it is.
 * The first command of a kernel that is recorded says it, and no other.
 *
 * Kernels of one name with the same facts are one kernel here, since programs make and release
 * kernel objects all the time. Any thread may call these functions; no driver is called by them.
 */
#ifndef TL_LAYER_DEVICE_KERNEL_FACTS_H
#define TL_LAYER_DEVICE_KERNEL_FACTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Which of these there are. */
enum tl_kernel_has {
	TL_KERNEL_PRIVATE = 1,
	TL_KERNEL_LOCAL = 2,
	TL_KERNEL_SPILL = 4,
	TL_KERNEL_SIMD = 8
};

struct tl_kernel_facts {
	uint64_t private_bytes; /* of a work-item */
	uint64_t local_bytes;	/* of a work-group, shared by its work-items (SLM) */
	uint64_t spill_bytes;	/* of a work-item, for what did not fit into registers */
	uint32_t simd_width; /* work-items of a subgroup, or what groups should be a multiple of */
	uint32_t has;	     /* enum tl_kernel_has */
	_Atomic bool shown;  /* some command has said it */
};

/* For tables by kernels' names. */
static inline uint32_t tl_kernel_name_hash(const char *name)
{
	uint32_t hash = 2166136261u;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return hash;
}

/* The kernel's number. 0: nothing is known, or there are too many kernels. `name`: NULL: none. */
uint16_t tl_kernel_facts_keep(const char *name, const struct tl_kernel_facts *facts);

/* Those of a number that is not 0; they stay for ever. */
struct tl_kernel_facts *tl_kernel_facts_of(uint16_t number);

/* In a forked child: its own trace has to say them again. */
void tl_kernel_facts_after_fork(void);

#endif
