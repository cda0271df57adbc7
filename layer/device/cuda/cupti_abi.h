/* SPDX-License-Identifier: MIT */
/*
 * cupti_abi.h: the part of CUPTI's interface that cuda_activity.c uses, as cupti_activity.h has it:
 * functions, numbers, and the beginnings of records. It is the same from CUDA 11.6 to 12.8.
 * tests/drivers/cupti.c compares it with the header.
 */
#ifndef TL_LAYER_DEVICE_CUDA_CUPTI_ABI_H
#define TL_LAYER_DEVICE_CUDA_CUPTI_ABI_H

#include <stddef.h>
#include <stdint.h>

enum {
	CUPTI_DONE = 0,
	CUPTI_FLUSH_FORCED = 1, /* CUPTI_ACTIVITY_FLAG_FLUSH_FORCED */
	CUPTI_CUSTOM = 5,	/* CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM2 */
};

/* enum CUpti_ActivityKind */
enum {
	CUPTI_MEMCPY = 1,
	CUPTI_MEMSET = 2,
	CUPTI_KERNEL = 3,
	CUPTI_DRIVER = 4,
	CUPTI_CONCURRENT_KERNEL = 10,
	CUPTI_MEMCPY2 = 22, /* from one device to another */
	CUPTI_EXTERNAL_CORRELATION = 39,
	CUPTI_GRAPH_TRACE = 51,
};

typedef void cupti_give(uint8_t **buffer, size_t *size, size_t *records);
typedef void cupti_take(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid);

#define CUPTI_FUNCTIONS(X)                                                                         \
	X(cuptiActivityDisable, (uint32_t kind))                                                   \
	X(cuptiActivityEnable, (uint32_t kind))                                                    \
	X(cuptiActivityFlushAll, (uint32_t flag))                                                  \
	X(cuptiActivityGetNextRecord, (uint8_t * buffer, size_t valid, void **record))             \
	X(cuptiActivityPopExternalCorrelationId, (uint32_t kind, uint64_t * number))               \
	X(cuptiActivityPushExternalCorrelationId, (uint32_t kind, uint64_t number))                \
	X(cuptiActivityRegisterCallbacks, (cupti_give * give, cupti_take * take))                  \
	X(cuptiActivityRegisterTimestampCallback, (uint64_t(*now)(void)))                          \
	X(cuptiGetResultString, (int error, const char **text))

/* CUpti_ActivityExternalCorrelation */
struct cupti_correlation {
	uint32_t kind, external_kind;
	uint64_t external;
	uint32_t correlation;
};

/* CUpti_ActivityKernel4 to 9 */
struct cupti_kernel {
	uint32_t kind, unused[3];
	uint64_t start, end, completed;
	uint32_t place[13];
	uint32_t correlation;
};

/* CUpti_ActivityMemcpy4 to 6 */
struct cupti_memcpy {
	uint32_t kind, unused;
	uint64_t bytes, start, end;
	uint32_t place[3];
	uint32_t correlation;
};

/* CUpti_ActivityMemcpyPtoP4 */
struct cupti_memcpy_peer {
	uint32_t kind, unused;
	uint64_t bytes, start, end;
	uint32_t places[7];
	uint32_t correlation;
};

/* CUpti_ActivityMemset3 and 4 */
struct cupti_memset {
	uint32_t kind, value;
	uint64_t bytes, start, end;
	uint32_t place[3];
	uint32_t correlation;
};

/* CUpti_ActivityGraphTrace and 2 */
struct cupti_graph {
	uint32_t kind;
	uint32_t correlation;
	uint64_t start, end;
};

#endif
