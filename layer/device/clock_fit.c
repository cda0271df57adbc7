/* SPDX-License-Identifier: MIT */
/*
 * clock_fit.c: see clock_fit.h.
 *
 * A segment is a broken line through its pairs. The process's own clock is fitted the same way
 * (layer/buffers/clock.c), but its readings are exact to some nanoseconds. A reading of a device's
 * clock is only as exact as its bracket. So a slope here is weighted by the width of its two
 * brackets, and mixed with the nominal rate. Ticks are unrolled to 64 bits, and their differences
 * are taken modulo 2^64, so any epoch works.
 */
#include "layer/device/clock_fit.h"

#include <string.h>

#define NOMINAL_DOUBT 1e-4 /* a clock keeps its nominal rate within this, as a rule */
/* the rate changes by less than this between two pairs */
#define RATE_CHANGE 2e-4
#define WORST_RATE  1e-3	/* while nothing is measured */
#define BASELINE    500000000u	/* nanoseconds that a rate is measured over */
#define RECENT	    2000000000u /* how long a wide bracket can be left out */
#define SLACK	    1000u	/* nanoseconds: smaller jumps are no step */
/* of the brackets' offset: older knowledge counts less */
#define DRIFT 1e-4
/*
 * nanoseconds from a submission to the beginning on an idle device, as a rule: how late a command was
 * seen complete has no such limit
 */
#define LATENCY 50000

void tl_clock_fit_start(struct tl_clock_fit *fit, uint64_t hz, unsigned bits)
{
	memset(fit, 0, sizeof(*fit));
	fit->nominal = fit->rate = 1e9 / (double)(hz ? hz : 1000000000);
	fit->doubt = WORST_RATE;
	fit->bits = bits && bits < 64 ? bits : 64;
}

static double ns_distance(int64_t ns)
{
	return ns < 0 ? -(double)ns : (double)ns;
}

/* Ticks with these lower bits that are nearest to what is expected. */
static uint64_t ticks_unroll(uint64_t ticks, unsigned bits, uint64_t expected)
{
	unsigned above = bits && bits < 64 ? 64 - bits : 0;

	return expected + (uint64_t)((int64_t)((ticks - expected) << above) >> above);
}

static uint64_t ticks_at(const struct tl_clock_fit_point *point, double slope, uint64_t ns)
{
	return point->ticks + (uint64_t)(int64_t)((double)(int64_t)(ns - point->ns) / slope);
}

static uint64_t ns_at(const struct tl_clock_fit_point *point, double slope, uint64_t ticks)
{
	return point->ns + (uint64_t)(int64_t)((double)(int64_t)(ticks - point->ticks) * slope);
}

static bool ticks_are_after(uint64_t ticks, uint64_t other)
{
	return (int64_t)(ticks - other) > 0;
}

static double slope_between(const struct tl_clock_fit_point *from,
			    const struct tl_clock_fit_point *to)
{
	return (double)(int64_t)(to->ns - from->ns) / (double)(int64_t)(to->ticks - from->ticks);
}

/* --- pairs */

/* The first point of this point's segment. */
static uint32_t segment_first(const struct tl_clock_fit *fit, uint32_t at)
{
	if (at >= fit->newest)
		return fit->newest;
	while (at && !fit->points[at].steps)
		at--;
	return at;
}

/*
 * The rate beyond the last point: measured from the pair that is half a second older, or from the
 * segment's oldest. The result is the weighted mean of this rate and the nominal one; the weight
 * follows from the brackets.
 */
static void measure_rate(struct tl_clock_fit *fit)
{
	const struct tl_clock_fit_point *last = &fit->points[fit->count - 1], *from = last;
	const struct tl_clock_fit_point *first = &fit->points[fit->newest];

	while (from > first && (from->answered || last->ns - from->ns < BASELINE))
		from--;
	if (from == last || last->ns <= from->ns || !ticks_are_after(last->ticks, from->ticks))
		return;
	double measured = slope_between(from, last);
	double doubt =
		((double)(from->width + last->width) / 2 + 1) / (double)(last->ns - from->ns);
	double own = 1 / (doubt * doubt), other = 1 / (NOMINAL_DOUBT * NOMINAL_DOUBT);
	fit->rate = (measured * own + fit->nominal * other) / (own + other);
	fit->doubt = doubt < NOMINAL_DOUBT ? doubt : NOMINAL_DOUBT;
}

