/* SPDX-License-Identifier: MIT */
/*
 * The contract of Level Zero's tracing interface, as a tool sees it: run behind every door there is
 * (tests/doors/zel_doors.sh), on the test driver. Prints TAP.
 *
 *	zel_contract		all of it
 *	zel_contract exit	threads go on calling, with a tracer enabled, while the process ends
 *	zel_contract fork	a forked child makes a call and ends by _exit
 *	zel_contract path STEPS	what putting the layer into the calls' path gives, and taking it out:
 *				e enables it, d disables it, i is zeInit, c is a call
 */
#include "zel_contract.h"

#include <ctype.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct ze_app app;
struct driver driver;
ze_result_t (*reset_all)(zel_tracer_handle_t);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char letters[4096];
static size_t nletters;
static int count;

bool check(bool holds, const char *what, ...)
{
	va_list arguments;

	printf("%s %d - ", holds ? "ok" : "not ok", ++count);
	va_start(arguments, what);
	vprintf(what, arguments);
	va_end(arguments);
	putchar('\n');
	fflush(stdout);
	return holds;
}

bool gives(ze_result_t result, ze_result_t wanted, const char *what)
{
	bool holds = check(result == wanted, "%s", what);

	if (!holds)
		printf("# got 0x%x, want 0x%x\n", (unsigned)result, (unsigned)wanted);
	return holds;
}

void sleep_ms(int ms)
{
	const struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000l};

	nanosleep(&pause, NULL);
}

/* --- a watched function */

static void write_down(char letter)
{
	pthread_mutex_lock(&lock);
	if (nletters < sizeof(letters) - 1)
		letters[nletters++] = letter;
	pthread_mutex_unlock(&lock);
}

const char *written(void)
{
	static char text[sizeof(letters)];

	pthread_mutex_lock(&lock);
	memcpy(text, letters, nletters);
	text[nletters] = '\0';
	nletters = 0;
	pthread_mutex_unlock(&lock);
	return text;
}

static void prologue(ze_device_get_status_params_t *params, ze_result_t result, void *user,
		     void **instance)
{
	struct watch *watch = user;

	write_down((char)toupper(watch->name));
	watch->prologue_result = result;
	watch->found = *instance;
	*instance = (char *)user + 1;
	watch->prologues++;
	if (watch->in_prologue)
		watch->in_prologue(watch);
}

static void epilogue(ze_device_get_status_params_t *params, ze_result_t result, void *user,
		     void **instance)
{
	struct watch *watch = user;

	write_down(watch->name);
	watch->result = result;
	watch->own_data = *instance == (char *)user + 1;
	watch->epilogues++;
	if (watch->in_epilogue)
		watch->in_epilogue(watch);
}

void watch_create(struct watch *watch, char name)
{
	const zel_tracer_desc_t desc = {.stype = ZEL_STRUCTURE_TYPE_TRACER_DESC,
					.pUserData = watch};

	*watch = (struct watch){.name = name};
	MUST(zelTracerCreate(&desc, &watch->tracer));
	MUST(zelTracerDeviceGetStatusRegisterCallback(watch->tracer, ZEL_REGISTER_PROLOGUE,
						      prologue));
	MUST(zelTracerDeviceGetStatusRegisterCallback(watch->tracer, ZEL_REGISTER_EPILOGUE,
						      epilogue));
}

void watch_enable(struct watch *watch, bool enable)
{
	MUST(zelTracerSetEnabled(watch->tracer, enable));
}

void watch_destroy(struct watch *watch)
{
	watch_enable(watch, false);
	MUST(zelTracerDestroy(watch->tracer));
	written();
}

ze_result_t call(void)
{
	return zeDeviceGetStatus(app.device);
}

/* --- before zeInit */

/* Loaders have the first two from 1.15 on, and the third from 1.28 on. Preloaded, all are there. */
static struct {
	ze_result_t (*enable)(void), (*disable)(void), (*state)(bool *);
} path;

static void find_switch(void)
{
	path.enable = (ze_result_t(*)(void))dlsym(RTLD_DEFAULT, "zelEnableTracingLayer");
	path.disable = (ze_result_t(*)(void))dlsym(RTLD_DEFAULT, "zelDisableTracingLayer");
	path.state = (ze_result_t(*)(bool *))dlsym(RTLD_DEFAULT, "zelGetTracingLayerState");
}

/*
 * TEST_BEHIND=loader: the three are the loader's own, and so is what they count. 1.32 counts a
 * disable without an enable down from 0, and so loses the next enable.
 */
