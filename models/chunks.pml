/* SPDX-License-Identifier: MIT */
/*
 * chunks.pml: a model for spin: how records get from a thread into the file, or to recovery.
 *
 * It is layer/buffers, layer/write and format/file/trace_file.h, reduced to their shared memory,
 * with the names of the functions there (current_open for tl_current_open): a thread that records;
 * its signal handler, at any instruction where signals are not blocked; the writer; and a SIGKILL
 * between any two stores. A chunk has room for PLACES records. A record is its first word (nothing,
 * its size, its type) and one more word, its number, which is torn while it is 0.
 *
 * Three models:
 *	(none)		grow: a thread, its handler, and the writer, which is asked for a flush at
 *			some time
 *	-DHELP		grow without a writer: two threads; each writes itself when it finds no free
 *			chunk
 *	-DRING		the flight recorder: the thread reuses its oldest chunk; snapshots are taken
 *			meanwhile; what is read of a thread that has ended is free
 *
 * A kill is not a process of the model. What recovery would find is a function of the memory that
 * survives. So it is an expression (SAVED), and the property below is asserted in every state.
 * Memory is sequentially consistent: a dead process leaves what its threads had done, each up to
 * some instruction. Between living threads every hand-over is one word, stored with release and
 * read with acquire.
 *
 * Properties, in every state:
 *	none lost	a committed record is in the file, or recovery finds it, or (ring) it is
 *			counted as overwritten
 *	none twice	no record is twice in the file, or both in the file and recovered; a record
 *			that is counted as overwritten is not in the file
 *	none torn	a reader of a committed record reads all of it, also when the chunk is
 *			reused
 *	it ends		no deadlock; at the end all records are in the file, or counted
 *
 * Each order of stores that matters can be undone by a -D (BODY_LATE, TAKEN_EARLY, FREE_EARLY,
 * CLEAR_EARLY, FREE_UNREAD, HOLE_PLAIN, NO_OWNER, NO_TURN, LIVE_LAST). Then spin must find the harm;
 * tests/house/models.sh checks that.
 */
#define LANES	2
#define PLACES	2
#if defined(HELP)
#define CHUNKS	3
#define MAIN	3		/* records of each thread */
#define HANDLED	0
#elif defined(RING)
#define CHUNKS	3
#define MAIN	5
#define HANDLED	1
#else
#define CHUNKS	3
#define MAIN	4
#define HANDLED	2
#endif
#define IDS	8		/* record numbers from 1 */
#define SLOTS	6		/* CHUNKS * PLACES */
#define NONE	255

/* ---- memory that survives */

byte head[SLOTS];		/* 0, or 1: size stored, 2: committed, 3: PAD */
byte body[SLOTS];
bit owned[CHUNKS];		/* .lane != 0 */
byte kept[CHUNKS], taken[CHUNKS], block[CHUNKS];
byte hole[CHUNKS];		/* .hole's lower half: 1 + place */
byte hole_block[CHUNKS];	/* and its upper half: the block that has it; 0: none yet. One word, stored at once */
byte blocks = 0;		/* that are in the file */

/* ---- the file, and the block that is being made */

byte filed[IDS];		/* how often a record is in the file */
byte pending[IDS];
bit begun;			/* there is something in it */

/* ---- the process's own */

byte current[LANES] = NONE;	/* chunk */
byte position[LANES], limit[LANES];	/* next place in it; where it ends (0: no chunk) */
byte turn[LANES];		/* counts chunks: in positions, and in .limit */
bit sealed[CHUNKS];
byte read[CHUNKS];		/* the reader's: how far */
byte queue[CHUNKS], queued;	/* oldest first: the stack, turned around */
byte list[CHUNKS], listed;	/* the reader's */
bit free[CHUNKS] = 1;
bit pen;			/* the writer's lock: its holder reads */
byte done;			/* threads and handlers that have ended */
bit ended;			/* the thread; no handler comes any more */
byte overwritten[IDS];
byte committed[IDS];

/* ---- what would be recovered */

#define HAS(c)		(blocks >= block[c] -> taken[c] : kept[c])
#define SLOT(c, p)	((c) * PLACES + (p))
#define IN_HOLE(c, p)	(hole[c] == (p) + 1 && (hole_block[c] == 0 || hole_block[c] > blocks))
#define SAVES(id, c, p)	(owned[c] && head[SLOT(c, p)] == 2 && body[SLOT(c, p)] == (id) && ((p) >= HAS(c) || IN_HOLE(c, p)))
#define SAVED(id)	(SAVES(id, 0, 0) + SAVES(id, 0, 1) + SAVES(id, 1, 0) + SAVES(id, 1, 1) + SAVES(id, 2, 0) + SAVES(id, 2, 1))

