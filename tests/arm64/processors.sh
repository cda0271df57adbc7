#!/bin/bash
# SPDX-License-Identifier: MIT
# Processors of arm64: without LSE, where libgcc's helpers take the loads and stores that ARMv8.0 has, and with it, BTI and PAC. The library records on both, and
# its unit tests of rings, exceptions and tracers pass. make check-arm64 runs this outside of the root; the build folder is arm64's.
export TMPDIR=$top_builddir
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
qemu=$(command -v qemu-aarch64) || { echo "Bail out! qemu-aarch64 is missing; ./scripts/install-packages test installs it"; exit 99; }
top_builddir=$(cd "$top_builddir" && pwd)
export QEMU_LD_PREFIX=$ARM64_ROOT ZE_ENABLE_ALT_DRIVERS=$top_builddir/tests/drivers/.libs/ze_driver_a.so
library=$top_builddir/.libs/libtracelayer.so
plan 16

cat >"$tmp/has.c" <<'END'
#include <stdio.h>
#include <sys/auxv.h>
int main(void)
{
	/* HWCAP_ATOMICS, HWCAP_PACA, HWCAP2_BTI */
	printf("%lu %lu %lu\n", getauxval(AT_HWCAP) >> 8 & 1, getauxval(AT_HWCAP) >> 30 & 1, getauxval(AT_HWCAP2) >> 17 & 1);
	return 0;
}
END
aarch64-linux-gnu-gcc -static "$tmp/has.c" -o "$tmp/has" || exit 99
ok "the library asks which atomics there are" sh -c "aarch64-linux-gnu-nm '$library' | grep -q __aarch64_have_lse_atomics"
nok "and has none of LSE outside of the helpers that ask" sh -c "aarch64-linux-gnu-objdump -d --no-show-raw-insn '$library' |
	awk '/^[0-9a-f]+ </ { name = \$2 } /\t(cas|swp|ldadd|ldset|ldclr|ldeor)/ && name !~ /__aarch64_/ { print name }' | grep ."

for processor in "cortex-a53 0 0 0" "max 1 1 1"; do
	cpu=${processor%% *}
	emulated() { timeout 300 "$qemu" -cpu "$cpu" "$@"; }
	is "$(emulated "$tmp/has")" "${processor#* }" "$cpu: has LSE, PAC, BTI"
	for full in grow ring; do
		emulated -E "LD_PRELOAD=$library" -E "TRACELAYER_OUTPUT=$tmp/$cpu-$full.json" -E TRACELAYER_FULL=$full \
			"$top_builddir/tests/apps/ze_vector_add" -t 4 -n 20 >"$tmp/out" 2>"$tmp/err"
		is "$? $(cat "$tmp/err") $(grep -c '"name":"zeCommandQueueSynchronize"' "$tmp/$cpu-$full.json")" "0  80" "$cpu, $full: four threads are recorded"
	done
	for unit in event_test ring_test exceptions_test tracers_test; do
		emulated "$top_builddir/$unit" >"$tmp/out" 2>&1
		is "$? $(grep -c '^not ok' "$tmp/out")" "0 0" "$cpu: $unit passes" || diag "$(grep '^not ok' "$tmp/out")"
	done
done
