/* SPDX-License-Identifier: MIT */
/*
 * stack_numbers.c: see stack_numbers.h.
 *
 * A hash table finds a stack's number by the hash of its addresses and libraries. The hash has 64
 * bits and stands for the stack: two of the stacks that a process may keep have the same one with a
 * probability of one in a thousand million. A thread claims a free slot by a compare and exchange
 * of the hash, makes the text, and stores its number, with release; readers acquire it. Whoever
 * comes in between makes the text as well, and gets the same number (strings.h).
 */
#include "layer/calls/stack_numbers.h"

#include <stdatomic.h>
#include <stddef.h>

#include "common/text.h"
#include "layer/base/shared_table.h"
#include "layer/buffers/strings.h"
#include "layer/calls/stack_libraries.h"
#include "layer/calls/stack_walk.h"
#include "layer/calls/unwind_rules.h"
#include "layer/resolve/closure.h"

#define SLOTS (2 * TL_STACKS)
#define TRIES 64u

struct slot {
	_Atomic uint64_t hash;
	_Atomic uint32_t number;
};

static _Atomic(void *) table; /* SLOTS of them */
static _Atomic uint32_t count;

/*
 * Of a call through a closure nobody knows where its caller's frames begin, so the innermost frames of
 * the stack are the closure's (closure.c). There are at most so many of those.
 */
#define CLOSURE_FRAMES 8u

static uint32_t closure_frames(const struct tl_stack *stack, uint32_t own)
{
	uint32_t ffi = tl_stack_library_find((uintptr_t)tl_closure_code()), frames = 0;

	/* Number 0 is code of no library. */
	ffi = ffi ? ffi : own;
	while (frames < CLOSURE_FRAMES && frames + 1 < stack->count &&
	       (tl_stack_library_is_same(stack->library[frames], own) ||
		tl_stack_library_is_same(stack->library[frames], ffi)))
		frames++;
	return frames;
}

/* Where a stack's text is made. */
struct text_room {
	char stack[TL_STRING_MAX];
	struct tl_stack_library_room library;
};

/*
 * The stack of a signal handler may be a few kB, less than a text takes. So texts are made here.
 * If all rooms are taken, the stack must do: other threads may have them, what a handler has
 * interrupted, and in a forked child threads that it doesn't have. Acquire where .taken is set,
 * release where it is cleared.
 */
#define ROOMS 4u
static struct {
	_Atomic bool taken;
	struct text_room room;
} rooms[ROOMS];

static uint32_t stack_put_in(struct text_room *room, const struct tl_stack *stack, bool by_closure)
{
	struct tl_text text = {room->stack, room->stack + sizeof(room->stack) - 1, false};
	struct tl_stack_frame frame = {.library = 0};

	/* A call that is made inside another one: the shim of that one is no part of the program. */
	uint32_t own = tl_stack_library_find((uintptr_t)stack_put_in);
	uint32_t first = by_closure ? closure_frames(stack, own) : 0;
	bool keeps_own = tl_stack_library_is_same(stack->library[first], own);
	tl_stack_text_begin(&text);
	for (uint32_t i = first; i < stack->count && !text.cut; i++) {
		uint32_t library = stack->library[i], last = frame.library;
		uintptr_t address = stack->address[i];
		if (!keeps_own && tl_stack_library_is_same(library, own))
			continue;
		frame.library =
			library ? tl_stack_library_text(library, address, &room->library) : 0;
		if (library && !frame.library)
			return 0;
		frame.address = address - (library ? tl_stack_library_image(library)->base : 0);
		tl_stack_text_frame(&text, i == first, last, &frame);
	}
	if (text.cut || stack->more)
		*text.at++ = '+';
	return tl_string_number(room->stack, (size_t)(text.at - room->stack));
}

static __attribute__((noinline)) uint32_t stack_put_here(const struct tl_stack *stack,
							 bool by_closure)
{
	struct text_room room;

	return stack_put_in(&room, stack, by_closure);
}

