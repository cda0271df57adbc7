/* SPDX-License-Identifier: MIT */
/*
 * xpti_nothing.c: what the static proxy's functions return while there is no dispatcher, each of
 * them; built with the proxy. Given a path, it then sets XPTI_FRAMEWORK_DISPATCHER to it, tries
 * again, and says if that has brought a dispatcher.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracelayer/xpti.h"

static int failed;

#define IS(call, want)                                                                             \
	do {                                                                                       \
		if ((call) != (want)) {                                                            \
			printf("%s is not %s\n", #call, #want);                                    \
			failed = 1;                                                                \
		}                                                                                  \
	} while (0)

static void on_task(uint16_t type, xpti_event *parent, xpti_event *object, uint64_t instance,
		    const void *user_data)
{
	IS("called", NULL);
}

static void strings_and_places(void)
{
	char *text;
	xpti_payload payload = XPTI_PAYLOAD("f", "f.c", 1, 1), before = payload;
	uint64_t instance;
	xpti_object object = xptiLookupObject(0);

	IS(xptiRegisterString("text", &text), 0xFFFFFFFF);
	IS(xptiLookupString(1), NULL);
	IS(xptiRegisterObject("data", 4, 0), XPTI_INVALID_OBJECT);
	IS(object.size, 0);
	IS(object.data, NULL);
	IS(object.type, 0);
	IS(xptiRegisterPayload(&payload), 0);
	IS(xptiMakeEvent("f", &payload, 1, 1, &instance), NULL);
	IS(memcmp(&payload, &before, sizeof(payload)), 0);
	IS(xptiFindEvent(1), NULL);
	IS(xptiQueryPayload(NULL), NULL);
	IS(xptiQueryPayloadByUID(1), NULL);
	xptiReleaseEvent(NULL);
	IS(xptiAddMetadata(NULL, "k", 1), XPTI_RESULT_FAIL);
	IS(xptiQueryMetadata(NULL), NULL);
	IS(xptiCreateTracepoint("f", "f.c", 1, 1, NULL), NULL);
	IS(xptiDeleteTracepoint(NULL), XPTI_RESULT_FAIL);
	IS(xptiLookupPayload(1), NULL);
	IS(xptiLookupEvent(1), NULL);
}

static void streams(void)
{
	xptiFrameworkInitialize();
	IS(xptiInitialize("s", 1, 0, "1"), XPTI_RESULT_FAIL);
	IS(xptiTraceEnabled(), false);
	xptiForceSetTraceEnabled(true);
	IS(xptiTraceEnabled(), false);
	IS(xptiCheckTraceEnabled(1, 10), false);
	IS(xptiRegisterStream("s"), 255);
	IS(xptiUnregisterStream("s"), XPTI_RESULT_FAIL);
	IS(xptiGetEffectiveStreamDetailLevel(1), xpti_detail_none);
	IS(xptiRegisterCallback(1, 10, on_task), XPTI_RESULT_FAIL);
	IS(xptiNotifySubscribers(1, 10, NULL, NULL, 0, NULL), XPTI_RESULT_FAIL);
	IS(xptiUnregisterCallback(1, 10, on_task), XPTI_RESULT_FAIL);
	{
		XPTI_SCOPED_NOTIFY(1, xpti_trace_task_begin, NULL, NULL, 0, NULL);
	}
	xptiFinalize("s");
	xptiReset();
	xptiFrameworkFinalize();
}

static void of_thread_and_process(void)
{
	char *key;
	uint64_t value;

	IS(xptiGetUniqueId(), UINT64_MAX);
	xptiSetUniversalId(1);
	IS(xptiGetUniversalId(), UINT64_MAX);
	IS(xptiStashTuple("key", 1), XPTI_RESULT_FAIL);
	IS(xptiGetStashedTuple(&key, &value), XPTI_RESULT_FAIL);
	xptiUnstashTuple();
	IS(xptiGetTracepointScopeData(), NULL);
	IS(xptiSetTracepointScopeData(NULL), XPTI_RESULT_FAIL);
	xptiUnsetTracepointScopeData();
	IS(xptiRegisterTracepointScope("f", "f.c", 1, 1, NULL), NULL);
	xptiEnableTracepointScopeNotification(true);
	IS(xptiCheckTracepointScopeNotification(), false);
	IS(xptiGetDefaultStreamID(), 255);
	IS(xptiSetDefaultStreamID(1), XPTI_RESULT_FAIL);
	IS(xptiGetDefaultEventType(), xpti_event_algorithm);
	IS(xptiSetDefaultEventType(1), XPTI_RESULT_FAIL);
	IS(xptiGetDefaultTraceType(), xpti_trace_function_begin);
	IS(xptiSetDefaultTraceType(2), XPTI_RESULT_FAIL);
	IS(xptiRegisterUserDefinedTracePoint("tool", 1), 0xFFFF);
	IS(xptiRegisterUserDefinedEventType("tool", 1), 0xFFFF);
}

int main(int argc, char **argv)
{
	strings_and_places();
	streams();
	of_thread_and_process();
	if (argc > 1) {
		setenv("XPTI_FRAMEWORK_DISPATCHER", argv[1], 1);
		printf("before %d\n", xptiRegisterStream("s"));
		xptiTraceTryToEnable();
		xptiTraceTryToEnable();
		printf("after %d\n", xptiRegisterStream("s"));
	}
	return failed;
}
