/* SPDX-License-Identifier: MIT */
/*
 * tracelayer/tool.h: tool libraries. `tracelayer run --tool` or TRACELAYER_TOOLS loads them into a
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
 * Start	The first call of a shimmed function in the process loads all tools, in the
 *		order of the list. The thread of that call loads them, before the call is
 *		dispatched: callbacks that tl_tool_start enables see this call. A program that makes
 *		no such call loads no tool. Calls of other threads wait for the tools meanwhile, but
 *		for at most a second: the loading may need a lock that such a thread holds. After
 *		that they go on without tools.
 * Own calls	Calls that tl_tool_start and tl_tool_end make into an API go to the driver and are
 *		not traced.
 * End		tl_tool_end is called once, when the process exits, while driver and program are
 *		still complete; not on exec or a deadly signal. With _exit and quick_exit it has 5
 *		seconds. Then it is not called where the thread may be in a signal handler, or is
 *		in a callback. Other threads, and exit handlers that were registered before the
 *		first call, may make calls after tl_tool_end. A tool that can't take them disables
 *		its tracers there.
 * C++		Exit handlers run last registered first, and tl_tool_end is called by one of those
 *		that are registered at the first calls. So a function's static object that is first
 *		made in a callback is destroyed before tl_tool_end. Make such objects in
 *		tl_tool_start, or never free them (static auto &x = *new X;). An exception that
 *		leaves tl_tool_start or tl_tool_end ends the program: catch it, and return an error.
 * Forks	A forked child has the tool as its parent had it, at work. tl_tool_end is
 *		called at the child's own exit. A tool that wants to begin anew in the child uses
 *		pthread_atfork. After exec the new program loads tools of its own.
 * Errors	Where a tool can't be used, one line on standard error says why, and the
 *		program runs without it.
 * Safety	A set-user-id program loads no tools. A tool is never unloaded.
 *
 * A tool works whether anything is recorded or not. It sees calls of all levels, unless its tracer
 * asks for some levels only.
 */
#ifndef TRACELAYER_TOOL_H
#define TRACELAYER_TOOL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The version of this interface. It grows only when tools that were built for an older version no
 * longer work. New members at the end of the struct do not change it.
 */
#define TL_TOOL_VERSION 1

/* What the library passes to tl_tool_start. */
struct tl_tool_host {
	size_t size;	  /* sizeof(struct tl_tool_host), as the host knows it */
	unsigned version; /* the host's TL_TOOL_VERSION */
	const char *name; /* the tool's name in the list: log, ./mine.so */
	/* the text behind NAME= in the list; empty where there is none; valid for ever */
	const char *options;
	/* room for the reason why the tool does not start: "no such option: x; give y or z" */
	char *why;
	size_t why_size; /* bytes of .why */
	/*
	 * Who made the call that a callback is for: `caller` is the view's. Writes the return
	 * addresses of the program's functions, innermost first, `most` at most, and returns how
	 * many. Any thread, from a callback only. It reads no memory that can't be read, also where
	 * a stack can't be followed (backtrace(3) crashes there, in a program of Wine's for
	 * example). Hosts whose .size ends before it do not have it.
	 */
	size_t (*callers)(const void *caller, void **frames, size_t most);
};

/* Exports a function or variable also from a tool that is compiled with -fvisibility=hidden. */
#define TL_TOOL_ENTRY __attribute__((visibility("default")))

/* Every tool defines these two, with C linkage. The value is TL_TOOL_VERSION. */
TL_TOOL_ENTRY extern const unsigned tl_tool_version;
/*
 * Make tracers and enable them. Returns 0; any other value where the tool can't work, which is then
 * not used, and puts the reason into host->why.
 */
TL_TOOL_ENTRY int tl_tool_start(const struct tl_tool_host *host);

/* A tool may define this one, too. It is called once, at the end of the process. */
TL_TOOL_ENTRY void tl_tool_end(void);

#ifdef __cplusplus
}
#endif
#endif
