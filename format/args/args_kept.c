/* SPDX-License-Identifier: MIT */
/*
 * args_kept.c: see args_kept.h.
 */
#include "format/args/args_kept.h"

#include <string.h>

#include "format/args/args_capture.h"

/* The result's blob goes before those of the parameters. False: the record is damaged. */
static bool result_blob_take(struct tl_args_kept *kept)
{
	struct tl_blob blob;
	size_t size;

	if (kept->exit_size < sizeof(blob))
		return false;
	memcpy(&blob, kept->exit, sizeof(blob));
	size = sizeof(blob) + (((size_t)blob.bytes + 7) & ~(size_t)7);
	if (size > kept->exit_size)
		return false;
	kept->result = kept->exit;
	kept->exit = (const char *)kept->exit + size;
	kept->exit_size -= size;
	return true;
}

bool tl_args_find(struct tl_args_kept *kept, const struct tl_function *function,
		  const struct tl_call_record *record)
{
	size_t left = record->size * 8 - sizeof(*record), words = function->words * (size_t)8;
	const char *at = (const char *)(record + 1);
	struct tl_blob_sizes sizes;

	*kept = (struct tl_args_kept){.words = NULL};
	if (record->flags & TL_RECORD_CAUSE) {
		if (left < sizeof(struct tl_cause))
			return false;
		at += sizeof(struct tl_cause);
		left -= sizeof(struct tl_cause);
	}
	if (!(record->flags & TL_RECORD_WORDS))
		return !(record->flags & TL_RECORD_BLOBS);
	if (left < words)
		return false;
	kept->words = (const uint64_t *)(const void *)at;
	if (!(record->flags & TL_RECORD_BLOBS))
		return true;
	at += words;
	left -= words;
	if (left < sizeof(sizes))
		return false;
	memcpy(&sizes, at, sizeof(sizes));
	at += sizeof(sizes);
	left -= sizeof(sizes);
	if ((sizes.entry | sizes.exit) % 8 || sizes.entry > left || sizes.exit > left - sizes.entry)
		return false;
	kept->entry = at;
	kept->entry_size = sizes.entry;
	kept->exit = at + sizes.entry;
	kept->exit_size = sizes.exit;
	kept->failed = sizes.exit && tl_call_failed(function, record->result);
	return !(record->flags & TL_RECORD_RESULT) || result_blob_take(kept);
}

int tl_args_errno(const struct tl_args_kept *kept, const struct tl_function *function,
		  uint64_t result)
{
	const struct tl_blob *blob = kept->result;
	int error;

	if (!blob || blob->bytes != sizeof(error) || !(function->flags & TL_FUNCTION_ERRNO) ||
	    !tl_call_failed(function, result))
		return 0;
	memcpy(&error, blob + 1, sizeof(error));
	return error;
}

const char *tl_args_own_key(const struct tl_function *function, const char *key)
{
	const char *plain = strchr(key, '_') + 1;

	for (uint32_t i = 0; i < function->count; i++)
		if (function->params[i].name && !strcmp(function->params[i].name, plain))
			return key;
	return plain;
}

bool tl_call_has_result(const struct tl_function *function)
{
	return function->result && function->result->kind != TL_KIND_VOID &&
	       function->result->size <= sizeof(uint64_t);
}

bool tl_call_failed_by(const struct tl_function *function, uint64_t result)
{
	const struct tl_type *type = function->result;
	unsigned unused = type->size && type->size < 8 ? 64 - 8 * type->size : 0;
	int64_t value = (int64_t)(result << unused) >> unused;

	switch (function->failure) {
	case TL_FAILURE_NONZERO:
		for (uint32_t i = 0; i < function->api->nsuccesses; i++)
			if (function->api->successes[i] == value)
				return false;
		return value != 0;
	case TL_FAILURE_NEGATIVE:
		return value < 0;
	case TL_FAILURE_NULL:
		return value == 0;
	default:
		return false;
	}
}
