/* SPDX-License-Identifier: MIT */
/*
 * call_slots.c: see call_slots.h.
 *
 * An instruction names a slot by its distance, four bytes at the instruction's end. At each byte of
 * the code, four bytes are taken for such a distance. What leads to a slot by chance counts as a use
 * that is no call. An instruction with a constant behind the distance (cmpq $0, slot) only asks
 * whether the function is there. It leads past the slot, and does not count.
 */
#include "layer/resolve/call_slots.h"

#include <string.h>

/* How many slots are told apart. Slots behind these count as used in another way. */
#define SLOTS_MAX 32768u

static struct {
	uintptr_t from;
	uint64_t called[SLOTS_MAX / 64], read[SLOTS_MAX / 64];
} slots;

#if defined(__x86_64__)
static void code_read(const uint8_t *code, uint64_t size)
{
	for (uint64_t i = 2; i + sizeof(int32_t) <= size; i++) {
		int32_t distance;

		memcpy(&distance, code + i, sizeof(distance));
		uintptr_t leads_to =
			(uintptr_t)(code + i) + sizeof(distance) + (uintptr_t)(intptr_t)distance;
		uintptr_t index = (leads_to - slots.from) / sizeof(uintptr_t);

		if (index >= SLOTS_MAX || leads_to % sizeof(uintptr_t))
			continue;
		/* call *slot(%rip), jmp *slot(%rip) */
		bool calls = code[i - 2] == 0xff && (code[i - 1] == 0x15 || code[i - 1] == 0x25);

		(calls ? slots.called : slots.read)[index / 64] |= 1ull << index % 64;
	}
}
#endif

void tl_call_slots_read(const struct tl_elf *elf, uintptr_t from)
{
	memset(&slots, 0, sizeof(slots));
	slots.from = from;
#if defined(__x86_64__)
	for (unsigned i = 0; i < elf->nsegments; i++) {
		const ElfW(Phdr) *segment = &elf->segments[i];

		if (segment->p_type == PT_LOAD && segment->p_flags & PF_X &&
		    segment->p_flags & PF_R)
			code_read((const uint8_t *)(elf->base + segment->p_vaddr),
				  segment->p_filesz);
	}
#else
	(void)elf;
#endif
}

bool tl_call_slots_has(uintptr_t slot)
{
	uintptr_t index = (slot - slots.from) / sizeof(uintptr_t);

	return index < SLOTS_MAX && slots.called[index / 64] >> index % 64 & 1 &&
	       !(slots.read[index / 64] >> index % 64 & 1);
}
