/* SPDX-License-Identifier: MIT */
/*
 * timeline_types.h: what each XPTI type is called, and what becomes of it.
 */
#ifndef TL_XPTI_TIMELINE_TIMELINE_TYPES_H
#define TL_XPTI_TIMELINE_TIMELINE_TYPES_H

#include <stdbool.h>
#include <stdint.h>

/* What a notification of a type becomes. */
enum timeline_role { TIMELINE_INSTANT, TIMELINE_BEGIN, TIMELINE_END, TIMELINE_CREATE };

bool timeline_type_is_user_defined(uint16_t type);
/* Types without a role of their own are instants. */
enum timeline_role timeline_type_role(uint16_t type);
/* NULL: the type is not user defined, and has no name. */
const char *timeline_type_name(uint16_t type);
/* The number of the type's word, which is also an event's name where it has no other. */
uint32_t timeline_type_word(uint16_t type);
/* The number of the category of the type's events. */
uint32_t timeline_category(uint16_t type);

/* True if a notification of this type has ever come. For the ends of user-defined types. */
bool timeline_type_ends(uint16_t type);
void timeline_note_type_ends(uint16_t type);

#endif
