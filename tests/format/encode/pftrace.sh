#!/bin/bash
# SPDX-License-Identifier: MIT
# pftrace.sh: a .pftrace has what a JSON trace of the same records has: each call with its name, its nanoseconds, its thread and its arguments, as
# Perfetto reads it (pftrace.py); and its fields are those of the published schema (pftrace.proto).
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
need_command
plan 22

make=$top_builddir/pftrace_make
mkdir "$tmp/python"
command -v protoc >/dev/null && "$python" -c 'import google.protobuf' 2>/dev/null ||
	{ echo "Bail out! protoc or its Python library is missing; ./scripts/install-packages installs them"; exit 99; }
(cd "$top_srcdir/tests/format/encode" && protoc --python_out="$tmp/python" pftrace.proto) || exit 99

# REAL=1: what Perfetto's importer wants of a real program's, too.
compare() { "$python" -B "$top_srcdir/tests/format/encode/pftrace.py" "$tmp/python" "$tmp/t.pftrace" "$tmp/t.json"; }

# seeds DROPS FROM TO: records of that many kinds, DROPS percent of the blocks not kept.
kind=
seeds()
{
	local seed
	for seed in $(seq "$2" "$3"); do
		"$make" "$seed" "$1" "$tmp" $chunks $kind || return 1
		compare || { echo "seed $seed, $1 percent dropped"; return 1; }
	done
}
many=2 chunks=60
test -z "${STRESS-}" || many=20 chunks=200

ok "every call is there as it is in JSON, also where calls begin at the same time" seeds 0 1 $many
ok "and where blocks were dropped, what is there relies on nothing that is not" seeds 30 1 $many
chunks=200
ok "calls of other stacks that end some tens of calls later are on a further lane, too" seeds 0 1 1
test -n "${STRESS-}" || chunks=60
kind=gpu
ok "lanes that are no devices' have slices also where devices have GPU tracks, blocks dropped or not" seeds 30 1 $many
kind=

"$make" 1 0 "$tmp" 200
text=$(cd "$top_srcdir/tests/format/encode" && protoc --decode=perfetto.protos.Trace pftrace.proto <"$tmp/t.pftrace")
unlike "$text" '^ *[0-9]+[:{ ]' "all fields are in the schema"
ok "it is sound without a schema, too" sh -c "protoc --decode_raw <'$tmp/t.pftrace' >/dev/null"
is "$(printf '%s\n' "$text" | grep -c 'name: "phObject"')" 1 "a name is told once"

json=$(stat -c %s "$tmp/t.json")
small=$(stat -c %s "$tmp/t.pftrace")
ok "it is less than half as large ($small of $json bytes)" test $((small * 2)) -lt "$json"

# Real programs. What one run recorded, in both formats.
export REAL=1
apps=$top_builddir/tests/apps
spooled()
{
	rm -f "$tmp"/t.*
	timeout 60 "$tracelayer" run -o "$tmp/t.tlt" -- "$@" >"$tmp/said" 2>&1 || { cat "$tmp/said"; return 1; }
	"$tracelayer" export "$tmp/t.tlt" -o "$tmp/t.json" && "$tracelayer" export "$tmp/t.tlt" -o "$tmp/t.pftrace" && compare
}
ok "all that clinfo asks of PoCL" spooled clinfo
ok "strings of every kind" spooled "$apps/cl_hostile"
ok "eight threads at once" spooled "$apps/cl_threads" -t 8 -i 400
ZE_ENABLE_ALT_DRIVERS=$(cd "$top_builddir" && pwd)/tests/drivers/.libs/ze_driver_a.so
export ZE_ENABLE_ALT_DRIVERS
ok "Level Zero's descriptors, three threads" spooled "$apps/ze_vector_add" -t 3

