/* SPDX-License-Identifier: MIT */
/*
 * run_report.c: see run_report.h, and common/run_protocol.h for the protocol. No stdio here, since
 * the writer's thread reports, too.
 */
#include "layer/base/run_report.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/places.h"
#include "common/run_protocol.h"
#include "common/text.h"
#include "layer/base/library_walk.h"
#include "layer/base/start_page.h"

#define TEXT_MAX 4096 /* the longest target that a link can have, and its NUL */

static char folder[256] TL_START; /* empty: `run` did not ask */
static _Atomic uint64_t next_number TL_START;
static atomic_bool called TL_START;
static bool reached TL_START; /* the folder, at the start */

/* The buffers that `run` was told of, and the process that they are of; 0: of none. */
static char buffers[TL_PLACES_PATH];
static _Atomic long buffers_of;

/*
 * Drivers and loaders that programs use and that have no shims of their own: the list is in
 * gen/apis.mk, NULL-ended. A test program has none.
 */
extern const char *const tl_api_other_drivers[] __attribute__((weak, visibility("hidden")));

static bool report_link(const char *kind, const char *message)
{
	char name[sizeof(folder) + 64];
	int error = errno;
	long made = -1;

	if (!folder[0])
		return false;
	for (int tries = 0; made && tries < 100; tries++) {
		struct tl_text text = {name, name + sizeof(name) - 1, false};
		tl_text_string(&text, folder);
		tl_text_string(&text, "/");
		tl_text_string(&text, kind);
		tl_text_string(&text, ".");
		tl_text_unsigned(&text, (uint64_t)syscall(SYS_getpid));
		tl_text_string(&text, ".");
		tl_text_unsigned(&text,
				 atomic_fetch_add_explicit(&next_number, 1, memory_order_relaxed));
		*text.at = 0;
		made = syscall(SYS_symlinkat, message, AT_FDCWD, name);
		if (made && errno != EEXIST)
			break;
	}
	errno = error;
	return !made;
}

/*
 * The first number is the time in microseconds. A program that this process ran before an exec took
 * longer than a microsecond for each of its links, so all its numbers are smaller.
 */
