/* SPDX-License-Identifier: MIT */
/*
 * launcher_test.c: unit tests of common/launcher.c and common/rank_set.c. What real launchers set is
 * in tests/whole/job.sh.
 */
#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/launcher.h"
#include "common/rank_set.h"

/* The environment becomes these variables alone; "NAME=value", ended by NULL. */
static struct tl_launched told(const char *first, ...)
{
	struct tl_launched launched;
	va_list rest;

	clearenv();
	va_start(rest, first);
	for (const char *entry = first; entry; entry = va_arg(rest, const char *))
		ck_assert_int_eq(putenv(strdup(entry)), 0);
	va_end(rest);
	tl_launcher_tells(&launched);
	return launched;
}

static const char *folder_of(const struct tl_launched *launched)
{
	static char folder[TL_LAUNCHER_FOLDER];

	tl_launcher_folder(folder, launched);
	return folder;
}

#define STEP(launched, expected) ck_assert_str_eq(folder_of(&(launched)), expected)

START_TEST(open_mpi)
{
	struct tl_launched launched = told(
		"OMPI_COMM_WORLD_RANK=3", "OMPI_COMM_WORLD_SIZE=8", "OMPI_COMM_WORLD_LOCAL_RANK=1",
		"OMPI_COMM_WORLD_LOCAL_SIZE=2", "PMIX_RANK=3", "PMIX_NAMESPACE=265551873",
		"OMPI_MCA_orte_precondition_transports=16ee6b8c2e38804d-e0d759ac36abea4e", NULL);

	ck_assert_str_eq(launched.launcher, "Open MPI");
	ck_assert_int_eq(launched.rank, 3);
	ck_assert_int_eq(launched.size, 8);
	ck_assert_int_eq(launched.local_rank, 1);
	ck_assert_int_eq(launched.local_size, 2);
	ck_assert_int_eq(launched.node, -1);
	STEP(launched, "openmpi.16ee6b8c");
	/* Processes that the ranks spawned count from 0 again. */
	setenv("PMIX_NAMESPACE", "265551874", 1);
	tl_launcher_tells(&launched);
	STEP(launched, "openmpi.16ee6b8c-2");
	/* Open MPI 5 has other names. */
	launched = told("OMPI_COMM_WORLD_RANK=3", "PMIX_RANK=3", "PMIX_NAMESPACE=prterun-a-17@1",
			"PBS_JOBID=77.server", NULL);
	STEP(launched, "77_server.prterun-a-17@1");
}
END_TEST

START_TEST(slurm)
{
	struct tl_launched launched =
		told("SLURM_JOB_ID=4711", "SLURM_STEP_ID=2", "SLURM_PROCID=5", "SLURM_NTASKS=9",
		     "SLURM_STEP_NUM_TASKS=6", "SLURM_LOCALID=1", "SLURM_NODEID=2", NULL);

	ck_assert_str_eq(launched.launcher, "Slurm");
	ck_assert_int_eq(launched.rank, 5);
	ck_assert_int_eq(launched.size, 6);
	ck_assert_int_eq(launched.node, 2);
	STEP(launched, "4711.2");
	/* Jobs that Slurm puts back into its queue have their number again. */
	setenv("SLURM_RESTART_COUNT", "1", 1);
	tl_launcher_tells(&launched);
	ck_assert_uint_eq(launched.restart, 1);
	STEP(launched, "4711.2-r1");
	/* srun gives MPI's rank, too. */
	launched = told("SLURM_JOB_ID=4711", "SLURM_STEP_ID=2", "SLURM_PROCID=5", "PMI_RANK=5",
			"PMI_SIZE=6", NULL);
	ck_assert_str_eq(launched.launcher, "Slurm");
	launched = told("SLURM_JOB_ID=4711", "SLURM_STEP_ID=2", "SLURM_PROCID=5", "PMIX_RANK=5",
			"PMIX_NAMESPACE=slurm.pmix.4711.2", NULL);
	ck_assert_str_eq(launched.launcher, "Slurm");
	STEP(launched, "4711.2");
	/* mpirun, which a task of srun has started, has steps of its own. */
	launched = told("SLURM_JOB_ID=4711", "SLURM_STEP_ID=2", "SLURM_PROCID=0", "PMIX_RANK=0",
			"OMPI_COMM_WORLD_RANK=0", "PMIX_NAMESPACE=1",
			"OMPI_MCA_orte_precondition_transports=0123456789abcdef-0", NULL);
	ck_assert_str_eq(launched.launcher, "Open MPI");
	STEP(launched, "4711.01234567");
	/* A batch script is no rank. */
	launched = told("SLURM_JOB_ID=4711", "SLURM_PROCID=0", "TRACELAYER_STEP=s", NULL);
	ck_assert_ptr_null(launched.launcher);
	ck_assert_int_eq(launched.rank, -1);
	STEP(launched, "4711.s");
}
END_TEST

