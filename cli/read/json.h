/* SPDX-License-Identifier: MIT */
/*
 * json.h: jansson's values, which the events of traces become. A tracelayer that was built without
 * jansson has none: it reads .tlt files alone, whose records need no JSON.
 */
#ifndef TL_CLI_READ_JSON_H
#define TL_CLI_READ_JSON_H

#include "config.h"

#if HAVE_JANSSON
#include <jansson.h>
#else
typedef struct json_t json_t;
#endif

#endif
