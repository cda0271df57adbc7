#!/bin/bash
# SPDX-License-Identifier: MIT
# stack_xpti_original.sh: tracelayer's dispatcher in place of the original libxptifw.so, under SYCL's real runtime (PyPI). A logger and the runtime's own subscriber
# write what they get; with both dispatchers it is the same, in the same order. So is what one place in the code gives, where parts of it are missing.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/stack.sh"
. "$top_srcdir/tests/lib/sycl.sh"
sycl_plan 20

export UR_ENABLE_LAYERS=UR_LAYER_TRACING
original=$venv/lib/libxptifw.so.1 ours=$top_builddir/.libs/libtracelayer-xpti.so
cd "$tmp" || exit 99
# A subscriber as SYCL's users build it: it needs libxptifw.so.1, and finds the original.
${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O1 -shared -fPIC -I"$top_srcdir/include" "$top_srcdir/tests/xpti/dispatcher/xpti_logger.c" -o logger.so \
	-L"$venv/lib" -l:libxptifw.so.1 -Wl,-rpath,"$venv/lib" || { echo "Bail out! the logger can't be built"; exit 99; }

# steps NAME DISPATCHER SUBSCRIBER [VARIABLE=VALUE]…: what it prints is in NAME.out, what the logger says in NAME.log.
steps()
{
	XPTI_LOG=$1.log XPTI_FRAMEWORK_DISPATCHER=$2 XPTI_SUBSCRIBERS=$3 timeout 60 env "${@:4}" "$venv/bin/python" "$top_srcdir/tests/xpti/sycl_steps.py" >"$1.out" 2>&1
}
# Addresses differ from run to run, and so does what an unstashed tuple is: see tracelayer-xpti(7).
told() { sed -E -e 's/\[[0-9a-f]{6,}\]/[address]/g' -e 's/ stashed [a-z_]+//' "$1.log" >"$1.told"; }

steps original "$original" "$tmp/logger.so"; code=$?
is "$code" 0 "the program runs with the original dispatcher"
steps ours "$ours" "$tmp/logger.so" LD_DEBUG=files LD_DEBUG_OUTPUT="$tmp/files"
is "$?" "$code" "and with ours"
same original.out ours.out "it prints the same"
told original; told ours
count=$(wc -l <original.told)
ok "the original tells of more than 1000 things: $count" test "$count" -gt 1000
same original.told ours.told "ours tells of the same, in the same order"
ok "the subscriber, which needs libxptifw.so.1, does not load the original beside ours" eval '! grep -q "calling init: $venv/lib/libxptifw" files.*'

# The page lists every stream: those that the runtime announces, and what in its libraries is written like a stream's name. Three of these are names of trace
# points.
streams_listed() { sed -n '/^| stream |/,/^$/p' "$top_srcdir/doc/xpti.md" | cut -d'|' -f2 | grep -oE '`[a-z_.]+`' | tr -d '`' | sort -u; }
sed -nE 's/^thread [0-9]+ init ([^ ]+) .*/\1/p' original.log | grep -vx 'xpti\.framework' | sort -u >announced
ok "the runtime announces streams: $(paste -sd' ' announced)" grep -qx 'sycl\.experimental\.mem_alloc' announced
is "$(comm -23 announced <(streams_listed) | paste -sd' ')" "" "each is in the page"
written_streams()
{
	local library
	for library in libsycl.so.9 libur_loader.so.0; do
		"$python" -c 'import re, sys
print(*re.findall(r"\0((?:sycl|ur)(?:\.[a-z_]{2,})+)(?=\0)", open(sys.argv[1], "rb").read().decode("latin-1")), sep="\n")' "$venv/lib/$library"
	done | grep -vxE 'sycl\.(application\.graph|memory\.alloc|exceptions)|.*\.cpp|.*\.hpp' | sort -u
}
is "$(comm -23 <(written_streams) <(streams_listed) | paste -sd' ')" "" "so is each stream's name in its libraries: $(written_streams | paste -sd' ')"

# The subscriber of sycl-trace, which comes with the runtime.
said() { sed -E -e 's/0x[0-9a-f]+/address/g; s/[0-9]{6,}/number/g; s/instanceID=[0-9]+/instance/' "$1.out" >"$1.said"; }
for which in original ours; do
	steps "collector-$which" "${!which}" "$venv/lib/libsycl_ur_trace_collector.so" SYCL_TRACE_API_ENABLE=1 SYCL_TRACE_UR_ENABLE=1 SYCL_TRACE_PRINT_FORMAT=compact
	said "collector-$which"
done
ok "the runtime's own subscriber writes of what it is told: $(wc -l <collector-original.said) lines" test "$(grep -c 'Task begin' collector-original.said)" -ge 20
same collector-original.said collector-ours.said "with ours it writes the same"

# Beside the timeline. The runtime tells a stream X nothing while somebody listens to X.debug, which the logger does and the runtime's subscriber does not.
beside()
{
	XPTI_LOG=$1.log XPTI_SUBSCRIBERS=$2 timeout 60 env "${@:3}" "$tracelayer" run --quiet --xpti -o "$1.json" -- \
		"$venv/bin/python" "$top_srcdir/tests/xpti/sycl_steps.py" >"$1.out" 2>&1
}
beside collector-beside "$venv/lib/libsycl_ur_trace_collector.so" SYCL_TRACE_API_ENABLE=1 SYCL_TRACE_UR_ENABLE=1 SYCL_TRACE_PRINT_FORMAT=compact
said collector-beside
same collector-original.said collector-beside.said "beside the timeline, too"
ok "and the timeline has the runtime's calls" grep -q '"name":"urEnqueueKernelLaunch' collector-beside.json
beside beside "$tmp/logger.so"
told beside
same original.told beside.told "a subscriber to all streams is told the same beside the timeline"
ok "and the timeline has the runtime's calls there, too" grep -q '"name":"urEnqueueKernelLaunch' beside.json

${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O1 -w -I"$top_srcdir/include" -I"$top_builddir" "$top_srcdir/tests/xpti/dispatcher/xpti_places.c" -o places
./places "$original" >places.original 2>&1 && ./places "$ours" >places.ours 2>&1
same places.original places.ours "trace points, events and payloads are the same, whatever of the name, file, line and address is missing"

# Intel's Profiling Tools Interfaces: its library is a subscriber, and linked with libxptifw.so. It wants Level Zero, so it gets the software device, and
# where the loader is too old for it, the function that it misses.
pti=$(pti_venv "$kept") || { skip 4 "$pti"; exit 0; }
echo 'int zesInit(unsigned flags) { return flags = 0x78000001; } // uninitialized' | ${CC:-cc} -shared -fPIC -x c - -o zes.so
# view NAME FOLDER: with the dispatcher that is in that folder.
view()
{
	env -u XPTI_SUBSCRIBERS -u XPTI_FRAMEWORK_DISPATCHER LD_PRELOAD="$tmp/zes.so" LD_LIBRARY_PATH="$2:$venv/lib" XPTI_TRACE_ENABLE=1 ZE_ENABLE_TRACING_LAYER=1 \
		ZE_ENABLE_ALT_DRIVERS="$top_builddir/tests/drivers/.libs/ze_driver_a.so" ONEAPI_DEVICE_SELECTOR=opencl:cpu \
		timeout 60 "$venv/bin/python" "$top_srcdir/tests/xpti/pti_view.py" "$pti/lib/libpti_view.so.1" "$top_srcdir/tests/xpti/sycl_steps.py" >"$1.pti" 2>&1
}
view original "$venv/lib"; code=$?
view ours "$top_builddir/.libs/tracelayer/xpti"
is "$? $code" "0 0" "Intel's Profiling Tools Interfaces run with both"
ok "they record calls of SYCL's runtime: $(grep ' calls$' original.pti)" test "$(grep -c 'urEnqueue' original.pti)" -ge 20
ok "with ours in the original's place, only ours is there" eval "grep -q '^dispatchers: .*$(realpath "$ours")' ours.pti && ! grep -q '^dispatchers: .*$venv' ours.pti"
sed -i '/^dispatchers/d' original.pti ours.pti
same original.pti ours.pti "they record the same"
