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

int64_t tl_launcher_number(const char *variable)
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

/*
 * One launcher may have been started by another: a task of srun starts mpirun, or torchrun. The one
 * that comes first here is the inner one.
 */
enum { TORCHRUN, OPEN_MPI, MVAPICH, PALS, HYDRA, PMIX, PMI, SLURM, FLUX, TORCH, LAUNCHERS };

static const struct launcher launchers[LAUNCHERS] = {
	[TORCHRUN] = {"torchrun", "torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK",
		      "LOCAL_WORLD_SIZE", "GROUP_RANK", NULL, "TORCHELASTIC_RESTART_COUNT"},
	[OPEN_MPI] = {"Open MPI", "openmpi", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
		      "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE", NULL,
		      "PMIX_NAMESPACE", NULL},
	[MVAPICH] = {"MVAPICH", "mvapich", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE",
		     "MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE", NULL, "MPIRUN_ID",
		     NULL},
	[PALS] = {"PALS", "pals", "PALS_RANKID", "PMI_SIZE", "PALS_LOCAL_RANKID", "PALS_LOCAL_SIZE",
		  "PALS_NODEID", "PALS_APID", NULL},
	/* MPICH's launcher, and those made of it */
	[HYDRA] = {"hydra", "hydra", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS",
		   NULL, NULL, "MPI_LOCALNRANKS"},
	[PMIX] = {"PMIx", "pmix", "PMIX_RANK", NULL, NULL, NULL, NULL, "PMIX_NAMESPACE", NULL},
	[PMI] = {"PMI", "pmi", "PMI_RANK", "PMI_SIZE", NULL, NULL, NULL, "PMI_JOBID", NULL},
	[SLURM] = {"Slurm", "slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", NULL,
		   "SLURM_NODEID", "SLURM_STEP_ID", "SLURM_STEP_ID"},
	[FLUX] = {"Flux", "flux", "FLUX_TASK_RANK", "FLUX_JOB_SIZE", "FLUX_TASK_LOCAL_ID", NULL,
		  NULL, "FLUX_JOB_ID", NULL},
	/* Other programs set torchrun's variables, too. RANK is a common name, so it counts last. */
	[TORCH] = {"torchrun", "torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE",
		   "GROUP_RANK", NULL, "LOCAL_RANK"},
};

static int64_t number_if(const char *variable)
{
	return variable ? tl_launcher_number(variable) : -1;
}

/* Slurm also numbers the batch script, which starts the ranks and is no rank itself. */
static bool slurm_has_step(void)
{
	int64_t step = tl_launcher_number("SLURM_STEP_ID");

	return step >= 0 && step < SLURM_STEPS_BEGIN;
}

static int64_t slurm_size(void)
{
	int64_t size = tl_launcher_number("SLURM_STEP_NUM_TASKS");

	return size < 0 ? tl_launcher_number("SLURM_NTASKS") : size;
}

static bool is_launcher(const struct launcher *launcher, int which)
{
	return launcher == &launchers[which];
}

/*
 * A scheduler gives its own ranks PMIx's or PMI's numbers, too. Those of a launcher that one of its
 * tasks has started have another name or size.
 */
static bool scheduler_gave(const struct launcher *launcher, int64_t rank)
{
	static const char slurms[] = "slurm.";
	const char *name = getenv("PMIX_NAMESPACE");
	int64_t task = slurm_has_step() ? tl_launcher_number("SLURM_PROCID") : -1,
		size = slurm_size();

	if (task >= 0 && is_launcher(launcher, PMIX))
		return name ? !strncmp(name, slurms, sizeof(slurms) - 1) : task == rank;
	if (task < 0) {
		task = tl_launcher_number("FLUX_TASK_RANK");
		size = tl_launcher_number("FLUX_JOB_SIZE");
	}
	int64_t given = number_if(launcher->size);

	return task >= 0 && task == rank && (size < 0 || given < 0 || size == given);
}

/* The rank that this launcher gave; -1: it gave none. */
static int64_t launcher_rank(const struct launcher *launcher)
{
	int64_t rank = tl_launcher_number(launcher->rank);

	if (rank < 0 || (launcher->beside && tl_launcher_number(launcher->beside) < 0))
		return -1;
	if (is_launcher(launcher, SLURM) && !slurm_has_step())
		return -1;
	if ((is_launcher(launcher, TORCHRUN) || is_launcher(launcher, TORCH)) &&
	    rank >= tl_launcher_number("WORLD_SIZE"))
		return -1;
	if ((is_launcher(launcher, PMIX) || is_launcher(launcher, PMI)) &&
	    scheduler_gave(launcher, rank))
		return -1;
	return rank;
}

/* The launcher that gave this process its rank; NULL: none did. */
static const struct launcher *launcher_here(void)
{
	for (size_t i = 0; i < LAUNCHERS; i++)
		if (launcher_rank(&launchers[i]) >= 0)
			return &launchers[i];
	return NULL;
}

