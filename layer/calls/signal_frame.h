/* SPDX-License-Identifier: MIT */
/*
 * signal_frame.h: frames that arm64's kernel makes for signal handlers.
 *
 * There a handler returns to two instructions of the vDSO, which call rt_sigreturn. They have no
 * tables: unwinders know them by their bytes, and the kernel keeps them as they are. On x86-64 the
 * C library has this code, with tables.
 */
#ifndef TL_LAYER_CALLS_SIGNAL_FRAME_H
#define TL_LAYER_CALLS_SIGNAL_FRAME_H

#include "layer/calls/unwind_rules.h"

#if defined(__aarch64__)
/* Whether a return address is that of a signal handler. */
bool tl_signal_frame_is(uintptr_t back);

/*
 * Goes from the handler's caller to the interrupted code: all its registers, and its address. False:
 * the frame can't be read.
 */
bool tl_signal_frame_step(struct tl_machine *machine, uintptr_t *address);
#else
static inline bool tl_signal_frame_is(uintptr_t back)
{
	(void)back;
	return false;
}

static inline bool tl_signal_frame_step(const struct tl_machine *machine, const uintptr_t *address)
{
	(void)machine;
	(void)address;
	return false;
}
#endif

#endif
