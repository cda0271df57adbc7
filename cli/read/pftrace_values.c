/* SPDX-License-Identifier: MIT */
/* pftrace_values.c: see pftrace_values.h. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/read/pftrace_values.h"

#define NAMES_MOST (1u << 20) /* of a kind */
#define DEEPEST	   64u	      /* values in one another */

json_t *pf_text(struct pb_bytes bytes)
{
	json_t *text = json_stringn((const char *)bytes.at, (size_t)(bytes.end - bytes.at));

	return text ? text : json_string("?");
}

static void names_forget(struct pf_list *names)
{
	for (size_t i = 0; i < names->room; i++)
		json_decref(names->list[i]);
	free(names->list);
	*names = (struct pf_list){NULL, 0};
}

/* Takes the text over. */
static void name_keep(struct pf_list *names, uint64_t number, json_t *text)
{
	if (number >= NAMES_MOST) {
		json_decref(text);
		return;
	}
	if (number >= names->room) {
		size_t room = number + number / 2 + 64;

		names->list = need(reallocarray(names->list, room, sizeof(*names->list)));
		memset(&names->list[names->room], 0, (room - names->room) * sizeof(*names->list));
		names->room = room;
	}
	json_decref(names->list[number]);
	names->list[number] = text;
}

static json_t *name_get(const struct pf_list *names, uint64_t number)
{
	return number < names->room && names->list[number] ? json_incref(names->list[number])
							   : json_string("?");
}

static void name_take(struct pf_list *names, struct pb_bytes entry)
{
	struct pb_field field;
	uint64_t number = 0;
	json_t *text = NULL;

	while (pb_next(&entry, &field))
		if (field.number == TL_PF_IID && !field.has_bytes) {
			number = field.value;
		} else if (field.number == TL_PF_STRING && field.has_bytes) {
			json_decref(text);
			text = pf_text(field.bytes);
		}
	name_keep(names, number, text ? text : json_string(""));
}

void pf_names_take(struct pf_names *known, struct pb_bytes data)
{
	struct pb_field field;

	while (pb_next(&data, &field)) {
		if (!field.has_bytes)
			continue;
		switch (field.number) {
		case TL_PF_EVENT_CATEGORIES:
			name_take(&known->of[PF_CATEGORIES], field.bytes);
			break;
		case TL_PF_EVENT_NAMES:
			name_take(&known->of[PF_NAMES], field.bytes);
			break;
		case TL_PF_ANNOTATION_NAMES:
			name_take(&known->of[PF_KEYS], field.bytes);
			break;
		case TL_PF_STRING_VALUES:
			name_take(&known->of[PF_STRINGS], field.bytes);
			break;
		case TL_PF_FUNCTION_NAMES:
			name_take(&known->of[PF_FUNCTIONS], field.bytes);
			break;
		case TL_PF_MAPPING_PATHS:
			name_take(&known->of[PF_PATHS], field.bytes);
			break;
		}
	}
}

json_t *pf_name(const struct pf_names *known, enum pf_kind kind, uint64_t number)
{
	return name_get(&known->of[kind], number);
}

void pf_names_forget(struct pf_names *known)
{
	for (unsigned i = 0; i < PF_KINDS; i++)
		names_forget(&known->of[i]);
}

/* ---- arguments ---- */

json_t *pf_number(double number)
{
	json_t *real = json_real(number);

	return real ? real : json_null(); /* it is not finite */
}

json_t *pf_double(uint64_t bits)
{
	double number;

	memcpy(&number, &bits, sizeof(number));
	return pf_number(number);
}

static json_t *pointer_json(uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)value);
	return json_string(text);
}

static void note_add(const struct pf_names *known, struct pb_bytes note, json_t *to,
		     unsigned depth);

/* A member or an element. */
static json_t *note_inner(const struct pf_names *known, struct pb_bytes note, json_t *value,
			  bool is_list, unsigned depth)
{
	if (!value)
		value = is_list ? json_array() : json_object();
	if (depth < DEEPEST && (is_list ? json_is_array(value) : json_is_object(value)))
		note_add(known, note, value, depth + 1);
	return value;
}

/* The value that this field is. NULL: it is none. */
static json_t *note_value(const struct pf_names *known, const struct pb_field *field)
{
	switch (field->number) {
	case TL_PF_BOOL_VALUE:
		return json_boolean(field->value);
	case TL_PF_UINT_VALUE:
		return pf_number((double)field->value);
	case TL_PF_INT_VALUE:
		return pf_number((double)(int64_t)field->value);
	case TL_PF_DOUBLE_VALUE:
		return pf_double(field->value);
	case TL_PF_POINTER_VALUE:
		return pointer_json(field->value);
	case TL_PF_STRING_VALUE:
		return field->has_bytes ? pf_text(field->bytes) : NULL;
	case TL_PF_STRING_VALUE_IID:
		return name_get(&known->of[PF_STRINGS], field->value);
	}
	return NULL;
}

/* Adds an annotation to an object by its name, or to an array. */
static void note_add(const struct pf_names *known, struct pb_bytes note, json_t *to, unsigned depth)
{
	json_t *key = NULL, *value = NULL, *found;
	struct pb_field field;

	while (pb_next(&note, &field)) {
		bool is_list = field.number == TL_PF_ARRAY_VALUES;

		if (field.number == TL_PF_ANNOTATION_NAME_IID && !field.has_bytes) {
			json_decref(key);
			key = name_get(&known->of[PF_KEYS], field.value);
		} else if (field.number == TL_PF_ANNOTATION_NAME && field.has_bytes) {
			json_decref(key);
			key = pf_text(field.bytes);
		} else if (field.has_bytes && (is_list || field.number == TL_PF_DICT_ENTRIES)) {
			value = note_inner(known, field.bytes, value, is_list, depth);
		} else if ((found = note_value(known, &field))) {
			json_decref(value);
			value = found;
		}
	}
	if (!value)
		value = json_object();
	if (json_is_array(to))
		json_array_append_new(to, value);
	else if (key)
		json_object_set_new_nocheck(to, json_string_value(key), value);
	else
		json_decref(value);
	json_decref(key);
}

void pf_note(const struct pf_names *known, struct pb_bytes note, json_t *args)
{
	note_add(known, note, args, 0);
}
