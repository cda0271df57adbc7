/* SPDX-License-Identifier: MIT */
/*
 * ze_newer.c: a program that was built for a newer Level Zero than we (drivers/ze_newer.c). What it
 * prints is what it got.
 *
 *	ze_newer		calls the loader's functions by their symbols
 *	ze_newer dlsym		looks them up in the loader that it opens
 *	ze_newer register	registers callbacks by functions that no header of ours has
 *	ze_newer switch		puts the tracing layer into the path of calls, and takes it out
 *	ze_newer forget		the same, without what the environment says of it after zeInit
 *	ze_newer linked LIBRARY…	libraries make the calls that have a loader linked into them
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint32_t result;

/* Weak: the loader is preloaded, as the first one that there is. */
#define WEAK __attribute__((weak))
extern WEAK result zeInit(uint32_t flags);
extern WEAK result zeInitDrivers(uint32_t *count, void **drivers, void *desc);
extern WEAK result zeRTASBuilderBuildExp(void *builder, const void *desc, void *scratch,
					 size_t scratch_size, void *rtas, size_t rtas_size,
					 void *operation, void *user, void *bounds, size_t *size);
extern WEAK result zeCommandListCreateCloneExp(void *list, void **clone);
extern WEAK result zeTomorrow(int a);
extern WEAK result zeTomorrowToo(int a);
extern WEAK result zelTracerCreate(const void *desc, void **tracer);
extern WEAK result zelTracerDestroy(void *tracer);
extern WEAK result zelTracerSetEnabled(void *tracer, uint8_t enable);
extern WEAK result zelEnableTracingLayer(void);
extern WEAK result zelDisableTracingLayer(void);
extern WEAK result zelTracerInitDriversRegisterCallback(void *tracer, uint32_t type,
							void (*callback)(void));
extern WEAK result zelTracerTomorrowRegisterCallback(void *tracer, uint32_t type,
						     void (*callback)(void));

static void *loader;

#define FIND(function) (loader ? (__typeof__(&function))dlsym(loader, #function) : function)

static void calls(void)
{
	uint32_t count = 0, desc[8] = {0};
	void *clone = NULL;
	size_t size = 0;
	/* Newer headers oblige a program to pass memory in most of these places. */
	static char memory[100001000], *at = memory;

	printf("zeInit %x\n", FIND(zeInit)(1));
	result got = FIND(zeInitDrivers)(&count, NULL, desc);
	printf("zeInitDrivers %x %u\n", got, count);
	got = FIND(zeInitDrivers)(&count, NULL, NULL);
	printf("zeInitDrivers %x\n", got);
	got = FIND(zeRTASBuilderBuildExp)(at + 1, at + 10, at + 100, 1000, at + 10000, 100000,
					  at + 1000000, at + 10000000, at + 100000000, &size);
	printf("zeRTASBuilderBuildExp %x %zu\n", got, size);
	got = FIND(zeCommandListCreateCloneExp)(&count, &clone);
	printf("zeCommandListCreateCloneExp %x %d\n", got, (int)((char *)clone - (char *)&count));
	printf("zeTomorrow %x\n", FIND(zeTomorrow)(40));
	printf("zeTomorrowToo %x\n", FIND(zeTomorrowToo)(40));
}

static int heard;

/*
 * Of zeInitDrivers: its parameters' addresses, as its own header would have them in a struct.
 * Callbacks may change what is passed.
 */
static void prologue(void **params, result got, void *user, void **instance)
{
	static uint32_t desc[8];

	(void)got, (void)user, (void)instance;
	heard += **(uint32_t **)params[0] == 7 && !*(void **)params[1] && !*(void **)params[2];
	*(void **)params[2] = desc;
}

