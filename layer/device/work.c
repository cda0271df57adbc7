/* SPDX-License-Identifier: MIT */
/*
 * work.c: see work.h.
 *
 * Commands. tl_device_submit puts a command on its queue's `inbox`, a stack that is pushed to by
 * compare and exchange, and only then reads the clock: so whoever has taken the inbox knows that
 * each command that was not in it has a later time than that at which it was taken (as it has where
 * the time is that at which the call began, told later: tl_device_submit_untimed). Who has the
 * queue's lock moves the inbox to the `pending` list, in the order of submission; a command leaves
 * that list when it and all before it are done.
 *
 * Lanes. A command goes to the first lane on which its time is free, among all that were put there,
 * in whatever order they come. What no command to come can touch is forgotten: none begins before
 * the first that is pending was submitted.
 *
 * The depth. Each command that is done makes two edges, at its submission and at its end, in a heap
 * by time. Those before the submission of the first that is pending are final (no command to come
 * adds one there) and become samples of the counter: so each sample is exact, and comes late. A
 * command that a great many later ones have overtaken is counted as submitted, and no longer waited
 * for (`stuck`).
 *
 * Ordered accesses: .inbox is pushed to with release and taken with acquire, so that a command's
 * fields are there; .submitted is stored with release after that, and read with acquire by who has
 * the lock.
 */
#include "layer/device/work.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/command_kinds.h"
#include "layer/buffers/buffer.h"
#include "layer/buffers/clock.h"
#include "layer/device/device.h"
#include "layer/device/watch.h"
#include "layer/base/cache_near.h"
#include "layer/calls/request.h"
#include "layer/buffers/strings.h"
#include "tracelayer/api.h"
#include "tracelayer/shim.h"

/* nanoseconds from a call's bounds: its slice's are ticks, converted, and may be off by a little */
#define INSIDE 100u
/* the same where these are known: a driver's own call inside of it may begin soon */
#define INSIDE_EXACT 20u
#define STUCK	     65536u /* commands that may be done behind one that isn't */
#define SPANS	     64u    /* of a lane, when it is first looked for what can be forgotten */
#define FIRST_SPANS  4u	    /* that a lane has room for */
/* lanes of devices stand below those of threads and of the program's own */
#define SORT 1000
/* queues of a device, from which on those that were released are used again */
#define REUSE	     64u
#define MORE_ARGS    16u
#define CORRELATIONS 64u /* numbers that a thread takes at a time; a power of two */
#define OWN_ARGS     16u

enum command_state { PENDING, DONE, STUCK_PENDING };

struct tl_device_command {
	struct tl_device_command *next;
	struct tl_device_queue *queue;
	_Atomic uint64_t submitted; /* nanoseconds, or ticks; 0: about to be */
	bool in_ticks;
	/* false: tools only want to hear of it, and it is in no list */
	bool recorded;
	enum command_state state; /* the queue's */
};

/* What a lane has at a time. */
struct span {
	uint64_t start, end;
	uint32_t by; /* the lane of the thread that recorded it */
};

struct lane {
	uint32_t number;
	uint64_t forgotten; /* all before is taken */
	uint32_t count, room, look;
	struct span *spans; /* by their start */
};

struct edge {
	uint64_t ns;
	int32_t change;
};

struct tl_device_queue {
	struct tl_device_queue *next; /* of all; never changes */
	struct tl_device *device;
	uint32_t number;
	_Atomic bool released;
	char *name;  /* the one that was asked for, or NULL */
	char *label; /* what its lanes are called */
	_Atomic(struct tl_device_command *) inbox;
	_Atomic(struct tl_device_command *) spare; /* free ones, linked by .next */

	pthread_mutex_t lock;			 /* of all that follows */
	struct tl_device_command *first, **last; /* pending */
	uint32_t behind;			 /* done, behind the first */
	struct lane *lanes;			 /* room for a power of two */
	uint32_t nlanes;
	/* the first of so many lanes all have something that ends at .crowded_until or later */
	uint32_t crowded;
	uint64_t crowded_until;
	struct edge *edges; /* a heap */
	uint32_t nedges, edges_room;
	int64_t depth;
	uint64_t sampled; /* the time of the last sample */
	uint32_t counter; /* its name */
	struct dimensions {
		unsigned count;
		uint64_t size[3];
		uint32_t text;
	} global, local; /* printed lately */
};

