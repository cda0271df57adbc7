# SPDX-License-Identifier: MIT
"""cuda_numba.py: an array of Numba (PyPI) goes to the device and comes back."""

import numpy
from numba import cuda

a = numpy.arange(256, dtype=numpy.int32)
print(cuda.gpus)
d = cuda.to_device(a)
print(d.copy_to_host().sum())