/*
 * In the older half, every second point is dropped. The last of a segment stays: it says when the
 * step was.
 */
static void points_thin_out(struct tl_clock_fit *fit)
{
	struct tl_clock_fit_point *points = fit->points;
	uint32_t left = 1, half = fit->count / 2;

	for (uint32_t i = 1; i < fit->count; i++) {
		bool bounds = points[i].steps || (i + 1 < fit->count && points[i + 1].steps);
		if (i < half && i % 2 && !bounds)
			continue;
		points[left] = points[i];
		if (points[left].steps)
			fit->newest = left;
		else
			points[left - 1].slope = slope_between(&points[left - 1], &points[left]);
		left++;
	}
	/* All points are steps: forget the oldest. */
	if (left == TL_CLOCK_FIT_POINTS) {
		memmove(points, points + half, (left - half) * sizeof(*points));
		left -= half;
		fit->newest = fit->newest > half ? fit->newest - half : 0;
	}
	fit->count = left;
}

static void points_append(struct tl_clock_fit *fit, const struct tl_clock_fit_point *point)
{
	if (fit->count == TL_CLOCK_FIT_POINTS)
		points_thin_out(fit);
	struct tl_clock_fit_point *to = &fit->points[fit->count++];
	*to = *point;
	to->slope = fit->rate;
	if (to->steps)
		fit->newest = fit->count - 1;
	else if (fit->count > 1)
		to[-1].slope = slope_between(to - 1, to);
}

/* The time that the line predicts, and how far a pair may be from it without a step. */
static double pair_surprise(const struct tl_clock_fit *fit, const struct tl_clock_fit_point *pair)
{
	const struct tl_clock_fit_point *last = &fit->points[fit->count - 1];
	double passed = ns_distance((int64_t)(pair->ns - last->ns));
	double allowed = (double)(pair->width + last->width) / 2 +
			 passed * (fit->doubt + RATE_CHANGE) + SLACK;
	double beside = ns_distance((int64_t)(pair->ns - ns_at(last, fit->rate, pair->ticks)));

	return beside > allowed ? beside : 0;
}

/*
 * The nominal rate may be plainly wrong. Then each of the first pairs looks like a step, but three
 * of them lie on a line, which hardly happens by chance. False: they do not.
 */
static bool learn_rate(struct tl_clock_fit *fit, const struct tl_clock_fit_point *pair)
{
	struct tl_clock_fit_point *last = &fit->points[fit->count - 1];

	if (fit->count < 2 || fit->count != fit->segments ||
	    !ticks_are_after(last->ticks, last[-1].ticks) ||
	    !ticks_are_after(pair->ticks, last->ticks))
		return false;
	double before = slope_between(last - 1, last), after = slope_between(last, pair);
	double doubt =
		(double)(last[-1].width + last->width) / 2 / (double)(last->ns - last[-1].ns) +
		(double)(last->width + pair->width) / 2 / (double)(pair->ns - last->ns);
	if (after < before * (1 - WORST_RATE - doubt) || after > before * (1 + WORST_RATE + doubt))
		return false;
	last->steps = false;
	fit->newest--;
	last[-1].slope = before;
	fit->nominal = fit->rate = slope_between(last - 1, pair);
	fit->segments--;
	return true;
}

/* It continues from the latest answer. */
static void rate_go_on(struct tl_clock_fit *fit, struct tl_clock_fit_point *pair)
{
	if (fit->horizon.answered &&
	    ticks_are_after(fit->horizon.ticks, fit->points[fit->count - 1].ticks)) {
		points_append(fit, &fit->horizon);
		if (pair->ns < fit->horizon.ns)
			pair->ns = fit->horizon.ns;
	}
	points_append(fit, pair);
	fit->horizon.answered = false;
	measure_rate(fit);
	fit->points[fit->count - 1].slope = fit->rate;
}

static void fit_note_width(struct tl_clock_fit *fit, uint64_t width)
{
	uint64_t most = 4 * fit->usual + SLACK;

	width = width < most || !fit->paired ? width : most;
	fit->usual =
		width < fit->usual || !fit->paired ? width : fit->usual + (width - fit->usual) / 8;
}

