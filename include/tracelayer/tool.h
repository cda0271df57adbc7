/* SPDX-License-Identifier: MIT */
/*
 * tracelayer/tool.h: tool libraries, which `tracelayer run --tool` or TRACELAYER_TOOLS loads into a
 * program.
 *
 *	#include <tracelayer/tool.h>
 *	#include <tracelayer/tracer.h>
 *
 *	const unsigned tl_tool_version = TL_TOOL_VERSION;
 *
 *	int tl_tool_start(const struct tl_tool_host *host)
 *	{
 *		... make tracers, register callbacks, enable them; 0 when all is well
 *	}
 *
 *	void tl_tool_end(void)
 *	{
 *		... print what was found
 *	}
 *
 *	cc -shared -fPIC -o mine.so mine.c $(pkg-config --cflags --libs tracelayer)
 *	tracelayer run --level=none --tool ./mine.so=OPTIONS -- ./app
 *
 * When		Tools are loaded, in the order of the list, at the process's first call of a shimmed
 *		function, by the thread that makes it and before that call is dispatched: callbacks
 *		that tl_tool_start enables see it. A program that makes no such call loads no tool.
 *		Calls of other threads that come meanwhile wait for the tools, for a second at most
 *		(that thread may hold a lock that loading needs); after that they go on without.
 * Calls	Calls that tl_tool_start and tl_tool_end make into an API go to the driver and are
 *		not traced.
 * The end	tl_tool_end is called once, when the process exits (not by exec or a signal), while
 *		driver and program are still whole. By _exit and quick_exit it has 5 seconds, and is
 *		not called where the thread may be in a signal handler, or is in a callback. Other
 *		threads, and exit handlers that were registered before the first call, may still
 *		make calls after it: a tool that can't take them disables its tracers there.
 * Forks	A forked child has the tool as its parent had it, at work; its tl_tool_end is called
 *		at its own exit. A tool that is to begin anew there says so by pthread_atfork. A
 *		program that exec starts loads its own.
 * Errors	A tool that can't be used is said in one line on standard error, and the program
 *		runs on without it.
 * Never	is a tool loaded into a set-user-id program, and never is one unloaded.
 *
 * A tool works whether anything is recorded or not, and sees the calls of all levels (unless its
 * tracer asks for some).
 */
#ifndef TRACELAYER_TOOL_H
#define TRACELAYER_TOOL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Of this interface. Raised only when tools built for an older one no longer work; members are
 * added at the end of the struct without that.
 */
#define TL_TOOL_VERSION 1

struct tl_tool_host {
	size_t size;	  /* sizeof(struct tl_tool_host), as the host knows it */
	unsigned version; /* the host's TL_TOOL_VERSION */
	const char *name; /* what the list calls the tool: log, ./mine.so */
	/* what stands behind NAME= in the list; empty where there is nothing. Valid for ever */
	const char *options;
	char *why; /* room for why the tool does not start, as part of a line: "no such option: x; give y or z" */
	size_t why_size;
};

/* Seen from outside also where a tool is compiled with -fvisibility=hidden. */
#define TL_TOOL_ENTRY __attribute__((visibility("default")))

/* Every tool defines these two, with C linkage, ... */
TL_TOOL_ENTRY extern const unsigned tl_tool_version;
/* 0, or anything else where the tool can't work: it is then not used */
TL_TOOL_ENTRY int tl_tool_start(const struct tl_tool_host *host);

/* ... and may define this one. */
TL_TOOL_ENTRY void tl_tool_end(void);

#ifdef __cplusplus
}
#endif
#endif
