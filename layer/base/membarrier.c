/* SPDX-License-Identifier: MIT */
/*
 * membarrier.c: see membarrier.h.
 *
 * In a process of several threads the kernel first waits until every processor has passed through
 * the scheduler (synchronize_rcu): 5 to 20 ms. The constructor is too late: libraries like OpenBLAS
 * start threads in theirs, which come first. So the registration is done before all constructors,
 * by a function that the dynamic linker calls while it relocates this library: the resolver of an
 * indirect function, which nobody calls. A library that is opened later pays what the kernel asks.
 */
#include "layer/base/membarrier.h"

#include "layer/base/libc/kernel.h"

static void no_function(void)
{
}

/*
 * Nothing may be used here that the dynamic linker has yet to bind. A failure is no matter: those who
 * need the barrier register again, which costs nothing by then, and look at the answer.
 */
static TL_BEFORE_RELOCATION __attribute__((used)) void (*register_early(void))(void)
{
	TL_KERNEL_IN_PLACE(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0);
	return no_function;
}

static void indirect(void) __attribute__((ifunc("register_early")));

/* What the dynamic linker relocates. */
extern void (*const tl_membarrier_relocated)(void);
void (*const tl_membarrier_relocated)(void) __attribute__((used)) = indirect;
