/* SPDX-License-Identifier: MIT */
/*
 * clock.c: see clock.h.
 *
 * The table's points are a broken line from ticks to nanoseconds. Each point carries the slope of
 * the segment that follows it. A tick beyond the last point is converted by the recent slope of the
 * line. That answer must stay true. `horizon` is the largest tick for which an answer was given.
 * The next pair first puts a point there, at the value that was answered, and then its own. So
 * conversion is monotone over all answers ever given.
 *
 * If the rate of CLOCK_MONOTONIC changed between two pairs, the chord between them is wrong by up
 * to a quarter of the change times the time between them (125 us for 500 ppm and a second). The
 * later pair shows that: it is not where the line led to. A third pair, some time later, gives the
 * new rate. The two lines meet where the rate changed, and a point is put there. Until that is
 * done, `horizon` counts answers between the two pairs, too: they begin at `uncertain`. If such an
 * answer was given, the chord stays.
 *
 * One thread at a time adds pairs: `pairing` is a try-lock (acquire and release), and a thread that
 * finds it taken leaves, since another is taking a pair this moment. Readers use the sequence lock
 * `version`, which is odd while points change. A reader that saw it odd or changed tries again.
 * Points are atomics, all relaxed; the fences around them order them against `version`.
 */
#include "layer/buffers/clock.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "common/proc.h"
#include "format/file/clock_line.h"
#include "layer/base/cache_near.h"
#include "tracelayer/shim.h"

#define POINTS TL_CLOCK_POINTS
#define SHIFT  TL_CLOCK_SHIFT
/* nanoseconds between a pair and the line that show that the rate has changed */
#define SURPRISE   400u
#define PAIR_ERROR 30u /* nanoseconds that the two pairs of a slope may be wrong by, together */
/* so many times the time between a slope's two pairs, the slope predicts nothing */
#define FAR 16u
/* nanoseconds between the line and a point that is removed in the first round */
#define PASSED_BY 50u
/*
 * nanoseconds: a tick that is newer than the last pair by less needs no new pair, if the rate
 * changes by 500 ppm at most
 */
#define FRESH 150000u
/* nanoseconds: the same, for callers that would otherwise take pairs all the time */
#define FRESHENED 2000000u
/*
 * nanoseconds after a change of the rate until a pair gives the new rate: a part of the time
 * between the two pairs around the change, within bounds
 */
#define TELLING_PART  8
#define TELLING_LEAST 5000000u
#define TELLING_MOST  125000000u
/* nanoseconds: the age of the last pair at which a further one is due */
#define DUE	     100000000u
#define DUE_AT_FIRST (1u << 21) /* ticks: the same, until the rate of ticks is known */
#define BRACKETS     16
#define NARROW	     250u  /* nanoseconds: a bracket this narrow is good enough */
#define FINE	     50u   /* nanoseconds: shorter steps of the counter make no difference */
#define STEPS	     16	   /* of the counter, of which the shortest counts */
#define STEPS_READS  65536 /* readings in which the counter makes so many */
/* nanoseconds: two pairs closer than this say nothing about the slope */
#define SHORTEST 50000u

static struct tl_clock_table first; /* used until there is an arena to hold the table */
static _Atomic(struct tl_clock_table *) current = &first;
static atomic_flag pairing = ATOMIC_FLAG_INIT;
/*
 * Atomic, since a thread may end the file, and so settle the clock, while another is at the
 * process's first call. Relaxed, since a thread has ticks to convert only after the start, which
 * comes after the store.
 */
static _Atomic bool counter;
static _Atomic uint32_t step; /* of the counter, see tl_clock_step_ns; the same holds for it */

static bool has_counter(void)
{
	return atomic_load_explicit(&counter, memory_order_relaxed);
}

/*
 * Two points between which the rate changed; where it changed is not known yet. Protected by
 * `pairing`.
 */
