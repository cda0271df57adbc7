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

/*
 * The description that traces carry (format/file/describe.h): *size bytes, which the caller frees.
 * Prints a message if readers would refuse it, which would cost a .tlt all calls of the API. NULL,
 * after a message: memory is short.
 */
void *tables_describe(const struct tl_api *api, size_t *size);

#endif
