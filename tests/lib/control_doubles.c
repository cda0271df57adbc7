/* SPDX-License-Identifier: MIT */
/*
 * control_doubles.c: nobody asks for anything, and there is no ring. For tests of the writer by
 * itself.
 */
#include "layer/buffers/buffer.h"
#include "layer/write/recording_control.h"

uint64_t tl_buffer_overwritten(void)
{
	return 0;
}

uint64_t double_unreturned;

uint64_t tl_buffer_early(void)
{
	return 0;
}

uint64_t tl_buffer_unreturned(void)
{
	return double_unreturned;
}

uint64_t tl_buffer_stackless(void)
{
	return 0;
}

bool tl_control_serve(void)
{
	return false;
}

void tl_control_answer(void)
{
}

bool tl_control_splits(void)
{
	return false;
}

bool tl_control_is_asked(void)
{
	return false;
}

int tl_control_patience(int ms)
{
	return ms;
}

void tl_control_listens(bool listens)
{
	(void)listens;
}
