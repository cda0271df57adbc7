/* SPDX-License-Identifier: MIT */
/*
 * recording_control.h: pauses, resumes, ends and writes out recording while the program runs, on
 * request from outside: from `tracelayer pause` and its like (through the buffers' header), by a
 * signal, or by the window's times. layer/program/program_control.c has the program's own functions
 * for this.
 */
#ifndef TL_LAYER_WRITE_RECORDING_CONTROL_H
#define TL_LAYER_WRITE_RECORDING_CONTROL_H

#include <stdbool.h>

/*
 * The work of TL_FIRST_CALL_REQUESTS: the process takes requests from its first traced call on,
 * also while no call is watched.
 */
void tl_control_begin(void);

/* When the settings have been read: returns whether recording begins paused. */
bool tl_control_start(void);

/*
 * The writer's thread, without the pen, each time it wakes: carry out what was asked for. True: the
 * file is to be brought up to date and ended. After that, and in any case, call tl_control_answer.
 * (In a process without a writer's thread: the thread that found tl_control_is_asked true.)
 */
bool tl_control_serve(void);
void tl_control_answer(void);

/* True once: tl_control_serve said so because a file has all of its time (TRACELAYER_SPLIT). */
bool tl_control_splits(void);

/* There is a request, or something to be carried out within so many milliseconds. */
bool tl_control_is_asked(void);
int tl_control_patience(int ms);

/* The writer's thread has started, or has ended. */
void tl_control_listens(bool listens);

/* The program switches recording itself. That ends the window. */
void tl_control_end_window(void);

/*
 * Recording was paused: a request may resume it. So the writer's thread starts now, or with
 * the first traced call. Async-signal-safe.
 */
void tl_control_listen(void);

/* In a forked child: forget the parent's requests. */
void tl_control_after_fork(void);

#endif
