/* SPDX-License-Identifier: MIT */
/*
 * newer_loader.c: see newer_loader.h.
 */
#include "layer/resolve/newer_loader.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "layer/base/loaded_libraries.h"
#include "layer/resolve/shim_names.h"
#include "layer/base/message.h"

/*
 * zeInit, zesInit: the name begins with ze, zer, zes or zet. Not the getters, which are handled,
 * and not the functions that initialise the loader.
 */
static bool name_is_function(const char *name)
{
	size_t length = strlen(name), end = strlen("ProcAddrTable");

	if (!tl_elf_begins(name, "ze"))
		return false;
	const char *rest = name + 2 + (name[2] && strchr("rst", name[2]) != NULL);
	return *rest >= 'A' && *rest <= 'Z' && !tl_elf_begins(name, "zeLoader") &&
	       (length < end || strcmp(name + length - end, "ProcAddrTable"));
}

struct search {
	const struct tl_api *api;
	unsigned unknown;
};

static void loader_count_unknown(const struct tl_elf *elf, struct search *search)
{
	uint32_t count = tl_elf_symbols(elf);

	for (uint32_t i = 1; i < count; i++) {
		const ElfW(Sym) *symbol = &elf->symbols[i];
		const char *name = elf->strings + symbol->st_name;

		if (symbol->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC &&
		    name_is_function(name) && !tl_shim_names_find(name))
			search->unknown++;
	}
}

/* Looks at the first library that is loaded under the loader's name: as a rule there is one. */
static void loader_look(const struct tl_loaded *loaded, void *closure)
{
	struct search *search = closure;

	for (const char *const *soname = search->api->sonames; soname && *soname; soname++)
		for (unsigned i = 1; i < loaded->count; i++)
			if (tl_elf_is_named(&loaded->elf[i], *soname)) {
				loader_count_unknown(&loaded->elf[i], search);
				return;
			}
}

void tl_newer_loader_look(const struct tl_api *api)
{
	static _Atomic bool looked;
	struct search search = {.api = api};
	char line[256];
	int saved = errno;

	if (atomic_load_explicit(&looked, memory_order_relaxed) ||
	    strcmp(api->name, "level-zero") ||
	    atomic_exchange_explicit(&looked, true, memory_order_relaxed))
		return;
	tl_loaded_with(loader_look, &search);
	if (search.unknown) {
		snprintf(
			line, sizeof(line),
			"tracelayer: Level Zero: %u functions of this loader are newer than tracelayer and are not traced; "
			"build it with --with-level-zero-headers\n",
			search.unknown);
		tl_message_say(line);
	}
	errno = saved;
}
