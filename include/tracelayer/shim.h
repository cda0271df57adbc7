/* SPDX-License-Identifier: MIT */
/*
 * tracelayer/shim.h: what generated shims are made of. Included by the output of `tracegen emit`;
 * not meant to be written against by hand, and not stable between versions (TL_SHIM_ABI is checked
 * when a shim library registers).
 *
 * A shim is three pieces:
 *
 *	the entry	the exported function. While nobody watches, it is one load, one branch and
 *			a jump to the real function. A call that is recorded and nothing else is
 *			recorded here: its words lie in an array of its own, and nothing is called
 *			but the real function, and what captures the memory that arguments lead to.
 *	the traced body	serves all other calls, out of line, between tl_call_enter and
 *			tl_call_leave. It takes the shim as an argument, so that one body serves the
 *			exported function and every closure made for a pointer that a driver handed
 *			out.
 *	the invoke	unpacks libffi's arguments and calls the body.
 *
 *	static TL_TRACED ze_result_t traced_zeEventQueryStatus(struct tl_shim *shim, struct
 *	tl_caller caller, ze_event_handle_t hEvent) {
 *		const void *const params[] = {&hEvent};
 *		ze_result_t result = 0;
 *		TL_CALL(call, shim, caller, params, &result);
 *		pfn_zeEventQueryStatus real = tl_call_enter(&call);
 *
 *		if (TL_LIKELY(real))
 *			result = real(hEvent);
 *		else
 *			result = ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
 *		TL_CALL_LEAVE(call, (uint32_t)result, (uint64_t)hEvent);
 *		return result;
 *	}
 *
 *	TL_EXPORT ze_result_t shim_zeEventQueryStatus(ze_event_handle_t hEvent)
 *	__asm__("zeEventQueryStatus"); TL_ENTRY ze_result_t
 *	shim_zeEventQueryStatus(ze_event_handle_t hEvent) {
 *		pfn_zeEventQueryStatus real = tl_shim_direct(SHIM(zeEventQueryStatus));
 *
 *		if (TL_LIKELY(real))
 *			return real(hEvent);
 *		TL_RECORDED(call, (uint64_t)hEvent);
 *		real = tl_recorded_enter(call, SHIM(zeEventQueryStatus));
 *		if (TL_UNLIKELY(!real))
 *			return traced_zeEventQueryStatus(SHIM(zeEventQueryStatus), TL_CALLER,
 *			hEvent);
 *		TL_RECORDED_UNWINDS(call);
 *		ze_result_t result = real(hEvent);
 *		return (ze_result_t)TL_RECORDED_LEAVE(call, (uint32_t)result);
 *	}
 */
#ifndef TRACELAYER_SHIM_H
#define TRACELAYER_SHIM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tracelayer/api.h"

#define TL_SHIM_ABI 3

#define TL_LIKELY(x)	 __builtin_expect(!!(x), 1)
#define TL_UNLIKELY(x)	 __builtin_expect(!!(x), 0)
#define TL_ALWAYS_INLINE inline __attribute__((always_inline))
#define TL_EXPORT	 __attribute__((visibility("default")))
#define TL_HIDDEN	 __attribute__((visibility("hidden")))
/*
 * One body for each function, neither merged with an equal one nor copied: backtraces and profiles
 * have the right names.
 */
#if defined(__GNUC__) && !defined(__clang__)
#define TL_TRACED __attribute__((noinline, noclone, no_icf))
#else
#define TL_TRACED __attribute__((noinline))
#endif
/*
 * The entry's array of words is its own business: canaries and shadow memory would cost more than
 * the call.
 */
#if defined(__has_attribute) && __has_attribute(no_stack_protector)
#define TL_ENTRY __attribute__((no_stack_protector, no_sanitize("address")))
#else
#define TL_ENTRY
#endif
/* The loop that follows, over a call's words, becomes straight code; clang does so by itself. */
#if defined(__GNUC__) && !defined(__clang__)
#define TL_UNROLL _Pragma("GCC unroll 64")
#else
#define TL_UNROLL
#endif

