# SPDX-License-Identifier: MIT
"""cl_two_queues.py: PyOpenCL with two queues, one of which is out of order. Prints its results, and how many commands it enqueued."""

import numpy
import pyopencl as cl

SOURCE = """
__kernel void scale(float a, __global float *x)
{
	x[get_global_id(0)] *= a;
}
__kernel void add(__global const float *x, __global float *y)
{
	y[get_global_id(0)] += x[get_global_id(0)];
}
"""
ITEMS = 65536

context = cl.create_some_context(interactive=False)
properties = cl.command_queue_properties
ordered = cl.CommandQueue(context)
unordered = cl.CommandQueue(context, properties=properties.OUT_OF_ORDER_EXEC_MODE_ENABLE | properties.PROFILING_ENABLE)
program = cl.Program(context, SOURCE).build()
scale, add = cl.Kernel(program, "scale"), cl.Kernel(program, "add")
host = numpy.ones(ITEMS, dtype=numpy.float32)
buffers = [cl.Buffer(context, cl.mem_flags.READ_WRITE, host.nbytes) for _ in range(4)]
commands = 0

for turn in range(10):
	written = [cl.enqueue_copy(unordered, buffer, host, is_blocking=False) for buffer in buffers]
	scaled = [scale(unordered, (ITEMS,), (64,), numpy.float32(turn), buffer, wait_for=[event])
		  for buffer, event in zip(buffers, written)]
	barrier = cl.enqueue_barrier(unordered, wait_for=scaled)
	sums = [add(ordered, (ITEMS,), None, buffer, buffers[0], wait_for=[barrier]) for buffer in buffers[1:]]
	copied = cl.enqueue_copy(ordered, buffers[1], buffers[0], wait_for=sums)
	marker = cl.enqueue_marker(unordered, wait_for=[copied])
	filled = cl.enqueue_fill_buffer(unordered, buffers[2], numpy.float32(1), 0, host.nbytes, wait_for=[marker])
	back = numpy.empty_like(host)
	cl.enqueue_copy(ordered, back, buffers[1], wait_for=[marker])
	cl.wait_for_events([filled])
	commands += len(written) + len(scaled) + len(sums) + 5
	print("turn", turn, float(back.min()), float(back.max()))

times = [(event.profile.queued, event.profile.submit, event.profile.start, event.profile.end) for event in written + scaled]
for name, time in zip(["write buffer"] * 4 + ["scale"] * 4, times):
	print("TIMES", name, *time)
print("the ordered queue's properties:", int(ordered.properties))
try:
	print(sums[0].profile.start)
except cl.Error as error:
	print("its commands' times:", error.code)
ordered.finish()
unordered.finish()
print("commands", commands)
