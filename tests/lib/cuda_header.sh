# SPDX-License-Identifier: MIT
# cuda_header.sh: sourced by the tests of CUDA, after stack.sh. NVIDIA's header and runtime come from PyPI, once, since CUDA's headers are no package of
# Debian's main part.

# cuda_software KEPT RESULTS: sets $include and $runtime, builds $tmp/driver/libcuda.so.1 from tests/drivers/cuda_driver.c, and sets what programs and
# tracegen need to find both. Where the header can't be had, it skips so many results, and the test is over.
cuda_software()
{
	local version=12.8.90 wheel
	wheel=$1/nvidia_cuda_runtime_cu12-$version.whl
	mkdir -p "$1"
	if ! test -s "$wheel"; then
		test "${TRACELAYER_OFFLINE-}" != 1 || { skip "$2" "this machine is offline, and $wheel is not there"; exit 0; }
		timeout 120 "$python" -m pip download -q --no-deps --only-binary :all: -d "$tmp/wheel" "nvidia-cuda-runtime-cu12==$version" >"$tmp/log" 2>&1 &&
			mv "$tmp"/wheel/*.whl "$wheel"
	fi
	test -s "$wheel" || { skip "$2" "this machine gets no nvidia-cuda-runtime-cu12 $version: $(tail -n 1 "$tmp/log")"; exit 0; }
	"$python" -m zipfile -e "$wheel" "$tmp/wheel" || exit 99
	include=$tmp/wheel/nvidia/cuda_runtime/include
	runtime=$tmp/wheel/nvidia/cuda_runtime/lib
	drivers=$top_srcdir/tests/drivers
	mkdir -p "$tmp/driver"
	ok "the software driver is built" cuda_driver_build || exit 1
	export LD_LIBRARY_PATH=$tmp/driver C_INCLUDE_PATH=$include
}

# The driver's own table leads to its own functions, as NVIDIA's does, not to an interposer's of the same names. It stays loaded, for its threads.
cuda_driver_build()
{
	${CC:-cc} -Wall -Wextra -fPIC -fvisibility=hidden -shared -pthread -Wl,-Bsymbolic -Wl,-z,nodelete -Wl,-soname,libcuda.so.1 -I"$top_srcdir" \
		-o "$tmp/driver/libcuda.so.1" "$drivers/cuda_driver.c"
}

# cupti_software KEPT RESULTS: the same for CUPTI, after cuda_software: builds $tmp/driver/libcupti.so.12 from tests/drivers/cupti.c with NVIDIA's header, and
# sets $cupti_real, NVIDIA's own library.
cupti_software()
{
	local version=12.8.90 wheel
	wheel=$1/nvidia_cuda_cupti_cu12-$version.whl
	if ! test -s "$wheel"; then
		test "${TRACELAYER_OFFLINE-}" != 1 || { skip "$2" "this machine is offline, and $wheel is not there"; exit 0; }
		timeout 300 "$python" -m pip download -q --no-deps --only-binary :all: -d "$tmp/cupti" "nvidia-cuda-cupti-cu12==$version" >"$tmp/log" 2>&1 &&
			mv "$tmp"/cupti/*.whl "$wheel"
	fi
	test -s "$wheel" || { skip "$2" "this machine gets no nvidia-cuda-cupti-cu12 $version: $(tail -n 1 "$tmp/log")"; exit 0; }
	"$python" -m zipfile -e "$wheel" "$tmp/cupti" || exit 99
	cupti_real=$tmp/cupti/nvidia/cuda_cupti/lib/libcupti.so.12
	# The runtime's header includes one of NVIDIA's compiler, which is another package: what of it is needed.
	mkdir -p "$tmp/cupti/crt"
	cat >"$tmp/cupti/crt/host_defines.h" <<-'END_OF_HEADER'
	#define __align__(n) __attribute__((aligned(n)))
	#define __builtin_align__(n) __attribute__((aligned(n)))
	#define __device_builtin__
	#define __device_builtin_texture_type__
	#define __device_builtin_surface_type__
	#define __cudart_builtin__
	#define CUDARTAPI
	#define __host__
	#define __device__
	END_OF_HEADER
	ok "the software CUPTI is built, and the layer has its interface as NVIDIA's header has it" cupti_build || exit 1
}
cupti_build()
{
	${CC:-cc} -Wall -Wextra -fPIC -fvisibility=hidden -shared -pthread -Wl,-z,nodelete -Wl,-soname,libcupti.so.12 -I"$top_srcdir" \
		-isystem "$tmp/cupti" -isystem "$tmp/cupti/nvidia/cuda_cupti/include" -isystem "$include" -o "$tmp/driver/libcupti.so.12" "$drivers/cupti.c"
}
