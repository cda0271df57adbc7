/* SPDX-License-Identifier: MIT */
/*
 * stack_frames.c: see stack_frames.h.
 *
 * A step finds the function in the library's tables (eh_frame.c), and runs the function's
 * instructions for unwinding up to the address where the thread is (unwind_rules.c). The resulting
 * rules give the caller's stack pointer and registers. Whatever a table says, memory is read only
 * if it can be (stack_memory.c). A rule that is not known, or leads nowhere, ends the walk.
 */
#include "layer/calls/stack_frames.h"

#include <link.h>
#include <stdatomic.h>
#include <string.h>
#include <ucontext.h>

#include "layer/base/library_walk.h"
#include "layer/calls/eh_frame.h"
#include "layer/calls/signal_frame.h"
#include "layer/calls/unwind_rules.h"

#define DEEPEST 512 /* frames at most: a tenth of a millisecond */

struct library {
	uintptr_t address;	    /* the address to look for */
	uintptr_t base, start, end; /* of the segment with the address */
	struct tl_eh_image image;
	bool found, program;
	unsigned number;
};

static int library_visit(struct dl_phdr_info *seen, size_t size, void *closure)
{
	struct library *library = closure;
	const uint8_t *table = NULL;

	for (unsigned i = 0; i < seen->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &seen->dlpi_phdr[i];
		uintptr_t start = seen->dlpi_addr + segment->p_vaddr;
		if (segment->p_type == PT_GNU_EH_FRAME)
			table = (const uint8_t *)start;
		if (segment->p_type != PT_LOAD || library->address - start >= segment->p_memsz)
			continue;
		library->found = true;
		library->start = start;
		library->end = start + segment->p_memsz;
	}
	library->base = seen->dlpi_addr;
	library->image = (struct tl_eh_image){.table = table,
					      .base = seen->dlpi_addr,
					      .segments = seen->dlpi_phdr,
					      .count = seen->dlpi_phnum};
	library->program = library->number++ == 0;
	return library->found;
}

static bool library_find(struct library *library, uintptr_t address)
{
	if (library->found && address - library->start < library->end - library->start)
		return true;
	*library = (struct library){.address = address};
	tl_library_walk(library_visit, library);
	return library->found;
}

uintptr_t tl_chain_library(const void *address)
{
	struct library library = {.found = false};

	return library_find(&library, (uintptr_t)address) && !library.program ? library.base : 0;
}

/*
 * The address that coroutines of the C library begin at: makecontext makes it the return address of
 * their first function. 0 also while another thread asks.
 */
uintptr_t tl_chain_coroutine_mark(void)
{
	static uintptr_t stack[256];
	static ucontext_t context;
	static atomic_flag asked = ATOMIC_FLAG_INIT;
	static _Atomic uintptr_t start;

	if (atomic_flag_test_and_set_explicit(&asked, memory_order_relaxed))
		return atomic_load_explicit(&start, memory_order_relaxed);
	context.uc_stack.ss_sp = stack;
	context.uc_stack.ss_size = sizeof(stack);
	makecontext(&context, (void (*)(void))tl_chain_coroutine_mark, 0);
#if defined(__x86_64__)
	uintptr_t known = *(const uintptr_t *)context.uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
	uintptr_t known = context.uc_mcontext.regs[30];
#endif
	atomic_store_explicit(&start, ~known, memory_order_relaxed);
	return ~known;
}

/* The registers that calls preserve, and the address, at the place where this is expanded. */
#if defined(__x86_64__)
#define TAKE_REGISTERS(machine, address)                                                           \
	do {                                                                                       \
		static const uint8_t kept_[] = {3, 6, 7, 12, 13, 14, 15};                          \
		uintptr_t values_[8];                                                              \
		__asm__ volatile("movq %%rbx, (%0)\n\t"                                            \
				 "movq %%rbp, 8(%0)\n\t"                                           \
				 "movq %%rsp, 16(%0)\n\t"                                          \
				 "movq %%r12, 24(%0)\n\t"                                          \
				 "movq %%r13, 32(%0)\n\t"                                          \
				 "movq %%r14, 40(%0)\n\t"                                          \
				 "movq %%r15, 48(%0)\n\t"                                          \
				 "leaq 0(%%rip), %%rcx\n\t"                                        \
				 "movq %%rcx, 56(%0)"                                              \
				 :                                                                 \
				 : "a"(values_)                                                    \
				 : "rcx", "memory");                                               \
		for (unsigned i_ = 0; i_ < sizeof(kept_); i_++) {                                  \
			(machine)->reg[kept_[i_]] = values_[i_];                                   \
			(machine)->known[kept_[i_]] = true;                                        \
		}                                                                                  \
		*(address) = values_[7];                                                           \
	} while (0)
