/* SPDX-License-Identifier: MIT */
/*
 * seccomp_filter.h: what a seccomp filter would do about a system call.
 */
#ifndef TL_LAYER_PROCESS_SECCOMP_FILTER_H
#define TL_LAYER_PROCESS_SECCOMP_FILTER_H

#include <linux/filter.h>
#include <stdbool.h>
#include <stdint.h>

enum tl_filter_answer {
	/*
	 * it is made, or somebody else decides. Also where the program makes no sense: the kernel
	 * refuses it then
	 */
	TL_FILTER_PASSES,
	TL_FILTER_FAILS, /* it is not made, and has an error */
	TL_FILTER_KILLS, /* by a signal, which the program may have a handler for */
};

/* What the filter would answer to this system call. Makes no system call, allocates nothing. */
enum tl_filter_answer tl_filter_answer(const struct sock_fprog *program, long number,
				       const uint64_t arguments[6]);

#endif
