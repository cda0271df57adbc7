/* SPDX-License-Identifier: MIT */
/* unwind_step.c: one step to a function's caller, by the function's rules. */
#include "layer/calls/unwind_rules.h"

static bool rule_apply(struct tl_machine *machine, const struct tl_unwind_rule *rule, uintptr_t cfa,
		       unsigned number, uintptr_t *value)
{
	switch (rule->kind) {
	case TL_RULE_SAME:
		return tl_machine_get(machine, number, value);
	case TL_RULE_UNDEFINED:
		return false;
	case TL_RULE_AT_OFFSET:
		return tl_window_load(&machine->stack, cfa + (uintptr_t)rule->value, value);
	case TL_RULE_IS_OFFSET:
		*value = cfa + (uintptr_t)rule->value;
		return true;
	case TL_RULE_IN_REGISTER:
		return tl_machine_get(machine, (uint64_t)rule->value, value);
	case TL_RULE_AT_EXPRESSION:
		return tl_unwind_evaluate(machine, rule, true, cfa, value) &&
		       tl_window_load(&machine->stack, *value, value);
	case TL_RULE_IS_EXPRESSION:
		return tl_unwind_evaluate(machine, rule, true, cfa, value);
	}
	return false;
}

bool tl_unwind_find_cfa(struct tl_machine *machine, const struct tl_unwind_rules *rules,
			uintptr_t *cfa)
{
	if (rules->cfa.kind == TL_RULE_IS_EXPRESSION)
		return tl_unwind_evaluate(machine, &rules->cfa, false, 0, cfa);
	if (!tl_machine_get(machine, rules->base, cfa))
		return false;
	*cfa += (uintptr_t)rules->cfa.value;
	return true;
}

void tl_unwind_step(struct tl_machine *machine, const struct tl_unwind_rules *rules, uintptr_t cfa)
{
	struct tl_machine next = {.base = machine->base};

	for (unsigned i = 0; i < TL_REGISTERS; i++)
		next.known[i] = rule_apply(machine, &rules->reg[i], cfa, i, &next.reg[i]);
	if (rules->reg[TL_REGISTER_SP].kind == TL_RULE_SAME) {
		next.reg[TL_REGISTER_SP] = cfa;
		next.known[TL_REGISTER_SP] = true;
	}
	next.stack = machine->stack;
	*machine = next;
}
