/* SPDX-License-Identifier: MIT */
/*
 * align_fit.c: see align_fit.h.
 */
#include "cli/export/align_fit.h"

#include <math.h>
#include <stdlib.h>

#include "tables/needed_memory.h"

/* No two clocks of computers differ in their rate by more. */
#define DRIFT_MOST 1e-3
/* The rate of an oscillator is not steadier than this, whatever a piece says. */
#define DRIFT_STEADY 1e-7
#define ROUNDING     2.0 /* nanoseconds: of both clocks' times */
#define NEWTON_STEPS 200
/* A piece is looked at in so many parts, if each is at least so long. */
#define PARTS	   8
#define PART_LEAST 2e9
/* How much wider a range of rates is taken to be than what was found. */
#define MARGIN 1.25

struct rates {
	double least, most;
};

struct fit {
	const struct align_bound *bounds;
	size_t count;
	int64_t time,
		add; /* what times and corrections are relative to, so that doubles are exact */
	struct rates *rates; /* of each call's surroundings */
};

/* Calls [first, last). */
struct part {
	size_t first, last;
	double length; /* of time: also where it has no calls */
};

static double time_of(const struct fit *fit, int64_t at)
{
	return (double)(at - fit->time);
}

static double add_of(const struct fit *fit, int64_t add)
{
	return (double)(add - fit->add);
}

/* ---- lines through calls */

/*
 * How much room a line of that slope has between the bounds of calls [first, last), and how far
 * apart in time the two bounds are that leave so little. Less than 0: there is no such line. The
 * room is a concave function of the slope, and the time its slope.
 */
static double line_room(const struct fit *fit, size_t first, size_t last, double slope,
			double *apart)
{
	double most = INFINITY, least = -INFINITY, at_most = 0, at_least = 0;

	for (size_t i = first; i < last; i++) {
		const struct align_bound *bound = &fit->bounds[i];
		double upper_at = time_of(fit, bound->at_most),
		       lower_at = time_of(fit, bound->at_least);
		double upper = add_of(fit, bound->most) - slope * upper_at,
		       lower = add_of(fit, bound->least) - slope * lower_at;

		if (upper < most) {
			most = upper;
			at_most = upper_at;
		}
		if (lower > least) {
			least = lower;
			at_least = lower_at;
		}
	}
	*apart = at_most - at_least;
	return most - least + ROUNDING;
}

/*
 * The last slope, from `from` on, that a line through the calls has: Newton's method from outside,
 * which ends after few steps, as the room is straight in parts. False: there is no line.
 */
static bool slope_edge(const struct fit *fit, size_t first, size_t last, double from, double *edge)
{
	double slope = from, apart;

	for (int i = 0; i < NEWTON_STEPS; i++) {
		double room = line_room(fit, first, last, slope, &apart);

		if (room >= 0) {
			*edge = slope;
			return true;
		}
		/* Further inside there is even less room. */
		if (from > 0 ? apart <= 0 : apart >= 0)
			return false;
		slope += room / apart;
		if (fabs(slope) > DRIFT_MOST)
			return false;
	}
	/* Not there yet, but outside: that is on the safe side. */
	*edge = slope;
	return true;
}

static bool line_slopes(const struct fit *fit, size_t first, size_t last, struct rates *slopes)
{
	return slope_edge(fit, first, last, DRIFT_MOST, &slopes->most) &&
	       slope_edge(fit, first, last, -DRIFT_MOST, &slopes->least);
}

static bool has_line(const struct fit *fit, size_t first, size_t last)
{
	double slope;

	return slope_edge(fit, first, last, DRIFT_MOST, &slope);
}

/* ---- pieces */

/* A piece that begins with a call, or ends with it, going `backwards`. */
static bool piece_has_line(const struct fit *fit, size_t from, size_t calls, bool backwards)
{
	return backwards ? has_line(fit, from + 1 - calls, from + 1)
			 : has_line(fit, from, from + calls);
}

/* How many calls a line goes through, from one of them on. 0: the first contradicts itself. */
static size_t piece_calls(const struct fit *fit, size_t from, bool backwards)
{
	size_t all = backwards ? from + 1 : fit->count - from, fits = 0, fails, step = 16;

	if (piece_has_line(fit, from, all, backwards))
		return all;
	for (fails = all; fits + step < fails; step *= 2) {
		if (piece_has_line(fit, from, fits + step, backwards))
			fits += step;
		else
			fails = fits + step;
	}
	while (fits + 1 < fails) {
		size_t middle = (fits + fails) / 2;

		if (piece_has_line(fit, from, middle, backwards))
			fits = middle;
		else
			fails = middle;
	}
	return fits;
}

static void rates_widen(struct rates *rates, struct rates by)
{
	rates->least = fmin(rates->least, by.least);
	rates->most = fmax(rates->most, by.most);
}

/*
 * The slopes of lines through the calls of a part. False: its calls take up less than half of it,
 * and so say little about the rate.
 */
