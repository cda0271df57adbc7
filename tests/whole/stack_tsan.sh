#!/bin/bash
# SPDX-License-Identifier: MIT
# Programs that gcc and clang built with ThreadSanitizer, a million traced calls each from several threads. It follows every function of libc that has to
# do with threads: tracelayer's threads must not confuse it, and it may report nothing that it does not report of the bare program.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/stack.sh"
plan 34

shims toy "$top_srcdir/tests/apps/toy_sum.json" -- "-I$top_srcdir/tests/apps"
ok "the library is built" ${CC:-cc} -O1 -fPIC -shared -Wl,-soname,libtoy.so -o "$tmp/libtoy.so" "$top_srcdir/tests/apps/toy_sum.c"

# Where addresses of a sanitized program and those that the kernel gives at random meet, it starts itself again, or gives up.
run="setarch -R"
$run true 2>/dev/null || run=

for compiler in gcc "$clang"; do
	command -v $compiler >/dev/null || { echo "Bail out! $compiler is missing; ./scripts/install-packages installs it"; exit 99; }
	ok "$compiler: the programs are built" eval "
		$compiler -fsanitize=thread -O1 -g '$top_srcdir/tests/apps/toy_threads.c' -o '$tmp/clean' -I'$top_srcdir/tests/apps' -L'$tmp' -ltoy -Wl,-rpath,'$tmp' -pthread &&
		$compiler -DRACE -fsanitize=thread -O1 -g '$top_srcdir/tests/apps/toy_threads.c' -o '$tmp/race' -I'$top_srcdir/tests/apps' -L'$tmp' -ltoy -Wl,-rpath,'$tmp' -pthread &&
		$compiler -fsanitize=thread -O1 -g -I'$top_srcdir' -DCL_TARGET_OPENCL_VERSION=300 '$top_srcdir/tests/apps/cl_vector_add.c' -o '$tmp/cl' -lOpenCL -pthread"
	foreign "$compiler, a million calls of 4 threads" "1000000 toy_sum" $run "$tmp/clean" 4 250000
	foreign "$compiler, threads that come and go" "20000 toy_sum" $run "$tmp/clean" 4 50 100
	# The report of a race names threads, addresses and times.
	normalise() { sed -nE 's/^(SUMMARY: ThreadSanitizer: data race).*/\1/p; /^(sum|exit code)/p' | uniq; }
	foreign "$compiler, a program with a race of its own" "20000 toy_sum" $run "$tmp/race" 2 10000
	normalise() { cat; }
	POCL_MAX_PTHREAD_COUNT=2 foreign "$compiler, OpenCL" "3000 cl.*" $run "$tmp/cl" -t 2 -i 1000 -n 64
	foreign "$compiler, fork" "2000 toy_sum" $run "$tmp/clean" 2 1000 1 fork
done
