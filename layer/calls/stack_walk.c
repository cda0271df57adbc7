/* SPDX-License-Identifier: MIT */
/*
 * stack_walk.c: see stack_walk.h.
 *
 * A walk needs three registers: the stack pointer, the frame pointer, and the address. For nearly
 * all code, what a library's tables (eh_frame.h) say about an address comes down to three numbers:
 * where the caller's part of the stack ends, and where the return address and the caller's frame
 * pointer lie. These are one word, a step, which is found once for each address and kept in a table
 * of fixed size. A step says in which library the address was. The walk asks once for each library
 * that it meets whether that is still there; so no step outlives its library.
 *
 * Other rules, a signal handler's frame for example, are run as they stand (unwind_rules.h) each
 * time. Code without tables is left by its frame pointers.
 *
 * The table: a slot has a step, and the address, both mixed by exclusive or. So a slot that two
 * threads have stored at once, or that a signal handler has stored meanwhile, has no address that
 * anybody looks for. All accesses are relaxed.
 *
 * Memory: a thread's own stack is looked at once, up to its top, and again where it grows; from
 * there it is read directly. On another stack, each page is tried first (stack_memory.h).
 */
#include "layer/calls/stack_walk.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "layer/calls/signal_frame.h"
#include "layer/calls/stack_frames.h"
#include "layer/calls/stack_libraries.h"
#include "layer/calls/stack_memory.h"
#include "layer/calls/unwind_rules.h"

#define OWN	 24 /* frames of our own, at most */
#define FARTHEST ((uintptr_t)1 << 30)
#define PAGE	 ((uintptr_t)4096)

/* --- steps */

enum step_kind {
	STEP_NONE,     /* no step */
	STEP_PLAIN,    /* by its three numbers */
	STEP_END,      /* the function has no caller */
	STEP_RULES,    /* by its rules */
	STEP_POINTERS, /* by frame pointers */
	STEP_SIGNAL,   /* a signal handler's caller that has no tables: signal_frame.h */
};

/*
 * From the lowest bit: kind (3), whether the caller's end is relative to the frame pointer (1),
 * that distance (20), the places of the return address (14) and of the frame pointer (14, KEPT: it
 * is unchanged), relative to that end, and the library (12). Distances are in words.
 */
#define KEPT 0x1fff

static uint64_t step_make(enum step_kind kind, uint32_t library)
{
	return kind | (uint64_t)library << 52;
}

static inline enum step_kind step_kind(uint64_t step)
{
	return step & 7;
}

static inline uint32_t step_library(uint64_t step)
{
	return step >> 52;
}

static inline bool step_is_by_pointer(uint64_t step)
{
	return step & 8;
}

static inline uintptr_t step_end(uint64_t step)
{
	return (step >> 4 & 0xfffff) * 8;
}

static inline intptr_t step_back(uint64_t step)
{
	return ((int64_t)(step << 26) >> 50) * 8;
}

static inline bool step_keeps_pointer(uint64_t step)
{
	return (step >> 38 & 0x3fff) == KEPT;
}

static inline intptr_t step_pointer(uint64_t step)
{
	return ((int64_t)(step << 12) >> 50) * 8;
}

/* A place relative to the caller's end, as 14 bits. False: it does not fit. */
static bool place_fits(int64_t place, uint64_t *bits)
{
	int64_t words = place / 8;

	*bits = (uint64_t)words & 0x3fff;
	return place % 8 == 0 && words >= -0x2000 && words < KEPT;
}

static uint64_t step_of_rules(const struct tl_unwind_rules *rules, uint64_t back, uint32_t library)
{
	const struct tl_unwind_rule *pointer = &rules->reg[TL_REGISTER_FP];
	uint64_t step = step_make(STEP_PLAIN, library), bits;
	uint64_t other = step_make(STEP_RULES, library);

	if (rules->cfa.kind != TL_RULE_IN_REGISTER ||
	    (rules->base != TL_REGISTER_SP && rules->base != TL_REGISTER_FP) ||
	    rules->reg[TL_REGISTER_SP].kind != TL_RULE_SAME ||
	    rules->reg[back].kind != TL_RULE_AT_OFFSET || rules->cfa.value < 0 ||
	    rules->cfa.value % 8 || rules->cfa.value / 8 > 0xfffff ||
	    !place_fits(rules->reg[back].value, &bits))
		return other;
	step |= bits << 24;
	step |= (uint64_t)(rules->cfa.value / 8) << 4;
	step |= rules->base == TL_REGISTER_FP ? 8 : 0;
	if (pointer->kind == TL_RULE_SAME)
		bits = KEPT;
	else if (pointer->kind != TL_RULE_AT_OFFSET || !place_fits(pointer->value, &bits))
		return other;
	return step | bits << 38;
}

