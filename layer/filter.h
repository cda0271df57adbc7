/*
 * filter.h: what a seccomp filter would do about a system call.
 */
#ifndef TL_LAYER_FILTER_H
#define TL_LAYER_FILTER_H

#include <linux/filter.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The filter answers this system call of ours by a signal (kill or trap). False also where the program makes no sense: the kernel refuses it then.
 * No system call, no allocation.
 */
bool tl_filter_kills(const struct sock_fprog *program, long number, const uint64_t arguments[6]);

#endif
