/* SPDX-License-Identifier: MIT */
/*
 * job_tables.c: see job_tables.h. "Per rank" means: of the ranks that have the row at all. A rank
 * stands out if its time is further from the ranks' median than five times what is usual (the
 * median of these distances, scaled as for a normal distribution), and by more than a tenth of it.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/summary/job_tables.h"

#define COUNT_OF(array) (sizeof(array) / sizeof(*(array)))

const char *const job_table_words[JOB_TABLES] = {"ranks",   "hosts",	 "calls",  "events",
						 "kernels", "transfers", "others", "devices"};

static double share_of(int64_t part, int64_t whole)
{
	return whole > 0 ? (double)part / (double)whole : 0;
}

static const char *host_of(const struct job_sums *sums, uint32_t place)
{
	return sums->hosts.list[sums->ranks[place].host];
}

static void name_rank(const struct job_sums *sums, uint32_t place, bool host, char *to, size_t room)
{
	const struct job_rank *rank = &sums->ranks[place];

	if (rank->rank < 0)
		snprintf(to, room, "no rank%s%s", host ? ", " : "",
			 host ? host_of(sums, place) : "");
	else
		snprintf(to, room, "rank %lld%s%s", (long long)rank->rank, host ? ", " : "",
			 host ? host_of(sums, place) : "");
}

/* ---- what a row took in each rank ---- */

struct spread {
	uint32_t ranks;
	int64_t min, max, mean;
	uint32_t slowest; /* place of the rank */
};

static struct spread spread_of(const struct job_row *row, uint32_t nranks)
{
	struct spread spread = {.min = INT64_MAX, .max = -1};
	double sum = 0;

	for (uint32_t place = 0; place < nranks && place < row->room; place++) {
		int64_t time = row->times[place];

		if (time < 0)
			continue;
		spread.ranks++;
		sum += (double)time;
		if (time < spread.min)
			spread.min = time;
		if (time > spread.max) {
			spread.max = time;
			spread.slowest = place;
		}
	}
	spread.mean = spread.ranks ? (int64_t)(sum / spread.ranks + 0.5) : 0;
	return spread;
}

