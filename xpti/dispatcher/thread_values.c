/* SPDX-License-Identifier: MIT */
/*
 * thread_values.c: what the calling thread keeps: its stash, its universal id, and the trace point
 * of its scope.
 */
#include "xpti/dispatcher/dispatcher_state.h"
#include "xpti/dispatcher/trace_points.h"

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
