/* SPDX-License-Identifier: MIT */
/*
 * otf2_definitions.h: the definitions of an archive of OTF2. They get their numbers, from 0, in the
 * order in which things come, and are written last.
 */
#ifndef TL_CLI_EXPORT_OTF2_DEFINITIONS_H
#define TL_CLI_EXPORT_OTF2_DEFINITIONS_H

#include "cli/export/otf2_writer.h"

uint32_t otf2_region_of(struct otf2_writer *writer, const char *name, const char *category,
			bool is_transfer);
uint32_t otf2_metric_of(struct otf2_writer *writer, const char *name, const char *unit,
			OTF2_Type type);

/* A thread or a queue of the process that is being read, by its number in the output. */
void otf2_location_add(struct otf2_writer *writer, uint32_t shown, const char *name, bool is_queue);

/* The next process to be read. */
void otf2_process_define(struct otf2_writer *writer, const struct timeline_process *process);

/* All of them, after the events. */
void otf2_archive_define(struct otf2_writer *writer);

#endif
