/* SPDX-License-Identifier: MIT */
/*
 * tracelayer/device.h: what devices did, for tool libraries (tracelayer/tool.h).
 *
 *	static void done(const struct tl_device_view *command, void *user_data)
 *	{
 *		printf("%s: %s took %" PRIu64 " ns\n", command->queue, command->name, command->end -
 *		command->start);
 *	}
 *
 *	int tl_tool_start(const struct tl_tool_host *host)
 *	{
 *		return tl_device_watch(done, NULL);
 *	}
 *
 * Commands are those that the trace's device lanes show (tracelayer-trace(5)), whether or not
 * anything is recorded. With --device=0 there are none.
 */
#ifndef TRACELAYER_DEVICE_H
#define TRACELAYER_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum tl_device_kind {
	TL_DEVICE_KERNEL,
	TL_DEVICE_READ,
	TL_DEVICE_WRITE,
	TL_DEVICE_COPY,
	TL_DEVICE_FILL,
	TL_DEVICE_MAP,
	TL_DEVICE_UNMAP,
	TL_DEVICE_MIGRATE,
	TL_DEVICE_SYNC, /* barriers and markers */
	TL_DEVICE_OTHER,
	TL_DEVICE_KINDS,
};

/*
 * A command that has ended, or that had not when the process did. Valid during the callback only.
 * Times are nanoseconds of CLOCK_MONOTONIC.
 */
struct tl_device_view {
	size_t size;	  /* sizeof(struct tl_device_view), as the library knows it */
	const char *name; /* the kernel's, "read buffer", ...; NULL: the kind says it */
	enum tl_device_kind kind;
	bool unfinished;       /* .end is when that was found out */
	uint32_t queue_number; /* of its queue, from 1 */
	const char *queue;     /* what that is called */
	uint64_t start, end;   /* when it ran, by the host's clock */
	uint64_t bytes;	       /* moved; 0: none, or not known */
	const char *peer;      /* where else: "host", another device; NULL: nowhere, or not known */
	uint32_t correlation;  /* with the call that submitted it */
	uint32_t request;      /* in which that was made; 0: none */
	int thread;	       /* that made it: the kernel's number; 0: not known */
	uint64_t call_start, call_end; /* times inside that call */
};

/*
 * Called by whichever thread finds that the command has ended, which may be one of ours, soon after
 * or as late as the process's end, in any order, several threads at once. It holds up what that
 * thread does: be brief. Allocating and mutexes of its own are fine; calls into a driver are not.
 */
typedef void (*tl_device_callback)(const struct tl_device_view *command, void *user_data);

/* From tl_tool_start, and for ever. 0; anything else where there is no room. */
int tl_device_watch(tl_device_callback callback, void *user_data);

#ifdef __cplusplus
}
#endif
#endif
