/* SPDX-License-Identifier: MIT */
/*
 * ze_recordings.h: what a list records: commands, and where each leaves its times. An immediate
 * list has a recording of one command for each append. With tl_ze_lock held.
 *
 * Where times come from
 *
 *	a command without an event	The kernel timestamps of an event of the layer's. In regular
 *					lists of engines that only copy, and so can't copy an
 *					event's timestamps: global timestamps before and after it.
 *	one with an event		That event's own kernel timestamps, if the host can read them.
 *					The program may have asked for them; or the layer added the
 *					flags for that when the event's pool was created. Pools that
 *					other processes share, extended ones and counter-based events
 *					are left as they are.
 *	one whose event has no times	In lists that keep the order, global timestamps before and
 *					after it. In others there are none: the command is shown
 *					with the host's times, and its slice says so.
 *	one that signals nothing	Global timestamps before and after it: signals, waits,
 *					resets, prefetches.
 *
 * The program's event always stays on its command: what the program reads from it, and when it is
 * signalled, is what it would be without the layer. So nothing of the layer's waits on the device
 * for an event of the program's, nor for one that the host resets. The layer adds only one thing to
 * a list behind the program's signal: a timestamp behind a command. So a call that destroys or
 * resets a list waits a moment for that (tl_ze_wait_for_stamps), and a context's memory stays
 * longer than it.
 *
 * A tool may create events inside its callbacks, and a driver gives out functions by pointer: the
 * creation of such events is not seen, nor perhaps their destruction. They are queried only from
 * inside a call of the program's that names them.
 */
#ifndef TL_LAYER_DEVICE_ZE_ZE_RECORDINGS_H
#define TL_LAYER_DEVICE_ZE_ZE_RECORDINGS_H

#include <level_zero/ze_api.h>
#include <stdbool.h>
#include <stdint.h>

#include "layer/device/work.h"
#include "layer/device/ze/ze_devices.h"
#include "layer/device/ze/ze_events.h"
#include "layer/device/ze/ze_own.h"

struct ze_capture;
struct ze_execution;

enum ze_source {
	ZE_OWN,	    /* the layer's event */
	ZE_THEIRS,  /* the program's event */
	ZE_BRACKET, /* the slot's two global timestamps */
	ZE_INSTANT, /* the slot's first timestamp */
	/* the slot: a query copies the program's event there before the list resets it */
	ZE_QUERY,
	ZE_NONE, /* nowhere: memory was short */
};

struct ze_command {
	struct tl_device_facts facts;
	char *kernel; /* where .facts.name lies if it is a kernel's; else NULL */
	enum ze_source source;
	struct ze_own_event *own;
	struct ze_event *event; /* the program's event that it signals; a reference */
	struct ze_slot *slot;
	uint32_t kernels; /* how many kernels it launches; 0: it is no such command */
	uint64_t id;	  /* by which the program may change the command; 0: it may not */
	bool keeps;	  /* the program may set its event later: it gets none of the layer's */
	/* 1 + the number of the command whose times a query before this one keeps; 0: none */
	uint32_t previous;
};

struct ze_recording {
	uint32_t references;	    /* the list's, and each execution's */
	struct ze_context *context; /* NULL: it is gone, with everything of the layer's in it */
	struct ze_device *device;
	uint32_t group;
	bool immediate;
	/* the device may still write to its events and slots: they must not be used again */
	bool dirty;
	struct ze_command *commands;
	uint32_t count, room;
	struct ze_run *runs;
	uint32_t in_run; /* slots used of the first run */
	/* the last execution, as long as it has results in events and slots */
	struct ze_execution *live;
	struct ze_capture *captures;	   /* free */
	struct ze_recording *next, **link; /* of the context */
};

struct ze_recording *tl_ze_recording_new(struct ze_context *context, struct ze_device *device,
					 uint32_t group, bool immediate);
void tl_ze_recording_release(struct ze_recording *recording);
/* Room for one more command, which the caller fills in and counts. NULL: memory is short. */
struct ze_command *tl_ze_command_next(struct ze_recording *recording);
/*
 * Release what a command holds. `clean`: the layer's event is not signalled, and the device no
 * longer uses the event or the slot.
 */
void tl_ze_command_clear(struct ze_recording *recording, struct ze_command *command, bool clean);
struct ze_slot *tl_ze_recording_slot(struct ze_recording *recording);

/*
 * Choose where a command's times come from if it has an event of the program's, or may get one. The
 * event stays on the command.
 */
void tl_ze_choose_for_event(bool in_order, bool regular, struct ze_recording *recording,
			    struct ze_command *command);

/* The command launches this kernel. NULL: the kernel's name is not known. */
void tl_ze_command_set_kernel(struct ze_command *command, const char *kernel);

/* The command no longer uses the program's event. */
void tl_ze_command_drop_event(struct ze_recording *recording, struct ze_command *command);

/* Take the recording out of its context's list. */
void tl_ze_recording_unlink(struct ze_recording *recording);

#endif
