/* SPDX-License-Identifier: MIT */
/*
 * compared_functions.c: which of its own functions a library may compare pointers with.
 *
 * Such a library takes the address of its function without the dynamic linker's search: it was
 * linked with -Bsymbolic or -Bsymbolic-functions, or the function is protected. Two places show it:
 *
 *	a relocation without a symbol	the function's address is in a table or a variable. Tables
 *					for virtual calls do not count: nobody compares them.
 *					One with a protected symbol leads to the library, too.
 *	an instruction			the code computes the address from its own. It counts if a
 *					comparison or a store with the same register follows soon,
 *					or if the register carries no argument. Otherwise the
 *					function is only passed on: g_object_unref is, and a
 *					program's calls of it should stay traced.
 *
 * Only functions of C++ count: Qt's signals are found by their addresses. A library in C mostly works
 * with another pointer, and then no call through the pointers may be missed: programs hand g_free to
 * GLib, which compares it.
 *
 * Instructions are recognised byte by byte. What is taken for one by mistake only makes another
 * function count.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "common/library_file.h"
#include "gen/allocate.h"
#include "gen/exports.h"

/* How far behind the address a comparison may be, and a store. */
#define COMPARED_WITHIN 96
#define STORED_WITHIN	32

struct taken {
	uint64_t address;
	bool compared;
};

struct range {
	uint64_t start, end;
};

struct search {
	const struct tl_library_file *file;
	struct taken *functions; /* by address */
	size_t nfunctions;
	struct range *vtables; /* by address */
	size_t nvtables;
	/* How much is still to be read: no more than there is in the file, whatever its headers say. */
	uint64_t words, code;
};

static int taken_compare(const void *a, const void *b)
{
	const struct taken *one = a, *other = b;

	return (one->address > other->address) - (one->address < other->address);
}

static int range_compare(const void *a, const void *b)
{
	const struct range *one = a, *other = b;

	return (one->start > other->start) - (one->start < other->start);
}

static struct taken *function_at(const struct search *search, uint64_t address)
{
	const struct taken key = {.address = address};

	return search->nfunctions ? bsearch(&key, search->functions, search->nfunctions,
					    sizeof *search->functions, taken_compare)
				  : NULL;
}

/* ---- relocations */

static void vtables_read(struct search *search)
{
	size_t count;
	const Elf64_Sym *symbols = tl_library_file_symbols(search->file, &count);

	for (size_t i = 0; symbols && i < count; i++) {
		const char *name = tl_library_file_string(search->file, symbols[i].st_name);

		if (symbols[i].st_shndx == SHN_UNDEF || !name ||
		    (strncmp(name, "_ZTV", 4) != 0 && strncmp(name, "_ZTC", 4) != 0))
			continue;
		*APPEND(search->vtables, search->nvtables) = (struct range){
			symbols[i].st_value, symbols[i].st_value + symbols[i].st_size};
	}
	if (search->nvtables)
		qsort(search->vtables, search->nvtables, sizeof *search->vtables, range_compare);
}

