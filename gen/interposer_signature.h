/* SPDX-License-Identifier: MIT */
/*
 * interposer_signature.h: what the calling conventions of the machines share. interposer.h has the
 * functions for others.
 */
#ifndef TL_GEN_INTERPOSER_SIGNATURE_H
#define TL_GEN_INTERPOSER_SIGNATURE_H

#include "gen/interposer.h"

/* A signature while it is made. */
struct build {
	struct tl_signature *signature;
	unsigned integers, vectors; /* registers in use */
	uint64_t stack;		    /* bytes in use */
	bool unknown;
};

struct convention {
	/* the result, as far as it takes a parameter's place */
	void (*begin)(struct build *build, const struct type *result);
	void (*place_param)(struct build *build, const struct type *type);
	void (*place_result)(struct build *build, const struct type *type);
	void (*finish)(struct tl_signature *signature); /* or NULL */
};

extern const struct convention convention_x86_64, convention_aarch64;

/* The next word; the caller counts it, as a parameter's or as the result's. */
void signature_add_word(struct build *build, int place, unsigned behind);
/* Say which bits of a value's last word are the value's. `first`: its first word. */
void signature_trim(struct build *build, const struct type *type, unsigned first, unsigned count);

static inline bool type_is_aggregate(const struct type *type)
{
	return type->kind == TL_KIND_STRUCT || type->kind == TL_KIND_UNION;
}

#endif
