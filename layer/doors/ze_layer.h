/* SPDX-License-Identifier: MIT */
/*
 * ze_layer.h: what ze_layer.c offers to the generated part of Level Zero's layer (apis/ze_layer.c).
 */
#ifndef TL_DOORS_ZE_LAYER_H
#define TL_DOORS_ZE_LAYER_H

#include <stdint.h>

#include "layer/program/zel_tracer.h"

/*
 * Does the work of a zeGet…ProcAddrTable: puts shims into the loader's table, which the loader has
 * filled. `loader`: the address that the call came from.
 */
ze_result_t tl_ze_layer_table(const char *getter, uint32_t version, void *table,
			      const void *loader);

/* Does the work of zelTracer<X>RegisterCallback for the function of that name. */
ze_result_t tl_ze_layer_register(zel_tracer_handle_t tracer, int type, const char *function,
				 tl_callback callback);

#endif
