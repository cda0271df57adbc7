/* SPDX-License-Identifier: MIT */
/*
 * watcher.c: a library, preloaded, that stands in the place of every function in watched.h (made by
 * libc_calls.sh: what libtracelayer.so takes from other libraries, and what such as UCX, fakeroot
 * and libfaketime replace), and ends the process
 *
 *	- when a thread named "tracelayer" calls one, or
 *	- when libtracelayer.so calls one though the program has set own_phase: all is set up, or
 *	  the end has begun.
 *
 * Else the call goes on to libc, with its arguments as they were. Which function it is there is
 * looked up in libc's own tables: dlsym would be one of the functions that are watched. x86-64.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

/* The program's: 0 while calls are allowed. */
extern volatile int own_phase __attribute__((weak));

#define WATCHED(name) #name,
static const char *const names[] = {
#include "watched.h"
};
#undef WATCHED
enum { COUNT = sizeof(names) / sizeof(*names) };
static void *real[COUNT];
static uintptr_t library_start, library_end;

static long kernel(long number, long a, long b, long c)
{
	long answer;

	__asm__ volatile("syscall"
			 : "=a"(answer)
			 : "0"(number), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return answer;
}

static int same(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

static unsigned length(const char *text)
{
	unsigned size = 0;

	while (text[size])
		size++;
	return size;
}

static int ends_with(const char *text, const char *end)
{
	unsigned size = length(text), part = length(end);

	return size >= part && same(text + size - part, end);
}

static void put(const char *text)
{
	kernel(SYS_write, 2, (long)text, length(text));
}

static void put_hex(uintptr_t value)
{
	char text[17];

	for (int i = 15; i >= 0; i--, value >>= 4)
		text[i] = "0123456789abcdef"[value & 15];
	text[16] = 0;
	put(text);
}

/* --- libc's functions */

struct tables {
	uintptr_t base;
	const ElfW(Sym) *symbols;
	const char *strings;
	const ElfW(Half) *versions;
	const uint32_t *hash;
};

static uint32_t count_symbols(const uint32_t *hash)
{
	uint32_t nbuckets = hash[0], first = hash[1], nbloom = hash[2], last = 0;
	const uint32_t *buckets = hash + 4 + 2 * nbloom, *chain = buckets + nbuckets;

	for (uint32_t i = 0; i < nbuckets; i++)
		if (buckets[i] > last)
			last = buckets[i];
	while (last >= first && !(chain[last - first] & 1))
		last++;
	return last + 1;
}

static void find_in(const struct link_map *map)
{
	struct tables libc = {.base = map->l_addr};

	for (const ElfW(Dyn) *d = map->l_ld; d->d_tag; d++) {
		if (d->d_tag == DT_SYMTAB)
			libc.symbols = (const void *)d->d_un.d_ptr;
		else if (d->d_tag == DT_STRTAB)
			libc.strings = (const void *)d->d_un.d_ptr;
		else if (d->d_tag == DT_VERSYM)
			libc.versions = (const void *)d->d_un.d_ptr;
		else if (d->d_tag == DT_GNU_HASH)
			libc.hash = (const void *)d->d_un.d_ptr;
	}
	uint32_t count = count_symbols(libc.hash);
	for (uint32_t i = 0; i < count; i++) {
		const ElfW(Sym) *symbol = &libc.symbols[i];
		unsigned type = ELF64_ST_TYPE(symbol->st_info);
		if (!symbol->st_shndx || libc.versions[i] & 0x8000 ||
		    (type != STT_FUNC && type != STT_GNU_IFUNC))
			continue;
		for (int n = 0; n < COUNT; n++) {
			if (real[n] || !same(names[n], libc.strings + symbol->st_name))
				continue;
			void *address = (void *)(libc.base + symbol->st_value);
			real[n] = type == STT_GNU_IFUNC ? ((void *(*)(void))address)() : address;
		}
	}
}

/*
 * The parts of libtracelayer.so lie one behind the other, up to the next library's dynamic section
 * or as far as its own program headers say.
 */
static void note_library(const struct link_map *map)
{
	const ElfW(Ehdr) *header = (const void *)map->l_addr;
	const ElfW(Phdr) *segment = (const void *)(map->l_addr + header->e_phoff);

	library_start = map->l_addr;
	for (int i = 0; i < header->e_phnum; i++)
		if (segment[i].p_type == PT_LOAD &&
		    library_start + segment[i].p_vaddr + segment[i].p_memsz > library_end)
			library_end = library_start + segment[i].p_vaddr + segment[i].p_memsz;
}

static void find_all(void)
{
	for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next) {
		if (ends_with(map->l_name, "/libc.so.6"))
			find_in(map);
		else if (ends_with(map->l_name, "/libtracelayer.so"))
			note_library(map);
	}
}

/* --- a call of one */

static int is_thread_of_tracelayer(void)
{
	char name[16] = {0};

	kernel(SYS_prctl, 16 /* PR_GET_NAME */, (long)name, 0);
	return same(name, "tracelayer");
}

static void end_process(const char *name, uintptr_t caller, const char *where)
{
	put("watcher: ");
	put(name);
	put(" is called ");
	put(where);
	put(", libtracelayer.so+0x");
	put_hex(caller - library_start);
	put("\n");
	kernel(SYS_kill, kernel(SYS_getpid, 0, 0, 0), 6, 0);
}

__attribute__((used, visibility("hidden"))) void *watcher_check(unsigned number, uintptr_t caller)
{
	if (!real[number])
		find_all();
	if (is_thread_of_tracelayer())
		end_process(names[number], caller, "from tracelayer's thread");
	if (&own_phase && own_phase && caller >= library_start && caller < library_end)
		end_process(names[number], caller, "by libtracelayer.so");
	return real[number];
}

/* All argument registers are as they were when the real function begins. */
__asm__(".text\n"
	"watcher_common:\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	push %rax\n	push %rdi\n	push %rsi\n	push %rdx\n	push %rcx\n	push %r8\n	push %r9\n	push %r10\n"
	"	and $-16, %rsp\n"
	"	sub $128, %rsp\n"
	"	movaps %xmm0, 0(%rsp)\n	movaps %xmm1, 16(%rsp)\n	movaps %xmm2, 32(%rsp)\n	movaps %xmm3, 48(%rsp)\n"
	"	movaps %xmm4, 64(%rsp)\n	movaps %xmm5, 80(%rsp)\n	movaps %xmm6, 96(%rsp)\n	movaps %xmm7, 112(%rsp)\n"
	"	mov 8(%rbp), %rdi\n"
	"	mov 16(%rbp), %rsi\n"
	"	call watcher_check\n"
	"	mov %rax, %r11\n"
	"	movaps 0(%rsp), %xmm0\n	movaps 16(%rsp), %xmm1\n	movaps 32(%rsp), %xmm2\n	movaps 48(%rsp), %xmm3\n"
	"	movaps 64(%rsp), %xmm4\n	movaps 80(%rsp), %xmm5\n	movaps 96(%rsp), %xmm6\n	movaps 112(%rsp), %xmm7\n"
	"	lea -64(%rbp), %rsp\n"
	"	pop %r10\n	pop %r9\n	pop %r8\n	pop %rcx\n	pop %rdx\n	pop %rsi\n	pop %rdi\n	pop %rax\n"
	"	pop %rbp\n"
	"	add $8, %rsp\n"
	"	jmp *%r11\n");

/* Each pushes its number. */
__asm__(".set watcher_number, 0\n"
	".macro watch name\n"
	".globl \\name\n"
	".type \\name, @function\n"
	"\\name:\n"
	"	push $watcher_number\n"
	"	jmp watcher_common\n"
	".set watcher_number, watcher_number + 1\n"
	".endm\n");
#define WATCHED(name) __asm__("watch " #name);
#include "watched.h"
