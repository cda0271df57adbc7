/* SPDX-License-Identifier: MIT */
/* call_origin.c: see call_origin.h. layer/resolve/library_roles.h finds each library's role. */
#include "layer/resolve/call_origin.h"

#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>

#include "layer/buffers/process_state.h"
#include "layer/resolve/asked_versions.h"
#include "layer/resolve/library_roles.h"
#include "layer/resolve/loader_tables.h"
#include "layer/resolve/real_function.h"

static void *library_own_function(const struct tl_known_library *library,
				  const struct tl_shim *shim)
{
	const char *name = shim->function->name;
	const ElfW(Sym) *symbol = tl_elf_lookup(&library->elf, name, tl_elf_hash(name), NULL);

	return symbol ? tl_elf_address(&library->elf, symbol) : NULL;
}

/* The same. As a rule the real function is of this library, and there is no need to look the name up. */
static void *library_known_function(const struct tl_known_library *library,
				    const struct tl_shim *shim)
{
	/* Acquire: pairs with the exchange in real_settle (layer/resolve/real_function.c). */
	void *real = atomic_load_explicit(&shim->real, memory_order_acquire);

	return tl_roles_at(real) == library && !tl_asked_version_is_known(shim)
		       ? real
		       : library_own_function(library, shim);
}

/*
 * The library is none of those that implement the shim's API: it uses this API as programs do, also
 * if it implements another one. Of an API that names no libraries this is not known.
 */
static bool library_is_user(const struct tl_known_library *library, const struct tl_shim *shim)
{
	const char *const *soname = shim->function->api->sonames;

	if (library->role != TL_ROLE_LOADER || !soname || !*soname)
		return false;
	for (; *soname; soname++)
		if (tl_elf_is_named(&library->elf, *soname))
			return false;
	return !library_own_function(library, shim);
}

/* The word at an address, which may be any number. */
static void *word_at(const void *address)
{
	void *word = NULL;
	struct iovec to = {&word, sizeof(word)}, from = {(void *)address, sizeof(word)};

	return address && process_vm_readv(getpid(), &to, 1, &from, 1, 0) == sizeof(word) ? word
											  : NULL;
}

/* The first handle among the parameters, or the first of the first list of handles. */
static void *first_handle(const struct tl_call *call)
{
	const struct tl_function *function = call->shim->function;

	for (unsigned i = 0; i < function->count; i++) {
		const struct tl_type *type = function->params[i].type;

		if (type->kind == TL_KIND_HANDLE && type->size == sizeof(void *))
			return *(void **)call->params[i];
		if (type->kind == TL_KIND_POINTER && type->target &&
		    type->target->kind == TL_KIND_HANDLE && type->target->size == sizeof(void *) &&
		    !(function->params[i].direction & TL_OUT))
			return word_at(*(void **)call->params[i]);
	}
	return NULL;
}

#define TABLE_WORDS 64

/*
 * The driver that a handle belongs to. A loader dispatches by the table that a handle's first word
 * points to (an ICD dispatch table, or a C++ object's virtual functions). This table lies in the
 * driver, or its entries lead there.
 */
static const struct tl_known_library *driver_of(void *handle)
{
	char *table = word_at(handle);
	const struct tl_known_library *it = table ? tl_roles_at(table) : NULL;

	if (it && it->role == TL_ROLE_DRIVER)
		return it;
	for (unsigned i = 0; table && i < TABLE_WORDS; i++) {
		it = tl_roles_at(word_at(table + i * sizeof(void *)));
		if (it && it->role == TL_ROLE_DRIVER)
			return it;
	}
	return NULL;
}

/*
 * The driver's function for a call that came through a driver's table with our shim in it. If
 * several drivers have such a table: the driver of the call's first handle, or else the first one.
 */
