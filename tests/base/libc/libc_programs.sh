#!/bin/bash
# SPDX-License-Identifier: MIT
# Programs in which another library stands in the place of libc's functions, or which a sanitizer watches, or which have much thread-local memory:
# they say the same and end the same with all their calls traced by the writer's thread.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
build=$(cd "$top_builddir" && pwd)
shims=$build/.libs/libbench_shims.so
source=$top_srcdir/tests/base/libc
callee="-I$top_srcdir/bench -L$build/.libs -lbench_callee -Wl,-rpath,$build/.libs -pthread"
million=1000000
plan 39

build_as() { local compiler=$1 output=$2; shift 2; $compiler -std=gnu11 -O1 -g "$@" -o "$tmp/$output" $callee; }

# same_and_whole WHAT CALLS COMMAND…: bare and traced say and end alike, nothing is on stderr that was not, and so many calls are in the trace. The
# preloading is what `run` does: TRACED, where the command has preloads of its own, stands for ours.
same_and_whole()
{
	local what=$1 want=$2 found
	shift 2
	rm -rf "$tmp/traces"
	mkdir "$tmp/traces"
	env -u TRACED timeout 200 "$@" >"$tmp/bare" 2>"$tmp/bare.err"
	echo "exit code $?" >>"$tmp/bare"
	TRACED="$libtracelayer:$shims" TRACELAYER_OUTPUT="$tmp/traces/t.%p.json" timeout 200 "$@" >"$tmp/traced" 2>"$tmp/traced.err"
	echo "exit code $?" >>"$tmp/traced"
	sort -o "$tmp/bare" "$tmp/bare"
	sort -o "$tmp/traced" "$tmp/traced"
	ok "$what: says the same and ends the same" sh -c 'diff -a "$0/bare" "$0/traced" && diff -a "$0/bare.err" "$0/traced.err"' "$tmp"
	found=$(cat "$tmp/traces/"*.json 2>/dev/null | grep -c '"name":"bench_')
	is "$found" "$want" "$what: every call is in the trace"
}
# with COMMAND…: preloads what TRACED says, before what is preloaded already.
cat >"$tmp/with" <<'END'
#!/bin/sh
if test -n "$TRACED"; then LD_PRELOAD=$TRACED${LD_PRELOAD:+:$LD_PRELOAD}; export LD_PRELOAD; fi
exec "$@"
END
# behind: the same, after it.
sed 's/=\$TRACED.*; export/=${LD_PRELOAD:+$LD_PRELOAD:}$TRACED; export/' "$tmp/with" >"$tmp/behind"
chmod +x "$tmp/with" "$tmp/behind"

ok "the program builds" build_as "${CC:-cc}" calls "$source/calls.c"
same_and_whole "the program itself" 100002 "$tmp/with" "$tmp/calls" 100000 1

# Message passing: UCX, in Debian's MPICH, patches mmap and its like in libc itself.
for mpi in mpich openmpi; do
	if ! command -v mpicc.$mpi >/dev/null || ! command -v mpirun.$mpi >/dev/null; then
		skip 3 "there is no $mpi on this machine"
		continue
	fi
	root=
	test "$mpi" = mpich || root="--allow-run-as-root --oversubscribe"
	ok "$mpi: the program builds" build_as mpicc.$mpi $mpi "$source/mpi.c"
	same_and_whole "$mpi: two processes" 40000 mpirun.$mpi $root -n 2 "$tmp/with" "$tmp/$mpi" 20000
done

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
for compiler in gcc clang-14; do
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
