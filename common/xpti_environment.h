/* SPDX-License-Identifier: MIT */
/*
 * xpti_environment.h: what is in the environment of a program whose XPTI streams are recorded.
 */
#ifndef TL_COMMON_XPTI_ENVIRONMENT_H
#define TL_COMMON_XPTI_ENVIRONMENT_H

#include <stdbool.h>

#define TL_XPTI_DISPATCHER "libtracelayer-xpti.so"
#define TL_XPTI_TIMELINE   "libtracelayer-xpti-timeline.so"

/*
 * Put them there: the subscriber, behind those that the user has there, and the dispatcher, where
 * none is named. Both lie in `folder`. False: its name has a comma, which the list of subscribers
 * can't express; or memory is short.
 */
bool tl_xpti_set_environment(const char *folder);

/* The user has turned XPTI off by XPTI_TRACE_ENABLE: its value. NULL: it is on. */
const char *tl_xpti_turned_off(void);

#endif
