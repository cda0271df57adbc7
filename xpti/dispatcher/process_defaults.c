/* SPDX-License-Identifier: MIT */
/*
 * process_defaults.c: what holds for the whole process: the default stream and types, and whether
 * scopes notify by themselves. A reset keeps these values.
 */
#include "xpti/dispatcher/dispatcher_state.h"

static _Atomic uint8_t default_stream = 1;
static _Atomic uint16_t default_event_type = xpti_event_algorithm,
			default_trace_type = xpti_trace_function_begin;
static _Atomic bool scopes_notify;

void xptiEnableTracepointScopeNotification(bool yes)
{
	tl_xpti_start();
	atomic_store_explicit(&scopes_notify, yes, memory_order_relaxed);
}

bool xptiCheckTracepointScopeNotification(void)
{
	tl_xpti_start();
	return atomic_load_explicit(&scopes_notify, memory_order_relaxed);
}

xpti_stream_id xptiGetDefaultStreamID(void)
{
	tl_xpti_start();
	return atomic_load_explicit(&default_stream, memory_order_relaxed);
}

xpti_result xptiSetDefaultStreamID(xpti_stream_id stream)
{
	tl_xpti_start();
	if (stream >= 128)
		return XPTI_RESULT_INVALIDARG;
	atomic_store_explicit(&default_stream, stream, memory_order_relaxed);
	return XPTI_RESULT_SUCCESS;
}

uint16_t xptiGetDefaultEventType(void)
{
	tl_xpti_start();
	return atomic_load_explicit(&default_event_type, memory_order_relaxed);
}

xpti_result xptiSetDefaultEventType(uint16_t event_type)
{
	tl_xpti_start();
	if (event_type == xpti_event_unknown)
		return XPTI_RESULT_INVALIDARG;
	atomic_store_explicit(&default_event_type, event_type, memory_order_relaxed);
	return XPTI_RESULT_SUCCESS;
}

uint16_t xptiGetDefaultTraceType(void)
{
	tl_xpti_start();
	return atomic_load_explicit(&default_trace_type, memory_order_relaxed);
}

xpti_result xptiSetDefaultTraceType(uint16_t trace_type)
{
	tl_xpti_start();
	if (trace_type == xpti_trace_unknown)
		return XPTI_RESULT_INVALIDARG;
	atomic_store_explicit(&default_trace_type, trace_type, memory_order_relaxed);
	return XPTI_RESULT_SUCCESS;
}
