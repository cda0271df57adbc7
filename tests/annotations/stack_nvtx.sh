#!/bin/bash
# SPDX-License-Identifier: MIT
# stack_nvtx.sh: what programs are annotated with by NVTX is in the trace, with no rebuild: C programs by NVIDIA's header (NVTX 3) and by its library
# libnvToolsExt.so.1 (NVTX 2), and Python programs by the package nvtx. The header and both packages come from PyPI.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/stack.sh"
. "$top_srcdir/tests/lib/kept_venv.sh"
plan 31

venv=$(kept_venv "$kept" nvtx-0.2.17 nvtx==0.2.17 nvidia-nvtx-cu12==12.8.90) || { skip 31 "$venv"; exit 0; }
nvtx=$(echo "$venv"/lib/python3*/site-packages/nvidia/nvtx)
apps=$top_srcdir/tests/annotations
mkdir -p "$tmp/three" "$tmp/two" "$tmp/traces"
cd "$tmp" || exit 99

build_both()
{
	${CC:-cc} -Wall -Wextra -O1 -I"$nvtx/include" -o three/nvtx_program "$apps/nvtx_program.c" -ldl -lpthread &&
		${CC:-cc} -DNVTX2 -DNVTX_SUPPRESS_V2_DEPRECATION_WARNING -Wall -Wextra -O1 -I"$nvtx/include" -o two/nvtx_program "$apps/nvtx_program.c" \
			"$nvtx/lib/libnvToolsExt.so.1" -Wl,-rpath,"$nvtx/lib" -lpthread
}
ok "the programs are built with NVIDIA's headers" build_both

# run_traced FORMAT COMMAND…: the traces are the files in traces.
run_traced()
{
	local format=$1; shift
	rm -f traces/*
	timeout -k 5 200 "$tracelayer" run -o "traces/%p.$format" "$@" >traced.out 2>traced.err
	code=$?
}
# The process that had the lower number was the parent.
both() { "$python" "$apps/nvtx_each.py" $(ls -v traces/*.json); }
events() { cat traces/*.json | grep -c '"cat":"annotation,nvtx'; }

for version in three two; do
	run_traced json -- ./$version/nvtx_program
	is "$code $(cat traced.out)" "0 0 1 0 1 0 0 -1
child pop -1 push 0 pop 0" "NVTX $version: a push returns how deep it is, a pop without a push is refused, a child has its own"
	ok "NVTX $version: ranges, marks, domains, categories, texts, payloads, threads, what is left open" both
	ok "NVTX $version: the traces are sound" sound_traces
	run_traced json -- ./$version/nvtx_program many
	is "$code $(events)" "0 $(awk '{ print $1 + $2 }' traced.out)" "NVTX $version: each range and mark of 24 threads is in the trace"
	ok "NVTX $version: their slices nest" sound_traces
done

run_traced json -- ./three/nvtx_program ends
is "$code $(cat traced.out)" "3 " "a process whose threads are inside of NVTX forks and ends as it would"
is "$(cat traces/*.json | grep -c '"name":"child.*"cat":"annotation,nvtx') $(cat traces/*.json | grep -c '"name":"child, left open".*"unfinished":true')" "10 5" \
	"each of its five children has its two ranges"
ok "these traces are sound" sound_traces

# What the user has set stays. Another tool is named, and gets what there is.
NVTX_INJECTION64_PATH=/nonexistent/tool.so run_traced json -- ./three/nvtx_program
is "$code $(head -n 1 traced.out) $(ls traces | wc -l)" "0 -2 -2 -2 -2 -2 -2 -2 0" "a tool that the user has named keeps its place"
is "$(grep -c 'NVTX_INJECTION64_PATH=/nonexistent/tool.so: what the program tells NVTX goes there' traced.err)" 1 "a line says so"
run_traced json --annotations=no -- ./three/nvtx_program
is "$code $(head -n 1 traced.out) $(ls traces | wc -l)" "0 -2 -2 -2 -2 -2 -2 -2 0" "--annotations=no: NVTX has no tool"
run_traced json --level=operator -- ./three/nvtx_program
is "$(head -n 1 traced.out) $(ls traces | wc -l)" "-2 -2 -2 -2 -2 -2 -2 0" "--level without runtime: neither"
run_traced json --paused -- ./three/nvtx_program
is "$(head -n 1 traced.out) $(ls traces | wc -l)" "0 1 0 1 0 0 -1 0" "--paused: depths are counted, and nothing is recorded"
run_traced json --follow=no -- sh -c './three/nvtx_program; true'
is "$code $(ls traces | wc -l)" "0 0" "--follow=no: a child is left alone"

# Without the command: NVTX brings the library, which brings the runtime.
TRACELAYER_OUTPUT=$tmp/alone.json NVTX_INJECTION64_PATH=$top_builddir/.libs/libtracelayer-annotations.so ./three/nvtx_program many >alone.out
is "$(grep -c '"cat":"annotation,nvtx' alone.json)" "$(awk '{ print $1 + $2 }' alone.out)" "by the variable alone, nothing preloaded: each range and mark"

# The summary of the record format says what that of JSON says.
run_traced tlt -- ./three/nvtx_program many
"$tracelayer" export -o traces/same.json traces/*.tlt 2>/dev/null
# Percentiles of .tlt are of classes of durations, so the columns up to the average are compared.
sums() { "$tracelayer" summary "$1" | awk '/^range/ { print $1, $2, $3, $4, $5, $6, $8, $9, $10 }'; }
is "$(sums traces/*.tlt)" "$(sums traces/same.json)" "the summaries of .tlt and .json are the same"
is "$("$tracelayer" summary traces/*.tlt | grep -c '^host calls: 0 in 0')" 1 "ranges are no calls"

# Python: a program of our own, whose numbers are known; then programs that nobody here wrote, every function of theirs annotated.
run_traced json -- "$venv/bin/python" "$apps/nvtx_python.py"
is "$code $(events)" "0 $(cat traced.out)" "Python: each range and mark of 5 threads is in the trace"
ok "Python: the trace is sound" sound_traces

cp traces/*.json same.json
library=$("$venv/bin/python" -c 'import os; print(os.path.dirname(os.__file__))')
# python_script WHAT SCRIPT ARGUMENT…: two results.
python_script()
{
	local what=$1; shift
	"$venv/bin/python" -m nvtx "$@" >bare.out 2>bare.err; bare=$?
	run_traced json -- "$venv/bin/python" -m nvtx "$@"
	is "$code $(sha256sum <traced.out)" "$bare $(sha256sum <bare.out)" "$what: prints the same, ends the same ($bare)"
	ok "$what: $(events) ranges, which nest" eval 'test "$(events)" -ge 1000 && sound_traces'
}
python_script calendar.py "$library/calendar.py" 2024
python_script tokenize.py "$library/tokenize.py" "$library/bisect.py"
python_script "json/tool.py with C functions" --annotate-cfuncs "$library/json/tool.py" same.json
