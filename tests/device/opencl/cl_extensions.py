# SPDX-License-Identifier: MIT
"""cl_extensions.py: commands of cl_intel_unified_shared_memory, cl_khr_semaphore and cl_khr_external_memory, on two queues. Prints what the driver says of
them, what is in the memory at the end, and how many commands there were."""
import ctypes
import time

cl = ctypes.CDLL("libOpenCL.so.1")
pointer, word, size, bits = ctypes.c_void_p, ctypes.c_uint, ctypes.c_size_t, ctypes.c_uint64
SIZE = 4096
PROFILING, SEMAPHORE_TYPE, BINARY = 2, 0x203D, 1
commands = 0


def handle(name, *arguments):
    function = getattr(cl, name)
    function.restype = pointer
    return pointer(function(*arguments))


def extension(name, result, *types):
    """The driver's function."""
    get = cl.clGetExtensionFunctionAddressForPlatform
    get.restype = pointer
    return ctypes.CFUNCTYPE(result, *types)(get(platform, name.encode()))


def enqueue(name, *types):
    """The driver's function that enqueues: it is called with its own arguments, then waits for `after`, and its event is the result."""
    function = extension(name, ctypes.c_int, pointer, *types, word, pointer, pointer)

    def call(queue, *arguments, after=()):
        global commands
        event = pointer()
        waits = (pointer * len(after))(*after) if after else None
        print(name, function(queue, *arguments, len(after), waits, ctypes.byref(event)))
        commands += 1
        return event
    return call


platform, device, error = pointer(), pointer(), ctypes.c_int()
cl.clGetPlatformIDs(1, ctypes.byref(platform), None)
cl.clGetDeviceIDs(platform, bits(0xFFFFFFFF), 1, ctypes.byref(device), None)
context = handle("clCreateContext", None, 1, ctypes.byref(device), None, None, None)
first, second = (handle("clCreateCommandQueue", context, device, bits(PROFILING), None) for _ in range(2))
# No queue is made of these, and the driver is asked only once.
print("no queue", bool(handle("clCreateCommandQueue", context, None, bits(0), ctypes.byref(error))), error.value)

# Memory that is shared by pointers.
kinds = [extension("clHostMemAllocINTEL", pointer, pointer, pointer, size, word, pointer)(context, None, SIZE, 0, None)]
for name in "clDeviceMemAllocINTEL", "clSharedMemAllocINTEL":
    kinds.append(extension(name, pointer, pointer, pointer, pointer, size, word, pointer)(context, device, None, SIZE, 0, None))
host, local, shared = kinds
fill = enqueue("clEnqueueMemFillINTEL", pointer, pointer, size, size)
copy = enqueue("clEnqueueMemcpyINTEL", word, pointer, pointer, size)
migrate = enqueue("clEnqueueMigrateMemINTEL", pointer, size, bits)
advise = enqueue("clEnqueueMemAdviseINTEL", pointer, size, word)
filled = fill(first, local, ctypes.byref(word(0x07070707)), 4, SIZE)
copied = copy(second, 0, shared, local, SIZE, after=[filled])
migrate(second, shared, 512, 0, after=[copied])
advise(second, shared, 256, 0)
cl.clFinish(second)
copy(first, 1, host, shared, 1024)
print("bytes", ctypes.string_at(host, 1024) == b"\7" * 1024)

# One queue waits for the other's signal, and the signal for an event of the program's.
binary = (bits * 3)(SEMAPHORE_TYPE, BINARY, 0)
create = extension("clCreateSemaphoreWithPropertiesKHR", pointer, pointer, pointer, pointer)
semaphores = (pointer * 2)(create(context, binary, None), create(context, binary, None))
wait = enqueue("clEnqueueWaitSemaphoresKHR", word, pointer, pointer)
signal = enqueue("clEnqueueSignalSemaphoresKHR", word, pointer, pointer)
gate = handle("clCreateUserEvent", context, None)
waited = wait(first, 2, semaphores, None)
signal(second, 2, semaphores, None, after=[gate])
time.sleep(0.05)
cl.clSetUserEventStatus(gate, 0)
print("wait", cl.clWaitForEvents(1, ctypes.byref(waited)))

# Memory of another API's.
buffers = (pointer * 2)(*(handle("clCreateBuffer", context, bits(1), size(SIZE), None, None) for _ in range(2)))
acquire = enqueue("clEnqueueAcquireExternalMemObjectsKHR", word, pointer)
release = enqueue("clEnqueueReleaseExternalMemObjectsKHR", word, pointer)
acquire(first, 2, buffers)
release(first, 1, buffers)
print("finish", cl.clFinish(first), cl.clFinish(second))
for buffer in buffers:
    cl.clReleaseMemObject(pointer(buffer))
for memory in kinds:
    print("free", extension("clMemFreeINTEL", ctypes.c_int, pointer, pointer)(context, memory))
print("commands", commands)
