# SPDX-License-Identifier: MIT
# whole.sh: whole programs, with and without tracelayer. A part of bench/bench.

section "Whole programs on PoCL, recording to a file, with ÷ without; $whole_pairs pairs or more"
if command -v clpeak >/dev/null; then
	whole_row "clpeak --kernel-latency, 100,000 calls" clpeak --kernel-latency
else
	note "clpeak is not here: apt-get install clpeak pocl-opencl-icd"
fi
# Debian's own, where another comes first.
python=/usr/bin/python3
test -x $python || python=python3
if $python -c 'import pyopencl' 2>/dev/null; then
	cat >"$work/whole.py" <<'END'
import numpy, pyopencl as cl
context = cl.Context(cl.get_platforms()[0].get_devices())
queue = cl.CommandQueue(context)
a = numpy.random.rand(1 << 20).astype(numpy.float32)
flags = cl.mem_flags
x = cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=a)
program = cl.Program(context, "kernel void f(global float *x) { x[get_global_id(0)] *= 1.5f; }").build()
kernel = program.f
for _ in range(300):
    kernel(queue, a.shape, None, x)
cl.enqueue_copy(queue, a, x)
queue.finish()
END
	whole_row "a pyopencl script, 300 kernels" $python "$work/whole.py"
else
	note "pyopencl is not here: apt-get install python3-pyopencl pocl-opencl-icd"
fi
