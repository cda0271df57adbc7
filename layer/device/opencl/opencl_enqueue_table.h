/* SPDX-License-Identifier: MIT */
/*
 * opencl_enqueue_table.h: every function that enqueues something.
 *
 * 	X(function, name, kind, bytes, peer, of)
 *
 * name: of the command's slice; a kernel has its own. kind: TL_DEVICE_…. bytes: where the number of
 * bytes comes from, enum tl_cl_bytes. peer: the other side of a copy. of: the parameter whose bytes
 * count, where enum tl_cl_bytes does not name it.
 */
#ifndef TL_LAYER_DEVICE_OPENCL_OPENCL_ENQUEUE_TABLE_H
#define TL_LAYER_DEVICE_OPENCL_OPENCL_ENQUEUE_TABLE_H

enum tl_cl_bytes {
	TL_CL_NO_BYTES,
	TL_CL_SIZE,	/* the parameter "size" */
	TL_CL_REGION,	/* what "region" spans, in bytes */
	TL_CL_PIXELS,	/* what "region" spans, in elements of the image `of` */
	TL_CL_OBJECTS,	/* the sizes of "mem_objects" */
	TL_CL_POINTERS, /* "sizes", or those of the allocations "svm_pointers" */
	TL_CL_MAPPING,	/* what was mapped at the pointer `of` */
};

