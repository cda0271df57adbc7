/* SPDX-License-Identifier: MIT */
/* xpti_environment.h: the environment variables of a program whose XPTI streams are recorded. */
#ifndef TL_COMMON_XPTI_ENVIRONMENT_H
#define TL_COMMON_XPTI_ENVIRONMENT_H

#include <stdbool.h>

#define TL_XPTI_DISPATCHER "libtracelayer-xpti.so"
#define TL_XPTI_TIMELINE   "libtracelayer-xpti-timeline.so"

/*
 * Set them: the subscriber, behind those that the user has set; the dispatcher, if none is named
 * (both lie in `folder`); and the layer by which SYCL's unified runtime reports its calls. False:
 * the folder's name has a comma, which the list of subscribers can't express; or memory is short.
 */
bool tl_xpti_set_environment(const char *folder);

/* The user has turned XPTI off by XPTI_TRACE_ENABLE: its value. NULL: it is on. */
const char *tl_xpti_turned_off(void);

#endif