static struct {
	uint64_t from, to; /* ticks of the points; .to 0: there is no such change */
	uint64_t slope;	   /* of the line before the change */
	/*
	 * .to of the last change that is settled: the points before it say nothing about the slope
	 * now
	 */
	uint64_t since;
} change;
static _Atomic uint64_t uncertain; /* a tick: answers for later ticks count for the horizon */
_Atomic uint64_t tl_clock_due TL_NEAR = UINT64_MAX;
_Atomic uint64_t tl_clock_rate;
/* nanoseconds until the change can be settled; 0: there is none */
static _Atomic uint32_t unsettled;

static inline uint64_t load_relaxed(const _Atomic uint64_t *word)
{
	return atomic_load_explicit(word, memory_order_relaxed);
}

uint64_t tl_clock_gettime_ticks(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/*
 * Whether the kernel itself keeps time by this counter, or by a hypervisor's page that is based on
 * it. Where /sys can't be read, cpuid alone decides.
 */
static bool kernel_trusts_counter(void)
{
	static const char *const good[] = {"tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "xen",
					   "arch_sys_counter"};
	char name[64];

	if (!tl_proc_line("/sys/devices/system/clocksource/clocksource0/current_clocksource", name,
			  sizeof(name)))
		return true;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		if (!strcmp(name, good[i]))
			return true;
	return false;
}

/*
 * Whether the counter runs at one rate in all power states. A virtual machine traps cpuid, so this
 * is asked once.
 */
static bool counter_is_invariant(void)
{
#if defined(__x86_64__)
	unsigned a, b, c, d;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && d >> 8 & 1;
#else
	return true;
#endif
}

/*
 * Reads both clocks at one instant: the narrowest of several brackets. Returns the bracket's width
 * in ticks.
 */
static uint64_t pair_take(uint64_t *ticks, uint64_t *ns)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < BRACKETS; i++) {
		uint64_t before = tl_counter();
		uint64_t now = tl_clock_gettime_ticks();
		uint64_t after = tl_counter();
		if (after - before >= best)
			continue;
		best = after - before;
		*ticks = before + best / 2;
		*ns = now;
	}
	return best;
}

/*
 * How long the counter stays at a tick, in nanoseconds; 0, if that makes no difference. A thread may
 * be interrupted in any of the steps, but not in all.
 */
static uint32_t counter_step(void)
{
	uint64_t first = 0, ns = 0, later = 0, later_ns = 0, shortest = UINT64_MAX;
	unsigned steps = 0;

	pair_take(&first, &ns);
	uint64_t last = tl_counter();
	for (unsigned reads = 0; reads < STEPS_READS && steps < STEPS; reads++) {
		uint64_t now = tl_counter();
		if (now == last)
			continue;
		if (now - last < shortest)
			shortest = now - last;
		last = now;
		steps++;
	}
	pair_take(&later, &later_ns);
	if (!steps)
		return 0;
	shortest = tl_clock_along(shortest, tl_clock_slope(first, ns, later, later_ns));
	return shortest > FINE ? (uint32_t)shortest : 0;
}

uint32_t tl_clock_step_ns(void)
{
	return atomic_load_explicit(&step, memory_order_relaxed);
}

/*
 * The newest point that is at least so many nanoseconds before the last of n points, but none from
 * before the last known change of the rate.
 */
static const struct tl_clock_point *point_back_from(const struct tl_clock_table *table, uint32_t n,
						    uint64_t baseline)
{
	uint32_t from = n - 1;
	uint64_t last = load_relaxed(&table->points[n - 1].ns);

	while (from > 0 && last - load_relaxed(&table->points[from].ns) < baseline &&
	       load_relaxed(&table->points[from].ticks) > change.since)
		from--;
	return &table->points[from];
}

/* The slope beyond the last of n points. */
static uint64_t slope_recent(const struct tl_clock_table *table, uint32_t n)
{
	const struct tl_clock_point *from = point_back_from(table, n, TL_CLOCK_BASELINE),
				    *last = &table->points[n - 1];

	return tl_clock_slope(load_relaxed(&from->ticks), load_relaxed(&from->ns),
			      load_relaxed(&last->ticks), load_relaxed(&last->ns));
}

