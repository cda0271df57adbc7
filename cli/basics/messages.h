/* SPDX-License-Identifier: MIT */
/*
 * messages.h: one-line messages on standard error.
 */
#ifndef TL_CLI_BASICS_MESSAGES_H
#define TL_CLI_BASICS_MESSAGES_H

#include <stdbool.h>

/* Prints "tracelayer: <what>: <why>; <what to do>" as one line. The format has no newline. */
__attribute__((format(printf, 1, 2))) void say(const char *format, ...);

/* The same of a message of any length: say cuts long ones. */
void say_whole(const char *message);

/*
 * Says that this tracelayer cannot do it ("report"), or read it (a file), because it was
 * built without jansson. Returns EXIT_BROKEN.
 */
int say_without_json(const char *what);

/* Says that standard output could not be written to. errno tells why. */
void say_output_failed(const char *what);

/* say_output_failed() was called: a second message about the output would say nothing new. */
bool output_failure_is_said(void);

#endif
