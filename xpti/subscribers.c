/*
 * subscribers.c: the libraries that XPTI_SUBSCRIBERS names: loading them, and telling them of streams.
 *
 * They are loaded once, by the thread that makes the first call, before any other gets on; after that the list doesn't change until the framework ends.
 * So it is read without a lock, and subscribers may call any function back, also while they are being loaded.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "xpti/dispatcher.h"
#include "xpti/say.h"

struct subscriber {
	struct subscriber *next;
	void *handle;
	void (*init)(unsigned major, unsigned minor, const char *version, const char *stream);
	void (*finish)(const char *stream);
	bool (*detail)(const char *stream, uint8_t *level);	/* or NULL */
};

static struct subscriber *subscribers;

static void say(const char *path, const char *why)
{
	tl_xpti_say("subscriber", path, why, "XPTI_SUBSCRIBERS");
}

/*
 * Subscribers are linked with libxptifw.so, which is our soname, or take its functions from whoever has them: from us, then, however we were loaded.
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

static bool is_loaded(void *handle)
{
	for (struct subscriber *s = subscribers; s; s = s->next)
		if (s->handle == handle)
			return true;
	return false;
}

/* NULL, and why, where it isn't a subscriber. */
static struct subscriber *subscriber_of(void *handle, const char **why)
{
	struct subscriber *subscriber = calloc(1, sizeof(*subscriber));

	*why = "out of memory";
	if (!subscriber)
		return NULL;
	subscriber->handle = handle;
	*(void **)&subscriber->init = dlsym(handle, "xptiTraceInit");
	*(void **)&subscriber->finish = dlsym(handle, "xptiTraceFinish");
	*(void **)&subscriber->detail = dlsym(handle, "xptiQuerySubscriberStreamDetailLevel");
	if (subscriber->init && subscriber->finish)
		return subscriber;
	*why = subscriber->init ? "it has no xptiTraceFinish" : "it has no xptiTraceInit";
	free(subscriber);
	return NULL;
}

static unsigned load(const char *path)
{
	const char *why = "no library has an empty name";
	void *handle = *path ? dlopen(path, RTLD_LAZY) : NULL;

	if (!handle) {
		if (*path)
			why = dlerror();
		say(path, why ? why : "cannot be loaded");
		return 0;
	}
	if (is_loaded(handle)) {
		dlclose(handle);
		return 0;
	}
	struct subscriber *subscriber = subscriber_of(handle, &why), **last = &subscribers;
	if (!subscriber) {
		say(path, why);
		dlclose(handle);
		return 0;
	}
	/* Once more: one that closes itself is not unloaded while it runs. */
	dlopen(path, RTLD_LAZY);
	while (*last)
		last = &(*last)->next;
	*last = subscriber;
	return 1;
}

unsigned tl_xpti_subscribers_load(void)
{
	const char *setting = getenv("XPTI_SUBSCRIBERS");
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

void tl_xpti_subscribers_unload(void)
{
	while (subscribers) {
		struct subscriber *subscriber = subscribers;
		subscribers = subscriber->next;
		dlclose(subscriber->handle);
		dlclose(subscriber->handle);
		free(subscriber);
	}
}

void tl_xpti_subscribers_init(uint32_t major, uint32_t minor, const char *version, const char *stream)
{
	for (struct subscriber *s = subscribers; s; s = s->next)
		s->init(major, minor, version, stream);
}

void tl_xpti_subscribers_finish(const char *stream)
{
	for (struct subscriber *s = subscribers; s; s = s->next)
		s->finish(stream);
}

uint8_t tl_xpti_subscribers_detail(const char *stream)
{
	uint8_t highest = xpti_detail_none;

	for (struct subscriber *s = subscribers; s; s = s->next) {
		uint8_t level = xpti_detail_normal;
		if (s->detail && !s->detail(stream, &level))
			level = xpti_detail_normal;
		if (level > highest)
			highest = level;
	}
	return highest;
}