static int compare_times(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Sorts the list. */
static double median_of(int64_t *list, size_t count)
{
	qsort(list, count, sizeof(*list), compare_times);
	return count % 2 ? (double)list[count / 2]
			 : ((double)list[count / 2 - 1] + (double)list[count / 2]) / 2;
}

#define OUTLIERS_NAMED 4
#define NORMAL	       1.4826 /* the standard deviation, in medians of distances */
#define FAR	       5
#define RANKS_LEAST    4

/* "rank 3, 17 and 2 more"; "": none. */
static void name_outliers(const struct job_sums *sums, const struct job_row *row,
			  const struct spread *spread, char *to, size_t room)
{
	int64_t *list = need(calloc((size_t)spread->ranks + 1, sizeof(*list)));
	size_t count = 0, found = 0, length = 0;

	*to = 0;
	for (uint32_t place = 0; place < sums->nranks && place < row->room; place++)
		if (row->times[place] >= 0)
			list[count++] = row->times[place];
	double median = count ? median_of(list, count) : 0;

	for (size_t i = 0; i < count; i++)
		list[i] = (int64_t)((double)list[i] > median ? (double)list[i] - median
							     : median - (double)list[i]);
	double usual = count ? NORMAL * median_of(list, count) : 0;

	for (uint32_t place = 0; count >= RANKS_LEAST && place < sums->nranks && place < row->room;
	     place++) {
		double away = (double)row->times[place] - median;

		away = away < 0 ? -away : away;
		if (row->times[place] < 0 || away <= FAR * usual || away <= median / 10)
			continue;
		if (found++ < OUTLIERS_NAMED && length < room)
			length += (size_t)snprintf(to + length, room - length,
						   found == 1 ? "rank %lld" : ", %lld",
						   (long long)sums->ranks[place].rank);
	}
	if (found > OUTLIERS_NAMED && length < room)
		snprintf(to + length, room - length, " and %zu more", found - OUTLIERS_NAMED);
	free(list);
}

/* ---- functions, kernels, transfers ---- */

enum row_column {
	ROW_NAME,
	ROW_RANKS,
	ROW_COUNT,
	ROW_FAILED,
	ROW_TOTAL,
	ROW_SHARE,
	ROW_MEDIAN,
	ROW_P99,
	ROW_MIN,
	ROW_MEAN,
	ROW_MAX,
	ROW_IMBALANCE,
	ROW_SLOWEST,
	ROW_OUTLIERS
};

static const struct table_column row_columns[] = {
	[ROW_NAME] = {"function", "function", TABLE_NAME, false},
	[ROW_RANKS] = {"ranks", "ranks", TABLE_COUNT, false},
	[ROW_COUNT] = {"calls", "calls", TABLE_COUNT, false},
	[ROW_FAILED] = {"failed", "failed", TABLE_FAILURES, false},
	[ROW_TOTAL] = {"total_ns", "total", TABLE_TIME, true},
	[ROW_SHARE] = {"share", "share", TABLE_SHARE, false},
	[ROW_MEDIAN] = {"median_ns", "median", TABLE_TIME, false},
	[ROW_P99] = {"p99_ns", "99 %", TABLE_TIME, false},
	[ROW_MIN] = {"rank_min_ns", "least rank", TABLE_TIME, false},
	[ROW_MEAN] = {"rank_mean_ns", "mean rank", TABLE_TIME, false},
	[ROW_MAX] = {"rank_max_ns", "most rank", TABLE_TIME, false},
	[ROW_IMBALANCE] = {"imbalance", "most / mean", TABLE_SHARE, false},
	[ROW_SLOWEST] = {"slowest", "slowest", TABLE_TEXT, false},
	[ROW_OUTLIERS] = {"outliers", "stand out", TABLE_TEXT, false},
};

static const struct {
	int table;
	const char *row, *count;
} kinds[TALLY_KINDS] = {
	[TALLY_CALLS] = {JOB_CALLS, "function", "calls"},
	[TALLY_EVENTS] = {JOB_EVENTS, "event", "count"},
	[TALLY_KERNELS] = {JOB_KERNELS, "kernel", "count"},
	[TALLY_TRANSFERS] = {JOB_TRANSFERS, "transfer", "count"},
	[TALLY_OTHERS] = {JOB_OTHERS, "command", "count"},
};

static void add_row(struct table *table, const struct job_sums *sums, uint32_t number,
		    int64_t whole)
{
	const struct tally_row *row = &sums->all.tally.rows[number];
	static const struct job_row none;
	const struct job_row *of = number < sums->rows_room ? &sums->rows[number] : &none;
	struct spread spread = spread_of(of, sums->nranks);
	char text[256];

	table_row(table);
	table_text(table, ROW_NAME, sums->all.names.list[row->name]);
	table_number(table, ROW_RANKS, spread.ranks);
	table_number(table, ROW_COUNT, row->times.count);
	if (row->kind == TALLY_CALLS)
		table_number(table, ROW_FAILED, row->failed);
	table_number(table, ROW_TOTAL, row->times.sum);
	table_share(table, ROW_SHARE, share_of(row->times.sum, whole));
	table_number(table, ROW_MEDIAN, histogram_percentile(&row->times, 50));
	table_number(table, ROW_P99, histogram_percentile(&row->times, 99));
	if (!spread.ranks)
		return;
	table_number(table, ROW_MIN, spread.min);
	table_number(table, ROW_MEAN, spread.mean);
	table_number(table, ROW_MAX, spread.max);
	table_share(table, ROW_IMBALANCE, share_of(spread.max, spread.mean));
	name_rank(sums, spread.slowest, true, text, sizeof(text));
	table_text(table, ROW_SLOWEST, text);
	name_outliers(sums, of, &spread, text, sizeof(text));
	table_text(table, ROW_OUTLIERS, text);
}

static struct table *rows_table(const struct job_sums *sums, enum tally_kind kind, const char *name)
{
	struct table_column columns[COUNT_OF(row_columns)];
	const struct tally *tally = &sums->all.tally;
	int64_t whole = 0, count = 0;
	uint32_t rows = 0;

	for (uint32_t i = 0; i < tally->nrows; i++)
		if (tally->rows[i].kind == kind) {
			whole = tally_add(whole, tally->rows[i].times.sum);
			count = tally_add(count, tally->rows[i].times.count);
			rows++;
		}
	if (!rows && kind != TALLY_CALLS)
		return NULL;
	memcpy(columns, row_columns, sizeof(columns));
	columns[ROW_NAME].key = columns[ROW_NAME].title = kinds[kind].row;
	columns[ROW_COUNT].key = columns[ROW_COUNT].title = kinds[kind].count;
	struct table *table =
		table_new(job_table_words[kinds[kind].table], columns, COUNT_OF(columns));

	if (kind == TALLY_CALLS)
		table_heading(table, "%s: %u rank%s on %u host%s, %lld host calls in %u function%s",
			      name, sums->nranks, plural_s(sums->nranks), sums->hosts.count,
			      plural_s(sums->hosts.count), (long long)count, rows, plural_s(rows));
	for (uint32_t i = 0; i < tally->nrows; i++)
		if (tally->rows[i].kind == kind)
			add_row(table, sums, i, whole);
	table_sort(table);
	return table;
}

/* ---- ranks ---- */

enum rank_column {
	RANK_NAME,
	RANK_HOST,
	RANK_CALLS,
	RANK_FAILED,
	RANK_TIME,
	RANK_WALL,
	RANK_COMMANDS,
	RANK_BUSY,
	RANK_SHARE,
	RANK_BYTES,
	RANK_LOST,
	RANK_DEVICE
};

static const struct table_column rank_columns[] = {
	[RANK_NAME] = {"rank", "rank", TABLE_ID, false},
	[RANK_HOST] = {"host", "host", TABLE_NAME, false},
	[RANK_CALLS] = {"calls", "calls", TABLE_COUNT, false},
	[RANK_FAILED] = {"failed", "failed", TABLE_FAILURES, false},
	[RANK_TIME] = {"calls_ns", "in calls", TABLE_TIME, true},
	[RANK_WALL] = {"recorded_ns", "recorded", TABLE_TIME, false},
	[RANK_COMMANDS] = {"commands", "commands", TABLE_COUNT, false},
	[RANK_BUSY] = {"busy_ns", "devices busy", TABLE_TIME, false},
	[RANK_SHARE] = {"busy_share", "busy", TABLE_SHARE, false},
	[RANK_BYTES] = {"bytes", "moved", TABLE_SIZE, false},
	[RANK_LOST] = {"lost", "lost", TABLE_COUNT, false},
	[RANK_DEVICE] = {"device", "device", TABLE_TEXT, false},
};

static void head_ranks(struct table *table, const struct job_sums *sums, const char *name)
{
	table_heading(table, "%s: %u rank%s on %u host%s", name, sums->nranks,
		      plural_s(sums->nranks), sums->hosts.count, plural_s(sums->hosts.count));
}

static struct table *ranks_table(const struct job_sums *sums, const char *name)
{
	struct table *table =
		table_new(job_table_words[JOB_RANKS], rank_columns, COUNT_OF(rank_columns));

	head_ranks(table, sums, name);
	table_spare(table, RANK_DEVICE, TABLE_NOT_IN_TEXT); /* unless one is known */
	for (uint32_t i = 0; i < sums->nranks; i++) {
		const struct job_rank *rank = &sums->ranks[i];

		table_row(table);
		if (rank->rank >= 0)
			table_number(table, RANK_NAME, rank->rank);
		table_text(table, RANK_HOST, host_of(sums, i));
		table_number(table, RANK_CALLS, rank->calls);
		table_number(table, RANK_FAILED, rank->failed);
		table_number(table, RANK_TIME, rank->calls_time);
		table_number(table, RANK_WALL, rank->end - rank->begin);
		table_number(table, RANK_LOST, (long long)rank->lost);
		if (!rank->nqueues)
			continue;
		if (rank->devices) {
			table_text(table, RANK_DEVICE, rank->devices);
			table_spare(table, RANK_DEVICE, 0);
		}
		table_number(table, RANK_COMMANDS, rank->commands);
		table_number(table, RANK_BUSY, rank->busy);
		table_share(table, RANK_SHARE, share_of(rank->busy, rank->span));
		table_number(table, RANK_BYTES, rank->bytes);
	}
	table_sort(table);
	return table;
}

/* ---- hosts ---- */

enum host_column {
	HOST_NAME,
	HOST_RANKS,
	HOST_CALLS,
	HOST_FAILED,
	HOST_TIME,
	HOST_COMMANDS,
	HOST_BUSY,
	HOST_SHARE,
	HOST_BYTES
};

static const struct table_column host_columns[] = {
	[HOST_NAME] = {"host", "host", TABLE_NAME, false},
	[HOST_RANKS] = {"ranks", "ranks", TABLE_COUNT, false},
	[HOST_CALLS] = {"calls", "calls", TABLE_COUNT, false},
	[HOST_FAILED] = {"failed", "failed", TABLE_FAILURES, false},
	[HOST_TIME] = {"calls_ns", "in calls", TABLE_TIME, true},
	[HOST_COMMANDS] = {"commands", "commands", TABLE_COUNT, false},
	[HOST_BUSY] = {"busy_ns", "devices busy", TABLE_TIME, false},
	[HOST_SHARE] = {"busy_share", "busy", TABLE_SHARE, false},
	[HOST_BYTES] = {"bytes", "moved", TABLE_SIZE, false},
};

/* All ranks of a host as if they were one. */
static struct job_rank host_sum(const struct job_sums *sums, uint32_t host, uint32_t *ranks)
{
	struct job_rank sum = {0};

	*ranks = 0;
	for (uint32_t i = 0; i < sums->nranks; i++) {
		const struct job_rank *rank = &sums->ranks[i];

		if (rank->host != host)
			continue;
		++*ranks;
		sum.calls = tally_add(sum.calls, rank->calls);
		sum.failed = tally_add(sum.failed, rank->failed);
		sum.calls_time = tally_add(sum.calls_time, rank->calls_time);
		sum.commands = tally_add(sum.commands, rank->commands);
		sum.busy = tally_add(sum.busy, rank->busy);
		sum.span = tally_add(sum.span, rank->span);
		sum.bytes = tally_add(sum.bytes, rank->bytes);
		sum.nqueues += rank->nqueues;
	}
	return sum;
}

static struct table *hosts_table(const struct job_sums *sums, const char *name)
{
	struct table *table =
		table_new(job_table_words[JOB_HOSTS], host_columns, COUNT_OF(host_columns));

	head_ranks(table, sums, name);
	for (uint32_t i = 0; i < sums->hosts.count; i++) {
		uint32_t ranks;
		struct job_rank sum = host_sum(sums, i, &ranks);

		table_row(table);
		table_text(table, HOST_NAME, sums->hosts.list[i]);
		table_number(table, HOST_RANKS, ranks);
		table_number(table, HOST_CALLS, sum.calls);
		table_number(table, HOST_FAILED, sum.failed);
		table_number(table, HOST_TIME, sum.calls_time);
		if (!sum.nqueues)
			continue;
		table_number(table, HOST_COMMANDS, sum.commands);
		table_number(table, HOST_BUSY, sum.busy);
		table_share(table, HOST_SHARE, share_of(sum.busy, sum.span));
		table_number(table, HOST_BYTES, sum.bytes);
	}
	table_sort(table);
	return table;
}

/* ---- devices ---- */

enum device_column { DEVICE_HOST, DEVICE_LEAST, DEVICE_MEAN, DEVICE_MOST, DEVICE_MAP };

static const struct table_column device_columns[] = {
	[DEVICE_HOST] = {"host", "devices busy", TABLE_NAME, false},
	[DEVICE_LEAST] = {"busy_min", "least", TABLE_SHARE, false},
	[DEVICE_MEAN] = {"busy_mean", "mean", TABLE_SHARE, false},
	[DEVICE_MOST] = {"busy_max", "most", TABLE_SHARE, false},
	[DEVICE_MAP] = {"ranks", "by rank, in tenths", TABLE_TEXT, false},
};

#define MAP_RANKS 256

struct place {
	uint32_t number;
	int64_t rank;
};

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return (x->rank > y->rank) - (x->rank < y->rank);
}

