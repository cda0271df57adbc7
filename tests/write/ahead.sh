#!/bin/bash
# SPDX-License-Identifier: MIT
# ahead.sh: a program that ends with much unwritten helps its writer's thread (layer/write/ahead.h). The file has every call once, in
# the order in which they were made, whole and valid: with one thread, with several, on one processor only, and where it is killed.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
need_command
app=$(cd "$top_builddir" && pwd)/bench_call
signals=$(cd "$top_builddir" && pwd)/tests/apps/ends_signals
preload=$(cd "$top_builddir" && pwd)/.libs/libtracelayer.so:$(cd "$top_builddir" && pwd)/.libs/libbench_shims.so
tracelayer=$(cd "$top_builddir" && pwd)/tracelayer
cd "$tmp" || exit 99
calls=200000
plan 13

# recorded TRACE [COMMAND...]: runs the program.
recorded()
{
	local trace=$1
	shift
	env LD_PRELOAD="$preload" TRACELAYER_ARGS=scalars TRACELAYER_OUTPUT="$trace" "$@" "$app" four sustained $calls >/dev/null
}

# ordered TRACE: prints how many calls there are, if it is valid JSON, and one member where it is compressed, and its calls come in order:
# their first arguments are 0, 1, ... twice, for the two rounds that bench_call makes. A call that a kill caught before its arguments were
# recorded is the last one.
ordered()
{
	"$python" - "$1" <<-'END'
		import json, sys, zlib
		data = open(sys.argv[1], "rb").read()
		if sys.argv[1].endswith(".gz"):
		    member = zlib.decompressobj(31)
		    data = member.decompress(data)
		    assert member.eof and not member.unused_data, "more than one member"
		count, rounds, last, after, cut = 0, 0, 0.0, 0, False
		for event in json.loads(data):
		    if event["ph"] == "X":
		        assert not cut, "a call comes after one that has no arguments"
		        cut = event["args"] == {"unfinished": True}
		        number = after if cut else event["args"]["a"]
		        rounds += number == 0
		        assert number in (0, after), "calls are out of order"
		        after = number + 1
		        assert event["ts"] >= last, "time goes back"
		        last = event["ts"]
		        count += 1
		assert event["name"] == "tracelayer_end" and event["args"]["events"] == count and event["args"]["lost"] == 0
		print(count, rounds)
	END
}

for ending in json json.gz; do
	recorded t.$ending
	is $? 0 "a program ends while much is unwritten ($ending)"
	is "$(ordered t.$ending)" "$((calls + 20000)) 2" "and its file has each call once, in their order"
	recorded one.$ending taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')"
	is "$(ordered one.$ending)" "$((calls + 20000)) 2" "likewise on one processor"
done

# interrupted MICROSECONDS: a signal handler calls _exit so long after the program began to end. Its thread may be encoding a chunk then.
interrupted()
{
	rm -f i.json.gz
	env LD_PRELOAD="${preload%%:*}" TRACELAYER_OUTPUT=i.json.gz timeout 60 "$signals" ending $calls "$1" 2>interrupted.err
	echo "$? $(zgrep -c '"name":"clGetPlatformIDs"' i.json.gz) $(cat interrupted.err)"
}

for at in 20000 80000; do
	is "$(interrupted $at)" "5 $calls " "_exit in a signal handler $at us after the end began: all calls are in the file"
done

# killed SECONDS: kills it so long after its file began to grow, and recovers what it recorded. The file then has at least the calls that it
# had at the kill: the 20,000 of the first round and, where the kill came early, few more.
killed()
{
	local pid status before
	rm -f killed*.json
	env LD_PRELOAD="$preload" TRACELAYER_ARGS=scalars TRACELAYER_OUTPUT=killed.json "$app" four sustained $calls >killed.out &
	pid=$!
	until test "$(stat -c %s killed.json 2>/dev/null || echo 0)" -gt 4000000 || ! kill -0 $pid 2>/dev/null; do :; done
	sleep "$1"
	kill -9 $pid 2>/dev/null
	wait $pid 2>/dev/null
	status=$?
	before=$(grep -c '^{"ph":"X".*},*$' killed.json)
	echo "exit code $status, $before calls in the file"
	test $status != 137 || "$tracelayer" recover $pid || return 1
	set -- $(ordered killed.json)
	echo "$1 calls in the end"
	test "$1" -ge "$before" && test "$1" -gt 20000
}

for at in 0 0.01 0.02 0.04 0.07; do
	ok "killed $at s after its file began to grow, it leaves the calls that it made, in order" killed $at
done
