#!/bin/bash
# SPDX-License-Identifier: MIT
# The writer's thread calls no function that another library may have replaced. After the start, the library's code on the program's threads
# does not either (recording, helping, exit handlers). watcher.so replaces all such functions, and ends the process at a call of one.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
: >"$tmp/begun"
need_library
build=$(cd "$top_builddir" && pwd)
test "$(uname -m)" = x86_64 || skip_all "the watcher is written for x86-64, and this machine is another"

# What libtracelayer.so takes from libc, and what others are known to replace; but for what the compiler's startup code calls, and two that do no more
# than to set a word in the thread that calls them: a thread's end asks for another round of its destructors, and while tools and drivers report at _exit the
# thread can't be cancelled.
names()
{
	nm -D --undefined-only "$libtracelayer" | sed 's/.* //; s/@.*//'
	echo mmap mmap64 munmap mremap madvise brk sbrk shmat shmdt malloc free calloc realloc memalign posix_memalign \
		open openat close read write pread pwrite readv writev pwritev lseek stat lstat fstat fstatat unlink rename access faccessat \
		fopen fclose fread fwrite fputs fputc fgets fprintf printf snprintf vsnprintf puts strerror strerror_r strerrordesc_np \
		clock_gettime gettimeofday time nanosleep clock_nanosleep usleep sched_yield syscall clone getpid getuid geteuid prctl \
		memcpy memmove memset memcmp memchr strlen strnlen strcmp strncmp strchr strrchr strstr strcpy strncpy strcat strdup \
		pthread_create pthread_mutex_lock pthread_mutex_unlock pthread_mutex_trylock pthread_sigmask sigprocmask sigaction sigaltstack \
		sigpending getenv setenv poll ppoll pipe2 fork __errno_location | tr ' ' '\n'
}
nm -D --defined-only /lib/x86_64-linux-gnu/libc.so.6 2>/dev/null | awk '$2 ~ /^[TWi]$/ && $3 ~ /@@/ { sub(/@.*/, "", $3); print $3 }' |
	sort -u >"$tmp/libc"
mkdir "$tmp/made"
names | sort -u | comm -12 - "$tmp/libc" | grep -v '^__cxa_\|^__stack_chk_fail$\|^fork$\|^pthread_setspecific$\|^pthread_setcancelstate$' | sed 's/.*/WATCHED(&)/' >"$tmp/made/watched.h"

compile() { ${CC:-cc} -std=gnu11 -O1 -g "$@"; }
plan $((2 + 11 + 4 + 2))
ok "the watcher builds, for $(wc -l <"$tmp/made/watched.h") functions" \
	compile -fPIC -shared -fno-stack-protector -fno-builtin -nostartfiles -I"$tmp/made" "$top_srcdir/tests/base/libc/watcher.c" -o "$tmp/watcher.so"
ok "the program builds" compile -rdynamic -I"$top_srcdir/bench" "$top_srcdir/tests/base/libc/calls.c" -o "$tmp/calls" -L"$build/.libs" -lbench_callee \
	-Wl,-rpath,"$build/.libs" -pthread

# unnoticed WANTED TRACE ARGUMENT…: runs with the watcher, says nothing, and has so many calls in its trace or traces.
unnoticed()
{
	local want=$1 trace=$2 found
	shift 2
	rm -rf "$tmp/traces"
	mkdir "$tmp/traces"
	env LD_PRELOAD="$tmp/watcher.so:$libtracelayer:$build/.libs/libbench_shims.so" TRACELAYER_OUTPUT="$tmp/traces/$trace" \
		timeout 60 "$tmp/calls" "$@" >"$tmp/out" 2>"$tmp/err" || { echo "exit code $?"; cat "$tmp/err"; return 1; }
	test ! -s "$tmp/err" || { cat "$tmp/err"; return 1; }
	test "$want" = any || {
		found=$(cd "$tmp/traces" && for file in *; do
			case $file in *.gz) gunzip -c "$file" ;; *) cat "$file" ;; esac
		done | grep -c '"name":"bench_')
		test "$found" = "$want" || { echo "$found calls, wanted $want"; return 1; }
	}
}

many=50000
for way in return exit _exit quick_exit exec pthread_exit; do
	ok "$way after many calls" unnoticed $((many + 2)) t.json $many 1 $way
done
ok "threads that record all at once" unnoticed $((8 * many + 2)) t.json $many 8
ok "an exit handler later than all others" unnoticed $((2 * many + 2)) t.json $many 1 late
ok "a fork" unnoticed $((3 * many + 2)) t.json $many 1 fork
ok "few calls, which the exit handler writes" unnoticed 102 t.json 100 1
ok "few calls, at _exit" unnoticed 102 t.json 100 1 _exit
ok "compressed" unnoticed $((many + 2)) t.json.gz $many 1
ok "as .pftrace" unnoticed any t.pftrace $many 1
ok "as .tlt" unnoticed any t.tlt $many 1
export TRACELAYER_SPLIT=512K
ok "in several files" unnoticed $((many + 2)) t.json $many 1
unset TRACELAYER_SPLIT

# A file that cannot be written: what is said about it comes from our own thread and exit handlers, too.
LD_PRELOAD="$tmp/watcher.so:$libtracelayer:$build/.libs/libbench_shims.so" TRACELAYER_OUTPUT=/dev/full timeout 60 "$tmp/calls" $many 1 \
	>"$tmp/out" 2>"$tmp/err"
is $? 0 "a full disk"
like "$(cat "$tmp/err")" "No space left on device, $((many + 2)) events lost" "a full disk is said by name"
forget_buffers calls
