#!/bin/bash
# SPDX-License-Identifier: MIT
# The loaders' own layers as files, and what they record: each call once, with one door or with both, and nothing unless asked.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library

apps=$top_builddir/tests/apps
drivers=$top_builddir/tests/drivers/.libs
folder=$top_builddir/.libs/tracelayer
ze_layer=$folder/level-zero/libze_tracing_layer.so.1
cl_layer=$folder/opencl/libtracelayer_opencl_layer.so
export ZE_ENABLE_ALT_DRIVERS=$drivers/ze_driver_a.so OCL_ICD_VENDORS=$drivers/icd_a.so

recorded()
{
	"$python" - "$1" <<-'END'
	import collections, json, sys
	calls = collections.Counter(e["name"] for e in json.load(open(sys.argv[1])) if e.get("ph") == "X" and not e["cat"].startswith("device"))
	print("\n".join("%s %d" % call for call in sorted(calls.items())))
	END
}

ze() { ZE_ENABLE_TRACING_LAYER=1 LD_LIBRARY_PATH=$folder/level-zero "$@"; }
cl() { OPENCL_LAYERS=$cl_layer "$@"; }
# both DOOR COMMAND…
both() { LD_PRELOAD=$libtracelayer "$@"; }

# once DESCRIPTION DOOR COMMAND…: each call of the program is recorded once, and no other.
once()
{
	local what=$1; shift
	rm -f "$tmp/trace.json" "$tmp/program"
	export TRACELAYER_OUTPUT=$tmp/trace.json TEST_ZE_APP_COUNTS=$tmp/program TEST_CL_APP_COUNTS=$tmp/program
	"${@:1:1}" "${@:2}" >"$tmp/out" 2>"$tmp/err"
	local status=$?
	unset TRACELAYER_OUTPUT TEST_ZE_APP_COUNTS TEST_CL_APP_COUNTS
	is "$status $(cat "$tmp/err")" "0 " "$what: it ends well, and nothing is said"
	grep -v ProcAddrTable "$tmp/program" | sort >"$tmp/want"
	recorded "$tmp/trace.json" | grep -v ProcAddrTable >"$tmp/got"
	same "$tmp/got" "$tmp/want" "$what: each call is recorded once"
}

plan 45

# What the loaders look up in them.
is "$(ls "$folder/level-zero")" libze_tracing_layer.so.1 "Level Zero's layer lies alone in its folder"
readelf -dW "$ze_layer" >"$tmp/dynamic"
like "$(cat "$tmp/dynamic")" 'SONAME.*\[libze_tracing_layer\.so\.1\]' "it has the name that the loader opens"
is "$(sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' "$tmp/dynamic" | grep -v '^ld-linux')" libc.so.6 "it needs libc and nothing else: it looks for libtracelayer.so itself"
like "$(cat "$tmp/dynamic")" NODELETE "and stays"
nm -D --defined-only "$ze_layer" >"$tmp/symbols"
unlike "$(cat "$tmp/symbols")" @ "it has no symbol versions"
is "$(grep -c RegisterCallback "$tmp/symbols")" "$(grep -c RegisterCallback "$top_builddir/apis/ze_tracing.exports")" \
	"it exports every RegisterCallback function"
is "$(sed 's/.* //' "$tmp/symbols" | grep -c '^zer\?Get.*ProcAddrTable$')" "$(grep -cE '^(ze|zer)Get.*ProcAddrTable$' "$top_builddir/apis/ze.exports")" \
	"and every table of the core"
stock=$(ldconfig -p | sed -n 's/.*libze_tracing_layer\.so\.1 .*=> //p' | head -n 1)
if test -n "$stock"; then
	nm -D --defined-only "$stock" | sed 's/.* //' | grep '^z' | sort >"$tmp/stock"
	is "$(sed 's/.* //' "$tmp/symbols" | sort | comm -13 - "$tmp/stock")" "" "and all that the stock loader's own exports"
else
	skip 1 "this machine has no libze_tracing_layer.so.1 to compare with"
