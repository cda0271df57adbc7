/* SPDX-License-Identifier: MIT */
/*
 * timeline_inputs.c: see timeline_inputs.h.
 *
 * Each file is opened once, for what it says about its process, and closed again.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/export/timeline_align.h"
#include "cli/export/timeline_inputs.h"
#include "cli/read/read.h"
#include "cli/tally/tally.h"

/* --- files */

static struct timeline_identity identity_of(const struct tl_trace *trace)
{
	struct timeline_identity identity;

	memset(&identity, 0, sizeof(identity));
	/* The reader has ended it. */
	memcpy(identity.boot, trace->header.boot, strlen(trace->header.boot));
	identity.pid_namespace = trace->header.pid_namespace;
	identity.start_time = trace->header.start_time;
	identity.monotonic_ns = trace->facts.monotonic_ns;
	identity.realtime_ns = trace->facts.realtime_ns;
	identity.pid = trace->facts.pid;
	return identity;
}

static uint64_t identity_hash(const struct timeline_identity *identity)
{
	const unsigned char *bytes = (const void *)identity;
	uint64_t hash = 14695981039346656037u;

	for (size_t i = 0; i < sizeof(*identity); i++)
		hash = (hash ^ bytes[i]) * 1099511628211u;
	return hash;
}

/* NULL: its first file, and its number is noted. Without a boot, files can't be known as one process's. */
static struct timeline_process *process_find(struct timeline_inputs *inputs,
					     const struct timeline_identity *identity)
{
	uint64_t hash = *identity->boot ? identity_hash(identity) : inputs->count;
	uint32_t place;

	for (;; hash++) {
		place = numbers_add(&inputs->identities, hash);
		if (place >= inputs->count)
			return NULL;
		if (*identity->boot &&
		    !memcmp(&inputs->list[place].identity, identity, sizeof(*identity)))
			return &inputs->list[place];
	}
}

/*
 * Processes of one world have the same launcher and step, and lie in folders of one name: each machine may
 * have one of its own. What tells no launcher is one world, too.
 */
static uint32_t world_number(struct timeline_inputs *inputs, const struct tl_trace *trace,
			     const struct job_ranks *ranks)
{
	static const char *const keys[] = {"\"launcher\":\"", "\"job\":\"", "\"step\":\""};
	const char *folder = ranks ? strrchr(ranks->path, '/') : NULL;
	char *name;

	folder = folder ? folder + 1 : ranks ? ranks->path : "";
	if (asprintf(&name, "%s\n%" PRId64, folder,
		     trace_fact_number(&trace->facts, "\"restart\":", 0)) < 0)
		need(NULL);
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		char *text = trace_fact_text(&trace->facts, keys[i]), *longer;

		if (asprintf(&longer, "%s\n%s", name, text ? text : "") < 0)
			need(NULL);
		free(text);
		free(name);
		name = longer;
	}
	uint32_t number = names_number(&inputs->worlds, name);

	free(name);
	return number;
}

static struct timeline_process *process_add(struct timeline_inputs *inputs,
					    const struct tl_trace *trace,
					    const struct timeline_identity *identity)
{
	inputs->list = need(reallocarray(inputs->list, inputs->count + 1, sizeof(*inputs->list)));
	struct timeline_process *process = &inputs->list[inputs->count++];

	*process = (struct timeline_process){.identity = *identity,
					     .program = need(strdup(trace->facts.program)),
					     .host = need(strdup(trace->facts.host)),
					     .has_rank = trace->facts.has_rank,
					     .rank = trace->facts.rank,
					     .pid = trace->facts.pid,
					     .clock_name = timeline_clock_name(trace),
					     .begun = timeline_pair_begun(trace)};
	return process;
}

/* A file that was killed or cut has no total. */
static uint64_t trace_events_in(const struct tl_trace *trace)
{
	uint64_t bytes = 0;

	if (trace->ended)
		return trace->events;
	for (size_t i = 0; i < trace->nruns; i++)
		bytes += trace->runs[i].size;
	return bytes / 48; /* a call of two words */
}