#define RIGHT(id)	(filed[id] + SAVED(id) <= 1 && filed[id] + overwritten[id] <= 1 && \
			 filed[id] + SAVED(id) + overwritten[id] >= committed[id])
#define ALL_RIGHT	(RIGHT(1) && RIGHT(2) && RIGHT(3) && RIGHT(4) && RIGHT(5) && RIGHT(6) && RIGHT(7))

/* This process can move only in a state that violates a property. */
active proctype killed()
{
end:	atomic { !(ALL_RIGHT) -> assert(ALL_RIGHT) }
}

/* ---- recording */

bit handling, blocked, handler_over;

/* Store a record where it was given a place. */
inline record_fill(slot, id)
{
	head[slot] = 1;
#ifndef BODY_LATE
	body[slot] = id;
	d_step { head[slot] = 2; committed[id] = 1 };
#else
	d_step { head[slot] = 2; committed[id] = 1 };
	body[slot] = id;
#endif
}

/* Make the chunk ready for lane l; store .lane last. */
inline current_open(l, c)
{
	d_step { kept[c] = 0; taken[c] = 0; block[c] = 0; hole[c] = 0; hole_block[c] = 0; read[c] = 0; sealed[c] = 0 };
	owned[c] = 1;
	d_step { current[l] = c; position[l] = 0; limit[l] = PLACES }
}

/* The chunk becomes free: clear .lane first, and then its records. */
inline chunk_clear(c)
{
#ifdef CLEAR_EARLY
	d_step { kept[c] = 0; taken[c] = 0; block[c] = 0 };
#endif
	owned[c] = 0;
	head[SLOT(c, 0)] = 0;
	body[SLOT(c, 0)] = 0;
	head[SLOT(c, 1)] = 0;
	body[SLOT(c, 1)] = 0
}

#ifndef RING

inline current_seal(l)
{
	d_step { turn[l]++; limit[l] = 0; position[l] = 0 };
	if
	:: current[l] != NONE ->
		sealed[current[l]] = 1;
		d_step { queue[queued] = current[l]; queued++ };
		current[l] = NONE
	:: else
	fi
}

inline chunk_get(l, c)
{
	c = 0;
	do
	:: d_step { free[0] -> free[0] = 0; c = 0 } break
	:: d_step { !free[0] && free[1] -> free[1] = 0; c = 1 } break
	:: d_step { !free[0] && !free[1] && free[2] -> free[2] = 0; c = 2 } break
#ifdef HELP
	:: atomic { !free[0] && !free[1] && !free[2] && !pen -> pen = 1 };
	   writer_drain(false);
	   pen = 0
#endif
	od
}

inline next_chunk(l)
{
	current_seal(l);
	chunk_get(l, c);
	current_open(l, c)
}

#else

/*
 * The ring. One word decides who owns a chunk: whose turn it is (.turn_of), whether it is sealed,
 * and whether the reader has it. By a compare and exchange of that word, the producer reuses a
 * chunk that is sealed and not taken, and the reader takes a chunk of the turn that it expects.
 */
byte turn_of[CHUNKS];
bit reader_has[CHUNKS];

/* True if interrupted code still writes to a place of chunk c. */
#define UNFINISHED(c)	(head[SLOT(c, 0)] < 2 || head[SLOT(c, 1)] < 2)
/* It may be reused, if the compare and exchange finds its turn unchanged. */
#define REUSABLE(c)	(sealed[c] && !reader_has[c])

#define UNWRITTEN(c, p)	(head[SLOT(c, p)] == 2 && (taken[c] <= (p) || hole[c] == (p) + 1))

inline ring_count_overwritten(c)
{
	d_step {
		if :: UNWRITTEN(c, 0) -> overwritten[body[SLOT(c, 0)]]++ :: else fi;
		if :: UNWRITTEN(c, 1) -> overwritten[body[SLOT(c, 1)]]++ :: else fi
	}
}

/* The oldest sealed chunk that was not looked at yet, in the order of the producer's list. */
inline ring_oldest(after, c)
{
	d_step {
		c = NONE;
		if :: turn_of[0] > after && sealed[0] -> c = 0 :: else fi;
		if :: turn_of[1] > after && sealed[1] && (c == NONE || turn_of[1] < turn_of[c]) -> c = 1 :: else fi;
		if :: turn_of[2] > after && sealed[2] && (c == NONE || turn_of[2] < turn_of[c]) -> c = 2 :: else fi
	}
}

