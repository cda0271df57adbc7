#!/bin/bash
# SPDX-License-Identifier: MIT
# Programs that confine themselves by seccomp keep their exit code, whatever the filter kills for. What was recorded before the filter is in the trace. Where
# they confine themselves by Landlock, what comes after is in it, too.
# STRESS=1 (make stress): more of it.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
need_command
app=$(cd "$top_builddir" && pwd)/tests/apps/confined
libtracelayer=$(cd "$top_builddir" && pwd)/.libs/libtracelayer.so
tracelayer=$(cd "$top_builddir" && pwd)/tracelayer
export OCL_ICD_VENDORS=$tmp/none
cd "$tmp" || exit 99
"$app" prctl open 0 0 || test $? = 5 || skip_all "this machine's kernel has no seccomp"
plan 48

: "${CC:=cc}"
other=$tmp/other.so
$CC -shared -fPIC -nostdlib -x c -o "$other" - <<<'int nothing;'

# alike EVENTS HOW FILTER BEFORE AFTER: traced it ends as alone, with so many events in the trace.
alike()
{
	local want=$1 alone; shift
	rm -f t*.json
	timeout 20 "$app" "$@" 2>/dev/null; alone=$?
	timeout 20 "$tracelayer" run -o t.json "$app" "$@" 2>err
	test "$? $(events t.json)" = "$alone $want" || { echo "alone $alone; events $(events t.json), and not $want"; cat err; return 1; }
}
ends='^tracelayer: the program confined itself by a seccomp filter that forbids what recording needs, so its trace ends there; '

ok "a filter that kills, installed by prctl" alike 10 prctl kill 10 10
like "$(cat err)" "$ends" "... and the line says that the trace ends there"
ok "... with the writer's thread at work" alike 20000 prctl kill 20000 20000
ok "... by the system call" alike 20000 seccomp kill 20000 20000
ok "... for all threads" alike 20000 all kill 20000 20000
ok "... with calls in a thread made later" alike 20000 thread company 20000 20000
ok "... with calls in a child forked later" alike 20000 fork company 20000 20000
ok "... that raises SIGSYS" alike 20000 prctl trap 20000 20000
ok "strict mode" alike 20000 prctl strict 20000 20000
# Like sshd's child: neither what the process reports nor what it prints gets anywhere.
if test "$(id -u)" = 0; then
	"$tracelayer" run -o r.json "$app" rooted kill 10 10 2>err
	is "$? $(events r.json)" "5 10" "another root, and files of no bytes: what was recorded before is there"
	like "$(cat err)" "$ends" "... and the line says that the trace ends there"
else
	skip 2 "only root can change its root"
fi
"$tracelayer" run -o none.json "$app" prctl kill 0 0 2>err
is "$? $(ls none*.json 2>/dev/null)" "5 " "before the first call: no file"
like "$(cat err)" "^tracelayer: no trace: the program confined itself, before its first call, by a seccomp filter " "... and the line says why"
LD_PRELOAD=$libtracelayer TRACELAYER_OUTPUT=p.json "$app" prctl kill 10 10 2>err
is "$? $(events p.json)" "5 10" "without run: the same"
like "$(cat err)" "^tracelayer: the program confines itself by a seccomp filter " "... and the layer says it"
LD_PRELOAD=$libtracelayer TRACELAYER_OUTPUT=p2.json "$app" prctl kill 0 0 2>err
is "$?$(cat err)" 5 "... which says nothing where nothing was recorded"
LD_PRELOAD=$libtracelayer TRACELAYER_LEVEL=none TRACELAYER_SUMMARY=1 "$app" prctl kill 10 10 2>err
is "$? $(awk '/^clGetPlatformIDs/ { print $2 }' err)" "5 10" "a tool says what it has seen until then"

ok "a filter that allows what recording needs changes nothing" alike 40000 prctl open 20000 20000
unlike "$(cat err)" "confined" "... and nothing is said of it"
ok "nor does the question whether there are filters" alike 20 prctl probe 10 10
ok "nor one that the kernel refuses" alike 20 refused kill 10 10
ok "nor one that is not in memory" alike 20 prctl nowhere 10 10
ok "one that answers by errors: nothing is lost unseen" alike 20000 prctl error 20000 20000

