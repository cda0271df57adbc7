/* SPDX-License-Identifier: MIT */
/*
 * writer.h: from buffers to the trace file.
 *
 * The writer is a thread that starts with the first full chunk. The C library does not know of it
 * (raw_thread.c says why), so that a program whose threads have all ended still ends, and a program
 * with a single thread still counts as having one. It blocks all signals and has a file table of
 * its own. A process that ends with less than a chunk has no such thread: the exit handler writes.
 *
 * What the writer calls (tl_buffer_take, _give_back, _wait, _flush, _producers, tl_clock_settle,
 * tl_clock_ns, tl_api_function, _api) runs on that thread. Code that runs there may use only those
 * functions of the C library that layer/base/libc has (libc.h); tests/base/libc/libc_static.sh
 * checks all that is reached.
 */
#ifndef TL_LAYER_WRITE_WRITER_H
#define TL_LAYER_WRITE_WRITER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A chunk was handed over: start the writer if it isn't running. (tl_chunk_push wakes it.) Called
 * by producers, signal handlers too; keeps errno. False: there is no writer's thread and none can
 * be made, so somebody has to call tl_writer_help.
 */
bool tl_writer_wake(void);

/*
 * A producer without a free chunk writes out some of what is queued itself. False: another thread
 * is writing (wait for a chunk to come free), or there was nothing to write. Keeps errno; async-
 * signal-safe.
 */
bool tl_writer_help(void);

/*
 * Exit handler, _exit, exec: hand over and write all there is, and the file's end. The writer's
 * thread writes, if there is one, and the caller waits for it as long as it makes progress, and
 * meanwhile encodes chunks for it (ahead.h), unless it is on an alternate signal stack. May be
 * called again: later events overwrite the end. Prints the one line, if something was lost. Keeps
 * errno; async-signal-safe. On an alternate signal stack, which may be small, a writer's thread is
 * started for this.
 */
void tl_writer_finish(void);

/*
 * The same for the end of the process or of its program, while other threads may go on recording:
 * from here on nothing is written, so that the file stays whole however the process ends. `last`:
 * the end is certain. Then what can be ended only once (a pipe) gets its end, and if all could be
 * written, the buffers are marked as no longer needed for recovery. If the end does not come after
 * all, the same thread calls tl_writer_open.
 */
void tl_writer_close(bool last);
void tl_writer_open(void);

/*
 * Around system calls that only a process of one thread may make (unshare, setns): the writer's
 * thread ends, and none is started until tl_writer_resume, which starts it again if there was one
 * and opens its file again by name. Keep errno.
 */
void tl_writer_suspend(void);
void tl_writer_resume(void);

/*
 * While the process changes its user, groups or capabilities: from tl_writer_hold to
 * tl_writer_let_go no writer's thread starts. In between, tl_writer_follow has an existing one make
 * the same change, and waits for that, with a bound. With NULL, or if it can't make the change, the
 * thread ends instead. False: it may still read the groups in *credentials.
 */
struct tl_credentials;
void tl_writer_hold(void);
bool tl_writer_follow(const struct tl_credentials *credentials);
void tl_writer_let_go(void);

/*
 * The file has its end, and all that was recorded up to the last tl_writer_finish; or there was
 * nothing to write.
 */
bool tl_writer_is_complete(void);

/*
 * TRACELAYER_SPLIT with a time: when the file, or the next one where there is none, has all of its
 * time: nanoseconds of CLOCK_MONOTONIC. Any thread.
 */
uint64_t tl_writer_file_due(void);

/* In a forked child: a file of its own, none of the parent's. */
void tl_writer_after_fork(void);

#endif
