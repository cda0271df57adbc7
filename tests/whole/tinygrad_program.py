# SPDX-License-Identifier: MIT
"""tinygrad_program.py: a matrix product and a regression in tinygrad, on the device that DEV names."""
from tinygrad import Device, Tensor

print(Device.DEFAULT)
Tensor.manual_seed(1)
a = Tensor.arange(64 * 64).reshape(64, 64).float() / 100
print(a.matmul(a.T).relu().sum(axis=1).tolist()[:5])
x = Tensor.rand(32, 8).realize()
y = x.sum(axis=1, keepdim=True).realize()
weights = Tensor.zeros(8, 1).contiguous().realize()
for step in range(10):
    error = x.matmul(weights) - y
    weights = (weights - x.T.matmul(error) * 0.01).realize()
    print(step, (error * error).mean().item())
