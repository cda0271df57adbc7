/* SPDX-License-Identifier: MIT */
/* What callbacks see and may do: order, results, parameters, instance data, calls of their own. */
#include "zel_contract.h"

#include <stdlib.h>
#include <string.h>

static void order(void)
{
	static struct watch a, b, c;

	watch_create(&a, 'a');
	watch_create(&b, 'b');
	watch_create(&c, 'c');
	watch_enable(&c, true);
	watch_enable(&a, true);
	watch_enable(&b, true);
	written();
	call();
	check(!strcmp(written(), "CABcab"),
	      "prologues and epilogues both run in the order of enabling");
	check(a.own_data && b.own_data && c.own_data, "instance data is each tracer's own");
	check(!a.found && !b.found && !c.found, "and begins as NULL");
	watch_enable(&c, true);
	watch_enable(&a, false);
	watch_enable(&a, true);
	written();
	call();
	check(!strcmp(written(), "CBAcba"),
	      "enabling twice keeps the place, enabling anew takes the last");
	watch_enable(&a, false);
	watch_enable(&a, false);
	call();
	check(!strcmp(written(), "CBcb"),
	      "a disabled tracer is not called, and may be disabled twice");
	watch_destroy(&a);
	watch_destroy(&b);
	watch_destroy(&c);
}

static void results(void)
{
	static struct watch watch;

	watch_create(&watch, 'r');
	watch_enable(&watch, true);
	driver.set_result(WATCHED, ZE_RESULT_ERROR_DEVICE_LOST, 0);
	check(call() == ZE_RESULT_ERROR_DEVICE_LOST, "the program gets the driver's result");
	check(watch.prologue_result == 0, "a prologue sees the result 0");
	check(watch.result == ZE_RESULT_ERROR_DEVICE_LOST, "an epilogue sees the driver's");
	driver.set_result(WATCHED, 0, 0);
	check(call() == ZE_RESULT_SUCCESS && watch.result == ZE_RESULT_SUCCESS,
	      "and so the next time");
	watch_destroy(&watch);
}

/* --- parameters */

static const char *seen_in_prologue, *seen_in_epilogue;

static void rename_function(ze_driver_get_extension_function_address_params_t *params,
			    ze_result_t result, void *user, void **instance)
{
	*params->pname = user;
}

static void see_before(ze_driver_get_extension_function_address_params_t *params,
		       ze_result_t result, void *user, void **instance)
{
	seen_in_prologue = *params->pname;
}

static void see_after(ze_driver_get_extension_function_address_params_t *params, ze_result_t result,
		      void *user, void **instance)
{
	seen_in_epilogue = *params->pname;
}

static void parameters(void)
{
	static char name[] = "zexTestSum";
	zel_tracer_desc_t desc = {.stype = ZEL_STRUCTURE_TYPE_TRACER_DESC, .pUserData = name};
	zel_tracer_handle_t changes, sees;
	void *function = NULL;

	MUST(zelTracerCreate(&desc, &changes));
	MUST(zelTracerDriverGetExtensionFunctionAddressRegisterCallback(
		changes, ZEL_REGISTER_PROLOGUE, rename_function));
	MUST(zelTracerSetEnabled(changes, true));
	desc.pUserData = NULL;
	gives(zelTracerCreate(&desc, &sees), ZE_RESULT_SUCCESS, "pUserData may be NULL");
	MUST(zelTracerDriverGetExtensionFunctionAddressRegisterCallback(sees, ZEL_REGISTER_PROLOGUE,
									see_before));
	MUST(zelTracerDriverGetExtensionFunctionAddressRegisterCallback(sees, ZEL_REGISTER_EPILOGUE,
									see_after));
	MUST(zelTracerSetEnabled(sees, true));
	gives(zeDriverGetExtensionFunctionAddress(app.driver, "noSuchFunction", &function),
	      ZE_RESULT_SUCCESS, "the driver gets a parameter as a prologue has changed it");
	check(function != NULL, "and answers accordingly");
	check(seen_in_prologue == name && seen_in_epilogue == name,
	      "so do later tracers, and epilogues");
	MUST(zelTracerSetEnabled(changes, false));
	MUST(zelTracerSetEnabled(sees, false));
	MUST(zelTracerDestroy(changes));
	MUST(zelTracerDestroy(sees));
}