int64_t tl_launcher_rank(void)
{
	const struct launcher *launcher = launcher_here();

	return launcher ? launcher_rank(launcher) : -1;
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

/* The process's parent and its name; 0 and "": not known. */
static uint32_t process_parent(uint32_t pid, char name[32])
{
	char path[32] = "/proc/", stat[512];
	char *at = tl_digits_decimal(path + 6, pid);
	uint32_t parent = 0;

	*name = 0;
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

uint32_t tl_launcher_proxy(void)
{
	char port[64] = "";

	return put_hydra_port(port, sizeof(port));
}

uint32_t tl_launcher_parent(uint32_t pid)
{
	char name[32];

	return process_parent(pid, name);
}

/* Open MPI counts jobs anew for each mpirun; a word of these is random for each. */
static bool put_openmpi_step(char *to, size_t room)
{
	const char *random = getenv("OMPI_MCA_orte_precondition_transports");
	int64_t job = tl_launcher_number("PMIX_NAMESPACE");
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

/*
 * torchrun's runs are called "none" unless the user names them. Those of one machine have the step
 * of the `tracelayer run` that started torchrun, if there is one. False: another run may have the
 * same step.
 */
static bool put_torch_step(char *to, size_t room)
{
	const char *name = getenv("TORCHELASTIC_RUN_ID");
	bool named = name && *name && strcmp(name, "none");

	if (slurm_has_step()) {
		put_variable(to, room, "SLURM_STEP_ID");
		put_plain(to, room, named ? "-" : "");
		put_plain(to, room, named ? name : "");
		return true;
	}
	if (named) {
		put_plain(to, room, name);
		return true;
	}
	if (tl_launcher_number("GROUP_WORLD_SIZE") == 1 && put_variable(to, room, TL_LAUNCHER_STEP))
		return true;
	put_variable(to, room, "MASTER_ADDR");
	put_plain(to, room, "-");
	put_variable(to, room, "MASTER_PORT");
	return false;
}

/*
 * False: another run may have the same step. Intel MPI's hydra has a UUID for each run. MPICH's tells a
 * rank nothing that is the same in all ranks and differs from run to run. The port of mpiexec comes
 * near: it may be used again later.
 */
static bool put_launcher_step(char *to, size_t room, const struct launcher *launcher)
{
	if (is_launcher(launcher, TORCHRUN) || is_launcher(launcher, TORCH))
		return put_torch_step(to, room);
	if (is_launcher(launcher, HYDRA) && put_variable(to, room, "I_MPI_HYDRA_UUID"))
		return true;
	if (is_launcher(launcher, HYDRA) && put_hydra_port(to, room))
		return false;
	if (is_launcher(launcher, OPEN_MPI) && put_openmpi_step(to, room))
		return true;
	if (put_variable(to, room, launcher->step) || put_variable(to, room, TL_LAUNCHER_STEP))
		return true;
	put_plain(to, room, "unknown");
	return false;
}

static void put_step(struct tl_launched *launched, const struct launcher *launcher)
{
	char *to = launched->step;
	const size_t room = sizeof(launched->step);

	if (launcher) {
		launched->step_repeats = !put_launcher_step(to, room, launcher);
		if (launched->step_repeats)
			put_again(to, room);
	} else if (!put_variable(to, room, TL_LAUNCHER_STEP)) {
		put_plain(to, room, "p");
		put_number(to, room, syscall(SYS_getpid));
	}
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

static bool mpich_parts_hosts(void)
{
	static const char *const names[] = {
		"MPIR_CVAR_NOLOCAL",
		"MPIR_PARAM_NOLOCAL",
		"MPICH_NOLOCAL",
		"MPIR_CVAR_ODD_EVEN_CLIQUES",
		"MPIR_PARAM_ODD_EVEN_CLIQUES",
		"MPICH_ODD_EVEN_CLIQUES",
		"MPIR_CVAR_NUM_CLIQUES",
		"MPIR_PARAM_NUM_CLIQUES",
		"MPICH_NUM_CLIQUES",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (getenv(names[i]))
			return true;
	return false;
}

void tl_launcher_tells(struct tl_launched *launched)
{
	const struct launcher *launcher = launcher_here();
	int64_t restart = tl_launcher_number("SLURM_RESTART_COUNT");

	*launched = (struct tl_launched){
		.rank = -1, .size = -1, .local_rank = -1, .local_size = -1, .node = -1};
	if (restart < 0)
		restart = tl_launcher_number("TORCHELASTIC_RESTART_COUNT");
	launched->restart = restart > 0 ? (uint32_t)restart : 0;
	if (launcher) {
		launched->launcher = launcher->name;
		launched->rank_variable = launcher->rank;
		launched->rank = launcher_rank(launcher);
		launched->size = number_if(launcher->size);
		launched->local_rank = number_if(launcher->local_rank);
		launched->local_size = number_if(launcher->local_size);
		launched->node = number_if(launcher->node);
		launched->mpich_parts_hosts = mpich_parts_hosts();
	}
	if (launcher && is_launcher(launcher, SLURM))
		launched->size = slurm_size();
	put_job(launched->job, sizeof(launched->job), launcher);
	put_step(launched, launcher);
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
