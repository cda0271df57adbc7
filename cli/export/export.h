/* SPDX-License-Identifier: MIT */
/*
 * export.h: the contract of cli/export, `tracelayer export`: makes a .tlt file into a trace that
 * viewers read, or any trace into JSON, a database, folded stacks or the text of a systrace. Called by
 * tracelayer.c.
 *
 * The room uses systrace, sqlite, tally, job, read, outputs, format/encode and format/args. The command
 * prints what is wrong. It runs in one thread; export_encode.c has threads of its own, which print
 * nothing.
 */
#ifndef TL_CLI_EXPORT_EXPORT_H
#define TL_CLI_EXPORT_EXPORT_H

int command_export(int argc, char **argv);

#endif
