#!/bin/bash
# SPDX-License-Identifier: MIT
# Pages of 4, 16 and 64 KiB on arm64: programs are recorded by all that maps memory, and no mapping is what a kernel with such pages refuses, or what changes
# more than was meant (page_sizes.py). qemu-user 7.2 tells programs of any size (-p). make check-arm64 runs this outside of the root; the build folder is arm64's.
export TMPDIR=$top_builddir
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
qemu=$(command -v qemu-aarch64) || { echo "Bail out! qemu-aarch64 is missing; ./scripts/install-packages test installs it"; exit 99; }
case $("$qemu" --version) in
*"version 7."* | *"version 8."*) ;;
*) plan 0 "qemu-user from 9.0 on has no other pages than its host"; exit 0 ;;
esac
top_builddir=$(cd "$top_builddir" && pwd)
export QEMU_LD_PREFIX=$ARM64_ROOT
export ZE_ENABLE_ALT_DRIVERS=$top_builddir/tests/drivers/.libs/ze_driver_a.so
plan 34

cat >"$tmp/page_size.c" <<'END'
#include <stdio.h>
#include <sys/auxv.h>
int main(void)
{
	printf("%lu\n", getauxval(AT_PAGESZ));
	return 0;
}
END
cat >"$tmp/wrong.c" <<'END'
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
/* The rest of the first page stays; then a place that is no page's beginning with larger pages. */
static void *wrong(void *unused)
{
	char *two = mmap(NULL, 2 << 16, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(two, 4096);
	mprotect(two + 4096, 4096, PROT_NONE);
	return two;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, wrong, NULL);
	pthread_join(thread, NULL);
	if (!fork()) {
		wrong(NULL);
		_exit(0);
	}
	wait(NULL);
	return 0;
}
END
aarch64-linux-gnu-gcc -static "$tmp/page_size.c" -o "$tmp/page_size" && aarch64-linux-gnu-gcc -static -pthread "$tmp/wrong.c" -o "$tmp/wrong" || exit 99

# emulated LOG [NAME=VALUE…] PROGRAM…: with pages of $page bytes, and system calls in the log: a line when one begins, and one when it has ended.
emulated()
{
	local log=$1 variables=(); shift
	while case $1 in *=*) ;; *) false ;; esac; do variables+=(-E "$1"); shift; done
	timeout 200 "$qemu" -p "$page" -d trace:guest_user_syscall,trace:guest_user_syscall_ret -D "$log" "${variables[@]}" "$@"
}
# sound WHAT LOG: and the log has what it should be about.
sound() { ok "$1" python3 -B "$top_srcdir/tests/arm64/page_sizes.py" "$2" "$page" || diag "$(python3 -B "$top_srcdir/tests/arm64/page_sizes.py" "$2" "$page" | head -n 8)"; }
# counted WHAT LOG: how many there are.
counted() { python3 -B "$top_srcdir/tests/arm64/page_sizes.py" "$2" "$page" | awk -v what="$1" '$1 == what { print $2 }'; }
calls() { grep -c '"name":"ze' "$1"; }

for page in 4096 16384 65536; do
	kib=$((page / 1024)) library=LD_PRELOAD=$top_builddir/.libs/libtracelayer.so
	is "$(emulated "$tmp/log" "$tmp/page_size")" "$page" "$kib KiB: programs see such pages"
	emulated "$tmp/log" "$tmp/wrong"
	is "$(python3 -B "$top_srcdir/tests/arm64/page_sizes.py" "$tmp/log" "$page" | grep -oE '^[a-z]+: [a-z]+' | sort | paste -sd,)" \
		"$(test "$page" = 4096 || echo "neighbours: mprotect,neighbours: mprotect,neighbours: munmap,neighbours: munmap,refused: mprotect,refused: mprotect")" \
		"$kib KiB: what is wrong with them is found, in a thread and in a child"
	# Threads, a writer, a device, stacks.
	emulated "$tmp/log" "$library" "TRACELAYER_OUTPUT=$tmp/$kib.json" "TRACELAYER_STACK=*" "$top_builddir/tests/apps/ze_vector_add" -t 2 -n 300 >"$tmp/out" 2>"$tmp/err"
	is "$? $(cat "$tmp/err")" "0 " "$kib KiB: a program is recorded"
	is "$(calls "$tmp/$kib.json")" "$(calls "$tmp/4.json")" "$kib KiB: with as many calls as with pages of 4 KiB"
	sound "$kib KiB: all its mappings are sound" "$tmp/log"
	like "$(counted populate "$tmp/log") $(counted guard "$tmp/log")" '^[1-9][0-9]* [1-9]' "$kib KiB: the arena and the writer's guard page are among them"
	# The flight recorder, whose memory is one ring.
	emulated "$tmp/log" "$library" "TRACELAYER_OUTPUT=$tmp/ring.json" TRACELAYER_FULL=ring "$top_builddir/tests/apps/ze_vector_add" -t 2 -n 300 >"$tmp/out" 2>"$tmp/err"
	is "$? $(cat "$tmp/err")" "0 " "$kib KiB: a flight recorder"
	sound "$kib KiB: and its mappings" "$tmp/log"
	# XPTI's dispatcher has memory of its own.
	emulated "$tmp/log" "LD_LIBRARY_PATH=$top_builddir/.libs" "$top_builddir/xpti_corners_test" >"$tmp/out" 2>"$tmp/err"
	is "$?" 0 "$kib KiB: XPTI's dispatcher" || diag "$(grep '^not ok' "$tmp/out"; tail -n 5 "$tmp/err")"
	sound "$kib KiB: and its mappings" "$tmp/log"
	# The command maps traces and libraries.
	emulated "$tmp/log" "$top_builddir/tracelayer" summary "$tmp/4.json" >"$tmp/out" 2>"$tmp/err"
	is "$? $(grep -c '^zeCommandListAppendLaunchKernel ' "$tmp/out") $(cat "$tmp/err")" "0 1 " "$kib KiB: the command reads a trace"
done
# Segments of one library may not share a page, whatever the kernel's pages: files are aligned for the largest.
unaligned=
for file in "$top_builddir"/.libs/*.so "$top_builddir"/.libs/tracelayer/*/*.so* "$top_builddir/tracelayer"; do
	test -L "$file" || readelf -lW "$file" | awk '$1 == "LOAD" && $NF != "0x10000" { exit 1 }' || unaligned+=" ${file##*/}"
done
is "$unaligned" "" "libraries and the command are aligned for pages of 64 KiB"
