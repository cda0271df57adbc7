/* SPDX-License-Identifier: MIT */
/*
 * kernel_x86_64.h: see kernel.h. Arguments in rdi, rsi, rdx, r10, r8, r9, the number in rax; the
 * kernel changes rcx and r11.
 */
#ifndef TL_LAYER_BASE_LIBC_KERNEL_X86_64_H
#define TL_LAYER_BASE_LIBC_KERNEL_X86_64_H

#define TL_VDSO_CLOCK_GETTIME "__vdso_clock_gettime"
#define TL_ERRNO_VERSION      "GLIBC_2.2.5"

static inline long tl_kernel(long number, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long answer;

	__asm__ volatile("syscall"
			 : "=a"(answer)
			 : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return answer;
}

/* Two arguments, and no function: see TL_BEFORE_RELOCATION. */
#define TL_KERNEL_IN_PLACE(number, a, b)                                                           \
	({                                                                                         \
		long answer_;                                                                      \
		__asm__ volatile("syscall"                                                         \
				 : "=a"(answer_)                                                   \
				 : "0"((long)(number)), "D"((long)(a)), "S"((long)(b))             \
				 : "rcx", "r11", "memory");                                        \
		answer_;                                                                           \
	})

static inline char *tl_thread_pointer(void)
{
	char *pointer;

	__asm__("mov %%fs:0, %0" : "=r"(pointer));
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
	register long child_tid __asm__("r10") = 0;
	register void *r8 __asm__("r8") = thread_pointer;
	long answer;

	__asm__ volatile("syscall\n\t"
			 "test %%rax, %%rax\n\t"
			 "jnz 1f\n\t" TL_NO_CALLER(
				 "rip") "xor %%ebp, %%ebp\n\t"
					"xor %%edi, %%edi\n\t"
					"call *%[run]\n\t"
					"mov %%eax, %%edi\n\t"
					"mov $60, %%eax\n\t" /* exit, of this thread alone */
					"syscall\n\t"
					"hlt\n\t" TL_CALLER_AGAIN "1:"
			 : "=a"(answer)
			 : "0"(56L), "D"(flags), "S"(stack), "d"(parent_tid), "r"(child_tid),
			   "r"(r8), [run] "b"(run)
			 : "rcx", "r11", "memory");
	return answer;
}

#endif
