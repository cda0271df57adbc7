/* SPDX-License-Identifier: MIT */
/*
 * scope.c: what belongs to the calling thread: the stash, the universal id, its scope's trace
 * point; and the process's defaults.
 */
#include "xpti/dispatcher/dispatcher.h"

static _Atomic uint8_t default_stream = 1;
static _Atomic uint16_t default_event_type = xpti_event_algorithm,
			default_trace_type = xpti_trace_function_begin;
static _Atomic bool scopes_notify;

/* ---- the thread's ---- */

uint64_t xptiGetUniversalId(void)
{
	tl_xpti_start();
	return tl_xpti_thread.universal_id;
}

void xptiSetUniversalId(uint64_t uid)
{
	tl_xpti_start();
	tl_xpti_thread.universal_id = uid;
}

xpti_result xptiStashTuple(const char *key, uint64_t value)
{
	tl_xpti_start();
	if (!key)
		return XPTI_RESULT_FAIL;
	tl_xpti_thread.stash_key = key;
	tl_xpti_thread.stash_value = value;
	tl_xpti_thread.stashed = true;
	return XPTI_RESULT_SUCCESS;
}

xpti_result xptiGetStashedTuple(char **key, uint64_t *value)
{
	tl_xpti_start();
	if (!key || !value)
		return XPTI_RESULT_INVALIDARG;
	if (!tl_xpti_thread.stashed)
		return XPTI_RESULT_NOTFOUND;
	*key = (char *)tl_xpti_thread.stash_key;
	*value = tl_xpti_thread.stash_value;
	return XPTI_RESULT_SUCCESS;
}

void xptiUnstashTuple(void)
{
	tl_xpti_start();
	tl_xpti_thread.stashed = false;
	tl_xpti_thread.stash_key = NULL;
}

const xpti_tracepoint_if *xptiGetTracepointScopeData(void)
{
	tl_xpti_start();
	struct tl_xpti_point *point = tl_xpti_point_of(tl_xpti_thread.scope, tracepoint_if);
	return point && tl_xpti_point_uid(point) == tl_xpti_thread.scope_uid ? tl_xpti_thread.scope
									     : NULL;
}

xpti_result xptiSetTracepointScopeData(xpti_tracepoint_if *tracepoint)
{
	tl_xpti_start();
	struct tl_xpti_point *point = tl_xpti_point_of(tracepoint, tracepoint_if);
	if (!point)
		return XPTI_RESULT_INVALIDARG;
	tl_xpti_thread.scope = tracepoint;
	tl_xpti_thread.universal_id = tl_xpti_thread.scope_uid = tl_xpti_point_uid(point);
	return XPTI_RESULT_SUCCESS;
}

void xptiUnsetTracepointScopeData(void)
{
	tl_xpti_start();
	tl_xpti_thread.scope = NULL;
	tl_xpti_thread.universal_id = tl_xpti_thread.scope_uid = XPTI_INVALID_UID;
}

const xpti_tracepoint_if *xptiRegisterTracepointScope(const char *function, const char *file,
						      uint32_t line, uint32_t column,
						      void *code_ptr_va)
{
	return xptiCreateTracepoint(function, file, line, column, code_ptr_va);
}

/* ---- the process's ---- */

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
