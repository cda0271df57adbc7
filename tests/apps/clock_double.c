/* SPDX-License-Identifier: MIT */
/*
 * clock_double: preloaded before the layer, another clock for a program and all that is in it.
 * CLOCK_DOUBLE says which:
 *
 *	slew		CLOCK_MONOTONIC is slewed by 500 ppm for 1.7 seconds, then is not for as
 *			long, and so on; first 1.2 seconds after it was first read: in its first
 *			fifth of a second the layer can't know where a change is
 *
 * The layer doesn't call the C library's function, but the vdso's: this library says that it is the
 * vdso itself.
 */
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

#define LEG 1700000000ull /* nanoseconds */

extern const char __ehdr_start[] __attribute__((visibility("hidden")));

static int is(const char *word)
{
	const char *what = getenv("CLOCK_DOUBLE");

	return what && strcmp(what, word) == 0;
}

/* What the slews have come to. */
static uint64_t slewed_by(uint64_t ns)
{
	static uint64_t first;

	if (!first)
		first = ns;
	ns = ns - first + LEG / 3 + LEG;
	uint64_t periods = ns / (2 * LEG), at = ns % (2 * LEG);

	return (periods * LEG + (at < LEG ? at : LEG)) / 2000;
}

__attribute__((visibility("default"))) int clock_gettime(clockid_t id, struct timespec *time)
{
	static int (*real)(clockid_t id, struct timespec * time);
	static int slews = -1;
	uint64_t ns;

	if (slews < 0) {
		real = (int (*)(clockid_t id, struct timespec * time))
			dlsym(RTLD_NEXT, "clock_gettime");
		slews = is("slew");
	}
	int result = real(id, time);
	if (result != 0 || id != CLOCK_MONOTONIC || !slews)
		return result;
	ns = (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_nsec;
	ns += slewed_by(ns);
	time->tv_sec = (time_t)(ns / 1000000000);
	time->tv_nsec = (long)(ns % 1000000000);
	return 0;
}

int __vdso_clock_gettime(clockid_t id, struct timespec *time);
__attribute__((visibility("default"))) int __vdso_clock_gettime(clockid_t id, struct timespec *time)
{
	return clock_gettime(id, time);
}

int __kernel_clock_gettime(clockid_t id, struct timespec *time);
__attribute__((visibility("default"))) int __kernel_clock_gettime(clockid_t id,
								  struct timespec *time)
{
	return clock_gettime(id, time);
}

/* dlsym, by which the C library's could be found, may itself come here. */
__attribute__((visibility("default"))) unsigned long getauxval(unsigned long type)
{
	unsigned long entry[2], value = 0;

	if (type == AT_SYSINFO_EHDR)
		return (unsigned long)__ehdr_start;
	int fd = open("/proc/self/auxv", O_RDONLY | O_CLOEXEC);
	while (!value && read(fd, entry, sizeof(entry)) == sizeof(entry) && entry[0] != AT_NULL)
		value = entry[0] == type ? entry[1] : 0;
	close(fd);
	return value;
}