inline chunk_get(l, c)
{
	byte after = 0;
	do
	:: d_step { free[0] -> free[0] = 0; c = 0 } break
	:: d_step { !free[0] && free[1] -> free[1] = 0; c = 1 } break
	:: d_step { !free[0] && !free[1] && free[2] -> free[2] = 0; c = 2 } break
	:: !free[0] && !free[1] && !free[2] ->
		ring_oldest(after, c);
		if
		:: c == NONE -> break
		:: else ->
			after = turn_of[c];
#ifndef NO_OWNER
			if
			:: atomic { REUSABLE(c) -> sealed[c] = 0; turn_of[c] = 0 }	/* the compare and exchange */
				if
				:: UNFINISHED(c) -> atomic { sealed[c] = 1; reader_has[c] = 0; turn_of[c] = after }
				:: else -> ring_count_overwritten(c); chunk_clear(c); break
				fi
			:: else			/* the reader has it: the next */
			fi
#else
			if
			:: REUSABLE(c) && !UNFINISHED(c) ->
				sealed[c] = 0;
				turn_of[c] = 0;
				ring_count_overwritten(c);
				chunk_clear(c);
				break
			:: else
			fi
#endif
		fi
	od;
	after = 0
}

inline next_chunk(l)
{
	d_step { turn[l]++; limit[l] = 0; position[l] = 0 };
	if
	:: current[l] != NONE -> sealed[current[l]] = 1; current[l] = NONE
	:: else
	fi;
	chunk_get(l, c);
	if
	:: c != NONE ->
		d_step { kept[c] = 0; taken[c] = 0; block[c] = 0; hole[c] = 0; hole_block[c] = 0; read[c] = 0; sealed[c] = 0 };
		atomic { turn_of[c] = turn[l]; reader_has[c] = 0 };
		owned[c] = 1;
		d_step { current[l] = c; position[l] = 0; limit[l] = PLACES }
	:: else
	fi
}

#endif

/*
 * A place in the current chunk, or in a new one. Where the handler has changed the chunk in
 * between, the place in the old one is given up.
 */
inline record(l, id)
{
	d_step { at = position[l]; mine = turn[l]; c = current[l]; position[l] = position[l] + (position[l] < PLACES + 1) };
	if
	:: mine == turn[l] && at < limit[l] -> skip
	:: else ->
		blocked = 1;
		if
		:: mine != turn[l] ->
			if
			:: c != NONE && at < PLACES -> head[SLOT(c, at)] = 3	/* PAD */
			:: else
			fi;
			d_step { at = position[l]; c = current[l]; position[l] = position[l] + (position[l] < PLACES + 1) }
		:: else -> at = PLACES
		fi;
		if
		:: at >= limit[l] ->
			next_chunk(l);
			at = 0;
			if :: c != NONE -> position[l] = 1 :: else fi
		:: else
		fi;
		blocked = 0
	fi;
	/* With no chunk (ring: the reader has them all) the newest is lost, and counted. */
	if
	:: c != NONE -> record_fill(SLOT(c, at), id)
	:: else
	fi;
	d_step { at = 0; mine = 0; c = NONE }
}

/* ---- writing; with the pen */

/* Put a record of a chunk into the block. */
inline block_encode(slot)
{
	d_step {
		if
		:: head[slot] == 2 ->
			assert(body[slot] != 0);	/* torn */
			pending[body[slot]]++
		:: else
		fi
	}
}

/*
 * Note how far the block goes in this chunk. How far the file went before stays noted until the block
 * is in the file.
 */
inline buffer_will_write(c)
{
	if
	:: taken[c] != read[c] ->
		begun = 1;
#ifdef TAKEN_EARLY
		kept[c] = taken[c];
		taken[c] = read[c];
		block[c] = blocks + 1
#else
		if
		:: block[c] <= blocks -> kept[c] = taken[c]; block[c] = blocks + 1
		:: else
		fi;
		taken[c] = read[c]
#endif
	:: else
	fi
}

/* The block reaches the file: one word says so. */
inline block_commit()
{
	d_step {
		if
		:: begun ->
			i = 0;
			do
			:: i < IDS -> filed[i] = filed[i] + pending[i]; pending[i] = 0; i++
			:: else -> break
			od;
			i = 0;
			begun = 0;
			blocks++
		:: else
		fi
	}
}

