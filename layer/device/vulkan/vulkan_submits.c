/* SPDX-License-Identifier: MIT */
/*
 * vulkan_submits.c: see vulkan_submits.h.
 *
 * The driver gets a copy of the call's array of batches. In the copy, a batch's list of command
 * buffers is another one, with the layer's two around the program's. What the batches point to
 * otherwise (semaphores, extensions) stays where it is.
 */
#include "layer/device/vulkan/vulkan_submits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layer/device/vulkan/vulkan_collect.h"
#include "layer/device/vulkan/vulkan_stamps.h"

/* A call with more batches gets no slices for those beyond. */
#define MOST 64u

struct submit_state {
	struct vk_queue *queue;
	void *copy;
	struct vk_batch *first, **last; /* of this call */
};
_Static_assert(sizeof(struct submit_state) <= TL_HOOK_STATE, "it fits");

/* --- batches */

/* It may contain no other command buffers, or says for each of them where it runs. */
static bool chain_excludes_others(const struct vk_any *any)
{
	for (; any; any = any->next)
		if (any->type == VK_DEVICE_GROUP_SUBMIT_INFO ||
		    any->type == VK_PROTECTED_SUBMIT_INFO)
			return true;
	return false;
}

/* A batch of this call, with a stamp; NULL: it is not watched. */
static struct vk_batch *batch_begin(struct submit_state *state, uint32_t buffers)
{
	struct tl_device_command *lane = tl_device_submit(state->queue->lanes);
	struct vk_batch *batch = lane ? tl_vk_batch_new() : NULL;
	struct vk_stamp *stamp = batch ? tl_vk_stamp_take(state->queue) : NULL;

	if (!stamp) {
		tl_device_cancel(lane);
		if (batch)
			tl_vk_batch_free(batch);
		return NULL;
	}
	batch->lane = lane;
	batch->stamp = stamp;
	snprintf(batch->name, sizeof(batch->name), "%u command buffer%s", buffers,
		 buffers == 1 ? "" : "s");
	batch->facts = (struct tl_device_facts){.name = batch->name, .kind = TL_DEVICE_OTHER};
	*state->last = batch;
	state->last = &batch->next;
	return batch;
}

/*
 * A call that was left by longjmp may have submitted them, and its device may be gone by now: then
 * the stamps stay what they are.
 */
static void batches_cancel(struct submit_state *state, bool unwound)
{
	struct vk_batch *batch, *next;

	for (batch = state->first; batch; batch = next) {
		next = batch->next;
		tl_device_cancel(batch->lane);
		if (!unwound)
			tl_vk_stamp_give_back(batch->stamp);
		tl_vk_batch_free(batch);
	}
}

/* --- copies */

/* The queue; whether the call has batches that may be watched. */
static bool submit_begin(struct submit_state *state, const struct tl_call *call)
{
	if (!tl_vk_is_known(call) || !tl_vk_usable())
		return false;
	pthread_mutex_lock(&tl_vk_lock);
	state->queue = tl_vk_queue_find(VK_PARAM(call, 0, const void *));
	pthread_mutex_unlock(&tl_vk_lock);
	state->last = &state->first;
	return state->queue && VK_PARAM(call, 1, uint32_t) && VK_PARAM(call, 2, const void *);
}

/* The driver gets the copy, if that differs. */
static void submit_use(struct submit_state *state, struct tl_call *call, void *copy)
{
	if (!state->first) {
		free(copy);
		return;
	}
	uint64_t now = tl_device_now();
	for (struct vk_batch *batch = state->first; batch; batch = batch->next)
		batch->before = now;
	state->copy = copy;
	VK_PARAM(call, 2, const void *) = copy;
}

static void submit_before(struct tl_call *call, void *hook_state)
{
	struct submit_state *state = hook_state;

	if (!submit_begin(state, call))
		return;
	const struct vk_submit *submits = VK_PARAM(call, 2, const struct vk_submit *);
	uint32_t count = VK_PARAM(call, 1, uint32_t);
	size_t buffers = 0;
	for (uint32_t i = 0; i < count; i++)
		buffers += submits[i].count + 2u;
	struct vk_submit *copy = malloc(count * sizeof(*copy) + buffers * sizeof(void *));
	if (!copy)
		return;
	void **list = (void **)(copy + count);
	memcpy(copy, submits, count * sizeof(*copy));
	for (uint32_t i = 0; i < count && i < MOST; i++) {
		const struct vk_batch *batch =
			submits[i].count && !chain_excludes_others(submits[i].any.next)
				? batch_begin(state, submits[i].count)
				: NULL;
		if (!batch)
			continue;
		copy[i].buffers = list;
		copy[i].count += 2;
		*list++ = batch->stamp->begin;
		memcpy(list, submits[i].buffers, submits[i].count * sizeof(*list));
		list += submits[i].count;
		*list++ = batch->stamp->end;
	}
	submit_use(state, call, copy);
}