static bool is_in_vtable(const struct search *search, uint64_t address)
{
	size_t low = 0, high = search->nvtables;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (search->vtables[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < search->vtables[low - 1].end;
}

/* The word at `slot` holds the address. */
static void word_note(const struct search *search, uint64_t slot, uint64_t address)
{
	struct taken *function = function_at(search, address);

	if (function && !is_in_vtable(search, slot))
		function->compared = true;
}

/* A table of the dynamic section. *count: how many elements it has; 0: there is no table. */
static const void *table_read(const struct search *search, int64_t tag, int64_t size_tag,
			      size_t size, size_t *count)
{
	const Elf64_Dyn *table = tl_library_file_entry(search->file, tag);
	const Elf64_Dyn *bytes = tl_library_file_entry(search->file, size_tag);
	const void *at = table && bytes ? tl_library_file_at(search->file, table->d_un.d_ptr,
							     bytes->d_un.d_val)
					: NULL;

	if ((uintptr_t)at % 8)
		at = NULL;
	*count = at ? bytes->d_un.d_val / size : 0;
	return at;
}

static void relocations_read(const struct search *search, uint32_t relative)
{
	size_t count, nsymbols;
	const Elf64_Sym *symbols = tl_library_file_symbols(search->file, &nsymbols);
	const Elf64_Rela *relocations =
		table_read(search, DT_RELA, DT_RELASZ, sizeof *relocations, &count);

	for (size_t i = 0; i < count; i++) {
		uint64_t symbol = ELF64_R_SYM(relocations[i].r_info);
		uint64_t address = (uint64_t)relocations[i].r_addend;

		if (symbol && symbol < nsymbols && symbols &&
		    ELF64_ST_VISIBILITY(symbols[symbol].st_other) == STV_PROTECTED)
			address += symbols[symbol].st_value;
		else if (symbol || ELF64_R_TYPE(relocations[i].r_info) != relative)
			continue;
		word_note(search, relocations[i].r_offset, address);
	}
}

static void relr_word_note(struct search *search, uint64_t slot)
{
	const void *word = search->words ? tl_library_file_at(search->file, slot, 8) : NULL;
	uint64_t address;

	search->words -= search->words != 0;
	if (!word)
		return;
	memcpy(&address, word, sizeof address);
	word_note(search, slot, address);
}

#if !defined(DT_RELR)
#define DT_RELRSZ 35
#define DT_RELR	  36
#endif

/* DT_RELR: an address, then words whose bits say which of the next 63 words are relocated. */
static void packed_relocations_read(struct search *search)
{
	size_t count;
	const uint64_t *words = table_read(search, DT_RELR, DT_RELRSZ, sizeof *words, &count);
	uint64_t next = 0;

	search->words = search->file->size / sizeof *words;
	for (size_t i = 0; i < count && search->words; i++) {
		if (!(words[i] & 1)) {
			relr_word_note(search, words[i]);
			next = words[i] + 8;
			continue;
		}
		for (unsigned bit = 1; bit < 64; bit++)
			if (words[i] >> bit & 1)
				relr_word_note(search, next + 8 * (uint64_t)(bit - 1));
		next += 8 * (uint64_t)63;
	}
}

/* ---- x86-64 */

/* With a 64-bit operand: cmp, sub and xor of registers and memory. */
static bool x86_compares(uint8_t opcode)
{
	return opcode == 0x39 || opcode == 0x3b || opcode == 0x29 || opcode == 0x2b ||
	       opcode == 0x31 || opcode == 0x33;
}

/* Whether the register is compared or stored soon behind `code`. */
static bool x86_is_compared(const uint8_t *code, const uint8_t *end, unsigned wanted)
{
	for (unsigned i = 0; i < COMPARED_WITHIN && end - code - i > 2; i++) {
		const uint8_t prefix = code[i], opcode = code[i + 1], operands = code[i + 2];
		unsigned reg = (operands >> 3 & 7) | (prefix & 4u) << 1;
		unsigned other = (operands & 7) | (prefix & 1u) << 3;
		bool memory = operands >> 6 != 3;

		if ((prefix & 0xf8) != 0x48)
			continue;
		if (x86_compares(opcode) && (reg == wanted || (!memory && other == wanted)))
			return true;
		if (opcode == 0x89 && memory && reg == wanted && i < STORED_WITHIN)
			return true;
	}
	return false;
}

/* lea distance(%rip), register */
static void x86_code_read(const struct search *search, const uint8_t *code, uint64_t address,
			  uint64_t size)
{
	/* rdi, rsi, rdx, rcx, r8, r9 */
	static const unsigned arguments = 1u << 7 | 1u << 6 | 1u << 2 | 1u << 1 | 1u << 8 | 1u << 9;
	const uint8_t *end = code + size, *at = code;

	while (end - at > 7 && (at = memchr(at + 1, 0x8d, (size_t)(end - at - 6))) != NULL) {
		int32_t distance;

		if ((at[-1] & 0xfb) != 0x48 || (at[1] & 0xc7) != 0x05)
			continue;
		memcpy(&distance, at + 2, sizeof distance);
		struct taken *function = function_at(search, address + (uint64_t)(at + 6 - code) +
								     (uint64_t)(int64_t)distance);
		unsigned reg = (at[1] >> 3 & 7) | (at[-1] & 4u) << 1;

		if (function && !function->compared)
			function->compared =
				!(arguments >> reg & 1) || x86_is_compared(at + 6, end, reg);
	}
}

/* ---- aarch64 */

#define REGISTER(instruction, low) ((instruction) >> (low)&31)

static bool arm_is_compared(const uint32_t *code, uint64_t left, unsigned wanted)
{
	for (unsigned i = 0; i < COMPARED_WITHIN / 4 && i < left; i++) {
		uint32_t it = code[i];
		/* subs, eor and ccmp of 64-bit registers */
		bool compares = (it & 0xff200000) == 0xeb000000 ||
				(it & 0xff200000) == 0xca000000 || (it & 0xffe00c10) == 0xfa400000;
		bool stores = (it & 0xffc00000) == 0xf9000000; /* str register, [register, n] */

		if (compares && (REGISTER(it, 5) == wanted || REGISTER(it, 16) == wanted))
			return true;
		if (stores && REGISTER(it, 0) == wanted && i < STORED_WITHIN / 4)
			return true;
	}
	return false;
}

/* adrp register, page; soon after it: add register, register, n */
static void arm_code_read(const struct search *search, const uint32_t *code, uint64_t address,
			  uint64_t size)
{
	uint64_t page[32] = {0}, since[32] = {0}, count = size / 4;

	for (uint64_t i = 0; i < count; i++) {
		uint32_t it = code[i];

		if ((it & 0x9f000000) == 0x90000000) {
			uint64_t pages = REGISTER(it, 29) & 3, sign = 1u << 20;

			pages |= (uint64_t)(it >> 5 & 0x7ffff) << 2;
			pages = (pages ^ sign) - sign;
			page[REGISTER(it, 0)] = ((address + 4 * i) >> 12 << 12) + (pages << 12);
			since[REGISTER(it, 0)] = i + 1;
		} else if ((it & 0xffc00000) == 0x91000000) {
			unsigned from = REGISTER(it, 5), to = REGISTER(it, 0);

			if (!since[from] || i + 1 - since[from] > COMPARED_WITHIN / 4)
				continue;
			struct taken *function =
				function_at(search, page[from] + (it >> 10 & 0xfff));

			if (function && !function->compared)
				function->compared =
					to > 7 || arm_is_compared(code + i + 1, count - i - 1, to);
		}
	}
}

/* ---- all of it */

static void code_read(struct search *search)
{
	const Elf64_Ehdr *header = tl_library_file_header(search->file);
	const Elf64_Phdr *segment;

	search->code = search->file->size;
	for (unsigned n = 0; (segment = tl_library_file_segment(search->file, n)) != NULL; n++) {
		const void *code = segment->p_type == PT_LOAD && segment->p_flags & PF_X &&
						   segment->p_filesz <= search->code
					   ? tl_library_file_at(search->file, segment->p_vaddr,
								segment->p_filesz)
					   : NULL;

		search->code -= code ? segment->p_filesz : 0;
		if (code && header->e_machine == EM_X86_64)
			x86_code_read(search, code, segment->p_vaddr, segment->p_filesz);
		else if (code && header->e_machine == EM_AARCH64 && (uintptr_t)code % 4 == 0)
			arm_code_read(search, code, segment->p_vaddr, segment->p_filesz);
	}
}

void exports_find_compared(const char *path, struct exports *exports)
{
	struct tl_library_file file;
	struct search search = {.file = &file};

	if (tl_library_file_open(path, &file) != 0)
		return;
	for (size_t i = 0; i < exports->count; i++)
		if (!exports->list[i].indirect && !strncmp(exports->list[i].name, "_Z", 2))
			APPEND(search.functions, search.nfunctions)->address =
				exports->list[i].address;
	if (search.nfunctions)
		qsort(search.functions, search.nfunctions, sizeof *search.functions, taken_compare);
	/* Names of one function: one of them is found, so only one is kept. */
	size_t kept = 0;
	for (size_t i = 0; i < search.nfunctions; i++)
		if (!kept || search.functions[kept - 1].address != search.functions[i].address)
			search.functions[kept++] = search.functions[i];
	search.nfunctions = kept;
	vtables_read(&search);
	relocations_read(&search,
			 exports->machine == EM_AARCH64 ? R_AARCH64_RELATIVE : R_X86_64_RELATIVE);
	packed_relocations_read(&search);
	code_read(&search);
	for (size_t i = 0; i < exports->count; i++) {
		const struct taken *function = function_at(&search, exports->list[i].address);

		exports->list[i].compared =
			!exports->list[i].indirect && function && function->compared;
	}
	free(search.functions);
	free(search.vtables);
	tl_library_file_close(&file);
}
