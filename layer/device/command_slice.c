/* SPDX-License-Identifier: MIT */
/*
 * command_slice.c: see command_slice.h.
 */
#include "layer/device/command_slice.h"

#include <stdio.h>
#include <string.h>

#include "layer/buffers/clock.h"
#include "layer/buffers/strings.h"
#include "layer/device/device_texts.h"
#include "layer/device/kernel_facts.h"
#include "tracelayer/api.h"

/*
 * nanoseconds inside of a call's bounds: its slice's times are converted ticks, and may differ a
 * little
 */
#define INSIDE 100u
/* the same where the slice's times are known: a nested call of the driver may begin soon */
#define INSIDE_EXACT 20u

/* "1024x16x1" */
static uint32_t size_text(struct tl_size_text *lately, unsigned count, const uint64_t size[3])
{
	char text[64];

	if (lately->text && lately->count == count &&
	    !memcmp(lately->size, size, count * sizeof(size[0])))
		return lately->text;
	size_t used = 0;
	for (unsigned i = 0; i < count; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, i ? "x%llu" : "%llu",
					 (unsigned long long)size[i]);
	lately->count = count;
	memcpy(lately->size, size, count * sizeof(size[0]));
	return lately->text = tl_string_number(text, used);
}

static uint64_t uint64_least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t uint64_most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/*
 * A time inside of a call, near its end or start, but far enough from it to lie inside of the
 * call's slice.
 */
static uint64_t call_margin(const struct tl_device_call *call)
{
	uint64_t margin = call->exact ? INSIDE_EXACT : INSIDE + tl_clock_step_ns();

	return uint64_least(margin, (call->end - call->start) / 2);
}

static uint64_t call_near_start(const struct tl_device_call *call)
{
	return call->end > call->start ? call->start + call_margin(call) : call->start;
}

static uint64_t call_near_end(const struct tl_device_call *call)
{
	return call->end > call->start && call->start ? call->end - call_margin(call) : call->end;
}

struct tl_work_room tl_work_room(const struct tl_device_work *work, uint64_t submitted,
				 uint64_t now)
{
	uint64_t first = work->submitted.start ? call_near_start(&work->submitted) : submitted;
	bool awaited = work->waited.end && call_near_end(&work->waited) >= first;
	uint64_t last = awaited ? uint64_least(call_near_end(&work->waited), now) : now;

	return (struct tl_work_room){first, uint64_most(first, last), awaited};
}

void tl_work_clamp(struct tl_device_work *work, uint64_t submitted, uint64_t now)
{
	const struct tl_work_room room = tl_work_room(work, submitted, now);

	if (!room.awaited)
		work->waited = (struct tl_device_call){.tid = 0};
	work->start = uint64_least(uint64_most(work->start, room.first), room.last);
	work->end = uint64_most(uint64_least(work->end, room.last), work->start);
}

static void args_add(struct tl_work_args *args, uint32_t key, enum tl_event_value kind,
		     uint64_t value)
{
	args->at[args->count++] = (struct tl_event_arg){.key = key, .kind = kind, .value = value};
}

static void args_add_double(struct tl_work_args *args, uint32_t key, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	args_add(args, key, TL_VALUE_DOUBLE_64, bits);
}

static void args_add_raw(struct tl_work_args *args, const struct tl_device_work *work)
{
	if (work->has & TL_RAW_QUEUED)
		args_add(args, TL_DEVICE_TEXT(queued), TL_VALUE_UNSIGNED_64, work->queued);
	if (work->has & TL_RAW_SUBMIT)
		args_add(args, TL_DEVICE_TEXT(submit), TL_VALUE_UNSIGNED_64, work->submit);
	if (work->has & TL_RAW_START)
		args_add(args, TL_DEVICE_TEXT(start), TL_VALUE_UNSIGNED_64, work->raw_start);
	if (work->has & TL_RAW_END)
		args_add(args, TL_DEVICE_TEXT(end), TL_VALUE_UNSIGNED_64, work->raw_end);
}

static void args_add_text(struct tl_work_args *args, uint32_t key, const char *text)
{
	args_add(args, key, TL_VALUE_STRING, tl_string_of(text));
}

static void args_add_identity(struct tl_device_queue *queue, struct tl_work_args *args)
{
	if (queue->device->api)
		args_add_text(args, TL_DEVICE_TEXT(api), queue->device->api);
	if (queue->device->uuid)
		args_add_text(args, TL_DEVICE_TEXT(uuid), queue->device->uuid);
	if (queue->device->pci)
		args_add_text(args, TL_DEVICE_TEXT(pci), queue->device->pci);
	queue->identified = true;
}

