/* SPDX-License-Identifier: MIT */
/*
 * tracelayer/shim.h: what generated shims are made of. The output of `tracegen emit` includes it.
 * Do not write code against it by hand: it is not stable between versions, and TL_SHIM_ABI is
 * checked when a shim library registers.
 *
 * A shim has three parts:
 *
 * the entry	the exported function. While nobody watches, it is one load, one branch and a jump
 *		to the real function. It also serves calls that are only recorded: an array on its
 *		stack holds the call's words, and it calls nothing but the real function and, where
 *		arguments lead to memory, the function that captures this memory.
 * the traced body	serves all other calls, out of line, between tl_call_enter and
 *		tl_call_leave. The shim is an argument: so one body serves the exported function and
 *		all closures that are made for pointers from the driver.
 * the invoke	unpacks libffi's arguments and calls the body.
 *
 *	static TL_TRACED ze_result_t traced_zeEventQueryStatus(struct tl_shim *shim,
 *							       struct tl_caller caller,
 *							       ze_event_handle_t hEvent)
 *	{
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
 *		__asm__("zeEventQueryStatus");
 *	TL_ENTRY ze_result_t shim_zeEventQueryStatus(ze_event_handle_t hEvent)
 *	{
 *		pfn_zeEventQueryStatus real = tl_shim_direct(SHIM(zeEventQueryStatus));
 *
 *		if (TL_LIKELY(real))
 *			return real(hEvent);
 *		uint64_t mode = tl_shim_mode(SHIM(zeEventQueryStatus));
 *		if (TL_UNLIKELY(tl_mode_is_traced(mode)))
 *			return traced_zeEventQueryStatus(SHIM(zeEventQueryStatus), TL_CALLER,
 *							 hEvent);
 *		TL_RECORDED(call, (uint64_t)hEvent);
 *		real = tl_recorded_enter(call, SHIM(zeEventQueryStatus), mode);
 *		if (TL_UNLIKELY(!real))
 *			return traced_zeEventQueryStatus(SHIM(zeEventQueryStatus), TL_CALLER,
 *							 hEvent);
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

#define TL_SHIM_ABI 4

#define TL_LIKELY(x)	 __builtin_expect(!!(x), 1)
#define TL_UNLIKELY(x)	 __builtin_expect(!!(x), 0)
#define TL_ALWAYS_INLINE inline __attribute__((always_inline))
#define TL_EXPORT	 __attribute__((visibility("default")))
#define TL_HIDDEN	 __attribute__((visibility("hidden")))
/*
 * Each function keeps a body of its own: the compiler neither merges equal bodies nor copies them.
 * So backtraces and profiles show the right names.
 */
#if defined(__GNUC__) && !defined(__clang__)
#define TL_TRACED __attribute__((noinline, noclone, no_icf))
#else
#define TL_TRACED __attribute__((noinline))
#endif
/*
 * No canaries and no shadow memory for the entry's array of words: they would cost more than the
 * call. Aligned: what a call executes that nobody watches lies in one line of the cache; two cost a
 * cycle more.
 */
#if defined(__has_attribute) && __has_attribute(no_stack_protector)
#define TL_ENTRY __attribute__((aligned(32), no_stack_protector, no_sanitize("address")))
#else
#define TL_ENTRY __attribute__((aligned(32)))
#endif
/* Unroll the loop over a call's words that follows. clang does so by itself. */
#if defined(__GNUC__) && !defined(__clang__)
#define TL_UNROLL _Pragma("GCC unroll 64")
#else
#define TL_UNROLL
#endif

/*
 * The caller of a function: the return address, and where the caller's part of the stack ends. The
 * stack below belongs to the function and to what it calls.
 */
struct tl_caller {
	void *address;
	uintptr_t stack;
};
#define TL_STACK  ((uintptr_t)__builtin_dwarf_cfa())
#define TL_CALLER ((struct tl_caller){__builtin_return_address(0), TL_STACK})

/*
 * What a call through a shim does besides reaching the driver; a bit mask. 0: nobody watches, and
 * .direct is set.
 */
