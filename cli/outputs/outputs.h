/* SPDX-License-Identifier: MIT */
/*
 * outputs.h: the contract of cli/outputs, the files that commands write: one rule for how an
 * output file is named and replaced (output_file.h), and traces that are made, or continued, event
 * by event (trace_sink.h, trace_encoder.h).
 *
 * Errors are errno values; the caller prints the message. The room uses leftovers, basics, format
 * and common. One thread only.
 */
#ifndef TL_CLI_OUTPUTS_OUTPUTS_H
#define TL_CLI_OUTPUTS_OUTPUTS_H

#include "cli/outputs/output_file.h"
#include "cli/outputs/trace_encoder.h"
#include "cli/outputs/trace_sink.h"

#endif
