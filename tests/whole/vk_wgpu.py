# SPDX-License-Identifier: MIT
"""vk_wgpu.py: WebGPU (wgpu-native, in Rust) on Vulkan: three compute programs."""
import array

import wgpu
from wgpu.utils.compute import compute_with_buffers

SOURCE = """
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read_write> b: array<i32>;
@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) i: vec3<u32>) { b[i.x] = a[i.x] * 3 + 1; }
"""
print(sorted(adapter.info["device"].split(" ")[0] for adapter in wgpu.gpu.enumerate_adapters_sync() if adapter.info["backend_type"] == "Vulkan"))
for count in 16, 100, 1000:
    out = compute_with_buffers({0: array.array("i", range(count))}, {1: count * 4}, SOURCE, n=count)
    print(count, sum(memoryview(out[1]).cast("B").cast("i")))
