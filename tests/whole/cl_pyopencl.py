# SPDX-License-Identifier: MIT
"""cl_pyopencl.py: a script as a user of PyOpenCL writes one. Prints its results."""

import threading

import numpy
import pyopencl as cl
import pyopencl.array
import pyopencl.reduction

SOURCE = """
__kernel void saxpy(float a, __global const float *x, __global float *y)
{
	size_t i = get_global_id(0);
	y[i] = a * x[i] + y[i];
}
__kernel void double_in_place(__global int *n, __local int *scratch)
{
	size_t i = get_local_id(0);
	scratch[i] = n[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	n[get_global_id(0)] = scratch[i] * 2;
}
"""

context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
program = cl.Program(context, SOURCE).build(options=["-cl-mad-enable"])
print([kernel.function_name for kernel in program.all_kernels()])

x = numpy.arange(4096, dtype=numpy.float32)
y = numpy.ones_like(x)
flags = cl.mem_flags
x_memory = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=x)
y_memory = cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=y)

came = threading.Event()
event = program.saxpy(queue, x.shape, None, numpy.float32(3), x_memory, y_memory)
event.set_callback(cl.command_execution_status.COMPLETE, lambda status: came.set())
event.wait()
print("callback came:", came.wait(10), "time moves on:", event.profile.end >= event.profile.start)
result = numpy.empty_like(y)
cl.enqueue_copy(queue, result, y_memory)
print("saxpy right:", bool((result == 3 * x + 1).all()))

numbers = cl.array.to_device(queue, numpy.arange(1024, dtype=numpy.int32))
program.double_in_place(queue, numbers.shape, (64,), numbers.data, cl.LocalMemory(64 * 4))
print("sum:", int(cl.array.sum(numbers).get()), "dot:", int(cl.array.dot(numbers, numbers).get()))

try:
	cl.Program(context, "__kernel void broken( {").build()
except cl.RuntimeError as error:
	print("a broken program:", error.code, error.routine)
try:
	program.saxpy.set_arg(17, x_memory)
except cl.Error as error:
	print("a wrong argument:", error.code, error.routine)
