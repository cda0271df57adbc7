/* SPDX-License-Identifier: MIT */
/*
 * trace_file.h: the record format. Two kinds of file have it:
 *
 * 	buffers	what a traced process records into, mapped into its memory. Such a file outlives the
 * 		process, however it ends, and `tracelayer recover` makes a trace of what the process
 * 		had not written yet.
 * 	spool	a .tlt: records as they were made, written by the process and encoded by `tracelayer
 * 		export`.
 *
 * A file is a header and, behind it, pieces. Each piece begins with a head that says its kind and
 * its size, at a multiple of the header's .alignment. In a spool piece follows piece to the end of
 * the file. In buffers pieces are added while the process runs, each of a size that is a multiple
 * of the alignment; where one is being added the words are zero, and the next piece is at some
 * later multiple of the alignment, or there is none. A reader skips kinds that it doesn't know.
 *
 * Everything is in the byte order of the machine that made it, which .byte_order tells. The process
 * writes fields of buffers while others may read them, and may be killed between any two stores:
 * each field's comment says what it means without the later ones. A file may be damaged, or made to
 * harm: a reader trusts no size, count or offset in it.
 *
 * doc/tracelayer-record.5 is this text for users; format/file/record_reader.h reads such files.
 */
#ifndef TL_FORMAT_FILE_TRACE_FILE_H
#define TL_FORMAT_FILE_TRACE_FILE_H

#include <stdint.h>

#include "common/output_formats.h"
#define TRACELAYER_PROFILER_PARTS
#include "tracelayer/profiler.h"
#include "tracelayer/shim.h"

#define TL_FILE_MAGIC	   "tracelyr"
#define TL_FILE_VERSION	   1
#define TL_FILE_BYTE_ORDER 0x01020304u
#define TL_FILE_PAGE	   4096u

enum tl_file_kind {
	/* buffers that are being made: only the magic, the version and the byte order are there */
	TL_FILE_UNBEGUN = 0,
	TL_FILE_BUFFERS = 1,
	TL_FILE_SPOOL = 2,
};

/* The state of buffers. */
enum tl_file_state {
	TL_FILE_LIVE = 0, /* there may be records that the output lacks */
	/* the output has all of them, and its end; the file may be deleted */
	TL_FILE_DONE = 1,
};

enum tl_file_recording {
	TL_FILE_RECORDS = 0,
	TL_FILE_PAUSED = 1,
	TL_FILE_STOPPED = 2,  /* for good, as the following ones */
	TL_FILE_CONFINED = 3, /* the program confines itself by a seccomp filter */
};

/* A request from outside, in the low bits of .request. */
enum tl_file_request {
	TL_REQUEST_NONE = 0,
	TL_REQUEST_PAUSE = 1,
	TL_REQUEST_RESUME = 2,
	TL_REQUEST_SNAPSHOT = 3,
	TL_REQUEST_STOP = 4,
	TL_REQUEST_WATCH = 5, /* keep open calls while nothing is recorded, too */
	TL_REQUEST_UNWATCH = 6,
};
#define TL_REQUEST_BITS 3

/*
 * At offset 0, padded with zeros to a page. Buffers have the magic from their first moment on;
 * their kind is stored last.
 */
struct tl_file_header {
	char magic[8];
	uint32_t version;
	uint32_t byte_order;
	uint32_t kind;	      /* enum tl_file_kind */
	uint32_t header_size; /* where the first piece may be: TL_FILE_PAGE */
	uint32_t alignment;   /* of pieces: TL_FILE_PAGE in buffers, 8 in a spool */
	/* ticks are of 1: the counter register, 0: nanoseconds of CLOCK_MONOTONIC */
	uint32_t counter;
	uint32_t pid, uid;	/* the process's; pid as it sees itself */
	uint64_t start_time;	/* of the process, field 22 of /proc/PID/stat */
	uint64_t pid_namespace; /* inode of its /proc/self/ns/pid; 0: unknown */
	char boot[40];		/* /proc/sys/kernel/random/boot_id */
	char session[64];	/* TRACELAYER_SESSION */
	uint64_t capacity;	/* buffers: bytes that all pieces may take */

