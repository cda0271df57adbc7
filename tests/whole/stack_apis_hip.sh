#!/bin/bash
# SPDX-License-Identifier: MIT
# stack_apis_hip.sh: the descriptor of HIP, on a machine without its devices: programs print the same, and their calls, which fail, are shown as failed.
# hashcat, rocRAND and PyPI's pyhip-interface are programs that nobody here wrote; a software library stands for a newer HIP with hipGetProcAddress.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
. "$top_srcdir/tests/lib/stack.sh"
. "$top_srcdir/tests/lib/kept_venv.sh"
test -e /usr/include/hip/hip_runtime_api.h || { echo "Bail out! HIP's headers are missing; ./scripts/install-packages stacks installs them (libamdhip64-dev)"; exit 99; }
plan 20
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
ok "a program is built" ${CC:-cc} -w -o asks asks.c -lamdhip64
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

# program NAME CALLS COMMAND…: three results: it prints the same and ends the same; each of these calls ("hipInit" or "hipInit=hipErrorNoDevice") is in the
# trace; the trace is sound.
program()
{
	local name=$1 calls=$2 call missing=; shift 2
	"$@" >bare.out 2>bare.err; bare=$?
	"$tracelayer" run --quiet -o "$name.json" --api hip -- "$@" >traced.out 2>traced.err; traced=$?
	is "$traced $(normalise <traced.out; normalise <traced.err)" "$bare $(normalise <bare.out; normalise <bare.err)" "$name: prints the same, ends the same ($bare)"
	for call in $calls; do
		grep -q "\"name\":\"${call%=*}\".*\"result\":\"\?${call#*=}" "$name.json" || test "$call" = "${call%=*}" -a -n "$(grep "\"name\":\"$call\"" "$name.json")" ||
			missing="$missing $call"
	done
	is "$missing" "" "$name: $calls"
	ok "$name: the trace is sound" "$python" "$check_trace" "$name.json"
}
error=$(sed -n 's/.*"name":"hipMalloc".*"result":"\([A-Za-z]*\)".*/\1/p' t.json | head -n 1)

need hashcat hashcat
program hashcat "hipDriverGetVersion=hipSuccess hipInit=$error hipGetErrorString" hashcat -I

# rocRAND by its C interface: each generator asks for memory of the device.
cat >random.py <<'END'
import ctypes
rocrand = ctypes.CDLL("librocrand.so.1")
generator = ctypes.c_void_p()
for kind in (401, 403, 500):
    print(rocrand.rocrand_create_generator(ctypes.byref(generator), kind))
END
program rocrand "hipMalloc=$error" "$python" random.py

if venv=$(kept_venv "$kept" pyhip-interface-0.1.2 pyhip-interface==0.1.2); then
	cat >everything.py <<'END'
import sys
from pyhip import hip

failed = 0
for name, *arguments in (("hipDriverGetVersion",), ("hipRuntimeGetVersion",), ("hipInit", 0), ("hipGetDeviceCount",), ("hipSetDevice", 0), ("hipMalloc", 1024),
        ("hipStreamCreate",), ("hipEventCreate",), ("hipMemGetInfo",), ("hipDeviceSynchronize",), ("hipGetDeviceProperties", 0)):
    try:
        print(name, getattr(hip, name)(*arguments))
    except Exception as error:
        print(name, type(error).__name__)
        failed += 1
print([hip.hipGetErrorName(number) for number in (0, 1, 2, 100, 101, 201, 709)])
open("failed", "w").write(str(failed))
END
	program pyhip "hipStreamCreate=$error hipMemGetInfo=$error hipGetErrorName" "$venv/bin/python" everything.py
	is "$("$tracelayer" summary --csv pyhip.json | awk -F, '$1 ~ /^"?hip/ { n += $3 } END { print n }')" "$(cat failed)" "pyhip: each failed call is in the failed column"
else
	skip 4 "$venv"
fi

# A newer HIP: programs ask it for functions by name. Its header is Debian's with that function.
mkdir newer
cp -rL /usr/include/hip newer/hip
cat >>newer/hip/hip_runtime_api.h <<'END'
#ifdef __cplusplus
extern "C"
#endif
hipError_t hipGetProcAddress(const char *symbol, void **pfn, int hipVersion, uint64_t flags, void *symbolStatus);
END
cat >library.c <<'END'
#define __HIP_PLATFORM_AMD__
#include <hip/hip_runtime_api.h>
#include <string.h>
static char memory[64];
hipError_t hipStreamSynchronize(hipStream_t stream) { return stream ? hipErrorInvalidHandle : hipSuccess; }
hipError_t hipMalloc(void **ptr, size_t size) { *ptr = memory; return size > sizeof(memory) ? hipErrorOutOfMemory : hipSuccess; }
hipError_t hipGetProcAddress(const char *symbol, void **pfn, int hipVersion, uint64_t flags, void *symbolStatus)
{
	(void)hipVersion, (void)flags, (void)symbolStatus;
	*pfn = strcmp(symbol, "hipMalloc") == 0 ? (void *)hipMalloc : strcmp(symbol, "hipStreamSynchronize") == 0 ? (void *)hipStreamSynchronize : NULL;
	return *pfn ? hipSuccess : hipErrorNotFound;
}
END
cat >asks_by_name.c <<'END'
#define __HIP_PLATFORM_AMD__
#include <hip/hip_runtime_api.h>
#include <stdio.h>
int main(void)
{
	hipError_t (*allocate)(void **, size_t) = NULL, (*synchronize)(hipStream_t) = NULL;
	void *nothing = NULL, *memory = NULL;

	hipGetProcAddress("hipMalloc", (void **)&allocate, 602, 0, NULL);
	hipGetProcAddress("hipStreamSynchronize", (void **)&synchronize, 602, 0, NULL);
	printf("%d ", hipGetProcAddress("hipNothing", &nothing, 602, 0, NULL));
	printf("%d %d %d\n", allocate(&memory, 64), allocate(&memory, 65), synchronize(NULL));
	return 0;
}
END
build_newer()
{
	${CC:-cc} -w -Inewer -shared -fPIC -Wl,-Bsymbolic -Wl,-soname,libamdhip64.so.6 -o newer/libamdhip64.so.6 library.c &&
		${CC:-cc} -w -Inewer -o asks_by_name asks_by_name.c newer/libamdhip64.so.6
}
ok "a newer HIP is built" build_newer
export C_INCLUDE_PATH=$tmp/newer LD_LIBRARY_PATH=$tmp/newer
program newer "hipMalloc=hipSuccess hipMalloc=hipErrorOutOfMemory hipStreamSynchronize=hipSuccess" ./asks_by_name