static void *driver_function_among(const struct tl_call *call)
{
	const struct tl_known_library *it, *by_handle;
	void *first = NULL;
	unsigned count = 0;

	for (unsigned n = 0; (it = tl_roles_nth(n)) != NULL; n++) {
		if (it->role != TL_ROLE_DRIVER ||
		    atomic_load_explicit(&it->gone, memory_order_relaxed) ||
		    !tl_roles_is_bound(it, call->shim))
			continue;
		void *function = library_own_function(it, call->shim);

		count += function != NULL;
		first = first ? first : function;
	}
	if (count < 2)
		return first;
	by_handle = driver_of(first_handle(call));
	void *function = by_handle ? library_own_function(by_handle, call->shim) : NULL;

	return function ? function : first;
}

/*
 * The driver's function for a loader's call through a driver's table. The shim is in that table
 * because the dynamic linker bound the driver's own entries to it.
 */
static void *driver_function_dispatched(const struct tl_call *call)
{
	void *function = driver_function_among(call);

	if (!function) {
		/*
		 * The layer does not see the dlsym calls of a loader that was opened with
		 * RTLD_DEEPBIND. Its drivers are unknown until now.
		 */
		tl_roles_suspect(call->shim);
		function = driver_function_among(call);
	}
	return function;
}

/*
 * Whether the call that returns here names its target: it goes through the PLT or the GOT, and not
 * through a pointer that was looked up.
 */
static bool caller_is_direct(const void *caller)
{
#if defined(__x86_64__)
	const unsigned char *after = caller;

	return after[-5] == 0xe8 || (after[-6] == 0xff && after[-5] == 0x15);
#else
	return (((const uint32_t *)caller)[-1] & 0xfc000000) == 0x94000000;
#endif
}

/*
 * The real function, if a loader makes this call to check drivers. Of a loader that has our layer,
 * all other calls by its tables are the program's.
 */
static void *loaders_check(const struct tl_call *call)
{
	int saved = errno;
	const struct tl_known_library *from;

	tl_roles_look();
	from = tl_roles_at(call->caller.address);
	errno = saved;
	return from && from->role == TL_ROLE_LOADER && tl_door_is_check(call)
		       ? atomic_load_explicit(&call->shim->real, memory_order_acquire)
		       : NULL;
}

void *tl_resolve_own(const struct tl_shim *shim, const void *caller)
{
	const struct tl_known_library *from = tl_roles_at(caller), *it;

	if (!from || from->role != TL_ROLE_LOADER ||
	    !(shim->function->flags & TL_FUNCTION_EXPORTED) ||
	    tl_roles_is_layered(shim->function->api))
		return NULL;
	/* As a rule nothing has to be looked at. */
	if (tl_roles_is_settled(from, shim) && !tl_asked_version_is_known(shim))
		return atomic_load_explicit(&shim->real, memory_order_acquire);
	if (caller_is_direct(caller) || tl_process_is_confined())
		return NULL;
	int saved = errno;
	tl_roles_suspect(shim);
	errno = saved;
	if (tl_roles_is_overridden(from, shim))
		return NULL;
	for (unsigned n = 0; (it = tl_roles_nth(n)) != NULL; n++)
		if (it->role == TL_ROLE_DRIVER)
			return NULL;
	return library_known_function(from, shim);
}

/*
 * What a call gets, by the library it came from:
 *
 *	ours		our traced body called the loader, which jumped on, so the return address is
 *			still ours. Through a driver's table if one leads to us: the driver's. Else
 *			by name: another export of the loader's own
 *	a loader	by name: its own export, or that of a library that comes before it; through
 *			a driver's table: the driver's. Another API's functions it calls as programs
 *			do
 *	a driver	by name: its own, or that of a library that comes before it; a driver that
 *			has none calls the API as programs do, and is traced like them
 */
