/* SPDX-License-Identifier: MIT */
/*
 * roctx.h: ROCTX's ranges and marks become annotations.
 *
 * ROCTX's functions are shims of a built-in API (gen/apis/roctx.json), and so found however a
 * program is linked with them. Hooks tell libtracelayer-annotations.so of the calls. That library is
 * loaded when the first one is made.
 */
#ifndef TL_LAYER_PROGRAM_ROCTX_H
#define TL_LAYER_PROGRAM_ROCTX_H

#include <stdint.h>

/* What that library exports as TL_ROCTX_TOOL. The ids are those that ROCTX has given. */
struct tl_roctx_tool {
	void (*push)(const char *message);
	void (*pop)(void);
	void (*start)(uint64_t id, const char *message);
	void (*stop)(uint64_t id);
	void (*mark)(const char *message);
};
#define TL_ROCTX_TOOL "tl_roctx_tool"

/* At the start; and at the program's first call, which may be one of ROCTX. */
void tl_roctx_start(void);

#endif
