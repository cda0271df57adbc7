/* SPDX-License-Identifier: MIT */
/*
 * own_references.c: see own_references.h.
 *
 * The dynamic linker writes to the same slots. It binds a slot at the first call through it. That
 * stores the same kind of word in one instruction, so the later store wins. While it relocates a
 * library that is being opened, the slots have no address in the library yet, and this file leaves
 * them alone. If the slots of a library become read-only, this file waits until the kernel reports
 * them as read-only: from then on the dynamic linker does not write there, and does not change the
 * protection meanwhile.
 */
#include "layer/resolve/own_references.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "layer/buffers/process_state.h"
#include "layer/resolve/library_roles.h"

void tl_own_references_begin(struct tl_own_references *references, const struct tl_loaded *loaded,
			     const struct tl_elf *elf)
{
	uintptr_t page = getauxval(AT_PAGESZ);

	*references = (struct tl_own_references){.loaded = loaded, .elf = elf};
	for (unsigned i = 0; page && i < elf->nsegments; i++) {
		const ElfW(Phdr) *segment = &elf->segments[i];
		uintptr_t start = elf->base + segment->p_vaddr;

		if (segment->p_type != PT_GNU_RELRO)
			continue;
		/* Rounded as the dynamic linker does it. */
		references->protected_from = start & ~(page - 1);
		references->protected_to = (start + segment->p_memsz) & ~(page - 1);
	}
}

void tl_own_references_end(struct tl_own_references *references)
{
	if (references->writable)
		mprotect((void *)references->protected_from,
			 references->protected_to - references->protected_from, PROT_READ);
	references->writable = false;
}

/* --- protection */

struct map_line {
	uintptr_t start, end;
	char rights[4];
	unsigned field, nrights; /* where in the line */
};

/* One more character of /proc/self/maps. True: the line's rights are read. */
static bool map_line_read(struct map_line *line, char c)
{
	uintptr_t *number = line->field == 0 ? &line->start : &line->end;

	if (c == '\n') {
		*line = (struct map_line){.start = 0};
	} else if (line->field < 2 && (c == '-' || c == ' ')) {
		line->field++;
	} else if (line->field < 2) {
		*number = *number << 4 | (uintptr_t)(c <= '9' ? c - '0' : c - 'a' + 10);
	} else if (line->field == 2) {
		line->rights[line->nrights++] = c;
		line->field += line->nrights == sizeof(line->rights);
		return line->field == 3;
	}
	return false;
}

/*
 * Where memory may be read and not written, by address, and next to each other as one. A part of the
 * list: from `from` to `to`. It stays true for a look: the dynamic linker makes a library read-only
 * once, and nothing is unloaded meanwhile.
 */
#define RANGES_MAX 1024

static struct {
	uintptr_t from, to;
	unsigned count;
	struct {
		uintptr_t start, end;
	} range[RANGES_MAX];
} read_only;

void tl_own_references_forget(void)
{
	read_only.to = 0;
}

/* False: there is no room for the line. */
static bool read_only_note(const struct map_line *line)
{
	bool is = line->rights[0] == 'r' && line->rights[1] == '-';

	if (line->end <= read_only.from || !is)
		return true;
	if (read_only.count && read_only.range[read_only.count - 1].end == line->start) {
		read_only.range[read_only.count - 1].end = line->end;
		return true;
	}
	if (read_only.count == RANGES_MAX) {
		read_only.to = line->start;
		return false;
	}
	read_only.range[read_only.count].start = line->start;
	read_only.range[read_only.count++].end = line->end;
	return true;
}

static void read_only_read(uintptr_t from)
{
	static char text[4096]; /* as much as the kernel gives at once */
	struct map_line line = {.start = 0};
	ssize_t size = 0;
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);

	read_only.from = from;
	read_only.to = UINTPTR_MAX;
	read_only.count = 0;
	while (fd >= 0 && read_only.to == UINTPTR_MAX && (size = read(fd, text, sizeof(text))) > 0)
		for (ssize_t i = 0; i < size; i++)
			if (map_line_read(&line, text[i]) && !read_only_note(&line))
				break;
	if (fd >= 0)
		close(fd);
}

/* Whether the kernel reports the page as readable and not writable, now or earlier in this look. */
static bool page_is_read_only(uintptr_t page)
{
	unsigned low = 0, high;

	if (!read_only.to)
		read_only_read(0);
	if (page < read_only.from || page >= read_only.to)
		read_only_read(page);
	high = read_only.count;
	while (low < high) {
		unsigned middle = (low + high) / 2;

		if (read_only.range[middle].end <= page)
			low = middle + 1;
		else
			high = middle;
	}
	return low < read_only.count && read_only.range[low].start <= page;
}

static void protection_lift(struct tl_own_references *references)
{
	references->asked = true;
	if (tl_process_is_confined())
		return;
	if (!page_is_read_only(references->protected_from)) {
		references->later = true;
		return;
	}
	references->writable = !mprotect((void *)references->protected_from,
					 references->protected_to - references->protected_from,
					 PROT_READ | PROT_WRITE);
}

bool tl_own_reference_is_writable(struct tl_own_references *references, uintptr_t slot)
{
	if (slot < references->protected_from || slot >= references->protected_to)
		return true;
	if (!references->asked)
		protection_lift(references);
	return references->writable;
}

/* --- binding */

/* Of libraries that were opened later, no other may define the function. */
bool tl_own_references_come_first(struct tl_own_references *references, const char *name)
{
	const struct tl_loaded *loaded = references->loaded;
	const struct tl_elf *first = tl_roles_first_at_start(loaded, references->elf, name);

	return first ? first == references->elf
		     : !tl_roles_others_define(loaded, references->elf, name);
}

bool tl_own_reference_store(struct tl_own_references *references, uintptr_t slot, uintptr_t address)
{
	if (!tl_own_reference_is_writable(references, slot))
		return false;
	atomic_store_explicit((_Atomic uintptr_t *)slot, address, memory_order_release);
	return true;
}

bool tl_own_reference_bind(struct tl_own_references *references, const ElfW(Rela) *relocation)
{
	const struct tl_elf *elf = references->elf;
	const ElfW(Sym) *symbol = &elf->symbols[ELF64_R_SYM(relocation->r_info)];
	uintptr_t slot = elf->base + relocation->r_offset;

	if (symbol->st_shndx == SHN_UNDEF || !symbol->st_value || slot % sizeof(uintptr_t) ||
	    ELF64_ST_TYPE(symbol->st_info) != STT_FUNC ||
	    !tl_own_references_come_first(references, elf->strings + symbol->st_name))
		return false;
	return tl_own_reference_store(references, slot, elf->base + symbol->st_value);
}
