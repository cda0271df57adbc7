/* SPDX-License-Identifier: MIT */
/*
 * process_facts.h: what a trace says of its process, and of itself.
 *
 * Runs on the writer's thread: system calls only. One at a time (the writer's pen).
 */
#ifndef TL_LAYER_WRITE_PROCESS_FACTS_H
#define TL_LAYER_WRITE_PROCESS_FACTS_H

#include "format/file/trace_file.h"

/*
 * What is to be said of this process, now, into zeroed memory. Async-signal-safe; one thread at a
 * time.
 */
void tl_about_facts(struct tl_facts *facts);

#endif