struct tl_device {
	struct tl_device *next; /* of all; never changes */
	char *name;
	_Atomic uint32_t text; /* number of .name, once it was wanted */
	pthread_mutex_t lock;  /* of what follows */
	int64_t bytes;
	uint32_t counter;
};

/* of the lists: they are added to under it */
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
/* Release by who adds, acquire by who goes through them. */
static _Atomic(struct tl_device *) devices;
static _Atomic(struct tl_device_queue *) queues;
static uint32_t queue_count;
static _Atomic uint32_t correlations; /* blocks of them are taken */

/* --- texts */

/* clang-format off */
#define KEYS(KEY)                                                                                  \
	KEY(device) KEY(kind) KEY(queue) KEY(correlation) KEY(queued) KEY(submit) KEY(start)       \
	KEY(end) KEY(bytes) KEY(bandwidth) KEY(peer) KEY(global) KEY(local) KEY(unfinished)        \
	KEY(commands) KEY(submitted) KEY(awaited)
/* clang-format on */

enum {
#define KEY(name) KEY_##name,
	KEYS(KEY)
#undef KEY
		KEY_COUNT
};

static const char *const key_texts[KEY_COUNT] = {
#define KEY(name) #name,
	KEYS(KEY)
#undef KEY
};

/* Numbers of texts, 0 until they are wanted. Whoever finds a 0 asks, and gets the same. */
static _Atomic uint32_t keys[KEY_COUNT], kinds[TL_DEVICE_KINDS];

static uint32_t kept_number(_Atomic uint32_t *kept, const char *text)
{
	uint32_t number = atomic_load_explicit(kept, memory_order_relaxed);

	if (!number) {
		number = tl_string_of(text);
		atomic_store_explicit(kept, number, memory_order_relaxed);
	}
	return number;
}

#define KEY(name) kept_number(&keys[KEY_##name], key_texts[KEY_##name])

static uint32_t text_of_kind(enum tl_device_kind kind)
{
	return kept_number(&kinds[kind], tl_kind_words[kind]);
}

/* "1024x16x1" */
static uint32_t text_of_size(struct dimensions *lately, unsigned count, const uint64_t size[3])
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

/* --- devices and queues */

struct tl_device *tl_device_new(const char *name)
{
	struct tl_device *device = calloc(1, sizeof(*device));

	if (!device || !(device->name = strdup(name))) {
		free(device);
		return NULL;
	}
	pthread_mutex_init(&device->lock, NULL);
	pthread_mutex_lock(&making);
	device->next = atomic_load_explicit(&devices, memory_order_relaxed);
	atomic_store_explicit(&devices, device, memory_order_release);
	pthread_mutex_unlock(&making);
	return device;
}

static bool is_label_of_queue(const char *label)
{
	for (struct tl_device_queue *queue = atomic_load_explicit(&queues, memory_order_relaxed);
	     queue; queue = queue->next)
		if (!strcmp(queue->label, label))
			return true;
	return false;
}

/* What tells queues apart comes first: viewers cut long names at the end. Under `making`. */
static char *make_label(const struct tl_device *device, const char *name, uint32_t number)
{
	char *label = NULL;

	if (name && asprintf(&label, "%s, %s", name, device->name) < 0)
		return NULL;
	if (label && !is_label_of_queue(label))
		return label;
	free(label);
	return asprintf(&label, "queue %u, %s", number, device->name) < 0 ? NULL : label;
}

static bool is_same_name(const char *one, const char *other)
{
	return one && other ? !strcmp(one, other) : one == other;
}

/* One of that name which was released, where a device has had many. Under `making`. */
static struct tl_device_queue *use_again(const struct tl_device *device, const char *name)
{
	struct tl_device_queue *free_one = NULL;
	uint32_t count = 0;

	for (struct tl_device_queue *queue = atomic_load_explicit(&queues, memory_order_relaxed);
	     queue; queue = queue->next) {
		if (queue->device != device)
			continue;
		count++;
		if (atomic_load_explicit(&queue->released, memory_order_relaxed) &&
		    is_same_name(queue->name, name))
			free_one = queue;
	}
	if (count < REUSE || !free_one)
		return NULL;
	atomic_store_explicit(&free_one->released, false, memory_order_relaxed);
	return free_one;
}

