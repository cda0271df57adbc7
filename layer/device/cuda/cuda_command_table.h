/* SPDX-License-Identifier: MIT */
/*
 * cuda_command_table.h: every function that puts a command on a stream.
 *
 *	X(function, twin, kind, name, stream, bytes, at, unit)
 *
 * twin: the ending of the function's name for a default stream per thread. kind: TL_DEVICE_….
 * name: the slice's; a kernel has its own. stream: the parameter with the stream, counted from 0;
 * -1: the command is on the default stream. bytes, at, unit: enum tl_cuda_bytes.
 *
 * The first functions of some names have 32 bits for an address. No driver of a 64-bit machine runs
 * them, so they are left out.
 */
#ifndef TL_LAYER_DEVICE_CUDA_CUDA_COMMAND_TABLE_H
#define TL_LAYER_DEVICE_CUDA_CUDA_COMMAND_TABLE_H

enum tl_cuda_bytes {
	TL_CUDA_NO_BYTES,
	TL_CUDA_GRID,	/* none: a kernel, with its function first and its sizes after that */
	TL_CUDA_CONFIG, /* none: a kernel, with a CUlaunchConfig first, which also has the stream */
	TL_CUDA_SIZE,	/* parameter `at`, times `unit` */
	TL_CUDA_AREA,	/* parameters `at` and the next one, times `unit` */
	TL_CUDA_PLANE,	/* a CUDA_MEMCPY2D */
	TL_CUDA_VOLUME, /* a CUDA_MEMCPY3D or CUDA_MEMCPY3D_PEER */
	TL_CUDA_BATCH,	/* an array of sizes, and their number */
};

