/* SPDX-License-Identifier: MIT */
/*
 * seccomp_filter.c: see seccomp_filter.h.
 *
 * The kernel's own rules: a filter is a program of classic BPF that only jumps forward, so it ends;
 * it may load words of struct seccomp_data and the words of its own memory.
 */
#include "layer/process/seccomp_filter.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>

#if defined(__x86_64__)
#define OUR_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OUR_ARCH AUDIT_ARCH_AARCH64
#endif

struct machine {
	struct seccomp_data data;
	uint32_t a, x, memory[BPF_MEMWORDS];
	unsigned at; /* the next instruction */
	bool senseless;
};

static uint32_t machine_data_word(struct machine *machine, uint32_t offset)
{
	uint32_t word = 0;

	if (offset % sizeof(word) || offset > sizeof(machine->data) - sizeof(word))
		machine->senseless = true;
	else
		memcpy(&word, (const char *)&machine->data + offset, sizeof(word));
	return word;
}

static uint32_t *machine_memory_word(struct machine *machine, uint32_t number)
{
	machine->senseless |= number >= BPF_MEMWORDS;
	return &machine->memory[number % BPF_MEMWORDS];
}

static uint32_t machine_load(struct machine *machine, const struct sock_filter *step)
{
	switch (BPF_MODE(step->code)) {
	case BPF_IMM:
		return step->k;
	case BPF_ABS:
		return machine_data_word(machine, step->k);
	case BPF_MEM:
		return *machine_memory_word(machine, step->k);
	case BPF_LEN:
		return sizeof(machine->data);
	}
	machine->senseless = true;
	return 0;
}

static uint32_t machine_calculate(struct machine *machine, uint16_t operation, uint32_t by)
{
	uint32_t a = machine->a;

	switch (operation) {
	case BPF_ADD:
		return a + by;
	case BPF_SUB:
		return a - by;
	case BPF_MUL:
		return a * by;
	case BPF_DIV:
		machine->senseless |= !by;
		return by ? a / by : 0;
	case BPF_OR:
		return a | by;
	case BPF_AND:
		return a & by;
	case BPF_XOR:
		return a ^ by;
	case BPF_LSH:
		return by < 32 ? a << by : 0;
	case BPF_RSH:
		return by < 32 ? a >> by : 0;
	case BPF_NEG:
		return -a;
	}
	machine->senseless = true;
	return 0;
}

static void machine_jump(struct machine *machine, const struct sock_filter *step, uint32_t with)
{
	bool holds;

	switch (BPF_OP(step->code)) {
	case BPF_JA:
		/* What lies beyond the end shows at the next step. */
		machine->at = step->k < BPF_MAXINSNS ? machine->at + step->k : BPF_MAXINSNS;
		return;
	case BPF_JEQ:
		holds = machine->a == with;
		break;
	case BPF_JGT:
		holds = machine->a > with;
		break;
	case BPF_JGE:
		holds = machine->a >= with;
		break;
	case BPF_JSET:
		holds = machine->a & with;
		break;
	default:
		machine->senseless = true;
		return;
	}
	machine->at += holds ? step->jt : step->jf;
}

/* One step that is no return. */
static void machine_run(struct machine *machine, const struct sock_filter *step)
{
	uint32_t with = BPF_SRC(step->code) == BPF_X ? machine->x : step->k;

	switch (BPF_CLASS(step->code)) {
	case BPF_LD:
		machine->a = machine_load(machine, step);
		break;
	case BPF_LDX:
		machine->x = machine_load(machine, step);
		break;
	case BPF_ST:
		*machine_memory_word(machine, step->k) = machine->a;
		break;
	case BPF_STX:
		*machine_memory_word(machine, step->k) = machine->x;
		break;
	case BPF_ALU:
		machine->a = machine_calculate(machine, BPF_OP(step->code), with);
		break;
	case BPF_JMP:
		machine_jump(machine, step, with);
		break;
	case BPF_MISC:
		if (BPF_MISCOP(step->code) == BPF_TAX)
			machine->x = machine->a;
		else
			machine->a = machine->x;
		break;
	}
}

static enum tl_filter_answer answer_meaning(uint32_t answer)
{
	uint32_t action = answer & SECCOMP_RET_ACTION_FULL;

	switch (action) {
	case SECCOMP_RET_ALLOW:
	case SECCOMP_RET_LOG:
	case SECCOMP_RET_TRACE:
	case SECCOMP_RET_USER_NOTIF:
		return TL_FILTER_PASSES;
	case SECCOMP_RET_ERRNO:
		return TL_FILTER_FAILS;
	}
	/* Also for actions that the kernel doesn't know. */
	return TL_FILTER_KILLS;
}

enum tl_filter_answer tl_filter_answer(const struct sock_fprog *program, long number,
				       const uint64_t arguments[6])
{
	struct machine machine = {.data = {.nr = (int)number, .arch = OUR_ARCH}};

	for (int i = 0; i < 6; i++)
		machine.data.args[i] = arguments[i];
	while (!machine.senseless && machine.at < program->len) {
		const struct sock_filter *step = &program->filter[machine.at++];
		if (BPF_CLASS(step->code) == BPF_RET)
			return answer_meaning(BPF_RVAL(step->code) == BPF_A ? machine.a : step->k);
		machine_run(&machine, step);
	}
	return TL_FILTER_PASSES;
}
