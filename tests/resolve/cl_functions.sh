#!/bin/bash
# SPDX-License-Identifier: MIT
# Programs that find OpenCL's functions in every way there is: they do what they do untraced, and
# each of their calls is recorded once, as counted by the driver that got them and by the program
# that made them.
#
# The driver exports its functions under the loader's own names and calls some of them through its PLT, which must not be recorded.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
export TRACELAYER_DEVICE=0	# device lanes ask the driver, too

apps=$top_builddir/tests/apps
drivers=$top_builddir/tests/drivers/.libs
plugin=$apps/.libs/cl_plugin.so
export LD_BIND_NOW=

# What the trace has: "name count" lines.
recorded()
{
	"$python" - "$1" <<-'END'
	import collections, json, sys
	calls = collections.Counter(e["name"] for e in json.load(open(sys.argv[1])) if e.get("ph") == "X")
	print("\n".join("%s %d" % call for call in sorted(calls.items())))
	END
}

# The driver's count of a file's functions less what the loader does by itself when it starts ($tmp/idle), without the calls that
# the loader answers alone.
from_program()
{
	awk 'NR == FNR { idle[$1] = $2; next } $1 !~ "/own$" && $2 > idle[$1] { print $1, $2 - idle[$1] }' "$tmp/idle" "$1" |
		grep -v '^clGetPlatformIDs ' | sort
}

# check DESCRIPTION COMMAND…
check()
{
	local what=$1; shift
	rm -f "$tmp"/driver.* "$tmp/program"
	TEST_ICD_COUNTS=$tmp/driver.bare timeout 60 "$@" >"$tmp/bare" 2>&1
	local status=$?
	TEST_ICD_COUNTS=$tmp/driver.traced TEST_CL_APP_COUNTS=$tmp/program traced "$tmp/trace.json" timeout 60 "$@" >"$tmp/out" 2>&1
	is "$? $status" "0 0" "$what: it ends well, as it does without us" || diag "$(tail -n 5 "$tmp/out")"
	same "$tmp/out" "$tmp/bare" "$what: it prints what it prints without us"
	same "$tmp/driver.traced" "$tmp/driver.bare" "$what: the driver gets the calls it gets without us"
	recorded "$tmp/trace.json" >"$tmp/recorded"
	sort "$tmp/program" >"$tmp/want"
	same "$tmp/recorded" "$tmp/want" "$what: each call that the program made is recorded once, and no other"
	grep -v '^clGetPlatformIDs ' "$tmp/recorded" >"$tmp/got"
	from_program "$tmp/driver.traced" >"$tmp/want"
	same "$tmp/got" "$tmp/want" "$what: and so says the driver"
}

plan 113
export OCL_ICD_VENDORS=$drivers/icd_a.so
TEST_ICD_COUNTS=$tmp/idle timeout 60 "$apps/cl_linked" idle >/dev/null

check "linked" "$apps/cl_linked" calls
check "linked, dlsym(RTLD_DEFAULT)" "$apps/cl_linked" default
check "linked, dlsym(RTLD_NEXT)" "$apps/cl_linked" next
check "linked, dlsym(dlopen(NULL))" "$apps/cl_linked" program
check "dlopen RTLD_LOCAL" "$apps/cl_found" local
check "dlopen RTLD_GLOBAL" "$apps/cl_found" global
check "dlopen RTLD_DEEPBIND" "$apps/cl_found" deep
check "dlvsym" "$apps/cl_found" version
check "dlopen RTLD_GLOBAL, dlsym(RTLD_DEFAULT)" "$apps/cl_found" default
check "dlopen RTLD_GLOBAL, dlsym(dlopen(NULL))" "$apps/cl_found" program
check "a plugin's own calls" "$apps/cl_found" plugin:calls "$plugin"
check "a plugin's dlsym(RTLD_DEFAULT)" "$apps/cl_found" plugin:default "$plugin"
check "a plugin's dlsym(RTLD_NEXT)" "$apps/cl_found" plugin:next "$plugin"