/* Only the first command of a kernel has them. */
static void args_add_kernel(struct tl_work_args *args, uint16_t number)
{
	struct tl_kernel_facts *kernel = tl_kernel_facts_of(number);

	if (atomic_load_explicit(&kernel->shown, memory_order_relaxed) ||
	    atomic_exchange_explicit(&kernel->shown, true, memory_order_relaxed))
		return;
	if (kernel->has & TL_KERNEL_PRIVATE)
		args_add(args, TL_DEVICE_TEXT(private_bytes), TL_VALUE_UNSIGNED_64,
			 kernel->private_bytes);
	if (kernel->has & TL_KERNEL_LOCAL)
		args_add(args, TL_DEVICE_TEXT(local_bytes), TL_VALUE_UNSIGNED_64,
			 kernel->local_bytes);
	if (kernel->has & TL_KERNEL_SPILL)
		args_add(args, TL_DEVICE_TEXT(spill_bytes), TL_VALUE_UNSIGNED_64,
			 kernel->spill_bytes);
	if (kernel->has & TL_KERNEL_SIMD)
		args_add(args, TL_DEVICE_TEXT(simd_width), TL_VALUE_UNSIGNED_64,
			 kernel->simd_width);
}

/* In GB/s, to the KB/s: shorter to read, and to write, than all of a quotient's digits. */
static double bandwidth_round(uint64_t bytes, uint64_t ns)
{
	double bandwidth = (double)bytes / (double)ns;

	return bandwidth < 1e9 ? (double)(uint64_t)(bandwidth * 1e6 + 0.5) / 1e6 : bandwidth;
}

static void args_add_facts(struct tl_device_queue *queue, struct tl_work_args *args,
			   const struct tl_device_work *work)
{
	if (work->facts->bytes)
		args_add(args, TL_DEVICE_TEXT(bytes), TL_VALUE_UNSIGNED_64, work->facts->bytes);
	if (work->facts->bytes && work->end > work->start && !work->unfinished)
		args_add_double(args, TL_DEVICE_TEXT(bandwidth),
				bandwidth_round(work->facts->bytes, work->end - work->start));
	if (work->facts->peer)
		args_add_text(args, TL_DEVICE_TEXT(peer), work->facts->peer);
	if (work->facts->dimensions && work->facts->dimensions <= 3) {
		args_add(args, TL_DEVICE_TEXT(global), TL_VALUE_STRING,
			 size_text(&queue->global, work->facts->dimensions, work->facts->global));
		if (work->facts->local[0])
			args_add(args, TL_DEVICE_TEXT(local), TL_VALUE_STRING,
				 size_text(&queue->local, work->facts->dimensions,
					   work->facts->local));
	}
	if (work->facts->kernel)
		args_add_kernel(args, work->facts->kernel);
	if (work->unfinished)
		args_add(args, TL_DEVICE_TEXT(unfinished), TL_VALUE_TRUTH, 1);
	for (uint32_t i = 0; i < work->nargs && i < TL_WORK_MORE_ARGS; i++)
		args->at[args->count++] = work->args[i];
}

struct tl_event tl_work_slice(struct tl_device_queue *queue, const struct tl_device_work *work,
			      uint32_t lane, struct tl_work_args *args)
{
	args_add(args, TL_DEVICE_TEXT(kind), TL_VALUE_STRING, tl_kind_text(work->facts->kind));
	args_add(args, TL_DEVICE_TEXT(queue), TL_VALUE_UNSIGNED_64, queue->number);
	args_add(args, TL_DEVICE_TEXT(device), TL_VALUE_STRING,
		 tl_kept_text(&queue->device->text, queue->device->name));
	if (work->correlation)
		args_add(args, TL_DEVICE_TEXT(correlation), TL_VALUE_UNSIGNED_64,
			 work->correlation);
	if (!queue->identified)
		args_add_identity(queue, args);
	args_add_raw(args, work);
	args_add_facts(queue, args, work);
	return (struct tl_event){.phase = 'X',
				 .flags = TL_EVENT_NS,
				 .level = TL_LEVEL_OPERATOR,
				 .lane = lane,
				 .name = work->facts->name && *work->facts->name
						 ? tl_string_of(work->facts->name)
						 : tl_kind_text(work->facts->kind),
				 .category = TL_DEVICE_TEXT(device),
				 .request = work->request,
				 .start = work->start,
				 .duration = work->end - work->start,
				 .nargs = args->count,
				 .args = args->at};
}

struct tl_event_arrows tl_work_arrows(const struct tl_device_work *work)
{
	const struct tl_device_call *from = &work->submitted, *to = &work->waited;

	return (struct tl_event_arrows){
		.number = tl_event_flows(),
		.from = from->tid,
		.from_ns = uint64_least(call_near_start(from), work->start),
		.from_name = TL_DEVICE_TEXT(submitted),
		.to = work->unfinished ? 0 : to->tid,
		.to_ns = uint64_most(call_near_end(to), work->end),
		.to_name = TL_DEVICE_TEXT(awaited),
	};
}