static void point_set(struct tl_clock_point *point, uint64_t ticks, uint64_t ns, uint64_t slope)
{
	atomic_store_explicit(&point->ticks, ticks, memory_order_relaxed);
	atomic_store_explicit(&point->ns, ns, memory_order_relaxed);
	atomic_store_explicit(&point->slope, slope, memory_order_relaxed);
}

static void point_copy(struct tl_clock_point *to, const struct tl_clock_point *from)
{
	point_set(to, load_relaxed(&from->ticks), load_relaxed(&from->ns),
		  load_relaxed(&from->slope));
}

/* Sets a point's slope to that of the line to the next point. */
static void point_aim(struct tl_clock_point *point)
{
	uint64_t slope = tl_clock_slope(load_relaxed(&point->ticks), load_relaxed(&point->ns),
					load_relaxed(&point[1].ticks), load_relaxed(&point[1].ns));

	atomic_store_explicit(&point->slope, slope, memory_order_relaxed);
}

/* The slopes of all lines from a point that pass other points at no more than a given distance. */
struct corridor {
	uint64_t low, high;
};

static struct corridor corridor_to(const struct tl_clock_point *from,
				   const struct tl_clock_point *to, uint64_t distance)
{
	uint64_t ticks = load_relaxed(&from->ticks), ns = load_relaxed(&from->ns),
		 to_ticks = load_relaxed(&to->ticks), to_ns = load_relaxed(&to->ns);

	return (struct corridor){
		tl_clock_slope(ticks, ns, to_ticks, to_ns > distance ? to_ns - distance : 0),
		tl_clock_slope(ticks, ns, to_ticks, to_ns + distance)};
}

/*
 * Removes those of the first `n` points that lie within `distance` of the line between the points
 * that remain. Returns how many remain.
 */
static uint32_t points_straighten(struct tl_clock_point *points, uint32_t n, uint64_t distance)
{
	struct corridor all = {0, UINT64_MAX};
	uint32_t to = 0; /* the last point that stays */

	for (uint32_t i = 1; i < n; i++) {
		struct corridor one = corridor_to(&points[to], &points[i], 0);
		if (one.low < all.low || one.low > all.high) {
			point_copy(&points[++to], &points[i - 1]);
			all = (struct corridor){0, UINT64_MAX};
		}
		one = corridor_to(&points[to], &points[i], distance);
		all.low = one.low > all.low ? one.low : all.low;
		all.high = one.high < all.high ? one.high : all.high;
	}
	if (n > 1)
		point_copy(&points[++to], &points[n - 1]);
	return to + 1;
}

/*
 * In long runs, keeps of the older points those where the rate changed; if there are many, those
 * where it changed most. Returns how many points remain.
 */
static uint32_t points_thin_out(struct tl_clock_table *table, uint32_t n)
{
	uint32_t older = n - n / 4, left = older;

	for (uint64_t distance = PASSED_BY; left > older - older / 8; distance *= 2)
		left = points_straighten(table->points, left, distance);
	for (uint32_t i = older; i < n; i++)
		point_copy(&table->points[left++], &table->points[i]);
	for (uint32_t i = 0; i + 1 < left; i++)
		point_aim(&table->points[i]);
	return left;
}

/*
 * Puts a point at the end. It may not lie before the last one, in ticks or in nanoseconds. Returns
 * the new number of points.
 */
static uint32_t point_append(struct tl_clock_table *table, uint32_t n, uint64_t ticks, uint64_t ns)
{
	struct tl_clock_point *point = &table->points[n];

	if (n && ticks <= load_relaxed(&point[-1].ticks))
		return n;
	if (n && ns < load_relaxed(&point[-1].ns))
		ns = load_relaxed(&point[-1].ns);
	/* Until more is known, the slope of the point before goes on. */
	point_set(point, ticks, ns, n ? load_relaxed(&point[-1].slope) : 0);
	if (n)
		point_aim(point - 1);
	return n + 1;
}