#define TL_CUDA_COMMANDS(X)                                                                        \
	X(cuLaunchKernel, _ptsz, KERNEL, NULL, 8, GRID, 0, 0)                                      \
	X(cuLaunchCooperativeKernel, _ptsz, KERNEL, NULL, 8, GRID, 0, 0)                           \
	X(cuLaunchKernelEx, _ptsz, KERNEL, NULL, -1, CONFIG, 0, 0)                                 \
                                                                                                   \
	X(cuMemcpy, _ptds, COPY, "memcpy", -1, SIZE, 2, 1)                                         \
	X(cuMemcpyPeer, _ptds, COPY, "memcpy peer", -1, SIZE, 4, 1)                                \
	X(cuMemcpyHtoD_v2, _ptds, WRITE, "memcpy HtoD", -1, SIZE, 2, 1)                            \
	X(cuMemcpyDtoH_v2, _ptds, READ, "memcpy DtoH", -1, SIZE, 2, 1)                             \
	X(cuMemcpyDtoD_v2, _ptds, COPY, "memcpy DtoD", -1, SIZE, 2, 1)                             \
	X(cuMemcpyDtoA_v2, _ptds, COPY, "memcpy DtoA", -1, SIZE, 3, 1)                             \
	X(cuMemcpyAtoD_v2, _ptds, COPY, "memcpy AtoD", -1, SIZE, 3, 1)                             \
	X(cuMemcpyHtoA_v2, _ptds, WRITE, "memcpy HtoA", -1, SIZE, 3, 1)                            \
	X(cuMemcpyAtoH_v2, _ptds, READ, "memcpy AtoH", -1, SIZE, 3, 1)                             \
	X(cuMemcpyAtoA_v2, _ptds, COPY, "memcpy AtoA", -1, SIZE, 4, 1)                             \
	X(cuMemcpy2D_v2, _ptds, COPY, "memcpy 2D", -1, PLANE, 0, 0)                                \
	X(cuMemcpy2DUnaligned_v2, _ptds, COPY, "memcpy 2D", -1, PLANE, 0, 0)                       \
	X(cuMemcpy3D_v2, _ptds, COPY, "memcpy 3D", -1, VOLUME, 0, 0)                               \
	X(cuMemcpy3DPeer, _ptds, COPY, "memcpy 3D peer", -1, VOLUME, 0, 0)                         \
                                                                                                   \
	X(cuMemcpyAsync, _ptsz, COPY, "memcpy", 3, SIZE, 2, 1)                                     \
	X(cuMemcpyPeerAsync, _ptsz, COPY, "memcpy peer", 5, SIZE, 4, 1)                            \
	X(cuMemcpyHtoDAsync_v2, _ptsz, WRITE, "memcpy HtoD", 3, SIZE, 2, 1)                        \
	X(cuMemcpyDtoHAsync_v2, _ptsz, READ, "memcpy DtoH", 3, SIZE, 2, 1)                         \
	X(cuMemcpyDtoDAsync_v2, _ptsz, COPY, "memcpy DtoD", 3, SIZE, 2, 1)                         \
	X(cuMemcpyHtoAAsync_v2, _ptsz, WRITE, "memcpy HtoA", 4, SIZE, 3, 1)                        \
	X(cuMemcpyAtoHAsync_v2, _ptsz, READ, "memcpy AtoH", 4, SIZE, 3, 1)                         \
	X(cuMemcpy2DAsync_v2, _ptsz, COPY, "memcpy 2D", 1, PLANE, 0, 0)                            \
	X(cuMemcpy3DAsync_v2, _ptsz, COPY, "memcpy 3D", 1, VOLUME, 0, 0)                           \
	X(cuMemcpy3DPeerAsync, _ptsz, COPY, "memcpy 3D peer", 1, VOLUME, 0, 0)                     \
	X(cuMemcpyBatchAsync, _ptsz, COPY, "memcpy batch", 8, BATCH, 2, 0)                         \
	X(cuMemcpyBatchAsync_v2, _ptsz, COPY, "memcpy batch", 7, BATCH, 2, 0)                      \
	X(cuMemcpy3DBatchAsync, _ptsz, COPY, "memcpy 3D batch", 4, NO_BYTES, 0, 0)                 \
	X(cuMemcpy3DBatchAsync_v2, _ptsz, COPY, "memcpy 3D batch", 3, NO_BYTES, 0, 0)              \
	X(cuMemPrefetchAsync, _ptsz, MIGRATE, "prefetch", 3, SIZE, 1, 1)                           \
	X(cuMemPrefetchAsync_v2, _ptsz, MIGRATE, "prefetch", 4, SIZE, 1, 1)                        \
                                                                                                   \
	X(cuMemsetD8_v2, _ptds, FILL, "memset", -1, SIZE, 2, 1)                                    \
	X(cuMemsetD16_v2, _ptds, FILL, "memset", -1, SIZE, 2, 2)                                   \
	X(cuMemsetD32_v2, _ptds, FILL, "memset", -1, SIZE, 2, 4)                                   \
	X(cuMemsetD2D8_v2, _ptds, FILL, "memset 2D", -1, AREA, 3, 1)                               \
	X(cuMemsetD2D16_v2, _ptds, FILL, "memset 2D", -1, AREA, 3, 2)                              \
	X(cuMemsetD2D32_v2, _ptds, FILL, "memset 2D", -1, AREA, 3, 4)                              \
	X(cuMemsetD8Async, _ptsz, FILL, "memset", 3, SIZE, 2, 1)                                   \
	X(cuMemsetD16Async, _ptsz, FILL, "memset", 3, SIZE, 2, 2)                                  \
	X(cuMemsetD32Async, _ptsz, FILL, "memset", 3, SIZE, 2, 4)                                  \
	X(cuMemsetD2D8Async, _ptsz, FILL, "memset 2D", 5, AREA, 3, 1)                              \
	X(cuMemsetD2D16Async, _ptsz, FILL, "memset 2D", 5, AREA, 3, 2)                             \
	X(cuMemsetD2D32Async, _ptsz, FILL, "memset 2D", 5, AREA, 3, 4)                             \
                                                                                                   \
	X(cuGraphLaunch, _ptsz, OTHER, "graph", 1, NO_BYTES, 0, 0)                                 \
	X(cuLaunchHostFunc, _ptsz, OTHER, "host function", 0, NO_BYTES, 0, 0)                      \
	X(cuStreamAddCallback, _ptsz, OTHER, "host function", 0, NO_BYTES, 0, 0)

#endif
