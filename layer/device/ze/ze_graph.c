/* SPDX-License-Identifier: MIT */
/*
 * ze_graph.c: lists whose commands are captured for a graph instead of being executed.
 *
 * The capture begins on one immediate list, and spreads to others: to a list whose next command
 * waits for an event that a captured command signals. It ends for all lists at once. The layer adds
 * nothing to what is captured, which may be executed many times, or never, at times that are not
 * known. A graph's execution is one command of the list that it is appended to (ze_append.c).
 */
#include "layer/device/ze/ze_graph.h"

#include <stdlib.h>
#include <string.h>

#include "layer/device/ze/ze_driver_functions.h"
#include "layer/device/ze/ze_events.h"

/* A capture that has begun. Lists and events that take part in it have its .number. */
struct session {
	struct session *next;
	uint64_t number;
	const struct ze_list *first;
};

static struct session *sessions;
static uint64_t last;

static struct session **session_find(uint64_t number)
{
	struct session **link = &sessions;

	while (*link && (*link)->number != number)
		link = &(*link)->next;
	return link;
}

static bool session_is_under_way(uint64_t number)
{
	return number && *session_find(number);
}

static void session_end(uint64_t number)
{
	struct session **link = session_find(number), *session = *link;

	if (session)
		*link = session->next;
	free(session);
}

static uint64_t events_session(uint32_t count, const ze_event_handle_t *waits)
{
	for (uint32_t i = 0; waits && i < count; i++) {
		const struct ze_event *event = tl_ze_event_find(waits[i]);
		if (event && session_is_under_way(event->session))
			return event->session;
	}
	return 0;
}

bool tl_ze_is_captured(struct ze_list *list, ze_event_handle_t signal, uint32_t count,
		       const ze_event_handle_t *waits)
{
	if (!sessions || !list->queue)
		return false;
	if (!session_is_under_way(list->session))
		list->session = events_session(count, waits);
	struct ze_event *event = list->session && signal ? tl_ze_event_known(signal) : NULL;
	if (event)
		event->session = list->session;
	return list->session;
}

void tl_ze_list_is_gone(const struct ze_list *list)
{
	struct session *session = *session_find(list->session);

	if (session && session->first == list)
		session_end(session->number);
}

void tl_ze_graphs_forget(void)
{
	sessions = NULL;
}

static void session_begin_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	if (unwound || result != ZE_RESULT_SUCCESS)
		return;
	pthread_mutex_lock(&tl_ze_lock);
	struct ze_list *list = tl_ze_list_find(ZE_PARAM(call, 0, ze_command_list_handle_t));
	struct session *session = list ? calloc(1, sizeof(*session)) : NULL;
	if (session) {
		*session = (struct session){.next = sessions, .number = ++last, .first = list};
		sessions = session;
		list->session = session->number;
	}
	pthread_mutex_unlock(&tl_ze_lock);
	(void)state;
}

static void session_end_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	if (unwound || result != ZE_RESULT_SUCCESS)
		return;
	pthread_mutex_lock(&tl_ze_lock);
	const struct ze_list *list = tl_ze_list_find(ZE_PARAM(call, 0, ze_command_list_handle_t));
	if (list)
		session_end(list->session);
	pthread_mutex_unlock(&tl_ze_lock);
	(void)state;
}

const struct tl_hook tl_ze_graph_hooks[] = {
	{"zeCommandListBeginGraphCaptureExt", NULL, session_begin_after, TL_HOOK_PLAIN},
	{"zeCommandListBeginCaptureIntoGraphExt", NULL, session_begin_after, TL_HOOK_PLAIN},
	{"zeCommandListEndGraphCaptureExt", NULL, session_end_after, TL_HOOK_PLAIN},
	{NULL, NULL, NULL, TL_HOOK_PLAIN},
};