enum tl_clock_fit_result tl_clock_fit_pair(struct tl_clock_fit *fit, uint64_t ticks,
					   uint64_t before_ns, uint64_t after_ns)
{
	uint64_t width = after_ns > before_ns ? after_ns - before_ns : 0;
	struct tl_clock_fit_point pair = {
		.ticks = ticks, .ns = before_ns + width / 2, .width = width};
	bool is_wide = fit->paired && width > 4 * fit->usual + SLACK;

	fit_note_width(fit, width);
	fit->asked = after_ns;
	fit->paired++;
	if (!fit->count) {
		pair.steps = true;
		fit->segments = 1;
		points_append(fit, &pair);
		return TL_CLOCK_FIT_USED;
	}
	const struct tl_clock_fit_point *last = &fit->points[fit->count - 1];
	if (pair.ns <= last->ns)
		return TL_CLOCK_FIT_SKIPPED;
	pair.ticks = ticks_unroll(ticks, fit->bits, ticks_at(last, fit->rate, pair.ns));
	if (pair_surprise(fit, &pair) && !learn_rate(fit, &pair)) {
		pair.steps = true;
		fit->segments++;
		fit->horizon.answered = false;
		points_append(fit, &pair);
		return TL_CLOCK_FIT_STEPPED;
	}
	last = &fit->points[fit->count - 1];
	if (!ticks_are_after(pair.ticks, last->ticks) || (is_wide && pair.ns - last->ns < RECENT))
		return TL_CLOCK_FIT_SKIPPED;
	/* No stamp can be newer than this reading: the earlier answer was wrong. */
	if (!ticks_are_after(pair.ticks, fit->horizon.ticks))
		fit->horizon.answered = false;
	rate_go_on(fit, &pair);
	return TL_CLOCK_FIT_USED;
}

bool tl_clock_fit_due(const struct tl_clock_fit *fit, uint64_t now_ns)
{
	uint64_t known, renew = TL_CLOCK_FIT_RENEW;

	if (!fit->count)
		return true;
	/* A rate is valid for half the time that it was measured over. */
	known = (fit->points[fit->count - 1].ns - fit->points[fit->newest].ns) / 2;
	if (known < renew)
		renew = known > TL_CLOCK_FIT_SOON ? known : TL_CLOCK_FIT_SOON;
	double wrap = fit->bits < 64 ? fit->nominal * (double)(UINT64_C(1) << fit->bits) / 8
				     : (double)renew;

	return now_ns > fit->asked &&
	       now_ns - fit->asked >= (wrap < (double)renew ? (uint64_t)wrap : renew);
}

/* --- without pairs: what each command tells */

static int64_t device_ns(const struct tl_clock_fit *fit, uint64_t ticks)
{
	return (int64_t)((double)(int64_t)(ticks - fit->base) * fit->nominal);
}

static uint64_t expected_at(const struct tl_clock_fit *fit, uint64_t ns)
{
	return fit->base + (uint64_t)(int64_t)((double)((int64_t)ns - fit->offset) / fit->nominal);
}

static void fit_new_offset(struct tl_clock_fit *fit, int64_t low, int64_t high)
{
	fit->low = low;
	fit->high = high;
	fit->offset = low + (high - low > 2 * LATENCY ? LATENCY : (high - low) / 2);
}

/* By how much the bounds of the offset are wider at a time than they were at the last bracket. */
static uint64_t bounds_aged(const struct tl_clock_fit *fit, uint64_t ns)
{
	return (uint64_t)(ns_distance((int64_t)(ns - fit->bracketed)) * DRIFT);
}

void tl_clock_fit_bracket(struct tl_clock_fit *fit, uint64_t start, uint64_t end,
			  uint64_t submitted_ns, uint64_t complete_ns)
{
	if (fit->paired || complete_ns < submitted_ns)
		return;
	if (!fit->brackets)
		fit->base = start;
	else
		start = ticks_unroll(start, fit->bits, expected_at(fit, submitted_ns));
	end = ticks_unroll(end, fit->bits, start);
	int64_t low = (int64_t)submitted_ns - device_ns(fit, start),
		high = (int64_t)complete_ns - device_ns(fit, end);
	int64_t aged = fit->brackets ? (int64_t)bounds_aged(fit, complete_ns) : 0;

	fit->bracketed = complete_ns;
	if (low > high)
		return;
	if (!fit->brackets++ || low > fit->high + aged || high < fit->low - aged) {
		/* The first, or the clock has stepped. */
		fit_new_offset(fit, low, high);
		fit->segments++;
		return;
	}
	fit->low = low > fit->low - aged ? low : fit->low - aged;
	fit->high = high < fit->high + aged ? high : fit->high + aged;
	/* It moves no more than it has to, so that commands keep their order. */
	fit->offset = fit->offset < fit->low	? fit->low
		      : fit->offset > fit->high ? fit->high
						: fit->offset;
}

