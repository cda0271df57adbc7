#!/bin/bash
# SPDX-License-Identifier: MIT
# Where event buffers lie when /dev/shm is too small, missing, forbidden, or becomes full or smaller while the program runs.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
plan 32

cat >"$tmp/calls.py" <<'END'
# calls.py COUNT [COMMAND COUNT]: so many calls; then the command, and as many again.
import ctypes, os, sys
opencl = ctypes.CDLL("libOpenCL.so.1")
number = ctypes.c_uint()
for i in range(int(sys.argv[1])):
    opencl.clGetPlatformIDs(0, None, ctypes.byref(number))
if len(sys.argv) > 2:
    os.system(sys.argv[2])
    for i in range(int(sys.argv[3])):
        opencl.clGetPlatformIDs(0, None, ctypes.byref(number))
END
# So that only the program is traced, and not what it starts.
calls="$python $tmp/calls.py"
line='tracelayer: /dev/shm: no room for [0-9]+M of event buffers; '
refused='tracelayer: /dev/shm: access is refused for [0-9]+M of event buffers; '

# in_namespace SCRIPT: as root of namespaces of its own, where /dev/shm can be anything.
in_namespace()
{
	env TMPDIR="$tmp" LD_LIBRARY_PATH= tmp="$tmp" library="$libtracelayer" calls="$calls" unshare -rm bash -c "$1" 2>"$tmp/err"
}

# no_leftovers: the process that just ended left no buffers in the places that it could have used.
no_leftovers() { test -z "$(find "$tmp" -maxdepth 1 -name 'tracelayer-buffers.*')"; }

if ! unshare -rm true 2>/dev/null; then
	skip 21 "user namespaces can't be had on this machine"
else
	in_namespace 'mount -t tmpfs -o size=1M none /dev/shm && LD_PRELOAD=$library TRACELAYER_OUTPUT=$tmp/small.json $calls 3000'
	is $? 0 "/dev/shm too small: the program runs"
	is "$(events "$tmp/small.json")" 3000 "... and all its calls are recorded"
	like "$(cat "$tmp/err")" "^${line}they are in $tmp: " "... which says where the buffers are"
	is "$(wc -l <"$tmp/err")" 1 "... in one line"
	ok "... and nothing is left there" no_leftovers

	in_namespace 'mount -t tmpfs none /sys/fs/cgroup && mount -t tmpfs -o size=1M none /dev/shm && LD_PRELOAD=$library TRACELAYER_OUTPUT=$tmp/apart.json $calls 3000'
	is $?-"$(events "$tmp/apart.json")" 0-3000 "/dev/shm too small, and no cgroups in sight: all calls are recorded"
	like "$(cat "$tmp/err")" "^${line}they are in $tmp: make room there" "... and the line says the same"

	in_namespace 'mount -t tmpfs -o ro none /dev/shm && LD_PRELOAD=$library TRACELAYER_OUTPUT=$tmp/read.json $calls 3000'
	is $?-"$(events "$tmp/read.json")" 0-3000 "/dev/shm read-only: all calls are recorded"
	like "$(cat "$tmp/err")" "^${refused}they are in $tmp: " "... and the line says where, and that it is not for want of room"

	in_namespace 'mount -t tmpfs none /dev && mknod -m 666 /dev/null c 1 3 2>/dev/null || : >/dev/null
		LD_PRELOAD=$library TRACELAYER_OUTPUT=$tmp/missing.json $calls 3000'
	is $?-"$(events "$tmp/missing.json")" 0-3000 "/dev/shm missing: all calls are recorded"
	is "$(sed 's/[0-9]*M/NM/' "$tmp/err")" \
		"tracelayer: /dev/shm: there is no such folder for NM of event buffers; they are in $tmp: make it, or set TRACELAYER_BUFFERS" "... and the line says so"

	in_namespace 'mount -t tmpfs none /dev && mknod -m 666 /dev/null c 1 3 2>/dev/null || : >/dev/null; : >/dev/shm
		LD_PRELOAD=$library TRACELAYER_OUTPUT=$tmp/file.json $calls 3000'
	is $?-"$(events "$tmp/file.json")" 0-3000 "/dev/shm is a file: all calls are recorded"
	like "$(cat "$tmp/err")" "^tracelayer: /dev/shm: a file is there, and no folder for [0-9]+M of event buffers; they are in $tmp: put a folder in its place, or set TRACELAYER_BUFFERS$" \
		"... and the line says so"

	in_namespace 'mount -t tmpfs none /dev && mknod -m 666 /dev/null c 1 3 2>/dev/null || : >/dev/null; ln -s shm /dev/shm
		LD_PRELOAD=$library TRACELAYER_OUTPUT=$tmp/circle.json $calls 3000'
	is $?-"$(events "$tmp/circle.json")" 0-3000 "/dev/shm is a link to itself: all calls are recorded"
	like "$(cat "$tmp/err")" "^tracelayer: /dev/shm: Too many levels of symbolic links, so no file can be made for [0-9]+M of event buffers; they are in $tmp: set TRACELAYER_BUFFERS to another folder$" \
		"... and the line says so"

	in_namespace 'mount -t tmpfs -o size=40M none /dev/shm && export TRACELAYER_MEMORY=32M TRACELAYER_OUTPUT=$tmp/full.json
		LD_PRELOAD=$library $calls 1000 "LD_PRELOAD= head -c 100M /dev/zero >/dev/shm/fill" 100000'
	is $? 0 "/dev/shm becomes full: no signal, the program runs on"
	is "$(events "$tmp/full.json")" 101000 "... and all its calls are recorded"

	in_namespace 'mount -t tmpfs -o size=64M none /dev/shm && export TRACELAYER_MEMORY=32M TRACELAYER_OUTPUT=$tmp/shrink.json
		LD_PRELOAD=$library $calls 1000 "LD_PRELOAD= mount -o remount,size=1M /dev/shm" 100000'
	is $? 0 "/dev/shm is made smaller: no signal, the program runs on"
	is "$(events "$tmp/shrink.json")" 101000 "... and all its calls are recorded"

	in_namespace 'mount -t tmpfs -o size=0 none /dev/shm && LD_PRELOAD=$library TRACELAYER_OUTPUT=$tmp/nolimit.json $calls 10'
	is $?-"$(events "$tmp/nolimit.json")" 0-10 "a tmpfs without a limit: all calls are recorded"
	unlike "$(cat "$tmp/err")" "tracelayer:" "... and nothing is said"
