/* SPDX-License-Identifier: MIT */
/*
 * buffers.h: the contract of layer/buffers: the memory that events lie in, and the clock.
 *
 * Threads record here without a lock, a shared write or a system call, and the writer takes out
 * what they recorded. The memory outlives the process, so that a process killed by any signal
 * leaves all that it recorded. This room knows records (format/file/record.h), and nothing of APIs,
 * JSON or tracers.
 *
 *	buffer.h	producers and chunks: recording into them, and taking out of them
 *	arena.h		the file of buffers: the memory that outlives the process
 *	pool.h		memory that is empty in every forked child
 *	clock.h		ticks to nanoseconds
 *	strings.h	texts that records name by number
 *	event_lanes.h	lanes that are no thread's
 *	lanes.h		lanes as the trace file has them
 *	label_memory.h	memory for a program's labels
 *	unfinished.h	calls that threads are in when the process ends
 *	upcalls.h	what the buffers need of the rooms above
 *
 * Promise: a finished record is in the trace, or is counted as lost (struct tl_producer.lost,
 * .overwritten). A thread's records come out in order. Memory that a record is written to is there:
 * writing to it cannot fault.
 *
 * Who may call: layer/process gives the upcalls when the library starts. Any thread and any signal
 * handler may record, attach and make lanes and strings. What buffer.h marks as the writer's, all
 * of lanes.h and tl_clock_settle are for the thread that holds the writer's lock. In a forked child
 * layer/process calls every function whose name ends in _after_fork or _forget, before the child
 * records.
 *
 * What it uses: layer/base, format, common.
 */
#ifndef TL_LAYER_BUFFERS_BUFFERS_H
#define TL_LAYER_BUFFERS_BUFFERS_H

#include "layer/buffers/arena.h"
#include "layer/buffers/buffer.h"
#include "layer/buffers/clock.h"
#include "layer/buffers/event_lanes.h"
#include "layer/buffers/label_memory.h"
#include "layer/buffers/lanes.h"
#include "layer/buffers/pool.h"
#include "layer/buffers/process_state.h"
#include "layer/buffers/strings.h"
#include "layer/buffers/unfinished.h"
#include "layer/buffers/upcalls.h"

#endif