/* Whether a pair is further from the line than the errors of the slope's own pairs explain. */
static bool pair_is_surprising(const struct tl_clock_table *table, uint32_t n, uint64_t ticks,
			       uint64_t ns)
{
	const struct tl_clock_point *last = &table->points[n - 1];
	uint64_t expected =
		load_relaxed(&last->ns) +
		tl_clock_along(ticks - load_relaxed(&last->ticks), load_relaxed(&last->slope));
	uint64_t baseline = load_relaxed(&last->ns) -
			    load_relaxed(&point_back_from(table, n, TL_CLOCK_BASELINE)->ns),
		 length = ns - load_relaxed(&last->ns), stepping = tl_clock_step_ns();

	return baseline >= TELLING_LEAST && length / baseline < FAR &&
	       (expected > ns ? expected - ns : ns - expected) >
		       SURPRISE + stepping + (PAIR_ERROR + stepping) * (length / baseline);
}

/*
 * The rate changed before the point numbered `end`, and the slope behind it is `after`: puts a
 * point where it changed. Returns the new number of points.
 */
static uint32_t change_insert(struct tl_clock_table *table, uint32_t n, uint32_t end,
			      uint64_t after)
{
	struct tl_clock_point *to = &table->points[end], *from = to - 1;
	uint64_t ticks = load_relaxed(&to->ticks) - load_relaxed(&from->ticks),
		 ns = load_relaxed(&to->ns) - load_relaxed(&from->ns);
	/* .slope for `part` of the ticks, and `after` for the rest, add up to the nanoseconds. */
	__int128 rest = ((__int128)ns << SHIFT) - (__int128)after * ticks,
		 apart = (__int128)change.slope - after;
	__int128 part = apart ? rest / apart : 0;

	if (part <= 0 || part >= ticks || tl_clock_along((uint64_t)part, change.slope) > ns)
		return n;
	for (uint32_t i = n; i > end; i--)
		point_copy(&table->points[i], &table->points[i - 1]);
	point_set(to, load_relaxed(&from->ticks) + (uint64_t)part,
		  load_relaxed(&from->ns) + tl_clock_along((uint64_t)part, change.slope), 0);
	point_aim(from);
	point_aim(to);
	return n + 1;
}

/*
 * Called with a new last point: settles the open change, if enough time has passed. Returns the new
 * number of points.
 */
static uint32_t change_settle(struct tl_clock_table *table, uint32_t n)
{
	const struct tl_clock_point *points = table->points;
	uint64_t last = load_relaxed(&points[n - 1].ns), needed, wait = 0;
	uint32_t end = n - 1;

	while (end > 1 && load_relaxed(&points[end].ticks) > change.to)
		end--;
	bool known = load_relaxed(&points[end].ticks) == change.to &&
		     load_relaxed(&points[end - 1].ticks) == change.from;
	if (known) {
		needed = (load_relaxed(&points[end].ns) - load_relaxed(&points[end - 1].ns)) /
			 TELLING_PART;
		needed = needed < TELLING_LEAST	 ? TELLING_LEAST
			 : needed > TELLING_MOST ? TELLING_MOST
						 : needed;
		uint64_t passed = last - load_relaxed(&points[end].ns);
		wait = passed < needed ? needed - passed : 0;
	}
	atomic_store_explicit(&unsettled, (uint32_t)wait, memory_order_relaxed);
	if (wait)
		return n;
	if (known && load_relaxed(&table->horizon) <= change.from)
		n = change_insert(table, n, end,
				  tl_clock_slope(change.to, load_relaxed(&points[end].ns),
						 load_relaxed(&points[n - 1].ticks), last));
	change.since = change.to;
	change.to = 0;
	return n;
}