static __attribute__((noinline)) uint32_t stack_put(const struct tl_stack *stack, bool by_closure)
{
	for (uint32_t i = 0; i < ROOMS; i++) {
		if (atomic_exchange_explicit(&rooms[i].taken, true, memory_order_acquire))
			continue;
		uint32_t number = stack_put_in(&rooms[i].room, stack, by_closure);
		atomic_store_explicit(&rooms[i].taken, false, memory_order_release);
		return number;
	}
	return stack_put_here(stack, by_closure);
}

/* The slot of the stack, or a free one that is now the stack's; NULL: there is no room. */
static struct slot *slot_find(uint64_t hash)
{
	struct slot *slots = tl_shared_table(&table, SLOTS * sizeof(*slots));

	for (uint32_t i = 0; slots && i < TRIES; i++) {
		struct slot *slot = &slots[(hash + i) % SLOTS];
		uint64_t has = atomic_load_explicit(&slot->hash, memory_order_relaxed);
		if (!has && atomic_load_explicit(&count, memory_order_relaxed) < TL_STACKS &&
		    atomic_compare_exchange_strong_explicit(
			    &slot->hash, &has, hash, memory_order_relaxed, memory_order_relaxed)) {
			atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
			return slot;
		}
		if (has == hash)
			return slot;
		if (!has)
			return NULL;
	}
	return NULL;
}

static uint32_t stack_number(const struct tl_stack *stack, bool by_closure)
{
	struct slot *slot = slot_find(stack->hash | 1);

	if (!slot)
		return 0;
	uint32_t number = atomic_load_explicit(&slot->number, memory_order_acquire);
	if (!number) {
		number = stack_put(stack, by_closure);
		atomic_store_explicit(&slot->number, number, memory_order_release);
	}
	return number;
}

/* .mode tells readers that there is a number, and is stored by the caller, later. */
__attribute__((noinline)) void
tl_open_take_stack(struct tl_producer *producer, struct tl_open_call *open, struct tl_caller caller)
{
	struct tl_thread_piece *piece = tl_thread_piece_of(open);
	struct tl_stack stack;

	if (!piece->stacks)
		return;
	tl_stack_walk(caller, (struct tl_own_stack *)(uintptr_t)producer->stack_slot, &stack);
	uint32_t number = stack.count ? stack_number(&stack, !caller.address) : 0;
	((uint32_t *)((uintptr_t)piece + piece->stacks))[open - piece->open] = number;
	if (!number)
		atomic_fetch_add_explicit(&producer->stackless, 1, memory_order_relaxed);
}

__attribute__((noinline)) const void *tl_closure_caller(struct tl_producer *producer,
							struct tl_caller closure)
{
	struct tl_stack stack;

	tl_stack_walk(closure, (struct tl_own_stack *)(uintptr_t)producer->stack_slot, &stack);
	uint32_t own = tl_stack_library_find((uintptr_t)tl_closure_caller);
	uint32_t first = closure_frames(&stack, own);
	return first < stack.count && !tl_stack_library_is_same(stack.library[first], own)
		       ? (const void *)(stack.address[first] + 1)
		       : NULL;
}

size_t tl_stack_callers(const void *caller, void **frames, size_t most)
{
	struct tl_own_stack own = {0, 0};
	struct tl_stack stack;
	uint32_t at = 0;
	size_t count = 0;

	/* All frames, and ours among them: the view does not have the stack's end of its caller. */
	tl_stack_walk((struct tl_caller){NULL, 0}, &own, &stack);
	while (at < stack.count && stack.address[at] + 1 != tl_return_address((uintptr_t)caller))
		at++;
	for (; at < stack.count && count < most; at++)
		frames[count++] = (void *)(stack.address[at] + 1);
	if (!count && most)
		frames[count++] = (void *)(uintptr_t)caller;
	return count;
}

void tl_stacks_after_fork(void)
{
	tl_shared_table_drop(&table, SLOTS * sizeof(struct slot));
	atomic_store_explicit(&count, 0, memory_order_relaxed);
	tl_stack_libraries_after_fork();
}
