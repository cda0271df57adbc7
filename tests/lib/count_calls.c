/* SPDX-License-Identifier: MIT */
/*
 * count_calls.c: the library that count_calls.sh makes: the names of libraries stand in front of this
 * text, and LIST names the file with their functions.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static struct {
	const char *name;
	void *real;
	unsigned long calls;
	bool has_pointer; /* a library may call it through an address that another one gave */
} functions[] = {
#define FUNCTION(number, name) {#name, 0, 0, false},
#include LIST
#undef FUNCTION
};

#define NLIBRARIES (sizeof libraries / sizeof *libraries)
static struct {
	void *handle;
	uintptr_t from, to;
} opened[NLIBRARIES];

static int library_range(struct dl_phdr_info *info, size_t size, void *user)
{
	size_t i = (size_t)(uintptr_t)user;
	const struct link_map *map = opened[i].handle;

	(void)size;
	if (info->dlpi_addr != map->l_addr)
		return 0;
	opened[i].from = info->dlpi_addr;
	for (int j = 0; j < info->dlpi_phnum; j++)
		if (info->dlpi_phdr[j].p_type == PT_LOAD)
			opened[i].to = info->dlpi_addr + info->dlpi_phdr[j].p_vaddr +
				       info->dlpi_phdr[j].p_memsz;
	return 1;
}

static void *function_real(const char *name)
{
	/* As without this library: libpulsecommon has many of libpulse's functions, and comes first. */
	void *real = dlsym(RTLD_NEXT, name);

	for (size_t i = 0; i < NLIBRARIES && !real; i++)
		if (opened[i].handle)
			real = dlsym(opened[i].handle, name);
	return real;
}

static bool library_has(size_t i, const void *address)
{
	return (uintptr_t)address >= opened[i].from && (uintptr_t)address < opened[i].to;
}

/* Whether two addresses are in one API. TOGETHER: all of the libraries are. */
static bool api_has_both(const void *one, const void *other)
{
	bool has_one = false, has_other = false;

	for (size_t i = 0; i < NLIBRARIES; i++) {
		if (library_has(i, one) && library_has(i, other))
			return true;
		has_one |= library_has(i, one);
		has_other |= library_has(i, other);
	}
	return TOGETHER && has_one && has_other;
}

static int name_compare(const void *name, const void *function)
{
	return strcmp(name, ((const __typeof__(functions[0]) *)function)->name);
}

static __typeof__(functions[0]) *function_find(const char *name)
{
	return bsearch(name, functions, sizeof functions / sizeof *functions, sizeof *functions,
		       name_compare);
}

/* The relocations of a library, and the symbols that they name. */
struct relocated {
	const struct link_map *map;
	const ElfW(Rela) *plt, *others;
	size_t nplt, nothers;
	const ElfW(Sym) *symbols;
	const char *names;
};

static const char *relocation_name(const struct relocated *library, const ElfW(Rela) *relocation)
{
	return library->names + library->symbols[ELF64_R_SYM(relocation->r_info)].st_name;
}

static bool has_relocation(const struct relocated *library, unsigned type, const char *name)
{
	for (size_t i = 0; i < library->nothers; i++)
		if (ELF64_R_TYPE(library->others[i].r_info) == type &&
		    !strcmp(relocation_name(library, &library->others[i]), name))
			return true;
	return false;
}

/*
 * Whether the library itself uses this word. It calls through JUMP_SLOT, and also through GLOB_DAT
 * (.plt.got). It compares GLOB_DAT with words in its data, as libcrypto does (`malloc_impl !=
 * CRYPTO_malloc`), and calls through its data if they differ: so all of them are bound, or none, or
 * CRYPTO_malloc calls itself for ever. A word in its data alone is in a table for others.
 */
static bool word_is_for_itself(const struct relocated *library, unsigned type, const char *name)
{
	return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT ||
	       (type == R_X86_64_64 && has_relocation(library, R_X86_64_GLOB_DAT, name));
}

/*
 * What a library calls of itself goes there without a count. An address to return to would not
 * tell: if the library jumps to the function, it is the program's; if another library jumps to it
 * from a callback, it is the library's.
 */
static void words_bind(const struct relocated *library, const ElfW(Rela) *relocation, size_t count)
{
	for (; count--; relocation++) {
		const char *name = relocation_name(library, relocation);
		uintptr_t word = library->map->l_addr + relocation->r_offset;

		if (!function_find(name) ||
		    !api_has_both(library->map->l_ld, function_real(name)) ||
		    !word_is_for_itself(library, ELF64_R_TYPE(relocation->r_info), name))
			continue;
		mprotect((void *)(word & -4096ul), 4096, PROT_READ | PROT_WRITE);
		*(void **)word = function_real(name);
	}
}

