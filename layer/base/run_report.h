/* SPDX-License-Identifier: MIT */
/*
 * run_report.h: what the layer tells `tracelayer run` (common/run_protocol.h).
 *
 * Every function here does nothing unless `run` asked for it, keeps errno, allocates nothing, and
 * may be called in any thread.
 */
#ifndef TL_LAYER_BASE_RUN_REPORT_H
#define TL_LAYER_BASE_RUN_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracelayer/api.h"

/*
 * From the library's constructor, after the settings were read, and only if they allow anything at
 * all (not set-user-id).
 */
void tl_report_start(void);

/* `run` asked for reports, and waits until all of the program's processes have ended. */
bool tl_report_is_asked(void);

/*
 * `run` asked for reports, and they don't reach it: it has ended, or the process was started in a
 * sandbox. Then `run` can't recover what this process leaves.
 */
bool tl_report_is_out_of_reach(void);

/* This process reports nothing from now on. */
void tl_report_stop(void);

/*
 * The program called a shim, recorded or not. Only a process's first call is reported. Cheap after
 * that.
 */
void tl_report_called(const char *function);

/*
 * A call that is recorded, and so not filtered out, is about to be made. Only the first is
 * reported. Cheap after that.
 */
void tl_report_recorded(void);

/*
 * A buffers file is about to be made; its absolute path. Whoever outlives this process takes care
 * of the file.
 */
void tl_report_buffers(const char *path);

/* From the writer; paths are absolute. */
void tl_report_trace(const char *path);
void tl_report_finished(const char *path, uint64_t events, uint64_t lost);

/* Returns true if `run` will report it, so that the layer need not. */
bool tl_report_failed(const char *path, int error);

/*
 * There is no memory for buffers; so many events are lost so far. Returns true if `run` will report
 * it.
 */
bool tl_report_no_memory(uint64_t lost);

/* This process has loaded tools that say something at its end; `end`: it ends now. */
void tl_report_tools(bool end);

/*
 * The program confines itself, so nothing can be recorded or printed from here on. Returns true if
 * `run` will report it.
 */
bool tl_report_confined(bool began);

/* There are shims for this API: a program that loads one of its libraries has what it needs. */
void tl_report_shimmed(const struct tl_api *api);

/*
 * The program has taken functions from the driver at that path, while none of the API's loaders was
 * loaded. `api`: the API has no shims, and --api gives them by that name; NULL: it has. Reported at
 * the end, if no shim was called. Only the first counts.
 */
void tl_report_bypassed(const char *path, const char *loader, const char *api);

/*
 * A program is about to be started that the layer won't be in: why (TL_WITHOUT_…), and its path.
 * Also in a child of vfork.
 */
void tl_report_without(const char *why, const char *path);

/*
 * That program is about to be started without this library of LD_PRELOAD, as it can't be read
 * there. Also in a child of vfork.
 */
void tl_report_unreadable(const char *library, size_t length, const char *path);

/*
 * At the end: the library at that path takes the calls of functions that have shims. Reported only if
 * no shim was called.
 */
void tl_report_preceded(const char *path);

#endif