static bool part_slopes(const struct fit *fit, const struct part *part, struct rates *slopes)
{
	if (part->last - part->first < 2)
		return false;
	double taken = time_of(fit, fit->bounds[part->last - 1].at_least) -
		       time_of(fit, fit->bounds[part->first].at_most);
	return taken >= part->length / 2 && line_slopes(fit, part->first, part->last, slopes);
}

/*
 * Calls [first, last) are a piece. A rate that lasts for two parts is the only one in the part of a
 * call, or in one of the parts beside that.
 */
static void piece_take(struct fit *fit, size_t first, size_t last)
{
	struct rates whole = {-DRIFT_MOST, DRIFT_MOST}, slopes;
	double from = time_of(fit, fit->bounds[first].at_most),
	       length = time_of(fit, fit->bounds[last - 1].at_least) - from;
	int count = (int)fmax(1, fmin(length / PART_LEAST, PARTS));
	struct part parts[PARTS];
	size_t at = first;

	line_slopes(fit, first, last, &whole);
	for (int i = 0; i < count; i++) {
		parts[i] = (struct part){at, at, length / count};
		while (at < last && (i + 1 == count || time_of(fit, fit->bounds[at].at_least) <
							       from + length * (i + 1) / count))
			at++;
		parts[i].last = at;
	}
	for (int i = 0; i < count; i++) {
		if (!part_slopes(fit, &parts[i], &slopes))
			continue;
		size_t begin = parts[i > 0 ? i - 1 : 0].first,
		       end = parts[i + 1 < count ? i + 1 : i].last;
		for (size_t k = begin; k < end; k++)
			rates_widen(&fit->rates[k], slopes);
	}
	for (size_t k = first; k < last; k++)
		rates_widen(&fit->rates[k], whole);
}

/*
 * Pieces from the first call on. The last one is what was left: its few calls say little about the
 * rate. Pieces that go backwards from the last call do that for them, and the other way around.
 */
static bool pieces_find(struct fit *fit, struct align_fit *found)
{
	size_t at = 0, calls;

	for (; at < fit->count; at += calls) {
		calls = piece_calls(fit, at, false);
		if (!calls)
			return false;
		if (at + calls < fit->count || !at) {
			struct rates slopes;

			if (line_slopes(fit, at, at + calls, &slopes) &&
			    fabs(slopes.least + slopes.most) / 2 > fabs(found->drift)) {
				found->drift = (slopes.least + slopes.most) / 2;
				found->drift_error = (slopes.most - slopes.least) / 2;
			}
			piece_take(fit, at, at + calls);
		}
		found->pieces++;
	}
	for (at = fit->count; at > 0 && found->pieces > 1; at -= calls) {
		calls = piece_calls(fit, at - 1, true);
		if (!calls)
			return false;
		if (calls < at || at == fit->count)
			piece_take(fit, at - calls, at);
	}
	return true;
}

/* ---- the tube */

struct node {
	double at, most, least;
	struct rates rates; /* from here to the next node */
};

struct tube {
	struct node *nodes;
	size_t count;
	size_t first, last; /* the nodes of calls */
};

static void tube_add(struct tube *tube, double at, double most, double least, struct rates rates)
{
	tube->nodes[tube->count++] = (struct node){at, most, least, rates};
}

/* `wider`: by which the rates' ranges are larger than those that were found. */
static struct rates rates_between(const struct fit *fit, size_t i, size_t j, double wider)
{
	struct rates rates = fit->rates[i];

	rates_widen(&rates, fit->rates[j]);
	double middle = (rates.least + rates.most) / 2,
	       half = (rates.most - rates.least) / 2 * wider + DRIFT_STEADY;
	return (struct rates){fmax(middle - half, -DRIFT_MOST), fmin(middle + half, DRIFT_MOST)};
}

static void tube_fill(struct tube *tube, const struct fit *fit, double from, double to,
		      double wider)
{
	size_t end = fit->count - 1;

	tube->count = 0;
	if (from < time_of(fit, fit->bounds[0].at_most))
		tube_add(tube, from, INFINITY, -INFINITY, rates_between(fit, 0, 0, wider));
	tube->first = tube->count;
	for (size_t i = 0; i <= end; i++) {
		const struct align_bound *bound = &fit->bounds[i];

		tube_add(tube, time_of(fit, bound->at_most),
			 add_of(fit, bound->most) + ROUNDING / 2, -INFINITY,
			 rates_between(fit, i, i, wider));
		tube_add(tube, time_of(fit, bound->at_least), INFINITY,
			 add_of(fit, bound->least) - ROUNDING / 2,
			 rates_between(fit, i, i < end ? i + 1 : i, wider));
	}
	tube->last = tube->count - 1;
	if (to > tube->nodes[tube->last].at)
		tube_add(tube, to, INFINITY, -INFINITY, (struct rates){0, 0});
}

