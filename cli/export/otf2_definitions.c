/* SPDX-License-Identifier: MIT */
/*
 * otf2_definitions.c: see otf2_definitions.h.
 */
#include "config.h"

#if HAVE_OTF2

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/export/otf2_definitions.h"

/* --- numbers */

static uint32_t string_of(struct otf2_writer *writer, const char *text)
{
	return names_number(&writer->strings, text);
}

/* The name and the category are one key; neither has a byte of this value. */
uint32_t otf2_region_of(struct otf2_writer *writer, const char *name, const char *category,
			bool is_transfer)
{
	uint32_t count = writer->region_keys.count, number;
	char *key;

	if (asprintf(&key, "%s\1%s", name, category) < 0)
		need(NULL);
	number = names_number(&writer->region_keys, key);
	free(key);
	if (number < count)
		return number;
	writer->regions =
		need(reallocarray(writer->regions, number + 1, sizeof(struct otf2_region)));
	writer->regions[number] = (struct otf2_region){string_of(writer, name),
						       string_of(writer, category), is_transfer};
	return number;
}

uint32_t otf2_metric_of(struct otf2_writer *writer, const char *name, const char *unit,
			OTF2_Type type)
{
	uint32_t count = writer->metric_keys.count, number;
	char *key;

	if (asprintf(&key, "%s\1%u", name, (unsigned)type) < 0)
		need(NULL);
	number = names_number(&writer->metric_keys, key);
	free(key);
	if (number < count)
		return number;
	writer->metrics =
		need(reallocarray(writer->metrics, number + 1, sizeof(struct otf2_metric)));
	writer->metrics[number] =
		(struct otf2_metric){string_of(writer, name), string_of(writer, unit), type};
	return number;
}

static uint32_t group_add(struct otf2_writer *writer, struct otf2_group group)
{
	writer->groups =
		need(reallocarray(writer->groups, writer->ngroups + 1, sizeof(struct otf2_group)));
	writer->groups[writer->ngroups] = group;
	return writer->ngroups++;
}

static uint32_t queues_of(struct otf2_writer *writer)
{
	struct otf2_group group = writer->groups[writer->group];
	char name[400];

	if (writer->queues != UINT32_MAX)
		return writer->queues;
	snprintf(name, sizeof(name), "%s, queues", writer->strings.list[group.name]);
	group.name = string_of(writer, name);
	group.process = writer->group;
	group.is_queues = true;
	return writer->queues = group_add(writer, group);
}

void otf2_location_add(struct otf2_writer *writer, uint32_t shown, const char *name, bool is_queue)
{
	uint32_t count = writer->location_keys.count,
		 number = numbers_add(&writer->location_keys, shown);

	if (number < count)
		return;
	writer->locations =
		need(reallocarray(writer->locations, number + 1, sizeof(struct otf2_location)));
	writer->locations[number] =
		(struct otf2_location){.name = string_of(writer, name),
				       .group = is_queue ? queues_of(writer) : writer->group,
				       .is_queue = is_queue};
}

void otf2_process_define(struct otf2_writer *writer, const struct timeline_process *process)
{
	uint32_t host = string_of(writer, *process->host ? process->host : "unknown");
	char name[384];

	if (process->has_rank)
		snprintf(name, sizeof(name), "rank %lld (%s %u)", (long long)process->rank,
			 process->program, process->pid);
	else
		snprintf(name, sizeof(name), "%s %u", process->program, process->pid);
	writer->queues = UINT32_MAX;
	writer->group =
		group_add(writer, (struct otf2_group){.name = string_of(writer, name),
						      .node = numbers_add(&writer->nodes, host)});
}

/* --- in the archive */

static void define_location(OTF2_GlobalDefWriter *defs, const struct otf2_location *location)
{
	OTF2_GlobalDefWriter_WriteLocation(defs, location->number, location->name,
					   location->is_queue
						   ? OTF2_LOCATION_TYPE_ACCELERATOR_STREAM
						   : OTF2_LOCATION_TYPE_CPU_THREAD,
					   location->events, location->group);
}

