#!/bin/bash
# SPDX-License-Identifier: MIT
# Programs that the library can't be in, and those that lose it on the way: they run as they do alone, and `tracelayer run` says why there is no trace.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
need_command
app=$(cd "$top_builddir" && pwd)/tests/apps/ends_ways
libtracelayer=$(cd "$top_builddir" && pwd)/.libs/libtracelayer.so
tracelayer=$(cd "$top_builddir" && pwd)/tracelayer
export OCL_ICD_VENDORS=$tmp/none
cd "$tmp" || exit 99
: "${CC:=cc}"
plan 69

none="tracelayer: no trace: "
# runs WANTED COMMAND…: `run` ends with the code and prints what the command prints alone; what it says is in said.
runs()
{
	local want=$1; shift
	rm -f t*.json
	timeout 60 "$@" >alone 2>&1
	test "$? $(cat alone)" = "$want" || { echo "alone: $(cat alone)"; return 1; }
	timeout 60 "$tracelayer" run -o t.json "$@" >out 2>err
	test "$? $(cat out)" = "$want" || { cat out err; return 1; }
	grep '^tracelayer: ' err >said
	test "$(cat said)" = "$(cat err)" || { cat err; return 1; }
}
said() { cat said; }

# A library, a program that calls it, and the same with an interposer.
export XDG_CACHE_HOME=$tmp/cache
echo 'int own(int n) { return n + 1; }' | $CC -shared -fPIC -Wl,-soname,libown.so.1 -x c -o libown.so.1 - &&
	echo 'int own(int); int main(void) { return own(own(4)); }' | $CC -x c -o calls_own - -x none ./libown.so.1 -Wl,-rpath,"$tmp" || exit 99
runs_own()
{
	local want=$1; shift
	timeout 60 "$tracelayer" run --quiet --lib=./libown.so.1 true 2>/dev/null # makes it
	rm -f t*.json
	timeout 60 "$tracelayer" run -o t.json --lib=./libown.so.1 "$@" >out 2>err
	test "$? $(cat out)" = "$want" || { cat out err; return 1; }
	grep '^tracelayer: ' err >said
	test "$(cat said)" = "$(cat err)" || { cat err; return 1; }
}

# --- another C library
cat >hello.c <<'END'
#include <stdio.h>
int main(void) { puts("hello"); return 5; }
END
libc=" started ./hello, which is linked with another C library than glibc, so it ran without libtracelayer.so; "
if musl-gcc -o hello hello.c 2>/dev/null && ./hello >/dev/null; test $? = 5; then
	ok "a program of musl runs" runs "5 hello" ./hello
	like "$(said)" "^${none}./hello is started by .*/ld-musl-[^ ]*, the dynamic linker of another C library " "... and the line says why there is no trace"
	ok "a script whose interpreter is one runs" runs "5 hello" sh -c "printf '#!$tmp/hello\n' >script; chmod +x script; ./script; exit \$?"
	for by in "sh -c './hello; exit \$?'" "env ./hello" "$python -c 'import os; os.execv(\"./hello\", [\"hello\"])'" \
		"$python -c 'import os, sys; sys.exit(os.waitstatus_to_exitcode(os.waitpid(os.posix_spawn(\"./hello\", [\"hello\"], os.environ), 0)[1]))'" \
		"$python -c 'import os, sys; sys.exit(os.system(\"./hello\") >> 8)'"; do
		eval "set -- $by"
		ok "one that ${1##*/} starts runs: ${3-}" runs "5 hello" "$@"
		like "$(said)" "^$none.*$libc" "... and it says so"
	done
	ok "what has no path is found as exec finds it" runs "5 hello" env PATH="$tmp:$PATH" hello
	$CC -shared -fPIC -nostdlib -x c -o other.so - <<<'int nothing;'
	is "$(LD_PRELOAD=$tmp/other.so timeout 60 "$tracelayer" run -o t.json sh -c 'cat /proc/self/environ | tr "\0" "\n" | grep ^LD_PRELOAD' 2>/dev/null)" \
		"LD_PRELOAD=$libtracelayer:$tmp/other.so" "a program of glibc keeps the whole LD_PRELOAD"
	cat >preload.c <<-'END'
	#include <stdio.h>
	#include <stdlib.h>
	int main(void) { puts(getenv("LD_PRELOAD") ? getenv("LD_PRELOAD") : "none"); return 0; }
	END
	musl-gcc -o preload preload.c
	is "$(LD_PRELOAD=$tmp/other.so timeout 60 "$tracelayer" run sh -c ./preload 2>/dev/null)" "$tmp/other.so" "another one loses only what is ours of it"
	is "$(timeout 60 "$tracelayer" run sh -c ./preload 2>/dev/null)" none "... and all of it where there is nothing else"
	is "$(LD_PRELOAD=$libtracelayer TRACELAYER_FOLLOW=no sh -c './hello; echo $?' 2>&1)" "hello
