/* SPDX-License-Identifier: MIT */
/*
 * pftrace_gpu.c: see pftrace_gpu.h.
 */
#include "format/encode/pftrace_gpu.h"

#include <string.h>

#include "format/encode/pftrace_packets.h"
#include "tracelayer/api.h"

/* numbers that an encoder's queues and stages have, before the next encoder's begin */
#define TL_PF_SPECIFICATIONS 1024

/* A command, by the arguments of its event. */
struct command {
	struct tl_pf_text kind, device, name, global, local, uuid, pci, api;
	struct tl_pf_name *queue, *stage;
	uint32_t correlation;
};

/* --- what the file has, by block */

static bool block_is_new(struct tl_pf_names *names, uint32_t *block)
{
	if (*block)
		return false;
	*block = names->block + 1;
	names->changed = true;
	return true;
}

static void block_drop(uint32_t *block, uint32_t dropped)
{
	if (*block == dropped)
		*block = 0;
}

void tl_pf_gpu_drop(struct tl_pf_gpu_work *work, const struct tl_pf_names *names)
{
	uint32_t dropped = names->block + 1;

	if (!names->changed)
		return;
	for (unsigned i = 0; i < TL_PF_GPUS; i++)
		block_drop(&work->gpu_block[i], dropped);
	for (unsigned i = 0; i < TL_PF_APIS; i++)
		block_drop(&work->context_block[i], dropped);
	for (unsigned i = 0; i < work->nlanes; i++)
		block_drop(&work->lanes[i].block, dropped);
	for (unsigned i = 0; i < TL_PF_SUBMISSIONS; i++)
		block_drop(&work->submissions[i].block, dropped);
}

/* --- lanes */

void tl_pf_packet_lane_name(struct tl_encoder *encoder, struct tl_text *text, uint32_t tid,
			    struct tl_pf_text name, int32_t sort)
{
	char *packet = tl_protobuf_open(text->at, TL_PF_PACKET), *track, *at;

	at = tl_protobuf_number(packet, TL_PF_SEQUENCE_ID, TL_PF_TRACK_SEQUENCE);
	track = tl_protobuf_open(at, TL_PF_TRACK_DESCRIPTOR);
	at = tl_protobuf_number(track, TL_PF_UUID, tl_pf_track_of(encoder, tid));
	at = tl_protobuf_number(at, TL_PF_PARENT_UUID, tl_pf_track_of(encoder, 0));
	at = tl_pf_string(at, TL_PF_TRACK_NAME, name);
	at = tl_protobuf_number(at, TL_PF_SIBLING_ORDER_RANK, (uint64_t)(int64_t)sort);
	at = tl_protobuf_number(at, TL_PF_SIBLING_MERGE_BEHAVIOR, TL_PF_SIBLING_MERGE_NONE);
	text->at = tl_protobuf_close(packet, tl_protobuf_close(track, at));
}

static struct tl_pf_gpu_lane *lane_of(struct tl_pf_gpu_work *work, uint32_t tid)
{
	for (uint32_t i = 0; i < work->nlanes; i++)
		if (work->lanes[i].tid == tid)
			return &work->lanes[i];
	return NULL;
}

bool tl_pf_gpu_lane(struct tl_encoder *encoder, uint32_t tid, struct tl_pf_text name, int32_t sort)
{
	struct tl_pf_state *state = encoder->state;
	struct tl_pf_name *known =
		tl_pf_name_find(&state->names, TL_PF_LANE_NAMES, name.bytes, name.size);
	struct tl_pf_gpu_lane *lane = lane_of(&state->gpu, tid);

	if (!known)
		return false;
	if (!lane && state->gpu.nlanes == TL_PF_LANES)
		return false;
	if (!lane)
		lane = &state->gpu.lanes[state->gpu.nlanes++];
	*lane = (struct tl_pf_gpu_lane){.tid = tid, .sort = sort, .name = known};
	return true;
}

