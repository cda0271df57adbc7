/* SPDX-License-Identifier: MIT */
/*
 * cuda_commands.c: see cuda_commands.h.
 *
 * The layer records one event before the command and one after it, on the command's stream. No lock
 * is held meanwhile, because a driver may wait for room in a stream's queue.
 */
#include "layer/device/cuda/cuda_commands.h"

#include <stdlib.h>
#include <string.h>

#include "layer/buffers/buffer.h"
#include "layer/device/cuda/cuda_activity.h"
#include "layer/device/cuda/cuda_clock.h"
#include "layer/device/cuda/cuda_collect.h"
#include "layer/device/cuda/cuda_command_table.h"
#include "layer/device/cuda/cuda_kernels.h"
#include "layer/device/cuda/cuda_per_thread.h"

/* A row of the table. */
struct row {
	const char *name;
	uint8_t kind;
	int8_t stream;
	uint8_t bytes, at, unit;
	bool per_thread;
};

struct command_state {
	const struct row *row;
	struct cuda_stream *stream;
	struct cuda_command *command; /* NULL: it is not watched */
};

/* The beginning of cuda.h's CUlaunchConfig. */
struct launch_config {
	uint32_t grid[3], block[3], shared;
	void *stream;
};

/* --- what a command does */

/* CUDA_MEMCPY2D and CUDA_MEMCPY3D in words of 8 bytes: where the types of memory and the sizes are. */
enum {
	PLANE_FROM = 2,
	PLANE_TO = 9,
	PLANE_SIZES = 14,
	VOLUME_FROM = 4,
	VOLUME_TO = 15,
	VOLUME_SIZES = 22
};

static void facts_of_sides(struct tl_device_facts *facts, uint64_t from, uint64_t to)
{
	if ((uint32_t)to == CUDA_MEMORY_HOST)
		facts->kind = TL_DEVICE_READ;
	else if ((uint32_t)from == CUDA_MEMORY_HOST)
		facts->kind = TL_DEVICE_WRITE;
}

static void facts_of_sizes(struct tl_device_facts *facts, const uint32_t grid[3],
			   const uint32_t block[3])
{
	facts->dimensions = 3;
	for (int i = 0; i < 3; i++) {
		facts->global[i] = (uint64_t)grid[i] * block[i];
		facts->local[i] = block[i];
	}
}

static void facts_of_grid(struct tl_device_facts *facts, const struct tl_call *call)
{
	uint32_t sizes[6];

	for (int i = 0; i < 6; i++)
		sizes[i] = CUDA_PARAM(call, i + 1, uint32_t);
	facts->name = tl_cuda_kernel_name(CUDA_PARAM(call, 0, void *));
	facts_of_sizes(facts, sizes, sizes + 3);
}

static void facts_of_config(struct tl_device_facts *facts, const struct tl_call *call)
{
	const struct launch_config *config = CUDA_PARAM(call, 0, const struct launch_config *);

	facts->name = tl_cuda_kernel_name(CUDA_PARAM(call, 1, void *));
	facts_of_sizes(facts, config->grid, config->block);
}

static void facts_of_batch(struct tl_device_facts *facts, const struct tl_call *call, unsigned at)
{
	const size_t *sizes = CUDA_PARAM(call, at, const size_t *);
	size_t count = CUDA_PARAM(call, at + 1, size_t);

	for (size_t i = 0; sizes && i < count; i++)
		facts->bytes += sizes[i];
}

