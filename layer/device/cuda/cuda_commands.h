/* SPDX-License-Identifier: MIT */
/*
 * cuda_commands.h: commands on streams, and the hooks of the functions that put them there.
 */
#ifndef TL_LAYER_DEVICE_CUDA_CUDA_COMMANDS_H
#define TL_LAYER_DEVICE_CUDA_CUDA_COMMANDS_H

#include "layer/calls/hook.h"
#include "layer/device/cuda/cuda_streams.h"

/* In the stream's list, from the end of its call until it is reported. */
struct cuda_command {
	struct cuda_command *next;
	struct tl_device_command *lane;
	void *begin, *end; /* the layer's events in the context; NULL: there are none */
	bool timed;	   /* both have been recorded */
	uint64_t activity; /* its number for CUPTI; 0: its times come from the events */
	uint64_t number;   /* in its stream */
	struct tl_device_facts facts;
	uint32_t correlation, request;
	struct tl_device_call submitted, waited;
};

/* Under tl_cuda_lock: the command is over, and its events may serve another one. */
void tl_cuda_command_give_back(struct cuda_context *context, struct cuda_command *command);

/* Free commands whose events went with their context. */
void tl_cuda_commands_free(struct cuda_command *command);

extern const struct tl_hook tl_cuda_command_hooks[];

#endif
