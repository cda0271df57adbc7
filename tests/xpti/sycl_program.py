# SPDX-License-Identifier: MIT
"""sycl_program.py: SYCL by dpctl and dpnp: memory of all kinds, queues in and out of order, a matrix product, reductions, and a few hundred small tasks."""
import dpctl
import dpctl.memory
import dpnp

device = dpctl.select_default_device()
queues = [dpctl.SyclQueue(device), dpctl.SyclQueue(device, property="in_order")]
print([queue.is_in_order for queue in queues])

for kind in dpctl.memory.MemoryUSMDevice, dpctl.memory.MemoryUSMShared, dpctl.memory.MemoryUSMHost:
    memory = kind(1024, queue=queues[0])
    memory.copy_from_host(bytes(i % 251 for i in range(1024)))
    print(kind.__name__, int(memory.copy_to_host().sum(dtype="int64")))

a = dpnp.arange(128 * 128, dtype="float32", sycl_queue=queues[0]).reshape(128, 128) % 7
b = dpnp.matmul(a, a.T)
print(float(b.sum()), float(b.max()), float(b[3, 5]), dpnp.sort(b[0])[:3])

for number, queue in enumerate(queues):
    total = dpnp.zeros(64, dtype="int32", sycl_queue=queue)
    for task in range(100):
        total += task
    queue.wait()
    print(number, int(total.sum()))
