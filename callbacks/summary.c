/* SPDX-License-Identifier: MIT */
/*
 * summary: calls by function, and what devices did (summary_device.h), counted while the program
 * runs and printed at its end; no trace is needed.
 *
 * Each thread counts for itself: what it writes has no other writer, and the only lock or
 * allocation is the system call by which it gets memory for a function that it calls for the first
 * time. Times are kept in ticks, and become nanoseconds when the table is made. Count, total, least
 * and most are exact. Medians and percentiles are the middles of bins, 32 to each doubling: they
 * are off by at most 1.6 %.
 *
 * Other threads may go on calling while the table is made. It then has what they had counted by
 * that moment.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "callbacks/duration_bins.h"
#include "callbacks/tool_common.h"
#include "callbacks/tool_ending.h"
#include "callbacks/recent_calls.h"
#include "callbacks/summary_device.h"
#include "common/output.h"
#include "tables/call_tables.h"
#include "tables/needed_memory.h"

#define TIDS  16u
#define APIS  32
#define ARENA (256u * 1024)

/*
 * One thread's calls of one function. Only that thread writes, and the thread that makes the table
 * reads: relaxed atomics, written without read-modify-write.
 */
struct counts {
	const struct tl_function *function;
	_Atomic uint64_t calls, failed, total, least, most; /* ticks */
	_Atomic uint64_t bins[BINS];
};

struct api_counts {
	const struct tl_api *api;
	_Atomic(struct counts *) *functions; /* by tl_function.index */
};

/*
 * A thread's accounts. When the thread has ended, another one goes on with them, unless the tables
 * tell threads apart. Never freed.
 */
struct accounts {
	struct accounts *next;
	_Atomic bool taken;
	_Atomic int tids[TIDS]; /* of the threads that had them last */
	_Atomic unsigned ntids; /* threads that had them; the last one has them now */
	_Atomic uint32_t napis; /* release after the entry is in place */
	struct api_counts apis[APIS];
	char *arena;
	size_t left;
	struct recent recent;
};

const unsigned tl_tool_version = TL_TOOL_VERSION;

static struct output output;
static enum table_format format = TABLE_AS_TEXT;
static bool by_thread;
static bool devices;		       /* are watched */
static uint64_t started;	       /* ticks */
static _Atomic(struct accounts *) all; /* release when an entry is put in, acquire by readers */
static __thread struct accounts *own;
static pthread_key_t key;

/* ---- counting ---- */

static void *accounts_allocate(struct accounts *accounts, size_t size)
{
	size = (size + 63) & ~(size_t)63;
	if (accounts->left < size) {
		size_t more = size > ARENA ? size : ARENA;
		void *memory = mmap(NULL, more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				    -1, 0);
		if (memory == MAP_FAILED)
			return NULL;
		accounts->arena = memory;
		accounts->left = more;
	}
	void *at = accounts->arena;
	accounts->arena += size;
	accounts->left -= size;
	return at;
}

static struct accounts *accounts_reuse(void)
{
	for (struct accounts *at = atomic_load_explicit(&all, memory_order_acquire); at;
	     at = at->next) {
		bool no = false;
		if (atomic_compare_exchange_strong_explicit(
			    &at->taken, &no, true, memory_order_acquire, memory_order_relaxed))
			return at;
	}
	return NULL;
}

static struct accounts *accounts_new(void)
{
	struct accounts *mine = mmap(NULL, sizeof(*mine), PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mine == MAP_FAILED)
		return NULL;
	atomic_store_explicit(&mine->taken, true, memory_order_relaxed);
	struct accounts *first = atomic_load_explicit(&all, memory_order_relaxed);
	do
		mine->next = first;
	while (!atomic_compare_exchange_weak_explicit(&all, &first, mine, memory_order_release,
						      memory_order_relaxed));
	return mine;
}

static struct accounts *accounts_start(void)
{
	struct accounts *mine = by_thread ? NULL : accounts_reuse();