static struct tl_device_queue *make_queue(struct tl_device *device, const char *name)
{
	struct tl_device_queue *queue = calloc(1, sizeof(*queue));

	if (queue && name)
		queue->name = strdup(name);
	if (!queue || (name && !queue->name) ||
	    !(queue->label = make_label(device, name, queue_count + 1))) {
		free(queue ? queue->name : NULL);
		free(queue);
		return NULL;
	}
	queue->device = device;
	queue->number = ++queue_count;
	queue->last = &queue->first;
	pthread_mutex_init(&queue->lock, NULL);
	queue->next = atomic_load_explicit(&queues, memory_order_relaxed);
	atomic_store_explicit(&queues, queue, memory_order_release);
	return queue;
}

struct tl_device_queue *tl_device_queue_new(struct tl_device *device, const char *name)
{
	if (!device)
		return NULL;
	pthread_mutex_lock(&making);
	struct tl_device_queue *queue = use_again(device, name);
	if (!queue)
		queue = make_queue(device, name);
	pthread_mutex_unlock(&making);
	return queue;
}

uint32_t tl_device_queue_number(const struct tl_device_queue *queue)
{
	return queue ? queue->number : 0;
}

void tl_device_queue_release(struct tl_device_queue *queue)
{
	if (queue)
		atomic_store_explicit(&queue->released, true, memory_order_relaxed);
}

/* Those of a block whose last bits are all 0 are nobody's. */
TL_NEAR_CODE uint32_t tl_device_correlation(void)
{
	struct tl_producer *producer = (struct tl_producer *)tl_self;
	uint32_t number = producer ? producer->correlation : 0;

	if (!number)
		number = atomic_fetch_add_explicit(&correlations, CORRELATIONS,
						   memory_order_relaxed) +
			 1;
	if (producer)
		producer->correlation = (number + 1) % CORRELATIONS ? number + 1 : 0;
	return number;
}

struct tl_device_call tl_device_call_of(const struct tl_call *call)
{
	const struct tl_producer *thread = (const struct tl_producer *)(const void *)call->thread;

	return (struct tl_device_call){.tid = tl_hook_is_recorded(call) ? thread->shown : 0,
				       .thread = thread->tid,
				       .start = tl_hook_start(call),
				       .end = tl_hook_end(call)};
}

/* --- commands that are pending */

/*
 * Where commands are told of by another thread than that which submits them, their memory goes back
 * to the queue, from which the latter takes all there is. The thread's own: hooks are the only ones
 * to ask, and no signal handler's call has one while they run.
 */
static struct tl_device_command *take_command(struct tl_device_queue *queue)
{
	struct tl_producer *producer = (struct tl_producer *)tl_self;
	struct tl_device_command *command = producer ? producer->spare : NULL;

	/* Pairs with give_command. */
	if (producer && !command && atomic_load_explicit(&queue->spare, memory_order_relaxed))
		command = atomic_exchange_explicit(&queue->spare, NULL, memory_order_acquire);
	if (!command)
		return malloc(sizeof(*command));
	producer->spare = command->next;
	return command;
}

TL_NEAR_CODE void tl_device_will_submit(void)
{
	const struct tl_producer *producer = (const struct tl_producer *)(const void *)tl_self;

	if (producer && producer->spare)
		tl_near_soon(producer->spare);
}

static void give_command(struct tl_device_command *command)
{
	struct tl_device_queue *queue = command->queue;

	command->next = atomic_load_explicit(&queue->spare, memory_order_relaxed);
	/* Pairs with take_command: nobody uses it any more. */
	while (!atomic_compare_exchange_weak_explicit(&queue->spare, &command->next, command,
						      memory_order_release, memory_order_relaxed))
		;
}

