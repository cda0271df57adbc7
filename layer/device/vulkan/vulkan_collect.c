/* SPDX-License-Identifier: MIT */
/*
 * vulkan_collect.c: see vulkan_collect.h.
 *
 * Only the holder of a device's .looking takes batches out of its queues' lists, so the first batch
 * stays while the driver is asked about it. tl_vk_lock is taken for each step, and no driver is
 * called under it.
 *
 * Where a device's clock stands to the host's is known from the batches alone: each began after it
 * was submitted, and had ended when that was seen (tl_clock_fit_bracket).
 */
#include "layer/device/vulkan/vulkan_collect.h"

#include <time.h>

#include "layer/device/background.h"
#include "layer/device/vulkan/vulkan_signals.h"
#include "layer/device/vulkan/vulkan_stamps.h"
#include "layer/device/vulkan/vulkan_submits.h"

#define KEEP 64u /* batches that nobody waits for; beyond it the oldest are asked about */
#define SOME 32u /* batches reported at a time in the background */

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

/* It has ended: what it says of the device's clock. */
static void batch_bracket(struct vk_device *device, const struct vk_batch *batch)
{
	tl_clock_fit_bracket(&device->clock, batch->times[0], batch->times[1], batch->before,
			     batch->waited.end ? batch->waited.end : batch->seen);
}

static void batch_tell(struct vk_device *device, const struct vk_queue *queue,
		       const struct vk_batch *batch)
{
	struct tl_event_arg args[VK_KINDS + 1];
	struct tl_device_work work = batch_work(batch);
	uint64_t seen = batch->waited.end ? batch->waited.end : batch->seen;
	unsigned bits = device->families[queue->family].bits;

	work.has = TL_RAW_START | TL_RAW_END;
	work.raw_start = batch->times[0];
	work.raw_end = batch->times[1];
	work.start = tl_clock_fit_convert(&device->clock, work.raw_start, bits, batch->before).ns;
	work.end = tl_clock_fit_convert(&device->clock, work.raw_end, bits, seen).ns;
	work.nargs = tl_vk_contents_args(&batch->contents, args);
	work.args = args;
	tl_device_done(batch->lane, &work);
}

static void batch_give_up(const struct vk_batch *batch)
{
	const struct tl_device_work work = batch_work(batch);

	tl_device_give_up(batch->lane, &work);
}

/* --- queues; under .looking */

/* Under the lock. */
static bool queue_is_due(const struct vk_queue *queue)
{
	return queue->first && (queue->first->number <= queue->waited || queue->count > KEEP);
}

/*
 * How many batches are asked about at once: those that the program knows to have ended, if there are
 * any. A driver whose threads get in each other's way is best not asked about one under way. Under the
 * lock.
 */
static uint32_t queue_due(const struct vk_queue *queue, const struct vk_batch *first)
{
	return first->number <= queue->waited ? (uint32_t)(queue->waited - first->number + 1)
	       : queue->count > KEEP	      ? queue->count - KEEP
					      : 1;
}

/* NULL: none is due. *count: how many are, with it. */
static struct vk_batch *queue_first(const struct vk_queue *queue, enum collecting what,
				    uint32_t *count)
{
	pthread_mutex_lock(&tl_vk_lock);
	struct vk_batch *first = what == ALL || queue_is_due(queue) ? queue->first : NULL;
	*count = first ? queue_due(queue, first) : 0;
	pthread_mutex_unlock(&tl_vk_lock);
	return first;
}

/* From then on no hook changes it. */
static void queue_take_first(struct vk_queue *queue)
{
	pthread_mutex_lock(&tl_vk_lock);
	if (!(queue->first = queue->first->next))
		queue->last = &queue->first;
	queue->count--;
	tl_vk_signals_drop(queue);
	pthread_mutex_unlock(&tl_vk_lock);
}

/*
 * The first of so many. False: it has not ended; or the process ends, and the driver must not be
 * asked: tl_vk_collect_end asks for the last time.
 */
static bool batch_read(struct vk_device *device, struct vk_batch *batch, uint32_t count)
{
	if (!device->lost && !device->leaving && !tl_vk_may_look())
		return false;
	enum vk_stamp_state state =
		device->lost ? VK_STAMP_LOST
			     : tl_vk_stamp_read(device, batch->stamp, count, batch->times);

	batch->timed = state == VK_STAMP_READ;
	batch->seen = tl_device_now();
	device->lost |= state == VK_STAMP_LOST;
	return state != VK_STAMP_WAITS;
}