static void registers(void)
{
	struct {
		uint32_t stype;
		const void *next;
		void *user_data;
	} desc = {.stype = 1}; /* ZEL_STRUCTURE_TYPE_TRACER_DESC */
	void *tracer = NULL;

	printf("zeInit %x\n", zeInit(1));
	result got = zelTracerCreate(&desc, &tracer);
	printf("zelTracerCreate %x %d\n", got, tracer != NULL);
	printf("InitDrivers %x\n",
	       zelTracerInitDriversRegisterCallback(tracer, 0, (void (*)(void))prologue));
	zelTracerSetEnabled(tracer, 1);
	uint32_t count = 7;
	got = zeInitDrivers(&count, NULL, NULL);
	printf("heard %d %x %u\n", heard, got, count);
	zelTracerSetEnabled(tracer, 0);
	printf("Tomorrow %x\n",
	       zelTracerTomorrowRegisterCallback(tracer, 0, (void (*)(void))prologue));
	result (*found)(void *, uint32_t, void (*)(void)) =
		(__typeof__(found))dlsym(RTLD_DEFAULT, "zelTracerTomorrowRegisterCallback");
	printf("by name %x\n", found(tracer, 0, (void (*)(void))prologue));
	printf("of nobody %p\n", dlsym(RTLD_DEFAULT, "zelTracerNeverRegisterCallback"));
	printf("zelTracerDestroy %x\n", zelTracerDestroy(tracer));
}

static int counted;

static void count_calls(void **params, result got, void *user, void **instance)
{
	(void)params, (void)got, (void)user, (void)instance;
	counted++;
}

/*
 * How many of two tracers hear of a call, one of them enabled while the layer is out of the path.
 */
static void hear(const char *when)
{
	uint32_t count = 0, desc[8] = {0};

	counted = 0;
	zeInitDrivers(&count, NULL, desc);
	printf("%s %d\n", when, counted);
}

/* The tracing layer is put into the path of calls, and taken out. */
static void switches(bool forget)
{
	struct {
		uint32_t stype;
		const void *next;
		void *user_data;
	} desc = {.stype = 1};
	void *first = NULL, *second = NULL;

	zeInit(1);
	if (forget)
		unsetenv("ZE_ENABLE_TRACING_LAYER");
	zelTracerCreate(&desc, &first);
	zelTracerCreate(&desc, &second);
	zelTracerInitDriversRegisterCallback(first, 0, (void (*)(void))count_calls);
	zelTracerInitDriversRegisterCallback(second, 0, (void (*)(void))count_calls);
	zelTracerSetEnabled(first, 1);
	hear("out");
	zelEnableTracingLayer();
	hear("in");
	zelEnableTracingLayer();
	zelTracerSetEnabled(second, 1);
	hear("twice in");
	zelDisableTracingLayer();
	hear("once out");
	zelDisableTracingLayer();
	hear("out");
	zelDisableTracingLayer();
	printf("while enabled %x %x\n", zelTracerDestroy(first),
	       zelTracerInitDriversRegisterCallback(first, 1, (void (*)(void))count_calls));
	zelTracerSetEnabled(first, 0);
	zelEnableTracingLayer();
	hear("in");
	zelTracerSetEnabled(second, 0);
	printf("zelTracerDestroy %x %x\n", zelTracerDestroy(first), zelTracerDestroy(second));
}

static int linked(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	void (*run)(void) = NULL;

	if (library)
		*(void **)&run = dlsym(library, "test_linked_calls");
	if (!run) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	run();
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "linked")) {
		int failed = 0;
		for (int i = 2; i < argc && !failed; i++)
			failed = linked(argv[i]);
		return failed;
	}
	if (!strcmp(what, "dlsym") &&
	    !(loader = dlopen("libze_loader.so.1", RTLD_NOW | RTLD_LOCAL))) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	if (!strcmp(what, "switch"))
		return switches(false), 0;
	if (!strcmp(what, "forget"))
		return switches(true), 0;
	if (!strcmp(what, "register"))
		registers();
	else
		calls();
	return 0;
}
