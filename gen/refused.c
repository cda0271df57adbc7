/* SPDX-License-Identifier: MIT */
/*
 * refused.c: functions that can't have a shim: they look at their caller's frame, or return to it
 * later. A shim of any kind puts a frame of its own in between.
 */
#include <fnmatch.h>

#include "gen/model.h"

static const struct {
	const char *names; /* as fnmatch(3) with FNM_EXTMATCH reads it */
	const char *why;
} untraceable[] = {
	{"@(*(_)@(setjmp|sigsetjmp)|savectx)",
	 "it returns twice, the second time to a frame that a shim has already left"},
	{"*(_)vfork", "it returns twice on one stack: the child overwrites the shim's frame"},
	/* _Ux86_64_getcontext is libunwind's. */
	{"@(*(_)|_U*_)@(getcontext|swapcontext)",
	 "it saves its caller's frame, which a shim has left when the context is used"},
	{"*(_|builtin_)alloca", "it takes memory from its caller's frame"},
	{"*(_|libc_)@(dlopen|dlmopen|dlsym|dlvsym)",
	 "it searches on behalf of its caller, whom it knows by the return address"},
	{"_Unwind_*", "it unwinds its caller's frame"},
	{"__pthread_@(register_cancel|unregister_cancel|unwind_next)*",
	 "it is the part of pthread_cleanup_push that jumps into its caller's frame"},
	{"__cxa_@(throw|rethrow|begin_catch|end_catch)", "it is a part of unwinding"},
	{"*(_)clone?(2|3)", "its child returns on another stack"},
	{"__tls_get_addr", "its callers expect it to leave registers as they are"},
	{"_dl_*", "it is the dynamic linker's"},
	{"_@(init|fini)", "the loader calls it, for the library alone"},
	{"tl_*", "it has the name of one of tracelayer's own functions"},
	{"*(_)@(mcount|fentry__)", "compilers call it with registers of their own"},
	{"__cyg_profile_func_@(enter|exit)", "compilers call it at each function, shims included"},
};

const char *function_untraceable(const char *symbol)
{
	for (size_t i = 0; i < sizeof untraceable / sizeof *untraceable; i++)
		if (fnmatch(untraceable[i].names, symbol, FNM_EXTMATCH) == 0)
			return untraceable[i].why;
	return NULL;
}
