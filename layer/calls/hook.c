/* SPDX-License-Identifier: MIT */
/*
 * hook.c: see hook.h.
 *
 * What is kept of a call lies beside the thread's stack of open calls, and not in the call's own
 * frame, which no longer exists after a longjmp. A forked child has a copy of it, even where it
 * does not have the thread.
 */
#include "layer/calls/hook.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "format/file/record.h"
#include "layer/base/membarrier.h"
#include "layer/buffers/buffer.h"
#include "layer/calls/parameters.h"
#include "layer/calls/inside_hook.h"
#include "layer/base/spin_lock.h"
#include "layer/base/cache_near.h"
#include "layer/resolve/real_function.h"
#include "layer/resolve/api_table.h"
#include "layer/calls/thread.h"

struct tl_hook_place *_Atomic tl_hook_tables[TL_API_MAX];
_Atomic(tl_submission_listener *) tl_submission_listens TL_NEAR;

/* --- the barrier */

bool tl_hook_has_barrier TL_NEAR;
_Atomic bool tl_hook_driver_ended TL_NEAR;

static void barrier_register(void)
{
	tl_hook_has_barrier = tl_membarrier_register();
}

void tl_hook_barrier(void)
{
	if (tl_hook_has_barrier)
		tl_membarrier();
	else
		/* Pairs with the fence in tl_hook_barrier_near. */
		atomic_thread_fence(memory_order_seq_cst);
}

void tl_hook_after_fork(void)
{
	barrier_register();
}

/* --- setting hooks */

static const struct tl_hook *hook_find(uint32_t id)
{
	const struct tl_hook_place *place = tl_hook_place_of(id);

	return place ? atomic_load_explicit(&place->hook, memory_order_acquire) : NULL;
}

/*
 * The names in lists of hooks. No malloc here: the first call may come from a signal handler. A slot
 * holds the list's number, from 1 on, and the hook's place in it. 0: empty.
 */
#define NAME_SLOTS (2 * TL_HOOK_MAX)
#define IN_LIST	   9u /* bits of a place: TL_HOOK_MAX */

struct hook_names {
	const struct tl_hook *const *lists;
	uint16_t slots[NAME_SLOTS];
	/*
	 * Bits for the names' first two characters, which most functions of other APIs do not have.
	 * It is looked at first, as there are thousands of functions.
	 */
	uint64_t beginnings;
};

static_assert(TL_HOOK_MAX == 1u << IN_LIST, "a slot has room for each place");

static const struct tl_hook *names_at(const struct hook_names *names, uint32_t slot)
{
	return &names->lists[(slot >> IN_LIST) - 1][slot & (TL_HOOK_MAX - 1)];
}

static uint64_t name_beginning(const char *name)
{
	return UINT64_C(1) << (((unsigned char)name[0] * 5u + (unsigned char)name[1]) & 63);
}

/* The slot of that name: its own, or an empty one for it. */
static uint16_t *names_slot(struct hook_names *names, const char *name)
{
	uint32_t at = 0;

	for (const char *c = name; *c; c++)
		at = at * 31 + (unsigned char)*c;
	for (;; at++) {
		uint16_t *slot = &names->slots[at % NAME_SLOTS];

		if (!*slot || !strcmp(names_at(names, *slot)->function, name))
			return slot;
	}
}

/* If a function is in several lists, or twice in one, the first one counts. False: too many. */
static bool names_make(struct hook_names *names, const struct tl_hook *const *lists)
{
	uint32_t left = TL_HOOK_MAX;

	*names = (struct hook_names){.lists = lists};
	for (uint32_t n = 0; lists[n]; n++)
		for (uint32_t i = 0; lists[n][i].function; i++) {
			if (!left--)
				return false;
			uint16_t *slot = names_slot(names, lists[n][i].function);

			names->beginnings |= name_beginning(lists[n][i].function);
			if (!*slot)
				*slot = (uint16_t)((n + 1) << IN_LIST | i);
		}
	return true;
}

static const struct tl_hook *names_find(struct hook_names *names, const char *name)
{
	if (!(names->beginnings & name_beginning(name)))
		return NULL;
	uint32_t slot = *names_slot(names, name);

	return slot ? names_at(names, slot) : NULL;
}

static struct tl_hook_place *hook_table_for(uint32_t number, uint32_t count)
{
	struct tl_hook_place *table =
		atomic_load_explicit(&tl_hook_tables[number], memory_order_acquire);