/* The number of the last of n points that is not after a tick, or of the first. */
static uint32_t point_search(const struct tl_clock_table *table, uint32_t n, uint64_t ticks)
{
	uint32_t low = 0, high = n;

	while (low + 1 < high) {
		uint32_t middle = (low + high) / 2;
		if (load_relaxed(&table->points[middle].ticks) <= ticks)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static uint64_t ticks_convert(const struct tl_clock_table *table, uint32_t n, uint64_t ticks)
{
	/* Most often the point of the last answer, since records are converted in their order. */
	static _Atomic uint32_t lately;
	uint32_t low = atomic_load_explicit(&lately, memory_order_relaxed);

	if (low >= n || ticks < load_relaxed(&table->points[low].ticks) ||
	    (low + 1 < n && ticks >= load_relaxed(&table->points[low + 1].ticks))) {
		low = point_search(table, n, ticks);
		atomic_store_explicit(&lately, low, memory_order_relaxed);
	}
	uint64_t at = load_relaxed(&table->points[low].ticks),
		 ns = load_relaxed(&table->points[low].ns),
		 slope = load_relaxed(&table->points[low].slope);
	if (ticks >= at)
		return ns + tl_clock_along(ticks - at, slope);
	uint64_t back = tl_clock_along(at - ticks, slope);
	return back < ns ? ns - back : 0;
}

/*
 * Between table_change_begin and table_change_end points may change. Their fences, release and
 * acquire, pair with those of tl_clock_ns.
 */
static void table_change_begin(struct tl_clock_table *table)
{
	atomic_fetch_add_explicit(&table->version, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
}

static void table_change_end(struct tl_clock_table *table)
{
	atomic_fetch_add_explicit(&table->version, 1, memory_order_release);
}

/* Appends a pair, and updates what depends on it. Returns the new number of points. */
static uint32_t pair_append(struct tl_clock_table *table, uint32_t n, uint64_t ticks, uint64_t ns)
{
	bool begins = n > 1 && !change.to && pair_is_surprising(table, n, ticks, ns);

	if (begins) {
		change.from = load_relaxed(&table->points[n - 1].ticks);
		change.to = ticks;
		change.slope = load_relaxed(&table->points[n - 1].slope);
	}
	n = point_append(table, n, ticks, ns);
	if (change.to)
		n = change_settle(table, n);
	/* Right after a change of the rate, only the time since then gives the new rate. */
	if (n > 1)
		atomic_store_explicit(&table->points[n - 1].slope,
				      begins ? load_relaxed(&table->points[n - 2].slope)
					     : slope_recent(table, n),
				      memory_order_relaxed);
	atomic_store_explicit(&uncertain, change.to ? change.from : ticks, memory_order_relaxed);
	uint64_t slope = load_relaxed(&table->points[n - 1].slope);
	atomic_store_explicit(&tl_clock_rate, slope ? (UINT64_C(1) << (SHIFT + 20)) / slope : 0,
			      memory_order_relaxed);
	atomic_store_explicit(&tl_clock_due,
			      ticks + (slope ? (uint64_t)(((unsigned __int128)DUE << SHIFT) / slope)
					     : DUE_AT_FIRST),
			      memory_order_relaxed);
	return n;
}

static void pair_add(struct tl_clock_table *table, uint64_t ticks, uint64_t ns)
{
	uint32_t n = atomic_load_explicit(&table->count, memory_order_relaxed);

	table_change_begin(table);
	if (n + 3 > POINTS)
		n = points_thin_out(table, n);
	/*
	 * Pairs with the fence in tl_clock_ns. The horizon is read after the version became odd: a
	 * reader that raises the horizon after this finds the version changed, and tries again.
	 */
	atomic_thread_fence(memory_order_seq_cst);
	uint64_t answered = load_relaxed(&table->horizon);
	if (n > 1 && answered > load_relaxed(&table->points[n - 1].ticks) && answered < ticks)
		n = point_append(table, n, answered, ticks_convert(table, n, answered));
	if (answered < ticks)
		n = pair_append(table, n, ticks, ns);
	atomic_store_explicit(&table->count, n, memory_order_relaxed);
	table_change_end(table);
}

/* Acquire: pairs with the release in tl_clock_move; what the old table had is in the new one. */
static struct tl_clock_table *table_now(void)
{
	return atomic_load_explicit(&current, memory_order_acquire);
}

static void pair_make(void)
{
	uint64_t ticks = 0, ns = 0;

	if (atomic_flag_test_and_set_explicit(&pairing, memory_order_acquire))
		return;
	struct tl_clock_table *table = table_now();
	uint32_t n = atomic_load_explicit(&table->count, memory_order_relaxed);
	/*
	 * A pair whose reading was interrupted has a wide bracket: take another. Without a slope
	 * the bracket's width in nanoseconds is not known.
	 */
	for (int tries = 0; tries < 8; tries++) {
		uint64_t width = pair_take(&ticks, &ns);
		if (n < 2 ||
		    tl_clock_along(width, load_relaxed(&table->points[n - 1].slope)) <= NARROW)
			break;
	}
	if (n == 0 || ns >= load_relaxed(&table->points[n - 1].ns) + (n == 1 ? SHORTEST : 1000))
		pair_add(table, ticks, ns);
	atomic_flag_clear_explicit(&pairing, memory_order_release);
}

/* The last pair is no older than so many nanoseconds. */
static bool pair_is_newer(const struct tl_clock_table *table, uint64_t ns)
{
	uint32_t n = atomic_load_explicit(&table->count, memory_order_relaxed);

	if (n < 2)
		return false;
	/* The point may change while it is read. That gives another answer; both are right. */
	const struct tl_clock_point *last = &table->points[n - 1];
	return tl_clock_along(tl_counter() - load_relaxed(&last->ticks),
			      load_relaxed(&last->slope)) < ns;
}

/* The last pair is so new that no other is needed. */
static bool pair_is_fresh(const struct tl_clock_table *table)
{
	return !atomic_load_explicit(&unsettled, memory_order_relaxed) &&
	       pair_is_newer(table, FRESH);
}

void tl_clock_settle(void)
{
	/* A thread that is interrupted after its reading has an old pair: take another. */
	for (int tries = 0; tries < 6 && has_counter() && !pair_is_fresh(table_now()); tries++) {
		uint32_t wait = atomic_load_explicit(&unsettled, memory_order_relaxed);
		if (wait && tries)
			syscall(SYS_nanosleep, &(struct timespec){0, wait}, NULL);
		tl_clock_pair();
	}
}

/*
 * With signals blocked. Else a signal handler that converts ticks (one that calls _exit does) would
 * wait for the thread that it interrupted, that is, for ever.
 */
void tl_clock_pair(void)
{
	sigset_t all, signals;

	if (!has_counter())
		return;
	sigfillset(&all);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &signals, 8);
	pair_make();
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &signals, NULL, 8);
}

void tl_clock_freshen(void)
{
	if (has_counter() && !pair_is_newer(table_now(), FRESHENED))
		tl_clock_pair();
}

bool tl_clock_is_counter(void)
{
	return has_counter();
}

void tl_clock_start_with(bool with_counter)
{
	atomic_store_explicit(&counter, with_counter, memory_order_relaxed);
	atomic_store_explicit(&tl_clock_rate, with_counter ? 0 : 1 << 20, memory_order_relaxed);
	tl_clock_pair();
}

void tl_clock_start(void)
{
	bool trusted = counter_is_invariant() && kernel_trusts_counter();

	atomic_store_explicit(&step, trusted ? counter_step() : 0, memory_order_relaxed);
	tl_clock_start_with(trusted);
}

/* Waits for the second pair: a slope needs two, some time apart. */
static uint32_t pair_await_second(const struct tl_clock_table *table)
{
	uint32_t n;

	while ((n = atomic_load_explicit(&table->count, memory_order_relaxed)) < 2)
		tl_clock_pair();
	return n;
}

static void horizon_raise(struct tl_clock_table *table, uint64_t ticks)
{
	uint64_t seen = load_relaxed(&table->horizon);

	while (seen < ticks &&
	       !atomic_compare_exchange_weak_explicit(&table->horizon, &seen, ticks,
						      memory_order_seq_cst, memory_order_relaxed))
		;
}

uint64_t tl_clock_ns(uint64_t ticks)
{
	if (!has_counter())
		return ticks;
	struct tl_clock_table *table = table_now();
	pair_await_second(table);
	for (;;) {
		/*
		 * Acquire, and the fence below: pair with table_change_end and table_change_begin.
		 */
		uint32_t before = atomic_load_explicit(&table->version, memory_order_acquire);
		uint32_t n = atomic_load_explicit(&table->count, memory_order_relaxed);
		if (before & 1)
			continue;
		bool open = ticks > load_relaxed(&uncertain);
		if (open)
			horizon_raise(table, ticks);
		uint64_t ns = ticks_convert(table, n, ticks);
		/*
		 * Pairs with the fence in pair_add: either the reader sees the pair, or the thread
		 * that adds the pair sees the raised horizon. This fence costs as much as all the
		 * rest here.
		 */
		if (open)
			atomic_thread_fence(memory_order_seq_cst);
		else
			atomic_thread_fence(memory_order_acquire);
		if (atomic_load_explicit(&table->version, memory_order_relaxed) == before)
			return ns;
	}
}

/*
 * No thread converts yet: converting comes after the first chunk, and the table moves before that.
 */
void tl_clock_move(struct tl_clock_table *to)
{
	while (atomic_flag_test_and_set_explicit(&pairing, memory_order_acquire))
		;
	struct tl_clock_table *from = table_now();
	uint32_t n = atomic_load_explicit(&from->count, memory_order_relaxed);

	for (uint32_t i = 0; i < n; i++)
		point_copy(&to->points[i], &from->points[i]);
	atomic_store_explicit(&to->horizon, load_relaxed(&from->horizon), memory_order_relaxed);
	atomic_store_explicit(&to->count, n, memory_order_relaxed);
	/* Release: pairs with the acquire in table_now. */
	atomic_store_explicit(&current, to, memory_order_release);
	atomic_flag_clear_explicit(&pairing, memory_order_release);
}

static void copy_points(struct tl_clock_table *to, const struct tl_clock_table *from, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		atomic_init(&to->points[i].ticks, load_relaxed(&from->points[i].ticks));
		atomic_init(&to->points[i].ns, load_relaxed(&from->points[i].ns));
		atomic_init(&to->points[i].slope, load_relaxed(&from->points[i].slope));
	}
	atomic_init(&to->horizon, load_relaxed(&from->horizon));
	atomic_init(&to->count, n);
	atomic_init(&to->version, 0);
}

