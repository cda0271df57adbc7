/* SPDX-License-Identifier: MIT */
/*
 * top.h: the contract of cli/top, `tracelayer top`: shows live what running traced programs are
 * doing. Called by tracelayer.c.
 *
 * The room uses live to look at processes, leftovers to find them, and tables. top.c looks ten times
 * a second, top_sums.c adds up what one interval had, top_screen.c shows it. One thread only.
 */
#ifndef TL_CLI_TOP_TOP_H
#define TL_CLI_TOP_TOP_H

int command_top(int argc, char **argv);

#endif
