/* SPDX-License-Identifier: MIT */
/*
 * unwind_rules.h: the rules that lead from a function to its caller: where the caller's stack
 * pointer was, and where each register was saved.
 */
#ifndef TL_LAYER_CALLS_UNWIND_RULES_H
#define TL_LAYER_CALLS_UNWIND_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "layer/calls/eh_frame.h"
#include "layer/calls/stack_memory.h"

#if defined(__x86_64__)
#define TL_REGISTERS   17
#define TL_REGISTER_SP 7
#define TL_REGISTER_FP 6
#elif defined(__aarch64__)
#define TL_REGISTERS   32
#define TL_REGISTER_SP 31
#define TL_REGISTER_FP 29
#endif

/* The registers in one frame, as far as they are known. */
struct tl_machine {
	uintptr_t reg[TL_REGISTERS];
	bool known[TL_REGISTERS];
	struct tl_window stack;
	const uint8_t *base;
};

static inline bool tl_machine_get(const struct tl_machine *machine, uint64_t number,
				  uintptr_t *value)
{
	if (number >= TL_REGISTERS || !machine->known[number])
		return false;
	*value = machine->reg[number];
	return true;
}

enum tl_rule_kind {
	TL_RULE_SAME,
	TL_RULE_UNDEFINED,
	TL_RULE_AT_OFFSET,
	TL_RULE_IS_OFFSET,
	TL_RULE_IN_REGISTER,
	TL_RULE_AT_EXPRESSION,
	TL_RULE_IS_EXPRESSION
};

/*
 * Rules are small, since the stacks of coroutines and signal handlers are. An expression is given
 * by its offset from struct tl_machine's .base; it begins with its size.
 */
struct tl_unwind_rule {
	int32_t value;
	uint8_t kind;
};

struct tl_unwind_rules {
	struct tl_unwind_rule reg[TL_REGISTERS];
	struct tl_unwind_rule cfa; /* TL_RULE_IN_REGISTER with .base, or TL_RULE_IS_EXPRESSION */
	uint32_t base;
};

/*
 * Finds the rules for an address of the function. `base`: expressions are given relative to it.
 * False: an instruction is unknown.
 */
bool tl_unwind_find_rules(const struct tl_eh_function *function, uintptr_t address,
			  const uint8_t *base, struct tl_unwind_rules *rules);

/* The value of a rule's expression, which begins with the CFA on its stack if `with_cfa`. */
bool tl_unwind_evaluate(struct tl_machine *machine, const struct tl_unwind_rule *rule,
			bool with_cfa, uintptr_t cfa, uintptr_t *value);

/* Where the caller's part of the stack ends. False: the rule is not known, or leads nowhere. */
bool tl_unwind_find_cfa(struct tl_machine *machine, const struct tl_unwind_rules *rules,
			uintptr_t *cfa);

/* Goes to the caller: its registers, as it has them after the call. */
void tl_unwind_step(struct tl_machine *machine, const struct tl_unwind_rules *rules, uintptr_t cfa);

/* On aarch64 a return address may be signed in bits that no address has. */
static inline uintptr_t tl_return_address(uintptr_t value)
{
#if defined(__aarch64__)
	value &= ((uintptr_t)1 << 48) - 1;
#endif
	return value;
}

#endif