# Perfetto's own GPU tracks: the same commands and arrows. Level Zero's lists have several commands, which different calls wait for.
as_gpu()
{
	rm -f "$tmp"/t.*
	timeout 60 "$tracelayer" run -o "$tmp/t.tlt" --gpu-tracks="$1" -- "${@:3}" >"$tmp/said" 2>&1 || { cat "$tmp/said"; return 1; }
	"$tracelayer" export "$tmp/t.tlt" -o "$tmp/t.json" && "$tracelayer" export $2 "$tmp/t.tlt" -o "$tmp/t.pftrace" && compare >"$tmp/compared" || return 1
	cat "$tmp/compared"
	grep -Eq '^[1-9][0-9]* commands, [1-9][0-9]* arrows of commands' "$tmp/compared"
}
ok "GPU tracks of OpenCL have the commands and arrows of JSON" as_gpu slices --gpu-tracks=perfetto "$apps/cl_device" -n 3
ok "so have those of Level Zero, whose lists have several commands" as_gpu slices --gpu-tracks=perfetto "$apps/ze_vector_add" -t 3
ok "export does what run was told" as_gpu perfetto "" "$apps/cl_vector_add"
nok "unless it is told otherwise" as_gpu perfetto --gpu-tracks=slices "$apps/cl_vector_add"
is "$("$tracelayer" export --gpu-tracks=lanes "$tmp/t.tlt" 2>&1 | head -n 1)" "tracelayer export: --gpu-tracks=lanes: no such kind; use slices or perfetto" "no other kind of tracks is taken"
rm -f "$tmp"/t.*
traced "$tmp/t.pftrace" env TRACELAYER_GPU_TRACKS=perfetto timeout 60 "$apps/cl_vector_add" >"$tmp/said" 2>&1
is "$(cd "$top_srcdir/tests/format/encode" && protoc --decode=perfetto.protos.Trace pftrace.proto <"$tmp/t.pftrace" | grep -cE '^  gpu_render_stage_event|render_stage_(submission|wait)_event_ids')" 12 \
	"a process writes them itself: four commands with two arrows each"

# Written by the process itself.
rm -f "$tmp"/t.*
traced "$tmp/t.pftrace" timeout 60 "$apps/cl_vector_add" >"$tmp/said" 2>&1
count=$("$python" -B "$top_srcdir/tests/format/encode/pftrace.py" "$tmp/python" "$tmp/t.pftrace" | sed -n 's/.* packets, \([0-9]*\) slices.*/\1/p')
traced "$tmp/t.json" timeout 60 "$apps/cl_vector_add" >"$tmp/said" 2>&1
is "$count" "$(events "$tmp/t.json")" "a process writes one itself, with as many calls as it writes to JSON"

# A ring, whose gaps are full of calls that arrows led from; and a split trace.
rm -f "$tmp"/t.*
arrows()
{
	"$python" - "$@" <<-'END'
	import json, sys
	lacking = arrows = 0
	for path in sys.argv[1:]:
	    events = json.load(open(path))
	    calls = {}
	    for e in events:
	        if e["ph"] == "X":
	            calls.setdefault(e["tid"], []).append((e["ts"], e["ts"] + e["dur"]))
	    for e in events:
	        if e["ph"] in "sf":
	            arrows += 1
	            lacking += not any(a - 0.002 <= e["ts"] <= b + 0.002 for a, b in calls.get(e["tid"], []))
	print("%d %s" % (lacking, arrows > 10))
	END
}
timeout 60 "$tracelayer" run -o "$tmp/t.json" --full=ring:64K --session=arrows -- "$apps/cl_device" -n 1500 >"$tmp/said" 2>&1 &
for _i in 1 2 3 4 5 6 7 8; do
	sleep 0.4
	"$tracelayer" snapshot arrows >/dev/null 2>&1
done
wait $!
is "$(arrows "$tmp/t.json")" "0 True" "a ring has no arrow whose call was overwritten"
rm -f "$tmp"/t.*
timeout 60 "$tracelayer" run -o "$tmp/t.json" --split=400K -- "$apps/cl_device" -n 150 >"$tmp/said" 2>&1
like "$(arrows "$tmp"/t*.json)" "^0 " "files of a split trace have none whose call is in another"
rm -f "$tmp"/t.*
timeout 60 "$tracelayer" run -o "$tmp/t.tlt" --split=200K -- "$apps/cl_device" -n 150 >"$tmp/said" 2>&1
for file in "$tmp"/t*.tlt; do
	"$tracelayer" export "$file" -o "$file.json"
done
like "$(arrows "$tmp"/t*.json)" "^0 " "nor have those that are made of a split .tlt"
