/* SPDX-License-Identifier: MIT */
/*
 * selection.c: see selection.h.
 */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/read/selection.h"
#include "common/settings.h"

void selection_add(char **list, const char *globs)
{
	char *longer;

	if (asprintf(&longer, "%s%s%s", *list ? *list : "", *list ? "," : "", globs) < 0)
		need(NULL);
	free(*list);
	*list = longer;
}

/* Seconds as nanoseconds. False: they are negative, or too many. */
static bool time_take(const char **at, uint64_t *ns)
{
	char *end;
	double seconds = strtod(*at, &end);

	if (end == *at || !(seconds >= 0) || seconds > 1e9)
		return false;
	*at = end;
	*ns = (uint64_t)llround(seconds * 1e9);
	return true;
}

static bool is_between(char letter)
{
	return letter == '-' || letter == ':';
}

bool selection_take_time(struct selection *selection, const char *text)
{
	uint64_t from = 0, to = UINT64_MAX / 4;
	bool is_all = is_between(*text) && !text[1];

	if (is_all || (!is_between(*text) && !time_take(&text, &from)) || !is_between(*text++))
		return false;
	if ((*text && !time_take(&text, &to)) || *text || to < from)
		return false;
	selection->has_time = true;
	selection->from = from;
	selection->to = to;
	return true;
}

bool duration_take(int64_t *ns, const char *text)
{
	static const struct {
		const char *word;
		double ns;
	} units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
	char *end;
	double number = strtod(text, &end);

	if (end == text || !(number >= 0))
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (!strcmp(end, units[i].word) && number * units[i].ns < 1e18) {
			*ns = (int64_t)llround(number * units[i].ns);
			return true;
		}
	return false;
}

bool selection_has(const char *list, const char *text, uint64_t number)
{
	char digits[24];

	if (!list || tl_glob_any(list, text))
		return true;
	snprintf(digits, sizeof(digits), "%" PRIu64, number);
	return tl_glob_any(list, digits);
}

bool selection_is_within(const struct selection *selection)
{
	return selection->has_time || selection->thread || selection->name;
}

void selection_free(struct selection *selection)
{
	free(selection->process);
	free(selection->thread);
	free(selection->name);
}
