/* SPDX-License-Identifier: MIT */
/*
 * vulkan_collect.c: see vulkan_collect.h.
 *
 * Only the holder of tl_vk_looking takes batches out of a queue's list, so the first batch stays
 * while the driver is asked about it. tl_vk_lock is taken for each step, and no driver is called
 * under it.
 *
 * Where a device's clock stands to the host's is known from the batches alone: each began after it
 * was submitted, and had ended when that was seen (tl_clock_fit_bracket).
 */
#include "layer/device/vulkan/vulkan_collect.h"

#include <time.h>

#include "layer/device/background.h"
#include "layer/device/vulkan/vulkan_stamps.h"

#define KEEP 64u /* batches that nobody waits for; beyond it the oldest are asked about */
#define SOME 32u /* batches reported at a time in the background */
/* nanoseconds that the process's end may wait for batches that are about to end */
#define LAST_WAIT 20000000u

enum collecting { DUE, ALL };

/* --- reporting a batch */

static struct tl_device_work batch_work(const struct vk_batch *batch)
{
	return (struct tl_device_work){.facts = &batch->facts,
				       .correlation = batch->correlation,
				       .request = batch->request,
				       .submitted = batch->submitted,
				       .waited = batch->waited};
}

static void batch_tell(struct vk_device *device, const struct vk_queue *queue,
		       const struct vk_batch *batch, const uint64_t times[2])
{
	struct tl_device_work work = batch_work(batch);
	uint64_t seen = batch->waited.end ? batch->waited.end : tl_device_now();
	unsigned bits = device->families[queue->family].bits;

	tl_clock_fit_bracket(&device->clock, times[0], times[1], batch->before, seen);
	work.has = TL_RAW_START | TL_RAW_END;
	work.raw_start = times[0];
	work.raw_end = times[1];
	work.start = tl_clock_fit_convert(&device->clock, times[0], bits, batch->before).ns;
	work.end = tl_clock_fit_convert(&device->clock, times[1], bits, seen).ns;
	tl_device_done(batch->lane, &work);
}

/* Its timestamps can't be had. It has ended if a call has waited for it. */
static void batch_give_up(const struct vk_batch *batch)
{
	struct tl_device_work work = batch_work(batch);
	const struct tl_event_arg args[1] = {tl_event_text("times", "host")};

	work.unfinished = !batch->waited.end;
	work.start = work.unfinished ? batch->submitted.end : batch->submitted.start;
	work.end = work.unfinished ? tl_device_now() : batch->waited.end;
	work.nargs = !work.unfinished;
	work.args = args;
	tl_device_done(batch->lane, &work);
}

/* --- queues; under tl_vk_looking */

/* Under the lock. */
static bool queue_is_due(const struct vk_queue *queue)
{
	return queue->first && (queue->first->number <= queue->waited || queue->count > KEEP);
}

static struct vk_batch *queue_first(const struct vk_queue *queue, enum collecting what)
{
	pthread_mutex_lock(&tl_vk_lock);
	struct vk_batch *first = what == ALL || queue_is_due(queue) ? queue->first : NULL;
	pthread_mutex_unlock(&tl_vk_lock);
	return first;
}

static void queue_take_first(struct vk_queue *queue)
{
	pthread_mutex_lock(&tl_vk_lock);
	if (!(queue->first = queue->first->next))
		queue->last = &queue->first;
	queue->count--;
	pthread_mutex_unlock(&tl_vk_lock);
}

/* False: the first batch has not ended. */
static bool queue_tell_first(struct vk_device *device, struct vk_queue *queue,
			     struct vk_batch *batch)
{
	uint64_t times[2];
	enum vk_stamp_state state = device->lost || !tl_vk_usable()
					    ? VK_STAMP_LOST
					    : tl_vk_stamp_read(device, batch->stamp, times);

	if (state == VK_STAMP_WAITS)
		return false;
	if (state == VK_STAMP_READ)
		batch_tell(device, queue, batch, times);
	else
		batch_give_up(batch);
	device->lost |= state == VK_STAMP_LOST;
	queue_take_first(queue);
	tl_vk_stamp_give_back(device, batch->stamp);
	tl_vk_batch_free(batch);
	return true;
}

static unsigned queue_collect(struct vk_device *device, struct vk_queue *queue,
			      enum collecting what, unsigned most)
{
	struct vk_batch *batch;
	unsigned told = 0;

	while (told < most && (batch = queue_first(queue, what)) &&
	       queue_tell_first(device, queue, batch))
		told++;
	return told;
}

static struct vk_queue *device_queues(const struct vk_device *device)
{
	pthread_mutex_lock(&tl_vk_lock);
	struct vk_queue *first = device->queues;
	pthread_mutex_unlock(&tl_vk_lock);
	return first;
}

static unsigned device_collect(struct vk_device *device, enum collecting what, unsigned most)
{
	unsigned told = 0;

	for (struct vk_queue *queue = device_queues(device); queue; queue = queue->next)
		told += queue_collect(device, queue, what, most);
	return told;
}

static struct vk_device *devices_first(void)
{
	pthread_mutex_lock(&tl_vk_lock);
	struct vk_device *first = tl_vk_devices();
	pthread_mutex_unlock(&tl_vk_lock);
	return first;
}