static void define_places(struct otf2_writer *writer, OTF2_GlobalDefWriter *defs, uint32_t job,
			  uint32_t node)
{
	OTF2_GlobalDefWriter_WriteSystemTreeNode(defs, 0, job, job,
						 OTF2_UNDEFINED_SYSTEM_TREE_NODE);
	for (uint32_t i = 0; i < writer->nodes.count; i++) {
		OTF2_GlobalDefWriter_WriteSystemTreeNode(defs, i + 1,
							 (uint32_t)writer->nodes.list[i], node, 0);
		OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(defs, i + 1,
							       OTF2_SYSTEM_TREE_DOMAIN_MACHINE);
	}
	for (uint32_t i = 0; i < writer->ngroups; i++) {
		const struct otf2_group *group = &writer->groups[i];
		OTF2_GlobalDefWriter_WriteLocationGroup(
			defs, i, group->name,
			group->is_queues ? OTF2_LOCATION_GROUP_TYPE_ACCELERATOR
					 : OTF2_LOCATION_GROUP_TYPE_PROCESS,
			group->node + 1,
			group->is_queues ? group->process : OTF2_UNDEFINED_LOCATION_GROUP);
	}
	for (uint32_t i = 0; i < writer->location_keys.count; i++)
		if (writer->locations[i].events)
			define_location(defs, &writer->locations[i]);
}

static OTF2_Paradigm paradigm_of(const char *api)
{
	return !strcmp(api, "opencl") ? OTF2_PARADIGM_OPENCL
	       : !strcmp(api, "mpi")  ? OTF2_PARADIGM_MPI
				      : OTF2_PARADIGM_UNKNOWN;
}

static void define_regions(struct otf2_writer *writer, OTF2_GlobalDefWriter *defs, uint32_t none)
{
	for (uint32_t i = 0; i < writer->region_keys.count; i++) {
		const struct otf2_region *region = &writer->regions[i];
		OTF2_GlobalDefWriter_WriteRegion(
			defs, i, region->name, region->name, region->category,
			region->is_transfer ? OTF2_REGION_ROLE_DATA_TRANSFER
					    : OTF2_REGION_ROLE_FUNCTION,
			paradigm_of(writer->strings.list[region->category]), OTF2_REGION_FLAG_NONE,
			none, 0, 0);
	}
	for (uint32_t i = 0; i < writer->metric_keys.count; i++) {
		const struct otf2_metric *metric = &writer->metrics[i];
		OTF2_GlobalDefWriter_WriteMetricMember(defs, i, metric->name, none,
						       OTF2_METRIC_TYPE_OTHER,
						       OTF2_METRIC_ABSOLUTE_POINT, metric->type,
						       OTF2_BASE_DECIMAL, 0, metric->unit);
		OTF2_GlobalDefWriter_WriteMetricClass(defs, i, 1, &i, OTF2_METRIC_ASYNCHRONOUS,
						      OTF2_RECORDER_KIND_UNKNOWN);
	}
}

static uint32_t *comm_names(struct otf2_writer *writer)
{
	size_t count = writer->timeline->messages.ncomms;
	uint32_t *names = need(calloc(count + 1, sizeof(*names)));
	char name[64];

	for (uint32_t i = 0; i < count; i++) {
		otf2_messages_name(i, name, sizeof(name));
		names[i] = string_of(writer, name);
	}
	return names;
}

/* Each location has a file of definitions, though it needs none of its own. */
static void define_locally(struct otf2_writer *writer)
{
	OTF2_Archive_OpenDefFiles(writer->archive);
	for (uint32_t i = 0; i < writer->nlocations; i++)
		OTF2_Archive_CloseDefWriter(writer->archive,
					    OTF2_Archive_GetDefWriter(writer->archive, i));
	OTF2_Archive_CloseDefFiles(writer->archive);
}

void otf2_archive_define(struct otf2_writer *writer)
{
	uint32_t none = string_of(writer, ""), job = string_of(writer, "job"),
		 node = string_of(writer, "node"), *comms = comm_names(writer);
	const struct timeline_inputs *inputs = &writer->timeline->inputs;

	define_locally(writer);
	OTF2_GlobalDefWriter *defs = OTF2_Archive_GetGlobalDefWriter(writer->archive);
	if (!defs) {
		free(comms);
		return;
	}
	uint64_t first = writer->last ? writer->first : 0;
	int64_t offset = inputs->list[0].clock ? inputs->list[0].clock->offset : 0;
	OTF2_GlobalDefWriter_WriteClockProperties(
		defs, 1000000000, first, writer->last - first + 1,
		(uint64_t)((int64_t)first + offset - inputs->list[0].shift));
	for (uint32_t i = 0; i < writer->strings.count; i++)
		OTF2_GlobalDefWriter_WriteString(defs, i, writer->strings.list[i]);
	define_places(writer, defs, job, node);
	define_regions(writer, defs, none);
	otf2_messages_define(&writer->messages, defs, comms, none);
	free(comms);
	OTF2_Archive_CloseGlobalDefWriter(writer->archive, defs);
}

#endif
