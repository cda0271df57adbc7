/* SPDX-License-Identifier: MIT */
/*
 * dispatch_table.h: a function's table of callbacks, and how a call pins it. tracers.c has the
 * algorithm.
 */
#ifndef TL_LAYER_CALLS_DISPATCH_TABLE_H
#define TL_LAYER_CALLS_DISPATCH_TABLE_H

#include "layer/calls/tracer_frames.h"

/*
 * Typed callbacks take the result by value. An integer or a pointer of any width goes into the same
 * register, so one type serves them all; so does a prologue's 0.
 */
typedef void (*tl_typed)(void *params, uint64_t result, void *user_data, void **instance_data);

struct tl_entry {
	struct tl_tracer *tracer; /* handle */
	tl_callback prologue, epilogue;
	void *user_data;
	bool generic_prologue, generic_epilogue;
	bool plain; /* neither, and the result is an integer or a pointer */
};

/* Never changes once it is published. */
struct tl_dispatch {
	struct tl_dispatch *next; /* retired ones; protected by the tracers' lock */
	uint32_t count;
	uint32_t words; /* parameters of the function */
	/* all entries are, they are few, and every parameter is one word */
	bool plain;
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
 * 0 while callers have nothing to do but to clear their pins; in the lower bits, how many destroys
 * sleep or are about to; and TL_TRACER_FENCES where there is no membarrier, so that callers have to
 * execute the fences.
 */
#define TL_TRACER_FENCES (1u << 31)
extern _Atomic uint32_t tl_tracer_attention;

/*
 * After a pin was cleared and tl_tracer_attention was not 0: fence, and wake who sleeps. Keeps
 * errno.
 */
void tl_tracer_attend(void);

static inline void tl_unpin(struct tl_frame *frame)
{
	/*
	 * Release: the callbacks' work is done before whoever destroys the tracer goes on. Pairs
	 * with the scans' acquire loads.
	 */
	atomic_store_explicit(&frame->pin, NULL, memory_order_release);
	/*
	 * Before the look at the count. Pairs with tl_dispatch_barrier; tl_tracer_attend has the
	 * fence where that is none.
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
 * The table that this call uses from prologue to epilogue; NULL: nobody has callbacks here, and
 * nothing is pinned.
 */
static inline struct tl_dispatch *tl_pin(struct tl_shim *shim, struct tl_frame *frame)
{
	/* Acquire: who sees a table sees what was stored before the first one, TL_TRACER_FENCES. */
	struct tl_dispatch *table = atomic_load_explicit(&shim->dispatch, memory_order_acquire);

	while (table) {
		/*
		 * Release, as unpin's store, which a scan that comes late doesn't see any more: the
		 * table that the frame's last call used is done with. Pairs with the scans' acquire
		 * loads.
		 */
		atomic_store_explicit(&frame->pin, table, memory_order_release);
		tl_pin_barrier();
		/* Acquire pairs with the publishing release: the table's contents. */
		struct tl_dispatch *again =
			atomic_load_explicit(&shim->dispatch, memory_order_acquire);
		if (__builtin_expect(again == table, 1))
			return table;
		/* Not ours. A destroy may have seen it, and sleep for it. */
		tl_unpin(frame);
		table = again;
	}
	return NULL;
}

#endif
