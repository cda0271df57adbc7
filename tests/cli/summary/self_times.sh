#!/bin/bash
# SPDX-License-Identifier: MIT
# tracelayer summary --columns=self and --sort=self: what calls took without the calls inside of them; from every format, of traces that are made by hand and
# of a real OpenCL program whose callbacks make calls.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
need_command
here=$(cd "$top_builddir" && pwd)
cd "$tmp" || exit 99
plan 32

summary() { "$tracelayer" summary "$@"; }
# self OPTION… FILE: name and self time of each row, in order
self() { summary --csv --columns=self --sort=self "$@" | tr -d '\r' | awk -F, 'NF > 1 && $NF != "self_ns" { print $(NF - 1) "=" $NF }' | paste -sd' '; }
slices()
{
	"$python" - "$@" <<-'END'
		import json, sys
		events = []
		for word in sys.argv[1:]:
		    name, start, end, *own = word.split(",")
		    events.append({"ph": "X", "pid": 1, "tid": own[1] if len(own) > 1 else 1, "name": name, "ts": int(start), "dur": int(end) - int(start),
		                   "cat": "context" if own and own[0] == "own" else "api"})
		print(json.dumps(events))
	END
}

# --- by hand, in microseconds. A call is in the trace when it has ended.
slices b,1,3 c,4,6 b,6,7 a,0,10 a,20,21 >nested.json
is "$(self nested.json)" "a=6000 b=3000 c=2000" "calls inside a call are taken from it"
is "$(summary --sort=self nested.json | sed -n 3,4p | tr -s ' ')" "function calls failed total self share average min median 99 % max
a 2 0 11.00 us 6.000 us 68.8 % 5.500 us 1.000 us 1.000 us 10.00 us 10.00 us" "to sort by it shows it, behind the total"
is "$(summary --csv nested.json | head -n 1 | tr -d '\r')" "function,calls,failed,total_ns,share,average_ns,min_ns,median_ns,p99_ns,max_ns" "who does not ask for it does not see it"
is "$(summary --json --columns=self_ns --top=1 nested.json | "$python" -c 'import json, sys; print(json.load(sys.stdin)["tables"][0]["rows"])')" \
	"[{'function': 'a', 'self_ns': 6000}]" "the same in JSON"
slices c,2,3 b,1,4 a,0,5 a,0,6 >deep.json
is "$(self deep.json)" "a=3000 b=2000 c=1000" "only what is right inside; a function in itself counts once"
slices in,0,5 around,0,5 first,5,5 next,5,9 >same.json
is "$(self same.json)" "in=5000 next=4000 around=0 first=0" "of calls at the same nanosecond the one that ended later is around; others only touch"
slices a,0,10 b,5,15 p,0,12 q,0,30 >over.json
is "$(self over.json)" "q=15000 a=10000 b=10000 p=2000" "calls that overlap are not inside of each other, and no time is negative"
slices a,0,10 b,2,4,x,2 c,3,4,own e,1,5,own >threads.json
is "$(self threads.json)" "a=6000 b=2000 e=3000 c=1000" "other threads' calls are not inside; the program's own events are"
"$python" -c '
import json
print(json.dumps([{"ph": "B", "pid": 1, "tid": 1, "ts": 0, "name": "outer"}, {"ph": "B", "pid": 1, "tid": 1, "ts": 2, "name": "inner"}, {"ph": "E", "pid": 1, "tid": 1, "ts": 5},
                  {"ph": "E", "pid": 1, "tid": 1, "ts": 9}]))' >marks.json
is "$(self marks.json)" "outer=6000 inner=3000" "B and E events"
echo '[]' >empty.json
is "$(summary --sort=self --csv empty.json | tr -d '\r')" "function,calls,failed,total_ns,self_ns,share,average_ns,min_ns,median_ns,p99_ns,max_ns" "an empty trace"

# --- what is selected has rows; its self time is as in the whole trace
is "$(self --name=a nested.json) $(self --name=b nested.json)" "a=6000 b=3000" "--name"
is "$(self --longer-than=2us nested.json)" "a=5000 b=2000 c=2000" "--longer-than: what is shorter is taken from the call around it, too"
is "$(self --time==0.000008: nested.json)" "a=6000" "--time: a call that lies in it in part counts as a whole"
is "$(self --thread=2 threads.json)" "b=2000" "--thread"
is "$(self --by=thread threads.json)" "a=6000 b=2000 e=3000 c=1000" "--by=thread"
is "$(self - <nested.json; cat nested.json | self -; gzip -c nested.json | self -)" "a=6000 b=3000 c=2000
a=6000 b=3000 c=2000
a=6000 b=3000 c=2000" "standard input"
mkdir -p job/a.1/host && touch job/a.1/host/0.tlt
is "$(summary --sort=self job 2>&1; echo $?)" "tracelayer summary: self: the sums of a job have no single calls; name .tlt files in it
2" "a job has none"

# --- more calls than are kept: they are summed up as they are read
few=$top_builddir/tests/cli/summary/small_tracelayer
"$python" - <<'END'
import json
events = []
for i in range(12000):
    for name, start, end in ("in", 1, 3), ("on", 3, 4), ("around", 0, 6):
        events.append({"ph": "X", "pid": 1, "tid": i % 3, "name": name, "ts": 10 * i + start, "dur": end - start})
events.append({"ph": "X", "pid": 1, "tid": 1, "name": "all", "ts": 0, "dur": 200000})
json.dump(events, open("many.json", "w"))
END
of_many() { "$few" summary --csv --columns=self --sort=self "$@" many.json | tr -d '\r' | sed 1d | paste -sd' '; }
is "$(of_many)" "all,176000000 around,36000000 in,24000000 on,12000000" "36,001 calls"
is "$(of_many --name=a*)" "all,176000000 around,36000000" "a part of them"

# --- a real program, in every format, against another computation
timeout 100 "$here/tests/apps/cl_callbacks" >out 2>&1 || { skip 13 "OpenCL does not work on this machine"; exit 0; }
timeout 100 "$tracelayer" run --quiet --stack -o t.tlt -- "$here/tests/apps/cl_callbacks" >out 2>&1
for format in json json.gz pftrace sqlite; do
	"$tracelayer" export t.tlt -o t.$format >out 2>&1
done
check() { "$python" "$top_srcdir/tests/cli/summary/self_times.py" t.json "$tracelayer" "$@" >inside; }
for format in tlt json json.gz pftrace sqlite; do
	ok "a real program's, $format" check t.$format
done
ok "... of which some are inside of others" test "$(cat inside)" -gt 0
for by in thread process queue request stack; do
	ok "... --by=$by" check --by=$by t.tlt
done
ok "... each call kept" check --exact t.tlt
ok "... some functions alone" check --name=clBuildProgram,clFinish,clCompileProgram t.tlt