5" "one that is not followed runs, too"
	musl=$("$python" -c "import re; print(re.search(rb'/[^\0]*/ld-musl-[^\0]*', open('hello', 'rb').read()).group().decode())")
	ok "one that is given to its dynamic linker runs" runs "5 hello" "$musl" ./hello
	is "$(said)" "${none}$musl is the dynamic linker of another C library, so what it starts ran without libtracelayer.so; link the program with this machine's glibc" \
		"... and the line says so"
	ok "... also where a shell does that" runs "5 hello" sh -c "$musl ./hello; exit \$?"
	like "$(said)" "^${none}sh started $musl, which is linked with another C library " "... and it says so"
	for by in "./hello" "sh -c './hello; exit \$?'" "env ./hello"; do
		eval "set -- $by"
		ok "with an interposer it runs, too: $*" runs_own "5 hello" "$@"
		like "$(said)" "^${none}.*ran without libtracelayer.so" "... and the line says why there is no trace"
	done
	is "$(LD_PRELOAD=$tmp/other.so timeout 60 "$tracelayer" run --lib=./libown.so.1 ./preload 2>/dev/null)" "$tmp/other.so" "what the user preloads stays"
	libs=()
	for n in $(seq 20); do
		echo "int own$n(int n) { return n + $n; }" | $CC -shared -fPIC -Wl,-soname,libown.so.$n.1 -x c -o libown$n.so -
		libs+=("--lib=./libown$n.so")
	done
	timeout 100 "$tracelayer" run --quiet "${libs[@]}" true 2>/dev/null # makes them
	is "$(timeout 60 "$tracelayer" run -o t.json "${libs[@]}" sh -c './hello; echo $?' 2>err)" "hello
5" "with 20 interposers, too" || diag "$(cat err)"
	is "$(LD_PRELOAD=$tmp/other.so timeout 60 "$tracelayer" run "${libs[@]}" sh -c ./preload 2>/dev/null)" "$tmp/other.so" "... and what the user preloads stays"
else
	skip 31 "no program of musl can be made on this machine (no musl-gcc)"
fi

# A dynamic linker of our name, of a C library that is too old for us.
cat >old.c <<'END'
/* Exit code 1 where LD_PRELOAD is set, else 5. No C library: this runs in the place of one's dynamic linker. */
#if defined(__x86_64__)
__asm__(".globl _start\n_start: mov %rsp, %rdi\n and $-16, %rsp\n call start\n");
static void leave(long code) { __asm__ volatile("syscall" :: "a"(231L), "D"(code)); }
#else
__asm__(".globl _start\n_start: mov x0, sp\n bl start\n");
static void leave(long code) { register long x0 __asm__("x0") = code, x8 __asm__("x8") = 94; __asm__ volatile("svc 0" :: "r"(x0), "r"(x8)); }
#endif
__attribute__((used)) void start(long *stack)
{
	static const char name[] = "LD_PRELOAD=";
	for (char **env = (char **)(stack + 1 + stack[0] + 1); *env; env++)
		for (int i = 0; (*env)[i] == name[i]; i++)
			if (i == 10)
				leave(1);
	leave(5);
}
END
linker=$("$python" -c "import re; print(re.search(rb'/[^\0]*/(ld-[^\0]*)', open('/bin/true', 'rb').read()).group(1).decode())")
mkdir old && $CC -O1 -static -nostdlib -fno-stack-protector -o "old/$linker" old.c && $CC -o aged hello.c -Wl,--dynamic-linker="$tmp/old/$linker"
ok "a program of a glibc that is too old runs" runs "5 " ./aged
like "$(said)" "^${none}./aged is started by $tmp/old/$linker, " "... and the line says why there is no trace"
mkdir same && cp "$(readlink -f "/lib64/$linker" 2>/dev/null || readlink -f "/lib/$linker")" "same/$linker" &&
	$CC -o moved hello.c -Wl,--dynamic-linker="$tmp/same/$linker"
ok "one of a glibc elsewhere runs" runs "5 hello" ./moved
like "$(said)" "${none}the program made no call" "... with the library"

# A program that is given to glibc's dynamic linker is one like others.
glibc=$("$python" -c "import re; print(re.search(rb'/[^\0]*/ld-[^\0]*', open('/bin/true', 'rb').read()).group().decode())")
$CC -o greets hello.c
ok "a program that is given to the dynamic linker runs" runs "5 hello" "$glibc" ./greets
is "$(said)" "${none}the program made no call into an API that tracelayer has shims for" "... and the line does not say that it is static"
runs "5 " "$glibc" "$app" _exit 7
is "$(said)" "tracelayer: trace: t.json (7 events)" "... and its calls are traced"

