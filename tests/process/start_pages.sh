#!/bin/bash
# SPDX-License-Identifier: MIT
# What the layer costs a program that makes no traced call: few pages are touched (each costs more than a microsecond, and all else costs less), and it
# does not wait for the kernel.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
: "${CC:=cc}"

plan 9

source=$(cd "$top_srcdir" && pwd)
cd "$tmp" || exit 99
echo 'int main(void) { return 0; }' >nothing.c
$CC -O2 nothing.c -o nothing || exit 99
cat >asks.c <<'END_OF_FILE'
#define _GNU_SOURCE
#include <dlfcn.h>
int main(void)
{
	Dl_info info;
	return !dladdr((void *)main, &info);
}
END_OF_FILE
$CC -O2 asks.c -o asks -ldl || exit 99

cat >faults.py <<'END_OF_FILE'
# The page faults of a program's whole life; the fewest of nine runs. PROGRAM PRELOADED, or PROGRAM alone with the environment as it is.
import os, sys
environment = dict(os.environ)
if len(sys.argv) > 2:
    environment = {name: text for name, text in environment.items() if not name.startswith(("LD_", "TRACELAYER_"))}
    environment["TRACELAYER_OUTPUT"] = "/dev/null"
    if sys.argv[2]:
        environment["LD_PRELOAD"] = sys.argv[2]
def run():
    child = os.posix_spawn(sys.argv[1], sys.argv[1:2], environment)
    _, status, usage = os.wait4(child, 0)
    assert status == 0
    return usage.ru_minflt
print(min(run() for _ in range(9)))
END_OF_FILE
faults() { "$python" faults.py "$@"; }

for program in nothing asks; do
	bare=$(faults "./$program" "") with=$(faults "./$program" "$libtracelayer")
	run=$("$tracelayer" run --quiet -o trace.json -- "$python" faults.py "./$program")
	diag "$program: $bare page faults, $with with the layer, $run by run"
	ok "$program: the layer adds page faults, so it is there" test "$with" -gt "$bare"
	ok "$program: at most 60" test $((with - bare)) -le 60
	ok "$program: at most 70 by tracelayer run, to which it reports" test $((run - bare)) -le 70
done

# --- membarrier is registered before any constructor: with a second thread the kernel would wait for all processors, for 5 to 20 ms
cat >first.c <<'END_OF_FILE'
#include <errno.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
/* A library that the program needs: its constructor comes before that of a library in LD_PRELOAD. */
static __attribute__((constructor)) void ask(void)
{
	long answer = syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);

	printf("%s\n", !answer ? "registered" : errno == EPERM ? "not registered" : "no membarrier");
}
int first(void)
{
	return 0;
}
END_OF_FILE
echo 'int first(void); int main(void) { return first(); }' >later.c
$CC -shared -fPIC first.c -o libfirst.so && $CC later.c -o later -L. -lfirst -Wl,-rpath,"$tmp" || exit 99
bare=$(./later)
if test "$bare" = "no membarrier"; then
	skip 3 "this machine's kernel has no membarrier"
else
	is "$bare" "not registered" "a program by itself is not registered with membarrier"
	is "$(TRACELAYER_OUTPUT=/dev/null LD_PRELOAD=$libtracelayer ./later)" registered "with the layer it is, before the first constructor"
	# What a compiler adds to functions is found by slots that the dynamic linker has yet to fill.
	$CC -O0 -finstrument-functions -shared -fPIC -Wl,-z,lazy -I"$source" "$source/layer/base/membarrier.c" -o observed.so || exit 99
	is "$(LD_PRELOAD=$tmp/observed.so ./later)" registered "... also in a build that observes its functions"
fi