void tl_clock_copy(struct tl_clock_table *to)
{
	const struct tl_clock_table *table = table_now();

	if (has_counter())
		pair_await_second(table);
	for (;;) {
		/* Acquire, and the fence below: as in tl_clock_ns. */
		uint32_t before = atomic_load_explicit(&table->version, memory_order_acquire);
		if (before & 1)
			continue;
		copy_points(to, table, atomic_load_explicit(&table->count, memory_order_relaxed));
		atomic_thread_fence(memory_order_seq_cst);
		if (atomic_load_explicit(&table->version, memory_order_relaxed) == before)
			return;
	}
}

void tl_clock_after_fork(void)
{
	atomic_store_explicit(&first.count, 0, memory_order_relaxed);
	atomic_store_explicit(&first.version, 0, memory_order_relaxed);
	atomic_store_explicit(&first.horizon, 0, memory_order_relaxed);
	atomic_store_explicit(&current, &first, memory_order_relaxed);
	atomic_store_explicit(&uncertain, 0, memory_order_relaxed);
	atomic_store_explicit(&unsettled, 0, memory_order_relaxed);
	atomic_store_explicit(&tl_clock_due, UINT64_MAX, memory_order_relaxed);
	atomic_store_explicit(&tl_clock_rate, 0, memory_order_relaxed);
	memset(&change, 0, sizeof(change));
	atomic_flag_clear_explicit(&pairing, memory_order_relaxed);
}
