/* SPDX-License-Identifier: MIT */
/*
 * timeline.c: libtracelayer-xpti-timeline.so, a subscriber of the XPTI framework that shows every
 * stream as lanes of the process's trace.
 *
 * A begin and its end become a slice (timeline_open.c), on the lane that the thread which began has
 * for the stream (timeline_lanes.c); all else becomes an instant there. Names and places in the
 * code are numbers of strings (timeline_places.c). Runs of nodes are joined by arrows, along the
 * edges that the stream told of (timeline_edges.c).
 *
 * A callback is not told which stream it is called for, so there is one for each number that a
 * stream can have. The types of a tool's own can't be known beforehand either: all that the first
 * tools may have are subscribed to.
 *
 * What a notification points to is read as the framework says: events by the framework's functions,
 * which see if it is one; user data where the type says what it is.
 */
#include "xpti/timeline/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define TYPES	 128u /* that are not user defined */
#define TOOLS	 8u   /* whose types are subscribed to */
#define ARGS	 56u  /* metadata goes so far */
#define OWN_ARGS 12u  /* and leaves room for so many of our own */

struct timeline *timeline;

static char *stream_names[256]; /* a child of fork has them, too */
static _Atomic bool over;	/* the end has come: what ends now has been told of */

/* What types are called, and what becomes of them. Those that are not here are instants. */
enum role { INSTANT, BEGIN, END, CREATE };

