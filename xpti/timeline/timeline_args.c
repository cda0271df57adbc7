/* SPDX-License-Identifier: MIT */
/*
 * timeline_args.c: the arguments of an event: keys and values.
 */
#include <string.h>

#include "xpti/timeline/timeline_args.h"
#include "xpti/timeline/timeline_types.h"

#define METADATA_END 56u /* metadata goes up to here; the rest is for the library's own arguments */

const char *const timeline_key_texts[TIMELINE_KEYS] = {
#define KEY_TEXT(name) [TIMELINE_KEY_##name] = #name
	KEY_TEXT(source),     KEY_TEXT(id),	   KEY_TEXT(instance),	  KEY_TEXT(parent),
	KEY_TEXT(type),	      KEY_TEXT(bytes),	   KEY_TEXT(address),	  KEY_TEXT(from),
	KEY_TEXT(to),	      KEY_TEXT(from_id),   KEY_TEXT(to_id),	  KEY_TEXT(message),
	KEY_TEXT(unfinished), KEY_TEXT(unmatched), KEY_TEXT(duration_ns), KEY_TEXT(result),
#undef KEY_TEXT
};

void timeline_add_type(struct timeline_args *args, uint16_t type)
{
	if (timeline_type_is_user_defined(type))
		timeline_add_hex(args, TIMELINE_KEY(type), type);
	else if (timeline_type_name(type))
		timeline_add_text(args, TIMELINE_KEY(type), timeline_type_word(type));
	else
		timeline_add_count(args, TIMELINE_KEY(type), type);
}

void timeline_add_begun(struct timeline_args *args, const struct timeline_begun *begun)
{
	timeline_add_text(args, TIMELINE_KEY(source), begun->source);
	timeline_add_hex(args, TIMELINE_KEY(id), begun->uid);
	timeline_add_count(args, TIMELINE_KEY(instance), begun->instance);
	timeline_add_text(args, TIMELINE_KEY(parent), begun->parent);
	if (begun->more & TIMELINE_RESULT)
		timeline_add(args, TIMELINE_KEY(result), TL_VALUE_SIGNED_64,
			     (uint64_t)begun->result);
	else if (begun->bytes)
		timeline_add_count(args, TIMELINE_KEY(bytes), begun->bytes);
	timeline_add_hex(args, TIMELINE_KEY(address), begun->address);
}

/* The value of a number of 1, 2, 4 or 8 bytes. */
static uint64_t object_number(const xpti_object *object, bool has_sign)
{
	uint64_t value = 0;

	memcpy(&value, object->data, object->size < 8 ? object->size : 8);
	if (has_sign && object->size < 8)
		value = (uint64_t)((int64_t)(value << (64 - 8 * object->size)) >>
				   (64 - 8 * object->size));
	return value;
}

static uint64_t object_double(const xpti_object *object)
{
	double value;
	float single;
	uint64_t bits;

	memcpy(&bits, object->data, object->size == 8 ? 8 : 0);
	if (object->size == 8)
		return bits;
	memcpy(&single, object->data, sizeof(single));
	value = single;
	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* Bytes of an unknown meaning; of more than 64, the first 64. */
static void args_add_bytes(struct timeline_args *args, uint32_t key, const xpti_object *object)
{
	static const char digits[] = "0123456789abcdef";
	char text[2 * 64 + 4], *at = text;

	for (size_t i = 0; i < object->size && i < 64; i++) {
		*at++ = digits[(unsigned char)object->data[i] >> 4];
		*at++ = digits[object->data[i] & 15];
	}
	if (object->size > 64)
		at = (char *)memcpy(at, "...", 3) + 3;
	timeline_add_text(args, key, tl_guest_number(text, (size_t)(at - text)));
}

static void args_add_object(struct timeline_args *args, uint32_t key, const xpti_object *object)
{
	bool is_number =
		object->size == 1 || object->size == 2 || object->size == 4 || object->size == 8;

	if (!object->data)
		return;
	if (object->type == xpti_metadata_string)
		timeline_add_text(
			args, key,
			tl_guest_number(object->data, strnlen(object->data, object->size)));
	else if (object->type == xpti_metadata_signed && is_number)
		timeline_add(args, key, TL_VALUE_SIGNED_64, object_number(object, true));
	else if (object->type == xpti_metadata_unsigned && is_number)
		timeline_add_count(args, key, object_number(object, false));
	else if (object->type == xpti_metadata_boolean && is_number)
		timeline_add(args, key, TL_VALUE_TRUTH, object_number(object, false) != 0);
	else if (object->type == xpti_metadata_floating && (object->size == 4 || object->size == 8))
		timeline_add(args, key, TL_VALUE_DOUBLE_64, object_double(object));
	else
		args_add_bytes(args, key, object);
}

/* Where metadata has a key that this library uses, the key gets a prefix. */
static uint32_t metadata_key(const char *key)
{
	char longer[256] = "metadata.";

	for (int i = 0; i < TIMELINE_KEYS; i++)
		if (strcmp(key, timeline_key_texts[i]) == 0)
			return tl_guest_number(longer, strlen(strcat(longer, key)));
	return tl_guest_number(key, strnlen(key, TL_STRING_MAX));
}

void timeline_add_metadata(struct timeline_args *args, xpti_event *event)
{
	const xpti_metadata *metadata = xptiQueryMetadata(event);
	const xpti_metadata_node *node = metadata ? metadata->first : NULL;

	for (; node && args->count < METADATA_END; node = node->next) {
		const char *key = xptiLookupString(node->key);
		xpti_object object = xptiLookupObject(node->value);
		if (key && *key)
			args_add_object(args, metadata_key(key), &object);
	}
}
