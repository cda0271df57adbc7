/* SPDX-License-Identifier: MIT */
/*
 * ze_newer.c: a loader of Level Zero in miniature, which does what later ones do, under their name
 * (libze_loader.so.1). It has no drivers: its functions note their arguments and what they were
 * called.
 *
 * 	TEST_LOADER_VERSION=1.20.6	what zelLoaderGetVersions says
 * 	TEST_LOADER_STRICT=1		zeInit fails where the layer lacks a table (1.11 to 1.18)
 * 	TEST_LOADER_CHECKS=N		it calls zeInit and zeInitDrivers of its own tables N times
 * 					before the program's call (1.16 to 1.25)
 * 	TEST_LOADER_REPORT=FILE		at the end, "function count" for what was called in earnest
 * 	ZE_ENABLE_TRACING_LAYER=1	as everywhere
 *
 * It has functions that the headers may lack (zeInitDrivers, zeRTASBuilderBuildExp), and functions
 * that no header has (zeTomorrow, zeTomorrowToo). Everything is declared here, so that it can be
 * built with any headers, or with none.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT	      __attribute__((visibility("default")))
#define SUCCESS	      0u
#define UNINITIALIZED 0x78000001u
#define VERSION	      ((1u << 16) | 12)

typedef uint32_t result;
typedef result (*getter)(uint32_t version, void *table);

struct global {
	result (*init)(uint32_t flags);
	result (*init_drivers)(uint32_t *count, void **drivers, void *desc);
};

struct rtas_builder_exp {
	result (*create)(void *driver, const void *desc, void **builder);
	result (*get_properties)(void *builder, const void *desc, void *properties);
	result (*build)(void *builder, const void *desc, void *scratch, size_t scratch_size,
			void *rtas, size_t rtas_size, void *operation, void *user, void *bounds,
			size_t *size);
	result (*destroy)(void *builder);
};

struct command_list_exp {
	result (*create_clone)(void *list, void **clone);
	result (*append)(void *list, uint32_t count, void **lists, void *signal, uint32_t waits,
			 void **events);
	result (*update_signal)(void *list, uint64_t id, void *event);
	result (*update_wait)(void *list, uint64_t id, uint32_t waits, void **events);
	result (*next_id)(void *list, const void *desc, uint64_t *id);
	result (*update_kernels)(void *list, const void *desc);
};

struct tracer {
	result (*create)(const void *desc, void **tracer);
	result (*destroy)(void *tracer);
	result (*set_prologues)(void *tracer, void *callbacks);
	result (*set_epilogues)(void *tracer, void *callbacks);
	result (*set_enabled)(void *tracer, uint8_t enable);
};

struct version {
	char component[64];
	uint32_t spec;
	int major, minor, patch;
};

static struct {
	int init, init_drivers, build, clone, tomorrow, tomorrow_too;
} called;

/* --- the driver's functions */

static result driver_init(uint32_t flags)
{
	called.init++;
	return flags == 1 ? SUCCESS : 0x78000004u;
}

static result driver_init_drivers(uint32_t *count, void **drivers, void *desc)
{
	called.init_drivers++;
	(void)drivers;
	if (!count || !desc)
		return 0x78000007u;
	*count = 2;
	return SUCCESS;
}

/* Ten parameters, each of which has to arrive. */
static result driver_build(void *builder, const void *desc, void *scratch, size_t scratch_size,
			   void *rtas, size_t rtas_size, void *operation, void *user, void *bounds,
			   size_t *size)
{
	/* The program counts its addresses from here. */
	const char *at = (const char *)builder - 1;

	called.build++;
	*size = 1 + 2 * (size_t)((const char *)desc - at) + 3 * (size_t)((char *)scratch - at) +
		4 * scratch_size + 5 * (size_t)((char *)rtas - at) + 6 * rtas_size +
		7 * (size_t)((char *)operation - at) + 8 * (size_t)((char *)user - at) +
		9 * (size_t)((char *)bounds - at);
	return SUCCESS;
}

static result driver_create_clone(void *list, void **clone)
{
	called.clone++;
	*clone = (char *)list + 1;
	return SUCCESS;
}

/* --- tables, as the loader exports them: filled, and passed through the layer */

static void *layer;

static result offer(const char *name, void *table, size_t size)
{
	getter get = layer ? (getter)dlsym(layer, name) : NULL;
	const char *strict = getenv("TEST_LOADER_STRICT");
	char copy[256];

	if (!layer)
		return SUCCESS;
	if (!get)
		return strict && *strict == '1' ? UNINITIALIZED : SUCCESS;
	/*
	 * First a copy on the stack, as loaders do that can enable the layer later; then the table
	 * in use.
	 */
	memcpy(copy, table, size);
	result got = get(VERSION, copy);
	return got == SUCCESS ? get(VERSION, table) : got;
}

