#!/bin/bash
# SPDX-License-Identifier: MIT
# tracelayer run: the program runs as it would alone, ends as it would alone, and the closing line is right.
# Signals, the terminal and process groups are in signals.sh.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_command
need_library
plan 154

export TMPDIR="$tmp/reports"	# what run itself makes there must be gone at the end
mkdir "$TMPDIR"
cd "$tmp" || exit 99
: "${CC:=cc}"

run() { "$tracelayer" run "$@"; }
# said COMMAND…: what comes on stderr, and the exit code before it.
said() { "$@" 2>&1 >/dev/null </dev/null; }
with_code() { _said=$(said "$@"); echo "$? $_said"; }
none="tracelayer: no trace:"

# --- what reaches the program
is "$(run -- echo a --level=x -o 2>/dev/null)" "a --level=x -o" "the program's options are its own"
is "$(run echo a -- b 2>/dev/null)" "a -- b" "and need no -- before them"
is "$(echo in | run -- cat 2>/dev/null)" "in" "standard input is the program's"
is "$(run -o out.json --level='runtime|debug' --exclude='*Get*' -- sh -c 'echo $TRACELAYER_OUTPUT $TRACELAYER_LEVEL $TRACELAYER_EXCLUDE' 2>/dev/null)" \
	"$PWD/out.json runtime|debug *Get*" "options become settings"
is "$(TRACELAYER_ARGS=none run -- sh -c 'echo $TRACELAYER_ARGS' 2>/dev/null)" none "settings in the environment stay"
is "$(TRACELAYER_ARGS=none run --args=scalars -- sh -c 'echo $TRACELAYER_ARGS' 2>/dev/null)" scalars "an option goes before them"
libm=$("$python" -c 'import ctypes.util; print(ctypes.util.find_library("m"))')
like "$(LD_PRELOAD=$libm run -- sh -c 'echo $LD_PRELOAD' 2>/dev/null)" "/libtracelayer.so:$libm\$" "the user's LD_PRELOAD is kept, behind ours"
cat >state.py <<'END'
import os
print(sorted(os.listdir("/proc/self/fd")), os.getcwd(), os.getpgid(0) == int(os.environ["GROUP"]))
for line in open("/proc/self/status"):
    if line.startswith(("Sig", "Shd", "Umask", "NoNewPrivs")) and not line.startswith("SigQ"):
        print(line, end="")
