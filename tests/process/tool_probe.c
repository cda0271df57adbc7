/* SPDX-License-Identifier: MIT */
/*
 * A tool that says what happens to it; tests/process/tool_libraries.sh builds it with one defect or
 * another.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <CL/cl.h>

#include <tracelayer/tool.h>
#include <tracelayer/tracer.h>

#ifndef WITHOUT_VERSION
#ifdef OTHER_VERSION
const unsigned tl_tool_version = TL_TOOL_VERSION + 1;
#else
const unsigned tl_tool_version = TL_TOOL_VERSION;
#endif
#endif

static unsigned long calls;

static enum tl_verdict before(const struct tl_view *view, void *user_data, void **instance_data)
{
	__atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
	return TL_GO_ON;
}

#ifndef WITHOUT_START
int tl_tool_start(const struct tl_tool_host *host)
{
	struct tl_tracer_desc desc = {.size = sizeof(desc)};
	struct tl_tracer *tracer;
	cl_uint platforms;

	fprintf(stderr, "start %s %u %s\n", strrchr(host->name, '/') + 1, host->version,
		host->options);
	if (!strcmp(host->options, "fail"))
		return 3;
	if (!strcmp(host->options, "fail why")) {
		snprintf(host->why, host->why_size, "it is Monday; wait a day");
		return 1;
	}
	if (tl_tracer_create(&desc, &tracer) ||
	    tl_tracer_register_glob(tracer, NULL, "*", before, NULL) || tl_tracer_enable(tracer))
		return 1;
	if (!strcmp(host->options, "call"))
		clGetPlatformIDs(0, NULL, &platforms);
	return 0;
}
#endif

void tl_tool_end(void)
{
	cl_uint platforms;

	clGetPlatformIDs(0, NULL, &platforms);
	fprintf(stderr, "end %lu\n", calls);
}
