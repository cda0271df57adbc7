/* SPDX-License-Identifier: MIT */
/*
 * basics.h: the contract of cli/basics, what every command needs: exit codes, one-line messages, a
 * progress line, options, safe printing of foreign text, memory that cannot fail, sets of texts and
 * numbers, lists that grow, lists of words, the kernel's times, what is at a path, the folders of
 * the user's own files, and single facts of a trace.
 *
 * The room uses tables, common and format/file. All rooms of cli/ may use it. One thread only.
 */
#ifndef TL_CLI_BASICS_BASICS_H
#define TL_CLI_BASICS_BASICS_H

#include "cli/basics/escaped.h"
#include "cli/basics/exit_codes.h"
#include "cli/basics/fact_values.h"
#include "cli/basics/interned.h"
#include "cli/basics/lane_spans.h"
#include "cli/basics/list_room.h"
#include "cli/basics/messages.h"
#include "cli/basics/options.h"
#include "cli/basics/paths.h"
#include "cli/basics/progress.h"
#include "cli/basics/time_ns.h"
#include "cli/basics/user_folders.h"
#include "cli/basics/words.h"
#include "tables/needed_memory.h"

#endif