static void device_give_up(struct vk_device *device)
{
	struct vk_batch *batch;

	for (struct vk_queue *queue = device_queues(device); queue; queue = queue->next)
		while ((batch = queue_first(queue, ALL))) {
			batch_give_up(batch);
			queue_take_first(queue);
			tl_vk_batch_free(batch);
		}
}

void tl_vk_collect_last(struct vk_device *device)
{
	device_collect(device, ALL, UINT32_MAX);
	device_give_up(device);
}

/* --- in the background */

bool tl_vk_awaits(void)
{
	bool due = false;

	pthread_mutex_lock(&tl_vk_lock);
	for (const struct vk_device *device = tl_vk_devices(); device && !due;
	     device = device->next)
		for (const struct vk_queue *queue = device->queues; queue && !due;
		     queue = queue->next)
			due = queue_is_due(queue);
	pthread_mutex_unlock(&tl_vk_lock);
	return due;
}

enum tl_device_left tl_vk_collect_some(void)
{
	unsigned told = 0;

	pthread_mutex_lock(&tl_vk_looking);
	for (struct vk_device *device = devices_first(); device; device = device->next)
		told += device_collect(device, DUE, SOME);
	pthread_mutex_unlock(&tl_vk_looking);
	if (told >= SOME)
		return TL_DEVICE_MORE;
	if (told)
		return TL_DEVICE_LATER;
	return tl_vk_awaits() ? TL_DEVICE_UNENDED : TL_DEVICE_NOTHING;
}

/* There is something to do: the background thread does it, or the calling thread. */
static void collect_soon(void)
{
	if (tl_device_do_soon() || pthread_mutex_trylock(&tl_vk_looking) != 0)
		return;
	for (struct vk_device *device = devices_first(); device; device = device->next)
		device_collect(device, DUE, SOME);
	pthread_mutex_unlock(&tl_vk_looking);
}

void tl_vk_collect_meanwhile(const struct vk_queue *queue)
{
	pthread_mutex_lock(&tl_vk_lock);
	bool due = queue_is_due(queue);
	pthread_mutex_unlock(&tl_vk_lock);
	if (due)
		collect_soon();
}

/* Under the lock. Returns whether the call is the first to wait for some batch. */
static bool queue_note(struct vk_queue *queue, uint64_t number, const struct tl_device_call *call)
{
	bool noted = false;

	for (struct vk_batch *batch = queue->first; batch && batch->number <= number;
	     batch = batch->next) {
		if (batch->submitted.end > call->start)
			break;
		if (batch->waited.end)
			continue;
		batch->waited = *call;
		queue->waited = batch->number;
		noted = true;
	}
	return noted;
}

void tl_vk_collect_waited_queue(struct vk_queue *queue, const struct tl_device_call *call)
{
	pthread_mutex_lock(&tl_vk_lock);
	bool noted = queue_note(queue, UINT64_MAX, call);
	pthread_mutex_unlock(&tl_vk_lock);
	if (noted)
		collect_soon();
}

void tl_vk_collect_waited_device(struct vk_device *device, const struct tl_device_call *call)
{
	bool noted = false;

	pthread_mutex_lock(&tl_vk_lock);
	for (struct vk_queue *queue = device->queues; queue; queue = queue->next)
		noted |= queue_note(queue, UINT64_MAX, call);
	pthread_mutex_unlock(&tl_vk_lock);
	if (noted)
		collect_soon();
}

/* Under the lock. The number of the last batch with that fence; 0: there is none. */
static uint64_t queue_number_of(const struct vk_queue *queue, const void *fence)
{
	uint64_t number = 0;

	for (const struct vk_batch *batch = queue->first; batch; batch = batch->next)
		if (batch->fence == fence)
			number = batch->number;
	return number;
}

void tl_vk_collect_waited_fence(struct vk_device *device, const void *fence,
				const struct tl_device_call *call)
{
	bool noted = false;

	pthread_mutex_lock(&tl_vk_lock);
	for (struct vk_queue *queue = device->queues; queue; queue = queue->next) {
		uint64_t number = queue_number_of(queue, fence);
		noted |= number && queue_note(queue, number, call);
	}
	pthread_mutex_unlock(&tl_vk_lock);
	if (noted)
		collect_soon();
}

/* --- the end */

static bool batches_are_left(void)
{
	bool left = false;

	pthread_mutex_lock(&tl_vk_lock);
	for (const struct vk_device *device = tl_vk_devices(); device && !left;
	     device = device->next)
		for (const struct vk_queue *queue = device->queues; queue && !left;
		     queue = queue->next)
			left = queue->first;
	pthread_mutex_unlock(&tl_vk_lock);
	return left;
}

void tl_vk_collect_end(uint64_t deadline)
{
	const struct timespec moment = {.tv_nsec = 200000};
	uint64_t patience = tl_device_now() + LAST_WAIT;

	if (patience > deadline)
		patience = deadline;
	do {
		for (struct vk_device *device = devices_first(); device; device = device->next) {
			/* A driver that answers slowly is not called any more. */
			if (tl_device_now() > deadline)
				tl_vk_functions_ending(false);
			device_collect(device, ALL, UINT32_MAX);
		}
	} while (batches_are_left() && tl_device_now() < patience && tl_vk_usable() &&
		 !nanosleep(&moment, NULL));
	for (struct vk_device *device = devices_first(); device; device = device->next)
		device_give_up(device);
}
