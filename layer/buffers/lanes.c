/* SPDX-License-Identifier: MIT */
/*
 * lanes.c: see lanes.h.
 *
 * Lanes are numbered as threads come, so a table of tables, indexed by number, is enough.
 */
#include "layer/buffers/lanes.h"

#include <stddef.h>
#include <sys/mman.h>

#include "layer/base/environment.h"
#include "layer/buffers/buffer.h"
#include "layer/buffers/clock.h"
#include "layer/buffers/event_lanes.h"

#define PAGE  1024u /* lanes of one table */
#define PAGES 4096u

/*
 * A device command may be reported some flushes after the call that submitted it, if the thread
 * that reports it got no processor. So more than the last gap of a lane is remembered.
 */
#define GAPS 4

/* No call between .from and .to is in any file. Gap number n is at n modulo GAPS. */
struct lane_gaps {
	struct {
		uint64_t from, to;
	} gap[GAPS];
};

/* A table of tables, whose entries are zero until they are used. */
struct table {
	size_t size;   /* of an entry */
	uint32_t used; /* no page from this one on is there */
	char *pages[PAGES];
};

static struct table lanes = {.size = sizeof(struct tl_lane)};
/* Apart from the lanes: most traces have no gap. */
static struct table gaps_of_lanes = {.size = sizeof(struct lane_gaps)};
/*
 * The numbers of lanes, by what they are shown by: thread numbers of the kernel's, which are below
 * SHOWN, and numbers that it never gives out, from SHOWN on.
 */
static struct table of_kernel_tids = {.size = sizeof(uint32_t)};
static struct table of_other_tids = {.size = sizeof(uint32_t)};
static uint32_t count;

#define SHOWN (PAGE * PAGES)

/* The numbers beyond the last share its place. */
static uint32_t number_clamp(uint32_t number)
{
	return number < PAGE * PAGES ? number : PAGE * PAGES - 1;
}

/* A lane's entry. NULL: it is not there. */
static void *table_at(const struct table *table, uint32_t number)
{
	uint32_t at = number_clamp(number);
	char *page = table->pages[at / PAGE];

	return page ? page + at % PAGE * table->size : NULL;
}

