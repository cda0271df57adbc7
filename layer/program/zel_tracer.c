/* SPDX-License-Identifier: MIT */
/*
 * zel_tracer.c: zelTracerCreate and the other functions that level_zero/layers/zel_tracing_api.h
 * declares.
 *
 * The handles are our tracers'. Where the header and the loader's own layer differ, tools depend on
 * the layer: a NULL pUserData is accepted, and changing the callbacks of an enabled tracer is an
 * invalid argument. Where the layer crashes (NULL, unknown or destroyed handles, no table), the
 * documented error codes are returned.
 */
#include "layer/program/zel_tracer.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "layer/base/loaded_libraries.h"
#include "layer/resolve/api_table.h"

static ze_result_t result_of(int status)
{
	switch (status) {
	case TL_TRACER_OK:
		return ZE_RESULT_SUCCESS;
	case TL_TRACER_NULL:
	case TL_TRACER_UNKNOWN:
		return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
	case TL_TRACER_IN_USE:
		return ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE;
	case TL_TRACER_NO_MEMORY:
		return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
	default:
		return ZE_RESULT_ERROR_INVALID_ARGUMENT;
	}
}

static struct tl_tracer *tracer_of(zel_tracer_handle_t handle)
{
	return (struct tl_tracer *)handle;
}

/* For the loader's own layer: the loader decides whether it is in the calls' path. */
static ze_result_t tracer_create_in_layer(const zel_tracer_desc_t *desc,
					  zel_tracer_handle_t *phTracer)
{
	struct tl_tracer *tracer;

	if (!desc || !phTracer)
		return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
	struct tl_tracer_desc ours = {.size = sizeof(ours), .user_data = desc->pUserData};
	ze_result_t result = result_of(tl_tracer_create(&ours, &tracer));
	if (result == ZE_RESULT_SUCCESS)
		*phTracer = (zel_tracer_handle_t)tracer;
	return result;
}

TL_EXPORT ze_result_t zelTracerDestroy(zel_tracer_handle_t hTracer)
{
	return result_of(tl_tracer_destroy(tracer_of(hTracer)));
}

TL_EXPORT ze_result_t zelTracerSetEnabled(zel_tracer_handle_t hTracer, ze_bool_t enable)
{
	return result_of(enable ? tl_tracer_enable(tracer_of(hTracer))
				: tl_tracer_disable(tracer_of(hTracer)));
}

/* The original's document declares this function, and the original does not define it. */
TL_EXPORT ze_result_t zelTracerResetAllCallbacks(zel_tracer_handle_t hTracer);
TL_EXPORT ze_result_t zelTracerResetAllCallbacks(zel_tracer_handle_t hTracer)
{
	return result_of(tl_tracer_reset(tracer_of(hTracer)));
}

/* Every slot counts: a NULL in the table removes the callback. */
static ze_result_t tracer_set_table(zel_tracer_handle_t handle, const zel_core_callbacks_t *table,
				    enum tl_phase phase)
{
	if (!handle)
		return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
	if (!table)
		return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
	tl_api_need();
	for (const struct tl_zel_slot *slot = tl_zel_slots; slot->shim; slot++) {
		tl_callback callback;
		memcpy(&callback, (const char *)table + slot->offset, sizeof(callback));
		int status =
			tl_tracer_register_shim(tracer_of(handle), slot->shim, phase, callback);
		if (status != TL_TRACER_OK)
			return result_of(status);
	}
	return ZE_RESULT_SUCCESS;
}

TL_EXPORT ze_result_t zelTracerSetPrologues(zel_tracer_handle_t hTracer,
					    zel_core_callbacks_t *pCoreCbs)
{
	return tracer_set_table(hTracer, pCoreCbs, TL_PROLOGUE);
}

TL_EXPORT ze_result_t zelTracerSetEpilogues(zel_tracer_handle_t hTracer,
					    zel_core_callbacks_t *pCoreCbs)
{
	return tracer_set_table(hTracer, pCoreCbs, TL_EPILOGUE);
}

static ze_result_t phase_of(zel_tracer_handle_t tracer, int type, enum tl_phase *phase)
{
	if (!tracer)
		return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
	if (type != ZEL_REGISTER_PROLOGUE && type != ZEL_REGISTER_EPILOGUE)
		return ZE_RESULT_ERROR_INVALID_ENUMERATION;
	*phase = type == ZEL_REGISTER_PROLOGUE ? TL_PROLOGUE : TL_EPILOGUE;
	return ZE_RESULT_SUCCESS;
}

ze_result_t tl_zel_register(zel_tracer_handle_t tracer, int type, struct tl_shim *shim,
			    tl_callback callback)
{
	enum tl_phase phase;
	ze_result_t result = phase_of(tracer, type, &phase);

	return result == ZE_RESULT_SUCCESS ? result_of(tl_tracer_register_shim(
						     tracer_of(tracer), shim, phase, callback))
					   : result;
}