TL_NEAR_CODE struct tl_device_command *tl_device_submit_untimed(struct tl_device_queue *queue)
{
	bool recorded = tl_event_wanted(TL_LEVEL_OPERATOR) && tl_request_wants(TL_LEVEL_OPERATOR);
	struct tl_device_command *command =
		queue && (recorded || tl_device_is_watched()) ? take_command(queue) : NULL;

	if (!command)
		return NULL;
	command->queue = queue;
	command->recorded = recorded;
	atomic_init(&command->submitted, 0);
	if (!recorded)
		return command;
	command->state = PENDING;
	command->next = atomic_load_explicit(&queue->inbox, memory_order_relaxed);
	/* Pairs with take_inbox. */
	while (!atomic_compare_exchange_weak_explicit(&queue->inbox, &command->next, command,
						      memory_order_release, memory_order_relaxed))
		;
	return command;
}

static void set_time(struct tl_device_command *command, uint64_t time, bool in_ticks)
{
	if (!command)
		return;
	command->in_ticks = in_ticks;
	/* Pairs with submission_of. */
	atomic_store_explicit(&command->submitted, time, memory_order_release);
}

TL_NEAR_CODE void tl_device_submitted(struct tl_device_command *command, uint64_t ticks)
{
	set_time(command, ticks, true);
}

struct tl_device_command *tl_device_submit(struct tl_device_queue *queue)
{
	struct tl_device_command *command = tl_device_submit_untimed(queue);

	/* Not before it is there for others to see. */
	set_time(command, tl_device_now(), false);
	return command;
}

static void take_inbox(struct tl_device_queue *queue)
{
	struct tl_device_command *command, *oldest = NULL, *newest;

	if (!atomic_load_explicit(&queue->inbox, memory_order_relaxed))
		return;
	/* Pairs with tl_device_submit. */
	newest = command = atomic_exchange_explicit(&queue->inbox, NULL, memory_order_acquire);
	while (command) {
		struct tl_device_command *next = command->next;
		command->next = oldest;
		oldest = command;
		command = next;
	}
	*queue->last = oldest;
	queue->last = &newest->next;
}

static uint64_t submission_of(const struct tl_device_command *command)
{
	uint64_t time = atomic_load_explicit(&command->submitted, memory_order_acquire);

	return time && command->in_ticks ? tl_clock_ns(time) : time;
}

/* --- the depth */

static void swap_edges(struct edge *a, struct edge *b)
{
	struct edge one = *a;

	*a = *b;
	*b = one;
}

static void push_edge(struct tl_device_queue *queue, uint64_t ns, int32_t change)
{
	if (queue->nedges == queue->edges_room) {
		uint32_t room = queue->edges_room ? 2 * queue->edges_room : 64;
		struct edge *edges = realloc(queue->edges, room * sizeof(*edges));
		if (!edges)
			return;
		queue->edges = edges;
		queue->edges_room = room;
	}
	uint32_t i = queue->nedges++;
	queue->edges[i] = (struct edge){ns, change};
	for (; i && queue->edges[(i - 1) / 2].ns > queue->edges[i].ns; i = (i - 1) / 2)
		swap_edges(&queue->edges[i], &queue->edges[(i - 1) / 2]);
}

static struct edge pop_edge(struct tl_device_queue *queue)
{
	struct edge *edges = queue->edges, first = edges[0];
	uint32_t n = --queue->nedges, i = 0, least;

	edges[0] = edges[n];
	while ((least = 2 * i + 1) < n) {
		if (least + 1 < n && edges[least + 1].ns < edges[least].ns)
			least++;
		if (edges[i].ns <= edges[least].ns)
			break;
		swap_edges(&edges[i], &edges[least]);
		i = least;
	}
	return first;
}

static void put_counter(uint32_t name, uint32_t key, uint64_t ns, int64_t value)
{
	const struct tl_event_arg arg = {
		.key = key, .kind = TL_VALUE_SIGNED_64, .value = (uint64_t)value};

	tl_event_put(&(struct tl_event){.phase = 'C',
					.flags = TL_EVENT_NS,
					.level = TL_LEVEL_OPERATOR,
					.name = name,
					.category = KEY(device),
					.start = ns,
					.nargs = 1,
					.args = &arg});
}

/* Samples of all that happened before a time. */
static void sample_depth(struct tl_device_queue *queue, uint64_t until)
{
	char name[32];

	if (!queue->counter) {
		snprintf(name, sizeof(name), "queue %u depth", queue->number);
		queue->counter = tl_string_of(name);
	}
	while (queue->nedges && queue->edges[0].ns < until) {
		struct edge edge = pop_edge(queue);
		queue->depth += edge.change;
		while (queue->nedges && queue->edges[0].ns == edge.ns)
			queue->depth += pop_edge(queue).change;
		if (edge.ns > queue->sampled)
			queue->sampled = edge.ns;
		put_counter(queue->counter, KEY(commands), queue->sampled, queue->depth);
	}
}