# --- another architecture: its dynamic linker would print an error
cat >narrow.s <<'END'
.globl _start, nothing
_start:	mov (%esp), %eax
	lea 8(%esp,%eax,4), %esi
1:	mov (%esi), %edi
	mov $5, %ebx
	test %edi, %edi
	jz 2f
	add $4, %esi
	cmpl $0x505f444c, (%edi)	/* LD_P */
	jne 1b
	mov $1, %ebx
2:	mov $1, %eax
	int $0x80
nothing:
END
if { as --32 narrow.s -o narrow.o && ld -m elf_i386 narrow.o -o narrow && ld -m elf_i386 -shared narrow.o -o narrow.so &&
	ld -m elf_i386 -dynamic-linker "$tmp/narrow" narrow.o narrow.so -o narrow_linked; } 2>/dev/null && { ./narrow_linked; test $? = 5; } 2>/dev/null; then
	ok "a 32-bit program that a shell starts has no LD_PRELOAD" runs "5 " sh -c './narrow_linked; exit $?'
	is "$(said)" "${none}sh started ./narrow_linked, which is for another architecture; use a tracelayer built for that" "... and the line says why there is no trace"
	ok "... without run, too" env LD_PRELOAD="$libtracelayer" sh -c './narrow_linked; test $? = 5'
	"$tracelayer" run sh -c './narrow; exit $?' 2>/dev/null
	is $? 1 "a static one passes it on: it reads it not"
else
	skip 4 "this machine runs no 32-bit programs"
fi

# --- wrappers
calls="$app _exit 7"
ok "env -i: the program runs" runs "5 " env -i "OCL_ICD_VENDORS=$tmp/none" $calls
is "$(said)" "${none}env took LD_PRELOAD away from $app, which therefore ran without libtracelayer.so; start tracelayer after it: env … tracelayer run -- $app" \
	"... and the line says who cleared the environment, and what to do"
runs "5 " sh -c "env -u LD_PRELOAD $calls; exit \$?"
like "$(said)" "^${none}env took LD_PRELOAD away from $app, " "... also further down"
runs "5 " sh -c "$calls; env -i OCL_ICD_VENDORS=$tmp/none $calls"
is "$(said | wc -l) $(events t.json)" "1 7" "what only a child of the program lost is not said beside a trace"
runs "5 " sh -c "$calls; exec env -i OCL_ICD_VENDORS=$tmp/none $calls"
like "$(said)" "^tracelayer: env took LD_PRELOAD away from $app, " "what the program itself became is"
$CC -static -o fixed hello.c
runs "5 hello" sh -c './fixed; exit $?'
is "$(said)" "${none}sh started ./fixed, which is statically linked, so nothing can be preloaded; link it dynamically" "a static program that a shell starts is told of"
runs "0 " env true
is "$(said)" "${none}the program made no call into an API that tracelayer has shims for" "a program without calls is one"

runs "127 " sh -c 'exec 2>/dev/null; exec ./nosuch'
not_found="no call was made into an API that tracelayer has shims for, and the program ended with code 127, which is also what shells and the dynamic linker give where a program or a library can't be loaded"
like "$(said)" "^$none$not_found" "a program that could not be loaded may have made no call for that reason"
(ulimit -d 4000000; runs "127 " sh -c 'exit 127')
is "$(said)" "$none$not_found; memory is limited (ulimit -v, ulimit -d): raise the limit" "... and a limit of memory is told of where there is one"

# --- another root
cat >bwrap.c <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>
int own(int);
/* In a namespace of users of its own, who stays the one that it was. */
static int new_user(int user)
{
	FILE *map;

	if (unshare(CLONE_NEWUSER) || !(map = fopen("/proc/self/uid_map", "w")))
		return 1;
	fprintf(map, "%d %d 1", user, user);
	return fclose(map);
}
int main(int argc, char **argv)
{
	if (getuid() && new_user(getuid()))
		return 99;
	if (!strcmp(argv[1], "root"))
		return own(1) != 2 || chroot("away") || chdir("/") ? 99 : own(4);
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) || mount("none", "/dev/shm", "tmpfs", 0, NULL) ||
	    mount("none", "away", "tmpfs", MS_RDONLY, NULL))
		return 99;
	execv(argv[2], argv + 2);
	return argc;
}
END
mkdir away; $CC -o bwrap bwrap.c ./libown.so.1 -Wl,-rpath,"$tmp" || exit 99
if ./bwrap root; test $? = 5 && { ./bwrap shm ./calls_own; test $? = 6; }; then
	unset_runs() { (unset TMPDIR; "$@"); }
	ok "a program that changes its root runs" unset_runs runs_own "5 " ./bwrap root
	is "$(said)" "tracelayer: trace: t.json (2 events, 2 recovered)" "... and what run has recovered is nobody else's to recover"
	ok "one that is started with a /dev/shm of its own runs" unset_runs sh -c '"$0" run -o away/t.json --lib=./libown.so.1 ./bwrap shm ./calls_own 2>err; test $? = 6' "$tracelayer"
	is "$(sed 's/recover [0-9]*/recover N/; s/buffers[.0-9]*/buffers.N/; 2s/;.*//' err)" \
		"tracelayer: $tmp/away/t.json: Read-only file system, 2 events lost; \`tracelayer recover N\` brings them back once that is corrected, unless they are in a sandbox that takes /dev/shm/tracelayer-buffers.N with it
