/* SPDX-License-Identifier: MIT */
/*
 * ze_linked.c: a library with a loader linked into it, as oneAPI's adapters have it. The library's
 * own calls of zeInit and the rest are of that loader, and lead through tables that it has from the
 * dynamic loader, which it brings up by functions that it looks up by name.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define VERSION ((1u << 16) | 12)

typedef uint32_t result;

static void *loader;

/* The tables as this loader knows them. */
static struct {
	result (*init)(uint32_t flags);
	result (*init_drivers)(uint32_t *count, void **drivers, void *desc);
} global;

static struct {
	void *create, *get_properties;
	result (*build)(void *builder, const void *desc, void *scratch, size_t scratch_size,
			void *rtas, size_t rtas_size, void *operation, void *user, void *bounds,
			size_t *size);
	void *destroy;
} rtas_builder_exp;

static void *found(const char *name)
{
	void *function = dlsym(loader, name);

	if (!function) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	return function;
}

static void get_table(const char *getter, void *table)
{
	result (*get)(uint32_t version, void *table) = (__typeof__(get))found(getter);
	result got = get(VERSION, table);

	if (got)
		printf("%s %x\n", getter, got);
}

/* What zeInit of the loader that is linked in does before it calls by its table. */
static void bring_up(void)
{
	loader = dlopen("libze_loader.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!loader) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	((result(*)(void))found("zeLoaderInit"))();
	get_table("zeGetGlobalProcAddrTable", &global);
	get_table("zeGetRTASBuilderExpProcAddrTable", &rtas_builder_exp);
	((result(*)(uint32_t))found("zeInit"))(1);
}

__attribute__((visibility("default"))) void test_linked_calls(void);
void test_linked_calls(void)
{
	static char memory[100001000], *at = memory;
	size_t size = 0;

	bring_up();
	/* As later ones have it. */
	if (getenv("TEST_LINKED_LATER"))
		global.init = (__typeof__(global.init))found("zeInit");
	printf("zeInit %x\n", global.init(1));
	result got = rtas_builder_exp.build(at + 1, at + 10, at + 100, 1000, at + 10000, 100000,
					    at + 1000000, at + 10000000, at + 100000000, &size);
	printf("zeRTASBuilderBuildExp %x %zu\n", got, size);
	result (*clone)(void *list, void **clone) = NULL;
	result (*get)(void *driver, const char *name, void **function) =
		(__typeof__(get))found("zeDriverGetExtensionFunctionAddress");
	void *cloned = NULL;
	got = get(NULL, "zeCommandListCreateCloneExp", (void **)&clone);
	printf("given %x", got);
	printf(" %x\n", clone ? clone(at, &cloned) : 1);
}