static struct tl_pf_text lane_text(const struct tl_pf_state *state,
				   const struct tl_pf_gpu_lane *lane)
{
	return (struct tl_pf_text){state->names.text + lane->name->at, lane->name->size};
}

/* The lane is going to have slices. */
static void lane_describe(struct tl_encoder *encoder, struct tl_text *text, uint32_t tid)
{
	struct tl_pf_state *state = encoder->state;
	struct tl_pf_gpu_lane *lane = lane_of(&state->gpu, tid);

	if (lane && block_is_new(&state->names, &lane->block))
		tl_pf_packet_lane_name(encoder, text, tid, lane_text(state, lane), lane->sort);
}

/* "compute 0.1 (2)" of "compute 0.1 (2), Device": the device has a group of its own. */
static struct tl_pf_text lane_short(struct tl_pf_text lane, struct tl_pf_text device)
{
	size_t behind = device.size + 2;

	if (lane.size > behind && !memcmp(lane.bytes + lane.size - behind, ", ", 2) &&
	    !memcmp(lane.bytes + lane.size - device.size, device.bytes, device.size))
		lane.size -= behind;
	return lane;
}

/* --- GPUs */

static struct tl_pf_gpus *gpus_of(const struct tl_encoder *encoder)
{
	struct tl_pf_state *state = encoder->state;

	return encoder->gpus ? encoder->gpus : &state->gpu.own;
}

void tl_pf_gpu_host(struct tl_encoder *encoder, const char host[64])
{
	struct tl_pf_gpus *gpus = gpus_of(encoder);
	size_t size = strnlen(host, 64);

	memcpy(gpus->host, host, size);
	gpus->host[size] = 0;
}

static bool text_is(struct tl_pf_text text, const char *string)
{
	return text.size == strlen(string) && !memcmp(text.bytes, string, text.size);
}

