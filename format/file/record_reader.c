/* SPDX-License-Identifier: MIT */
/*
 * record_reader.c: see record_reader.h.
 *
 * The file's pieces are visited once, and what they say is noted down: facts, output, clock, APIs;
 * a list of threads and one of chunks. Then the lists are sorted, threads become lanes, and chunks
 * their runs.
 *
 * Every offset and size is compared with what is there before it is used. Structs are copied out of
 * the file, so that what was checked is what is used. Records stay where they are; tl_trace_next
 * checks each as it comes to it.
 */
#include "format/file/record_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "format/file/describe.h"
#include "common/proc.h"

#define PROBLEMS_MAX 100
#define API_NUMBERS  256u  /* records' numbers have 16 bits; nobody has so many */
#define POINTS_ADDED 64u   /* after the file's own */
#define TEXT_MOST    1024u /* no text is longer */
/* no chunk is larger: a file full of holes may claim anything */
#define CHUNK_MOST (64u << 20)
/* as in layer/buffers/clock.c: nanoseconds that the slope beyond the last point is taken over */
#define BASELINE  1000000000u
#define SLOPE_ONE ((uint64_t)1 << TL_CLOCK_SHIFT)

struct point {
	uint64_t ticks, ns, slope;
};

struct clock {
	uint32_t count;
	uint64_t horizon;
	struct point points[TL_CLOCK_POINTS + POINTS_ADDED];
};

struct chunk {
	uint32_t lane;
	uint64_t number, place; /* place: of its piece in the file */
	const char *records;
	uint64_t size; /* bytes of records, those that the output has included */
	uint64_t kept, taken, block, hole; /* as in the piece */
};

struct thread {
	struct tl_trace_lane lane;
	uint64_t place;
};

/* Texts that lie together. */
struct texts {
	uint64_t number; /* of .units[0] */
	uint64_t count;	 /* units */
	uint64_t place;
	const char *units;
};

/* Nanoseconds between which records of a lane are missing. */
struct gap {
	uint64_t from, to;
};

/*
 * Which calls of a lane the file has: none from before .since or behind .until, and none in its
 * gaps.
 */
struct span {
	uint32_t tid; /* as it is shown */
	uint64_t since, until;
	size_t first_gap, ngaps;
};

struct trace {
	struct tl_trace seen; /* first: what users have */
	const char *bytes;
	uint64_t size;
	void *mapped, *allocated; /* what .bytes is, to be given back */
	int fd;			  /* while the file is opened, to skip its holes; -1: none */
	struct clock clock;
	const struct tl_api *apis[API_NUMBERS];
	struct chunk *chunks;
	size_t nchunks, chunks_room;
	bool written_too; /* runs have what the output has, too */
	struct thread *threads;
	size_t nthreads, threads_room;
	struct texts *texts;
	size_t ntexts, texts_room, named_room;
	struct span *spans; /* as many as lanes, by .tid */
	struct gap *gaps;   /* each lane's in the order of time */
	size_t ngaps, gaps_room;
	size_t more_problems;
	bool failed; /* no memory */
};

/* the clock's point that the thread's last conversion started from */
static _Thread_local uint32_t near;

/* --- memory, problems */

/* A place for one more. The old ones may move. */
static void *append(struct trace *trace, void *list, size_t *count, size_t *room, size_t each)
{
	void **array = list;

	if (*count == *room) {
		size_t more = *room ? 2 * *room : 64;
		void *larger = realloc(*array, more * each);
		if (!larger) {
			trace->failed = true;
			return NULL;
		}
		*array = larger;
		*room = more;
	}
	return memset((char *)*array + (*count)++ * each, 0, each);
}

static void *zeroed(struct trace *trace, size_t count, size_t each)
{
	void *memory = calloc(count ? count : 1, each);

	if (!memory)
		trace->failed = true;
	return memory;
}