void *tl_resolve_foreign(const struct tl_call *call)
{
	const struct tl_known_library *from;
	void *function = NULL;
	int saved = errno;

	if (tl_roles_is_layered(call->shim->function->api))
		return loaders_check(call);
	from = tl_roles_at(call->caller.address);
	if (!from || from->role == TL_ROLE_LINKED)
		return NULL;
	/* A library that calls a function of its own by a table that it has given out. */
	if (!(call->shim->function->flags & TL_FUNCTION_EXPORTED) && from->role == TL_ROLE_LOADER) {
		void *real = atomic_load_explicit(&call->shim->real, memory_order_acquire);

		if (tl_roles_at(real) == from)
			return real;
	}
	if (from->role == TL_ROLE_OWN ||
	    (from->role == TL_ROLE_LOADER && !caller_is_direct(call->caller.address)))
		function = driver_function_dispatched(call);
	bool overridden = from->role != TL_ROLE_OWN && tl_roles_is_overridden(from, call->shim);
	if (!function && !overridden && from->role != TL_ROLE_OWN)
		function = library_known_function(from, call->shim);
	if (!function && (overridden || from->role != TL_ROLE_DRIVER) &&
	    !library_is_user(from, call->shim)) {
		/*
		 * As a rule the function is known, and there is no need to look at newly loaded
		 * libraries.
		 */
		function = atomic_load_explicit(&call->shim->real, memory_order_acquire);
		if (!function)
			function = tl_resolve_real(call->shim, call->caller.address);
	}
	errno = saved;
	return function;
}

bool tl_resolve_is_jump_of_others(const struct tl_call *call, const struct tl_shim *around)
{
	/* Acquire: pairs with the exchange in real_settle (layer/resolve/real_function.c). */
	void *real = atomic_load_explicit(&around->real, memory_order_acquire);

	if (!real || !tl_roles_is_own_at(call->caller.address))
		return false;
	const struct tl_known_library *from = tl_roles_at(real);

	return !from || library_is_user(from, call->shim);
}

bool tl_resolve_comes_first(struct tl_first_places *places, const struct tl_call *call)
{
	const struct tl_function *function = call->shim->function;
	const void *caller = call->caller.address;

	for (unsigned i = 0; i < TL_FIRST_PLACES; i++) {
		const struct tl_function *no_function = NULL;
		const void *first = NULL;

		if (!atomic_compare_exchange_strong_explicit(
			    &places->first[i].function, &no_function, function,
			    memory_order_relaxed, memory_order_relaxed) &&
		    no_function != function)
			continue;
		if (atomic_compare_exchange_strong_explicit(&places->first[i].place, &first, caller,
							    memory_order_relaxed,
							    memory_order_relaxed) ||
		    first == caller)
			return true;
		if (tl_roles_at(first) == tl_roles_at(caller))
			return false;
	}
	return false;
}

/* It stores a table of functions, and not one function that the program has asked for by name. */
static bool function_gives_table(const struct tl_function *function)
{
	const struct tl_api *api = function->api;

	if (!(function->flags & TL_FUNCTION_GETPROC))
		return false;
	for (uint32_t i = 0; i < api->ngetprocs; i++)
		if (api->getprocs[i].function == function->index)
			return api->getprocs[i].kind == TL_GETPROC_TABLE;
	return false;
}

bool tl_resolve_brings_loader_up(const struct tl_function *function)
{
	return function->flags & TL_FUNCTION_INITIALISES || function_gives_table(function);
}

/*
 * A loader that is linked into a library calls some of the dynamic loader's functions itself, by
 * the names that it looked up: it asks for its tables and initialises that loader, and then calls
 * by those tables for the program. In later versions the tables contain the dynamic loader's
 * zeInit, so the program's call comes by the same pointer, but from another place.
 */
bool tl_resolve_is_linked_loaders(const struct tl_call *call)
{
	static struct tl_first_places first;
	const struct tl_known_library *from = tl_roles_at(call->caller.address), *to;
	void *real = atomic_load_explicit(&call->shim->real, memory_order_acquire);

	if (!from || from->role != TL_ROLE_LINKED || !real ||
	    !tl_resolve_brings_loader_up(call->shim->function))
		return false;
	to = tl_roles_at(real);
	if (!to || to->role != TL_ROLE_LOADER || library_own_function(to, call->shim) != real)
		return false;
	return function_gives_table(call->shim->function) || tl_resolve_comes_first(&first, call);
}

bool tl_resolve_is_programs(const struct tl_shim *shim, const void *caller)
{
	return !tl_roles_at(caller) && !tl_roles_is_layered(shim->function->api) &&
	       !tl_asked_version_is_known(shim);
}