/* False: nothing keeps within all bounds at these rates. */
static bool tube_narrow(struct tube *tube)
{
	bool open = true;

	for (size_t i = 1; i < tube->count; i++) {
		const struct node *before = &tube->nodes[i - 1];
		struct node *node = &tube->nodes[i];
		double passed = node->at - before->at;

		node->most = fmin(node->most, before->most + before->rates.most * passed);
		node->least = fmax(node->least, before->least + before->rates.least * passed);
	}
	for (size_t i = tube->count - 1; i > 0; i--) {
		const struct node *after = &tube->nodes[i];
		struct node *node = &tube->nodes[i - 1];
		double passed = after->at - node->at;

		node->most = fmin(node->most, after->most - node->rates.least * passed);
		node->least = fmax(node->least, after->least - node->rates.most * passed);
		open = open && node->most >= node->least;
	}
	return open;
}

static double node_middle(const struct node *node)
{
	return (node->most + node->least) / 2;
}

/*
 * The error from a node to the next. In between, the tube may be wider: each edge goes away from the
 * one node and comes back to the other.
 */
static double gap_error(const struct node *node, const struct node *next)
{
	double passed = next->at - node->at, spread = node->rates.most - node->rates.least;
	double error = fmax(node->most - node->least, next->most - next->least) / 2;

	if (passed <= 0 || spread <= 0)
		return error;
	double slope = (node_middle(next) - node_middle(node)) / passed;
	double top = (next->most - node->most - node->rates.least * passed) / spread,
	       bottom = (node->rates.most * passed - (next->least - node->least)) / spread;

	if (top > 0 && top < passed)
		error = fmax(error,
			     node->most + node->rates.most * top - node_middle(node) - slope * top);
	if (bottom > 0 && bottom < passed)
		error = fmax(error, node_middle(node) + slope * bottom - node->least -
					    node->rates.least * bottom);
	return error;
}

static void tube_take(const struct tube *tube, const struct fit *fit, struct align_fit *found)
{
	double error = 0, beyond = 0;

	found->points = need(calloc(tube->count, sizeof(*found->points)));
	for (size_t i = 0; i < tube->count; i++) {
		const struct node *node = &tube->nodes[i];
		bool is_last = i + 1 == tube->count;
		double here = is_last ? (node->most - node->least) / 2 : gap_error(node, node + 1);

		if (i >= tube->first && i < tube->last)
			error = fmax(error, here);
		beyond = fmax(beyond, here);
		found->points[i] =
			(struct align_point){fit->time + (int64_t)node->at,
					     fit->add + (int64_t)floor(node_middle(node) + 0.5)};
	}
	found->count = tube->count;
	found->error = (int64_t)ceil(error + ROUNDING);
	found->error_beyond = (int64_t)ceil(beyond + ROUNDING);
	found->found = true;
}

static void tube_fit(const struct fit *fit, int64_t from, int64_t to, struct align_fit *found)
{
	struct tube tube = {.nodes = need(calloc(2 * fit->count + 2, sizeof(*tube.nodes)))};
	bool open = false;

	/* Rates that contradict the bounds were too narrow. */
	for (double wider = MARGIN; !open && wider < 1e5; wider *= 4) {
		tube_fill(&tube, fit, time_of(fit, from), time_of(fit, to), wider);
		open = tube_narrow(&tube);
	}
	if (open)
		tube_take(&tube, fit, found);
	free(tube.nodes);
}

static bool bounds_are_in_order(const struct align_bound *bounds, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (bounds[i].at_most > bounds[i].at_least ||
		    (i && bounds[i].at_most < bounds[i - 1].at_least))
			return false;
	return true;
}

struct align_fit align_fit(const struct align_bound *bounds, size_t count, int64_t from, int64_t to)
{
	struct align_fit found = {.found = false};

	if (!count || !bounds_are_in_order(bounds, count))
		return found;
	struct fit fit = {.bounds = bounds,
			  .count = count,
			  .time = bounds[0].at_most,
			  .add = bounds[0].least,
			  .rates = need(calloc(count, sizeof(*fit.rates)))};
	for (size_t i = 0; i < count; i++)
		fit.rates[i] = (struct rates){INFINITY, -INFINITY};
	if (pieces_find(&fit, &found))
		tube_fit(&fit, from, to, &found);
	free(fit.rates);
	return found;
}

void align_fit_free(struct align_fit *fit)
{
	free(fit->points);
	*fit = (struct align_fit){.found = false};
}

int64_t align_add(const struct align_point *points, size_t count, int64_t at)
{
	size_t low = 0, high = count;

	if (!count || at <= points[0].at)
		return count ? points[0].add : 0;
	if (at >= points[count - 1].at)
		return points[count - 1].add;
	/* The last point that is not behind it. */
	while (high - low > 1) {
		size_t middle = (low + high) / 2;

		if (points[middle].at <= at)
			low = middle;
		else
			high = middle;
	}
	double slope = (double)(points[high].add - points[low].add) /
		       (double)(points[high].at - points[low].at);
	return points[low].add + (int64_t)floor(slope * (double)(at - points[low].at));
}
