/* SPDX-License-Identifier: MIT */
/*
 * cuda_listener.h: what the software libcuda.so.1 (cuda_driver.c) tells the software libcupti.so.12
 * (cupti.c), if that is loaded.
 */
#include <stddef.h>
#include <stdint.h>

enum what { KERNEL, COPY, FILL, EVENT, WAIT, HOST, GRAPH };

struct cuda_listener {
	/* The calling thread puts a command on a stream. What it returns is given to .ended. */
	void *(*put)(enum what what, const char *name, size_t bytes, unsigned stream);
	/* The command has run; nanoseconds of CLOCK_MONOTONIC. */
	void (*ended)(void *command, uint64_t start, uint64_t end);
};

/* The driver has a variable of this name; NULL: nobody listens. */
#define CUDA_LISTENER "cuda_driver_listener"
