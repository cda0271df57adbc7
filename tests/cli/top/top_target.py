# SPDX-License-Identifier: MIT
"""
top_target.py: makes calls of OpenCL that a test knows the number of. After each step it prints a line and
waits for one: one call; 4,000 calls, of which 400 fail; 200 commands on
a device's queue; then it waits in clWaitForEvents until that line comes.
"""
import ctypes
import sys
import threading
import time

cl = ctypes.CDLL("libOpenCL.so.1")
count = ctypes.c_uint()


def step(name):
    print(name, flush=True)
    sys.stdin.readline()


def handle(function, *arguments):
    function.restype = ctypes.c_void_p
    return ctypes.c_void_p(function(*arguments))


platform, device = ctypes.c_void_p(), ctypes.c_void_p()
cl.clGetPlatformIDs(1, ctypes.byref(platform), None)
step("begun")
for i in range(400):
    for _ in range(9):
        cl.clGetPlatformIDs(0, None, ctypes.byref(count))
    cl.clGetPlatformInfo(platform, 0xDEAD, ctypes.c_size_t(0), None, None)  # CL_INVALID_VALUE
    time.sleep(0.001)
step("called")
cl.clGetDeviceIDs(platform, ctypes.c_ulong(0xFFFFFFFF), 1, ctypes.byref(device), None)
context = handle(cl.clCreateContext, None, 1, ctypes.byref(device), None, None, None)
queue = handle(cl.clCreateCommandQueue, context, device, ctypes.c_ulong(0), None)
memory = handle(cl.clCreateBuffer, context, ctypes.c_ulong(1), ctypes.c_size_t(1 << 20), None, None)
for i in range(200):
    cl.clEnqueueFillBuffer(queue, memory, ctypes.byref(count), ctypes.c_size_t(4), ctypes.c_size_t(0), ctypes.c_size_t(1 << 20), 0, None, None)
    cl.clFinish(queue)
    time.sleep(0.001)
step("filled")
event = handle(cl.clCreateUserEvent, context, None)
waiter = threading.Thread(target=lambda: cl.clWaitForEvents(1, ctypes.byref(event)))
waiter.start()
step("waits")
cl.clSetUserEventStatus(event, 0)
waiter.join()
step("over")
