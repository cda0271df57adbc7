/* SPDX-License-Identifier: MIT */
/*
 * timeline_selected.h: which of a process's records are selected: by lane, time, name, result and
 * request. Names, results and requests are looked at only if the user asks for some of them.
 *
 * `shown` is the number that a thread or a lane is shown by, in the process's own numbers.
 */
#ifndef TL_CLI_EXPORT_TIMELINE_SELECTED_H
#define TL_CLI_EXPORT_TIMELINE_SELECTED_H

#include "cli/export/timeline_records.h"

/* A text of the file that is being read is this word. */
bool timeline_text_is(const struct timeline_records *records, uint32_t number, const char *word);

/* When an event began and ended, by the process's clock. */
void timeline_event_span(const struct timeline_records *records,
			 const struct tl_event_record *event, uint64_t *start, uint64_t *end);

/* The lane that an event of the thread `tid` is shown on. */
uint32_t timeline_event_shown(const struct timeline_records *records,
			      const struct tl_event_record *event, uint32_t tid);

/* By time. */
bool timeline_selects_span(const struct timeline_records *records, uint64_t start, uint64_t end);

/* By name. */
bool timeline_selects_text(const struct timeline_records *records, uint32_t number);
bool timeline_selects_call(const struct timeline_records *records, uint32_t function);

/* By result and request. */
bool timeline_selects_event(const struct timeline_records *records,
			    const struct tl_event_record *event);
bool timeline_selects_result(const struct timeline_records *records,
			     const struct tl_call_record *call);

/* Finds the lanes of the file that are not selected: records->left_out. */
void timeline_find_left_out(struct timeline_records *records);

#endif
