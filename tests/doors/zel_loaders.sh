#!/bin/bash
# SPDX-License-Identifier: MIT
# Level Zero's loaders other than the installed one (drivers/ze_newer.c has them in miniature), and other ways to a loader: a
# tool's constructor that runs before the library's, a loader that is linked into a library.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/ze_loader.sh"
need_library

apps=$top_builddir/tests/apps
drivers=$top_builddir/tests/drivers/.libs
folder=$top_builddir/.libs/tracelayer/level-zero
driver=$drivers/ze_driver_a.so

mkdir "$tmp/loader"
cp "$top_builddir/tests/drivers/newer/libze_loader.so.1" "$tmp/loader/"
newer=$tmp/loader/libze_loader.so.1

# The names of calls in a trace, with their numbers and, where there are any, the numbers of their arguments.
recorded()
{
	"$python" - "$1" <<-'END'
	import collections, json, sys
	try:
	    events = json.load(open(sys.argv[1]))
	except FileNotFoundError:
	    events = []
	calls = collections.Counter(e["name"] for e in events if e.get("ph") == "X" and not e["cat"].startswith("device"))
	print("\n".join("%s %d" % call for call in sorted(calls.items())))
	END
}

# drop_in VARIABLES… COMMAND…, preloaded VARIABLES… COMMAND…: behind that door, on the newer loader
drop_in()
{
	rm -f "$tmp/trace.json"
	timeout 60 env LD_PRELOAD="$newer" LD_LIBRARY_PATH="$folder:$tmp/loader" ZE_ENABLE_TRACING_LAYER=1 TRACELAYER_OUTPUT="$tmp/trace.json" \
		TEST_LOADER_REPORT="$tmp/report" "$@" >"$tmp/out" 2>"$tmp/err"
}
preloaded()
{
	rm -f "$tmp/trace.json"
	timeout 60 env LD_PRELOAD="$libtracelayer $newer" LD_LIBRARY_PATH="$tmp/loader" TRACELAYER_OUTPUT="$tmp/trace.json" TRACELAYER_XPTI=0 \
		TEST_LOADER_REPORT="$tmp/report" "$@" >"$tmp/out" 2>"$tmp/err"
}

# --- a tool that takes the interface in its constructor
for way in handle default next; do
	for order in "$libtracelayer $apps/.libs/zel_early.so" "$apps/.libs/zel_early.so $libtracelayer"; do
		for layer in 0 1; do
			got=$(timeout 60 env ZE_ENABLE_ALT_DRIVERS="$driver" ZE_ENABLE_TRACING_LAYER=$layer TEST_EARLY=$way TRACELAYER_LEVEL=none \
				LD_PRELOAD="$order" "$apps/ze_vector_add" 2>&1 >/dev/null; echo "$?")
			heard=1
			test "$layer" = 1 || ! ze_loader_switches || heard=0
			is "$got" "early: $heard begun, $heard ended, 0 failed, from /libtracelayer.so