static ze_result_t tracer_register_by_name(zel_tracer_handle_t tracer, int type,
					   const char *function, tl_callback callback)
{
	enum tl_phase phase;
	ze_result_t result = phase_of(tracer, type, &phase);

	return result == ZE_RESULT_SUCCESS
		       ? result_of(tl_tracer_register(tracer_of(tracer), function, phase, callback))
		       : result;
}

/* Stands for the register functions that are not known here. */
TL_EXPORT ze_result_t tl_zel_unsupported(void);
TL_EXPORT ze_result_t tl_zel_unsupported(void)
{
	return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

const struct tl_zel *tl_zel(void)
{
	/*
	 * -Bsymbolic binds these to the functions above, and not to the loader's of the same names.
	 */
	static const struct tl_zel zel = {
		tracer_create_in_layer,	 zelTracerDestroy,    zelTracerSetPrologues,
		zelTracerSetEpilogues,	 zelTracerSetEnabled, zelTracerResetAllCallbacks,
		tracer_register_by_name,
	};

	return &zel;
}

/* --- the preload door's own: is the tracing layer in the calls' path? */

/*
 * Loaders from 1.15 on can put their tracing layer into the path of a running program, and take it
 * out again, by the count of calls of zelEnableTracingLayer; callbacks run only while it is there.
 * With preloading the shims are always in the path. So with such a loader the tracers of this
 * interface are behind a gate. It is open while the layer would be in the path: if the environment
 * asked for it, or the count isn't 0. Older loaders have a layer only if the environment asks for
 * it. With them the gate is always open, so that tools work without the environment, too. A disable
 * without an enable before it does not count.
 */
static _Atomic uint32_t enabled_count;

/*
 * A loader reads the variable in zeInit, and never again. Programs set it before, and may remove it
 * later, so that their children have no layer. So a 1 that was seen once stays.
 */
static _Atomic bool asked_for;

static bool layer_is_asked_for(void)
{
	const char *variable = getenv("ZE_ENABLE_TRACING_LAYER");

	if (variable && !strcmp(variable, "1"))
		atomic_store_explicit(&asked_for, true, memory_order_relaxed);
	return atomic_load_explicit(&asked_for, memory_order_relaxed);
}

void tl_zel_start(void)
{
	layer_is_asked_for();
}

static void loader_look_for_switch(const struct tl_loaded *loaded, void *closure)
{
	static const char name[] = "zelEnableTracingLayer";
	bool *has_switch = closure;

	for (unsigned i = 1; i < loaded->count; i++)
		if (tl_elf_is_named(&loaded->elf[i], "libze_loader.so.1") &&
		    tl_elf_lookup(&loaded->elf[i], name, tl_elf_hash(name), NULL))
			*has_switch = true;
}

static bool loader_has_switch(void)
{
	bool has_switch = false;
	int saved = errno;

	tl_loaded_with(loader_look_for_switch, &has_switch);
	errno = saved;
	return has_switch;
}

static ze_result_t gate_follow_count(void)
{
	return result_of(
		tl_tracer_gate(layer_is_asked_for() || !loader_has_switch(), &enabled_count));
}

TL_EXPORT ze_result_t zelTracerCreate(const zel_tracer_desc_t *desc, zel_tracer_handle_t *phTracer)
{
	ze_result_t result = tracer_create_in_layer(desc, phTracer);

	if (result != ZE_RESULT_SUCCESS)
		return result;
	tl_tracer_put_behind_gate(tracer_of(*phTracer));
	result = gate_follow_count();
	if (result != ZE_RESULT_SUCCESS)
		tl_tracer_destroy(tracer_of(*phTracer));
	return result;
}

TL_EXPORT ze_result_t zelEnableTracingLayer(void);
TL_EXPORT ze_result_t zelEnableTracingLayer(void)
{
	atomic_fetch_add_explicit(&enabled_count, 1, memory_order_relaxed);
	return gate_follow_count();
}

TL_EXPORT ze_result_t zelDisableTracingLayer(void);
TL_EXPORT ze_result_t zelDisableTracingLayer(void)
{
	uint32_t count = atomic_load_explicit(&enabled_count, memory_order_relaxed);

	while (count &&
	       !atomic_compare_exchange_weak_explicit(&enabled_count, &count, count - 1,
						      memory_order_relaxed, memory_order_relaxed))
		;
	return gate_follow_count();
}

TL_EXPORT ze_result_t zelGetTracingLayerState(bool *enabled);
TL_EXPORT ze_result_t zelGetTracingLayerState(bool *enabled)
{
	if (!enabled)
		return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
	*enabled =
		layer_is_asked_for() || atomic_load_explicit(&enabled_count, memory_order_relaxed);
	return ZE_RESULT_SUCCESS;
}
