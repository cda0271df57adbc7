/* SPDX-License-Identifier: MIT */
/*
 * job_summary.c: see job_summary.h.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/basics/basics.h"
#include "cli/job/job.h"
#include "cli/read/read.h"
#include "cli/summary/job_summary.h"
#include "cli/summary/job_sums.h"
#include "cli/summary/job_tables.h"
#include "common/launcher.h"
#include "tables/call_tables.h"

int job_table_named(const char *word)
{
	for (int i = 0; i < JOB_TABLES; i++)
		if (!strcmp(word, job_table_words[i]))
			return i;
	return -1;
}

static bool table_is_wanted(const struct job_wishes *wishes, int table)
{
	if (wishes->table >= 0)
		return table == wishes->table;
	if (table == JOB_RANKS)
		return wishes->by_rank;
	return table != JOB_HOSTS || wishes->by_host;
}

static void say_missing(const struct job_sums *sums)
{
	uint64_t lost = sums->all.lost;

	if (sums->broken)
		say("%zu trace%s can't be read; what %s did is missing", sums->broken,
		    plural_s(sums->broken), sums->broken == 1 ? "its process" : "their processes");
	if (lost)
		say("%llu events were lost when the traces were made, and are not in the tables",
		    (unsigned long long)lost);
}

/* The smallest trace, which is read soonest, says how many ranks there are. */
static void ranks_ask(struct job_ranks *ranks, const struct job_folder *folder)
{
	const char *smallest = NULL;
	struct stat about;
	off_t least = 0;
	char why[256];

	for (size_t i = 0; i < folder->nfiles; i++)
		if (folder->files[i].rank >= 0 && folder->files[i].trace &&
		    !stat(folder->files[i].path, &about) && (!smallest || about.st_size < least)) {
			smallest = folder->files[i].path;
			least = about.st_size;
		}
	struct tl_trace *trace = smallest ? tl_trace_open(smallest, why, sizeof(why)) : NULL;
	if (!trace)
		return;
	job_ranks_told(ranks, &trace->facts);
	tl_trace_close(trace);
}

static void say_missing_ranks(const struct job_folder *folder, const struct job_sums *sums,
			      const char *wanted)
{
	struct job_ranks ranks = {.path = need(strdup(folder->path))};

	for (size_t i = 0; i < folder->nfiles; i++)
		if (folder->files[i].rank >= 0)
			numbers_add(&ranks.there, (uint64_t)folder->files[i].rank);
	for (uint32_t i = 0; i < sums->nranks; i++)
		if (sums->ranks[i].rank >= 0)
			numbers_add(&ranks.there, (uint64_t)sums->ranks[i].rank);
	ranks_ask(&ranks, folder);
	job_ranks_say_missing(&ranks, wanted);
	job_ranks_free(&ranks);
}

bool summary_arrange(struct table **tables, size_t count, const struct table_wishes *wishes)
{
	const char *word = tables_arrange(tables, count, wishes);

	if (word)
		say("%.*s: no table here has such a column; give a column's title, or its name in --csv",
		    (int)strcspn(word, ","), word);
	return !word;
}

static int print_tables(const struct job_sums *sums, const char *name,
			const struct job_wishes *wishes, FILE *to)
{
	struct table *tables[JOB_TABLES];

	job_tabulate(tables, sums, name);
	for (int i = 0; i < JOB_TABLES; i++)
		if (tables[i] && !table_is_wanted(wishes, i)) {
			table_free(tables[i]);
			tables[i] = NULL;
		}
	if (wishes->table >= 0 && (!tables[wishes->table] || !table_rows(tables[wishes->table])))
		say("--table=%s: the job has nothing for it", job_table_words[wishes->table]);
	if (!summary_arrange(tables, JOB_TABLES, &wishes->tables.wishes))
		return EXIT_USAGE;
	int failed = calls_print(tables, JOB_TABLES, tables[JOB_CALLS], wishes->tables.format, to);

	if (!failed)
		return EXIT_DONE;
	say_output_failed("the table");
	return EXIT_BROKEN;
}

static int make_part(const struct job_folder *folder)
{
	struct tl_launched launched;

	tl_launcher_tells(&launched);
	if (launched.rank < 0 || launched.size < 1) {
		say("--part: no launcher says which part this is; start it by one, like srun tracelayer summary --part DIR");
		return EXIT_USAGE;
	}
	const struct job_part part = {launched.rank, launched.size};

	return job_sums_make(folder, &part);
}

int job_summary(const char *path, const struct job_wishes *wishes, FILE *to)
{
	struct job_folder folder;
	struct job_sums sums;

	if (!job_folder_open(&folder, path))
		return EXIT_BROKEN;
	int code = EXIT_DONE;

	if (wishes->part) {
		code = make_part(&folder);
		job_folder_close(&folder);
		return code;
	}
	code = job_sums_read(&sums, &folder, wishes->ranks);
	if (!sums.nranks) {
		say("%s: no rank can be read, or --rank selects none", folder.path);
		code = code == EXIT_DONE ? EXIT_BROKEN : code;
	} else {
		say_missing(&sums);
		/* Of one host, no ranks are missing that others have. */
		if (!wishes->is_end && !folder.is_host)
			say_missing_ranks(&folder, &sums, wishes->ranks);
		int printed = sum_save(&wishes->save, &sums.all)
				      ? print_tables(&sums, folder.name, wishes, to)
				      : EXIT_BROKEN;
		code = printed ? printed : code;
	}
	job_sums_free(&sums);
	job_folder_close(&folder);
	return code;
}
