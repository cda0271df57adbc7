/* SPDX-License-Identifier: MIT */
/*
 * trace_clock.c: the clock of a trace file: ticks to nanoseconds.
 */
#include "format/file/trace_inside.h"

#include <time.h>

#include "common/proc.h"
#include "format/file/clock_line.h"

#define SLOPE_ONE ((uint64_t)1 << TL_CLOCK_SHIFT)

/* A hint: the clock's point that the thread's last conversion started from. */
static _Thread_local uint32_t near;

static uint64_t slope_between(const struct point *from, const struct point *to)
{
	return tl_clock_slope(from->ticks, from->ns, to->ticks, to->ns);
}

static uint64_t slope_recent(const struct clock *clock)
{
	const struct point *last = &clock->points[clock->count - 1], *from = last;

	while (from > clock->points && last->ns - from->ns < TL_CLOCK_BASELINE)
		from--;
	return slope_between(from, last);
}

/*
 * The layer may know the last slope better, because it knows since when the rate has been the same.
 */
static bool slope_is_likely(uint64_t slope, uint64_t recent)
{
	return (slope > recent ? slope - recent : recent - slope) <= recent / 500;
}

static void slopes_set(struct clock *clock, uint64_t last)
{
	for (uint32_t i = 0; i + 1 < clock->count; i++)
		clock->points[i].slope = slope_between(&clock->points[i], &clock->points[i + 1]);
	if (clock->count) {
		uint64_t recent = clock->count > 1 ? slope_recent(clock) : SLOPE_ONE;
		clock->points[clock->count - 1].slope =
			slope_is_likely(last, recent) ? last : recent;
	}
}

uint64_t tl_reader_ns(const struct clock *clock, uint64_t ticks)
{
	uint32_t low = 0, high = clock->count;

	/* Times that are converted one after another lie near each other. */
	if (near < high && clock->points[near].ticks <= ticks) {
		low = near;
		if (low + 1 < high && ticks < clock->points[low + 1].ticks)
			high = low + 1;
	}
	while (low + 1 < high) {
		uint32_t middle = (low + high) / 2;
		if (clock->points[middle].ticks <= ticks)
			low = middle;
		else
			high = middle;
	}
	const struct point *point = &clock->points[low];
	near = low;
	return tl_clock_on_line(ticks, point->ticks, point->ns, point->slope);
}

/*
 * In a table that was being thinned out, one point may be half old and half new: there the rate
 * changes by more than it can.
 */
static bool point_is_near(const struct point *at, const struct point *before,
			  const struct point *first, const struct point *last)
{
	uint64_t passed = at->ns - before->ns;
	unsigned __int128 expected = (unsigned __int128)(at->ticks - before->ticks) *
				     (last->ns - first->ns) / (last->ticks - first->ticks);
	unsigned __int128 off = passed > expected ? passed - expected : expected - passed;

	return off <= 2000 + passed / 500;
}

static void points_keep_sound(struct trace *trace, struct clock *clock, bool torn)
{
	struct point *points = clock->points, first = points[0], last = points[clock->count - 1];
	uint32_t kept = 1, count = clock->count;

	torn = torn && last.ticks > first.ticks && last.ns >= first.ns;
	for (uint32_t i = 1; i < count; i++) {
		const struct point *before = &points[kept - 1];
		if (points[i].ticks <= before->ticks || points[i].ns < before->ns)
			continue;
		if (torn && points[i].ticks < last.ticks &&
		    !point_is_near(&points[i], before, &first, &last))
			continue;
		points[kept++] = points[i];
	}
	clock->count = kept;
	if (kept < count && !torn)
		problem(trace, "the clock: %u of its %u points are not in order", count - kept,
			count);
}