/* Read on in chunk c: finished records; at a flush, past one that is not finished, once. */
inline chunk_find_run(c, flush)
{
	do
	:: read[c] < PLACES && head[SLOT(c, read[c])] >= 2 -> block_encode(SLOT(c, read[c])); read[c]++
	:: read[c] < PLACES && head[SLOT(c, read[c])] < 2 && sealed[c] && flush && hole[c] == 0 ->
		hole[c] = read[c] + 1;
		read[c]++
	:: else -> break
	od;
	buffer_will_write(c)
}

/* A record that was skipped is finished now. */
inline chunk_find_late(c)
{
	if
	:: hole[c] != 0 && hole_block[c] == 0 && head[SLOT(c, hole[c] - 1)] >= 2 ->
#ifdef HOLE_PLAIN
		block_encode(SLOT(c, hole[c] - 1));
		begun = 1;
		block_commit();
		hole[c] = 0
#else
		/* One word says which block will have it: it counts when that block is in. */
		hole_block[c] = blocks + 1;
		block_encode(SLOT(c, hole[c] - 1));
		begun = 1;
		block_commit();
		d_step { hole[c] = 0; hole_block[c] = 0 }
#endif
	:: else
	fi
}

#ifndef RING

/* Move chunks that were handed over from the queue to the list. */
inline ready_refill()
{
	d_step {
		i = 0;
		do
		:: i < queued -> list[listed] = queue[i]; queue[i] = 0; listed++; i++
		:: else -> break
		od;
		queued = 0;
		i = 0
	}
}

#define READ(c)	(sealed[c] && read[c] >= PLACES && hole[c] == 0)

/* Write the first chunk of the list. Once the file has all of it, free the chunk. */
inline ready_write_first(flush)
{
	r = list[0];
	chunk_find_run(r, flush);
#ifndef FREE_EARLY
	block_commit();
#endif
	chunk_find_late(r);
	if
	:: READ(r) ->
		d_step { list[0] = list[1]; list[1] = list[2]; list[2] = 0; listed-- };
		chunk_clear(r);
		free[r] = 1
	:: else
	fi;
#ifdef FREE_EARLY
	block_commit();
#endif
	r = NONE
}

inline writer_drain(flush)
{
	ready_refill();
	if
	:: listed -> ready_write_first(flush)
	:: else
	fi
}

/*
 * Look up the live chunk first, and empty the queue then: so no older chunk of the thread is
 * overtaken.
 */
inline live_take(l)
{
	live = current[l];
	ready_refill();
	do
	:: listed ->
		first = list[0];
		ready_write_first(true);
		if
		:: listed && list[0] == first -> break	/* it has an unfinished record */
		:: else
		fi
	:: else -> break
	od;
	if
	:: live != NONE && owned[live] && !sealed[live] && current[l] == live && !listed -> chunk_find_run(live, false); block_commit()
	:: else
	fi;
	d_step { live = NONE; first = NONE }
}

#else

/*
 * Take the live chunk, and then the sealed ones, from the newest to the oldest. The producer reuses
 * the oldest first. So if it was faster with one chunk, it was also faster with all older ones, and
 * the chunks that are taken have no gap.
 */
#define BELOW(c)	(turn_of[c] < top && turn_of[c] < bottom)

/*
 * The producer could not reuse chunk c, and has reused newer ones: it is no part of the newest run.
 * What is finished later is counted then.
 */
inline chunk_discard(c)
{
	ring_count_overwritten(c);
	if
	:: head[SLOT(c, 0)] < 2 -> hole[c] = 1
	:: head[SLOT(c, 0)] >= 2 && head[SLOT(c, 1)] < 2 -> hole[c] = 2
	:: else -> hole[c] = 0
	fi;
	read[c] = PLACES;
	kept[c] = PLACES;
	taken[c] = PLACES;
	reader_has[c] = 0
}

inline ring_take_all(l)
{
	top = NONE;
	bottom = NONE;
#ifndef LIVE_LAST
	ring_take_live(l);
#endif
	do
	:: d_step {
		/* The newest below `top`, which a scan of all chunks has found. */
		r = NONE;
		if :: sealed[0] && turn_of[0] != 0 && BELOW(0) -> r = 0 :: else fi;
		if :: sealed[1] && turn_of[1] != 0 && BELOW(1) && (r == NONE || turn_of[1] > turn_of[r]) -> r = 1 :: else fi;
		if :: sealed[2] && turn_of[2] != 0 && BELOW(2) && (r == NONE || turn_of[2] > turn_of[r]) -> r = 2 :: else fi;
		want = (r == NONE -> 0 : turn_of[r])
	   };
	   if
	   :: r == NONE -> break
	   :: else ->
		if
		:: atomic { sealed[r] && turn_of[r] == want -> reader_has[r] = 1 }	/* the compare and exchange */
			if
			:: top == NONE || want == top - 1 ->
				d_step { list[2] = list[1]; list[1] = list[0]; list[0] = r; listed++ };
				top = want
			:: else -> chunk_discard(r); bottom = want
			fi
		:: else -> bottom = want
		fi
	   fi
	od;
#ifdef LIVE_LAST
	ring_take_live(l);
#endif
	/* No gap. */
	assert(listed < 2 || turn_of[list[0]] + 1 == turn_of[list[1]]);
	assert(listed < 3 || turn_of[list[1]] + 1 == turn_of[list[2]]);
	d_step { r = NONE; want = 0; top = 0; bottom = 0 }
}

