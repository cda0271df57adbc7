/* SPDX-License-Identifier: MIT */
/*
 * sandbox.h: for Check tests: a sandbox that refuses process_vm_readv, as some containers do.
 */
#ifndef TL_TESTS_LIB_SANDBOX_H
#define TL_TESTS_LIB_SANDBOX_H

#include <check.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

static inline void refuse_process_vm_readv(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_process_vm_readv, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {4, filter};

	ck_assert_int_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	ck_assert_int_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

/* The same, and there is no pipe either by which the kernel could be asked whether memory is there. */
static inline void refuse_every_question(void)
{
	const struct rlimit no_descriptors = {0, 0};

	refuse_process_vm_readv();
	setrlimit(RLIMIT_NOFILE, &no_descriptors);
}

#endif
