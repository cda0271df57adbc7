/* SPDX-License-Identifier: MIT */
/*
 * fact_values.c: see fact_values.h.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/basics/fact_values.h"

/* What follows a key. NULL: it is not there. */
static const char *fact_of(const struct tl_facts *facts, const char *key)
{
	const char *at = strstr(facts->members, key);

	return at ? at + strlen(key) : NULL;
}

int64_t trace_fact_number(const struct tl_facts *facts, const char *key, int64_t none)
{
	const char *at = fact_of(facts, key);

	return at ? (int64_t)strtoull(at, NULL, 10) : none;
}

char *trace_fact_text(const struct tl_facts *facts, const char *key)
{
	const char *at = fact_of(facts, key);

	return at ? need(strndup(at, strcspn(at, "\""))) : NULL;
}
