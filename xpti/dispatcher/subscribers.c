/* SPDX-License-Identifier: MIT */
/*
 * subscribers.c: the libraries that XPTI_SUBSCRIBERS names: loading them, and telling them of
 * streams.
 *
 * The thread that makes the first call loads them, while all others wait. After that the list does
 * not change until the framework ends. So threads read the list without a lock, and subscribers may
 * call any function, also while they are being loaded. A subscriber that calls
 * xptiFrameworkFinalize stays loaded: while the dispatcher tells any subscriber something, or the
 * call comes from a callback, all subscribers stay loaded.
 */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "xpti/dispatcher/subscribers.h"
#include "xpti/dispatcher/pins.h"
#include "xpti/dispatcher/warning.h"

/*
 * How often each subscriber is opened, so that one that closes itself is not unloaded as it runs.
 */
enum { HOLDS = 64 };

struct tl_xpti_subscriber {
	struct tl_xpti_subscriber *next;
	void *handle;
	char *path;
	void (*init)(unsigned major, unsigned minor, const char *version, const char *stream);
	void (*finish)(const char *stream);
	bool (*detail)(const char *stream, uint8_t *level); /* or NULL */
};

static _Atomic(struct tl_xpti_subscriber *) subscribers;
/* The number of threads that go through the list, or are in a subscriber. */
static _Atomic uint32_t telling;

static void subscriber_warn(const char *path, const char *why)
{
	tl_xpti_say("subscriber", path, why, "XPTI_SUBSCRIBERS");
}

/*
 * A subscriber is linked with libxptifw.so, which is the dispatcher's soname, or it takes the
 * functions from any library that has them. Make that the dispatcher, however it was loaded.
 */
