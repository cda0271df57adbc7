/* SPDX-License-Identifier: MIT */
/*
 * model_tables.h: the model as tables (tracelayer/api.h) in tracegen's own memory: what
 * emit_tables.c writes down.
 */
#ifndef TL_GEN_MODEL_TABLES_H
#define TL_GEN_MODEL_TABLES_H

#include "gen/model.h"

struct tables {
	struct tl_api api;
	/* in the order of first use, so that the same model gives the same tables */
	struct tl_type *types;
	const char **ids; /* of each type, a C identifier of its own */
	size_t ntypes;
};

const struct tables *tables_make(const struct model *model);

#endif