/*
 * Commands that are done leave the list's front. Returns before what all is known that ever will
 * be. `now`: some time before this.
 */
static uint64_t settle(struct tl_device_queue *queue, uint64_t now)
{
	take_inbox(queue);
	for (struct tl_device_command *command; (command = queue->first);) {
		if (command->state == PENDING && queue->behind < STUCK)
			return submission_of(command);
		if (!(queue->first = command->next))
			queue->last = &queue->first;
		if (command->state == PENDING) {
			push_edge(queue, submission_of(command), 1);
			command->state = STUCK_PENDING;
		} else {
			queue->behind -= queue->behind > 0;
			give_command(command);
		}
	}
	return now;
}

/* It is over; edges count where it had a beginning. */
static void finish(struct tl_device_command *command, uint64_t begun, uint64_t ended)
{
	struct tl_device_queue *queue = command->queue;
	bool stuck = command->state == STUCK_PENDING;

	take_inbox(queue);
	if (begun && !stuck)
		push_edge(queue, begun, 1);
	if (ended || (stuck && !begun))
		push_edge(queue, ended ? ended : queue->sampled, -1);
	command->state = DONE;
	if (stuck)
		give_command(command);
	else
		queue->behind++;
}

void tl_device_cancel(struct tl_device_command *command)
{
	if (!command)
		return;
	if (!command->recorded) {
		give_command(command);
		return;
	}
	struct tl_device_queue *queue = command->queue;
	uint64_t now = tl_device_now();
	pthread_mutex_lock(&queue->lock);
	finish(command, 0, 0);
	sample_depth(queue, settle(queue, now));
	pthread_mutex_unlock(&queue->lock);
}

/* --- lanes */

/* The number of spans that begin at a time or before. */
static uint32_t spans_until(const struct lane *lane, uint64_t start)
{
	uint32_t low = 0, high = lane->count;

	if (high && lane->spans[high - 1].start <= start)
		return high;
	while (low < high) {
		uint32_t middle = (low + high) / 2;
		if (lane->spans[middle].start <= start)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* What a nothing may not do is to be inside of something. */
static bool is_free(const struct lane *lane, uint32_t at, uint64_t start, uint64_t end)
{
	return start >= lane->forgotten && (!at || lane->spans[at - 1].end <= start) &&
	       (at == lane->count || lane->spans[at].start >= end);
}

/* What ends before anything can come. */
static void forget(struct lane *lane, uint64_t before)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < lane->count; i++) {
		if (lane->spans[i].end > before)
			lane->spans[left++] = lane->spans[i];
		else if (lane->spans[i].end > lane->forgotten)
			lane->forgotten = lane->spans[i].end;
	}
	lane->count = left;
	lane->look = left < SPANS / 2 ? SPANS : 2 * left;
}

static bool make_room(struct tl_device_queue *queue, struct lane *lane)
{
	if (lane->count >= lane->look)
		forget(lane, queue->first ? submission_of(queue->first) : queue->sampled);
	if (lane->count < lane->room)
		return true;
	uint32_t room = lane->room ? 2 * lane->room : FIRST_SPANS;
	struct span *spans = realloc(lane->spans, room * sizeof(*spans));
	if (!spans)
		return false;
	lane->spans = spans;
	lane->room = room;
	return true;
}

/* "compute 0.1 (2), Device": viewers cut names at their end. */
static void name_lane(char *name, size_t size, const struct tl_device_queue *queue)
{
	const char *rest = strstr(queue->label, ", ");
	int length = rest ? (int)(rest - queue->label) : (int)strlen(queue->label);

	if (!queue->nlanes)
		snprintf(name, size, "%s", queue->label);
	else
		snprintf(name, size, "%.*s (%u)%s", length, queue->label, queue->nlanes + 1,
			 queue->label + length);
}

static struct lane *add_lane(struct tl_device_queue *queue)
{
	struct lane *lanes = queue->lanes;
	char name[TL_STRING_MAX];

