/* SPDX-License-Identifier: MIT */
/*
 * ze_graph.h: lists whose commands are captured for a graph instead of being executed. With
 * tl_ze_lock held.
 */
#ifndef TL_LAYER_DEVICE_ZE_ZE_GRAPH_H
#define TL_LAYER_DEVICE_ZE_ZE_GRAPH_H

#include <level_zero/ze_api.h>
#include <stdbool.h>
#include <stdint.h>

#include "layer/calls/hook.h"
#include "layer/device/ze/ze_lists.h"

/*
 * Whether what is appended to this list is captured for a graph, and not executed: the layer may
 * add nothing there. Becomes true for a list that waits for an event of a captured command, and
 * stays so.
 */
bool tl_ze_is_captured(struct ze_list *list, ze_event_handle_t signal, uint32_t count,
		       const ze_event_handle_t *waits);
void tl_ze_list_is_gone(const struct ze_list *list);
void tl_ze_graphs_forget(void);

extern const struct tl_hook tl_ze_graph_hooks[];

#endif
