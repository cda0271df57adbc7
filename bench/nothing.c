/* SPDX-License-Identifier: MIT */
/*
 * nothing: a program that makes no traced call. With an argument, it writes when main began: the
 * monotonic clock in nanoseconds.
 */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct timespec now;
	char text[32];

	(void)argv;
	if (argc < 2)
		return 0;
	clock_gettime(CLOCK_MONOTONIC, &now);
	int length = snprintf(text, sizeof(text), "%lld\n",
			      (long long)now.tv_sec * 1000000000 + now.tv_nsec);

	return write(STDOUT_FILENO, text, (size_t)length) != length;
}
