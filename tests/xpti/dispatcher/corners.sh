#!/bin/bash
# SPDX-License-Identifier: MIT
# Subscribers that use the XPTI dispatcher in ways that it isn't meant for: threads that their ends wait for, forks while they are loaded, another thread inside
# while the framework ends; programs with other rights than their user's; what leak checkers see. tests/xpti/dispatcher/xpti_corners_test.c has the functions.
. "${top_srcdir:-.}/tests/lib/lib.sh" || exit 99
by_soname=$(cd "$top_builddir" && pwd)/.libs/tracelayer/xpti
test -f "$by_soname/libxptifw.so" || { echo "Bail out! $by_soname/libxptifw.so is missing; run make first"; exit 99; }
unset XPTI_SUBSCRIBERS XPTI_TRACE_ENABLE XPTI_FRAMEWORK_DISPATCHER
cc="${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O1 -g -I$top_srcdir/include"
plan 17

# app [FLAG…]: a program that begins and ends a stream twice. Once with THREAD: the second beginning is another thread's, which is still being told of it
# when the framework ends.
cat >"$tmp/app.c" <<'END'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#include "tracelayer/xpti.h"

_Atomic int inside, may_leave;		/* the subscriber's */

static void *begin_slowly(void *unused)
{
	xptiInitialize("slow", 1, 0, "1");
	return NULL;
}

int main(void)
{
	pthread_t thread;

	setvbuf(stdout, NULL, _IONBF, 0);
	for (int i = 0; i < 2; i++) {
		xptiFrameworkInitialize();
		xptiInitialize("app", 1, 0, "1");
#ifdef THREAD
		inside = may_leave = 0;
		pthread_create(&thread, NULL, begin_slowly, NULL);
		while (!inside)
			usleep(1000);
#endif
		xptiFinalize("app");
		xptiFrameworkFinalize();
		may_leave = 1;
#ifdef THREAD
		pthread_join(thread, NULL);
#endif
	}
	printf("done\n");
	return 0;
}
END
cat >"$tmp/subscriber.c" <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tracelayer/xpti.h"

extern _Atomic int inside, may_leave;

#ifdef WORKS			/* it has a thread that uses the framework, and waits for it at its end */
static pthread_t worker;
static _Atomic int over, rounds;

static void *work(void *unused)
{
	char *text;
	do {
		xptiRegisterString("work", &text);
		xptiFindEvent(xptiGetUniqueId());
		xptiTraceEnabled();
		rounds++;
		usleep(1000);
	} while (!over);
	xptiReleaseEvent(NULL);
	return NULL;
}

static __attribute__((destructor)) void end(void)
{
	int had = rounds;
	if (!worker)
		return;
	while (rounds < had + 3)	/* it is not held up by the end */
		usleep(1000);
	over = 1;
	pthread_join(worker, NULL);
	printf("worker ended\n");
}
#endif

