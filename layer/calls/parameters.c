/* SPDX-License-Identifier: MIT */
/*
 * parameters.c: see parameters.h. traced_path.c and hooked_path.c have quicker code for functions
 * whose parameters are one word each.
 */
#include "layer/calls/parameters.h"

void tl_params_words(const struct tl_function *function, void *const *params, uint64_t *words)
{
	memset(words, 0, 8 * (size_t)function->words);
	for (uint32_t i = 0; i < function->count; i++) {
		const struct tl_variable *param = &function->params[i];
		uint64_t *word = &words[param->offset];
		tl_param_copy(word, params[i], param->type->size);
		if (param->type->kind != TL_KIND_INT || param->type->size >= 8)
			continue;
		unsigned unused = 64 - 8 * param->type->size;
		*word = (uint64_t)((int64_t)(*word << unused) >> unused);
	}
}

void tl_params_keep(const struct tl_function *function, void *const *params, uint64_t *words,
		    uint32_t room)
{
	for (uint32_t i = 0; i < function->count; i++) {
		const struct tl_variable *param = &function->params[i];
		if (param->offset + param->words <= room)
			tl_param_copy(&words[param->offset], params[i], param->type->size);
	}
}
