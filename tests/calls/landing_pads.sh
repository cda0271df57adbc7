#!/bin/bash
# SPDX-License-Identifier: MIT
# A call that an exception, a cancellation or pthread_exit leaves ends at that moment: the unwinder finds the landing pad of the shim, compiled by
# gcc or clang, or of the generic entry. A call without its landing pad ends only later, as one that longjmp left.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
need_library
: "${CC:=gcc}"
top_builddir=$(cd "$top_builddir" && pwd)
top_srcdir=$(cd "$top_srcdir" && pwd)
export XDG_CACHE_HOME=$tmp/cache
cd "$tmp" || exit 99
plan 8

cat >pads.h <<'END'
#ifdef __cplusplus
extern "C" {
#endif
void pads_run(void (*inside)(void));
#ifdef __cplusplus
}
#endif
END
cat >pads.c <<'END'
#include "pads.h"
void pads_run(void (*inside)(void)) { inside(); }
END
# Each line is one write, as the log tool's are.
cat >main.cc <<'END'
#include <cstring>
#include <pthread.h>
#include <unistd.h>
#include "pads.h"
static void say(const char *line)
{
	if (write(2, line, strlen(line)) < 0)
		_exit(3);
}
struct left {
	const char *line;
	~left() { say(line); }
};
static void inside_throw() { throw 1; }
static void inside_nested() { left here{"inside\n"}; pads_run(inside_throw); }
static void inside_cancel() { pthread_cancel(pthread_self()); pthread_testcancel(); }
static void inside_exit() { pthread_exit(nullptr); }
static void *run_cancel(void *) { left here{"cancelled\n"}; pads_run(inside_cancel); return nullptr; }
static void *run_exit(void *) { left here{"exited\n"}; pads_run(inside_exit); return nullptr; }
static void thread_run(void *(*run)(void *))
{
	pthread_t thread;
	pthread_create(&thread, nullptr, run, nullptr);
	pthread_join(thread, nullptr);
}
int main()
{
	try { pads_run(inside_throw); } catch (int) { say("caught\n"); }
	try { pads_run(inside_nested); } catch (int) { say("caught\n"); }
	thread_run(run_cancel);
	thread_run(run_exit);
	return 0;
}
END
gcc -shared -fPIC -fexceptions -Wl,-soname,libpads.so -o libpads.so pads.c && g++ -pthread -o main main.cc ./libpads.so &&
	g++ -pthread -static-libgcc -static-libstdc++ -o main-own main.cc ./libpads.so || exit 99
export LD_LIBRARY_PATH=$tmp:$top_builddir/.libs

# order PRELOAD PROGRAM: what the log tool and the program write, in order
order()
{
	timeout 60 env LD_PRELOAD="$libtracelayer${1:+:$1}" TRACELAYER_OUTPUT="$tmp/t.json" TRACELAYER_TOOLS=log "./$2" 2>&1 |
		sed 's/.*\(pads_run\|clBuildProgram\)(.*) left without a result.*/left/' | paste -sd' '
}
wanted='left caught left inside left caught left cancelled left exited'

"$top_builddir/tracegen" emit pads.h -o . >/dev/null || exit 99
for compiler in gcc "$clang"; do
	for optimised in -O0 -O2; do
		$compiler $optimised -std=gnu11 -shared -fPIC -fexceptions -DTL_SHIM_LIBRARY -I"$top_srcdir/include" -I. -o pads-shims.so pads_shims.c pads_tables.c \
			-L"$top_builddir/.libs" -ltracelayer
		is "$(order "$tmp/pads-shims.so" main)" "$wanted" "shims compiled by $compiler $optimised: a call ends when it is left"
	done
done
$CC -O2 -std=gnu11 -shared -fPIC -DTL_SHIM_LIBRARY -I"$top_srcdir/include" -I. -o pads-plain.so pads_shims.c pads_tables.c -L"$top_builddir/.libs" -ltracelayer
is "$(order "$tmp/pads-plain.so" main-own | tr ' ' '\n' | sort | uniq -c | tr -s ' \n' ' ')" ' 1 cancelled 2 caught 1 exited 1 inside 5 left ' \
	"shims without -fexceptions, in a program with an unwinder of its own: each such call ends, at some time"
"$top_builddir/tracegen" interposer --header pads.h --lib ./libpads.so -o pads-interposer.so >/dev/null || exit 99
is "$(order "$tmp/pads-interposer.so" main)" "$wanted" "the generic entry: a call ends when it is left"
# Its functions cannot be found.
is "$(order "$tmp/pads-interposer.so" main-own | tr ' ' '\n' | sort | uniq -c | tr -s ' \n' ' ')" ' 1 cancelled 2 caught 1 exited 1 inside 5 left ' \
	"the generic entry, in a program with an unwinder of its own: each such call ends, at some time"

# The library's own shims, which gcc compiled: a function of OpenCL that calls back.
cat >opencl.c <<'END'
#include <CL/cl.h>
cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices, const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
		      void *user)
{
	(void)count, (void)devices, (void)options;
	notify(program, user);
	return CL_SUCCESS;
}
END
{
	echo '#include <CL/cl.h>'
	sed 's/#include "pads.h"/static void notified(cl_program, void *inside) { ((void (*)(void))inside)(); }\
static void pads_run(void (*inside)(void)) { clBuildProgram(nullptr, 0, nullptr, "", notified, (void *)inside); }/' main.cc
} >opencl.cc
gcc -DCL_TARGET_OPENCL_VERSION=300 -shared -fPIC -fexceptions -Wl,-soname,libOpenCL.so.1 -o libOpenCL.so.1 opencl.c &&
	g++ -DCL_TARGET_OPENCL_VERSION=300 -pthread -o opencl opencl.cc ./libOpenCL.so.1 || exit 99
is "$(order "" opencl)" "$wanted" "the library's own shims: a call ends when it is left"
