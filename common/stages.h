/* SPDX-License-Identifier: MIT */
/*
 * stages.h: the layers and phases that functions can be given (enum tl_work_layer, enum
 * tl_work_phase), by name.
 */
#ifndef TL_COMMON_STAGES_H
#define TL_COMMON_STAGES_H

#include "common/text.h"
#include "tracelayer/api.h"

#define TL_LAYERS (TL_LAYER_CPU + 1)
#define TL_PHASES (TL_PHASE_TERMINATION + 1)

/* "driver", "execution": as descriptors write them. The first is "none". */
extern const char *const tl_layer_words[TL_LAYERS], *const tl_phase_words[TL_PHASES];

/* "LD", "PE": as marks do. The first is empty. */
extern const char *const tl_layer_codes[TL_LAYERS], *const tl_phase_codes[TL_PHASES];

/* A function's layer and phase, for behind its category: ",NN_LD_PE"; nothing if it has none. */
void tl_text_stage(struct tl_text *text, const struct tl_function *function);

#endif