EXPORT result zeGetGlobalProcAddrTable(uint32_t version, struct global *table);
EXPORT result zeGetGlobalProcAddrTable(uint32_t version, struct global *table)
{
	(void)version;
	*table = (struct global){driver_init, driver_init_drivers};
	return offer("zeGetGlobalProcAddrTable", table, sizeof(*table));
}

EXPORT result zeGetRTASBuilderExpProcAddrTable(uint32_t version, struct rtas_builder_exp *table);
EXPORT result zeGetRTASBuilderExpProcAddrTable(uint32_t version, struct rtas_builder_exp *table)
{
	(void)version;
	*table = (struct rtas_builder_exp){.build = driver_build};
	return offer("zeGetRTASBuilderExpProcAddrTable", table, sizeof(*table));
}

EXPORT result zeGetCommandListExpProcAddrTable(uint32_t version, struct command_list_exp *table);
EXPORT result zeGetCommandListExpProcAddrTable(uint32_t version, struct command_list_exp *table)
{
	(void)version;
	*table = (struct command_list_exp){.create_clone = driver_create_clone};
	return offer("zeGetCommandListExpProcAddrTable", table, sizeof(*table));
}

/* --- the loader's own */

static struct {
	struct global global;
	struct rtas_builder_exp rtas_builder_exp;
	struct command_list_exp command_list_exp;
	struct tracer tracer;
} tables;

EXPORT result zeLoaderInit(void);
EXPORT result zeLoaderInit(void)
{
	const char *enabled = getenv("ZE_ENABLE_TRACING_LAYER");

	if (!layer && enabled && !strcmp(enabled, "1"))
		layer = dlopen("libze_tracing_layer.so.1", RTLD_LAZY | RTLD_LOCAL);
	return SUCCESS;
}

/* Tables without functions in this loader, which asks for them nevertheless. */
static result offer_others(void)
{
	static const char *const names[] = {
		"zeGetDriverExpProcAddrTable", "zeGetMemExpProcAddrTable",
		"zeGetRTASParallelOperationExpProcAddrTable", "zeGetRTASBuilderProcAddrTable",
		"zeGetRTASParallelOperationProcAddrTable"};
	void *none[32] = {NULL};
	result got = SUCCESS;

	for (size_t i = 0; got == SUCCESS && i < sizeof(names) / sizeof(*names); i++)
		got = offer(names[i], none, sizeof(none));
	return got;
}

static result fill_tables(void)
{
	result (*get)(uint32_t version, struct tracer * table);
	result got = zeGetGlobalProcAddrTable(VERSION, &tables.global);

	if (got == SUCCESS)
		got = zeGetRTASBuilderExpProcAddrTable(VERSION, &tables.rtas_builder_exp);
	if (got == SUCCESS)
		got = zeGetCommandListExpProcAddrTable(VERSION, &tables.command_list_exp);
	if (got == SUCCESS)
		got = offer_others();
	get = layer ? (result(*)(uint32_t, struct tracer *))dlsym(layer,
								  "zelGetTracerApiProcAddrTable")
		    : NULL;
	return got == SUCCESS && get ? get(VERSION, &tables.tracer) : got;
}

/* Not inlined: its calls come from a place of their own. */
static __attribute__((noinline)) result check(void *desc)
{
	const char *checks = getenv("TEST_LOADER_CHECKS");
	uint32_t count = 0;
	result got = SUCCESS;

	for (int i = checks ? atoi(checks) : 0; i > 0 && got == SUCCESS; i--)
		got = desc ? tables.global.init_drivers(&count, NULL, desc) : tables.global.init(1);
	return got;
}

static result bring_up(void *desc)
{
	result got = zeLoaderInit();

	if (got == SUCCESS && !tables.global.init)
		got = fill_tables();
	return got == SUCCESS ? check(desc) : got;
}

EXPORT result zeInit(uint32_t flags);
EXPORT result zeInit(uint32_t flags)
{
	static int done;
	static result got;

	if (done++)
		return got;
	got = bring_up(NULL);
	if (got == SUCCESS)
		got = tables.global.init(flags);
	return got;
}

EXPORT result zeInitDrivers(uint32_t *count, void **drivers, void *desc);
EXPORT result zeInitDrivers(uint32_t *count, void **drivers, void *desc)
{
	static int done;
	result got = done++ ? SUCCESS : bring_up(desc);

	if (got == SUCCESS)
		got = tables.global.init_drivers(count, drivers, desc);
	return got;
}

EXPORT result zeRTASBuilderBuildExp(void *builder, const void *desc, void *scratch,
				    size_t scratch_size, void *rtas, size_t rtas_size,
				    void *operation, void *user, void *bounds, size_t *size);
