/* SPDX-License-Identifier: MIT */
/*
 * signal_frame.c: see signal_frame.h.
 */
#include "layer/calls/signal_frame.h"

#if defined(__aarch64__)
#include <signal.h>
#include <string.h>
#include <ucontext.h>

#include "format/args/args.h"

/* What is at the stack pointer: arch/arm64/kernel/signal.c of Linux. */
struct signal_frame {
	siginfo_t info;
	ucontext_t context;
};

_Static_assert(offsetof(mcontext_t, regs) == 8 && offsetof(mcontext_t, sp) == 256 &&
		       offsetof(mcontext_t, pc) == 264,
	       "what is read of it");

bool tl_signal_frame_is(uintptr_t back)
{
	/* mov x8, #139; svc #0 */
	static const uint32_t wanted[2] = {0xd2801168, 0xd4000001};
	uint32_t found[2];

	return back % 4 == 0 &&
	       tl_checked_copy(found, (const void *)back, sizeof(found)) == sizeof(found) &&
	       !memcmp(found, wanted, sizeof(found));
}

bool tl_signal_frame_step(struct tl_machine *machine, uintptr_t *address)
{
	const struct signal_frame *frame =
		(const struct signal_frame *)machine->reg[TL_REGISTER_SP];
	/* The first part of an mcontext_t, which is large; stacks of signal handlers are small. */
	struct {
		uint64_t fault, reg[31], sp, pc;
	} registers;

	if (!machine->known[TL_REGISTER_SP] ||
	    tl_checked_copy(&registers, &frame->context.uc_mcontext, sizeof(registers)) !=
		    sizeof(registers))
		return false;
	for (unsigned i = 0; i < 31; i++)
		machine->reg[i] = registers.reg[i];
	machine->reg[TL_REGISTER_SP] = registers.sp;
	for (unsigned i = 0; i < TL_REGISTERS; i++)
		machine->known[i] = true;
	*address = registers.pc;
	return true;
}
#endif