enum tl_mode {
	TL_MODE_RECORD = 1,   /* an event is recorded */
	TL_MODE_WORDS = 2,    /* with the parameters' words */
	TL_MODE_FOLLOW = 4,   /* and the memory that they lead to: out of line */
	TL_MODE_TRACERS = 8,  /* a tracer has a callback here: out of line */
	TL_MODE_RESOLVE = 16, /* the real function is not known yet: out of line */
	/* the caller decides: calls of loaders and drivers go to the real function: out of line */
	TL_MODE_CALLER = 32,
	/* the results are used: function pointers are wrapped, the exit handler is renewed */
	TL_MODE_AFTER = 64,
	/* device lanes have a hook here (layer/calls/hook.h): out of line */
	TL_MODE_DEVICE = 128,
	TL_MODE_OPEN = 256,  /* only an open call, which `tracelayer profile` sees from outside */
	TL_MODE_STACK = 512, /* with the stack that it is made from: out of line */
	TL_MODE_FAST = TL_MODE_RECORD | TL_MODE_WORDS, /* the entry serves these alone */
	/* the entry begins and ends these, and calls a function for the memory */
	TL_MODE_CAPTURED = TL_MODE_FAST | TL_MODE_FOLLOW,
};

/* A function that programs call: a function of an API, or a closure for a pointer to one. */
struct tl_shim {
	void *_Atomic direct; /* the real function while nobody watches, otherwise NULL */
	void *_Atomic real;   /* the real function; NULL: not found yet, or there is none */
	union {
		struct {
			_Atomic uint32_t mode; /* enum tl_mode */
			uint32_t id;	       /* tl_call_record.function */
		};
		_Atomic uint64_t mode_and_id; /* both in one load; the id is the upper half */
	};
	/* changes once at most, before .real is set, to one with the same name and words */
	const struct tl_function *_Atomic function;
	void *_Atomic dispatch; /* tracers' callbacks: layer/calls/tracers.c */
	/* what programs get as the function: the exported shim, a static shim, or a closure */
	void *entry;
	union {
		void (*invoke)(struct tl_shim *shim, void *caller, void **args, void *result);
		/* of an interposer that no compiler made: common/signature.h */
		const struct tl_signature *signature;
	};
	uint64_t reserved; /* at first TL_SHIM_UNREGISTERED */
};

/*
 * A shim of a library that is not registered yet leads to the library. The constructors of the
 * program's other libraries may run before that of a shim library: then the first call registers it.
 */
#ifdef TL_SHIM_LIBRARY
#define TL_SHIM_UNREGISTERED(library) ((uintptr_t)((const char *)(library) + 1))
#else
#define TL_SHIM_UNREGISTERED(library) 0
#endif

/*
 * An open call. A debugger or `tracelayer recover` sees it when a thread hangs inside the driver.
 *
 * .frame identifies the call: it is the address of its struct tl_call, or of its array of words
 * where the entry records it. While the call is open, the first word at .frame is the address of
 * this struct. A call's part of the stack should lie below that of the innermost open call.
 * Otherwise that call was left by longjmp, or this one runs on another stack; such a call is served
 * out of line.
 *
 * A signal handler may interrupt a call while it makes or leaves its open call, and may make calls
 * of its own. So a call first moves .top and then fills its struct. A struct that is free, or not
 * filled yet, has .frame TL_NO_FRAME.
 */
#define TL_NO_FRAME UINTPTR_MAX

struct tl_open_call {
	uint64_t start; /* ticks; 0: in a prologue, or not recorded */
	union {
		struct {
			/*
			 * the shim's mode at entry, so that what was begun is also ended; and enum
			 * tl_open_flag
			 */
			uint32_t mode;
			uint32_t function; /* tl_shim.id */
		};
		uint64_t mode_and_function;
	};
	_Atomic uintptr_t frame;
	/* TL_OPEN_SCRATCH: bytes of captured arguments of the calls around this one */
	uint32_t scratch;
	uint32_t lasted; /* TL_OPEN_SUSPECT: the longest possible duration, in units of 256 ticks */
};

