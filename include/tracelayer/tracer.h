/* SPDX-License-Identifier: MIT */
/*
 * tracelayer/tracer.h: callbacks before and after every call of an API that has shims.
 *
 *	#include <tracelayer/cl_callbacks.h>
 *	#include <tracelayer/tracer.h>
 *
 *	static void on_enqueue(const struct cl_enqueue_nd_range_kernel_params *params, cl_int
 *	result, void *user, void **instance) {
 *		++*(unsigned long *)user;
 *	}
 *
 *	struct tl_tracer *tracer;
 *	struct tl_tracer_desc desc = { .size = sizeof(desc), .user_data = &count };
 *	tl_tracer_create(&desc, &tracer);
 *	tl_tracer_register(tracer, "clEnqueueNDRangeKernel", TL_PROLOGUE, TL_CALLBACK(on_enqueue));
 *	tl_tracer_enable(tracer);
 *
 * The contract, which Level Zero's own tracing interface (zelTracer…) shares here:
 *
 *	Pairs		If a tracer's prologue ran for a call, its epilogue runs for that call, also
 *			when the tracer is disabled in between; if it did not, the epilogue doesn't.
 *			An exception, cancellation or thread exit runs the epilogue while unwinding;
 *			after a longjmp it runs at that thread's next call, at its end, or inside
 *			destroy. The result is then 0, and a generic callback sees TL_VIEW_UNWOUND;
 *			after a longjmp the parameters are copies from before the call.
 *	Order		Prologues and epilogues both run in the order of enabling.
 *	Parameters	A prologue may change parameters through its pointers: later tracers and the
 *			driver see the new value.
 *	Instance data	One pointer per tracer and call, NULL before the prologue, kept until the
 *			epilogue.
 *	Own calls	Calls that a callback makes into an API go to the driver and are not traced
 *			(but in a child that it has forked, those of the callback's rest are).
 *	Toggling	Enable and disable at any time, from any thread, also from callbacks. They
 *			never wait.
 *	Drain		Destroy returns when no thread is inside one of the tracer's callbacks or
 *			still owes one, and none starts afterwards.
 *
 * All functions may be called from several threads at once, and from callbacks; none from a signal
 * handler. They return TL_TRACER_OK or say what was wrong; none crashes on a handle that is NULL,
 * unknown or destroyed. A handle is never used twice.
 */
#ifndef TRACELAYER_TRACER_H
#define TRACELAYER_TRACER_H

#include <stddef.h>
#include <stdint.h>

#include "tracelayer/api.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A handle, not an address. */
struct tl_tracer;

enum tl_tracer_status {
	TL_TRACER_OK = 0,
	TL_TRACER_NULL,	       /* an argument that must not be NULL is */
	TL_TRACER_UNKNOWN,     /* not a tracer, or one that was destroyed */
	TL_TRACER_ENABLED,     /* only a disabled tracer's callbacks can be changed */
	TL_TRACER_IN_USE,      /* destroy: it is enabled, or one of its callbacks is the caller */
	TL_TRACER_NO_FUNCTION, /* no shim has that name */
	/* a number that is none of its enumeration, or a size that is too small */
	TL_TRACER_ARGUMENT,
	TL_TRACER_NO_MEMORY,
};

enum tl_phase {
	TL_PROLOGUE, /* before the driver's function */
	TL_EPILOGUE, /* after it */
};

/*
 * A typed callback of any function: cast to this for registering. The generated TYPES are in
 * tracelayer/PREFIX_callbacks.h.
 */
typedef void (*tl_callback)(void);
#define TL_CALLBACK(function) ((tl_callback)(function))

/* What a generic callback sees of a call. Valid during the callback only. */
struct tl_view {
	const struct tl_function *function; /* name, parameters' names and types, level, … */
	/*
	 * function->count pointers to the parameters, in order; may be written through by prologues
	 */
	void *const *params;
	/*
	 * the result: epilogues read it; a prologue that skips the call writes it. Of
	 * function->result's type
	 */
	void *result;
	uint32_t flags;	    /* enum tl_view_flag */
	uint32_t depth;	    /* calls of this thread that are open around this one */
	const void *caller; /* return address of the call */
	/*
	 * epilogues: when the driver's function was entered and left, without the callbacks; in
	 * ticks
	 */
	uint64_t start, end;
};

