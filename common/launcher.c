/* SPDX-License-Identifier: MIT */
/*
 * launcher.c: see launcher.h.
 */
#include "common/launcher.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/digits.h"
#include "common/proc.h"

/*
 * Slurm's numbers for steps without srun: a batch script, an interactive shell. They are the last
 * ones of 32 bits.
 */
#define SLURM_STEPS_BEGIN 0xfffffff0u

/* A variable's number; -1: it has none. */
static int64_t number_of(const char *variable)
{
	const char *at = getenv(variable);
	int64_t number = 0;

	if (!at || !*at)
		return -1;
	while (*at >= '0' && *at <= '9' && number < INT64_C(10000000000))
		number = number * 10 + *at++ - '0';
	return *at ? -1 : number;
}

/* ---- ranks ---- */

/* The variables of one launcher. Where there are several, the first that is a number counts. */
struct launcher {
	const char *name;
	const char *word; /* stands for the job's number where there is no scheduler */
	const char *rank, *size, *local_rank, *local_size, *node;
	const char *step;
	const char *beside; /* the rank counts only where this is a number, too; NULL: always */
};

static const struct launcher launchers[] = {
	{"Open MPI", "openmpi", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
	 "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE", NULL, "PMIX_NAMESPACE", NULL},
	{"MVAPICH", "mvapich", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE",
	 "MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE", NULL, "MPIRUN_ID", NULL},
	{"PALS", "pals", "PALS_RANKID", "PMI_SIZE", "PALS_LOCAL_RANKID", "PALS_LOCAL_SIZE",
	 "PALS_NODEID", "PALS_APID", NULL},
	/* MPICH's launcher, and those made of it */
	{"hydra", "hydra", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS", NULL, NULL,
	 "MPI_LOCALNRANKS"},
	{"Slurm", "slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", NULL,
	 "SLURM_NODEID", "SLURM_STEP_ID", "SLURM_STEP_ID"},
	{"Flux", "flux", "FLUX_TASK_RANK", "FLUX_JOB_SIZE", "FLUX_TASK_LOCAL_ID", NULL, NULL,
	 "FLUX_JOB_ID", NULL},
	{"PMIx", "pmix", "PMIX_RANK", NULL, NULL, NULL, NULL, "PMIX_NAMESPACE", NULL},
	{"PMI", "pmi", "PMI_RANK", "PMI_SIZE", NULL, NULL, NULL, NULL, NULL},
	/* torchrun's RANK is a common name: it counts only together with its neighbours */
	{"torchrun", "torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE",
	 "GROUP_RANK", "TORCHELASTIC_RUN_ID", "LOCAL_RANK"},
};

static int64_t number_if(const char *variable)
{
	return variable ? number_of(variable) : -1;
}

/* Slurm also numbers the batch script, which starts the ranks and is no rank itself. */
static bool slurm_has_step(void)
{
	int64_t step = number_of("SLURM_STEP_ID");

	return step >= 0 && step < SLURM_STEPS_BEGIN;
}

/* The rank that this launcher gave; -1: it gave none. */
static int64_t launcher_rank(const struct launcher *launcher)
{
	int64_t rank = number_of(launcher->rank);

	if (rank < 0 || (launcher->beside && number_of(launcher->beside) < 0))
		return -1;
	if (!strcmp(launcher->name, "Slurm") && !slurm_has_step())
		return -1;
	if (!strcmp(launcher->name, "torchrun") && rank >= number_of("WORLD_SIZE"))
		return -1;
	return rank;
}

/*
 * One launcher may have been started by another: a task of srun starts mpirun. MPI's own numbers
 * count before the others.
 */
int64_t tl_launcher_rank(void)
{
	static const char *const first[] = {
		"PMIX_RANK",	       "PMI_RANK",    "OMPI_COMM_WORLD_RANK",
		"MV2_COMM_WORLD_RANK", "PALS_RANKID",
	};
	int64_t rank = -1;

	for (size_t i = 0; rank < 0 && i < sizeof(first) / sizeof(*first); i++)
		rank = number_of(first[i]);
	for (size_t i = 0; rank < 0 && i < sizeof(launchers) / sizeof(*launchers); i++)
		rank = launcher_rank(&launchers[i]);
	return rank;
}

static const struct launcher *launcher_of(int64_t rank)
{
	for (size_t i = 0; i < sizeof(launchers) / sizeof(*launchers); i++)
		if (launcher_rank(&launchers[i]) == rank)
			return &launchers[i];
	return NULL;
}

