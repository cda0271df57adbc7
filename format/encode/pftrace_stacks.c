/* SPDX-License-Identifier: MIT */
/*
 * pftrace_stacks.c: see pftrace_stacks.h. A table with open addressing, of hashes of 64 bits that
 * stand for what is interned; nothing is ever taken out.
 */
#include "format/encode/pftrace_packets.h"

#include "format/encode/stack_frames_text.h"

#define ENTRY (TL_FRAME_NAME_MAX + 1536) /* most bytes of a packet with one definition */

_Static_assert(TL_STACK_FRAMES *ENTRY + TL_PF_ROOM < TL_ENCODER_ROOM, "a call's stack has room");

static struct tl_pf_stacks *stacks_of(const struct tl_encoder *encoder)
{
	struct tl_pf_state *state = encoder->state;

	return &state->stacks;
}

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
	const unsigned char *at = bytes;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ at[i]) * 0x100000001b3;
	return hash ^ hash >> 29;
}

static uint64_t hash_of(uint32_t kind, const void *bytes, size_t size)
{
	return hash_bytes(0xcbf29ce484222325 ^ (uint64_t)kind << 56, bytes, size) | 1;
}

/* NULL: there is no room for a further one. */
static struct tl_pf_interned_stack *interned_find(struct tl_pf_stacks *stacks, uint64_t hash)
{
	for (uint64_t at = hash ^ hash >> 32;; at++) {
		struct tl_pf_interned_stack *place = &stacks->places[at % TL_PF_STACKS];
		if (place->hash == hash)
			return place;
		if (place->hash)
			continue;
		if (stacks->count == TL_PF_STACKS_MOST)
			return NULL;
		*place = (struct tl_pf_interned_stack){.hash = hash, .iid = ++stacks->count};
		return place;
	}
}

/* A packet with one definition: where its parts begin. */
struct definition {
	char *packet, *data, *entry;
};

static char *definition_open(const struct tl_encoder *encoder, struct tl_text *text,
			     struct definition *made, uint32_t field, uint32_t iid)
{
	const struct tl_pf_state *state = encoder->state;

	made->packet = tl_protobuf_open(text->at, TL_PF_PACKET);
	char *at = tl_pf_packet_sequence(made->packet, state->now.id, TL_PF_NEEDS_STATE);
	made->data = tl_protobuf_open(at, TL_PF_INTERNED_DATA);
	made->entry = tl_protobuf_open(made->data, field);
	return tl_protobuf_number(made->entry, TL_PF_IID, iid);
}

static void definition_close(struct tl_text *text, const struct definition *made, char *at)
{
	at = tl_protobuf_close(made->entry, at);
	at = tl_protobuf_close(made->data, at);
	text->at = tl_protobuf_close(made->packet, at);
}

/* Room is kept for the event that follows. */
static bool definition_has_room(const struct tl_text *text)
{
	return text->end - text->at >= (ptrdiff_t)(TL_PF_ROOM + ENTRY);
}

/*
 * Whether a definition has to be written. *iid: its number; 0: it can't have one, so that what needs
 * it has none either.
 */
static bool definition_is_new(const struct tl_encoder *encoder, const struct tl_text *text,
			      uint64_t hash, uint32_t *iid)
{
	struct tl_pf_stacks *stacks = stacks_of(encoder);
	struct tl_pf_interned_stack *place = interned_find(stacks, hash);

	*iid = place ? place->iid : 0;
	if (!place || place->block)
		return false;
	if (!definition_has_room(text)) {
		*iid = 0;
		return false;
	}
	place->block = stacks->block + 1;
	stacks->changed = true;
	return true;
}

static uint32_t define_string(const struct tl_encoder *encoder, struct tl_text *text,
			      uint32_t field, const char *bytes, size_t size)
{
	struct definition made;
	uint32_t iid;

	if (!definition_is_new(encoder, text, hash_of(field, bytes, size), &iid))
		return iid;
	char *at = definition_open(encoder, text, &made, field, iid);
	definition_close(text, &made, tl_protobuf_bytes(at, TL_PF_STRING, bytes, size));
	return iid;
}

static unsigned hex_digit(char c)
{
	return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10) & 15;
}

/* Build ids are bytes there, not digits. */
static uint32_t define_build_id(const struct tl_encoder *encoder, struct tl_text *text,
				const struct tl_stack_library *library)
{
	char bytes[64];
	size_t size = 0;

	for (; size < sizeof(bytes) && 2 * size + 1 < library->id_size; size++)
		bytes[size] = (char)(hex_digit(library->id[2 * size]) << 4 |
				     hex_digit(library->id[2 * size + 1]));
	return define_string(encoder, text, TL_PF_BUILD_IDS, bytes, size);
}

static uint32_t define_path(const struct tl_encoder *encoder, struct tl_text *text,
			    const struct tl_stack_library *library)
{
	char clean[1024];
	struct tl_text path = {clean, clean + sizeof(clean), false};

	tl_text_utf8(&path, library->path, library->path_size);
	return define_string(encoder, text, TL_PF_MAPPING_PATHS, clean, (size_t)(path.at - clean));
}