0" "a constructor takes the tracing interface ($way, ${order##*/} last, ZE_ENABLE_TRACING_LAYER=$layer)"
		done
	done
done

# --- the calls of a program that is newer than the headers
timeout 60 env LD_PRELOAD="$newer" LD_LIBRARY_PATH="$tmp/loader" TEST_LOADER_REPORT="$tmp/report" "$apps/ze_newer" >"$tmp/bare" 2>&1
is $? 0 "the newer loader works bare"
cp "$tmp/report" "$tmp/bare.report"
cat >"$tmp/want" <<-'END'
zeCommandListCreateCloneExp 1
zeInit 1
zeInitDrivers 2
zeRTASBuilderBuildExp 1
END
for door in drop_in preloaded; do
	for how in symbols dlsym; do
		$door TEST_LOADER_STRICT=1 "$apps/ze_newer" "$how"
		is "$? $(cat "$tmp/err")" "0 tracelayer: Level Zero: 2 functions of this loader are newer than tracelayer and are not traced; build it with --with-level-zero-headers" \
			"$door, by $how: it ends well, and a line tells of what nobody knows"
		same "$tmp/out" "$tmp/bare" "$door, by $how: every argument and result arrives"
		same "$tmp/report" "$tmp/bare.report" "$door, by $how: so says the driver"
		recorded "$tmp/trace.json" >"$tmp/got"
		same "$tmp/got" "$tmp/want" "$door, by $how: functions that the headers may lack are recorded by name"
	done
done

preloaded TRACELAYER_LEVEL=none "$apps/ze_newer"
is "$? $(cat "$tmp/err")" "0 " "nothing is said where nothing is recorded"

# --- what nobody knows
drop_in "$apps/ze_newer" register
is "$(paste -sd';' "$tmp/out")" "zeInit 0;zelTracerCreate 0 1;InitDrivers 0;heard 1 0 2;Tomorrow 78000001;by name 78000001;of nobody (nil);zelTracerDestroy 0" \
	"the layer: callbacks of a function that the headers may lack get its parameters; an unknown register function gets no handle of ours"
# The loader's own layer, which has that function and would take the handle for its own.
mkdir "$tmp/stock"
cat >"$tmp/stock.c" <<-'END'
	#include <stdint.h>
	#include <string.h>
	uint32_t zelTracerTomorrowRegisterCallback(void *tracer, uint32_t type, void (*callback)(void));
	uint32_t zelTracerTomorrowRegisterCallback(void *tracer, uint32_t type, void (*callback)(void)) { return 0xbad; }
END
${CC:-cc} -shared -fPIC -w -o "$tmp/loader/libze_tracing_layer.so.1" "$tmp/stock.c"
preloaded ZE_ENABLE_TRACING_LAYER=1 "$apps/ze_newer" register
is "$(paste -sd';' "$tmp/out")" "zeInit 0;zelTracerCreate 0 1;InitDrivers 0;heard 1 0 2;Tomorrow 78000003;by name 78000003;of nobody (nil);zelTracerDestroy 0" \
	"preloaded: it answers that it is not supported, and does not reach another layer"
rm "$tmp/loader/libze_tracing_layer.so.1"

# --- the tracing layer put into the path of a running program's calls
preloaded "$apps/ze_newer" switch
is "$(paste -sd';' "$tmp/out")" "out 0;in 1;twice in 2;once out 2;out 0;while enabled 78000006 78000004;in 1;zelTracerDestroy 0 0" \
	"preloaded, on a loader that can: callbacks run only while the layer would be in the path"
preloaded ZE_ENABLE_TRACING_LAYER=1 "$apps/ze_newer" switch
is "$(paste -sd';' "$tmp/out")" "out 1;in 1;twice in 2;once out 2;out 2;while enabled 78000006 78000004;in 1;zelTracerDestroy 0 0" \
	"and always where the environment asks for it"
cp "$tmp/out" "$tmp/asked"
preloaded ZE_ENABLE_TRACING_LAYER=1 "$apps/ze_newer" forget
same "$tmp/out" "$tmp/asked" "also where the program removes the variable after zeInit, which is when a loader reads it"

# --- loaders that call the program's functions themselves
for n in 1 2; do
	drop_in TEST_LOADER_VERSION=1.20.6 TEST_LOADER_CHECKS=$n "$apps/ze_newer"
	recorded "$tmp/trace.json" >"$tmp/got"
	same "$tmp/got" "$tmp/want" "a loader that checks $n drivers by its tables: each call of the program is recorded once"
	is "$(head -n 2 "$tmp/report" | paste -sd' ')" "zeInit $((1 + n)) zeInitDrivers $((2 + n))" "and each of its checks reaches the driver"
done

# --- a loader that is linked into a library, and into two
# Later ones have the dynamic loader's zeInit in their tables.
cp "$apps/.libs/ze_linked.so" "$tmp/ze_linked_too.so"
for later in "" TEST_LINKED_LATER=1; do
	preloaded $later "$apps/ze_newer" linked "$apps/.libs/ze_linked.so"
	is "$? $(paste -sd' ' "$tmp/out")" "0 zeInit 0 zeRTASBuilderBuildExp 0 987654321 given 0 0" "a loader that is linked into a library works ($later)"
	recorded "$tmp/trace.json" >"$tmp/got"
	is "$(paste -sd' ' "$tmp/got")" "zeCommandListCreateCloneExp 1 zeDriverGetExtensionFunctionAddress 1 zeInit 1 zeRTASBuilderBuildExp 1" \
		"what it does to bring the other one up is not recorded, and the library's calls are"
	preloaded $later "$apps/ze_newer" linked "$apps/.libs/ze_linked.so" "$tmp/ze_linked_too.so"
	recorded "$tmp/trace.json" >"$tmp/got"
	is "$(paste -sd' ' "$tmp/got")" "zeCommandListCreateCloneExp 2 zeDriverGetExtensionFunctionAddress 2 zeInit 2 zeRTASBuilderBuildExp 2" \
		"the same of two libraries, each with a loader linked into it"
done

# --- where the layer lies
mkdir "$tmp/link" "$tmp/copy"
ln -s "$(cd "$folder" && pwd)/libze_tracing_layer.so.1" "$tmp/link/libze_tracing_layer.so.1"
cp "$folder/libze_tracing_layer.so.1" "$tmp/copy/"
for place in link copy; do
	rm -f "$tmp/trace.json"
	got=$(ZE_ENABLE_ALT_DRIVERS=$driver ZE_ENABLE_TRACING_LAYER=1 LD_LIBRARY_PATH=$tmp/$place TRACELAYER_OUTPUT=$tmp/trace.json timeout 60 "$apps/ze_vector_add" 2>&1 >/dev/null; echo "$?")
	if test $place = link; then
		is "$got $(events "$tmp/trace.json" zeInit)" "0 1" "a symbolic link to the layer leads to libtracelayer.so"
	else
		like "$got" '^tracelayer: .*libtracelayer\.so.*LD_LIBRARY_PATH$' "a copy of it says that it finds none"
		is "$(tail -n 1 <<<"$got") $(test -e "$tmp/trace.json"; echo $?)" "0 1" "and leaves the program as it is"
	fi
done
plan "$_count"
