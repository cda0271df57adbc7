/* SPDX-License-Identifier: MIT */
/*
 * common.h: the contract of common: what the layer, the command, the generator and the tool
 * libraries share. Each header is about one thing: settings, text, output files, places, what /proc
 * says.
 *
 * Promises: no part needs another room, or more than libc. All but checked_stdout.h, installed.h,
 * command_options.h, message_line.h, library_file.h, library_path.h and annotation_environment.h,
 * which are for commands, can be used inside a traced process: they allocate nothing (workspace.h has
 * pages of its own), print nothing and know no locale.
 *
 * Who may call: any room. A header says from where: most can be called on any thread, in a signal
 * handler and in a forked child; memory_limits.h and output.h by one thread at a time.
 */
#ifndef TL_COMMON_COMMON_H
#define TL_COMMON_COMMON_H

#include "common/annotation_environment.h"
#include "common/command_kinds.h"
#include "common/command_options.h"
#include "common/digits.h"
#include "common/errno_names.h"
#include "common/follow.h"
#include "common/installed.h"
#include "common/interposer_library.h"
#include "common/launcher.h"
#include "common/levels.h"
#include "common/library_file.h"
#include "common/library_path.h"
#include "common/memory_limits.h"
#include "common/message_line.h"
#include "common/output.h"
#include "common/output_formats.h"
#include "common/places.h"
#include "common/proc.h"
#include "common/program_file.h"
#include "common/rank_set.h"
#include "common/run_protocol.h"
#include "common/workspace.h"
#include "common/settings.h"
#include "common/signature.h"
#include "common/stages.h"
#include "common/text.h"
#include "common/tool_list.h"
#include "common/xpti_environment.h"
#include "common/checked_stdout.h"

#endif
