/* SPDX-License-Identifier: MIT */
/*
 * dladdr.c: the program's dladdr and dladdr1, asked about a shim.
 *
 * Programs and libraries ask where an API's function lies, to find the library's files or to open
 * it again: ALSA's library does so for itself. Their pointer is the shim's, so the real dladdr
 * would name the library with the shims. So it is asked about the real function instead; the same
 * for a closure. Any other address is passed on as it is, also an address inside a shim: a
 * backtrace should show the shim.
 *
 * The pointer itself is not changed: a library may compare it with one that the program gave it. So
 * the answer's address of the symbol (dli_saddr) is the pointer that was asked about, as it is
 * without us.
 */
#include <dlfcn.h>
#include <errno.h>

#include "layer/buffers/process_state.h"
#include "layer/resolve/closure.h"
#include "layer/resolve/dlsym_lookup.h"
#include "layer/resolve/real_function.h"
#include "layer/resolve/shim_names.h"

TL_EXPORT int tl_dladdr(const void *address, Dl_info *info) __asm__("dladdr");
TL_EXPORT int tl_dladdr1(const void *address, Dl_info *info, void **extra,
			 int flags) __asm__("dladdr1");

static const void *address_without_us(const void *address)
{
	int saved = errno;
	void *real = NULL;

	/*
	 * Constructors of the libraries that a program needs run before ours, and ask. So a question
	 * about a built-in shim starts the runtime, as dlsym of its name does.
	 */
	if (!tl_process_is_started() && !tl_shim_names_is_builtin_at(address))
		return address;
	tl_process_start();
	struct tl_shim *shim = tl_shim_names_at(address);

	if (!shim)
		shim = tl_closure_at(address);
	if (shim)
		real = tl_process_is_confined()
			       ? atomic_load_explicit(&shim->real, memory_order_acquire)
			       : tl_resolve_real_if_loaded(shim);
	errno = saved;
	return real ? real : address;
}

/* `found`: the answer about `real`, which was asked in place of `address`. */
static int answer_for(int found, Dl_info *info, const void *address, const void *real)
{
	if (found && address != real && info->dli_saddr == real)
		info->dli_saddr = (void *)address;
	return found;
}

int tl_dladdr(const void *address, Dl_info *info)
{
	const struct tl_dl *next = &tl_real_dl()->next;
	const void *real = address_without_us(address);

	return next->dladdr ? answer_for(next->dladdr(real, info), info, address, real) : 0;
}

int tl_dladdr1(const void *address, Dl_info *info, void **extra, int flags)
{
	const struct tl_dl *next = &tl_real_dl()->next;
	const void *real = address_without_us(address);

	return next->dladdr1
		       ? answer_for(next->dladdr1(real, info, extra, flags), info, address, real)
		       : 0;
}
