/* SPDX-License-Identifier: MIT */
/*
 * memory_limits.c: prints what the process's memory cgroup and those above allow it, as
 * common/memory_limits.h finds it below a root: bytes, or "none".
 */
#include <inttypes.h>
#include <stdio.h>

#include "common/memory_limits.h"

int main(int argc, char **argv)
{
	uint64_t limit = tl_limits_cgroup(argc > 1 ? argv[1] : "");

	if (limit == UINT64_MAX)
		puts("none");
	else
		printf("%" PRIu64 "\n", limit);
	return 0;
}
