/* SPDX-License-Identifier: MIT */
/*
 * device_texts.h: numbers of the texts that device work is recorded with.
 */
#ifndef TL_LAYER_DEVICE_DEVICE_TEXTS_H
#define TL_LAYER_DEVICE_DEVICE_TEXTS_H

#include <stdatomic.h>
#include <stdint.h>

#include "layer/buffers/strings.h"
#include "tracelayer/device.h"

/* clang-format off */
#define TL_DEVICE_TEXTS(X)                                                                                  \
	X(device) X(kind) X(queue) X(correlation) X(queued) X(submit) X(start)       \
	X(end) X(bytes) X(bandwidth) X(peer) X(global) X(local) X(unfinished)        \
	X(commands) X(submitted) X(awaited) X(uuid) X(pci)          \
	X(api) X(private_bytes) X(local_bytes) X(spill_bytes) X(simd_width)
/* clang-format on */

enum {
#define TL_DEVICE_TEXT_NUMBER(name) TL_DEVICE_TEXT_##name,
	TL_DEVICE_TEXTS(TL_DEVICE_TEXT_NUMBER)
#undef TL_DEVICE_TEXT_NUMBER
		TL_DEVICE_TEXT_COUNT
};

/* A text's number, 0 until it is needed. All threads that find 0 ask, and get the same number. */
static inline uint32_t tl_kept_text(_Atomic uint32_t *kept, const char *text)
{
	uint32_t number = atomic_load_explicit(kept, memory_order_relaxed);

	if (!number) {
		number = tl_string_of(text);
		atomic_store_explicit(kept, number, memory_order_relaxed);
	}
	return number;
}

extern _Atomic uint32_t tl_device_text_numbers[TL_DEVICE_TEXT_COUNT];
extern const char *const tl_device_text_words[TL_DEVICE_TEXT_COUNT];
#define TL_DEVICE_TEXT(name)                                                                       \
	tl_kept_text(&tl_device_text_numbers[TL_DEVICE_TEXT_##name],                               \
		     tl_device_text_words[TL_DEVICE_TEXT_##name])

uint32_t tl_kind_text(enum tl_device_kind kind);

/* In a forked child: forget the parent's numbers. */
void tl_device_texts_after_fork(void);

#endif