/* --- calls inside of calls */

static void call_others(struct watch *watch)
{
	call();
	MUST(zeContextGetStatus(app.context));
}

static _Atomic int context_calls;

static void on_context(ze_context_get_status_params_t *params, ze_result_t result, void *user,
		       void **instance)
{
	context_calls++;
}

static void call_from_driver(const char *name, void *arg)
{
	zeContextGetStatus(app.context);
}

static void inside(void)
{
	static struct watch watch;
	const char *nested = getenv("TRACELAYER_NESTED");

	watch_create(&watch, 'i');
	MUST(zelTracerContextGetStatusRegisterCallback(watch.tracer, ZEL_REGISTER_PROLOGUE,
						       on_context));
	watch.in_prologue = watch.in_epilogue = call_others;
	watch_enable(&watch, true);
	call();
	check(watch.prologues == 1 && watch.epilogues == 1 && context_calls == 0,
	      "calls that callbacks make are not traced");
	MUST(zeContextGetStatus(app.context));
	check(context_calls == 1, "but the next one is");
	watch.in_prologue = watch.in_epilogue = NULL;
	driver.set_hook(WATCHED, call_from_driver, NULL);
	context_calls = 0;
	call();
	if (nested && !strcmp(nested, "0"))
		check(context_calls == 0,
		      "calls that the driver makes are not traced with TRACELAYER_NESTED=0");
	else
		check(context_calls == 1,
		      "calls that the driver makes on the same thread are traced");
	driver.set_hook(WATCHED, NULL, NULL);
	watch_destroy(&watch);
}

/* --- tracers that change tracers */

static struct watch other;

static void enable_other(struct watch *watch)
{
	watch_enable(&other, true);
}

static void disable_other(struct watch *watch)
{
	watch_enable(&other, false);
}

static void toggling(void)
{
	static struct watch watch;

	watch_create(&watch, 't');
	watch_create(&other, 'o');
	watch.in_prologue = enable_other;
	watch_enable(&watch, true);
	written();
	call();
	check(!strcmp(written(), "Tt"), "a tracer enabled in a prologue begins with the next call");
	watch.in_prologue = disable_other;
	call();
	check(!strcmp(written(), "TOto"),
	      "one disabled in a prologue ends what it has begun to be called for");
	call();
	check(!strcmp(written(), "Tt"), "and then is not called");
	watch_destroy(&watch);
	watch_destroy(&other);
}

/* --- very many */

#define MANY 1000

static void many(void)
{
	static struct watch watches[MANY];
	static char want[2 * MANY + 1];
	int enabled = 0, wrong = 0;

	for (int i = 0; i < MANY; i++) {
		watch_create(&watches[i], (char)('a' + i % 26));
		enabled += zelTracerSetEnabled(watches[i].tracer, true) == ZE_RESULT_SUCCESS;
		want[i] = (char)('A' + i % 26);
		want[MANY + i] = (char)('a' + i % 26);
	}
	check(enabled == MANY, "1000 tracers can be enabled on one function");
	written();
	call();
	check(!strcmp(written(), want), "their callbacks run in the order of enabling");
	for (int i = 0; i < MANY; i++)
		wrong += watches[i].prologues != 1 || watches[i].epilogues != 1 ||
			 watches[i].found || !watches[i].own_data;
	check(wrong == 0, "and each finds its own instance data");
	for (int i = 0; i < MANY; i++)
		watch_destroy(&watches[i]);
	call();
	check(!strcmp(written(), ""), "and all of them can be destroyed");
}

void contract_calls(void)
{
	order();
	results();
	parameters();
	inside();
	toggling();
	many();
}
