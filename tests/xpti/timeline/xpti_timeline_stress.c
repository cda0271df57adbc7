/* SPDX-License-Identifier: MIT */
/*
 * xpti_timeline_stress.c: the subscriber that shows XPTI streams, called by threads that begin,
 * end, hand over and interleave at random while streams end under them; with a recorder of its own
 * in the place of libtracelayer.so, and no dispatcher.
 *
 *	xpti_timeline_stress THREADS ROUNDS
 *
 * In the end: everything that was notified of was told, once; and on each lane slices nest.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "layer/program/xpti_events.h"
#include "tracelayer/xpti.h"

/* ---- libtracelayer.so */

enum { MOST = 4000000, STRINGS = 4096 };

struct told {
	uint32_t lane, name;
	uint64_t start, end;
};

static struct told *all;
static _Atomic uint32_t count, instants, arrows, lanes;
static char strings[STRINGS][64];
static uint32_t nstrings = 1;
static pthread_mutex_t strings_lock = PTHREAD_MUTEX_INITIALIZER;
static void (*ends)(void);

bool tl_guest_joins(uint8_t level)
{
	return level != 0;
}
bool tl_guest_wanted(uint8_t level)
{
	return level != 0;
}
uint64_t tl_guest_ns(uint64_t from, uint64_t to)
{
	return to - from;
}
static void (*submitted)(uint64_t start, uint64_t end);

void tl_guest_at_submission(void (*function)(uint64_t start, uint64_t end))
{
	submitted = function;
}
void tl_guest_at_end(void (*function)(void))
{
	ends = function;
}

uint64_t tl_guest_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

uint64_t tl_guest_flows(void)
{
	static _Atomic uint64_t flows;

	return atomic_fetch_add(&flows, 2);
}

uint32_t tl_guest_lane(uint32_t name, int32_t sort)
{
	return name ? ++lanes : (uint32_t)sort;
}

uint32_t tl_guest_number(const char *text, size_t size)
{
	uint32_t number = 0;

	pthread_mutex_lock(&strings_lock);
	for (uint32_t i = 1; i < nstrings && !number; i++)
		if (strlen(strings[i]) == size && !memcmp(strings[i], text, size))
			number = i;
	if (!number && nstrings < STRINGS && size < sizeof(strings[0])) {
		memcpy(strings[nstrings], text, size);
		number = nstrings++;
	}
	pthread_mutex_unlock(&strings_lock);
	return number;
}

const char *tl_guest_text(uint32_t number, size_t *size)
{
	*size = strlen(strings[number]);
	return strings[number];
}

bool tl_guest_put(struct tl_event *event)
{
	if (event->phase == 'i') {
		instants++;
		return true;
	}
	if (event->phase != 'X') {
		arrows++;
		return true;
	}
	uint32_t at = count++;
	if (at >= MOST)
		abort();
	all[at] = (struct told){event->lane, event->name, event->start,
				event->start + event->duration};
	return true;
}

/* ---- the dispatcher */

static xpti_event events[8];
static xpti_payload payloads[8];
static xpti_callback callbacks[4];

uint8_t xptiRegisterStream(const char *stream)
{
	return (uint8_t)(stream[0] - 'a' + 1);
}
const xpti_payload *xptiQueryPayload(xpti_event *event)
{
	return event->payload;
}
const xpti_event *xptiFindEvent(uint64_t uid)
{
	return uid && uid <= 8 ? &events[uid - 1] : NULL;
}
xpti_metadata *xptiQueryMetadata(xpti_event *event)
{
	return event ? &event->metadata : NULL;
}
const char *xptiLookupString(xpti_string_id id)
{
	return id ? NULL : "";
}
xpti_object xptiLookupObject(xpti_object_id id)
{
	return (xpti_object){0, NULL, (uint8_t)id};
}

xpti_result xptiRegisterCallback(xpti_stream_id stream, uint16_t type, xpti_callback callback)
{
	if (type == xpti_trace_task_begin)
		callbacks[stream] = callback;
	return XPTI_RESULT_SUCCESS;
}

bool xptiCheckTraceEnabled(xpti_stream_id stream, uint16_t type)
{
	(void)type;
	return callbacks[stream] != NULL;
}

/* ---- the program */

enum { OPEN = 12, HANDED = 64 };

static int rounds;
static _Atomic uint64_t next_instance = 1, begun, ended;
static pthread_mutex_t handed_lock = PTHREAD_MUTEX_INITIALIZER;

struct open {
	uint8_t stream;
	uint16_t type;
	uint64_t instance;
	xpti_event *event;
};

static struct open handed[HANDED];
static unsigned nhanded;

static struct open begin(unsigned *seed)
{
	struct open open = {(uint8_t)(1 + rand_r(seed) % 3),
			    rand_r(seed) % 2 ? xpti_trace_task_begin : xpti_trace_function_begin,
			    next_instance++, &events[rand_r(seed) % 8]};

