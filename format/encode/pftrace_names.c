/* SPDX-License-Identifier: MIT */
/*
 * pftrace_names.c: see pftrace_names.h. A table with open addressing; names are never taken out.
 */
#include "format/encode/pftrace_names.h"

#include <string.h>

#include "format/encode/pftrace.h"

/* FNV-1a */
static uint32_t name_hash(uint32_t field, const char *string, size_t size)
{
	uint32_t hash = 2166136261u ^ field;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ (unsigned char)string[i]) * 16777619u;
	return hash;
}

static bool name_is(const struct tl_pf_names *names, const struct tl_pf_name *name, uint32_t hash,
		    uint32_t field, const char *string, size_t size)
{
	return name->hash == hash && name->field == field && name->size == size &&
	       memcmp(names->text + name->at, string, size) == 0;
}

struct tl_pf_name *tl_pf_name_find(struct tl_pf_names *names, uint32_t field, const char *string,
				   size_t size)
{
	uint32_t hash = name_hash(field, string, size), place = hash;
	struct tl_pf_name *name;

	if (size > TL_PF_NAME_MAX)
		return NULL;
	for (;; place++) {
		name = &names->places[place % TL_PF_NAMES];
		if (!name->field)
			break;
		if (name_is(names, name, hash, field, string, size))
			return name;
	}
	if (names->count == TL_PF_NAMES_MOST || size > sizeof(names->text) - names->used)
		return NULL;
	*name = (struct tl_pf_name){.hash = hash,
				    .at = names->used,
				    .iid = ++names->last[field],
				    .size = (uint16_t)size,
				    .field = (uint8_t)field};
	memcpy(names->text + names->used, string, size);
	names->used += (uint32_t)size;
	names->count++;
	return name;
}

bool tl_pf_name_is_new(struct tl_pf_names *names, struct tl_pf_name *name)
{
	if (name->block)
		return false;
	name->block = names->block + 1;
	names->changed = true;
	return true;
}

uint32_t tl_pf_name_use(struct tl_pf_names *names, struct tl_pf_name *name)
{
	char *start = names->tell + names->told, *at;

	if (name->block)
		return name->iid;
	if (sizeof(names->tell) - names->told < name->size + 3u * TL_PROTOBUF_NUMBER)
		return 0;
	at = tl_protobuf_open(start, name->field == TL_PF_KERNEL_NAMES ? TL_PF_COMPUTE_KERNELS
								       : name->field);
	start = at;
	at = tl_protobuf_number(at, TL_PF_IID, name->iid);
	at = tl_protobuf_bytes(at, TL_PF_STRING, names->text + name->at, name->size);
	names->told = (uint32_t)(tl_protobuf_close(start, at) - names->tell);
	tl_pf_name_is_new(names, name);
	return name->iid;
}

void tl_pf_names_keep(struct tl_pf_names *names)
{
	names->block += names->changed;
	names->changed = false;
}

void tl_pf_names_drop(struct tl_pf_names *names)
{
	for (uint32_t i = 0; names->changed && i < TL_PF_NAMES; i++)
		if (names->places[i].block == names->block + 1)
			names->places[i].block = 0;
	names->changed = false;
}