/* Flags of tl_open_call.mode, beside the bits of enum tl_mode. */
enum tl_open_flag {
	TL_OPEN_SCRATCH = 1 << 16,
	TL_OPEN_FINISHED = 1 << 17, /* it has ended, but calls above it have not */
	TL_OPEN_SUSPECT = 1 << 18,  /* it was left by longjmp, or runs on another stack */
	/* it is served out of line: .frame is the address of a struct tl_call */
	TL_OPEN_TRACED = 1 << 19,
	TL_OPEN_OTHER = 1 << 20, /* it ends in tl_call_leave_other or tl_call_unwound */
};

/*
 * The part of a thread's state that shims use. Only the thread itself and its signal handlers write
 * it; the writer and recovery read it.
 *
 * The lower 48 bits of .position and .limit are addresses. The upper 16 bits are the number of the
 * chunk: if a signal handler changes the chunk, a position that was taken just before does not look
 * like one in the new chunk.
 */
struct tl_thread {
	_Atomic uint64_t position; /* next free byte; moved in one instruction */
	uint64_t limit;		   /* end of the current chunk */
	/* next free place on the stack of open calls; top[-1] is always readable */
	_Atomic(struct tl_open_call *) top;
	/* end of that stack; NULL while entries serve no calls: .busy is set, or .clock is 0 */
	struct tl_open_call *end;
	/* 1: ticks come from the counter register; 0: from clock_gettime */
	uint32_t clock;
	/* not 0: inside the runtime or a callback; calls go to the driver unwatched */
	uint32_t busy;
	struct tl_open_call *open; /* start of that stack */
};

/* The calling thread's state. NULL until its first watched call. */
extern TL_EXPORT __thread struct tl_thread *tl_self __attribute__((tls_model("initial-exec")));

/*
 * Load the calling thread's tl_self. In assembly, since compilers keep its address in a register
 * over calls. That costs the entry a push and a pop, and on some machines the address is wrong
 * after a coroutine has moved to another thread.
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

/* A call that is served out of line. It is on the stack of its traced body. */
struct tl_call {
	/* its open call, as the first word; NULL: none (the call is not watched, or no room) */
	struct tl_open_call *open;
	struct tl_shim *shim; /* NULL: finished, nothing to do on unwinding */
	struct tl_caller caller;
	void *const *params; /* pointers to the parameters, in order */
	void *result;	     /* where the result will be */
	uint32_t mode;	     /* as in the entry */
	uint32_t request;    /* the thread's request when the call began; 0: none */
	struct tl_thread *thread;
	uint64_t start;		  /* ticks */
	uintptr_t frame;	  /* .frame of its open call */
	void *more;		  /* for the tracers */
	struct tl_hooked *hooked; /* TL_MODE_DEVICE: for the hook; NULL: it owes nothing */
	uint64_t end;		  /* TL_MODE_DEVICE: when it ended, in ticks */
};

/*
 * Serve a call out of line. enter returns the function to call, or NULL where there is none. Where
 * the call is not watched, it sets call->shim to NULL. leave records the call; unwound does so
 * where an exception ends it.
 */
TL_EXPORT void *tl_call_enter(struct tl_call *call);
TL_EXPORT void tl_call_leave(struct tl_call *call, uint64_t result, const uint64_t *words,
			     uint32_t count);
TL_EXPORT void tl_call_unwound(struct tl_call *call);
/*
 * Does what tl_recorded_enter does, for a call whose arguments lead to memory that is captured, or
 * that is only an open call. `stack`: TL_STACK of the entry. NULL: the call needs the traced body;
 * nothing was done.
 */
TL_EXPORT void *tl_recorded_enter_captured(uint64_t *call, struct tl_shim *shim, uintptr_t stack);
/*
 * Leave a call that the entry began, where it has captured memory, is not the innermost open call,
 * or has moved to another thread or process. Returns `result`.
 */
