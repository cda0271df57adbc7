/* SPDX-License-Identifier: MIT */
/*
 * work.h: what devices did, as the trace shows it: queues with their lanes, commands, arrows
 * between calls and commands, counters.
 *
 * It knows no driver. A driver's room reports queues, each command when it is submitted and when it
 * is known to have ended, and memory. doc/tracelayer-trace.5 describes what the trace has of it.
 *
 * Any thread may call, several at once, from inside of a hook (layer/calls/hook.h) or on the
 * background thread. Submitting takes no lock: it needs a compare and exchange, at most one reading
 * of the clock, and seldom an allocation. Everything else takes the lock of the queue, or of the
 * device's memory, for less than a microsecond, and calls nobody else under it. Nothing here calls
 * a driver or waits for one.
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
 * A device, or something else that has memory or queues ("host"). It is kept for ever. Each call
 * makes a new one, so the caller keeps a table. NULL where memory is short.
 */
struct tl_device;
struct tl_device *tl_device_new(const char *name);

/*
 * Which piece of hardware it is, before it has a queue: the API that shows it, a constant; 16 bytes,
 * all 0 if they are not known; the address on the bus. The first slice of each queue says so. NULL:
 * not known.
 */
struct tl_pci_address {
	uint32_t domain, bus, device, function;
};
void tl_device_identify(struct tl_device *device, const char *api, const uint8_t uuid[16],
			const struct tl_pci_address *pci);

/*
 * A queue of the device. Its lanes are called "<name>, <device>"; where such a queue exists
 * already, or name is NULL, "queue N, <device>". A lane appears with its first command. N counts
 * the process's queues. NULL where memory is short; everything below takes NULL, and does nothing.
 */
struct tl_device_queue;
struct tl_device_queue *tl_device_queue_new(struct tl_device *device, const char *name);

/*
 * The program has released the queue. Its commands may still end. A later queue of the same device
 * and name may get its lanes and its number.
 */
void tl_device_queue_release(struct tl_device_queue *queue);

/*
 * A number for what a call submits: for tl_call_correlate, and for the commands that the call
 * caused. Never 0.
 */
uint32_t tl_device_correlation(void);

/*
 * A command is about to be submitted. Call this before the driver is called: after that the command
 * may have ended already. NULL: nobody needs the command, because it will not be in the trace
 * (nothing is recorded now, or not its level, or the calling thread's request excludes it) and no
 * tool watches; or memory is short. Otherwise call tl_device_done or tl_device_cancel, once; the
 * pointer is void after that.
 */
struct tl_device_command;
struct tl_device_command *tl_device_submit(struct tl_device_queue *queue);

/*
 * The same in two steps, for callers that have a time in ticks already. Until tl_device_submitted
 * is called, with ticks that are later than the first step, the command counts as about to be
 * submitted, and nothing after it becomes final.
 */
struct tl_device_command *tl_device_submit_untimed(struct tl_device_queue *queue);
void tl_device_will_submit(void); /* a command is soon submitted: fetch its memory into the cache */
void tl_device_submitted(struct tl_device_command *command, uint64_t ticks);

/* It was not submitted after all: the call failed. */
void tl_device_cancel(struct tl_device_command *command);

/* A call of the program, and its slice in the trace. */
struct tl_device_call {
	/* the lane of its thread in the trace; 0: the call has no slice, and gets no arrow */
	uint32_t tid;
	uint32_t thread;     /* the kernel's number of that thread */
	uint64_t start, end; /* times within the call (tl_hook_start, tl_hook_end); 0: not known */
	bool exact;	     /* they equal its slice's times: converted from the same ticks */
};

/*
 * Made in the `after` of a hook. Its times are 0 unless the hook's way is TL_HOOK_TIMED. (A
 * submission's request is call->request.)
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
 * What is known of a command when it is submitted. A driver's room keeps one for each command;
 * struct tl_device_work points to it.
 */
struct tl_device_facts {
	const char *name;   /* the kernel's, "read buffer", …; NULL: the kind is enough */
	const char *peer;   /* the copy's other side: "host", another device's name; NULL: none */
	uint64_t bytes;	    /* how many it moved; 0: none, or not known. Gives the bandwidth */
	uint8_t kind;	    /* enum tl_device_kind */
	uint8_t dimensions; /* of a kernel; 0: not known */
	uint16_t kernel;    /* what the driver knows of it (kernel_facts.h); 0: nothing */
	uint64_t global[3], local[3]; /* .local[0] 0: not known */
};

/* What became of a command. */
struct tl_device_work {
	const struct tl_device_facts *facts;
	/*
	 * it has not ended: .end is now, and .start the submission if it is not known to have begun
	 */
	bool unfinished;
	uint64_t start, end; /* converted, and limited to what the calls allow */
	/* enum tl_device_raw: which of these there are, as the driver reports them */
	uint32_t has;
	uint64_t queued, submit, raw_start, raw_end;
	uint32_t correlation, request;
	struct tl_device_call submitted; /* the call that submitted it */
	struct tl_device_call waited;	 /* the one that waited for it, or .end 0 */
	uint64_t now;			 /* it had ended by this time; 0: read the clock */
	/* the queue's next command follows at once, so results may be recorded with that one */
	bool more;
	uint32_t nargs; /* more arguments, shown after the layer's own; at most 16 */
	const struct tl_event_arg *args;
};

/* When a command can have run at all. */
struct tl_work_room {
	uint64_t first, last; /* nanoseconds; first <= last */
	bool awaited;	      /* the call that waited for it is a bound, too */
};

/*
 * It ran after it was submitted, and until the call that waited for it ended, or until now. A call
 * that returned before the command can have begun has not waited for it. Defined beside what draws
 * the call's slice, in command_slice.c.
 */
struct tl_work_room tl_work_room(const struct tl_device_work *work, uint64_t submitted,
				 uint64_t now);

/*
 * The command has ended, or the process has. A queue's commands may come in any order. None is
 * shown before its submission, after the end of the call that waited for it, or later than now.
 */
void tl_device_done(struct tl_device_command *command, const struct tl_device_work *work);

/*
 * The same where the driver can't be asked about the command any more. It has ended if a call has
 * waited for it (.waited): then it ran at some time since its submission. `work` has no times and no
 * arguments.
 */
void tl_device_give_up(struct tl_device_command *command, const struct tl_device_work *work);

/* The program has allocated so many bytes on the device; less than 0: freed. */
void tl_device_memory(struct tl_device *device, int64_t bytes);

/* The end: record the counters' last samples. Nothing here may be called after it. */
void tl_device_work_end(void);

/*
 * In a forked child: queues and devices stay, but without lanes, commands or memory. The parent's
 * commands are void.
 */
void tl_device_work_after_fork(void);

#endif
