/*
 * xpti_subscriber.c: XPTI subscribers for tests. Built with NAME="a", it says on stdout what it is told; further behaviour by macros:
 *
 *	NO_INIT, NO_FINISH	that entry point is missing
 *	LEVEL			it wants this detail
 *	CALLS			it registers a callback for task_begin in init, and calls about every function there
 *	CLOSES			it closes itself in its first init
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "tracelayer/xpti.h"

#ifndef NO_INIT
#ifdef CALLS
static void on_task(uint16_t type, xpti_event *parent, xpti_event *event, uint64_t instance, const void *user_data)
{
	printf(NAME " task %s %d\n", xptiQueryPayload(event)->name, (int)instance);
}

static void call_back(const char *stream)
{
	uint64_t instance;
	char *text;
	xpti_payload payload = XPTI_PAYLOAD("in init", "subscriber.c", 1, 1);

	if (strcmp(stream, "app") != 0)
		return;
	xpti_result result = xptiRegisterCallback(xptiRegisterStream(stream), xpti_trace_task_begin, on_task);
	xpti_event *event = xptiMakeEvent("in init", &payload, 1, 1, &instance);
	bool good = event && xptiAddMetadata(event, "k", 1) == 0 && xptiRegisterString("s", &text) && xptiTraceEnabled();
	xptiReleaseEvent(event);
	if (xptiInitialize("own", 1, 0, "1") != XPTI_RESULT_SUCCESS)
		good = false;
	printf(NAME " registered %d %s\n", result, good ? "good" : "bad");
}
#endif

void xptiTraceInit(unsigned int major, unsigned int minor, const char *version, const char *stream)
{
	printf(NAME " init %s %u.%u %s\n", stream, major, minor, version);
#ifdef CALLS
	call_back(stream);
#endif
#ifdef CLOSES
	static bool closed;
	Dl_info own;
	if (!closed && dladdr((void *)&xptiTraceInit, &own)) {
		void *handle = dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
		dlclose(handle);
		dlclose(handle);
		printf(NAME " closed\n");
		closed = true;
	}
#endif
}
#endif

#ifndef NO_FINISH
void xptiTraceFinish(const char *stream)
{
	printf(NAME " finish %s\n", stream);
}
#endif

#ifdef LEVEL
bool xptiQuerySubscriberStreamDetailLevel(const char *stream, uint8_t *level)
{
	*level = LEVEL;
	return true;
}
#endif
