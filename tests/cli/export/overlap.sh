#!/bin/bash
# SPDX-License-Identifier: MIT
# Calls of one thread that overlap without one lying in the other, as those of coroutines do: in every format that viewers draw, one of the two is on
# a further lane of the thread, with the times that it had. tracelayer's own commands find all of them on the thread.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
need_command
cd "$tmp" || exit 99
plan 18

cat >sample.h <<'END'
int sample_wait(void (*inside)(void));
int sample_work(int n);
END
cat >sample.c <<'END'
#include "sample.h"
int sample_wait(void (*inside)(void)) { inside(); return 0; }
int sample_work(int n) { return n + 1; }
END
cat >fibers.c <<'END'
#include <stdlib.h>
#include <ucontext.h>
#include "sample.h"
static ucontext_t outside, fibers[4];
static int rounds, works, current;
static void work(void) { for (int i = 0; i < works; i++) sample_work(i); }
static void yield(void) { work(); swapcontext(&fibers[current], &outside); work(); }
static void fiber(void) { for (int n = 0; n < rounds; n++) { sample_wait(yield); sample_work(1); } }
int main(int argc, char **argv)
{
	int count = atoi(argv[3]);
	rounds = atoi(argv[1]);
	works = atoi(argv[2]);
	for (int i = 0; i < count; i++) {
		getcontext(&fibers[i]);
		fibers[i].uc_stack.ss_sp = malloc(256 * 1024);
		fibers[i].uc_stack.ss_size = 256 * 1024;
		fibers[i].uc_link = &outside;
		makecontext(&fibers[i], fiber, 0);
	}
	for (int n = 0; n <= rounds; n++)
		for (current = 0; current < count; current++)
			swapcontext(&outside, &fibers[current]);
	return 0;
}
END
${CC:-cc} -O1 -fPIC -shared -Wl,-soname,libsample.so.1 -o libsample.so.1 sample.c && ${CC:-cc} -O1 -o fibers fibers.c ./libsample.so.1 -Wl,-rpath,"$tmp" ||
	{ echo "Bail out! no program"; exit 99; }
record() { "$tracelayer" run --quiet --lib ./libsample.so.1 --header sample.h -o "$1" -- ./fibers "${@:2}" 2>&1; }

# lanes FILE: how many calls there are, on how many lanes, of how many threads, and how many of them overlap on a lane; then how long all waited.
cat >lanes.py <<'END'
import collections, gzip, json, subprocess, sys
path = sys.argv[1]
lanes, threads, further = collections.defaultdict(list), set(), {}
if path.endswith(".otf2"):
    open_calls = collections.defaultdict(list)
    for line in subprocess.run(["otf2-print", path], capture_output=True, text=True).stdout.splitlines():
        word = line.split()
        if word[:1] == ["ENTER"]:
            open_calls[word[1]].append(int(word[2]))
        elif word[:1] == ["LEAVE"]:
            lanes[word[1]].append((open_calls[word[1]].pop(), int(word[2]), line.split('"')[1]))
    threads = {0}
elif path.endswith(".systrace"):
    open_calls = collections.defaultdict(list)
    for line in open(path):
        if "tracing_mark_write: " not in line:
            continue
        head, mark = line.rstrip().split(" tracing_mark_write: ")
        lane, time = head.split("-")[-1].split()[0], round(float(head.split()[-1].rstrip(":")) * 1e9)
        if mark[0] == "B":
            open_calls[lane].append((time, mark.split("|")[2]))
        elif open_calls[lane][-1][1].startswith("[NN"):
            open_calls[lane].pop()
        else:
            start, name = open_calls[lane].pop()
            lanes[lane].append((start, time, name))
    threads = {0}
else:
    events = json.load((gzip.open if path.endswith(".gz") else open)(path))
    for e in events:
        if e["ph"] == "M" and "thread" in e["args"]:
            further[e["pid"], e["tid"]] = e["args"]["thread"]
    for e in events:
        if e["ph"] == "X":
            start = round(e["ts"] * 1e4)
            lanes[e["pid"], e["tid"]].append((start, start + round(e["dur"] * 1e4), e["name"]))
            threads.add((e["pid"], further.get((e["pid"], e["tid"]), e["tid"])))
