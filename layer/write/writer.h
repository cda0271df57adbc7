/* SPDX-License-Identifier: MIT */
/*
 * writer.h: from buffers to the trace file.
 *
 * The writer is a thread that starts with the first full chunk. The C library does not know of it
 * (raw_thread.c says why), so that a program whose threads have all ended still ends, and one that
 * has had a single thread still counts as having one. It blocks all signals and has a file
 * table of its own. A process that ends with less than a chunk has no such thread: the exit
 * handler writes.
 *
 * What the writer calls (tl_buffer_take, _give_back, _wait, _flush, _producers, tl_clock_settle,
 * tl_clock_ns, tl_runtime_function, _api) runs on that thread. There only such functions of the C
 * library may be used that layer/libc has (libc.h); tests/base/libc/libc_static.sh looks at all that is
 * reached.
 */
#ifndef TL_LAYER_WRITE_WRITER_H
#define TL_LAYER_WRITE_WRITER_H

#include <stdbool.h>

/*
 * A chunk was handed over: start the writer if it isn't running. (Waking it out of tl_buffer_wait
 * is the buffer's part.) Called by producers, signal handlers too; keeps errno. False: there is
 * no writer thread and none can be made, so that somebody has to call tl_writer_help.
 */
bool tl_writer_wake(void);

/*
 * A producer without a free chunk writes out some of what is queued itself. False: somebody else is
 * writing (wait for a chunk to come free), or there was nothing to write. Keeps errno; async-
 * signal-safe.
 */
bool tl_writer_help(void);

/*
 * Exit handler, _exit, exec: hand over and write all there is, and end the file so that it is
 * valid. The writer thread, where there is one, does the writing; it is waited for as long as it
 * gets on. May be called again: later events are put before the end. Prints the one line, if
 * something was lost. Keeps errno; async-signal-safe. On an alternate signal stack, which may be
 * small, a writer thread is started for it.
 */
void tl_writer_finish(void);

/*
 * The same for the end of the process or its program, with other threads that may go on recording:
 * from here on nothing is written, so that the file stays whole however the process ends. `last`:
 * it is certain; what can be ended only once (a pipe) gets its end, and what was kept for recovery
 * is marked as no longer needed if all of it could be written. tl_writer_open, by the same thread,
 * when there is no end after all.
 */
void tl_writer_close(bool last);
void tl_writer_open(void);

/*
 * Around system calls that only a process of one thread may make (unshare, setns): the writer
 * thread ends, and none is started until tl_writer_resume, which starts it again if there was one.
 * Its file is opened again then, by name. Keep errno.
 */
void tl_writer_suspend(void);
void tl_writer_resume(void);

/*
 * While the process changes its user, groups or capabilities: no writer thread starts from
 * tl_writer_hold to tl_writer_let_go. In between tl_writer_follow has the one that there is make
 * the same change, and waits for that, with a bound. NULL, or a change that it can't make: it ends
 * instead. False: it may still look at *credentials' groups.
 */
struct tl_credentials;
void tl_writer_hold(void);
bool tl_writer_follow(const struct tl_credentials *credentials);
void tl_writer_let_go(void);

/*
 * The file has its end, and all that was recorded up to the last tl_writer_finish; or there was
 * nothing to be written.
 */
bool tl_writer_is_complete(void);

/* In a forked child: a file of its own, none of the parent's. */
void tl_writer_after_fork(void);

#endif
