/* SPDX-License-Identifier: MIT */
/*
 * Calls and callbacks that do not return: C++ exceptions, longjmp, the thread's end, from the
 * driver and from callbacks. Each time the epilogue comes, the thread is traced again, and the
 * tracer can be destroyed.
 */
#include "zel_contract.h"

#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ze_unwind_throw.cc */
void ze_unwind_throw(const char *name, void *arg);
int ze_unwind_caught(void (*function)(void));

static jmp_buf back;

static void call_it(void)
{
	call();
}

static void jump(const char *name, void *arg)
{
	longjmp(back, 1);
}

static void leave(const char *name, void *arg)
{
	pthread_exit(NULL);
}

static void throw_from_callback(struct watch *watch)
{
	ze_unwind_throw(NULL, NULL);
}

static void jump_from_callback(struct watch *watch)
{
	longjmp(back, 1);
}

static __attribute__((noinline)) void throw_once(void)
{
	check(ze_unwind_caught(call_it) == 42, "the program catches it");
}

static __attribute__((noinline)) void jump_once(void)
{
	if (setjmp(back) == 0) {
		call();
		check(false, "it jumps");
	}
}

/* More stack in use than when it happened, as in a program's next step. */
static __attribute__((noinline)) void call_deeper(int depth)
{
	volatile char room[512];

	memset((char *)room, depth, sizeof(room));
	if (depth)
		call_deeper(depth - 1);
	else
		call();
}

static void *in_thread(void *unused)
{
	call();
	return NULL;
}

static void end_thread(void)
{
	pthread_t thread;

	EXPECT(pthread_create(&thread, NULL, in_thread, NULL) == 0);
	pthread_join(thread, NULL);
}

/*
 * Let it happen, with the tracer `watch`, which throws or jumps as it is set, and a `second` one
 * that doesn't; then see what is left of it.
 */
static void see(struct watch *watch, struct watch *second, void (*happen)(void), int epilogues,
		const char *what)
{
	watch_enable(watch, true);
	watch_enable(second, true);
	happen();
	watch->in_prologue = watch->in_epilogue = NULL;
	driver.set_hook(WATCHED, NULL, NULL);
	call_deeper(4);
	call();
	check(watch->prologues == 3 && watch->epilogues == epilogues,
	      "%s: the thread is traced again", what);
	if (watch->prologues != 3 || watch->epilogues != epilogues)
		printf("# %d prologues, %d epilogues\n", watch->prologues, watch->epilogues);
	check(second->prologues == second->epilogues,
	      "%s: the other tracer has as many epilogues as prologues", what);
	watch_enable(watch, false);
	watch_enable(second, false);
	check(zelTracerDestroy(watch->tracer) == ZE_RESULT_SUCCESS &&
		      zelTracerDestroy(second->tracer) == ZE_RESULT_SUCCESS,
	      "%s: tracers can be destroyed", what);
	written();
}

static void from_driver(test_ze_hook *hook, void (*happen)(void), const char *what)
{
	static struct watch watch, second;

	watch_create(&watch, 'u');
	watch_create(&second, 'v');
	driver.set_hook(WATCHED, hook, NULL);
	see(&watch, &second, happen, 3, what);
}

/* An epilogue counts itself before it leaves. */
static void from_callback(void (*leave_by)(struct watch *), bool prologue, void (*happen)(void),
			  const char *what)
{
	static struct watch watch, second;

	watch_create(&watch, 'u');
	watch_create(&second, 'v');
	if (prologue)
		watch.in_prologue = leave_by;
	else
		watch.in_epilogue = leave_by;
	see(&watch, &second, happen, 3, what);
}