	if (!(queue->nlanes & (queue->nlanes - 1))) {
		lanes = realloc(lanes, (queue->nlanes ? 2 * queue->nlanes : 1) * sizeof(*lanes));
		if (!lanes)
			return NULL;
		queue->lanes = lanes;
	}
	name_lane(name, sizeof(name), queue);
	lanes[queue->nlanes] = (struct lane){
		.number = tl_event_lane(tl_string_of(name), (int32_t)(SORT + queue->number)),
		.look = SPANS};
	return &lanes[queue->nlanes++];
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Nothing on it ends later. */
static uint64_t end_of(const struct lane *lane)
{
	return lane->count ? lane->spans[lane->count - 1].end : lane->forgotten;
}

/*
 * The first lane on which something that begins then, and has not ended, may have room. There may
 * be as many lanes as there are such commands, in which case most are known to have none.
 */
static uint32_t first_with_room(struct tl_device_queue *queue, uint64_t start)
{
	if (start >= queue->crowded_until) {
		queue->crowded = 0;
		queue->crowded_until = UINT64_MAX;
	}
	for (; queue->crowded < queue->nlanes; queue->crowded++) {
		uint64_t end = end_of(&queue->lanes[queue->crowded]);
		if (end <= start)
			break;
		queue->crowded_until = least(queue->crowded_until, end);
	}
	return queue->crowded;
}

/*
 * The first lane that is free then. Of two slices that touch on a lane, a reader of packets knows
 * the order by that of the file; where this isn't that of time, or may not be, they are kept a
 * nanosecond apart.
 */
static struct lane *place(struct tl_device_queue *queue, struct tl_device_work *work, uint32_t by)
{
	struct lane *lane = NULL;
	uint32_t at = 0;