void tl_reader_clock(struct trace *trace, const char *piece, uint64_t size)
{
	const size_t head = offsetof(struct tl_clock_piece, table.points),
		     each = sizeof(struct tl_clock_point);
	struct clock *clock = &trace->clock;
	uint64_t last = 0;
	uint32_t version, count;

	if (size < head) {
		problem(trace, "byte %llu: a clock that is too short",
			(unsigned long long)(piece - trace->bytes));
		return;
	}
	memcpy(&version, piece + offsetof(struct tl_clock_piece, table.version), sizeof(version));
	memcpy(&count, piece + offsetof(struct tl_clock_piece, table.count), sizeof(count));
	memcpy(&clock->horizon, piece + offsetof(struct tl_clock_piece, table.horizon),
	       sizeof(clock->horizon));
	if (count > TL_CLOCK_POINTS || count > (size - head) / each) {
		problem(trace, "byte %llu: a clock of %u points, which are not there",
			(unsigned long long)(piece - trace->bytes), count);
		return;
	}
	for (uint32_t i = 0; i < count; i++) {
		memcpy(&clock->points[i].ticks, piece + head + i * each, sizeof(uint64_t));
		memcpy(&clock->points[i].ns, piece + head + i * each + sizeof(uint64_t),
		       sizeof(uint64_t));
		memcpy(&last, piece + head + i * each + 2 * sizeof(uint64_t), sizeof(uint64_t));
	}
	clock->count = count;
	if (count)
		points_keep_sound(trace, clock, version & 1);
	slopes_set(clock, version & 1 ? 0 : last);
}

uint64_t tl_trace_ns(const struct tl_trace *seen, uint64_t ticks)
{
	const struct trace *trace = (const struct trace *)seen;

	if (!seen->header.counter || !trace->clock.count)
		return ticks;
	return tl_reader_ns(&trace->clock, ticks);
}

uint32_t tl_trace_clock_points(const struct tl_trace *trace)
{
	return ((const struct trace *)trace)->clock.count;
}

void tl_trace_clock_copy(const struct tl_trace *trace, struct tl_clock_table *to)
{
	const struct clock *clock = &((const struct trace *)trace)->clock;
	uint32_t count = clock->count < TL_CLOCK_POINTS ? clock->count : TL_CLOCK_POINTS;

	memset((void *)to, 0, sizeof(*to));
	for (uint32_t i = 0; i < count; i++) {
		to->points[i].ticks = clock->points[i].ticks;
		to->points[i].ns = clock->points[i].ns;
		to->points[i].slope = clock->points[i].slope;
	}
	to->count = count;
	to->horizon = clock->horizon;
}

bool tl_trace_clock_add(struct tl_trace *seen, uint64_t ticks, uint64_t ns)
{
	struct clock *clock = &((struct trace *)seen)->clock;
	struct point *last = clock->count ? &clock->points[clock->count - 1] : NULL;

	if (!seen->header.counter || clock->count + 2 > TL_CLOCK_POINTS + POINTS_ADDED ||
	    (last && (ticks <= last->ticks || ns < last->ns)))
		return false;
	/* Earlier conversions of ticks beyond the last point stay valid. */
	if (clock->count > 1 && clock->horizon > last->ticks && clock->horizon < ticks) {
		uint64_t answer = tl_reader_ns(clock, clock->horizon);
		last[1] = (struct point){clock->horizon, answer > last->ns ? answer : last->ns, 0};
		clock->count++;
		last++;
	}
	clock->points[clock->count++] =
		(struct point){ticks, last && ns < last->ns ? last->ns : ns, 0};
	slopes_set(clock, 0);
	return true;
}

static bool trace_is_of_this_boot(const char *boot)
{
	char here[TL_PROC_BOOT];

	tl_proc_boot(here);
	return *here && !strcmp(here, boot);
}

bool tl_trace_clock_now(struct tl_trace *trace)
{
	uint64_t narrowest = UINT64_MAX, ticks = 0, ns = 0;
	struct timespec now;

	if (!trace->header.counter || !trace_is_of_this_boot(trace->header.boot))
		return false;
	for (int i = 0; i < 16; i++) {
		uint64_t before = tl_counter();
		clock_gettime(CLOCK_MONOTONIC, &now);
		uint64_t width = tl_counter() - before;
		if (width >= narrowest)
			continue;
		narrowest = width;
		ticks = before + width / 2;
		ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	}
	/* As the process would have read the clock: its time namespace may be another. */
	return tl_trace_clock_add(
		trace, ticks, ns + (uint64_t)(trace->header.time_offset - tl_proc_time_offset()));
}
