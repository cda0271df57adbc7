/* SPDX-License-Identifier: MIT */
/*
 * file.h: the contract of format/file: what lies in a thread's buffer and in the files of the
 * record format, and how they are read.
 *
 * record.h and trace_file.h are the layout: the layer writes it, and everybody else reads it. They
 * are structs and constants, with rules for which store comes last. doc/tracelayer-record.5
 * describes the same layout for users. record_words.h steps over records, and clock_line.h turns
 * ticks into nanoseconds: both sides use them.
 *
 * describe.h and record_reader.h allocate memory and collect problems as text: they are for the
 * command, the generator and the tests, never for a traced process. Nothing in a file is trusted.
 * Only one thread at a time uses a trace, except for functions whose comment says otherwise.
 *
 * May use: common.
 */
#ifndef TL_FORMAT_FILE_FILE_H
#define TL_FORMAT_FILE_FILE_H

#include "format/file/clock_line.h"
#include "format/file/describe.h"
#include "format/file/record.h"
#include "format/file/record_reader.h"
#include "format/file/record_words.h"
#include "format/file/stack_text.h"
#include "format/file/trace_file.h"

#endif
