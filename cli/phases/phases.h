/* SPDX-License-Identifier: MIT */
/*
 * phases.h: the contract of cli/phases, `tracelayer phases`: what the layers of Android's neural
 * networks API spent in each phase, from a systrace or from a trace of tracelayer. Called by
 * tracelayer.c.
 *
 * The room uses systrace for the text and its marks. It reads the text twice: the last row may
 * still tell which threads and processes are of interest (phase_threads.h). The second pass builds
 * a tree of marks for each thread (phase_tree.h), adds each run up (phase_times.h), and prints it
 * (phase_print.h). With read it finds the part that the user selects (phase_select.h). One thread
 * only.
 */
#ifndef TL_CLI_PHASES_PHASES_H
#define TL_CLI_PHASES_PHASES_H

int command_phases(int argc, char **argv);

#endif