	callbacks[open.stream](open.type, NULL, open.event, open.instance, NULL);
	begun++;
	return open;
}

static void end(const struct open *open)
{
	callbacks[open->stream](open->type | 1, NULL, open->event, open->instance, NULL);
	ended++;
}

static void hand(const struct open *open)
{
	pthread_mutex_lock(&handed_lock);
	bool room = nhanded < HANDED;
	if (room)
		handed[nhanded++] = *open;
	pthread_mutex_unlock(&handed_lock);
	if (!room)
		end(open);
}

static void end_handed(unsigned *seed)
{
	struct open open = {0};

	pthread_mutex_lock(&handed_lock);
	if (nhanded) {
		unsigned at = (unsigned)rand_r(seed) % nhanded;
		open = handed[at];
		handed[at] = handed[--nhanded];
	}
	pthread_mutex_unlock(&handed_lock);
	if (open.stream)
		end(&open);
}

static void *work(void *number)
{
	unsigned seed = (unsigned)(uintptr_t)number;
	struct open open[OPEN];
	int top = 0;

	for (int i = 0; i < rounds; i++) {
		int dice = rand_r(&seed) % 100;
		uint64_t now = tl_guest_now();
		if (dice % 3 == 0)
			submitted(now, now + 100);
		if (dice < 45 && top < OPEN) {
			open[top++] = begin(&seed);
		} else if (dice < 80 && top) {
			end(&open[--top]);
		} else if (dice < 88 && top) { /* interleaved */
			int at = rand_r(&seed) % top;
			end(&open[at]);
			memmove(&open[at], &open[at + 1], (size_t)(--top - at) * sizeof(*open));
		} else if (dice < 94 && top) {
			hand(&open[--top]);
		} else {
			end_handed(&seed);
		}
	}
	while (top)
		end(&open[--top]);
	return NULL;
}

static _Atomic bool worked;

static void *finish_streams(void *unused)
{
	for (int i = 0; !worked; i++) {
		xptiTraceFinish((const char *[]){"a", "b", "c"}[i % 3]);
		usleep(100);
	}
	return unused;
}

/* ---- what must hold */

static int in_order(const void *a, const void *b)
{
	const struct told *x = a, *y = b;

	if (x->lane != y->lane)
		return x->lane < y->lane ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->end > y->end ? -1 : x->end < y->end;
}

static int crossings(void)
{
	static uint64_t open[MOST / 100];
	int crossed = 0;

	qsort(all, count, sizeof(*all), in_order);
	for (uint32_t i = 0, depth = 0; i < count; i++) {
		if (i && all[i].lane != all[i - 1].lane)
			depth = 0;
		while (depth && open[depth - 1] <= all[i].start)
			depth--;
		crossed += depth && all[i].end > open[depth - 1];
		open[depth++] = all[i].end;
	}
	return crossed;
}

int main(int argc, char **argv)
{
	int threads = argc > 2 ? atoi(argv[1]) : 4;
	pthread_t ids[64], finisher;

	rounds = argc > 2 ? atoi(argv[2]) : 1000;
	all = calloc(MOST, sizeof(*all));
	for (int i = 0; i < 8; i++) {
		payloads[i] = (xpti_payload){
			.name = (const char *[]){"a", "b", "c", "d", "e", "f", "g", "h"}[i],
			.internal = (uint64_t)i + 1};
		events[i] = (xpti_event){.unique_id = (uint64_t)i + 1, .payload = &payloads[i]};
	}
	for (int i = 0; i < 3; i++)
		xptiTraceInit(1, 0, "1", (const char *[]){"a", "b", "c"}[i]);
	for (int i = 0; i < 8; i++) {
		xpti_event edge = {.payload = &payloads[i],
				   .source_id = (uint64_t)i + 1,
				   .target_id = (uint64_t)(i + 3) % 8 + 1};
		callbacks[1](xpti_trace_edge_create, NULL, &edge, 1, NULL);
	}
	uint32_t edges = instants;
	for (int i = 0; i < threads; i++)
		pthread_create(&ids[i], NULL, work, (void *)(uintptr_t)i);
	pthread_create(&finisher, NULL, finish_streams, NULL);
	for (int i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	worked = true;
	pthread_join(finisher, NULL);
	while (nhanded)
		end_handed(&(unsigned){1});
	uint32_t before = count;
	ends();
	/*
	 * What a stream's end made unfinished has an end that nothing matches; that is an instant.
	 */
	uint64_t unmatched = instants - edges;
	int crossed = crossings();
	printf("%u slices, %llu begun, %llu ends unmatched, %u ends of arrows, %u lanes, %d crossings\n",
	       count, (unsigned long long)begun, (unsigned long long)unmatched, arrows, lanes,
	       crossed);
	/* Whatever began has found its end, or was told of when its stream ended. */
	return crossed || count != before || count != begun || begun != ended ||
	       unmatched >= begun / 2 || !arrows;
}