	/*
	 * Buffers only: by these, the process and the command talk to each other. The command maps
	 * the file for that.
	 */
	_Atomic uint32_t state; /* enum tl_file_state */
	/*
	 * futex word (not private) that the process's writer sleeps on while it is 1; wake it by a
	 * store of 0
	 */
	_Atomic uint32_t wake;
	/*
	 * a number, counted up by compare and exchange, << TL_REQUEST_BITS | enum tl_file_request
	 */
	_Atomic uint32_t request;
	/* the last .request that was carried out; futex word (not private) */
	_Atomic uint32_t answer;
	_Atomic uint32_t recording; /* enum tl_file_recording */
	/*
	 * 1: there is a writer thread, and a request is answered at once. 0: at the next chunk's
	 * end
	 */
	_Atomic uint32_t listens;
	_Atomic uint32_t watched; /* 1: open calls are kept though nothing is recorded */
	_Atomic uint32_t resumed; /* how many times recording began after the start */

	/*
	 * Of both kinds: nanoseconds that the process's CLOCK_MONOTONIC is ahead of the machine's:
	 * its time namespace's. Older spools have zeros here
	 */
	int64_t time_offset;
	uint32_t has_time_offset; /* 1: that is set. Older files have 0 */
};

#define TL_PIECE_MAGIC 0x43504c54u /* "TLPC" */

enum tl_piece_kind {
	TL_PIECE_FACTS = 1,  /* struct tl_facts_piece: about the process */
	TL_PIECE_OUTPUT = 2, /* struct tl_output_piece; buffers only */
	TL_PIECE_CLOCK = 3,  /* struct tl_clock_piece; in a spool the last one counts */
	TL_PIECE_API = 4,    /* struct tl_api_piece: what functions and parameters are called */
	/* struct tl_thread_piece; in a spool a later one of the same lane replaces the earlier */
	TL_PIECE_THREAD = 5,
	TL_PIECE_CHUNK = 6,   /* struct tl_chunk_piece */
	TL_PIECE_END = 7,     /* struct tl_end_piece; the end of a finished spool */
	TL_PIECE_STRINGS = 8, /* struct tl_strings_piece: texts that events refer to by number */
	TL_PIECE_LANES = 9,   /* struct tl_lanes_piece: lanes that are no thread's */
	/* struct tl_labels_piece: a thread's labels; buffers only, and for who looks on */
	TL_PIECE_LABELS = 10,
};

struct tl_piece {
	uint32_t magic; /* stored after .kind and .size */
	uint32_t kind;	/* enum tl_piece_kind */
	uint64_t size;	/* bytes, this head included */
};

/* Strings are cut where they don't fit, and always ended. */
struct tl_facts {
	uint32_t pid;
	uint32_t has_rank;
	int64_t rank;			    /* of an MPI launcher */
	uint64_t monotonic_ns, realtime_ns; /* the same instant */
	char program[256];
	char host[72];
	uint32_t members_size;
	/*
	 * The inside of a JSON object: the args of the trace's "tracelayer" metadata event. What
	 * they don't fill, a piece may leave out.
	 */
	char members[15 * 1024];
};

struct tl_facts_piece {
	struct tl_piece piece;
	struct tl_facts facts;
};

/*
 * Ticks to nanoseconds: a broken line. See layer/buffers/clock.c for how it grows; .slope is that
 * of the piece that follows a point.
 */
#define TL_CLOCK_POINTS 1024u
#define TL_CLOCK_SHIFT	40 /* slopes are nanoseconds per tick times 2 to the 40 */

struct tl_clock_point {
	_Atomic uint64_t ticks, ns, slope;
};

struct tl_clock_table {
	_Atomic uint32_t version; /* odd while points change */
	_Atomic uint32_t count;
	_Atomic uint64_t horizon; /* no tick beyond this was converted yet */
	struct tl_clock_point points[TL_CLOCK_POINTS];
};

