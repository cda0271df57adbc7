# SPDX-License-Identifier: MIT
"""sycl_steps.py: SYCL by dpctl, one step after the other: each command is waited for, so that two runs notify of the same, in the same order."""
import ctypes

import dpctl
import dpctl.memory
import dpctl.program

SOURCE = """
kernel void scale(global int *values, int by) { values[get_global_id(0)] *= by; }
kernel void sum(global const int *values, global int *total, int count)
{ int at = 0; for (int i = 0; i < count; i++) at += values[i]; *total = at; }
"""

device = dpctl.select_default_device()
for properties in (), ("in_order",):
    queue = dpctl.SyclQueue(device, property=properties) if properties else dpctl.SyclQueue(device)
    program = dpctl.program.create_program_from_source(queue, SOURCE)
    scale, total = program.get_sycl_kernel("scale"), program.get_sycl_kernel("sum")
    for kind in dpctl.memory.MemoryUSMDevice, dpctl.memory.MemoryUSMShared, dpctl.memory.MemoryUSMHost:
        values, result = kind(64 * 4, queue=queue), kind(4, queue=queue)
        values.copy_from_host(b"".join(i.to_bytes(4, "little") for i in range(64)))
        for by in range(1, 4):
            queue.submit(scale, [values, ctypes.c_int(by)], [64]).wait()
        queue.submit(total, [values, result, ctypes.c_int(64)], [1]).wait()
        queue.memcpy(values, result, 4)
        queue.wait()
        print(properties, kind.__name__, int.from_bytes(result.copy_to_host().tobytes(), "little"))
try:
    dpctl.program.create_program_from_source(queue, "kernel void bad(")
except dpctl.program.SyclProgramCompilationError:
    print("a program that is wrong is refused")