wrong = waited = 0
for calls in lanes.values():
    ends = []
    for start, end, name in sorted(calls, key=lambda c: (c[0], -c[1])):
        while ends and ends[-1] <= start:
            ends.pop()
        wrong += bool(ends) and end > ends[-1]
        ends.append(end)
        waited += name == "sample_wait" and end - start
print(sum(map(len, lanes.values())), "calls,", len(lanes), "lanes,", len(threads), "threads,", wrong, "overlap")
if len(sys.argv) > 2:
    print(waited // 10 if "json" in path else waited)
END
lanes() { "$python" -B lanes.py "$@" 2>&1; }

# Few calls, then so many that blocks of a file and portions of an export part calls that overlap.
record few.json 5 2 2 >said || diag "$(cat said)"
few="$((2 * 5 * 6)) calls, 2 lanes, 1 threads, 0 overlap"
is "$(lanes few.json)" "$few" "a process writes them itself"
record many.json.gz 300 150 3 >said || diag "$(cat said)"
many="$((3 * 300 * 302)) calls, 3 lanes, 1 threads, 0 overlap"
is "$(lanes many.json.gz)" "$many" "... and so do several threads of it that encode, compressed"
record few.tlt 5 2 2 >said || diag "$(cat said)"
record many.tlt 300 150 3 >said || diag "$(cat said)"
"$tracelayer" export few.tlt -o few.made.json && "$tracelayer" export many.tlt -o many.made.json
is "$(lanes few.made.json)" "$few" "export makes them of a .tlt"
is "$(lanes many.made.json)" "$many" "... of a large one"
taskset -c "$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')" "$tracelayer" export many.tlt -o many.alone.json
same many.made.json many.alone.json "... with the same bytes, however many threads encode"
"$tracelayer" export few.tlt many.tlt -o both.json
is "$(lanes both.json)" "$((2 * 5 * 6 + 3 * 300 * 302)) calls, 5 lanes, 2 threads, 0 overlap" "... and in one timeline of two"
"$tracelayer" export many.tlt --name=sample_wait -o part.json
is "$(lanes part.json)" "900 calls, 3 lanes, 1 threads, 0 overlap" "a part of it has them, too"
"$tracelayer" export few.tlt -o few.pftrace
"$tracelayer" export few.pftrace -o few.again.json
is "$(lanes few.again.json)" "$few" "JSON that is made of a .pftrace has them"
"$tracelayer" export few.made.json -o few.copy.json
is "$(lanes few.copy.json)" "$few" "so has JSON that is made of JSON"
few_waited=$(lanes few.made.json waited | tail -n 1)

for of in few.tlt few.made.json few.pftrace; do
	"$tracelayer" export -f --systrace "$of" -o few.systrace >said 2>&1 || diag "$(cat said)"
	is "$(lanes few.systrace)" "$few" "so has the text of a systrace that is made of ${of#few}"
done
if "$tracelayer" export few.tlt -o few.otf2 2>&1 | grep -q 'built without OTF2' || ! command -v otf2-print >/dev/null; then
	skip 1 "this tracelayer was built without OTF2"
else
	is "$(lanes few.otf2 waited | paste -sd' ')" "$few $few_waited" "so has OTF2, with the times that they had"
fi

# The readers of this project.
"$tracelayer" summary --by=thread --format=json few.tlt >few.summary 2>&1
for of in few.made.json few.pftrace few.copy.json; do
	"$tracelayer" summary --by=thread --format=json $of >other.summary 2>&1
	same few.summary other.summary "summary finds all of them on the thread in ${of#few.}"
done
"$tracelayer" report few.tlt -o few.html >/dev/null 2>&1 && "$tracelayer" report few.made.json -o made.html >/dev/null 2>&1
lanes_of() { grep -o 'overlapping calls of' "$1" | wc -l; }
is "$(lanes_of few.html) $(lanes_of made.html)" "0 0" "so does report"
"$tracelayer" export few.made.json -o few.sqlite 2>said
if command -v sqlite3 >/dev/null && test -f few.sqlite; then
	is "$(sqlite3 few.sqlite "SELECT count(*), count(DISTINCT thread) FROM call" 2>&1)" "60|1" "so does the database"
else
	skip 1 "no sqlite3 here: $(head -n 1 said)"
fi
