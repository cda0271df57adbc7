/* SPDX-License-Identifier: MIT */
/*
 * Registers on every function that Level Zero's tracing interface has a RegisterCallback function
 * for, calls each of these functions once (ze_calls.c), and says for each how many prologues and
 * epilogues came. Then the same with the legacy tables. Prints TAP.
 *
 * The list, zel_functions.def, is made from the model: EACH(Init) for
 * zelTracerInitRegisterCallback, which is zeInit's.
 */
#undef main
#include "ze_app.h"

#include <level_zero/layers/zel_tracing_api.h>
#include <level_zero/layers/zel_tracing_register_cb.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int ze_calls_main(void);

enum {
#define EACH(x) INDEX_##x,
#include "zel_functions.def"
#undef EACH
	FUNCTIONS
};

static const char *const names[] = {
#define EACH(x) "ze" #x,
#include "zel_functions.def"
#undef EACH
};

static unsigned prologues[FUNCTIONS], epilogues[FUNCTIONS];

/*
 * How many callbacks a function is to have: what is newer than ze_calls is not called. TEST_BEHIND
 * =loader: the calls come by the loader. Loaders that have zeInitDrivers don't pass on a second
 * zeInit.
 */
static unsigned wanted(int function)
{
	const char *behind = getenv("TEST_BEHIND");

	if (behind && !strcmp(behind, "loader") && function == INDEX_Init &&
	    dlsym(RTLD_DEFAULT, "zeInitDrivers"))
		return 0;
	return ze_app_counted(names[function]) > 0;
}

/* Any callback: what the parameters are doesn't matter. */
typedef void callback(void *params, ze_result_t result, void *user, void **instance);

#define EACH(x)                                                                                    \
	static void before_##x(void *params, ze_result_t result, void *user, void **instance)      \
	{                                                                                          \
		*instance = &prologues[INDEX_##x];                                                 \
		prologues[INDEX_##x]++;                                                            \
	}                                                                                          \
	static void after_##x(void *params, ze_result_t result, void *user, void **instance)       \
	{                                                                                          \
		epilogues[INDEX_##x] += *instance == &prologues[INDEX_##x];                        \
	}
#include "zel_functions.def"
#undef EACH

static zel_tracer_handle_t create(void)
{
	const zel_tracer_desc_t desc = {.stype = ZEL_STRUCTURE_TYPE_TRACER_DESC};
	zel_tracer_handle_t tracer;

	MUST(zelTracerCreate(&desc, &tracer));
	return tracer;
}

/* Everything once, with the tracer. */
static void run(zel_tracer_handle_t tracer)
{
	memset(prologues, 0, sizeof(prologues));
	memset(epilogues, 0, sizeof(epilogues));
	MUST(zelTracerSetEnabled(tracer, true));
	EXPECT(ze_calls_main() == 0);
	MUST(zelTracerSetEnabled(tracer, false));
	MUST(zelTracerDestroy(tracer));
}

static void register_each(void)
{
	zel_tracer_handle_t tracer = create();

	/* The types of callbacks have different prefixes in newer headers: zer_pfn…Cb_t. */
#define EACH(x)                                                                                    \
	MUST(zelTracer##x##RegisterCallback(tracer, ZEL_REGISTER_PROLOGUE, (void *)before_##x));   \
	MUST(zelTracer##x##RegisterCallback(tracer, ZEL_REGISTER_EPILOGUE, (void *)after_##x));
#include "zel_functions.def"
#undef EACH
	run(tracer);
	for (int i = 0; i < FUNCTIONS; i++)
		printf("%s %d - %s: a prologue and an epilogue\n",
		       prologues[i] == wanted(i) && epilogues[i] == wanted(i) ? "ok" : "not ok",
		       i + 1, names[i]);
}

/* --- the legacy tables */

#define SLOTS (sizeof(zel_core_callbacks_t) / sizeof(callback *))

static unsigned slots_before, slots_after;

static void before_slot(void *params, ze_result_t result, void *user, void **instance)
{
	slots_before++;
}

static void after_slot(void *params, ze_result_t result, void *user, void **instance)
{
	slots_after++;
}

static void fill(callback **table, callback *with)
{
	for (size_t i = 0; i < SLOTS; i++)
		table[i] = with;
}

/*
 * Each function is called once, so as many calls come as there are slots; and one slot alone gets
 * its own function's call.
 */
static void use_tables(void)
{
	union {
		zel_core_callbacks_t table;
		callback *slots[SLOTS];
	} before, after;
	zel_tracer_handle_t tracer = create();
	const unsigned calls = SLOTS - 1 - (wanted(INDEX_Init) == 0);

	fill(before.slots, before_slot);
	fill(after.slots, after_slot);
	before.table.Event.pfnQueryStatusCb = (ze_pfnEventQueryStatusCb_t)before_EventQueryStatus;
	after.table.Event.pfnQueryStatusCb = (ze_pfnEventQueryStatusCb_t)after_EventQueryStatus;
	MUST(zelTracerSetPrologues(tracer, &before.table));
	MUST(zelTracerSetEpilogues(tracer, &after.table));
	run(tracer);
	printf("%s %d - the legacy tables have 120 slots\n", SLOTS == 120 ? "ok" : "not ok",
	       FUNCTIONS + 1);
	printf("%s %d - each slot's function is traced: %u and %u calls\n",
	       slots_before == calls && slots_after == calls ? "ok" : "not ok", FUNCTIONS + 2,
	       slots_before, slots_after);
	printf("%s %d - and by its own slot\n",
	       prologues[INDEX_EventQueryStatus] == 1 && epilogues[INDEX_EventQueryStatus] == 1
		       ? "ok"
		       : "not ok",
	       FUNCTIONS + 3);
	fill(before.slots, NULL);
	tracer = create();
	MUST(zelTracerSetPrologues(tracer, &before.table));
	MUST(zelTracerSetEpilogues(tracer, &after.table));
	slots_before = slots_after = 0;
	run(tracer);
	printf("%s %d - empty slots are not\n",
	       slots_before == 0 && slots_after == calls ? "ok" : "not ok", FUNCTIONS + 4);
}

int main(void)
{
	alarm(100);
	printf("1..%d\n", FUNCTIONS + 4);
	/*
	 * The loader makes tracers when it has been initialised, and then traces later calls of
	 * zeInit.
	 */
	MUST(zeInit(0));
	register_each();
	use_tables();
	return 0;
}
