#!/bin/bash
# SPDX-License-Identifier: MIT
# tracelayer summary --by=stack: the same tables of a .tlt file, of its JSON with "stackFrames" and its .pftrace, compressed or not, of its database, and of JSON with lists of names.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
top_srcdir=$(cd "$top_srcdir" && pwd)
apps=$(cd "$top_builddir/tests/apps" && pwd)
need_command
need_library
command -v sqlite3 >/dev/null || { echo "Bail out! sqlite3 is missing; ./scripts/install-packages installs it"; exit 99; }
cd "$tmp" || exit 99
plan 45

summary() { "$tracelayer" summary --by=stack "$@"; }

# ---- a real program, with commands on a device
timeout 60 "$tracelayer" run --stack -o t.tlt -- "$apps/cl_vector_add" >/dev/null 2>&1
"$tracelayer" export t.tlt -o t.json >said 2>&1
"$tracelayer" export t.tlt -o t.json.gz >said 2>&1
"$tracelayer" export t.tlt -o t.pftrace >said 2>&1
"$tracelayer" export t.tlt -o t.sqlite >said 2>&1
"$tracelayer" export t.pftrace -o p.sqlite >said 2>&1
for options in "" --csv --json "--name=clEnqueue*" --time=0.001: --table=waits; do
	# shellcheck disable=SC2086
	summary $options t.tlt >wanted 2>&1
	for file in t.json t.json.gz t.pftrace t.sqlite p.sqlite; do
		# shellcheck disable=SC2086
		summary $options $file >found 2>&1
		is "$(cat found)" "$(cat wanted)" "$file${options:+ with $options}: the tables of the .tlt file"
	done
done
like "$(summary --csv --table=calls t.json)" '^work < main < [^,]*,clEnqueueNDRangeKernel,1,' "they name who called"
is "$(summary - <t.json)" "$(summary t.tlt)" "from standard input, too"
is "$(summary - <t.pftrace)" "$(summary t.tlt)" "... a .pftrace, too"
is "$(sqlite3 t.sqlite "SELECT name, functions FROM call JOIN stack ON stack.id = stack WHERE name = 'clEnqueueNDRangeKernel'" | cut -d '<' -f1-2)" \
	"clEnqueueNDRangeKernel|work < main " "the database says it in words, too"
# The process names places in files: no function is looked for.
timeout 60 "$tracelayer" run --stack -o own.pftrace -- "$apps/cl_vector_add" >/dev/null 2>&1
like "$(summary --csv --table=calls own.pftrace)" '^cl_vector_add\+0x[0-9a-f]* < [^,]*,clEnqueueNDRangeKernel,1,' "a .pftrace that the process itself wrote"

# ---- other forms
"$python" -B "$top_srcdir/tests/cli/report/report_traces.py" stacks frames.json 1000
cat >forms.py <<'END'
import json
trace = json.load(open("frames.json"))
frames = trace["stackFrames"]
def chain(at):
    while at:
        yield frames[at]["name"]
        at = frames[at].get("parent")
def write(name, change, **members):
    json.dump({**members, "traceEvents": [change(dict(event)) for event in trace["traceEvents"]]}, open(name, "w"))
def as_list(event):
    if "sf" in event:
        event["stack"] = list(chain(event.pop("sf")))
    return event
def as_number(event):
    if "sf" in event:
        event["sf"] = int(event["sf"])
    return event
# Not to be read as a plain event.
def unusual(event):
    return event | ({"args": {"kind": "\u00e9\n"}} if "sf" in event else {})
write("first.json", lambda event: event, stackFrames=frames)
write("lists.json", as_list)
write("numbers.json", as_number, stackFrames={number: frame | ({"parent": int(frame["parent"])} if "parent" in frame else {}) for number, frame in frames.items()})
write("unusual.json", unusual, stackFrames=frames)
sums = {}
for event in trace["traceEvents"]:
    if "sf" in event:
        key = " < ".join(chain(event["sf"])) + "," + event["name"]
        sums[key] = sums.get(key, 0) + 1
print("\n".join(sorted("%s,%d" % pair for pair in sums.items())))
END
"$python" forms.py >wanted
summary --csv --table=calls frames.json | "$python" -c 'import csv, sys
print("\n".join(sorted(",".join(row[:3]) for row in list(csv.reader(sys.stdin))[1:])))' >found
is "$(cat found)" "$(cat wanted)" "each stack has its calls"
whole=$(summary frames.json)
same=
for form in first lists numbers unusual; do
	test "$(summary $form.json)" = "$whole" && same="$same $form" || diag "$form: $(summary $form.json | diff - <(echo "$whole"))"
done
is "$same" " first lists numbers unusual" "frames before the events, lists, numbers and unusual events give the same table"
{ summary --csv --table=calls t.tlt && summary --csv --table=calls frames.json | sed 1d; } | cut -d, -f1-4 | sort >wanted
summary --csv --table=calls t.tlt frames.json | cut -d, -f1-4 | sort >found
is "$(cat found)" "$(cat wanted)" "a .tlt file and JSON in one table"

# ---- names of any length, as C++'s templates make them: of each length two that differ at the end
cat >long.cc <<'END'
#include <zlib.h>
template <class One, class Other> struct both {};
template <int depth> struct deep { typedef both<typename deep<depth - 1>::type, typename deep<depth - 1>::type> type; };
template <> struct deep<0> { typedef int type; };
template <class Type, class End> __attribute__((noinline)) unsigned long call(unsigned size)
{
	unsigned long sum = crc32(0, (const Bytef *)"text", size);
	__asm__ volatile("" : "+r"(sum));
	return sum;
}
struct first {};
struct second {};
#define CALL(depth) (call<deep<depth>::type, first>(1) + call<deep<depth>::type, second>(2))
int main() { return (CALL(1) + CALL(4) + CALL(6) + CALL(9)) == 0; }
END
ok "a program with long names is built" ${CXX:-c++} -O1 -Wl,--build-id -o long long.cc -lz
timeout 60 "$tracelayer" run --stack --api zlib -o long.tlt -- ./long >/dev/null 2>&1
summary --json --table=calls long.tlt >wanted
is "$("$python" -c 'import json
rows = json.load(open("wanted"))["tables"][0]["rows"]
names = {row["stack"].split(" < ")[0] for row in rows}
print(len(names), all("first>(unsigned int)" in name or "second>(unsigned int)" in name for name in names), max(map(len, names)) < 1536)')" \
	"8 True True" "each has a row; of names that are too long the middle is left out"
for format in json pftrace sqlite; do
	"$tracelayer" export long.tlt -o long.$format >said 2>&1
	summary --json --table=calls long.$format >found
	same found wanted "long names in a .$format: the tables of the .tlt file"
done
"$tracelayer" export long.tlt -o long.folded
is "$("$tracelayer" export long.pftrace -o again.folded && cmp again.folded long.folded && wc -l <long.folded)" 8 "... and the same folded stacks"

# ---- nothing to group by
timeout 60 "$tracelayer" run -o none.json -- "$apps/cl_vector_add" >/dev/null 2>&1
summary none.json 2>said >out
is "$? $(cat said)" "0 tracelayer: --by=stack: the trace has no stacks; record them with \`tracelayer run --stack\`" "a trace without stacks says how to get them"