/* All are read before the first is shown: each says where the device's clock stands. */
static unsigned queue_collect(struct vk_device *device, struct vk_queue *queue,
			      enum collecting what, unsigned most)
{
	struct vk_batch *batch, *next, *read = NULL, **last = &read;
	unsigned told = 0;
	uint32_t count;

	while (told < most && (batch = queue_first(queue, what, &count)) &&
	       batch_read(device, batch, count)) {
		queue_take_first(queue);
		batch->next = NULL;
		*last = batch;
		last = &batch->next;
		if (batch->timed)
			batch_bracket(device, batch);
		told++;
	}
	for (batch = read; batch; batch = next) {
		next = batch->next;
		if (batch->timed)
			batch_tell(device, queue, batch);
		else
			batch_give_up(batch);
		tl_vk_stamp_give_back(batch->stamp);
		tl_vk_batch_free(batch);
	}
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

static void device_give_up(struct vk_device *device)
{
	struct vk_batch *batch;
	uint32_t count;

	for (struct vk_queue *queue = device_queues(device); queue; queue = queue->next)
		while ((batch = queue_first(queue, ALL, &count))) {
			queue_take_first(queue);
			batch_give_up(batch);
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

static unsigned devices_collect_some(void)
{
	uint64_t round = tl_vk_devices_round();
	struct vk_device *device;
	unsigned told = 0;

	while ((device = tl_vk_devices_look(round, 0))) {
		told += device_collect(device, DUE, SOME);
		pthread_mutex_unlock(&device->looking);
	}
	return told;
}

enum tl_device_left tl_vk_collect_some(void)
{
	unsigned told = devices_collect_some();

	if (told >= SOME)
		return TL_DEVICE_MORE;
	if (told)
		return TL_DEVICE_LATER;
	return tl_vk_awaits() ? TL_DEVICE_UNENDED : TL_DEVICE_NOTHING;
}

/* There is something to do: the background thread does it, or the calling thread. */
static void collect_soon(void)
{
	if (tl_device_do_soon())
		return;
	/* What exit handlers submit is collected in their calls alone. */
	while (devices_collect_some() >= SOME && tl_device_is_late())
		;
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

void tl_vk_collect_waited_signal(struct vk_device *device, const void *handle, uint64_t value,
				 const struct tl_device_call *call)
{
	bool noted = false;

	pthread_mutex_lock(&tl_vk_lock);
	for (struct vk_queue *queue = device->queues; queue; queue = queue->next) {
		uint64_t number = tl_vk_signal_number(queue, handle, value);
		noted |= number && queue_note(queue, number, call);
	}
	pthread_mutex_unlock(&tl_vk_lock);
	if (noted)
		collect_soon();
}

/* --- the end */

/* False: it has batches left. */
static bool device_end(struct vk_device *device, uint64_t deadline)
{
	bool left = false;
	uint32_t count;

	/* A driver that answers slowly is not called any more. */
	if (tl_device_now() > deadline)
		tl_vk_functions_ending(false);
	device_collect(device, ALL, UINT32_MAX);
	for (const struct vk_queue *queue = device_queues(device); queue; queue = queue->next)
		left |= queue_first(queue, ALL, &count) != NULL;
	return !left;
}

void tl_vk_collect_give_up(uint64_t deadline)
{
	uint64_t round = tl_vk_devices_round();
	struct vk_device *device;

	while ((device = tl_vk_devices_look(round, deadline))) {
		device_give_up(device);
		pthread_mutex_unlock(&device->looking);
	}
	tl_vk_functions_over(true);
	tl_vk_submits_say_missed();
}

/* Waits for batches that are about to end. */
void tl_vk_collect_await(uint64_t deadline)
{
	const struct timespec moment = {.tv_nsec = 200000};
	uint64_t patience = tl_device_now() + TL_DEVICE_LAST_WAIT, round;
	struct vk_device *device;
	bool left;

	if (patience > deadline)
		patience = deadline;
	tl_vk_functions_ending(true);
	do {
		left = false;
		round = tl_vk_devices_round();
		while ((device = tl_vk_devices_look(round, deadline))) {
			left |= !device_end(device, deadline);
			pthread_mutex_unlock(&device->looking);
		}
	} while (left && tl_device_now() < patience && tl_vk_may_look() &&
		 !nanosleep(&moment, NULL));
	tl_vk_functions_ending(false);
}

/* What is left when it is late was submitted by exit handlers, or takes long. */
void tl_vk_collect_end(uint64_t deadline)
{
	if (!tl_device_is_late())
		tl_vk_collect_await(deadline);
	tl_vk_collect_give_up(deadline);
}
