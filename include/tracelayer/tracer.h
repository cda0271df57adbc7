/* SPDX-License-Identifier: MIT */
/*
 * tracelayer/tracer.h: callbacks before and after every call of an API that has shims.
 *
 *	#include <tracelayer/cl_callbacks.h>
 *	#include <tracelayer/tracer.h>
 *
 *	static void on_enqueue(const struct cl_enqueue_nd_range_kernel_params *params,
 *			       cl_int result, void *user, void **instance)
 *	{
 *		++*(unsigned long *)user;
 *	}
 *
 *	struct tl_tracer *tracer;
 *	struct tl_tracer_desc desc = { .size = sizeof(desc), .user_data = &count };
 *	tl_tracer_create(&desc, &tracer);
 *	tl_tracer_register(tracer, "clEnqueueNDRangeKernel", TL_PROLOGUE, TL_CALLBACK(on_enqueue));
 *	tl_tracer_enable(tracer);
 *
 * The contract is the same as that of Level Zero's own tracing interface (zelTracer…):
 *
 * Pairs	If a tracer's prologue ran for a call, its epilogue runs for that call, also
 *		when the tracer is disabled in between. If the prologue did not run, the epilogue
 *		does not. An exception, cancellation or thread exit runs the epilogue while
 *		unwinding. After a longjmp it runs at that thread's next call, at the thread's end,
 *		or inside destroy. The result is 0 then, and a generic callback sees
 *		TL_VIEW_UNWOUND. After a longjmp the parameters are copies from before the call.
 * Order	Prologues and epilogues both run in the order of enabling.
 * Parameters	A prologue may change parameters through its pointers: later tracers and the driver
 *		see the new value.
 * Instance	One pointer for each tracer and call. It is NULL before the prologue, and is
 *		kept until the epilogue.
 * Own calls	Calls that a callback makes into an API go to the driver and are not traced. In a
 *		child that a callback has forked, they are traced.
 * Toggling	Any thread may enable and disable at any time, also in callbacks. Neither waits.
 * Drain	Destroy returns when no thread is inside one of the tracer's callbacks or
 *		still owes one; none starts afterwards.
 *
 * Any thread may call any function, several at once, also in callbacks; signal handlers may not.
 * The functions return TL_TRACER_OK or another enum tl_tracer_status. None crashes on a handle that
 * is NULL, unknown or destroyed. A handle is never used twice.
 */
#ifndef TRACELAYER_TRACER_H
#define TRACELAYER_TRACER_H

#include <stddef.h>
#include <stdint.h>

#include "tracelayer/api.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A handle: never dereference it. */
struct tl_tracer;

/* What the functions return. */
enum tl_tracer_status {
	TL_TRACER_OK = 0,
	TL_TRACER_NULL,	   /* an argument is NULL that must not be */
	TL_TRACER_UNKNOWN, /* the handle is no tracer, or the tracer was destroyed */
	TL_TRACER_ENABLED, /* the tracer is enabled; disable it to change its callbacks */
	TL_TRACER_IN_USE,  /* destroy: it is enabled, or the caller is in one of its callbacks */
	TL_TRACER_NO_FUNCTION, /* no shim has that name */
	/* an argument is not a value of its enum, or a size is too small */
	TL_TRACER_ARGUMENT,
	TL_TRACER_NO_MEMORY,
};

/* When a callback runs. */
enum tl_phase {
	TL_PROLOGUE, /* before the driver's function */
	TL_EPILOGUE, /* after it */
};

/*
 * A typed callback of any function. Cast it to this type with TL_CALLBACK. The types for each
 * function are generated: see tracelayer/PREFIX_callbacks.h.
 */
typedef void (*tl_callback)(void);
#define TL_CALLBACK(function) ((tl_callback)(function))

/* What a generic callback sees of a call. Valid during the callback only. */
struct tl_view {
	const struct tl_function *function; /* its name, parameters, types, level, … */
	/*
	 * function->count pointers to the parameters, in order; prologues may write through them
	 */
	void *const *params;
	/*
	 * the result, of function->result's type: epilogues read it; a prologue that skips the call
	 * writes it
	 */
	void *result;
	uint32_t flags;	    /* enum tl_view_flag */
	uint32_t depth;	    /* how many calls of this thread are open around this one */
	const void *caller; /* return address of the call */
	/*
	 * in epilogues: when the driver's function was entered and left, in ticks; without the
	 * callbacks
	 */
	uint64_t start, end;
};

/* Flags of tl_view.flags. */
enum tl_view_flag {
	/* an exception, cancellation, thread exit or longjmp ended the call: there is no result */
	TL_VIEW_UNWOUND = 1,
	TL_VIEW_SKIPPED = 2, /* a prologue has skipped the driver's function */
};

