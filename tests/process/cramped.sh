#!/bin/bash
# SPDX-License-Identifier: MIT
# Programs in little memory: RLIMIT_AS, files that may not grow, memory cgroups. They run as they do alone, in about the same time. One message gives the
# number of lost events, and a remedy that helps.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
need_command
app=$(cd "$top_builddir" && pwd)/tests/apps/cramped
limits=$(cd "$top_builddir" && pwd)/tests/apps/limits
libtracelayer=$(cd "$top_builddir" && pwd)/.libs/libtracelayer.so
tracelayer=$(cd "$top_builddir" && pwd)/tracelayer
export OCL_ICD_VENDORS=$tmp/none
cd "$tmp" || exit 99
plan 39

limited() { (ulimit "$1" "$2"; shift 2; "$@"); }
# ends EVENTS COMMAND…: with exit code 5, and so many events.
ends()
{
	local want=$1; shift
	rm -f t*.json
	"$@" 2>err
	test "$? $(test -e t.json && events t.json)" = "5 $want" || { ls; cat err; return 1; }
}

# --- addresses (RLIMIT_AS)
nothing="there was no memory for event buffers, and 100000 events are lost; raise the limit (ulimit -v), or lower --memory"
ok "no addresses at all: the program runs" ends "" "$tracelayer" run -o t.json "$app" 65536 100000
is "$(cat err)" "tracelayer: no trace: $nothing" "... and one line says why there is no trace, and how much is lost"
ok "without run: the same" ends "" env LD_PRELOAD="$libtracelayer" TRACELAYER_OUTPUT="$tmp/t.json" "$app" 65536 100000
is "$(cat err)" "tracelayer: $tmp/t.json: no memory for event buffers, 100000 events lost; raise the limit of memory (ulimit -v), or lower TRACELAYER_MEMORY" \
	"... in a line of the layer's"
if test -x /usr/bin/strace; then
	rm -f t*.json
	LD_PRELOAD= strace -f -c -o calls -E LD_PRELOAD="$libtracelayer" -E TRACELAYER_OUTPUT="$tmp/t.json" "$app" 65536 100000 2>/dev/null
	ok "a refusal is remembered: calls that follow cost no system call" test "$(awk '$NF == "total" { print $3 < 2000 ? $3 : $4 }' calls)" -lt 2000
else
	skip 1 "there is no strace on this machine"
fi
ok "no addresses after the first call: no call is lost" ends 20001 "$tracelayer" run -o t.json "$app" late 20000
is "$(cat err)" "tracelayer: trace: t.json (20001 events, 20001 recovered)" "... and nothing else is said"
ok "what could not be had is tried again" ends 1000 "$tracelayer" run -o t.json "$app" 65536 1000 2
is "$(cat err)" "tracelayer: there was no memory for event buffers, and 1000 events are lost; raise the limit (ulimit -v), or lower --memory
tracelayer: trace: t.json (1000 events, 1000 lost)" "... and what was lost until then is said"
for kilobytes in 200000 100000 60000; do
	ok "ulimit -v $kilobytes: all calls are recorded" ends 100000 limited -v $kilobytes "$tracelayer" run -o t.json "$app" none 100000
	is "$(cat err)" "tracelayer: trace: t.json (100000 events)" "... and nothing else is said"
done
ok "less than --memory asks for is used" ends 100000 "$tracelayer" run --memory=2G -o t.json "$app" 200000000 100000
like "$(cat err)" "^tracelayer: no addresses left for 2048M of event buffers, so there are [0-9]+M; raise the limit \(ulimit -v\), or lower TRACELAYER_MEMORY\$" "... and it is said"
# Addresses may be few without a limit.
if valgrind -q true 2>/dev/null; then
	ok "more than valgrind has" ends 100 "$tracelayer" run --memory=1T -o t.json valgrind -q "$app" none 100
else
	skip 1 "this machine has no valgrind"
fi
ok "RLIMIT_DATA: all calls are recorded" ends 100000 limited -d 30000 "$tracelayer" run -o t.json "$app" none 100000
# The ranges of a process's parents stay mapped, and take addresses.
rm -f t*.tlt
"$tracelayer" run -o t.tlt "$app" chain 12 1000 2>err
is $? 5 "a child of a child, and so on: half of the addresses stay the program's"
for trace in t*.tlt; do "$tracelayer" summary --csv "$trace"; done | awk -F, '$1 == "clGetPlatformIDs" { calls += $2 } END { print calls }' >calls
is "$(cat calls)" 13000 "... and all their calls are recorded"
rm -f t*.tlt

# --- files that may not grow (RLIMIT_FSIZE): a signal is the program's, and must not come of us
for output in t.json t.json.gz t.pftrace t.tlt; do
	(ulimit -f 8; LD_PRELOAD=$libtracelayer TRACELAYER_OUTPUT=$tmp/$output timeout 20 "$app" 100000000 50000 2>err)
	is "$? $(grep -Ec '^tracelayer: .*: File too large, [0-9]+ events lost; ' err)" "5 1" "$output may not grow: no signal, and one line says so"
