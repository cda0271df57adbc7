/*
 * clock.c: ticks to nanoseconds of CLOCK_MONOTONIC. See clock.h.
 *
 * The table's points are a broken line from ticks to nanoseconds; each point carries the slope of the piece that follows it. A tick beyond the last
 * point is converted by the slope that the last seconds had. Such an answer has to stand: `horizon` is the largest tick for which
 * one was given, and the next pair puts a point there, at the value that was answered, before its own. So conversion is monotone over all
 * answers ever given.
 *
 * One writer at a time (`pairing`, a try-lock: who finds it taken leaves, since somebody is taking a pair this moment). Readers use
 * the sequence lock `version`: odd while points change; a reader that saw it odd or changed tries again. Points are atomics,
 * all relaxed; the fences around them order them against `version`.
 */
#include "layer/clock.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "format/trace_file.h"
#include "tracelayer/shim.h"

#define POINTS TL_CLOCK_POINTS
#define SHIFT TL_CLOCK_SHIFT
#define BASELINE 2000000000u	/* nanoseconds that the slope beyond the last point is taken over */
#define BRACKETS 16
#define NARROW 250u		/* nanoseconds: a bracket this narrow is good enough */
#define SHORTEST 50000u		/* nanoseconds: two pairs closer than this say nothing about the slope */

static struct tl_clock_table first;	/* until there is an arena to have it in */
static _Atomic(struct tl_clock_table *) current = &first;
static atomic_flag pairing = ATOMIC_FLAG_INIT;
static bool counter;

static inline uint64_t load(const _Atomic uint64_t *word)
{
	return atomic_load_explicit(word, memory_order_relaxed);
}

