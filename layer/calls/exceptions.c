/* SPDX-License-Identifier: MIT */
/*
 * exceptions.c: lets exceptions, cancellation and pthread_exit pass through the shims.
 *
 * A shim has a cleanup to run then. Two functions are needed: one that finds the cleanup (the
 * personality routine), and one that goes on afterwards (_Unwind_Resume). As a rule libgcc has
 * them. But each copy of libgcc's unwinder understands only its own contexts. A copy inside this
 * library would get contexts of the process's libgcc_s, and abort; and a dependency would load
 * libgcc_s into programs that do without it. So both functions are here. They call the functions
 * of the unwinder that has just called them.
 *
 * If that unwinder does not export these functions (it may be linked into the program), the shim's
 * cleanup does not run. Such a call ends like a call that a longjmp left.
 */
#include <errno.h>
#include <stdlib.h>
#include <unwind.h>

#include "layer/base/loaded_libraries.h"
#include "layer/calls/eh_reader.h"

/* The unwinder's functions that are needed here. */
struct unwinder {
	void *(*get_language_data)(struct _Unwind_Context *context);
	_Unwind_Ptr (*get_ip)(struct _Unwind_Context *context, int *before);
	_Unwind_Ptr (*get_region_start)(struct _Unwind_Context *context);
	void (*set_register)(struct _Unwind_Context *context, int number, _Unwind_Word value);
	void (*set_ip)(struct _Unwind_Context *context, _Unwind_Ptr ip);
	_Unwind_Reason_Code (*resume)(struct _Unwind_Exception *exception);
};

static const char *const names[] = {
	"_Unwind_GetLanguageSpecificData",
	"_Unwind_GetIPInfo",
	"_Unwind_GetRegionStart",
	"_Unwind_SetGR",
	"_Unwind_SetIP",
	"_Unwind_Resume",
};

#define NAMES (sizeof(names) / sizeof(names[0]))
_Static_assert(sizeof(struct unwinder) == NAMES * sizeof(void *), "a name for each function");

struct search {
	const void *caller;
	void *found[NAMES];
	bool all;
};

/* How this thread goes on after the cleanup that it is running. */
static _Thread_local _Unwind_Reason_Code (*resume)(struct _Unwind_Exception *exception)
	__attribute__((tls_model("initial-exec")));

_Unwind_Reason_Code __gcc_personality_v0(int version, _Unwind_Action actions,
					 _Unwind_Exception_Class class,
					 struct _Unwind_Exception *exception,
					 struct _Unwind_Context *context);

static void search_library(const struct tl_loaded *loaded, void *closure)
{
	struct search *search = closure;
	const struct tl_elf *elf = tl_loaded_at(loaded, search->caller);

	if (!elf)
		return;
	for (size_t i = 0; i < NAMES; i++) {
		const ElfW(Sym) *symbol = tl_elf_lookup(elf, names[i], tl_elf_hash(names[i]), NULL);

		if (!symbol)
			return;
		search->found[i] = (void *)(elf->base + symbol->st_value);
	}
	search->all = true;
}

static bool unwinder_find(const void *caller, struct unwinder *unwinder)
{
	struct search search = {.caller = caller};

	tl_loaded_with(search_library, &search);
	if (search.all)
		__builtin_memcpy(unwinder, search.found, sizeof(*unwinder));
	return search.all;
}

/* ---- the table of landing pads that the compiler made for a function */

#define OMITTED	  0xff /* DW_EH_PE_omit */
#define HEAD_MOST 40   /* bytes of a table before its call sites: three bytes and three numbers */

/*
 * Where the cleanup for the instruction at `ip` begins; 0: there is none, or the table has a form
 * that gcc and clang do not use here.
 */
static uintptr_t table_landing_pad(const uint8_t *table, uintptr_t start, uintptr_t ip)
{
	struct tl_eh_reader reader = {.at = table, .end = table + HEAD_MOST};
	uintptr_t base = start;
	uint8_t encoding = (uint8_t)tl_eh_read(&reader, 1);

	if (encoding != OMITTED)
		base = tl_eh_read_encoded(&reader, encoding, 0);
	if (tl_eh_read(&reader, 1) != OMITTED) /* types that are caught: C has none */
		tl_eh_read_leb(&reader, false);
	encoding = (uint8_t)tl_eh_read(&reader, 1);
	uint64_t size = tl_eh_read_leb(&reader, false);
	reader.end = reader.at + size;
	while (!reader.failed && reader.at < reader.end) {
		uintptr_t from = tl_eh_read_encoded(&reader, encoding, 0);
		uintptr_t length = tl_eh_read_encoded(&reader, encoding, 0);
		uintptr_t pad = tl_eh_read_encoded(&reader, encoding, 0);
		tl_eh_read_leb(&reader, false); /* the action */
		if (reader.failed || ip < start + from)
			return 0;
		if (ip < start + from + length)
			return pad ? base + pad : 0;
	}
	return 0;
}

/* ---- what the compiler's code and the unwinder call by name */

_Unwind_Reason_Code __gcc_personality_v0(int version, _Unwind_Action actions,
					 _Unwind_Exception_Class class,
					 struct _Unwind_Exception *exception,
					 struct _Unwind_Context *context)
{
	const void *caller = __builtin_return_address(0);
	struct unwinder unwinder;
	int error = errno, before = 0;

	if (version != 1)
		return _URC_FATAL_PHASE1_ERROR;
	if ((actions & _UA_SEARCH_PHASE) || !unwinder_find(caller, &unwinder))
		return _URC_CONTINUE_UNWIND;
	errno = error;
	const unsigned char *table = unwinder.get_language_data(context);
	if (!table)
		return _URC_CONTINUE_UNWIND;
	uintptr_t ip = unwinder.get_ip(context, &before) - !before;
	uintptr_t pad = table_landing_pad(table, unwinder.get_region_start(context), ip);
	if (!pad)
		return _URC_CONTINUE_UNWIND;
	resume = unwinder.resume;
	unwinder.set_register(context, __builtin_eh_return_data_regno(0), (_Unwind_Word)exception);
	unwinder.set_register(context, __builtin_eh_return_data_regno(1), 0);
	unwinder.set_ip(context, pad);
	return _URC_INSTALL_CONTEXT;
}

/* Called at the end of a cleanup. This frame has none itself, so the unwinder passes it. */
void _Unwind_Resume(struct _Unwind_Exception *exception)
{
	resume(exception);
	abort(); /* it does not return */
}
