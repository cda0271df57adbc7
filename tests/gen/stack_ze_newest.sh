#!/bin/bash
# SPDX-License-Identifier: MIT
# Level Zero as Debian's next release has it: everything is built with its headers, linked with its loader, and runs on it by both doors. That release's C and
# C++ libraries come with the loader, so all this runs on them, too. The packages are unpacked in a folder of their own, and lie over the installed
# libraries in a mount that only these tests see.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/stack.sh"
. "$top_srcdir/tests/lib/next_release.sh"
packages="libze1 libze-dev libc6 libstdc++6 libgcc-s1"
plan 20

# fetched: that release's packages lie unpacked in $kept, as of the archive's newest index.
fetched()
{
	local package
	# shellcheck disable=SC2086
	next_apt "$tmp/apt" && (cd "$tmp/apt/packages" && apt-get "${next_options[@]}" download $packages) || return
	rm -rf "$kept/ze-$next"
	for package in "$tmp"/apt/packages/*.deb; do
		dpkg -x "$package" "$kept/ze-$next" || return
	done
}
ze=$kept/ze-$next
mkdir -p "$kept"
ok "Debian $next: its packages are fetched" fetched || test -d "$ze" || { echo "Bail out! no Level Zero of Debian $next"; exit 99; }
headers=$ze/usr/include/level_zero
libraries=$(dirname "$(find "$ze/usr/lib" -name 'libze_loader.so.1' | head -n 1)")
version() { sed -n "s/^# *define ZE_API_VERSION_CURRENT_M .*( *\([0-9]*\), *\([0-9]*\) *).*/\1.\2/p" "$1/ze_api.h"; }
diag "headers $(version "$headers"), loader $(basename "$(readlink -f "$libraries/libze_loader.so.1")"); installed: $(basename "$(readlink -f /usr/lib/*/libze_loader.so.1)")"


# newest COMMAND…: with that release's libraries in the installed ones' place.
here=$(dirname "$(readlink -f /usr/lib/*/libze_loader.so.1)")
newest() { over "$libraries" "$here" "$@"; }
newest true 2>"$tmp/said" || { skip 19 "this machine lets nobody lay folders over others ($(head -n 1 "$tmp/said"))"; exit 0; }
like "$(newest getconf GNU_LIBC_VERSION) and $(newest sh -c 'basename $(readlink -f /usr/lib/*/libze_loader.so.1)')" 'glibc 2\.(3[89]|[4-9]).* and libze_loader.so.1.[2-9][0-9]' \
	"the tests run on that release's C library and see its loader"

ok "configure takes its headers" newest sh -c 'mkdir "$1" && cd "$1" && CONFIG_SHELL=/bin/sh "$2/configure" -q CC="$3" CXX="$4" CFLAGS="-O1 -g0" CXXFLAGS="-O1 -g0" \
	--with-level-zero-headers="$5"' - \
	"$tmp/build" "$top_srcdir" "${CC:-cc}" "${CXX:-c++}" "$headers"
ok "everything builds with them" newest make -s -C "$tmp/build" -j2 all
apps="ze_vector_add ze_events ze_dlopen ze_ddi ze_chain ze_calls ze_sysman ze_unwind ze_device ze_reads ze_recent zel_contract zel_every"
others="tests/drivers/ze_driver_a.la tests/drivers/ze_driver_b.la ze_driver_test"
# shellcheck disable=SC2086
ok "and so do the programs that call Level Zero" newest make -s -C "$tmp/build" -j2 $(printf 'tests/apps/%s ' $apps) $others
is "$("$tmp/build/tracelayer" apis | awk '/^level-zero / { print $4 }')" "$(version "$headers")" "the API is said to be of the headers' version"

# The test NAME of Level Zero, whole, with the other build and loader.
passes() { newest env top_builddir="$tmp/build" "$top_srcdir/tests/$1.sh" >"$tmp/said" 2>&1; }
nothing_failed() { ! grep -E '^(not ok|Bail out)' "$tmp/said" && grep -qE '^ok ' "$tmp/said" && test "$(grep -cE '^(ok|not ok) ' "$tmp/said")" = "$(sed -n 's/^1\.\.//p' "$tmp/said")"; }
for name in gen/ze_headers device/ze/ze_lanes device/ze/ze_reads device/ze/ze_recent whole/ze_programs; do
	passes "$name"
	ok "$name passes" nothing_failed || diag "$(grep -A 12 -m 5 '^not ok' "$tmp/said")"
	diag "$name: $(grep -c '^ok ' "$tmp/said") passed"
done

# The tracing interface, in programs built with the installed headers, as users' older programs are: in place of that release's own layer, then preloaded.
export ZE_ENABLE_ALT_DRIVERS=$tmp/build/tests/drivers/.libs/ze_driver_a.so ZE_ENABLE_TRACING_LAYER=1
apps=$top_builddir/tests/apps
drop_in() { newest env LD_LIBRARY_PATH="$tmp/build/.libs/tracelayer/level-zero" TRACELAYER_OUTPUT="$tmp/t.json" timeout 120 "$@"; }
preloaded() { newest env LD_PRELOAD="$tmp/build/.libs/libtracelayer.so" TRACELAYER_OUTPUT="$tmp/t.json" timeout 120 "$@"; }
results() { grep -E '^(ok|not ok) ' "$1" | sort -k 3; }
contract_holds() { test "$1 $(grep -c '^not ok' "$tmp/contract") $(grep -cE '^ok ' "$tmp/contract")" = "0 0 $(sed -n 's/^1\.\.//p' "$tmp/contract")"; }
TEST_BEHIND=loader drop_in "$apps/zel_contract" >"$tmp/contract" 2>&1
ok "its layer: the whole contract of tracers holds" contract_holds $? || diag "$(grep -A 5 '^not ok' "$tmp/contract")"
preloaded "$apps/zel_contract" >"$tmp/contract" 2>&1
ok "preloaded: the whole contract of tracers holds" contract_holds $? || diag "$(grep -A 5 '^not ok' "$tmp/contract")"

# The loader puts its tracing layer into the calls' path, and takes it out, by itself: also where it loses an enable (before zeInit, or after a disable that had
# no enable before it), the callbacks are those of that release's own layer. Preloaded, no enable is lost.
for steps in icecdc ieedcdc deiecdc eicdec; do
	ZE_ENABLE_TRACING_LAYER= newest timeout 120 "$apps/zel_contract" path $steps >"$tmp/theirs" 2>&1
	ZE_ENABLE_TRACING_LAYER= drop_in "$apps/zel_contract" path $steps >"$tmp/ours" 2>&1
	same "$tmp/ours" "$tmp/theirs" "its layer, put into the path and taken out ($steps): as with that release's own layer"
done
ZE_ENABLE_TRACING_LAYER= preloaded "$apps/zel_contract" path deicdcec >"$tmp/ours" 2>&1
is "$(awk '$1 == "c:" { print $NF == "Ww" }' "$tmp/ours" | tr -d '\n')" 101 "preloaded: calls are seen after an enable before zeInit, and not after its disable"
newest timeout 120 "$apps/zel_every" >"$tmp/theirs" 2>&1
drop_in "$apps/zel_every" >"$tmp/ours" 2>&1
results "$tmp/theirs" >"$tmp/theirs.results"
results "$tmp/ours" >"$tmp/ours.results"
same "$tmp/ours.results" "$tmp/theirs.results" "its layer: callbacks of each function come as with that release's own layer"
diag "$(grep '^not ok' "$tmp/theirs" | head -n 5)"
preloaded "$apps/zel_every" >"$tmp/ours" 2>&1
is "$? $(grep -c '^not ok' "$tmp/ours") $(grep -cE '^ok ' "$tmp/ours")" "0 0 $(sed -n 's/^1\.\.//p' "$tmp/ours")" "preloaded: callbacks of each function come, and of zeInit" ||
	diag "$(grep '^not ok' "$tmp/ours")"