/* Marks the functions whose addresses the library has. */
static void addresses_mark(const struct relocated *library)
{
	for (size_t i = 0; i < library->nothers; i++) {
		unsigned type = ELF64_R_TYPE(library->others[i].r_info);
		__typeof__(functions[0]) *function =
			type == R_X86_64_GLOB_DAT || type == R_X86_64_64
				? function_find(relocation_name(library, &library->others[i]))
				: NULL;

		if (function)
			function->has_pointer = true;
	}
}

static struct relocated library_relocated(const struct link_map *map)
{
	struct relocated library = {.map = map};

	for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
		switch (entry->d_tag) {
		case DT_JMPREL:
			library.plt = (const void *)entry->d_un.d_ptr;
			break;
		case DT_PLTRELSZ:
			library.nplt = entry->d_un.d_val / sizeof *library.plt;
			break;
		case DT_RELA:
			library.others = (const void *)entry->d_un.d_ptr;
			break;
		case DT_RELASZ:
			library.nothers = entry->d_un.d_val / sizeof *library.others;
			break;
		case DT_SYMTAB:
			library.symbols = (const void *)entry->d_un.d_ptr;
			break;
		case DT_STRTAB:
			library.names = (const void *)entry->d_un.d_ptr;
			break;
		}
	}
	return library;
}

static void library_open(size_t i)
{
	opened[i].handle = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
	if (!opened[i].handle)
		return;
	dl_iterate_phdr(library_range, (void *)(uintptr_t)i);

	const struct link_map *first = opened[i].handle;
	struct relocated library = library_relocated(opened[i].handle);

	words_bind(&library, library.plt, library.nplt);
	words_bind(&library, library.others, library.nothers);
	while (first->l_prev)
		first = first->l_prev;
	for (const struct link_map *map = first; map; map = map->l_next) {
		library = library_relocated(map);
		addresses_mark(&library);
	}
}

/* Called by each entry, with the address that it returns to. Returns where it goes on. */
__attribute__((used)) void *count_call(unsigned long number, uintptr_t caller)
{
	for (size_t i = 0; i < NLIBRARIES; i++)
		if (!opened[i].handle)
			library_open(i);
	if (!functions[number].real)
		functions[number].real = function_real(functions[number].name);
	if (functions[number].has_pointer && api_has_both((void *)caller, functions[number].real))
		caller = 0;
	if (caller)
		__atomic_fetch_add(&functions[number].calls, 1, __ATOMIC_RELAXED);
	return functions[number].real;
}

/* Registers that hold arguments are kept, vectors' lower halves among them. */
__asm__(".text\n"
	"entry_common:\n"
	"	push %rax\n	push %rdi\n	push %rsi\n	push %rdx\n	push %rcx\n"
	"	push %r8\n	push %r9\n	push %r10\n	push %r11\n"
	"	sub $136, %rsp\n"
	"	movups %xmm0, (%rsp)\n	movups %xmm1, 16(%rsp)\n"
	"	movups %xmm2, 32(%rsp)\n	movups %xmm3, 48(%rsp)\n"
	"	movups %xmm4, 64(%rsp)\n	movups %xmm5, 80(%rsp)\n"
	"	movups %xmm6, 96(%rsp)\n	movups %xmm7, 112(%rsp)\n"
	"	mov 208(%rsp), %rdi\n	mov 216(%rsp), %rsi\n"
	"	call count_call@plt\n"
	"	mov %rax, 208(%rsp)\n"
	"	movups (%rsp), %xmm0\n	movups 16(%rsp), %xmm1\n"
	"	movups 32(%rsp), %xmm2\n	movups 48(%rsp), %xmm3\n"
	"	movups 64(%rsp), %xmm4\n	movups 80(%rsp), %xmm5\n"
	"	movups 96(%rsp), %xmm6\n	movups 112(%rsp), %xmm7\n"
	"	add $136, %rsp\n"
	"	pop %r11\n	pop %r10\n	pop %r9\n	pop %r8\n"
	"	pop %rcx\n	pop %rdx\n	pop %rsi\n	pop %rdi\n	pop %rax\n"
	"	ret\n");

#define FUNCTION(number, name)                                                                     \
	__asm__(".globl " #name "\n.type " #name ", @function\n" #name ":\n	push $" #number    \
		"\n	jmp entry_common\n");
#include LIST
#undef FUNCTION

/* Read at the start: nginx empties its environment. xz may open no file at the end. */
static char *counts_path;
static FILE *counts_file;

__attribute__((constructor)) static void counts_begin(void)
{
	const char *path = getenv("COUNT_CALLS");

	counts_path = path ? strdup(path) : NULL;
	counts_file = path ? fopen(path, "ae") : NULL;
}

__attribute__((destructor)) static void counts_write(void)
{
	/* Others close files that they do not know. */
	FILE *again = counts_path ? fopen(counts_path, "a") : NULL,
	     *to = again ? again : counts_file;

	for (size_t i = 0; to && i < sizeof functions / sizeof *functions; i++)
		if (functions[i].calls)
			fprintf(to, "%s %lu\n", functions[i].name, functions[i].calls);
	if (to)
		fclose(to);
}
