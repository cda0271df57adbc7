/* SPDX-License-Identifier: MIT */
/*
 * args_same.h: whether two values would be shown alike. A part of args_visit.c.
 */
#ifndef TL_FORMAT_ARGS_ARGS_SAME_H
#define TL_FORMAT_ARGS_ARGS_SAME_H

#include "format/args/args_sink.h"

/*
 * Two visits of one parameter to this sink give the same bytes if and only if they give the same
 * JSON. It costs less than JSON: nothing is made of digits.
 */
extern const struct tl_sink tl_same_sink;

#endif