static struct tl_clock_fit_time convert_by_offset(const struct tl_clock_fit *fit, uint64_t ticks,
						  unsigned bits, uint64_t about_ns)
{
	if (!fit->brackets)
		return (struct tl_clock_fit_time){.ns = about_ns, .error = UINT64_MAX};
	ticks = ticks_unroll(ticks, bits < fit->bits ? bits : fit->bits,
			     expected_at(fit, about_ns));
	int64_t below = fit->offset - fit->low, above = fit->high - fit->offset;
	uint64_t ns = (uint64_t)(device_ns(fit, ticks) + fit->offset);
	return (struct tl_clock_fit_time){.ns = ns,
					  .error = (uint64_t)(below > above ? below : above) +
						   bounds_aged(fit, ns)};
}

/* --- stamps */

/* Points [first, last] of a segment, and the range of times of its stamps. */
struct segment {
	uint32_t first, last;
	uint64_t begin, end;
};

static struct segment segment_of(const struct tl_clock_fit *fit, uint32_t last)
{
	uint32_t first = segment_first(fit, last);

	return (struct segment){first, last, first ? fit->points[first - 1].ns : 0,
				last + 1 < fit->count ? fit->points[last + 1].ns : UINT64_MAX};
}

/* The stamp's time if it is of this segment. *at: the point before it, or the first. */
static uint64_t unroll_in(const struct tl_clock_fit *fit, const struct segment *segment,
			  uint64_t ticks, unsigned bits, uint64_t about_ns, uint32_t *at)
{
	const struct tl_clock_fit_point *points = fit->points;
	uint32_t near = segment->last;

	while (near > segment->first && points[near].ns > about_ns)
		near--;
	ticks = ticks_unroll(ticks, bits,
			     ticks_at(&points[near],
				      points[near].slope > 0 ? points[near].slope : fit->nominal,
				      about_ns));
	for (*at = segment->last; *at > segment->first && ticks_are_after(points[*at].ticks, ticks);
	     --*at)
		;
	return ticks;
}

static uint64_t error_of(const struct tl_clock_fit *fit, const struct segment *segment, uint32_t at,
			 uint64_t ns)
{
	const struct tl_clock_fit_point *point = &fit->points[at];
	uint64_t width = point->width, passed = ns > point->ns ? ns - point->ns : point->ns - ns;

	if (at == segment->last)
		return width / 2 + 1 + (uint64_t)((double)passed * fit->doubt);
	if (point[1].width > width)
		width = point[1].width;
	return width / 2 + 1;
}

struct tl_clock_fit_time tl_clock_fit_convert(struct tl_clock_fit *fit, uint64_t ticks,
					      unsigned bits, uint64_t about_ns)
{
	struct tl_clock_fit_time newest = {.ns = about_ns, .error = UINT64_MAX};
	uint32_t at;

	if (!fit->count)
		return convert_by_offset(fit, ticks, bits, about_ns);
	bits = bits && bits < fit->bits ? bits : fit->bits;
	for (uint32_t last = fit->count; last > 0;) {
		struct segment segment = segment_of(fit, last - 1);
		uint64_t unrolled = unroll_in(fit, &segment, ticks, bits, about_ns, &at);
		uint64_t ns = ns_at(&fit->points[at], fit->points[at].slope, unrolled);
		struct tl_clock_fit_time time = {.ns = ns,
						 .error = error_of(fit, &segment, at, ns)};
		bool is_newest = last == fit->count;
		time.doubtful = (segment.first && ns < fit->points[segment.first].ns) ||
				(!is_newest && ns > fit->points[segment.last].ns);
		if (ns >= segment.begin && ns <= segment.end) {
			if (is_newest &&
			    ticks_are_after(unrolled, fit->points[segment.last].ticks) &&
			    (!fit->horizon.answered ||
			     ticks_are_after(unrolled, fit->horizon.ticks)))
				fit->horizon = (struct tl_clock_fit_point){.ticks = unrolled,
									   .ns = ns,
									   .width = 2 * time.error,
									   .answered = true};
			return time;
		}
		if (is_newest)
			newest = time;
		last = segment.first;
	}
	newest.doubtful = true;
	return newest;
}
