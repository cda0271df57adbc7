#!/bin/bash
# SPDX-License-Identifier: MIT
# stack_apis_hip.sh: the descriptor of HIP, on a machine without its devices: a program prints the same, and its calls, which fail, are shown as failed.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/stack.sh"
test -e /usr/include/hip/hip_runtime_api.h || { echo "Bail out! HIP's headers are missing; ./scripts/install-packages stacks installs them (libamdhip64-dev)"; exit 99; }
plan 6
cd "$tmp" || exit 99

cat >asks.c <<'END_OF_C'
#define __HIP_PLATFORM_AMD__
#include <hip/hip_runtime_api.h>
#include <stdio.h>
int main(void)
{
	int count = -1, version = 0;
	void *memory = NULL;
	hipError_t error = hipGetDeviceCount(&count);

	printf("%d %s\n", count, hipGetErrorName(error));
	hipRuntimeGetVersion(&version);
	printf("%d\n", version > 0);
	if (hipMalloc(&memory, 64) == hipSuccess)
		hipFree(memory);
	return 0;
}
END_OF_C
ok "a program is built" "${CC:-cc}" -w -o asks asks.c -lamdhip64
./asks >bare.out; bare=$?
"$tracelayer" run -o t.json --summary --api hip -- ./asks >traced.out 2>traced.err; traced=$?
is "$traced $(cat traced.out)" "$bare $(cat bare.out)" "it prints the same, ends the same ($bare)"
ok "its trace is sound" "$python" "$check_trace" t.json
like "$(cat t.json)" '"name":"hipRuntimeGetVersion".*"runtimeVersion":[1-9][0-9]*,"result":"hipSuccess"' "numbers that come out and results are shown"
like "$(cat t.json)" '"name":"hipMalloc".*"size":64,' "and sizes"
if test "$(head -n 1 bare.out)" = "0 hipErrorNoDevice"; then
	is "$(awk '$1 == "hipGetDeviceCount" { print $2, $3 }' traced.err)" '1 1' "the call that finds no device is in the failed column"
else
	pass "there is a device # SKIP"
fi