	if (!mine)
		mine = accounts_new();
	own = mine;
	if (mine) {
		unsigned nth = atomic_load_explicit(&mine->ntids, memory_order_relaxed);
		atomic_store_explicit(&mine->tids[nth % TIDS], (int)syscall(SYS_gettid),
				      memory_order_relaxed);
		atomic_store_explicit(&mine->ntids, nth + 1, memory_order_relaxed);
		pthread_setspecific(key, mine);
	}
	return mine;
}

static int accounts_tid(const struct accounts *accounts)
{
	unsigned count = atomic_load_explicit(&accounts->ntids, memory_order_relaxed);

	return atomic_load_explicit(&accounts->tids[(count - 1) % TIDS], memory_order_relaxed);
}

static void accounts_give_back(void *value)
{
	struct accounts *mine = value;

	own = NULL;
	/* Release pairs with accounts_reuse()'s acquire: the next thread counts on from here. */
	if (!by_thread)
		atomic_store_explicit(&mine->taken, false, memory_order_release);
}

static struct api_counts *accounts_api(struct accounts *mine, const struct tl_api *api)
{
	uint32_t count = atomic_load_explicit(&mine->napis, memory_order_relaxed);

	for (uint32_t i = 0; i < count; i++)
		if (mine->apis[i].api == api)
			return &mine->apis[i];
	if (count == APIS)
		return NULL;
	mine->apis[count].api = api;
	mine->apis[count].functions =
		accounts_allocate(mine, api->count * sizeof(*mine->apis[count].functions));
	if (!mine->apis[count].functions)
		return NULL;
	atomic_store_explicit(&mine->napis, count + 1, memory_order_release);
	return &mine->apis[count];
}

static struct counts *counts_start(struct accounts *mine, _Atomic(struct counts *) *place,
				   const struct tl_function *function)
{
	struct counts *counts = accounts_allocate(mine, sizeof(*counts));

	if (!counts)
		return NULL;
	counts->function = function;
	atomic_store_explicit(&counts->least, UINT64_MAX, memory_order_relaxed);
	atomic_store_explicit(place, counts, memory_order_release);
	return counts;
}

static inline void count_add(_Atomic uint64_t *number, uint64_t more)
{
	atomic_store_explicit(number, atomic_load_explicit(number, memory_order_relaxed) + more,
			      memory_order_relaxed);
}

static void summary_after(const struct tl_view *view, void *user_data, void **instance_data)
{
	const struct tl_function *function = view->function;
	struct accounts *mine = own ? own : accounts_start();
	struct api_counts *api = mine ? accounts_api(mine, function->api) : NULL;

	if (!api)
		return;
	_Atomic(struct counts *) *place = &api->functions[function->index];
	struct counts *counts = atomic_load_explicit(place, memory_order_relaxed);
	if (!counts)
		counts = counts_start(mine, place, function);
	if (!counts)
		return;
	uint64_t ticks = view->end - view->start;
	_Atomic uint64_t *bin = &counts->bins[bin_of(ticks)];
	count_add(&counts->calls, 1);
	count_add(&counts->total, ticks);
	if (tl_view_failed(view))
		count_add(&counts->failed, 1);
	if (ticks < atomic_load_explicit(&counts->least, memory_order_relaxed))
		atomic_store_explicit(&counts->least, ticks, memory_order_relaxed);
	if (ticks > atomic_load_explicit(&counts->most, memory_order_relaxed))
		atomic_store_explicit(&counts->most, ticks, memory_order_relaxed);
	atomic_store_explicit(bin, atomic_load_explicit(bin, memory_order_relaxed) + 1,
			      memory_order_relaxed);
	if (devices)
		recent_add(&mine->recent, accounts_tid(mine), function->name, view->start,
			   view->end);
}

static const struct recent *thread_recent(int thread)
{
	for (struct accounts *at = atomic_load_explicit(&all, memory_order_acquire); at;
	     at = at->next)
		for (unsigned i = 0; i < TIDS; i++)
			if (atomic_load_explicit(&at->tids[i], memory_order_relaxed) == thread)
				return &at->recent;
	return NULL;
}

/* ---- the tables ---- */

static jmp_buf no_memory;

