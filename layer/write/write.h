/* SPDX-License-Identifier: MIT */
/*
 * write.h: the contract of layer/write: from the buffers to the trace file.
 *
 * The room takes full chunks from the buffers, turns their records into blocks of the file's
 * format, and writes these. It also serves requests from outside: pause, resume, stop and snapshot,
 * by `tracelayer pause` and its like, by a signal, or by the window.
 *
 * It promises:
 *
 *	The file has an end after each tl_writer_finish and tl_writer_close, and is whole then.
 *	What could not be written is counted, and one message says so.
 *	The writer's thread starts with the first full chunk, or with the first call if there may be
 *	requests. It blocks all signals and has its own file table.
 *	Nothing here calls a function that another library may have replaced, on whatever thread
 *	(tests/base/libc/libc_static.sh checks that).
 *
 * Who may call, and from where:
 *
 *	writer.h		any thread, a signal handler, an exit handler: with a bound on waiting.
 *				tl_writer_after_fork: the only thread of a forked child.
 *	recording_control.h	tl_control_begin at a call; tl_control_is_asked anywhere; the rest
 *				on the writer's thread; without one, on the thread that found a request.
 *	process_facts.h		once, while the process's first memory for events is made.
 *
 * The room uses layer/resolve (names of functions, switching recording), layer/buffers, layer/base
 * and format/. It never waits for a lock that the program's code can hold.
 */
#ifndef TL_LAYER_WRITE_WRITE_H
#define TL_LAYER_WRITE_WRITE_H

#include "layer/write/process_facts.h"
#include "layer/write/recording_control.h"
#include "layer/write/writer.h"

#endif
