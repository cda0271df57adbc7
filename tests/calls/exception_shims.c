/* SPDX-License-Identifier: MIT */
/*
 * exception_shims.c: the C side of exceptions_test.cc.
 */
#include "layer/base/environment.h"
#include "layer/process/runtime.h"
#include "tests/lib/core_doubles.h"

unsigned throw_through(void (*inside)(void *), void *with);
unsigned test_begin(void);
unsigned test_collect(unsigned flags);

unsigned throw_through(void (*inside)(void *), void *with)
{
	return (unsigned)toy_run(inside, with);
}

unsigned test_begin(void)
{
	tl_config.args = TL_ARGS_SCALARS;
	tl_runtime_record(true);
	return 0;
}

unsigned test_collect(unsigned flags)
{
	seen_collect(true);
	return seen_count(TOY_RUN, flags);
}
