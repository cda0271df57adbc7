# SPDX-License-Identifier: MIT
"""opencv_program.py: OpenCV's filters and transforms on its OpenCL device (cv2.UMat). Prints what the results add up to."""

import cv2
import numpy

cv2.ocl.setUseOpenCL(True)
print(cv2.ocl.useOpenCL(), cv2.ocl.Device_getDefault().name())
picture = numpy.random.RandomState(3).randint(0, 256, (240, 320, 3), dtype=numpy.uint8)
colours = cv2.UMat(picture)
grey = cv2.cvtColor(colours, cv2.COLOR_BGR2GRAY)


def tell(name, result):
	values = numpy.asarray(result.get() if isinstance(result, cv2.UMat) else result)
	print(name, values.shape, values.dtype, values.astype(numpy.float64).sum().round(3))


tell("grey", grey)
tell("blurred", cv2.GaussianBlur(grey, (7, 7), 2))
tell("edges", cv2.Canny(grey, 50, 150))
tell("smaller", cv2.resize(colours, (100, 90), interpolation=cv2.INTER_LINEAR))
tell("matched", cv2.matchTemplate(grey, cv2.UMat(grey.get()[20:40, 30:60]), cv2.TM_CCOEFF_NORMED).get().argmax())
cv2.ocl.finish()