static void layer_state(void)
{
	const char *behind = getenv("TEST_BEHIND");
	const char *variable = getenv("ZE_ENABLE_TRACING_LAYER");
	const bool asked = variable && !strcmp(variable, "1");
	bool on = true;

	find_switch();
	if ((behind && !strcmp(behind, "loader")) || !path.enable || !path.disable || !path.state)
		return;
	gives(path.state(NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER,
	      "the layer's state: no place for it");
	check(path.disable() == ZE_RESULT_SUCCESS && path.state(&on) == ZE_RESULT_SUCCESS &&
		      on == asked,
	      "disabling the layer without an enable leaves it off");
	check(path.enable() == ZE_RESULT_SUCCESS && path.state(&on) == ZE_RESULT_SUCCESS && on,
	      "and the next enable is not lost, before zeInit");
	check(path.disable() == ZE_RESULT_SUCCESS && path.state(&on) == ZE_RESULT_SUCCESS &&
		      on == asked,
	      "a disable ends it");
}

/* A line for each step: its result, the state then, and what a tracer saw. */
static int switch_path(const char *steps)
{
	static struct watch watch;

	find_switch();
	EXPECT(path.enable && path.disable);
	for (; *steps; steps++) {
		ze_result_t result = ZE_RESULT_SUCCESS;
		bool on = false;

		if (*steps == 'e')
			result = path.enable();
		else if (*steps == 'd')
			result = path.disable();
		else if (*steps == 'c')
			result = call();
		else
			ze_app_open(&app);
		if (*steps == 'i') {
			watch_create(&watch, 'w');
			watch_enable(&watch, true);
		}
		if (path.state)
			MUST(path.state(&on));
		printf("%c: 0x%x, on %d, seen %s\n", *steps, (unsigned)result, on, written());
	}
	watch_destroy(&watch);
	ze_app_close(&app);
	return 0;
}

static int inits;

static void on_init(ze_init_params_t *params, ze_result_t result, void *user, void **instance)
{
	inits++;
}

/*
 * Stock loaders make tracers only once they are initialised. Ours are there before that, and trace
 * the first zeInit.
 */
static void first_call(void)
{
	const zel_tracer_desc_t desc = {.stype = ZEL_STRUCTURE_TYPE_TRACER_DESC};
	zel_tracer_handle_t tracer;

	if (zelTracerCreate(&desc, &tracer) != ZE_RESULT_SUCCESS) {
		ze_app_open(&app);
		return;
	}
	MUST(zelTracerInitRegisterCallback(tracer, ZEL_REGISTER_PROLOGUE, on_init));
	MUST(zelTracerSetEnabled(tracer, true));
	ze_app_open(&app);
	check(inits == 1, "a tracer made before zeInit traces it");
	MUST(zelTracerSetEnabled(tracer, false));
	MUST(zelTracerDestroy(tracer));
}

/* Tools also look the interface up in the loader that they have opened. */
static void looked_up(void)
{
	void *loader = dlopen("libze_loader.so.1", RTLD_NOW | RTLD_NOLOAD);
	void *symbol = loader ? dlsym(loader, "zelTracerCreate") : NULL;
	ze_result_t (*create)(const zel_tracer_desc_t *, zel_tracer_handle_t *) = NULL;
	const zel_tracer_desc_t desc = {.stype = ZEL_STRUCTURE_TYPE_TRACER_DESC};
	zel_tracer_handle_t tracer = NULL;

	memcpy(&create, &symbol, sizeof(create));
	if (!check(create && create(&desc, &tracer) == ZE_RESULT_SUCCESS,
		   "zelTracerCreate by dlsym on the loader makes tracers"))
		return;
	gives(zelTracerDestroy(tracer), ZE_RESULT_SUCCESS, "of the same kind");
	dlclose(loader);
}

/* --- beginning and end */

static void *driver_symbol(const char *name)
{
	const char *path = getenv("ZE_ENABLE_ALT_DRIVERS");
	void *handle = path ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : NULL;
	void *symbol = handle ? dlsym(handle, name) : NULL;

	EXPECT(symbol);
	return symbol;
}

static void find_driver(void)
{
	driver.set_hook =
		(int (*)(const char *, test_ze_hook *, void *))driver_symbol("test_ze_set_hook");
	driver.set_result =
		(int (*)(const char *, uint32_t, uint64_t))driver_symbol("test_ze_set_result");
	driver.block = (int (*)(const char *))driver_symbol("test_ze_block");
	driver.release = (int (*)(const char *))driver_symbol("test_ze_release");
	driver.waiting = (int (*)(const char *))driver_symbol("test_ze_waiting");
}

/*
 * Declared in no header that is installed. Preloaded, it is there for all; else the layer has it.
 */
static void find_reset(void)
{
	void *layer = dlopen("libze_tracing_layer.so.1", RTLD_NOW | RTLD_NOLOAD);
	void *symbol = dlsym(RTLD_DEFAULT, "zelTracerResetAllCallbacks");

	if (!symbol && layer)
		symbol = dlsym(layer, "zelTracerResetAllCallbacks");
	EXPECT(symbol);
	reset_all = (ze_result_t(*)(zel_tracer_handle_t))symbol;
}

static void *call_for_ever(void *unused)
{
	for (;;)
		call();
	return NULL;
}

static int end_while_calling(void)
{
	static struct watch watch;
	pthread_t thread;

	watch_create(&watch, 'e');
	watch_enable(&watch, true);
	for (int i = 0; i < 3; i++)
		EXPECT(pthread_create(&thread, NULL, call_for_ever, NULL) == 0);
	sleep_ms(5);
	return 0;
}

int main(int argc, char **argv)
{
	alarm(100);
	if (argc > 1 && !strcmp(argv[1], "exit")) {
		ze_app_open(&app);
		return end_while_calling();
	}
	if (argc > 1 && !strcmp(argv[1], "fork")) {
		ze_app_open(&app);
		find_driver();
		contract_forked();
		ze_app_close(&app);
		return 0;
	}
	if (argc > 2 && !strcmp(argv[1], "path"))
		return switch_path(argv[2]);
	layer_state();
	first_call();
	looked_up();
	find_driver();
	find_reset();
	contract_calls();
	contract_errors();
	contract_threads();
	contract_unwinding();
	ze_app_close(&app);
	printf("1..%d\n", count);
	return 0;
}
