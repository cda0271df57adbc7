/* SPDX-License-Identifier: MIT */
/*
 * nvtx_abi.h: NVTX's binary interface for tools, versions 2 and 3: the numbers of its functions and
 * the layout of what they are given. Source: NVIDIA's headers nvtx3/nvToolsExt.h and
 * nvtxDetail/nvtxTypes.h.
 */
#ifndef TL_ANNOTATIONS_NVTX_ABI_H
#define TL_ANNOTATIONS_NVTX_ABI_H

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

/* What the program's copy of NVTX offers to a tool. */
enum { NVTX_TABLE_CALLBACKS = 1 };
typedef const void *(*nvtx_get_table)(uint32_t table);

/* Each entry is the address of a function pointer, which the tool stores its function in. */
struct nvtx_callbacks {
	size_t size;
	int (*module_functions)(int module, void (****functions)(void), unsigned *count);
};

enum { NVTX_MODULE_CORE = 1, NVTX_MODULE_CORE2 = 5 };

enum {
	NVTX_CORE_MarkEx = 1,
	NVTX_CORE_MarkA,
	NVTX_CORE_MarkW,
	NVTX_CORE_RangeStartEx,
	NVTX_CORE_RangeStartA,
	NVTX_CORE_RangeStartW,
	NVTX_CORE_RangeEnd,
	NVTX_CORE_RangePushEx,
	NVTX_CORE_RangePushA,
	NVTX_CORE_RangePushW,
	NVTX_CORE_RangePop,
	NVTX_CORE_NameCategoryA,
	NVTX_CORE_NameCategoryW,
	NVTX_CORE_NameOsThreadA,
	NVTX_CORE_NameOsThreadW,
};

enum {
	NVTX_CORE2_DomainMarkEx = 1,
	NVTX_CORE2_DomainRangeStartEx,
	NVTX_CORE2_DomainRangeEnd,
	NVTX_CORE2_DomainRangePushEx,
	NVTX_CORE2_DomainRangePop,
	NVTX_CORE2_DomainResourceCreate,
	NVTX_CORE2_DomainResourceDestroy,
	NVTX_CORE2_DomainNameCategoryA,
	NVTX_CORE2_DomainNameCategoryW,
	NVTX_CORE2_DomainRegisterStringA,
	NVTX_CORE2_DomainRegisterStringW,
	NVTX_CORE2_DomainCreateA,
	NVTX_CORE2_DomainCreateW,
};

enum { NVTX_COLOR_ARGB = 1 };
enum { NVTX_TEXT_ASCII = 1, NVTX_TEXT_WIDE = 2, NVTX_TEXT_REGISTERED = 3 };
enum {
	NVTX_PAYLOAD_UINT64 = 1,
	NVTX_PAYLOAD_INT64,
	NVTX_PAYLOAD_DOUBLE,
	NVTX_PAYLOAD_UINT32,
	NVTX_PAYLOAD_INT32,
	NVTX_PAYLOAD_FLOAT,
};

/* What a push without a tool that counts would return. */
enum { NVTX_NOT_TRACKED = -2 };

union nvtx_text {
	const char *plain;
	const wchar_t *wide;
	void *registered;
};

/* `size`: how much of it the program has filled in. */
struct nvtx_attributes {
	uint16_t version, size;
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type;
	int32_t reserved;
	union {
		uint64_t u64;
		double f64;
		uint32_t u32;
		int32_t i32;
		float f32;
	} payload;
	int32_t text_type;
	union nvtx_text text;
};
_Static_assert(sizeof(struct nvtx_attributes) == 48, "as NVTX has it");

#endif
