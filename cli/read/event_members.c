/* SPDX-License-Identifier: MIT */
/*
 * event_members.c: see event_members.h.
 */
#include "config.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "cli/read/event_members.h"

/* Some tools write numbers as strings. */
static bool member_number(const json_t *value, double *number)
{
	const char *text = json_string_value(value);
	char *end = NULL;

	*number = text ? strtod(text, &end) : json_number_value(value);
	return text ? end != text && !*end : json_is_number(value);
}

long long event_nanoseconds(const json_t *event, const char *member, long long missing)
{
	double microseconds;

	if (!member_number(json_object_get(event, member), &microseconds) ||
	    !(fabs(microseconds) < (double)(LLONG_MAX / 1000)))
		return missing;
	/* Exact: three decimals of microseconds need less than a double's 53 bits for a hundred
	 * days of uptime. */
	return llround(microseconds * 1000);
}
