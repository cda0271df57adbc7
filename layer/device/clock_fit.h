/* SPDX-License-Identifier: MIT */
/*
 * clock_fit.h: the time of a device's clock as CLOCK_MONOTONIC, from readings of both. Pure C:
 * knows no driver, reads no clock.
 *
 * A device's clock has a nominal rate, which it keeps within 1000 ppm and which may drift; an epoch
 * of its own; and a number of valid bits, after which it wraps. A pair is one reading of it and the
 * host's times just before and just after: the reading happened between them. Between two pairs the
 * conversion is a straight line; beyond the last pair the line goes on with the recent rate. So
 * drift is followed, however it changes, and wraps are unrolled as long as pairs come at least once
 * in a wrap's half (after longer gaps by the rate).
 *
 * What is promised:
 *
 * 	error		Between two pairs, no more than half of the wider one's bracket, and what a
 * 			change of the rate between them makes (a quarter of the change times the
 * 			time between: 1 ppm and 100 ms make 25 ns). Beyond the last pair it grows
 * 			with what the rate changed since then. A pair whose bracket is much wider
 * 			than the others' is not used while those are recent.
 * 	order		Along one run of the device's clock (a segment), what was answered stands:
 * 			of two stamps that are converted, in any order and with any pairs in
 * 			between, that with more ticks never gets the earlier time, as long as stamps
 * 			are not newer than the last pair by more than those that were converted
 * 			since.
 * 	steps		A clock that steps (it was set, or the device lost power) begins a new
 * 			segment with the pair that shows it. Only stamps from between the pairs
 * 			around the step are in doubt, and the answer says so.
 *
 * Where no pairs can be had: tl_clock_fit_bracket takes the bounds that each command gives (it
 * began after it was submitted, and ended before it was seen complete), and tl_clock_fit_offset
 * takes one pair and keeps the nominal rate. Then a stamp's error is as large as the tightest
 * bounds of the recent commands, and grows by 100 us for each second away from the last of them.
 *
 * No locks: the clock's owner calls one function at a time. Nothing is allocated.
 */
#ifndef TL_LAYER_DEVICE_CLOCK_FIT_H
#define TL_LAYER_DEVICE_CLOCK_FIT_H

#include <stdbool.h>
#include <stdint.h>

#define TL_CLOCK_FIT_POINTS 64u

/* When the next pair is wanted: soon after the first one, then more and more seldom. */
#define TL_CLOCK_FIT_SOON  5000000u /* nanoseconds */
#define TL_CLOCK_FIT_RENEW 100000000u

struct tl_clock_fit_point {
	uint64_t ticks; /* unrolled: as if the clock had 64 bits */
	uint64_t ns;
	uint64_t width; /* width of the bracket: ns is right within half of it */
	bool answered;	/* no pair, but an answer that has to stand */
	bool steps;	/* the first of a segment */
	double slope;	/* nanoseconds per tick, from here on */
};

struct tl_clock_fit {
	double nominal; /* nanoseconds per tick */
	/* the same, measured lately, and its relative error */
	double rate, doubt;
	unsigned bits;	   /* valid bits of the clock that the pairs read */
	uint32_t count;	   /* of .points */
	uint32_t newest;   /* the first point of the newest segment */
	uint32_t segments; /* so far; 0: there is no pair yet */
	uint64_t usual;	   /* recent width of brackets */
	uint64_t asked;	   /* when the last pair was taken, used or not */
	uint64_t paired;   /* how many were */
	/* .answered: the latest stamp beyond the last point for which there was an answer */
	struct tl_clock_fit_point horizon;
	struct tl_clock_fit_point points[TL_CLOCK_FIT_POINTS]; /* by time */
	/*
	 * Without pairs: the host's time minus the device's, both since .base lies between .low and
	 * .high, as of .bracketed.
	 */
	uint64_t brackets, base, bracketed;
	int64_t low, high, offset;
};

/*
 * hz: ticks a second, nominally (for a clock in nanoseconds 1000000000). bits: valid ones, 64 where
 * it doesn't wrap.
 */
void tl_clock_fit_start(struct tl_clock_fit *fit, uint64_t hz, unsigned bits);

enum tl_clock_fit_result {
	TL_CLOCK_FIT_USED,
	TL_CLOCK_FIT_SKIPPED, /* its bracket is much wider than the others' */
	/* the clock has stepped since the last pair: a new segment begins */
	TL_CLOCK_FIT_STEPPED,
};

/*
 * A pair: the device's clock read `ticks` between two readings of the host's. In the order of time.
 */
enum tl_clock_fit_result tl_clock_fit_pair(struct tl_clock_fit *fit, uint64_t ticks,
					   uint64_t before_ns, uint64_t after_ns);

/*
 * A fixed offset, which follows no drift. For clocks whose epoch is known from elsewhere, or that
 * can be read only once.
 */
static inline void tl_clock_fit_offset(struct tl_clock_fit *fit, uint64_t ticks, uint64_t ns)
{
	tl_clock_fit_pair(fit, ticks, ns, ns);
}

/*
 * A command that had been submitted at `submitted_ns`, and was seen complete at `complete_ns`,
 * reports that it began and ended at these readings. For a clock without pairs; it has no effect on
 * a clock with pairs.
 */
void tl_clock_fit_bracket(struct tl_clock_fit *fit, uint64_t start, uint64_t end,
			  uint64_t submitted_ns, uint64_t complete_ns);

struct tl_clock_fit_time {
	uint64_t ns; /* of CLOCK_MONOTONIC */
	/*
	 * error in nanoseconds, if the rate is steady; UINT64_MAX: nothing is known, and ns is
	 * about_ns
	 */
	uint64_t error;
	bool doubtful; /* from between two pairs around a step */
};

/*
 * The time of a stamp. bits: its valid ones (kernels' stamps may have fewer than the clock).
 * about_ns: a time less than half a wrap of these bits away from it, and on the same side of any
 * step, as when the command was submitted or was seen complete.
 */
struct tl_clock_fit_time tl_clock_fit_convert(struct tl_clock_fit *fit, uint64_t ticks,
					      unsigned bits, uint64_t about_ns);

/*
 * A pair is wanted now: there is none yet; or the last one is half as old as the time that the rate
 * is known for, which is 5 ms at first and no more than 100 ms, or an eighth of a wrap. Ask this
 * before converting stamps. Also take a pair before the first command and at the end.
 */
bool tl_clock_fit_due(const struct tl_clock_fit *fit, uint64_t now_ns);

/*
 * The stamp lies so far outside the time from the command's submission until it was seen complete,
 * that the clock must have stepped since the last pair. Take a pair, and convert again.
 */
static inline bool tl_clock_fit_is_impossible(const struct tl_clock_fit_time *time,
					      uint64_t submitted_ns, uint64_t complete_ns)
{
	uint64_t slack = time->error < 1000000 ? 1000000 : time->error;

	return time->error != UINT64_MAX &&
	       (time->ns + slack < submitted_ns || time->ns > complete_ns + slack);
}

/* Bits above the valid ones. */
static inline uint64_t tl_clock_fit_mask(unsigned bits)
{
	return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

#endif
