#!/bin/bash
# SPDX-License-Identifier: MIT
# Tools: how they are loaded into programs and how they end, the messages about tools that can't be used, and the tool of doc/tools.md.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
need_command
plan 45

top_builddir=$(cd "$top_builddir" && pwd) top_srcdir=$(cd "$top_srcdir" && pwd)
tracelayer=$top_builddir/tracelayer libtracelayer=$top_builddir/.libs/libtracelayer.so apps=$top_builddir/tests/apps
export ZE_ENABLE_ALT_DRIVERS=$top_builddir/tests/drivers/.libs/ze_driver_a.so
cd "$tmp" || exit 99

build_tool()
{
	local to=$1; shift
	${CC:-cc} -w -shared -fPIC -I"$top_srcdir/include" "$@" -o "$to" -L"$top_builddir/.libs" -ltracelayer
}
none() { timeout 60 env OCL_ICD_VENDORS="$tmp/none" "$@"; }
tool() { none "$tracelayer" run --level=none --tool "$@"; }

probe=$top_srcdir/tests/process/tool_probe.c
ok "a tool is built with the public headers" build_tool probe.so "$probe"
ok "and so are its broken relatives" sh -c "$(declare -f build_tool)
	top_srcdir='$top_srcdir' top_builddir='$top_builddir'
	build_tool version.so '$probe' -DOTHER_VERSION && build_tool none.so '$probe' -DWITHOUT_VERSION &&
	build_tool start.so '$probe' -DWITHOUT_START"

# --- loading and ending
got=$(tool ./probe.so -- "$apps/tool_calls" threads 1 5 2>&1)
is "$got" "start probe.so 1 
end 5" "a tool is started, sees the first call and all others, and is ended; nothing else is said"
nok "and no trace is made" ls trace.*
got=$(tool ./probe.so=a=b,c -- "$apps/tool_calls" threads 1 1 2>&1)
like "$got" '^start probe.so 1 a=b,c$' "it gets its options"
got=$(tool './probe.so=a\:b' --tool ./probe.so=second -- "$apps/tool_calls" threads 1 1 2>&1)
is "$(grep start <<<"$got")" "start probe.so 1 a:b
start probe.so 1 second" "an escaped colon is an option's own, and tools come in the order of the list"
got=$(tool ./probe.so=call -- "$apps/tool_calls" threads 1 5 2>&1)
like "$got" '^end 5$' "calls that a tool makes while it starts and ends are not traced"
got=$(tool ./probe.so -- "$apps/tool_calls" threads 8 1000 2>&1)
like "$got" '^end 8000$' "of threads that come all at once, no call is missed"
got=$(tool ./probe.so -- "$apps/tool_calls" none 2>&1)
unlike "$got" 'start|end' "a program that makes no call loads no tool"
got=$(tool ./probe.so -- "$apps/tool_calls" fork 3 4 2>&1)
is "$(grep -c start <<<"$got") $(grep end <<<"$got" | sort | paste -sd' ')" "1 end 3 end 7" "a forked child keeps the tool, and ends it itself"
got=$(none env LD_PRELOAD="$libtracelayer" TRACELAYER_TOOLS="$tmp/probe.so:./probe.so=x" TRACELAYER_LEVEL=none "$apps/tool_calls" threads 1 1 2>&1)
is "$(grep -c start <<<"$got")" 2 "TRACELAYER_TOOLS does without the command"
mkdir -p elsewhere
got=$(tool ./probe.so -- sh -c "cd elsewhere && '$apps/tool_calls' threads 1 1" 2>&1)
like "$got" '^end 1$' "a relative path is meant where the command was started"
got=$(tool probe.so -- "$apps/tool_calls" threads 1 1 2>&1)
like "$got" '^end 1$' "a file's name alone is looked for here"
none "$tracelayer" run -o t.json --tool ./probe.so -- "$apps/tool_calls" threads 2 50 >out 2>&1
is "$(events t.json clGetPlatformIDs) $(grep -c 'end 100' out)" "100 1" "a tool and a trace get along"
got=$(none "$tracelayer" run -o u.json --include='ze*' --tool ./probe.so -- "$apps/tool_calls" threads 1 5 2>&1)
is "$(grep -c 'end 5' <<<"$got") $(grep -c 'filtered out' <<<"$got")" "1 1" "what is recorded and what tools see are two things"
tool ./probe.so -- "$apps/tool_calls" plugin "$apps/.libs/tool_plugin.so" >out 2>err
is "$? $(cat out)" "0 loaded" "a call in a library's constructor and the loading of tools don't lock each other up"
like "$(cat err)" '^end [12]$' "and the tool is there"

