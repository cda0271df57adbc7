#!/bin/bash
# SPDX-License-Identifier: MIT
# Programs in which another library stands in the place of libc's functions, or which a sanitizer watches, or which have much thread-local memory:
# they say the same and end the same with all their calls traced by the writer's thread.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
. "$top_srcdir/tests/base/libc/same_and_whole.sh"
million=1000000
plan 36

ok "the program builds" build_as "${CC:-cc}" calls "$source/calls.c"
same_and_whole "the program itself" 100002 "$tmp/with" "$tmp/calls" 100000 1

# Message passing; stack_libc_mpich.sh has MPICH.
ok "openmpi: the program builds" build_as mpicc.openmpi openmpi "$source/mpi.c"
same_and_whole "openmpi: two processes" 40000 mpirun.openmpi --allow-run-as-root --oversubscribe --mca btl ^tcp -n 2 "$tmp/with" "$tmp/openmpi" 20000

if command -v fakeroot >/dev/null; then
	for order in with behind; do
		same_and_whole "fakeroot, $order" 100002 fakeroot -- "$tmp/$order" "$tmp/calls" 50000 2
		same_and_whole "fakeroot, $order, late exit handlers" 100002 fakeroot -- "$tmp/$order" "$tmp/calls" 50000 1 late
	done
else
	skip 8 "there is no fakeroot on this machine"
fi

faketime=$(ls /usr/lib/*/faketime/libfaketimeMT.so.1 2>/dev/null | head -n 1)
if test -n "$faketime"; then
	for order in with behind; do
		same_and_whole "libfaketime, $order" 100002 env LD_PRELOAD="$faketime" FAKETIME=-15d "$tmp/$order" "$tmp/calls" 50000 2
		same_and_whole "libfaketime, $order, late exit handlers" 100002 env LD_PRELOAD="$faketime" FAKETIME=-15d "$tmp/$order" "$tmp/calls" 50000 1 late
	done
	# What it shares with its children stays where they end by exec.
	for file in /dev/shm/faketime_shm_* /dev/shm/sem.faketime_sem_*; do
		test ! -e "$file" -o -e "/proc/${file##*_}" || rm -f "$file"
	done
else
	skip 8 "there is no libfaketime on this machine"
fi

# Sanitizers. A report goes to stderr, and changes the exit code.
for compiler in gcc "$clang"; do
	for sanitizer in thread address; do
		if ! command -v $compiler >/dev/null || ! build_as $compiler sanitized "-fsanitize=$sanitizer" "$source/calls.c" 2>"$tmp/err"; then
			skip 2 "$compiler has no -fsanitize=$sanitizer on this machine"
			continue
		fi
		# gcc's address sanitizer has to be the first of all libraries.
		runtime=$(ldd "$tmp/sanitized" | sed -n 's/.*=> \(.*libasan.*\) (.*/\1/p')
		same_and_whole "$compiler, $sanitizer sanitizer, a million calls" $((million + 2)) \
			env ${runtime:+LD_PRELOAD="$runtime"} "$tmp/behind" "$tmp/sanitized" $((million / 4)) 4
	done
done

# Thread-local memory: 1 MB of the program's, 600 KB of a library that is preloaded.
build_as "${CC:-cc}" tls -DTLS=1048576 "$source/tls.c" && build_as "${CC:-cc}" tls.so -DTLS=614400 -DAS_LIBRARY -fPIC -shared "$source/tls.c"
same_and_whole "1 MB of thread-local memory" 500000 "$tmp/with" "$tmp/tls"
same_and_whole "and 600 KB of a library's" 500000 env LD_PRELOAD="$tmp/tls.so" "$tmp/with" "$tmp/tls"
ok "1 MB of it: the program builds" build_as "${CC:-cc}" reach -I"$top_srcdir" -I"$top_builddir" -D_GNU_SOURCE "$source/reach.c" "$top_srcdir/layer/base/raw_thread.c"
ok "what our thread has of it lies in its own memory" "$tmp/reach"
