/*
 * context.c: trace contexts (tracelayer/trace_context.h).
 *
 * A context keeps its events in blocks, one behind the other. Who logs moves the last block's .used on in one instruction and has what lies
 * between for itself; where that is beyond the block, a further block is hung behind it by compare and exchange. A stored event gets its size first,
 * so that readers can step over it, and then, with release, its mark, which says that it is whole. Nothing is moved or freed while the
 * context lives, but by tl_context_clear.
 *
 * Lanes' names are few, and set under a lock that nobody takes to log.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "format/levels.h"
#include "format/text.h"
#include "format/trace_file.h"
#include "layer/buffer.h"
#include "layer/clock.h"
#include "layer/config.h"
#include "layer/event.h"
#include "layer/runtime.h"
#include "layer/strings.h"
#include "tracelayer/trace_context.h"

#define BLOCK_ROOM (64u * 1024 - 64)
#define ARGS 32u
#define TEXT_MAX 1024u
#define NESTED 16u
#define LEVELS (TL_TRACE_REQUEST | TL_TRACE_RUNTIME | TL_TRACE_OPERATOR | TL_TRACE_DEBUG)

struct stored {
	_Atomic uint32_t size;	/* bytes, a multiple of 8; 0: not known yet */
	_Atomic uint32_t whole;	/* 1: the rest is there */
	uint32_t lane, request;
	uint64_t time, duration;
	uint16_t nargs;
	uint8_t level;
	char type;
	char texts[];		/* name, and each argument's key and value, all ended by a NUL */
};

struct block {
	_Atomic(struct block *) next;
	_Atomic uint64_t used;	/* may run beyond the room */
	_Alignas(8) char bytes[BLOCK_ROOM];
};

struct lane {
	struct lane *next;
	uint32_t shown;
	char *name;
};

struct context {
	struct tl_context seen;		/* first */
	_Atomic uint32_t request;
	_Atomic uint64_t lost;
	struct block *first;
	_Atomic(struct block *) last;	/* or one before it */
	pthread_mutex_t lock;		/* protects the lanes */
	_Atomic(struct lane *) lanes;	/* newest first; entries stay */
};

/* Requests that a thread works on. */
struct entered {
	unsigned depth;
	struct {
		struct context *context;
		uint64_t start;
		uint32_t request;
	} at[NESTED];
};

extern const struct tl_contexts tl_contexts_here;

static __thread struct entered *entered __attribute__((tls_model("initial-exec")));

static struct context *of(struct tl_context *seen)
{
	return (struct context *)seen;
}

static struct block *make_block(void)
{
	return calloc(1, sizeof(struct block));
}

/* --- logging */

static struct stored *reserve(struct context *context, uint64_t size)
{
	for (;;) {
		/* Acquire: pairs with the exchanges below, so that the block is zeroed. */
		struct block *block = atomic_load_explicit(&context->last, memory_order_acquire);
		uint64_t at = atomic_fetch_add_explicit(&block->used, size, memory_order_relaxed);
		if (at + size <= BLOCK_ROOM)
			return (struct stored *)(void *)(block->bytes + at);
		struct block *next = atomic_load_explicit(&block->next, memory_order_acquire), *made;
		if (!next) {
			made = make_block();
			if (!made)
				return NULL;
			if (atomic_compare_exchange_strong_explicit(&block->next, &next, made, memory_order_acq_rel,
								    memory_order_acquire))
				next = made;
			else
				free(made);
		}
		atomic_compare_exchange_strong_explicit(&context->last, &block, next, memory_order_acq_rel, memory_order_relaxed);
	}
}

static size_t length(const char *text)
{
	return text ? strnlen(text, TEXT_MAX) : 0;
}

static char *put_text(char *to, const char *text)
{
	size_t size = length(text);

	if (size)
		memcpy(to, text, size);
	to[size] = 0;
	return to + size + 1;
}