START_TEST(others)
{
	struct tl_launched launched =
		told("PALS_RANKID=1", "PALS_LOCAL_RANKID=0", "PALS_NODEID=1", "PMI_SIZE=2",
		     "PALS_APID=ab-cd", "PBS_JOBID=9.pbs", NULL);

	ck_assert_str_eq(launched.launcher, "PALS");
	ck_assert_int_eq(launched.size, 2);
	ck_assert_int_eq(launched.node, 1);
	STEP(launched, "9_pbs.ab-cd");
	launched = told("MV2_COMM_WORLD_RANK=1", "MV2_COMM_WORLD_SIZE=4", "MPIRUN_ID=123", NULL);
	ck_assert_str_eq(launched.launcher, "MVAPICH");
	STEP(launched, "mvapich.123");
	launched = told("PMI_RANK=1", "PMI_SIZE=4", "MPI_LOCALRANKID=1", "MPI_LOCALNRANKS=4", NULL);
	ck_assert_str_eq(launched.launcher, "hydra");
	ck_assert_int_eq(launched.local_size, 4);
	STEP(launched, "hydra.unknown");
	ck_assert(launched.step_repeats);
	/* Intel MPI 2021 */
	launched = told("PMI_RANK=1", "PMI_SIZE=4", "MPI_LOCALRANKID=1", "MPI_LOCALNRANKS=4",
			"I_MPI_HYDRA_UUID=08300000-721d-9ff7-7061-060028b73c2b", NULL);
	STEP(launched, "hydra.08300000-721d-9ff7-7061-060028b73c2b");
	ck_assert(!launched.step_repeats);
	launched = told("FLUX_TASK_RANK=1", "FLUX_JOB_SIZE=4", "FLUX_JOB_ID=f23", NULL);
	ck_assert_str_eq(launched.launcher, "Flux");
	STEP(launched, "f23.f23");
	launched = told("RANK=1", "WORLD_SIZE=4", "LOCAL_RANK=1", "LOCAL_WORLD_SIZE=2",
			"GROUP_RANK=0", "TORCHELASTIC_RUN_ID=none", "MASTER_ADDR=a.b",
			"MASTER_PORT=29500", "TORCHELASTIC_RESTART_COUNT=2", NULL);
	ck_assert_str_eq(launched.launcher, "torchrun");
	ck_assert_int_eq(launched.local_size, 2);
	ck_assert_int_eq(launched.node, 0);
	STEP(launched, "torchrun.a_b-29500-r2");
	launched = told("RANK=1", NULL);
	ck_assert_ptr_null(launched.launcher);
}
END_TEST

/* A launcher that another has started gives the rank that counts. */
START_TEST(launchers_in_launchers)
{
	/* srun --mpi=pmix starts mpiexec, or its proxies, which pass their environment on. */
	struct tl_launched launched =
		told("SLURM_JOB_ID=4711", "SLURM_STEP_ID=2", "SLURM_PROCID=0", "SLURM_NTASKS=1",
		     "PMIX_RANK=0", "PMIX_NAMESPACE=slurm.pmix.4711.2", "PMI_RANK=3", "PMI_SIZE=4",
		     "MPI_LOCALRANKID=3", "MPI_LOCALNRANKS=4", NULL);

	ck_assert_str_eq(launched.launcher, "hydra");
	ck_assert_int_eq(launched.rank, 3);
	ck_assert_int_eq(launched.size, 4);
	/* srun starts torchrun on each node. */
	launched = told("SLURM_JOB_ID=4711", "SLURM_STEP_ID=2", "SLURM_PROCID=1", "SLURM_NTASKS=2",
			"RANK=5", "WORLD_SIZE=8", "LOCAL_RANK=1", "TORCHELASTIC_RESTART_COUNT=0",
			"TORCHELASTIC_RUN_ID=none", NULL);
	ck_assert_str_eq(launched.launcher, "torchrun");
	ck_assert_int_eq(launched.rank, 5);
	ck_assert_int_eq(launched.size, 8);
	STEP(launched, "4711.2");
	ck_assert(!launched.step_repeats);
	/* A program that sets RANK from Slurm's number is a rank of Slurm's. */
	launched = told("SLURM_JOB_ID=4711", "SLURM_STEP_ID=2", "SLURM_PROCID=1", "SLURM_NTASKS=2",
			"RANK=1", "WORLD_SIZE=2", "LOCAL_RANK=0", NULL);
	ck_assert_str_eq(launched.launcher, "Slurm");
	/* Another launcher with PMIx in a task of srun: its rank 0 is no rank of Slurm's, either. */
	launched = told("SLURM_JOB_ID=4711", "SLURM_STEP_ID=2", "SLURM_PROCID=0", "SLURM_NTASKS=1",
			"PMIX_RANK=0", "PMIX_NAMESPACE=other.7", NULL);
	ck_assert_str_eq(launched.launcher, "PMIx");
	STEP(launched, "4711.other_7");
	launched = told("FLUX_TASK_RANK=1", "FLUX_JOB_SIZE=4", "FLUX_JOB_ID=f23", "PMI_RANK=1",
			"PMI_SIZE=4", NULL);
	ck_assert_str_eq(launched.launcher, "Flux");
}
END_TEST

