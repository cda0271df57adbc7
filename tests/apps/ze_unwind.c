/* SPDX-License-Identifier: MIT */
/*
 * Calls that do not return: from inside the driver, a C++ exception is thrown, the thread ends
 * itself, is cancelled, or jumps away; the calls after that work. The driver runs what is set with
 * test_ze_set_hook (drivers/ze_driver.h).
 */
#include "../drivers/ze_driver.h"
#include "ze_app.h"

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ze_unwind_throw.cc */
void ze_unwind_throw(const char *name, void *arg);
int ze_unwind_caught(void (*call)(void));

static struct ze_app app;
static jmp_buf back;
static _Atomic bool waiting;

static void set_hook(test_ze_hook *hook)
{
	char path[4096] = "";
	const char *drivers = getenv("ZE_ENABLE_ALT_DRIVERS");

	EXPECT(drivers);
	memcpy(path, drivers, strcspn(drivers, ","));
	void *driver = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
	EXPECT(driver);
	void *symbol = dlsym(driver, "test_ze_set_hook");
	EXPECT(symbol);
	int (*set)(const char *name, test_ze_hook *hook, void *arg);
	memcpy(&set, &symbol, sizeof(set));
	EXPECT(set("zeDeviceGetStatus", hook, &app) == 0);
}

static void call(void)
{
	ZE(zeDeviceGetStatus, app.device);
}

static void *call_in_thread(void *unused)
{
	call();
	return NULL;
}

static void leave(const char *name, void *arg)
{
	pthread_exit(arg);
}

static void jump(const char *name, void *arg)
{
	longjmp(back, 1);
}

static void wait_for_cancel(const char *name, void *arg)
{
	const struct timespec pause = {.tv_nsec = 1000000};

	atomic_store(&waiting, true);
	for (;;)
		nanosleep(&pause, NULL);
}

static void *result_of_thread(bool cancel)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	pthread_t thread;
	void *result;

	EXPECT(pthread_create(&thread, NULL, call_in_thread, NULL) == 0);
	while (cancel && !atomic_load(&waiting))
		nanosleep(&pause, NULL);
	if (cancel)
		pthread_cancel(thread);
	pthread_join(thread, &result);
	return result;
}

static void call_and_jump(void)
{
	set_hook(jump);
	if (setjmp(back) == 0) {
		call();
		EXPECT(!"jumped");
	}
}

int main(void)
{
	ze_app_open(&app);
	for (int i = 0; i < 3; i++) {
		set_hook(ze_unwind_throw);
		EXPECT(ze_unwind_caught(call) == 42);
		set_hook(leave);
		EXPECT(result_of_thread(false) == &app);
		set_hook(wait_for_cancel);
		atomic_store(&waiting, false);
		EXPECT(result_of_thread(true) == PTHREAD_CANCELED);
		call_and_jump();
		set_hook(NULL);
		MUST(ZE(zeContextGetStatus, app.context));
	}
	ze_app_close(&app);
	puts("thrown, ended, cancelled and jumped");
	return 0;
}