static void store(struct context *context, const struct tl_context_event *event)
{
	size_t nargs = event->nargs < ARGS ? event->nargs : ARGS;
	uint64_t size = sizeof(struct stored) + length(event->name) + 1;

	for (size_t i = 0; i < nargs; i++)
		size += length(event->args[i].key) + length(event->args[i].value) + 2;
	size = (size + 7) & ~UINT64_C(7);
	struct stored *stored = size <= BLOCK_ROOM ? reserve(context, size) : NULL;
	if (!stored) {
		atomic_fetch_add_explicit(&context->lost, 1, memory_order_relaxed);
		return;
	}
	atomic_store_explicit(&stored->size, (uint32_t)size, memory_order_relaxed);
	stored->lane = event->lane;
	stored->request = event->request;
	stored->time = event->time;
	stored->duration = event->type == 'X' ? event->duration : 0;
	stored->nargs = (uint16_t)nargs;
	stored->level = (uint8_t)event->level;
	stored->type = event->type;
	char *to = put_text(stored->texts, event->name);
	for (size_t i = 0; i < nargs; i++)
		to = put_text(put_text(to, event->args[i].key), event->args[i].value);
	/* Pairs with the load in whole(). */
	atomic_store_explicit(&stored->whole, 1, memory_order_release);
}

static uint32_t number_of(const char *text)
{
	return tl_string_number(text ? text : "", length(text));
}

/* Into the process's trace, if it is recorded. */
static void record(const struct tl_context_event *event)
{
	struct tl_event_arg args[ARGS];
	size_t nargs = event->nargs < ARGS ? event->nargs : ARGS;

	if (!tl_event_wanted((uint8_t)event->level))
		return;
	for (size_t i = 0; i < nargs; i++)
		args[i] = (struct tl_event_arg){.key = number_of(event->args[i].key), .kind = TL_VALUE_STRING,
						.value = number_of(event->args[i].value)};
	const struct tl_event put = {
		.phase = event->type == 'I' ? 'i' : event->type, .flags = TL_EVENT_NS, .level = (uint8_t)event->level,
		.lane = tl_event_lane_shown(event->lane), .name = number_of(event->name), .category = number_of("context"),
		.request = event->request, .start = event->time, .duration = event->duration, .nargs = (uint32_t)nargs, .args = args,
	};
	tl_event_put(&put);
}

static uint32_t own_lane(void)
{
	return tl_self ? ((struct tl_producer *)tl_self)->shown : (uint32_t)syscall(SYS_gettid);
}

static uint64_t now(void)
{
	return tl_clock_gettime_ticks();
}

static void log_event(struct tl_context *seen, const struct tl_context_event *event)
{
	struct context *context = of(seen);
	struct tl_context_event whole = *event;
	int error = errno;

	if (!whole.time)
		whole.time = now();
	if (!whole.request)
		whole.request = atomic_load_explicit(&context->request, memory_order_relaxed);
	/* First, since a thread that is not known yet gets its lane by it. */
	record(&whole);
	if (!whole.lane)
		whole.lane = own_lane();
	if (strchr("BEIX", whole.type) && whole.type)
		store(context, &whole);
	errno = error;
}

/* --- lanes */

static struct lane *find_lane(struct context *context, uint32_t shown)
{
	struct lane *lane = atomic_load_explicit(&context->lanes, memory_order_acquire);

	while (lane && lane->shown != shown)
		lane = lane->next;
	return lane;
}

static bool add_lane(struct context *context, uint32_t shown, const char *name)
{
	struct lane *lane = calloc(1, sizeof(*lane));

	if (!lane || !(lane->name = strndup(name ? name : "", TEXT_MAX))) {
		free(lane);
		return false;
	}
	lane->shown = shown;
	pthread_mutex_lock(&context->lock);
	lane->next = atomic_load_explicit(&context->lanes, memory_order_relaxed);
	/* Release: pairs with find_lane. */
	atomic_store_explicit(&context->lanes, lane, memory_order_release);
	pthread_mutex_unlock(&context->lock);
	return true;
}

static void name_lane(struct tl_context *seen, uint32_t shown, const char *name)
{
	add_lane(of(seen), shown ? shown : own_lane(), name);
}

static uint32_t make_lane(struct tl_context *seen, const char *name)
{
	tl_runtime_start();
	if (!tl_runtime_begin())
		return 0;
	uint32_t number = tl_event_lane(number_of(name), 1);
	const struct tl_lane_entry *entry = tl_event_lane_entry(number);

	return entry && add_lane(of(seen), entry->shown, name) ? entry->shown : 0;
}

/* --- reading */

