/* SPDX-License-Identifier: MIT */
/*
 * vulkan_submits.c: see vulkan_submits.h.
 *
 * The driver gets a copy of the call's array of batches. In the copy, a batch's list of command
 * buffers is another one, with the layer's two around the program's. What the batches point to
 * otherwise (semaphores, extensions) stays where it is.
 */
#include "layer/device/vulkan/vulkan_submits.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layer/base/message.h"
#include "layer/device/vulkan/vulkan_collect.h"
#include "layer/device/vulkan/vulkan_signals.h"
#include "layer/device/vulkan/vulkan_stamps.h"

struct form;

struct submit_state {
	struct vk_queue *queue;
	const struct form *form;
	void *copy;
	struct vk_batch *first, **last; /* of this call */
};
_Static_assert(sizeof(struct submit_state) <= TL_HOOK_STATE, "it fits");

static _Atomic uint64_t missed; /* batches that would have a slice, but for want of a stamp */

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
static struct vk_batch *batch_begin(struct submit_state *state, uint32_t place)
{
	struct tl_device_command *lane = tl_device_submit(state->queue->lanes);
	struct vk_batch *batch = lane ? tl_vk_batch_new() : NULL;
	struct vk_stamp *stamp = batch ? tl_vk_stamp_take(state->queue) : NULL;

