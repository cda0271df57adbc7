# SPDX-License-Identifier: MIT
"""clesperanto_program.py: blurs an image on OpenCL with pyclesperanto, and counts the spots in it."""
import numpy
import pyclesperanto as cle

cle.select_device()
image = numpy.random.RandomState(0).rand(64, 64).astype(numpy.float32)
blurred = cle.gaussian_blur(cle.push(image), sigma_x=2, sigma_y=2)
spots = cle.connected_components_labeling(cle.threshold_otsu(blurred))
print(float(cle.pull(blurred).sum()), float(cle.pull(spots).max()))
