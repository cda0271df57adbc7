/* SPDX-License-Identifier: MIT */
/*
 * otf2_records.h: the records of a process as slices of OTF2's locations: calls, commands and marks,
 * transfers' bytes, counters, and the ends of messages.
 */
#ifndef TL_CLI_EXPORT_OTF2_RECORDS_H
#define TL_CLI_EXPORT_OTF2_RECORDS_H

#include "cli/export/otf2_writer.h"

/* The threads and queues of the file that is being read. */
void otf2_find_locations(struct otf2_writer *writer);

/* The batch that was read. */
void otf2_batch_add(struct otf2_writer *writer);

/* After the last batch: calls that have not returned; the ends of messages. */
void otf2_unfinished_add(struct otf2_writer *writer);
void otf2_messages_add(struct otf2_writer *writer);

/* Marks that have no end are left out. */
void otf2_free_marks(struct otf2_writer *writer);

#endif
