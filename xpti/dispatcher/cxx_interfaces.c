/* SPDX-License-Identifier: MIT */
/*
 * cxx_interfaces.c: the four C++ interfaces of a trace point, as vtables of the Itanium ABI.
 *
 * Two words precede the functions in memory: the distance to the object's first interface, for
 * dynamic_cast<void *>, and the type's description. There is no description here, so typeid and
 * dynamic_cast to another type do not work.
 */
#include "xpti/dispatcher/cxx_interfaces.h"
#include "xpti/dispatcher/trace_points.h"

static struct tl_xpti_point *point_of_payload(const xpti_payload_if *self)
{
	return (struct tl_xpti_point *)((char *)self - offsetof(struct tl_xpti_point, payload_if));
}

static struct tl_xpti_point *point_of_event(const xpti_event_if *self)
{
	return (struct tl_xpti_point *)((char *)self - offsetof(struct tl_xpti_point, event_if));
}

static struct tl_xpti_point *point_of_metadata(const xpti_metadata_if *self)
{
	return (struct tl_xpti_point *)((char *)self - offsetof(struct tl_xpti_point, metadata_if));
}

static struct tl_xpti_point *point_of_tracepoint(const xpti_tracepoint_if *self)
{
	return (struct tl_xpti_point *)((char *)self -
					offsetof(struct tl_xpti_point, tracepoint_if));
}

/* ---- payload ---- */

static void payload_destroy(xpti_payload_if *self)
{
}
static void payload_free(xpti_payload_if *self)
{
	tl_xpti_point_release(point_of_payload(self));
}
static const char *payload_name(const xpti_payload_if *self)
{
	return point_of_payload(self)->payload.name;
}
static const char *payload_source_file(const xpti_payload_if *self)
{
	return point_of_payload(self)->payload.source_file;
}
static uint32_t payload_line_no(const xpti_payload_if *self)
{
	return point_of_payload(self)->payload.line_no;
}
static uint32_t payload_column_no(const xpti_payload_if *self)
{
	return point_of_payload(self)->payload.column_no;
}
static uint64_t payload_flags(const xpti_payload_if *self)
{
	return point_of_payload(self)->payload.flags;
}
static int32_t payload_name_id(const xpti_payload_if *self)
{
	return (int32_t)point_of_payload(self)->name_id;
}
static int32_t payload_file_id(const xpti_payload_if *self)
{
	return (int32_t)point_of_payload(self)->file_id;
}
static uint64_t payload_uid(const xpti_payload_if *self)
{
	return point_of_payload(self)->payload.internal;
}
static bool payload_is_valid(const xpti_payload_if *self)
{
	return tl_xpti_point_uid(point_of_payload(self)) != 0;
}
static xpti_payload *payload_ref(xpti_payload_if *self)
{
	return &point_of_payload(self)->payload;
}

/* ---- event ---- */

static void event_destroy(xpti_event_if *self)
{
}
static void event_free(xpti_event_if *self)
{
	tl_xpti_point_release(point_of_event(self));
}
static xpti_payload_if *event_payload(xpti_event_if *self)
{
	return &point_of_event(self)->payload_if;
}
static xpti_metadata_if *event_metadata(xpti_event_if *self)
{
	return &point_of_event(self)->metadata_if;
}
static uint64_t event_uid(const xpti_event_if *self)
{
	return point_of_event(self)->event.unique_id;
}
static uint64_t event_instance(const xpti_event_if *self)
{
	return point_of_event(self)->event.instance_id;
}
static uint16_t event_type(const xpti_event_if *self)
{
	return point_of_event(self)->event.event_type;
}
static uint16_t event_activity(const xpti_event_if *self)
{
	return point_of_event(self)->event.activity_type;
}
static uint64_t event_source(const xpti_event_if *self)
{
	return point_of_event(self)->event.source_id;
}
static uint64_t event_target(const xpti_event_if *self)
{
	return point_of_event(self)->event.target_id;
}
static uint64_t event_flags(const xpti_event_if *self)
{
	return point_of_event(self)->event.flags;
}
static xpti_payload *event_payload_ref(xpti_event_if *self)
{
	return &point_of_event(self)->payload;
}
static xpti_event *event_ref(xpti_event_if *self)
{
	return &point_of_event(self)->event;
}

static void event_set_activity(xpti_event_if *self, int activity)
{
	xpti_event *event = &point_of_event(self)->event;

	event->activity_type = (uint16_t)activity;
	event->flags |= xpti_event_has_activity_type;
}

