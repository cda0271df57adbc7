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

/* The library has just given out an object: its pointer to the table leads to the copy from now on. Any
 * thread. */
void tl_function_tables_swap(const struct tl_api *api, const struct tl_getproc *getproc,
			     void *object);

/*
 * A call that gives tables to the library is about to be made: replace them by their copies in its
 * parameters. Any thread; errno is kept.
 */
void tl_function_tables_give(const struct tl_call *call);

#endif