enum tl_view_flag {
	/* left by an exception, cancellation, thread exit or longjmp: no result */
	TL_VIEW_UNWOUND = 1,
	TL_VIEW_SKIPPED = 2, /* some prologue has skipped the driver's function */
};

/* What a generic prologue returns. */
enum tl_verdict {
	TL_GO_ON,
	/* do not call the driver: the program gets what the prologue left at view->result */
	TL_SKIP,
};

typedef enum tl_verdict (*tl_generic_prologue)(const struct tl_view *view, void *user_data,
					       void **instance_data);
typedef void (*tl_generic_epilogue)(const struct tl_view *view, void *user_data,
				    void **instance_data);

struct tl_tracer_desc {
	size_t size;	 /* sizeof(struct tl_tracer_desc) */
	void *user_data; /* given to every callback; may be NULL */
	/* mask of enum tl_level: only functions of these levels are traced; 0: all */
	unsigned levels;
};

/* Make a tracer: disabled, without callbacks. */
int tl_tracer_create(const struct tl_tracer_desc *desc, struct tl_tracer **tracer);

/*
 * Set the callback of one function; NULL removes it. The tracer must be disabled. Functions that
 * return structs take generic callbacks only. Replaces the generic callback of that phase on that
 * function, and is replaced by one.
 */
int tl_tracer_register(struct tl_tracer *tracer, const char *function, enum tl_phase phase,
		       tl_callback callback);

/*
 * Set generic callbacks on every function whose name matches one of the comma-separated globs, of
 * all APIs or (with api not NULL) of one. Either may be NULL, and is then removed.
 * TL_TRACER_NO_FUNCTION where nothing matched.
 */
int tl_tracer_register_glob(struct tl_tracer *tracer, const char *api, const char *globs,
			    tl_generic_prologue prologue, tl_generic_epilogue epilogue);

/* Remove all callbacks. The tracer must be disabled. */
int tl_tracer_reset(struct tl_tracer *tracer);

/*
 * Enabling twice is a success, and so is disabling twice; the place in the order is that of the
 * first.
 */
int tl_tracer_enable(struct tl_tracer *tracer);
int tl_tracer_disable(struct tl_tracer *tracer);

/*
 * Destroy a disabled tracer. Waits for calls that this tracer has callbacks in, and for no others;
 * sleeps, and is woken by the last of them. TL_TRACER_IN_USE where waiting would be for ever: from
 * inside one of its callbacks, or of a call that owes one. Two callbacks that destroy each other's
 * tracers from two threads wait for each other for ever; no more than one of them may.
 */
int tl_tracer_destroy(struct tl_tracer *tracer);

/* The APIs that have shims, by number from 0 on; NULL past the last. They are never unloaded. */
const struct tl_api *tl_api_at(unsigned number);

/* ---- what a view says. For callbacks; no allocation, no lock ---- */

/*
 * The call's arguments, decoded, as the members of a JSON object without its braces:
 * "context":"0x55…","size":4096. An epilogue's view shows also what the call gave out, unless it
 * failed. What does not fit is left out whole. Returns the length, without the NUL that it puts
 * behind (size is at least 1).
 */
size_t tl_view_print(const struct tl_view *view, char *text, size_t size);

/* The call's result likewise: "CL_SUCCESS", 3, "0x55…"; nothing where there is none. */
size_t tl_view_print_result(const struct tl_view *view, char *text, size_t size);

/* In an epilogue: the result means failure. */
int tl_view_failed(const struct tl_view *view);

/*
 * Ticks are the processor's counter, or nanoseconds where that is no clock. The second function
 * gives their time as nanoseconds of CLOCK_MONOTONIC; it takes about a microsecond (the process's
 * first may take fifty), so collect ticks and convert late.
 */
uint64_t tl_ticks_now(void);
uint64_t tl_ticks_ns(uint64_t ticks);

#ifdef __cplusplus
}
#endif
#endif
