// SPDX-License-Identifier: MIT
/*
 * torture_inside.cc: how the functions of torture.py end, and what they have found wrong.
 */
#include <cstdio>
#include <cstring>
#include <pthread.h>

extern "C" {
const char *torture_text = "one";
void torture_how(const char *way);
int torture_mistakes(void);
void torture_wrong(const char *where, int function, int param);
void torture_inside(void);
}

static int mistakes;
static bool throws, cancels;

void torture_how(const char *way)
{
	throws = !std::strcmp(way, "throw");
	cancels = !std::strcmp(way, "cancel");
}

int torture_mistakes(void)
{
	return mistakes;
}

void torture_wrong(const char *where, int function, int param)
{
	if (mistakes++ < 20)
		std::printf("%s: torture_%d, %d is wrong\n", where, function, param);
}

void torture_inside(void)
{
	if (throws)
		throw 7;
	if (cancels) {
		pthread_cancel(pthread_self());
		pthread_testcancel();
	}
}