/* What the tables say of an address in a library that is there. */
static __attribute__((noinline)) uint64_t step_find(uintptr_t address)
{
	uint32_t library = tl_stack_library_find(address);
	struct tl_eh_function function;
	struct tl_unwind_rules rules;

	if (!library)
		return step_make(STEP_POINTERS, 0);
	const struct tl_eh_image *image = tl_stack_library_image(library);
	if (!tl_eh_find(image, address, &function) || function.back >= TL_REGISTERS)
		return step_make(tl_signal_frame_is(address + 1) ? STEP_SIGNAL : STEP_POINTERS,
				 library);
	if (!tl_unwind_find_rules(&function, address, image->table, &rules))
		return step_make(STEP_END, library);
	if (rules.reg[function.back].kind == TL_RULE_UNDEFINED)
		return step_make(STEP_END, library);
	return function.of_signal ? step_make(STEP_RULES, library)
				  : step_of_rules(&rules, function.back, library);
}

/* --- the table of steps */

#define WAYS	  4u /* slots in which an address may be: one line of the cache */
#define SETS_BITS 11
#define SETS	  (1u << SETS_BITS)

struct slot {
	_Atomic uint64_t mixed, step;
};

static _Alignas(64) struct slot slots[SETS][WAYS];

static inline struct slot *slots_of(uintptr_t address)
{
	return slots[(uint64_t)address * 0x9e3779b97f4a7c15u >> (64 - SETS_BITS)];
}

static inline uint64_t slots_find(uintptr_t address)
{
	struct slot *set = slots_of(address);

	for (unsigned i = 0; i < WAYS; i++) {
		uint64_t step = atomic_load_explicit(&set[i].step, memory_order_relaxed);
		if ((atomic_load_explicit(&set[i].mixed, memory_order_relaxed) ^ step) == address)
			return step;
	}
	return STEP_NONE;
}

static void slot_set(struct slot *slot, uint64_t mixed, uint64_t step)
{
	atomic_store_explicit(&slot->step, step, memory_order_relaxed);
	atomic_store_explicit(&slot->mixed, mixed, memory_order_relaxed);
}

/* The newest step comes first; the oldest makes room, or one of the same address. */
static void slots_put(uintptr_t address, uint64_t step)
{
	struct slot *set = slots_of(address);
	unsigned last = 0;

	while (last < WAYS - 1 &&
	       (atomic_load_explicit(&set[last].mixed, memory_order_relaxed) ^
		atomic_load_explicit(&set[last].step, memory_order_relaxed)) != address)
		last++;
	for (; last > 0; last--)
		slot_set(&set[last],
			 atomic_load_explicit(&set[last - 1].mixed, memory_order_relaxed),
			 atomic_load_explicit(&set[last - 1].step, memory_order_relaxed));
	slot_set(&set[0], address ^ step, step);
}

/* --- memory */

/* The top of the calling thread's own stack, or beyond: see longjmp.c. */
static uintptr_t stack_top(void)
{
	bool first = syscall(SYS_gettid) == syscall(SYS_getpid);

	return (first ? (uintptr_t)getauxval(AT_RANDOM) : (uintptr_t)pthread_self()) &
	       ~(uintptr_t)7;
}

/* Looks at the own stack from `sp` on. False: the thread is on another stack. */
static __attribute__((noinline)) bool own_stack_look(struct tl_own_stack *own, uintptr_t sp)
{
	uintptr_t high = own->high ? own->high : stack_top(), upto = own->high ? own->low : high;

	if (sp >= upto || high - sp > FARTHEST || !tl_stack_is_mapped(sp, upto))
		return false;
	own->low = sp & ~(PAGE - 1);
	own->high = high;
	return true;
}

/* Reads the stack of other functions, as no sanitizer would have it. */
#define UNCHECKED __attribute__((no_sanitize("address", "thread")))

struct walk {
	uintptr_t sp, pointer, address;
	uintptr_t low, high; /* can be read directly */
	struct tl_window window;
	uint32_t last; /* the library of the last step; 0: none */
	uint32_t nseen;
	uint16_t seen[8]; /* libraries that are there */
	/*
	 * Of code that a signal interrupted: where it returns to, if that is still in a register, as
	 * on arm64; and its stack pointer. 0: there is no such register.
	 */
	uintptr_t link, link_sp;
};

static TL_ALWAYS_INLINE UNCHECKED bool walk_load(struct walk *walk, uintptr_t at, uintptr_t *word)
{
	if (__builtin_expect(at - walk->low < walk->high - walk->low, 1)) {
		*word = *(const volatile uintptr_t *)at;
		return true;
	}
	return tl_window_load(&walk->window, at, word);
}

/* --- the walk */

