/* SPDX-License-Identifier: MIT */
/*
 * vulkan_contents.h: what the program's command buffers contain: how many commands of which kinds,
 * and what the program calls them. It is counted while the program records a command buffer.
 *
 * Without a lock: the program records a command buffer in one thread at a time, and submits it after
 * that.
 */
#ifndef TL_LAYER_DEVICE_VULKAN_VULKAN_CONTENTS_H
#define TL_LAYER_DEVICE_VULKAN_VULKAN_CONTENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layer/calls/event.h"
#include "layer/calls/hook.h"

/* Kinds of commands, as a batch's name has them, and as its arguments do. */
#define VK_COMMAND_KINDS(X)                                                                        \
	X(DRAW, "draw", "draws")                                                                   \
	X(DISPATCH, "dispatch", "dispatches")                                                      \
	X(RAYS, "trace rays", "ray_traces")                                                        \
	X(COPY, "copy", "copies")                                                                  \
	X(FILL, "fill", "fills")                                                                   \
	X(BUILD, "build", "builds")                                                                \
	X(VIDEO, "video", "videos")

enum vk_command_kind {
#define KIND(kind, one, several) VK_##kind,
	VK_COMMAND_KINDS(KIND)
#undef KIND
		VK_KINDS
};

/* Of one command buffer, or the sum of several. */
struct vk_contents {
	uint32_t buffers;
	uint32_t count[VK_KINDS];
	uint64_t bytes; /* of copies and fills */
	bool unsized;	/* there are others, whose size is not known: of images */
	char label[96]; /* "": the program has given none */
};

/* Adds what the command buffer contains, which may be nothing known. */
void tl_vk_contents_add(struct vk_contents *sum, const void *buffer);

/* How much a batch copies and fills. 0: it does something else, too, or that is not known. */
uint64_t tl_vk_contents_bytes(const struct vk_contents *contents);

/* "draw + copy", or the program's label; "2 command buffers" where nothing is known of them. */
void tl_vk_contents_name(const struct vk_contents *contents, char *name, size_t size);

/* At most VK_KINDS + 1 arguments for the slice. Returns how many. */
uint32_t tl_vk_contents_args(const struct vk_contents *contents, struct tl_event_arg *args);

extern const struct tl_hook tl_vk_contents_hooks[];

/* In a forked child. */
void tl_vk_contents_after_fork(void);

#endif
