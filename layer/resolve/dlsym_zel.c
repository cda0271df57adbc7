/* SPDX-License-Identifier: MIT */
/*
 * dlsym_zel.c: lookups of Level Zero's tracing interface, and of the functions by which a linked
 * loader initialises itself. See dlsym_lookup.h.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "layer/resolve/api_table.h"
#include "layer/resolve/call_origin.h"
#include "layer/resolve/dlsym_lookup.h"
#include "layer/resolve/library_roles.h"
#include "layer/resolve/loader_tables.h"
#include "layer/resolve/shim_names.h"

/* libtracelayer.so's own function of that name. */
static void *own_symbol(const char *name)
{
	return tl_door_symbol((void *)tl_dlsym_hook, name);
}

#define REGISTER_BEGINS "zelTracer"
#define REGISTER_ENDS	"RegisterCallback"

static bool name_is_register(const char *name)
{
	size_t length = strlen(name), end = strlen(REGISTER_ENDS);

	return tl_elf_begins(name, REGISTER_BEGINS) && length > end &&
	       !strcmp(name + length - end, REGISTER_ENDS);
}

/* Whether ours is only a stand-in: this build knows the function only by name. */
static bool register_is_stand_in(const char *name)
{
	int length = (int)(strlen(name) - strlen(REGISTER_BEGINS REGISTER_ENDS));
	char function[128];
	const struct tl_shim *shim;

	snprintf(function, sizeof(function), "ze%.*s", length, name + strlen(REGISTER_BEGINS));
	shim = tl_shim_names_find(function);
	if (!shim) {
		snprintf(function, sizeof(function), "zer%.*s", length,
			 name + strlen(REGISTER_BEGINS));
		shim = tl_shim_names_find(function);
	}
	return shim && shim->function->passed;
}

/* The answer that the program would get without us. */
static void *lookup_without_us(const struct tl_lookup *lookup)
{
	const struct tl_question *question = lookup->question;

	/* Asked from here, RTLD_NEXT finds what comes after our library. */
	return question->handle == RTLD_NEXT
		       ? tl_question_ask(&lookup->real->libc, question, RTLD_NEXT)
		       : tl_question_ask(&lookup->real->next, question, question->handle);
}

static bool handle_is_loaders(void *handle)
{
	struct link_map *library = NULL;

	return handle != RTLD_DEFAULT && handle != RTLD_NEXT &&
	       !dlinfo(handle, RTLD_DI_LINKMAP, &library) && library &&
	       tl_roles_is_loader_at(library->l_ld);
}

/*
 * Notes a loader that is linked into a library, as in oneAPI's adapters. It first looks up the
 * functions that initialise the dynamic loader. The calls that it then makes by name are the
 * loader's business.
 */
void tl_zel_notice_linked_loader(const struct tl_lookup *lookup)
{
	const char *name = lookup->question->name;

	if (!name || strcmp(name, "zeLoaderInit"))
		return;
	tl_roles_look();
	if (handle_is_loaders(lookup->question->handle))
		tl_roles_note_linked(lookup->caller, NULL);
}

void tl_zel_tell_linked_loader_apart(const struct tl_lookup *lookup)
{
	if (tl_lookup_is_of_linked_loader(lookup) &&
	    tl_resolve_brings_loader_up(lookup->shim->function))
		tl_api_by_caller(&lookup->shim, 1);
}

/*
 * Answers for names without a shim that must still lead to us. The loader's own zelTracerCreate and
 * its kin would find no layer unless the environment asks for one, or pass the handle of our tracer
 * to another layer. NULL: the name is none of these.
 *
 * A register function that is newer than the descriptor exists only in the loader. It would reach
 * another layer with our handle when the program calls it, or when the loader, called by the
 * program, looks it up in that layer.
 */
void *tl_zel_lookup(const struct tl_lookup *lookup)
{
	const char *name = lookup->question->name;
	const struct tl_known_library *asking;

	if (!name || !tl_elf_begins(name, "zel"))
		return NULL;
	tl_roles_look();
	asking = tl_lookup_asking_library(lookup->caller);
	if (asking && asking->role != TL_ROLE_LOADER)
		return NULL;
	void *own = own_symbol(name);

	if (!own)
		return name_is_register(name) && lookup_without_us(lookup)
			       ? own_symbol("tl_zel_unsupported")
			       : NULL;
	if (asking || lookup->question->handle == RTLD_DEFAULT)
		return NULL;
	if (handle_is_loaders(lookup->question->handle) &&
	    !(name_is_register(name) && register_is_stand_in(name)))
		return own;
	return tl_roles_is_loader_at(lookup_without_us(lookup)) ? own : NULL;
}
