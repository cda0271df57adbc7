/* SPDX-License-Identifier: MIT */
/*
 * ze_objects.h: what hooks of all kinds of objects share. Handles are reused: a new object takes
 * the place of the one that had its handle. With tl_ze_lock held.
 */
#ifndef TL_LAYER_DEVICE_ZE_ZE_OBJECTS_H
#define TL_LAYER_DEVICE_ZE_ZE_OBJECTS_H

#include <level_zero/ze_api.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "layer/device/handles.h"

static inline bool tl_ze_call_failed(uint64_t result, bool unwound)
{
	return unwound || result != ZE_RESULT_SUCCESS;
}

/*
 * A new object, zeroed, in the table under its handle. If the table has an object of that handle,
 * that object's destruction was not seen. NULL: memory is short.
 */
static inline void *tl_ze_object_new(struct tl_handles *table, const void *handle, size_t size)
{
	struct tl_handle *object = calloc(1, size);

	if (object) {
		object->key = handle;
		tl_handles_put(table, object);
	}
	return object;
}

/*
 * The state of a hook of a function that destroys an object. After the driver has destroyed it, and
 * before the hook's `after`, another thread may get an object of the same handle. So `before` takes
 * the object out of the table.
 */
struct ze_taken {
	struct tl_handle *object;
};

#endif
