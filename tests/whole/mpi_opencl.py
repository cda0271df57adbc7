# SPDX-License-Identifier: MIT
"""mpi_opencl.py: each rank squares its part of a vector by OpenCL, and MPI adds up the parts."""
import numpy
import pyopencl as cl
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()
context = cl.Context(cl.get_platforms()[0].get_devices())
queue = cl.CommandQueue(context)
part = numpy.arange(rank, 4096, size, dtype=numpy.int64)
buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=part)
program = cl.Program(context, "kernel void square(global long *x) { x[get_global_id(0)] *= x[get_global_id(0)]; }").build()
kernel = program.square
kernel(queue, part.shape, None, buffer)
cl.enqueue_copy(queue, part, buffer)
total = world.allreduce(int(part.sum()))
parts = world.gather(int(part.sum()))
if rank == 0:
    print(total, parts)
