/*
 * core_exception_shims.c: the C side of core_exception_test.cc.
 */
#include "layer/config.h"
#include "layer/runtime.h"
#include "tests/core_doubles.h"

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