/*
 * Who called a function, and where the caller's part of the stack ends: all below is the function's
 * own, and of what it calls.
 */
struct tl_caller {
	void *address;
	uintptr_t stack;
};
#define TL_STACK  ((uintptr_t)__builtin_dwarf_cfa())
#define TL_CALLER ((struct tl_caller){__builtin_return_address(0), TL_STACK})

/*
 * What a call through a shim does besides reaching the driver. 0: nobody watches, and .direct is
 * set.
 */
enum tl_mode {
	TL_MODE_RECORD = 1,   /* an event is recorded */
	TL_MODE_WORDS = 2,    /* with the parameters' words */
	TL_MODE_FOLLOW = 4,   /* and the memory they lead to: out of line */
	TL_MODE_TRACERS = 8,  /* some tracer has a callback here: out of line */
	TL_MODE_RESOLVE = 16, /* the real function is not known yet: out of line */
	/* who calls decides (loaders' and drivers' own calls get the real thing): out of line */
	TL_MODE_CALLER = 32,
	/* something is done with the results (function pointers wrapped, exit handler renewed) */
	TL_MODE_AFTER = 64,
	/* device lanes have a hook here (layer/calls/hook.h): out of line */
	TL_MODE_DEVICE = 128,
	TL_MODE_OPEN = 256, /* an open call, and no more: for who looks on from outside */
	TL_MODE_FAST = TL_MODE_RECORD | TL_MODE_WORDS, /* these alone are served in the entry */
	/* these alone are begun and ended in the entry, with help */
	TL_MODE_CAPTURED = TL_MODE_FAST | TL_MODE_FOLLOW,
};

/*
 * One function pointer that calls come through: a function of an API, or a closure made for one of
 * its pointers.
 */
struct tl_shim {
	void *_Atomic direct; /* the real function while nobody watches, else NULL */
	void *_Atomic real;   /* the real function; NULL: not found yet, or lacking */
	union {
		struct {
			_Atomic uint32_t mode; /* enum tl_mode */
			uint32_t id;	       /* tl_call_record.function */
		};
		_Atomic uint64_t mode_and_id; /* both by one load; id in the upper half */
	};
	const struct tl_function *function;
	void *_Atomic dispatch; /* tracers' callbacks: layer/tracer */
	/* what a program that asks for the function gets: exported shim, static shim, or closure */
	void *entry;
	void (*invoke)(struct tl_shim *shim, void *caller, void **args, void *result);
	uint64_t reserved;
};

/*
 * An open call: what a debugger, or `tracelayer recover`, sees of a thread that hangs inside the
 * driver.
 *
 * .frame tells which call it is: the address of its struct tl_call, or of its array of words where
 * it is recorded in the entry. A call whose part of the stack is not below that of the innermost
 * open call is out of the ordinary (that one was left by longjmp, or this one runs on another
 * stack) and is looked at out of line. The first word at .frame is the address of the open call,
 * for as long as the call is there.
 *
 * A signal handler may interrupt a call while it makes or leaves its entry, and make calls of its
 * own. So an entry is claimed first, by moving .top, and only then filled; and every entry that is
 * free, or not filled yet, has .frame TL_NO_FRAME.
 */
#define TL_NO_FRAME UINTPTR_MAX

struct tl_open_call {
	uint64_t start; /* ticks */
	union {
		struct {
			/*
			 * the shim's at entry: what was begun is also ended; and enum tl_open_flag
			 */
			uint32_t mode;
			uint32_t function; /* tl_shim.id */
		};
		uint64_t mode_and_function;
	};
	_Atomic uintptr_t frame;
	/* TL_OPEN_SCRATCH: bytes of captured arguments that calls before this one have */
	uint32_t scratch;
	uint32_t lasted; /* TL_OPEN_SUSPECT: no longer than this many 256 ticks */
};

