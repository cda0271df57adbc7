/* SPDX-License-Identifier: MIT */
/*
 * message_line.h: what a command says to its user, one line on standard error.
 */
#ifndef TL_COMMON_MESSAGE_LINE_H
#define TL_COMMON_MESSAGE_LINE_H

#include <stdarg.h>

#define MESSAGE_WHO_MOST 60

/*
 * Prints "<who>: <message>" as one line. The format has no newline; `who` has MESSAGE_WHO_MOST bytes at
 * most. What the message quotes can't steer the terminal.
 */
__attribute__((format(printf, 2, 0))) void message_line(const char *who, const char *format,
							va_list arguments);

#endif