static void facts_of(struct tl_device_facts *facts, const struct tl_call *call,
		     const struct row *row)
{
	const uint64_t *words;

	*facts = (struct tl_device_facts){.name = row->name, .kind = row->kind};
	switch (row->bytes) {
	case TL_CUDA_GRID:
		facts_of_grid(facts, call);
		break;
	case TL_CUDA_CONFIG:
		facts_of_config(facts, call);
		break;
	case TL_CUDA_SIZE:
		facts->bytes = CUDA_PARAM(call, row->at, size_t) * row->unit;
		break;
	case TL_CUDA_AREA:
		facts->bytes = CUDA_PARAM(call, row->at, size_t) *
			       CUDA_PARAM(call, row->at + 1, size_t) * row->unit;
		break;
	case TL_CUDA_PLANE:
		words = CUDA_PARAM(call, 0, const uint64_t *);
		facts->bytes = words[PLANE_SIZES] * words[PLANE_SIZES + 1];
		facts_of_sides(facts, words[PLANE_FROM], words[PLANE_TO]);
		break;
	case TL_CUDA_VOLUME:
		words = CUDA_PARAM(call, 0, const uint64_t *);
		facts->bytes =
			words[VOLUME_SIZES] * words[VOLUME_SIZES + 1] * words[VOLUME_SIZES + 2];
		facts_of_sides(facts, words[VOLUME_FROM], words[VOLUME_TO]);
		break;
	case TL_CUDA_BATCH:
		facts_of_batch(facts, call, row->at);
		break;
	}
	if (facts->kind == TL_DEVICE_READ || facts->kind == TL_DEVICE_WRITE)
		facts->peer = "host";
}

/* --- memory of commands */

void tl_cuda_command_give_back(struct cuda_context *context, struct cuda_command *command)
{
	command->next = context->spare;
	context->spare = command;
}

void tl_cuda_commands_free(struct cuda_command *command)
{
	while (command) {
		struct cuda_command *next = command->next;
		free(command);
		command = next;
	}
}

static void command_make_events(const struct cuda_context *context, struct cuda_command *command)
{
	int mode = tl_cuda_capture_relax();

	if (tl_cuda_context_enter(context)) {
		if (tl_cuda_real.cuEventCreate(&command->begin, 0) != CUDA_SUCCESS ||
		    tl_cuda_real.cuEventCreate(&command->end, 0) != CUDA_SUCCESS)
			command->end = NULL;
		tl_cuda_context_leave();
	}
	tl_cuda_capture_restore(mode);
}

/* `events`: with events, if the driver gives some. NULL: memory is short. */
static struct cuda_command *command_new(struct cuda_context *context, bool events)
{
	pthread_mutex_lock(&tl_cuda_lock);
	struct cuda_command *command = context->spare;
	if (command)
		context->spare = command->next;
	pthread_mutex_unlock(&tl_cuda_lock);
	if (!command)
		command = calloc(1, sizeof(*command));
	if (command && events && !command->end)
		command_make_events(context, command);
	return command;
}

static void command_drop(struct cuda_context *context, struct cuda_command *command)
{
	tl_device_cancel(command->lane);
	pthread_mutex_lock(&tl_cuda_lock);
	tl_cuda_command_give_back(context, command);
	pthread_mutex_unlock(&tl_cuda_lock);
}

/* --- the hooks */

static void *call_stream(const struct tl_call *call, const struct row *row)
{
	void *stream = NULL;

	if (row->bytes == TL_CUDA_CONFIG)
		stream = CUDA_PARAM(call, 0, const struct launch_config *)->stream;
	else if (row->stream >= 0)
		stream = CUDA_PARAM(call, row->stream, void *);
	return tl_cuda_meant_stream(call, stream, row->per_thread);
}

/* The program's own call may fail for it: then so it does without the layer. */
static bool call_is_strange(const struct tl_call *call, const struct row *row)
{
	bool has_struct = row->bytes == TL_CUDA_CONFIG || row->bytes == TL_CUDA_PLANE ||
			  row->bytes == TL_CUDA_VOLUME;

	return has_struct && !CUDA_PARAM(call, 0, const void *);
}

/*
 * CUPTI has one record of the command. It has none of host functions and of prefetching, and one
 * for each copy of a batch.
 */
static bool row_has_activity(const struct row *row)
{
	if (row->bytes == TL_CUDA_BATCH || row->kind == TL_DEVICE_MIGRATE)
		return false;
	return row->bytes != TL_CUDA_NO_BYTES || strcmp(row->name, "graph") == 0;
}

static bool event_record(void *event, const struct cuda_stream *stream)
{
	return tl_cuda_real.cuEventRecord(event, stream->record) == CUDA_SUCCESS;
}