/* The ranks of a host in their order: 0 to 9 tenths, - for one without a queue. */
static void add_device_row(struct table *table, const struct job_sums *sums, uint32_t host,
			   const struct place *places)
{
	char map[MAP_RANKS + 1];
	double least = 2, most = -1, whole = 0;
	uint32_t length = 0, with = 0;

	for (uint32_t i = 0; i < sums->nranks; i++) {
		const struct job_rank *rank = &sums->ranks[places[i].number];

		if (rank->host != host)
			continue;
		double busy = share_of(rank->busy, rank->span);
		if (length < MAP_RANKS)
			map[length++] = rank->nqueues
						? (char)('0' + (busy >= 1 ? 9 : (int)(10 * busy)))
						: '-';
		if (!rank->nqueues)
			continue;
		with++;
		whole += busy;
		least = busy < least ? busy : least;
		most = busy > most ? busy : most;
	}
	map[length] = 0;
	if (!with)
		return;
	table_row(table);
	table_text(table, DEVICE_HOST, sums->hosts.list[host]);
	table_share(table, DEVICE_LEAST, least);
	table_share(table, DEVICE_MEAN, whole / with);
	table_share(table, DEVICE_MOST, most);
	table_text(table, DEVICE_MAP, map);
}

static struct table *devices_table(const struct job_sums *sums)
{
	struct place *places = need(calloc((size_t)sums->nranks + 1, sizeof(*places)));
	struct table *table =
		table_new(job_table_words[JOB_DEVICES], device_columns, COUNT_OF(device_columns));

	for (uint32_t i = 0; i < sums->nranks; i++)
		places[i] = (struct place){i, sums->ranks[i].rank};
	qsort(places, sums->nranks, sizeof(*places), compare_places);
	for (uint32_t i = 0; i < sums->hosts.count; i++)
		add_device_row(table, sums, i, places);
	free(places);
	if (table_rows(table))
		return table;
	table_free(table);
	return NULL;
}

void job_tabulate(struct table *tables[JOB_TABLES], const struct job_sums *sums, const char *name)
{
	tables[JOB_RANKS] = ranks_table(sums, name);
	tables[JOB_HOSTS] = hosts_table(sums, name);
	for (int kind = 0; kind < TALLY_KINDS; kind++)
		tables[kinds[kind].table] = rows_table(sums, (enum tally_kind)kind, name);
	tables[JOB_DEVICES] = devices_table(sums);
}
