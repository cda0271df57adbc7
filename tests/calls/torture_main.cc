// SPDX-License-Identifier: MIT
/*
 * torture_main.cc: makes the calls that torture.py has written, in one of three ways: each
 * function returns, throws, or is cancelled. Says what arrived wrong, and exits with 1 then.
 *
 *	torture return|throw|cancel TURNS
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <unistd.h>

extern "C" {
extern void (*const torture_calls[])(void);
extern const int torture_count;
void torture_how(const char *way);
int torture_mistakes(void);
}

static void *call_one(void *number)
{
	torture_calls[(long)number]();
	return nullptr;
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "return";
	int turns = argc > 2 ? std::atoi(argv[2]) : 1, ended = 0;

	torture_how(way);
	for (int turn = 0; turn < turns; turn++)
		for (long i = 0; i < torture_count; i++) {
			if (!std::strcmp(way, "cancel")) {
				pthread_t thread;
				void *result = nullptr;
				pthread_create(&thread, nullptr, call_one, (void *)i);
				pthread_join(thread, &result);
				ended += result == PTHREAD_CANCELED;
				continue;
			}
			try {
				torture_calls[i]();
				ended += !std::strcmp(way, "return");
			} catch (int thrown) {
				ended += thrown == 7 && !std::strcmp(way, "throw");
			}
		}
	if (ended != turns * torture_count) {
		std::printf("%d of %d calls ended so\n", ended, turns * torture_count);
		return 1;
	}
	return torture_mistakes() != 0;
}
