/* SPDX-License-Identifier: MIT */
/*
 * pftrace_values.h: the names that packets of a Perfetto trace refer to by number, and the values
 * of arguments, as JSON. All values are new references.
 */
#ifndef TL_CLI_READ_PFTRACE_VALUES_H
#define TL_CLI_READ_PFTRACE_VALUES_H

#include <stddef.h>
#include <stdint.h>

#include "cli/read/json.h"
#include "cli/read/protobuf_fields.h"
#include "format/encode/encode.h"

enum pf_kind { PF_CATEGORIES, PF_NAMES, PF_KEYS, PF_STRINGS, PF_FUNCTIONS, PF_PATHS, PF_KINDS };

/* Those of a sequence. Begins as zeros. */
struct pf_names {
	struct pf_list {
		json_t **list; /* by number */
		size_t room;
	} of[PF_KINDS];
};

/* Takes the names that a packet defines: its InternedData. */
void pf_names_take(struct pf_names *known, struct pb_bytes data);
void pf_names_forget(struct pf_names *known);

/* "?" for a number that has none. */
json_t *pf_name(const struct pf_names *known, enum pf_kind kind, uint64_t number);

/* Adds an annotation to an event's arguments. */
void pf_note(const struct pf_names *known, struct pb_bytes note, json_t *args);

json_t *pf_text(struct pb_bytes bytes);
/* null where it is not finite */
json_t *pf_number(double number);
json_t *pf_double(uint64_t bits);

#endif
