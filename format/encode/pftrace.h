/* SPDX-License-Identifier: MIT */
/*
 * pftrace.h: the fields of Perfetto's trace format that the encoder writes. The numbers are those
 * of the public protos; tests/format/encode/pftrace.proto has the same messages as a schema.
 */
#ifndef TL_FORMAT_ENCODE_PFTRACE_H
#define TL_FORMAT_ENCODE_PFTRACE_H

#include "format/encode/protobuf.h"

enum tl_pf_trace { TL_PF_PACKET = 1 };

enum tl_pf_packet {
	TL_PF_CLOCK_SNAPSHOT = 6,
	TL_PF_TIMESTAMP = 8,
	TL_PF_SEQUENCE_ID = 10,
	TL_PF_TRACK_EVENT = 11,
	TL_PF_INTERNED_DATA = 12,
	TL_PF_SEQUENCE_FLAGS = 13,
	TL_PF_GPU_STAGE_EVENT = 53,
	TL_PF_TIMESTAMP_CLOCK_ID = 58,
	TL_PF_PACKET_DEFAULTS = 59,
	TL_PF_TRACK_DESCRIPTOR = 60,
	TL_PF_GPU_INFO = 128,
};

enum tl_pf_sequence_flags {
	TL_PF_STATE_CLEARED = 1,
	TL_PF_NEEDS_STATE = 2,
};

/* ClockSnapshot and its Clock */
enum tl_pf_clock_snapshot { TL_PF_CLOCKS = 1, TL_PF_PRIMARY_CLOCK = 2 };
enum tl_pf_clock { TL_PF_CLOCK_ID = 1, TL_PF_CLOCK_TIMESTAMP = 2, TL_PF_CLOCK_INCREMENTAL = 3 };
enum tl_pf_clock_ids {
	TL_PF_REALTIME = 1,
	TL_PF_MONOTONIC = 3,
	TL_PF_BOOTTIME = 6,
	TL_PF_DELTAS = 64, /* the first of those that a sequence may define */
};

enum tl_pf_packet_defaults {
	TL_PF_DEFAULT_TRACK_EVENT = 11,
	TL_PF_DEFAULT_CLOCK = 58,
};

enum tl_pf_track_event {
	TL_PF_CATEGORY_IIDS = 3,
	TL_PF_ANNOTATIONS = 4,
	TL_PF_LEGACY_EVENT = 6, /* for events without a type */
	TL_PF_TYPE = 9,
	TL_PF_NAME_IID = 10,
	TL_PF_TRACK_UUID = 11,
	TL_PF_CATEGORIES = 22,
	TL_PF_NAME = 23,
	TL_PF_COUNTER_VALUE = 30,
	TL_PF_DOUBLE_COUNTER_VALUE = 44,
	TL_PF_CALLSTACK_IID = 56,
	TL_PF_GPU_CORRELATION = 3000, /* an extension: gpu_track_event.proto */
};
enum tl_pf_gpu_correlation { TL_PF_SUBMITS_EVENTS = 1, TL_PF_WAITS_FOR_EVENTS = 2 };

/* Events that are no slices, and bind to the slice around them: the end of a flow. */
enum tl_pf_legacy {
	TL_PF_LEGACY_PHASE = 2,
	TL_PF_LEGACY_ID = 6,
	TL_PF_LEGACY_ENCLOSING = 12,
};

enum tl_pf_type {
	TL_PF_NO_TYPE = 0,
	TL_PF_SLICE_BEGIN = 1,
	TL_PF_SLICE_END = 2,
	TL_PF_INSTANT = 3,
	TL_PF_COUNTER = 4,
};

enum tl_pf_annotation {
	TL_PF_ANNOTATION_NAME_IID = 1,
	TL_PF_BOOL_VALUE = 2,
	TL_PF_UINT_VALUE = 3,
	TL_PF_INT_VALUE = 4,
	TL_PF_DOUBLE_VALUE = 5,
	TL_PF_STRING_VALUE = 6,
	TL_PF_POINTER_VALUE = 7,
	TL_PF_ANNOTATION_NAME = 10,
	TL_PF_DICT_ENTRIES = 11,
	TL_PF_ARRAY_VALUES = 12,
	TL_PF_STRING_VALUE_IID = 17,
};