fi
is "$(nm -D --defined-only "$cl_layer" | sed 's/.* //' | sort | paste -sd' ')" "clGetLayerInfo clInitLayer" "OpenCL's layer exports what a loader looks up"

# Level Zero.
once "Level Zero" ze timeout 60 "$apps/ze_vector_add" -t 2 -n 5
once "every function" ze timeout 60 "$apps/ze_calls"
once "a program that opens the loader" ze timeout 60 "$apps/ze_dlopen"
once "with RTLD_DEEPBIND" ze timeout 60 "$apps/ze_dlopen" deep
once "exceptions, ends of threads, jumps" ze timeout 60 "$apps/ze_unwind"
once "both doors" both ze timeout 60 "$apps/ze_calls"
ZE_ENABLE_ALT_DRIVERS=$drivers/ze_driver_a.so,$drivers/ze_driver_b.so once "two drivers" ze timeout 60 "$apps/ze_vector_add"
door_says=$(cd "$tmp" && ze timeout 60 "$apps/ze_vector_add" 2>&1; ls "$tmp" | grep trace\\.ze)
unlike "$door_says" trace "a program in which nobody asked leaves no trace"

# OpenCL.
once "OpenCL" cl timeout 60 "$apps/cl_found" local
once "OpenCL, the loader opened with RTLD_DEEPBIND" cl timeout 60 "$apps/cl_found" deep
once "a plugin's calls" cl timeout 60 "$apps/cl_found" plugin:calls "$apps/.libs/cl_plugin.so"
once "a plugin that is opened with RTLD_DEEPBIND" cl timeout 60 "$apps/cl_found" plugin:deep "$apps/.libs/cl_plugin.so"
once "both doors of OpenCL" both cl timeout 60 "$apps/cl_linked" calls
# This driver calls functions of the API by their names, which are the loader's.
for nested in 1 0; do
	rm -f "$tmp/trace.json"
	TRACELAYER_NESTED=$nested TRACELAYER_OUTPUT=$tmp/trace.json cl timeout 60 "$apps/cl_linked" calls >"$tmp/out"
	is "$(events "$tmp/trace.json" clFlush)" $((1 + nested)) "a driver's own call into the API is traced; not with TRACELAYER_NESTED=0 ($nested)"
done

# Extension functions of two platforms.
mkdir "$tmp/two"
for driver in icd_a icd_b; do
	echo "$drivers/$driver.so" >"$tmp/two/$driver.icd"
done
export OCL_ICD_VENDORS=$tmp/two
timeout 60 "$apps/cl_extension" >"$tmp/bare"
rm -f "$tmp/trace.json"
TEST_ICD_COUNTS=$tmp/counts TRACELAYER_OUTPUT=$tmp/trace.json cl timeout 60 "$apps/cl_extension" >"$tmp/out"
is $? 0 "two platforms' extension functions: it ends well"
same "$tmp/out" "$tmp/bare" "and prints what it prints without us"
is "$(events "$tmp/trace.json" clHostMemAllocINTEL) $(events "$tmp/trace.json" clMemFreeINTEL)" "200 200" "their calls are recorded"
is "$(events "$tmp/trace.json" clGetExtensionFunctionAddressForPlatform)" 10 "and so is the asking"

# Where they are installed.
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -C "$top_builddir" install DESTDIR="$tmp/dest" >"$tmp/make.log" 2>&1 </dev/null
installed=$(find "$tmp/dest" -name libze_tracing_layer.so.1)
is "$(cd "${installed%/*}/.." && find level-zero opencl -type f | sort | paste -sd' ')" \
	"level-zero/libze_tracing_layer.so.1 opencl/libtracelayer_opencl_layer.so" "make install puts each alone in its folder"
mv "$tmp/dest" "$tmp/moved"
installed=${installed/$tmp\/dest/$tmp/moved}
folder=${installed%/level-zero/*}
cl_layer=$folder/opencl/libtracelayer_opencl_layer.so
export OCL_ICD_VENDORS=$drivers/icd_a.so
once "the installed layer, moved" ze timeout 60 "$apps/ze_calls"
once "the installed layer of OpenCL, moved" cl timeout 60 "$apps/cl_found" local
