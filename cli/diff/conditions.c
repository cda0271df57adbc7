/* SPDX-License-Identifier: MIT */
/*
 * conditions.c: see conditions.h.
 */
#include "config.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/diff/conditions.h"
#include "cli/read/read.h"

#define COUNT_OF(array) (sizeof(array) / sizeof(*(array)))

static int64_t metric_failed(const struct tally_row *row)
{
	return row ? row->failed : 0;
}

static int64_t metric_median(const struct tally_row *row)
{
	return row_percentile(row, 50);
}

static int64_t metric_p99(const struct tally_row *row)
{
	return row_percentile(row, 99);
}

static int64_t metric_min(const struct tally_row *row)
{
	return row ? row->times.min : 0;
}

static int64_t metric_max(const struct tally_row *row)
{
	return row ? row->times.max : 0;
}

static int64_t metric_bytes(const struct tally_row *row)
{
	return row ? row->bytes : 0;
}

static const struct metric {
	const char *word;
	int64_t (*of)(const struct tally_row *row);
	bool time;
	bool sum; /* a row that one trace lacks has 0 of it */
} metrics[] = {
	{"calls", row_calls, false, true},	{"failed", metric_failed, false, true},
	{"total", row_total, true, true},	{"mean", row_mean, true, false},
	{"median", metric_median, true, false}, {"p99", metric_p99, true, false},
	{"min", metric_min, true, false},	{"max", metric_max, true, false},
	{"bytes", metric_bytes, false, true},
};

#define METRICS "calls, failed, total, mean, median, p99, min, max or bytes"

/* ---- parsing ---- */

static bool condition_refuse(char *why, size_t room, const char *what)
{
	snprintf(why, room, "%s", what);
	return false;
}

static const char *spaces_skip(const char *at)
{
	while (isspace((unsigned char)*at))
		at++;
	return at;
}

static bool unit_take(struct condition *condition, const char *unit)
{
	static const struct {
		const char *word;
		enum condition_unit unit;
		double factor;
	} units[] = {{"%", CONDITION_PERCENT, 1}, {"", CONDITION_NUMBER, 1},
		     {"ns", CONDITION_TIME, 1},	  {"us", CONDITION_TIME, 1e3},
		     {"ms", CONDITION_TIME, 1e6}, {"s", CONDITION_TIME, 1e9}};

	for (size_t i = 0; i < COUNT_OF(units); i++)
		if (!strcmp(unit, units[i].word)) {
			condition->unit = units[i].unit;
			condition->amount *= units[i].factor;
			return true;
		}
	return false;
}

/* The amount, with its unit. */
static bool amount_take(struct condition *condition, const char *at, char *why, size_t room)
{
	char unit[4] = "";
	char *end;
	size_t size;

	at = spaces_skip(at);
	bool has_sign = *at == '+' || *at == '-';

	condition->amount = strtod(at, &end);
	if (end == at || !isfinite(condition->amount))
		return condition_refuse(why, room,
					"no amount; give a change, such as +5%, +100us or +10");
	at = spaces_skip(end);
	for (size = strlen(at); size && isspace((unsigned char)at[size - 1]);)
		size--;
	if (size < sizeof(unit))
		memcpy(unit, at, size);
	if (size >= sizeof(unit) || !unit_take(condition, unit))
		return condition_refuse(why, room, "unknown unit; give %, ns, us, ms, s or none");
	bool time = metrics[condition->metric].time;

	if (condition->unit != CONDITION_PERCENT && time != (condition->unit == CONDITION_TIME))
		return condition_refuse(
			why, room,
			time ? "a time changes by a share or a time, such as +5% or +100us"
			     : "a number changes by a share or a number, such as +5% or +10");
	/* "total > 1s" looks like a limit for B. */
	if (condition->unit != CONDITION_PERCENT && !has_sign && condition->amount != 0)
		return condition_refuse(
			why, room,
			"a change needs its sign, such as +100us or +10: how much more B has than A");
	return true;
}