/* Called where the table has no memory. The program goes on, without the table. */
void *need(void *allocated)
{
	if (!allocated)
		longjmp(no_memory, 1);
	return allocated;
}

static uint64_t count_load(const _Atomic uint64_t *number)
{
	return atomic_load_explicit(number, memory_order_relaxed);
}

/* The sum of several threads' counts of one function. */
struct sum {
	const struct tl_function *function;
	uint64_t failed;
	struct spread spread;
};

struct sums {
	struct sum **list;
	size_t count;
	uint64_t calls, total;
};

static struct sum *sums_find(struct sums *sums, const struct tl_function *function)
{
	for (size_t i = 0; i < sums->count; i++)
		if (sums->list[i]->function == function)
			return sums->list[i];
	struct sum *sum = need(calloc(1, sizeof(*sum)));
	sums->list = need(reallocarray(sums->list, sums->count + 1, sizeof(*sums->list)));
	sums->list[sums->count++] = sum;
	sum->function = function;
	sum->spread.least = UINT64_MAX;
	return sum;
}

static void sums_add_counts(struct sums *sums, const struct counts *counts)
{
	struct sum *sum = sums_find(sums, counts->function);
	struct spread *spread = &sum->spread;
	uint64_t calls = 0;

	/*
	 * The number of calls is the sum of the bins: so the two agree, even while a thread goes on
	 * counting.
	 */
	for (unsigned i = 0; i < BINS; i++) {
		uint64_t here = atomic_load_explicit(&counts->bins[i], memory_order_relaxed);
		spread->bins[i] += here;
		calls += here;
	}
	uint64_t total = count_load(&counts->total), least = count_load(&counts->least),
		 most = count_load(&counts->most);
	spread->count += calls;
	sum->failed += count_load(&counts->failed);
	spread->total += total;
	spread->least = least < spread->least ? least : spread->least;
	spread->most = most > spread->most ? most : spread->most;
	sums->calls += calls;
	sums->total += total;
}

static void sums_add_accounts(struct sums *sums, const struct accounts *accounts)
{
	uint32_t napis = atomic_load_explicit(&accounts->napis, memory_order_acquire);

	for (uint32_t a = 0; a < napis; a++)
		for (uint32_t f = 0; f < accounts->apis[a].api->count; f++) {
			struct counts *counts = atomic_load_explicit(
				&accounts->apis[a].functions[f], memory_order_acquire);
			if (counts)
				sums_add_counts(sums, counts);
		}
}

static void sums_free(struct sums *sums)
{
	for (size_t i = 0; i < sums->count; i++)
		free(sums->list[i]);
	free(sums->list);
}

static long long ticks_in_ns(uint64_t ticks, double ns)
{
	return (long long)((double)ticks * ns + 0.5);
}

static struct table *table_of_sums(const struct sums *sums, const char *name, double ns)
{
	struct table *table = calls_table(name, "function", NULL, false);

	for (size_t i = 0; i < sums->count; i++) {
		const struct spread *spread = &sums->list[i]->spread;
		struct calls calls = {
			.name = sums->list[i]->function->name,
			.calls = (long long)spread->count,
			.failed = (long long)sums->list[i]->failed,
			.total = ticks_in_ns(spread->total, ns),
			.min = ticks_in_ns(spread->least, ns),
			.median = ticks_in_ns(spread_percentile(spread, 50), ns),
			.p99 = ticks_in_ns(spread_percentile(spread, 99), ns),
			.max = ticks_in_ns(spread->most, ns),
		};
		if (calls.calls)
			calls_row(table, &calls, ticks_in_ns(sums->total, ns));
	}
	table_heading(table, "tracelayer: %s: %llu call%s of %zu function%s", name,
		      (unsigned long long)sums->calls, plural_s(sums->calls), sums->count,
		      plural_s(sums->count));
	return table;
}

static struct table *table_of_accounts(struct accounts *const *list, size_t count, const char *name,
				       double ns)
{
	struct sums sums = {0};

	for (size_t i = 0; i < count; i++)
		sums_add_accounts(&sums, list[i]);
	struct table *table = table_of_sums(&sums, name, ns);
	sums_free(&sums);
	return table;
}

