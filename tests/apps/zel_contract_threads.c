/* SPDX-License-Identifier: MIT */
/* Tracers that are changed while other threads are inside calls; and forked processes. */
#include "zel_contract.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *call_in_thread(void *unused)
{
	call();
	return NULL;
}

/* A thread that is inside the driver's function when this returns. */
static pthread_t begin_blocked(void)
{
	pthread_t thread;

	driver.block(WATCHED);
	EXPECT(pthread_create(&thread, NULL, call_in_thread, NULL) == 0);
	while (driver.waiting(WATCHED) < 1)
		sleep_ms(1);
	return thread;
}

static void end_blocked(pthread_t thread)
{
	driver.release(WATCHED);
	pthread_join(thread, NULL);
}

static void on_context(ze_context_get_status_params_t *params, ze_result_t result, void *user,
		       void **instance)
{
	++*(_Atomic int *)user;
}

static void pairs(void)
{
	static struct watch before, during;

	watch_create(&before, 'b');
	watch_create(&during, 'd');
	watch_enable(&before, true);
	pthread_t thread = begin_blocked();
	watch_enable(&before, false);
	watch_enable(&during, true);
	written();
	end_blocked(thread);
	check(before.prologues == 1 && before.epilogues == 1,
	      "a tracer disabled while a call is in the driver still gets its epilogue");
	check(during.prologues == 0 && during.epilogues == 0, "one enabled meanwhile gets none");
	call();
	check(!strcmp(written(), "bDd"), "until the next call");
	watch_destroy(&before);
	watch_destroy(&during);
}

static _Atomic int seen_once;

static void on_context_once(ze_context_get_status_params_t *params, ze_result_t result, void *user,
			    void **instance)
{
	seen_once++;
}

static void anew_at_once(void)
{
	static struct watch watch;

	watch_create(&watch, 'w');
	watch_enable(&watch, true);
	pthread_t thread = begin_blocked();
	watch_enable(&watch, false);
	gives(zelTracerContextGetStatusRegisterCallback(watch.tracer, ZEL_REGISTER_EPILOGUE,
							on_context_once),
	      ZE_RESULT_SUCCESS,
	      "a tracer disabled while a thread is inside a call can be registered on at once");
	gives(zelTracerSetEnabled(watch.tracer, true), ZE_RESULT_SUCCESS, "and be enabled");
	end_blocked(thread);
	check(watch.epilogues == 1, "the call that was under way ends as it began");
	call();
	check(watch.prologues == 2 && watch.epilogues == 2, "and the next is traced");
	MUST(zeContextGetStatus(app.context));
	check(seen_once == 1, "by what was registered, too");
	watch_destroy(&watch);
}

/* --- destroy */

static _Atomic bool ended;

static void *destroy(void *argument)
{
	struct watch *watch = argument;

	MUST(zelTracerDestroy(watch->tracer));
	ended = true;
	return NULL;
}

static void drain(void)
{
	static struct watch watch;
	pthread_t destroyer;

	watch_create(&watch, 'w');
	watch_enable(&watch, true);
	pthread_t thread = begin_blocked();
	watch_enable(&watch, false);
	ended = false;
	EXPECT(pthread_create(&destroyer, NULL, destroy, &watch) == 0);
	sleep_ms(50);
	check(!ended && watch.epilogues == 0,
	      "destroy waits for a call that owes the tracer's epilogue");
	end_blocked(thread);
	pthread_join(destroyer, NULL);
	check(ended && watch.epilogues == 1, "and returns when that has run");
	written();
}

static void unrelated(void)
{
	static struct watch watch;
	_Atomic int calls = 0;
	zel_tracer_desc_t desc = {.stype = ZEL_STRUCTURE_TYPE_TRACER_DESC,
				  .pUserData = (void *)&calls};
	zel_tracer_handle_t tracer;

	watch_create(&watch, 'w');
	watch_enable(&watch, true);
	MUST(zelTracerCreate(&desc, &tracer));
	MUST(zelTracerContextGetStatusRegisterCallback(tracer, ZEL_REGISTER_PROLOGUE, on_context));
	MUST(zelTracerSetEnabled(tracer, true));
	MUST(zeContextGetStatus(app.context));
	pthread_t thread = begin_blocked();
	MUST(zelTracerSetEnabled(tracer, false));
	gives(zelTracerDestroy(tracer), ZE_RESULT_SUCCESS,
	      "destroy does not wait for other tracers' calls, nor for untraced ones");
	check(driver.waiting(WATCHED) == 1 && calls == 1, "which are still in the driver");
	end_blocked(thread);
	watch_destroy(&watch);
}

/* --- under load */

static _Atomic bool stop;

static void *call_until_stopped(void *argument)
{
	while (!stop)
		call();
	return NULL;
}

static struct watch shaken;

static void toggle_shaken(struct watch *watch)
{
	zelTracerSetEnabled(shaken.tracer, watch->prologues % 2);
}

/* A callback enables and disables while another thread destroys; threads call all the time. */
static void load(void)
{
	static struct watch steady, passing;
	pthread_t threads[2];
	bool succeeded = true;

	watch_create(&steady, 's');
	watch_create(&shaken, 'x');
	steady.in_prologue = toggle_shaken;
	watch_enable(&steady, true);
	stop = false;
	for (int i = 0; i < 2; i++)
		EXPECT(pthread_create(&threads[i], NULL, call_until_stopped, NULL) == 0);
	while (steady.prologues < 2)
		sleep_ms(1);
	for (int i = 0; i < 2000; i++) {
		watch_create(&passing, 'p');
		watch_enable(&passing, true);
		watch_enable(&passing, false);
		succeeded &= zelTracerDestroy(passing.tracer) == ZE_RESULT_SUCCESS &&
			     passing.prologues == passing.epilogues;
	}
	stop = true;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	check(succeeded,
	      "2000 tracers come and go under load, each with as many epilogues as prologues");
	check(steady.prologues == steady.epilogues && steady.prologues > 0 &&
		      shaken.prologues == shaken.epilogues,
	      "and so have those that a callback toggles");
	watch_destroy(&steady);
	watch_destroy(&shaken);
}

/* --- fork */

static int in_child(struct watch *watch)
{
	int before = watch->prologues;

	alarm(20);
	call();
	if (watch->prologues != before + 1)
		return 2;
	if (zelTracerSetEnabled(watch->tracer, false) != ZE_RESULT_SUCCESS)
		return 3;
	return zelTracerDestroy(watch->tracer) == ZE_RESULT_SUCCESS ? 0 : 4;
}

void contract_forked(void)
{
	static struct watch watch;
	int status = -1;

	watch_create(&watch, 'f');
	watch_enable(&watch, true);
	pthread_t thread = begin_blocked();
	pid_t child = fork();
	if (child == 0) {
		driver.release(WATCHED);
		_exit(in_child(&watch));
	}
	waitpid(child, &status, 0);
	check(status == 0,
	      "a forked child traces, and destroys a tracer that another thread of its parent was inside of");
	end_blocked(thread);
	check(watch.epilogues == 1, "the parent goes on as before");
	watch_destroy(&watch);
}

void contract_threads(void)
{
	pairs();
	anew_at_once();
	drain();
	unrelated();
	load();
	contract_forked();
}