static void make_dispatcher_global(void)
{
	Dl_info own;

	if (dladdr((void *)&xptiReset, &own) && own.dli_fname) {
		void *handle = dlopen(own.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
		if (handle)
			dlclose(handle);
	}
}

/*
 * Since SYCL 2026 subscribers need libxptifw.so.1. Beside the dispatcher lies a library with that
 * soname, which leads to the dispatcher. Once it is loaded, the dynamic loader takes it for what
 * they need, and does not load the original as well.
 */
static void load_newer_soname(void)
{
	static const char *const folders[] = {"tracelayer/xpti/", ""};
	char path[PATH_MAX];
	Dl_info own;

	if (!dladdr((void *)&xptiReset, &own) || !own.dli_fname || !strchr(own.dli_fname, '/'))
		return;
	const char *file = strrchr(own.dli_fname, '/') + 1;
	/* In a folder of its own name the dispatcher is called libxptifw.so. */
	const char *folder = folders[strcmp(file, "libxptifw.so") == 0];
	snprintf(path, sizeof(path), "%.*s%slibxptifw.so.1", (int)(file - own.dli_fname),
		 own.dli_fname, folder);
	/* Not closed: it stays as long as the dispatcher. */
	if (access(path, R_OK) == 0)
		dlopen(path, RTLD_LAZY);
}

static struct tl_xpti_subscriber *subscribers_first(void)
{
	/*
	 * One order with telling_begin's count and the unloader's exchange: a thread that counts
	 * after the exchange finds no list.
	 */
	return atomic_load_explicit(&subscribers, memory_order_seq_cst);
}

static bool subscriber_is_loaded(void *handle)
{
	for (struct tl_xpti_subscriber *s = subscribers_first(); s; s = s->next)
		if (s->handle == handle)
			return true;
	return false;
}

static void subscriber_append(struct tl_xpti_subscriber *subscriber)
{
	struct tl_xpti_subscriber *last = subscribers_first();

	while (last && last->next)
		last = last->next;
	if (last)
		last->next = subscriber;
	else
		atomic_store_explicit(&subscribers, subscriber, memory_order_seq_cst);
}

/* NULL where the library is not a subscriber; *why then says why. */
static struct tl_xpti_subscriber *subscriber_of(void *handle, const char *path, const char **why)
{
	struct tl_xpti_subscriber *subscriber = calloc(1, sizeof(*subscriber));
	char *copy = strdup(path);

	*why = "out of memory";
	if (subscriber && copy) {
		*subscriber = (struct tl_xpti_subscriber){.handle = handle, .path = copy};
		*(void **)&subscriber->init = dlsym(handle, "xptiTraceInit");
		*(void **)&subscriber->finish = dlsym(handle, "xptiTraceFinish");
		*(void **)&subscriber->detail =
			dlsym(handle, "xptiQuerySubscriberStreamDetailLevel");
		if (subscriber->init && subscriber->finish)
			return subscriber;
		*why = subscriber->init ? "it has no xptiTraceFinish" : "it has no xptiTraceInit";
	}
	free(copy);
	free(subscriber);
	return NULL;
}

/* A name without a slash may be that of a subscriber that is installed beside the dispatcher. */
static void *subscriber_open_beside(const char *name)
{
	char path[PATH_MAX];
	Dl_info own;

	if (strchr(name, '/') || !dladdr((void *)&xptiReset, &own) ||
	    !realpath(own.dli_fname, path))
		return NULL;
	char *file = strrchr(path, '/') + 1;
	if (strlen(name) >= sizeof(path) - (size_t)(file - path))
		return NULL;
	strcpy(file, name);
	return access(path, R_OK) == 0 ? dlopen(path, RTLD_LAZY) : NULL;
}

/* Where there is no second attempt, dlerror still describes the first one. */
static void *subscriber_open(const char *path)
{
	void *handle = dlopen(path, RTLD_LAZY);

	return handle ? handle : subscriber_open_beside(path);
}

static unsigned subscriber_load(const char *path)
{
	const char *why = "no library has an empty name";
	void *handle = *path ? subscriber_open(path) : NULL;

	if (!handle) {
		const char *error = *path ? dlerror() : NULL;
		subscriber_warn(path, error ? tl_xpti_reason(path, error) : why);
		return 0;
	}
	if (subscriber_is_loaded(handle)) {
		dlclose(handle);
		return 0;
	}
	struct tl_xpti_subscriber *subscriber = subscriber_of(handle, path, &why);
	if (!subscriber) {
		subscriber_warn(path, why);
		dlclose(handle);
		return 0;
	}
	for (int i = 1; i < HOLDS; i++)
		subscriber_open(path);
	subscriber_append(subscriber);
	return 1;
}

unsigned tl_xpti_subscribers_load(void)
{
	const char *setting = secure_getenv("XPTI_SUBSCRIBERS");
	char *paths = setting && *setting ? strdup(setting) : NULL;
	unsigned count = 0;

	if (!paths)
		return 0;
	make_dispatcher_global();
	load_newer_soname();
	/* A comma ends a name; after the last one nothing follows. */
	for (char *path = paths, *next; path && *path; path = next) {
		next = strchr(path, ',');
		if (next)
			*next++ = '\0';
		count += subscriber_load(path);
	}
	free(paths);
	return count;
}

/* The subscriber may have closed itself: close only what is still open. */
static void subscriber_close(struct tl_xpti_subscriber *subscriber)
{
	for (int i = 0; i < HOLDS; i++) {
		void *open = dlopen(subscriber->path, RTLD_LAZY | RTLD_NOLOAD);
		if (open)
			dlclose(open);
		if (open != subscriber->handle)
			break;
		dlclose(open);
	}
}

struct tl_xpti_subscriber *tl_xpti_subscribers_take(void)
{
	/*
	 * One order with subscribers_first's load and telling_begin's count: a thread that is not
	 * counted here finds no list.
	 */
	struct tl_xpti_subscriber *all =
		atomic_exchange_explicit(&subscribers, NULL, memory_order_seq_cst);
	bool in_use = atomic_load_explicit(&telling, memory_order_seq_cst) || tl_xpti_in_callback();

	return in_use ? NULL : all;
}

void tl_xpti_subscribers_unload(struct tl_xpti_subscriber *taken)
{
	for (struct tl_xpti_subscriber *next; taken; taken = next) {
		next = taken->next;
		subscriber_close(taken);
		free(taken->path);
		free(taken);
	}
}

/* ---- telling subscribers; in each of these scopes no subscriber is unloaded ---- */

static bool telling_begin(void)
{
	atomic_fetch_add_explicit(&telling, 1, memory_order_seq_cst);
	return true;
}

static void telling_end(const bool *unused)
{
	/* Release pairs with the unloader's load: this thread is done with the subscribers. */
	atomic_fetch_sub_explicit(&telling, 1, memory_order_release);
}

#define TELLING bool telling_now __attribute__((cleanup(telling_end), unused)) = telling_begin()

enum telling { STREAM_BEGINS, STREAM_DETAIL, STREAM_ENDS };

/* What this thread is telling or asking subscribers; one on the stack for each telling. */
struct tl_xpti_told {
	const struct tl_xpti_told *outer;
	const char *stream;
	enum telling what;
};

/* Without this a subscriber that initializes a stream whenever it hears of one would never end. */
static bool is_being_told(const char *stream, enum telling what)
{
	for (const struct tl_xpti_told *told = tl_xpti_thread.told; told; told = told->outer)
		if (told->what == what && strcmp(told->stream, stream) == 0)
			return true;
	return false;
}

static void told_end(struct tl_xpti_told *told)
{
	tl_xpti_thread.told = told->outer;
}

#define TELLING_OF(stream, what)                                                                   \
	TELLING;                                                                                   \
	struct tl_xpti_told told                                                                   \
		__attribute__((cleanup(told_end))) = {tl_xpti_thread.told, stream, what};          \
	tl_xpti_thread.told = &told

void tl_xpti_subscribers_init(uint32_t major, uint32_t minor, const char *version,
			      const char *stream)
{
	if (is_being_told(stream, STREAM_BEGINS))
		return;
	TELLING_OF(stream, STREAM_BEGINS);
	for (struct tl_xpti_subscriber *s = subscribers_first(); s; s = s->next)
		s->init(major, minor, version, stream);
}

void tl_xpti_subscribers_finish(const char *stream)
{
	if (is_being_told(stream, STREAM_ENDS))
		return;
	TELLING_OF(stream, STREAM_ENDS);
	for (struct tl_xpti_subscriber *s = subscribers_first(); s; s = s->next)
		s->finish(stream);
}

uint8_t tl_xpti_subscribers_detail(const char *stream)
{
	uint8_t highest = xpti_detail_none;

	/* Who asks further out stores what counts. */
	if (is_being_told(stream, STREAM_DETAIL))
		return xpti_detail_normal;
	TELLING_OF(stream, STREAM_DETAIL);
	for (struct tl_xpti_subscriber *s = subscribers_first(); s; s = s->next) {
		uint8_t level = xpti_detail_normal;
		/* As in the original, what it stores counts, whatever it returns. */
		if (s->detail)
			s->detail(stream, &level);
		if (level > highest)
			highest = level;
	}
	return highest;
}