	if (table)
		return table;
	table = mmap(NULL, count * sizeof(*table), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (table == MAP_FAILED)
		return NULL;
	atomic_store_explicit(&tl_hook_tables[number], table, memory_order_release);
	return table;
}

static void place_set_parameters(struct tl_hook_place *place, const struct tl_function *function)
{
	place->count = function->count;
	place->words = function->words;
	place->simple = true;
	for (uint32_t i = 0; i < function->count; i++) {
		const struct tl_variable *param = &function->params[i];
		bool narrow = param->type->size == 4;
		place->simple &= param->offset == i && (narrow || param->type->size == 8);
		place->narrow |= (uint32_t)narrow << i;
		place->negative |= (uint32_t)(narrow && param->type->kind == TL_KIND_INT) << i;
	}
}

/*
 * Shims whose hooks are there; their mode is yet to say so. A lock for each would take two system
 * calls.
 */
#define HOOKED_SHIMS 64u

struct hooked_shims {
	struct tl_shim *list[HOOKED_SHIMS];
	uint32_t count;
};

static void hooked_shims_set_mode(struct hooked_shims *shims)
{
	tl_api_set_modes(shims->list, shims->count, TL_MODE_DEVICE, 0);
	shims->count = 0;
}

static bool hook_set_one(const struct tl_hook *hook, struct tl_shim *shim, uint32_t count,
			 struct hooked_shims *set)
{
	struct tl_hook_place *table = hook_table_for(shim->id >> 16, count),
			     *place = table + (shim->id & 0xffff);

	if (!table)
		return false;
	if (atomic_load_explicit(&place->hook, memory_order_relaxed) ||
	    shim->function->words > TL_HOOK_WORDS || shim->function->passed > TL_HOOK_WORDS)
		return true;
	place_set_parameters(place, shim->function);
	place->before = hook->before;
	place->after = hook->after;
	/* If a function is known by name only, the record's words are not its parameters'. */
	place->straight = hook->way == TL_HOOK_STRAIGHT && !shim->function->passed;
	atomic_store_explicit(&place->hook, hook, memory_order_release);
	if (set->count == HOOKED_SHIMS)
		hooked_shims_set_mode(set);
	set->list[set->count++] = shim;
	return true;
}

bool tl_hook_set(enum tl_hook_setter setter, const struct tl_hook *const *lists)
{
	/*
	 * Not on the stack: the first call may come from a signal handler on a stack of 8192 bytes, of
	 * which the kernel takes 3000 and more.
	 */
	static struct {
		struct hooked_shims set;
		struct hook_names names;
	} rooms[TL_HOOK_SETTERS];
	struct hooked_shims *set = &rooms[setter].set;
	struct hook_names *names = &rooms[setter].names;
	const struct tl_shim_library *library;
	bool all = names_make(names, lists);

	set->count = 0;

	if (!tl_hook_has_barrier)
		barrier_register();
	for (uint32_t number = 0; (library = tl_api_library(number)); number++) {
		for (uint32_t i = 0; i < library->api->count; i++) {
			const struct tl_hook *hook =
				names_find(names, library->api->functions[i].name);

			all &= !hook ||
			       hook_set_one(hook, &library->shims[i], library->api->count, set);
		}
	}
	hooked_shims_set_mode(set);
	return all;
}

/* --- the real functions */

static void *shim_real(struct tl_shim *shim)
{
	void *real = atomic_load_explicit(&shim->real, memory_order_acquire);

	return real ? real : tl_resolve_real(shim, NULL);
}

void *tl_hook_real(const char *function)
{
	struct tl_shim *shim = tl_resolve_named(function);

	return shim ? shim_real(shim) : NULL;
}

void *tl_hook_real_of(const struct tl_call *call)
{
	return shim_real(call->shim);
}

/* --- inside of a hook */

static struct tl_producer *own_producer(void)
{
	return (struct tl_producer *)tl_self;
}

int tl_hook_uncancelled(void)
{
	int state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	return state;
}

void tl_hook_cancellable(const int *state)
{
	pthread_setcancelstate(*state, NULL);
}

void tl_hook_run(void (*work)(void *), void *user_data)
{
	TL_HOOK_INSIDE(own_producer());
	if (!tl_hook_driver_has_ended())
		work(user_data);
}

bool tl_hook_is_here(void)
{
	return tl_self && atomic_load_explicit(&tl_hook_thread_of(own_producer())->hooking,
					       memory_order_relaxed) &
				  1;
}

static bool producer_wait_outside(struct tl_producer *producer, uint64_t deadline)
{
	const struct timespec while_ = {.tv_nsec = 100000};
	uint32_t count =
		atomic_load_explicit(&tl_hook_thread_of(producer)->hooking, memory_order_seq_cst);

	while (count & 1 && atomic_load_explicit(&tl_hook_thread_of(producer)->hooking,
						 memory_order_seq_cst) == count) {
		if (tl_clock_gettime_ticks() >= deadline)
			return false;
		nanosleep(&while_, NULL);
	}
	return true;
}

bool tl_hook_drain(uint64_t deadline)
{
	bool all = true;

	tl_hook_barrier();
	for (struct tl_producer *producer = tl_buffer_producers(); producer;
	     producer = producer->next)
		all &= producer == own_producer() || producer_wait_outside(producer, deadline);
	return all;
}

/* --- a call */

static struct tl_hooked *open_call_hooked(struct tl_thread *thread, const struct tl_open_call *open)
{
	struct tl_producer *producer = (struct tl_producer *)thread;
	struct tl_hook_thread *kept = tl_hook_thread_of(producer);
	size_t count = (size_t)(producer->open_end - thread->open);

