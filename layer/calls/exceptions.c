/* SPDX-License-Identifier: MIT */
/*
 * exceptions.c: exceptions, cancellation and pthread_exit on their way through the shims.
 *
 * A shim has a cleanup to run then. Two functions are needed: one that finds the cleanup (the
 * personality routine), and one that goes on afterwards (_Unwind_Resume). As a rule libgcc has
 * them. But each copy of libgcc's unwinder understands only its own contexts. A copy inside this
 * library would get contexts of the process's libgcc_s, and abort; and a dependency would load
 * libgcc_s into programs that do without it. So both functions are here. What they need of an
 * unwinder they take from the unwinder that has just called, which is loaded, since it runs.
 *
 * An unwinder that does not export what is needed (one linked into the program) passes the layer's
 * frames by. Such a call ends as a call that a longjmp left.
 */
#include <errno.h>
#include <stdlib.h>
#include <unwind.h>

#include "layer/base/loaded_libraries.h"

/* What is needed of the unwinder. */
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

static void search_unwinder(const struct tl_loaded *loaded, void *closure)
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

static bool find_unwinder(const void *caller, struct unwinder *unwinder)
{
	struct search search = {.caller = caller};

	tl_loaded_with(search_unwinder, &search);
	if (search.all)
		__builtin_memcpy(unwinder, search.found, sizeof(*unwinder));
	return search.all;
}

/* ---- the table of landing pads that the compiler made for a function */

#define OMITTED	 0xff /* DW_EH_PE_omit */
#define RELATIVE 0x10 /* DW_EH_PE_pcrel */

static uintptr_t read_uleb(const unsigned char **at)
{
	uintptr_t value = 0;
	unsigned shift = 0;
	unsigned char byte;

	do {
		byte = *(*at)++;
		value |= (uintptr_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return value;
}

#define READ(type)                                                                                 \
	({                                                                                         \
		type value_;                                                                       \
		__builtin_memcpy(&value_, *at, sizeof(value_));                                    \
		*at += sizeof(value_);                                                             \
		(uintptr_t) value_;                                                                \
	})

/* Returns false for a form that gcc and clang do not use here. */
static bool read_encoded(const unsigned char **at, unsigned char encoding, uintptr_t *value)
{
	uintptr_t place = (uintptr_t)*at;

	switch (encoding & 0x0f) {
	case 0x00:
		*value = READ(uintptr_t);
		break;
	case 0x01:
		*value = read_uleb(at);
		break;
	case 0x02:
		*value = READ(uint16_t);
		break;
	case 0x03:
		*value = READ(uint32_t);
		break;
	case 0x04:
		*value = READ(uint64_t);
		break;
	case 0x0a:
		*value = READ(int16_t);
		break;
	case 0x0b:
		*value = READ(int32_t);
		break;
	case 0x0c:
		*value = READ(int64_t);
		break;
	default:
		return false;
	}
	if ((encoding & 0x70) == RELATIVE)
		*value += place;
	return (encoding & 0x70) == 0 || (encoding & 0x70) == RELATIVE;
}

/* Where the cleanup for this instruction begins; 0: there is none. */
static uintptr_t landing_pad(const unsigned char *at, uintptr_t start, uintptr_t ip)
{
	uintptr_t base = start, from, length, pad;
	unsigned char encoding = *at++;

	if (encoding != OMITTED && !read_encoded(&at, encoding, &base))
		return 0;
	if (*at++ != OMITTED) /* types that are caught: C has none */
		read_uleb(&at);
	encoding = *at++;
	length = read_uleb(&at);
	const unsigned char *end = at + length;
	while (at < end) {
		if (!read_encoded(&at, encoding, &from) || !read_encoded(&at, encoding, &length) ||
		    !read_encoded(&at, encoding, &pad))
			return 0;
		read_uleb(&at);
		if (ip < start + from)
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
	if ((actions & _UA_SEARCH_PHASE) || !find_unwinder(caller, &unwinder))
		return _URC_CONTINUE_UNWIND;
	errno = error;
	const unsigned char *table = unwinder.get_language_data(context);
	if (!table)
		return _URC_CONTINUE_UNWIND;
	uintptr_t ip = unwinder.get_ip(context, &before) - !before;
	uintptr_t pad = landing_pad(table, unwinder.get_region_start(context), ip);
	if (!pad)
		return _URC_CONTINUE_UNWIND;
	resume = unwinder.resume;
	unwinder.set_register(context, __builtin_eh_return_data_regno(0), (_Unwind_Word)exception);
	unwinder.set_register(context, __builtin_eh_return_data_regno(1), 0);
	unwinder.set_ip(context, pad);
	return _URC_INSTALL_CONTEXT;
}

/*
 * Called at the end of a cleanup. The unwinder steps over this frame, which has nothing to clean
 * up.
 */
void _Unwind_Resume(struct _Unwind_Exception *exception)
{
	resume(exception);
	abort(); /* it does not return */
}