fi

(ulimit -f 2000; LD_PRELOAD=$libtracelayer TRACELAYER_OUTPUT=$tmp/limit.json $calls 3000) 2>"$tmp/err"
is $? 0 "files may not grow as large as the buffers: no signal, the program runs"
is "$(events "$tmp/limit.json")" 3000 "... and all its calls are recorded"
like "$(cat "$tmp/err")" "^tracelayer: /dev/shm: the limit of a file's size is too low for [0-9]+M of event buffers; they are in the process's own memory, and a crash \
loses what is not written: raise the limit \(ulimit -f\), or lower TRACELAYER_MEMORY$" "... which says what that means, and which limit it is"

# shellcheck disable=SC2016
env tmp="$tmp" LD_PRELOAD="$libtracelayer" TRACELAYER_OUTPUT="$tmp"/few.json $calls 300 'LD_PRELOAD= stat -c "%b %B" /dev/shm/tracelayer-buffers.$PPID.* >$tmp/blocks' 1
ok "300 calls take less than 256 KiB of buffers ($(cat "$tmp/blocks"): blocks, bytes in each)" test "$(awk '{ print $1 * $2 }' "$tmp/blocks")" -lt 262144

# A program that has all the files open that it may have, when its first call makes the buffers.
cat >"$tmp/open.py" <<'END'
import ctypes, os
opencl = ctypes.CDLL("libOpenCL.so.1")
count = ctypes.c_uint()
files = []
try:
    while True:
        files.append(os.open("/dev/null", os.O_RDONLY))
except OSError:
    pass
opencl.clGetPlatformIDs(0, None, ctypes.byref(count))
for file in files:
    os.close(file)
for _ in range(9):
    opencl.clGetPlatformIDs(0, None, ctypes.byref(count))
END
(ulimit -n 64; LD_PRELOAD=$libtracelayer TRACELAYER_OUTPUT=$tmp/open.json "$python" "$tmp/open.py") 2>"$tmp/err"
is $?-"$(events "$tmp/open.json")" 0-10 "a program that has too many files open: all calls are recorded"
like "$(cat "$tmp/err")" "^tracelayer: /dev/shm: too many files are open for [0-9]+M of event buffers; they are in the process's own memory, and a crash loses what is not \
written: raise the limit \(ulimit -n\), or open fewer$" "... and the line says so"

# Rules of Landlock that the program inherits: files may be made in $tmp only.
cat >"$tmp/only.py" <<'END'
# only.py FOLDER COMMAND…: exit code 77 where the kernel has no Landlock.
import ctypes, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
PATH_BENEATH, MAKE_REG, NO_NEW_PRIVS = 1, 1 << 8, 38
handled = struct.pack("Q", MAKE_REG)
rules = libc.syscall(CREATE_RULESET, handled, ctypes.c_size_t(len(handled)), 0)
if rules < 0:
    sys.exit(77)
beneath = struct.pack("=Qi", MAKE_REG, os.open(sys.argv[1], os.O_PATH))
if libc.syscall(ADD_RULE, rules, PATH_BENEATH, beneath, 0) or libc.prctl(NO_NEW_PRIVS, 1, 0, 0, 0) or libc.syscall(RESTRICT_SELF, rules, 0):
    sys.exit(99)
os.execvp(sys.argv[2], sys.argv[2:])
END
"$python" "$tmp/only.py" "$tmp" true
if test $? = 77; then
	skip 3 "this machine's kernel has no Landlock"
else
	TMPDIR=$tmp "$python" "$tmp/only.py" "$tmp" env LD_PRELOAD="$libtracelayer" TRACELAYER_OUTPUT="$tmp/rules.json" XDG_RUNTIME_DIR= $calls 3000 2>"$tmp/err"
	is $?-"$(events "$tmp/rules.json")" 0-3000 "inherited rules of Landlock forbid /dev/shm: all calls are recorded"
	like "$(cat "$tmp/err")" "^${refused}they are in $tmp: allow access, or set TRACELAYER_BUFFERS$" "... and the line says that access is refused"
	ok "... and nothing is left there" no_leftovers
fi

# More than any machine has.
LD_PRELOAD="$libtracelayer" TRACELAYER_MEMORY=1000000G TRACELAYER_OUTPUT="$tmp/huge.json" $calls 3000 2>"$tmp/err"
is $?-"$(events "$tmp/huge.json")" 0-3000 "more memory than any machine has is asked for: all calls are recorded"
unlike "$(cat "$tmp/err")" "lost" "... and nothing says that some are lost"
