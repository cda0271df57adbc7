# SPDX-License-Identifier: MIT
"""lightgbm_program.py: trains a small model on OpenCL with LightGBM, and prints what it predicts."""
import lightgbm
import numpy

random = numpy.random.RandomState(0)
x = random.rand(3000, 10)
y = (x[:, 0] + x[:, 1] > 1).astype(int)
settings = {"objective": "binary", "device": "gpu", "gpu_use_dp": True, "deterministic": True, "num_threads": 1, "num_leaves": 15, "verbose": -1}
model = lightgbm.train(settings, lightgbm.Dataset(x, y), 5)
print(model.predict(x[:5]).round(6).tolist())