EXPORT result zeRTASBuilderBuildExp(void *builder, const void *desc, void *scratch,
				    size_t scratch_size, void *rtas, size_t rtas_size,
				    void *operation, void *user, void *bounds, size_t *size)
{
	return tables.rtas_builder_exp.build(builder, desc, scratch, scratch_size, rtas, rtas_size,
					     operation, user, bounds, size);
}

EXPORT result zeCommandListCreateCloneExp(void *list, void **clone);
EXPORT result zeCommandListCreateCloneExp(void *list, void **clone)
{
	return tables.command_list_exp.create_clone(list, clone);
}

EXPORT result zeDriverGetExtensionFunctionAddress(void *driver, const char *name, void **function);
EXPORT result zeDriverGetExtensionFunctionAddress(void *driver, const char *name, void **function)
{
	(void)driver;
	*function = strcmp(name, "zeCommandListCreateCloneExp")
			    ? NULL
			    : (void *)tables.command_list_exp.create_clone;
	return *function ? SUCCESS : 0x78000003u;
}

EXPORT result zeTomorrow(int a);
EXPORT result zeTomorrow(int a)
{
	called.tomorrow++;
	return (result)a + 1;
}

EXPORT result zeTomorrowToo(int a);
EXPORT result zeTomorrowToo(int a)
{
	called.tomorrow_too++;
	return (result)a + 2;
}

EXPORT result zelLoaderGetVersions(size_t *count, struct version *list);
EXPORT result zelLoaderGetVersions(size_t *count, struct version *list)
{
	const char *text = getenv("TEST_LOADER_VERSION");

	if (list && *count) {
		memset(list, 0, sizeof(*list));
		strcpy(list->component, "loader");
		list->spec = VERSION;
		if (sscanf(text ? text : "1.32.0", "%d.%d.%d", &list->major, &list->minor,
			   &list->patch) != 3)
			return 0x78000004u;
	}
	*count = 1;
	return SUCCESS;
}

EXPORT result zelTracerCreate(const void *desc, void **tracer);
EXPORT result zelTracerCreate(const void *desc, void **tracer)
{
	return tables.tracer.create ? tables.tracer.create(desc, tracer) : UNINITIALIZED;
}

EXPORT result zelTracerDestroy(void *tracer);
EXPORT result zelTracerDestroy(void *tracer)
{
	return tables.tracer.destroy ? tables.tracer.destroy(tracer) : UNINITIALIZED;
}

EXPORT result zelTracerSetEnabled(void *tracer, uint8_t enable);
EXPORT result zelTracerSetEnabled(void *tracer, uint8_t enable)
{
	return tables.tracer.set_enabled ? tables.tracer.set_enabled(tracer, enable)
					 : UNINITIALIZED;
}

/* Loaders from 1.15 on have these; this one always has its layer in the path, or never. */
EXPORT result zelEnableTracingLayer(void);
EXPORT result zelEnableTracingLayer(void)
{
	return UNINITIALIZED;
}

EXPORT result zelDisableTracingLayer(void);
EXPORT result zelDisableTracingLayer(void)
{
	return UNINITIALIZED;
}

/* In the loader these look the function up in the layer, at every call. */
static result register_in_layer(const char *name, void *tracer, uint32_t type,
				void (*callback)(void))
{
	result (*function)(void *, uint32_t, void (*)(void)) = NULL;

	if (layer)
		*(void **)&function = dlsym(layer, name);
	return function ? function(tracer, type, callback) : UNINITIALIZED;
}

EXPORT result zelTracerInitDriversRegisterCallback(void *tracer, uint32_t type,
						   void (*callback)(void));
EXPORT result zelTracerInitDriversRegisterCallback(void *tracer, uint32_t type,
						   void (*callback)(void))
{
	return register_in_layer("zelTracerInitDriversRegisterCallback", tracer, type, callback);
}

EXPORT result zelTracerTomorrowRegisterCallback(void *tracer, uint32_t type,
						void (*callback)(void));
EXPORT result zelTracerTomorrowRegisterCallback(void *tracer, uint32_t type, void (*callback)(void))
{
	return register_in_layer("zelTracerTomorrowRegisterCallback", tracer, type, callback);
}

static __attribute__((destructor)) void report(void)
{
	const char *path = getenv("TEST_LOADER_REPORT");
	FILE *file = path ? fopen(path, "w") : NULL;

	if (!file)
		return;
	fprintf(file,
		"zeInit %d\nzeInitDrivers %d\nzeRTASBuilderBuildExp %d\nzeCommandListCreateCloneExp %d\nzeTomorrow %d\nzeTomorrowToo %d\n",
		called.init, called.init_drivers, called.build, called.clone, called.tomorrow,
		called.tomorrow_too);
	fclose(file);
}
