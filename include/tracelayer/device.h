/* SPDX-License-Identifier: MIT */
/*
 * tracelayer/device.h: what devices did. For tool libraries (tracelayer/tool.h).
 *
 *	static void done(const struct tl_device_view *command, void *user_data)
 *	{
 *		printf("%s: %s took %" PRIu64 " ns\n", command->queue, command->name,
 *		       command->end - command->start);
 *	}
 *
 *	int tl_tool_start(const struct tl_tool_host *host)
 *	{
 *		return tl_device_watch(done, NULL);
 *	}
 *
 * A tool sees the commands that the trace's device lanes show (tracelayer-trace(5)), whether or not
 * anything is recorded. With --device=0 it sees none.
 */
#ifndef TRACELAYER_DEVICE_H
#define TRACELAYER_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a command does. */
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
 * A command that has ended, or that had not ended when the process did. The struct and its texts are
 * valid during the callback only. Times are nanoseconds of CLOCK_MONOTONIC. Newer libraries add
 * members at the end: compare .size before using one that your oldest library lacks.
 */
struct tl_device_view {
	size_t size;	  /* sizeof(struct tl_device_view), as the library knows it */
	const char *name; /* name of the kernel, "read buffer", ...; NULL: see .kind */
	enum tl_device_kind kind;
	bool unfinished;       /* .end is when the library noticed that */
	uint32_t queue_number; /* number of the queue, from 1 */
	const char *queue;     /* name of the queue */
	uint64_t start, end;   /* when it ran, on the host's clock */
	uint64_t bytes;	       /* bytes moved; 0: none, or not known */
	const char *peer;      /* the other side: "host", or a device; NULL: none, or not known */
	uint32_t correlation;  /* number of the call that submitted it */
	uint32_t request;      /* the request of that call; 0: none */
	int thread;	       /* kernel's id of the thread of that call; 0: not known */
	uint64_t call_start, call_end; /* begin and end of that call */
};

/*
 * The callback for an ended command. It runs in the thread that notices the end: a thread of the
 * program, or of the library. It may come at once or as late as the end of the process, in any order
 * of commands, and in several threads at the same time. The thread waits for it, so it must be brief.
 * It may allocate memory and take mutexes of its own. It must not call into a driver.
 */
typedef void (*tl_device_callback)(const struct tl_device_view *command, void *user_data);

/*
 * Call `callback` for all commands from now on, until the process ends. Only tl_tool_start may call
 * this. `user_data` is passed to the callback. Returns 0; another value where there is no room left.
 */
int tl_device_watch(tl_device_callback callback, void *user_data);

#ifdef __cplusplus
}
#endif
#endif
