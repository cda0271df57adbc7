/* SPDX-License-Identifier: MIT */
/*
 * timeline_notified.c: what a notification becomes: a begin, an end or an instant.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "xpti/timeline/timeline_args.h"
#include "xpti/timeline/timeline_edges.h"
#include "xpti/timeline/timeline_lanes.h"
#include "xpti/timeline/timeline_notified.h"
#include "xpti/timeline/timeline_open.h"
#include "xpti/timeline/timeline_slices.h"
#include "xpti/timeline/timeline_state.h"
#include "xpti/timeline/timeline_types.h"

/* The process ends: all that was open is recorded already. */
static _Atomic bool over;

struct notification {
	uint16_t type;
	uint8_t stream;
	xpti_event *parent, *object;
	uint64_t instance;
	const void *user_data;
};

static const struct timeline_place *payload_place(struct timeline_thread *thread,
						  const xpti_payload *payload)
{
	return timeline_place(thread, payload->name, payload->source_file, payload->line_no,
			      payload->column_no, true);
}

static bool is_aligned(const void *pointer)
{
	return pointer && (uintptr_t)pointer % 8 == 0;
}

/* The description that a call with arguments brings. NULL: the type is another. */
static const xpti_function_with_args *function_called(const struct notification *what)
{
	if ((what->type | 1) != xpti_trace_function_with_args_end || !is_aligned(what->user_data))
		return NULL;
	return what->user_data;
}

/*
 * The name of a function, taken from the user data. SYCL's runtime has one event for all calls, with
 * the name "unknown": so the data of a call with arguments gives the name. The data of other calls
 * gives it where they have no event.
 */
static const char *user_data_name(const struct notification *what, const xpti_payload *payload)
{
	const xpti_function_with_args *call = function_called(what);

	if (call)
		return call->function_name;
	if ((what->type | 1) == xpti_trace_function_end && !payload)
		return what->user_data;
	return NULL;
}

/*
 * A call of SYCL's unified runtime. NULL: it is another call, whose arguments and result have no
 * known types.
 */
static const xpti_function_with_args *unified_runtime_call(const struct notification *what)
{
	const xpti_function_with_args *call = function_called(what);

	return call && strncmp(timeline_stream_name(what->stream), "ur.", 3) == 0 ? call : NULL;
}

/* The unified runtime's calls give back a number of 32 bits. */
static void begun_read_result(struct timeline_begun *begun, const xpti_function_with_args *call)
{
	if (!call || !call->ret_data || (uintptr_t)call->ret_data % sizeof(int32_t))
		return;
	begun->result = *(const int32_t *)call->ret_data;
	begun->more |= TIMELINE_RESULT;
}

static uint32_t event_name(struct timeline_thread *thread, xpti_event *event)
{
	const xpti_payload *payload = event ? xptiQueryPayload(event) : NULL;

	return payload && payload->name ? payload_place(thread, payload)->number : 0;
}

static void begun_read_memory(struct timeline_begun *begun, const struct notification *what)
{
	uint16_t end = what->type | 1;

	if ((end != xpti_trace_mem_alloc_end && end != xpti_trace_mem_release_end) ||
	    !is_aligned(what->user_data))
		return;
	const xpti_mem_alloc_data *memory = what->user_data;
	if (memory->alloc_size)
		begun->bytes = memory->alloc_size;
	if (memory->alloc_pointer)
		begun->address = memory->alloc_pointer;
}

/* Fill in the name, the place in the code and the parent. */
static void begun_read_place(struct timeline_thread *thread, struct timeline_begun *begun,
			     const struct notification *what)
{
	const xpti_payload *payload = what->object ? xptiQueryPayload(what->object) : NULL;
	const char *name = user_data_name(what, payload);

	if (payload && (payload->name || payload->source_file)) {
		const struct timeline_place *place = payload_place(thread, payload);
		begun->name = place->number;
		begun->source = place->source;
		begun->uid = payload->internal;
	}
	if (name) {
		uint32_t number = timeline_place(thread, name, NULL, 0, 0, false)->number;
		begun->name = number ? number : begun->name;
	}
	if (!begun->name)
		begun->name = timeline_type_word(what->type);
	if (what->parent)
		begun->parent = event_name(thread, what->parent);
}

/* What is needed to find the other half. `type` is that of the begin. */
static struct timeline_begun begun_of(const struct notification *what)
{
	return (struct timeline_begun){.object = (uintptr_t)what->object,
				       .instance = what->instance,
				       .type = what->type & 0xfffe,
				       .stream = what->stream};
}

