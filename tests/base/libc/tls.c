/* SPDX-License-Identifier: MIT */
/*
 * tls.c: so many bytes of thread-local storage (TLS), which the program, or a library that is
 * preloaded, has from its start. Each thread checks its own.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#ifndef TLS
#error "-DTLS=bytes"
#endif

static __thread __attribute__((tls_model("initial-exec"))) unsigned char own[TLS] = {7};

#ifdef AS_LIBRARY
__attribute__((constructor)) static void use(void)
{
	own[TLS - 1] = 9;
}

__attribute__((destructor)) static void check(void)
{
	if (own[0] != 7 || own[TLS - 1] != 9)
		fprintf(stderr, "the library's thread-local memory was written to\n");
}
#else
#include "callee.h"

static void *work(void *number)
{
	unsigned char mark = (unsigned char)(size_t)number;

	memset(own, mark, TLS);
	for (int i = 0; i < 100000; i++)
		bench_one((unsigned long)i);
	for (size_t i = 0; i < TLS; i++)
		if (own[i] != mark)
			return (void *)1;
	return NULL;
}

int main(void)
{
	pthread_t threads[4];
	void *wrong, *any = NULL;

	for (size_t i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, work, (void *)(i + 1));
	any = work((void *)9);
	for (size_t i = 0; i < 4; i++) {
		pthread_join(threads[i], &wrong);
		any = any ? any : wrong;
	}
	printf("%s\n", any ? "changed" : "as it was");
	return any != NULL;
}
#endif