#define TL_CL_COMMANDS(X)                                                                          \
	X(clEnqueueNDRangeKernel, NULL, KERNEL, NO_BYTES, NULL, NULL)                              \
	X(clEnqueueTask, NULL, KERNEL, NO_BYTES, NULL, NULL)                                       \
	X(clEnqueueNativeKernel, "native kernel", KERNEL, NO_BYTES, NULL, NULL)                    \
	X(clEnqueueCommandBufferKHR, "command buffer", OTHER, NO_BYTES, NULL, NULL)                \
                                                                                                   \
	X(clEnqueueReadBuffer, "read buffer", READ, SIZE, "host", NULL)                            \
	X(clEnqueueReadBufferRect, "read buffer", READ, REGION, "host", NULL)                      \
	X(clEnqueueWriteBuffer, "write buffer", WRITE, SIZE, "host", NULL)                         \
	X(clEnqueueWriteBufferRect, "write buffer", WRITE, REGION, "host", NULL)                   \
	X(clEnqueueCopyBuffer, "copy buffer", COPY, SIZE, NULL, NULL)                              \
	X(clEnqueueCopyBufferRect, "copy buffer", COPY, REGION, NULL, NULL)                        \
	X(clEnqueueFillBuffer, "fill buffer", FILL, SIZE, NULL, NULL)                              \
	X(clEnqueueMapBuffer, "map buffer", MAP, SIZE, "host", NULL)                               \
                                                                                                   \
	X(clEnqueueReadImage, "read image", READ, PIXELS, "host", "image")                         \
	X(clEnqueueWriteImage, "write image", WRITE, PIXELS, "host", "image")                      \
	X(clEnqueueCopyImage, "copy image", COPY, PIXELS, NULL, "src_image")                       \
	X(clEnqueueCopyImageToBuffer, "copy image to buffer", COPY, PIXELS, NULL, "src_image")     \
	X(clEnqueueCopyBufferToImage, "copy buffer to image", COPY, PIXELS, NULL, "dst_image")     \
	X(clEnqueueFillImage, "fill image", FILL, PIXELS, NULL, "image")                           \
	X(clEnqueueMapImage, "map image", MAP, PIXELS, "host", "image")                            \
	X(clEnqueueGenerateMipmapIMG, "generate mipmap", OTHER, NO_BYTES, NULL, NULL)              \
                                                                                                   \
	X(clEnqueueUnmapMemObject, "unmap", UNMAP, MAPPING, "host", "mapped_ptr")                  \
	X(clEnqueueMigrateMemObjects, "migrate", MIGRATE, OBJECTS, NULL, NULL)                     \
	X(clEnqueueMigrateMemObjectEXT, "migrate", MIGRATE, OBJECTS, NULL, NULL)                   \
                                                                                                   \
	X(clEnqueueSVMMemcpy, "SVM copy", COPY, SIZE, NULL, NULL)                                  \
	X(clEnqueueSVMMemFill, "SVM fill", FILL, SIZE, NULL, NULL)                                 \
	X(clEnqueueSVMMap, "SVM map", MAP, SIZE, "host", "svm_ptr")                                \
	X(clEnqueueSVMUnmap, "SVM unmap", UNMAP, MAPPING, "host", "svm_ptr")                       \
	X(clEnqueueSVMMigrateMem, "SVM migrate", MIGRATE, POINTERS, NULL, NULL)                    \
	X(clEnqueueSVMFree, "SVM free", OTHER, NO_BYTES, NULL, NULL)                               \
	X(clEnqueueSVMMemcpyARM, "SVM copy", COPY, SIZE, NULL, NULL)                               \
	X(clEnqueueSVMMemFillARM, "SVM fill", FILL, SIZE, NULL, NULL)                              \
	X(clEnqueueSVMMapARM, "SVM map", MAP, SIZE, "host", "svm_ptr")                             \
	X(clEnqueueSVMUnmapARM, "SVM unmap", UNMAP, MAPPING, "host", "svm_ptr")                    \
	X(clEnqueueSVMFreeARM, "SVM free", OTHER, NO_BYTES, NULL, NULL)                            \
                                                                                                   \
	X(clEnqueueMemcpyINTEL, "USM copy", COPY, SIZE, NULL, NULL)                                \
	X(clEnqueueMemFillINTEL, "USM fill", FILL, SIZE, NULL, NULL)                               \
	X(clEnqueueMemsetINTEL, "USM fill", FILL, SIZE, NULL, NULL)                                \
	X(clEnqueueMigrateMemINTEL, "USM migrate", MIGRATE, SIZE, NULL, NULL)                      \
	X(clEnqueueMemAdviseINTEL, "USM advice", OTHER, NO_BYTES, NULL, NULL)                      \
                                                                                                   \
	X(clEnqueueMarker, "marker", SYNC, NO_BYTES, NULL, NULL)                                   \
	X(clEnqueueMarkerWithWaitList, "marker", SYNC, NO_BYTES, NULL, NULL)                       \
	X(clEnqueueBarrier, "barrier", SYNC, NO_BYTES, NULL, NULL)                                 \
	X(clEnqueueBarrierWithWaitList, "barrier", SYNC, NO_BYTES, NULL, NULL)                     \
	X(clEnqueueWaitForEvents, "wait for events", SYNC, NO_BYTES, NULL, NULL)                   \
	X(clEnqueueWaitSemaphoresKHR, "wait for semaphores", SYNC, NO_BYTES, NULL, NULL)           \
	X(clEnqueueSignalSemaphoresKHR, "signal semaphores", SYNC, NO_BYTES, NULL, NULL)           \
                                                                                                   \
	X(clEnqueueAcquireGLObjects, "acquire GL objects", OTHER, OBJECTS, NULL, NULL)             \
	X(clEnqueueReleaseGLObjects, "release GL objects", OTHER, OBJECTS, NULL, NULL)             \
	X(clEnqueueAcquireEGLObjectsKHR, "acquire EGL objects", OTHER, OBJECTS, NULL, NULL)        \
	X(clEnqueueReleaseEGLObjectsKHR, "release EGL objects", OTHER, OBJECTS, NULL, NULL)        \
	X(clEnqueueAcquireGrallocObjectsIMG, "acquire gralloc objects", OTHER, OBJECTS, NULL,      \
	  NULL)                                                                                    \
	X(clEnqueueReleaseGrallocObjectsIMG, "release gralloc objects", OTHER, OBJECTS, NULL,      \
	  NULL)                                                                                    \
	X(clEnqueueAcquireExternalMemObjectsKHR, "acquire external memory", OTHER, OBJECTS, NULL,  \
	  NULL)                                                                                    \
	X(clEnqueueReleaseExternalMemObjectsKHR, "release external memory", OTHER, OBJECTS, NULL,  \
	  NULL)

#endif
