/* SPDX-License-Identifier: MIT */
/*
 * filtered.c: runs a program under a seccomp filter as containers' are: what is unusual
 * (memfd_create, userfaultfd, perf_event_open, membarrier, rseq, ptrace, process_vm_readv, unshare,
 * setns, ...) is refused with EPERM.
 */
#include <errno.h>
#include <seccomp.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	static const char *const refused[] = {"memfd_create",
					      "userfaultfd",
					      "perf_event_open",
					      "membarrier",
					      "ptrace",
					      "process_vm_readv",
					      "process_vm_writev",
					      "unshare",
					      "setns",
					      "bpf",
					      "clone3",
					      "pidfd_open",
					      "io_uring_setup",
					      "rseq",
					      "sched_setaffinity"};
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);

	for (unsigned i = 0; filter && i < sizeof(refused) / sizeof(*refused); i++)
		if (seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM),
				     seccomp_syscall_resolve_name(refused[i]), 0) != 0)
			return 3;
	if (!filter || seccomp_load(filter) != 0)
		return 4;
	execvp(argv[1], argv + 1);
	perror(argv[1]);
	return 127;
}
