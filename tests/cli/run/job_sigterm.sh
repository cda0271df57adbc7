#!/bin/bash
# SPDX-License-Identifier: MIT
# tracelayer run when a launcher ends its job: SIGTERM first, SIGKILL a second later. What was recorded is in the file by then, and run waits for nobody.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_command
need_library
plan 7

app=$(cd "$top_builddir" && pwd)/tests/apps/job_calls
test -x "$app" || { echo "Bail out! $app is missing; run make check TESTS= first"; exit 99; }
mkdir "$tmp/t" && export TMPDIR="$tmp/t"
cd "$tmp" || exit 99
file=J/openmpi.55556666/$(uname -n)/0.tlt

# start COMMAND…: as rank 0 of two, in the background, in a session of its own; $leader has it. The other rank does not exist.
start()
{
	rm -rf J counts said
	OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 OMPI_MCA_orte_precondition_transports=55556666-0 \
		setsid "$tracelayer" run --job=J --summary -- "$@" >out 2>said </dev/null &
	leader=$!
}
counted() { od -An -v -t u8 -N 8 counts 2>/dev/null | tr -d ' '; }
recorded() { "$tracelayer" summary --table=calls --format=csv "$file" 2>/dev/null | awk -F, '$1 == "clGetPlatformIDs" { print $2 }'; }
all_there() { local n; n=$(recorded) && test "$(counted)" -le "$n" && test "$n" -le "$(($(counted) + 1))"; }
await() { for _ in $(seq 600); do "$@" && return; sleep 0.05; done; echo "never: $*"; return 1; }
has_calls() { test "$(counted || echo 0)" -gt 1000 2>/dev/null; }
# $milliseconds: how long run takes to end from here on; $code: how.
await_end()
{
	local from; from=$(date +%s%N)
	wait "$leader" 2>/dev/null; code=$?
	milliseconds=$((($(date +%s%N) - from) / 1000000))
}

# --- the program runs
start "$app" counts 0 100
ok "the program makes calls" await has_calls
kill -TERM "$leader"
await_end
is "$code" 143 "SIGTERM to run alone: it ends as its program does"
diag "$milliseconds ms"
ok "at once: it does not wait for the other rank's sum" test "$milliseconds" -lt 3000
ok "each call that had returned is in the file" all_there

# --- the program has ended
start "$app" counts 2000 0
ok "the program ends, and run waits for the other rank's sum" await grep -q '^tracelayer: job: ' said
kill -TERM "$leader"
await_end
diag "$milliseconds ms"
ok "SIGTERM ends the waiting" test "$milliseconds" -lt 3000
is "$code $(recorded)" "0 2000" "the exit code is still the program's, and its calls are in the file"
