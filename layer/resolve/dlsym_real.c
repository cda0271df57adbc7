/* SPDX-License-Identifier: MIT */
/*
 * dlsym_real.c: the real dlsym and its kin, found in the symbol tables of the libraries that are
 * loaded. See dlsym.h.
 */
#include "layer/resolve/dlsym.h"

#include <dlfcn.h>
#include <stdatomic.h>

#include "layer/base/loaded_libraries.h"
#include "layer/base/start_page.h"
#include "layer/buffers/process_state.h"
#include "layer/resolve/dlsym_lookup.h"

static struct tl_real_dl real TL_START;
static _Atomic int real_found TL_START;

/*
 * The libraries behind this one, where they are few, and were listed before any constructor of this
 * library: looking a name up there takes a third of dlsym's instructions. They stay loaded.
 */
#define BEHIND_MAX 8
struct behind {
	struct tl_elf elf[BEHIND_MAX];
	unsigned count; /* more than BEHIND_MAX: too many */
};
static struct behind behind TL_START;

static void *elf_function(const struct tl_elf *elf, const char *name)
{
	const ElfW(Sym) *symbol = tl_elf_lookup(elf, name, tl_elf_hash(name), NULL);

	return symbol ? (void *)(elf->base + symbol->st_value) : NULL;
}

static void dl_take(struct tl_dl *from, const struct tl_elf *elf)
{
	if (!from->dlopen)
		from->dlopen = elf_function(elf, "dlopen");
	if (!from->dlsym)
		from->dlsym = elf_function(elf, "dlsym");
	if (!from->dlvsym)
		from->dlvsym = elf_function(elf, "dlvsym");
	if (!from->dlerror)
		from->dlerror = elf_function(elf, "dlerror");
	if (!from->dladdr)
		from->dladdr = elf_function(elf, "dladdr");
	if (!from->dladdr1)
		from->dladdr1 = elf_function(elf, "dladdr1");
}

/* Before glibc 2.34 they were in a library of their own; musl has them in its only one. */
static bool elf_is_libc(const struct tl_elf *elf)
{
	return tl_elf_is_named(elf, "libc.so.6") || tl_elf_is_named(elf, "libdl.so.2") ||
	       (elf->soname && tl_elf_begins(elf->soname, "libc.musl"));
}

/* A search before any of the layer's constructors has run. */
struct early {
	struct tl_real_dl *found;
	bool is_behind; /* the walk has passed our library */
	unsigned behind;
};

static bool real_find_early(const struct tl_elf *elf, void *closure)
{
	struct early *early = closure;

	if (elf_is_libc(elf))
		dl_take(&early->found->libc, elf);
	if (early->is_behind) {
		dl_take(&early->found->next, elf);
		if (early->behind < BEHIND_MAX)
			behind.elf[early->behind] = *elf;
		early->behind++;
	}
	early->is_behind |= elf_function(elf, "dlsym") == (void *)dlsym;
	return false;
}

static void real_find(const struct tl_loaded *loaded, void *closure)
{
	struct tl_real_dl *found = closure;
	const struct tl_elf *own = tl_loaded_at(loaded, (void *)tl_dlsym_hook);

	for (unsigned i = 0; i < loaded->count; i++) {
		const struct tl_elf *elf = &loaded->elf[i];

		if (elf_is_libc(elf))
			dl_take(&found->libc, elf);
		if (own && elf > own && i < loaded->startup)
			dl_take(&found->next, elf);
	}
}

static void real_complete(struct tl_real_dl *found)
{
	if (!found->next.dlsym)
		found->next.dlsym = found->libc.dlsym;
	if (!found->next.dlvsym)
		found->next.dlvsym = found->libc.dlvsym;
	if (!found->next.dlerror)
		found->next.dlerror = found->libc.dlerror;
	if (!found->next.dladdr)
		found->next.dladdr = found->libc.dladdr;
	if (!found->next.dladdr1)
		found->next.dladdr1 = found->libc.dladdr1;
}

/* Threads that store this at the same time all store the same. */
const struct tl_real_dl *tl_real_dl(void)
{
	if (atomic_load_explicit(&real_found, memory_order_acquire))
		return &real;
	struct tl_real_dl found = {.libc = {0}};

	if (tl_process_is_started()) {
		tl_loaded_with(real_find, &found);
	} else {
		struct early early = {.found = &found};

		tl_loaded_each_early(real_find_early, &early);
		behind.count = early.behind;
	}
	real_complete(&found);
	real = found;
	atomic_store_explicit(&real_found, found.libc.dlsym != NULL, memory_order_release);
	return &real;
}

const struct tl_dl *tl_dl(void)
{
	return &tl_real_dl()->libc;
}

/* NULL: dlsym has to look. */
static void *behind_function(const char *name)
{
	const uint32_t hash = tl_elf_hash(name);

	for (unsigned i = 0; behind.count <= BEHIND_MAX && i < behind.count; i++) {
		const struct tl_elf *elf = &behind.elf[i];
		const ElfW(Sym) *symbol = tl_elf_lookup(elf, name, hash, NULL);

		if (symbol)
			return ELF64_ST_TYPE(symbol->st_info) == STT_FUNC
				       ? (void *)(elf->base + symbol->st_value)
				       : NULL;
	}
	return NULL;
}

void *tl_dlsym_next(const char *name)
{
	const struct tl_dl *dl = tl_dl();
	void *function = behind_function(name);

	if (function)
		return function;
	function = dl->dlsym(RTLD_NEXT, name);
	if (!function && dl->dlerror)
		dl->dlerror();
	return function;
}

/*
 * Asked from here, RTLD_DEFAULT and RTLD_NEXT are resolved for our library, so the call must not
 * become a jump.
 */
void *tl_question_ask(const struct tl_dl *dl, const struct tl_question *question, void *handle)
{
	void *answer = question->version ? dl->dlvsym(handle, question->name, question->version)
					 : dl->dlsym(handle, question->name);

	__asm__ volatile("" : "+r"(answer));
	return answer;
}