static void event_set_type(xpti_event_if *self, uint16_t type)
{
	xpti_event *event = &point_of_event(self)->event;

	event->event_type = type;
	event->flags |= xpti_event_has_event_type;
}

/* ---- metadata ---- */

static void metadata_destroy(xpti_metadata_if *self)
{
}
static void metadata_free(xpti_metadata_if *self)
{
	tl_xpti_point_release(point_of_metadata(self));
}
static size_t metadata_count(const xpti_metadata_if *self)
{
	return point_of_metadata(self)->event.metadata.count;
}

static xpti_result metadata_item_at(struct tl_xpti_point *point, xpti_metadata_node *node,
				    char **key, xpti_object_id *value)
{
	point->cursor = node;
	if (!node)
		return XPTI_RESULT_FALSE;
	if (key)
		*key = (char *)xptiLookupString(node->key);
	if (value)
		*value = node->value;
	return XPTI_RESULT_SUCCESS;
}

static xpti_result metadata_first(xpti_metadata_if *self, char **key, xpti_object_id *value)
{
	struct tl_xpti_point *point = point_of_metadata(self);

	return metadata_item_at(point, point->event.metadata.first, key, value);
}

static xpti_result metadata_next(xpti_metadata_if *self, char **key, xpti_object_id *value)
{
	struct tl_xpti_point *point = point_of_metadata(self);

	return metadata_item_at(point, point->cursor ? point->cursor->next : NULL, key, value);
}

static xpti_result metadata_add(xpti_metadata_if *self, const char *key, xpti_object_id value)
{
	return xptiAddMetadata(&point_of_metadata(self)->event, key, value);
}

/* ---- trace point ---- */

static void tracepoint_destroy(xpti_tracepoint_if *self)
{
}
static void tracepoint_free(xpti_tracepoint_if *self)
{
	tl_xpti_point_release(point_of_tracepoint(self));
}
static xpti_payload_if *tracepoint_payload(xpti_tracepoint_if *self)
{
	return &point_of_tracepoint(self)->payload_if;
}
static xpti_metadata_if *tracepoint_metadata(xpti_tracepoint_if *self)
{
	return &point_of_tracepoint(self)->metadata_if;
}
static xpti_event_if *tracepoint_event(xpti_tracepoint_if *self)
{
	return &point_of_tracepoint(self)->event_if;
}
static uint64_t tracepoint_uid(const xpti_tracepoint_if *self)
{
	return point_of_tracepoint(self)->event.unique_id;
}
static uint64_t tracepoint_instance(const xpti_tracepoint_if *self)
{
	return point_of_tracepoint(self)->event.instance_id;
}
static xpti_event *tracepoint_event_ref(xpti_tracepoint_if *self)
{
	return &point_of_tracepoint(self)->event;
}
static xpti_payload *tracepoint_payload_ref(xpti_tracepoint_if *self)
{
	return &point_of_tracepoint(self)->payload;
}

/* ---- the vtables ---- */

#define VTABLE(kind, member)                                                                       \
	static const struct {                                                                      \
		ptrdiff_t to_top;                                                                  \
		const void *type;                                                                  \
		struct xpti_##kind##_vtbl functions;                                               \
	} kind##_vtable = {-(ptrdiff_t)offsetof(struct tl_xpti_point, member), NULL,

VTABLE(payload, payload_if)
{
	payload_destroy, payload_free, payload_name, payload_source_file, payload_line_no,
		payload_column_no, payload_flags, payload_name_id, payload_file_id, payload_uid,
		payload_is_valid, payload_ref
}
}
;
VTABLE(event, event_if)
{
	event_destroy, event_free, event_payload, event_metadata, event_uid, event_instance,
		event_type, event_activity, event_source, event_target, event_flags,
		event_set_activity, event_set_type, event_payload_ref, event_ref
}
}
;
VTABLE(metadata, metadata_if)
{
	metadata_destroy, metadata_free, metadata_first, metadata_next, metadata_add, metadata_count
}
}
;
VTABLE(tracepoint, tracepoint_if)
{
	tracepoint_destroy, tracepoint_free, tracepoint_payload, tracepoint_metadata,
		tracepoint_event, tracepoint_uid, tracepoint_instance, tracepoint_event_ref,
		tracepoint_payload_ref
}
}
;

void tl_xpti_interfaces_init(struct tl_xpti_point *point)
{
	point->payload_if.vtbl = &payload_vtable.functions;
	point->event_if.vtbl = &event_vtable.functions;
	point->metadata_if.vtbl = &metadata_vtable.functions;
	point->tracepoint_if.vtbl = &tracepoint_vtable.functions;
}