/* In tl_open_call.mode, beside the bits of enum tl_mode. */
enum tl_open_flag {
	TL_OPEN_SCRATCH = 1 << 16,
	TL_OPEN_FINISHED = 1 << 17, /* over, but calls above it are not */
	TL_OPEN_SUSPECT = 1 << 18,  /* perhaps left by longjmp, perhaps on another stack */
	/* served out of line: .frame is the address of a struct tl_call */
	TL_OPEN_TRACED = 1 << 19,
};

/*
 * The part of a thread's state that shims touch. All of it is written by its own thread only (and
 * its signal handlers); the writer and recovery only read it.
 *
 * .position and .limit are addresses in their lower 48 bits. The upper 16 bits number the chunk, so
 * that a position taken just before a signal handler changed the chunk never passes for one in the
 * new chunk.
 */
struct tl_thread {
	_Atomic uint64_t position; /* next free byte; moved in one instruction */
	uint64_t limit;		   /* end of the current chunk */
	/* next free entry of the stack of open calls; top[-1] is always readable */
	_Atomic(struct tl_open_call *) top;
	/* end of that stack; NULL while no call is served in its entry: .busy, or no .clock */
	struct tl_open_call *end;
	/* 1: ticks come from the counter register; 0: from clock_gettime */
	uint32_t clock;
	/* not 0: inside the runtime or a callback; calls pass through unwatched */
	uint32_t busy;
	struct tl_open_call *open; /* start of that stack */
};

/* NULL until the thread's first watched call. */
extern TL_EXPORT __thread struct tl_thread *tl_self __attribute__((tls_model("initial-exec")));

/*
 * The calling thread's tl_self. By hand, since compilers keep its address in a register over calls:
 * that costs the entry a push and a pop, and on some machines the address is wrong once a coroutine
 * has gone on in another thread.
 */
static TL_ALWAYS_INLINE struct tl_thread *tl_thread_self(void)
{
#if defined(__x86_64__) && !defined(__ILP32__)
	struct tl_thread *thread;
	__asm__ volatile("movq tl_self@gottpoff(%%rip), %0\n\tmovq %%fs:(%0), %0" : "=r"(thread));
	return thread;
#else
	return tl_self;
#endif
}

/* A call in progress that is served out of line; lives on the stack of its traced body. */
struct tl_call {
	/* this call's entry, first; NULL: it has none (it passes, or the stack was full) */
	struct tl_open_call *open;
	struct tl_shim *shim; /* NULL: finished, nothing to do on unwinding */
	struct tl_caller caller;
	void *const *params; /* pointers to the parameters, in order */
	void *result;	     /* where the result will be */
	uint32_t mode;	     /* as in the entry */
	uint32_t request;    /* that the thread worked on when the call began; 0: none */
	struct tl_thread *thread;
	uint64_t start;		  /* ticks */
	uintptr_t frame;	  /* its entry's .frame */
	void *more;		  /* the tracers' */
	struct tl_hooked *hooked; /* TL_MODE_DEVICE: the hook's; NULL: none is owed */
	uint64_t end;		  /* TL_MODE_DEVICE: ticks */
};

/*
 * Served out of line. enter returns the function to call, or NULL where there is none; call->shim
 * is NULL where the call just passes.
 */
TL_EXPORT void *tl_call_enter(struct tl_call *call);
TL_EXPORT void tl_call_leave(struct tl_call *call, uint64_t result, const uint64_t *words,
			     uint32_t count);
TL_EXPORT void tl_call_unwound(struct tl_call *call);
/*
 * What tl_recorded_enter does, for a call whose arguments lead to memory that is captured, or which
 * is not recorded at all. `stack`: TL_STACK of the entry. NULL: something else is out of the
 * ordinary, and nothing was done.
 */
TL_EXPORT void *tl_recorded_enter_captured(uint64_t *call, struct tl_shim *shim, uintptr_t stack);
/*
 * A call that was begun in the entry has captured memory, or is not on top, or runs in another
 * thread or process than it began in. Returns `result`.
 */
