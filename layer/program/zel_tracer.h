/* SPDX-License-Identifier: MIT */
/*
 * zel_tracer.h: Level Zero's tracing interface on our tracers: what the generated part
 * (ze_tracing.c) and zel_tracer.c share.
 */
#ifndef TL_LAYER_PROGRAM_ZEL_TRACER_H
#define TL_LAYER_PROGRAM_ZEL_TRACER_H

#include <stddef.h>
#include <stdint.h>

#include <level_zero/ze_api.h>
#include <level_zero/layers/zel_tracing_api.h>
#include <level_zero/layers/zel_tracing_register_cb.h>

#include "layer/calls/tracers.h"

/* All functions, for Level Zero's own layer (layer/doors/), which exports the same names. */
struct tl_zel {
	ze_result_t (*create)(const zel_tracer_desc_t *desc, zel_tracer_handle_t *tracer);
	ze_result_t (*destroy)(zel_tracer_handle_t tracer);
	ze_result_t (*set_prologues)(zel_tracer_handle_t tracer, zel_core_callbacks_t *callbacks);
	ze_result_t (*set_epilogues)(zel_tracer_handle_t tracer, zel_core_callbacks_t *callbacks);
	ze_result_t (*set_enabled)(zel_tracer_handle_t tracer, ze_bool_t enable);
	ze_result_t (*reset)(zel_tracer_handle_t tracer);
	ze_result_t (*register_callback)(zel_tracer_handle_t tracer, int type, const char *function,
					 tl_callback callback);
};
TL_EXPORT const struct tl_zel *tl_zel(void);

/*
 * See whether the environment asks for the loader's tracing layer. Called once, from the
 * constructor. Tests of the layer without Level Zero lack it.
 */
void tl_zel_start(void) __attribute__((weak));

/*
 * zelTracer<X>RegisterCallback. type is a zel_tracer_reg_t, as a number so that any value can be
 * looked at.
 */
ze_result_t tl_zel_register(zel_tracer_handle_t tracer, int type, struct tl_shim *shim,
			    tl_callback callback);

/* A slot of zel_core_callbacks_t, and the shim that it is for. Ends with a NULL shim. */
struct tl_zel_slot {
	size_t offset;
	struct tl_shim *shim;
};
extern const struct tl_zel_slot tl_zel_slots[] __attribute__((visibility("hidden")));

#endif
