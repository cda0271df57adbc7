/* SPDX-License-Identifier: MIT */
/*
 * args_result.c: what a call returned, as a sink's members: see args_sink.h.
 */
#include "common/errno_names.h"
#include "format/args/args_sink.h"

void tl_result_visit(const struct tl_sink *sink, struct tl_text *text,
		     const struct tl_function *function, const struct tl_blob *blob,
		     uint64_t result)
{
	if (blob && function->flags & TL_FUNCTION_TEXT)
		sink->string(text, (const char *)(blob + 1), blob->bytes,
			     blob->total > blob->bytes);
	else
		tl_value_visit(sink, text, function->result, &result);
}

static void errno_visit(const struct tl_sink *sink, struct tl_text *text,
			const struct tl_function *function, int error)
{
	const char *name = tl_errno_name(error);
	char *value = sink->begin(text, tl_args_own_key(function, "tracelayer_errno"), "", false);

	if (name)
		sink->named(text, name);
	else
		sink->number(text, (uint32_t)error, false);
	if (sink->end)
		sink->end(text, value);
}

void tl_args_visit_result(const struct tl_sink *sink, struct tl_text *text,
			  const struct tl_function *function, const struct tl_args_kept *kept,
			  uint64_t result)
{
	int error = tl_args_errno(kept, function, result);
	char *mark = text->at, *value;
	bool was_cut = text->cut;

	text->cut = false;
	value = sink->begin(text, "result", "", true);
	tl_result_visit(sink, text, function, error ? NULL : kept->result, result);
	if (sink->end)
		sink->end(text, value);
	if (error)
		errno_visit(sink, text, function, error);
	if (text->cut)
		text->at = mark;
	text->cut |= was_cut;
}
