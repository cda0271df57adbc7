/* SPDX-License-Identifier: MIT */
/*
 * xpti_subscriber.c: XPTI subscribers for tests. Built with NAME="a", it says on stdout what it is
 * told; further behaviour by macros:
 *
 *	NO_INIT, NO_FINISH	that entry point is missing
 *	LEVEL			it wants this detail
 *	UNSAID			its query for the detail returns false, as if it had not stored it
 *	CALLS			it registers a callback for task_begin in init, and calls about
 *				every function there
 *	CLOSES			it closes itself each time that it is told something
 *	ENDS			it ends the framework: 1: in init and in finish; 2: in a callback
 *	REPEATS			it initializes a stream whenever it is told of one or asked for the
 *				detail of one, and finalizes it whenever one ends
 *	EARLY			it calls the framework as it is loaded
 *	LOADED			it says when it is loaded and unloaded
 *	LAZY			it has a call, which it never makes, of a function that nobody has
 *	REGISTERS		it registers the stream "its" in init
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "tracelayer/xpti.h"

#ifdef LOADED
__attribute__((constructor)) static void loaded(void)
{
	printf(NAME " loaded\n");
}

__attribute__((destructor)) static void unloaded(void)
{
	printf(NAME " unloaded, enabled %d\n", xptiTraceEnabled());
}
#endif

#ifndef ENDS
#define ENDS 0
#endif

static void end_framework(int where)
{
	if (where != ENDS)
		return;
	xptiFrameworkFinalize();
	xptiFrameworkInitialize();
}

static void close_itself(void)
{
#ifdef CLOSES
	Dl_info own;
	void *handle = dladdr((void *)&close_itself, &own)
			       ? dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD)
			       : NULL;

	if (handle) {
		dlclose(handle);
		dlclose(handle);
		printf(NAME " closed\n");
	}
#endif
}

__attribute__((unused)) static void on_task(uint16_t type, xpti_event *parent, xpti_event *event,
					    uint64_t instance, const void *user_data)
{
	printf(NAME " task %s %d\n", xptiQueryPayload(event)->name, (int)instance);
	end_framework(2);
}

#ifdef EARLY
__attribute__((constructor)) static void early(void)
{
	uint64_t instance;
	char *text;
	xpti_payload payload = XPTI_PAYLOAD("early", "subscriber.c", 1, 1);
	bool good = xptiRegisterString("early", &text) != XPTI_INVALID_STRING &&
		    xptiMakeEvent("early", &payload, 1, 1, &instance) &&
		    xptiRegisterStream("early") != XPTI_INVALID_STREAM &&
		    xptiInitialize("early", 1, 0, "1") == XPTI_RESULT_SUCCESS &&
		    !xptiTraceEnabled();

	printf(NAME " early %s\n", good ? "good" : "bad");
}
#endif

#ifndef NO_INIT
#ifdef CALLS
static void call_back(const char *stream)
{
	uint64_t instance;
	char *text;
	xpti_payload payload = XPTI_PAYLOAD("in init", "subscriber.c", 1, 1);

	if (strcmp(stream, "app") != 0)
		return;
	xpti_result result =
		xptiRegisterCallback(xptiRegisterStream(stream), xpti_trace_task_begin, on_task);
	xpti_event *event = xptiMakeEvent("in init", &payload, 1, 1, &instance);
	bool good = event && xptiAddMetadata(event, "k", 1) == 0 &&
		    xptiRegisterString("s", &text) && xptiTraceEnabled();
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
#ifdef REPEATS
	xptiInitialize("own", 1, 0, "1");
#endif
#ifdef REGISTERS
	printf(NAME " registers %d\n", xptiRegisterStream("its"));
#endif
#ifdef LAZY
	extern void nobody_has_this(void);
	if (!stream)
		nobody_has_this();
#endif
	close_itself();
	end_framework(1);
}
#endif

#ifndef NO_FINISH
void xptiTraceFinish(const char *stream)
{
	printf(NAME " finish %s\n", stream);
#ifdef REPEATS
	xptiFinalize("own");
#endif
	close_itself();
	end_framework(1);
}
#endif

#ifdef LEVEL
bool xptiQuerySubscriberStreamDetailLevel(const char *stream, uint8_t *level)
{
	*level = LEVEL;
#ifdef REPEATS
	printf(NAME " asked %s\n", stream);
	xptiInitialize("own", 1, 0, "1");
#endif
#ifdef UNSAID
	return false;
#else
	return true;
#endif
}
#endif
