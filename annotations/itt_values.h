/* SPDX-License-Identifier: MIT */
/*
 * itt_values.h: values of ITT's types: in metadata, and as counters.
 */
#ifndef TL_ANNOTATIONS_ITT_VALUES_H
#define TL_ANNOTATIONS_ITT_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotations/annotation_ranges.h"
#include "annotations/itt_abi.h"

/* The value at `at`, as an argument without a key. False: the type is not known. */
bool itt_value_read(struct tl_event_arg *value, int type, const void *at);
/* `count` values as an argument: one as it is, more as a text. False: nothing to say. */
bool itt_values_read(struct tl_event_arg *value, int type, size_t count, const void *values);

/* Counters: the names are the program's, the values are kept here. */
struct itt_counter *itt_counter_make(const char *name, const char *domain, int type);
void itt_counter_set(struct itt_counter *counter, const void *value);
/* Add to a counter of whole numbers. */
void itt_counter_add(struct itt_counter *counter, int64_t delta);

#endif
