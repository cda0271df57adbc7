/* SPDX-License-Identifier: MIT */
/*
 * ahead.pml: a model for spin: how a thread that waits for the writer helps it to encode chunks.
 *
 * It is layer/write/ahead.c, reduced to its shared memory: the writer puts chunks under numbers, two
 * threads claim numbers and encode, and the writer takes what is ready in order, or gives up and
 * forgets all that it has put. Two threads of the program end it, and each offers its help; only one
 * helps at a time.
 *
 * The stores that release and the loads that acquire make each step below see what was stored before
 * it, so the model's memory is in order. Between two of them a thread may stop at any place.
 *
 *	-DNO_CLAIM	numbers are claimed by a load and a store
 *	-DNO_ROOM	the writer puts chunks although no place is free
 *	-DNO_STOP	the writer gives chunks back without waiting for who encodes them
 *	-DNO_OFFER	both threads that end the program help
 *
 * The checks below must fail then; tests/house/models.sh checks that.
 *
 * Properties, as assertions and an end-state check:
 *	one at a chunk	no two threads encode the same chunk, or at the same place
 *	one at a memory	no two threads use the helper's memory at once
 *	in order	what the writer takes was encoded from that chunk, once
 *	given back	nobody encodes a chunk that the writer has given back
 *	it ends		no deadlock
 */
#define PLACES	2
#define CHUNKS	4
#define PLACE(number)	((number) % PLACES)

byte published = 0, claimed = 0;
byte ready[PLACES] = 0;
byte chunk[PLACES] = 0;		/* which chunk lies at the place */
byte text[PLACES] = 0;		/* of which chunk the text there is */
bool busy[PLACES] = false;	/* somebody encodes there */
bool back[CHUNKS + 1] = false;	/* the writer has given the chunk back, or it is in the file */
bool helper = false;		/* somebody has offered help */
byte helping = 0;		/* threads that use the helper's memory */
bool over = false;		/* the writer is done */

/* Claims a number. 0: there is none. */
inline claim(number)
{
#ifdef NO_CLAIM
	number = claimed;
	if
	:: number == published -> number = 0
	:: else -> number = number + 1; claimed = number
	fi
#else
	atomic {
		if
		:: claimed == published -> number = 0
		:: else -> claimed = claimed + 1; number = claimed
		fi
	}
#endif
}

inline encode(number)
{
	atomic {
		assert(!busy[PLACE(number)]);	/* one at a place */
		busy[PLACE(number)] = true;
		assert(chunk[PLACE(number)] == number);
		assert(!back[number]);		/* given back */
	}
	atomic {
		assert(!back[number]);
		assert(text[PLACE(number)] != number);	/* once */
		text[PLACE(number)] = number;
		busy[PLACE(number)] = false;
	}
	ready[PLACE(number)] = number
}

proctype ender()
{
	byte number = 0;
	bool offered = false;

#ifdef NO_OFFER
	offered = true;
#else
	atomic {
		if
		:: !helper -> helper = true; offered = true
		:: else
		fi
	}
#endif
	do
	:: offered && claimed != published ->
		claim(number);
		if
		:: number == 0
		:: else ->
			helping++;
			assert(helping == 1);	/* one at a memory */
			encode(number);
			helping--
		fi;
		number = 0
	:: over -> break
	/* It waits no longer. */
	:: break
	od;
	if
	:: offered -> helper = false
	:: else
	fi
}

active proctype writer()
{
	byte put = 0, kept = 0, number = 0;

	run ender();
	run ender();
	do
	:: kept < CHUNKS ->
		/* block_fill_ahead */
		do
#ifdef NO_ROOM
		:: put < CHUNKS ->
#else
		:: put < CHUNKS && put - kept < PLACES ->
#endif
			put++;
			chunk[PLACE(put)] = put;
			published = put
		:: else -> break
		od;
		if
		:: skip ->	/* tl_ahead_take, place_await */
			do
			:: ready[PLACE(kept + 1)] == kept + 1 -> break
			:: else ->
				claim(number);
				if
				:: number == 0 ->
					/* Sleeps until it is ready. */
					(ready[PLACE(kept + 1)] == kept + 1)
				:: else -> encode(number)
				fi;
				number = 0
			od;
			assert(text[PLACE(kept + 1)] == kept + 1);	/* in order */
			kept++;
			back[kept] = true
		:: skip ->	/* the file takes no more: tl_ahead_stop */
			do
			:: claimed == published -> break
			:: else ->
				claim(number);
				if
				:: number == 0
				:: else -> ready[PLACE(number)] = number
				fi;
				number = 0
			od;
			do
			:: kept < put ->
#ifndef NO_STOP
				(ready[PLACE(kept + 1)] == kept + 1);
#endif
				kept++;
				back[kept] = true
			:: else -> break
			od
		fi
	:: else -> break
	od;
	over = true
}
