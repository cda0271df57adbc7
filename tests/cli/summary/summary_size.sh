#!/bin/bash
# SPDX-License-Identifier: MIT
# tracelayer summary --by=size: kernels by their work size, of real OpenCL and Level Zero programs; what the driver knows of each kernel.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
need_command
here=$(cd "$top_builddir" && pwd)
cd "$tmp" || exit 99
timeout 100 "$here/tests/apps/cl_sizes" >wanted 2>&1 || skip_all "OpenCL does not work on this machine"
plan 18
sort wanted >sorted && mv sorted wanted

# sizes OPTION… FILE…: rows of the kernels' table: the size, the kernel, the count
sizes() { "$tracelayer" summary --by=size --table=kernels --columns=count --csv "$@" 2>said | tr -d '\r' | sed 1d | sort; }

# --- more calls than are kept, which are read again for a kernel that ran before they had ended
"$python" - <<-'END'
	import json
	events = [{"ph": "X", "pid": 1, "tid": 1, "name": "tick", "cat": "opencl", "ts": 10 * i, "dur": 1} for i in range(34000)]
	events.append({"ph": "X", "pid": 1, "tid": 9, "name": "scale", "cat": "device", "ts": 5, "dur": 3,
	               "args": {"kind": "kernel", "queue": 1, "device": "d", "global": "64", "local": "8"}})
	json.dump(events, open("many.json", "w"))
END
is "$("$here/tests/cli/summary/small_tracelayer" summary --by=size --table=kernels --columns=count --csv many.json | tr -d '\r' | sed 1d)" "64 in 8,scale,1" \
	"JSON that is read twice has sizes"

# --- OpenCL
timeout 100 "$tracelayer" run --quiet -o t.tlt -- "$here/tests/apps/cl_sizes" >out 2>&1
"$tracelayer" export t.tlt -o t.json 2>out && gzip -k t.json
for file in t.tlt t.json t.json.gz; do
	is "$(sizes $file)" "$(cat wanted)" "OpenCL, $file: each size of a kernel has a row"
done
is "$(sizes --exact t.tlt)" "$(cat wanted)" "... if every call is kept"
is "$(sizes --name=tiled t.tlt)" "64 in 16,tiled,1" "... of kernels that are selected"
"$tracelayer" summary --by=size t.tlt >by 2>said
is "$?$(cat said)" 0 "the whole summary is printed"
"$tracelayer" summary t.tlt >without 2>said
is "$(sed -n '/^function/,/^$/p; /^queues/,$p' by)" "$(sed -n '/^function/,/^$/p; /^queues/,$p' without)" "... in which calls, queues and idle time are as ever"
is "$("$tracelayer" summary --by=size --json t.tlt | "$python" -c '
import json, sys
rows = next(table for table in json.load(sys.stdin)["tables"] if table["table"] == "kernels")["rows"]
print(sum(row["count"] for row in rows), len({row["work_size"] for row in rows}))')" "13 5" "... also as JSON"
timeout 100 "$tracelayer" run --quiet --device=0 -o none.tlt -- "$here/tests/apps/cl_sizes" >out 2>&1
sizes none.tlt >out
like "$(cat said)" '^tracelayer: --by=size: the trace has no kernels whose work size is known; see --device' "a trace without device commands: it is said"
"$tracelayer" summary --by=size --table=groups t.tlt 2>said >&2
is "$?" 2 "there is no table of groups"

# --- what the driver knows of the kernels
# needs FILE…: of each kernel, what its rows have
needs() { "$tracelayer" summary --by=size --table=kernels --json "$@" 2>said | "$python" -c '
import json, sys
rows = json.load(sys.stdin)["tables"][0]["rows"]
for kernel in sorted({row["kernel"] for row in rows}):
    print(kernel, *sorted({str([row.get(key) for key in ("local_bytes", "spill_bytes", "simd_width")]) for row in rows if row["kernel"] == kernel}))'; }
# PoCL 6 says of every kernel that it needs no local memory.
local_bytes=$("$python" -W ignore - <<-'END'
	import pyopencl as cl
	context = cl.create_some_context(interactive=False)
	program = cl.Program(context, "kernel void tiled(global int *a) { local int all[16]; all[get_local_id(0)] = a[0]; barrier(1); a[0] = all[1]; }").build()
	print(program.tiled.get_work_group_info(cl.kernel_work_group_info.LOCAL_MEM_SIZE, context.devices[0]))
END
)
for file in t.tlt t.json; do
	like "$(needs $file)" '^plain \[0, ' "$file: a kernel without local memory"
	like "$local_bytes $(needs $file | grep '^tiled')" '^(64|0) tiled \[\1, ' "$file: a kernel with 16 numbers in local memory, as the driver says"
done
is "$(grep -c local_bytes t.json)" 2 "which the first command of each kernel says"

# --- Level Zero, on the software driver
export ZE_ENABLE_ALT_DRIVERS=$here/tests/drivers/.libs/ze_driver_a.so
for size in 640 1000; do
	timeout 60 "$tracelayer" run --quiet -o z$size.tlt -- "$here/tests/apps/ze_vector_add" -n 3 -s $size >out 2>&1
done
is "$(sizes z640.tlt z1000.tlt)" "1024x1x1 in 64x1x1,vector_add,3
640x1x1 in 64x1x1,vector_add,3" "Level Zero: groups times the group's size"
is "$(needs z640.tlt)" "vector_add [0, 0, 16]" "... and what its driver knows"
