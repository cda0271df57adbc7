/* SPDX-License-Identifier: MIT */
/*
 * shim_names.c: see shim_names.h.
 */
#include "layer/resolve/shim_names.h"

#include <sys/mman.h>

#include "common/interposer_library.h"
#include "layer/base/loaded_libraries.h"
#include "layer/resolve/api_table.h"
#include "layer/resolve/late_relocation.h"

#define LIBRARIES_MAX 64

/* Filled from the front. A slot is claimed by compare and exchange and never changes again. */
static _Atomic(struct tl_shim_library *) libraries[LIBRARIES_MAX];

/* Where the entries of each library lie; .end is 0 until both are stored. */
static struct {
	_Atomic uintptr_t start, end;
} entries[LIBRARIES_MAX];

/* How many of the libraries have functions whose addresses are compared. */
static _Atomic unsigned compared;

static _Atomic unsigned generic; /* how many are interposers */

/*
 * Published with release when complete, read with acquire. A table that was replaced may still be
 * in use, so it is kept.
 */
static _Atomic(const struct tl_shim_names *) current;

struct tl_shim_library *tl_shim_names_nth(unsigned n)
{
	return n < LIBRARIES_MAX ? atomic_load_explicit(&libraries[n], memory_order_acquire) : NULL;
}

struct tl_shim_library *tl_shim_names_library(const struct tl_api *api)
{
	struct tl_shim_library *library;

	tl_api_need();
	for (unsigned n = 0; (library = tl_shim_names_nth(n)) != NULL; n++)
		if (library->api == api)
			return library;
	return NULL;
}

static void entries_note(unsigned n, const struct tl_shim_library *library)
{
	uintptr_t start = UINTPTR_MAX, end = 0;

	for (uint32_t i = 0; i < library->api->count; i++) {
		uintptr_t entry = (uintptr_t)library->shims[i].entry;

		start = entry < start ? entry : start;
		end = entry >= end ? entry + 1 : end;
	}
	atomic_store_explicit(&entries[n].start, start, memory_order_relaxed);
	atomic_store_explicit(&entries[n].end, end, memory_order_release);
	if (library->abi == TL_GENERIC_ABI)
		atomic_fetch_add_explicit(&generic, 1, memory_order_release);
	if (tl_shim_library_is_compared(library))
		atomic_fetch_add_explicit(&compared, 1, memory_order_release);
}

unsigned tl_shim_names_compared(void)
{
	return atomic_load_explicit(&compared, memory_order_acquire);
}

unsigned tl_shim_names_generic(void)
{
	if (tl_api_is_idle())
		return 0;
	tl_api_need();
	return atomic_load_explicit(&generic, memory_order_acquire);
}

bool tl_shim_names_is_generic(const struct tl_shim *shim)
{
	const struct tl_shim_library *library = tl_shim_names_library(shim->function->api);

	return library && library->abi == TL_GENERIC_ABI;
}

/*
 * The library's shim with this entry, or NULL. An interposer's entries lie in the order of its
 * shims and have one size, so the place tells which it is. `first` and `last` are the lowest and
 * the highest entry.
 */
static struct tl_shim *library_shim_at(const struct tl_shim_library *library, const void *entry,
				       uintptr_t first, uintptr_t last)
{
	uintptr_t size = library->api->count > 1 ? (last - first) / (library->api->count - 1) : 0;
	uintptr_t guess = size ? ((uintptr_t)entry - first) / size : 0;

	if (guess < library->api->count && library->shims[guess].entry == entry)
		return &library->shims[guess];
	for (uint32_t i = 0; i < library->api->count; i++)
		if (library->shims[i].entry == entry)
			return &library->shims[i];
	return NULL;
}

void tl_shim_names_add(struct tl_shim_library *library)
{
	for (unsigned n = 0; n < LIBRARIES_MAX; n++) {
		struct tl_shim_library *there = NULL;

		if (atomic_compare_exchange_strong_explicit(&libraries[n], &there, library,
							    memory_order_acq_rel,
							    memory_order_acquire))
			return entries_note(n, library);
		if (there == library)
			return;
	}
}

/* Of the image that this file is linked into. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

struct tl_shim *tl_shim_names_at(const void *entry)
{
	struct tl_shim_library *library;

	/* The built-in APIs' entries are in this image; they are registered before all others. */
	if ((uintptr_t)entry - (uintptr_t)__ehdr_start < (uintptr_t)(_end - __ehdr_start) ||
	    tl_api_awaits())
		tl_api_need();
	for (unsigned n = 0; (library = tl_shim_names_nth(n)) != NULL; n++) {
		uintptr_t end = atomic_load_explicit(&entries[n].end, memory_order_acquire);
		uintptr_t start = atomic_load_explicit(&entries[n].start, memory_order_relaxed);

		if ((uintptr_t)entry >= end || (uintptr_t)entry < start)
			continue;
		struct tl_shim *shim = library_shim_at(library, entry, start, end - 1);

		if (shim)
			return shim;
	}
	return NULL;
}

/* By its first three bytes. A look at the libraries asks for thousands of names. */
static uint32_t name_beginning(const char *name)
{
	const unsigned char *c = (const unsigned char *)name;
	uint32_t second = c[0] ? c[1] : 0;

	return (c[0] + second * 64u + (second ? c[2] * 17u : 0)) % TL_SHIM_BEGINNINGS;
}

static const struct tl_shim_name *names_find(const struct tl_shim_names *names, const char *name,
					     uint32_t hash)
{
	for (uint32_t at = names->buckets[hash & names->mask]; at; at = names->name[at - 1].next)
		if (names->name[at - 1].hash == hash && tl_elf_same(names->name[at - 1].name, name))
			return &names->name[at - 1];
	return NULL;
}

