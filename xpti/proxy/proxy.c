/* SPDX-License-Identifier: MIT */
/*
 * proxy.c: the functions of libtracelayer-xptiproxy.a, and loading the dispatcher.
 *
 * Where XPTI_FRAMEWORK_DISPATCHER is unset or empty, every call returns at once: FAIL, NULL, false,
 * or another value that proxy_functions.h lists. Where the dispatcher can't be used, calls return
 * the same, and one line on standard error says why.
 *
 * There is no lock. Several threads may load the dispatcher at the same time: the loader gives all
 * of them the same library, and one of their tables is published. Calls that the dispatcher's own
 * constructors make work in the same way. The dispatcher stays loaded, also after
 * xptiFrameworkFinalize: other threads may be running in it.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "tracelayer/xpti.h"
#include "xpti/dispatcher/dispatcher.h"

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

/* Tables without functions. untried: no thread has tried to load a dispatcher; none: there is none. */
static const struct functions untried, none;
static _Atomic(const struct functions *) current = &untried;

/* Fill the table with a dispatcher's functions. False, and why, where it can't be used. */
static bool functions_fill(struct functions *functions, void *handle, char *why, size_t size)
{
	/* Its functions would call this proxy, or another one. */
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

/* Load a dispatcher. NULL, and why, where it can't be used. */
static struct functions *dispatcher_open(const char *path, char *why, size_t size)
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
	if (functions && functions_fill(functions, handle, why, size))
		return functions;
	free(functions);
	dlclose(handle);
	return NULL;
}

/* Load the dispatcher. `seen` is the table that has no functions yet. Returns the current table. */
static const struct functions *functions_load(const struct functions *seen)
{
	char why[1024];
	/* Not in a set-user-id program: the user's library would get its rights. */
	const char *path = secure_getenv("XPTI_FRAMEWORK_DISPATCHER");
	bool named = path && *path;
	struct functions *taken = named ? dispatcher_open(path, why, sizeof(why)) : NULL;
	const struct functions *functions = taken ? taken : &none;

	/*
	 * Release pairs with the acquire loads in functions_now and here: the table is filled.
	 */
	if (!atomic_compare_exchange_strong_explicit(&current, &seen, functions,
						     memory_order_acq_rel, memory_order_acquire)) {
		free(taken); /* another thread was faster, and has printed the line */
		return seen;
	}
	if (named && !taken)
		tl_xpti_say("XPTI dispatcher", path, why, "XPTI_FRAMEWORK_DISPATCHER");
	return functions;
}

static __attribute__((noinline, cold)) const struct functions *functions_load_first(void)
{
	return functions_load(&untried);
}

static inline const struct functions *functions_now(void)
{
	return atomic_load_explicit(&current, memory_order_acquire);
}

void xptiTraceTryToEnable(void)
{
	const struct functions *functions = functions_now();

	if (functions == &untried || functions == &none)
		functions_load(functions);
}

#define FUNCTION(type, name, parameters, arguments, nothing)                                       \
	type name parameters                                                                       \
	{                                                                                          \
		const struct functions *functions = functions_now();                               \
		if (__builtin_expect(functions->name != NULL, 1))                                  \
			return functions->name arguments;                                          \
		if (functions == &untried && (functions = functions_load_first())->name)           \
			return functions->name arguments;                                          \
		return nothing;                                                                    \
	}
#include "xpti/proxy/proxy_functions.h"
