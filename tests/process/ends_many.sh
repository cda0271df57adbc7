#!/bin/bash
# SPDX-License-Identifier: MIT
# Processes and threads in numbers: each process has a file with its own calls, each thread a lane with its name, and memory stays flat.
# STRESS=1 (make stress): more of them.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
app=$(cd "$top_builddir" && pwd)/tests/apps/ends_many
libtracelayer=$(cd "$top_builddir" && pwd)/.libs/libtracelayer.so
export OCL_ICD_VENDORS=$tmp/none
cd "$tmp" || exit 99
plan 20

forks=60
threads=10000
if test -n "${STRESS-}"; then
	forks=1000
	threads=40000
fi

# many WHAT NUMBER…: traced, a file for each process; what it prints in `out` and `err`.
many()
{
	rm -f t.*.json
	timeout 120 env LD_PRELOAD="$libtracelayer" TRACELAYER_OUTPUT=t.%p.json "$app" "$@" >out 2>err
}

# histogram: how many files have how many calls: FILESxCALLS, by the number of calls. Each is strict JSON.
histogram() { events_each -- t.*.json | sort -n | uniq -c | awk '{ printf "%s%sx%s", (NR > 1 ? " " : ""), $1, $2 }'; }

many forks $forks
is "$? $(cat err)" "0 " "$forks forks while four threads call: no deadlock, nothing said"
is "$(histogram)" "${forks}x2 ${forks}x3 1x$(cat out)" "and each child, and each child's child, has a file with its own calls, the parent one with its own"

for what in _Fork clone; do
	for calls in 7 30000; do
		many $what $calls
		is "$? $(cat err) $(histogram)" "0  1x$calls 1x$((2 * calls))" "$what after $calls calls: the child has its own, and no others"
	done
done
for calls in 7 30000; do
	many clone-vm $calls
	is "$? $(cat err) $(histogram)" "0  1x$((2 * calls))" "a child that shares memory, $calls calls: they are its parent's"
done

for calls in 7 30000; do
	rm -f done
	many daemon $calls "$tmp/done"
	is "$? $(cat err)" "0 " "a daemon, $calls calls: its starter ends as it does without us"
	for i in $(seq 100); do
		test -s done && test "$(ls t.*.json | wc -l)" = 3 && ! grep -L tracelayer_end t.*.json | grep -q . && break
		sleep 0.1
	done
	is "$(cat done)" "done" "and it gets the descriptors that it expects"
	is "$(histogram)" "1x$calls 1x$((calls + 1)) 1x$((calls + 2))" "and each of the three processes has a file with its own calls"
done

# With little memory, so that threads have to wait for what those before them have left.
export TRACELAYER_MEMORY=2M
many threads $threads
unset TRACELAYER_MEMORY
is "$? $(cat err)" "0 " "$threads threads, one after the other: nothing said"
read -r early late <out
ok "memory stays flat: at its peak $early KiB when a tenth has ended, $late at the end" test "$late" -lt $((early + 8192))
cat >lanes.py <<-'END'
	import json, sys
	names, calls = {}, {}
	for event in json.load(open(sys.argv[1])):
	    if event["name"] == "thread_name":
	        names[event["tid"]] = event["args"]["name"]
	    elif event["ph"] == "X":
	        calls[event["tid"]] = calls.get(event["tid"], 0) + 1
	count = int(sys.argv[2])
	want = sorted(f"number {i}" for i in range(count))
	assert len(calls) == count and set(calls.values()) == {1}, len(calls)
	assert sorted(names[tid] for tid in calls) == want, len(set(names.values()))
END
ok "each has a lane, with its name and its one call" "$python" lanes.py t.*.json $threads

if "$app" unshare 1 2>err; then
	for calls in 7 60000; do
		many unshare $calls
		is "$? $(cat err) $(histogram)" "0  1x$((2 * calls))" "a user namespace after $calls calls, whether or not the writer runs; and no call is missing"
	done
	# Without what is done about it the writer's thread would be in the way.
	rm -f t.*.json
	timeout 60 env LD_PRELOAD="$libtracelayer" TRACELAYER_OUTPUT=t.%p.json.gz "$app" unshare 60000 2>err
	is "$? $(cat err) $(gzip -dc t.*.gz | grep -c '"ph":"X"')" "0  120000" "and into a compressed trace"
else
	skip 3 "user namespaces are not to be had on this machine: $(cat err)"
fi
