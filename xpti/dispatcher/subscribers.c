/* SPDX-License-Identifier: MIT */
/*
 * subscribers.c: the libraries that XPTI_SUBSCRIBERS names: loading them, and telling them of
 * streams.
 *
 * They are loaded once, by the thread that makes the first call, before any other gets on; after
 * that the list doesn't change until the framework ends. So it is read without a lock, and
 * subscribers may call any function back, also while they are being loaded. Those that call
 * xptiFrameworkFinalize are not unloaded under their own feet: while one is being told something,
 * or calls us from a callback, all stay loaded.
 */
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "xpti/dispatcher/dispatcher.h"
#include "xpti/dispatcher/warning.h"

/* A subscriber that closes itself is not unloaded while it runs: so often it is held. */
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
/* threads that go through the list, and are in subscribers */
static _Atomic uint32_t telling;

static void say(const char *path, const char *why)
{
	tl_xpti_say("subscriber", path, why, "XPTI_SUBSCRIBERS");
}

/*
 * Subscribers are linked with libxptifw.so, which is our soname, or take its functions from whoever
 * has them: from us, then, however we were loaded.
 */
static void be_global(void)
{
	Dl_info own;

	if (dladdr((void *)&xptiReset, &own) && own.dli_fname) {
		void *handle = dlopen(own.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
		if (handle)
			dlclose(handle);
	}
}

static struct tl_xpti_subscriber *first(void)
{
	/*
	 * One order with begin_telling's count and the unloader's exchange: who counts after it
	 * finds no list.
	 */
	return atomic_load_explicit(&subscribers, memory_order_seq_cst);
}

static bool is_loaded(void *handle)
{
	for (struct tl_xpti_subscriber *s = first(); s; s = s->next)
		if (s->handle == handle)
			return true;
	return false;
}

static void append(struct tl_xpti_subscriber *subscriber)
{
	struct tl_xpti_subscriber *last = first();

	while (last && last->next)
		last = last->next;
	if (last)
		last->next = subscriber;
	else
		atomic_store_explicit(&subscribers, subscriber, memory_order_seq_cst);
}

/* NULL, and why, where it isn't a subscriber. */
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

/*
 * A name alone that nothing is found by may be that of a subscriber which is installed beside us.
 */
static void *open_beside(const char *name)
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

/* dlerror says of the first attempt what went wrong, where there is no second one. */
static void *open_library(const char *path)
{
	void *handle = dlopen(path, RTLD_LAZY);

	return handle ? handle : open_beside(path);
}

static unsigned load(const char *path)
{
	const char *why = "no library has an empty name";
	void *handle = *path ? open_library(path) : NULL;

	if (!handle) {
		const char *error = *path ? dlerror() : NULL;
		say(path, error ? tl_xpti_reason(path, error) : why);
		return 0;
	}
	if (is_loaded(handle)) {
		dlclose(handle);
		return 0;
	}
	struct tl_xpti_subscriber *subscriber = subscriber_of(handle, path, &why);
	if (!subscriber) {
		say(path, why);
		dlclose(handle);
		return 0;
	}
	for (int i = 1; i < HOLDS; i++)
		open_library(path);
	append(subscriber);
	return 1;
}

unsigned tl_xpti_subscribers_load(void)
{
	const char *setting = secure_getenv("XPTI_SUBSCRIBERS");
	char *paths = setting && *setting ? strdup(setting) : NULL;
	unsigned count = 0;

	if (!paths)
		return 0;
	be_global();
	/* A comma ends a name; after the last one nothing follows. */
	for (char *path = paths, *next; path && *path; path = next) {
		next = strchr(path, ',');
		if (next)
			*next++ = '\0';
		count += load(path);
	}
	free(paths);
	return count;
}

/* It may have closed itself: nothing is closed that isn't open. */
static void close_all(struct tl_xpti_subscriber *subscriber)
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
	 * One order with first's load and begin_telling's count: who is not counted here finds no
	 * list.
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
		close_all(taken);
		free(taken->path);
		free(taken);
	}
}

/* ---- telling them; each of these is a scope in which none is unloaded ---- */

static bool begin_telling(void)
{
	atomic_fetch_add_explicit(&telling, 1, memory_order_seq_cst);
	return true;
}

static void end_telling(const bool *unused)
{
	/* Release pairs with the unloader's load: subscribers are done with. */
	atomic_fetch_sub_explicit(&telling, 1, memory_order_release);
}

#define TELLING bool telling_now __attribute__((cleanup(end_telling), unused)) = begin_telling()

/* What this thread is telling them, in frames of its stack. */
struct tl_xpti_told {
	const struct tl_xpti_told *outer;
	const char *stream;
	bool ends;
};

/*
 * A subscriber that initializes a stream whenever it is told of one, or finalizes it, would be told
 * for ever.
 */
static bool is_told(const char *stream, bool ends)
{
	for (const struct tl_xpti_told *told = tl_xpti_thread.told; told; told = told->outer)
		if (told->ends == ends && strcmp(told->stream, stream) == 0)
			return true;
	return false;
}

static void end_told(struct tl_xpti_told *told)
{
	tl_xpti_thread.told = told->outer;
}

#define TELLING_OF(stream, ends)                                                                   \
	TELLING;                                                                                   \
	struct tl_xpti_told told                                                                   \
		__attribute__((cleanup(end_told))) = {tl_xpti_thread.told, stream, ends};          \
	tl_xpti_thread.told = &told

void tl_xpti_subscribers_init(uint32_t major, uint32_t minor, const char *version,
			      const char *stream)
{
	if (is_told(stream, false))
		return;
	TELLING_OF(stream, false);
	for (struct tl_xpti_subscriber *s = first(); s; s = s->next)
		s->init(major, minor, version, stream);
}

void tl_xpti_subscribers_finish(const char *stream)
{
	if (is_told(stream, true))
		return;
	TELLING_OF(stream, true);
	for (struct tl_xpti_subscriber *s = first(); s; s = s->next)
		s->finish(stream);
}

uint8_t tl_xpti_subscribers_detail(const char *stream)
{
	uint8_t highest = xpti_detail_none;

	TELLING;
	for (struct tl_xpti_subscriber *s = first(); s; s = s->next) {
		uint8_t level = xpti_detail_normal;
		if (s->detail && !s->detail(stream, &level))
			level = xpti_detail_normal;
		if (level > highest)
			highest = level;
	}
	return highest;
}
