#!/bin/bash
# SPDX-License-Identifier: MIT
# The flight recorder in whole programs: what snapshots, the end and many threads leave in the trace. apps/control_calls makes as many calls as it
# is told to, and one thread of it makes them all, so their number in a trace tells which calls it has.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
need_command
. "$top_srcdir/tests/write/recording_control_app.sh"

# number NAME: of the trace's end.
number() { sed -n "s/.*tracelayer_end.*\"$1\":\([0-9]*\).*/\1/p" "$trace"; }

plan 31

run --ring 64K --session=recorder
tell "call 100"
nok "nothing is written while the program runs" test -e "$trace"
"$tracelayer" snapshot recorder >/dev/null
is "$(events "$trace")" 100 "a snapshot has all there is"
tell "call 100000"
"$tracelayer" snapshot recorder >/dev/null
first=$(events "$trace")
is "$((first + $(number overwritten)))" 100100 "and a later one as much as the ring keeps; the rest is counted"
ok "which is most of it" test "$((first - 100))" -gt 400 -a "$first" -lt 2000
is "$(number lost)" 0 "but not as lost"
tell "call 10"
finish
is "$(events "$trace")" $((first + 10)) "the end writes what came after it, and nothing twice"
like "$(cat "$tmp/err")" "t.json \($((first + 10)) events\)$" "and is no reason to complain"

# The newest, without a gap: calls of one thread, one after the other, at most some microseconds apart.
run_is_whole()
{
	"$python" - "$trace" <<-'END'
	import json, sys
	times = sorted(e["ts"] for e in json.load(open(sys.argv[1])) if e.get("ph") == "X")
	gaps = [b - a for a, b in zip(times, times[1:])]
	# A gap of one chunk would be two hundred calls long.
	typical = sorted(gaps)[len(gaps) // 2]
	print(len(gaps) > 1000 and sum(g > 150 * typical + 20 for g in gaps) < len(gaps) / 100)
	END
}
run --full=ring:256K --args=none
tell "call 200000"
finish
is "$(run_is_whole)" True "what the end writes is one run"
is "$(($(events "$trace") + $(number overwritten)))" 200000 "of a number that adds up"

# A signal, while threads record.
run --ring 1M --snapshot-on=USR1 --args=none
tell "spin 3"
for _i in 1 2 3 4 5; do
	sleep 0.2
	kill -USR1 "$pid"
done
ok "a signal has it written while threads record" until_it grep -q tracelayer_end "$trace"
tell still
calls=$answer
finish
is "$(($(events "$trace") + $(number overwritten)))" "$calls" "each call is in the trace, once, or counted as overwritten"
is "$(number lost)" 0 "and none is lost"

# Threads that come and go.
run --ring 64K --args=none
for _i in {1..300}; do tell "thread 20"; done
tell snapshot
is "$answer" 0 "the program asks for a snapshot itself"
finish
is "$(($(events "$trace") + $(number overwritten)))" 6000 "threads that have ended keep a ring's worth together"
ok "which is the newest" test "$(events "$trace")" -ge 60

# Paused: it keeps what it has.
run --ring 1M --session=recorder
tell "call 50"
"$tracelayer" pause recorder >/dev/null
nok "a pause writes nothing of a ring" test -s "$trace"
tell "call 50"
"$tracelayer" snapshot recorder >/dev/null
is "$(events "$trace")" 50 "but leaves it for a snapshot"
finish

# The memory is less than the rings want.
run --ring 64M --memory=4M --args=none
tell "call 300000"
finish
is "$(($(events "$trace") + $(number overwritten)))" 300000 "a ring larger than the memory is as large as that"
ok "nearly" test "$(events "$trace")" -gt 50000

# A crash: what the rings have is recovered.
run --ring 256K --args=none
tell "call 100" snapshot "call 50000"
kill -KILL "$pid"
finish
like "$(cat "$tmp/err")" "t.json \([0-9]+ events, [0-9]+ recovered\)" "after SIGKILL run recovers what the rings have"
got=$(events "$trace")
ok "the newest, and as much as they keep" test "$got" -gt 7000 -a "$got" -lt 8500
is "$("$python" -c 'import json, sys; e = [e for e in json.load(open(sys.argv[1])) if e.get("ph") == "X"]
print(len(e) == len({x["ts"] for x in e}))' "$trace")" True "and nothing twice"
is "$((got + $(number overwritten)))" 50100 "and what was overwritten is counted, as at an end"

# The records themselves, and what is made of them.
start "$tracelayer" run -o "$tmp/t.tlt" --ring 256K --args=none -- "$app"
tell "call 50000"
finish
"$tracelayer" export "$tmp/t.tlt" -o "$trace"
is "$(($(events "$trace") + $(number overwritten)))" 50000 "a .tlt says it, and what is exported from it"

# Marks whose end, or whose beginning, was overwritten: what lies between is nobody's time.
# gaps FILE: record it.
gaps()
{
	trace=$tmp/$1
	run --ring 64K --session=gaps
	tell "call 1" begin "marks 5"
	"$tracelayer" snapshot gaps >/dev/null
	# The end of the first, and the beginning of the second, are overwritten. Of the second between them only a stall of the machine may be seen.
	sleep 1
	tell end begin "marks 3000"
	"$tracelayer" snapshot gaps >/dev/null
	tell end "marks 3"
	finish
}
# longest FILE: in milliseconds, and how many have no end, and how many are cut
longest()
{
	"$python" - "$1" <<-'END'
	import json, sys
	stacks, longest, cut = {}, 0, 0
	for e in json.load(open(sys.argv[1])):
	    stack = stacks.setdefault(e["tid"], [])
	    if e["ph"] == "B":
	        stack.append(e)
	    elif e["ph"] == "E" and stack:
	        longest = max(longest, e["ts"] - stack.pop()["ts"])
	        cut += "cut" in e["args"]
	print("%d %d %d" % (longest / 1000 > 800, sum(map(len, stacks.values())), cut))
	END
}
gaps t.gap.json
is "$(longest "$trace")" "0 0 1" "a mark whose end was overwritten ends where that is, and says that it was cut"
said=$("$tracelayer" summary "$trace" 2>&1 >/dev/null)
like "$said" '1 mark was cut short where events had been overwritten' "a summary says so"
gaps t.gap.tlt
"$tracelayer" export "$trace" -o "$tmp/exported.json" 2>"$tmp/said"
is "$(longest "$tmp/exported.json")" "0 0 1" "so it is in what is made of a .tlt"
like "$("$tracelayer" summary "$trace" 2>&1 >/dev/null)" '1 mark was cut short' "and in its summary"
"$tracelayer" export "$trace" -o "$tmp/t.pftrace" 2>"$tmp/said"
mkdir "$tmp/python"
(cd "$top_srcdir/tests/format/encode" && protoc --python_out="$tmp/python" pftrace.proto)
ok "a .pftrace made of it has the same" "$python" -B "$top_srcdir/tests/format/encode/pftrace.py" "$tmp/python" "$tmp/t.pftrace" "$tmp/exported.json"
gaps t.gap.pftrace
ok "one that the process wrote has no slice without an end" "$python" -B "$top_srcdir/tests/format/encode/pftrace.py" "$tmp/python" "$trace"
trace=$tmp/t.json
# Killed: what the ring still has, with the gap in it.
run --ring 64K --session=gaps
tell "call 1" begin "marks 5"
kill -KILL "$pid"
wait "$child" 2>/dev/null
ok "what is recovered has each mark once" test "$(grep -c '"ph":"B"' "$trace")" = 6
