/* SPDX-License-Identifier: MIT */
/* unwind_rules.c: runs a function's unwind instructions (DW_CFA_*) up to an address. */
#include "layer/calls/unwind_rules.h"

#include <string.h>

#define REMEMBERED 2 /* nested DW_CFA_remember_state */

struct program {
	const struct tl_eh_function *function;
	uintptr_t upto, at;
	struct tl_unwind_rules *rules;
	const struct tl_unwind_rules *initial; /* NULL while the common part runs */
	struct tl_unwind_rules remembered[REMEMBERED];
	unsigned count;
	bool failed;
	const uint8_t *base;
};

/* Steps over an expression. */
static struct tl_unwind_rule program_read_expression(const struct program *program,
						     struct tl_eh_reader *reader,
						     enum tl_rule_kind kind)
{
	struct tl_unwind_rule rule = {.kind = kind, .value = (int32_t)(reader->at - program->base)};
	uint64_t size = tl_eh_read_leb(reader, false);

	if (size > (uint64_t)(reader->end - reader->at))
		reader->failed = true;
	else
		reader->at += size;
	return rule;
}

static void program_set_rule(struct program *program, uint64_t number, struct tl_unwind_rule rule)
{
	if (number < TL_REGISTERS)
		program->rules->reg[number] = rule;
}

static void program_restore(struct program *program, uint64_t number)
{
	if (number < TL_REGISTERS)
		program->rules->reg[number] =
			program->initial ? program->initial->reg[number]
					 : (struct tl_unwind_rule){.kind = TL_RULE_SAME};
}

static void program_remember(struct program *program, bool back)
{
	if (back ? program->count == 0 : program->count == REMEMBERED)
		program->failed = true;
	else if (back)
		*program->rules = program->remembered[--program->count];
	else
		program->remembered[program->count++] = *program->rules;
}

static void program_set_cfa(struct program *program, uint64_t base, int64_t value)
{
	program->rules->base = (uint32_t)base;
	program->rules->cfa =
		(struct tl_unwind_rule){.kind = TL_RULE_IN_REGISTER, .value = (int32_t)value};
}

/* DW_CFA_* whose operands are not in its first byte. */
static void program_run_extended(struct program *program, struct tl_eh_reader *reader,
				 unsigned operation)
{
	const struct tl_eh_function *function = program->function;
	int64_t unit = function->data_unit;
	uint64_t number;

	switch (operation) {
	case 0x00:
		break;
	case 0x01:
		program->at = tl_eh_read_encoded(reader, function->encoding, 0);
		break;
	case 0x02:
		program->at += tl_eh_read(reader, 1) * function->code_unit;
		break;
	case 0x03:
		program->at += tl_eh_read(reader, 2) * function->code_unit;
		break;
	case 0x04:
		program->at += tl_eh_read(reader, 4) * function->code_unit;
		break;
	case 0x05:
		number = tl_eh_read_leb(reader, false);
		program_set_rule(
			program, number,
			(struct tl_unwind_rule){
				.kind = TL_RULE_AT_OFFSET,
				.value = (int32_t)((int64_t)tl_eh_read_leb(reader, false) * unit)});
		break;
	case 0x06:
		program_restore(program, tl_eh_read_leb(reader, false));
		break;
	case 0x07:
		program_set_rule(program, tl_eh_read_leb(reader, false),
				 (struct tl_unwind_rule){.kind = TL_RULE_UNDEFINED});
		break;
	case 0x08:
		program_set_rule(program, tl_eh_read_leb(reader, false),
				 (struct tl_unwind_rule){.kind = TL_RULE_SAME});
		break;
	case 0x09:
		number = tl_eh_read_leb(reader, false);
		program_set_rule(
			program, number,
			(struct tl_unwind_rule){.kind = TL_RULE_IN_REGISTER,
						.value = (int32_t)tl_eh_read_leb(reader, false)});
		break;
	case 0x0a:
		program_remember(program, false);
		break;
	case 0x0b:
		program_remember(program, true);
		break;
	case 0x0c:
		number = tl_eh_read_leb(reader, false);
		program_set_cfa(program, number, (int64_t)tl_eh_read_leb(reader, false));
		break;
	case 0x0d:
		program->rules->base = (uint32_t)tl_eh_read_leb(reader, false);
		break;
	case 0x0e:
		program->rules->cfa.value = (int32_t)tl_eh_read_leb(reader, false);
		break;
	case 0x0f:
		program->rules->cfa =
			program_read_expression(program, reader, TL_RULE_IS_EXPRESSION);
		break;
	case 0x10:
		number = tl_eh_read_leb(reader, false);
		program_set_rule(program, number,
				 program_read_expression(program, reader, TL_RULE_AT_EXPRESSION));
		break;
	case 0x11:
		number = tl_eh_read_leb(reader, false);
		program_set_rule(
			program, number,
			(struct tl_unwind_rule){
				.kind = TL_RULE_AT_OFFSET,
				.value = (int32_t)((int64_t)tl_eh_read_leb(reader, true) * unit)});
		break;
	case 0x12:
		number = tl_eh_read_leb(reader, false);
		program_set_cfa(program, number, (int64_t)tl_eh_read_leb(reader, true) * unit);
		break;
	case 0x13:
		program->rules->cfa.value = (int32_t)((int64_t)tl_eh_read_leb(reader, true) * unit);
		break;
	case 0x14:
	case 0x15:
		number = tl_eh_read_leb(reader, false);
		program_set_rule(program, number,
				 (struct tl_unwind_rule){
					 .kind = TL_RULE_IS_OFFSET,
					 .value = (int32_t)((int64_t)tl_eh_read_leb(
								    reader, operation == 0x15) *
							    unit)});
		break;
	case 0x16:
		number = tl_eh_read_leb(reader, false);
		program_set_rule(program, number,
				 program_read_expression(program, reader, TL_RULE_IS_EXPRESSION));
		break;
	case 0x2d:
		/*
		 * From here on return addresses are signed, or no longer are. return_address
		 * (stack_frames.c) takes both.
		 */
		break;
	case 0x2e:
		tl_eh_read_leb(reader, false);
		break;
	default:
		program->failed = true;
	}
}

static bool program_run(struct program *program, struct tl_eh_reader reader)
{
	while (reader.at < reader.end && program->at <= program->upto && !program->failed &&
	       !reader.failed) {
		unsigned byte = (unsigned)tl_eh_read(&reader, 1), low = byte & 0x3f;
		if (byte >> 6 == 1) {
			program->at += low * program->function->code_unit;
		} else if (byte >> 6 == 2) {
			int64_t offset = (int64_t)tl_eh_read_leb(&reader, false) *
					 program->function->data_unit;
			program_set_rule(program, low,
					 (struct tl_unwind_rule){.kind = TL_RULE_AT_OFFSET,
								 .value = (int32_t)offset});
		} else if (byte >> 6 == 3) {
			program_restore(program, low);
		} else {
			program_run_extended(program, &reader, low);
		}
	}
	return !program->failed && !reader.failed;
}

bool tl_unwind_find_rules(const struct tl_eh_function *function, uintptr_t address,
			  const uint8_t *base, struct tl_unwind_rules *rules)
{
	struct tl_unwind_rules initial;
	struct program program = {.function = function,
				  .upto = address,
				  .at = function->start,
				  .rules = rules,
				  .base = base};

	memset(rules, 0, sizeof(*rules));
	program.upto = UINTPTR_MAX;
	if (!program_run(&program, function->common))
		return false;
	initial = *rules;
	program.initial = &initial;
	program.upto = address;
	program.at = function->start;
	program.count = 0;
	return program_run(&program, function->own);
}
