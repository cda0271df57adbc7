#!/bin/bash
# SPDX-License-Identifier: MIT
# stack_sycl_dpctl.sh: files of dpctl's and dpnp's own tests (PyPI), bare and under `tracelayer run --xpti`: each of their tests ends the same, the traces are sound, and
# each command of the device has an arrow from the task that gave it.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/stack.sh"
. "$top_srcdir/tests/lib/sycl.sh"
files="dpctl/tests/test_sycl_usm dpctl/tests/test_sycl_queue_memcpy dpctl/tests/test_sycl_event dpctl/tests/test_sycl_timer dpnp/tests/test_memory dpnp/tests/test_fill"
sycl_plan 24

pytest=$(kept_venv "$kept" pytest-8.4.2 pytest==8.4.2) || { skip 16 "$pytest"; exit 0; }
export PYTHONPATH
PYTHONPATH=$(echo "$pytest"/lib/python*/site-packages)
cd "$tmp" || exit 99
packages=$(echo "$venv"/lib/python*/site-packages)

# own_test COMMAND…: the file of tests, by that command.
own_test() { timeout 60 "$@" "$venv/bin/python" -m pytest -v -p no:cacheprovider "$packages/$path.py" 2>&1 | sed -E 's/ in [0-9.]+s//; /^tracelayer: trace: /d'; }

for path in $files; do
	file=${path##*/}
	own_test env >"$file.bare"
	own_test "$tracelayer" run --xpti -o "$file.json" -- >"$file.traced"
	ok "$file: $(grep -c PASSED "$file.bare") tests pass here" grep -q ' PASSED ' "$file.bare"
	same "$file.bare" "$file.traced" "traced, each ends the same"
	ok "the trace is sound" "$python" "$check_trace" "$file.json"
	"$python" - "$file.json" >counts 2>&1 <<-'END'
		import json, sys
		events = json.load(open(sys.argv[1]))
		arrows = sum(event["ph"] == "f" and event["name"] == "submits" for event in events)
		calls = sum(event["ph"] == "X" and event["cat"].startswith("opencl") and "correlation" in event.get("args", {}) for event in events)
		print(arrows if arrows == calls and calls else f"{arrows} arrows, {calls} calls")
	END
	ok "each of its $(cat counts) calls that give work to the device has an arrow from a task" eval '! grep -q -v "^[0-9]*$" counts'
done