	for (uint32_t i = work->unfinished ? first_with_room(queue, work->start) : 0;
	     i < queue->nlanes && !lane; i++) {
		at = spans_until(&queue->lanes[i], work->start);
		if (is_free(&queue->lanes[i], at, work->start, work->end))
			lane = &queue->lanes[i];
	}
	if (!lane && !(lane = add_lane(queue)))
		return queue->lanes;
	if (!make_room(queue, lane))
		return lane;
	at = spans_until(lane, work->start);
	struct span *spans = lane->spans;
	bool is_long = work->end > work->start;
	if (is_long && at < lane->count && spans[at].start == work->end)
		work->end--;
	else if (is_long && at && spans[at - 1].end == work->start &&
		 spans[at - 1].start < work->start && spans[at - 1].by != by)
		work->start++;
	memmove(&spans[at + 1], &spans[at], (lane->count - at) * sizeof(*spans));
	spans[at] = (struct span){work->start, work->end, by};
	lane->count++;
	return lane;
}

/* --- what is recorded */

static uint64_t most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/*
 * A time inside of a call, near its end or its start, but not so near that its slice might not have
 * it.
 */
static uint64_t inside(const struct tl_device_call *call)
{
	return least(call->exact ? INSIDE_EXACT : INSIDE, (call->end - call->start) / 2);
}

static uint64_t near_start(const struct tl_device_call *call)
{
	return call->end > call->start ? call->start + inside(call) : call->start;
}

static uint64_t near_end(const struct tl_device_call *call)
{
	return call->end > call->start && call->start ? call->end - inside(call) : call->end;
}

/* Its times as they can be. A call that had returned by then has not waited for it. */
static void clamp(struct tl_device_work *work, uint64_t submitted, uint64_t now)
{
	uint64_t first = work->submitted.start ? near_start(&work->submitted) : submitted;

	if (near_end(&work->waited) < first)
		work->waited = (struct tl_device_call){.tid = 0};
	uint64_t last = work->waited.end ? least(near_end(&work->waited), now) : now;

	last = most(first, last);
	work->start = least(most(work->start, first), last);
	work->end = most(least(work->end, last), work->start);
}

struct args {
	uint32_t count;
	struct tl_event_arg at[OWN_ARGS + MORE_ARGS];
};

static void add(struct args *args, uint32_t key, enum tl_event_value kind, uint64_t value)
{
	args->at[args->count++] = (struct tl_event_arg){.key = key, .kind = kind, .value = value};
}

static void add_double(struct args *args, uint32_t key, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	add(args, key, TL_VALUE_DOUBLE_64, bits);
}

static void add_raw(struct args *args, const struct tl_device_work *work)
{
	if (work->has & TL_RAW_QUEUED)
		add(args, KEY(queued), TL_VALUE_UNSIGNED_64, work->queued);
	if (work->has & TL_RAW_SUBMIT)
		add(args, KEY(submit), TL_VALUE_UNSIGNED_64, work->submit);
	if (work->has & TL_RAW_START)
		add(args, KEY(start), TL_VALUE_UNSIGNED_64, work->raw_start);
	if (work->has & TL_RAW_END)
		add(args, KEY(end), TL_VALUE_UNSIGNED_64, work->raw_end);
}

static void add_what(struct tl_device_queue *queue, struct args *args,
		     const struct tl_device_work *work)
{
	if (work->bytes)
		add(args, KEY(bytes), TL_VALUE_UNSIGNED_64, work->bytes);
	if (work->bytes && work->end > work->start && !work->unfinished)
		add_double(args, KEY(bandwidth),
			   (double)work->bytes / (double)(work->end - work->start));
	if (work->peer)
		add(args, KEY(peer), TL_VALUE_STRING, tl_string_of(work->peer));
	if (work->dimensions && work->dimensions <= 3) {
		add(args, KEY(global), TL_VALUE_STRING,
		    text_of_size(&queue->global, work->dimensions, work->global));
		if (work->local[0])
			add(args, KEY(local), TL_VALUE_STRING,
			    text_of_size(&queue->local, work->dimensions, work->local));
	}
	if (work->unfinished)
		add(args, KEY(unfinished), TL_VALUE_TRUTH, 1);
	for (uint32_t i = 0; i < work->nargs && i < MORE_ARGS; i++)
		args->at[args->count++] = work->args[i];
}

static struct tl_event slice_of(struct tl_device_queue *queue, const struct tl_device_work *work,
				uint32_t lane, struct args *args)
{
	add(args, KEY(kind), TL_VALUE_STRING, text_of_kind(work->kind));
	add(args, KEY(queue), TL_VALUE_UNSIGNED_64, queue->number);
	add(args, KEY(device), TL_VALUE_STRING,
	    kept_number(&queue->device->text, queue->device->name));
	if (work->correlation)
		add(args, KEY(correlation), TL_VALUE_UNSIGNED_64, work->correlation);
	add_raw(args, work);
	add_what(queue, args, work);
	return (struct tl_event){.phase = 'X',
				 .flags = TL_EVENT_NS,
				 .level = TL_LEVEL_OPERATOR,
				 .lane = lane,
				 .name = work->name && *work->name ? tl_string_of(work->name)
								   : text_of_kind(work->kind),
				 .category = KEY(device),
				 .request = work->request,
				 .start = work->start,
				 .duration = work->end - work->start,
				 .nargs = args->count,
				 .args = args->at};
}

static struct tl_event_arrows arrows_of(const struct tl_device_work *work)
{
	const struct tl_device_call *from = &work->submitted, *to = &work->waited;