TL_EXPORT uint64_t tl_recorded_leave_slow(uint64_t *call, uint64_t result);
/* It ended at `end`, and the position `at` was no place for its record. Returns `result`. */
TL_EXPORT uint64_t tl_recorded_leave_full(uint64_t *call, uint64_t result, uint64_t at,
					  uint64_t end);
TL_EXPORT void tl_recorded_unwound(uint64_t *call);
/*
 * The position `at` was no place for `size` bytes: one in a fresh chunk. NULL: the event was lost,
 * and counted.
 */
TL_EXPORT void *tl_record_reserve_slow(struct tl_thread *thread, uint64_t size, uint64_t at);
TL_EXPORT uint64_t tl_clock_gettime_ticks(void);

static TL_ALWAYS_INLINE uint64_t tl_counter(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t value;
	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
	return value;
#else
#error "tracelayer knows x86-64 and aarch64"
#endif
}

static TL_ALWAYS_INLINE uint64_t tl_ticks(const struct tl_thread *thread)
{
	return TL_LIKELY(thread->clock) ? tl_counter() : tl_clock_gettime_ticks();
}

/*
 * Move *position on by `size` in one instruction, so that a signal handler in between gets a place
 * of its own. Returns the old value.
 */
static TL_ALWAYS_INLINE uint64_t tl_advance(_Atomic uint64_t *position, uint64_t size)
{
#if defined(__x86_64__)
	__asm__ volatile("xaddq %0, %1" : "+r"(size), "+m"(*position) : : "cc");
	return size;
#else
	return atomic_fetch_add_explicit(position, size, memory_order_relaxed);
#endif
}

static TL_ALWAYS_INLINE void *tl_shim_direct(struct tl_shim *shim)
{
	return atomic_load_explicit(&shim->direct, memory_order_relaxed);
}

#define TL_CHUNK_MAX		      (256u * 1024) /* no chunk is larger */
#define TL_POSITION_ADDRESS(position) ((uint64_t)(position) << 16 >> 16)

/*
 * A place reserved for a record gets its size at once, so that readers can step over a record that
 * its writer, interrupted by a signal, has not finished; tl_record_commit then stores the whole
 * word.
 */
static TL_ALWAYS_INLINE void tl_record_sized(uint64_t *record, uint64_t size)
{
	atomic_store_explicit((_Atomic uint64_t *)record, size / 8, memory_order_relaxed);
}

/* Reserve `size` bytes for a record. NULL: the event was lost. */
static TL_ALWAYS_INLINE uint64_t *tl_record_reserve(struct tl_thread *thread, uint64_t size)
{
	uint64_t at = tl_advance(&thread->position, size);
	uint64_t *record = (uint64_t *)(uintptr_t)TL_POSITION_ADDRESS(at);

	/* One comparison: fits, and in the chunk that .limit speaks of. */
	if (TL_UNLIKELY(thread->limit - at - size > TL_CHUNK_MAX)) {
		record = (uint64_t *)tl_record_reserve_slow(thread, size, at);
		if (!record)
			return NULL;
	}
	tl_record_sized(record, size);
	return record;
}

/*
 * Pairs with the reader's acquire load of the same word: the record's other words are there when
 * its type is.
 */
static TL_ALWAYS_INLINE void tl_record_commit(uint64_t *record, uint64_t head)
{
	atomic_store_explicit((_Atomic uint64_t *)record, head, memory_order_release);
}

/*
 * --- calls recorded in the entry. Such a call is an array: the address of its open call, and its
 * parameters' words.
 */

/*
 * An array for the call TL_RECORDED(call, words…). Words are stored and loaded one by one: they are
 * in flight when they are loaded, and a wider load would wait for the stores.
 */
