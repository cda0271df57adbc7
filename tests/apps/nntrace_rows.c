/* SPDX-License-Identifier: MIT */
/*
 * nntrace_rows.c: the rows of NNAPI's contract, by tracelayer/nntrace.h, each with times long
 * enough to be told apart. tests/program/nntrace_rows.py says what each is to count for.
 *
 *	nntrace_rows ROW
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <tracelayer/nntrace.h>

static void work(int ms)
{
	struct timespec time = {0, ms * 1000000L};

	nanosleep(&time, NULL);
}

static void baseline(void)
{
	NNTRACE_RT(NNTRACE_PHASE_PREPARATION, "funcP");
	work(8);
}

static void funcR1(void)
{
	NNTRACE_RT(NNTRACE_PHASE_PREPARATION, "funcR1");
	work(6);
}

static void local_call(void)
{
	NNTRACE_APP(NNTRACE_PHASE_PREPARATION, "funcA1");
	work(3);
	funcR1();
	work(2);
}

static void switched(void)
{
	NNTRACE_TRANS("funcC1");
	work(4);
	NNTRACE_COMP_SWITCH("funcC1");
	work(9);
}

static void switched_twice(void)
{
	NNTRACE_TRANS("funcC1");
	work(4);
	NNTRACE_COMP_SWITCH("funcC1");
	work(5);
	NNTRACE_FULL_SWITCH(NNTRACE_LAYER_CPU, NNTRACE_PHASE_RESULTS, "funcC1");
	work(6);
}

static void funcC2(void)
{
	NNTRACE_COMP("funcC2");
	work(7);
}

static void subphase(void)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "funcR2");
	work(2);
	funcC2();
	work(3);
}

static void funcR4(void)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "funcR4");
	work(5);
}

static void detail(void)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "funcR3");
	work(2);
	funcR4();
}

static void get_capabilities(void)
{
	NNTRACE_FULL(NNTRACE_LAYER_IPC, NNTRACE_PHASE_INITIALIZATION, "getCapabilities");
	work(6);
}

static void synchronous(void)
{
	NNTRACE_RT(NNTRACE_PHASE_COMPILATION, "funcR5");
	work(4);
	get_capabilities();
}

static void prepare_model(void)
{
	work(2);
	{
		NNTRACE_FULL_SUBTRACT(NNTRACE_LAYER_RUNTIME, NNTRACE_PHASE_COMPILATION,
				      "VersionedIDevice::prepareModel");
		work(5);
	}
	work(2);
}

static void subtracted(void)
{
	NNTRACE_FULL(NNTRACE_LAYER_IPC, NNTRACE_PHASE_COMPILATION, "prepareModel");
	prepare_model();
}

static void funcI(void)
{
	NNTRACE_RT(NNTRACE_PHASE_INITIALIZATION, "funcI");
	work(6);
}

static void once(void)
{
	NNTRACE_RT(NNTRACE_PHASE_PREPARATION, "funcR5");
	work(4);
	funcI();
}

static void funcU(void)
{
	NNTRACE_FULL(NNTRACE_LAYER_UTILITY, NNTRACE_PHASE_UNSPECIFIED, "funcU");
	work(5);
}

static void utility(void)
{
	NNTRACE_RT(NNTRACE_PHASE_PREPARATION, "funcR6");
	work(3);
	funcU();
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*row)(void);
	} rows[] = {{"baseline", baseline},	  {"local", local_call},    {"switch", switched},
		    {"twice", switched_twice},	  {"subphase", subphase},   {"detail", detail},
		    {"synchronous", synchronous}, {"subtract", subtracted}, {"once", once},
		    {"utility", utility}};

	for (size_t i = 0; argc > 1 && i < sizeof(rows) / sizeof(*rows); i++)
		if (!strcmp(argv[1], rows[i].name)) {
			rows[i].row();
			return 0;
		}
	fputs("no such row\n", stderr);
	return 1;
}