/* The current chunk, even if it is sealed meanwhile, unless it is already reused. */
inline ring_take_live(l)
{
	do
	:: live = current[l];
	   if
	   :: live == NONE -> break
	   :: else ->
		want = turn_of[live];	/* 0: it was sealed since, and is being reused */
		if
#ifndef NO_TURN
		:: atomic { turn_of[live] == want && want != 0 -> reader_has[live] = 1 }
#else
		:: atomic { turn_of[live] == want -> reader_has[live] = 1 }
#endif
#ifndef LIVE_LAST
			top = want;
			d_step { list[0] = live; listed = 1 };
#else
			d_step { list[listed] = live; listed++ };
#endif
			break
		:: else
		fi
	   fi
	od;
	live = NONE
}

/* A chunk of a thread that has ended is free when all of it is in the file. */
inline ring_give_back(c)
{
	if
#ifndef FREE_UNREAD
	:: ended && sealed[c] && read[c] >= PLACES && hole[c] == 0 ->
#else
	:: ended && sealed[c] ->
#endif
		turn_of[c] = 0;
		chunk_clear(c);
		d_step { sealed[c] = 0; reader_has[c] = 0; free[c] = 1 }
	:: else -> reader_has[c] = 0
	fi
}

/* Write out what there is. */
inline snapshot(l)
{
	ring_take_all(l);
	do
	:: listed ->
		r = list[0];
		chunk_find_late(r);
		chunk_find_run(r, true);
#ifndef FREE_EARLY
		block_commit();
#endif
		ring_give_back(r);
#ifdef FREE_EARLY
		block_commit();
#endif
		d_step { list[0] = list[1]; list[1] = list[2]; list[2] = 0; listed-- }
	:: else -> break
	od;
	r = NONE
}

#endif

/* ---- the processes */

#ifndef HELP

active proctype thread() provided (!handling)
{
	byte at, mine, c = NONE, n = 1;

	do
	:: n <= MAIN -> record(0, n); n++
	:: else -> break
	od;
	skip;
	d_step { n = 0; ended = 1; done++ }
}

/* At any time, once. The interrupted thread goes on when the handler has ended. */
active proctype handler()
{
	byte at, mine, c = NONE, n = MAIN + 1;

	if
	:: atomic { !blocked && done == 0 -> handling = 1 };
		do
		:: n <= MAIN + HANDLED -> record(0, n); n++
		:: else -> break
		od
	:: done > 0
	fi;
	skip;
	d_step { n = 0; handling = 0; done++ }
}

active proctype writer()
{
	byte r = NONE, i, live = NONE, first = NONE;
#ifdef RING
	byte want, top, bottom;
	snapshot(0);
	snapshot(0);
	done == 2;
	snapshot(0);
	/* At the end each committed record is in the file, or counted. */
#else
	bit flushed;

	do
	:: queued || listed -> writer_drain(false)
	:: !flushed -> live_take(0); flushed = 1
	:: done == 2 -> break
	od;
	live_take(0);
	live_take(0);
#endif
	d_step {
		i = 1;
		do
		:: i < IDS -> assert(filed[i] + overwritten[i] == committed[i]); i++
		:: else -> break
		od;
		i = 0
	}
}

#else

active [2] proctype thread()
{
	byte at, mine, c = NONE, n = 1, me, r = NONE, i, live = NONE, first = NONE;

	me = _pid - 1;
	do
	:: n <= MAIN -> record(me, n + me * MAIN); n++
	:: else -> break
	od;
	/* The last to end writes the rest. */
	skip;
	d_step { n = 0; done++ };
	atomic { !pen -> pen = 1 };
	if
	:: done == 2 ->
		live_take(0);
		live_take(1);
		d_step {
			i = 1;
			do
			:: i < IDS -> assert(filed[i] == committed[i]); i++
			:: else -> break
			od;
			i = 0
		}
	:: else
	fi;
	pen = 0
}

#endif