/* InternedData; an entry of each is .iid = 1 and a string = 2. */
enum tl_pf_interned_data {
	TL_PF_EVENT_CATEGORIES = 1,
	TL_PF_EVENT_NAMES = 2,
	TL_PF_ANNOTATION_NAMES = 3,
	TL_PF_FUNCTION_NAMES = 5,
	TL_PF_FRAMES = 6,
	TL_PF_CALLSTACKS = 7,
	TL_PF_BUILD_IDS = 16,
	TL_PF_MAPPING_PATHS = 17,
	TL_PF_MAPPINGS = 19,
	TL_PF_GRAPHICS_CONTEXTS = 23,
	TL_PF_GPU_SPECIFICATIONS = 24,
	TL_PF_STRING_VALUES = 29,
	TL_PF_COMPUTE_KERNELS = 1000, /* an extension: gpu_interned_data.proto */
};
enum tl_pf_interned { TL_PF_IID = 1, TL_PF_STRING = 2 };

/* Entries that have more than that. */
enum tl_pf_mapping {
	TL_PF_MAPPING_BUILD_ID = 2,
	TL_PF_MAPPING_START = 4,
	TL_PF_MAPPING_END = 5,
	TL_PF_MAPPING_PATH = 7,
};
enum tl_pf_frame { TL_PF_FRAME_FUNCTION = 2, TL_PF_FRAME_MAPPING = 3, TL_PF_FRAME_ADDRESS = 4 };
enum tl_pf_callstack { TL_PF_CALLSTACK_FRAMES = 2 };
enum tl_pf_graphics_context { TL_PF_CONTEXT_PID = 2, TL_PF_CONTEXT_API = 3 };
enum tl_pf_gpu_api {
	TL_PF_API_OTHER = 0,
	TL_PF_API_VULKAN = 2,
	TL_PF_API_OPENCL = 3,
	TL_PF_API_CUDA = 4,
};
enum tl_pf_specification { TL_PF_SPECIFICATION_DESCRIPTION = 3, TL_PF_SPECIFICATION_CATEGORY = 4 };
#define TL_PF_CATEGORY_COMPUTE 2

enum tl_pf_gpu_info { TL_PF_GPUS_OF_INFO = 1 };
enum tl_pf_gpu_fields { TL_PF_GPU_NAME = 1, TL_PF_GPU_UUID = 5, TL_PF_GPU_PCI = 7 };

/* GpuRenderStageEvent */
enum tl_pf_gpu_stage_event {
	TL_PF_GPU_EVENT_ID = 1,
	TL_PF_GPU_DURATION = 2,
	TL_PF_GPU_CONTEXT = 5,
	TL_PF_GPU_EXTRA = 6,
	TL_PF_GPU_SUBMISSION = 10,
	TL_PF_GPU_ID = 11,
	TL_PF_GPU_QUEUE_IID = 13,
	TL_PF_GPU_STAGE_IID = 14,
	TL_PF_GPU_EVENT_NAME = 17,
	TL_PF_GPU_KERNEL_IID = 19,
	TL_PF_GPU_LAUNCH = 21,
};
enum tl_pf_gpu_extra { TL_PF_EXTRA_NAME = 1, TL_PF_EXTRA_VALUE = 2 };
enum tl_pf_gpu_launch { TL_PF_LAUNCH_GRID = 1, TL_PF_LAUNCH_WORKGROUP = 2 };
/* x, y and z of Dim3 are 1, 2 and 3 */

enum tl_pf_track_descriptor {
	TL_PF_UUID = 1,
	TL_PF_TRACK_NAME = 2,
	TL_PF_PROCESS = 3,
	TL_PF_THREAD = 4,
	TL_PF_PARENT_UUID = 5,
	TL_PF_COUNTER_TRACK = 8,
	TL_PF_SIBLING_ORDER_RANK = 12,
	TL_PF_SIBLING_MERGE_BEHAVIOR = 15,
};
enum tl_pf_counter { TL_PF_COUNTER_UNIT = 3, TL_PF_COUNTER_UNIT_NAME = 6 };
#define TL_PF_UNIT_BYTES	 3
#define TL_PF_SIBLING_MERGE_NONE 2 /* lanes of the same name stay apart */
/*
 * A track's number is the process's and, in the lower half, the thread's. Further lanes of a thread
 * have their own number above these.
 */
#define TL_PF_FURTHER_LANE 55
enum tl_pf_process {
	TL_PF_PROCESS_PID = 1,
	TL_PF_PROCESS_SORT_INDEX = 3,
	TL_PF_PROCESS_NAME = 6,
	TL_PF_PROCESS_LABELS = 8,
};
enum tl_pf_thread { TL_PF_THREAD_PID = 1, TL_PF_THREAD_TID = 2, TL_PF_THREAD_NAME = 5 };

#endif