static void notified_begin(struct timeline_thread *thread, const struct notification *what)
{
	struct timeline_begun begun = begun_of(what);

	if (tl_guest_wanted(TIMELINE_LEVEL)) {
		begun_read_place(thread, &begun, what);
		begun_read_memory(&begun, what);
		/* Make the lane now: it exists even if the process dies before anything ends. */
		timeline_lane(thread, what->stream);
		begun.start = tl_guest_now();
		timeline_run_begins(begun.uid, begun.start);
	}
	timeline_push(thread, &begun);
}

static void tell_unmatched(struct timeline_thread *thread, const struct notification *what,
			   uint64_t now)
{
	struct timeline_begun alone = begun_of(what);
	struct timeline_args args = {.count = 0};

	begun_read_place(thread, &alone, what);
	begun_read_memory(&alone, what);
	timeline_add_begun(&args, &alone);
	timeline_add_type(&args, what->type);
	timeline_add(&args, TIMELINE_KEY(unmatched), TL_VALUE_TRUTH, true);
	timeline_tell_instant(thread, now, &alone, &args);
}

static void notified_end(struct timeline_thread *thread, const struct notification *what)
{
	struct timeline_begun begun = begun_of(what);
	bool wanted = tl_guest_wanted(TIMELINE_LEVEL);
	uint64_t now = wanted ? tl_guest_now() : 0;

	timeline_note_type_ends(what->type);
	if (timeline_pop(thread, &begun)) {
		if (!wanted || !begun.start)
			return;
		begun_read_memory(&begun, what);
		const xpti_function_with_args *call = unified_runtime_call(what);
		begun_read_result(&begun, call);
		timeline_tell(thread, &begun, now, call ? call->args_data : NULL);
	} else if (wanted && !atomic_load_explicit(&over, memory_order_relaxed)) {
		tell_unmatched(thread, what, now);
	}
}

/* Both ends of an edge, with their names where these are known. */
static void notified_add_edge(struct timeline_thread *thread, struct timeline_args *args,
			      const struct notification *what)
{
	const xpti_event *edge = what->object;
	uint64_t source = edge->source_id, target = edge->target_id;

	timeline_add_text(args, TIMELINE_KEY(from),
			  event_name(thread, (xpti_event *)xptiFindEvent(source)));
	timeline_add_text(args, TIMELINE_KEY(to),
			  event_name(thread, (xpti_event *)xptiFindEvent(target)));
	timeline_add_hex(args, TIMELINE_KEY(from_id), source);
	timeline_add_hex(args, TIMELINE_KEY(to_id), target);
}

static void notified_instant(struct timeline_thread *thread, const struct notification *what)
{
	struct timeline_begun alone = begun_of(what);
	struct timeline_args args = {.count = 0};

	alone.type = what->type;
	begun_read_place(thread, &alone, what);
	timeline_add_begun(&args, &alone);
	timeline_add_type(&args, what->type);
	/* An object with a uid is an event, and may be read. */
	if (what->type == xpti_trace_edge_create && alone.uid) {
		notified_add_edge(thread, &args, what);
		timeline_edge_made(what->object->source_id, what->object->target_id, alone.name);
	}
	if (what->type == xpti_trace_diagnostics && what->user_data)
		timeline_add_text(&args, TIMELINE_KEY(message),
				  timeline_text(what->user_data, false));
	if (timeline_type_role(what->type) == TIMELINE_CREATE && alone.uid)
		timeline_add_metadata(&args, what->object);
	timeline_tell_instant(thread, tl_guest_now(), &alone, &args);
}

void timeline_notified(uint16_t type, xpti_event *parent, xpti_event *object, uint64_t instance,
		       const void *user_data, uint8_t stream)
{
	const struct notification what = {type, stream, parent, object, instance, user_data};
	int error = errno;
	struct timeline_thread *thread = timeline_this_thread();

	if (TL_LIKELY(thread != NULL)) {
		enum timeline_role role = timeline_type_role(type);
		if (role == TIMELINE_BEGIN)
			notified_begin(thread, &what);
		else if (role == TIMELINE_END)
			notified_end(thread, &what);
		else if (tl_guest_wanted(TIMELINE_LEVEL))
			notified_instant(thread, &what);
	}
	errno = error;
}

void timeline_at_end(void)
{
	atomic_store_explicit(&over, true, memory_order_relaxed);
	timeline_flush(0);
}
