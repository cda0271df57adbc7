/* SPDX-License-Identifier: MIT */
/*
 * timeline_ur.h: the arguments of calls of SYCL's unified runtime.
 */
#ifndef TL_XPTI_TIMELINE_TIMELINE_UR_H
#define TL_XPTI_TIMELINE_TIMELINE_UR_H

#include "xpti/timeline/timeline_args.h"

/*
 * Add the arguments of the function whose name has the number `name`. `pointers` is what the
 * unified runtime gives: an array of pointers, one to each argument. An argument that can't be read
 * is left out. Nothing is added for an unknown function.
 */
void timeline_add_ur(struct timeline_args *args, uint32_t name, const void *pointers);

#endif