	return (struct tl_event_arrows){
		.number = tl_event_flows(),
		.from = from->tid,
		.from_ns = least(near_start(from), work->start),
		.from_name = KEY(submitted),
		.to = work->unfinished ? 0 : to->tid,
		.to_ns = most(near_end(to), work->end),
		.to_name = KEY(awaited),
	};
}

static void record(struct tl_device_command *command, struct tl_device_work *work,
		   uint64_t submitted, uint64_t now)
{
	struct tl_device_queue *queue = command->queue;

	uint64_t ended = work->unfinished ? 0 : work->end;
	struct args args;
	struct tl_event_arrows arrows = arrows_of(work);

	args.count = 0;
	pthread_mutex_lock(&queue->lock);
	struct lane *lane = place(queue, work, tl_self ? ((struct tl_producer *)tl_self)->lane : 0);
	uint32_t number = lane ? lane->number : 0;
	struct tl_event slice = slice_of(queue, work, number, &args);
	if (arrows.from || arrows.to)
		slice.arrows = &arrows;
	tl_event_put(&slice);
	finish(command, work->submitted.start ? work->submitted.start : submitted, ended);
	if (!work->more)
		sample_depth(queue, settle(queue, now));
	pthread_mutex_unlock(&queue->lock);
}

/* Those who want to hear of it besides. */
static void tell(const struct tl_device_queue *queue, const struct tl_device_work *work)
{
	tl_device_tell(&(struct tl_device_view){
		.size = sizeof(struct tl_device_view),
		.name = work->name,
		.kind = work->kind,
		.unfinished = work->unfinished,
		.queue_number = queue->number,
		.queue = queue->label,
		.start = work->start,
		.end = work->end,
		.bytes = work->bytes,
		.peer = work->peer,
		.correlation = work->correlation,
		.request = work->request,
		.thread = (int)work->submitted.thread,
		.call_start = work->submitted.start,
		.call_end = work->submitted.end,
	});
}

void tl_device_done(struct tl_device_command *command, const struct tl_device_work *told)
{
	struct tl_device_work work = *told;

	if (!command)
		return;
	const struct tl_device_queue *queue = command->queue;
	uint64_t submitted = work.submitted.start ? work.submitted.start : submission_of(command),
		 now = work.now ? work.now : tl_device_now();
	clamp(&work, submitted, now);
	if (command->recorded)
		record(command, &work, submitted, now);
	else
		give_command(command);
	if (tl_device_is_watched())
		tell(queue, &work);
}

/* --- memory */

void tl_device_memory(struct tl_device *device, int64_t bytes)
{
	char name[TL_STRING_MAX];

	if (!device)
		return;
	pthread_mutex_lock(&device->lock);
	device->bytes += bytes;
	if (tl_event_wanted(TL_LEVEL_OPERATOR)) {
		if (!device->counter) {
			snprintf(name, sizeof(name), "memory, %s", device->name);
			device->counter = tl_string_of(name);
		}
		put_counter(device->counter, KEY(bytes), tl_device_now(), device->bytes);
	}
	pthread_mutex_unlock(&device->lock);
}

/* --- ends */

void tl_device_work_end(void)
{
	for (struct tl_device_queue *queue = atomic_load_explicit(&queues, memory_order_acquire);
	     queue; queue = queue->next) {
		pthread_mutex_lock(&queue->lock);
		take_inbox(queue);
		for (struct tl_device_command *command = queue->first; command;
		     command = command->next)
			if (command->state == PENDING && submission_of(command))
				push_edge(queue, submission_of(command), 1);
		sample_depth(queue, UINT64_MAX);
		pthread_mutex_unlock(&queue->lock);
	}
}

static void forget_queue(struct tl_device_queue *queue)
{
	/*
	 * Whoever had it has not come along, and may have been about to note that an array lies
	 * elsewhere now: they are left.
	 */
	pthread_mutex_init(&queue->lock, NULL);
	atomic_store_explicit(&queue->inbox, NULL, memory_order_relaxed);
	atomic_store_explicit(&queue->spare, NULL, memory_order_relaxed);
	queue->lanes = NULL;
	queue->edges = NULL;
	queue->nlanes = queue->nedges = queue->edges_room = queue->behind = queue->counter = 0;
	queue->crowded_until = 0;
	queue->first = NULL;
	queue->last = &queue->first;
	queue->depth = 0;
	queue->sampled = 0;
	queue->global.text = queue->local.text = 0;
}

void tl_device_work_after_fork(void)
{
	pthread_mutex_init(&making, NULL);
	for (unsigned i = 0; i < KEY_COUNT; i++)
		atomic_store_explicit(&keys[i], 0, memory_order_relaxed);
	for (unsigned i = 0; i < TL_DEVICE_KINDS; i++)
		atomic_store_explicit(&kinds[i], 0, memory_order_relaxed);
	for (struct tl_device *device = atomic_load_explicit(&devices, memory_order_relaxed);
	     device; device = device->next) {
		pthread_mutex_init(&device->lock, NULL);
		atomic_store_explicit(&device->text, 0, memory_order_relaxed);
		device->bytes = 0;
		device->counter = 0;
	}
	for (struct tl_device_queue *queue = atomic_load_explicit(&queues, memory_order_relaxed);
	     queue; queue = queue->next)
		forget_queue(queue);
}
