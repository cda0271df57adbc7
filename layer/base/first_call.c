/* SPDX-License-Identifier: MIT */
/*
 * first_call.c: see first_call.h.
 */
#include "layer/base/first_call.h"
#include "layer/base/start_page.h"

#include <stddef.h>

_Atomic uint32_t tl_first_call_word TL_START;
static void (*works[TL_FIRST_CALL_WORKS])(void) TL_START; /* set at the start, before the bits */

void tl_first_call_give(enum tl_first_call work, void (*serve)(void))
{
	works[work] = serve;
}

bool tl_first_call_await(enum tl_first_call work)
{
	uint32_t bit = TL_FIRST_CALL_BIT(work);

	/*
	 * Release: pairs with the acquire in tl_first_call_awaited. The work's own state comes
	 * before its bit.
	 */
	return atomic_fetch_or_explicit(&tl_first_call_word, bit, memory_order_release) & bit;
}

bool tl_first_call_done(enum tl_first_call work)
{
	uint32_t bit = TL_FIRST_CALL_BIT(work);

	/*
	 * Release: pairs with the acquire in tl_first_call_awaited. What the work has set up comes
	 * before this.
	 */
	return atomic_fetch_and_explicit(&tl_first_call_word, ~bit, memory_order_release) & bit;
}

void tl_first_call_serve(uint32_t bits)
{
	for (unsigned work = 0; work < TL_FIRST_CALL_WORKS; work++)
		if (bits & TL_FIRST_CALL_BIT(work) && works[work])
			works[work]();
}