/* The next whole event; NULL at the end. *block and *at say where to go on. */
static const struct stored *next_stored(struct block **block, uint64_t *at)
{
	while (*block) {
		uint64_t used = atomic_load_explicit(&(*block)->used, memory_order_relaxed);
		const struct stored *stored = (const struct stored *)(const void *)((*block)->bytes + *at);
		uint32_t size = 0;
		if (used <= BLOCK_ROOM ? *at < used : *at + sizeof(*stored) <= BLOCK_ROOM)
			size = atomic_load_explicit(&stored->size, memory_order_relaxed);
		if (!size) {
			*block = atomic_load_explicit(&(*block)->next, memory_order_acquire);
			*at = 0;
			continue;
		}
		*at += size;
		/* Acquire: pairs with store(). */
		if (atomic_load_explicit(&stored->whole, memory_order_acquire))
			return stored;
	}
	return NULL;
}

static void show(const struct stored *stored, struct tl_context_event *event, struct tl_context_arg args[ARGS])
{
	const char *text = stored->texts;

	*event = (struct tl_context_event){.name = text, .type = stored->type, .level = stored->level, .lane = stored->lane,
					   .request = stored->request, .time = stored->time, .duration = stored->duration,
					   .nargs = stored->nargs, .args = args};
	for (unsigned i = 0; i < stored->nargs; i++) {
		args[i].key = text += strlen(text) + 1;
		args[i].value = text += strlen(text) + 1;
	}
}

static int each(struct tl_context *seen, tl_context_visit visit, void *user)
{
	struct block *block = of(seen)->first;
	struct tl_context_arg args[ARGS];
	struct tl_context_event event;
	const struct stored *stored;
	uint64_t at = 0;
	int result = 0;

	while (!result && (stored = next_stored(&block, &at))) {
		show(stored, &event, args);
		result = visit(&event, user);
	}
	return result;
}

static size_t count(struct tl_context *seen, size_t *bytes, size_t *lost)
{
	struct block *block = of(seen)->first;
	const struct stored *stored;
	size_t events = 0, size = 0;
	uint64_t at = 0;

	while ((stored = next_stored(&block, &at))) {
		events++;
		size += atomic_load_explicit(&stored->size, memory_order_relaxed);
	}
	if (bytes)
		*bytes = size;
	if (lost)
		*lost = atomic_load_explicit(&of(seen)->lost, memory_order_relaxed);
	return events;
}

/* --- contexts */

static unsigned raised(unsigned level)
{
	tl_runtime_start();
	return (level | tl_config.context_level) & LEVELS;
}

static void set_level(struct tl_context *seen, unsigned level)
{
	__atomic_store_n(&seen->level, raised(level), __ATOMIC_RELAXED);
}

static struct tl_context *create(unsigned level)
{
	struct context *context = calloc(1, sizeof(*context));

	if (!context || !(context->first = make_block())) {
		free(context);
		return NULL;
	}
	context->seen.functions = &tl_contexts_here;
	context->seen.level = raised(level);
	atomic_init(&context->last, context->first);
	pthread_mutex_init(&context->lock, NULL);
	return &context->seen;
}

static void free_blocks(struct block *block)
{
	while (block) {
		struct block *next = atomic_load_explicit(&block->next, memory_order_relaxed);
		free(block);
		block = next;
	}
}

static void destroy(struct tl_context *seen)
{
	struct context *context = of(seen);
	struct lane *lane = atomic_load_explicit(&context->lanes, memory_order_relaxed);

	free_blocks(context->first);
	while (lane) {
		struct lane *next = lane->next;
		free(lane->name);
		free(lane);
		lane = next;
	}
	pthread_mutex_destroy(&context->lock);
	free(context);
}

static void clear(struct tl_context *seen)
{
	struct context *context = of(seen);

	free_blocks(atomic_load_explicit(&context->first->next, memory_order_relaxed));
	memset(context->first, 0, sizeof(*context->first));
	atomic_store_explicit(&context->last, context->first, memory_order_release);
	atomic_store_explicit(&context->lost, 0, memory_order_relaxed);
}

/* The other's blocks once more. *last is set to the last of them. NULL: memory is short. */
static struct block *copy_blocks(const struct block *from, struct block **last)
{
	struct block *first = NULL;

	for (*last = NULL; from; from = atomic_load_explicit(&from->next, memory_order_acquire)) {
		struct block *block = make_block();
		uint64_t used = atomic_load_explicit(&from->used, memory_order_relaxed);
		if (!block) {
			free_blocks(first);
			return NULL;
		}
		memcpy(block->bytes, from->bytes, used < BLOCK_ROOM ? used : BLOCK_ROOM);
		atomic_init(&block->used, used);
		if (*last)
			atomic_init(&(*last)->next, block);
		else
			first = block;
		*last = block;
	}
	return first;
}

