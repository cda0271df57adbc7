/* SPDX-License-Identifier: MIT */
/*
 * stack_libraries.c: see stack_libraries.h.
 *
 * Ordered accesses: library.ready, release by the thread that filled it in, acquire by readers. Two
 * threads may enter a library at the same time; then it has two numbers, and one text.
 */
#include "layer/calls/stack_libraries.h"

#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/text.h"
#include "format/file/stack_text.h"
#include "layer/base/library_walk.h"
#include "layer/buffers/strings.h"
#include "layer/resolve/object_lookup.h"

#define ID_MOST	   64u /* bytes of a build id */
#define ID_COMPARE 20u
#define TABLE_HEAD 12u /* bytes of .eh_frame_hdr: the versions, the tables' address and size */
#define PAGE	   4096u

struct library {
	_Atomic bool ready;
	struct tl_object object;
	struct tl_eh_image image;
	/*
	 * What tells it from another file that is loaded at the same place: its build id, if that
	 * lies in its first page, and the head of its tables.
	 */
	const uint8_t *id_at; /* NULL: unknown */
	uint8_t id[ID_COMPARE], head[TABLE_HEAD];
	_Atomic uint32_t text; /* number; 0: none yet */
};

static struct library libraries[TL_STACK_LIBRARIES];
static _Atomic uint32_t count;

/* A library as the dynamic linker shows it. */
struct seen {
	uintptr_t address;
	uintptr_t base, start, end;
	struct tl_eh_image image;
	const uint8_t *id;
	uint32_t id_size;
	char *path; /* room for TL_STRING_MAX bytes; NULL: not wanted */
};

/* Finds the build id among the notes of a segment. */
static void seen_read_notes(struct seen *seen, const uint8_t *at, uint64_t size)
{
	ElfW(Nhdr) note;

	while (size >= sizeof(note)) {
		memcpy(&note, at, sizeof(note));
		uint64_t name = (note.n_namesz + 3ull) & ~3ull, all = name + sizeof(note);
		if (name > size || note.n_descsz > size || all + note.n_descsz > size)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    !memcmp(at + sizeof(note), "GNU", 4) && note.n_descsz <= ID_MOST) {
			seen->id = at + all;
			seen->id_size = note.n_descsz;
			return;
		}
		all = (all + note.n_descsz + 3) & ~3ull;
		if (all > size)
			return;
		at += all;
		size -= all;
	}
}

static bool segment_has(const struct dl_phdr_info *info, uintptr_t from, uintptr_t size)
{
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t offset = from - info->dlpi_addr - segment->p_vaddr;

		if (segment->p_type == PT_LOAD && segment->p_flags & PF_R &&
		    offset < segment->p_memsz && size <= segment->p_memsz - offset)
			return true;
	}
	return false;
}

/*
 * Go's linker writes the build id behind another note, and gives both one program header, which has
 * the size of the other.
 */
static void seen_read_note_behind(struct seen *seen, const struct dl_phdr_info *info, uintptr_t end)
{
	const uintptr_t size = sizeof(ElfW(Nhdr)) + sizeof("GNU") + ID_COMPARE;
	uintptr_t at = (end + 3) & ~(uintptr_t)3;

	if (segment_has(info, at, size))
		seen_read_notes(seen, (const uint8_t *)at, size);
}

static void seen_fill(struct seen *seen, const struct dl_phdr_info *info)
{
	seen->base = info->dlpi_addr;
	seen->image = (struct tl_eh_image){
		.base = info->dlpi_addr, .segments = info->dlpi_phdr, .count = info->dlpi_phnum};
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t at = info->dlpi_addr + segment->p_vaddr;
		if (segment->p_type == PT_GNU_EH_FRAME && segment_has(info, at, TABLE_HEAD))
			seen->image.table = (const uint8_t *)at;
		if (segment->p_type == PT_NOTE && !seen->id &&
		    segment_has(info, at, segment->p_memsz))
			seen_read_notes(seen, (const uint8_t *)at, segment->p_memsz);
	}
	for (unsigned i = 0; i < info->dlpi_phnum && !seen->id; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		if (segment->p_type == PT_NOTE)
			seen_read_note_behind(
				seen, info, info->dlpi_addr + segment->p_vaddr + segment->p_memsz);
	}
}

/* Of a path that is too long, the end. */
static void seen_fill_path(struct seen *seen, const struct dl_phdr_info *info)
{
	size_t length = info->dlpi_name ? strlen(info->dlpi_name) : 0;
	size_t kept = length < TL_STRING_MAX ? length : TL_STRING_MAX - 1;

	memcpy(seen->path, info->dlpi_name + (length - kept), kept);
	seen->path[kept] = 0;
}

static int seen_visit(struct dl_phdr_info *info, size_t size, void *closure)
{
	struct seen *seen = closure;
	bool is_there = false;
	uintptr_t low = UINTPTR_MAX, high = 0;

	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + segment->p_vaddr;
		if (segment->p_type != PT_LOAD)
			continue;
		is_there |= seen->address - start < segment->p_memsz;
		low = start < low ? start : low;
		high = start + segment->p_memsz > high ? start + segment->p_memsz : high;
	}
	if (!is_there)
		return 0;
	seen->start = low;
	seen->end = high;
	seen_fill(seen, info);
	if (seen->path)
		seen_fill_path(seen, info);
	return 1;
}