struct tl_clock_piece {
	struct tl_piece piece;
	struct tl_clock_table table;
};

/* Most that an API's description takes (format/file/describe.h). */
struct tl_api_piece {
	struct tl_piece piece;
	uint32_t number; /* records' .function has it in the upper half */
	uint32_t size;	 /* bytes of the description, which follows */
};

/*
 * A thread. Readers show calls of .open that have a .frame other than 0 and TL_NO_FRAME as
 * unfinished, unless .mode has TL_OPEN_FINISHED or the lane's last record is of the same start and
 * function: then it was killed just before it freed the entry. A start of 0: the call was still in
 * its tracers' prologues, or is only traced.
 */
struct tl_thread_piece {
	struct tl_piece piece;
	/* number, from 1, unique in the process's life; 0: the piece is not in use. Stored last */
	_Atomic uint32_t lane;
	uint32_t tid; /* the kernel's */
	/*
	 * its tid in the output: the kernel's, or another if an earlier lane is shown by that one
	 */
	uint32_t shown;
	/*
	 * how many entries .open has. In a spool those that had not returned when the process
	 * ended
	 */
	uint32_t opens;
	char name[16]; /* as the kernel reports it */
	/* events that there was no room for, of all threads that had this piece */
	_Atomic uint64_t lost;
	_Atomic uint64_t lost_said; /* of those, the ones that LOST records report */
	uint64_t owner;		    /* the process's own */
	/* events that newer ones have overwritten: TRACELAYER_FULL=ring */
	_Atomic uint64_t overwritten;
	_Atomic uint64_t ended; /* 1: its thread is ending, or gone */
	/*
	 * where the piece has a uint32_t for each entry of .open: the number of its stack's text, 0:
	 * none. 0: nowhere
	 */
	uint32_t stacks;
	uint32_t unused;
	struct tl_open_call floor; /* below the stack; never a call */
	struct tl_open_call open[];
};

/* What .frame and .mode say of a call of .open: it is recorded, and has not returned. */
static inline bool tl_piece_call_is_open(uintptr_t frame, uint32_t mode)
{
	return frame && frame != TL_NO_FRAME && !(mode & (TL_OPEN_FINISHED | TL_MODE_OPEN));
}

/* The number of the stack that a call of .open is made from; 0: none. */
static inline uint32_t tl_piece_stack(const struct tl_thread_piece *piece,
				      const struct tl_open_call *open)
{
	if (!(open->mode & TL_MODE_STACK) || !piece->stacks)
		return 0;
	return ((const uint32_t *)((uintptr_t)piece + piece->stacks))[open - piece->open];
}

/*
 * Records of one lane, one after the other, from .records on. While .end is 0 the chunk is still
 * being filled: its records end where nothing but zeros follows.
 *
 * The output has its records up to .taken if the output's .block is at least .block, else up to
 * .kept.
 */
struct tl_chunk_piece {
	struct tl_piece piece;
	/* 0: free, whatever the rest says. Stored last when it is taken, first when it is freed */
	_Atomic uint32_t lane;
	uint32_t records;	 /* bytes from the piece's start to the first record */
	_Atomic uint64_t number; /* counts the lane's chunks, from 1 */
	_Atomic uint64_t end;	 /* bytes of records once it is full or handed over */
	_Atomic uint64_t kept, taken, block;
	/*
	 * a record that was unfinished when the records around it were written; 0: none. See
	 * TL_HOLE_PLACE
	 */
	_Atomic uint64_t hole;
	uint64_t unused[7];
};

/*
 * .hole is one word, so that a kill can't come between its halves: 1 + the record's place, and in
 * the upper half the block that has the record now; 0: no block has it. The output has the record
 * if that block is not 0 and the output's .block is at least as large.
 */
#define TL_HOLE_PLACE(hole)   ((uint32_t)(hole)-1)
#define TL_HOLE_BLOCK(hole)   ((hole) >> 32)
#define TL_HOLE(place, block) ((uint64_t)(uint32_t)(block) << 32 | (uint32_t)((place) + 1))