#ifdef FORKS			/* while it is being loaded */
static __attribute__((constructor)) void begin(void)
{
	char *text;
	int status = -1;
	pid_t child = fork();
	if (!child) {
		alarm(20);
		xptiTraceEnabled();
		_exit(xptiRegisterString("child", &text) == 1 && waitpid(fork() ?: (_exit(3), 0), &status, 0) > 0 ? 7 : 1);
	}
	waitpid(child, &status, 0);
	printf("child %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}
#endif

void xptiTraceInit(unsigned major, unsigned minor, const char *version, const char *stream)
{
#ifdef WORKS
	if (!worker)
		pthread_create(&worker, NULL, work, NULL);
#endif
	if (strcmp(stream, "slow") == 0) {
		inside = 1;
		while (!may_leave)
			usleep(1000);
		usleep(20000);
		printf("told\n");
	}
}

void xptiTraceFinish(const char *stream) { }
END
ok "programs and subscribers are built" eval "
	$cc -rdynamic '$tmp/app.c' -o '$tmp/app' -L'$by_soname' -lxptifw -Wl,-rpath,'$by_soname' &&
	$cc -rdynamic -DTHREAD '$tmp/app.c' -o '$tmp/app-thread' -L'$by_soname' -lxptifw -Wl,-rpath,'$by_soname' &&
	for kind in PLAIN WORKS FORKS; do $cc -w -shared -fPIC -D\$kind '$tmp/subscriber.c' -o '$tmp/'\$kind.so || exit 1; done"

# Two threads begin, or end, a stream each at once, and a subscriber takes its time to hear of the framework's. With LEAVES it ends that thread instead.
cat >"$tmp/two.c" <<'END'
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tracelayer/xpti.h"

_Atomic int inside;		/* the subscriber is being told of the framework's stream */

static void *begin(void *stream)
{
	xptiInitialize(stream, 1, 0, "1");
	return NULL;
}

static void *end(void *stream)
{
	xptiFinalize(stream);
	return NULL;
}

static void two(void *(*what)(void *))
{
	pthread_t first, second;

	inside = 0;
	pthread_create(&first, NULL, what, "first");
	while (!inside)
		usleep(1000);
	pthread_create(&second, NULL, what, "second");
#ifdef FORK				/* the child has neither of them */
	pid_t child = fork();
	if (!child) {
		alarm(20);
		what("child");
		_exit(0);
	}
	int status;
	waitpid(child, &status, 0);
	if (status)
		printf("child %d\n", status);
#endif
	pthread_join(first, NULL);
	pthread_join(second, NULL);
}

int main(void)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	xptiFrameworkInitialize();
	two(begin);
	two(end);
	printf("done\n");
	return 0;
}
END
cat >"$tmp/slow.c" <<'END'
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
extern _Atomic int inside;
static void tell(const char *what, const char *stream)
{
	if (strcmp(stream, "xpti.framework") == 0) {
		inside = 1;
		usleep(200000);
#ifdef LEAVES
		pthread_exit(NULL);
#endif
	}
	printf("%s %s\n", what, *stream == 'x' ? "framework" : *stream == 'c' ? "child" : "stream");
}
void xptiTraceInit(unsigned major, unsigned minor, const char *version, const char *stream) { tell("init", stream); }
void xptiTraceFinish(const char *stream) { tell("finish", stream); }
END
eval "
	$cc -rdynamic '$tmp/two.c' -o '$tmp/two' -L'$by_soname' -lxptifw -Wl,-rpath,'$by_soname' &&
	$cc -rdynamic -DFORK '$tmp/two.c' -o '$tmp/two-fork' -L'$by_soname' -lxptifw -Wl,-rpath,'$by_soname' &&
	$cc -w -shared -fPIC '$tmp/slow.c' -o '$tmp/SLOW.so' && $cc -w -shared -fPIC -DLEAVES '$tmp/slow.c' -o '$tmp/LEAVES.so'" || exit 99

# watched KIND PROGRAM
watched() { XPTI_SUBSCRIBERS=$tmp/$1.so timeout 60 "$tmp/$2" >"$tmp/out" 2>"$tmp/err"; }

watched WORKS app
is "$? $(tr '\n' ' ' <"$tmp/out")" "0 worker ended worker ended done " "a subscriber's end may wait for its thread, which uses the framework"
watched FORKS app
is "$? $(tr '\n' ' ' <"$tmp/out")" "0 child 7 child 7 done " "a subscriber may fork while it is being loaded; its child, too, and both use the framework"
watched SLOW two
is "$? $(tr '\n' ' ' <"$tmp/out")" "0 init framework init stream init stream finish framework finish stream finish stream done " \
	"no stream begins or ends before subscribers have heard that the framework's does"
watched LEAVES two
is "$? $(tr '\n' ' ' <"$tmp/out")" "0 init stream finish stream done " "nobody waits for ever for a thread that ends while it is told"
watched SLOW two-fork
is "$? $(sort -u "$tmp/out" | tr '\n' ' ')" "0 done finish child finish framework finish stream init child init framework init stream " \
	"nor for one that a forked child lacks"
watched PLAIN app-thread
is "$? $(tr '\n' ' ' <"$tmp/out")" "0 told told done " "a subscriber that is being told something is not unloaded"
is "$(cat "$tmp/err")" "" "nothing is said"

# ---- users that come while others go
cat >"$tmp/users.c" <<'END'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#include "tracelayer/xpti.h"

enum { THREADS = 3, TURNS = 100 };
_Atomic int told, called, loaded;	/* the subscriber's */

static void *use(void *unused)
{
	for (int i = 0; i < TURNS; i++) {
		xptiFrameworkInitialize();
		xptiInitialize("app", 1, 0, "1");
		if (i % 2)
			xptiNotifySubscribers(xptiRegisterStream("app"), xpti_trace_task_begin, NULL, (xpti_event *)1, 0, NULL);
		xptiFrameworkFinalize();
		usleep(i % 3 * 500);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, use, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%d of %d told, %d of %d called\n", told, THREADS * TURNS, called, THREADS * TURNS / 2);
	return loaded < 2;			/* it was not to be without unloading */
}
END
cat >"$tmp/counts.c" <<'END'
#include <string.h>
#include <unistd.h>
#include "tracelayer/xpti.h"

extern _Atomic int told, called, loaded;

static __attribute__((constructor)) void load(void) { loaded++; }
static __attribute__((destructor)) void unload(void) { usleep(2000); }	/* time for others to come */

static void on_task(uint16_t type, xpti_event *parent, xpti_event *event, uint64_t instance, const void *user_data) { called++; }

void xptiTraceInit(unsigned major, unsigned minor, const char *version, const char *stream)
{
	if (strcmp(stream, "app") != 0)
		return;
	told++;
	xptiRegisterCallback(xptiRegisterStream(stream), xpti_trace_task_begin, on_task);
}

void xptiTraceFinish(const char *stream) { }
END
ok "a program with many users and their subscriber are built" eval "
	$cc -w -rdynamic '$tmp/users.c' -o '$tmp/users' -L'$by_soname' -lxptifw -Wl,-rpath,'$by_soname' -lpthread &&
	$cc -w -shared -fPIC '$tmp/counts.c' -o '$tmp/counts.so'"
watched counts users
is "$? $(cat "$tmp/out")" "0 300 of 300 told, 150 of 150 called" "users that come while the last one goes are told of, and heard"

# ---- other rights than the user's: as with LD_PRELOAD, the user's libraries are not loaded
if test "$(id -u)" = 0 && chmod 755 "$tmp" && chmod 4755 "$tmp/app" && printf '#include <unistd.h>\nvoid xptiTraceFinish(const char *s) { }\nvoid xptiTraceInit(void) { write(1, "in\\n", 3); }\n' >"$tmp/in.c" &&
	$cc -w -shared -fPIC "$tmp/in.c" -o "$tmp/in.so" && setpriv --reuid=65534 --clear-groups "$tmp/app" >"$tmp/out" 2>&1 &&
	printf '#include <sys/auxv.h>\nint main(void) { return !getauxval(AT_SECURE); }' >"$tmp/secure.c" && $cc "$tmp/secure.c" -o "$tmp/secure" &&
	chmod 4755 "$tmp/secure" && setpriv --reuid=65534 --clear-groups "$tmp/secure"
then
	is "$(XPTI_SUBSCRIBERS=$tmp/in.so "$tmp/app" | sort -u | tr '\n' ' ')" "done in " "a subscriber is loaded into a program of the user's own"
	is "$(XPTI_SUBSCRIBERS=$tmp/in.so setpriv --reuid=65534 --clear-groups "$tmp/app")" "done" "and not into one that is set-user-id"
else
	skip 2 "set-user-id programs can't be run on this machine"
fi
chmod 755 "$tmp/app"

# ---- leak checkers
cat >"$tmp/leaks.c" <<'END'
#include <stdio.h>
#include "tracelayer/xpti.h"

int main(int argc, char **argv)
{
	char name[16] = "";
	uint64_t instance;

	for (int i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "e%d", i % 3000);
		xpti_payload place = XPTI_PAYLOAD(name, "leaks.c", i, 0);
		xpti_event *event = xptiMakeEvent(name, &place, 1, 1, &instance);
		for (int k = 0; k < 3; k++)
			xptiAddMetadata(event, (char[]){ (char)('a' + k), '\0' }, xptiRegisterObject(name, sizeof(name), 0));
		if (i % 3 == 0)
			xptiReleaseEvent(event);
	}
	if (argc > 1)
		xptiReset();
	printf("done\n");
	return 0;
}
END
if echo 'int main(void) { return 0; }' >"$tmp/empty.c" && $cc -fsanitize=address "$tmp/empty.c" -o "$tmp/empty" 2>/dev/null &&
	ASAN_OPTIONS=detect_leaks=1 "$tmp/empty" 2>/dev/null
then
	ok "a program with a leak checker is built" $cc -fsanitize=address "$tmp/leaks.c" -o "$tmp/leaks" -L"$by_soname" -lxptifw -Wl,-rpath,"$by_soname"
	export ASAN_OPTIONS=detect_leaks=1
	is "$("$tmp/leaks" 2>&1)" done "what trace points hold at the end is no leak"
	is "$("$tmp/leaks" reset 2>&1)" done "nor is it after a reset"
else
	skip 3 "LeakSanitizer does not work on this machine"
fi
if command -v valgrind >/dev/null; then
	ok "no memory is read that isn't there, nor lost" valgrind -q --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite "$tmp/app"
	$cc "$tmp/leaks.c" -o "$tmp/leaks" -L"$by_soname" -lxptifw -Wl,-rpath,"$by_soname"
	ok "... by trace points and metadata, either" valgrind -q --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite "$tmp/leaks" reset
else
	skip 2 "this machine has no valgrind"
fi
