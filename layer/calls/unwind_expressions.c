/* SPDX-License-Identifier: MIT */
/*
 * unwind_expressions.c: expressions in unwind rules (DWARF 5, 2.5), as far as C libraries and
 * assemblers use them.
 */
#include "layer/calls/unwind_rules.h"

#define OPERANDS 8 /* an expression's operands at most */

struct operands {
	uintptr_t at[OPERANDS];
	unsigned count;
	bool failed;
};

static void operands_push(struct operands *operands, uintptr_t value)
{
	if (operands->count == OPERANDS)
		operands->failed = true;
	else
		operands->at[operands->count++] = value;
}

static uintptr_t operands_take(struct operands *operands)
{
	if (operands->count)
		return operands->at[--operands->count];
	operands->failed = true;
	return 0;
}

/* Operators of two operands: what C libraries and assemblers use. */
static void operands_compute(struct operands *operands, unsigned operation)
{
	uintptr_t b = operands_take(operands), a = operands_take(operands);

	switch (operation) {
	case 0x1a:
		operands_push(operands, a & b);
		break;
	case 0x1c:
		operands_push(operands, a - b);
		break;
	case 0x1e:
		operands_push(operands, a * b);
		break;
	case 0x21:
		operands_push(operands, a | b);
		break;
	case 0x22:
		operands_push(operands, a + b);
		break;
	case 0x24:
		operands_push(operands, b < 64 ? a << b : 0);
		break;
	case 0x25:
		operands_push(operands, b < 64 ? a >> b : 0);
		break;
	case 0x27:
		operands_push(operands, a ^ b);
		break;
	case 0x29:
		operands_push(operands, a == b);
		break;
	case 0x2a:
		operands_push(operands, (intptr_t)a >= (intptr_t)b);
		break;
	case 0x2b:
		operands_push(operands, (intptr_t)a > (intptr_t)b);
		break;
	case 0x2c:
		operands_push(operands, (intptr_t)a <= (intptr_t)b);
		break;
	case 0x2d:
		operands_push(operands, (intptr_t)a < (intptr_t)b);
		break;
	case 0x2e:
		operands_push(operands, a != b);
		break;
	default:
		operands->failed = true;
	}
}

static void operands_operate(struct operands *operands, struct tl_machine *machine,
			     struct tl_eh_reader *reader, unsigned operation)
{
	uintptr_t value = 0;

	if (operation >= 0x30 && operation <= 0x4f) {
		operands_push(operands, operation - 0x30);
	} else if (operation >= 0x70 && operation <= 0x8f) {
		operands->failed |= !tl_machine_get(machine, operation - 0x70, &value);
		operands_push(operands, value + (uintptr_t)tl_eh_read_leb(reader, true));
	} else if (operation == 0x06) {
		operands->failed |=
			!tl_window_load(&machine->stack, operands_take(operands), &value);
		operands_push(operands, value);
	} else if (operation >= 0x08 && operation <= 0x0f) {
		unsigned size = 1u << (operation - 0x08) / 2;
		operands_push(operands, operation & 1 ? (uintptr_t)tl_eh_read_signed(reader, size)
						      : tl_eh_read(reader, size));
	} else if (operation == 0x10 || operation == 0x11) {
		operands_push(operands, tl_eh_read_leb(reader, operation == 0x11));
	} else if (operation == 0x12) {
		value = operands_take(operands);
		operands_push(operands, value);
		operands_push(operands, value);
	} else if (operation == 0x13) {
		operands_take(operands);
	} else if (operation == 0x23) {
		value = operands_take(operands);
		operands_push(operands, value + tl_eh_read_leb(reader, false));
	} else {
		operands_compute(operands, operation);
	}
}

static struct tl_eh_reader expression_open(const uint8_t *at)
{
	struct tl_eh_reader reader = {.at = at, .end = at + 10};
	uint64_t size = tl_eh_read_leb(&reader, false);

	reader.end = reader.at + size;
	return reader;
}

bool tl_unwind_evaluate(struct tl_machine *machine, const struct tl_unwind_rule *rule,
			bool with_cfa, uintptr_t cfa, uintptr_t *value)
{
	struct tl_eh_reader reader = expression_open(machine->base + rule->value);
	struct operands operands = {.count = 0};

	if (with_cfa)
		operands_push(&operands, cfa);
	while (reader.at < reader.end && !reader.failed && !operands.failed)
		operands_operate(&operands, machine, &reader, (unsigned)tl_eh_read(&reader, 1));
	*value = operands_take(&operands);
	return !reader.failed && !operands.failed;
}
