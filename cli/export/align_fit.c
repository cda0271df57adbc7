/* SPDX-License-Identifier: MIT */
/*
 * align_fit.c: see align_fit.h.
 */
#include "cli/export/align_fit.h"

/* No two clocks of computers differ in their rate by more. */
#define DRIFT_MOST 1e-3
#define STEPS	   100

struct lines {
	const struct align_bound *bounds;
	size_t count;
	int64_t origin; /* of time */
};

/* With that drift: the largest start that keeps below all upper bounds, and the least above all lower. */
static double start_most(const struct lines *lines, double drift)
{
	double most = 1e300;

	for (size_t i = 0; i < lines->count; i++) {
		double at = (double)(lines->bounds[i].at - lines->origin);
		double start = (double)lines->bounds[i].most - drift * at;

		most = start < most ? start : most;
	}
	return most;
}

static double start_least(const struct lines *lines, double drift)
{
	double least = -1e300;

	for (size_t i = 0; i < lines->count; i++) {
		double at = (double)(lines->bounds[i].at - lines->origin);
		double start = (double)lines->bounds[i].least - drift * at;

		least = start > least ? start : least;
	}
	return least;
}

/* What is to be made large: concave in the drift. */
typedef double (*measure)(const struct lines *lines, double drift, double at);

static double room_between(const struct lines *lines, double drift, double at)
{
	(void)at;
	return start_most(lines, drift) - start_least(lines, drift);
}

static double highest_at(const struct lines *lines, double drift, double at)
{
	return start_most(lines, drift) + drift * at;
}

static double lowest_at(const struct lines *lines, double drift, double at)
{
	return -(start_least(lines, drift) + drift * at);
}

/* The drift between two that makes it largest. */
static double drift_of_most(const struct lines *lines, measure measure, double at, double from,
			    double to)
{
	for (int i = 0; i < STEPS; i++) {
		double low = from + (to - from) / 3, high = to - (to - from) / 3;

		if (measure(lines, low, at) < measure(lines, high, at))
			from = low;
		else
			to = high;
	}
	return (from + to) / 2;
}

/* The last drift from `inside` towards `outside` with which there is a line. */
static double drift_edge(const struct lines *lines, double inside, double outside)
{
	if (room_between(lines, outside, 0) >= 0)
		return outside;
	for (int i = 0; i < STEPS; i++) {
		double middle = (inside + outside) / 2;

		if (room_between(lines, middle, 0) >= 0)
			inside = middle;
		else
			outside = middle;
	}
	return inside;
}

struct align_fit align_fit(const struct align_bound *bounds, size_t count)
{
	struct align_fit fit = {.found = false};

	if (!count)
		return fit;
	struct lines lines = {bounds, count, bounds[0].at};
	double length = (double)(bounds[count - 1].at - bounds[0].at);
	double best = drift_of_most(&lines, room_between, 0, -DRIFT_MOST, DRIFT_MOST);

	if (room_between(&lines, best, 0) < 0)
		return fit;
	double from = drift_edge(&lines, best, -DRIFT_MOST);
	double to = drift_edge(&lines, best, DRIFT_MOST);
	double high[3], low[3];

	for (int i = 0; i < 3; i++) {
		double at = length * i / 2;

		high[i] = highest_at(&lines, drift_of_most(&lines, highest_at, at, from, to), at);
		low[i] = -lowest_at(&lines, drift_of_most(&lines, lowest_at, at, from, to), at);
	}
	double middle = (high[1] + low[1]) / 2, error = 0;

	for (int i = 0; i < 3; i++) {
		error = high[i] - middle > error ? high[i] - middle : error;
		error = middle - low[i] > error ? middle - low[i] : error;
	}
	fit.found = true;
	fit.middle = (int64_t)(middle < 0 ? middle - 0.5 : middle + 0.5);
	fit.drift = length > 0 ? (high[2] + low[2] - high[0] - low[0]) / 2 / length : 0;
	fit.error = (int64_t)error + 1;
	return fit;
}