static const struct {
	const char *word;
	enum role role;
} kinds[TYPES] = {
#define PAIR(type, word)                                                                           \
	[xpti_trace_##type##_begin] = {word, BEGIN}, [xpti_trace_##type##_end] = {word, END}
	[xpti_trace_graph_create] = {"graph_create", CREATE},
	[xpti_trace_node_create] = {"node_create", CREATE},
	[xpti_trace_edge_create] = {"edge_create", CREATE},
	PAIR(region, "region"),
	PAIR(task, "task"),
	PAIR(barrier, "barrier"),
	PAIR(lock, "lock"),
	[xpti_trace_signal] = {"signal", INSTANT},
	PAIR(transfer, "transfer"),
	PAIR(thread, "thread"),
	PAIR(wait, "wait"),
	PAIR(function, "function"),
	[xpti_trace_metadata] = {"metadata", CREATE},
	PAIR(function_with_args, "function_with_args"),
	PAIR(mem_alloc, "mem_alloc"),
	PAIR(mem_release, "mem_release"),
	[xpti_trace_offload_memory_object_construct] = {"offload_memory_object_construct", CREATE},
	[xpti_trace_offload_memory_object_destruct] = {"offload_memory_object_destruct", CREATE},
	[xpti_trace_offload_memory_object_associate] = {"offload_memory_object_associate", CREATE},
	[xpti_trace_offload_memory_object_release] = {"offload_memory_object_release", CREATE},
	[xpti_trace_offload_accessor] = {"offload_accessor", CREATE},
	[xpti_trace_queue_create] = {"queue_create", CREATE},
	[xpti_trace_queue_destroy] = {"queue_destroy", CREATE},
	[xpti_trace_diagnostics] = {"diagnostics", INSTANT},
#undef PAIR
};

void *timeline_memory(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		return NULL;
	madvise(memory, size, MADV_WIPEONFORK);
	return memory;
}

/* ---- words and their numbers */

static uint32_t kept_number(_Atomic uint32_t *kept, const char *text)
{
	uint32_t number = atomic_load_explicit(kept, memory_order_relaxed);

	if (TL_UNLIKELY(!number)) {
		number = tl_guest_number(text, strlen(text));
		atomic_store_explicit(kept, number, memory_order_relaxed);
	}
	return number;
}

static const char *const keys[TIMELINE_KEYS] = {
#define KEY_TEXT(name) [TIMELINE_KEY_##name] = #name
	KEY_TEXT(source),     KEY_TEXT(id),	   KEY_TEXT(instance),	  KEY_TEXT(parent),
	KEY_TEXT(type),	      KEY_TEXT(bytes),	   KEY_TEXT(address),	  KEY_TEXT(from),
	KEY_TEXT(to),	      KEY_TEXT(from_id),   KEY_TEXT(to_id),	  KEY_TEXT(message),
	KEY_TEXT(unfinished), KEY_TEXT(unmatched), KEY_TEXT(duration_ns),
#undef KEY_TEXT
};
#define KEY(name) kept_number(&timeline->keys[TIMELINE_KEY_##name], keys[TIMELINE_KEY_##name])

static bool is_user_defined(uint16_t type)
{
	return type & xpti_trace_user_defined || type >= TYPES;
}

static enum role role_of(uint16_t type)
{
	if (is_user_defined(type))
		return type & 1 ? END : BEGIN;
	return kinds[type].role;
}

static const char *word_of(uint16_t type)
{
	if (is_user_defined(type))
		return "user_defined";
	return kinds[type].word ? kinds[type].word : "unknown";
}

static uint32_t word_number(uint16_t type)
{
	return kept_number(&timeline->kinds[is_user_defined(type) ? TYPES : type], word_of(type));
}

uint32_t timeline_category(uint16_t type)
{
	_Atomic uint32_t *kept = &timeline->categories[is_user_defined(type) ? TYPES : type];
	char category[64] = "xpti,";

	if (TL_LIKELY(atomic_load_explicit(kept, memory_order_relaxed)))
		return atomic_load_explicit(kept, memory_order_relaxed);
	return kept_number(kept, strcat(category, word_of(type)));
}

bool timeline_type_ends(uint16_t type)
{
	return atomic_load_explicit(&timeline->ends[type / 64], memory_order_relaxed) >> type % 64 &
	       1;
}

static void note_type_ends(uint16_t type)
{
	if (TL_UNLIKELY(!timeline_type_ends(type)))
		atomic_fetch_or_explicit(&timeline->ends[type / 64], UINT64_C(1) << type % 64,
					 memory_order_relaxed);
}

const char *timeline_stream_name(uint8_t stream)
{
	return stream_names[stream] ? stream_names[stream] : "?";
}

/* ---- arguments */

struct args {
	uint32_t count;
	struct tl_event_arg at[TL_EVENT_ARGS];
};

static void add(struct args *args, uint32_t key, enum tl_event_value kind, uint64_t value)
{
	if (key && args->count < TL_EVENT_ARGS)
		args->at[args->count++] =
			(struct tl_event_arg){.key = key, .kind = kind, .value = value};
}

static void add_text(struct args *args, uint32_t key, uint32_t number)
{
	if (number)
		add(args, key, TL_VALUE_STRING, number);
}

static void add_hex(struct args *args, uint32_t key, uint64_t value)
{
	if (value)
		add(args, key, TL_VALUE_HEX_64, value);
}

/* Some readers know no larger integers. */
static void add_count(struct args *args, uint32_t key, uint64_t value)
{
	add(args, key, value > INT64_MAX ? TL_VALUE_HEX_64 : TL_VALUE_UNSIGNED_64, value);
}

static void add_type(struct args *args, uint16_t type)
{
	if (is_user_defined(type))
		add_hex(args, KEY(type), type);
	else if (kinds[type].word)
		add_text(args, KEY(type), word_number(type));
	else
		add_count(args, KEY(type), type);
}

static void add_begun(struct args *args, const struct timeline_begun *begun)
{
	add_text(args, KEY(source), begun->source);
	add_hex(args, KEY(id), begun->uid);
	add_count(args, KEY(instance), begun->instance);
	add_text(args, KEY(parent), begun->parent);
	if (begun->bytes)
		add_count(args, KEY(bytes), begun->bytes);
	add_hex(args, KEY(address), begun->address);
}

/* A number of 1, 2, 4 or 8 bytes. */
static uint64_t number_of(const xpti_object *object, bool has_sign)
{
	uint64_t value = 0;

	memcpy(&value, object->data, object->size < 8 ? object->size : 8);
	if (has_sign && object->size < 8)
		value = (uint64_t)((int64_t)(value << (64 - 8 * object->size)) >>
				   (64 - 8 * object->size));
	return value;
}

static uint64_t double_of(const xpti_object *object)
{
	double value;
	float single;
	uint64_t bits;

	memcpy(&bits, object->data, object->size == 8 ? 8 : 0);
	if (object->size == 8)
		return bits;
	memcpy(&single, object->data, sizeof(single));
	value = single;
	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* Bytes that nobody says the meaning of; of many, the first. */
static void add_bytes(struct args *args, uint32_t key, const xpti_object *object)
{
	static const char digits[] = "0123456789abcdef";
	char text[2 * 64 + 4], *at = text;

	for (size_t i = 0; i < object->size && i < 64; i++) {
		*at++ = digits[(unsigned char)object->data[i] >> 4];
		*at++ = digits[object->data[i] & 15];
	}
	if (object->size > 64)
		at = (char *)memcpy(at, "...", 3) + 3;
	add_text(args, key, tl_guest_number(text, (size_t)(at - text)));
}

static void add_object(struct args *args, uint32_t key, const xpti_object *object)
{
	bool is_number =
		object->size == 1 || object->size == 2 || object->size == 4 || object->size == 8;

	if (!object->data)
		return;
	if (object->type == xpti_metadata_string)
		add_text(args, key,
			 tl_guest_number(object->data, strnlen(object->data, object->size)));
	else if (object->type == xpti_metadata_signed && is_number)
		add(args, key, TL_VALUE_SIGNED_64, number_of(object, true));
	else if (object->type == xpti_metadata_unsigned && is_number)
		add_count(args, key, number_of(object, false));
	else if (object->type == xpti_metadata_boolean && is_number)
		add(args, key, TL_VALUE_TRUTH, number_of(object, false) != 0);
	else if (object->type == xpti_metadata_floating && (object->size == 4 || object->size == 8))
		add(args, key, TL_VALUE_DOUBLE_64, double_of(object));
	else
		add_bytes(args, key, object);
}

/* Keys that we use are ours: the others are told apart from them. */
static uint32_t key_number(const char *key)
{
	char longer[256] = "metadata.";

	for (int i = 0; i < TIMELINE_KEYS; i++)
		if (strcmp(key, keys[i]) == 0)
			return tl_guest_number(longer, strlen(strcat(longer, key)));
	return tl_guest_number(key, strnlen(key, TL_STRING_MAX));
}

static void add_metadata(struct args *args, xpti_event *event)
{
	const xpti_metadata *metadata = xptiQueryMetadata(event);
	const xpti_metadata_node *node = metadata ? metadata->first : NULL;

	for (; node && args->count < ARGS; node = node->next) {
		const char *key = xptiLookupString(node->key);
		xpti_object object = xptiLookupObject(node->value);
		if (key && *key)
			add_object(args, key_number(key), &object);
	}
}

/* ---- what a notification tells */

struct notification {
	uint16_t type;
	uint8_t stream;
	xpti_event *parent, *object;
	uint64_t instance;
	const void *user_data;
};

static const struct timeline_place *place_of_payload(struct timeline_thread *thread,
						     const xpti_payload *payload)
{
	return timeline_place(thread, payload->name, payload->source_file, payload->line_no,
			      payload->column_no, true);
}

static bool is_aligned(const void *pointer)
{
	return pointer && (uintptr_t)pointer % 8 == 0;
}

/* What functions without an event are called. */
static const char *name_in_user_data(const struct notification *what)
{
	if ((what->type | 1) == xpti_trace_function_end)
		return what->user_data;
	if ((what->type | 1) == xpti_trace_function_with_args_end && is_aligned(what->user_data))
		return ((const xpti_function_with_args *)what->user_data)->function_name;
	return NULL;
}

static uint32_t name_of_event(struct timeline_thread *thread, xpti_event *event)
{
	const xpti_payload *payload = event ? xptiQueryPayload(event) : NULL;

	return payload && payload->name ? place_of_payload(thread, payload)->number : 0;
}

static void read_memory(struct timeline_begun *begun, const struct notification *what)
{
	uint16_t end = what->type | 1;

	if ((end != xpti_trace_mem_alloc_end && end != xpti_trace_mem_release_end) ||
	    !is_aligned(what->user_data))
		return;
	const xpti_mem_alloc_data *memory = what->user_data;
	if (memory->alloc_size)
		begun->bytes = memory->alloc_size;
	if (memory->alloc_pointer)
		begun->address = memory->alloc_pointer;
}

/* Who it is, and where. */
static void read_place(struct timeline_thread *thread, struct timeline_begun *begun,
		       const struct notification *what)
{
	const xpti_payload *payload = what->object ? xptiQueryPayload(what->object) : NULL;
	const char *name = payload ? NULL : name_in_user_data(what);

	if (payload && (payload->name || payload->source_file)) {
		const struct timeline_place *place = place_of_payload(thread, payload);
		begun->name = place->number;
		begun->source = place->source;
		begun->uid = payload->internal;
	} else if (name) {
		begun->name = timeline_place(thread, name, NULL, 0, 0, false)->number;
	}
	if (!begun->name)
		begun->name = word_number(what->type);
	if (what->parent)
		begun->parent = name_of_event(thread, what->parent);
}

/* As far as it takes to find its other half. `type` is that of the begin. */
static struct timeline_begun begun_of(const struct notification *what)
{
	return (struct timeline_begun){.object = (uintptr_t)what->object,
				       .instance = what->instance,
				       .type = what->type & 0xfffe,
				       .stream = what->stream};
}

/* ---- what is told */

static struct tl_event event_of(char phase, uint16_t type, uint32_t lane, uint32_t name,
				const struct args *args)
{
	return (struct tl_event){.phase = phase,
				 .level = TIMELINE_LEVEL,
				 .lane = lane,
				 .name = name,
				 .category = timeline_category(type),
				 .nargs = args->count,
				 .args = args->at};
}

static void tell_slice(uint32_t lane, const struct timeline_begun *begun, uint64_t end,
		       const struct args *args)
{
	struct tl_event event = event_of('X', begun->type, lane, begun->name, args);

	event.start = begun->start;
	event.duration = end > begun->start ? end - begun->start : 0;
	tl_guest_put(&event);
	timeline_run_ends(begun->uid, lane, begun->start, begun->start + event.duration);
}

static void tell_instant(struct timeline_thread *thread, uint64_t time,
			 const struct timeline_begun *begun, const struct args *args)
{
	struct tl_event event =
		event_of('i', begun->type, timeline_lane(thread, begun->stream), begun->name, args);

	event.start = time;
	tl_guest_put(&event);
}

void timeline_tell(struct timeline_thread *thread, const struct timeline_begun *begun, uint64_t end)
{
	struct args args = {.count = 0};
	uint32_t lane = 0;

	if (!begun->start)
		return;
	add_begun(&args, begun);
	if (begun->more & TIMELINE_UNFINISHED)
		add(&args, KEY(unfinished), TL_VALUE_TRUTH, true);
	if (!(begun->more & TIMELINE_NO_SLICE))
		lane = begun->more & TIMELINE_ASIDE
			       ? timeline_lane_aside(begun->stream, begun->start, end)
			       : timeline_lane(thread, begun->stream);
	if (lane) {
		if (is_user_defined(begun->type))
			add_type(&args, begun->type);
		tell_slice(lane, begun, end, &args);
		return;
	}
	add_type(&args, begun->type);
	if (end > begun->start)
		add_count(&args, KEY(duration_ns), tl_guest_ns(begun->start, end));
	tell_instant(thread, begun->start, begun, &args);
}

static void begin(struct timeline_thread *thread, const struct notification *what)
{
	struct timeline_begun begun = begun_of(what);

	if (tl_guest_wanted(TIMELINE_LEVEL)) {
		read_place(thread, &begun, what);
		read_memory(&begun, what);
		/*
		 * Made now, so that it is there also if nothing on it ends before the process dies.
		 */
		timeline_lane(thread, what->stream);
		begun.start = tl_guest_now();
		timeline_run_begins(begun.uid, begun.start);
	}
	timeline_push(thread, &begun);
}

static void tell_unmatched(struct timeline_thread *thread, const struct notification *what,
			   uint64_t now)
{
	struct timeline_begun alone = begun_of(what);
	struct args args = {.count = 0};

	read_place(thread, &alone, what);
	read_memory(&alone, what);
	add_begun(&args, &alone);
	add_type(&args, what->type);
	add(&args, KEY(unmatched), TL_VALUE_TRUTH, true);
	tell_instant(thread, now, &alone, &args);
}

static void end(struct timeline_thread *thread, const struct notification *what)
{
	struct timeline_begun begun = begun_of(what);
	bool wanted = tl_guest_wanted(TIMELINE_LEVEL);
	uint64_t now = wanted ? tl_guest_now() : 0;

	note_type_ends(what->type);
	if (timeline_pop(thread, &begun)) {
		if (!wanted || !begun.start)
			return;
		read_memory(&begun, what);
		timeline_tell(thread, &begun, now);
	} else if (wanted && !atomic_load_explicit(&over, memory_order_relaxed)) {
		tell_unmatched(thread, what, now);
	}
}

/* Both ends of an edge, by their names if they are known. */
static void add_edge(struct timeline_thread *thread, struct args *args,
		     const struct notification *what)
{
	const xpti_event *edge = what->object;
	uint64_t source = edge->source_id, target = edge->target_id;

	add_text(args, KEY(from), name_of_event(thread, (xpti_event *)xptiFindEvent(source)));
	add_text(args, KEY(to), name_of_event(thread, (xpti_event *)xptiFindEvent(target)));
	add_hex(args, KEY(from_id), source);
	add_hex(args, KEY(to_id), target);
}

static void instant(struct timeline_thread *thread, const struct notification *what)
{
	struct timeline_begun alone = begun_of(what);
	struct args args = {.count = 0};

	alone.type = what->type;
	read_place(thread, &alone, what);
	add_begun(&args, &alone);
	add_type(&args, what->type);
	/* With a uid it is an event, and may be read. */
	if (what->type == xpti_trace_edge_create && alone.uid) {
		add_edge(thread, &args, what);
		timeline_edge_made(what->object->source_id, what->object->target_id, alone.name);
	}
	if (what->type == xpti_trace_diagnostics && what->user_data)
		add_text(&args, KEY(message), timeline_text(what->user_data, false));
	if (role_of(what->type) == CREATE && alone.uid)
		add_metadata(&args, what->object);
	tell_instant(thread, tl_guest_now(), &alone, &args);
}

static void notified(uint16_t type, xpti_event *parent, xpti_event *object, uint64_t instance,
		     const void *user_data, uint8_t stream)
{
	const struct notification what = {type, stream, parent, object, instance, user_data};
	int error = errno;
	struct timeline_thread *thread = timeline_this_thread();

	if (TL_LIKELY(thread != NULL)) {
		enum role role = role_of(type);
		if (role == BEGIN)
			begin(thread, &what);
		else if (role == END)
			end(thread, &what);
		else if (tl_guest_wanted(TIMELINE_LEVEL))
			instant(thread, &what);
	}
	errno = error;
}

/* ---- a callback for each stream */

/* clang-format off */
#define EACH16(each, high)                                                                         \
	each(high##0) each(high##1) each(high##2) each(high##3) each(high##4) each(high##5)        \
	each(high##6) each(high##7) each(high##8) each(high##9) each(high##a) each(high##b)        \
	each(high##c) each(high##d) each(high##e) each(high##f)
#define EACH256(each)                                                                              \
	EACH16(each, 0x0) EACH16(each, 0x1) EACH16(each, 0x2) EACH16(each, 0x3)                    \
	EACH16(each, 0x4) EACH16(each, 0x5) EACH16(each, 0x6) EACH16(each, 0x7)                    \
	EACH16(each, 0x8) EACH16(each, 0x9) EACH16(each, 0xa) EACH16(each, 0xb)                    \
	EACH16(each, 0xc) EACH16(each, 0xd) EACH16(each, 0xe) EACH16(each, 0xf)
/* clang-format on */
#define CALLBACK(number)                                                                           \
	static void on_##number(uint16_t type, xpti_event *parent, xpti_event *object,             \
				uint64_t instance, const void *user_data)                          \
	{                                                                                          \
		notified(type, parent, object, instance, user_data, number);                       \
	}
EACH256(CALLBACK)

#define LISTED(number) on_##number,
static const xpti_callback callbacks[256] = {EACH256(LISTED)};

/* ---- entry points */

/* The number of a stream that can be told of; 0: it can't. */
static uint8_t number_of_stream(const char *stream)
{
	uint8_t number = timeline && stream ? xptiRegisterStream(stream) : 0;

	return number == XPTI_INVALID_STREAM ? 0 : number;
}

static void subscribe(uint8_t stream)
{
	for (uint16_t type = 1; type < TYPES; type++)
		xptiRegisterCallback(stream, type, callbacks[stream]);
	for (uint16_t tool = 1; tool <= TOOLS; tool++)
		for (uint16_t value = 0; value < TYPES; value++)
			xptiRegisterCallback(
				stream, (uint16_t)(tool << 8 | xpti_trace_user_defined | value),
				callbacks[stream]);
}

void xptiTraceInit(unsigned int major, unsigned int minor, const char *version, const char *stream)
{
	uint8_t number = number_of_stream(stream);
	/* protects the names while they are stored */
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	int error = errno;

	(void)major, (void)minor, (void)version;
	if (number && tl_guest_joins(TIMELINE_LEVEL)) {
		pthread_mutex_lock(&lock);
		if (!stream_names[number])
			stream_names[number] = strdup(stream);
		pthread_mutex_unlock(&lock);
		subscribe(number);
	}
	errno = error;
}

void xptiTraceFinish(const char *stream)
{
	uint8_t number = number_of_stream(stream);

	if (number)
		timeline_flush(number);
}

static void at_end(void)
{
	atomic_store_explicit(&over, true, memory_order_relaxed);
	timeline_flush(0);
}

static __attribute__((constructor)) void load(void)
{
	timeline = timeline_memory(sizeof(*timeline));
	if (!timeline || !timeline_threads_start()) {
		static const char line[] =
			"tracelayer: XPTI streams: no memory, so they are not in the trace; give the program more\n";
		timeline = NULL;
		if (write(STDERR_FILENO, line, sizeof(line) - 1) < 0)
			return; /* there is nobody to tell */
		return;
	}
	tl_guest_at_end(at_end);
}
