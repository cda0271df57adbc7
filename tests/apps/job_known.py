# SPDX-License-Identifier: MIT
# job_known.py: each of 8 ranks does what gives the tables of its job known answers. In each of 15 steps rank R copies 4096 * (R + 1) bytes to its OpenCL device,
# sleeps, and adds up with the others: rank 5 sleeps for 200 ms, rank 6 not at all, the others for 100 ms. Only ranks from 4 on run kernels, one more before the
# first step. Rank 3 makes one call that fails.
import time
import numpy
import pyopencl as cl
from mpi4py import MPI

world = MPI.COMM_WORLD
rank = world.Get_rank()
context = cl.Context(cl.get_platforms()[0].get_devices())
queue = cl.CommandQueue(context)
line = numpy.zeros(1024 * (rank + 1), dtype=numpy.float32)
target = cl.Buffer(context, cl.mem_flags.READ_WRITE, line.nbytes)
spin = cl.Program(context, """
kernel void spin(global float *to)
{
	float sum = to[get_global_id(0)];
	for (int i = 0; i < 2000; i++)
		sum = sum * 0.5f + i;
	to[get_global_id(0)] = sum;
}""").build().spin
if rank == 3:
    try:
        cl.Buffer(context, cl.mem_flags.READ_WRITE, 0)
    except cl.Error:
        pass

# PoCL compiles a kernel when it first runs, which takes as long as the machine is busy.
if rank >= 4:
    spin(queue, (1024,), None, target).wait()
world.Barrier()
for step in range(15):
    cl.enqueue_copy(queue, target, line)
    if rank >= 4:
        spin(queue, (1024,), None, target).wait()
    time.sleep({5: 0.2, 6: 0}.get(rank, 0.1))
    world.Allreduce(MPI.IN_PLACE, numpy.zeros(1))
world.Barrier()
