/* SPDX-License-Identifier: MIT */
/*
 * ze_mutable.c: lists whose commands the program changes after it has appended them, and copies of
 * lists.
 *
 * The program asks for a number for the next command that it appends. With that number it can
 * change the command while the list is not being executed: kernel, sizes, event. Before a change,
 * what earlier executions left is read and shown.
 *
 * The headers of Level Zero 1.4 lack all of this, so its structures are here.
 */
#include "layer/device/ze/ze_mutable.h"

#include <stdlib.h>
#include <string.h>

#include "layer/device/ze/ze_collect.h"
#include "layer/device/ze/ze_driver_functions.h"
#include "layer/device/ze/ze_events.h"
#include "layer/device/ze/ze_kernels.h"
#include "layer/device/ze/ze_lists.h"
#include "layer/device/ze/ze_recordings.h"

#define CHANGES_SIGNAL 16u /* ZE_MUTABLE_COMMAND_EXP_FLAG_SIGNAL_EVENT */
/* ZE_STRUCTURE_TYPE_MUTABLE_GROUP_COUNT_EXP_DESC, …_GROUP_SIZE_EXP_DESC */
#define GROUP_COUNT 0x0002001au
#define GROUP_SIZE  0x0002001bu

/* ze_mutable_command_id_exp_desc_t, ze_mutable_commands_exp_desc_t */
struct mutable_desc {
	ze_structure_type_t stype;
	const void *next;
	uint32_t flags;
};

/*
 * the common beginning of all descriptions of a change, and the rest of
 * ze_mutable_group_count_exp_desc_t and ze_mutable_group_size_exp_desc_t
 */
struct change_desc {
	ze_structure_type_t stype;
	const void *next;
	uint64_t id;
	union {
		const ze_group_count_t *counts;
		uint32_t sizes[3];
	};
};

static struct ze_list *call_list(const struct tl_call *call)
{
	struct ze_list *list = tl_ze_list_find(ZE_PARAM(call, 0, ze_command_list_handle_t));

	return list && list->recording ? list : NULL;
}

static struct ze_command *recording_command(struct ze_recording *recording, uint64_t id)
{
	for (uint32_t i = 0; id && i < recording->count; i++)
		if (recording->commands[i].id == id)
			return &recording->commands[i];
	return NULL;
}

/* --- the number of the next command */

static void next_id_after_at(struct tl_call *call, unsigned id, uint64_t result, bool unwound)
{
	const struct mutable_desc *desc = ZE_PARAM(call, 1, const struct mutable_desc *);

	if (unwound || result != ZE_RESULT_SUCCESS)
		return;
	pthread_mutex_lock(&tl_ze_lock);
	struct ze_list *list = call_list(call);
	if (list) {
		list->next_id = *ZE_PARAM(call, id, uint64_t *);
		list->next_signals = desc->flags == 0 || desc->flags & CHANGES_SIGNAL;
	}
	pthread_mutex_unlock(&tl_ze_lock);
}

static void next_id_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	next_id_after_at(call, 2, result, unwound);
	(void)state;
}

static void next_id_with_kernels_after(struct tl_call *call, void *state, uint64_t result,
				       bool unwound)
{
	next_id_after_at(call, 4, result, unwound);
	(void)state;
}

/* --- changes */

static void change_before(struct tl_call *call, void *state)
{
	pthread_mutex_lock(&tl_ze_lock);
	const struct ze_list *list = call_list(call);
	if (list)
		tl_ze_recording_collect(list->recording);
	pthread_mutex_unlock(&tl_ze_lock);
	(void)state;
}

static uint64_t command_group_count(const struct ze_command *command, unsigned i)
{
	return command->facts.local[i] ? command->facts.global[i] / command->facts.local[i] : 0;
}

static void command_change_sizes(struct ze_command *command, const struct change_desc *change)
{
	for (unsigned i = 0; i < 3; i++) {
		uint64_t count = change->stype == GROUP_COUNT ? (&change->counts->groupCountX)[i]
							      : command_group_count(command, i);
		if (change->stype == GROUP_SIZE)
			command->facts.local[i] = change->sizes[i];
		command->facts.global[i] = count * command->facts.local[i];
	}
}

