# SPDX-License-Identifier: MIT
# job_stencil.py [STEPS [SLOW-RANK]]: each rank of a job smooths its part of a line on its OpenCL device, and exchanges the edges with its neighbours. The slow
# rank has four times the work.
import sys
import numpy
import pyopencl as cl
from mpi4py import MPI

steps = int(sys.argv[1]) if len(sys.argv) > 1 else 20
slow = int(sys.argv[2]) if len(sys.argv) > 2 else -1
world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()
count = 1 << 14

context = cl.Context(cl.get_platforms()[0].get_devices())
queue = cl.CommandQueue(context)
program = cl.Program(context, """
kernel void smooth(global const float *from, global float *to, int rounds)
{
	int i = get_global_id(0), last = get_global_size(0) - 1;
	float sum = 0;
	for (int round = 0; round < rounds; round++)
		sum += (from[max(i - 1, 0)] + 2 * from[i] + from[min(i + 1, last)]) / 4;
	to[i] = sum / rounds;
}""").build()
smooth = program.smooth
line = numpy.full(count, rank, dtype=numpy.float32)
source = cl.Buffer(context, cl.mem_flags.READ_WRITE, line.nbytes)
target = cl.Buffer(context, cl.mem_flags.READ_WRITE, line.nbytes)

world.Barrier()
for step in range(steps):
    cl.enqueue_copy(queue, source, line)
    smooth(queue, line.shape, None, source, target, numpy.int32(400 if rank == slow else 100))
    cl.enqueue_copy(queue, line, target)
    left, right = (rank - 1) % size, (rank + 1) % size
    edge = numpy.empty(1, dtype=numpy.float32)
    world.Sendrecv(line[-1:], right, 7, edge, left, 7)
    line[0] = edge[0]
    world.Allreduce(MPI.IN_PLACE, numpy.array([line.sum()], dtype=numpy.float64))
world.Barrier()