/* The process, each thread if that is wanted, and the devices. */
static void tables_print(FILE *to, double ns)
{
	size_t count = 0, shown = 0;
	char name[64], program[64];

	for (struct accounts *at = atomic_load_explicit(&all, memory_order_acquire); at;
	     at = at->next)
		count++;
	struct accounts **list = need(calloc(count + 1, sizeof(struct accounts *)));
	struct table **tables = need(calloc(count + 1 + DEVICE_TABLES, sizeof(struct table *)));
	for (struct accounts *at = atomic_load_explicit(&all, memory_order_acquire);
	     at && shown < count; at = at->next)
		list[shown++] = at;
	/* As traces name it: the program may have overwritten its arguments, as Wine does. */
	tl_output_program(program, sizeof(program));
	snprintf(name, sizeof(name), "process %d (%.40s)", (int)getpid(), program);
	tables[0] = table_of_accounts(list, shown, name, ns);
	for (size_t i = 0; by_thread && i < shown; i++) {
		snprintf(name, sizeof(name), "thread %d", accounts_tid(list[i]));
		tables[1 + i] = table_of_accounts(&list[i], 1, name, ns);
	}
	uint64_t missing = devices ? device_tables(&tables[1 + shown]) : 0;
	calls_print(tables, 1 + shown + DEVICE_TABLES, NULL, format, to);
	if (format == TABLE_AS_TEXT && missing)
		fprintf(to,
			"\ntracelayer: summary: no memory for %llu device commands; they are not in the tables\n",
			(unsigned long long)missing);
	if (format == TABLE_AS_TEXT)
		fputc('\n', to);
	free(list);
	free(tables);
}

/* A program that made no call has no table. */
static bool sums_are_empty(void)
{
	return !atomic_load_explicit(&all, memory_order_acquire);
}

static void tool_report(void)
{
	char *text = NULL;
	size_t size = 0;
	uint64_t now = tl_ticks_now();
	uint64_t from = tl_ticks_ns(started);
	double ns = now > started ? (double)(tl_ticks_ns(now) - from) / (double)(now - started) : 1;
	FILE *to = sums_are_empty() ? NULL : open_memstream(&text, &size);

	if (!to)
		return;
	if (setjmp(no_memory))
		fputs("tracelayer: summary: no memory for the table\n", to);
	else
		tables_print(to, ns);
	if (fclose(to) == 0)
		output_write(&output, text, size);
	free(text);
}

/* ---- the beginning ---- */

/* The child counts its own calls only. */
static void summary_after_fork(void)
{
	atomic_store_explicit(&all, NULL, memory_order_relaxed);
	own = NULL;
	pthread_setspecific(key, NULL);
	started = tl_ticks_now();
	device_after_fork();
	output_after_fork(&output);
}

int tl_tool_start(const struct tl_tool_host *host)
{
	const char *options = host->options;
	static struct option option;
	static char file[sizeof(option.value)] = "";
	int status = options_check(host);

	if (status)
		return status;
	while (option_next(&options, &option)) {
		if (option_is(&option, "file")) {
			strcpy(file, option.value);
		} else if (option_is(&option, "threads")) {
			by_thread = true;
		} else if (option_is(&option, "late")) {
			report_late = true;
		} else if (option_is(&option, "format") && table_format_named(option.value) >= 0) {
			format = (enum table_format)table_format_named(option.value);
		} else if (option_is(&option, "format")) {
			return refuse(host, "no such format: %.60s; give text, csv or json",
				      option.value);
		} else {
			return refuse(host,
				      "no such option: %s; give file, format, late or threads",
				      option.key);
		}
	}
	status = output_open(&output, host, file);
	if (status)
		return status;
	if (pthread_key_create(&key, accounts_give_back))
		return refuse(host,
			      "no key for threads' data is left; the program runs without it");
	pthread_atfork(NULL, NULL, summary_after_fork);
	started = tl_ticks_now();
	devices = device_start(thread_recent);
	return trace(host, "*", NULL, summary_after);
}