static void change_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	const struct mutable_desc *desc = ZE_PARAM(call, 1, const struct mutable_desc *);

	if (unwound || result != ZE_RESULT_SUCCESS || !desc)
		return;
	pthread_mutex_lock(&tl_ze_lock);
	struct ze_list *list = call_list(call);
	for (const struct change_desc *change = desc->next; list && change; change = change->next) {
		struct ze_command *command = recording_command(list->recording, change->id);
		if (command && command->facts.dimensions &&
		    (change->stype == GROUP_SIZE ||
		     (change->stype == GROUP_COUNT && change->counts)))
			command_change_sizes(command, change);
	}
	pthread_mutex_unlock(&tl_ze_lock);
	(void)state;
}

static void command_change_kernel(struct ze_command *command, ze_kernel_handle_t handle)
{
	const struct ze_kernel *kernel = tl_ze_kernel_find(handle);

	tl_ze_command_set_kernel(command, kernel ? kernel->name : NULL);
	command->facts.kernel = kernel ? kernel->facts : 0;
	for (unsigned i = 0; kernel && kernel->group[0] && command->facts.dimensions && i < 3;
	     i++) {
		command->facts.global[i] = command_group_count(command, i) * kernel->group[i];
		command->facts.local[i] = kernel->group[i];
	}
}

static void change_kernels_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	const uint64_t *ids = ZE_PARAM(call, 2, uint64_t *);
	const ze_kernel_handle_t *kernels = ZE_PARAM(call, 3, ze_kernel_handle_t *);

	if (unwound || result != ZE_RESULT_SUCCESS || !ids || !kernels)
		return;
	pthread_mutex_lock(&tl_ze_lock);
	struct ze_list *list = call_list(call);
	for (uint32_t i = 0; list && i < ZE_PARAM(call, 1, uint32_t); i++) {
		struct ze_command *command = recording_command(list->recording, ids[i]);
		if (command)
			command_change_kernel(command, kernels[i]);
	}
	pthread_mutex_unlock(&tl_ze_lock);
	(void)state;
}

static void change_signal_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	ze_event_handle_t signal = ZE_PARAM(call, 2, ze_event_handle_t);

	if (unwound || result != ZE_RESULT_SUCCESS)
		return;
	pthread_mutex_lock(&tl_ze_lock);
	struct ze_list *list = call_list(call);
	struct ze_command *command =
		list ? recording_command(list->recording, ZE_PARAM(call, 1, uint64_t)) : NULL;
	if (command)
		tl_ze_recording_signal(list->recording, command,
				       signal ? tl_ze_event_known(signal) : NULL);
	pthread_mutex_unlock(&tl_ze_lock);
	(void)state;
}

/* --- copies */

/* The list and its copy write to the same events and memory of the layer's. */
static void list_clone_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	if (unwound || result != ZE_RESULT_SUCCESS)
		return;
	pthread_mutex_lock(&tl_ze_lock);
	const struct ze_list *list = call_list(call);
	if (list) {
		tl_ze_recording_collect(list->recording);
		tl_ze_recording_spoil(list->recording);
		tl_ze_list_clone(list, *ZE_PARAM(call, 1, ze_command_list_handle_t *));
	}
	pthread_mutex_unlock(&tl_ze_lock);
	(void)state;
}

const struct tl_hook tl_ze_mutable_hooks[] = {
	{"zeCommandListGetNextCommandIdExp", NULL, next_id_after, TL_HOOK_PLAIN},
	{"zeCommandListGetNextCommandIdWithKernelsExp", NULL, next_id_with_kernels_after,
	 TL_HOOK_PLAIN},
	{"zeCommandListUpdateMutableCommandsExp", change_before, change_after, TL_HOOK_PLAIN},
	{"zeCommandListUpdateMutableCommandSignalEventExp", change_before, change_signal_after,
	 TL_HOOK_PLAIN},
	{"zeCommandListUpdateMutableCommandKernelsExp", change_before, change_kernels_after,
	 TL_HOOK_PLAIN},
	{"zeCommandListCreateCloneExp", NULL, list_clone_after, TL_HOOK_PLAIN},
	{NULL, NULL, NULL, TL_HOOK_PLAIN},
};
