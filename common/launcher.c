/* SPDX-License-Identifier: MIT */
/*
 * launcher.c: see launcher.h.
 */
#include "common/launcher.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

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

/* Slurm also numbers the batch script, which starts the ranks and is no rank itself. */
static int64_t slurm_rank(void)
{
	int64_t step = number_of("SLURM_STEP_ID");

	return step >= 0 && step < SLURM_STEPS_BEGIN ? number_of("SLURM_PROCID") : -1;
}

/* torchrun's variable has a common name: it counts only together with its neighbours. */
static int64_t torch_rank(void)
{
	int64_t rank = number_of("RANK");

	return number_of("LOCAL_RANK") >= 0 && rank < number_of("WORLD_SIZE") ? rank : -1;
}

int64_t tl_launcher_rank(void)
{
	static const char *const variables[] = {
		"PMIX_RANK",	       "PMI_RANK",    "OMPI_COMM_WORLD_RANK",
		"MV2_COMM_WORLD_RANK", "PALS_RANKID",
	};
	int64_t rank = -1;

	for (size_t i = 0; rank < 0 && i < sizeof(variables) / sizeof(*variables); i++)
		rank = number_of(variables[i]);
	if (rank < 0)
		rank = slurm_rank();
	return rank < 0 ? torch_rank() : rank;
}

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