/* Frames in no library have a mapping without a path: Perfetto leaves out frames without a mapping. */
static uint32_t define_mapping(const struct tl_encoder *encoder, struct tl_text *text,
			       uint32_t number, const struct tl_stack_library *library)
{
	uint32_t id = library ? define_build_id(encoder, text, library) : 0;
	uint32_t path = library ? define_path(encoder, text, library) : 0, iid;
	struct definition made;

	if ((library && (!id || !path)) ||
	    !definition_is_new(encoder, text, hash_of(TL_PF_MAPPINGS, &number, sizeof(number)),
			       &iid))
		return library && (!id || !path) ? 0 : iid;
	char *at = definition_open(encoder, text, &made, TL_PF_MAPPINGS, iid);
	if (library) {
		at = tl_protobuf_number(at, TL_PF_MAPPING_BUILD_ID, id);
		at = tl_protobuf_number(at, TL_PF_MAPPING_START, library->start);
		at = tl_protobuf_number(at, TL_PF_MAPPING_END, library->end);
		at = tl_protobuf_number(at, TL_PF_MAPPING_PATH, path);
	}
	definition_close(text, &made, at);
	return iid;
}

static uint32_t define_function(const struct tl_encoder *encoder, struct tl_text *text,
				const struct tl_stack_frame *frame)
{
	char plain[TL_FRAME_NAME_MAX], clean[TL_FRAME_NAME_MAX];
	struct tl_text name = {plain, plain + sizeof(plain), false},
		       whole = {clean, clean + sizeof(clean), false};

	tl_frame_name(encoder, &name, frame);
	size_t size = (size_t)(name.at - plain);
	tl_text_utf8(&whole, plain, size);
	/* A byte that is not UTF-8 becomes three: so many of them have no room, and the name is cut. */
	if (whole.cut)
		tl_text_utf8(&whole, plain, size / 3);
	return define_string(encoder, text, TL_PF_FUNCTION_NAMES, clean,
			     (size_t)(whole.at - clean));
}

static uint32_t define_frame(const struct tl_encoder *encoder, struct tl_text *text,
			     const struct tl_stack_frame *frame)
{
	const struct {
		uint64_t library, address;
	} key = {frame->library, frame->address};
	uint64_t hash = hash_of(TL_PF_FRAMES, &key, sizeof(key));
	struct tl_pf_interned_stack *known = interned_find(stacks_of(encoder), hash);
	struct tl_stack_library library;
	struct definition made;
	uint32_t iid;

	if (known && known->block)
		return known->iid;
	bool has = tl_frame_library(encoder, frame, &library);
	uint32_t mapping =
		define_mapping(encoder, text, has ? frame->library : 0, has ? &library : NULL);
	uint32_t function = define_function(encoder, text, frame);
	if (!mapping || !function || !definition_is_new(encoder, text, hash, &iid))
		return 0;
	char *at = definition_open(encoder, text, &made, TL_PF_FRAMES, iid);
	at = tl_protobuf_number(at, TL_PF_FRAME_FUNCTION, function);
	at = tl_protobuf_number(at, TL_PF_FRAME_MAPPING, mapping);
	at = tl_protobuf_number(at, TL_PF_FRAME_ADDRESS, frame->address);
	definition_close(text, &made, at);
	return iid;
}

uint32_t tl_pf_stack(const struct tl_encoder *encoder, struct tl_text *text, uint32_t number)
{
	struct tl_stack_frame frames[TL_STACK_FRAMES];
	uint32_t iids[TL_STACK_FRAMES], iid;
	struct tl_stack_reader reader;
	struct definition made;
	size_t size = 0;

	if (!number)
		return 0;
	uint64_t hash = hash_of(TL_PF_CALLSTACKS, &number, sizeof(number));
	struct tl_pf_interned_stack *known = interned_find(stacks_of(encoder), hash);
	if (known && known->block)
		return known->iid;
	const char *stack = tl_encoder_string(encoder, number, &size);
	if (!tl_stack_read(&reader, stack, size))
		return 0;
	uint32_t count = tl_stack_read_frames(&reader, frames);
	for (uint32_t i = 0; i < count; i++)
		if (!(iids[i] = define_frame(encoder, text, &frames[i])))
			return 0;
	if (!count || !definition_is_new(encoder, text, hash, &iid))
		return 0;
	char *at = definition_open(encoder, text, &made, TL_PF_CALLSTACKS, iid);
	/* The outermost comes first. */
	for (uint32_t i = count; i-- > 0;)
		at = tl_protobuf_number(at, TL_PF_CALLSTACK_FRAMES, iids[i]);
	definition_close(text, &made, at);
	return iid;
}

void tl_pf_stacks_keep(struct tl_pf_stacks *stacks)
{
	stacks->block += stacks->changed;
	stacks->changed = false;
}

void tl_pf_stacks_drop(struct tl_pf_stacks *stacks)
{
	for (uint32_t i = 0; stacks->changed && i < TL_PF_STACKS; i++)
		if (stacks->places[i].block == stacks->block + 1)
			stacks->places[i].block = 0;
	stacks->changed = false;
}
