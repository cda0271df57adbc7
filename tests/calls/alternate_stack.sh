#!/bin/bash
# SPDX-License-Identifier: MIT
# The first traced call of a process, or of a thread, comes from a signal handler on a small alternate stack. The kernel's part of such a stack depends on
# the processor; on most, this is a stack of 8192 bytes.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
need_command
cd "$tmp" || exit 99
plan 6

echo 'int sample_work(int n);' >sample.h
echo 'int sample_work(int n) { return n + 1; }' >sample.c
cat >alternate.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include "sample.h"
#define LARGE (1 << 20)
static int calls;
static void handler(int signal) { for (int i = 0; i < calls; i++) sample_work(1); }
/* How much of a stack is used that ends where memory ends. */
static long raise_on(long size)
{
	char *memory = mmap(NULL, LARGE + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *at;
	long pages = (size + 4095) & -4096L;
	char *stack = memory + LARGE + 4096 - pages;
	memset(memory, 0xa5, LARGE + 4096);
	/* The stack's top is moved down, so that its end is at a page that can't be read. */
	mprotect(stack - 4096, 4096, PROT_NONE);
	stack_t is = {.ss_sp = stack, .ss_size = size};
	sigaltstack(&is, NULL);
	raise(SIGUSR1);
	for (at = stack; (unsigned char)*at == 0xa5; at++)
		;
	return stack + size - at;
}
static void *thread(void *size) { raise_on(*(long *)size); return NULL; }
int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
	pthread_t other;
	sigaction(SIGUSR1, &action, NULL);
	long size = raise_on(65536) + 5232;
	calls = 3;
	if (argc > 1)
		sample_work(1);
	else
		raise_on(size);
	pthread_create(&other, NULL, thread, &size);
	pthread_join(other, NULL);
	printf("whole\n");
	return 0;
}
END
cc=${CC:-cc}
$cc -O1 -fPIC -shared -Wl,-soname,libsample.so.1 -o libsample.so.1 sample.c && $cc -O1 -o alternate alternate.c ./libsample.so.1 -Wl,-rpath,"$tmp" -Wl,-z,now -lpthread ||
	{ echo "Bail out! no program"; exit 99; }

# on_small CALLS OPTION… [-- ARGUMENT]: what it prints, and how many calls there are.
on_small()
{
	rm -f t.tlt
	"$tracelayer" run --quiet -o t.tlt --lib ./libsample.so.1 "$@" >out 2>&1
	echo "$? $(cat out), $("$tracelayer" summary --format=csv t.tlt 2>&1 | sed -n 's/^\(call,\)\{0,1\}sample_work,\([0-9]*\),.*/\2/p') calls"
}
is "$(on_small --header sample.h ./alternate)" "0 whole, 6 calls" "a process's and a thread's first calls"
is "$(on_small --header sample.h ./alternate later)" "0 whole, 4 calls" "a thread's alone"
is "$(on_small ./alternate)" "0 whole, 6 calls" "both, of functions that are known by name alone"
is "$(on_small ./alternate later)" "0 whole, 4 calls" "a thread's alone, of such functions"
is "$(on_small --header sample.h --stack ./alternate)" "0 whole, 6 calls" "both, with stacks"
is "$(on_small --header sample.h --args=none ./alternate)" "0 whole, 6 calls" "both, without arguments"
