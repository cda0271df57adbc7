#!/bin/bash
# SPDX-License-Identifier: MIT
# Programs in strange surroundings: calls looked up before the C library is set up, long chains of programs, time namespaces.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
need_command
libtracelayer=$(cd "$top_builddir" && pwd)/.libs/libtracelayer.so
tracelayer=$(cd "$top_builddir" && pwd)/tracelayer
double=$(cd "$top_builddir" && pwd)/tests/apps/.libs/clock_double.so
export OCL_ICD_VENDORS=$tmp/none
cd "$tmp" || exit 99
: "${CC:=cc}"
plan 13

# --- .preinit_array
cat >early.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>
static int (*get)(unsigned, void *, unsigned *);
static char **before;
static void look_up(int argc, char **argv, char **envp)
{
	char **was = environ;
	unsigned n;
	get = (int (*)(unsigned, void *, unsigned *))dlsym(RTLD_DEFAULT, "clGetPlatformIDs");
	if (argc > 1)
		get(0, NULL, &n);
	before = environ == was ? envp : NULL;
	(void)argv;
}
__attribute__((section(".preinit_array"), used)) static void (*entry)(int, char **, char **) = look_up;
int main(void)
{
	unsigned n;
	for (int i = 0; i < 7; i++)
		get(0, NULL, &n);
	return before && getenv("PATH") ? 5 : 6;
}
END
$CC -o early early.c -Wl,--no-as-needed -lOpenCL 2>/dev/null || $CC -o early early.c -Wl,--no-as-needed -l:libOpenCL.so.1
"$tracelayer" run -o early.json ./early 2>err
is "$? $(cat err)" "5 tracelayer: trace: early.json (7 events)" "a function looked up in .preinit_array is traced, by the settings"
is "$(ls trace.* 2>/dev/null)" "" "... and nowhere else"
"$tracelayer" run -o early.json ./early called 2>err
traced=$?; ./early called; alone=$?
is "$traced $(cat err)" "$alone tracelayer: trace: early.1.json (8 events)" "also where it is called there"

# --- children of children: their forks wait for nothing. A process that waits gives the processor away again and again.
cat >nested.py <<'END'
import os, resource, sys
def fork(depth):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw
    child = os.fork()
    if child:
        given_away = resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw - before
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        return status or given_away >= 50
    os._exit(fork(depth - 1) if depth else 0)
sys.exit(fork(5))
END
LD_PRELOAD=$libtracelayer "$python" nested.py
is $? 0 "the forks of a forked child do not wait"

# --- a child that shares its parent's memory makes calls before its parent's first one
cat >shares.c <<'END'
#include <sys/wait.h>
#include <unistd.h>
int clGetPlatformIDs(unsigned, void *, unsigned *);
int main(void)
{
	unsigned n;
	int status;
	pid_t child = vfork();
	if (!child) {
		clGetPlatformIDs(0, NULL, &n);
		clGetPlatformIDs(0, NULL, &n);
		_exit(3);
	}
	if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 3)
		return 1;
	for (int i = 0; i < 7; i++)
		clGetPlatformIDs(0, NULL, &n);
	return 5;
}
END
$CC -o shares shares.c -l:libOpenCL.so.1
"$tracelayer" run -o shares.json ./shares 2>err
is "$? $(sed 1d err)" "5 tracelayer: trace: shares.json (7 events, 2 lost)" "calls of a vfork's child before the parent's first: the parent's are in the trace"
is "$(sed 1q err)" "tracelayer: $tmp/shares.json: 2 events lost; a child that shares this process's memory (vfork) made them, before this process's first call" \
	"... and the line says what the others were"
"$tracelayer" run --level=none --tool=summary ./shares 2>err
is "$? $(awk '/^clGetPlatformIDs/ { print $2 }' err)" "5 7" "... and tools see the parent's"

# --- chains
cat >stack_frames.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int clGetPlatformIDs(unsigned, void *, unsigned *);
int main(int argc, char **argv)
{
	char left[20];
	unsigned n;
	clGetPlatformIDs(0, NULL, &n);
	if (argc < 2 || !atoi(argv[1]))
		return 5;
	snprintf(left, sizeof(left), "%d", atoi(argv[1]) - 1);
	execl(argv[0], argv[0], left, (char *)NULL);
	return 9;
}
END
$CC -o chain stack_frames.c -l:libOpenCL.so.1
"$tracelayer" run -o chain.json ./chain 119 2>err & pid=$!
wait $pid
is "$? $(cat err)" "5 tracelayer: 120 traces: chain.json to chain.119.json (120 events)" "a chain of 120 programs: each has a trace, and no place is full"
# One file for all of them: the last program stops with it there.
cat >stop.c <<'END'
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int clGetPlatformIDs(unsigned, void *, unsigned *);
int main(int argc, char **argv)
{
	char left[20], own[64];
	unsigned n, files = 0;
	DIR *folder = opendir("/dev/shm");
	struct dirent *one;
	if (atoi(argv[1])) {
		clGetPlatformIDs(0, NULL, &n);
		snprintf(left, sizeof(left), "%d", atoi(argv[1]) - 1);
		execl(argv[0], argv[0], left, (char *)NULL);
	}
	snprintf(own, sizeof(own), "tracelayer-buffers.%d.", (int)getpid());
	while (folder && (one = readdir(folder)))
		files += !strncmp(one->d_name, own, strlen(own));
	return argc > 1 ? (int)files : 99;
}
END
$CC -o stop stop.c -l:libOpenCL.so.1
"$tracelayer" run -o stop.json ./stop 20 2>err
# Or two: an earlier process of that number may have left one.
ok "... and its programs leave one file of buffers" test $? -le 2

# --- time namespaces
cat >die.c <<'END'
#include <signal.h>
#include <unistd.h>
int clGetPlatformIDs(unsigned count, void *platforms, unsigned *number)
{
	(void)count, (void)platforms, (void)number;
	usleep(200000);
	raise(SIGKILL);
	return 0;
}
END
mkdir stub && $CC -shared -fPIC -o stub/libOpenCL.so.1 die.c -Wl,-soname,libOpenCL.so.1
# lasts: milliseconds of the call that the program died in.
lasts() { "$python" -c 'import json; print(*(round(e["dur"] / 1000) for e in json.load(open("ns.json")) if e["name"].startswith("cl")))'; }
# The program's clock is 1000 s ahead of the machine's. For one that is 1000 s behind the command's, the command's clock is 2000 s ahead: no clock may be
# below 0, and the machine may have started a minute ago.
if unshare -T --monotonic 1000 true 2>/dev/null; then
	for offset in 1000 -1000; do
		ahead=()
		test $offset = 1000 || ahead=(unshare -T --monotonic 2000)
		for what in distrust none; do
			rm -f ns*.json
			"${ahead[@]}" env CLOCK_DOUBLE=$what LD_PRELOAD="$double" LD_LIBRARY_PATH=stub "$tracelayer" run -o ns.json unshare -T --monotonic 1000 ./chain 0 2>err
			took=$(lasts)
			ok "time namespace of $offset s, clock double $what: the call lasts as long as it did" test "${took:-0}" -ge 200 -a "${took:-0}" -lt 20000
		done
	done
else
	skip 4 "time namespaces can't be had on this machine"
fi