# A driver whose own dispatch table refers to its functions by the loader's names.
OCL_ICD_VENDORS=$drivers/icd_table.so check "a dispatch table bound to us" "$apps/cl_found" local
OCL_ICD_VENDORS=$drivers/icd_table.so check "a dispatch table bound to us, RTLD_DEEPBIND" "$apps/cl_found" deep

# With nobody watching, calls go straight to the real functions: those that must be told apart still are.
for way in local deep; do
	OCL_ICD_VENDORS=$drivers/icd_table.so TEST_ICD_COUNTS=$tmp/driver.bare timeout 60 \
		"$apps/cl_found" $way >"$tmp/bare" 2>&1
	OCL_ICD_VENDORS=$drivers/icd_table.so TEST_ICD_COUNTS=$tmp/driver.traced TRACELAYER_LEVEL=none \
		LD_PRELOAD=$libtracelayer timeout 60 "$apps/cl_found" $way >"$tmp/out" 2>&1
	is $? 0 "unwatched, $way: it ends well"
	same "$tmp/out" "$tmp/bare" "unwatched, $way: it prints what it prints without us"
	same "$tmp/driver.traced" "$tmp/driver.bare" "unwatched, $way: the driver gets the same calls"
done

# Lazy binding off: the drivers' and loaders' references are bound when they are loaded.
LD_BIND_NOW=1 check "all symbols bound at once" "$apps/cl_found" local

# Before main, and before our own constructor has run.
TEST_CL_EARLY=1 LD_PRELOAD=$apps/.libs/cl_early.so TEST_ICD_COUNTS=$tmp/driver.bare timeout 60 "$apps/cl_found" absent >"$tmp/bare"
rm -f "$tmp/trace.json"
TEST_CL_EARLY=1 LD_PRELOAD=$libtracelayer:$apps/.libs/cl_early.so TEST_CL_APP_COUNTS=$tmp/want TRACELAYER_OUTPUT=$tmp/trace.json \
	TEST_ICD_COUNTS=$tmp/driver.traced timeout 60 "$apps/cl_found" absent >"$tmp/out"
same "$tmp/out" "$tmp/bare" "another library's constructor can use OpenCL"
same "$tmp/driver.traced" "$tmp/driver.bare" "and the driver gets the same calls"
recorded "$tmp/trace.json" >"$tmp/got"
same "$tmp/got" <(sort "$tmp/want") "all of which are recorded"

# Other tools that interpose: they stay in the way of the calls, which are recorded once, also where all references are bound at the start (-z now, Ubuntu's default).
for now in "" 1; do
	for order in "$apps/.libs/cl_interposer.so:$libtracelayer" "$libtracelayer:$apps/.libs/cl_interposer.so"; do
		for program in cl_linked cl_found; do
			rm -f "$tmp/trace.json"
			LD_BIND_NOW=$now LD_PRELOAD=$order TRACELAYER_OUTPUT=$tmp/trace.json timeout 60 "$apps/$program" >"$tmp/out" 2>"$tmp/err.$program"
			is "$?" 0 "$program with another interposer${now:+, bound at the start}: ends well"
			is "$(events "$tmp/trace.json" clFlush)" 1 "$program with another interposer${now:+, bound at the start}: the call is recorded once"
		done
		is "$(cat "$tmp/err.cl_linked")" "interposed" "it got the calls, and found what is next"
	done
done

# A loader that is closed and opened again.
timeout 60 "$apps/cl_found" reopened >"$tmp/bare" 2>&1
TEST_ICD_COUNTS=$tmp/driver.traced traced "$tmp/trace.json" timeout 60 "$apps/cl_found" reopened >"$tmp/out" 2>&1
same "$tmp/out" "$tmp/bare" "a loader that is closed and opened again works on"
is "$(events "$tmp/trace.json" clFinish)" 3 "and is traced each time"

# What isn't there isn't there with us either.
"$apps/cl_found" absent >"$tmp/bare"
traced "$tmp/trace.json" "$apps/cl_found" absent >"$tmp/out"
same "$tmp/out" "$tmp/bare" "functions of a loader that isn't loaded are not found, and dlerror says so in the same words"
nok "and a program that only asks leaves no trace" test -e "$tmp/trace.json"
