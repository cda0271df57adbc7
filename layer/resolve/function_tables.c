/* SPDX-License-Identifier: MIT */
/*
 * function_tables.c: see function_tables.h.
 *
 * The list of copies only grows, at its head. Copies are never freed, since objects point to them. If
 * a table has changed since it was copied, or another table lies at its address, it is copied again.
 *
 * If a function failed in a way that the descriptor does not know, its out parameter may hold any
 * value. So all memory is read by checked copies, a struct counts as a table only if its members
 * point to code, and the kernel writes the pointer, because it refuses if memory can't be written.
 * A process that is confined may not ask the kernel: there no further table is replaced.
 */
#include "layer/resolve/function_tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "format/args/args.h"
#include "layer/base/loaded_libraries.h"
#include "layer/buffers/process_state.h"
#include "layer/resolve/api_table.h"
#include "layer/resolve/real_function.h"
#include "layer/resolve/shim_names.h"

#define TABLE_MAX 2048u /* bytes */

struct copy {
	struct copy *next;
	const struct tl_getproc *getproc;
	const void *of; /* the table */
	uint32_t size;
	char *original;	  /* what it held */
	uint64_t table[]; /* what stands for it; then the original */
};

static struct copy *_Atomic copies;

static bool copy_is_table(const void *table)
{
	for (struct copy *it = atomic_load_explicit(&copies, memory_order_acquire); it;
	     it = it->next)
		if (it->table == table)
			return true;
	return false;
}

static struct copy *copy_find(const struct tl_getproc *getproc, const void *of,
			      const char *original, uint32_t size)
{
	for (struct copy *it = atomic_load_explicit(&copies, memory_order_acquire); it;
	     it = it->next)
		if (it->of == of && it->size == size &&
		    it->getproc->entries->function == getproc->entries->function &&
		    !memcmp(it->original, original, size))
			return it;
	return NULL;
}

/* The table's size in bytes: what the table itself says, if it has such a member. 0: it can't be read. */
static uint32_t table_size(const struct tl_getproc *getproc, const char *table)
{
	uint64_t told = getproc->size;

	if (getproc->sized &&
	    tl_checked_copy(&told, table + getproc->sized - 1, sizeof(told)) != sizeof(told))
		return 0;
	if (getproc->sized && (told % sizeof(void *) || told > TABLE_MAX))
		return 0;
	told = told < getproc->size ? told : getproc->size;
	return told <= TABLE_MAX ? (uint32_t)told : 0;
}

static void *entry_pointer(const struct tl_getproc *getproc, uint32_t i, const char *table,
			   uint32_t size)
{
	uint32_t offset = getproc->entries[i].offset;
	void *pointer = NULL;

	if (offset + sizeof(pointer) <= size)
		memcpy(&pointer, table + offset, sizeof(pointer));
	return pointer;
}

/* True if at least one member points to code, and each other one does, too, or is NULL. */
static bool table_is_of_functions(const struct tl_getproc *getproc, const char *table,
				  uint32_t size)
{
	bool has = false;

	for (uint32_t i = 0; i < getproc->count; i++) {
		const void *pointer = entry_pointer(getproc, i, table, size);

		if (pointer && !tl_loaded_is_code(pointer))
			return false;
		has |= pointer != NULL;
	}
	return has;
}

/*
 * Put a shim in a function's place. If a function is in two places, both get the same shim, with the
 * name of the first. So code that compares the two still finds them equal.
 */
static void copy_put_shim(struct copy *copy, struct tl_shim_library *library, uint32_t i)
{
	const struct tl_getproc *getproc = copy->getproc;
	const struct tl_table_entry *entry = &getproc->entries[i];
	struct tl_shim *shim = &library->shims[entry->function];
	void *real = entry_pointer(getproc, i, copy->original, copy->size), *put = NULL;

	if (!real)
		return;
	for (uint32_t j = 0; j < i && !put; j++)
		if (entry_pointer(getproc, j, copy->original, copy->size) == real)
			put = entry_pointer(getproc, j, (const char *)copy->table, copy->size);
	/* A library may call by its table, too: those calls are its own. */
	if (!put && getproc->kind == TL_GETPROC_OBJECT)
		tl_api_by_caller(&shim, 1);
	if (!put)
		put = tl_resolve_closure(shim, real);
	memcpy((char *)copy->table + entry->offset, &put, sizeof(put));
}

static struct copy *copy_make(const struct tl_api *api, const struct tl_getproc *getproc,
			      const void *of, const char *original, uint32_t size)
{
	struct tl_shim_library *library = tl_shim_names_library(api);
	uint32_t room = (size + 7) & ~7u;
	struct copy *copy = library ? malloc(sizeof(*copy) + 2 * (size_t)room) : NULL;

	if (!copy)
		return NULL;
	*copy = (struct copy){.getproc = getproc, .of = of, .size = size};
	copy->original = (char *)copy->table + room;
	memcpy(copy->original, original, size);
	memcpy(copy->table, original, size);
	for (uint32_t i = 0; i < getproc->count; i++)
		copy_put_shim(copy, library, i);
	copy->next = atomic_load_explicit(&copies, memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit(&copies, &copy->next, copy,
						      memory_order_release, memory_order_relaxed))
		;
	return copy;
}

/* The table's copy with shims; the table itself if there is none. */
static void *table_copied(const struct tl_api *api, const struct tl_getproc *getproc, void *table)
{
	char original[TABLE_MAX];
	uint32_t size = table && !copy_is_table(table) ? table_size(getproc, table) : 0;

	if (!size || !getproc->count || tl_checked_copy(original, table, size) != size)
		return table;
	struct copy *copy = copy_find(getproc, table, original, size);

	if (!copy && !tl_process_is_confined() && table_is_of_functions(getproc, original, size))
		copy = copy_make(api, getproc, table, original, size);
	return copy ? copy->table : table;
}

void tl_function_tables_swap(const struct tl_api *api, const struct tl_getproc *getproc,
			     void *object)
{
	void **place = (void **)((char *)object + getproc->offset), *table;

	if (!object || tl_checked_copy(&table, place, sizeof(table)) != sizeof(table))
		return;
	void *copied = table_copied(api, getproc, table);
	struct iovec from = {&copied, sizeof(copied)}, to = {place, sizeof(copied)};

	if (copied != table && !tl_process_is_confined())
		process_vm_writev(getpid(), &from, 1, &to, 1, 0);
}

void tl_function_tables_give(const struct tl_call *call)
{
	const struct tl_function *function = call->shim->function;
	int error = errno;

	for (uint32_t i = 0; i < function->api->ngetprocs; i++) {
		const struct tl_getproc *getproc = &function->api->getprocs[i];

		if (getproc->function != function->index || getproc->kind != TL_GETPROC_GIVEN)
			continue;
		void **param = (void **)call->params[getproc->where];
		*param = table_copied(function->api, getproc, *param);
	}
	errno = error;
}
