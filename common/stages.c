/* SPDX-License-Identifier: MIT */
/*
 * stages.c: see stages.h.
 */
#include "common/stages.h"

const char *const tl_layer_words[TL_LAYERS] = {"none", "application", "runtime",
					       "ipc",  "driver",      "cpu"};
const char *const tl_layer_codes[TL_LAYERS] = {"", "LA", "LR", "LI", "LD", "LC"};
const char *const tl_phase_words[TL_PHASES] = {
	"none",	    "initialization", "preparation", "compilation", "execution",
	"transfer", "transformation", "computation", "results",	    "termination"};
const char *const tl_phase_codes[TL_PHASES] = {"",    "PI",  "PP",  "PC", "PE",
					       "PIO", "PTR", "PCO", "PR", "PT"};

void tl_text_stage(struct tl_text *text, const struct tl_function *function)
{
	if (!function->layer || !function->phase || function->layer >= TL_LAYERS ||
	    function->phase >= TL_PHASES)
		return;
	tl_text_string(text, ",NN_");
	tl_text_string(text, tl_layer_codes[function->layer]);
	tl_text_string(text, "_");
	tl_text_string(text, tl_phase_codes[function->phase]);
}
