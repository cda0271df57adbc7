/* SPDX-License-Identifier: MIT */
/*
 * writer_state.h: the state that the files of the writer share. For layer/write/writer*.c only.
 *
 * Unless a comment says otherwise, the caller of a function holds the pen.
 */
#ifndef TL_LAYER_WRITE_WRITER_STATE_H
#define TL_LAYER_WRITE_WRITER_STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/output.h"
#include "format/encode/gzip.h"
#include "layer/base/bounded_lock.h"
#include "layer/base/credentials.h"
#include "layer/base/raw_thread.h"
#include "layer/write/block.h"
#include "layer/write/sink.h"

struct tl_chunk;

#define TL_WRITER_PATIENCE_MS 10000 /* without any progress, before an exit handler gives up */

/* One mapping, made when there is first something to write. */
struct tl_writer_memory {
	struct tl_block_memory block;
	/* the larger one of a block and an end */
	char packed[TL_BLOCK_END + TL_BLOCK_END / 1024 + 64 * (TL_BLOCK_PARTS + 4)];
	_Alignas(64) char gzip[TL_GZIP_MEMORY];
};

struct tl_writer_state {
	struct tl_bounded_lock pen; /* protects what follows .lent */
	_Atomic uint32_t thread;    /* enum thread_state, writer_thread.c */
	/* Exit handlers at work: no thread is started for their chunks. */
	_Atomic uint32_t finishing;
	/*
	 * Ends of the file: how many the writer's thread was asked for, and how many it has
	 * written.
	 */
	_Atomic uint32_t ends_asked, ends_written;
	_Atomic bool last;	  /* nothing comes after the next end, so a pipe gets it */
	_Atomic uint32_t closer;  /* the thread that keeps the pen for good */
	_Atomic bool thread_ends; /* the thread is to end */
	/* Changes of credentials: how many the thread was asked for, and how many it has made. */
	_Atomic uint32_t changes_asked, changes_made;
	struct tl_credentials change;
	_Atomic bool change_is_known;
	_Atomic bool suspended; /* the thread was ended by tl_writer_suspend */
	struct tl_raw_thread raw;
	_Atomic bool lent; /* the thread has a producer's priority */

	struct tl_writer_memory *memory;
	struct tl_block block;
	struct tl_sink sink;
	/* the last end that was asked for comes after all that was recorded */
	_Atomic bool complete;
	bool laneless;		/* a chunk waits for memory for its thread's lane */
	int failing;		/* the error of the last attempt to write; 0: it succeeded */
	uint64_t failing_since; /* ns */
	bool flush_only;	/* write what was recorded before the flush, and nothing newer */
	bool goes_on;		/* a file ends, and calls without an entry may return later */
	bool writes_all;	/* as at the end: chunks made ahead would not be used */

	uint64_t dropped;     /* events of removed files, and records that can't be read */
	uint64_t unwritten;   /* recorded, and waiting for a file that takes them */
	uint64_t losses_told; /* losses that the ends of earlier files have reported */
	/* what the end of this file says; valid while .sink.ended */
	struct tl_writer_end {
		uint64_t events, lost, overwritten, stackless;
		uint64_t unfinished; /* calls that threads were in; the last end has them */
		bool reported;	     /* to `run` */
	} end;
	uint64_t losses_said; /* losses that a message has reported */
	int error;	      /* why the first event was dropped or could not be written */
	bool failure_said;
	bool stackless_said; /* the line about calls without stacks was printed */
	bool trouble_said;   /* a message was printed while events could still wait */
	/* a message; static, since its caller may be on a small stack */
	char line[TL_OUTPUT_PATH + 512];
};

extern struct tl_writer_state tl_writer;

/* --- writer_losses.c */

/* Note the error by which events are lost; the first one stays. */
void tl_writer_note_error(int error);

/* Count all events of the file with this number as lost. */
void tl_writer_drop_file(uint32_t file);

/* Count, per lane, what waits in the buffers and can't be written; and set these counts to 0. */
void tl_writer_count_unwritten(void);
void tl_writer_forget_unwritten(void);

/* All losses so far; and each thread's (struct tl_totals.lost_by_thread). */
uint64_t tl_writer_losses(void);
void tl_writer_losses_by_thread(void *unused, void (*put)(void *to, uint32_t tid, uint64_t lost),
				void *to);

/* A file's end has reported all losses so far. */
void tl_writer_settle_losses(void);

/* --- writer_drain.c */

/* Open the file in the calling thread's table. Returns 0, or an errno value. */
int tl_writer_open_file(void);

/*
 * Write what is queued, at most so many blocks. *more: there is more to write. False: something is
 * left that can't be written now. A flush (.flush_only) ends with what was recorded before it.
 */
bool tl_writer_drain(unsigned blocks, bool *more);

/*
 * Write some of what is queued. True: there is more. If the file had an end, it gets a new one. The
 * number of blocks is limited, so that threads which record as fast as the disk writes can't keep
 * the pen from those that want to end the process.
 */
bool tl_writer_drain_turn(void);

/* Write everything that was recorded until now, and an end behind it. */
void tl_writer_write_all(void);

/* Tells `run` of the end that was written, once. Under the pen. */
void tl_writer_report_end(void);

/* --- writer_messages.c */

/* If events are lost: print how many, why, and what to do. */
void tl_writer_say_losses(void);
/* The same for calls whose stacks there was no room for. */
void tl_writer_say_stackless(void);

/*
 * If the file could not be written for a while: print that, so that the user can still correct it.
 * Not at once: the program may end, and the obstacle may go. And once: tl_writer_say_losses prints
 * at the end what was lost. `say`: tl_message_say, or tl_message_say_apart on the writer's thread.
 */
void tl_writer_say_trouble(void (*say)(const char *line));

/* The pen's holder makes no progress: print that, without the pen. */
void tl_writer_say_stuck(void);

/* --- writer_thread.c; no pen is needed */

/* The writer's thread runs, or starts. */
bool tl_writer_has_thread(void);

/*
 * The writer's thread writes everything, and an end. False: it makes no progress, or has ended.
 * `helps`: meanwhile, the calling thread encodes for it (ahead.h).
 */
bool tl_writer_ask_thread(bool helps);

#endif
