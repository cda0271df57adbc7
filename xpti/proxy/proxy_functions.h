/* SPDX-License-Identifier: MIT */
/*
 * proxy_functions.h: the functions of a dispatcher, each with what it returns without a dispatcher.
 * proxy.c includes it several times, with FUNCTION defined each time: FUNCTION(type, name,
 * parameters, arguments, nothing).
 */
FUNCTION(void, xptiFrameworkInitialize, (void), (), (void)0)
FUNCTION(void, xptiFrameworkFinalize, (void), (), (void)0)
FUNCTION(xpti_result, xptiInitialize,
	 (const char *stream, uint32_t major, uint32_t minor, const char *version),
	 (stream, major, minor, version), XPTI_RESULT_FAIL)
FUNCTION(void, xptiFinalize, (const char *stream), (stream), (void)0)
FUNCTION(bool, xptiTraceEnabled, (void), (), false)
FUNCTION(void, xptiForceSetTraceEnabled, (bool yes), (yes), (void)0)
FUNCTION(bool, xptiCheckTraceEnabled, (xpti_stream_id stream, uint16_t trace_type),
	 (stream, trace_type), false)

FUNCTION(uint8_t, xptiRegisterStream, (const char *stream), (stream), XPTI_INVALID_STREAM)
FUNCTION(xpti_result, xptiUnregisterStream, (const char *stream), (stream), XPTI_RESULT_FAIL)

FUNCTION(xpti_string_id, xptiRegisterString, (const char *string, char **table_string),
	 (string, table_string), XPTI_INVALID_STRING)
FUNCTION(const char *, xptiLookupString, (xpti_string_id id), (id), NULL)
FUNCTION(xpti_object_id, xptiRegisterObject, (const char *data, size_t size, uint8_t type),
	 (data, size, type), XPTI_INVALID_OBJECT)
FUNCTION(xpti_object, xptiLookupObject, (xpti_object_id id), (id), ((xpti_object){0, NULL, 0}))

FUNCTION(uint64_t, xptiRegisterPayload, (xpti_payload * payload), (payload), XPTI_INVALID_UID)
FUNCTION(xpti_event *, xptiMakeEvent,
	 (const char *name, xpti_payload *payload, uint16_t event_type, int32_t activity,
	  uint64_t *instance),
	 (name, payload, event_type, activity, instance), NULL)
FUNCTION(const xpti_event *, xptiFindEvent, (uint64_t uid), (uid), NULL)
FUNCTION(const xpti_payload *, xptiQueryPayload, (xpti_event * event), (event), NULL)
FUNCTION(const xpti_payload *, xptiQueryPayloadByUID, (uint64_t uid), (uid), NULL)
FUNCTION(void, xptiReleaseEvent, (xpti_event * event), (event), (void)0)
FUNCTION(xpti_result, xptiAddMetadata, (xpti_event * event, const char *key, xpti_object_id value),
	 (event, key, value), XPTI_RESULT_FAIL)
FUNCTION(xpti_metadata *, xptiQueryMetadata, (xpti_event * event), (event), NULL)
FUNCTION(uint64_t, xptiGetUniqueId, (void), (), UINT64_MAX)

FUNCTION(xpti_tracepoint_if *, xptiCreateTracepoint,
	 (const char *function, const char *file, uint32_t line, uint32_t column,
	  void *code_ptr_va),
	 (function, file, line, column, code_ptr_va), NULL)
FUNCTION(xpti_result, xptiDeleteTracepoint, (xpti_tracepoint_if * tracepoint), (tracepoint),
	 XPTI_RESULT_FAIL)
FUNCTION(const xpti_payload_if *, xptiLookupPayload, (uint64_t uid), (uid), NULL)
FUNCTION(const xpti_event_if *, xptiLookupEvent, (uint64_t uid), (uid), NULL)

FUNCTION(xpti_result, xptiRegisterCallback,
	 (xpti_stream_id stream, uint16_t trace_type, xpti_callback callback),
	 (stream, trace_type, callback), XPTI_RESULT_FAIL)
FUNCTION(xpti_result, xptiUnregisterCallback,
	 (xpti_stream_id stream, uint16_t trace_type, xpti_callback callback),
	 (stream, trace_type, callback), XPTI_RESULT_FAIL)
FUNCTION(xpti_result, xptiNotifySubscribers,
	 (xpti_stream_id stream, uint16_t trace_type, xpti_event *parent, xpti_event *object,
	  uint64_t instance, const void *user_data),
	 (stream, trace_type, parent, object, instance, user_data), XPTI_RESULT_FAIL)

FUNCTION(uint64_t, xptiGetUniversalId, (void), (), UINT64_MAX)
FUNCTION(void, xptiSetUniversalId, (uint64_t uid), (uid), (void)0)
FUNCTION(xpti_result, xptiStashTuple, (const char *key, uint64_t value), (key, value),
	 XPTI_RESULT_FAIL)
FUNCTION(xpti_result, xptiGetStashedTuple, (char **key, uint64_t *value), (key, value),
	 XPTI_RESULT_FAIL)
FUNCTION(void, xptiUnstashTuple, (void), (), (void)0)
FUNCTION(const xpti_tracepoint_if *, xptiGetTracepointScopeData, (void), (), NULL)
FUNCTION(xpti_result, xptiSetTracepointScopeData, (xpti_tracepoint_if * tracepoint), (tracepoint),
	 XPTI_RESULT_FAIL)
FUNCTION(void, xptiUnsetTracepointScopeData, (void), (), (void)0)
FUNCTION(const xpti_tracepoint_if *, xptiRegisterTracepointScope,
	 (const char *function, const char *file, uint32_t line, uint32_t column,
	  void *code_ptr_va),
	 (function, file, line, column, code_ptr_va), NULL)
FUNCTION(void, xptiEnableTracepointScopeNotification, (bool yes), (yes), (void)0)
FUNCTION(bool, xptiCheckTracepointScopeNotification, (void), (), false)

FUNCTION(xpti_stream_id, xptiGetDefaultStreamID, (void), (), XPTI_INVALID_STREAM)
FUNCTION(xpti_result, xptiSetDefaultStreamID, (xpti_stream_id stream), (stream), XPTI_RESULT_FAIL)
FUNCTION(uint16_t, xptiGetDefaultEventType, (void), (), xpti_event_algorithm)
FUNCTION(xpti_result, xptiSetDefaultEventType, (uint16_t event_type), (event_type),
	 XPTI_RESULT_FAIL)
FUNCTION(uint16_t, xptiGetDefaultTraceType, (void), (), xpti_trace_function_begin)
FUNCTION(xpti_result, xptiSetDefaultTraceType, (uint16_t trace_type), (trace_type),
	 XPTI_RESULT_FAIL)
FUNCTION(uint16_t, xptiRegisterUserDefinedTracePoint, (const char *tool, uint8_t value),
	 (tool, value), UINT16_MAX)
FUNCTION(uint16_t, xptiRegisterUserDefinedEventType, (const char *tool, uint8_t value),
	 (tool, value), UINT16_MAX)

/* A dispatcher may lack these. */
#ifndef OPTIONAL_FUNCTION
#define OPTIONAL_FUNCTION FUNCTION
#endif
OPTIONAL_FUNCTION(uint8_t, xptiGetEffectiveStreamDetailLevel, (xpti_stream_id stream), (stream),
		  xpti_detail_none)
OPTIONAL_FUNCTION(void, xptiReset, (void), (), (void)0)
#undef FUNCTION
#undef OPTIONAL_FUNCTION