void tl_trace_problem(struct tl_trace *seen, const char *format, ...)
{
	struct trace *trace = (struct trace *)seen;
	char line[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	if (!seen->problems)
		seen->problems = zeroed(trace, PROBLEMS_MAX + 1, sizeof(*seen->problems));
	if (!seen->problems)
		return;
	if (seen->nproblems >= PROBLEMS_MAX) {
		snprintf(line, sizeof(line), "and %zu more", ++trace->more_problems);
		free(seen->problems[PROBLEMS_MAX]);
		seen->nproblems = PROBLEMS_MAX;
	}
	seen->problems[seen->nproblems] = strdup(line);
	if (seen->problems[seen->nproblems])
		seen->nproblems++;
}

#define problem(trace, ...) tl_trace_problem(&(trace)->seen, __VA_ARGS__)

/* --- the clock: the same arithmetic as layer/buffers/clock.c */

static uint64_t slope_between(const struct point *from, const struct point *to)
{
	if (to->ticks <= from->ticks || to->ns <= from->ns)
		return 0;
	unsigned __int128 slope = ((unsigned __int128)(to->ns - from->ns) << TL_CLOCK_SHIFT) /
				  (to->ticks - from->ticks);
	return slope > UINT64_MAX ? UINT64_MAX : (uint64_t)slope;
}

static uint64_t along(uint64_t ticks, uint64_t slope)
{
	unsigned __int128 ns = (unsigned __int128)ticks * slope >> TL_CLOCK_SHIFT;

	return ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

static uint64_t recent_slope(const struct clock *clock)
{
	const struct point *last = &clock->points[clock->count - 1], *from = last;

	while (from > clock->points && last->ns - from->ns < BASELINE)
		from--;
	return slope_between(from, last);
}

/* The layer may know better what the last slope is: since when the rate has been what it is. */
static bool is_likely(uint64_t slope, uint64_t recent)
{
	return (slope > recent ? slope - recent : recent - slope) <= recent / 500;
}

static void set_slopes(struct clock *clock, uint64_t last)
{
	for (uint32_t i = 0; i + 1 < clock->count; i++)
		clock->points[i].slope = slope_between(&clock->points[i], &clock->points[i + 1]);
	if (clock->count) {
		uint64_t recent = clock->count > 1 ? recent_slope(clock) : SLOPE_ONE;
		clock->points[clock->count - 1].slope = is_likely(last, recent) ? last : recent;
	}
}

static uint64_t convert(const struct clock *clock, uint64_t ticks)
{
	uint32_t low = 0, high = clock->count;

	/* Times that are converted one after another lie near each other. */
	if (near < high && clock->points[near].ticks <= ticks) {
		low = near;
		if (low + 1 < high && ticks < clock->points[low + 1].ticks)
			high = low + 1;
	}
	while (low + 1 < high) {
		uint32_t middle = (low + high) / 2;
		if (clock->points[middle].ticks <= ticks)
			low = middle;
		else
			high = middle;
	}
	const struct point *point = &clock->points[low];
	near = low;
	if (ticks >= point->ticks) {
		uint64_t on = along(ticks - point->ticks, point->slope);
		return on < UINT64_MAX - point->ns ? point->ns + on : UINT64_MAX;
	}
	uint64_t back = along(point->ticks - ticks, point->slope);
	return back < point->ns ? point->ns - back : 0;
}

/*
 * In a table that was being thinned out, one point may be half old and half new: there the rate
 * changes by more than it can.
 */
static bool is_near(const struct point *at, const struct point *before, const struct point *first,
		    const struct point *last)
{
	uint64_t passed = at->ns - before->ns;
	unsigned __int128 expected = (unsigned __int128)(at->ticks - before->ticks) *
				     (last->ns - first->ns) / (last->ticks - first->ticks);
	unsigned __int128 off = passed > expected ? passed - expected : expected - passed;

	return off <= 2000 + passed / 500;
}

static void keep_sound_points(struct trace *trace, struct clock *clock, bool torn)
{
	struct point *points = clock->points, first = points[0], last = points[clock->count - 1];
	uint32_t kept = 1, count = clock->count;

	torn = torn && last.ticks > first.ticks && last.ns >= first.ns;
	for (uint32_t i = 1; i < count; i++) {
		const struct point *before = &points[kept - 1];
		if (points[i].ticks <= before->ticks || points[i].ns < before->ns)
			continue;
		if (torn && points[i].ticks < last.ticks &&
		    !is_near(&points[i], before, &first, &last))
			continue;
		points[kept++] = points[i];
	}
	clock->count = kept;
	if (kept < count && !torn)
		problem(trace, "the clock: %u of its %u points are not in order", count - kept,
			count);
}

static void read_clock(struct trace *trace, const char *piece, uint64_t size)
{
	const size_t head = offsetof(struct tl_clock_piece, table.points),
		     each = sizeof(struct tl_clock_point);
	struct clock *clock = &trace->clock;
	uint64_t last = 0;
	uint32_t version, count;

	if (size < head) {
		problem(trace, "byte %llu: a clock that is too short",
			(unsigned long long)(piece - trace->bytes));
		return;
	}
	memcpy(&version, piece + offsetof(struct tl_clock_piece, table.version), sizeof(version));
	memcpy(&count, piece + offsetof(struct tl_clock_piece, table.count), sizeof(count));
	memcpy(&clock->horizon, piece + offsetof(struct tl_clock_piece, table.horizon),
	       sizeof(clock->horizon));
	if (count > TL_CLOCK_POINTS || count > (size - head) / each) {
		problem(trace, "byte %llu: a clock of %u points, which are not there",
			(unsigned long long)(piece - trace->bytes), count);
		return;
	}
	for (uint32_t i = 0; i < count; i++) {
		memcpy(&clock->points[i].ticks, piece + head + i * each, sizeof(uint64_t));
		memcpy(&clock->points[i].ns, piece + head + i * each + sizeof(uint64_t),
		       sizeof(uint64_t));
		memcpy(&last, piece + head + i * each + 2 * sizeof(uint64_t), sizeof(uint64_t));
	}
	clock->count = count;
	if (count)
		keep_sound_points(trace, clock, version & 1);
	set_slopes(clock, version & 1 ? 0 : last);
}

uint64_t tl_trace_ns(const struct tl_trace *seen, uint64_t ticks)
{
	const struct trace *trace = (const struct trace *)seen;

	if (!seen->header.counter || !trace->clock.count)
		return ticks;
	return convert(&trace->clock, ticks);
}

uint32_t tl_trace_clock_points(const struct tl_trace *trace)
{
	return ((const struct trace *)trace)->clock.count;
}

void tl_trace_clock_copy(const struct tl_trace *trace, struct tl_clock_table *to)
{
	const struct clock *clock = &((const struct trace *)trace)->clock;
	uint32_t count = clock->count < TL_CLOCK_POINTS ? clock->count : TL_CLOCK_POINTS;

	memset((void *)to, 0, sizeof(*to));
	for (uint32_t i = 0; i < count; i++) {
		to->points[i].ticks = clock->points[i].ticks;
		to->points[i].ns = clock->points[i].ns;
		to->points[i].slope = clock->points[i].slope;
	}
	to->count = count;
	to->horizon = clock->horizon;
}

bool tl_trace_clock_add(struct tl_trace *seen, uint64_t ticks, uint64_t ns)
{
	struct clock *clock = &((struct trace *)seen)->clock;
	struct point *last = clock->count ? &clock->points[clock->count - 1] : NULL;

	if (!seen->header.counter || clock->count + 2 > TL_CLOCK_POINTS + POINTS_ADDED ||
	    (last && (ticks <= last->ticks || ns < last->ns)))
		return false;
	/* What was answered for ticks beyond the last point stands. */
	if (clock->count > 1 && clock->horizon > last->ticks && clock->horizon < ticks) {
		uint64_t answer = convert(clock, clock->horizon);
		last[1] = (struct point){clock->horizon, answer > last->ns ? answer : last->ns, 0};
		clock->count++;
		last++;
	}
	clock->points[clock->count++] =
		(struct point){ticks, last && ns < last->ns ? last->ns : ns, 0};
	set_slopes(clock, 0);
	return true;
}

static bool is_this_boot(const char *boot)
{
	char here[TL_PROC_BOOT];

	tl_proc_boot(here);
	return *here && !strcmp(here, boot);
}

bool tl_trace_clock_now(struct tl_trace *trace)
{
	uint64_t narrowest = UINT64_MAX, ticks = 0, ns = 0;
	struct timespec now;

	if (!trace->header.counter || !is_this_boot(trace->header.boot))
		return false;
	for (int i = 0; i < 16; i++) {
		uint64_t before = tl_counter();
		clock_gettime(CLOCK_MONOTONIC, &now);
		uint64_t width = tl_counter() - before;
		if (width >= narrowest)
			continue;
		narrowest = width;
		ticks = before + width / 2;
		ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	}
	/* As the process would have read the clock: its time namespace may be another. */
	return tl_trace_clock_add(
		trace, ticks, ns + (uint64_t)(trace->header.time_offset - tl_proc_time_offset()));
}

/* --- APIs */

static void read_api(struct trace *trace, const char *piece, uint64_t size)
{
	uint64_t place = (uint64_t)(piece - trace->bytes);
	struct tl_api_piece head;
	char why[256];

	if (size < sizeof(head)) {
		problem(trace, "byte %llu: an API's description that is too short",
			(unsigned long long)place);
		return;
	}
	memcpy(&head, piece, sizeof(head));
	if (head.number >= API_NUMBERS || head.size > size - sizeof(head)) {
		problem(trace, "byte %llu: the description of API %u is not there",
			(unsigned long long)place, head.number);
		return;
	}
	if (trace->apis[head.number])
		return;
	trace->apis[head.number] =
		tl_describe_read(piece + sizeof(head), head.size, why, sizeof(why));
	if (!trace->apis[head.number])
		problem(trace, "byte %llu: the description of API %u: %s",
			(unsigned long long)place, head.number, why);
}

const struct tl_api *tl_trace_api(const struct tl_trace *trace, uint32_t number)
{
	return number < API_NUMBERS ? ((const struct trace *)trace)->apis[number] : NULL;
}

const struct tl_function *tl_trace_function(const struct tl_trace *trace, uint32_t id)
{
	const struct tl_api *api = tl_trace_api(trace, id >> 16);

	return api && (id & 0xffff) < api->count ? &api->functions[id & 0xffff] : NULL;
}

/* --- facts, output, end */

/* They are put into the trace as they are. */
static bool are_members(const char *members, uint32_t size)
{
	char *object = malloc((size_t)size + 2);
	json_t *json;
	bool one_line = true;

	if (!object)
		return false;
	for (uint32_t i = 0; i < size; i++)
		one_line &= (unsigned char)members[i] >= 0x20;
	object[0] = '{';
	memcpy(object + 1, members, size);
	object[size + 1] = '}';
	json = one_line ? json_loadb(object, (size_t)size + 2, JSON_REJECT_DUPLICATES, NULL) : NULL;
	free(object);
	if (!json)
		return false;
	json_decref(json);
	return true;
}

static void read_facts(struct trace *trace, const char *piece, uint64_t size)
{
	struct tl_facts *facts = &trace->seen.facts;

	const size_t head = offsetof(struct tl_facts_piece, facts);

	if (size < head + offsetof(struct tl_facts, members)) {
		problem(trace, "byte %llu: facts that are too short",
			(unsigned long long)(piece - trace->bytes));
		return;
	}
	/* What the members don't fill may be left out. */
	size = size - head < sizeof(*facts) ? size - head : sizeof(*facts);
	memset(facts, 0, sizeof(*facts));
	memcpy(facts, piece + head, size);
	facts->program[sizeof(facts->program) - 1] = 0;
	facts->host[sizeof(facts->host) - 1] = 0;
	facts->has_rank = !!facts->has_rank;
	if (facts->members_size > size - offsetof(struct tl_facts, members) ||
	    !are_members(facts->members, facts->members_size)) {
		problem(trace, "byte %llu: facts that are no JSON",
			(unsigned long long)(piece - trace->bytes));
		facts->members_size = 0;
	}
	memset(facts->members + facts->members_size, 0,
	       sizeof(facts->members) - facts->members_size);
	trace->seen.has_facts = true;
}

static void read_output(struct trace *trace, const char *piece, uint64_t size)
{
	struct tl_trace_output *output = &trace->seen.output;
	struct tl_output_piece *copy = size < sizeof(*copy) ? NULL : malloc(sizeof(*copy));

	if (!copy) {
		problem(trace, "byte %llu: what is said of the output is too short",
			(unsigned long long)(piece - trace->bytes));
		return;
	}
	memcpy(copy, piece, sizeof(*copy));
	*output = (struct tl_trace_output){.made = copy->made == 1,
					   .format = (enum tl_output_format)copy->format,
					   .gzip = copy->gzip != 0,
					   .number = copy->number,
					   .device = copy->device,
					   .inode = copy->inode,
					   .block = copy->block,
					   .slot = copy->slots[copy->block % 2]};
	memcpy(output->path, copy->path, sizeof(output->path) - 1);
	memcpy(output->pattern, copy->pattern, sizeof(output->pattern) - 1);
	free(copy);
	if (output->made && (output->format > TL_OUTPUT_TLT || !*output->path)) {
		problem(trace, "byte %llu: an output of no known format, or without a path",
			(unsigned long long)(piece - trace->bytes));
		output->made = false;
	}
	trace->seen.has_output = true;
}

static void read_end(struct trace *trace, const char *piece, uint64_t size)
{
	struct tl_end_piece end = {.overwritten = 0};

	if (size < offsetof(struct tl_end_piece, overwritten))
		return;
	memcpy(&end, piece, size < sizeof(end) ? size : sizeof(end));
	/* Cut: the file has less of it than it says. */
	if (end.piece.size > size)
		return;
	trace->seen.ended = true;
	trace->seen.events = end.events;
	trace->seen.lost = end.lost;
	trace->seen.last = end.last;
	trace->seen.overwritten = end.overwritten;
}

/* --- threads and chunks as they are met */

static bool is_open(const struct tl_open_call *call)
{
	return call->frame && call->frame != TL_NO_FRAME &&
	       !(call->mode & (TL_OPEN_FINISHED | TL_MODE_OPEN));
}

static void read_opens(struct trace *trace, struct tl_trace_lane *lane, const char *at,
		       uint32_t count)
{
	lane->opens = zeroed(trace, count, sizeof(*lane->opens));
	for (uint32_t i = 0; lane->opens && i < count; i++) {
		struct tl_open_call call;

		memcpy(&call, at + i * sizeof(call), sizeof(call));
		if (is_open(&call))
			lane->opens[lane->nopens++] =
				(struct tl_trace_open){call.start, call.function};
	}
}

static void read_thread(struct trace *trace, const char *piece, uint64_t size)
{
	uint64_t place = (uint64_t)(piece - trace->bytes);
	struct tl_thread_piece head;

	if (size < sizeof(head)) {
		problem(trace, "byte %llu: a thread that is too short", (unsigned long long)place);
		return;
	}
	memcpy((void *)&head, piece, sizeof(head));
	if (trace->seen.header.kind == TL_FILE_BUFFERS)
		trace->seen.overwritten += head.overwritten;
	if (!head.lane)
		return;
	struct thread *thread = append(trace, &trace->threads, &trace->nthreads,
				       &trace->threads_room, sizeof(*thread));
	if (!thread)
		return;
	thread->place = place;
	thread->lane = (struct tl_trace_lane){.lane = head.lane,
					      .tid = head.tid,
					      .shown = head.shown,
					      .lost = head.lost,
					      .lost_said = head.lost_said};
	memcpy(thread->lane.name, head.name, sizeof(head.name) - 1);
	uint64_t most = (size - sizeof(head)) / sizeof(struct tl_open_call);
	if (head.opens > most)
		problem(trace, "byte %llu: thread %u: of %u open calls, %llu can be there",
			(unsigned long long)place, head.tid, head.opens, (unsigned long long)most);
	if (head.opens)
		read_opens(trace, &thread->lane, piece + sizeof(head),
			   head.opens < most ? head.opens : (uint32_t)most);
}

static void read_chunk(struct trace *trace, const char *piece, uint64_t size)
{
	struct tl_chunk_piece head;
	uint64_t place = (uint64_t)(piece - trace->bytes);

	if (size < sizeof(head)) {
		problem(trace, "byte %llu: a chunk that is too short", (unsigned long long)place);
		return;
	}
	memcpy((void *)&head, piece, sizeof(head));
	if (!head.lane)
		return;
	if (head.records < sizeof(head) || head.records > size || head.records % 8) {
		problem(trace, "byte %llu: a chunk of lane %u: its records are not there",
			(unsigned long long)place, head.lane);
		return;
	}
	uint64_t room = (size - head.records) & ~(uint64_t)7;
	room = room < CHUNK_MOST ? room : CHUNK_MOST;
	if (head.end > room || head.end % 8)
		problem(trace,
			"byte %llu: a chunk of lane %u: of %llu bytes of records, %llu are there",
			(unsigned long long)place, head.lane, (unsigned long long)head.end,
			(unsigned long long)room);
	struct chunk *chunk =
		append(trace, &trace->chunks, &trace->nchunks, &trace->chunks_room, sizeof(*chunk));
	if (!chunk)
		return;
	*chunk = (struct chunk){.lane = head.lane,
				.number = head.number,
				.place = place,
				.records = piece + head.records,
				.size = head.end && head.end <= room ? head.end & ~(uint64_t)7
								     : room,
				.kept = head.kept,
				.taken = head.taken,
				.block = head.block,
				.hole = head.hole};
	struct tl_call_record first = {.size = 0};
	if (chunk->size >= 8)
		memcpy(&first, chunk->records, 8);
	trace->seen.gaps |= first.type == TL_RECORD_PAD && tl_record_is_gap(&first);
}

/* --- texts and lanes that are no thread's */

static void read_texts(struct trace *trace, const char *piece, uint64_t size)
{
	struct tl_strings_piece head;

	if (size < sizeof(head)) {
		problem(trace, "byte %llu: texts that are too short",
			(unsigned long long)(piece - trace->bytes));
		return;
	}
	memcpy(&head, piece, sizeof(head));
	/* In buffers, one that was made in vain has an index that none has. */
	if (head.index > UINT32_MAX >> TL_STRINGS_BITS)
		return;
	struct texts *texts =
		append(trace, &trace->texts, &trace->ntexts, &trace->texts_room, sizeof(*texts));
	if (texts)
		*texts = (struct texts){
			.number = ((uint64_t)head.index << TL_STRINGS_BITS) + head.first,
			.count = (size - sizeof(head)) / sizeof(struct tl_strings_unit),
			.place = (uint64_t)(piece - trace->bytes),
			.units = piece + sizeof(head)};
}

static int by_text(const void *a, const void *b)
{
	const struct texts *left = a, *right = b;

	if (left->number != right->number)
		return left->number < right->number ? -1 : 1;
	return left->place < right->place ? -1 : left->place > right->place;
}

/* Bytes of the text that begins there, 0: none does. */
static uint32_t text_size(const struct texts *texts, uint64_t at)
{
	struct tl_strings_unit unit;

	memcpy(&unit, texts->units + at * sizeof(unit), sizeof(unit));
	return unit.size > TEXT_MOST || unit.size > (texts->count - at - 1) * sizeof(unit)
		       ? 0
		       : unit.size;
}

const void *tl_trace_next_text(const struct tl_trace *seen, struct tl_trace_text_place *place,
			       uint32_t *number, size_t *size)
{
	const struct trace *trace = (const struct trace *)seen;

	for (; place->piece < trace->ntexts; place->piece++, place->unit = 0) {
		const struct texts *texts = &trace->texts[place->piece];

		for (uint64_t at = place->unit; at < texts->count; at++) {
			uint64_t units = (text_size(texts, at) + 7) / 8;
			if (!units)
				continue;
			*number = (uint32_t)(texts->number + at);
			*size = (1 + units) * sizeof(struct tl_strings_unit);
			place->unit = at + 1 + units;
			return texts->units + at * sizeof(struct tl_strings_unit);
		}
	}
	return NULL;
}

const char *tl_trace_string(const struct tl_trace *seen, uint32_t number, size_t *size)
{
	const struct trace *trace = (const struct trace *)seen;
	size_t low = 0, high = trace->ntexts;

	*size = 0;
	if (!high || number < trace->texts[0].number)
		return NULL;
	while (low + 1 < high) {
		size_t middle = (low + high) / 2;
		if (trace->texts[middle].number <= number)
			low = middle;
		else
			high = middle;
	}
	const struct texts *texts = &trace->texts[low];
	uint64_t at = number - texts->number;
	if (at >= texts->count)
		return NULL;
	*size = text_size(texts, at);
	return *size ? texts->units + (at + 1) * sizeof(struct tl_strings_unit) : NULL;
}

static void read_named_lanes(struct trace *trace, const char *piece, uint64_t size)
{
	struct tl_lane_entry entry;

	for (uint64_t at = sizeof(struct tl_lanes_piece); at + sizeof(entry) <= size;
	     at += sizeof(entry)) {
		memcpy((void *)&entry, piece + at, sizeof(entry));
		if (!entry.lane)
			continue;
		struct tl_trace_named_lane *lane =
			append(trace, &trace->seen.named, &trace->seen.nnamed, &trace->named_room,
			       sizeof(*lane));
		if (lane)
			*lane = (struct tl_trace_named_lane){entry.lane, entry.shown, entry.name,
							     entry.sort};
	}
}

static int by_named_lane(const void *a, const void *b)
{
	const struct tl_trace_named_lane *left = a, *right = b;

	return left->lane < right->lane ? -1 : left->lane > right->lane;
}

uint32_t tl_trace_shown_lane(const struct tl_trace *trace, uint32_t number)
{
	const struct tl_trace_named_lane wanted = {.lane = number};
	const struct tl_trace_named_lane *found =
		trace->nnamed ? bsearch(&wanted, trace->named, trace->nnamed, sizeof(wanted),
					by_named_lane)
			      : NULL;

	return found ? found->shown : number;
}

/* --- pieces */

static bool has_head(const struct trace *trace, uint64_t at, struct tl_piece *piece)
{
	if (trace->size < sizeof(*piece) || at > trace->size - sizeof(*piece))
		return false;
	memcpy(piece, trace->bytes + at, sizeof(*piece));
	return piece->magic == TL_PIECE_MAGIC;
}

static bool is_sound_piece(const struct trace *trace, uint64_t at, struct tl_piece *piece)
{
	uint32_t unit =
		trace->seen.header.kind == TL_FILE_BUFFERS ? trace->seen.header.alignment : 8;

	return has_head(trace, at, piece) && piece->size >= sizeof(*piece) &&
	       piece->size <= trace->size - at && piece->size % unit == 0;
}

/*
 * Where something is, from `at` on. Memory that was never touched is passed over without a look at
 * it: a look at a page of a hole takes time, and in a file in memory makes the page.
 */
static uint64_t behind_hole(const struct trace *trace, uint64_t at)
{
	uint64_t unit = trace->seen.header.alignment, filled;
	off_t found;

	if (trace->fd < 0 || at % TL_FILE_PAGE)
		return at;
	found = lseek(trace->fd, (off_t)at, SEEK_DATA);
	if (found < 0)
		return errno == ENXIO ? trace->size : at;
	filled = (uint64_t)found / unit * unit;
	return filled > at ? filled : at;
}

/* Where the next piece is, from `at` on; the file's size: there is none. */
static uint64_t next_piece(const struct trace *trace, uint64_t at)
{
	struct tl_piece piece;

	for (at = behind_hole(trace, at); at < trace->size;
	     at = behind_hole(trace, at + trace->seen.header.alignment))
		if (has_head(trace, at, &piece))
			return at;
	return trace->size;
}

static void read_piece(struct trace *trace, uint64_t at, uint32_t kind, uint64_t size)
{
	const char *piece = trace->bytes + at;

	switch (kind) {
	case TL_PIECE_FACTS:
		read_facts(trace, piece, size);
		break;
	case TL_PIECE_OUTPUT:
		read_output(trace, piece, size);
		break;
	case TL_PIECE_CLOCK:
		read_clock(trace, piece, size);
		break;
	case TL_PIECE_API:
		read_api(trace, piece, size);
		break;
	case TL_PIECE_THREAD:
		read_thread(trace, piece, size);
		break;
	case TL_PIECE_CHUNK:
		read_chunk(trace, piece, size);
		break;
	case TL_PIECE_END:
		read_end(trace, piece, size);
		break;
	case TL_PIECE_STRINGS:
		read_texts(trace, piece, size);
		break;
	case TL_PIECE_LANES:
		read_named_lanes(trace, piece, size);
		break;
	default:
		break;
	}
}

static bool is_zero(const char *bytes, uint64_t size)
{
	return !size || (!bytes[0] && !memcmp(bytes, bytes + 1, size - 1));
}

/*
 * In buffers a piece may be missing, and what comes behind it is found. In a spool, piece follows
 * piece.
 */
static void read_pieces(struct trace *trace)
{
	uint64_t at = trace->seen.header.header_size;
	bool is_spool = trace->seen.header.kind == TL_FILE_SPOOL;
	struct tl_piece piece;

	while (at < trace->size && !trace->failed) {
		if (is_sound_piece(trace, at, &piece)) {
			read_piece(trace, at, piece.kind, piece.size);
			at += piece.size;
			continue;
		}
		/*
		 * A piece with a wrong size ends where the next one begins. Of a file that was cut,
		 * it is the last.
		 */
		bool begun = has_head(trace, at, &piece);
		uint64_t next = next_piece(trace, at + trace->seen.header.alignment);
		if (begun) {
			problem(trace, "byte %llu: a piece of %llu bytes, of which %llu are there",
				(unsigned long long)at, (unsigned long long)piece.size,
				(unsigned long long)(next - at));
			read_piece(trace, at, piece.kind, next - at);
		} else if (is_spool) {
			problem(trace, "byte %llu: %llu bytes that are no piece",
				(unsigned long long)at, (unsigned long long)(next - at));
		} else if (at + sizeof(piece) <= trace->size &&
			   !is_zero(trace->bytes + at, sizeof(piece))) {
			problem(trace, "byte %llu: no piece begins here", (unsigned long long)at);
		}
		at = next;
	}
}

/* --- lanes and runs */

static int by_lane(const void *a, const void *b)
{
	const struct thread *left = a, *right = b;

	if (left->lane.lane != right->lane.lane)
		return left->lane.lane < right->lane.lane ? -1 : 1;
	return left->place < right->place ? -1 : left->place > right->place;
}

static int by_number(const void *a, const void *b)
{
	const struct chunk *left = a, *right = b;

	if (left->lane != right->lane)
		return left->lane < right->lane ? -1 : 1;
	if (left->number != right->number)
		return left->number < right->number ? -1 : 1;
	return left->place < right->place ? -1 : left->place > right->place;
}

static void sort(void *list, size_t count, size_t each, int (*compare)(const void *, const void *))
{
	if (count)
		qsort(list, count, each, compare);
}

/* Each once: a spool may tell of one again. */
static void unique_named_lanes(struct tl_trace *seen)
{
	size_t kept = 0;

	sort(seen->named, seen->nnamed, sizeof(*seen->named), by_named_lane);
	for (size_t i = 0; i < seen->nnamed; i++)
		if (!kept || seen->named[kept - 1].lane != seen->named[i].lane)
			seen->named[kept++] = seen->named[i];
	seen->nnamed = kept;
}

/* The threads that are told of, each once: of several pieces for one lane the last counts. */
static void unique_threads(struct trace *trace)
{
	size_t kept = 0;

	sort(trace->threads, trace->nthreads, sizeof(*trace->threads), by_lane);
	for (size_t i = 0; i < trace->nthreads; i++) {
		if (kept && trace->threads[kept - 1].lane.lane == trace->threads[i].lane.lane)
			free(trace->threads[--kept].lane.opens);
		trace->threads[kept++] = trace->threads[i];
	}
	trace->nthreads = kept;
}

static struct tl_trace_lane unknown_lane(struct trace *trace, uint32_t number)
{
	struct tl_trace_lane lane = {.lane = number, .tid = number, .shown = number};

	problem(trace, "lane %u: there are records of it, but no thread", number);
	snprintf(lane.name, sizeof(lane.name), "lane %u", number);
	return lane;
}

/* Lanes of all threads, and of all chunks. */
static void make_lanes(struct trace *trace)
{
	struct tl_trace *seen = &trace->seen;

	seen->lanes = zeroed(trace, trace->nthreads + trace->nchunks, sizeof(*seen->lanes));
	if (!seen->lanes)
		return;
	for (size_t thread = 0, chunk = 0; thread < trace->nthreads || chunk < trace->nchunks;) {
		const struct chunk *next = chunk < trace->nchunks ? &trace->chunks[chunk] : NULL;
		struct tl_trace_lane *lane = &seen->lanes[seen->nlanes++];

		if (thread < trace->nthreads &&
		    (!next || trace->threads[thread].lane.lane <= next->lane)) {
			*lane = trace->threads[thread].lane;
			trace->threads[thread++].lane.opens = NULL;
		} else {
			*lane = unknown_lane(trace, next->lane);
		}
		while (chunk < trace->nchunks && trace->chunks[chunk].lane == lane->lane)
			chunk++;
		if (seen->header.kind == TL_FILE_BUFFERS)
			seen->lost += lane->lost;
	}
}

static void add_run(struct tl_trace *seen, size_t lane, const struct chunk *chunk, uint64_t from,
		    uint64_t to, uint64_t first_byte)
{
	if (from >= to)
		return;
	seen->runs[seen->nruns++] = (struct tl_trace_run){.lane = lane,
							  .records = chunk->records + from,
							  .size = to - from,
							  .offset = first_byte + from};
	seen->lanes[lane].nruns++;
}

/* What the output has of a chunk in buffers. */
static uint64_t output_has(struct trace *trace, const struct chunk *chunk)
{
	uint64_t has = trace->seen.output.block >= chunk->block ? chunk->taken : chunk->kept;

	if (has <= chunk->size && has % 8 == 0)
		return has;
	problem(trace,
		"byte %llu: a chunk of lane %u: how much of it was written is not known, so all of it is taken",
		(unsigned long long)chunk->place, chunk->lane);
	return 0;
}

/*
 * A record that was not finished when what is around it was written is given by itself, if it is by
 * now, and was not written since.
 */
static void add_hole(struct trace *trace, size_t lane, const struct chunk *chunk, uint64_t from,
		     uint64_t first_byte)
{
	uint64_t at = TL_HOLE_PLACE(chunk->hole);
	bool written = TL_HOLE_BLOCK(chunk->hole) &&
		       TL_HOLE_BLOCK(chunk->hole) <= trace->seen.output.block;
	struct tl_call_record record;

	if (!chunk->hole || written || at >= from)
		return;
	if (at % 8 || chunk->size - at < sizeof(uint64_t)) {
		problem(trace,
			"byte %llu: a chunk of lane %u: no record can be where one was left out",
			(unsigned long long)chunk->place, chunk->lane);
		return;
	}
	memcpy(&record, chunk->records + at, sizeof(uint64_t));
	if (record.type != TL_RECORD_NONE && record.size && record.size * 8u <= chunk->size - at)
		add_run(&trace->seen, lane, chunk, at, at + record.size * 8u, first_byte);
}

/*
 * In buffers chunks that a ring used again are missing. Some of the last one before them may be,
 * too.
 */
static void add_gap(struct trace *trace, size_t lane, const struct chunk *chunk)
{
	static const struct tl_call_record record = {
		.size = 1, .type = TL_RECORD_PAD, .flags = TL_PAD_GAP};
	const struct chunk gap = {.records = (const char *)&record};
	const struct chunk *before =
		chunk > trace->chunks && chunk[-1].lane == chunk->lane ? chunk - 1 : NULL;

	if (!before || before->number + 1 >= chunk->number)
		return;
	add_run(&trace->seen, lane, &gap, 0, 8, (uint64_t)(chunk->records - trace->bytes));
	trace->seen.gaps = true;
}

static void make_runs(struct trace *trace)
{
	struct tl_trace *seen = &trace->seen;

	seen->runs = zeroed(trace, 3 * trace->nchunks, sizeof(*seen->runs));
	if (!seen->runs)
		return;
	for (size_t i = 0, lane = 0; i < trace->nchunks; i++) {
		const struct chunk *chunk = &trace->chunks[i];
		uint64_t first_byte = (uint64_t)(chunk->records - trace->bytes), from = 0;

		while (seen->lanes[lane].lane != chunk->lane)
			lane++;
		if (!seen->lanes[lane].nruns)
			seen->lanes[lane].first_run = seen->nruns;
		if (seen->header.kind == TL_FILE_BUFFERS)
			add_gap(trace, lane, chunk);
		if (seen->header.kind == TL_FILE_BUFFERS && !trace->written_too) {
			from = output_has(trace, chunk);
			add_hole(trace, lane, chunk, from, first_byte);
		}
		add_run(seen, lane, chunk, from, chunk->size, first_byte);
	}
}

void tl_trace_written_too(struct tl_trace *seen)
{
	struct trace *trace = (struct trace *)seen;

	for (size_t i = 0; i < seen->nlanes; i++)
		seen->lanes[i].first_run = seen->lanes[i].nruns = 0;
	free(seen->runs);
	seen->nruns = 0;
	trace->written_too = true;
	make_runs(trace);
}

/* --- open calls */

static uint64_t end_of(uint64_t start, uint64_t duration)
{
	return duration < UINT64_MAX - start ? start + duration : UINT64_MAX;
}

/*
 * A call is recorded just before its entry is freed. Its record need not be the lane's last: a
 * signal handler may have made calls after the record got its place. But handlers nest only so
 * deep.
 */
#define SUSPECTS 8

static void forget_recorded(struct tl_trace_lane *lane, const struct tl_call_record *record)
{
	for (size_t i = lane->nopens; i > 0 && i + SUSPECTS > lane->nopens; i--) {
		struct tl_trace_open *open = &lane->opens[i - 1];

		if (open->start != record->start || open->function != record->function)
			continue;
		memmove(open, open + 1, (lane->nopens - i) * sizeof(*open));
		lane->nopens--;
		return;
	}
}

/*
 * Look at the calls that a chunk in buffers has, whether the output has them or not: when the last
 * one ended, and which are no longer open.
 */
static void look_at_chunk(struct trace *trace, struct tl_trace_lane *lane,
			  const struct chunk *chunk)
{
	struct tl_trace_run run = {.records = chunk->records, .size = chunk->size};
	struct tl_trace_place place = {0};
	const struct tl_call_record *record;

	while ((record = tl_trace_next(&run, &place))) {
		if (record->type != TL_RECORD_CALL)
			continue;
		if (end_of(record->start, record->duration) > trace->seen.last)
			trace->seen.last = end_of(record->start, record->duration);
		forget_recorded(lane, record);
	}
}

/* Calls that no API has are not open. */
static void keep_open_calls(struct trace *trace, struct tl_trace_lane *lane)
{
	size_t kept = 0;

	for (size_t i = 0; i < lane->nopens; i++) {
		struct tl_trace_open open = lane->opens[i];

		if (!tl_trace_function(&trace->seen, open.function)) {
			problem(trace, "thread %u: an open call of a function that no API has",
				lane->tid);
			continue;
		}
		if (open.start > trace->seen.last)
			trace->seen.last = open.start;
		lane->opens[kept++] = open;
	}
	lane->nopens = kept;
}

static void finish_opens(struct trace *trace)
{
	bool is_buffers = trace->seen.header.kind == TL_FILE_BUFFERS;
	size_t chunk = 0;

	for (size_t i = 0; i < trace->seen.nlanes; i++) {
		struct tl_trace_lane *lane = &trace->seen.lanes[i];

		for (; chunk < trace->nchunks && trace->chunks[chunk].lane == lane->lane &&
		       is_buffers;
		     chunk++)
			look_at_chunk(trace, lane, &trace->chunks[chunk]);
		keep_open_calls(trace, lane);
	}
}

static void finish(struct trace *trace)
{
	const struct clock *clock = &trace->clock;

	sort(trace->chunks, trace->nchunks, sizeof(*trace->chunks), by_number);
	sort(trace->texts, trace->ntexts, sizeof(*trace->texts), by_text);
	unique_named_lanes(&trace->seen);
	unique_threads(trace);
	make_lanes(trace);
	if (!trace->failed)
		make_runs(trace);
	if (clock->count && !trace->seen.last)
		trace->seen.last = clock->points[clock->count - 1].ticks;
	if (!trace->failed)
		finish_opens(trace);
	trace->seen.gaps |= trace->seen.lost != 0;
	/* Buffers of this machine may still get what they lack: tl_trace_clock_now. */
	if (trace->seen.header.kind == TL_FILE_SPOOL && trace->seen.header.counter &&
	    trace->seen.nruns && clock->count < 2)
		problem(trace, "there is no clock: times are ticks of the counter");
	if (!trace->seen.has_facts)
		trace->seen.facts.pid = trace->seen.header.pid;
}

/* --- records */

/* What a record of its type has at least. */
static uint64_t least_bytes(const char *at, uint8_t type, uint64_t bytes)
{
	struct tl_event_record event;
	struct tl_call_record call;

	switch (type) {
	case TL_RECORD_CALL:
		memcpy(&call, at, sizeof(uint64_t));
		return sizeof(call) + (call.flags & TL_RECORD_CAUSE ? sizeof(struct tl_cause) : 0);
	case TL_RECORD_LOST:
		return sizeof(call);
	case TL_RECORD_EVENT:
		if (bytes < sizeof(event))
			return sizeof(event);
		memcpy(&event, at, sizeof(event));
		return tl_event_bytes(&event);
	case TL_RECORD_PAD:
		return 0;
	default:
		return UINT64_MAX; /* of no type that there is */
	}
}

const struct tl_call_record *tl_trace_next(const struct tl_trace_run *run,
					   struct tl_trace_place *place)
{
	while (place->at + sizeof(uint64_t) <= run->size) {
		const char *at = run->records + place->at;
		uint64_t left = run->size - place->at, bytes, word;
		struct tl_call_record record;

		memcpy(&word, at, sizeof(word));
		if (!word) {
			place->at += sizeof(word);
			continue;
		}
		memcpy(&record, at, sizeof(word));
		bytes = record.size * 8u;
		if (!bytes || bytes > left) {
			place->unsound = place->unsound ? place->unsound : 1 + place->at;
			place->at = run->size;
			break;
		}
		place->at += bytes;
		place->left = left;
		if (record.type == TL_RECORD_NONE) {
			place->unfinished++;
		} else if (bytes < least_bytes(at, record.type, bytes)) {
			place->unsound = place->unsound ? place->unsound : 1 + place->at - bytes;
		} else if (record.type != TL_RECORD_PAD || tl_record_is_gap(&record)) {
			return (const struct tl_call_record *)(const void *)at;
		}
	}
	return NULL;
}

/* --- which calls there are */

static uint64_t end_ns(const struct trace *trace, const struct tl_call_record *call)
{
	return convert(&trace->clock, end_of(call->start, call->duration));
}

/*
 * Calls and losses of one run; `until`: the last end before. *gap: records before the next call are
 * missing. Returns whether that is all that is asked for.
 */
static bool look_for_gaps(struct trace *trace, struct span *span, const struct tl_trace_run *run,
			  uint64_t *until, bool *gap)
{
	struct tl_trace_place place = {0};
	const struct tl_call_record *record;

	while ((record = tl_trace_next(run, &place))) {
		if (tl_record_is_gap(record))
			*gap = true;
		if (record->type != TL_RECORD_CALL)
			continue;
		uint64_t start = convert(&trace->clock, record->start), end = end_ns(trace, record);
		if (span->since == UINT64_MAX)
			span->since = start;
		if (*gap && *until) {
			struct gap *one = append(trace, &trace->gaps, &trace->ngaps,
						 &trace->gaps_room, sizeof(*one));
			if (!one)
				return true;
			*one = (struct gap){*until, start};
			span->ngaps++;
		}
		*gap = false;
		if (!trace->seen.gaps)
			return true;
		*until = end > *until ? end : *until;
	}
	return false;
}

static int by_tid(const void *a, const void *b)
{
	const struct span *left = a, *right = b;

	return left->tid < right->tid ? -1 : left->tid > right->tid;
}

/* When the last call ended. One that had not ended may have begun long before. */
static uint64_t last_end(const struct trace *trace, const struct tl_trace_lane *lane)
{
	struct tl_trace_place place = {0};
	const struct tl_call_record *record;
	uint64_t last = 0;

	if (lane->nopens || trace->seen.header.kind != TL_FILE_SPOOL)
		return UINT64_MAX;
	for (size_t run = lane->nruns; run > 0 && !last; run--, place = (struct tl_trace_place){0})
		while ((record = tl_trace_next(&trace->seen.runs[lane->first_run + run - 1],
					       &place)))
			if (record->type == TL_RECORD_CALL && end_ns(trace, record) > last)
				last = end_ns(trace, record);
	return last;
}

/* A file that goes on where another one ended has no call from before that. */
static void find_spans(struct trace *trace)
{
	struct tl_trace *seen = &trace->seen;
	size_t chunk = 0;

	trace->spans = zeroed(trace, seen->nlanes, sizeof(*trace->spans));
	for (size_t i = 0; i < seen->nlanes && !trace->failed; i++) {
		const struct tl_trace_lane *lane = &seen->lanes[i];
		struct span *span = &trace->spans[i];
		uint64_t until = 0;
		bool gap = false;

		while (chunk < trace->nchunks && trace->chunks[chunk].lane < lane->lane)
			chunk++;
		bool goes_on = seen->header.kind == TL_FILE_SPOOL && chunk < trace->nchunks &&
			       trace->chunks[chunk].number > 1;
		*span = (struct span){.tid = lane->shown,
				      .since = goes_on ? UINT64_MAX : 0,
				      .until = last_end(trace, lane),
				      .first_gap = trace->ngaps};
		for (size_t run = lane->first_run;
		     run < lane->first_run + lane->nruns && (goes_on || seen->gaps); run++)
			if (look_for_gaps(trace, span, &seen->runs[run], &until, &gap))
				break;
	}
	if (!trace->failed)
		sort(trace->spans, seen->nlanes, sizeof(*trace->spans), by_tid);
}

bool tl_trace_has_call(const struct tl_trace *seen, uint32_t tid, uint64_t ns)
{
	const struct trace *trace = (const struct trace *)seen;
	const struct span wanted = {.tid = tid};
	const struct span *span =
		seen->nlanes ? bsearch(&wanted, trace->spans, seen->nlanes, sizeof(wanted), by_tid)
			     : NULL;

	if (!span)
		return false;
	for (size_t i = 0; i < span->ngaps; i++) {
		const struct gap *gap = &trace->gaps[span->first_gap + i];
		if (ns > gap->from && ns < gap->to)
			return false;
	}
	return ns >= span->since && ns <= span->until;
}

/* --- opening and closing */

static const char *header_fault(const struct trace *trace)
{
	const struct tl_file_header *header = &trace->seen.header;

	if (is_zero(header->magic, sizeof(header->magic)))
		return "it has no beginning: its process ended before it recorded anything";
	if (memcmp(header->magic, TL_FILE_MAGIC, sizeof(header->magic)))
		return "it is not in the record format";
	if (header->byte_order == __builtin_bswap32(TL_FILE_BYTE_ORDER))
		return "it was made on a machine of the other byte order; read it there";
	if (header->version != TL_FILE_VERSION)
		return "it is of another version of the record format; read it with the tracelayer that made it";
	if (header->byte_order != TL_FILE_BYTE_ORDER ||
	    (header->kind != TL_FILE_BUFFERS && header->kind != TL_FILE_SPOOL))
		return "its beginning is damaged";
	if (header->header_size < sizeof(*header) || header->header_size > trace->size ||
	    header->header_size % 8)
		return "its beginning is damaged";
	if (header->alignment < 8 || header->alignment > 1u << 20 ||
	    header->alignment & (header->alignment - 1) || header->header_size % header->alignment)
		return "its beginning is damaged";
	return NULL;
}

static struct tl_trace *read_trace(struct trace *trace, char *why, size_t room)
{
	const char *fault = "it is not in the record format";

	if (trace->size >= sizeof(trace->seen.header)) {
		memcpy((void *)&trace->seen.header, trace->bytes, sizeof(trace->seen.header));
		fault = header_fault(trace);
	}
	trace->seen.header.boot[sizeof(trace->seen.header.boot) - 1] = 0;
	trace->seen.header.session[sizeof(trace->seen.header.session) - 1] = 0;
	if (!fault) {
		read_pieces(trace);
		if (!trace->failed)
			finish(trace);
		if (!trace->failed)
			find_spans(trace);
		fault = trace->failed ? "there is not enough memory for it" : NULL;
	}
	trace->fd = -1;
	if (!fault)
		return &trace->seen;
	snprintf(why, room, "%s", fault);
	tl_trace_close(&trace->seen);
	return NULL;
}

static struct trace *new_trace(char *why, size_t room)
{
	struct trace *trace = calloc(1, sizeof(*trace));

	if (!trace)
		snprintf(why, room, "there is not enough memory for it");
	else
		trace->fd = -1;
	return trace;
}

struct tl_trace *tl_trace_open_bytes(const void *bytes, size_t size, char *why, size_t room)
{
	struct trace *trace = new_trace(why, room);

	if (!trace)
		return NULL;
	trace->bytes = bytes;
	trace->size = size;
	return read_trace(trace, why, room);
}

/* All that a pipe gives. */
static bool read_all(struct trace *trace, int fd)
{
	char *bytes = NULL;
	size_t space = 0;

	for (;;) {
		if (trace->size + (64u << 10) > space) {
			space = space ? 2 * space : 1u << 20;
			char *larger = realloc(bytes, space);
			if (!larger)
				break;
			trace->allocated = bytes = larger;
		}
		ssize_t size = read(fd, bytes + trace->size, space - trace->size);
		if (size < 0 && errno == EINTR)
			continue;
		if (size < 0)
			break;
		if (!size) {
			trace->bytes = bytes;
			return true;
		}
		trace->size += (uint64_t)size;
	}
	return false;
}

static bool map_all(struct trace *trace, int fd, uint64_t size)
{
	trace->mapped = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (trace->mapped == MAP_FAILED) {
		trace->mapped = NULL;
		return false;
	}
	trace->bytes = trace->mapped;
	trace->size = size;
	trace->fd = fd;
	return true;
}

struct tl_trace *tl_trace_open_fd(int fd, char *why, size_t room)
{
	struct trace *trace = new_trace(why, room);
	struct stat about;

	if (!trace)
		return NULL;
	if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0
		    ? map_all(trace, fd, (uint64_t)about.st_size)
		    : read_all(trace, fd))
		return read_trace(trace, why, room);
	snprintf(why, room, "%s", strerror(errno));
	tl_trace_close(&trace->seen);
	return NULL;
}

struct tl_trace *tl_trace_open(const char *path, char *why, size_t room)
{
	int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY) : STDIN_FILENO;

	if (fd < 0) {
		snprintf(why, room, "%s", strerror(errno));
		return NULL;
	}
	struct tl_trace *trace = tl_trace_open_fd(fd, why, room);
	if (fd != STDIN_FILENO)
		close(fd);
	return trace;
}

void tl_trace_close(struct tl_trace *seen)
{
	struct trace *trace = (struct trace *)seen;

	if (!trace)
		return;
	for (size_t i = 0; i < API_NUMBERS; i++)
		tl_describe_free((struct tl_api *)trace->apis[i]);
	for (size_t i = 0; i < trace->nthreads; i++)
		free(trace->threads[i].lane.opens);
	for (size_t i = 0; i < seen->nlanes; i++)
		free(seen->lanes[i].opens);
	for (size_t i = 0; i < seen->nproblems; i++)
		free(seen->problems[i]);
	free(seen->problems);
	free(seen->lanes);
	free(seen->runs);
	free(seen->named);
	free(trace->spans);
	free(trace->gaps);
	free(trace->texts);
	free(trace->threads);
	free(trace->chunks);
	if (trace->mapped)
		munmap(trace->mapped, trace->size);
	free(trace->allocated);
	free(trace);
}