static void command_before(struct tl_call *call, struct command_state *state, const struct row *row)
{
	if (!tl_cuda_is_known(call) || !tl_cuda_usable() || call_is_strange(call, row))
		return;
	void *handle = call_stream(call, row);
	if (tl_cuda_captures(handle))
		return;
	struct cuda_stream *stream = tl_cuda_stream(handle, tl_device_call_of(call).thread);
	struct tl_device_command *lane = stream ? tl_device_submit(stream->lanes) : NULL;
	bool activity = lane && row_has_activity(row) && tl_cuda_activity_usable();
	struct cuda_command *command = lane ? command_new(stream->context, !activity) : NULL;

	if (!command) {
		tl_device_cancel(lane);
		return;
	}
	command->lane = lane;
	facts_of(&command->facts, call, row);
	state->row = row;
	state->stream = stream;
	state->command = command;
	command->activity = activity ? tl_cuda_activity_enter() : 0;
	command->timed = !activity && command->end && event_record(command->begin, stream);
}

/*
 * A copy to the host that is on no stream of the program's has waited for the device. Other calls
 * without a stream may return earlier than the device.
 */
static bool call_has_waited(const struct row *row, const struct cuda_command *command)
{
	return row->stream < 0 && command->facts.kind == TL_DEVICE_READ;
}

static void command_submitted(struct tl_call *call, struct cuda_stream *stream,
			      struct cuda_command *command)
{
	command->submitted = tl_device_call_of(call);
	command->waited = (struct tl_device_call){.tid = 0};
	command->request = call->request;
	command->correlation = tl_device_correlation();
	tl_call_correlate(call, command->correlation);
	command->next = NULL;
	pthread_mutex_lock(&tl_cuda_lock);
	command->number = ++stream->number;
	*stream->last = command;
	stream->last = &command->next;
	stream->count++;
	pthread_mutex_unlock(&tl_cuda_lock);
}

static void command_after(struct tl_call *call, void *hook_state, uint64_t result, bool unwound)
{
	struct command_state *state = hook_state;
	struct cuda_command *command = state->command;
	struct cuda_stream *stream = state->stream;

	if (!command)
		return;
	if (command->activity)
		tl_cuda_activity_leave();
	if (tl_cuda_call_failed(result, unwound)) {
		command_drop(stream->context, command);
		return;
	}
	if (command->timed)
		command->timed = tl_cuda_usable() && !tl_cuda_captures(stream->record) &&
				 event_record(command->end, stream);
	bool waited = call_has_waited(state->row, command);
	command_submitted(call, stream, command);
	if (waited)
		tl_cuda_collect_waited(stream, UINT64_MAX, &command->submitted);
	else
		tl_cuda_collect_meanwhile(stream);
}

/* A hook does not know its function, so each function has a `before` of its own. */
#define BEFORE(function, kind_, name_, stream_, bytes_, at_, unit_, per_thread_)                   \
	static void before_##function(struct tl_call *call, void *state)                           \
	{                                                                                          \
		static const struct row row = {.name = name_,                                      \
					       .kind = TL_DEVICE_##kind_,                          \
					       .stream = stream_,                                  \
					       .bytes = TL_CUDA_##bytes_,                          \
					       .at = at_,                                          \
					       .unit = unit_,                                      \
					       .per_thread = per_thread_};                         \
		command_before(call, state, &row);                                                 \
	}
#define BEFORES(function, twin, kind, name, stream, bytes, at, unit)                               \
	BEFORE(function, kind, name, stream, bytes, at, unit, false)                               \
	BEFORE(function##twin, kind, name, stream, bytes, at, unit, true)
TL_CUDA_COMMANDS(BEFORES)

#define HOOKS(function, twin, kind, name, stream, bytes, at, unit)                                 \
	{#function, before_##function, command_after, TL_HOOK_TIMED},                              \
		{#function #twin, before_##function##twin, command_after, TL_HOOK_TIMED},
const struct tl_hook tl_cuda_command_hooks[] = {
	TL_CUDA_COMMANDS(HOOKS){NULL, NULL, NULL, TL_HOOK_PLAIN},
};
