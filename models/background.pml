/* SPDX-License-Identifier: MIT */
/*
 * background.pml: a model for spin: how the background thread is started, woken and ended.
 *
 * It is layer/device/background.c, reduced to its shared memory. Threads of the program note that
 * there is work, and look at the state of the background thread. That thread takes the work,
 * sleeps, and ends after a while. For a moment two may exist: one that ends and one that begins.
 *
 * Memory is that of x86 (TSO). What a thread of the program notes lies in its store buffer until it
 * becomes visible: at any time, at its next locked instruction, or by the barrier. The background
 * thread changes the state by locked instructions. With -DNO_BARRIER there is no barrier; with
 * -DNO_LOOK the thread does not look again after it has stored its new state. The checks below must
 * fail then; tests/house/models.sh checks that.
 *
 * Properties, as assertions and an end-state check:
 *	nothing left	when all work is noted and no thread works or is about to, there is no work
 *			left
 *	one at work	no two threads work at once
 *	it ends		no deadlock
 */
#define NOTERS	2
#define TIMES	2

mtype = { NONE, AWAKE, ASLEEP };

mtype state = NONE;
byte noted = 0;			/* in memory */
byte pending[NOTERS] = 0;	/* in store buffers */
byte threads = 0;		/* begun and not ended */
byte sleeping = 0;		/* of these, in the futex */
byte working = 0;
byte done = 0;			/* noters that have ended */

inline flush(who)
{
	d_step {
		noted = noted + pending[who];
		pending[who] = 0;
	}
}

inline barrier()
{
#ifndef NO_BARRIER
	d_step {
		noted = noted + pending[0] + pending[1];
		pending[0] = 0;
		pending[1] = 0;
	}
#else
	skip;
#endif
}

/* The hardware: what is pending may become visible at any time. */
active [NOTERS] proctype buffer()
{
end:	do
	:: atomic { pending[_pid] > 0 -> flush(_pid) }
	od
}

proctype thread()
{
	mtype to;

round:	atomic {
		working++;
		assert(working == 1);
	}
	noted = 0;
	working--;
	if
	:: noted > 0 -> goto round
	:: skip				/* it looked before that */
	fi;

	/* thread_goes_to(ASLEEP) */
	if
	:: atomic { state == AWAKE -> state = ASLEEP }
	:: atomic { else -> goto round }
	fi;
	barrier();
#ifndef NO_LOOK
	if
	:: noted > 0 ->
		if
		:: atomic { state == ASLEEP -> state = AWAKE; goto round }
		:: else
		fi
	:: else
	fi;
#endif
	/* Sleep until it is woken, or for a while. */
	atomic {
		sleeping++;
	}
	if
	:: atomic { state != ASLEEP -> sleeping-- }
	:: atomic { state == ASLEEP -> sleeping--; goto end_it }
	fi;
	goto round;

	/* thread_goes_to(NONE) */
end_it:	if
	:: atomic { state == ASLEEP -> state = NONE }
	:: atomic { else -> goto round }
	fi;
	barrier();
#ifndef NO_LOOK
	if
	:: noted > 0 ->
		if
		:: atomic { state == NONE -> state = AWAKE; goto round }
		:: else
		fi
	:: else
	fi;
#endif
	threads--;
}

proctype noter(byte me)
{
	byte times = 0;
	mtype seen;

	do
	:: times < TIMES ->
		pending[me] = pending[me] + 1;
		seen = state;
		if
		:: seen == AWAKE
		:: seen == ASLEEP ->
			flush(me);
			if
			:: atomic { state == ASLEEP -> state = AWAKE }
			:: else
			fi
		:: seen == NONE ->
			flush(me);
			if
			:: atomic { state == NONE -> state = AWAKE; threads++; run thread() }
			:: else
			fi
		fi;
		times++
	:: else -> break
	od;
	done++;
}

/* No thread works or is about to: each has ended, or sleeps and has not been woken. */
active proctype check()
{
	atomic {
		done == NOTERS && pending[0] == 0 && pending[1] == 0 && threads == sleeping && (threads == 0 || state == ASLEEP);
		assert(noted == 0);
	}
}

init {
	atomic {
		run noter(0);
		run noter(1);
	}
}
