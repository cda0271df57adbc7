/* SPDX-License-Identifier: MIT */
/*
 * systrace.h: the contract of cli/systrace, the text format of Android's systrace, with the marks
 * of its neural networks API (NNAPI) in it. Reading: the text, wherever it comes from
 * (systrace_text.h), its rows (systrace_reader.h, systrace_row.h), their marks (nn_mark.h,
 * nn_names.h). Writing: a trace of tracelayer as such a text (systrace_writer.h).
 *
 * "Layer" and "phase" are NNAPI's here, and are called nn_layer and nn_phase. The room uses read
 * and basics. One thread only.
 */
#ifndef TL_CLI_SYSTRACE_SYSTRACE_H
#define TL_CLI_SYSTRACE_SYSTRACE_H

#include "cli/systrace/nn_mark.h"
#include "cli/systrace/nn_names.h"
#include "cli/systrace/systrace_reader.h"
#include "cli/systrace/systrace_row.h"
#include "cli/systrace/systrace_text.h"
#include "cli/systrace/systrace_writer.h"

#endif
