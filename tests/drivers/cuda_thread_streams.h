/* SPDX-License-Identifier: MIT */
/*
 * cuda_thread_streams.h: functions of cuda_driver.c in their form for a default stream per thread:
 * by their names (_ptds, _ptsz), and by cuGetProcAddress's flag. They do what the plain ones do, on
 * the thread's own default stream where no stream is given, and are counted under the plain name.
 */
#define FORM(name, suffix, parameters, arguments)                                                  \
	CU name##suffix parameters                                                                 \
	{                                                                                          \
		engine_thread_form = true;                                                         \
		result error = name arguments;                                                     \
		engine_thread_form = false;                                                        \
		return error;                                                                      \
	}

#define THREAD_FORMS(X)                                                                            \
	X(cuMemcpyHtoD_v2, _ptds, (pointer to, const void *from, size_t size), (to, from, size))   \
	X(cuMemcpyDtoH_v2, _ptds, (void *to, pointer from, size_t size), (to, from, size))         \
	X(cuMemcpyDtoD_v2, _ptds, (pointer to, pointer from, size_t size), (to, from, size))       \
	X(cuMemcpy, _ptds, (pointer to, pointer from, size_t size), (to, from, size))              \
	X(cuMemcpy2D_v2, _ptds, (const struct plane *plane), (plane))                              \
	X(cuMemsetD32_v2, _ptds, (pointer to, unsigned value, size_t count), (to, value, count))   \
	X(cuMemcpyAsync, _ptsz, (pointer to, pointer from, size_t size, void *stream),             \
	  (to, from, size, stream))                                                                \
	X(cuMemcpyHtoDAsync_v2, _ptsz, (pointer to, const void *from, size_t size, void *stream),  \
	  (to, from, size, stream))                                                                \
	X(cuMemcpyDtoHAsync_v2, _ptsz, (void *to, pointer from, size_t size, void *stream),        \
	  (to, from, size, stream))                                                                \
	X(cuMemcpyDtoDAsync_v2, _ptsz, (pointer to, pointer from, size_t size, void *stream),      \
	  (to, from, size, stream))                                                                \
	X(cuMemcpy2DAsync_v2, _ptsz, (const struct plane *plane, void *stream), (plane, stream))   \
	X(cuMemsetD8Async, _ptsz, (pointer to, unsigned char value, size_t count, void *stream),   \
	  (to, value, count, stream))                                                              \
	X(cuMemsetD32Async, _ptsz, (pointer to, unsigned value, size_t count, void *stream),       \
	  (to, value, count, stream))                                                              \
	X(cuMemPrefetchAsync, _ptsz, (pointer memory, size_t size, int device, void *stream),      \
	  (memory, size, device, stream))                                                          \
	X(cuMemAllocAsync, _ptsz, (pointer * memory, size_t size, void *stream),                   \
	  (memory, size, stream))                                                                  \
	X(cuMemAllocFromPoolAsync, _ptsz,                                                          \
	  (pointer * memory, size_t size, void *pool, void *stream), (memory, size, pool, stream)) \
	X(cuMemFreeAsync, _ptsz, (pointer memory, void *stream), (memory, stream))                 \
	X(cuLaunchKernel, _ptsz,                                                                   \
	  (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,    \
	   unsigned block_y, unsigned block_z, unsigned shared, void *stream, void **parameters,   \
	   void **extra),                                                                          \
	  (function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream,            \
	   parameters, extra))                                                                     \
	X(cuLaunchKernelEx, _ptsz,                                                                 \
	  (const struct config *config, void *function, void **parameters, void **extra),          \
	  (config, function, parameters, extra))                                                   \
	X(cuLaunchHostFunc, _ptsz, (void *stream, void (*function)(void *), void *data),           \
	  (stream, function, data))                                                                \
	X(cuGraphLaunch, _ptsz, (void *exec, void *stream), (exec, stream))                        \
	X(cuStreamBeginCapture_v2, _ptsz, (void *stream, int mode), (stream, mode))                \
	X(cuStreamEndCapture, _ptsz, (void *stream, void **graph), (stream, graph))                \
	X(cuStreamIsCapturing, _ptsz, (void *stream, int *status), (stream, status))               \
	X(cuStreamGetCtx, _ptsz, (void *stream, void **context), (stream, context))                \
	X(cuStreamSynchronize, _ptsz, (void *stream), (stream))                                    \
	X(cuStreamQuery, _ptsz, (void *stream), (stream))                                          \
	X(cuStreamWaitEvent, _ptsz, (void *stream, void *event, unsigned flags),                   \
	  (stream, event, flags))                                                                  \
	X(cuEventRecord, _ptsz, (void *event, void *stream), (event, stream))

THREAD_FORMS(FORM)

/* The form that cuGetProcAddress's flag asks for; a function without one is its own. */
static void (*thread_form(void (*plain)(void)))(void)
{
#define BOTH(name, suffix, parameters, arguments)                                                  \
	{(void (*)(void))name, (void (*)(void))name##suffix},
	static const struct {
		void (*plain)(void), (*form)(void);
	} forms[] = {THREAD_FORMS(BOTH)};

	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		if (forms[i].plain == plain)
			return forms[i].form;
	return plain;
}
