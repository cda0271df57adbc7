/* SPDX-License-Identifier: MIT */
/*
 * recording_control.h: recording is paused, resumed, ended and written out while the program runs,
 * from outside: by `tracelayer pause` and its like (through the buffers' header), by a signal, by
 * the window's clock. The program's own functions for it are in layer/program/program_control.c.
 */
#ifndef TL_LAYER_WRITE_RECORDING_CONTROL_H
#define TL_LAYER_WRITE_RECORDING_CONTROL_H

#include <stdbool.h>

/*
 * The work of TL_FIRST_CALL_REQUESTS: the process takes requests from its first traced call on,
 * also while no call is watched.
 */
void tl_control_begin(void);

/* With the settings read: whether recording begins paused. */
bool tl_control_start(void);

/*
 * The writer's thread, without the pen, each time it wakes: carry out what has been asked for.
 * True: the file is to be brought up to date and given its end. Then, when that is done, and in any
 * case, tl_control_answer. (Without such a thread: the thread that finds that out.)
 */
bool tl_control_serve(void);
void tl_control_answer(void);

/* There is something to serve, or to be carried out within so many milliseconds at most. */
bool tl_control_is_asked(void);
int tl_control_patience(int ms);

/* The writer's thread runs, or has ended. */
void tl_control_listens(bool listens);

/* The program switches recording itself. That ends the window. */
void tl_control_end_window(void);

/*
 * Recording was paused: a request may resume it. So the writer's thread starts now, or with
 * the first traced call. Async-signal-safe.
 */
void tl_control_listen(void);

/* In a forked child. */
void tl_control_after_fork(void);

#endif
