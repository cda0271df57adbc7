/* SPDX-License-Identifier: MIT */
/*
 * peer_lttng.h: how LTTng-UST records the calls of bench_call.c: an event with the arguments when a
 * call begins, and an event with the result when it ends. bench_call.c includes this file, and
 * LTTng's headers include it again.
 */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER tracelayer_bench
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "bench/peer_lttng.h"

#if !defined(BENCH_PEER_LTTNG_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define BENCH_PEER_LTTNG_H

#ifndef LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#endif
#include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_EVENT(tracelayer_bench, none_entry, LTTNG_UST_TP_ARGS(), LTTNG_UST_TP_FIELDS())
LTTNG_UST_TRACEPOINT_EVENT(
	tracelayer_bench, four_entry,
	LTTNG_UST_TP_ARGS(uint64_t, a, uint32_t, b, int, c, uint64_t, d),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer_hex(uint64_t, a, a)
				    lttng_ust_field_integer(uint32_t, b, b)
					    lttng_ust_field_integer(int, c, c)
						    lttng_ust_field_integer_hex(uint64_t, d, d)))
LTTNG_UST_TRACEPOINT_EVENT(tracelayer_bench, call_exit, LTTNG_UST_TP_ARGS(int, result),
			   LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(int, result, result)))

#endif

#include <lttng/tracepoint-event.h>

#ifndef PEER_ENTRY
#define PEER_ENTRY(name)	PEER_ENTRY_##name
#define PEER_ENTRY_none		lttng_ust_tracepoint(tracelayer_bench, none_entry)
#define PEER_ENTRY_one		PEER_ENTRY_none
#define PEER_ENTRY_four		lttng_ust_tracepoint(tracelayer_bench, four_entry, i, 2, -3, i)
#define PEER_ENTRY_pointer	PEER_ENTRY_none
#define PEER_EXIT(name, result) lttng_ust_tracepoint(tracelayer_bench, call_exit, result)
#endif
