/* SPDX-License-Identifier: MIT */
/*
 * message.h: the one line that the layer may print, and how it is written without a signal for the
 * program.
 */
#ifndef TL_LAYER_BASE_MESSAGE_H
#define TL_LAYER_BASE_MESSAGE_H

#include <signal.h>

/*
 * Print a line (its newline included) on the program's stderr. This raises no signal, never waits
 * for a closed or stuck stderr, and keeps errno.
 */
void tl_message_say(const char *line);

/*
 * The same in a thread that has a descriptor table of its own (tl_raw_thread_separate). Prints
 * nothing if the kernel does not lend the program's stderr, because it is older than 5.6 or a
 * sandbox forbids that.
 */
void tl_message_say_apart(const char *line);

/*
 * From here to tl_signals_back no signal reaches the calling thread. After that, no signal reaches
 * it that a write in between raised (SIGPIPE, SIGXFSZ).
 */
struct tl_signals {
	sigset_t mask;
	sigset_t pending;
};
void tl_signals_hold(struct tl_signals *signals);
void tl_signals_back(const struct tl_signals *signals);

#endif
