# SPDX-License-Identifier: MIT
"""cl_command_buffer.py [ROUNDS]: records a kernel, a copy and a fill in a command buffer (cl_khr_command_buffer), executes it ROUNDS times (3), prints what
came of it, what the driver says of the buffer, and each execution's times. Exit code 77: the driver has no such buffers."""
import ctypes
import sys

cl = ctypes.CDLL("libOpenCL.so.1")
rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
WORDS = 1024
SOURCE = b"kernel void add(global uint *words) { words[get_global_id(0)] += 1; }"
pointer, word, size = ctypes.c_void_p, ctypes.c_uint, ctypes.c_size_t
sizes = size * 1


def handle(function, *arguments):
    function.restype = ctypes.c_void_p
    return pointer(function(*arguments))


def extension(name, *types):
    """The driver's function, called with so many arguments of these types."""
    get = cl.clGetExtensionFunctionAddressForPlatform
    get.restype = ctypes.c_void_p
    found = get(platform, name.encode())
    if not found:
        print("no " + name)
        sys.exit(77)
    return ctypes.CFUNCTYPE(*types)(found)


def counter(event, what):
    value = ctypes.c_uint64()
    assert cl.clGetEventProfilingInfo(event, what, size(8), ctypes.byref(value), None) == 0
    return value.value


platform, device, error = pointer(), pointer(), ctypes.c_int()
cl.clGetPlatformIDs(1, ctypes.byref(platform), None)
cl.clGetDeviceIDs(platform, ctypes.c_ulong(0xFFFFFFFF), 1, ctypes.byref(device), None)
# A driver may give the functions out and not say that the device has the extension.
extensions = ctypes.create_string_buffer(65536)
cl.clGetDeviceInfo(device, 0x1030, size(len(extensions)), extensions, None)
if b"cl_khr_command_buffer" not in extensions.value.split():
    print("the device has no cl_khr_command_buffer")
    sys.exit(77)
context = handle(cl.clCreateContext, None, 1, ctypes.byref(device), None, None, None)
queue = handle(cl.clCreateCommandQueue, context, device, ctypes.c_ulong(2), ctypes.byref(error))
words = [handle(cl.clCreateBuffer, context, ctypes.c_ulong(1), size(4 * WORDS), None, None) for _ in range(2)]
text = ctypes.c_char_p(SOURCE)
program = handle(cl.clCreateProgramWithSource, context, 1, ctypes.byref(text), None, None)
print("build", cl.clBuildProgram(program, 0, None, b"", None, None))
kernel = handle(cl.clCreateKernel, program, b"add", None)
cl.clSetKernelArg(kernel, 0, size(8), ctypes.byref(words[0]))
zero = word(0)
cl.clEnqueueFillBuffer(queue, words[0], ctypes.byref(zero), size(4), size(0), size(4 * WORDS), 0, None, None)
cl.clFinish(queue)

create = extension("clCreateCommandBufferKHR", pointer, word, pointer, pointer, pointer)
finalize = extension("clFinalizeCommandBufferKHR", ctypes.c_int, pointer)
release = extension("clReleaseCommandBufferKHR", ctypes.c_int, pointer)
enqueue = extension("clEnqueueCommandBufferKHR", ctypes.c_int, word, pointer, pointer, word, pointer, pointer)
info = extension("clGetCommandBufferInfoKHR", ctypes.c_int, pointer, word, size, pointer, pointer)
add_kernel = extension("clCommandNDRangeKernelKHR", ctypes.c_int, pointer, pointer, pointer, pointer, word, pointer, pointer, pointer, word, pointer,
                       pointer, pointer)
# From version 0.9.5 on a copy has properties, too.
versions = (ctypes.c_char * 68 * 256)()
cl.clGetDeviceInfo(device, 0x1060, size(ctypes.sizeof(versions)), versions, None)
version = next((int.from_bytes(entry.raw[:4], "little") for entry in versions if entry.raw[4:].startswith(b"cl_khr_command_buffer\0")), 0)
properties = (None,) if version >= 9 << 12 | 5 else ()
add_copy = extension("clCommandCopyBufferKHR", ctypes.c_int, pointer, pointer, *[pointer] * len(properties), pointer, pointer, size, size, size, word, pointer,
                     pointer, pointer)

queues = (pointer * 1)(queue)
commands = pointer(create(1, queues, None, ctypes.byref(error)))
print("create", error.value)
point = word()
print("kernel", add_kernel(commands, None, None, kernel, 1, None, sizes(WORDS), sizes(64), 0, None, ctypes.byref(point), None))
print("copy", add_copy(commands, None, *properties, words[0], words[1], 0, 0, 4 * WORDS, 1, ctypes.byref(point), None, None))
print("finalize", finalize(commands))
state, told = word(), size()
print("info", info(commands, 0x1297, 4, ctypes.byref(state), ctypes.byref(told)), told.value, state.value)
events = []
for _ in range(rounds):
    event = pointer()
    print("execute", enqueue(0, None, commands, 0, None, ctypes.byref(event)), cl.clWaitForEvents(1, ctypes.byref(event)))
    times = [counter(event, what) for what in (0x1280, 0x1281, 0x1282, 0x1283)]
    print("TIMES command buffer", *times)
    kind = word()
    cl.clGetEventInfo(event, 0x11D1, size(4), ctypes.byref(kind), None)
    print("kind", hex(kind.value))
    events.append(event)
result = (ctypes.c_uint * WORDS)()
print("read", cl.clEnqueueReadBuffer(queue, words[1], 1, size(0), size(4 * WORDS), result, 0, None, None), set(result))
for event in events:
    cl.clReleaseEvent(event)
print("release", release(commands))
print("commands", rounds + 2)
