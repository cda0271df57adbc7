/* SPDX-License-Identifier: MIT */
/*
 * args.h: the contract of format/args: what is captured of a call's arguments, and how it is shown.
 *
 * Promises: capture and print make the same walk over an API's tables (tracelayer/api.h), so print
 * finds what capture appended. Both are bounded in depth, elements and bytes, whatever the tables
 * and the memory contain. No allocation, no lock, no locale.
 *
 * Who may call: anybody, on any thread. Capture runs in the traced program around the real call: in
 * a signal handler and in a forked child, too. Printing may read records from a damaged file.
 *
 * args_plan.h, args_print.h and args_sink.h are for encoders.
 *
 * May use: format/file (what a record is), common.
 */
#ifndef TL_FORMAT_ARGS_ARGS_H
#define TL_FORMAT_ARGS_ARGS_H

#include "format/args/args_capture.h"
#include "format/args/args_kept.h"
#include "format/args/args_plan.h"
#include "format/args/args_print.h"
#include "format/args/args_sink.h"
#include "format/args/capture_plan.h"

#endif