static uint64_t link_first_number(void)
{
	struct timespec now;

	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static const char *program_own_name(void)
{
	return program_invocation_short_name[0] ? program_invocation_short_name : "?";
}

void tl_report_start(void)
{
	const char *asked = getenv(TL_REPORT_VARIABLE);

	if (!asked || *asked != '/' || strlen(asked) >= sizeof(folder))
		return;
	/* A copy: the program may change its environment. */
	strcpy(folder, asked);
	atomic_store_explicit(&next_number, link_first_number(), memory_order_relaxed);
	reached = report_link(TL_REPORT_LOADED, program_own_name());
}

bool tl_report_is_out_of_reach(void)
{
	return folder[0] && !reached;
}

bool tl_report_is_asked(void)
{
	return folder[0] != 0;
}

void tl_report_stop(void)
{
	folder[0] = 0;
}

void tl_report_called(const char *function)
{
	if (!folder[0] || atomic_load_explicit(&called, memory_order_relaxed))
		return;
	if (!atomic_exchange_explicit(&called, true, memory_order_relaxed))
		report_link(TL_REPORT_CALLED, function);
}

bool tl_report_no_memory(uint64_t lost)
{
	char message[24];
	struct tl_text text = {message, message + sizeof(message) - 1, false};

	tl_text_unsigned(&text, lost);
	*text.at = 0;
	return report_link(TL_REPORT_NO_MEMORY, message);
}

bool tl_report_confined(bool began)
{
	return report_link(TL_REPORT_CONFINED, began ? "later" : "before");
}

void tl_report_without(const char *why, const char *path)
{
	char message[TEXT_MAX / 2];
	struct tl_text text = {message, message + sizeof(message) - 1, false};

	tl_text_string(&text, why);
	tl_text_string(&text, " ");
	tl_text_string(&text, path);
	tl_text_string(&text, "\n");
	tl_text_string(&text, program_own_name());
	*text.at = 0;
	report_link(TL_REPORT_WITHOUT, message);
}

void tl_report_unreadable(const char *library, size_t length, const char *path)
{
	char message[TEXT_MAX / 2];
	struct tl_text text = {message, message + sizeof(message) - 1, false};

	tl_text_put(&text, library, length);
	tl_text_string(&text, "\n");
	tl_text_string(&text, path);
	*text.at = 0;
	report_link(TL_REPORT_UNREADABLE, message);
}

void tl_report_recorded(void)
{
	static _Atomic bool told;

	if (!folder[0] || atomic_load_explicit(&told, memory_order_relaxed) ||
	    atomic_exchange_explicit(&told, true, memory_order_relaxed))
		return;
	report_link(TL_REPORT_RECORDED, "call");
}

void tl_report_tools(bool end)
{
	report_link(end ? TL_REPORT_ENDED : TL_REPORT_TOOLS, program_own_name());
}

void tl_report_buffers(const char *path)
{
	bool told = report_link(TL_REPORT_BUFFERS, path) && strlen(path) < sizeof(buffers);

	if (told)
		strcpy(buffers, path);
	/* Release: pairs with the acquire in run_has_buffers. */
	atomic_store_explicit(&buffers_of, told ? syscall(SYS_getpid) : 0, memory_order_release);
}

/*
 * `run` knows of this process's buffers, and the process has got another root since then: the file
 * is out of its reach, and so is the folder. `run` recovers the buffers.
 */
static bool run_has_buffers(void)
{
	return atomic_load_explicit(&buffers_of, memory_order_acquire) == syscall(SYS_getpid) &&
	       syscall(SYS_faccessat, AT_FDCWD, buffers, F_OK) != 0;
}

void tl_report_trace(const char *path)
{
	report_link(TL_REPORT_TRACE, path);
}

/*
 * Reports numbers and a path. What is too long for a link is left out. Only the holder of the
 * writer's pen comes here, perhaps from a handler whose stack is a few kB: so the message is static.
 */
static bool report_numbers(const char *kind, const uint64_t *numbers, size_t count,
			   const char *path)
{
	static char message[TEXT_MAX];
	struct tl_text text = {message, message + sizeof(message) - 1, false};

	for (size_t i = 0; i < count; i++) {
		tl_text_unsigned(&text, numbers[i]);
		tl_text_string(&text, " ");
	}
	tl_text_string(&text, path);
	*text.at = 0;
	return report_link(kind, message);
}

void tl_report_finished(const char *path, uint64_t events, uint64_t lost)
{
	const uint64_t numbers[] = {events, lost};

	report_numbers(TL_REPORT_FINISHED, numbers, 2, path);
}

bool tl_report_failed(const char *path, int error)
{
	const uint64_t number = (uint64_t)error;

	int reason = errno;
	bool known = report_numbers(TL_REPORT_FAILED, &number, 1, path) || run_has_buffers();

	errno = reason;
	return known;
}

/* APIs beyond these are not known here; then `run` may name a library that has shims. */
#define APIS_KNOWN 64u
static _Atomic(const struct tl_api *) shimmed[APIS_KNOWN];
static _Atomic uint32_t nshimmed;

void tl_report_shimmed(const struct tl_api *api)
{
	uint32_t known = atomic_load_explicit(&nshimmed, memory_order_relaxed);

	for (uint32_t i = 0; i < known && i < APIS_KNOWN; i++)
		if (atomic_load_explicit(&shimmed[i], memory_order_relaxed) == api)
			return;
	uint32_t at = atomic_fetch_add_explicit(&nshimmed, 1, memory_order_relaxed);

	if (at < APIS_KNOWN)
		/* Release: pairs with the acquire in has_shims. */
		atomic_store_explicit(&shimmed[at], api, memory_order_release);
}

/* Whatever the library's version: the API's own list need not have it. */
static bool has_shims(const char *name)
{
	for (uint32_t i = 0; i < APIS_KNOWN; i++) {
		const struct tl_api *api = atomic_load_explicit(&shimmed[i], memory_order_acquire);

		for (const char *const *soname = api ? api->sonames : NULL; soname && *soname;
		     soname++) {
			const char *end = strstr(*soname, ".so");
			if (end && !strncmp(name, *soname, (size_t)(end - *soname) + 3))
				return true;
		}
	}
	return false;
}

static int library_is_driver(struct dl_phdr_info *library, size_t size, void *found)
{
	const char *name = strrchr(library->dlpi_name, '/');

	name = name ? name + 1 : library->dlpi_name;
	for (const char *const *driver = tl_api_other_drivers; driver && *driver; driver++) {
		if (strncmp(name, *driver, strlen(*driver)) || has_shims(name))
			continue;
		*(const char **)found = name;
		return 1;
	}
	return 0;
}

void tl_report_preceded(const char *path)
{
	if (!atomic_load_explicit(&called, memory_order_relaxed))
		report_link(TL_REPORT_PRECEDED, path);
}

static char bypass[TEXT_MAX / 8]; /* empty: no driver was used without its loader */
static atomic_bool bypass_claimed, bypass_complete;

void tl_report_bypassed(const char *path, const char *loader, const char *api)
{
	struct tl_text text = {bypass, bypass + sizeof(bypass) - 1, false};
	const char *name = strrchr(path, '/');

	if (atomic_exchange_explicit(&bypass_claimed, true, memory_order_relaxed))
		return;
	tl_text_string(&text, name ? name + 1 : path);
	tl_text_string(&text, "\n");
	tl_text_string(&text, loader);
	tl_text_string(&text, "\n");
	tl_text_string(&text, api ? api : "");
	*text.at = 0;
	/* Release: pairs with the acquire in report_unshimmed. */
	atomic_store_explicit(&bypass_complete, true, memory_order_release);
}

/*
 * At the end of a process that made no traced call: reports whether it used a driver without its
 * loader, or loaded a library that it could have called.
 */
static __attribute__((destructor)) void report_unshimmed(void)
{
	const char *library = NULL;

	if (!folder[0] || atomic_load_explicit(&called, memory_order_relaxed))
		return;
	if (atomic_load_explicit(&bypass_complete, memory_order_acquire))
		report_link(TL_REPORT_BYPASSED, bypass);
	else if (tl_library_walk(library_is_driver, &library))
		report_link(TL_REPORT_UNSHIMMED, library);
}