#define TL_RECORDED(name, ...)                                                                     \
	uint64_t name[sizeof((uint64_t[]){0, ##__VA_ARGS__}) / 8];                                 \
	do {                                                                                       \
		const uint64_t words_[] = {0, ##__VA_ARGS__};                                      \
		TL_UNROLL                                                                          \
		for (size_t i_ = 1; i_ < sizeof(name) / 8; i_++)                                   \
			*(volatile uint64_t *)&name[i_] = words_[i_];                              \
	} while (0)

/*
 * The function to call. NULL: the call is not only recorded, or something else is out of the
 * ordinary, and nothing was done.
 */
static TL_ALWAYS_INLINE void *tl_recorded_enter(uint64_t *call, struct tl_shim *shim)
{
	uint64_t mode_and_id = atomic_load_explicit(&shim->mode_and_id, memory_order_relaxed);
	struct tl_thread *thread = tl_thread_self();

	if (TL_UNLIKELY((uint32_t)mode_and_id != TL_MODE_FAST &&
			(uint32_t)mode_and_id != TL_MODE_RECORD))
		return (uint32_t)mode_and_id == TL_MODE_CAPTURED ||
				       (uint32_t)mode_and_id == TL_MODE_OPEN
			       ? tl_recorded_enter_captured(call, shim, TL_STACK)
			       : NULL;
	if (TL_UNLIKELY(!thread))
		return NULL;
	struct tl_open_call *open = atomic_load_explicit(&thread->top, memory_order_relaxed);
	if (TL_UNLIKELY(open >= thread->end ||
			atomic_load_explicit(&open[-1].frame, memory_order_relaxed) < TL_STACK))
		return NULL;
	void *real = atomic_load_explicit(&shim->real, memory_order_relaxed);
	if (TL_UNLIKELY(!real))
		return NULL;
	atomic_store_explicit(&thread->top, open + 1, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	*(volatile uint64_t *)&call[0] = (uintptr_t)open;
	open->mode_and_function = mode_and_id;
	open->start = tl_counter();
	/*
	 * The rest of the entry before what makes it good: for this thread's signal handlers, and
	 * for recovery.
	 */
	atomic_store_explicit(&open->frame, (uintptr_t)call, memory_order_release);
	return real;
}

/* NULL by the time the real function has returned: on the normal way out this is nothing. */
static TL_ALWAYS_INLINE void tl_recorded_cleanup(uint64_t *const *call)
{
	if (TL_UNLIKELY(*call != NULL))
		tl_recorded_unwound(*call);
}

#define TL_RECORDED_UNWINDS(call)                                                                  \
	uint64_t *call##_unwinds __attribute__((cleanup(tl_recorded_cleanup))) = (call)

static TL_ALWAYS_INLINE uint64_t tl_recorded_word(const uint64_t *call, size_t i)
{
	return *(const volatile uint64_t *)&call[i];
}

/*
 * Its record, and its end. `function`: tl_call_record.function in its place in the record's first
 * word.
 */
static TL_ALWAYS_INLINE uint64_t tl_recorded_store(uint64_t *call, struct tl_thread *thread,
						   struct tl_open_call *open, uint64_t result,
						   uint64_t function, uint32_t words,
						   uint32_t flags)
{
	uint64_t end = tl_counter();
	uint64_t size = 32 + 8 * (uint64_t)words;
	uint64_t at = tl_advance(&thread->position, size);

	/* As tl_record_reserve. */
	if (TL_UNLIKELY(thread->limit - at - size > TL_CHUNK_MAX))
		return tl_recorded_leave_full(call, result, at, end);
	_Atomic uint64_t *record = (_Atomic uint64_t *)(uintptr_t)TL_POSITION_ADDRESS(at);
	atomic_store_explicit(record, size / 8, memory_order_relaxed);
	uint64_t start = open->start;
	/*
	 * Atomic, so that no compiler makes wider stores of them, which cost more than they save.
	 */
	atomic_store_explicit(&record[1], start, memory_order_relaxed);
	atomic_store_explicit(&record[2], end - start, memory_order_relaxed);
	atomic_store_explicit(&record[3], result, memory_order_relaxed);
	TL_UNROLL
	for (uint32_t i = 0; i < words; i++)
		atomic_store_explicit(&record[4 + i], tl_recorded_word(call, 1 + i),
				      memory_order_relaxed);
	/* struct tl_call_record's first word: size, type CALL, flags, function. */
	uint64_t head = function + (flags << 24 | 1u << 16 | (4 + words));
	tl_record_commit((uint64_t *)record, head);
	atomic_store_explicit(&open->frame, TL_NO_FRAME, memory_order_relaxed);
	atomic_store_explicit(&thread->top, open, memory_order_release);
	return result;
}

/*
 * Leave the call that was entered, with `words` words. Returns `result`, so that nothing has to be
 * kept over what is out of the ordinary.
 */
static TL_ALWAYS_INLINE uint64_t tl_recorded_leave(uint64_t *call, uint64_t result, uint32_t words)
{
	struct tl_thread *thread = tl_thread_self();
	struct tl_open_call *open = (struct tl_open_call *)tl_recorded_word(call, 0);

	if (TL_UNLIKELY(!thread ||
			atomic_load_explicit(&thread->top, memory_order_relaxed) != open + 1))
		return tl_recorded_leave_slow(call, result);
	uint64_t mode = open->mode_and_function;
	if (TL_LIKELY((uint32_t)mode == TL_MODE_FAST))
		return tl_recorded_store(call, thread, open, result, mode - TL_MODE_FAST, words, 1);
	if ((uint32_t)mode == TL_MODE_RECORD)
		return tl_recorded_store(call, thread, open, result, mode - TL_MODE_RECORD, 0, 0);
	return tl_recorded_leave_slow(call, result);
}

#define TL_RECORDED_LEAVE(call, result)                                                            \
	(call##_unwinds = NULL, tl_recorded_leave(call, result, sizeof(call) / 8 - 1))

/* --- calls served out of line */

/* A finished call has shim == NULL, so on the normal way out this is nothing. */
static TL_ALWAYS_INLINE void tl_call_cleanup(struct tl_call *call)
{
	if (TL_UNLIKELY(call->shim != NULL))
		tl_call_unwound(call);
}

#define TL_CALL(name, shim_, caller_, params_, result_)                                            \
	struct tl_call name __attribute__((cleanup(tl_call_cleanup)));                             \
	name.shim = (shim_);                                                                       \
	name.caller = (caller_);                                                                   \
	name.params = (void *const *)(params_);                                                    \
	name.result = (result_)

/* Leave the call: TL_CALL_LEAVE(call, result, words…), the parameters' words listed. */
#define TL_CALL_LEAVE(call, result, ...)                                                           \
	do {                                                                                       \
		if ((call).shim) {                                                                 \
			const uint64_t words_[] = {0, ##__VA_ARGS__};                              \
			tl_call_leave(&(call), result, words_ + 1, sizeof(words_) / 8 - 1);        \
			(call).shim = NULL;                                                        \
		}                                                                                  \
	} while (0)

/* The i-th 8-byte word of a struct passed by value, or of a float. */
#define TL_WORD_OF(value, i) tl_word_of(&(value), sizeof(value), i)

static TL_ALWAYS_INLINE uint64_t tl_word_of(const void *value, size_t size, size_t i)
{
	uint64_t word = 0;

	memcpy(&word, (const char *)value + 8 * i, size - 8 * i < 8 ? size - 8 * i : 8);
	return word;
}

/* What a shim library (or the library itself, for its built-in APIs) brings. */
struct tl_shim_library {
	uint32_t abi; /* TL_SHIM_ABI */
	const struct tl_api *api;
	/* api->count of them, .function, .entry and .invoke filled in */
	struct tl_shim *shims;
};

/*
 * Called from a shim library's constructor. Reads the environment at most. Returns 0, or -1 where
 * the ABI differs (a line says so).
 */
TL_EXPORT int tl_shim_register(struct tl_shim_library *library);

#endif
