/* SPDX-License-Identifier: MIT */
/*
 * tracer.pml: a model for spin: enabling, calling, disabling and destroying a tracer.
 *
 * It is the algorithm of layer/calls/tracers.c, reduced to its shared memory. A dispatch table is a number: table 0
 * has no callback, table 1 has the tracer's callback, and so on: odd tables have it. The controller
 * publishes tables, retires them, frees a retired table that no thread has pinned, and destroys the
 * tracer. Callers pin the table that they use.
 *
 * Memory is that of x86 and weaker (TSO): every thread has a store buffer, and other threads see a
 * store some time later. membarrier() empties the buffers of all threads. With -DNO_BARRIER it does
 * nothing, and the checks below must fail; tests/house/models.sh checks that.
 *
 * Properties, as assertions and an end-state check:
 *	no use after free	a table in use has not been freed
 *	pairs			a call that ran the prologue runs the epilogue of the same tracer;
 *				no other call does
 *	drain			nothing of the tracer runs after destroy has returned
 *	destroy ends		no deadlock (spin's invalid end states): a missed wake-up would
 *				leave the controller asleep. It ends even if a call that the tracer
 *				is not in never returns
 */
#define CALLERS 2
#define DEPTH	2
#define TABLES	4
#define SLOTS	(CALLERS * DEPTH)

/* Memory as all threads see it. */
byte dispatch = 0;
byte pin[SLOTS] = 255;		/* 255: none */
bool waiting = false;		/* a destroy is asleep, or about to be */
byte wakes = 0;			/* the futex word */

/*
 * Store buffers: one pending store for each of a caller's pins and for the word after it, in order.
 */
byte pending_slot[SLOTS] = 255;
byte pending_value[SLOTS];
byte pending_count[CALLERS] = 0;

bool freed[TABLES] = false;
bool destroyed = false;

inline flush_one(t)
{
	/* The oldest pending store of caller t reaches memory. */
	d_step {
		pin[pending_slot[t * DEPTH]] = pending_value[t * DEPTH];
		pending_slot[t * DEPTH] = pending_slot[t * DEPTH + 1];
		pending_value[t * DEPTH] = pending_value[t * DEPTH + 1];
		/* Clear unused values, so that equal states are one state. */
		pending_slot[t * DEPTH + 1] = 255;
		pending_value[t * DEPTH + 1] = 0;
		pending_count[t] = pending_count[t] - 1;
	}
}

/* The hardware: any pending store may become visible at any time. */
active [CALLERS] proctype buffer()
{
end:	do
	:: atomic { pending_count[_pid] > 0 -> flush_one(_pid) }
	od
}

inline store_pin(slot, value)
{
	atomic {
		pending_count[me] < DEPTH ->
		pending_slot[me * DEPTH + pending_count[me]] = slot;
		pending_value[me * DEPTH + pending_count[me]] = value;
		pending_count[me] = pending_count[me] + 1
	}
}

inline membarrier()
{
#ifndef NO_BARRIER
	atomic {
		do
		:: pending_count[0] > 0 -> flush_one(0)
		:: pending_count[0] == 0 && pending_count[1] > 0 -> flush_one(1)
		:: pending_count[0] == 0 && pending_count[1] == 0 -> break
		od
	}
#else
	skip
#endif
}

inline unpin(slot)
{
	store_pin(slot, 255);
	if
	:: waiting -> atomic { pending_count[me] == 0 -> wakes = wakes + 1 }	/* a locked add: empties the buffer first */
	:: else -> skip
	fi
}

/*
 * Pin a table: load, store the pin, load again. The caller may use the table only if it is still
 * the published one.
 */
inline enter(slot, table)
{
	do
	:: table = dispatch;
	   store_pin(slot, table);
	   if
	   :: table == dispatch -> break
	   :: else -> unpin(slot)		/* a destroy may have seen it, and sleep for it */
	   fi
	od;
	assert(!freed[table]);
	assert(table % 2 == 0 || !destroyed)		/* prologue */
}

inline leave(slot, table)
{
	assert(!freed[table] && (table % 2 == 0 || !destroyed));	/* epilogue */
	unpin(slot)
}

/* Calls without this tracer may take for ever: destroy must not wait for them. */
inline drive(table, within)
{
	if
	:: table % 2 == 0 && within % 2 == 0 -> end_blocked: false
	:: true
	fi
}

/*
 * Two models, since one for everything would have too many states: two threads, each of which makes a call; and, with
 * -DNESTED, one thread that makes a call with another inside it, left by a return or, both at once,
 * by longjmp, and ends. Another thread takes its frames then, and makes a call.
 */
proctype caller(byte me)
{
	byte outer, inner;

	enter(me * DEPTH, outer);
#ifdef NESTED
	enter(me * DEPTH + 1, inner);
	drive(inner, outer);
	leave(me * DEPTH + 1, inner);
	leave(me * DEPTH, outer);
	atomic { pending_count[me] == 0 -> skip };	/* giving the frames back, and taking them, are atomic operations */
	enter(me * DEPTH, outer);
#else
	drive(outer, outer);
#endif
	leave(me * DEPTH, outer)
}

#define PINNED(table) (pin[0] == table || pin[1] == table || pin[2] == table || pin[3] == table)

/* Free a retired table if no caller has it pinned; otherwise leave it to a later writer. */
inline reclaim(table)
{
	if
	:: !PINNED(table) -> freed[table] = true
	:: else -> skip
	fi
}

proctype controller()
{
	byte seen;

	dispatch = 1;			/* enable */
	membarrier();
	reclaim(0);
	dispatch = 2;			/* disable */
	membarrier();
	reclaim(1);
	dispatch = 3;			/* enable again, at once */
	membarrier();
	reclaim(2);
	/*
	 * disable: back to a table without the callback. Table 0 may be gone, so the code makes a new
	 * table; here it has the number 2 again.
	 */
	freed[2] = false;
	dispatch = 2;
	membarrier();

	waiting = true;			/* destroy */
	membarrier();
	do
	:: seen = wakes;
	   if
	   :: PINNED(1) || PINNED(3) -> (wakes != seen)	/* futex wait */
	   :: else -> break
	   fi
	od;
	waiting = false;
	destroyed = true;
	reclaim(1);
	reclaim(3)
}

init
{
	atomic {
		run caller(0);
#ifndef NESTED
		run caller(1);
#endif
		run controller()
	}
}
