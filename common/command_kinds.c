/* SPDX-License-Identifier: MIT */
/*
 * command_kinds.c: see command_kinds.h.
 */
#include "common/command_kinds.h"

#include <string.h>

const char *const tl_kind_words[TL_DEVICE_KINDS] = {
	[TL_DEVICE_KERNEL] = "kernel", [TL_DEVICE_READ] = "read",	[TL_DEVICE_WRITE] = "write",
	[TL_DEVICE_COPY] = "copy",     [TL_DEVICE_FILL] = "fill",	[TL_DEVICE_MAP] = "map",
	[TL_DEVICE_UNMAP] = "unmap",   [TL_DEVICE_MIGRATE] = "migrate", [TL_DEVICE_SYNC] = "sync",
	[TL_DEVICE_OTHER] = "other",
};

enum tl_device_kind tl_kind_named(const char *word)
{
	for (unsigned kind = 0; kind < TL_DEVICE_KINDS; kind++)
		if (!strcmp(word, tl_kind_words[kind]))
			return (enum tl_device_kind)kind;
	return TL_DEVICE_OTHER;
}
