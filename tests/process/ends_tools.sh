#!/bin/bash
# SPDX-License-Identifier: MIT
# Tools get the end of a process by _exit and quick_exit, too, where their code can run. Whatever they do there, the process ends.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
need_command
top=$(cd "$top_srcdir" && pwd)
apps=$(cd "$top_builddir" && pwd)/tests/apps
tracelayer=$(cd "$top_builddir" && pwd)/tracelayer
libtracelayer=$(cd "$top_builddir" && pwd)/.libs/libtracelayer.so
export OCL_ICD_VENDORS=$tmp/none
cd "$tmp" || exit 99
plan 30

cat >tool.c <<-'END'
	#include <signal.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <unistd.h>
	#include <tracelayer/tool.h>
	#include <tracelayer/tracer.h>
	const unsigned tl_tool_version = TL_TOOL_VERSION;
	static void leave(const struct tl_view *view, void *user_data, void **instance) { _exit(6); }
	int tl_tool_start(const struct tl_tool_host *host)
	{
	    struct tl_tracer_desc desc = {.size = sizeof(desc)};
	    struct tl_tracer *tracer;
	    if (getenv("LEAVES"))
	        return tl_tracer_create(&desc, &tracer) || tl_tracer_register_glob(tracer, NULL, "*", NULL, leave) ||
	            tl_tracer_enable(tracer);
	    return 0;
	}
	void tl_tool_end(void)
	{
	    fprintf(stderr, "end\n");
	    while (getenv("HANGS"))
	        pause();
	    if (getenv("EXITS"))
	        _exit(9);
	}
END
$CC -shared -fPIC -o tool.so tool.c -I"$top/include" -L"$top_builddir/.libs" -ltracelayer 2>err || { cat err; exit 99; }

# with WHAT…: traced, with the tool; its exit code and what was said.
with()
{
	rm -f t*.json
	timeout 60 env "$@" 2>err
	echo "$? $(cat err)"
}
tooled() { with LD_PRELOAD="$libtracelayer" TRACELAYER_TOOLS="$tmp/tool.so" TRACELAYER_OUTPUT=t.json "$@"; }

is "$(tooled "$apps/ends_ways" _exit 7)" "5 end" "_exit: the tool is told, and the exit code is the program's"
is "$(tooled "$apps/ends_ways" _Exit 7)" "5 end" "_Exit: likewise"
is "$(tooled "$apps/ends_ways" quick_exit 7)" "5 end" "quick_exit: likewise"
is "$(tooled "$apps/ends_ways" exit-in-handler 7)" "5 end" "_exit in an exit handler: once"
is "$(tooled "$apps/ends_ways" fork-exit 7)" "5 end
end" "_exit in parent and child: each"
is "$(tooled "$apps/ends_ways" vfork-exit 7)" "5 end" "_exit in a child that shares memory: only its parent"
is "$(tooled "$apps/ends_ways" execve 7)" "5 end" "exec: the tool of the program that it leads to"
is "$(tooled "$apps/ends_signals" _exit counts 20000 1)" "5 " "_exit in a signal handler: no code of a tool runs there"

# The same where handlers don't block their signals, as LLVM installs them in each process that has OpenCL on processors.
cat >handlers.c <<-'END'
	#define _GNU_SOURCE
	#include <pthread.h>
	#include <signal.h>
	#include <stdlib.h>
	#include <string.h>
	#include <unistd.h>
	int clGetPlatformIDs(unsigned, void *, unsigned *);
	static const char *what;
	static void by(int number)
	{
	    if (strstr(what, "again"))
	        sysv_signal(number, by);
	    if (!strstr(what, "after"))
	        _exit(5);
	}
	static void *run(void *unused)
	{
	    clGetPlatformIDs(0, NULL, NULL);
	    if (strstr(what, "inside") || strstr(what, "after"))
	        raise(SIGUSR1);
	    _exit(5);
	}
	int main(int argc, char **argv)
	{
	    struct sigaction action = {.sa_handler = by, .sa_flags = SA_NODEFER};
	    stack_t stack = {.ss_sp = malloc(65536), .ss_size = 65536};
	    pthread_t thread;
	    what = argv[argc - 1];
	    if (strstr(what, "once"))
	        action.sa_flags |= SA_RESETHAND;
	    if (strstr(what, "stack")) {
	        action.sa_flags |= SA_ONSTACK;
	        sigaltstack(&stack, NULL);
	    }
	    sigaction(SIGUSR1, &action, NULL);
	    if (!strstr(what, "thread"))
	        run(NULL);
	    pthread_create(&thread, NULL, run, NULL);
	    pthread_join(thread, NULL);
	}
END
$CC -w -o handlers handlers.c -lOpenCL -lpthread 2>err || { cat err; exit 99; }
is "$(tooled ./handlers installed)" "5 end" "_exit where a handler is installed that doesn't block its signal: the tool is told"
is "$(tooled ./handlers after)" "5 end" "when it has run and returned, likewise"
is "$(tooled ./handlers thread)" "5 end" "in a thread, too"
for inside in inside inside-once inside-once-again inside-on-stack inside-in-thread; do
	is "$(tooled ./handlers $inside)" "5 " "_exit in such a handler ($inside): no code of a tool runs there"
done
is "$(tooled LEAVES=1 "$apps/ends_ways" execve 7)" "6 " "_exit in a tool's callback: nor is it run inside of itself"
is "$(tooled EXITS=1 "$apps/ends_ways" _exit 7)" "9 end" "_exit in a tool's end"

# Where the layer does not see the end, `run` says so.
cut="a system call of its own, as Go's programs do, so its tools could not report at the end"
runs() { with "$tracelayer" run --quiet -o t%p.json "$@"; }
is "$(runs --tool="$tmp/tool.so" -- "$apps/ends_ways" system-call 7 | tail -n 1)" "tracelayer: ends_ways ended by $cut" \
	"run says of a program that ended by a system call of its own that its tools could not report"
is "$(runs --level=none --summary -- "$apps/ends_ways" system-call 7)" "5 tracelayer: ends_ways ended by $cut; record a trace, and give it to tracelayer summary" "without a trace, too, and that a trace has the sums"
is "$(runs --level=none --tool=leaks -- sh -c "$apps/ends_ways system-call 7; exit 3")" "3 tracelayer: ends_ways ended by a signal, or by $cut" \
	"and of one that the program started"
is "$(runs --level=none --tool=log=file=log -- "$apps/ends_ways" system-call 7)" "5 " "the log has said all by then"
for way in _exit quick_exit execve vfork-exit; do
	is "$(runs --level=none --tool="$tmp/tool.so" -- "$apps/ends_ways" $way 7)" "5 end" "by $way, tools have their end"
done
is "$(runs --level=none --tool="$tmp/tool.so" -- "$apps/ends_signals" _exit counts 20000 1)" "5 " "nor is it said of _exit in a signal handler"
is "$(runs --level=none --tool="$tmp/tool.so" -- sh -c "$apps/ends_ways system-call 7; kill -9 \$\$")" "137 " "nor where a signal ends the program"

start=$SECONDS
is "$(tooled HANGS=1 "$apps/ends_ways" _exit 7)" "5 end" "a tool that hangs: the process ends, as it would"
ok "before long, with its trace" test $((SECONDS - start)) -lt 20 -a "$(events t.json clGetPlatformIDs)" = 7
forget_buffers