static struct vk_buffer buffer_info(void *buffer)
{
	return (struct vk_buffer){.any = {.type = VK_COMMAND_BUFFER_INFO}, .buffer = buffer};
}

/* Of a group of devices, a command buffer says on which it runs. */
static bool buffers_are_of_group(const struct vk_submit2 *submit)
{
	for (uint32_t i = 0; i < submit->count; i++)
		if (submit->buffers[i].devices > 1)
			return true;
	return false;
}

static bool submit2_excludes_others(const struct vk_submit2 *submit)
{
	return submit->flags & VK_SUBMIT_PROTECTED || chain_excludes_others(submit->any.next) ||
	       buffers_are_of_group(submit);
}

static void submit2_before(struct tl_call *call, void *hook_state)
{
	struct submit_state *state = hook_state;

	if (!submit_begin(state, call))
		return;
	const struct vk_submit2 *submits = VK_PARAM(call, 2, const struct vk_submit2 *);
	uint32_t count = VK_PARAM(call, 1, uint32_t);
	size_t buffers = 0;
	for (uint32_t i = 0; i < count; i++)
		buffers += submits[i].count + 2u;
	struct vk_submit2 *copy =
		malloc(count * sizeof(*copy) + buffers * sizeof(struct vk_buffer));
	if (!copy)
		return;
	struct vk_buffer *list = (struct vk_buffer *)(copy + count);
	memcpy(copy, submits, count * sizeof(*copy));
	for (uint32_t i = 0; i < count && i < MOST; i++) {
		const struct vk_batch *batch =
			submits[i].count && !submit2_excludes_others(&submits[i])
				? batch_begin(state, submits[i].count)
				: NULL;
		if (!batch)
			continue;
		copy[i].buffers = list;
		copy[i].count += 2;
		*list++ = buffer_info(batch->stamp->begin);
		memcpy(list, submits[i].buffers, submits[i].count * sizeof(*list));
		list += submits[i].count;
		*list++ = buffer_info(batch->stamp->end);
	}
	submit_use(state, call, copy);
}

/* --- after the call */

static void batches_submitted(struct submit_state *state, struct tl_call *call)
{
	struct vk_queue *queue = state->queue;
	const struct tl_device_call here = tl_device_call_of(call);
	uint32_t correlation = tl_device_correlation();

	tl_call_correlate(call, correlation);
	pthread_mutex_lock(&tl_vk_lock);
	for (struct vk_batch *batch = state->first; batch; batch = batch->next) {
		batch->submitted = here;
		batch->request = call->request;
		batch->correlation = correlation;
		batch->fences[0] = VK_PARAM(call, 3, const void *);
		batch->number = ++queue->number;
		queue->count++;
	}
	*queue->last = state->first;
	queue->last = state->last;
	pthread_mutex_unlock(&tl_vk_lock);
	tl_vk_collect_meanwhile(queue);
}

static void submit_after(struct tl_call *call, void *hook_state, uint64_t result, bool unwound)
{
	struct submit_state *state = hook_state;

	if (!state->copy) {
		if (state->queue && VK_PARAM(call, 3, const void *) &&
		    !tl_vk_call_failed(result, unwound))
			tl_vk_collect_fence(state->queue, VK_PARAM(call, 3, const void *));
		return;
	}
	if (tl_vk_call_failed(result, unwound))
		batches_cancel(state, unwound);
	else
		batches_submitted(state, call);
	free(state->copy);
}

const struct tl_hook tl_vk_submit_hooks[] = {
	{"vkQueueSubmit", submit_before, submit_after, TL_HOOK_TIMED},
	{"vkQueueSubmit2", submit2_before, submit_after, TL_HOOK_TIMED},
	{"vkQueueSubmit2KHR", submit2_before, submit_after, TL_HOOK_TIMED},
	{NULL, NULL, NULL, TL_HOOK_PLAIN},
};
