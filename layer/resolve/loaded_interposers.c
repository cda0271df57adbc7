/* SPDX-License-Identifier: MIT */
/*
 * loaded_interposers.c: see loaded_interposers.h.
 */
#include "layer/resolve/loaded_interposers.h"

#include "layer/base/loaded_libraries.h"

/*
 * The constructor of an interposer, by what tracegen writes: it is the only one, and the generic
 * entry is the first symbol. NULL: the library is no interposer.
 */
static void (*interposer_constructor(const struct tl_elf *elf))(void)
{
	void (**constructors)(void) = NULL;
	size_t size = 0;

	for (const ElfW(Dyn) *d = elf->dynamic; d && d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_INIT)
			return NULL;
		else if (d->d_tag == DT_INIT_ARRAY)
			constructors = (void (**)(void))(elf->base + d->d_un.d_ptr);
		else if (d->d_tag == DT_INIT_ARRAYSZ)
			size = d->d_un.d_val;
	return constructors && size == sizeof(*constructors) && tl_elf_symbols(elf) > 1 &&
			       tl_elf_same(elf->strings + elf->symbols[1].st_name,
					   "tl_generic_entry")
		       ? *constructors
		       : NULL;
}

bool tl_elf_is_interposer(const struct tl_elf *elf)
{
	return interposer_constructor(elf) != NULL;
}

static bool interposer_register(const struct tl_elf *elf, void *closure)
{
	void (*constructor)(void) = interposer_constructor(elf);

	(void)closure;
	if (constructor)
		constructor();
	return false;
}

void tl_interposers_register(void)
{
	tl_loaded_each_early(interposer_register, NULL);
}