TL_EXPORT uint64_t tl_recorded_leave_slow(uint64_t *call, uint64_t result);
/* Leave a call that ended at `end` and whose record did not fit at `at`. Returns `result`. */
TL_EXPORT uint64_t tl_recorded_leave_full(uint64_t *call, uint64_t result, uint64_t at,
					  uint64_t end);
/* Record and end a call that the entry began and an exception left. */
TL_EXPORT void tl_recorded_unwound(uint64_t *call);
/*
 * `size` bytes did not fit at the position `at`: reserve them in a new chunk. NULL: the event is
 * lost, and counted as lost.
 */
TL_EXPORT void *tl_record_reserve_slow(struct tl_thread *thread, uint64_t size, uint64_t at);
/* The ticks of a thread whose .clock is 0: nanoseconds of CLOCK_MONOTONIC. */
TL_EXPORT uint64_t tl_clock_gettime_ticks(void);

/* The processor's counter. */
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

/* The time now, in the ticks that records have. */
static TL_ALWAYS_INLINE uint64_t tl_ticks(const struct tl_thread *thread)
{
	return TL_LIKELY(thread->clock) ? tl_counter() : tl_clock_gettime_ticks();
}

/*
 * Add `size` to *position in one instruction, so that a signal handler gets a place of its own.
 * Returns the old value.
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

/* The real function while nobody watches; otherwise NULL. */
static TL_ALWAYS_INLINE void *tl_shim_direct(struct tl_shim *shim)
{
	return atomic_load_explicit(&shim->direct, memory_order_relaxed);
}

/* The shim's .mode_and_id. */
static TL_ALWAYS_INLINE uint64_t tl_shim_mode(struct tl_shim *shim)
{
	return atomic_load_explicit(&shim->mode_and_id, memory_order_relaxed);
}

/*
 * Tracers look at the call. The entry asks first of all, while it has no frame of its own: so it
 * can jump to the traced body.
 */
static TL_ALWAYS_INLINE bool tl_mode_is_traced(uint64_t mode_and_id)
{
	return mode_and_id & TL_MODE_TRACERS;
}

#define TL_CHUNK_MAX		      (256u * 1024) /* no chunk is larger */
#define TL_POSITION_ADDRESS(position) ((uint64_t)(position) << 16 >> 16)

/*
 * Store the size of a record at once when its place is reserved. A signal may interrupt the thread
 * before the record is complete; readers then step over it. tl_record_commit stores the whole word
 * later.
 */
static TL_ALWAYS_INLINE void tl_record_sized(uint64_t *record, uint64_t size)
{
	atomic_store_explicit((_Atomic uint64_t *)record, size / 8, memory_order_relaxed);
}

/* Reserve `size` bytes for a record. NULL: the event is lost. */
static TL_ALWAYS_INLINE uint64_t *tl_record_reserve(struct tl_thread *thread, uint64_t size)
{
	uint64_t at = tl_advance(&thread->position, size);
	uint64_t *record = (uint64_t *)(uintptr_t)TL_POSITION_ADDRESS(at);

	/* One comparison checks both: it fits, and the position is in the chunk of .limit. */
	if (TL_UNLIKELY(thread->limit - at - size > TL_CHUNK_MAX)) {
		record = (uint64_t *)tl_record_reserve_slow(thread, size, at);
		if (!record)
			return NULL;
	}
	tl_record_sized(record, size);
	return record;
}

/*
 * Make a record valid. The release pairs with the reader's acquire load of the same word: a reader
 * that sees the type sees the other words.
 */
static TL_ALWAYS_INLINE void tl_record_commit(uint64_t *record, uint64_t head)
{
	atomic_store_explicit((_Atomic uint64_t *)record, head, memory_order_release);
}

/*
 * --- calls that the entry records. Such a call is an array: the address of its open call, then the
 * words of its parameters.
 */

/*
 * Define the array of a call: TL_RECORDED(call, words…). Words are stored and loaded one by one: a
 * wider load would wait until the stores have reached the cache.
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
 * Begin a call that is only recorded; `mode_and_id`: the shim's. Returns the function to call.
 * NULL: the call needs the traced body; nothing was done.
 */
