/* SPDX-License-Identifier: MIT */
/*
 * run_job.c: see run_job.h.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/basics/basics.h"
#include "cli/job/job.h"
#include "cli/outputs/outputs.h"
#include "cli/run/job_claim.h"
#include "cli/run/launch.h"
#include "cli/run/run_job.h"
#include "cli/summary/summary.h"
#include "common/output.h"
#include "common/places.h"
#include "common/rank_set.h"

/* Makes a folder and those that it lies in. 0, or an errno. */
static int folder_make(const char *path)
{
	char part[PATH_MAX];
	struct stat about;

	if (strlen(path) >= sizeof(part))
		return ENAMETOOLONG;
	strcpy(part, path);
	for (char *at = part + 1; *at; at++)
		if (*at == '/') {
			*at = 0;
			if (mkdir(part, 0777) && errno != EEXIST)
				return errno;
			*at = '/';
		}
	if (mkdir(part, 0777) && errno != EEXIST)
		return errno;
	if (stat(part, &about))
		return errno;
	if (!S_ISDIR(about.st_mode))
		return ENOTDIR;
	return access(part, W_OK | X_OK) ? errno : 0;
}

char *run_folder_absolute(const char *folder)
{
	char here[PATH_MAX], *absolute;

	if (folder[0] == '/')
		return need(strdup(folder));
	if (!getcwd(here, sizeof(here)))
		return NULL;
	if (asprintf(&absolute, "%s/%s", here, folder) < 0)
		need(NULL);
	return absolute;
}

/* A step of its own for what is started here, where no launcher says which it is. */
static void step_name(void)
{
	char name[64];
	struct tm now;
	time_t seconds = time(NULL);

	gmtime_r(&seconds, &now);
	size_t length = strftime(name, sizeof(name), "%Y%m%dT%H%M%SZ", &now);
	snprintf(name + length, sizeof(name) - length, "-%d", (int)getpid());
	need(setenv(TL_LAUNCHER_STEP, name, 1) ? NULL : name);
}

static bool folder_refuse(const char *option, const char *folder, int error)
{
	say("%s=%s: %s; give a folder that can be written to", option, folder,
	    error == ENOTDIR ? "it is not a folder" : strerror(error));
	return false;
}

/*
 * A line in the job's folder says where its buffers lie, for `tracelayer recover`. Other ranks may
 * add the same line at the same time; that does no harm.
 */
static void note_buffers(const char *job, const char *buffers)
{
	char path[PATH_MAX], line[TL_PLACES_FOLDER + 2];
	bool known = false;

	if (snprintf(path, sizeof(path), "%s/" JOB_BUFFERS, job) >= (int)sizeof(path))
		return;
	FILE *file = fopen(path, "a+e");
	if (!file)
		return;
	rewind(file);
	while (!known && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = 0;
		known = !strcmp(line, buffers);
	}
	if (!known)
		fprintf(file, "%s\n", buffers);
	fclose(file);
}

/* The folder of this process: DIR/JOB.STEP/HOST. A launcher's ranks make theirs themselves. */
static bool host_make(struct run_job *job, const char *folder, char path[PATH_MAX])
{
	char step[TL_LAUNCHER_FOLDER];

	tl_launcher_folder(step, &job->launched);
	if (snprintf(job->folder, sizeof(job->folder), "%s/%s", folder, step) >=
		    (int)sizeof(job->folder) ||
	    snprintf(path, PATH_MAX, "%s/%s", job->folder, job->host) >= PATH_MAX)
		return folder_refuse("--job", folder, ENAMETOOLONG);
	int error = folder_make(path);

	return !error || folder_refuse("--job", path, error);
}

/* Runs that have one step. */
#define RUNS_MOST 10000

/* If another run had the step, the step gets a number: STEP-2. */
static bool step_make(struct run_job *job, const char *folder)
{
	char path[PATH_MAX], step[sizeof(job->launched.step)], again[sizeof(step) + 16];

	unsetenv(TL_LAUNCHER_AGAIN);
	tl_launcher_tells(&job->launched);
	memcpy(step, job->launched.step, sizeof(step));
	for (int run = 2; run < RUNS_MOST; run++) {
		if (!host_make(job, folder, path))
			return false;
		if (!job->launched.step_repeats || job_claim(path, &job->launched))
			return true;
		snprintf(again, sizeof(again), "%s-%d", step, run);
		need(setenv(TL_LAUNCHER_AGAIN, again, 1) ? NULL : again);
		tl_launcher_tells(&job->launched);
	}
	return folder_refuse("--job", path, EEXIST);
}

