/* SPDX-License-Identifier: MIT */
/*
 * xpti_steps.c: does to XPTI's streams what its arguments say, one after the other, and prints what
 * comes of it: begin and end of the framework; initialize, finalize, unregister, register, level
 * and listen (a callback for task_begin), each with a stream, as initialize:app; task:app notifies.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracelayer/xpti.h"

static void on_task(uint16_t type, xpti_event *parent, xpti_event *object, uint64_t instance,
		    const void *user_data)
{
	printf("task\n");
}

static void step(const char *what, const char *stream)
{
	int result = 0;

	if (strcmp(what, "begin") == 0)
		xptiFrameworkInitialize();
	else if (strcmp(what, "end") == 0)
		xptiFrameworkFinalize();
	else if (strcmp(what, "initialize") == 0)
		result = xptiInitialize(stream, 1, 2, "1.2");
	else if (strcmp(what, "finalize") == 0)
		xptiFinalize(stream);
	else if (strcmp(what, "unregister") == 0)
		result = xptiUnregisterStream(stream);
	else if (strcmp(what, "register") == 0)
		result = xptiRegisterStream(stream);
	else if (strcmp(what, "level") == 0)
		result = xptiGetEffectiveStreamDetailLevel(xptiRegisterStream(stream));
	else if (strcmp(what, "listen") == 0)
		result = xptiRegisterCallback(xptiRegisterStream(stream), xpti_trace_task_begin,
					      on_task);
	else if (strcmp(what, "task") == 0)
		result = xptiNotifySubscribers(xptiRegisterStream(stream), xpti_trace_task_begin,
					       NULL, (xpti_event *)1, 0, NULL);
	else
		exit(3);
	printf("%s%s%s = %s%d\n", what, stream ? ":" : "", stream ? stream : "",
	       result < 0 ? "..0" : "", result & 0xff);
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	for (int i = 1; i < argc; i++) {
		char *stream = strchr(argv[i], ':');
		if (stream)
			*stream++ = '\0';
		step(argv[i], stream);
	}
	return 0;
}