/* `ranks`: of the job that the file is of; NULL: of none. */
static int add_file(struct timeline_inputs *inputs, const char *path, struct job_ranks *ranks)
{
	struct tl_trace *trace = record_file_open(path);

	if (!trace) {
		inputs->unsound++;
		return EXIT_BROKEN;
	}
	struct timeline_identity identity = identity_of(trace);
	struct timeline_process *process = process_find(inputs, &identity);

	if (!process) {
		process = process_add(inputs, trace, &identity);
		process->world = world_number(inputs, trace, ranks);
		process->job = ranks ? (size_t)(ranks - inputs->jobs) + 1 : 0;
	}
	process->events += trace_events_in(trace);
	process->is_resumed |= trace->resumed != 0;
	if (trace->end_clocks.realtime_ns) {
		process->ended = timeline_pair_ended(trace);
		process->has_ended = true;
	}
	uint64_t end = tl_trace_ns(trace, trace->last);
	process->end = end > process->end ? end : process->end;
	process->parts =
		need(reallocarray(process->parts, process->nparts + 1, sizeof(*process->parts)));
	process->parts[process->nparts++] =
		(struct timeline_part){.path = need(strdup(path)), .last = trace->last};
	if (ranks)
		job_ranks_told(ranks, &trace->facts);
	tl_trace_close(trace);
	return EXIT_DONE;
}

/* --- folders */

static int entry_is_wanted(const struct dirent *entry)
{
	return *entry->d_name != '.';
}

static bool name_is_tlt(const char *name)
{
	size_t size = strlen(name);

	return size > 4 && !strcmp(name + size - 4, ".tlt");
}

/* All .tlt files in it and in the folders in it. Returns how many there are. */
static size_t add_folder(struct timeline_inputs *inputs, const char *path)
{
	struct dirent **entries = NULL;
	int count = scandir(path, &entries, entry_is_wanted, versionsort);
	size_t files = 0;

	if (count < 0)
		say("%s: %s; its files are left out", path, strerror(errno));
	for (int i = 0; i < count; i++) {
		char *inside;

		if (asprintf(&inside, "%s/%s", path, entries[i]->d_name) < 0)
			need(NULL);
		if (entries[i]->d_type == DT_DIR ||
		    (entries[i]->d_type == DT_UNKNOWN && path_is_folder(inside))) {
			files += add_folder(inputs, inside);
		} else if (name_is_tlt(inside)) {
			add_file(inputs, inside, NULL);
			files++;
		}
		free(inside);
		free(entries[i]);
	}
	free(entries);
	return files;
}

static void take_files(void *user, struct rank_sum *sum)
{
	*(uint32_t *)user += sum->files;
}

/* The rank's sum says that it had nothing to record. */
static bool rank_had_nothing(const struct job_file *file)
{
	char *sum = need(strdup(file->path)), why[256];
	uint32_t files = 0;

	strcpy(strrchr(sum, '.'), ".sum");
	bool nothing = file->sum && !file->trace &&
		       rank_sums_read(sum, take_files, &files, why, sizeof(why)) && !files;
	free(sum);
	return nothing;
}

static struct job_ranks *ranks_add(struct timeline_inputs *inputs, const struct job_folder *folder)
{
	inputs->jobs = need(reallocarray(inputs->jobs, inputs->njobs + 1, sizeof(*inputs->jobs)));
	struct job_ranks *ranks = &inputs->jobs[inputs->njobs++];

	*ranks = (struct job_ranks){.path = need(strdup(folder->path))};
	for (size_t i = 0; i < folder->nfiles; i++)
		if (folder->files[i].rank >= 0 &&
		    (folder->files[i].trace || rank_had_nothing(&folder->files[i])))
			numbers_add(&ranks->there, (uint64_t)folder->files[i].rank);
	return ranks;
}

/* The traces of one step of a job. */
static int add_job(struct timeline_inputs *inputs, const char *path)
{
	struct job_folder folder;
	size_t before = inputs->count;
	bool any = false;

	if (!job_folder_open(&folder, path))
		return EXIT_BROKEN;
	/* Of one host, no ranks are missing that others have. */
	struct job_ranks *ranks = folder.is_host ? NULL : ranks_add(inputs, &folder);
	for (size_t i = 0; i < folder.nfiles; i++)
		if (folder.files[i].trace) {
			add_file(inputs, folder.files[i].path, ranks);
			any = true;
		}
	if (inputs->count == before)
		say("%s: %s; `tracelayer summary` shows its sums", folder.path,
		    any ? "none of its .tlt files can be read"
			: "there are no .tlt files in it: no rank made a call, or somebody has deleted them");
	job_folder_close(&folder);
	return inputs->count > before ? EXIT_DONE : EXIT_BROKEN;
}

