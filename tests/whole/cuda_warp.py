# SPDX-License-Identifier: MIT
"""cuda_warp.py: NVIDIA's Warp looks for CUDA's devices."""
import warp

warp.init()
print(warp.get_cuda_device_count(), [str(device) for device in warp.get_devices()])