done
rm -f t.*

# --- cgroups: the reader
# tree VERSION CGROUP PART: /proc and the mount of such a tree of cgroups.
tree()
{
	rm -rf root; mkdir -p root/proc/self root/cg/a/b
	case $1 in
	1) printf '9:name=systemd:/x\n5:cpu,memory:%s\n' "$2"; mount="cgroup cgroup rw,cpu,memory" ;;
	2) printf '0::%s\n' "$2"; mount="cgroup2 none rw" ;;
	esac >root/proc/self/cgroup
	cat >root/proc/self/mountinfo <<-END
	20 1 0:2 / / rw shared:1 - ext4 /dev/vda rw
	30 20 0:28 $3 /cg rw,nosuid shared:9 master:2 - $mount
	31 20 0:29 / /other\\040place rw - cgroup cgroup rw,name=systemd
	END
}
tree 2 /a/b /; echo max >root/cg/a/b/memory.max
is "$("$limits" root)" none "version 2: max is no limit"
echo 104857600 >root/cg/a/b/memory.max; is "$("$limits" root)" 104857600 "... a number is one"
echo 52428800 >root/cg/a/memory.max; is "$("$limits" root)" 52428800 "... also that of a cgroup above"
echo 26214400 >root/cg/a/b/memory.high; is "$("$limits" root)" 26214400 "... and that from which on the process is slowed down"
tree 2 /docker/1/a/b /docker/1; echo 1048576 >root/cg/a/memory.max; is "$("$limits" root)" 1048576 "... also where a part of the tree is mounted"
tree 2 / /; echo 2097152 >root/cg/memory.max; is "$("$limits" root)" 2097152 "... and in a cgroup namespace"
tree 2 /elsewhere /docker/1; echo 3145728 >root/cg/memory.max; is "$("$limits" root)" 3145728 "... and where the process's own cgroup can't be seen"
tree 1 /a/b /; echo 9223372036854771712 >root/cg/a/b/memory.limit_in_bytes; is "$("$limits" root)" none "version 1: its largest number is no limit"
echo 104857600 >root/cg/a/b/memory.limit_in_bytes; is "$("$limits" root)" 104857600 "... a smaller one is"
printf 'cache 0\nhierarchical_memory_limit 5242880\n' >root/cg/a/b/memory.stat; is "$("$limits" root)" 5242880 "... also what holds for all above"
rm -rf root; mkdir root; is "$("$limits" root)" none "without /proc: no limit"

# --- a real one
cgroup=
for tree in /sys/fs/cgroup/memory /sys/fs/cgroup; do
	test -z "$cgroup" && mkdir "$tree/tracelayer-test.$$" 2>/dev/null && cgroup=$tree/tracelayer-test.$$
	test -z "$cgroup" && continue
	echo 40M >"$cgroup/memory.limit_in_bytes" 2>/dev/null || echo 41943040 >"$cgroup/memory.max" 2>/dev/null || { rmdir "$cgroup"; cgroup=; }
done
if test -n "$cgroup"; then
	"$tracelayer" run --full=ring:64M -o t.json "$app" cgroup "$cgroup" 1000000 2>err
	is "$? $(test "$(events t.json)" -gt 10000 && echo many)" "5 many" "in a cgroup of 40M a ring does not get the program killed"
	ok "... nor do many events" ends 1000000 "$tracelayer" run -o t.json "$app" cgroup "$cgroup" 1000000
	# An eighth of 240M has 0.4 million events; the ring that is wished for, a million.
	cat >rules.py <<-'END'
		import ctypes, os, struct, sys
		opencl, number = ctypes.CDLL("libOpenCL.so.1"), ctypes.c_uint()
		libc = ctypes.CDLL(None)
		open(sys.argv[1] + "/cgroup.procs", "w").write(str(os.getpid()))
		READ_FILE, NO_NEW_PRIVS, CREATE_RULESET, RESTRICT_SELF = 1 << 2, 38, 444, 446
		rules = libc.syscall(CREATE_RULESET, struct.pack("Q", READ_FILE), ctypes.c_size_t(8), 0)
		if rules >= 0 and (libc.prctl(NO_NEW_PRIVS, 1, 0, 0, 0) or libc.syscall(RESTRICT_SELF, rules, 0)):
		    sys.exit(99)
		for _ in range(1500000):
		    opencl.clGetPlatformIDs(0, None, ctypes.byref(number))
	END
	echo 240M >"$cgroup/memory.limit_in_bytes" 2>/dev/null || echo 251658240 >"$cgroup/memory.max"
	rm -f t*.json
	"$tracelayer" run --full=ring:64M -o t.json "$python" rules.py "$cgroup" 2>err
	is "$? $(test "$(events t.json)" -lt 600000 && echo few)" "0 few" "... also where rules of Landlock forbid to read what the cgroup allows"
	rmdir "$cgroup"
else
	skip 3 "no memory cgroup can be made on this machine"
fi
