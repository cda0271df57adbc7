/* SPDX-License-Identifier: MIT */
/* shared_ffi.c: loads libffi where it is not linked in. See shared_ffi.h. */
#include "config.h"

#if HAVE_LIBFFI && defined(LIBFFI_SONAME)

#define TL_FFI_INSIDE
#include "layer/resolve/shared_ffi.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "layer/base/base.h"
#include "layer/resolve/dlsym.h"

struct tl_ffi tl_ffi;

/* One thread at a time asks; others that come meanwhile load it, too, and store nothing. */
enum { UNKNOWN, STORING, LOADED, MISSING };
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
	bool is_there = symbols_find(&found);

	if (!is_there)
		dlerror_clear();
	known = UNKNOWN;
	if (!atomic_compare_exchange_strong_explicit(&state, &known, STORING, memory_order_relaxed,
						     memory_order_relaxed)) {
		/* Another thread is storing the same. */
		while ((known = atomic_load_explicit(&state, memory_order_acquire)) == STORING)
			sched_yield();
		return known == LOADED;
	}
	if (is_there)
		tl_ffi = found;
	else
		tl_message_say(
			"tracelayer: " LIBFFI_SONAME
			" can't be loaded, so calls into a second driver's function of the same name are not recorded; install it\n");
	atomic_store_explicit(&state, is_there ? LOADED : MISSING, memory_order_release);
	return is_there;
}

#endif
