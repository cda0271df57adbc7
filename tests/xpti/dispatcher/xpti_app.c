/* SPDX-License-Identifier: MIT */
/*
 * xpti_app.c: a program that traces one task on the XPTI stream "app", for tests of subscribers;
 * says on stdout what the dispatcher says. Given a number, it does so that often, each time from
 * the framework's beginning to its end. As a library (LIBRARY) it has trace().
 */
#include <stdio.h>
#include <stdlib.h>

#include "tracelayer/xpti.h"

void trace(void);

void trace(void)
{
	uint64_t instance;
	xpti_payload payload = XPTI_PAYLOAD("the task", "app.c", 1, 1);

	printf("enabled %d\n", xptiTraceEnabled());
	xptiFrameworkInitialize();
	xptiInitialize("app", 3, 4, "3.4");
	printf("level %d\n", xptiGetEffectiveStreamDetailLevel(xptiRegisterStream("app")));
	xpti_event *event = xptiMakeEvent("the task", &payload, xpti_event_algorithm,
					  xpti_activity_active, &instance);
	printf("notified %d\n",
	       xptiNotifySubscribers(xptiRegisterStream("app"), xpti_trace_task_begin, NULL, event,
				     instance, NULL));
	xptiFinalize("app");
	xptiFrameworkFinalize();
	printf("done\n");
}

#ifndef LIBRARY
int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	for (int left = argc > 1 ? atoi(argv[1]) : 1; left > 0; left--)
		trace();
	return 0;
}
#endif