/* Nothing is called between the jump and destroy. */
static void destroyed_at_once(void (*in_callback)(struct watch *), test_ze_hook *in_driver,
			      const char *what)
{
	static struct watch watch;

	watch_create(&watch, 'u');
	watch.in_prologue = in_callback;
	driver.set_hook(WATCHED, in_driver, NULL);
	watch_enable(&watch, true);
	jump_once();
	driver.set_hook(WATCHED, NULL, NULL);
	watch_enable(&watch, false);
	check(zelTracerDestroy(watch.tracer) == ZE_RESULT_SUCCESS && watch.epilogues == 1,
	      "%s: destroy runs the epilogue, and returns", what);
	written();
}

/* --- at any depth */

/* So many bytes further down, of which none is written to. */
static __attribute__((noinline)) void at_depth(size_t bytes, void (*work)(void))
{
	char *unused = alloca(bytes);

	__asm__ volatile("" : : "r"(unused) : "memory");
	work();
	__asm__ volatile("" : : "r"(unused) : "memory");
}

static void jump_at_depth(size_t bytes)
{
	if (setjmp(back) == 0)
		at_depth(bytes, call_it);
}

/* Left deeper down than anything that comes later; then nothing is called, or very much. */
static void left_deep(bool from_prologue, bool call_later, const char *what)
{
	static struct watch watch;

	watch_create(&watch, 'd');
	watch_enable(&watch, true);
	watch.in_prologue = from_prologue ? jump_from_callback : NULL;
	driver.set_hook(WATCHED, from_prologue ? NULL : jump, NULL);
	jump_at_depth(50000);
	watch.in_prologue = NULL;
	driver.set_hook(WATCHED, NULL, NULL);
	for (int i = 0; call_later && i < 1000; i++)
		call();
	if (call_later)
		check(watch.prologues == 1001 && watch.epilogues == 1001,
		      "%s deep down: the thread is traced again", what);
	watch_enable(&watch, false);
	gives(zelTracerDestroy(watch.tracer), ZE_RESULT_SUCCESS, "the tracer can be destroyed");
	check(watch.prologues == watch.epilogues, "%s deep down: each prologue has its epilogue",
	      what);
	written();
}

static void left_anywhere(void)
{
	static struct watch watch;
	int calls = 3000;

	watch_create(&watch, 'r');
	watch_enable(&watch, true);
	for (volatile int i = 0; i < calls; i++) {
		watch.in_prologue = i % 3 == 0 ? jump_from_callback : NULL;
		driver.set_hook(WATCHED, i % 3 == 1 ? jump : NULL, NULL);
		jump_at_depth((size_t)rand() % 50000);
	}
	watch.in_prologue = NULL;
	driver.set_hook(WATCHED, NULL, NULL);
	watch_enable(&watch, false);
	gives(zelTracerDestroy(watch.tracer), ZE_RESULT_SUCCESS,
	      "a tracer whose calls were left at random depths can be destroyed");
	if (!check(watch.prologues == calls && watch.epilogues == calls,
		   "and they all had their callbacks"))
		printf("# %d prologues, %d epilogues\n", watch.prologues, watch.epilogues);
	written();
}

void contract_unwinding(void)
{
	from_driver(ze_unwind_throw, throw_once, "an exception out of the driver");
	from_driver(jump, jump_once, "a longjmp out of the driver");
	from_driver(leave, end_thread, "a thread that ends in the driver");
	from_callback(throw_from_callback, true, throw_once, "an exception out of a prologue");
	from_callback(throw_from_callback, false, throw_once, "an exception out of an epilogue");
	from_callback(jump_from_callback, true, jump_once, "a longjmp out of a prologue");
	from_callback(jump_from_callback, false, jump_once, "a longjmp out of an epilogue");
	destroyed_at_once(NULL, jump, "a longjmp out of the driver");
	destroyed_at_once(jump_from_callback, NULL, "a longjmp out of a prologue");
	left_deep(false, false, "a longjmp out of the driver");
	left_deep(false, true, "a longjmp out of the driver");
	left_deep(true, false, "a longjmp out of a prologue");
	left_deep(true, true, "a longjmp out of a prologue");
	left_anywhere();
}
