/* SPDX-License-Identifier: MIT */
/*
 * args_plan.c: see args_plan.h.
 *
 * A step writes only where there is room for its longest output, so it needs one comparison for
 * each parameter. With less room the walk takes over, which can leave a value out.
 */
#include "format/args/args_plan.h"

#include "format/args/args_print.h"
#include "format/args/args_walk.h"
#include "common/digits.h"

/* The most bytes of a value, without its key and without an enumerator's name. */
#define VALUE_ROOM 40

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
}

void tl_args_plan_make(struct tl_args_plan *plan, const struct tl_function *function)
{
	const struct tl_variable result = {.name = "result", .type = function->result};

	plan->function = function;
	plan->used = 0;
	plan->count = (uint16_t)at_most(function->count, TL_PLAN_STEPS);
	if (function->result)
		step_make(plan, &plan->result, &result);
	for (uint32_t i = 0; i < plan->count; i++)
		step_make(plan, &plan->steps[i], &function->params[i]);
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

/* In quotes beyond 2^53. */
static inline char *step_put_number(char *at, uint64_t magnitude, bool negative)
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

/* Most enumerations count from 0, so the value is the enumerator's index. */
static inline char *step_put_named(char *at, const char *end, const struct tl_type *type,
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
	if ((size_t)(end - at) < size + 2)
		return NULL;
	*at = '"';
	memcpy(at + 1, name, size);
	return text_put_char(at + 1 + size, '"');
}

/*
 * Writes a step's member, without its comma if it is the first. Returns its end. NULL: the walk has
 * to print it, and the bytes behind `at` are no text.
 */
static inline char *step_put(const struct tl_args_plan *plan, const struct tl_args_step *step,
			     char *at, const char *end, uint64_t word, bool first, bool captured)
{
	size_t key = step->key_size - (size_t)first;
	uint64_t value = word << step->unused >> step->unused;

	if ((size_t)(end - at) < key + TL_PLAN_SPARE + VALUE_ROOM)
		return NULL;
	const char *from = plan->keys + step->key + first;
	for (size_t i = 0; i < key; i += TL_PLAN_SPARE)
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
		return step_put_named(at, end, step->type, value);
	default:
		return NULL;
	}
}

void tl_args_plan_print(const struct tl_args_plan *plan, struct tl_text *text,
			const struct tl_args_kept *kept)
{
	static const struct tl_args_step walked = {.how = TL_HOW_WALKED};
	bool captured = kept->entry_size || kept->exit_size, walks = false;
	const char *start = text->at;
	struct tl_args_walk walk;

	for (uint32_t i = 0; i < plan->function->count; i++) {
		const struct tl_args_step *step = i < plan->count ? &plan->steps[i] : &walked;
		bool first = text->at == start;
		char *end = NULL;

		if (step->how != TL_HOW_WALKED)
			end = step_put(plan, step, text->at, text->end, kept->words[step->word],
				       first, captured);
		if (end) {
			text->at = end;
			continue;
		}
		if (!walks)
			tl_args_walk_start(&walk, &tl_json_sink, text, plan->function, kept);
		walks = true;
		tl_args_walk_param(&walk, i, first);
	}
}

void tl_args_plan_result(const struct tl_args_plan *plan, struct tl_text *text, uint64_t result,
			 bool first)
{
	struct tl_text whole = {text->at, text->end, false};
	char *end = NULL;

	if (plan->result.how != TL_HOW_WALKED)
		end = step_put(plan, &plan->result, text->at, text->end, result, first, false);
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