static inline bool walk_knows_library(struct walk *walk, uint32_t library, uintptr_t address)
{
	for (uint32_t i = 0; library && i < walk->nseen; i++)
		if (walk->seen[i] == library)
			return true;
	if (!tl_stack_library_is_there(library, address))
		return false;
	if (walk->nseen < sizeof(walk->seen) / sizeof(*walk->seen))
		walk->seen[walk->nseen++] = (uint16_t)library;
	return true;
}

static __attribute__((noinline)) uint64_t walk_step_other(struct walk *walk, uintptr_t address)
{
	uint64_t step = slots_find(address);

	if (step == STEP_NONE || !walk_knows_library(walk, step_library(step), address)) {
		step = step_find(address);
		slots_put(address, step);
	}
	walk->last = step_library(step);
	return step;
}

/* Most frames are in the library of the frame before, and their steps in the first slot. */
static inline uint64_t walk_step(struct walk *walk, uintptr_t address)
{
	struct slot *slot = slots_of(address);
	uint64_t step = atomic_load_explicit(&slot->step, memory_order_relaxed);

	if (__builtin_expect((atomic_load_explicit(&slot->mixed, memory_order_relaxed) ^ step) ==
					     address &&
				     step_library(step) == walk->last && walk->last,
			     1))
		return step;
	return walk_step_other(walk, address);
}

static UNCHECKED bool walk_by_pointers(struct walk *walk, uint32_t library, uintptr_t *back)
{
	uintptr_t frame = walk->pointer, outer;

	if (frame < walk->sp || frame % 8 || !walk_load(walk, frame, &outer) ||
	    !walk_load(walk, frame + 8, back))
		return false;
	*back = tl_return_address(*back);
	/* What follows code of a library is code, too; it may be what a compiler makes at run time. */
	if (library && !tl_stack_library_find(*back - 1))
		return false;
	walk->sp = frame + 16;
	walk->pointer = outer;
	return true;
}

static uintptr_t walk_link(const struct tl_machine *machine)
{
#if defined(__aarch64__)
	return machine->reg[30];
#else
	(void)machine;
	return 0;
#endif
}

/* The interrupted function may not have stored its return address. */
static void walk_give_link(const struct walk *walk, struct tl_machine *machine)
{
#if defined(__aarch64__)
	if (walk->link && walk->sp == walk->link_sp) {
		machine->reg[30] = walk->link;
		machine->known[30] = true;
	}
#else
	(void)walk;
	(void)machine;
#endif
}

/* *is_signal: the caller was interrupted by a signal, and its stack may be another one. */
static __attribute__((noinline)) bool walk_by_rules(struct walk *walk, uintptr_t address,
						    uint32_t library, uintptr_t *back,
						    bool *is_signal)
{
	const struct tl_eh_image *image = tl_stack_library_image(library);
	struct tl_machine machine = {.stack = {walk->low, walk->high}, .base = image->table};
	struct tl_eh_function function;
	struct tl_unwind_rules rules;
	uintptr_t end;

	machine.reg[TL_REGISTER_SP] = walk->sp;
	machine.reg[TL_REGISTER_FP] = walk->pointer;
	machine.known[TL_REGISTER_SP] = machine.known[TL_REGISTER_FP] = true;
	walk_give_link(walk, &machine);
	if (!tl_eh_find(image, address, &function) || function.back >= TL_REGISTERS ||
	    !tl_unwind_find_rules(&function, address, image->table, &rules) ||
	    !tl_unwind_find_cfa(&machine, &rules, &end))
		return false;
	tl_unwind_step(&machine, &rules, end);
	*is_signal = function.of_signal;
	if (!machine.known[TL_REGISTER_SP] || !machine.known[function.back])
		return false;
	walk->sp = machine.reg[TL_REGISTER_SP];
	walk->pointer = machine.known[TL_REGISTER_FP] ? machine.reg[TL_REGISTER_FP] : 0;
	*back = tl_return_address(machine.reg[function.back]);
	return true;
}

/* From the frame of a signal handler to the code that was interrupted. */
static __attribute__((noinline)) bool walk_by_signal(struct walk *walk, uintptr_t *back)
{
	struct tl_machine machine = {.stack = {walk->low, walk->high}};

	machine.reg[TL_REGISTER_SP] = walk->sp;
	machine.known[TL_REGISTER_SP] = true;
	if (!tl_signal_frame_step(&machine, back))
		return false;
	walk->sp = walk->link_sp = machine.reg[TL_REGISTER_SP];
	walk->pointer = machine.reg[TL_REGISTER_FP];
	walk->link = walk_link(&machine);
	return true;
}