START_TEST(steps_that_repeat)
{
	/* All ranks have the same step, also of a launcher that tells none. */
	struct tl_launched launched = told("PMI_RANK=1", "PMI_SIZE=4", NULL);

	STEP(launched, "pmi.unknown");
	ck_assert(launched.step_repeats);
	setenv("TRACELAYER_STEP_AGAIN", "unknown-2", 1);
	tl_launcher_tells(&launched);
	STEP(launched, "pmi.unknown-2");
	launched = told("RANK=1", "WORLD_SIZE=4", "LOCAL_RANK=1", "TORCHELASTIC_RESTART_COUNT=0",
			"TORCHELASTIC_RUN_ID=night", NULL);
	STEP(launched, "torchrun.night");
	ck_assert(!launched.step_repeats);
	/* One machine's torchrun, which `tracelayer run` has started. */
	launched =
		told("RANK=1", "WORLD_SIZE=4", "LOCAL_RANK=1", "TORCHELASTIC_RESTART_COUNT=0",
		     "TORCHELASTIC_RUN_ID=none", "GROUP_WORLD_SIZE=1", "TRACELAYER_STEP=now", NULL);
	STEP(launched, "torchrun.now");
	ck_assert(!launched.step_repeats);
}
END_TEST

START_TEST(what_no_launcher_started)
{
	struct tl_launched launched = told("TRACELAYER_STEP=today/1", NULL);
	char expected[64];

	ck_assert_int_eq(launched.size, -1);
	STEP(launched, "local.today_1");
	launched = told("HOME=/", NULL);
	snprintf(expected, sizeof(expected), "local.p%d", (int)getpid());
	STEP(launched, expected);
}
END_TEST

START_TEST(sets_of_ranks)
{
	static const char *const wrong[] = {"",	   ",",	  "1,", "a",   "1-", "-1",
					    "3-1", "1/0", "*/", "1 2", "**"};
	const char *set = "0,8-15,64-127/8";
	int count = 0;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		ck_assert_msg(!tl_rank_set_is(wrong[i]), "%s is a set", wrong[i]);
	ck_assert(tl_rank_set_is(set) && tl_rank_set_is("*") && tl_rank_set_is("*/16,3"));
	for (int rank = 0; rank < 1000; rank++)
		count += tl_rank_set_has(set, rank);
	ck_assert_int_eq(count, 1 + 8 + 8);
	ck_assert(tl_rank_set_has(set, 8) && tl_rank_set_has(set, 15) && tl_rank_set_has(set, 72));
	ck_assert(!tl_rank_set_has(set, 16) && !tl_rank_set_has(set, 65));
	ck_assert(tl_rank_set_has("*", 7) && tl_rank_set_has("*/16,3", 32) &&
		  tl_rank_set_has("*/16,3", 3) && !tl_rank_set_has("*/16,3", 17));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("launcher");
	TCase *tests = tcase_create("launchers");

	tcase_add_test(tests, open_mpi);
	tcase_add_test(tests, slurm);
	tcase_add_test(tests, others);
	tcase_add_test(tests, launchers_in_launchers);
	tcase_add_test(tests, steps_that_repeat);
	tcase_add_test(tests, what_no_launcher_started);
	tcase_add_test(tests, sets_of_ranks);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
