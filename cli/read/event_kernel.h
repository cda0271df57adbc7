/* SPDX-License-Identifier: MIT */
/* event_kernel.h: what the first command of a kernel says of the kernel, in its arguments. */
#ifndef TL_CLI_READ_EVENT_KERNEL_H
#define TL_CLI_READ_EVENT_KERNEL_H

#include <stdint.h>

enum {
	KERNEL_PRIVATE, /* bytes of a work-item, */
	KERNEL_LOCAL,	/* of a work-group, */
	KERNEL_SPILL,	/* of a work-item, that did not fit into registers */
	KERNEL_SIMD,	/* work-items of a subgroup */
	KERNEL_FACTS
};

#define EVENT_KERNEL_KEYS                                                                          \
	[KERNEL_PRIVATE] = "private_bytes", [KERNEL_LOCAL] = "local_bytes",                        \
	[KERNEL_SPILL] = "spill_bytes", [KERNEL_SIMD] = "simd_width"

struct event_kernel {
	uint32_t of[KERNEL_FACTS];
	uint8_t has; /* a bit for each; 0: it says nothing */
};

#endif