/* The number of the GPU of this name; TL_PF_GPUS: there are too many. */
static uint32_t gpu_number(struct tl_pf_gpus *gpus, struct tl_pf_text name)
{
	struct tl_pf_gpu *gpu;
	uint32_t i;

	if (name.size >= TL_PF_GPU_LABEL)
		name.size = TL_PF_GPU_LABEL - 1;
	for (i = 0; i < gpus->count; i++)
		if (text_is(name, gpus->gpu[i].name) && !strcmp(gpus->host, gpus->gpu[i].host))
			return i;
	if (i == TL_PF_GPUS)
		return i;
	gpu = &gpus->gpu[gpus->count++];
	*gpu = (struct tl_pf_gpu){.api = TL_PF_API_OTHER};
	memcpy(gpu->name, name.bytes, name.size);
	memcpy(gpu->host, gpus->host, sizeof(gpu->host));
	return i;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* "00112233-4455-6677-8899-aabbccddeeff" */
static bool uuid_read(uint8_t uuid[16], struct tl_pf_text text)
{
	unsigned digits = 0;

	for (size_t i = 0; i < text.size; i++) {
		int digit = hex_digit(text.bytes[i]);
		if (text.bytes[i] == '-')
			continue;
		if (digit < 0 || digits == 32)
			return false;
		uuid[digits / 2] = (uint8_t)(digits % 2 ? uuid[digits / 2] | digit : digit << 4);
		digits++;
	}
	return digits == 32;
}

/* What the first command of a queue tells of its device. Returns whether it is new. */
static bool gpu_learn(struct tl_pf_gpu *gpu, const struct command *command)
{
	uint8_t uuid[16];
	bool learnt = false;

	if (!gpu->has_uuid && uuid_read(uuid, command->uuid)) {
		memcpy(gpu->uuid, uuid, sizeof(uuid));
		learnt = gpu->has_uuid = true;
	}
	if (!*gpu->pci && command->pci.size && command->pci.size < sizeof(gpu->pci)) {
		memcpy(gpu->pci, command->pci.bytes, command->pci.size);
		learnt = true;
	}
	if (text_is(command->api, "opencl"))
		gpu->api = TL_PF_API_OPENCL;
	else if (text_is(command->api, "cuda"))
		gpu->api = TL_PF_API_CUDA;
	else if (text_is(command->api, "vulkan"))
		gpu->api = TL_PF_API_VULKAN;
	return learnt;
}

/* Of a file with several machines, each GPU's name has its machine's. */
static char *gpu_put_name(char *at, const struct tl_pf_gpus *gpus, const struct tl_pf_gpu *gpu)
{
	char name[TL_PF_GPU_LABEL + 2 + sizeof(gpu->host)];
	struct tl_text text = {name, name + sizeof(name), false};
	bool several = false;

	for (uint32_t i = 0; i < gpus->count; i++)
		several |= strcmp(gpus->gpu[i].host, gpu->host) != 0;
	tl_text_string(&text, gpu->name);
	if (several) {
		tl_text_string(&text, ", ");
		tl_text_string(&text, gpu->host);
	}
	return tl_pf_string(at, TL_PF_GPU_NAME, tl_pf_text_whole(name, text));
}

static void packet_gpus(struct tl_text *text, const struct tl_pf_gpus *gpus)
{
	char *packet = tl_protobuf_open(text->at, TL_PF_PACKET), *info, *at, *one;

	at = tl_protobuf_number(packet, TL_PF_SEQUENCE_ID, TL_PF_TRACK_SEQUENCE);
	info = at = tl_protobuf_open(at, TL_PF_GPU_INFO);
	for (uint32_t i = 0; i < gpus->count; i++) {
		const struct tl_pf_gpu *gpu = &gpus->gpu[i];
		one = tl_protobuf_open(at, TL_PF_GPUS_OF_INFO);
		at = gpu_put_name(one, gpus, gpu);
		if (gpu->has_uuid)
			at = tl_protobuf_bytes(at, TL_PF_GPU_UUID, gpu->uuid, sizeof(gpu->uuid));
		if (*gpu->pci)
			at = tl_protobuf_bytes(at, TL_PF_GPU_PCI, gpu->pci, strlen(gpu->pci));
		at = tl_protobuf_close(one, at);
	}
	text->at = tl_protobuf_close(packet, tl_protobuf_close(info, at));
}

/* --- a command */

static struct tl_pf_text arg_text(const struct tl_encoder *encoder, const struct tl_event_arg *arg)
{
	return arg->kind == TL_VALUE_STRING && arg->value <= UINT32_MAX
		       ? tl_pf_text_number(encoder, (uint32_t)arg->value, "")
		       : tl_pf_text("");
}

static struct command command_read(const struct tl_encoder *encoder,
				   const struct tl_event_record *event)
{
	struct command command = {.name = tl_pf_text_number(encoder, event->name, "?")};
	const struct {
		const char *key;
		struct tl_pf_text *to;
	} texts[] = {
		{"kind", &command.kind},   {"device", &command.device}, {"global", &command.global},
		{"local", &command.local}, {"uuid", &command.uuid},	{"pci", &command.pci},
		{"api", &command.api},
	};

	for (unsigned i = 0; i < event->args; i++) {
		const struct tl_event_arg *arg = &event->arg[i];
		struct tl_pf_text key = tl_pf_text_number(encoder, arg->key, "?");
		if (text_is(key, "correlation"))
			command.correlation = (uint32_t)arg->value;
		for (unsigned t = 0; t < sizeof(texts) / sizeof(*texts); t++)
			if (text_is(key, texts[t].key))
				*texts[t].to = arg_text(encoder, arg);
	}
	return command;
}

/* Perfetto shows the values of extra data as they are: they are text. */
static char *extra_put(char *at, struct tl_pf_text key, struct tl_pf_text value)
{
	char *extra = tl_protobuf_open(at, TL_PF_GPU_EXTRA);

	at = tl_pf_string(extra, TL_PF_EXTRA_NAME, key);
	return tl_protobuf_close(extra, tl_pf_string(at, TL_PF_EXTRA_VALUE, value));
}

static struct tl_text arg_value(char *to, size_t room, const struct tl_event_arg *arg)
{
	struct tl_text text = {to, to + room, false};

	switch (arg->kind) {
	case TL_VALUE_SIGNED_64:
		tl_text_signed(&text, (int64_t)arg->value);
		break;
	case TL_VALUE_HEX_64:
		tl_text_hex(&text, arg->value);
		break;
	case TL_VALUE_DOUBLE_64:
		tl_text_double(&text, arg->value);
		break;
	case TL_VALUE_TRUTH:
		tl_text_string(&text, arg->value ? "true" : "false");
		break;
	default:
		tl_text_unsigned(&text, arg->value);
	}
	return text;
}

/* Arguments that fields of their own have: the stage, the GPU and the submission. */
static bool arg_is_told(struct tl_pf_text key)
{
	return text_is(key, "kind") || text_is(key, "device") || text_is(key, "correlation");
}

/* Extra data, as far as there is room. */
static char *extras_put(const struct tl_encoder *encoder, char *at, const char *end,
			const struct tl_event_record *event)
{
	char digits[64];

	for (unsigned i = 0; i < event->args; i++) {
		const struct tl_event_arg *arg = &event->arg[i];
		struct tl_pf_text key = tl_pf_text_number(encoder, arg->key, "?"), value;
		if (arg_is_told(key))
			continue;
		value = arg->kind == TL_VALUE_STRING
				? arg_text(encoder, arg)
				: tl_pf_text_whole(digits, arg_value(digits, sizeof(digits), arg));
		/* Bytes that are not UTF-8 become three. */
		if ((size_t)(end - at) < 3 * (key.size + value.size) + 64)
			continue;
		at = extra_put(at, key, value);
	}
	if (event->request && end - at > 64) {
		struct tl_event_arg request = {.kind = TL_VALUE_UNSIGNED_64,
					       .value = event->request};
		at = extra_put(
			at, tl_pf_text("request"),
			tl_pf_text_whole(digits, arg_value(digits, sizeof(digits), &request)));
	}
	return at;
}

/* "1024x16x1". Returns how many numbers there are. */
static unsigned size_read(uint64_t size[3], struct tl_pf_text text)
{
	unsigned count = 0;
	bool digits = false;

	for (size_t i = 0; i < text.size; i++) {
		char c = text.bytes[i];
		if (c == 'x' && digits && count < 2) {
			digits = false;
			count++;
		} else if (c >= '0' && c <= '9') {
			size[count] = (digits ? 10 * size[count] : 0) + (uint64_t)(c - '0');
			digits = true;
		} else {
			return 0;
		}
	}
	return digits ? count + 1 : 0;
}

static char *size_put(char *at, uint32_t field, unsigned count, const uint64_t size[3])
{
	char *dimensions = at = tl_protobuf_open(at, field);

	for (unsigned i = 0; i < count; i++)
		at = tl_protobuf_number(at, i + 1, size[i] < UINT32_MAX ? size[i] : UINT32_MAX);
	return tl_protobuf_close(dimensions, at);
}

/* A grid is a number of work groups, so it is known if their size is. */
static char *launch_put(char *at, const struct command *command)
{
	uint64_t items[3] = {0}, group[3] = {0}, groups[3] = {0};
	unsigned count = size_read(items, command->global);
	char *launch;

	if (!count || size_read(group, command->local) != count)
		return at;
	for (unsigned i = 0; i < count; i++) {
		if (!group[i])
			return at;
		groups[i] = items[i] / group[i] + (items[i] % group[i] != 0);
	}
	launch = tl_protobuf_open(at, TL_PF_GPU_LAUNCH);
	at = size_put(launch, TL_PF_LAUNCH_GRID, count, groups);
	at = size_put(at, TL_PF_LAUNCH_WORKGROUP, count, group);
	return tl_protobuf_close(launch, at);
}

/* --- InternedData of a command */

/*
 * A queue or a stage. NULL: there are too many names. Perfetto takes queues of one number and name
 * for one, so queues of several processes have different numbers.
 */
static struct tl_pf_name *specification_find(const struct tl_encoder *encoder,
					     struct tl_pf_text name)
{
	struct tl_pf_state *state = encoder->state;
	uint32_t *last = &state->names.last[TL_PF_GPU_SPECIFICATIONS];

	if (!*last)
		*last = encoder->follows * TL_PF_SPECIFICATIONS;
	return tl_pf_name_clean(&state->names, TL_PF_GPU_SPECIFICATIONS, name);
}

/* Its number. A packet has room for the specifications, the context and the kernel of a command. */
static uint32_t specification_use(struct tl_pf_names *names, struct tl_pf_name *known,
				  struct tl_pf_text description, uint32_t category)
{
	char *start, *at;

	if (known->block)
		return known->iid;
	if (description.size > TL_PF_NAME_MAX)
		description.size = TL_PF_NAME_MAX;
	start = tl_protobuf_open(names->tell + names->told, TL_PF_GPU_SPECIFICATIONS);
	at = tl_protobuf_number(start, TL_PF_IID, known->iid);
	at = tl_protobuf_bytes(at, TL_PF_STRING, names->text + known->at, known->size);
	if (description.size)
		at = tl_pf_string(at, TL_PF_SPECIFICATION_DESCRIPTION, description);
	if (category)
		at = tl_protobuf_number(at, TL_PF_SPECIFICATION_CATEGORY, category);
	names->told = (uint32_t)(tl_protobuf_close(start, at) - names->tell);
	tl_pf_name_is_new(names, known);
	return known->iid;
}

/* A process's use of an API: which process a command is of. */
static uint64_t context_use(struct tl_encoder *encoder, uint8_t api)
{
	struct tl_pf_state *state = encoder->state;
	struct tl_pf_names *names = &state->names;
	uint64_t iid = (uint64_t)encoder->pid * TL_PF_APIS + api + 1;
	char *start, *at;

	if (!block_is_new(names, &state->gpu.context_block[api]))
		return iid;
	start = tl_protobuf_open(names->tell + names->told, TL_PF_GRAPHICS_CONTEXTS);
	at = tl_protobuf_number(start, TL_PF_IID, iid);
	at = tl_protobuf_number(at, TL_PF_CONTEXT_PID, encoder->pid);
	at = tl_protobuf_number(at, TL_PF_CONTEXT_API, api);
	names->told = (uint32_t)(tl_protobuf_close(start, at) - names->tell);
	return iid;
}

static bool command_is_kernel(const struct command *command)
{
	return text_is(command->kind, "kernel");
}

/* 0: it is no kernel, or there are too many names. */
static uint32_t kernel_use(struct tl_pf_state *state, const struct command *command)
{
	struct tl_pf_name *known =
		command_is_kernel(command)
			? tl_pf_name_clean(&state->names, TL_PF_KERNEL_NAMES, command->name)
			: NULL;

	return known ? tl_pf_name_use(&state->names, known) : 0;
}

/* --- arrows */

char *tl_pf_gpu_correlation(char *at, uint32_t field, uint64_t id)
{
	char *correlation = tl_protobuf_open(at, TL_PF_GPU_CORRELATION);

	return tl_protobuf_close(correlation, tl_protobuf_number(correlation, field, id));
}

/* A number of the command's own. */
static uint64_t command_own_id(const struct tl_encoder *encoder,
			       const struct tl_event_record *event,
			       const struct tl_event_arrows *arrows)
{
	uint64_t number = arrows->number ? arrows->number : event->start;

	return 1ull << 63 | (uint64_t)encoder->pid << 40 | (number & ((1ull << 40) - 1));
}

/*
 * Whether the command has the number of its submission. *first: it has to write the instant in the
 * call that waited for it. An encoder that continues a broken file does not know what that has.
 */
static bool command_shares(struct tl_encoder *encoder, uint32_t correlation,
			   const struct tl_event_arrows *arrows, bool *first)
{
	struct tl_pf_state *state = encoder->state;
	struct tl_pf_submission *known = &state->gpu.submissions[correlation % TL_PF_SUBMISSIONS];

	*first = true;
	if (!correlation || correlation < known->correlation ||
	    (!state->now.owns_file && !encoder->follows))
		return false;
	if (correlation == known->correlation && known->block) {
		*first = arrows->number == known->first;
		return *first || (known->to == arrows->to && known->to_ns == arrows->to_ns);
	}
	*known = (struct tl_pf_submission){.correlation = correlation,
					   .to = arrows->to,
					   .to_ns = arrows->to_ns,
					   .first = arrows->number};
	block_is_new(&state->names, &known->block);
	return true;
}

/* An instant on a thread's lane that names a GPU event. */
static void packet_instant(struct tl_encoder *encoder, struct tl_text *text,
			   const struct tl_event_record *end, uint32_t field, uint64_t id)
{
	struct tl_pf_state *state = encoder->state;
	struct tl_pf_text category = tl_pf_text_number(encoder, end->category, "tracelayer");
	char string[TL_PF_CATEGORY_MAX], *packet, *start, *at;

	if (!tl_pf_has_room(text))
		return;
	start = tl_pf_event_open(state, text->at, end->start, &packet);
	at = tl_protobuf_number(start, TL_PF_TRACK_UUID, tl_pf_track_of(encoder, end->lane));
	at = tl_pf_packet_category(
		state, at,
		tl_pf_text_whole(string, tl_pf_text_levels(string, category, end->level)));
	at = tl_pf_packet_event_name(state, at, tl_pf_text_number(encoder, end->name, "?"));
	at = tl_protobuf_number(at, TL_PF_TYPE, TL_PF_INSTANT);
	at = tl_pf_gpu_correlation(at, field, id);
	text->at = tl_pf_event_close(state, start, at, packet);
}

static void packet_arrows(struct tl_encoder *encoder, struct tl_text *text,
			  const struct tl_event_record *event, uint64_t id, bool shares, bool first)
{
	struct tl_event_record ends[TL_EVENT_ENDS];
	unsigned count = tl_event_ends(encoder, event, ends);

	for (unsigned i = 0; i < count; i++) {
		if (ends[i].phase == 's' && ends[i].flags & TL_EVENT_TID && !shares)
			packet_instant(encoder, text, &ends[i], TL_PF_SUBMITS_EVENTS, id);
		else if (ends[i].phase == 'i' && (first || !shares))
			packet_instant(encoder, text, &ends[i], TL_PF_WAITS_FOR_EVENTS, id);
	}
}

/* --- the event */

static void packet_stage(struct tl_encoder *encoder, struct tl_text *text,
			 const struct tl_event_record *event, const struct command *command,
			 uint32_t gpu)
{
	struct tl_pf_state *state = encoder->state;
	struct tl_event_arrows arrows = {0};
	uint64_t ns, stop;
	bool first;
	char *packet, *start, *at;

	tl_event_times(encoder, event, &ns, &stop);
	if (event->flags & TL_EVENT_ARROWS)
		memcpy(&arrows, &event->arg[event->args], sizeof(arrows));
	bool shares = command_shares(encoder, command->correlation, &arrows, &first);
	uint64_t id = shares ? tl_pf_gpu_event_id(encoder, command->correlation)
			     : command_own_id(encoder, event, &arrows);
	uint32_t kernel = kernel_use(state, command);
	at = start = tl_pf_packet_open(state, text->at, ns, TL_PF_GPU_STAGE_EVENT, &packet);
	at = tl_protobuf_number(at, TL_PF_GPU_EVENT_ID, id);
	at = tl_protobuf_number(at, TL_PF_GPU_DURATION, stop - ns);
	at = tl_protobuf_number(
		at, TL_PF_GPU_QUEUE_IID,
		specification_use(&state->names, command->queue, command->device, 0));
	at = tl_protobuf_number(
		at, TL_PF_GPU_STAGE_IID,
		specification_use(&state->names, command->stage, tl_pf_text(""),
				  command_is_kernel(command) ? TL_PF_CATEGORY_COMPUTE : 0));
	at = tl_protobuf_number(at, TL_PF_GPU_CONTEXT,
				context_use(encoder, gpus_of(encoder)->gpu[gpu].api));
	at = tl_protobuf_number(at, TL_PF_GPU_ID, gpu);
	if (command->correlation)
		at = tl_protobuf_number(at, TL_PF_GPU_SUBMISSION, command->correlation);
	at = tl_pf_string(at, TL_PF_GPU_EVENT_NAME, command->name);
	if (kernel)
		at = tl_protobuf_number(at, TL_PF_GPU_KERNEL_IID, kernel);
	at = launch_put(at, command);
	at = extras_put(encoder, at, text->end - TL_PF_TAIL_MAX, event);
	text->at = tl_pf_event_close(state, start, at, packet);
	if (stop > state->now.latest)
		state->now.latest = stop;
	packet_arrows(encoder, text, event, id, shares, first);
}

static bool event_is_command(const struct tl_encoder *encoder, const struct tl_event_record *event)
{
	return event->phase == 'X' && event->lane && !(event->flags & TL_EVENT_TID) &&
	       event->level & TL_LEVEL_OPERATOR &&
	       text_is(tl_pf_text_number(encoder, event->category, ""), "device");
}

void tl_pf_gpu_foresee(struct tl_encoder *encoder, const struct tl_event_record *event)
{
	uint32_t gpu = TL_PF_GPUS;
	struct command command;

	if (!event_is_command(encoder, event))
		return;
	command = command_read(encoder, event);
	if (command.kind.size && command.device.size)
		gpu = gpu_number(gpus_of(encoder), command.device);
	if (gpu != TL_PF_GPUS)
		gpu_learn(&gpus_of(encoder)->gpu[gpu], &command);
}

bool tl_pf_packet_command(struct tl_encoder *encoder, struct tl_text *text,
			  const struct tl_event_record *event)
{
	struct tl_pf_state *state = encoder->state;
	uint32_t tid = tl_event_shown(encoder, event), gpu = TL_PF_GPUS;
	struct tl_pf_gpu_lane *lane = lane_of(&state->gpu, tid);
	struct command command = {.correlation = 0};

	if (!lane)
		return false;
	if (event_is_command(encoder, event))
		command = command_read(encoder, event);
	if (command.kind.size && command.device.size) {
		command.queue = specification_find(
			encoder, lane_short(lane_text(state, lane), command.device));
		command.stage = specification_find(encoder, command.kind);
	}
	if (command.queue && command.stage)
		gpu = gpu_number(gpus_of(encoder), command.device);
	if (gpu == TL_PF_GPUS) {
		lane_describe(encoder, text, tid);
		return false;
	}
	if (gpu_learn(&gpus_of(encoder)->gpu[gpu], &command))
		state->gpu.gpu_block[gpu] = 0;
	if (block_is_new(&state->names, &state->gpu.gpu_block[gpu]))
		packet_gpus(text, gpus_of(encoder));
	if (tl_pf_has_room(text))
		packet_stage(encoder, text, event, &command, gpu);
	return true;
}
