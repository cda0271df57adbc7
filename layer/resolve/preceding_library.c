/* SPDX-License-Identifier: MIT */
/*
 * preceding_library.c: a library that takes the calls before they reach the shims.
 *
 * Tools like oclgrind and cliloader start a program with a library of their own at the beginning of
 * LD_PRELOAD, which has the functions of an API. If that does not call what comes next, no call
 * reaches a shim. This cannot be changed from here; `tracelayer run` says whose library it is.
 */
#include <link.h>
#include <string.h>

#include "layer/base/loaded_libraries.h"
#include "layer/base/library_walk.h"
#include "layer/base/run_report.h"
#include "layer/resolve/loaded_interposers.h"
#include "layer/resolve/shim_names.h"

struct precedence {
	struct tl_elf own;
	const char *path; /* of the library that comes before this one */
};

/*
 * The symbol is a function of a shim's name, and no shim itself: an interposer has two of one name
 * where its library has two versions of a function, or two interposers have it.
 */
static bool symbol_stands_for_shim(const struct precedence *look, const struct tl_elf *elf,
				   const ElfW(Sym) *symbol)
{
	const char *name = elf->strings + symbol->st_name;

	if (symbol->st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol->st_info) != STT_FUNC)
		return false;
	const struct tl_shim *shim = tl_shim_names_find(name);

	if (shim)
		return !tl_shim_names_at(tl_elf_address(elf, symbol));
	/* A program that made no call may not have got as far as to know the built-in names. */
	return tl_elf_lookup(&look->own, name, tl_elf_hash(name), NULL) &&
	       tl_shim_names_is_builtin(name);
}

/*
 * The libraries come in the order in which the dynamic linker looks for functions in them. Without a
 * path are the program and the kernel's own library (linux-vdso.so.1): the dynamic linker has no
 * function from that one, and to look for its functions among the shims would bring up all APIs.
 */
static bool library_precedes(const struct tl_elf *elf, void *closure)
{
	struct precedence *look = closure;

	if (elf->dynamic == look->own.dynamic)
		return true;
	/* `run` loads interposers before this library. Their functions are shims, so no look at them. */
	const bool is_file = strchr(elf->path, '/') && elf->symbols && elf->strings &&
			     !tl_elf_is_interposer(elf);
	const uint32_t count = is_file ? tl_elf_symbols(elf) : 0;

	for (uint32_t i = 1; i < count && !look->path; i++)
		if (symbol_stands_for_shim(look, elf, &elf->symbols[i]))
			look->path = elf->path;
	return look->path != NULL;
}

/* At the end of a process, which has made no traced call if tl_report_preceded is to report it. */
static __attribute__((destructor)) void report_preceding(void)
{
	const struct link_map *map = tl_report_is_asked() ? tl_library_own_map() : NULL;
	struct precedence look = {.path = NULL};

	if (!map)
		return;
	look.own = (struct tl_elf){.base = map->l_addr, .path = map->l_name, .dynamic = map->l_ld};
	tl_elf_read_dynamic(&look.own);
	tl_loaded_each_early(library_precedes, &look);
	if (look.path)
		tl_report_preceded(look.path);
}
