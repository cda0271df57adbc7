/* SPDX-License-Identifier: MIT */
/*
 * align_fit.h: the correction of a clock that keeps within bounds, as a broken line over time.
 *
 * Each call says two things: at one reading of the clock the correction is at least this, and at
 * another at most that. Between them the correction is known only as far as the rates of the clocks
 * are. So the fit has three steps:
 *
 * 1. Pieces. A piece is as many calls in a row as one straight line fits. Where no line does, the
 *    rate has changed.
 * 2. Rates. A line through a piece has one of a range of slopes. So has a line through a part of it:
 *    an eighth of its time, or two seconds. Near a call, rates are taken to be within those of its
 *    piece, its part and the parts beside that. This covers a change of the rate that the bounds are
 *    too wide to show.
 * 3. The tube. From each bound, the correction goes on at the lowest or the highest rate. What all
 *    bounds allow, from both sides of time, is a tube. The correction is its middle, and the error
 *    half of its width.
 *
 * The error holds at each moment if a rate lasts for at least two parts: a quarter of a piece, or four
 * seconds. Clocks that NTP or PTP steers change it by much more rarely, or by very little.
 */
#ifndef TL_CLI_EXPORT_ALIGN_FIT_H
#define TL_CLI_EXPORT_ALIGN_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What a call says of the correction. Times are readings of the clock that is corrected. They grow
 * from call to call, and .at_most of a call is not behind its .at_least; else there is no fit.
 */
struct align_bound {
	int64_t at_least, least; /* at that time, at least this is to be added */
	int64_t at_most, most;	 /* and at that time, at most this */
};

/* Points of the correction. It is straight between two, and constant before the first and after the last. */
struct align_point {
	int64_t at, add;
};

struct align_fit {
	bool found; /* false: the bounds contradict each other, and there are no points */
	struct align_point *points;
	size_t count;
	size_t pieces;
	double drift;	      /* nanoseconds in a nanosecond: of the piece with the largest */
	double drift_error;   /* how far it may be from that */
	int64_t error;	      /* the largest from the first call to the last */
	int64_t error_beyond; /* and in all of the time that was asked for */
};

/* The correction from `from` to `to`, which may begin before the first call and end after the last. */
struct align_fit align_fit(const struct align_bound *bounds, size_t count, int64_t from,
			   int64_t to);

void align_fit_free(struct align_fit *fit);

/* What a broken line adds at a time. The time and this together never go backwards. */
int64_t align_add(const struct align_point *points, size_t count, int64_t at);

#endif
