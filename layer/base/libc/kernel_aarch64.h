/* SPDX-License-Identifier: MIT */
/*
 * kernel_aarch64.h: see kernel.h. Arguments in x0 to x5, the number in x8; the kernel changes x0
 * alone.
 */
#ifndef TL_LAYER_BASE_LIBC_KERNEL_AARCH64_H
#define TL_LAYER_BASE_LIBC_KERNEL_AARCH64_H

#define TL_VDSO_CLOCK_GETTIME "__kernel_clock_gettime"
#define TL_ERRNO_VERSION      "GLIBC_2.17"

static inline long tl_kernel(long number, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}

/* Two arguments, and no function: see TL_BEFORE_RELOCATION. */
#define TL_KERNEL_IN_PLACE(number, a, b)                                                           \
	({                                                                                         \
		register long x8_ __asm__("x8") = (long)(number);                                  \
		register long x0_ __asm__("x0") = (long)(a);                                       \
		register long x1_ __asm__("x1") = (long)(b);                                       \
		__asm__ volatile("svc 0" : "+r"(x0_) : "r"(x8_), "r"(x1_) : "memory");             \
		x0_;                                                                               \
	})

static inline char *tl_thread_pointer(void)
{
	char *pointer;

	__asm__("mrs %0, tpidr_el0" : "=r"(pointer));
	return pointer;
}

/*
 * A new thread runs run(NULL) on that stack (aligned to 16 bytes; its end) and exits with the
 * answer. The caller gets the thread's number, or -errno. There is nothing above run in a
 * backtrace.
 */
static inline long tl_kernel_clone(unsigned long flags, void *stack, int *parent_tid,
				   void *thread_pointer, int (*run)(void *))
{
	register long x8 __asm__("x8") = 220;
	register long x0 __asm__("x0") = (long)flags;
	register void *x1 __asm__("x1") = stack;
	register int *x2 __asm__("x2") = parent_tid;
	register void *x3 __asm__("x3") = thread_pointer;
	register long x4 __asm__("x4") = 0;
	register int (*x9)(void *) __asm__("x9") = run;

	__asm__ volatile("svc 0\n\t"
			 "cbnz x0, 1f\n\t" TL_NO_CALLER(
				 "x30") "mov x29, xzr\n\t"
					"mov x30, xzr\n\t"
					"blr x9\n\t"
					"mov x8, 93\n\t" /* exit, of this thread alone */
					"svc 0\n\t"
					"brk 0\n\t" TL_CALLER_AGAIN "1:"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x9)
			 : "x30", "memory");
	return x0;
}

#endif
