/* SPDX-License-Identifier: MIT */
/*
 * api_table.h: the APIs that have shims, by number, and the modes of those shims: what a call of
 * each function does.
 *
 * Functions here take a lock with signals blocked. Any thread may call them, the writer's too, and
 * in a signal handler.
 */
#ifndef TL_LAYER_RESOLVE_API_TABLE_H
#define TL_LAYER_RESOLVE_API_TABLE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "tracelayer/shim.h"

#define TL_API_MAX 32

/* The APIs that come with the library itself; NULL-ended (apis/builtin_apis.c, by gen/apis.mk). */
extern struct tl_shim_library *const tl_api_builtin[];

/*
 * Register these, unless that is done. Whoever is going to look at an API or a shim calls this first;
 * a process without traced calls, tools and questions by name never does. Functions that give out
 * APIs or shims, here and in shim_names.h, call it themselves.
 */
void tl_api_need(void);

/* Shim libraries wait for tl_api_need. */
bool tl_api_awaits(void);

/* Nobody has needed an API yet, and no shim library waits. */
bool tl_api_is_idle(void);

/* tl_api_need, before a call: the library of this shim is registered, too. */
void tl_api_need_of(const struct tl_shim *shim);

/*
 * --- APIs by number (the upper half of a function's number in records), in the order of
 * registering
 */

/* NULL past the last. */
const struct tl_api *tl_api_by_number(uint32_t number);
const struct tl_shim_library *tl_api_library(uint32_t number);

/* The function with this number in records; NULL: no API has it. */
const struct tl_function *tl_api_function(uint32_t id);

/*
 * Once there are buffers: put the descriptions of the APIs that are used into them. An API that is
 * used later is described when one of its functions is resolved.
 */
void tl_api_describe(void);

/* Resolve all functions of the APIs whose library is loaded, because it can't be done later. */
void tl_api_resolve_all(void);

/* --- modes of shims */

/* Set and clear mode bits of a shim and of the closures made for it; .direct follows. */
void tl_api_set_mode(struct tl_shim *shim, uint32_t set, uint32_t clear);
/* The same for several: the lock is taken once, and signals are blocked once. */
void tl_api_set_modes(struct tl_shim *const *shims, uint32_t count, uint32_t set, uint32_t clear);

/*
 * Publish a table of callbacks (NULL: none) for a shim and the closures made for it, and set
 * TL_MODE_TRACERS accordingly.
 */
void tl_api_set_dispatch(struct tl_shim *shim, void *table);

/*
 * From now on what a call of these shims gets depends on its caller: they get TL_MODE_CALLER, and
 * .direct stays NULL.
 */
void tl_api_by_caller(struct tl_shim *const *shims, uint32_t count);

/*
 * A closure's shim was made: .function, .entry, .invoke, .real and .id (the same as `of` has) are
 * filled in. It gets the mode and dispatch that calls of `of` have now, and every later change of
 * them. It is never freed. Where it has them already, this does nothing.
 */
void tl_api_adopt(struct tl_shim *shim, struct tl_shim *of);

/*
 * The shim's real function belongs to the API of `of`, a shim with the same name and the same words.
 * From now on a call of `shim` is one of `of`: it has that one's function and number, and follows
 * its changes as a closure does. Only before the shim is resolved.
 */
void tl_api_join(struct tl_shim *shim, struct tl_shim *of);

/*
 * The library's functions are shown and captured by these tables from now on, as are calls of closures
 * made for them. They have the same functions in the same order, with the same words. Does nothing if
 * that isn't so, or once a function of the library is resolved.
 */
void tl_api_exchange(struct tl_shim_library *library, const struct tl_api *api);

/*
 * The real function of a shim is known: clear TL_MODE_RESOLVE. If nothing watches its calls, they
 * go straight to the real function.
 */
void tl_api_resolved(struct tl_shim *shim);

/* Let every function's next call take the slow path once. */
void tl_api_look_again(void);

/* From now on nothing watches any call. */
void tl_api_unwatch_all(void);

/* --- for recording.c: under the lock, or at the start, shims get the modes that settings ask for */

void tl_api_lock(sigset_t *signals);
void tl_api_unlock(const sigset_t *signals);
void tl_api_follow_settings(void);

/* --- around a fork, so that the child does not inherit the lock from a thread that it lacks */

void tl_api_before_fork(void);
void tl_api_after_fork_parent(void);
void tl_api_after_fork_child(void);
/* Instead of tl_api_before_fork, in a child whose parent ran no fork handlers. */
void tl_api_before_unseen_fork(void);

#endif