/* Behind the last block, whichever that is by then. Nobody puts anything into the blocks before any more. */
static void append(struct context *context, struct block *first, struct block *last)
{
	struct block *at = atomic_load_explicit(&context->last, memory_order_acquire), *next = NULL;

	while (!atomic_compare_exchange_strong_explicit(&at->next, &next, first, memory_order_acq_rel, memory_order_acquire)) {
		at = next;
		next = NULL;
	}
	atomic_store_explicit(&context->last, last, memory_order_release);
}

/* Oldest first, so that the order of the names stays. Those that the destination has count there. */
static bool copy_lanes(struct context *into, const struct lane *lane)
{
	if (!lane)
		return true;
	if (!copy_lanes(into, lane->next))
		return false;
	const struct lane *known = find_lane(into, lane->shown);
	return known || add_lane(into, lane->shown, lane->name);
}

static int add(struct tl_context *seen, struct tl_context *from)
{
	struct context *into = of(seen);
	struct block *last, *first = copy_blocks(of(from)->first, &last);

	if (!first)
		return -1;
	if (!copy_lanes(into, atomic_load_explicit(&of(from)->lanes, memory_order_acquire))) {
		free_blocks(first);
		return -1;
	}
	append(into, first, last);
	return 0;
}

/* --- requests */

static uint32_t set_request(struct tl_context *seen, uint32_t id)
{
	return atomic_exchange_explicit(&of(seen)->request, id, memory_order_relaxed);
}

static void enter(struct tl_context *seen)
{
	if (!entered)
		entered = calloc(1, sizeof(*entered));
	if (!entered || entered->depth++ >= NESTED)
		return;
	entered->at[entered->depth - 1].context = of(seen);
	entered->at[entered->depth - 1].start = now();
	entered->at[entered->depth - 1].request = atomic_load_explicit(&of(seen)->request, memory_order_relaxed);
}

static void leave(struct tl_context *seen)
{
	if (!entered || !entered->depth || --entered->depth >= NESTED || entered->at[entered->depth].context != of(seen))
		return;
	uint64_t start = entered->at[entered->depth].start, end = now();
	const struct tl_context_event event = {.name = "request", .type = 'X', .level = TL_TRACE_REQUEST, .time = start,
					       .request = entered->at[entered->depth].request,
					       .duration = end > start ? end - start : 0};
	/* The process's trace has it whatever the context's level. */
	if (tl_context_wants(seen, TL_TRACE_REQUEST))
		log_event(seen, &event);
	else
		record(&event);
}

/* --- its own file */

struct sorted {
	const struct stored *stored;
	size_t place;
};

static int by_time(const void *left, const void *right)
{
	const struct sorted *a = left, *b = right;

	if (a->stored->time != b->stored->time)
		return a->stored->time < b->stored->time ? -1 : 1;
	if (a->stored->duration != b->stored->duration)
		return a->stored->duration > b->stored->duration ? -1 : 1;
	return a->place < b->place ? -1 : a->place > b->place;
}

static struct sorted *sort(struct context *context, size_t *number)
{
	size_t room = count(&context->seen, NULL, NULL);
	struct sorted *sorted = malloc((room + 1) * sizeof(*sorted));
	struct block *block = context->first;
	uint64_t at = 0;

	for (*number = 0; sorted && *number < room; ++*number) {
		sorted[*number].place = *number;
		if (!(sorted[*number].stored = next_stored(&block, &at)))
			break;
	}
	if (sorted)
		qsort(sorted, *number, sizeof(*sorted), by_time);
	return sorted;
}

static void print_text(FILE *file, const char *text)
{
	char bytes[6 * TEXT_MAX];
	struct tl_text to = {bytes, bytes + sizeof(bytes), false};

	tl_text_escape(&to, text, strnlen(text, TEXT_MAX));
	fputc('"', file);
	fwrite(bytes, 1, (size_t)(to.at - bytes), file);
	fputc('"', file);
}