/* Globs and what is compared stand before the comparison: "NAME.median ". */
static bool metric_take(struct condition *condition, const char *text, size_t size, char *why,
			size_t room)
{
	while (size && isspace((unsigned char)text[size - 1]))
		size--;
	const char *dot = memrchr(text, '.', size);

	if (!dot || dot == text)
		return condition_refuse(why, room,
					"it does not say what to compare; give NAME.median, say");
	size_t length = (size_t)(text + size - dot) - 1;

	for (condition->metric = 0; condition->metric < (int)COUNT_OF(metrics);
	     condition->metric++) {
		const char *word = metrics[condition->metric].word;

		if (strlen(word) == length && !memcmp(word, dot + 1, length)) {
			condition->globs = need(strndup(text, (size_t)(dot - text)));
			return true;
		}
	}
	return condition_refuse(why, room, "there is no such figure to compare; give " METRICS);
}

/*
 * Kernels may have comparisons in their names (C++ templates): the last one of the text counts.
 */
bool condition_parse(struct condition *condition, const char *text, char *why, size_t room)
{
	const char *at = spaces_skip(text), *sign = at + strlen(at);

	*condition = (struct condition){.text = text};
	while (sign > at && *sign != '<' && *sign != '>')
		sign--;
	if (*sign != '<' && *sign != '>')
		return condition_refuse(why, room, "no comparison; give NAME.median > +5%, say");
	condition->greater = *sign == '>';
	condition->equal = sign[1] == '=';
	return metric_take(condition, at, (size_t)(sign - at), why, room) &&
	       amount_take(condition, sign + 1 + condition->equal, why, room);
}

void condition_clear(struct condition *condition)
{
	free(condition->globs);
	*condition = (struct condition){0};
}

/* ---- looking ---- */

/* How much it changed, in the condition's unit. False: there is nothing to compare with. */
static bool change_of(const struct condition *condition, const struct pair *pair, double *change)
{
	const struct metric *metric = &metrics[condition->metric];

	if (!metric->sum && (!row_calls(pair->a) || !row_calls(pair->b)))
		return false;
	double a = (double)metric->of(pair->a), b = (double)metric->of(pair->b);

	if (condition->unit != CONDITION_PERCENT)
		*change = b - a;
	else
		*change = a != 0 ? 100 * (b - a) / a : b != 0 ? HUGE_VAL : 0;
	return true;
}

static bool condition_holds(const struct condition *condition, const struct pair *pair)
{
	double change;

	if (!change_of(condition, pair, &change))
		return false;
	if (condition->equal && change == condition->amount)
		return true;
	return condition->greater ? change > condition->amount : change < condition->amount;
}

static void print_amount(char *to, size_t room, const struct metric *metric, int64_t number)
{
	if (metric->time)
		snprintf(to, room, "%.3f us", (double)number / 1e3);
	else
		snprintf(to, room, "%lld", (long long)number);
}

static void say_holds(const struct condition *condition, const struct pair *pair)
{
	const struct metric *metric = &metrics[condition->metric];
	int64_t a = metric->of(pair->a), b = metric->of(pair->b);
	char before[40], after[40], share[40] = "";

	print_amount(before, sizeof(before), metric, a);
	print_amount(after, sizeof(after), metric, b);
	if (a)
		snprintf(share, sizeof(share), " (%+.1f %%)",
			 100 * ((double)b - (double)a) / (double)a);
	say("--fail-if '%s': %s: %s was %s and is %s%s%s", condition->text, pair->name,
	    metric->word, before, after, share,
	    pair->verdict == PAIR_ALIKE && metric->time ? ", not more than the times vary" : "");
}

long condition_look(const struct condition *condition, const struct pairs *pairs, bool noise)
{
	bool varies = metrics[condition->metric].time;
	long holds = 0;
	size_t named = 0;

	for (size_t i = 0; i < pairs->count; i++) {
		const struct pair *pair = &pairs->list[i];

		if (!name_matches(condition->globs, pair->name))
			continue;
		named++;
		if ((noise && varies && pair->verdict == PAIR_ALIKE) ||
		    !condition_holds(condition, pair))
			continue;
		say_holds(condition, pair);
		holds++;
	}
	if (named)
		return holds;
	say("--fail-if '%s': neither trace has such a name; the condition could never hold",
	    condition->text);
	return -1;
}
