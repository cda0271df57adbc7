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
} functions[] = {
#define FUNCTION(number, name) {#name, 0, 0},
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
	void *real = NULL;

	for (size_t i = 0; i < NLIBRARIES && !real; i++)
		if (opened[i].handle)
			real = dlsym(opened[i].handle, name);
	return real;
}

static bool function_is_listed(const char *name)
{
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		if (!strcmp(functions[i].name, name))
			return true;
	return false;
}

/*
 * What a library calls of itself goes there without a count, also where it jumps there: then the
 * address to return to is the program's.
 */
static void slots_bind(const struct link_map *map, const ElfW(Rela) *relocation, size_t size,
		       const ElfW(Sym) *symbols, const char *names)
{
	for (size_t i = 0; relocation && i < size / sizeof *relocation; i++, relocation++) {
		unsigned type = ELF64_R_TYPE(relocation->r_info);
		const char *name = names + symbols[ELF64_R_SYM(relocation->r_info)].st_name;
		uintptr_t slot = map->l_addr + relocation->r_offset, page = slot & -4096ul;

		if ((type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) ||
		    !function_is_listed(name) || !function_real(name))
			continue;
		mprotect((void *)page, 4096, PROT_READ | PROT_WRITE);
		*(void **)slot = function_real(name);
	}
}

static void library_bind(const struct link_map *map)
{
	const ElfW(Rela) *plt = NULL, *others = NULL;
	size_t plt_size = 0, others_size = 0;
	const ElfW(Sym) *symbols = NULL;
	const char *names = NULL;

	for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
		switch (entry->d_tag) {
		case DT_JMPREL:
			plt = (const void *)entry->d_un.d_ptr;
			break;
		case DT_PLTRELSZ:
			plt_size = entry->d_un.d_val;
			break;
		case DT_RELA:
			others = (const void *)entry->d_un.d_ptr;
			break;
		case DT_RELASZ:
			others_size = entry->d_un.d_val;
			break;
		case DT_SYMTAB:
			symbols = (const void *)entry->d_un.d_ptr;
			break;
		case DT_STRTAB:
			names = (const void *)entry->d_un.d_ptr;
			break;
		}
	}
	slots_bind(map, plt, plt_size, symbols, names);
	slots_bind(map, others, others_size, symbols, names);
}

static void library_open(size_t i)
{
	opened[i].handle = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
	if (!opened[i].handle)
		return;
	dl_iterate_phdr(library_range, (void *)(uintptr_t)i);
	library_bind(opened[i].handle);
}

/* Called by each entry, with the address that it returns to. Returns where it goes on. */
__attribute__((used)) void *count_call(unsigned long number, uintptr_t caller)
{
	for (size_t i = 0; i < NLIBRARIES; i++) {
		if (!opened[i].handle)
			library_open(i);
		if (caller >= opened[i].from && caller < opened[i].to)
			caller = 0;
	}
	if (!functions[number].real)
		functions[number].real = function_real(functions[number].name);
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

__attribute__((destructor)) static void counts_write(void)
{
	const char *path = getenv("COUNT_CALLS");
	FILE *to = path ? fopen(path, "a") : NULL;

	for (size_t i = 0; to && i < sizeof functions / sizeof *functions; i++)
		if (functions[i].calls)
			fprintf(to, "%s %lu\n", functions[i].name, functions[i].calls);
	if (to)
		fclose(to);
}
