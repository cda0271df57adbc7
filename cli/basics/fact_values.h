/* SPDX-License-Identifier: MIT */
/* fact_values.h: single facts that a .tlt file has of its process, by their keys in JSON. */
#ifndef TL_CLI_BASICS_FACT_VALUES_H
#define TL_CLI_BASICS_FACT_VALUES_H

#include <stdint.h>

#include "format/file/trace_file.h"

/*
 * `key` has its quotation marks and its colon: "\"size\":". A text that contains such a key has a
 * backslash before the quotation mark. `none`: the file has no such fact. A number of 64 bits
 * without a sign comes back by its bits.
 */
int64_t trace_fact_number(const struct tl_facts *facts, const char *key, int64_t none);

/* `key` has the text's quotation mark, too; the text's escapes stay. The caller's. NULL: none. */
char *trace_fact_text(const struct tl_facts *facts, const char *key);

#endif