# --- what can't be loaded
said() { grep -c '^tracelayer:' <<<"$1"; }
missing()
{
	local got
	got=$(tool "$1" -- sh -c 'echo ran' 2>&1)
	is "$? $got" "2 $2" "$3"
}
missing ./nothing.so "tracelayer: tool ./nothing.so: no such file; give the path of a tool library" "run refuses a path that isn't there"
missing /dev/null "tracelayer: tool /dev/null: not a regular file; give the path of a tool library" "and what is no library"
missing nothing "tracelayer: tool nothing: no such tool; give summary, log, leaks, faults, or a path" "and a name that there is no tool of"
printf '# our own\ntool = nothing\n' >wrong.conf
is "$("$tracelayer" run --config=wrong.conf -- true 2>&1)" "tracelayer: wrong.conf:2: tool nothing: no such tool; give summary, log, leaks, faults, or a path" \
	"if a file names it, the line is named"
is "$(TRACELAYER_TOOLS=nothing "$tracelayer" run -- true 2>&1)" \
	"tracelayer: TRACELAYER_TOOLS: tool nothing: no such tool; give summary, log, leaks, faults, or a path" "and so is a variable"
runs_on()
{
	local got
	got=$(none env LD_PRELOAD="$libtracelayer" TRACELAYER_LEVEL=none TRACELAYER_TOOLS="$1" "$apps/tool_calls" threads 2 2 2>&1)
	is "$? $(said "$got")" "0 1" "$3: one line, and the program runs on"
	like "$got" "$2" "$3: why"
}
echo text >text.so
runs_on "./nothing.so" 'no such file; give' "missing"
runs_on "nothing" 'no such tool; give' "unknown"
runs_on "./text.so" 'tool \./text\.so: .*(too short|invalid ELF)' "not a library"
runs_on "./none.so" 'has no tl_tool_version; see' "not a tool"
runs_on "./start.so" '(has no tl_tool_start; see|undefined symbol: tl_tool_start)' "a tool without its start"
runs_on "./version.so" 'version 2 .* is version 1; build' "a tool for another version"
runs_on "./probe.so=fail" 'did not start \(3\); the program' "a tool that fails"
runs_on "./probe.so=fail why" 'tool \./probe\.so: it is Monday; wait a day$' "a tool that says why it fails"
got=$(none env LD_PRELOAD="$libtracelayer" TRACELAYER_LEVEL=none TRACELAYER_TOOLS=nothing:./probe.so "$apps/tool_calls" threads 1 2 2>&1)
like "$got" '^end 2$' "the other tools of the list are used"

# --- doc/tools.md's tool, word by word
sed -n '/^    \/\* slowest\.c/,/^[^ ]/{/^    /s///p;/^$/p}' "$top_srcdir/doc/tools.md" >slowest.c
ok "doc/tools.md's tool has 40 lines at most" test "$(wc -l <slowest.c)" -le 41 -a "$(grep -c . slowest.c)" -gt 20
ok "it compiles without a warning" ${CC:-cc} -Wall -Werror -shared -fPIC -I"$top_srcdir/include" -o slowest.so slowest.c -L"$top_builddir/.libs" -ltracelayer
slowest_is_right()
{
	"$python" - "$1" "$2" <<-'END'
	import json, re, sys
	launches = [e for e in json.load(open(sys.argv[1])) if re.match("clEnqueueNDRange|zeCommandListAppendLaunch", e.get("name", ""))]
	said = re.search(r"slowest of (\d+) launches: (\w+) took (\d+) ns: (\{.*\})", open(sys.argv[2]).read())
	slowest = max(launches, key=lambda e: e["dur"])
	args = json.loads(said[4])
	assert int(said[1]) == len(launches) > 0, (said[0], len(launches))
	assert said[2] == slowest["name"], (said[0], slowest)
	assert abs(int(said[3]) - slowest["dur"] * 1000) < 20 + slowest["dur"] * 1, (said[0], slowest)
	for name, value in args.items():
	    assert slowest["args"][name] == value, (name, value, slowest)
	END
}
timeout 60 "$tracelayer" run -o ze.json --tool ./slowest.so -- "$apps/ze_vector_add" >ze.out 2>ze.err
is $? 0 "it runs with a Level Zero program"
ok "and names the launch that is slowest in the trace, and its arguments" slowest_is_right ze.json ze.out
timeout 60 "$tracelayer" run -o cl.json --tool ./slowest.so -- "$apps/cl_vector_add" >cl.out 2>cl.err
is $? 0 "it runs with an OpenCL program"
ok "and names the launch that is slowest in the trace, and its arguments" slowest_is_right cl.json cl.out
