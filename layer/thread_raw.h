/*
 * thread_raw.h: a thread that the C library does not know of.
 *
 * Made by clone() alone. The C library therefore ends the process when the program's own threads
 * have ended, keeps treating a program with one thread as that, and sends this one no signal. In
 * turn nothing that looks at the calling thread works on it: no allocator, no stdio, no pthread
 * function; thread-local variables (errno among them) are there, and start as zero.
 */
#ifndef TL_LAYER_THREAD_RAW_H
#define TL_LAYER_THREAD_RAW_H

#include <stdbool.h>

/*
 * Start it, with all signals blocked. One in a process's life. Async-signal-safe. False
 * where the kernel refuses.
 */
bool tl_thread_raw_start(int (*run)(void *));

/*
 * First thing on the new thread: an empty file table of its own, a name, and no more right to a
 * processor than the program's first thread has. False where the kernel refuses the file table;
 * the thread must then end.
 */
bool tl_thread_raw_separate(void);

#endif