	if (lane && !stamp)
		atomic_fetch_add_explicit(&missed, 1, memory_order_relaxed);
	if (!stamp) {
		tl_device_cancel(lane);
		if (batch)
			tl_vk_batch_free(batch);
		return NULL;
	}
	batch->lane = lane;
	batch->stamp = stamp;
	batch->place = place;
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

/* What differs between vkQueueSubmit's batches and those of vkQueueSubmit2. */
struct form {
	size_t size;	       /* of a batch */
	size_t count, buffers; /* where its members of these names are */
	size_t entry;	       /* size of an entry of its list of command buffers */
	bool (*excludes_others)(const void *submit);
	const void *(*buffer)(const void *entry);
	void (*put)(void *entry, void *buffer);
	void (*signal)(struct vk_queue *queue, const void *submit);
};

static uint32_t *submit_count(const struct form *form, void *submit)
{
	return (uint32_t *)((char *)submit + form->count);
}

/* Gives the batch of the copy another list, from `list` on. Returns the list's end. */
static char *submit_wrap(const struct form *form, char *submit, const struct vk_stamp *stamp,
			 char *list)
{
	const void **buffers = (const void **)(submit + form->buffers), *theirs = *buffers;
	uint32_t *count = submit_count(form, submit);
	size_t size = *count * form->entry;

	*buffers = list;
	*count += 2;
	form->put(list, stamp->begin);
	list += form->entry;
	memcpy(list, theirs, size);
	list += size;
	form->put(list, stamp->end);
	return list + form->entry;
}

static void batch_describe(struct vk_batch *batch, const struct form *form, const char *list,
			   uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		tl_vk_contents_add(&batch->contents, form->buffer(list + i * form->entry));
	tl_vk_contents_name(&batch->contents, batch->name, sizeof(batch->name));
	batch->facts = (struct tl_device_facts){.name = batch->name,
						.kind = TL_DEVICE_OTHER,
						.bytes = tl_vk_contents_bytes(&batch->contents)};
}

static void copy_before(struct tl_call *call, struct submit_state *state, const struct form *form)
{
	state->form = form;
	if (!submit_begin(state, call))
		return;
	char *submits = VK_PARAM(call, 2, char *);
	uint32_t count = VK_PARAM(call, 1, uint32_t);
	size_t size = count * form->size, entries = 0;
	for (uint32_t i = 0; i < count; i++)
		entries += *submit_count(form, submits + i * form->size) + 2u;
	char *copy = malloc(size + entries * form->entry);
	if (!copy)
		return;
	char *list = copy + size;
	memcpy(copy, submits, size);
	for (uint32_t i = 0; i < count; i++) {
		char *submit = copy + i * form->size;
		uint32_t buffers = *submit_count(form, submit);
		struct vk_batch *batch =
			buffers && !form->excludes_others(submit) ? batch_begin(state, i) : NULL;
		if (!batch)
			continue;
		batch_describe(batch, form, *(const char **)(submit + form->buffers), buffers);
		list = submit_wrap(form, submit, batch->stamp, list);
	}
	submit_use(state, call, copy);
}

static bool submit_excludes_others(const void *submit)
{
	return chain_excludes_others(((const struct vk_submit *)submit)->any.next);
}

static const void *submit_buffer(const void *entry)
{
	return *(const void *const *)entry;
}

static void submit_put(void *entry, void *buffer)
{
	*(void **)entry = buffer;
}

/* Under the lock, as all of these. */
static void submit_signal(struct vk_queue *queue, const void *batch)
{
	const struct vk_submit *submit = batch;
	const struct vk_any *any = submit->any.next;

	while (any && any->type != VK_TIMELINE_SUBMIT_INFO)
		any = any->next;
	const struct vk_timeline *timeline = (const struct vk_timeline *)any;
	/* For semaphores without values, the array may be shorter, or missing. */
	if (!timeline || !timeline->signals)
		return;
	for (uint32_t i = 0; i < submit->nsignals && i < timeline->nsignals; i++)
		if (timeline->signals[i])
			tl_vk_signal_add(queue, submit->signals[i], timeline->signals[i]);
}

static void submit_before(struct tl_call *call, void *state)
{
	static const struct form form = {.size = sizeof(struct vk_submit),
					 .count = offsetof(struct vk_submit, count),
					 .buffers = offsetof(struct vk_submit, buffers),
					 .entry = sizeof(void *),
					 .excludes_others = submit_excludes_others,
					 .buffer = submit_buffer,
					 .put = submit_put,
					 .signal = submit_signal};

	copy_before(call, state, &form);
}

/* Of a group of devices, a command buffer says on which it runs. */
static bool buffers_are_of_group(const struct vk_submit2 *submit)
{
	for (uint32_t i = 0; i < submit->count; i++)
		if (submit->buffers[i].devices > 1)
			return true;
	return false;
}

static bool submit2_excludes_others(const void *batch)
{
	const struct vk_submit2 *submit = batch;

	return submit->flags & VK_SUBMIT_PROTECTED || chain_excludes_others(submit->any.next) ||
	       buffers_are_of_group(submit);
}

static const void *submit2_buffer(const void *entry)
{
	return ((const struct vk_buffer *)entry)->buffer;
}

static void submit2_put(void *entry, void *buffer)
{
	*(struct vk_buffer *)entry =
		(struct vk_buffer){.any = {.type = VK_COMMAND_BUFFER_INFO}, .buffer = buffer};
}

/*
 * A semaphore that is signaled behind some stages may come before others have ended. One without
 * values has any here, which nobody asks for.
 */
static void submit2_signal(struct vk_queue *queue, const void *batch)
{
	const struct vk_submit2 *submit = batch;

	for (uint32_t i = 0; i < submit->nsignals; i++)
		if (submit->signals[i].value &&
		    submit->signals[i].stages & (VK_STAGE_ALL | VK_STAGE_BOTTOM))
			tl_vk_signal_add(queue, submit->signals[i].semaphore,
					 submit->signals[i].value);
}

static void submit2_before(struct tl_call *call, void *state)
{
	static const struct form form = {.size = sizeof(struct vk_submit2),
					 .count = offsetof(struct vk_submit2, count),
					 .buffers = offsetof(struct vk_submit2, buffers),
					 .entry = sizeof(struct vk_buffer),
					 .excludes_others = submit2_excludes_others,
					 .buffer = submit2_buffer,
					 .put = submit2_put,
					 .signal = submit2_signal};

	copy_before(call, state, &form);
}

/* --- after the call */

/*
 * Under the lock. The queue has the call's batches, those that are watched and others; and what they
 * signal, in this order.
 */
static void queue_append(struct submit_state *state, const struct tl_call *call)
{
	struct vk_queue *queue = state->queue;
	struct vk_batch *batch = state->first;
	const char *submit = VK_PARAM(call, 2, const char *);
	uint32_t count = submit ? VK_PARAM(call, 1, uint32_t) : 0;

	if (batch) {
		*queue->last = batch;
		queue->last = state->last;
	}
	for (uint32_t i = 0; i < count; i++, submit += state->form->size) {
		if (batch && batch->place == i) {
			batch->number = ++queue->number;
			queue->count++;
			batch = batch->next;
		}
		state->form->signal(queue, submit);
	}
	tl_vk_signal_add(queue, VK_PARAM(call, 3, const void *), 0);
}

static void batches_submitted(struct submit_state *state, struct tl_call *call)
{
	const struct tl_device_call here = tl_device_call_of(call);
	uint32_t correlation = tl_device_correlation();

	if (state->first)
		tl_call_correlate(call, correlation);
	for (struct vk_batch *batch = state->first; batch; batch = batch->next) {
		batch->submitted = here;
		batch->request = call->request;
		batch->correlation = correlation;
	}
	pthread_mutex_lock(&tl_vk_lock);
	queue_append(state, call);
	pthread_mutex_unlock(&tl_vk_lock);
	if (state->first)
		tl_vk_collect_meanwhile(state->queue);
}

static void submit_after(struct tl_call *call, void *hook_state, uint64_t result, bool unwound)
{
	struct submit_state *state = hook_state;

	if (!state->queue)
		return;
	if (tl_vk_call_failed(result, unwound))
		batches_cancel(state, unwound);
	else
		batches_submitted(state, call);
	free(state->copy);
}

void tl_vk_submits_say_missed(void)
{
	uint64_t count = atomic_exchange_explicit(&missed, 0, memory_order_relaxed);
	char line[200];

	if (!count)
		return;
	snprintf(line, sizeof(line),
		 "tracelayer: vulkan: %" PRIu64
		 " batch%s no slice: 65,000 before had not ended, or were not "
		 "read yet, or the driver could make no timestamps\n",
		 count, count == 1 ? " has" : "es have");
	tl_message_say(line);
}

const struct tl_hook tl_vk_submit_hooks[] = {
	{"vkQueueSubmit", submit_before, submit_after, TL_HOOK_TIMED},
	{"vkQueueSubmit2", submit2_before, submit_after, TL_HOOK_TIMED},
	{"vkQueueSubmit2KHR", submit2_before, submit_after, TL_HOOK_TIMED},
	{NULL, NULL, NULL, TL_HOOK_PLAIN},
};
