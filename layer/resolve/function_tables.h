/* SPDX-License-Identifier: MIT */
/*
 * function_tables.h: tables of functions in structs: those that a library's objects point to, and
 * those that a program gives to a library (TL_GETPROC_OBJECT, TL_GETPROC_GIVEN).
 *
 * The table itself is never changed: it may be constant, and other code may know its address. It is
 * copied once, with shims in the place of its functions. The object's pointer to it, or the
 * parameter of the call, is what changes.
 */
#ifndef TL_LAYER_RESOLVE_FUNCTION_TABLES_H
#define TL_LAYER_RESOLVE_FUNCTION_TABLES_H

#include "tracelayer/shim.h"

/* The object has just been given out. Any thread. */
void tl_function_tables_swap(const struct tl_api *api, const struct tl_getproc *getproc,
			     void *object);

/*
 * The call of a shim that is given tables is about to be made: its parameters get the copies. Any
 * thread; errno is kept.
 */
void tl_function_tables_give(const struct tl_call *call);

#endif