/* ---- jobs and steps ---- */

/* As a part of a file's name: dots stand between the parts. */
static void put_plain(char *to, size_t room, const char *text)
{
	size_t at = strlen(to);

	for (; *text && at + 1 < room; text++) {
		unsigned char c = (unsigned char)*text;
		bool plain = (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ||
			     c == '-' || c == '_' || c == '@' || c == '+';
		to[at++] = plain ? (char)c : '_';
	}
	to[at] = 0;
}

static void put_number(char *to, size_t room, int64_t number)
{
	char digits[TL_DECIMAL_ROOM];

	*tl_digits_decimal(digits, (uint64_t)number) = 0;
	put_plain(to, room, digits);
}

/* False: the variable is not there, or empty. */
static bool put_variable(char *to, size_t room, const char *variable)
{
	const char *value = variable ? getenv(variable) : NULL;

	if (!value || !*value)
		return false;
	put_plain(to, room, value);
	return true;
}

/* The process's parent and its name; 0: not known. */
static uint32_t process_parent(uint32_t pid, char name[32])
{
	char path[32] = "/proc/", stat[512];
	char *at = tl_digits_decimal(path + 6, pid);
	uint32_t parent = 0;

	memcpy(at, "/stat", 6);
	size_t size = tl_proc_read(path, stat, sizeof(stat) - 1);
	stat[size] = 0;
	char *open = strchr(stat, '('), *close = strrchr(stat, ')');
	if (!open || !close || close - open > 31 || strlen(close) < 5)
		return 0;
	memcpy(name, open + 1, (size_t)(close - open - 1));
	name[close - open - 1] = 0;
	for (at = close + 4; *at >= '0' && *at <= '9'; at++)
		parent = parent * 10 + (uint32_t)(*at - '0');
	return parent;
}

/* Puts what follows an option in a process's command line. */
static bool put_option_of(char *to, size_t room, uint32_t pid, const char *option)
{
	static char line[4096];
	char path[40] = "/proc/";

	memcpy(tl_digits_decimal(path + 6, pid), "/cmdline", 9);
	size_t size = tl_proc_read(path, line, sizeof(line) - 1), length;
	line[size] = 0;
	for (char *at = line; at < line + size; at += length + 1) {
		length = strlen(at);
		if (!strcmp(at, option) && at + length + 1 < line + size) {
			put_plain(to, room, at + length + 1);
			return true;
		}
	}
	return false;
}

/*
 * hydra's proxy starts the ranks on each node, and knows the host and port of mpiexec: these are
 * put. Returns the proxy's pid; 0: none of the parents is one.
 */
static uint32_t put_hydra_port(char *to, size_t room)
{
	uint32_t pid = (uint32_t)syscall(SYS_getpid);
	char name[32];

	for (int i = 0; i < 32 && pid > 1; i++) {
		uint32_t parent = process_parent(pid, name);
		if (strstr(name, "pmi_proxy") && put_option_of(to, room, pid, "--control-port"))
			return pid;
		pid = parent;
	}
	return 0;
}

/* What `tracelayer run` has put behind the step, because another run had the same: -2. */
static void put_again(char *to, size_t room)
{
	const char *again = getenv(TL_LAUNCHER_AGAIN);
	size_t length = strlen(to);

	if (again && !strncmp(again, to, length) && again[length] == '-')
		put_plain(to, room, again + length);
}

/*
 * hydra tells a rank nothing that is the same in all ranks and differs from run to run. The port of
 * mpiexec comes near: it may be used again later.
 */
static void put_hydra_step(char *to, size_t room)
{
	if (!put_hydra_port(to, room))
		put_plain(to, room, "unknown");
	put_again(to, room);
}

uint32_t tl_launcher_starter(const struct tl_launched *launched)
{
	char port[sizeof(launched->step)] = "";

	if (!launched->launcher || strcmp(launched->launcher, "hydra"))
		return 0;
	return put_hydra_port(port, sizeof(port));
}

/* Open MPI counts jobs anew for each mpirun; a word of these is random for each. */
static bool put_openmpi_step(char *to, size_t room)
{
	const char *random = getenv("OMPI_MCA_orte_precondition_transports");
	int64_t job = number_of("PMIX_NAMESPACE");
	char start[9] = "";

	if (!random || strlen(random) < 8)
		return false;
	memcpy(start, random, 8);
	put_plain(to, room, start);
	/* processes that the ranks have spawned */
	if (job > 0 && (job & 0xffff) > 1) {
		put_plain(to, room, "-");
		put_number(to, room, job & 0xffff);
	}
	return true;
}

/* torchrun's runs are called "none" unless the user names them. */
static void put_torch_step(char *to, size_t room)
{
	const char *name = getenv("TORCHELASTIC_RUN_ID");

	if (name && *name && strcmp(name, "none")) {
		put_plain(to, room, name);
		return;
	}
	put_variable(to, room, "MASTER_ADDR");
	put_plain(to, room, "-");
	put_variable(to, room, "MASTER_PORT");
}

static bool put_own_step(char *to, size_t room, const struct launcher *launcher)
{
	if (!strcmp(launcher->name, "Open MPI") && put_openmpi_step(to, room))
		return true;
	if (!strcmp(launcher->name, "hydra"))
		put_hydra_step(to, room);
	else if (!strcmp(launcher->name, "torchrun"))
		put_torch_step(to, room);
	else
		return put_variable(to, room, launcher->step);
	return true;
}

static void put_step(char *to, size_t room, const struct launcher *launcher)
{
	if ((launcher && put_own_step(to, room, launcher)) ||
	    put_variable(to, room, TL_LAUNCHER_STEP))
		return;
	put_plain(to, room, "p");
	put_number(to, room, syscall(SYS_getpid));
}

static void put_job(char *to, size_t room, const struct launcher *launcher)
{
	static const char *const schedulers[] = {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID",
						 "COBALT_JOBID", "FLUX_JOB_ID"};

	for (size_t i = 0; i < sizeof(schedulers) / sizeof(*schedulers); i++)
		if (put_variable(to, room, schedulers[i]))
			return;
	put_plain(to, room, launcher ? launcher->word : "local");
}

void tl_launcher_tells(struct tl_launched *launched)
{
	int64_t rank = tl_launcher_rank(), restart = number_of("SLURM_RESTART_COUNT");
	const struct launcher *launcher = rank < 0 ? NULL : launcher_of(rank);

	*launched = (struct tl_launched){
		.rank = rank, .size = -1, .local_rank = -1, .local_size = -1, .node = -1};
	if (restart < 0)
		restart = number_of("TORCHELASTIC_RESTART_COUNT");
	launched->restart = restart > 0 ? (uint32_t)restart : 0;
	if (launcher) {
		launched->launcher = launcher->name;
		launched->size = number_if(launcher->size);
		launched->local_rank = number_if(launcher->local_rank);
		launched->local_size = number_if(launcher->local_size);
		launched->node = number_if(launcher->node);
	}
	if (launcher && !strcmp(launcher->name, "Slurm") && launched->size < 0)
		launched->size = number_of("SLURM_NTASKS");
	put_job(launched->job, sizeof(launched->job), launcher);
	put_step(launched->step, sizeof(launched->step), launcher);
}

void tl_launcher_folder(char folder[TL_LAUNCHER_FOLDER], const struct tl_launched *launched)
{
	*folder = 0;
	put_plain(folder, TL_LAUNCHER_FOLDER, launched->job);
	strcat(folder, ".");
	put_plain(folder, TL_LAUNCHER_FOLDER, launched->step);
	if (launched->restart) {
		put_plain(folder, TL_LAUNCHER_FOLDER, "-r");
		put_number(folder, TL_LAUNCHER_FOLDER, launched->restart);
	}
}

/* ---- launchers ---- */

bool tl_launcher_is(const char *program)
{
	/* For names like mpirun.openmpi and mpiexec.hydra, only the part before the dot counts. */
	static const char *const names[] = {
		"mpirun",
		"mpiexec",
		"orterun",
		"orted",
		"prterun",
		"prun",
		"prte",
		"prted",
		"hydra_pmi_proxy",
		"hydra_bstrap_proxy",
		"hydra_nameserver",
		"mpirun_rsh",
		"mpispawn",
		"srun",
		"slurmstepd",
		"aprun",
		"palsrun",
		"jsrun",
		"flux",
		"flux-shell",
	};
	const char *slash = strrchr(program, '/'), *base = slash ? slash + 1 : program;
	size_t length = strcspn(base, ".");

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i]) == length && !memcmp(base, names[i], length))
			return true;
	return false;
}
