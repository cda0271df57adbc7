/* SPDX-License-Identifier: MIT */
/*
 * dispatch_table.h: a function's table of callbacks, and how a call pins it. tracers.c has the
 * algorithm.
 */
#ifndef TL_LAYER_CALLS_DISPATCH_TABLE_H
#define TL_LAYER_CALLS_DISPATCH_TABLE_H

#include "layer/calls/tracer_frames.h"

/*
 * Typed callbacks take the result by value. An integer or a pointer of any width is passed in the
 * same register, so one type serves them all; the same is true for the 0 that a prologue gets.
 */
typedef void (*tl_typed)(void *params, uint64_t result, void *user_data, void **instance_data);

struct tl_entry {
	struct tl_tracer *tracer; /* handle */
	tl_callback prologue, epilogue;
	void *user_data;
	bool generic_prologue, generic_epilogue;
	bool plain; /* neither callback is generic, and the result is an integer or a pointer */
};

/* Never changes once it is published. */
struct tl_dispatch {
	struct tl_dispatch *next; /* retired ones; protected by the tracers' lock */
	uint32_t count;
	uint32_t words; /* words that the function's parameters take */
	/* all entries are plain, they are few, and every parameter is one word */
	bool plain;
	/* of the function; its .function may change before the first call */
	const struct tl_shim *shim;
	struct tl_entry entries[];
};

static inline bool tl_dispatch_has(const struct tl_dispatch *table, const struct tl_tracer *tracer)
{
	for (uint32_t i = 0; i < table->count; i++)
		if (table->entries[i].tracer == tracer)
			return true;
	return false;
}

/*
 * 0 while callers need only clear their pins. The lower bits count the destroys that sleep or are
 * about to. TL_TRACER_FENCES is set if there is no membarrier, so that callers must execute the
 * fences.
 */
#define TL_TRACER_FENCES (1u << 31)
extern _Atomic uint32_t tl_tracer_attention;

/*
 * Called after a pin was cleared and tl_tracer_attention was not 0: fences, and wakes destroys that
 * sleep. Keeps errno.
 */
void tl_tracer_attend(void);

static inline void tl_unpin(struct tl_frame *frame)
{
	/*
	 * Release: pairs with the scans' acquire loads; the callbacks have finished before the
	 * thread that destroys the tracer goes on.
	 */
	atomic_store_explicit(&frame->pin, NULL, memory_order_release);
	/*
	 * Before the look at the count. Pairs with tl_dispatch_barrier; if that is no barrier,
	 * tl_tracer_attend has the fence.
	 */
#ifdef TL_PIN_SEQ_CST
	atomic_thread_fence(memory_order_seq_cst);
#else
	atomic_signal_fence(memory_order_seq_cst);
#endif
	if (__builtin_expect(atomic_load_explicit(&tl_tracer_attention, memory_order_relaxed) != 0,
			     0))
		tl_tracer_attend();
}

/* Between the pin's store and the second load. Pairs with tl_dispatch_barrier. */
static inline void tl_pin_barrier(void)
{
#ifdef TL_PIN_SEQ_CST
	atomic_thread_fence(memory_order_seq_cst);
#else
	atomic_signal_fence(memory_order_seq_cst);
	if (__builtin_expect(atomic_load_explicit(&tl_tracer_attention, memory_order_relaxed) != 0,
			     0))
		atomic_thread_fence(memory_order_seq_cst);
#endif
}

/*
 * The table that this call uses from prologue to epilogue. NULL: there are no callbacks here, and
 * nothing is pinned.
 */
static inline struct tl_dispatch *tl_pin(struct tl_shim *shim, struct tl_frame *frame)
{
	/*
	 * Acquire: a thread that sees a table also sees what was stored before the first table,
	 * TL_TRACER_FENCES.
	 */
	struct tl_dispatch *table = atomic_load_explicit(&shim->dispatch, memory_order_acquire);

	while (table) {
		/*
		 * Release: pairs with the scans' acquire loads. A late scan may not see the pin's
		 * clearing by the frame's last call, but this store: then that call's work is
		 * visible, too.
		 */
		atomic_store_explicit(&frame->pin, table, memory_order_release);
		tl_pin_barrier();
		/*
		 * Acquire: pairs with the release that publishes a table; its contents are filled
		 * in.
		 */
		struct tl_dispatch *again =
			atomic_load_explicit(&shim->dispatch, memory_order_acquire);
		if (__builtin_expect(again == table, 1))
			return table;
		/* The table has changed. A destroy may have seen this pin, and sleep for it. */
		tl_unpin(frame);
		table = again;
	}
	return NULL;
}

#endif
