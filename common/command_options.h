/* SPDX-License-Identifier: MIT */
/*
 * command_options.h: a command's options, by argp, with what argp lacks: an unknown option gets the one
 * that the user may have meant, a wrong one gets one line, -h is --help, and shells can ask for
 * the options, to complete them.
 */
#ifndef TL_COMMON_COMMAND_OPTIONS_H
#define TL_COMMON_COMMAND_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

/* In an argp_option's flags, beside argp's own: the option's value may be empty. */
#define OPTION_MAY_BE_EMPTY 0x1000

/*
 * As argp_parse. Options that are wrong end the process with argp_err_exit_status, and a line on
 * stderr. Tables that several commands share are children.
 */
void options_parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input);

/*
 * From now on, options_parse prints the options instead, a line for each name: the name, a tab, =WORD
 * if it takes a value, [=WORD] if it may have one, a tab, and what it does. Then it ends the process.
 */
void options_only_list(void);

/*
 * As argp_error, in one line: says what is wrong, and ends the process with argp_err_exit_status.
 * argp would add two lines that say how to get help.
 */
__attribute__((format(printf, 2, 3), noreturn)) void option_refuse(const struct argp_state *state,
								   const char *format, ...);

/*
 * Whether `word` may be a slip for `name`; *distance is how many letters are wrong, and has to be
 * less than it was.
 */
bool word_is_nearer(const char *word, const char *name, size_t *distance);
#define WORD_FAR 3 /* begin with this: no slip is so far */

#endif
