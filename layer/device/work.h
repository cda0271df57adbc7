/* SPDX-License-Identifier: MIT */
/*
 * work.h: what devices did, as the trace shows it: queues with their lanes, commands, arrows
 * between calls and commands, counters.
 *
 * Knows no driver: those who watch one (OpenCL's, Level Zero's) tell of queues, of each command
 * when it is submitted and when it is known to have ended, and of memory. doc/tracelayer-trace.5
 * says what becomes of it in the trace, doc/internals.md how.
 *
 * Any thread, also several at once. Submitting takes no lock (a compare and exchange, mostly no
 * allocation, a reading of the clock at most). All else takes the queue's, or the device's
 * memory's, for less than a microsecond; none is held while anything else is called. Only from
 * inside hooks (layer/device/hook.h), which no signal handler of the same thread can enter again.
 * Nothing here calls a driver or waits for one.
 *
 * Times are nanoseconds of CLOCK_MONOTONIC. Texts are copied.
 */
#ifndef TL_LAYER_DEVICE_WORK_H
#define TL_LAYER_DEVICE_WORK_H

#include <stdbool.h>
#include <stdint.h>

#include "layer/calls/event.h"
#include "tracelayer/device.h"

/*
 * A device, or whatever else has memory or queues ("host"). Kept for ever: look for it in your own
 * table first. NULL where memory is short.
 */
struct tl_device;
struct tl_device *tl_device_new(const char *name);

/*
 * A queue of it. Its lanes are called "<name>, <device>", and where there is such a queue already,
 * or name is NULL, "queue N, <device>"; they are there once they have a command. N counts the
 * process's queues. NULL where memory is short; everything below takes NULL, and does nothing.
 */
struct tl_device_queue;
struct tl_device_queue *tl_device_queue_new(struct tl_device *device, const char *name);
uint32_t tl_device_queue_number(const struct tl_device_queue *queue);

/*
 * The program has given it up. Its commands may still be told of. A later queue of the same device
 * and name may have its lanes, and its number.
 */
void tl_device_queue_release(struct tl_device_queue *queue);

/*
 * A number for what a call submits: for tl_call_correlate, and for the commands that it caused.
 * Never 0.
 */
uint32_t tl_device_correlation(void);

/*
 * A command is about to be submitted: call this before the driver is called, since after it the
 * command may have ended already. NULL where it is not going to be in the trace (nothing is
 * recorded now, or not its level, or the calling thread's request lacks that) and no tool wants to
 * hear of it, or where memory is short: then the command need not be watched. Otherwise one of
 * tl_device_done and tl_device_cancel ends it, once, and the pointer with it.
 */
struct tl_device_command;
struct tl_device_command *tl_device_submit(struct tl_device_queue *queue);

/*
 * The same for who has the time anyway: until the other one is called, with ticks from after this
 * one, it counts as about to be submitted, and nothing that comes later becomes final.
 */
struct tl_device_command *tl_device_submit_untimed(struct tl_device_queue *queue);
void tl_device_will_submit(void); /* soon: its memory had better be near */
void tl_device_submitted(struct tl_device_command *command, uint64_t ticks);

/* It was not submitted after all: the call failed. */
void tl_device_cancel(struct tl_device_command *command);

/* A call of the program, and its slice in the trace. */
struct tl_device_call {
	/* of its thread, as it is shown; 0: it has no slice, and gets no arrow */
	uint32_t tid;
	uint32_t thread;     /* the kernel's number of that */
	uint64_t start, end; /* times inside of it (tl_hook_start, tl_hook_end); 0: not known */
	bool exact;	     /* they are its slice's own, converted from the same ticks */
};

/*
 * In its hook's `after`, for a hook with .timed. (A submission's request is tl_request_current()
 * then.)
 */
struct tl_call;
struct tl_device_call tl_device_call_of(const struct tl_call *call);

enum tl_device_raw {
	TL_RAW_QUEUED = 1,
	TL_RAW_SUBMIT = 2,
	TL_RAW_START = 4,
	TL_RAW_END = 8,
};

/*
 * What a command is, whatever becomes of it. A driver's room has one in what it keeps of each
 * command; struct tl_device_work leads to that.
 */
struct tl_device_facts {
	const char *name;   /* the kernel's, "read buffer", …; NULL: the kind says it */
	const char *peer;   /* the copy's other side: "host", another device's name; NULL: none */
	uint64_t bytes;	    /* moved; 0: none, or not known. With it goes the bandwidth */
	uint8_t kind;	    /* enum tl_device_kind */
	uint8_t dimensions; /* of a kernel; 0: not known */
	uint64_t global[3], local[3]; /* .local[0] 0: not known */
};

/* What became of a command. */
struct tl_device_work {
	const struct tl_device_facts *facts;
	/*
	 * it has not ended: .end is now, and .start the submission if it is not known to have begun
	 */
	bool unfinished;
	uint64_t start, end; /* converted; they are kept within what is known of the calls */
	/* enum tl_device_raw: which of these there are, as the driver reports them */
	uint32_t has;
	uint64_t queued, submit, raw_start, raw_end;
	uint32_t correlation, request;
	struct tl_device_call submitted; /* the call that submitted it */
	struct tl_device_call waited;	 /* the one that waited for it, or .end 0 */
	uint64_t now; /* it was seen to have ended before this; 0: the clock is read */
	/* others of the queue are told of next: what becomes final by this one may wait for them */
	bool more;
	uint32_t nargs; /* more of them, behind the layer's own; at most 16 */
	const struct tl_event_arg *args;
};

/*
 * The command has ended, or the process has. It is never shown before its submission nor after the
 * end of the call that waited for it, nor later than now. In any order among a queue's commands.
 */
void tl_device_done(struct tl_device_command *command, const struct tl_device_work *work);

/* Bytes that the program has allocated (or freed: less than 0) on the device. */
void tl_device_memory(struct tl_device *device, int64_t bytes);

/* The end: counters of what is known. After it nothing more may come. */
void tl_device_work_end(void);

/*
 * In a forked child: queues and devices stay, and have no lanes, no commands and no memory.
 * Commands of the parent's are void.
 */
void tl_device_work_after_fork(void);

#endif
