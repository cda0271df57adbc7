/*
 * clock_double: preloaded before the layer, another clock for a program and all that is in it. CLOCK_DOUBLE says which:
 *
 *	distrust	the kernel seems to keep time by something else than the processor's counter
 *	slew		CLOCK_MONOTONIC is slewed by 500 ppm for 1.7 seconds, then is not for as long, and so on; first 1.2 seconds after
 *			it was first read: in its first fifth of a second the layer can't know where a change is
 */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LEG 1700000000ull	/* nanoseconds */

static int is(const char *word)
{
	const char *what = getenv("CLOCK_DOUBLE");

	return what && strcmp(what, word) == 0;
}

/* The layer reads such files by the kernel's own calls. */
__attribute__((visibility("default"))) long syscall(long number, ...)
{
	static long (*real)(long number, ...);
	long words[6];
	va_list arguments;

	va_start(arguments, number);
	for (int i = 0; i < 6; i++)
		words[i] = va_arg(arguments, long);
	va_end(arguments);
	if (number == SYS_openat && is("distrust") && strstr((const char *)words[1], "/current_clocksource")) {
		int fd = memfd_create("clocksource", MFD_CLOEXEC);
		if (fd >= 0 && (write(fd, "hpet\n", 5) != 5 || lseek(fd, 0, SEEK_SET) != 0))
			abort();
		return fd;
	}
	if (!real)
		real = (long (*)(long number, ...))dlsym(RTLD_NEXT, "syscall");
	return real(number, words[0], words[1], words[2], words[3], words[4], words[5]);
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
	static int (*real)(clockid_t id, struct timespec *time);
	static int slews = -1;
	uint64_t ns;

	if (slews < 0) {
		real = (int (*)(clockid_t id, struct timespec *time))dlsym(RTLD_NEXT, "clock_gettime");
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