/* The same, made if it is not there. NULL: memory is short. */
static void *table_make(struct table *table, uint32_t number)
{
	char **page = &table->pages[number_clamp(number) / PAGE];

	if (!*page) {
		void *memory = mmap(NULL, PAGE * table->size, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		*page = memory == MAP_FAILED ? NULL : memory;
		if (table->used <= number_clamp(number) / PAGE)
			table->used = number_clamp(number) / PAGE + 1;
	}
	return table_at(table, number);
}

static void table_forget(struct table *table)
{
	for (uint32_t i = 0; i < table->used; i++) {
		if (table->pages[i])
			munmap(table->pages[i], PAGE * table->size);
		table->pages[i] = NULL;
	}
	table->used = 0;
}

static struct table *table_of_shown(uint32_t shown)
{
	return shown < SHOWN ? &of_kernel_tids : &of_other_tids;
}

static void lane_make_known(struct tl_lane *lane, uint32_t number, uint32_t shown)
{
	uint32_t *place = table_make(table_of_shown(shown), shown % SHOWN);

	if (place)
		*place = number;
	lane->known = true;
	lane->number = number;
	lane->tid = shown;
	count = number >= count ? number + 1 : count;
}

struct tl_lane *tl_lane_of(const struct tl_producer *producer)
{
	/*
	 * The thread may just begin, with a number of its own, where another has ended, of which all
	 * is written but the losses. Acquire: pairs with the release in producer_introduce.
	 */
	uint32_t number = __atomic_load_n(&producer->lane, __ATOMIC_ACQUIRE);
	struct tl_lane *lane = table_make(&lanes, number);

	if (lane && !lane->known) {
		lane_make_known(lane, number, __atomic_load_n(&producer->shown, __ATOMIC_RELAXED));
		lane->kernel_tid = __atomic_load_n(&producer->tid, __ATOMIC_RELAXED);
	}
	return lane;
}

struct tl_lane *tl_lane_of_events(uint32_t number)
{
	struct tl_lane *lane = tl_lane_at(number);
	const struct tl_lane_entry *entry = lane ? NULL : tl_event_lane_entry(number);

	if (lane || !entry || !(lane = table_make(&lanes, number)))
		return lane;
	lane_make_known(lane, number, entry->shown);
	lane->text = entry->name;
	lane->sort = entry->sort;
	return lane;
}

void tl_lanes_unname(void)
{
	for (uint32_t number = 0; number < count; number++) {
		struct tl_lane *lane = tl_lane_at(number);
		if (lane && lane->text)
			lane->named_in = 0;
	}
}

uint32_t tl_lane_count(void)
{
	return count;
}

struct tl_lane *tl_lane_at(uint32_t number)
{
	struct tl_lane *lane = number < count ? table_at(&lanes, number) : NULL;

	return lane && lane->known ? lane : NULL;
}

uint64_t tl_lane_lost(const struct tl_lane *lane)
{
	uint64_t lost = lane->lost + lane->unsaid + lane->dropped + lane->unwritten;

	return lost > lane->told ? lost - lane->told : 0;
}

/* ---- Which calls are in the file */

/* NULL: it is not seen yet, or there was no memory to note it. */
static struct tl_lane *lane_find_shown(uint32_t tid)
{
	const uint32_t *number = table_at(table_of_shown(tid), tid % SHOWN);
	struct tl_lane *lane = number ? tl_lane_at(*number) : NULL;

	return lane && lane->tid == tid ? lane : NULL;
}

/*
 * Whether the thread's records have a gap at a time; yes also for times before the oldest gap that
 * is remembered.
 */
static bool lane_is_gap(const struct tl_lane *lane, uint64_t ns)
{
	const struct lane_gaps *gaps = table_at(&gaps_of_lanes, lane->number);
	uint32_t kept = lane->gaps < GAPS ? lane->gaps : GAPS;

	/* There was no memory for them: any time may lie in one. */
	if (!gaps)
		return lane->gaps;
	for (uint32_t i = 0; i < kept; i++)
		if (ns > gaps->gap[i].from && ns < gaps->gap[i].to)
			return true;
	return lane->gaps > GAPS && ns < gaps->gap[lane->gaps % GAPS].from;
}

/*
 * A call that a thread is still in is recorded when it ends. In a ring the record may be
 * overwritten before the next flush takes it.
 */
static bool call_may_be_lost(uint32_t tid, uint64_t ns)
{
	if (tl_config.full != TL_FULL_RING)
		return false;
	for (struct tl_producer *producer = tl_buffer_producers(); producer;
	     producer = producer->next) {
		const struct tl_thread *thread = &producer->thread;
		if (__atomic_load_n(&producer->shown, __ATOMIC_RELAXED) == tid && thread->open &&
		    atomic_load_explicit(&thread->top, memory_order_relaxed) != thread->open)
			return tl_clock_ns(__atomic_load_n(&thread->open->start,
							   __ATOMIC_RELAXED)) <= ns;
	}
	return false;
}

bool tl_lane_has_call(uint32_t tid, uint64_t ns, uint32_t file, bool later)
{
	const struct tl_lane *lane = lane_find_shown(tid);

	if (!lane)
		return later && !call_may_be_lost(tid, ns);
	if (lane_is_gap(lane, ns))
		return false;
	if (ns > lane->until)
		return later && !call_may_be_lost(tid, ns);
	return lane->since_file == file && ns >= lane->since;
}

void tl_lane_goes_to(struct tl_lane *lane, uint32_t file, uint64_t from, uint64_t to)
{
	if (lane->since_file != file) {
		/*
		 * Before the lane's first records nothing was in any file, so its calls count from
		 * the start on: an outer call ends, and is recorded, after the calls within it.
		 */
		lane->since = lane->until ? from : 0;
		lane->since_file = file;
	}
	if (to > lane->until)
		lane->until = to;
}

void tl_lane_gap(struct tl_lane *lane, uint64_t to)
{
	struct lane_gaps *gaps = table_make(&gaps_of_lanes, lane->number);

	if (gaps && lane->gaps && to <= gaps->gap[(lane->gaps - 1) % GAPS].to)
		return;
	if (gaps) {
		gaps->gap[lane->gaps % GAPS].from = lane->until;
		gaps->gap[lane->gaps % GAPS].to = to;
	}
	lane->gaps++;
}

void tl_lanes_forget(void)
{
	table_forget(&lanes);
	table_forget(&gaps_of_lanes);
	table_forget(&of_kernel_tids);
	table_forget(&of_other_tids);
	count = 0;
}