# --- what it starts then has the filter, too, and would be killed as the layer starts
cat >starts.c <<'END'
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
int main(int argc, char **argv)
{
	/* What the layer's start makes: membarrier. What a search of the program in PATH makes: faccessat. */
	struct sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
				     BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 1, 0),
				     BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_faccessat, 0, 1),
				     BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
				     BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};
	char *env[] = {"env", NULL};
	int status = 9 << 8;
	pid_t child;

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (argc < 2)
		return 9;
	/* As sandboxes do it: no fork handler runs. In a namespace of users of its own the child may not ask about its parent. */
	if (!strncmp(argv[1], "clone", 5)) {
		child = argv[1][5] ? (pid_t)syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0) : -1;
		if (child < 0)
			child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
		if (child) {
			waitpid(child, &status, 0);
			return WIFEXITED(status) ? WEXITSTATUS(status) : 8;
		}
		argv[1] = "execve";
	}
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return 9;
	if (!strcmp(argv[1], "execve"))
		execve("/usr/bin/env", env, environ);
	if (!strcmp(argv[1], "execvp"))
		execvp("env", env);
	if (!strcmp(argv[1], "system"))
		status = system("env");
	if (!strcmp(argv[1], "fork")) {
		if (!(child = fork()))
			execlp("env", "env", (char *)NULL);
		waitpid(child, &status, 0);
	}
	if (!strcmp(argv[1], "spawn") && !posix_spawnp(&child, "env", NULL, NULL, env, environ))
		waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 8;
}
END
$CC -o starts starts.c || exit 99
for how in execve execvp system fork spawn clone clone-user; do
	is "$(LD_PRELOAD=$libtracelayer:$other ./starts $how 2>err | grep -a '^LD_PRELOAD='; echo "${PIPESTATUS[0]}")" "LD_PRELOAD=$other
0" "what it starts then by $how runs, without the layer alone" || diag "$(cat err)"
done
"$tracelayer" run -o starts.json ./starts system >env 2>err
is "$? $(ls starts*.json 2>/dev/null)" "0 " "... also by tracelayer run"

# --- a library of many functions: all real functions are found before the filter, also those that no call has needed; each costs no system call
"$python" -c '
for n in range(3000):
    print("int many_%d(int a) { return a + %d; }" % (n, n))
print("static int chosen(int a) { return a + 7; } static int (*choose(void))(int) { return chosen; }")
print("int many_chosen(int a) __attribute__((ifunc(\"choose\")));")' >many.c
cat >many_app.c <<'END'
#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#if defined(OPENED)
static int (*many_1)(int), (*many_2999)(int), (*many_chosen)(int);
#else
int many_1(int), many_2999(int), many_chosen(int);
#endif
#define ALLOW(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
int main(int argc, char **argv)
{
	static struct sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
					    ALLOW(write), ALLOW(exit_group), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)};
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};
#if defined(OPENED)
	void *many = dlopen(argv[1], RTLD_NOW);
	if (!many)
		return puts(dlerror()), 1;
	many_1 = (int (*)(int))dlsym(many, "many_1");
	many_2999 = (int (*)(int))dlsym(many, "many_2999");
	many_chosen = (int (*)(int))dlsym(many, "many_chosen");
#endif
	int sum = many_1(1);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(1);
	_exit(sum + many_2999(-2996) + many_chosen(-7) == 5 ? 5 : 2);
}
END
if ${CC:-cc} -O1 -shared -fPIC -Wl,-soname,libmany.so -o libmany.so many.c && ${CC:-cc} -O1 -o many_linked many_app.c ./libmany.so -Wl,-rpath,"$tmp" -ldl &&
	${CC:-cc} -O1 -DOPENED -o many_opened many_app.c -ldl; then
	for many in linked opened; do
		XDG_CACHE_HOME=$tmp/cache "$tracelayer" run --quiet --lib "$tmp/libmany.so" -o "$many.json" ./many_$many "$tmp/libmany.so" 2>err
		is "$? $(events "$many.json" many_1)" "5 1" "a library of 3,001 functions, $many: they are called behind the filter"
		if strace -o strace true 2>/dev/null; then
			XDG_CACHE_HOME=$tmp/cache strace -f -e trace=rt_sigprocmask -o strace "$tracelayer" run --quiet --lib "$tmp/libmany.so" -o "$many.2.json" \
				./many_$many "$tmp/libmany.so" 2>err
			is $? 5 "... also where somebody looks on"
			masks=$(wc -l <strace)
			ok "... and their search blocks signals fewer than 1,000 times ($masks)" test "$masks" -lt 1000
		else
			skip 2 "no strace here, or it may not trace"
		fi
	done
else
	fail "libraries of many functions compile"
fi