uint64_t tl_clock_gettime_ticks(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The kernel itself keeps time by this counter, or a hypervisor's page that is based on it. Where /sys can't be read, the CPU's word counts. */
static bool kernel_trusts_counter(void)
{
	static const char *const good[] = { "tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "xen", "arch_sys_counter" };
	char name[64];
	int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return true;
	ssize_t size = read(fd, name, sizeof(name) - 1);
	close(fd);
	if (size <= 0)
		return true;
	name[size] = 0;
	name[strcspn(name, "\n")] = 0;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		if (!strcmp(name, good[i]))
			return true;
	return false;
}

/* The counter runs at one rate, in all power states. (A virtual machine traps cpuid, so this is asked once.) */
static bool counter_is_invariant(void)
{
#if defined(__x86_64__)
	unsigned a, b, c, d;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && d >> 8 & 1;
#else
	return true;
#endif
}

/* Both clocks at one instant: the narrowest of several brackets. Returns the bracket's width in ticks. */
static uint64_t take_pair(uint64_t *ticks, uint64_t *ns)
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

static uint64_t slope_between(uint64_t ticks, uint64_t ns, uint64_t later_ticks, uint64_t later_ns)
{
	if (later_ticks <= ticks || later_ns <= ns)
		return 0;
	return (uint64_t)(((unsigned __int128)(later_ns - ns) << SHIFT) / (later_ticks - ticks));
}

static uint64_t along(uint64_t ticks, uint64_t slope)
{
	return (uint64_t)((unsigned __int128)ticks * slope >> SHIFT);
}

/* The slope beyond the last of n points: over the last seconds, or as far as points go back. */
static uint64_t recent_slope(const struct tl_clock_table *table, uint32_t n)
{
	uint32_t from = n - 1;
	uint64_t last = load(&table->points[n - 1].ns);

	while (from > 0 && last - load(&table->points[from].ns) < BASELINE)
		from--;
	return slope_between(load(&table->points[from].ticks), load(&table->points[from].ns), load(&table->points[n - 1].ticks), last);
}

/* Long runs: every second point of the older half goes. What they said has long been written. */
static uint32_t thin_out(struct tl_clock_table *table, uint32_t n)
{
	uint32_t to = 1;

	for (uint32_t from = 2; from < n; from += from < n / 2 ? 2 : 1, to++) {
		atomic_store_explicit(&table->points[to].ticks, load(&table->points[from].ticks), memory_order_relaxed);
		atomic_store_explicit(&table->points[to].ns, load(&table->points[from].ns), memory_order_relaxed);
	}
	for (uint32_t i = 0; i + 1 < to; i++)
		atomic_store_explicit(&table->points[i].slope,
				      slope_between(load(&table->points[i].ticks), load(&table->points[i].ns),
						    load(&table->points[i + 1].ticks), load(&table->points[i + 1].ns)),
				      memory_order_relaxed);
	return to;
}

/* Put a point at the end; it may not lie before the last one, in either direction. Returns the new number of points. */
static uint32_t append(struct tl_clock_table *table, uint32_t n, uint64_t ticks, uint64_t ns)
{
	if (n) {
		struct tl_clock_point *last = &table->points[n - 1];
		if (ticks <= load(&last->ticks))
			return n;
		if (ns < load(&last->ns))
			ns = load(&last->ns);
		atomic_store_explicit(&last->slope, slope_between(load(&last->ticks), load(&last->ns), ticks, ns),
				      memory_order_relaxed);
	}
	atomic_store_explicit(&table->points[n].ticks, ticks, memory_order_relaxed);
	atomic_store_explicit(&table->points[n].ns, ns, memory_order_relaxed);
	return n + 1;
}

static uint64_t convert(const struct tl_clock_table *table, uint32_t n, uint64_t ticks)
{
	uint32_t low = n - 1;

	/* Nearly everything lies in the last pieces. */
	for (int i = 0; i < 4 && low > 0 && ticks < load(&table->points[low].ticks); i++)
		low--;
	if (ticks < load(&table->points[low].ticks)) {
		uint32_t high = low;
		low = 0;
		while (low + 1 < high) {
			uint32_t middle = (low + high) / 2;
			if (load(&table->points[middle].ticks) <= ticks)
				low = middle;
			else
				high = middle;
		}
	}
	uint64_t at = load(&table->points[low].ticks), ns = load(&table->points[low].ns), slope = load(&table->points[low].slope);
	if (ticks >= at)
		return ns + along(ticks - at, slope);
	uint64_t back = along(at - ticks, slope);
	return back < ns ? ns - back : 0;
}

/* Between these two, points may change. Release and acquire fences pair with those of tl_clock_ns. */
static void change_begin(struct tl_clock_table *table)
{
	atomic_fetch_add_explicit(&table->version, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
}

static void change_end(struct tl_clock_table *table)
{
	atomic_fetch_add_explicit(&table->version, 1, memory_order_release);
}

static void add_pair(struct tl_clock_table *table, uint64_t ticks, uint64_t ns)
{
	uint32_t n = atomic_load_explicit(&table->count, memory_order_relaxed);

	change_begin(table);
	if (n + 2 > POINTS)
		n = thin_out(table, n);
	/* Seen after the version became odd: a reader that raises it later finds the version changed, and asks again. */
	atomic_thread_fence(memory_order_seq_cst);
	uint64_t answered = load(&table->horizon);
	if (n > 1 && answered > load(&table->points[n - 1].ticks) && answered < ticks)
		n = append(table, n, answered, convert(table, n, answered));
	if (answered < ticks)
		n = append(table, n, ticks, ns);
	if (n > 1)
		atomic_store_explicit(&table->points[n - 1].slope, recent_slope(table, n), memory_order_relaxed);
	atomic_store_explicit(&table->count, n, memory_order_relaxed);
	change_end(table);
}

/* Acquire: pairs with tl_clock_move's release, so that what was in the old table is in the new. */
static struct tl_clock_table *table_now(void)
{
	return atomic_load_explicit(&current, memory_order_acquire);
}

static void pair(void)
{
	uint64_t ticks = 0, ns = 0;

	if (atomic_flag_test_and_set_explicit(&pairing, memory_order_acquire))
		return;
	struct tl_clock_table *table = table_now();
	uint32_t n = atomic_load_explicit(&table->count, memory_order_relaxed);
	/* A bracket that was interrupted says little; with a slope known, one can say how wide it was. */
	for (int tries = 0; tries < 8; tries++) {
		uint64_t width = take_pair(&ticks, &ns);
		if (n < 2 || along(width, load(&table->points[n - 1].slope)) <= NARROW)
			break;
	}
	if (n == 0 || ns >= load(&table->points[n - 1].ns) + (n == 1 ? SHORTEST : 1000))
		add_pair(table, ticks, ns);
	atomic_flag_clear_explicit(&pairing, memory_order_release);
}

/* A signal handler that came in between and converts (one that calls _exit does) would wait for this thread, that is for itself. */
void tl_clock_pair(void)
{
	sigset_t all, signals;

	if (!counter)
		return;
	sigfillset(&all);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &signals, 8);
	pair();
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &signals, NULL, 8);
}

bool tl_clock_is_counter(void)
{
	return counter;
}

void tl_clock_start_with(bool with_counter)
{
	counter = with_counter;
	tl_clock_pair();
}

void tl_clock_start(void)
{
	tl_clock_start_with(counter_is_invariant() && kernel_trusts_counter());
}

/* A slope needs two pairs some time apart. */
static uint32_t second_pair(const struct tl_clock_table *table)
{
	uint32_t n;

	while ((n = atomic_load_explicit(&table->count, memory_order_acquire)) < 2)
		tl_clock_pair();
	return n;
}

static void raise_horizon(struct tl_clock_table *table, uint64_t ticks)
{
	uint64_t seen = load(&table->horizon);

	while (seen < ticks &&
	       !atomic_compare_exchange_weak_explicit(&table->horizon, &seen, ticks, memory_order_seq_cst, memory_order_relaxed))
		;
}

uint64_t tl_clock_ns(uint64_t ticks)
{
	if (!counter)
		return ticks;
	struct tl_clock_table *table = table_now();
	second_pair(table);
	for (;;) {
		/* Acquire, and the fence below: pair with change_end and change_begin. */
		uint32_t before = atomic_load_explicit(&table->version, memory_order_acquire);
		uint32_t n = atomic_load_explicit(&table->count, memory_order_relaxed);
		if (before & 1)
			continue;
		if (ticks > load(&table->points[n - 1].ticks))
			raise_horizon(table, ticks);
		uint64_t ns = convert(table, n, ticks);
		atomic_thread_fence(memory_order_seq_cst);
		if (atomic_load_explicit(&table->version, memory_order_relaxed) == before)
			return ns;
	}
}

/* Nobody converts yet: that comes after the first chunk, and the table moves before it. */
void tl_clock_move(struct tl_clock_table *to)
{
	while (atomic_flag_test_and_set_explicit(&pairing, memory_order_acquire))
		;
	const struct tl_clock_table *from = table_now();
	uint32_t n = atomic_load_explicit(&from->count, memory_order_relaxed);

	for (uint32_t i = 0; i < n; i++) {
		atomic_store_explicit(&to->points[i].ticks, load(&from->points[i].ticks), memory_order_relaxed);
		atomic_store_explicit(&to->points[i].ns, load(&from->points[i].ns), memory_order_relaxed);
		atomic_store_explicit(&to->points[i].slope, load(&from->points[i].slope), memory_order_relaxed);
	}
	atomic_store_explicit(&to->horizon, load(&from->horizon), memory_order_relaxed);
	atomic_store_explicit(&to->count, n, memory_order_relaxed);
	/* Pairs with table_now. */
	atomic_store_explicit(&current, to, memory_order_release);
	atomic_flag_clear_explicit(&pairing, memory_order_release);
}

void tl_clock_after_fork(void)
{
	atomic_store_explicit(&first.count, 0, memory_order_relaxed);
	atomic_store_explicit(&first.version, 0, memory_order_relaxed);
	atomic_store_explicit(&first.horizon, 0, memory_order_relaxed);
	atomic_store_explicit(&current, &first, memory_order_relaxed);
	atomic_flag_clear_explicit(&pairing, memory_order_relaxed);
}