#elif defined(__aarch64__)
#define TAKE_REGISTERS(machine, address)                                                           \
	do {                                                                                       \
		uintptr_t values_[14];                                                             \
		register uintptr_t *to_ __asm__("x9") = values_;                                   \
		__asm__ volatile("stp x19, x20, [x9]\n\t"                                          \
				 "stp x21, x22, [x9, #16]\n\t"                                     \
				 "stp x23, x24, [x9, #32]\n\t"                                     \
				 "stp x25, x26, [x9, #48]\n\t"                                     \
				 "stp x27, x28, [x9, #64]\n\t"                                     \
				 "stp x29, x30, [x9, #80]\n\t"                                     \
				 "mov x10, sp\n\t"                                                 \
				 "adr x11, .\n\t"                                                  \
				 "stp x10, x11, [x9, #96]"                                         \
				 :                                                                 \
				 : "r"(to_)                                                        \
				 : "x10", "x11", "memory");                                        \
		for (unsigned i_ = 0; i_ < 13; i_++) {                                             \
			(machine)->reg[19 + i_] = values_[i_];                                     \
			(machine)->known[19 + i_] = true;                                          \
		}                                                                                  \
		*(address) = values_[13];                                                          \
	} while (0)
#endif

/* Why there is no step from here. */
static enum tl_chain_end walk_end(const struct library *library, uintptr_t address)
{
	if (!address)
		return TL_CHAIN_COROUTINE;
	return library->found ? TL_CHAIN_UNKNOWN : TL_CHAIN_MADE;
}

/* The kernel's frame for a signal handler, of which no table tells: as with one. */
static bool chain_step_signal(struct tl_machine *machine, const struct library *library,
			      uintptr_t *address, struct tl_chain_frame *frame)
{
	if (!library->found || !tl_signal_frame_is(*address))
		return false;
	*frame = (struct tl_chain_frame){.function = *address,
					 .library = library->base,
					 .low = machine->reg[TL_REGISTER_SP],
					 .signal = true};
	if (!tl_signal_frame_step(machine, address))
		return false;
	frame->back = *address;
	frame->high = machine->reg[TL_REGISTER_SP];
	return true;
}

__attribute__((noinline)) enum tl_chain_end
tl_chain_walk(bool (*visit)(const struct tl_chain_frame *frame, void *closure), void *closure)
{
	struct tl_machine machine = {.stack = {0, 0}};
	struct library library = {.found = false};
	uintptr_t address, mark = tl_chain_coroutine_mark();
	bool called = false; /* the address is behind a call, not where a signal interrupted */

	TAKE_REGISTERS(&machine, &address);
	for (unsigned i = 0; i < DEEPEST; i++) {
		struct tl_eh_function function;
		struct tl_unwind_rules rules;
		struct tl_chain_frame frame;
		if (!library_find(&library, address - called) ||
		    !tl_eh_find(&library.image, address - called, &function)) {
			if (!called || !chain_step_signal(&machine, &library, &address, &frame))
				return walk_end(&library, address);
			called = false;
			if (visit(&frame, closure))
				return TL_CHAIN_STOPPED;
			continue;
		}
		machine.base = library.image.table;
		if (!tl_unwind_find_rules(&function, address - called, machine.base, &rules) ||
		    !tl_unwind_find_cfa(&machine, &rules, &frame.high))
			return TL_CHAIN_UNKNOWN;
		frame.low = machine.reg[TL_REGISTER_SP];
		if (function.back >= TL_REGISTERS ||
		    (i && !function.of_signal && frame.high < frame.low))
			return TL_CHAIN_UNKNOWN;
		bool first = rules.reg[function.back].kind == TL_RULE_UNDEFINED;
		frame.function = function.start;
		frame.library = library.base;
		frame.program = library.program;
		frame.signal = function.of_signal;
		tl_unwind_step(&machine, &rules, frame.high);
		frame.back = machine.known[function.back]
				     ? tl_return_address(machine.reg[function.back])
				     : 0;
		/* Without this, the compiler would invert the mark once, and keep it. */
		__asm__ volatile("" : "+r"(mark));
		bool coroutine = mark && frame.back == ~mark;
		if (coroutine)
			frame.back = machine.reg[function.back] = 0;
		if (i && visit(&frame, closure))
			return TL_CHAIN_STOPPED;
		if (first || coroutine)
			return first ? TL_CHAIN_THREAD : TL_CHAIN_COROUTINE;
		if (!machine.known[function.back] || !machine.known[TL_REGISTER_SP])
			return TL_CHAIN_UNKNOWN;
		address = frame.back;
		called = !function.of_signal;
	}
	return TL_CHAIN_DEEP;
}
