/* SPDX-License-Identifier: MIT */
/*
 * capture_plan.c: see capture_plan.h.
 */
#include "format/args/capture_plan.h"

#include "format/args/args_walk.h"

/* The step of a parameter that is followed; 0: only tl_args_capture can do it. */
static uint64_t plan_step(const struct tl_variable *param)
{
	uint64_t elements = param->length.constant, size = element_size(param->type);

	if (param->length.kind != TL_LENGTH_CONSTANT || !(param->direction & TL_OBLIGED) ||
	    may_lead_on(param->type->target))
		return 0;
	if (param->length.bytes)
		elements /= size;
	uint64_t bytes = elements * size;
	if (!bytes || elements > 15 || bytes > TL_CAPTURE_STEP_BYTES_MAX || bytes % 4 ||
	    param->offset > 63)
		return 0;
	return param->offset << 2 | elements << 8 | bytes / 4 << 12;
}

/* False: one of the parameters has no step, or there are too many steps. */
static bool plan_add(uint64_t steps[], uint32_t *count, const struct tl_function *function,
		     enum tl_capture_when when)
{
	const uint32_t before = *count;

	for (uint32_t i = 0; i < function->count; i++) {
		const struct tl_variable *param = &function->params[i];
		uint64_t step = 0;

		if (is_followed(param, when))
			step = plan_step(param);
		else if (param->type->kind != TL_KIND_STRUCT || when != TL_CAPTURE_ENTRY)
			continue;
		if (!step || *count == TL_CAPTURE_STEPS) {
			*count = before;
			return false;
		}
		steps[(*count)++] = step | 1u << when;
	}
	return true;
}

uint64_t tl_capture_plan_make(const struct tl_function *function)
{
	uint64_t steps[TL_CAPTURE_STEPS], plan = TL_CAPTURE_MADE;
	uint32_t count = 0;

	for (enum tl_capture_when when = TL_CAPTURE_ENTRY; when <= TL_CAPTURE_EXIT; when++)
		if (!plan_add(steps, &count, function, when))
			plan |= 1u << 1 << when;
	if (tl_capture_is_planned(plan, TL_CAPTURE_EXIT) &&
	    !(function->flags & (TL_FUNCTION_TEXT | TL_FUNCTION_ERRNO)) &&
	    (!count || !(steps[count - 1] >> TL_CAPTURE_EXIT & 1)))
		plan |= TL_CAPTURE_ONCE;
	for (uint32_t i = 0; i < count; i++)
		plan |= steps[i] << (TL_CAPTURE_HEAD + i * TL_CAPTURE_STEP);
	return plan;
}