# --- Landlock
# alone_alike EVENTS BEFORE AFTER: the same without run. No buffers stay.
alone_alike()
{
	local pid
	rm -f alone*.json
	LD_PRELOAD=$libtracelayer TRACELAYER_OUTPUT=alone.json timeout 20 "$app" landlock none "$2" "$3" 2>err &
	pid=$!
	wait "$pid"
	test "$? $(events alone.json) $(cat err)" = "5 $1 " || { echo "events $(events alone.json), and not $1"; cat err; return 1; }
	# timeout's child is the program.
	! grep -lq alone.json /dev/shm/tracelayer-buffers.* 2>/dev/null
}
if "$app" landlock none 0 0; test $? = 5; then
	ok "Landlock's rules that forbid all files: the calls after them are recorded" alike 20 landlock none 10 10
	ok "... also if there was none before" alike 10 landlock none 0 10
	ok "... and many, with the writer's thread at work" alike 40000 landlock none 20000 20000
	unlike "$(cat err)" "/dev/shm|trace ends|lost" "... and nothing is said of it"
	ok "... without run: the same, and no buffers stay" alone_alike 20000 0 20000
	rm -f t*.json
	"$tracelayer" run -o t.json "$app" landlock none 0 0 2>err
	is "$? $(ls t*.json 2>/dev/null)" "5 " "... and without any call there is no file"
	like "$(cat err)" "^tracelayer: no trace: the program made no call" "... and the line says so"
else
	skip 7 "this machine's kernel has no Landlock"
fi

# Where a program hangs, its threads are looked at while it does.
hangs_watch()
{
	local pid task
	while sleep 5; do
		for pid in $(pgrep -x confined); do
			test "$(ps -o etimes= -p "$pid" | tr -d ' ')" -gt 12 2>/dev/null || continue
			echo "$pid, $(tr '\0' ' ' <"/proc/$pid/cmdline"):"
			for task in "/proc/$pid/task"/*; do
				echo "  $(cat "$task/comm") waits in $(cat "$task/wchan"), system call $(cut -d' ' -f1-4 "$task/syscall"): $(head -n 4 "$task/stack" | tr '\n' ' ')"
			done
		done
	done >"$tmp/hangs" 2>/dev/null
}
hangs_watch &
watcher=$!
trap 'kill $watcher; rm -rf "$tmp"' EXIT

# without_each HOW CALLS WHAT: bare and traced the exit code is the same without each of the system calls that there are, but those that the program needs itself.
# One Python starts them all: `timeout`, too, would have the library in it.
without_each()
{
	is "$("$python" - "$app" "$1" "$2" "$libtracelayer" 2>&1 <<-'END'
		import os, signal, sys
		app, how, calls, library = sys.argv[1:]
		traced = dict(os.environ, LD_PRELOAD=library, TRACELAYER_OUTPUT="one.json")
		quiet = [(os.POSIX_SPAWN_OPEN, 2, "/dev/null", os.O_WRONLY, 0)]
		child = 0

		def ends(number, environment):
		    """How the program ends: as a shell says it; 124 after 20 s."""
		    global child
		    child = os.posix_spawn(app, [app, how, "one:%d" % number, calls, calls], environment, file_actions=quiet)
		    late.clear()
		    signal.alarm(20)
		    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
		    signal.alarm(0)
		    return 124 if late else code if code >= 0 else 128 - code

		def end_it(*_):
		    late.append(True)
		    os.kill(child, signal.SIGKILL)

		late = []
		signal.signal(signal.SIGALRM, end_it)
		# Those between are on no machine, and newer ones have the same numbers, from 424, on every machine.
		for number in [*range(337), *range(424, 470)]:
		    alone = ends(number, os.environ)
		    if alone != 5:
		        continue
		    same = ends(number, traced)
		    if same != alone:
		        print(" %d:%d:%d" % (number, alone, same), end="")
		    for name in os.listdir("."):
		        if name.startswith("one"):
		            os.unlink(name)
	END
	)" "" "$3" || diag "$(cat "$tmp/hangs")"
}
without_each prctl 3000 "whatever system call a filter kills for, the exit code is the program's"
# From 5000 calls on the writer's thread is there before the filter.
without_each all ${STRESS:+1}7000 "... also in all threads, with the writer's at work"
# The numbers of getpid, close and mmap.
test "$(uname -m)" = x86_64 && numbers="39 3 9" || numbers="172 57 222"
is "$(LD_PRELOAD=$libtracelayer "$python" -c '
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
print(libc.syscall(int(sys.argv[1])) == os.getpid(), libc.syscall(int(sys.argv[2]), 999), ctypes.get_errno(), libc.prctl(9999), ctypes.get_errno())' $numbers 2>&1)" \
	"True -1 9 -1 22" "syscall and prctl do as the C library's"
is "$(LD_PRELOAD=$libtracelayer "$python" -c '
import ctypes, sys
libc = ctypes.CDLL(None)
name = ctypes.create_string_buffer(16)
libc.prctl(15, b"renamed"), libc.prctl(16, name)
print(name.value.decode(), libc.syscall(int(sys.argv[3]), 0, 4096, 3, 0x22, -1, 0) != -1)' $numbers 2>&1)" "renamed True" "... with all their arguments"
