/* SPDX-License-Identifier: MIT */
/*
 * bench.h: the contract of xpti/bench, the room of the command tracelayer-xpti-bench.
 *
 * The command measures what the operations of an XPTI dispatcher cost, and checks that they do what
 * the document "XPTI Tracing Framework" says. It compares up to four dispatchers. It calls them as
 * proxies do: through a table of functions that dlsym fills (xpti/table.h, which the build makes of
 * xpti/dispatcher/exports).
 *
 * The room is a program: no other room includes a header of it. It uses include/tracelayer and
 * common.
 *
 * Inside:
 *
 *	bench_work.h		names, an order of visits, and a team of threads
 *	bench_plan.h		what one process does and returns
 *	bench_speed.c		measuring
 *	bench_semantic.c	checking
 *	xpti_bench.c		options, processes, tables
 */
#ifndef TL_XPTI_BENCH_BENCH_H
#define TL_XPTI_BENCH_BENCH_H

#endif