/* How much of the output file is written. */
struct tl_output_slot {
	/* where the next block belongs; the file has an end after it, or a torn block */
	uint64_t offset;
	uint64_t events;    /* in the file */
	uint64_t dropped;   /* lost, since the file did not take them */
	uint32_t crc, size; /* gzip: of the content of the file's blocks */
	uint32_t blocks;    /* in this file; 0: not even its beginning is written */
	uint32_t unused;
};

struct tl_output_piece {
	struct tl_piece piece;
	/*
	 * how many blocks reached a file; the state after them is in .slots[block % 2], which is
	 * stored before
	 */
	_Atomic uint64_t block;
	struct tl_output_slot slots[2];
	_Atomic uint32_t made; /* 1: what follows is set */
	uint32_t format;       /* enum tl_output_format */
	uint32_t gzip;
	uint32_t number; /* of the files of a split output, from 0 */
	uint64_t device, inode;
	char path[4096]; /* absolute */
	/* what .path is made from: TRACELAYER_OUTPUT, made absolute. Always set */
	char pattern[2048];
};

/*
 * Texts. A text's number is its piece's .index << TL_STRINGS_BITS | .first + its place in .units.
 * It begins with a unit that has its size in bytes and a hash, and fills whole units. A size of 0:
 * no text begins here.
 */
#define TL_STRINGS_BITS 13
#define TL_STRINGS_SIZE (8u << TL_STRINGS_BITS) /* of a piece in buffers, its head included */

struct tl_strings_unit {
	uint32_t size; /* stored last */
	uint32_t hash;
};

struct tl_strings_piece {
	struct tl_piece piece;
	uint32_t index; /* a spool may have several of an index, for other units */
	uint32_t first; /* number of .units[0], without the index */
	uint64_t unused;
	struct tl_strings_unit units[]; /* up to the piece's end */
};

/* Lanes that are no thread's: a device's queue, a program's own. */
struct tl_lane_entry {
	_Atomic uint32_t lane; /* number, in one series with the threads'; 0: none. Stored last */
	uint32_t shown;	       /* its tid in the output: none that the kernel gives */
	uint32_t name;	       /* a string */
	int32_t sort;	       /* lanes with larger numbers come further down; threads have 0 */
	uint64_t unused[2];
};

struct tl_lanes_piece {
	struct tl_piece piece;
	uint64_t unused[2];
	struct tl_lane_entry lanes[]; /* up to the piece's end */
};

/* Texts are addresses in the process. .thread is 0 if the labels belong to no thread. */
struct tl_labels_piece {
	struct tl_piece piece;
	struct tl_labels labels;
};

/*
 * One instant on both clocks: .realtime_ns is right to .error_ns, by how long the reading took. Zeros:
 * unknown.
 */
struct tl_clock_pair {
	uint64_t monotonic_ns, realtime_ns, error_ns;
};

/* How right the time of day was then, by the kernel (adjtimex). */
enum tl_time_known {
	TL_TIME_UNKNOWN = 0,
	TL_TIME_SYNCHRONIZED = 1,
	TL_TIME_ALONE = 2, /* nobody synchronizes it: .error_ns says nothing */
};

struct tl_time_of_day {
	uint64_t error_ns, estimate_ns; /* the most that it may be off, and what is likely */
	uint32_t known;			/* enum tl_time_known */
};

struct tl_end_piece {
	struct tl_piece piece;
	uint64_t events, lost;
	/* the tick up to which calls that had not returned are shown; may be 0 if there are none */
	uint64_t last;
	/*
	 * events that newer ones in rings have overwritten. Files of older versions end before it
	 */
	uint64_t overwritten;
	/*
	 * the process's clocks when it ended the file; zeros if recover ended it. Files of older
	 * versions end before it
	 */
	struct tl_clock_pair clocks;
	/* the same, then. Files of older versions end before it */
	struct tl_time_of_day time_of_day;
	/* how many times recording began after the start: calls before that may be missing */
	uint32_t resumed;
	/* calls whose stacks there was no room for, as far as the number fits; older files have 0 */
	uint32_t stackless;
};

#endif