static void print_metadata(FILE *file, unsigned tid, const char *what, const char *name)
{
	fprintf(file, "{\"ph\":\"M\",\"pid\":%d,\"tid\":%u,\"name\":\"%s\",\"args\":{\"name\":", (int)getpid(), tid, what);
	print_text(file, name);
	fputs("}}", file);
}

static void print_event(FILE *file, const struct stored *stored)
{
	struct tl_context_arg args[ARGS];
	struct tl_context_event event;
	const char *comma = "";

	show(stored, &event, args);
	fprintf(file, ",\n{\"ph\":\"%s\",\"pid\":%d,\"tid\":%u,\"name\":", event.type == 'I' ? "i" : (char[]){event.type, 0},
		(int)getpid(), event.lane);
	print_text(file, event.name);
	fputs(",\"cat\":\"", file);
	for (unsigned i = 0; i < TL_LEVEL_WORDS; i++) {
		if (!(event.level & 1u << i))
			continue;
		fprintf(file, "%s%s", comma, tl_level_words[i]);
		comma = ",";
	}
	fprintf(file, "\",\"ts\":%llu.%03u", (unsigned long long)(event.time / 1000), (unsigned)(event.time % 1000));
	if (event.type == 'X')
		fprintf(file, ",\"dur\":%llu.%03u", (unsigned long long)(event.duration / 1000), (unsigned)(event.duration % 1000));
	if (event.type == 'I')
		fputs(",\"s\":\"t\"", file);
	fputs(",\"args\":{", file);
	comma = "";
	for (size_t i = 0; i < event.nargs; i++) {
		fputs(comma, file);
		print_text(file, args[i].key);
		fputc(':', file);
		print_text(file, args[i].value);
		comma = ",";
	}
	if (event.request)
		fprintf(file, "%s\"request\":%u", comma, event.request);
	fputs("}}", file);
}

/* Names of lanes, each once: the newest. */
static void print_lanes(FILE *file, struct context *context)
{
	const struct lane *first = atomic_load_explicit(&context->lanes, memory_order_acquire);

	for (const struct lane *lane = first; lane; lane = lane->next) {
		if (find_lane(context, lane->shown) != lane)
			continue;
		fputs(",\n", file);
		print_metadata(file, lane->shown, "thread_name", lane->name);
	}
}

/* What the events cost, beside the work that the device did. */
static void print_cost(FILE *file, struct context *context, const struct sorted *sorted, size_t number)
{
	uint64_t busy = 0;
	size_t bytes, lost;

	count(&context->seen, &bytes, &lost);
	for (size_t i = 0; i < number; i++)
		if (sorted[i].stored->type == 'X' && tl_event_lane_shown(sorted[i].stored->lane))
			busy += sorted[i].stored->duration;
	fprintf(file, ",\n{\"ph\":\"M\",\"pid\":%d,\"tid\":0,\"name\":\"tracelayer_context\",\"args\":{\"events\":%zu,\"lost\":%zu,"
		      "\"bytes\":%zu,\"device_ns\":%llu", (int)getpid(), number, lost, bytes, (unsigned long long)busy);
	if (busy)
		fprintf(file, ",\"bytes_per_device_ms\":%llu",
			(unsigned long long)((unsigned __int128)bytes * 1000000 / busy));
	fputs("}}", file);
}

static int dump(struct tl_context *seen, const char *path, const char *process)
{
	struct context *context = of(seen);
	size_t number;
	struct sorted *sorted = sort(context, &number);
	FILE *file = sorted ? fopen(path, "we") : NULL;

	if (!file) {
		free(sorted);
		return -1;
	}
	fputs("[\n", file);
	print_metadata(file, 0, "process_name", process && *process ? process : program_invocation_short_name);
	print_lanes(file, context);
	print_cost(file, context, sorted, number);
	for (size_t i = 0; i < number; i++)
		print_event(file, sorted[i].stored);
	fputs("\n]\n", file);
	free(sorted);
	bool failed = ferror(file);
	return fclose(file) || failed ? -1 : 0;
}

extern TL_EXPORT const struct tl_contexts tl_contexts_here;
const struct tl_contexts tl_contexts_here = {
	.size = sizeof(struct tl_contexts), .create = create, .destroy = destroy, .set_level = set_level, .log = log_event,
	.name = name_lane, .lane = make_lane, .each = each, .count = count, .add = add, .clear = clear, .dump = dump,
	.request = set_request, .enter = enter, .leave = leave, .now = now,
};