static inline UNCHECKED bool walk_by_numbers(struct walk *walk, uint64_t step, uintptr_t *back)
{
	uintptr_t end = (step_is_by_pointer(step) ? walk->pointer : walk->sp) + step_end(step);

	if (end <= walk->sp || !walk_load(walk, end + (uintptr_t)step_back(step), back) ||
	    (!step_keeps_pointer(step) &&
	     !walk_load(walk, end + (uintptr_t)step_pointer(step), &walk->pointer)))
		return false;
	*back = tl_return_address(*back);
	walk->sp = end;
	return true;
}

static inline uint64_t hash_mix(uint64_t hash, uint64_t value)
{
	unsigned __int128 product =
		(unsigned __int128)(hash ^ 0xa0761d6478bd642fu) * (value ^ 0xe7037ed1a0b428dbu);

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Where the C library's coroutines begin, with all bits inverted; 0: unknown. */
static uintptr_t coroutine_mark(void)
{
	static _Atomic uintptr_t mark;
	uintptr_t known = atomic_load_explicit(&mark, memory_order_relaxed);

	if (!known) {
		known = tl_chain_coroutine_mark();
		atomic_store_explicit(&mark, known, memory_order_relaxed);
	}
	return known;
}

static void stack_add(struct tl_stack *stack, uintptr_t address, uint64_t step)
{
	stack->address[stack->count] = address;
	stack->library[stack->count++] = (uint16_t)step_library(step);
	stack->hash = hash_mix(stack->hash, address + ((uint64_t)step_library(step) << 52));
}

/* Only an interrupted function may have nothing on the stack; its return address is used once. */
static inline bool walk_went_up(struct walk *walk, uintptr_t sp)
{
	if (__builtin_expect(walk->sp > sp, 1))
		return true;
	bool interrupted = walk->link && sp == walk->link_sp && walk->sp == sp;
	walk->link = 0;
	return interrupted;
}

/* From `walk` on; frames count once the walk has come to the stack's end of the caller. */
static inline UNCHECKED void walk_run(struct walk *walk, uintptr_t caller, struct tl_stack *stack)
{
	uintptr_t mark = coroutine_mark();
	unsigned own = 0;
	bool is_callers = false;

	for (;;) {
		uintptr_t sp = walk->sp, address = walk->address, back = 0;
		uint64_t step = walk_step(walk, address);
		bool is_signal = false, found = false;
		if (is_callers)
			stack_add(stack, address, step);
		else if (++own > OWN)
			return;
		if (__builtin_expect(step_kind(step) == STEP_PLAIN, 1))
			found = walk_by_numbers(walk, step, &back);
		else if (step_kind(step) == STEP_RULES)
			found = walk_by_rules(walk, address, step_library(step), &back, &is_signal);
		else if (step_kind(step) == STEP_POINTERS)
			found = walk_by_pointers(walk, step_library(step), &back);
		else if (step_kind(step) == STEP_SIGNAL)
			found = is_signal = walk_by_signal(walk, &back);
		/* Without this, the compiler would invert the mark, and leave it on the stack. */
		__asm__ volatile("" : "+r"(mark));
		if (found && ~back == mark)
			*(volatile uintptr_t *)&back = 0;
		if (!found || back < PAGE || (!is_signal && !walk_went_up(walk, sp)))
			return;
		is_callers |= walk->sp >= caller;
		if (stack->count == TL_STACK_FRAMES) {
			stack->more = true;
			return;
		}
		walk->address = is_signal ? back : back - 1;
	}
}

/* The registers at the place where this is expanded. */
#if defined(__x86_64__)
#define TAKE_REGISTERS(walk)                                                                       \
	__asm__ volatile("movq %%rsp, %0\n\tmovq %%rbp, %1\n\tleaq 0(%%rip), %2"                   \
			 : "=&r"((walk)->sp), "=&r"((walk)->pointer), "=&r"((walk)->address))
#elif defined(__aarch64__)
#define TAKE_REGISTERS(walk)                                                                       \
	__asm__ volatile("mov %0, sp\n\tmov %1, x29\n\tadr %2, ."                                  \
			 : "=&r"((walk)->sp), "=&r"((walk)->pointer), "=&r"((walk)->address))
#endif

__attribute__((noinline)) UNCHECKED void
tl_stack_walk(struct tl_caller caller, struct tl_own_stack *own, struct tl_stack *stack)
{
	struct walk walk = {.nseen = 0, .link = 0};

	stack->count = 0;
	stack->more = false;
	stack->hash = 0;
	TAKE_REGISTERS(&walk);
	if (walk.sp - own->low < own->high - own->low || own_stack_look(own, walk.sp)) {
		walk.low = own->low;
		walk.high = own->high - 7;
	}
	walk_run(&walk, caller.stack, stack);
	if (!stack->count && caller.address)
		stack_add(stack, (uintptr_t)caller.address - 1,
			  walk_step(&walk, (uintptr_t)caller.address - 1));
}