static TL_ALWAYS_INLINE void *tl_recorded_enter(uint64_t *call, struct tl_shim *shim,
						uint64_t mode_and_id)
{
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
	 * Release: the rest of the open call before what makes it valid, for signal handlers of
	 * this thread and for recovery.
	 */
	atomic_store_explicit(&open->frame, (uintptr_t)call, memory_order_release);
	return real;
}

/*
 * The cleanup of TL_RECORDED_UNWINDS. *call is NULL after the real function has returned normally;
 * then this does nothing.
 */
static TL_ALWAYS_INLINE void tl_recorded_cleanup(uint64_t *const *call)
{
	if (TL_UNLIKELY(*call != NULL))
		tl_recorded_unwound(*call);
}

/* From here on an exception ends the call. */
#define TL_RECORDED_UNWINDS(call)                                                                  \
	uint64_t *call##_unwinds __attribute__((cleanup(tl_recorded_cleanup))) = (call)

static TL_ALWAYS_INLINE uint64_t tl_recorded_word(const uint64_t *call, size_t i)
{
	return *(const volatile uint64_t *)&call[i];
}

/*
 * Store the record of a call and end the call. `function`: tl_call_record.function, shifted to its
 * place in the record's first word.
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
	 * Atomic, so that no compiler makes wider stores of them; these cost more than they save.
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
 * Leave a call that tl_recorded_enter began, with `words` words. Returns `result`, so that the
 * entry need not keep it over the rare calls.
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

/* Leave the call, and return the result. */
#define TL_RECORDED_LEAVE(call, result)                                                            \
	(call##_unwinds = NULL, tl_recorded_leave(call, result, sizeof(call) / 8 - 1))

/* --- calls served out of line */

/*
 * The cleanup of TL_CALL. A call that has ended normally has shim == NULL; then this does nothing.
 */
static TL_ALWAYS_INLINE void tl_call_cleanup(struct tl_call *call)
{
	if (TL_UNLIKELY(call->shim != NULL))
		tl_call_unwound(call);
}

/* Define the struct tl_call of a traced body. */
#define TL_CALL(name, shim_, caller_, params_, result_)                                            \
	struct tl_call name __attribute__((cleanup(tl_call_cleanup)));                             \
	name.shim = (shim_);                                                                       \
	name.caller = (caller_);                                                                   \
	name.params = (void *const *)(params_);                                                    \
	name.result = (result_)

/* Leave the call: TL_CALL_LEAVE(call, result, words…), with the words of all parameters. */
#define TL_CALL_LEAVE(call, result, ...)                                                           \
	do {                                                                                       \
		if ((call).shim) {                                                                 \
			const uint64_t words_[] = {0, ##__VA_ARGS__};                              \
			tl_call_leave(&(call), result, words_ + 1, sizeof(words_) / 8 - 1);        \
			(call).shim = NULL;                                                        \
		}                                                                                  \
	} while (0)

/* The i-th 8-byte word of a float or of a struct that is passed by value. */
#define TL_WORD_OF(value, i) tl_word_of(&(value), sizeof(value), i)

static TL_ALWAYS_INLINE uint64_t tl_word_of(const void *value, size_t size, size_t i)
{
	uint64_t word = 0;

	memcpy(&word, (const char *)value + 8 * i, size - 8 * i < 8 ? size - 8 * i : 8);
	return word;
}

/* What a shim library registers; also libtracelayer.so itself, for its built-in APIs. */
struct tl_shim_library {
	uint32_t abi;			  /* TL_SHIM_ABI */
	const struct tl_api *_Atomic api; /* changes with its shims' .function */
	/* api->count shims, with .function, .entry and .invoke filled in */
	struct tl_shim *shims;
};

/*
 * Register a shim library. Its constructor calls this. It does no more than reading the
 * environment. Returns 0, or -1 where the ABI differs; then a line on standard error says so.
 */
TL_EXPORT int tl_shim_register(struct tl_shim_library *library);

#endif
