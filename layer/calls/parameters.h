/* SPDX-License-Identifier: MIT */
/*
 * parameters.h: a call's parameters as words, and back. A shim's callers pass the addresses of the
 * parameters; code that records, captures or keeps the parameters needs words.
 */
#ifndef TL_LAYER_CALLS_PARAMETERS_H
#define TL_LAYER_CALLS_PARAMETERS_H

#include <stdint.h>
#include <string.h>

#include "tracelayer/shim.h"

/* A parameter's value; as memcpy, but without a call for the common sizes. */
static inline void tl_param_copy(void *to, const void *from, uint32_t size)
{
	if (TL_LIKELY(size == 8))
		memcpy(to, from, 8);
	else if (size == 4)
		memcpy(to, from, 4);
	else
		memcpy(to, from, size);
}

/*
 * The words that the shim's body would make of its parameters, as records have them: signed
 * integers are extended, and the rest of a parameter's last word is 0.
 */
void tl_params_words(const struct tl_function *function, void *const *params, uint64_t *words);

/*
 * A result of at most 8 bytes as a word, filled up with zeros; 0: it is larger, or there is none.
 */
static inline uint64_t tl_result_word(const struct tl_function *function, const void *result)
{
	uint64_t word = 0;

	if (function->result && function->result->size && function->result->size <= 8)
		memcpy(&word, result, function->result->size);
	return word;
}

/*
 * Keep the parameters' bytes, each where its words lie. Parameters that end behind `room` words are
 * left out.
 */
void tl_params_keep(const struct tl_function *function, void *const *params, uint64_t *words,
		    uint32_t room);

#endif
