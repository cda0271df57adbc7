# SPDX-License-Identifier: MIT
"""cuda_bindings.py: what NVIDIA's bindings for Python (PyPI: cuda-bindings) do on a device: copies, a stream, memory."""

from cuda.bindings import driver


def call(name, *args):
	result = getattr(driver, name)(*args)
	print(name, int(result[0]))
	return result[1] if len(result) > 1 else None


call("cuInit", 0)
print(call("cuDriverGetVersion"), call("cuDeviceGetCount"))
device = call("cuDeviceGet", 0)
print(call("cuDeviceGetName", 20, device))
context = call("cuCtxCreate", 0, device)
stream = call("cuStreamCreate", 0)
memory = call("cuMemAlloc", 1024)
data = bytearray(1024)
call("cuMemsetD32", memory, 7, 256)
call("cuMemcpyDtoHAsync", data, memory, 1024, stream)
call("cuStreamSynchronize", stream)
print(sum(data))
call("cuMemcpyHtoD", memory, data, 1024)
call("cuMemFree", memory)
call("cuStreamDestroy", stream)
call("cuCtxDestroy", context)
