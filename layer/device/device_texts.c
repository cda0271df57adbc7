/* SPDX-License-Identifier: MIT */
/*
 * device_texts.c: see device_texts.h.
 */
#include "layer/device/device_texts.h"

#include "common/command_kinds.h"
#include "layer/buffers/strings.h"

const char *const tl_device_text_words[TL_DEVICE_TEXT_COUNT] = {
#define WORD(name) #name,
	TL_DEVICE_TEXTS(WORD)
#undef WORD
};

_Atomic uint32_t tl_device_text_numbers[TL_DEVICE_TEXT_COUNT];
static _Atomic uint32_t kinds[TL_DEVICE_KINDS];

uint32_t tl_kind_text(enum tl_device_kind kind)
{
	return tl_kept_text(&kinds[kind], tl_kind_words[kind]);
}

void tl_device_texts_after_fork(void)
{
	for (unsigned i = 0; i < TL_DEVICE_TEXT_COUNT; i++)
		atomic_store_explicit(&tl_device_text_numbers[i], 0, memory_order_relaxed);
	for (unsigned i = 0; i < TL_DEVICE_KINDS; i++)
		atomic_store_explicit(&kinds[i], 0, memory_order_relaxed);
}
