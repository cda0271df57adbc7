/* SPDX-License-Identifier: MIT */
/*
 * event_members.h: members of a parsed event of a Chrome trace.
 */
#ifndef TL_CLI_READ_EVENT_MEMBERS_H
#define TL_CLI_READ_EVENT_MEMBERS_H

#include "cli/read/json.h"

#if HAVE_JANSSON

/* Empty where the event has no such text. */
static inline const char *event_text(const json_t *event, const char *member)
{
	const char *text = json_string_value(json_object_get(event, member));

	return text ? text : "";
}

/* A member of "args". NULL: none. */
static inline const json_t *event_arg(const json_t *event, const char *name)
{
	return json_object_get(json_object_get(event, "args"), name);
}

/*
 * A number that a trace gives in microseconds, in nanoseconds; `missing` where the event has none.
 */
long long event_nanoseconds(const json_t *event, const char *member, long long missing);

#endif

#endif