/* What a generic prologue returns. */
enum tl_verdict {
	TL_GO_ON,
	/*
	 * Do not call the driver: the program gets what the prologue wrote to view->result. Give it
	 * other values, through pointers, in the epilogue: the shim may put a code there in
	 * between. The call is recorded after the epilogues, so the trace has these values. If an
	 * epilogue ends the process, the trace does not have the call.
	 */
	TL_SKIP,
};

/* Generic callbacks: one function for calls of any API. They run in the calling thread. */
typedef enum tl_verdict (*tl_generic_prologue)(const struct tl_view *view, void *user_data,
					       void **instance_data);
typedef void (*tl_generic_epilogue)(const struct tl_view *view, void *user_data,
				    void **instance_data);

/* What tl_tracer_create needs. Zero is a good default for all but .size. */
struct tl_tracer_desc {
	size_t size;	 /* sizeof(struct tl_tracer_desc) */
	void *user_data; /* passed to every callback; may be NULL */
	/* mask of enum tl_level: trace only functions of these levels; 0: all */
	unsigned levels;
};

/* Make a tracer, disabled and without callbacks. Stores its handle in *tracer. */
int tl_tracer_create(const struct tl_tracer_desc *desc, struct tl_tracer **tracer);

/*
 * Set the callback of one function; NULL removes it. The tracer must be disabled. Functions that
 * return structs take generic callbacks only. For each function and phase there is one callback:
 * this one replaces a generic one, and a generic one replaces it.
 */
int tl_tracer_register(struct tl_tracer *tracer, const char *function, enum tl_phase phase,
		       tl_callback callback);

/*
 * Set generic callbacks on every function whose name matches one of the comma-separated globs, in
 * all APIs (api NULL) or in one. A callback that is NULL is removed. The tracer must be disabled.
 * Returns TL_TRACER_NO_FUNCTION where nothing matched.
 */
int tl_tracer_register_glob(struct tl_tracer *tracer, const char *api, const char *globs,
			    tl_generic_prologue prologue, tl_generic_epilogue epilogue);

/* Remove all callbacks. The tracer must be disabled. */
int tl_tracer_reset(struct tl_tracer *tracer);

/*
 * Start and stop calling the tracer's callbacks. Enabling twice is a success, and so is disabling
 * twice; the tracer keeps its place in the order.
 */
int tl_tracer_enable(struct tl_tracer *tracer);
int tl_tracer_disable(struct tl_tracer *tracer);

/*
 * Destroy a disabled tracer. Waits, asleep, for the calls that this tracer has callbacks in, and
 * for no others. Returns TL_TRACER_IN_USE where it would wait for ever: inside one of the tracer's
 * callbacks, or inside a call that owes one. Two callbacks must not destroy each other's tracers
 * from two threads: they would wait for each other for ever.
 */
int tl_tracer_destroy(struct tl_tracer *tracer);

/* The APIs that have shims, by number from 0; NULL after the last. They are never unloaded. */
const struct tl_api *tl_api_at(unsigned number);

/* ---- reading a view. For callbacks; these allocate nothing and take no lock ---- */

/*
 * Print the call's arguments, decoded, as the members of a JSON object without its braces:
 * "context":"0x55…","size":4096. In an epilogue they include what the call returned through
 * pointers, unless it failed, and memory that was passed in is shown as the call left it. A struct or list
 * that does not fit is shown as its address, and an argument of which that does not fit either is left out:
 * 4096 bytes are enough for nearly all calls. `size`: bytes of `text`, at least 1. Returns the length without
 * the NUL that ends the text.
 */
size_t tl_view_print(const struct tl_view *view, char *text, size_t size);

/*
 * Print the call's result in the same way: "CL_SUCCESS", 3, "0x55…"; nothing where there is none, or where it
 * does not fit. 2048 bytes are enough for every text.
 */
size_t tl_view_print_result(const struct tl_view *view, char *text, size_t size);

/* In an epilogue: returns 1 if the result means failure, otherwise 0. */
int tl_view_failed(const struct tl_view *view);

/*
 * tl_ticks_now reads the processor's counter, or nanoseconds where the counter is no clock.
 * tl_ticks_ns converts ticks to nanoseconds of CLOCK_MONOTONIC. The conversion takes about a
 * microsecond, the first one in a process up to fifty: collect ticks, and convert late.
 */
uint64_t tl_ticks_now(void);
uint64_t tl_ticks_ns(uint64_t ticks);

#ifdef __cplusplus
}
#endif
#endif
