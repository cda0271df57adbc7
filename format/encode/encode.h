/* SPDX-License-Identifier: MIT */
/*
 * encode.h: the contract of format/encode: records to the bytes of a trace file.
 *
 * Promises: an encoder (encoder.h) formats into memory given to it. It allocates nothing, knows no
 * locale and makes no system call. Records may come from a damaged file: an encoder reads nothing
 * outside of them. Text of one block reaches the file whole or not at all.
 *
 * Who may call: the layer's writer, with its pen held, and the command. One thread at a time for
 * each encoder; not from a signal handler. A forked child starts with encoders of its own.
 *
 * formats.h lists the formats. gzip.h compresses what an encoder made. trace_source.h is for the
 * command only: it reads files. open_marks.h, pftrace_gpu_list.h and repeat_hints.h are included for
 * the memory that an encoder's owner gives it, touching.h for who encodes chunks apart and joins
 * them, further_lanes.h for who reads such lanes back.
 *
 * May use: format/args, format/file, common.
 */
#ifndef TL_FORMAT_ENCODE_ENCODE_H
#define TL_FORMAT_ENCODE_ENCODE_H

#include "format/encode/encoder.h"
#include "format/encode/formats.h"
#include "format/encode/further_lanes.h"
#include "format/encode/gzip.h"
#include "format/encode/open_marks.h"
#include "format/encode/pftrace.h"
#include "format/encode/pftrace_gpu_list.h"
#include "format/encode/repeat_hints.h"
#include "format/encode/stack_frames_text.h"
#include "format/encode/touching.h"
#include "format/encode/trace_source.h"

#endif