bool run_job_prepare(struct run_job *job, struct tl_config *config, const struct program *program)
{
	static char pattern[TL_OUTPUT_PATH];
	char *folder;
	int error;

	*job = (struct run_job){.folder = ""};
	tl_output_host(job->host, sizeof(job->host));
	tl_launcher_tells(&job->launched);
	error = *config->buffers ? folder_make(config->buffers) : 0;
	if (error)
		return folder_refuse("--buffers", config->buffers, error);
	if (!*config->job || config->level == TL_LEVEL_NONE)
		return true;
	if (config->output_set) {
		say("--job and --output: give one of them; --job names the files itself");
		return false;
	}
	if (!job->launched.launcher) {
		step_name();
		tl_launcher_tells(&job->launched);
	}
	folder = run_folder_absolute(config->job);
	if (!folder || !tl_output_job_pattern(pattern, sizeof(pattern), folder))
		return folder_refuse("--job", config->job, ENAMETOOLONG);
	error = folder_make(folder);
	if (error)
		return folder_refuse("--job", folder, error);
	if (*config->buffers)
		note_buffers(folder, config->buffers);
	if (!tl_launcher_is(program->path) && !step_make(job, folder))
		return false;
	need(setenv(tl_settings[TL_SETTING_JOB].variable, folder, 1) ? NULL : pattern);
	/* One table for the job, in place of one for each process. */
	job->summary = config->summary;
	if (config->summary)
		unsetenv(tl_settings[TL_SETTING_SUMMARY].variable);
	config->output = pattern;
	free(folder);
	return true;
}

/* Ranks of a job that are so many leave a sum for each node, too: `tracelayer summary` opens less. */
#define RANKS_MANY 1000

void run_job_sum(const struct run_job *job, const char *trace)
{
	const char *slash = strrchr(trace, '/'), *ending = strrchr(trace, '.');

	if (!slash || !ending || strcmp(ending, ".tlt") || slash[1] < '0' || slash[1] > '9')
		return;
	job_sum_trace(trace, job->host, atoll(slash + 1));
	if (job->launched.size < RANKS_MANY || job->launched.local_size < 1)
		return;
	char *folder = need(strndup(trace, (size_t)(slash - trace)));

	job_sum_node(folder, job->launched.local_size);
	free(folder);
}

/* The ranks of which the sums are there. */
static int64_t count_sums(const char *step)
{
	struct job_folder folder;
	int64_t count = 0;

	if (!job_folder_is(step) || !job_folder_open(&folder, step))
		return 0;
	for (size_t i = 0; i < folder.nfiles; i++)
		count += folder.files[i].rank >= 0 && !folder.files[i].child && folder.files[i].sum;
	job_folder_close(&folder);
	return count;
}

/* How long rank 0 waits for the others' sums. */
#define OTHERS_MS 5000

void run_job_end(const struct run_job *job, const char *step)
{
	const struct job_wishes wishes = {.table = -1, .is_end = true};
	int64_t size = job->launched.size;

	if (!job->summary || job->launched.rank > 0)
		return;
	for (int waited = 0;
	     size > 0 && count_sums(step) < size && waited < OTHERS_MS && !launch_is_urgent();
	     waited += 50)
		nanosleep(&(struct timespec){0, 50000000}, NULL);
	int64_t there = count_sums(step);

	if (size > 0 && there < size)
		say("%lld of %lld ranks had made their sums when this table was printed; `tracelayer summary %s` has all",
		    (long long)there, (long long)size, step);
	if (job_folder_is(step))
		job_summary(step, &wishes, stderr);
}

void run_job_nothing(const struct run_job *job)
{
	char *sum;

	if (job->launched.rank < 0 || !*job->folder)
		return;
	if (asprintf(&sum, "%s/%s/%lld.sum", job->folder, job->host,
		     (long long)job->launched.rank) < 0)
		need(NULL);
	job_sum_nothing(sum, job->host, job->launched.rank);
	free(sum);
	run_job_end(job, job->folder);
}

bool run_job_leaves_out(const struct run_job *job, const struct tl_config *config)
{
	return job->launched.rank >= 0 && !tl_rank_set_has(config->ranks, job->launched.rank);
}

bool run_job_speaks(const struct run_job *job, const struct tl_config *config)
{
	return !*config->job || job->launched.rank <= 0;
}