${none}no call was reported" "... and no line says that its events can be had, or that it made no call"
	"$tracelayer" run -o t.json ./bwrap shm ./nosuch >/dev/null 2>said
	like "$(said)" "^${none}no call was reported; if bwrap has started a program " "one that starts none is not said to have"
	cp /bin/true mount
	unset_runs "$tracelayer" run -o t.json sh -c 'exec ./mount' 2>said
	is "$(said)" "${none}no call was reported; if a mount has hidden /dev/shm, where programs report their calls, set TMPDIR to a folder that stays" \
		"nor one that came after a mount"
	"$tracelayer" run -o t.json bash -c 'cp /bin/bash chroot; exec ./chroot -c "exit 125"' 2>said
	is "$(said)" "${none}no call was reported; chroot could not start a program, or that ended with code 125" "nor one that says that it could not"
	ok "where another program came after the sandbox" unset_runs runs "0 " sh -c "./bwrap shm /bin/true; exec true"
	is "$(said)" "${none}the program made no call into an API that tracelayer has shims for" "... that one made no call"
else
	skip 9 "no program can have a root of its own on this machine"
fi

# --- another user
if others_read "$libtracelayer"; then
	chmod 755 "$tmp"; mkdir open; chmod 777 open
	TMPDIR=/tmp timeout 60 "$tracelayer" run -o open/t.json setpriv --reuid 65534 --clear-groups $calls 2>err
	is "$? $(cat err)" "5 tracelayer: trace: open/t.json (7 events)" "a program that setpriv makes another user's is heard of"
	cat >nosy.py <<-'END'
	import os
	folder = os.environ["TRACELAYER_REPORT"]
	try:
	    names = os.listdir(os.path.dirname(folder))
	except PermissionError:
	    names = os.listdir("/") and "hidden"
	print(names, oct(os.stat(folder).st_mode))
	END
	mkdir -m 1777 everybodys
	is "$(TMPDIR=$tmp/everybodys "$tracelayer" run setpriv --reuid 65534 --clear-groups "$python" nosy.py 2>/dev/null)" "hidden 0o41733" \
		"the folder that it tells of it in can't be found by others"
	is "$(ls everybodys)" "" "... and is gone at the end"

	# It can read the layer and not the interposer, or the other way round.
	other="setpriv --reuid 65534 --clear-groups ./calls_own"
	ok "one that can't read the interposer runs, and its dynamic linker prints nothing" runs_own "6 " $other
	like "$(said)" "^${none}./calls_own could not read $XDG_CACHE_HOME/tracelayer/interposers/libown.so.1-[0-9a-f]*.so; if it calls that library, these calls are missing: set " \
		"... and the line says so"
	runs_own "6 " sh -c "./calls_own; $other"
	is "$(said | sed 's/ could not read .*//')" "tracelayer: ./calls_own
tracelayer: trace: t.json (2 events)" "... also beside a trace"
	chmod -R a+rX cache; runs_own "6 " $other
	unlike "$(said)" "could not read" "one that can read it gets it"
	# It may not write t.json.
	rm -f $(sed -n 's|^tracelayer: \(/dev/shm/tracelayer-buffers[.0-9]*\): a process that became .*|\1|p' err)
	mkdir -p prefix/bin prefix/lib && cp "$tracelayer" "$top_builddir/tracegen" prefix/bin/ && cp "$libtracelayer" prefix/lib/ && chmod 700 prefix/lib
	tracelayer=$tmp/prefix/bin/tracelayer
	runs_own "6 " true >/dev/null; chmod -R a+rX cache
	ok "one that can read the interposer alone runs, too" runs_own "6 " $other
	like "$(said)" "^${none}setpriv started ./calls_own where libtracelayer.so can't be read; " "... and the line says so"
else
	skip 9 "on this machine no other user can be had who may read the build folder"
fi
