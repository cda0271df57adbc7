/* SPDX-License-Identifier: MIT */
/* Wrong arguments and wrong states get the documented results, and nothing happens. */
#include "zel_contract.h"

#include <stdint.h>
#include <string.h>

#define IN_USE	     ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE
#define NULL_HANDLE  ZE_RESULT_ERROR_INVALID_NULL_HANDLE
#define NULL_POINTER ZE_RESULT_ERROR_INVALID_NULL_POINTER

static void ignore(ze_device_get_status_params_t *params, ze_result_t result, void *user,
		   void **instance)
{
}

static ze_result_t register_on(zel_tracer_handle_t tracer)
{
	return zelTracerDeviceGetStatusRegisterCallback(tracer, ZEL_REGISTER_PROLOGUE, ignore);
}

/* Every function, with a handle that is no tracer's. */
static void bad_handle(zel_tracer_handle_t handle, const char *what)
{
	zel_core_callbacks_t table = {0};

	check(zelTracerDestroy(handle) == NULL_HANDLE, "destroy: %s", what);
	check(zelTracerSetEnabled(handle, true) == NULL_HANDLE, "enable: %s", what);
	check(zelTracerSetEnabled(handle, false) == NULL_HANDLE, "disable: %s", what);
	check(zelTracerSetPrologues(handle, &table) == NULL_HANDLE, "set prologues: %s", what);
	check(zelTracerSetEpilogues(handle, &table) == NULL_HANDLE, "set epilogues: %s", what);
	check(register_on(handle) == NULL_HANDLE, "register: %s", what);
	check(reset_all(handle) == NULL_HANDLE, "reset: %s", what);
}

static void bad_handles(void)
{
	zel_tracer_desc_t desc = {.stype = ZEL_STRUCTURE_TYPE_TRACER_DESC};
	zel_tracer_handle_t destroyed, next;

	bad_handle(NULL, "a handle that is NULL");
	bad_handle((zel_tracer_handle_t)(uintptr_t)0x12345678, "a handle that never was one");
	bad_handle((zel_tracer_handle_t)&desc, "an address that is no handle");
	MUST(zelTracerCreate(&desc, &destroyed));
	MUST(zelTracerDestroy(destroyed));
	bad_handle(destroyed, "a destroyed handle");
	MUST(zelTracerCreate(&desc, &next));
	bad_handle(destroyed, "a destroyed handle when there is a new one");
	MUST(zelTracerDestroy(next));
}

static void bad_arguments(void)
{
	zel_tracer_desc_t desc = {.stype = ZEL_STRUCTURE_TYPE_TRACER_DESC};
	zel_tracer_handle_t tracer;

	gives(zelTracerCreate(NULL, &tracer), NULL_POINTER, "create: no description");
	gives(zelTracerCreate(&desc, NULL), NULL_POINTER, "create: no place for the handle");
	MUST(zelTracerCreate(&desc, &tracer));
	gives(zelTracerSetPrologues(tracer, NULL), NULL_POINTER, "set prologues: no table");
	gives(zelTracerSetEpilogues(tracer, NULL), NULL_POINTER, "set epilogues: no table");
	gives(zelTracerDeviceGetStatusRegisterCallback(tracer, (zel_tracer_reg_t)77, ignore),
	      ZE_RESULT_ERROR_INVALID_ENUMERATION, "register: a callback type that is none");
	gives(zelTracerDeviceGetStatusRegisterCallback(tracer, (zel_tracer_reg_t)-1, ignore),
	      ZE_RESULT_ERROR_INVALID_ENUMERATION, "register: another");
	MUST(zelTracerDestroy(tracer));
}

static void states(void)
{
	static struct watch watch;
	zel_core_callbacks_t table = {0};

	watch_create(&watch, 's');
	watch_enable(&watch, true);
	gives(zelTracerSetEnabled(watch.tracer, true), ZE_RESULT_SUCCESS,
	      "enabling twice is a success");
	gives(register_on(watch.tracer), ZE_RESULT_ERROR_INVALID_ARGUMENT,
	      "an enabled tracer's callbacks can't be changed");
	gives(zelTracerSetPrologues(watch.tracer, &table), ZE_RESULT_ERROR_INVALID_ARGUMENT,
	      "nor its prologues");
	gives(zelTracerSetEpilogues(watch.tracer, &table), ZE_RESULT_ERROR_INVALID_ARGUMENT,
	      "nor its epilogues");
	gives(reset_all(watch.tracer), ZE_RESULT_ERROR_INVALID_ARGUMENT, "nor can they be reset");
	gives(zelTracerDestroy(watch.tracer), IN_USE, "nor can it be destroyed");
	call();
	check(watch.prologues == 1 && watch.epilogues == 1, "and it works on");
	watch_enable(&watch, false);
	gives(reset_all(watch.tracer), ZE_RESULT_SUCCESS, "a disabled one can be reset");
	watch_enable(&watch, true);
	call();
	check(watch.prologues == 1 && watch.epilogues == 1, "and then has no callbacks");
	watch_destroy(&watch);
}

static void removing(void)
{
	static struct watch watch;

	watch_create(&watch, 'n');
	gives(zelTracerDeviceGetStatusRegisterCallback(watch.tracer, ZEL_REGISTER_PROLOGUE, NULL),
	      ZE_RESULT_SUCCESS, "a callback of NULL can be registered");
	watch_enable(&watch, true);
	written();
	call();
	check(!strcmp(written(), "n"), "and is no callback: the epilogue alone runs");
	watch_destroy(&watch);
}

/* --- from its own callback */

static ze_result_t disabled, destroyed;

static void destroy_itself(struct watch *watch)
{
	disabled = zelTracerSetEnabled(watch->tracer, false);
	destroyed = zelTracerDestroy(watch->tracer);
}

static void own_callback(void)
{
	static struct watch watch;

	watch_create(&watch, 'd');
	watch.in_prologue = destroy_itself;
	watch_enable(&watch, true);
	call();
	check(disabled == ZE_RESULT_SUCCESS, "a tracer can be disabled in its own prologue");
	gives(destroyed, IN_USE, "but not destroyed");
	check(watch.epilogues == 1, "and its epilogue still comes");
	watch.in_prologue = NULL;
	watch.in_epilogue = destroy_itself;
	watch_enable(&watch, true);
	call();
	gives(destroyed, IN_USE, "nor destroyed in its own epilogue");
	gives(zelTracerDestroy(watch.tracer), ZE_RESULT_SUCCESS, "afterwards it can");
	written();
}

void contract_errors(void)
{
	bad_handles();
	bad_arguments();
	states();
	removing();
	own_callback();
}
