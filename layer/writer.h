/*
 * writer.h: the thread that drains buffers into the trace file.
 *
 * It starts with the first full chunk, blocks all signals, and has a file table of its own. A process that ends with less than a
 * chunk has no such thread: the exit handler writes.
 */
#ifndef TL_LAYER_WRITER_H
#define TL_LAYER_WRITER_H

/* A chunk was handed over: start the writer if it isn't running, else wake it. Called by producers. */
void tl_writer_wake(void);

/* Exit handler: take over from the writer, write all there is, and end the file so that it is valid. May be called again: later events are
 * put before the end. Never called from a signal handler. */
void tl_writer_finish(void);

/* In a forked child: a file of its own, none of the parent's. */
void tl_writer_after_fork(void);

#endif
