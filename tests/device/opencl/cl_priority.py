# SPDX-License-Identifier: MIT
"""cl_priority.py: makes queues with and without a priority hint, gives each a command, and prints what the driver says of them."""
import ctypes

cl = ctypes.CDLL("libOpenCL.so.1")
PROPERTIES, PRIORITY, ARRAY = 0x1093, 0x1096, 0x1098
lists = [[], [PRIORITY, 1], [PRIORITY, 2, PROPERTIES, 0], [PROPERTIES, 2, PRIORITY, 4], [PRIORITY, 3]]


def handle(name, *arguments):
    function = getattr(cl, name)
    function.restype = ctypes.c_void_p
    return ctypes.c_void_p(function(*arguments))


platform, device, error = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int()
cl.clGetPlatformIDs(1, ctypes.byref(platform), None)
cl.clGetDeviceIDs(platform, ctypes.c_ulong(0xFFFFFFFF), 1, ctypes.byref(device), None)
context = handle("clCreateContext", None, 1, ctypes.byref(device), None, None, None)
memory = handle("clCreateBuffer", context, ctypes.c_ulong(1), ctypes.c_size_t(64), None, None)
for given in lists:
    words = (ctypes.c_uint64 * (len(given) + 1))(*given)
    queue = handle("clCreateCommandQueueWithProperties", context, device, words if given else None, ctypes.byref(error))
    size, told = ctypes.c_size_t(), (ctypes.c_uint64 * 16)()
    asked = cl.clGetCommandQueueInfo(queue, ARRAY, ctypes.c_size_t(ctypes.sizeof(told)), told, ctypes.byref(size))
    filled = cl.clEnqueueFillBuffer(queue, memory, ctypes.byref(ctypes.c_uint(1)), ctypes.c_size_t(4), ctypes.c_size_t(0), ctypes.c_size_t(64), 0, None, None)
    print(error.value, asked, size.value, list(told[: size.value // 8]), filled, cl.clFinish(queue))