static uint32_t hash_bit(uint32_t hash)
{
	return hash / 2 % TL_SHIM_HASHES;
}

/* A name has this hash, but for the lowest bit. */
static bool names_have_hash(const struct tl_shim_names *names, uint32_t hash)
{
	uint32_t buckets[] = {hash & names->mask, (hash ^ 1) & names->mask};

	for (int i = 0; i < 2; i++)
		for (uint32_t at = names->buckets[buckets[i]]; at; at = names->name[at - 1].next)
			if ((names->name[at - 1].hash | 1) == (hash | 1))
				return true;
	return false;
}

bool tl_shim_names_are_in(const struct tl_shim_names *names, const struct tl_elf *elf)
{
	const uint32_t *hashes;
	uint32_t most = 4 * names->count, count = tl_elf_hashes(elf, most, &hashes);

	if (!count || count > most)
		return elf->gnu_hash || elf->sysv_hash;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t bit = hash_bit(hashes[i]);

		if (names->hashes[bit / 64] >> bit % 64 & 1 && names_have_hash(names, hashes[i]))
			return true;
	}
	return false;
}

static void names_fill(struct tl_shim_names *names, struct tl_shim_name *name, uint32_t *buckets)
{
	for (unsigned n = 0; n < names->libraries; n++) {
		struct tl_shim_library *library = tl_shim_names_nth(n);

		for (uint32_t i = 0; i < library->api->count; i++) {
			const char *text = library->api->functions[i].name;
			uint32_t hash = tl_elf_hash(text), *bucket = &buckets[hash & names->mask];

			if (names_find(names, text, hash))
				continue;
			name[names->count] =
				(struct tl_shim_name){.name = text,
						      .shim = &library->shims[i],
						      .hash = hash,
						      .next = *bucket,
						      .flags = library->api->functions[i].flags,
						      .index = names->count};
			*bucket = ++names->count;
			uint32_t beginning = name_beginning(text);

			names->beginnings[beginning / 64] |= 1ull << beginning % 64;
			names->hashes[hash_bit(hash) / 64] |= 1ull << hash_bit(hash) % 64;
		}
	}
}

static struct tl_shim_names *names_make(void)
{
	struct tl_shim_library *library;
	uint32_t nlibraries = 0, count = 0, nbuckets = 64;

	for (; (library = tl_shim_names_nth(nlibraries)) != NULL; nlibraries++)
		count += library->api->count;
	while (nbuckets < 2 * count)
		nbuckets *= 2;
	size_t bytes = sizeof(struct tl_shim_names) + count * sizeof(struct tl_shim_name) +
		       nbuckets * sizeof(uint32_t);
	struct tl_shim_names *names =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (names == MAP_FAILED)
		return NULL;
	struct tl_shim_name *name = (struct tl_shim_name *)(names + 1);
	uint32_t *buckets = (uint32_t *)(name + count);

	*names = (struct tl_shim_names){.name = name,
					.libraries = nlibraries,
					.mask = nbuckets - 1,
					.buckets = buckets,
					.bytes = bytes};
	names_fill(names, name, buckets);
	return names;
}

const struct tl_shim_names *tl_shim_names(void)
{
	tl_api_need();
	const struct tl_shim_names *names = atomic_load_explicit(&current, memory_order_acquire);

	while (names ? tl_shim_names_nth(names->libraries) != NULL : tl_shim_names_nth(0) != NULL) {
		struct tl_shim_names *fresh = names_make();

		if (!fresh)
			break;
		if (atomic_compare_exchange_strong_explicit(
			    &current, &names, fresh, memory_order_acq_rel, memory_order_acquire))
			return fresh;
		munmap(fresh, fresh->bytes);
	}
	return names;
}

const struct tl_shim_name *tl_shim_names_entry(const char *name)
{
	const struct tl_shim_names *names = tl_shim_names();
	uint32_t beginning = name_beginning(name);

	if (!names || !(names->beginnings[beginning / 64] >> beginning % 64 & 1))
		return NULL;
	return names_find(names, name, tl_elf_hash(name));
}

/*
 * Most programs that ask for names by dlsym ask for none of ours, and never need an API. Of each built-in
 * one, the names begin alike.
 */
static bool name_may_be_builtin(const char *name)
{
	return tl_elf_begins(name, "ze") || tl_elf_begins(name, "cl") ||
	       tl_elf_begins(name, "roctx");
}

struct tl_shim *tl_shim_names_find(const char *name)
{
	if (tl_api_is_idle() && !name_may_be_builtin(name))
		return NULL;
	const struct tl_shim_name *found = tl_shim_names_entry(name);

	return found ? found->shim : NULL;
}

bool tl_shim_names_is_builtin(const char *name)
{
	tl_late_relocate();
	for (struct tl_shim_library *const *library = tl_api_builtin; *library; library++)
		for (uint32_t i = 0; i < (*library)->api->count; i++)
			if (tl_elf_same((*library)->api->functions[i].name, name))
				return true;
	return false;
}

bool tl_shim_names_is_builtin_at(const void *entry)
{
	if ((uintptr_t)entry - (uintptr_t)__ehdr_start >= (uintptr_t)(_end - __ehdr_start))
		return false;
	tl_late_relocate();
	for (struct tl_shim_library *const *library = tl_api_builtin; *library; library++)
		for (uint32_t i = 0; i < (*library)->api->count; i++)
			if ((*library)->shims[i].entry == entry)
				return true;
	return false;
}

uint32_t tl_shim_names_index(const struct tl_shim *shim)
{
	const struct tl_shim_name *found = tl_shim_names_entry(shim->function->name);

	return found ? found->index : UINT32_MAX;
}
