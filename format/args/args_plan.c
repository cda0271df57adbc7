/* SPDX-License-Identifier: MIT */
/*
 * args_plan.c: see args_plan.h.
 *
 * Steps write where there is room for the longest output of all of them, which is looked at once.
 * With less room the walk takes over, which can leave a value out.
 */
#include "format/args/args_plan.h"

#include "format/args/args_print.h"
#include "format/args/args_walk.h"
#include "common/digits.h"

/* The most bytes of a value, without its key and without an enumerator's name. */
#define VALUE_ROOM 40
/* What a step may write to besides its key. */
#define STEP_ROOM (TL_PLAN_SPARE + VALUE_ROOM)

_Static_assert((TL_PLAN_STEPS + 1) * STEP_ROOM + TL_PLAN_KEYS <= UINT16_MAX, "all have room");

static void step_make(struct tl_args_plan *plan, struct tl_args_step *step,
		      const struct tl_variable *variable)
{
	const struct tl_type *type = variable->type;
	struct tl_text keys = {plan->keys + plan->used, plan->keys + TL_PLAN_KEYS, false};
	size_t size;

	*step = (struct tl_args_step){.how = tl_how_of(variable),
				      .key = plan->used,
				      .word = (uint16_t)variable->offset,
				      .type = type};
	if (step->how == TL_HOW_REAL || variable->offset > UINT16_MAX)
		step->how = TL_HOW_WALKED;
	if (step->how != TL_HOW_WALKED)
		step->unused = 64 - 8 * type->size;
	tl_text_string(&keys, ",\"");
	tl_text_string(&keys, variable->name);
	tl_text_string(&keys, "\":");
	if (step->how == TL_HOW_HANDLE) /* its key ends with the beginning of the number */
		tl_text_string(&keys, "\"0x");
	size = (size_t)(keys.at - plan->keys) - plan->used;
	if (keys.cut || size > UINT8_MAX) {
		step->how = TL_HOW_WALKED;
		return;
	}
	step->key_size = (uint8_t)size;
	plan->used += size;
	plan->room += size + STEP_ROOM;
}

void tl_args_plan_make(struct tl_args_plan *plan, const struct tl_function *function)
{
	const struct tl_variable result = {.name = "result", .type = function->result};

	plan->function = function;
	plan->used = plan->room = 0;
	plan->count = (uint16_t)at_most(function->count, TL_PLAN_STEPS);
	if (function->result)
		step_make(plan, &plan->result, &result);
	plan->is_whole = plan->count == function->count;
	for (uint32_t i = 0; i < plan->count; i++) {
		step_make(plan, &plan->steps[i], &function->params[i]);
		plan->is_whole &= plan->steps[i].how != TL_HOW_WALKED;
	}
}

/*
 * ---- Values. Each function returns the end of its text, or NULL for a value that the walk has to
 * print.
 */

static inline char *text_put_char(char *at, char c)
{
	*at = c;
	return at + 1;
}

static inline char *text_put_hex(char *at, uint64_t value)
{
	return text_put_char(tl_digits_hex(at, value), '"');
}

static inline char *step_put_address(char *at, uint64_t value)
{
	memcpy(at, "\"0x", 3);
	return text_put_hex(at + 3, value);
}

/* Any number. In quotes beyond 2^53. */
static __attribute__((noinline)) char *step_put_large(char *at, uint64_t magnitude, bool negative)
{
	bool quoted = magnitude > TL_TEXT_WHOLE;

	*at = '"';
	at += quoted;
	*at = '-';
	at += negative;
	at = tl_digits_decimal(at, magnitude);
	*at = '"';
	return at + quoted;
}

/* The same; most are below 10^8. */
static inline char *step_put_number(char *at, uint64_t magnitude, bool negative)
{
	if (magnitude >= 100000000)
		return step_put_large(at, magnitude, negative);
	*at = '-';
	return tl_digits_put_short(at + negative, (uint32_t)magnitude);
}

static inline char *step_put_signed(char *at, uint64_t value)
{
	bool negative = (int64_t)value < 0;

	return step_put_number(at, negative ? 0 - value : value, negative);
}

static inline char *step_put_truth(char *at, uint64_t value)
{
	if (value > 1)
		return step_put_number(at, value, false);
	memcpy(at, value ? "true" : "false", 5);
	return at + 5 - value; /* "true" is shorter */
}

/*
 * Most enumerations count from 0, so the value is the enumerator's index. `room`: what there is
 * for the name.
 */