static bool seen_find(struct seen *seen, uintptr_t address, char *path)
{
	seen->address = address;
	seen->id = NULL;
	seen->id_size = 0;
	seen->path = path;
	return tl_library_walk(seen_visit, seen);
}

static bool object_is_same(const struct tl_object *a, const struct tl_object *b)
{
	return a->start == b->start && a->end == b->end && a->mark == b->mark &&
	       a->table == b->table;
}

/* The object is loaded: its first page can be read, and the head of its tables. */
static bool library_is_object(const struct library *library, const struct tl_object *object)
{
	return object_is_same(&library->object, object) &&
	       (!library->image.table ||
		!memcmp(library->image.table, library->head, TABLE_HEAD)) &&
	       (!library->id_at || !memcmp(library->id_at, library->id, ID_COMPARE));
}

static __attribute__((noinline)) uint32_t library_enter(uintptr_t address,
							const struct tl_object *object)
{
	struct seen seen;

	if (!seen_find(&seen, address, NULL))
		return 0;
	uint32_t at = atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
	if (at >= TL_STACK_LIBRARIES - 1) {
		atomic_fetch_sub_explicit(&count, 1, memory_order_relaxed);
		return 0;
	}
	struct library *library = &libraries[at + 1];
	library->object = *object;
	library->image = seen.image;
	if (library->image.table)
		memcpy(library->head, library->image.table, TABLE_HEAD);
	if (seen.id_size >= ID_COMPARE && (uintptr_t)seen.id + ID_COMPARE - object->start <= PAGE) {
		library->id_at = seen.id;
		memcpy(library->id, seen.id, ID_COMPARE);
	}
	atomic_store_explicit(&library->ready, true, memory_order_release);
	return at + 1;
}

uint32_t tl_stack_library_find(uintptr_t address)
{
	uint32_t known = atomic_load_explicit(&count, memory_order_relaxed);
	struct tl_object object;

	if (!tl_object_at(address, &object))
		return 0;
	for (uint32_t i = 1; i <= known && i < TL_STACK_LIBRARIES; i++)
		if (atomic_load_explicit(&libraries[i].ready, memory_order_acquire) &&
		    library_is_object(&libraries[i], &object))
			return i;
	return library_enter(address, &object);
}

bool tl_stack_library_is_same(uint32_t number, uint32_t other)
{
	return number == other ||
	       (number && other &&
		object_is_same(&libraries[number].object, &libraries[other].object));
}

bool tl_stack_library_is_there(uint32_t number, uintptr_t address)
{
	struct tl_object object;

	if (!tl_object_at(address, &object))
		return !number;
	return number && library_is_object(&libraries[number], &object);
}

const struct tl_eh_image *tl_stack_library_image(uint32_t number)
{
	return &libraries[number].image;
}

/*
 * A library that was opened by a path from the current folder gets a whole one, so that its file is
 * found from elsewhere. What has no slash is no file: the kernel's own library.
 */
static void path_complete(char path[TL_STRING_MAX], char folder[TL_STRING_MAX])
{
	char *from = path;

	if (*path == '/' || !strchr(path, '/'))
		return;
	while (from[0] == '.' && from[1] == '/')
		from += 2;
	long length = syscall(SYS_getcwd, folder, TL_STRING_MAX); /* with its NUL byte */
	size_t size = strlen(from) + 1;

	if (length <= 0 || *folder != '/' || (size_t)length + size > TL_STRING_MAX)
		return;
	memmove(path + length, from, size);
	memcpy(path, folder, (size_t)length);
	path[length - 1] = '/';
}

static uint32_t library_put_text(uintptr_t address, struct tl_stack_library_room *room)
{
	struct tl_text text = {room->text, room->text + sizeof(room->text), false};
	struct seen seen;

	if (!seen_find(&seen, address, room->path))
		return 0;
	/* The program's own path: the dynamic linker has none for it. */
	if (!seen.path[0]) {
		long size = syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", seen.path,
				    sizeof(room->path) - 1);
		seen.path[size > 0 ? size : 0] = 0;
	}
	path_complete(seen.path, room->text);
	tl_stack_text_library(&text, seen.id, seen.id_size, seen.base, seen.start, seen.end,
			      seen.path);
	return tl_string_number(room->text, (size_t)(text.at - room->text));
}

uint32_t tl_stack_library_text(uint32_t number, uintptr_t address,
			       struct tl_stack_library_room *room)
{
	struct library *library = &libraries[number];
	uint32_t text = atomic_load_explicit(&library->text, memory_order_relaxed);

	if (!text) {
		text = library_put_text(address, room);
		atomic_store_explicit(&library->text, text, memory_order_relaxed);
	}
	return text;
}

void tl_stack_libraries_after_fork(void)
{
	for (uint32_t i = 0; i < TL_STACK_LIBRARIES; i++)
		atomic_store_explicit(&libraries[i].text, 0, memory_order_relaxed);
}
