/* SPDX-License-Identifier: MIT */
/*
 * zel_early.c: a tool that is preloaded beside us and takes the tracing interface by dlsym in its
 * constructor, before ours has run; as unitrace does. It traces zeEventCreate and zeContextCreate,
 * and tells at the end what it heard.
 *
 * TEST_EARLY=handle (the default), default, next: whom it asks.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <level_zero/layers/zel_tracing_api.h>
#include <level_zero/layers/zel_tracing_register_cb.h>
#include <level_zero/ze_api.h>

#define EACH(DO)                                                                                   \
	DO(zelTracerCreate)                                                                        \
	DO(zelTracerDestroy)                                                                       \
	DO(zelTracerSetPrologues) DO(zelTracerSetEpilogues) DO(zelTracerSetEnabled)

#define DECLARE(name) static __typeof__(&name) p_##name;
EACH(DECLARE)
static __typeof__(&zeInit) p_zeInit;

static zel_tracer_handle_t tracer;
static int begun, ended, failed;
static const char *from[8];
static int froms;

static void must(ze_result_t got, const char *what)
{
	if (got != ZE_RESULT_SUCCESS && !failed++)
		fprintf(stderr, "early: %s: %x\n", what, got);
}

/* Which libraries the functions are of. */
static void note(void *function)
{
	Dl_info info;
	const char *name = dladdr(function, &info) ? strrchr(info.dli_fname, '/') : NULL;

	for (int i = 0; i < froms; i++)
		if (!strcmp(from[i], name ? name : "?"))
			return;
	if (froms < 8)
		from[froms++] = name ? name : "?";
}

static void prologue(ze_context_create_params_t *params, ze_result_t result, void *user,
		     void **instance)
{
	(void)params, (void)result, (void)user;
	*instance = &begun;
	begun++;
}

static void epilogue(ze_context_create_params_t *params, ze_result_t result, void *user,
		     void **instance)
{
	(void)params, (void)result, (void)user;
	ended += *instance == &begun;
}

static __attribute__((constructor)) void start(void)
{
	const char *way = getenv("TEST_EARLY");
	void *whom = way && !strcmp(way, "default") ? RTLD_DEFAULT
		     : way && !strcmp(way, "next")  ? RTLD_NEXT
						    : dlopen("libze_loader.so.1", RTLD_NOW);
	zel_tracer_desc_t desc = {.stype = ZEL_STRUCTURE_TYPE_TRACER_DESC};
	zel_core_callbacks_t prologues, epilogues;

#define TAKE(name)                                                                                 \
	if (!(p_##name = (__typeof__(p_##name))dlsym(whom, #name))) {                              \
		fprintf(stderr, "early: no %s\n", #name);                                          \
		failed++;                                                                          \
		return;                                                                            \
	}                                                                                          \
	if (strcmp(#name, "zeInit"))                                                               \
		note((void *)p_##name);
	EACH(TAKE)
	TAKE(zeInit)
	must(p_zeInit(0), "zeInit");
	must(p_zelTracerCreate(&desc, &tracer), "zelTracerCreate");
	memset(&prologues, 0, sizeof(prologues));
	memset(&epilogues, 0, sizeof(epilogues));
	prologues.Context.pfnCreateCb = prologue;
	epilogues.Context.pfnCreateCb = epilogue;
	must(p_zelTracerSetPrologues(tracer, &prologues), "zelTracerSetPrologues");
	must(p_zelTracerSetEpilogues(tracer, &epilogues), "zelTracerSetEpilogues");
	must(p_zelTracerSetEnabled(tracer, 1), "zelTracerSetEnabled");
}

static __attribute__((destructor)) void end(void)
{
	if (tracer) {
		must(p_zelTracerSetEnabled(tracer, 0), "zelTracerSetEnabled");
		must(p_zelTracerDestroy(tracer), "zelTracerDestroy");
	}
	fprintf(stderr, "early: %d begun, %d ended, %d failed, from", begun, ended, failed);
	for (int i = 0; i < froms; i++)
		fprintf(stderr, " %s", from[i]);
	fprintf(stderr, "\n");
}