static inline char *step_put_named(char *at, size_t room, const struct tl_type *type,
				   uint64_t value)
{
	const char *name;
	size_t size;

	if (value >= type->count || type->enumerators[value].value != value)
		name = tl_enumerator_name(type, value);
	else
		name = type->enumerators[value].name;
	if (!name)
		return NULL;
	size = strlen(name);
	if (room < size + 2)
		return NULL;
	*at = '"';
	memcpy(at + 1, name, size);
	return text_put_char(at + 1 + size, '"');
}

/*
 * Writes a step's member, without its comma if it is the first. There is room for it, and as much
 * as `rest` tells for a name. Returns its end. NULL: the walk has to print it, and the bytes behind
 * `at` are no text.
 */
static inline __attribute__((always_inline)) char *step_put(const struct tl_args_plan *plan,
							    const struct tl_args_step *step,
							    char *at, size_t rest, uint64_t word,
							    bool first, bool captured)
{
	size_t key = step->key_size - (size_t)first;
	uint64_t value = word << step->unused >> step->unused;
	const char *from = plan->keys + step->key + first;

	memcpy(at, from, TL_PLAN_SPARE);
	for (size_t i = TL_PLAN_SPARE; i < key; i += TL_PLAN_SPARE)
		memcpy(at + i, from + i, TL_PLAN_SPARE);
	at += key;
	switch (step->how) {
	case TL_HOW_HANDLE:
		return text_put_hex(at, value);
	case TL_HOW_FOLLOWED:
		if (word && captured)
			return NULL;
		return step_put_address(at, word);
	case TL_HOW_ADDRESS:
		return step_put_address(at, word);
	case TL_HOW_UNSIGNED:
		return step_put_number(at, value, false);
	case TL_HOW_SIGNED:
		return step_put_signed(at,
				       (uint64_t)((int64_t)(word << step->unused) >> step->unused));
	case TL_HOW_TRUTH:
		return step_put_truth(at, value);
	case TL_HOW_NAMED:
		return step_put_named(at, rest, step->type, value);
	default:
		return NULL;
	}
}

char *tl_args_plan_put(const struct tl_args_plan *plan, char *at, size_t rest,
		       const uint64_t *words, char *starts[TL_PLAN_STEPS])
{
	const struct tl_args_step *step = plan->steps, *end = step + plan->count;

	for (; step < end && at; step++) {
		char *from = at;

		if (starts)
			*starts++ = at;
		at = step_put(plan, step, at, rest, words[step->word], false, false);
		if (step->how == TL_HOW_NAMED)
			rest -= at && (size_t)(at - from) < rest ? (size_t)(at - from) : rest;
	}
	return at;
}

/* What the text has besides the room of all steps; less than 0: there is no room for all. */
static ptrdiff_t plan_rest(const struct tl_args_plan *plan, const struct tl_text *text)
{
	return text->end - text->at - plan->room;
}

void tl_args_plan_print(const struct tl_args_plan *plan, struct tl_text *text,
			const struct tl_args_kept *kept)
{
	const struct tl_function *function = plan->function;
	bool captured = kept->entry_size || kept->exit_size, walks = false;
	const char *start = text->at;
	struct tl_args_walk walk;

	for (uint32_t i = 0; i < function->count; i++) {
		bool first = text->at == start;

		/* A walk may have left little room. */
		if (i < plan->count && plan_rest(plan, text) >= 0) {
			size_t rest = (size_t)plan_rest(plan, text);
			char *at = text->at;

			for (; i < plan->count; i++) {
				const struct tl_args_step *step = &plan->steps[i];
				char *end = step->how == TL_HOW_WALKED
						    ? NULL
						    : step_put(plan, step, at, rest,
							       kept->words[step->word], first,
							       captured);
				if (!end)
					break;
				if (step->how == TL_HOW_NAMED)
					rest -= (size_t)(end - at) < rest ? (size_t)(end - at)
									  : rest;
				at = end;
				first = false;
			}
			text->at = at;
			if (i == function->count)
				return;
		}
		if (!walks)
			tl_args_walk_start(&walk, &tl_json_sink, text, function, kept);
		walks = true;
		tl_args_walk_param(&walk, i, first);
	}
}

void tl_args_plan_result(const struct tl_args_plan *plan, struct tl_text *text, uint64_t result,
			 bool first)
{
	struct tl_text whole = {text->at, text->end, false};
	char *end = NULL;

	if (plan->result.how != TL_HOW_WALKED && plan_rest(plan, text) >= 0)
		end = step_put(plan, &plan->result, text->at, (size_t)plan_rest(plan, text), result,
			       first, false);
	if (end) {
		text->at = end;
		return;
	}
	tl_text_string(&whole, first ? "\"result\":" : ",\"result\":");
	tl_value_print(&whole, plan->function->result, &result);
	if (whole.cut)
		text->cut = true;
	else
		text->at = whole.at;
}
