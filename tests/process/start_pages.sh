#!/bin/bash
# SPDX-License-Identifier: MIT
# What the layer costs a program that makes no traced call: few pages are touched. Each costs more than a microsecond, and all else costs less.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
: "${CC:=cc}"

plan 4

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

# faults PROGRAM PRELOADED: the page faults of the program's whole life; the fewest of nine runs.
faults()
{
	python3 - "$@" <<-'END_OF_FILE'
		import os, sys
		environment = {name: text for name, text in os.environ.items() if not name.startswith(("LD_", "TRACELAYER_"))}
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
}

for program in nothing asks; do
	bare=$(faults "./$program" "") with=$(faults "./$program" "$libtracelayer")
	diag "$program: $bare page faults, $with with the layer"
	ok "$program: the layer adds page faults, so it is there" test "$with" -gt "$bare"
	ok "$program: at most 60" test $((with - bare)) -le 60
done