int timeline_inputs_add(struct timeline_inputs *inputs, const char *path)
{
	size_t before = inputs->count;

	if (!path_is_folder(path))
		return add_file(inputs, path, NULL);
	if (job_folder_is(path))
		return add_job(inputs, path);
	if (!add_folder(inputs, path))
		say("%s: there is no .tlt file in it; if its processes were killed, try `tracelayer recover %s`; `tracelayer run -o %s/%%h.%%r.%%p.tlt` records into it",
		    path, path, path);
	return inputs->count > before ? EXIT_DONE : EXIT_BROKEN;
}

/* --- all of them */

static int processes_by_rank(const void *left, const void *right)
{
	const struct timeline_process *a = left, *b = right;
	int order;

	if (a->has_rank != b->has_rank)
		return a->has_rank ? -1 : 1;
	if (a->has_rank && a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if ((order = strcmp(a->host, b->host)))
		return order;
	uint64_t a_began = timeline_ns(a, a->identity.monotonic_ns),
		 b_began = timeline_ns(b, b->identity.monotonic_ns);
	if (a_began != b_began)
		return a_began < b_began ? -1 : 1;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return strverscmp(a->parts[0].path, b->parts[0].path);
}

static int parts_by_time(const void *left, const void *right)
{
	const struct timeline_part *a = left, *b = right;

	if (a->last != b->last)
		return a->last < b->last ? -1 : 1;
	return strverscmp(a->path, b->path);
}

static void process_free(struct timeline_process *process)
{
	for (size_t i = 0; i < process->nparts; i++)
		free(process->parts[i].path);
	free(process->parts);
	free(process->program);
	free(process->host);
}

static int processes_by_time(const void *left, const void *right)
{
	const struct timeline_process *a = left, *b = right;

	if (a->identity.realtime_ns != b->identity.realtime_ns)
		return a->identity.realtime_ns < b->identity.realtime_ns ? -1 : 1;
	return strverscmp(a->parts[0].path, b->parts[0].path);
}

/* Whatever the order of the files, the process that began first says how its machine's clock is set. */
static void share_clocks(struct timeline_inputs *inputs)
{
	if (inputs->count)
		qsort(inputs->list, inputs->count, sizeof(*inputs->list), processes_by_time);
	for (size_t i = 0; i < inputs->count; i++) {
		struct timeline_process *process = &inputs->list[i];

		if (!process->identity.realtime_ns)
			continue;
		process->clock_number = timeline_clocks_add(&inputs->clocks, &process->clock_name,
							    process->host, process->begun.offset);
		struct timeline_clock *clock = &inputs->clocks.list[process->clock_number];
		timeline_clock_read(clock, &process->begun);
		if (process->has_ended)
			timeline_clock_read(clock, &process->ended);
	}
	timeline_clocks_settle(&inputs->clocks);
	for (size_t i = 0; i < inputs->count; i++)
		if (inputs->list[i].identity.realtime_ns)
			inputs->list[i].clock = &inputs->clocks.list[inputs->list[i].clock_number];
}

static int64_t process_drift(const struct timeline_process *process, int64_t ns)
{
	return process->clock && process->clock->count
		       ? align_add(process->clock->points, process->clock->count, ns)
		       : 0;
}

uint64_t timeline_ns(const struct timeline_process *process, uint64_t ns)
{
	return ns + (uint64_t)process->shift + (uint64_t)process_drift(process, (int64_t)ns);
}

uint64_t timeline_own_ns(const struct timeline_process *process, uint64_t ns)
{
	int64_t wanted = (int64_t)(ns - (uint64_t)process->shift), own = wanted;

	/* The drift changes by less than a thousandth of the time: each step is so much nearer. */
	for (int i = 0; i < 10; i++)
		own = wanted - process_drift(process, own);
	while (own + process_drift(process, own) < wanted)
		own++;
	while (own - 1 + process_drift(process, own - 1) >= wanted)
		own--;
	return own < 0 ? 0 : (uint64_t)own;
}

/*
 * The clock of the machine that was started first is the output's: by it, no time of another is
 * below 0.
 */
static void find_clock(struct timeline_inputs *inputs)
{
	int64_t least = INT64_MAX;

	for (size_t i = 0; i < inputs->clocks.count; i++)
		if (inputs->clocks.list[i].offset < least)
			least = inputs->clocks.list[i].offset;
	inputs->start = UINT64_MAX;
	for (size_t i = 0; i < inputs->count; i++) {
		struct timeline_process *process = &inputs->list[i];
		/* A file without its facts says nothing about its clock. */
		process->shift = process->clock ? process->clock->offset - least : 0;
		uint64_t began = timeline_ns(process, process->identity.monotonic_ns);
		if (process->clock && began < inputs->start)
			inputs->start = began;
	}
	if (inputs->start == UINT64_MAX)
		inputs->start = 0;
}

static int processes_by_world(const void *left, const void *right)
{
	const struct timeline_process *a = left, *b = right;

	if (a->world != b->world)
		return a->world < b->world ? -1 : 1;
	if (a->has_rank != b->has_rank)
		return a->has_rank ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return (a->job > b->job) - (a->job < b->job);
}

/* A rank that is in two folders was in two runs: those of its world are one for each folder. */
static void worlds_part(struct timeline_inputs *inputs)
{
	bool *parted = need(calloc(inputs->worlds.count + 1, sizeof(*parted)));

	if (inputs->count)
		qsort(inputs->list, inputs->count, sizeof(*inputs->list), processes_by_world);
	for (size_t i = 1; i < inputs->count; i++) {
		const struct timeline_process *a = &inputs->list[i - 1], *b = a + 1;

		if (a->world == b->world && a->has_rank && b->has_rank && a->rank == b->rank &&
		    a->job != b->job)
			parted[a->world] = true;
	}
	for (size_t i = 0; i < inputs->count; i++) {
		struct timeline_process *process = &inputs->list[i];
		char *name;

		if (!parted[process->world])
			continue;
		if (asprintf(&name, "/%u\n%zu", process->world, process->job) < 0)
			need(NULL);
		process->world = names_number(&inputs->worlds, name);
		free(name);
	}
	free(parted);
}

static bool process_is_selected(const struct timeline_process *process,
				const struct selection *selection)
{
	if (selection->ranks &&
	    !(process->has_rank && tl_rank_set_has(selection->ranks, process->rank)))
		return false;
	return selection_has(selection->process, process->program, process->pid);
}

void timeline_inputs_finish(struct timeline_inputs *inputs, const struct selection *selection)
{
	size_t kept = 0;

	worlds_part(inputs);
	share_clocks(inputs);
	timeline_align(inputs);
	timeline_clocks_say(&inputs->clocks);
	find_clock(inputs);
	for (size_t i = 0; i < inputs->count; i++) {
		struct timeline_process *process = &inputs->list[i];

		if (!process_is_selected(process, selection)) {
			process_free(process);
			continue;
		}
		qsort(process->parts, process->nparts, sizeof(*process->parts), parts_by_time);
		inputs->events += process->events;
		inputs->list[kept++] = *process;
	}
	inputs->count = kept;
	if (kept)
		qsort(inputs->list, kept, sizeof(*inputs->list), processes_by_rank);
	for (size_t i = 0; i < inputs->njobs; i++)
		job_ranks_say_missing(&inputs->jobs[i], selection->ranks);
}

void timeline_inputs_free(struct timeline_inputs *inputs)
{
	for (size_t i = 0; i < inputs->count; i++)
		process_free(&inputs->list[i]);
	free(inputs->list);
	for (size_t i = 0; i < inputs->njobs; i++)
		job_ranks_free(&inputs->jobs[i]);
	free(inputs->jobs);
	numbers_free(&inputs->identities);
	names_free(&inputs->worlds);
	timeline_clocks_free(&inputs->clocks);
}
