/* SPDX-License-Identifier: MIT */
/*
 * itt_values.c: see itt_values.h.
 */
#include "annotations/itt_values.h"

#include <stdio.h>
#include <string.h>

#include "common/text.h"

#define READ(type, at)                                                                             \
	({                                                                                         \
		type read_;                                                                        \
		memcpy(&read_, at, sizeof(read_));                                                 \
		read_;                                                                             \
	})

static size_t type_size(int type)
{
	static const uint8_t sizes[] = {0, 8, 8, 4, 4, 2, 2, 4, 8};

	return type > 0 && type <= ITT_DOUBLE ? sizes[type] : 0;
}

static uint64_t double_bits_of(double value)
{
	return READ(uint64_t, &value);
}

bool itt_value_read(struct tl_event_arg *value, int type, const void *at)
{
	static const uint8_t kinds[] = {0,
					TL_VALUE_UNSIGNED_64,
					TL_VALUE_SIGNED_64,
					TL_VALUE_UNSIGNED_64,
					TL_VALUE_SIGNED_64,
					TL_VALUE_UNSIGNED_64,
					TL_VALUE_SIGNED_64,
					TL_VALUE_DOUBLE_64,
					TL_VALUE_DOUBLE_64};

	if (!type_size(type) || !at)
		return false;
	value->kind = kinds[type];
	switch (type) {
	case ITT_U32:
		value->value = READ(uint32_t, at);
		break;
	case ITT_S32:
		value->value = (uint64_t)(int64_t)READ(int32_t, at);
		break;
	case ITT_U16:
		value->value = READ(uint16_t, at);
		break;
	case ITT_S16:
		value->value = (uint64_t)(int64_t)READ(int16_t, at);
		break;
	case ITT_FLOAT:
		value->value = double_bits_of((double)READ(float, at));
		break;
	default:
		value->value = READ(uint64_t, at);
		break;
	}
	return true;
}

/*
 * As in JSON, but within a text. So a value that is no number of JSON (infinity, a large integer)
 * needs no quotes.
 */
static void value_print(struct tl_text *text, int type, const void *at,
			const struct tl_event_arg *value)
{
	char *from = text->at;

	if (type == ITT_FLOAT)
		tl_text_float(text, READ(uint32_t, at));
	else if (type == ITT_DOUBLE)
		tl_text_double(text, value->value);
	else
		tl_text_integer(text, value->value, value->kind == TL_VALUE_SIGNED_64);
	if (text->at > from && *from == '"') {
		size_t size = (size_t)(text->at - from) - 2;
		memmove(from, from + 1, size);
		text->at = from + size;
	}
}

bool itt_values_read(struct tl_event_arg *value, int type, size_t count, const void *values)
{
	enum { LONGEST = 32 }; /* bytes of a value and what parts it from the next one */
	char bytes[512];
	struct tl_text text = {bytes, bytes + sizeof(bytes), false};

	if (count == 1)
		return itt_value_read(value, type, values);
	for (size_t i = 0; i < count; i++) {
		const char *at = (const char *)values + i * type_size(type);
		if (!itt_value_read(value, type, at))
			return false;
		if (i)
			tl_text_string(&text, ", ");
		if (text.end - text.at < LONGEST) {
			tl_text_string(&text, "...");
			break;
		}
		value_print(&text, type, at, value);
	}
	value->kind = TL_VALUE_STRING;
	value->value = annotation_text_sized(bytes, (size_t)(text.at - bytes));
	return value->value != 0;
}

/* ---- counters */

/* A counter's own state. */
struct counter_state {
	struct annotation_string *name; /* "domain: name" */
	_Atomic uint64_t value;
};

/* Two threads may make it at once; then one of the two stays unused. */
static struct counter_state *counter_state(struct itt_counter *counter)
{
	void *own = atomic_load_explicit(&counter->own, memory_order_acquire);
	char name[512];

	if (own)
		return own;
	struct counter_state *made = annotation_keep(sizeof(*made));
	int size = snprintf(name, sizeof(name), "%s%s%s", counter->domain ? counter->domain : "",
			    counter->domain && *counter->domain ? ": " : "",
			    counter->name ? counter->name : "(no text)");
	if (!made ||
	    !(made->name = annotation_string_make(
		      name, (size_t)size < sizeof(name) ? (size_t)size : sizeof(name) - 1)))
		return NULL;
	/* Release and acquire: the state is complete. */
	if (atomic_compare_exchange_strong_explicit(&counter->own, &own, made, memory_order_acq_rel,
						    memory_order_acquire))
		return made;
	return own;
}

/* All counters that this library made, the newest first. Release and acquire: they are complete. */
static _Atomic(struct itt_counter *) all;

static struct itt_counter *counter_find(struct itt_counter *counter,
					const struct itt_counter *until, const char *name,
					const char *domain)
{
	while (counter != until && (strcmp(counter->name, name) || strcmp(counter->domain, domain)))
		counter = counter->next;
	return counter != until ? counter : NULL;
}

struct itt_counter *itt_counter_make(const char *name, const char *domain, int type)
{
	struct itt_counter *first = atomic_load_explicit(&all, memory_order_acquire);
	struct itt_counter *found = NULL, *made = NULL;

	name = name ? name : "";
	domain = domain ? domain : "";
	if ((found = counter_find(first, NULL, name, domain)))
		return found;
	if (!(made = annotation_keep(sizeof(*made))) ||
	    !(made->name = annotation_keep_text(name, strlen(name))) ||
	    !(made->domain = annotation_keep_text(domain, strlen(domain))))
		return NULL;
	made->type = type;
	made->next = first;
	while (!atomic_compare_exchange_weak_explicit(&all, &first, made, memory_order_release,
						      memory_order_acquire)) {
		/* Another thread made it meanwhile. */
		if ((found = counter_find(first, made->next, name, domain)))
			return found;
		made->next = first;
	}
	return made;
}

void itt_counter_set(struct itt_counter *counter, const void *at)
{
	struct counter_state *state = counter ? counter_state(counter) : NULL;
	struct tl_event_arg value;

	if (!state || !itt_value_read(&value, counter->type, at))
		return;
	atomic_store_explicit(&state->value, value.value, memory_order_relaxed);
	annotation_count(ANNOTATION_ITT, annotation_string_number(state->name),
			 (enum tl_event_value)value.kind, value.value);
}

void itt_counter_add(struct itt_counter *counter, int64_t delta)
{
	struct counter_state *state = counter ? counter_state(counter) : NULL;

	if (!state || counter->type == ITT_FLOAT || counter->type == ITT_DOUBLE)
		return;
	uint64_t value =
		atomic_fetch_add_explicit(&state->value, (uint64_t)delta, memory_order_relaxed) +
		(uint64_t)delta;
	annotation_count(ANNOTATION_ITT, annotation_string_number(state->name), TL_VALUE_SIGNED_64,
			 value);
}
