/* SPDX-License-Identifier: MIT */
/*
 * proxy.c: libtracelayer-xptiproxy.a, with which programs and libraries ship instrumentation and no
 * dispatcher.
 *
 * The first call of any function loads the dispatcher that XPTI_FRAMEWORK_DISPATCHER names; from
 * then on each call is one through a table. Where the variable is unset or empty, or the dispatcher
 * can't be used, which is said in one line, every call returns at once: FAIL, NULL, false, or what
 * else proxy_functions.h says.
 *
 * There is no lock. Threads that come while the first one loads do as it does: the loader gives all
 * the same library, and one of their tables is published. What the dispatcher's constructors call
 * goes through in the same way. The dispatcher stays loaded, also after xptiFrameworkFinalize:
 * other threads may be in it.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "tracelayer/xpti.h"
#include "xpti/dispatcher/warning.h"

#define FUNCTION(type, name, parameters, arguments, nothing) __typeof__(&name) name;
struct functions {
#include "xpti/proxy/proxy_functions.h"
};

#define FUNCTION(type, name, parameters, arguments, nothing)                                       \
	{#name, offsetof(struct functions, name), true},
#define OPTIONAL_FUNCTION(type, name, parameters, arguments, nothing)                              \
	{#name, offsetof(struct functions, name), false},
static const struct {
	const char *name;
	size_t offset;
	bool needed;
} wanted[] = {
#include "xpti/proxy/proxy_functions.h"
};

/* Both empty: no dispatcher has been looked for; there is none. */
static const struct functions untried, none;
static _Atomic(const struct functions *) current = &untried;

/* Take a dispatcher's functions. False, and why, where it can't be used. */
static bool fill(struct functions *functions, void *handle, char *why, size_t size)
{
	/* It would lead back to us, or to another that looks for its dispatcher. */
	if (dlsym(handle, "xptiTraceTryToEnable")) {
		snprintf(why, size, "it is a proxy, not a dispatcher");
		return false;
	}
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		void *function = dlsym(handle, wanted[i].name);
		if (!function && wanted[i].needed) {
			snprintf(why, size, "it has no %s", wanted[i].name);
			return false;
		}
		*(void **)(void *)((char *)functions + wanted[i].offset) = function;
	}
	return true;
}

/* The functions of the dispatcher; NULL, and why, where it can't be used. */
static struct functions *take(const char *path, char *why, size_t size)
{
	void *handle = dlopen(path, RTLD_LAZY);

	if (!handle) {
		const char *error = dlerror();
		snprintf(why, size, "%s",
			 error ? tl_xpti_reason(path, error) : "it cannot be loaded");
		return NULL;
	}
	snprintf(why, size, "out of memory");
	struct functions *functions = calloc(1, sizeof(*functions));
	if (functions && fill(functions, handle, why, size))
		return functions;
	free(functions);
	dlclose(handle);
	return NULL;
}

/* Try, where that is not done yet, or was to no avail so far. */
static const struct functions *load(const struct functions *seen)
{
	char why[1024];
	/*
	 * Not in a program that runs with other rights than its user's: it would be a way to them.
	 */
	const char *path = secure_getenv("XPTI_FRAMEWORK_DISPATCHER");
	bool named = path && *path;
	struct functions *taken = named ? take(path, why, sizeof(why)) : NULL;
	const struct functions *functions = taken ? taken : &none;

	/*
	 * Release pairs with the acquire loads of it, in functions_now and here: the table is
	 * filled.
	 */
	if (!atomic_compare_exchange_strong_explicit(&current, &seen, functions,
						     memory_order_acq_rel, memory_order_acquire)) {
		free(taken); /* another thread was faster, and has said what there is to say */
		return seen;
	}
	if (named && !taken)
		tl_xpti_say("XPTI dispatcher", path, why, "XPTI_FRAMEWORK_DISPATCHER");
	return functions;
}

static __attribute__((noinline, cold)) const struct functions *load_first(void)
{
	return load(&untried);
}

static inline const struct functions *functions_now(void)
{
	return atomic_load_explicit(&current, memory_order_acquire);
}

void xptiTraceTryToEnable(void)
{
	const struct functions *functions = functions_now();

	if (functions == &untried || functions == &none)
		load(functions);
}

#define FUNCTION(type, name, parameters, arguments, nothing)                                       \
	type name parameters                                                                       \
	{                                                                                          \
		const struct functions *functions = functions_now();                               \
		if (__builtin_expect(functions->name != NULL, 1))                                  \
			return functions->name arguments;                                          \
		if (functions == &untried && (functions = load_first())->name)                     \
			return functions->name arguments;                                          \
		return nothing;                                                                    \
	}
#include "xpti/proxy/proxy_functions.h"