END
GROUP=$(ps -o pgid= -p $$ | tr -d ' '); export GROUP
(trap '' HUP CHLD; umask 027; "$python" state.py 7</dev/null >alone.txt)
(trap '' HUP CHLD; umask 027; run -- "$python" state.py 7</dev/null >traced.txt 2>/dev/null)
same alone.txt traced.txt "descriptors, signal mask, ignored signals, umask, directory and process group are the same"
closed_early()
{
	"$python" - "$tracelayer" <<-'END'
	import select, subprocess, sys
	# It closes its output, and ends when its input does, which is after the other end was seen.
	program = "import os; os.close(1); os.read(0, 1)"
	child = subprocess.Popen([sys.argv[1], "run", "--", sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
	early = select.select([child.stdout], [], [], 60)[0] and not child.stdout.read() and child.poll() is None
	child.stdin.close()
	child.wait()
	sys.exit(not early)
	END
}
ok "a pipe that the program closes is closed" closed_early
# held_to_launcher: the program waits until `run` has let go of the highest descriptor, and then says which ones `run` has.
held_to_launcher()
{
	"$python" - "$tracelayer" <<-'END'
	import os, socket, subprocess, sys
	program = """import os, sys, time
	own = "/proc/%d/fd/" % os.getppid()
	while os.path.exists(own + sys.argv[2]): time.sleep(0.01)
	sys.exit(42 if os.path.exists(own + sys.argv[1]) else 1)"""
	ours, rank = socket.socketpair()
	last = os.dup(rank.fileno())
	sys.exit(subprocess.call([sys.argv[1], "run", "--", sys.executable, "-c", program.replace("\n\t", "\n"), str(rank.fileno()), str(last)],
				 env=dict(os.environ, PMI_FD=str(rank.fileno())), pass_fds=[rank.fileno(), last], stderr=subprocess.DEVNULL) != 42)
	END
}
ok "a rank's socket to its launcher stays open as long as the command runs" held_to_launcher

# --- how it ends
run -- true 2>/dev/null; is $? 0 "exit code 0 is forwarded"
run -- sh -c 'exit 7' 2>/dev/null; is $? 7 "exit code 7 is forwarded"
run -- sh -c 'exit 255' 2>/dev/null; is $? 255 "exit code 255 is forwarded"
# dies SIGNAL: run itself is killed by that signal, and leaves no core, even where the program may.
dies()
{
	"$python" - "$1" "$tracelayer" <<-'END'
	import os, resource, signal, sys
	number = int(sys.argv[1])
	pid = os.fork()
	if not pid:
	    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
	    try:
	        resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
	    except (ValueError, OSError):
	        pass
	    os.execv(sys.argv[2], [sys.argv[2], "run", "--", "sh", "-c", "ulimit -c 0; kill -%d $$" % number])
	_, status = os.waitpid(pid, 0)
	assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == number, status
	assert not os.WCOREDUMP(status)
	END
}
for signal in 1 2 3 6 9 11 13 15 34; do
	ok "a program killed by signal $signal: run dies by it too, without a core" dies "$signal"
done

# --- programs that cannot be started
cp /bin/true plain; chmod -x plain
printf '#!/no/such/interpreter\n' >lost; chmod +x lost
printf 'exit 9\n' >bare; chmod +x bare
is "$(with_code run -- nosuchprogram)" "127 tracelayer: nosuchprogram: no such program; check the name, or give its path" "not in PATH: 127"
mkdir -p "$tmp/unsearchable"; chmod 0 "$tmp/unsearchable"
if others_read "$tracelayer" || test "$(id -u)" != 0; then
	chmod 755 "$tmp"
	other=; test "$(id -u)" != 0 || other="setpriv --reuid=65534 --clear-groups"
	is "$(HOME=$tmp PATH=$tmp/unsearchable:$PATH $other "$tracelayer" run -- nosuchprogram 2>&1)" "tracelayer: nosuchprogram: no such program; check the name, or give its path" \
		"nor where a folder of PATH can't be searched"
else
	skip 1 "this machine's user can't play another one"
fi
is "$(with_code run -- ./nosuch)" "127 tracelayer: ./nosuch: no such program; check the name, or give its path" "no such file: 127"
is "$(with_code run -- ./plain)" "126 tracelayer: ./plain: not executable; check its permissions" "not executable: 126"
is "$(with_code run -- "$tmp")" "126 tracelayer: $tmp: a folder; give the path of a program" "a folder: 126"
like "$(with_code run -- ./lost)" "^126 tracelayer: ./lost: cannot be started: .*interpreter is missing" "a script without its interpreter: 126"
run -- ./bare 2>/dev/null; is $? 9 "a script without #! is run by the shell, as a shell does"

# --- why there is no trace
is "$(with_code run -- true)" "0 $none the program made no call into an API that tracelayer has shims for" "no traced call"
# A daemon may make its first call later. Its output goes elsewhere, since the line is read up to the end of the pipe.
later=$(cd "$top_builddir" && pwd)/tests/apps/ends_ways
cat >daemon.sh <<-END
	(until test -e go; do sleep 0.02; done; exec $later _exit 7) >/dev/null 2>&1 &
	echo \$! >daemon.pid
END
like "$(with_code run -o later.json -- sh daemon.sh)" \
	"^0 tracelayer: no trace yet: the program has ended, but process $(cat daemon.pid) \(sh\)( and 1 more)? that it started still runs?; if" \
	"a process that lives on is named where nothing was recorded"
: >go
ok "and writes its trace itself" sh -c "for _ in \$(seq 500); do test -s later.json && exit 0; sleep 0.02; done; exit 1"
echo '(sleep 60) >/dev/null 2>&1 & echo $! >daemon.pid' >daemon.sh
is "$(with_code run --follow=no -- sh daemon.sh)" "0 $none the program made no call into an API that tracelayer has shims for; what it started was not traced, see --follow" \
	"it is not named where it is not traced"
kill "$(cat daemon.pid)"
cat >records.py <<-'END'
	import ctypes, os, time
	ready, done = os.pipe()
	if os.fork():
	    os.read(ready, 1)
	    os._exit(0)
	os.setsid()
	silent = os.open("/dev/null", os.O_RDWR)
	for fd in 0, 1, 2: os.dup2(silent, fd)
	ctypes.CDLL("libOpenCL.so.1").clGetPlatformIDs(0, None, None)
	os.write(done, b"x")
	time.sleep(60)
END
if "$python" -c 'import ctypes; ctypes.CDLL("libOpenCL.so.1")' 2>/dev/null; then
	line=$(OCL_ICD_VENDORS=$tmp/none with_code run -o records.json -- "$python" records.py)
	like "$line" '^0 tracelayer: no trace yet: the program has ended, but process [0-9]+ \([^)]*\) that it started still runs;' \
		"a process that has recorded, and lives on, is not said to have ended"
	kill "$(echo "$line" | sed 's/.*process \([0-9]*\) .*/\1/')"
	line=$(OCL_ICD_VENDORS=$tmp/none with_code run -o both.json -- sh -c "'$python' records.py; $later _exit 7")
	like "$line" '^5 tracelayer: trace: both.json \(7 events\); process [0-9]+ still runs and writes its trace itself$' \
		"nor is it left out where there is a trace of another process"
	kill "$(echo "$line" | sed 's/.*process \([0-9]*\) .*/\1/')"
else
	skip 2 "no OpenCL loader"
fi
is "$(with_code run --level=none -- true)" "0 $none the level is none; give another with --level" "level none"
cat >start.c <<'END'
int main(void) { return 5; }
END
if $CC -static start.c -o static 2>/dev/null; then
	is "$(with_code run -- ./static)" "5 $none ./static is statically linked, so nothing can be preloaded; link it dynamically" "a static program"
	printf '#!%s/static\n' "$tmp" >script; chmod +x script
	is "$(with_code run -- ./script)" "5 $none its interpreter $tmp/static is statically linked, so nothing can be preloaded; link it dynamically" \
		"a script with a static interpreter"
	printf '#!/usr/bin/env -S static -x\n' >script2; chmod +x script2
	like "$(PATH=$tmp:$PATH with_code run -- script2)" "^5 $none its interpreter $tmp/static is statically linked" "and one that env finds"
else
	skip 3 "this machine has no static C library"
fi
# Its constructors run before libtracelayer.so's.
echo 'void exit(int code); __attribute__((constructor)) static void start(void) { exit(3); } int early;' | $CC -shared -fPIC -o "$tmp/libearly.so" -x c -
echo 'extern int early; int main(void) { return early; }' | $CC -o ends_early -x c - -x none "$tmp/libearly.so"
is "$(with_code run -- ./ends_early)" "3 $none libtracelayer.so did not begin in ./ends_early: the program ended while its libraries were initialised, or something clears LD_PRELOAD" \
	"a program that a library of it ends before main"
$CC -static-pie start.c -o static_pie 2>/dev/null
like "$(with_code run -- ./static_pie)" "^5 $none ./static_pie is statically linked" "a static position-independent program"
cat >foreign.s <<'END'
.globl _start
_start:	mov $1, %eax
	mov $6, %ebx
	int $0x80
END
if { as --32 foreign.s -o foreign.o && ld -m elf_i386 foreign.o -o foreign; } 2>/dev/null && { ./foreign; test $? = 6; } 2>/dev/null; then
	is "$(with_code run -- ./foreign)" "6 $none ./foreign is for 32-bit x86 and this tracelayer is not; use a tracelayer built for that" \
		"a program of another architecture"
else
	skip 1 "this machine runs no 32-bit programs"
fi
# The same file with another machine's number: the kernel won't start it.
cp /bin/true other; printf '\267' | dd of=other bs=1 seek=18 conv=notrunc 2>/dev/null
test "$(uname -m)" = aarch64 && printf '\076' | dd of=other bs=1 seek=18 conv=notrunc 2>/dev/null
like "$(with_code run -- ./other)" "^126 tracelayer: ./other: cannot be started: it is not a program for this machine" "one that can't run here: 126"
cp /bin/sh privileged
if test "$(id -u)" = 0 && chown 65534 privileged && chmod 4755 privileged &&
	./privileged -p -c 'id -u' 2>/dev/null | grep -qx 65534; then
	like "$(with_code run -- ./privileged -c 'exit 4')" "^4 $none ./privileged is set-user-id .*so preloading is ignored" "a set-user-id program"
else
	skip 1 "this machine's user can't make set-user-id programs here"
fi
cat >cuda.c <<'END'
int cuInit(unsigned flags) { return 0; }
END
cat >uses_cuda.c <<'END'
int cuInit(unsigned);
int main(void) { return cuInit(0); }
END
$CC -shared -fPIC cuda.c -Wl,-soname,libcuda.so.1 -o libcuda.so.1 && $CC uses_cuda.c ./libcuda.so.1 -Wl,-rpath,"$tmp" -o uses_cuda
is "$(with_code run -- ./uses_cuda)" "0 $none the program uses libcuda.so.1, which is not traced; add --api=cuda, or --lib=libcuda.so.1 without its headers" \
	"only libraries without shims"
like "$(with_code run --lib=./libcuda.so.1 -- ./uses_cuda)" "^tracelayer: trace: .* \(1 event\)$" "which the message says how to trace"
cat >>uses_cuda.c <<'END'
int main(int argc, char **argv) { return argc > 1 ? cuInit(0) : 0; }
END
sed -i '/main(void)/d' uses_cuda.c
$CC uses_cuda.c ./libcuda.so.1 -Wl,-rpath,"$tmp" -o uses_cuda
is "$(with_code run --lib=./libcuda.so.1 -- ./uses_cuda)" "0 $none the program made no call into an API that tracelayer has shims for" "with shims, that no call was made is all there is to say"
# libva has two versions of a function, HDF5's libraries have functions of one name.
cat >versions.c <<'END'
__asm__(".symver old, cuInit@CUDA_1"); int old(unsigned flags) { return (int)flags; }
__asm__(".symver new, cuInit@@CUDA_2"); int new(unsigned flags) { return (int)flags; }
END
printf 'CUDA_1 { }; CUDA_2 { };' >versions.map
mkdir versions && $CC -shared -fPIC versions.c -Wl,-soname,libcuda.so.1,--version-script=versions.map -o versions/libcuda.so.1
is "$(LD_LIBRARY_PATH=versions with_code run --lib=./versions/libcuda.so.1 -- ./uses_cuda | tail -n 1)" "$none the program made no call into an API that tracelayer has shims for" \
	"nor does an interposer come before the library if it has two versions of a function"
$CC -shared -fPIC cuda.c -Wl,-soname,libcuda_also.so.1 -o libcuda_also.so.1
is "$(with_code run --lib=./libcuda.so.1 --lib=./libcuda_also.so.1 -- ./uses_cuda | tail -n 1)" "$none the program made no call into an API that tracelayer has shims for" \
	"nor one of two that have a function of the same name"
# As oclgrind and cliloader do: another tool's library, preloaded by what the program starts.
$CC -shared -fPIC cuda.c -o before.so
printf '#!/bin/sh\nLD_PRELOAD=$PWD/before.so:$LD_PRELOAD exec ./uses_cuda "$@"\n' >before; chmod +x before
is "$(with_code run --lib=./libcuda.so.1 -- ./before call)" "0 $none no call reached libtracelayer.so: $tmp/before.so comes before it in LD_PRELOAD and has functions of the same names; let what preloads that start tracelayer run" \
	"a library that comes before us takes the calls"
like "$(with_code run -- env -u LD_PRELOAD true)" "^0 $none env took LD_PRELOAD away from .*/true, " "a program that lets go of us is no error"
is "$(TMPDIR=/nowhere/at/all said run -- true)" "$none the program made no call into an API that tracelayer has shims for" \
	"where TMPDIR is no folder, another is found"

# --- where the trace is
cat >calls.py <<'END'
# Calls Level Zero so often, then ends as it is told.
import ctypes, os, sys
ze = ctypes.CDLL("libze_loader.so.1")
ze.zeInit(0)
count = ctypes.c_uint32(0)
for i in range(int(sys.argv[1])):
    ze.zeDriverGet(ctypes.byref(count), None)
exec(sys.argv[2])
END
ZE_ENABLE_ALT_DRIVERS=$(cd "$top_builddir" && pwd)/tests/drivers/.libs/ze_driver_a.so; export ZE_ENABLE_ALT_DRIVERS
calls() { run "$@" -- "$python" calls.py "${n:-9}" "${end:-pass}"; }

is "$(with_code calls -o a.json)" "0 tracelayer: trace: a.json (10 events)" "a trace: its path from here, and its events"
is "$(events a.json)" 10 "which are in it"
is "$("$tracelayer" summary --csv a.json | cut -d, -f1,2 | tr -d '\r' | sort | paste -sd' ')" \
	"function,calls zeDriverGet,9 zeInit,1" "and in its summary"
like "$(said run -o 'b.%p.json' -- sh -c "$python calls.py 1 pass; $python calls.py 4 pass; true")" \
	'^tracelayer: 2 traces: b\.[0-9]+\.json \(2 events\), b\.[0-9]+\.json \(5 events\)$' "two processes: both traces"
cat >many.py <<'END'
import os, signal
for child in range(120):
    if not os.fork():
        ze.zeDriverGet(ctypes.byref(count), None)
        os.kill(os.getpid(), signal.SIGKILL) if child == 110 else sys.exit()
    os.wait()
END
# They are named in the order of their numbers, which must not begin again meanwhile.
while test "$(sh -c 'echo $$')" -gt $(($(cat /proc/sys/kernel/pid_max) - 2000)); do :; done
n=1 end=$(cat many.py) said calls -o 'many.%p.json' >line
like "$(sed 's/many\.[0-9]*\.json/M/g; s/^\(.*traces: \)\(M (. events*), \)\{99\}/\1…/' line)" \
	'^tracelayer: 121 traces: …M \(1 event\), M \(1 event, 1 recovered\), and 20 more \(2[0-9] events\)$' "very many processes: a hundred are named, and what was recovered"
like "$(said run --split=64K -o s.json -- "$python" calls.py 5000 pass)" \
	'^tracelayer: [0-9]+ traces: s\.json to s\.[0-9]+\.json \(5001 events\)$' "a split trace: its first file and its last"
is "$(said run -o "$tmp/reports/../c.json" -- "$python" calls.py 1 'os.chdir("/")')" "tracelayer: trace: reports/../c.json (2 events)" \
	"a program that changes its directory"
is "$(with_code calls --include='cl*')" \
	"0 $none the program called zeInit, but every call is filtered out; see --level, --include and --exclude" "all filtered"
is "$(end='os.kill(os.getpid(), 9)' said calls -o k.json)" "tracelayer: trace: k.json (10 events, 10 recovered)" "killed early: the trace is recovered"
mkdir 'a%p'
is "$(cd 'a%p' && said run -o d.json -- sh -c 'cd / && exec "$0" "$1" 1 pass' "$python" "$tmp/calls.py"; ls)" "tracelayer: trace: d.json (2 events)
d.json" "a relative name starts in the folder of the command, wherever the program goes"
is "$(end='os._exit(0)' said calls -o _exit.json)" "tracelayer: trace: _exit.json (10 events)" "ended by _exit"
is "$(end='ctypes.CDLL(None).syscall(231 if os.uname().machine == "x86_64" else 94, 0)' said calls -o g.json)" \
	"tracelayer: trace: g.json (10 events, 10 recovered)" "ended by exit_group early: recovered, too"
printf '%s\n' '#include <signal.h>' 'int clGetPlatformIDs(unsigned, void *, unsigned *);' '__attribute__((destructor)) static void end(void) { raise(SIGKILL); }' \
	'int main(void) { unsigned n; clGetPlatformIDs(0, 0, &n); return 0; }' | $CC -x c -o ends - -x none -l:libOpenCL.so.1 || exit 99
is "$(OCL_ICD_VENDORS=$tmp/none said run -o ends.json ./ends)" "tracelayer: trace: ends.json (1 event)" "killed at its end: nothing was left to recover"
like "$(n=50000 end='os.kill(os.getpid(), 9)' said calls -o d.json)" "^tracelayer: trace: d.json \(50001 events, [0-9]+ recovered\)$" \
	"killed late: the trace is continued"
"$tracelayer" summary d.json >/dev/null 2>&1; is $? 0 "and is whole"
# What could not be written waits for another file. drop: it is not wanted.
kept='the buffers are kept: [a-z ,]*give another file with `tracelayer recover -o FILE'
drop() { rm -f "/dev/shm/tracelayer-buffers.$(printf '%s\n' "$1" | sed -n 's/.*FILE \([0-9]*\)`$/\1/p')."*; }
mkdir gone
line=$(end='os.rmdir("gone")' with_code calls -o gone/x.json)
like "$line" "^0 $none gone/x.json: its folder is not there; $kept [0-9]+\`$" "a file that can't be made: one line, and the program runs"
ok "and what was recorded is not lost" \
	sh -c "$tracelayer recover -o found.json \$(printf '%s' '$line' | sed 's/.*FILE \([0-9]*\).*/\1/') && test -s found.json"
line=$(said calls -o /dev/full)
like "$line" "^tracelayer: /dev/full: No space left on device; $kept [0-9]+\`$" "a full disk"
like "$line" "^tracelayer: trace: /dev/full \(incomplete\)$" "and the trace is incomplete"

# Ranks of a job share their stderr: a line must be one write. On a socket of datagrams each write is a message.
cat >"$tmp/writes.py" <<'END'
import socket, subprocess, sys
ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
subprocess.run(sys.argv[1:], stderr=theirs, stdout=subprocess.DEVNULL)
ours.setblocking(False)
messages = []
try:
    while True:
        messages.append(ours.recv(65536).decode())
except BlockingIOError:
    pass
print(len(messages), all(message.count("\n") == 1 and message.endswith("\n") for message in messages))
END
is "$("$python" -B "$tmp/writes.py" "$top_builddir/tracelayer" run -o w.json -- "$python" calls.py 5 pass)" "1 True" "the closing line is one write"
drop "$line"
mkdir small
if unshare -rm true 2>/dev/null; then
	line=$(unshare -rm sh -c 'mount -t tmpfs -o size=1M none small && "$0" run -o small/x.tlt -- "$1" calls.py 60000 pass
		cp small/x.tlt full.tlt' "$tracelayer" "$python" 2>&1 >/dev/null </dev/null)
	like "$line" "^tracelayer: small/x.tlt: No space left on device; $kept [0-9]+\`
tracelayer: trace: small/x.tlt \([0-9]+ events, the others are kept\)\$" "a disk that fills up: no event is called lost"
	if test -s full.tlt; then
		lost=$("$tracelayer" summary full.tlt 2>&1 >/dev/null | sed -n 's/^tracelayer: \([0-9]*\) events were lost.*/\1/p')
		is "$((${lost:-0} + $("$tracelayer" summary --csv --table=calls full.tlt 2>/dev/null | awk -F, 'NR > 1 { n += $2 } END { print n + 0 }')))" 60001 \
			"but the file says how many it lacks"
	else
		# The first write had more than there is room for.
		like "$line" '^tracelayer: trace: small/x.tlt \(0 events, the others are kept\)$' "but the line says that the file has none"
	fi
	"$tracelayer" recover -o rest.tlt "$(printf '%s\n' "$line" | sed -n 's/.*FILE \([0-9]*\)`$/\1/p')" >/dev/null 2>&1
	first=$(printf '%s\n' "$line" | sed -n 's/.*(\([0-9]*\) events.*/\1/p')
	is "$((first + $("$tracelayer" summary --csv --table=calls rest.tlt | awk -F, 'NR > 1 { n += $2 } END { print n + 0 }')))" 60001 \
		"nor is it: the other file has the rest"
else
	skip 3 "user namespaces can't be had on this machine"
fi
is "$(TRACELAYER_LEVLE=all said calls -o e.json)" "tracelayer: TRACELAYER_LEVLE: no such setting; did you mean TRACELAYER_LEVEL?
tracelayer: trace: e.json (10 events)" "what is wrong with the settings is said once, and not by the layer again"

# --- where a trace can go is seen before the program starts
refused() { rm -f started; is "$(with_code run -o "$1" -- touch started; ls started 2>/dev/null)" "2 tracelayer: $2" "$3"; }
endings="no format has this ending; use .json, .json.gz, .pftrace, .pftrace.gz or .tlt"
for name in x.json.zst x.html x.txt .d/x.json.bz2; do
	refused $name "--output=$name: $endings" "an ending that says no format is refused: $name"
done
refused - "--output=-: standard output is the program's own; name a file or a pipe" "standard output is the program's"
refused /missing/x.json "/missing/x.json: its folder is not there; correct that, or give another file with -o" "a folder that is not there"
refused a.json/x.json "a.json/x.json: Not a directory; correct that, or give another file with -o" "a file in a folder's place"
is "$(TRACELAYER_OUTPUT=x.zst with_code run -- touch started; ls started 2>/dev/null)" "2 tracelayer: TRACELAYER_OUTPUT=x.zst: $endings" "the variable, too"
is "$(TRACELAYER_OUTPUT=/missing/x.json with_code run -- touch started; ls started 2>/dev/null)" \
	"2 tracelayer: /missing/x.json: its folder is not there; correct that, or give another file with -o" "and its folder"
is "$(with_code run --level=none -o /missing/x.json -- true)" "0 $none the level is none; give another with --level" "but where no trace is wanted"
like "$(with_code calls -o 'x.%p')" "^0 tracelayer: trace: x\.[0-9]+ \(10 events\)$" "a name whose letters look like an ending is none"
mkdir folder in
like "$(with_code calls -o folder)" "^0 tracelayer: trace: folder/trace\.python3[.0-9]*\.json \(10 events\)$" "a folder: the default name in it"
like "$(with_code calls -o folder/)" "^0 tracelayer: trace: folder/trace\.python3[.0-9]*\.json \(10 events\)$" "with a slash, too"
like "$(cd in && cp ../calls.py . && with_code calls -o .)" "^0 tracelayer: trace: trace\.python3[.0-9]*\.json \(10 events\)$" "and the one where one is"
is "$(ls in/..1 folder.1 2>/dev/null)" "" "and nothing beside them"
run -o /dev/stdout -- "$python" calls.py 9 pass 2>said | cat >piped.json
is "$(cat said) $(events piped.json)" "tracelayer: trace: /dev/stdout (10 events) 10" "/dev/stdout, a pipe, gets the trace"
is "$(ls /dev/stdout.1 2>/dev/null)" "" "and there is nothing beside it"
is "$(run -o /dev/stdout -- touch started 2>&1 >shared; echo $?)" "tracelayer: /dev/stdout: it leads to a file that others write, too; correct that, or give another file with -o
2" "a file that is standard output is refused"
run -o >(cat >fd.json) -- "$python" calls.py 9 pass 2>said
for i in $(seq 50); do test -s fd.json && tail -n 1 fd.json | grep -q ']' && break; sleep 0.1; done
is "$(events fd.json)" 10 "a pipe that a shell made is written to"
mkfifo own.json; cat own.json >from.own &
is "$(with_code calls -o own.json)" "0 tracelayer: trace: own.json (10 events)" "one's own pipe is"
wait $!; is "$(events from.own)" 10 "... by who reads it"

# Without the command there is one line at the first call, and the program goes on.
by_hand() { env LD_PRELOAD="$libtracelayer" TRACELAYER_OUTPUT="$1" "$python" calls.py 2 "${end:-print('ran')}" 2>&1; }
like "$(end='print("ran", flush=True); os.kill(os.getpid(), 9)' by_hand /missing/x.json)" \
	"^tracelayer: /missing/x.json: its folder is not there; correct that, or name another file with TRACELAYER_OUTPUT$" "by hand: said at the first call"
like "$(by_hand /missing/x.json)" "^ran$" "and the program goes on"
is "$(cd folder && cp ../calls.py . && by_hand x.zst)" "tracelayer: TRACELAYER_OUTPUT=x.zst: $endings
ran" "an ending, too"
ok "the trace then has the default name" sh -c "ls folder/trace.python3*.json"
rm -f $(grep -l -a "$tmp" /dev/shm/tracelayer-buffers.* 2>/dev/null) $(grep -l -a /missing/x.json /dev/shm/tracelayer-buffers.* 2>/dev/null)

# --- what somebody else has put there
mkdir -m 1777 sticky; chmod 755 .
other="setpriv --reuid=65534 --regid=65534 --clear-groups"
if test "$(id -u)" = 0 && $other mkfifo -m 666 sticky/t.json sticky/log.txt 2>/dev/null; then
	theirs="it is a pipe of somebody else, who would get the trace"
	($other timeout 20 cat sticky/t.json sticky/log.txt >stolen) & thief=$!
	is "$(with_code run -o sticky/t.json -- touch started; ls started 2>/dev/null)" "2 tracelayer: sticky/t.json: $theirs; correct that, or give another file with -o" \
		"a pipe of somebody else is refused"
	like "$(by_hand "$tmp/sticky/t.json")" "^tracelayer: $tmp/sticky/t.json: $theirs; correct that" "by the layer, too, which says so at the first call"
	kill $thief 2>/dev/null; wait $thief 2>/dev/null
	is "$(cat stolen)" "" "and its reader gets nothing"
	$other ln -s "$tmp/victim" sticky/link.json
	echo mine >victim
	is "$(with_code calls -o sticky/link.json; cat victim)" "0 tracelayer: trace: sticky/link.1.json (10 events)
mine" "a link of somebody else is a name that is taken"
	chown 65534 sticky/link.1.json
	is "$(with_code calls -o sticky/link.1.json)" "0 tracelayer: trace: sticky/link.1.1.json (10 events)" "so is a file"
	$other mkdir -m 777 sticky/own; $other ln -s "$tmp" sticky/way
	is "$(with_code calls -o sticky/way/y.json)" "2 tracelayer: sticky/way/y.json: a symbolic link on the way belongs to somebody else; correct that, or give another file with -o" \
		"a link on the way is not followed"
else
	skip 6 "this machine's user can't play another one"
fi
is "$(with_code calls -o /dev/null)" "0 tracelayer: trace: /dev/null (10 events)" "/dev/null works as ever"
rm -f $(grep -l -a "$tmp" /dev/shm/tracelayer-buffers.* 2>/dev/null)

# --- ranks, and what starts them
cat >mpirun.c <<'END'
/* Looks at devices itself, as the libraries of real ones do, then starts ranks 0 and 1, and a helper that is none. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int zeInit(unsigned flags);

int main(int argc, char **argv)
{
	zeInit(0);
	for (int rank = 0; rank < 3; rank++) {
		char number[2] = {(char)('0' + rank), 0};
		pid_t child = fork();
		if (!child) {
			if (rank < 2)
				setenv("PMI_RANK", number, 1);
			execvp(argv[1], argv + 1);
			_exit(127);
		}
		waitpid(child, NULL, 0);
	}
	return 5;
}
END
$CC mpirun.c -lze_loader -o mpirun && cp mpirun mpirun.ours && cp mpirun starter
is "$(with_code run -o 'm.%r.json' -- ./mpirun "$python" calls.py 2 pass)" \
	"5 tracelayer: 3 traces: m.0.json (3 events), m.1.json (3 events), m.json (3 events)" "before a launcher: each rank's trace by its rank, others claim none, and none of the launcher's"
is "$(with_code run -o 'n.%r.json' -- ./mpirun.ours "$python" calls.py 2 pass)" \
	"5 tracelayer: 3 traces: n.0.json (3 events), n.1.json (3 events), n.json (3 events)" "by whoever made it"
is "$(with_code run -o 's.%r.json' -- ./starter "$python" calls.py 2 pass | grep -c '4 traces')" 1 "a program that is none is traced"
is "$("$python" - m.json m.0.json m.1.json <<'END'
import json, sys
for name in sys.argv[1:]:
    print(*[e["args"].get("rank", "none") for e in json.load(open(name)) if e["name"] == "tracelayer"], end=" ")
END
)" "none 0 1 " "the traces say so, too"
is "$(with_code run --follow=no -o 'f.%r.json' -- ./mpirun "$python" calls.py 2 pass)" "5 tracelayer: trace: f.json (1 event)" "--follow=no: the launcher itself"
like "$(with_code run -- ./mpirun true)" "^5 $none the program made no call .*, nor did what it started on this machine; a launcher's own calls are not recorded, see --follow$" \
	"no calls behind a launcher"
is "$(said run --level=none --tool log=file=log.%r.txt -- ./mpirun "$python" calls.py 2 pass; wc -l <log.txt; ls log*.txt | paste -sd' ')" "3
log.0.txt log.1.txt log.txt" "tools are not loaded into a launcher, and know the rank"
is "$(SLURM_PROCID=0 with_code calls -o 'b.%r.json')" "0 tracelayer: trace: b.json (10 events)" "a batch script of Slurm is no rank"
is "$(SLURM_STEP_ID=0 SLURM_PROCID=4 with_code calls -o 'b.%r.json')" "0 tracelayer: trace: b.4.json (10 events)" "a task of srun is"
is "$(RANK=0 with_code calls -o 'r.%r.json')" "0 tracelayer: trace: r.json (10 events)" "a variable that anybody may have set is none"
is "$(RANK=1 LOCAL_RANK=1 WORLD_SIZE=2 with_code calls -o 'r.%r.json')" "0 tracelayer: trace: r.1.json (10 events)" "with its neighbours it is torchrun's"

# --- settings that are wrong
is "$(with_code run --level=lots -- touch started)" \
	"2 tracelayer: --level=lots: no such word as 'lots'; use all, none, request, runtime, operator, debug, standard" "an option's value: exit 2"
nok "and the program was not started" test -e started
like "$(with_code run --nosuch -- true)" "^2 tracelayer: --nosuch: no such option; .tracelayer run --help. lists the options" "no such option"
run --nosuch -- true 2>/dev/null; is $? 2 "and exit 2"
run 2>/dev/null; is $? 2 "no program: exit 2"
is "$(TRACELAYER_LEVLE=all said run -- sh -c 'true; true' | grep -v "$none")" \
	"tracelayer: TRACELAYER_LEVLE: no such setting; did you mean TRACELAYER_LEVEL?" "an unknown variable is said once, and no reason to stop"
is "$(TRACELAYER_ARGS=some said run -- true | grep -v "$none")" \
	"tracelayer: TRACELAYER_ARGS=some: no such word as 'some'; use none, scalars, full" "so is a value that does not parse"

# --- a program that is root and becomes another user behind its first calls, as tcpdump does: it can't write into root's folder
if test "$(id -u)" = 0; then
	becomes='import ctypes, os; z = ctypes.CDLL("libz.so.1"); z.crc32(0, b"a", 1); os.setuid(65534); [z.crc32(0, b"a", 1) for _ in range('
	mkdir -m 755 roots
	is "$(said run --lib=libz.so.1 --args=none -o roots/t.json -- "$python" -S -c "${becomes}1000)]" | grep -v 'names and times alone')" \
		"tracelayer: trace: roots/t.json (1001 events, 1001 recovered)" "what it recorded is recovered, and nothing is said to be missing"
	like "$(said run --lib=libz.so.1 --args=none --memory=2M -o roots/u.json -- "$python" -S -c "${becomes}100000)]" | paste -sd' ')" \
		"roots/u.json: Permission denied, so events are missing; .*(.* lost, .*recovered)" "where events are missing, both are said"
else
	skip 2 "only root can become another user, and this machine runs the tests as one that is not"
fi

# --- a program that is killed while a tool is loaded: the tool's thread was the first that recorded
dies='import ctypes, os; z = ctypes.CDLL("libz.so.1"); [z.crc32(0, b"a", 1) for _ in range(1000)]; os.kill(os.getpid(), 9)'
for tool in summary leaks log=file=/dev/null; do
	for format in json tlt; do
		like "$(said run --lib=libz.so.1 --args=none --tool=$tool -o "dies.$format" -- "$python" -S -c "$dies" | grep 'trace: ')" \
			"trace: dies.*$format \(1000 events, 1000 recovered" "--tool=$tool, and the program is killed: its calls are recovered ($format)"
	done
	like "$("$top_builddir/tracelayer" summary dies.tlt 2>&1)" '^crc32 +1,000 ' "and can be read"
	rm -f dies*
done

# --- what can't be written, or is no more than a beginning
calls='import ctypes; z = ctypes.CDLL("libz.so.1"); [z.crc32(0, b"a", 1) for _ in range(1000)]'
run --lib=libz.so.1 -o few.tlt -- "$python" -S -c "$calls" 2>/dev/null
run --lib=libz.so.1 -o few.pftrace -- "$python" -S -c "$calls" 2>/dev/null
timeout 60 "$top_builddir/tracelayer" export few.tlt -o - 2>err >&-; is "$? $(cat err)" \
	"1 tracelayer: -: Bad file descriptor; no file was left there; free some space, or give another place with -o" "export to a stdout that is closed ends, with an error"
head -c 200 few.pftrace >cut.pftrace
"$top_builddir/tracelayer" summary cut.pftrace 2>err; is "$? $(cat err)" \
	"1 tracelayer: cut.pftrace: cut short: nothing that tracelayer wrote is in it; give the whole file" "a .pftrace that was cut before its first event"
like "$(said run --lib=libz.so.1 --level=none --tool=log=file=/dev/full -- "$python" -S -c "$calls" | grep full)" \
	"tracelayer: /dev/full: No space left on device, so lines of log are missing; name another file" "a tool's file that is full, once"
like "$(ulimit -f 4; XDG_CACHE_HOME=$tmp/small said run --lib=libz.so.1 -- true | tail -n 1)" \
	"cannot be made; free some space, or set XDG_CACHE_HOME to a folder that has some" "no room for the interposer"
rm -rf few.* cut.pftrace err small

# --- a library that only the program finds, beside itself
mkdir -p "$tmp/bundle/lib"
echo 'int bundled(int n) { return n + 1; }' | $CC -shared -fPIC -Wl,-soname,libbundled.so.1 -x c -o "$tmp/bundle/lib/libbundled.so.1" -
echo 'int bundled(int); int main(void) { return bundled(4); }' |
	$CC -x c -o "$tmp/bundle/app" - -x none "$tmp/bundle/lib/libbundled.so.1" -Wl,-rpath,'$ORIGIN/lib'
bundled() { (cd "$tmp/bundle" && XDG_CACHE_HOME=$tmp/bundle said run -o t.json --lib=libbundled.so.1 -- "$1" | tail -n 1); }
case $top_builddir in
/*)
	is "$(bundled "$tmp/bundle/app")" "tracelayer: trace: t.json (1 event)" "--lib finds a library by the program's RUNPATH"
	is "$(bundled ./app)" "tracelayer: trace: t.1.json (1 event)" "... also where that is relative"
	;;
*) skip 2 "the build folder is no whole path" ;;
esac
rm -rf "$tmp/bundle"

# --- where the layer reports
reports_in() { env -u TMPDIR "$@" -- sh -c 'echo "$TRACELAYER_REPORT"' 2>/dev/null | sed 's,/tracelayer-run-.*,,'; }
is "$(reports_in "$top_builddir/tracelayer" run --quiet)" "/dev/shm" "the layer reports in memory"
is "$(reports_in "$top_builddir/tracelayer" run --quiet --buffers="$TMPDIR")" "/tmp" "with --buffers, where temporary files are"
is "$(run --quiet -- sh -c 'echo "${TRACELAYER_REPORT%/tracelayer-run-*}"' 2>/dev/null)" "$TMPDIR" "where TMPDIR names a folder, there"

# --- AddressSanitizer wants to be the first library
printf '#include <stdio.h>\n#include <stdlib.h>\nint main(void) { puts(getenv("ASAN_OPTIONS")); return 3; }\n' >"$tmp/asan.c"
gcc -fsanitize=address -o "$tmp/asan" "$tmp/asan.c" 2>"$tmp/asan.said" || diag "$(cat "$tmp/asan.said")"
is "$(ASAN_OPTIONS=detect_leaks=0 run --quiet -- "$tmp/asan" 2>&1; echo $?)" "detect_leaks=0:verify_asan_link_order=0
3" "a program with AddressSanitizer starts"
is "$(ASAN_OPTIONS=detect_leaks=0 run --quiet -- sh -c "$tmp/asan; exit \$?" 2>&1; echo $?)" "detect_leaks=0
3" "... also where a shell starts it"
is "$(ASAN_OPTIONS=verify_asan_link_order=1 run --quiet -- "$tmp/asan" 2>/dev/null; echo $?)" 1 "what the user asks it for stays"
sed -i '1iconst char *__asan_default_options(void) { return "detect_leaks=0"; }' "$tmp/asan.c"
gcc -fsanitize=address -o "$tmp/asan_own" "$tmp/asan.c"
is "$(run --quiet -- "$tmp/asan_own" 2>&1; echo $?)" "verify_asan_link_order=0
3" "one with defaults of its own starts"
for clang in clang clang-19 clang-18 clang-17 clang-16 clang-15 clang-14; do
	runtime=$($clang -print-file-name=libclang_rt.asan-$(uname -m).so 2>/dev/null) && test -f "$runtime" && break
done
if $clang -fsanitize=address -shared-libasan -Wl,-rpath,"${runtime%/*}" -o "$tmp/asan_clang" "$tmp/asan.c" 2>/dev/null; then
	is "$(run --quiet -- "$tmp/asan_clang" 2>&1; echo $?)" "verify_asan_link_order=0
3" "... with clang's runtime, too"
else
	skip 1 "no clang with a shared runtime of AddressSanitizer"
fi
asan=$(gcc -print-file-name=libasan.so)
is "$(ASAN_OPTIONS= LD_PRELOAD=$asan run --quiet -- sh -c 'echo ran; kill -0 $$; exit 3' 2>&1; echo $?)" "ran
3" "a program with AddressSanitizer preloaded starts, and its exit code stays"

# --- valgrind knows no child in shared memory
if valgrind -q true 2>/dev/null; then
	is "$(valgrind -q "$top_builddir/tracelayer" run --quiet -- sh -c 'echo ran; exit 3' 2>/dev/null; echo $?)" "ran
3" "run starts the program under valgrind"
else
	skip 1 "this machine has no valgrind"
fi

# --- nothing is left
is "$(ls -A "$TMPDIR")" "" "run leaves nothing in TMPDIR"
