/* SPDX-License-Identifier: MIT */
/* shared_ffi.c: loads libffi where it is not linked in. See shared_ffi.h. */
#include "config.h"

#if HAVE_LIBFFI && defined(LIBFFI_SONAME)

#define TL_FFI_INSIDE
#include "layer/resolve/shared_ffi.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "layer/base/base.h"
#include "layer/resolve/dlsym.h"

struct tl_ffi tl_ffi;

/*
 * Threads that ask at the same time all load it, and store the same words. None waits for another: a child
 * may be forked meanwhile, and does not have the other thread.
 */
enum { UNKNOWN, LOADED, MISSING };
static _Atomic int state;

#define ROW(name) {#name, offsetof(struct tl_ffi, name)},
static const struct {
	const char *name;
	size_t offset;
} symbols[] = {TL_FFI_SYMBOLS(ROW)};

static bool symbols_find(struct tl_ffi *found)
{
	void *library = dlopen(LIBFFI_SONAME, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);

	for (size_t i = 0; library && i < sizeof(symbols) / sizeof(*symbols); i++) {
		void *address = tl_dl()->dlsym(library, symbols[i].name);

		if (!address)
			return false;
		memcpy((char *)found + symbols[i].offset, &address, sizeof(address));
	}
	return library != NULL;
}

static void symbols_store(const struct tl_ffi *found)
{
	for (size_t i = 0; i < sizeof(symbols) / sizeof(*symbols); i++) {
		void *address;

		memcpy(&address, (const char *)found + symbols[i].offset, sizeof(address));
		__atomic_store_n((void **)((char *)&tl_ffi + symbols[i].offset), address,
				 __ATOMIC_RELAXED);
	}
}

/* The program's next dlerror is not to tell of our search. */
static void dlerror_clear(void)
{
	if (tl_dl()->dlerror)
		tl_dl()->dlerror();
}

bool tl_ffi_load(void)
{
	int known = atomic_load_explicit(&state, memory_order_acquire);
	struct tl_ffi found;

	if (known == LOADED || known == MISSING)
		return known == LOADED;
	if (symbols_find(&found)) {
		symbols_store(&found);
		/* Release: with it, other threads have the words. */
		atomic_store_explicit(&state, LOADED, memory_order_release);
		return true;
	}
	dlerror_clear();
	known = UNKNOWN;
	if (atomic_compare_exchange_strong_explicit(&state, &known, MISSING, memory_order_acquire,
						    memory_order_acquire))
		tl_message_say(
			"tracelayer: " LIBFFI_SONAME
			" can't be loaded, so calls into a second driver's function of the same name are not recorded; install it\n");
	return known == LOADED;
}

#endif