	if (!kept->hooked) {
		void *memory = mmap(NULL, count * sizeof(*kept->hooked), PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (memory == MAP_FAILED)
			return NULL;
		kept->hooked = memory;
	}
	return &kept->hooked[open - thread->open];
}

/*
 * Keep the parameters as they lie in their words; put them back. If a function is known by name
 * only, its words are kept, one after the other.
 */
static void hooked_keep_params(struct tl_hooked *hooked, const struct tl_call *call)
{
	const struct tl_function *function = call->shim->function;

	if (function->passed)
		memcpy(hooked->words, call->params[0], function->passed * sizeof(hooked->words[0]));
	tl_params_keep(function, call->params, hooked->words, TL_HOOK_WORDS);
}

static void hooked_put_back_params(const struct tl_hooked *hooked, const struct tl_call *call)
{
	const struct tl_function *function = call->shim->function;

	if (function->passed)
		memcpy(call->params[0], hooked->words, function->passed * sizeof(hooked->words[0]));
	for (uint32_t i = 0; i < function->count; i++)
		tl_param_copy(call->params[i], &hooked->words[function->params[i].offset],
			      function->params[i].type->size);
}

bool tl_hook_enter(struct tl_call *call)
{
	const struct tl_hook *hook = hook_find(call->shim->id);
	struct tl_hooked *hooked =
		hook && call->open ? open_call_hooked(call->thread, call->open) : NULL;

	if (!hooked)
		return false;
	tl_hook_set_up(hooked, call, false);
	hooked_keep_params(hooked, call);
	tl_hook_owe(hooked, hook);
	call->hooked = hooked;
	if (hook->before) {
		TL_HOOK_UNCANCELLED();
		TL_HOOK_INSIDE(own_producer());
		hook->before(call, hooked->state);
	}
	return true;
}

void tl_hook_starts(struct tl_call *call)
{
	if (call->hooked->hook->way == TL_HOOK_TIMED)
		call->hooked->start = tl_clock_gettime_ticks();
}

void tl_hook_leave(struct tl_call *call, uint64_t result, bool unwound)
{
	struct tl_hooked *hooked = call->hooked;
	bool here = !tl_buffer_is_stale(call->thread);

	if (!tl_hook_is_owed(call)) {
		call->end = tl_ticks(call->thread);
		return;
	}
	const struct tl_hook *hook = tl_hook_take(hooked);
	if (hook->way == TL_HOOK_TIMED && here)
		hooked->end = tl_clock_gettime_ticks();
	call->end = tl_ticks(call->thread);
	if (hook->after && here) {
		TL_HOOK_UNCANCELLED();
		TL_HOOK_INSIDE(own_producer());
		hook->after(call, hooked->state, result, unwound);
	}
	hooked_put_back_params(hooked, call);
}

struct tl_cause tl_hook_abandon(struct tl_thread *thread, struct tl_open_call *open, uint64_t end)
{
	struct tl_hooked *hooked = tl_hook_thread_of((struct tl_producer *)thread)->hooked
					   ? open_call_hooked(thread, open)
					   : NULL;
	void *params[TL_HOOK_WORDS];

	if (!hooked || !hooked->hook)
		return (struct tl_cause){0, 0};
	const struct tl_function *function = hooked->shim->function;
	for (uint32_t i = 0; i < function->count; i++)
		params[i] = &hooked->words[function->params[i].offset];
	for (uint32_t i = 0; i < function->passed; i++)
		params[i] = &hooked->words[function->places ? function->places[i] : i];
	struct tl_call call = {.open = open,
			       .shim = hooked->shim,
			       .params = params,
			       .mode = open->mode & 0xffff,
			       .request = hooked->request,
			       .thread = thread,
			       .start = open->start,
			       .end = end,
			       .hooked = hooked};
	const struct tl_hook *hook = tl_hook_take(hooked);
	if (hook->way == TL_HOOK_TIMED)
		hooked->end = tl_clock_gettime_ticks();
	if (hook->after) {
		TL_HOOK_UNCANCELLED();
		TL_HOOK_INSIDE(own_producer());
		hook->after(&call, hooked->state, 0, true);
	}
	return (struct tl_cause){hooked->correlation, hooked->request};
}

uint64_t tl_hook_start(const struct tl_call *call)
{
	return call->hooked->start;
}

uint64_t tl_hook_end(const struct tl_call *call)
{
	return call->hooked->end;
}

const struct tl_hooked *tl_hook_outer(const struct tl_call *call)
{
	const struct tl_hooked *hooked =
		tl_hook_thread_of((const struct tl_producer *)(const void *)call->thread)->hooked;
	const struct tl_open_call *open = call->open;

	while (hooked && open && open-- > call->thread->open) {
		const struct tl_hooked *outer = &hooked[open - call->thread->open];
		if (open->mode & TL_MODE_DEVICE && outer->hook &&
		    outer->shim->id >> 16 == call->shim->id >> 16)
			return outer;
	}
	return NULL;
}
