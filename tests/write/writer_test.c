/* SPDX-License-Identifier: MIT */
/*
 * writer_test.c: what becomes of chunks: the file, its end, its losses, and that the program
 * notices nothing.
 *
 * Buffer, clock and runtime are stand-ins here: a queue, nanoseconds as they are, and the API of
 * args_table.h. Each test is a process of its own.
 */
#include <check.h>
#include <config.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "format/file/record.h"
#include "layer/write/process_facts.h"
#include "layer/buffers/arena.h"
#include "layer/buffers/buffer.h"
#include "layer/buffers/clock.h"
#include "layer/buffers/lanes.h"
#include "layer/base/environment.h"
#include "layer/calls/event.h"
#include "layer/base/run_report.h"
#include "layer/buffers/process_state.h"
#include "layer/resolve/api_table.h"
#include "layer/resolve/mpi_world.h"
#include "layer/buffers/strings.h"
#include "layer/buffers/unfinished.h"
#include "layer/write/writer.h"
#include "tests/lib/args_table.h"
#include "tests/lib/assert_often.h"

#define NOBODY 65534

/* ---- The stand-ins */

struct tl_config tl_config;
struct tl_launched tl_launched;

static atomic_flag queue_lock = ATOMIC_FLAG_INIT;
static struct tl_chunk *queue, **queue_end = &queue;
static _Atomic uint32_t queued;
static struct tl_producer *producers;
static _Atomic unsigned given_back;
static bool never_ends; /* there is always one more chunk, newer than the last */
static char reports[4096];

static void lock(void)
{
	while (atomic_flag_test_and_set(&queue_lock))
		sched_yield();
}

static void hand_over(struct tl_chunk *chunk)
{
	chunk->next = NULL;
	lock();
	*queue_end = chunk;
	queue_end = &chunk->next;
	atomic_flag_clear(&queue_lock);
	atomic_fetch_add(&queued, 1);
	tl_buffer_wake();
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000ull + time.tv_nsec;
}

static bool flushing;
static int given; /* chunks that the writer has */

struct tl_chunk *tl_buffer_take(void)
{
	static struct tl_call_record record;
	static struct tl_chunk endless;

	lock();
	struct tl_chunk **link = &queue, *chunk;
	/* Of a thread that one chunk is taken of there is no other, as in the real buffer. */
	while ((chunk = *link) && chunk->producer->unwritten)
		link = &chunk->next;
	if (chunk) {
		*link = chunk->next;
		if (!*link)
			queue_end = link;
		chunk->producer->unwritten = 1;
	}
	atomic_flag_clear(&queue_lock);
	/* What it began with is given out first, and in the end that is all. */
	if (!chunk && flushing) {
		flushing = queue || given;
		return NULL;
	}
	if (!chunk && never_ends) {
		record = (struct tl_call_record){.size = 4, .type = TL_RECORD_CALL, .start = now()};
		endless = (struct tl_chunk){.producer = producers,
					    .begin = (char *)&record,
					    .end = (char *)(&record + 1)};
		chunk = &endless;
	}
	given += chunk != NULL;
	return chunk;
}

void tl_buffer_give_back(struct tl_chunk *chunk)
{
	chunk->producer->unwritten = 0;
	given--;
	atomic_fetch_add(&given_back, 1);
}

/* What was recorded where: that of the last block that was announced, and whether it counted. */
static struct {
	uint64_t block, undone;
	unsigned calls;
	const char *upto;
} announced;
static struct tl_output_piece *piece;
static bool out_of_order;

void tl_buffer_will_write(struct tl_chunk *chunk, const char *upto, uint64_t block)
{
	(void)chunk;
	out_of_order |= block != atomic_load(&piece->block) + 1;
	announced.block = block;
	announced.upto = upto;
	announced.calls++;
}

void tl_buffer_not_written(struct tl_chunk *chunk)
{
	(void)chunk;
	out_of_order |= announced.block == atomic_load(&piece->block);
	announced.undone++;
}

void tl_buffer_name(const struct tl_producer *producer, char name[16])
{
	memcpy(name, producer->name, sizeof(producer->name));
}

static _Atomic bool refused;

void tl_buffer_refuse(bool refuse)
{
	atomic_store(&refused, refuse);
}

static uint64_t calls_of(const struct tl_chunk *chunk)
{
	uint64_t calls = 0;

	for (const char *at = chunk->begin; at < chunk->end; at += 32)
		calls += ((const struct tl_call_record *)(const void *)at)->type == TL_RECORD_CALL;
	return calls;
}

void tl_buffer_make_ahead(void)
{
}

void tl_buffer_put_back(struct tl_chunk *chunk, const char *from)
{
	chunk->producer->unwritten = 0;
	given--;
	chunk->begin = (char *)(uintptr_t)from;
	lock();
	chunk->next = queue;
	queue = chunk;
	if (!chunk->next)
		queue_end = &chunk->next;
	atomic_flag_clear(&queue_lock);
}

void tl_buffer_count(void (*put)(void *context, const struct tl_producer *producer, uint64_t calls),
		     void *context)
{
	for (struct tl_chunk *chunk = queue; chunk; chunk = chunk->next)
		put(context, chunk->producer, calls_of(chunk));
}

/* The arena's first pieces. */
static struct tl_file_header header;
static _Alignas(4096) char piece_room[sizeof(struct tl_output_piece)];
static struct tl_facts facts;
static bool arena_done;

bool tl_arena_begin(void)
{
	return true;
}

bool tl_arena_was_refused(void)
{
	return false;
}

struct tl_file_header *tl_arena_header(void)
{
	return &header;
}

struct tl_output_piece *tl_arena_output(void)
{
	return piece;
}

const struct tl_facts *tl_arena_facts(void)
{
	return &facts;
}

const char *tl_arena_path(void)
{
	return "";
}

void tl_arena_done(bool done)
{
	arena_done = done;
}

/* One lane that is no thread's, and its name. */
static struct tl_lane_entry event_lane;
static const char event_lane_name[] = "queue 1";

const struct tl_lane_entry *tl_event_lane_entry(uint32_t lane)
{
	return lane && lane == event_lane.lane ? &event_lane : NULL;
}

const char *tl_string_text(uint32_t number, size_t *size)
{
	*size = number ? sizeof(event_lane_name) - 1 : 0;
	return number ? event_lane_name : NULL;
}

const struct tl_strings_unit *tl_strings_since(uint32_t *from, uint32_t *units)
{
	(void)from;
	*units = 0;
	return NULL;
}

void tl_clock_copy(struct tl_clock_table *to)
{
	memset(to, 0, sizeof(*to));
}

void tl_buffer_wait(int ms)
{
	struct timespec time = {ms / 1000, ms % 1000 * 1000000};
	uint32_t seen = atomic_load(&queued);

	if (!queue)
		syscall(SYS_futex, &queued, FUTEX_WAIT_PRIVATE, seen, &time, NULL, 0);
}

void tl_buffer_wake(void)
{
	atomic_fetch_add(&queued, 1);
	syscall(SYS_futex, &queued, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

bool tl_buffer_is_flushing(void)
{
	return flushing;
}

void tl_buffer_gaps(void (*each)(struct tl_producer *producer, const char *from, const char *to))
{
	(void)each;
}

void tl_buffer_flush(void)
{
	flushing = true;
}

struct tl_producer *tl_buffer_producers(void)
{
	return producers;
}

bool tl_buffer_unfinished(const struct tl_producer *producer, struct tl_unfinished_calls *calls)
{
	(void)producer;
	(void)calls;
	return false;
}

bool tl_clock_is_counter(void)
{
	return false;
}

void tl_clock_settle(void)
{
}

uint64_t tl_clock_ns(uint64_t ticks)
{
	return ticks;
}

uint64_t tl_clock_gettime_ticks(void)
{
	return now();
}

bool tl_process_is_owner(void)
{
	return true;
}

const struct tl_function *tl_api_function(uint32_t id)
{
	return id < F_COUNT ? &table_functions[id] : NULL;
}

bool tl_api_is_mpi(const struct tl_api *one)
{
	(void)one;
	return false;
}

struct tl_mpi_handles tl_mpi_handles(void)
{
	return (struct tl_mpi_handles){0, 0};
}

const struct tl_api *tl_api_by_number(uint32_t number)
{
	return number ? NULL : &table_api;
}

static void report(const char *what, const char *path)
{
	const char *slash = strrchr(path, '/');

	strcat(strcat(strcat(reports, what), slash ? slash + 1 : path), ";");
}

void tl_report_trace(const char *path)
{
	report("trace ", path);
}

void tl_report_finished(const char *path, uint64_t events, uint64_t lost)
{
	char what[64];

	snprintf(what, sizeof(what), "finished %d %d ", (int)events, (int)lost);
	report(what, path);
}

static bool run_says_it;
bool tl_report_no_memory(uint64_t lost)
{
	return lost > 0;
}

bool tl_report_is_out_of_reach(void)
{
	return false;
}

bool tl_report_failed(const char *path, int error)
{
	report("failed ", path);
	return run_says_it;
}

/* ---- Chunks and what is read of them */

static char folder[64], line[2048];
static int stderr_pipe[2];

static struct tl_producer *producer(uint32_t lane, uint32_t tid, const char *name)
{
	struct tl_producer *new = calloc(1, sizeof(*new));

	new->lane = lane;
	new->tid = new->shown = tid;
	strncpy(new->name, name, sizeof(new->name));
	new->next = producers;
	producers = new;
	return new;
}

/* `count` calls, one microsecond each, from `start` on. */
static struct tl_chunk *chunk_of(struct tl_producer *producer, uint64_t start, unsigned count)
{
	struct tl_chunk *chunk = calloc(1, sizeof(*chunk));
	struct tl_call_record *records = calloc(count, sizeof(*records));

	for (unsigned i = 0; i < count; i++)
		records[i] = (struct tl_call_record){.size = 4,
						     .type = TL_RECORD_CALL,
						     .function = F_GET,
						     .start = start + i * 1000ull,
						     .duration = 1000};
	chunk->producer = producer;
	chunk->begin = (char *)records;
	chunk->end = (char *)(records + count);
	return chunk;
}

static struct tl_call_record *record_in(struct tl_chunk *chunk, unsigned index)
{
	return (struct tl_call_record *)(void *)chunk->begin + index;
}

static char *whole_file(const char *name, size_t *size)
{
	struct stat stat;
	int fd = open(name, O_RDONLY);

	ck_assert_msg(fd >= 0, "%s is not there", name);
	ck_assert_int_eq(fstat(fd, &stat), 0);
	char *bytes = malloc(stat.st_size + 1);
	ck_assert_int_eq(read(fd, bytes, stat.st_size), stat.st_size);
	bytes[stat.st_size] = 0;
	close(fd);
	*size = stat.st_size;
	return bytes;
}

/* As much of one gzip member as there is. `ended` if it is there to its end, with nothing behind
 * it. */
static char *unpacked(const char *bytes, size_t size, size_t *to, bool *ended)
{
	z_stream stream = {.next_in = (Bytef *)(uintptr_t)bytes, .avail_in = size};
	size_t room = 64 << 20;
	char *out = malloc(room);

	ck_assert_int_eq(inflateInit2(&stream, 15 + 16), Z_OK);
	stream.next_out = (Bytef *)out;
	stream.avail_out = room - 1;
	int result = inflate(&stream, Z_SYNC_FLUSH);
	ck_assert_msg(result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR, "%d",
		      result);
	*ended = result == Z_STREAM_END && !stream.avail_in;
	*to = room - 1 - stream.avail_out;
	out[*to] = 0;
	inflateEnd(&stream);
	return out;
}

/* A finished file, as a strict parser reads it. */
static json_t *trace(const char *name)
{
	size_t size;
	bool ended = true;
	char *bytes = whole_file(name, &size);
	json_error_t error;

	if (strstr(name, ".gz")) {
		char *packed = bytes;
		bytes = unpacked(packed, size, &size, &ended);
		free(packed);
	}
	ck_assert(ended);
	json_t *events = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &error);
	ck_assert_msg(events != NULL, "%s at %d: %.200s", error.text, error.position,
		      bytes + (error.position > 100 ? error.position - 100 : 0));
	ck_assert(json_is_array(events));
	ck_assert(!memcmp(bytes + size - 4, "}\n]\n", 4));
	free(bytes);
	return events;
}

static const char *text_of(json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

static unsigned count(json_t *events, const char *phase, const char *name)
{
	unsigned found = 0;
	size_t i;
	json_t *event;

	json_array_foreach(events, i, event)
		found += !strcmp(text_of(event, "ph"), phase) &&
			 (!name || !strcmp(text_of(event, "name"), name));
	return found;
}

/* The arguments of the last metadata event with a name. */
static json_t *metadata(json_t *events, const char *name)
{
	json_t *found = NULL, *event;
	size_t i;

	json_array_foreach(events, i, event)
		if (!strcmp(text_of(event, "ph"), "M") && !strcmp(text_of(event, "name"), name))
			found = json_object_get(event, "args");
	ck_assert_msg(found != NULL, "no %s", name);
	return found;
}

static json_int_t number_of(json_t *object, const char *key)
{
	ck_assert_msg(json_is_integer(json_object_get(object, key)), "%s", key);
	return json_integer_value(json_object_get(object, key));
}

/* What the layer said since the last time. */
static const char *said(void)
{
	ssize_t size = read(stderr_pipe[0], line, sizeof(line) - 1);

	line[size > 0 ? size : 0] = 0;
	return line;
}

static unsigned entries(const char *path)
{
	DIR *entries = opendir(path);
	unsigned found = 0;

	ck_assert_ptr_nonnull(entries);
	for (struct dirent *entry; (entry = readdir(entries));)
		found += entry->d_name[0] != '.';
	closedir(entries);
	return found;
}

static void use(const char *name)
{
	static char path[200];

	snprintf(path, sizeof(path), name[0] == '/' ? "%.0s%s" : "%s/%s", folder, name);
	tl_config.output = path;
}

static void start(void)
{
	const char *base = getenv("TMPDIR");

	snprintf(folder, sizeof(folder), "%s/tracelayer-writer.XXXXXX",
		 base && strlen(base) < 30 ? base : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
	ck_assert_int_eq(pipe2(stderr_pipe, O_NONBLOCK), 0);
	ck_assert_int_eq(dup2(stderr_pipe[1], 2), 2);
	tl_settings_initial(&tl_config);
	use("t.json");
	piece = (struct tl_output_piece *)(void *)piece_room;
	tl_about_facts(&facts);
}

static void stop(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(system(command), 0);
}

static void wait_for(_Atomic unsigned *counter, unsigned value)
{
	for (int i = 0; i < 5000 && atomic_load(counter) < value; i++)
		usleep(1000);
	ck_assert_uint_ge(atomic_load(counter), value);
}

/* ---- Without a thread */

START_TEST(without_events_there_is_no_file)
{
	producer(0, 10, "main");
	tl_writer_finish();
	ck_assert_uint_eq(entries("."), 0);
	ck_assert_str_eq(said(), "");
	ck_assert_str_eq(reports, "");
}
END_TEST

START_TEST(the_exit_handler_writes_what_is_there)
{
	unsigned descriptors = entries("/proc/self/fd");
	struct tl_chunk *chunk = chunk_of(producer(0, 10, "main"), 5000, 3);

	hand_over(chunk);
	errno = 77;
	tl_writer_finish();
	ck_assert_int_eq(errno, 77);
	ck_assert_uint_eq(entries("/proc/self/task"), 1);
	ck_assert_uint_eq(entries("/proc/self/fd"), descriptors);
	ck_assert_uint_eq(atomic_load(&given_back), 1);
	ck_assert_str_eq(said(), "");
	ck_assert_str_eq(reports, "trace t.json;finished 3 0 t.json;");

	json_t *events = trace("t.json");
	ck_assert_uint_eq(count(events, "X", "get"), 3);
	ck_assert_uint_eq(json_array_size(events), 3 + 5);
	for (size_t i = 0; i < json_array_size(events); i++)
		ck_assert_int_eq(number_of(json_array_get(events, i), "pid"), getpid());
	json_t *first = json_array_get(events, 4);
	ck_assert_str_eq(text_of(first, "ph"), "X");
	ck_assert_int_eq(number_of(first, "tid"), 10);
	json_decref(events);
}
END_TEST

START_TEST(metadata_says_what_ran_where)
{
	char host[256] = "";

	gethostname(host, sizeof(host) - 1);
	tl_config.rank = 3;
	memset(&facts, 0, sizeof(facts));
	tl_about_facts(&facts);
	hand_over(chunk_of(producer(0, 10, "a \"name\"\n"), 5000, 1));
	tl_writer_finish();
	json_t *events = trace("t.json"), *about = metadata(events, "tracelayer");
	ck_assert_str_eq(text_of(metadata(events, "process_name"), "name"), "writer_test");
	ck_assert_str_eq(text_of(metadata(events, "thread_name"), "name"), "a \"name\"\n");
	ck_assert_int_eq(number_of(metadata(events, "process_sort_index"), "sort_index"), 3);
	ck_assert_ptr_nonnull(strstr(text_of(metadata(events, "process_labels"), "labels"), host));
	ck_assert_ptr_nonnull(
		strstr(text_of(metadata(events, "process_labels"), "labels"), "rank 3"));
	ck_assert_str_eq(text_of(about, "version"), PACKAGE_VERSION);
	ck_assert_str_eq(text_of(about, "program"), "writer_test");
	ck_assert_str_eq(text_of(about, "host"), host);
	ck_assert_int_eq(number_of(about, "pid"), getpid());
	ck_assert_int_eq(number_of(about, "rank"), 3);
	ck_assert_str_eq(text_of(about, "clock"), "CLOCK_MONOTONIC");
	ck_assert_str_eq(text_of(about, "source"), "clock_gettime");
	ck_assert_int_ge(json_array_size(json_object_get(about, "command")), 1);
	ck_assert_str_eq(text_of(json_object_get(about, "apis"), "made-up"), "1.0");
	ck_assert_int_lt(number_of(about, "clock_error_ns"), 10000000);
	/* One moment on both clocks, but for what it takes to read the one between the other. */
	struct timespec real;
	uint64_t before = now();
	clock_gettime(CLOCK_REALTIME, &real);
	uint64_t took = now() - before;
	int64_t passed =
		real.tv_sec * 1000000000ll + real.tv_nsec - number_of(about, "realtime_ns");
	ck_assert_int_lt(llabs((int64_t)before - number_of(about, "monotonic_ns") - passed),
			 100000000 + (int64_t)took);
	json_decref(events);
}
END_TEST

static const char *const names[] = {"t.json", "t.json.gz"};

/* How often, and under STRESS=1 (make stress). */
static unsigned as_often(unsigned quick, unsigned stress)
{
	return getenv("STRESS") ? stress : quick;
}

/* Exit handlers, destructors, threads that outlive main: each time the file is valid, and has one
 * end. */
START_TEST(later_events_go_before_the_end)
{
	struct tl_producer *thread = producer(0, 10, "main");

	use(names[_i]);
	for (unsigned round = 1; round <= 4; round++) {
		if (round != 3)
			hand_over(chunk_of(thread, round * 1000000, 100));
		tl_writer_finish();
		json_t *events = trace(names[_i]);
		unsigned expected = 100 * (round - (round >= 3));
		ck_assert_uint_eq(count(events, "X", NULL), expected);
		ck_assert_uint_eq(count(events, "M", "tracelayer"), 1);
		ck_assert_uint_eq(count(events, "M", "tracelayer_end"), 1);
		ck_assert_int_eq(number_of(metadata(events, "tracelayer_end"), "events"), expected);
		json_decref(events);
	}
	ck_assert_uint_eq(entries("."), 1);
}
END_TEST

START_TEST(many_blocks_make_one_file)
{
	struct tl_producer *one = producer(0, 10, "one"), *two = producer(1, 11, "two");

	unsigned of_each = as_often(500, 1000);

	use(names[_i]);
	for (unsigned i = 0; i < 40; i++)
		hand_over(chunk_of(i % 2 ? one : two, i * 10000000ull, of_each + i * of_each / 10));
	tl_writer_finish();
	json_t *events = trace(names[_i]);
	ck_assert_uint_eq(count(events, "X", NULL), (40 + 78) * of_each);
	ck_assert_uint_eq(count(events, "M", "thread_name"), 2);
	ck_assert_uint_eq(atomic_load(&given_back), 40);
	json_decref(events);
}
END_TEST

/* One event a line, so that what is left of a cut file can be used. */
START_TEST(a_cut_gzip_file_opens_up_to_its_last_block)
{
	size_t size, most = 0;
	unsigned whole = 0;
	bool ended;

	use("t.json.gz");
	for (unsigned i = 0; i < 8; i++)
		hand_over(chunk_of(producer(i, 10 + i, "thread"), 0, 4000));
	tl_writer_finish();
	char *bytes = whole_file("t.json.gz", &size);
	for (size_t cut = size; cut > 1000; cut -= cut / as_often(2, 5) + 1) {
		char *text = unpacked(bytes, cut, &most, &ended), *save = NULL;
		unsigned events = 0;
		ck_assert(ended == (cut == size));
		char *end = strrchr(text, '\n');
		ck_assert_ptr_nonnull(end);
		*end = 0;
		for (char *one = strtok_r(text, "\n", &save); one;
		     one = strtok_r(NULL, "\n", &save)) {
			size_t length = strlen(one);
			if (length < 3)
				continue;
			length -= one[length - 1] == ',';
			json_t *event = json_loadb(one, length, 0, NULL);
			assert_often_msg(event != NULL, "%s", one);
			events += !strcmp(text_of(event, "ph"), "X");
			json_decref(event);
		}
		free(text);
		if (cut == size)
			whole = events;
		/* At least what a constant rate gives, less a block's events. */
		ck_assert_uint_ge(events + 20000, (uint64_t)whole * cut / size);
	}
	ck_assert_uint_eq(whole, 32000);
	free(bytes);
}
END_TEST

/*
 * What recovery finds when the process is killed after a block: all of it is checked against the
 * file.
 */
static void assert_told(const char *name, unsigned events)
{
	const struct tl_output_slot *slot = &piece->slots[atomic_load(&piece->block) % 2];
	struct stat stat;
	size_t size, plain;
	bool ended;
	char *bytes = whole_file(name, &size), *text = bytes;

	ck_assert(!out_of_order);
	ck_assert_uint_eq(atomic_load(&piece->made), 1);
	ck_assert_int_eq(lstat(piece->path, &stat), 0);
	ck_assert_uint_eq(piece->inode, stat.st_ino);
	ck_assert_uint_eq(piece->device, stat.st_dev);
	ck_assert_uint_eq(piece->format, TL_OUTPUT_JSON);
	ck_assert_uint_eq(piece->gzip, strstr(name, ".gz") != NULL);
	ck_assert_uint_eq(slot->events, events);
	ck_assert_uint_lt(slot->offset, size);
	plain = slot->offset;
	if (piece->gzip) {
		text = unpacked(bytes, slot->offset, &plain, &ended);
		ck_assert(!ended);
		ck_assert_uint_eq(slot->size, plain);
		ck_assert_uint_eq(slot->crc, crc32(0, (const Bytef *)text, plain));
		free(bytes);
	}
	ck_assert(!memcmp(text + plain - 3, "\"}}", 3));
	free(text);
}

START_TEST(recovery_is_told_what_the_file_has)
{
	struct tl_producer *one = producer(1, 10, "one"), *two = producer(2, 11, "two");

	use(names[_i]);
	ck_assert_uint_eq(atomic_load(&piece->made), 0);
	for (unsigned round = 1; round <= 3; round++) {
		for (unsigned i = 0; i < 10; i++)
			hand_over(
				chunk_of(i % 2 ? one : two, (round * 10 + i) * 10000000ull, 3000));
		tl_writer_finish();
		assert_told(names[_i], 30000 * round);
		ck_assert_uint_eq(piece->slots[atomic_load(&piece->block) % 2].blocks,
				  atomic_load(&piece->block));
	}
	ck_assert_uint_ge(announced.calls, 30);
	ck_assert_uint_eq(announced.undone, 0);
	ck_assert_uint_ge(atomic_load(&piece->block), 10);
}
END_TEST

START_TEST(unused_and_unfinished_places_are_stepped_over)
{
	struct tl_chunk *chunk = chunk_of(producer(0, 10, "main"), 0, 5);

	memset(record_in(chunk, 1), 0, sizeof(struct tl_call_record));
	record_in(chunk, 3)->type = TL_RECORD_NONE;
	hand_over(chunk);
	tl_writer_finish();
	json_t *events = trace("t.json");
	ck_assert_uint_eq(count(events, "X", NULL), 3);
	ck_assert_int_eq(number_of(metadata(events, "tracelayer_end"), "lost"), 0);
	json_decref(events);
}
END_TEST

START_TEST(damaged_records_are_counted)
{
	struct tl_chunk *chunk = chunk_of(producer(0, 10, "main"), 0, 5);

	record_in(chunk, 2)->function = 0xffffffff;
	hand_over(chunk);
	tl_writer_finish();
	json_t *events = trace("t.json");
	ck_assert_uint_eq(count(events, "X", NULL), 2);
	ck_assert_int_eq(number_of(metadata(events, "tracelayer_end"), "lost"), 1);
	ck_assert_ptr_nonnull(strstr(said(), "damaged records"));
	json_decref(events);
}
END_TEST

/* A device's queue, say. Named before the first event that it has in a file, and once. */
START_TEST(an_event_lane_is_named_once)
{
	struct tl_chunk *chunk = calloc(1, sizeof(*chunk));
	struct tl_event_record *events = calloc(3, sizeof(*events));

	event_lane =
		(struct tl_lane_entry){.lane = 5, .shown = (1u << 22) + 5, .name = 8, .sort = 3};
	for (unsigned i = 0; i < 3; i++)
		events[i] = (struct tl_event_record){.size = sizeof(*events) / 8,
						     .type = TL_RECORD_EVENT,
						     .name = 8,
						     .start = 1000 + i,
						     .phase = 'i',
						     .level = 4,
						     .lane = i ? 5 : 0};
	chunk->producer = producer(1, 10, "main");
	chunk->begin = (char *)events;
	chunk->end = (char *)(events + 3);
	hand_over(chunk);
	tl_writer_finish();
	json_t *trace_events = trace("t.json"), *event;
	unsigned named = 0, sorted = 0, on_lane = 0;
	size_t i;
	json_array_foreach(trace_events, i, event) {
		bool its = number_of(event, "tid") == (1 << 22) + 5;
		named += its && !strcmp(text_of(event, "name"), "thread_name") &&
			 !strcmp(text_of(json_object_get(event, "args"), "name"), event_lane_name);
		sorted += its && !strcmp(text_of(event, "name"), "thread_sort_index");
		on_lane += its && !strcmp(text_of(event, "ph"), "i");
		ck_assert(!its || strcmp(text_of(event, "ph"), "i") || named);
	}
	ck_assert_uint_eq(named, 1);
	ck_assert_uint_eq(sorted, 1);
	ck_assert_uint_eq(on_lane, 2);
	ck_assert_uint_eq(count(trace_events, "i", NULL), 3);
	json_decref(trace_events);
}
END_TEST

START_TEST(a_recycled_thread_number_is_another_lane)
{
	for (unsigned i = 0; i < 3; i++) {
		struct tl_producer *one = producer(i, 10, i == 1 ? "second" : "other");
		one->shown = i ? (1u << 22) + i : 10;
		hand_over(chunk_of(one, i * 1000000, 1));
	}
	tl_writer_finish();
	json_t *events = trace("t.json"), *event;
	json_int_t tids[3];
	unsigned found = 0;
	size_t i;
	json_array_foreach(events, i, event)
		if (!strcmp(text_of(event, "ph"), "X") && found < 3)
			tids[found++] = number_of(event, "tid");
	ck_assert_uint_eq(found, 3);
	ck_assert_int_eq(tids[0], 10);
	ck_assert(tids[1] != tids[0] && tids[2] != tids[1] && tids[2] != tids[0]);
	ck_assert(tids[1] < UINT32_MAX && tids[2] < UINT32_MAX);
	json_array_foreach(events, i, event)
		if (!strcmp(text_of(event, "name"), "thread_name") &&
		    number_of(event, "tid") == tids[1])
			ck_assert_str_eq(text_of(json_object_get(event, "args"), "name"), "second");
	json_decref(events);
}
END_TEST

/*
 * A thread for each request makes many lanes, and each command of a device asks for one. Every
 * second thread has a number that the kernel has given out again.
 */
START_TEST(a_lane_of_many_is_found_at_once)
{
	static struct tl_producer producer;
	const uint32_t lanes = 60000, later = 1u << 22;
	struct timespec spent;

	for (uint32_t i = 1; i <= lanes; i++) {
		producer.lane = i;
		producer.shown = i % 2 ? i : later + i;
		tl_lane_goes_to(tl_lane_of(&producer), 1, 100, 200 + i);
	}
	for (uint32_t i = 1; i <= lanes; i++) {
		uint32_t tid = i % 2 ? i : later + i;
		ck_assert(tl_lane_has_call(tid, 200 + i, 1, false));
		ck_assert(!tl_lane_has_call(tid, 201 + i, 1, false));
		ck_assert(!tl_lane_has_call(i % 2 ? later + i : i, 150, 1, false));
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
	ck_assert_int_lt(spent.tv_sec, 3);
}
END_TEST

START_TEST(a_thread_that_changes_its_name_is_named_again)
{
	struct tl_producer *thread = producer(0, 10, "before");

	hand_over(chunk_of(thread, 0, 1));
	tl_writer_finish();
	strcpy(thread->name, "after");
	hand_over(chunk_of(thread, 1000000, 1));
	hand_over(chunk_of(thread, 2000000, 1));
	tl_writer_finish();
	json_t *events = trace("t.json");
	ck_assert_uint_eq(count(events, "M", "thread_name"), 2);
	ck_assert_str_eq(text_of(metadata(events, "thread_name"), "name"), "after");
	json_decref(events);
}
END_TEST

START_TEST(losses_are_in_the_trace_and_said_once)
{
	struct tl_producer *one = producer(0, 10, "one"), *two = producer(1, 11, "two");
	struct tl_chunk *chunk = chunk_of(one, 0, 2);

	record_in(chunk, 1)->type = TL_RECORD_LOST;
	record_in(chunk, 1)->result = 40;
	hand_over(chunk);
	one->lost = one->lost_said = 40;
	two->lost = 2;
	tl_writer_finish();
	json_t *events = trace("t.json"), *end = metadata(events, "tracelayer_end");
	ck_assert_int_eq(number_of(end, "events"), 1);
	ck_assert_int_eq(number_of(end, "lost"), 42);
	json_t *threads = json_object_get(end, "lost_by_thread");
	ck_assert_uint_eq(json_array_size(threads), 2);
	ck_assert_int_eq(number_of(json_array_get(threads, 0), "tid"), 10);
	ck_assert_int_eq(number_of(json_array_get(threads, 0), "events"), 40);
	ck_assert_int_eq(number_of(json_array_get(threads, 1), "events"), 2);
	ck_assert_uint_eq(count(events, "i", "lost"), 1);
	json_decref(events);
	ck_assert_ptr_nonnull(strstr(said(), "/t.json: 42 events lost; raise TRACELAYER_MEMORY\n"));
	ck_assert(!strncmp(line, "tracelayer: ", 12));
	tl_writer_finish();
	ck_assert_str_eq(said(), "");
}
END_TEST

extern uint64_t double_unreturned; /* tests/lib/control_doubles.c */

START_TEST(calls_that_never_returned_are_said_to_be_that)
{
	producer(0, 10, "one")->lost = double_unreturned = 42;
	tl_writer_finish();
	ck_assert_ptr_nonnull(strstr(said(), "/t.json: 42 events lost; they are calls that never "
					     "returned, of which more were open in one thread than "
					     "can be kept\n"));
}
END_TEST

/* Other threads record on while the process ends: what came after the end began does not keep it
 * from ending. */
START_TEST(finishing_ends_though_recording_does_not)
{
	hand_over(chunk_of(producer(0, 10, "main"), 0, 3));
	never_ends = true;
	tl_writer_finish();
	json_t *events = trace("t.json");
	ck_assert_uint_ge(count(events, "X", NULL), 3);
	json_decref(events);
}
END_TEST

/* ---- Several files */

static void limit_files(rlim_t size)
{
	struct rlimit limit = {size, RLIM_INFINITY};

	signal(SIGXFSZ, SIG_DFL);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static const char *const split_names[][2] = {{"t.json", "t.%u.json"},
					     {"t.json.gz", "t.%u.json.gz"}};

/* The files there are, each opened on its own; their events and losses add up. */
static unsigned read_split(unsigned way, unsigned *calls, unsigned *lost)
{
	unsigned files = 0;
	char name[64];

	for (*calls = *lost = 0;; files++) {
		snprintf(name, sizeof(name), split_names[way][!!files], files);
		if (access(name, F_OK))
			return files;
		json_t *events = trace(name), *end = metadata(events, "tracelayer_end");
		ck_assert_str_eq(text_of(metadata(events, "process_name"), "name"), "writer_test");
		ck_assert_str_eq(text_of(metadata(events, "thread_name"), "name"), "main");
		ck_assert_int_eq(number_of(end, "events"), count(events, "X", NULL));
		*calls += number_of(end, "events");
		*lost += number_of(end, "lost");
		json_decref(events);
	}
}

START_TEST(files_are_split_by_size)
{
	struct tl_producer *thread = producer(0, 10, "main");
	unsigned calls, lost, files, most = _i ? 64 * 1024 : 256 * 1024;
	unsigned chunks = as_often(24, 40);
	struct stat stat;

	use(names[_i]);
	tl_config.split_bytes = most;
	for (unsigned i = 0; i < chunks; i++) {
		if (i == 5)
			thread->lost = 7;
		hand_over(chunk_of(thread, i * 10000000ull, 3000));
	}
	tl_writer_finish();
	files = read_split(_i, &calls, &lost);
	ck_assert_uint_ge(files, chunks / (_i ? 8 : 2));
	ck_assert_uint_eq(calls, chunks * 3000);
	ck_assert_uint_eq(lost, 7);
	ck_assert_uint_eq(entries("."), files);
	ck_assert_uint_eq(piece->number, files - 1);
	for (unsigned i = 0; i < files; i++) {
		char name[64];
		snprintf(name, sizeof(name), split_names[_i][!!i], i);
		ck_assert_int_eq(lstat(name, &stat), 0);
		ck_assert_int_lt(stat.st_size, most + 4096);
		ck_assert(i == files - 1 || stat.st_size > most / 2);
	}
	/* Each is announced, and ended. */
	unsigned ended = 0;
	for (const char *at = reports; (at = strstr(at, "finished ")); at++)
		ended++;
	ck_assert_uint_eq(ended, files);
}
END_TEST

START_TEST(files_are_split_by_time)
{
	struct tl_producer *thread = producer(0, 10, "main");
	unsigned calls, lost, files = 1, unclear = 0;
	/* A file began between .early and .late. */
	uint64_t early = now(), late = 0;

	use(names[_i]);
	tl_config.split_ns = 300000000;
	/*
	 * Three files, of 360, 360 and 120 ms. What the machine makes of these times is measured:
	 * where a stall leaves it open if a file was old enough, both are right.
	 */
	for (unsigned i = 0; i < 8; i++) {
		uint64_t before = now();
		hand_over(chunk_of(thread, i * 10000000ull, 10));
		tl_writer_finish();
		uint64_t after = now();
		if (!late) {
			late = after;
		} else if (before - late >= tl_config.split_ns) {
			files++;
			early = before;
			late = after;
		} else if (after - early >= tl_config.split_ns) {
			unclear++;
			late = after;
		}
		usleep(120000);
	}
	unsigned found = read_split(_i, &calls, &lost);
	ck_assert_uint_ge(found, files);
	ck_assert_uint_le(found, files + unclear);
	ck_assert_uint_eq(calls, 80);
}
END_TEST

/*
 * What is complete may be moved away, and so may the file that is being written; later files' names
 * are not those of earlier ones.
 */
START_TEST(files_of_a_split_trace_may_be_moved_away)
{
	struct tl_producer *thread = producer(0, 10, "main");
	unsigned moved = 0, calls = 0;
	char name[32];

	ck_assert_int_eq(close(open("t.json", O_CREAT | O_WRONLY, 0600)), 0);
	tl_config.split_bytes = 64 * 1024;
	ck_assert(tl_writer_wake());
	for (unsigned i = 0; i < 6; i++) {
		hand_over(chunk_of(thread, i * 10000000ull, 400));
		tl_writer_finish();
		for (snprintf(name, sizeof(name), "t.%u.json", moved + 1); !access(name, F_OK);
		     snprintf(name, sizeof(name), "t.%u.json", moved + 1)) {
			char away[32];
			snprintf(away, sizeof(away), "moved.%u", ++moved);
			ck_assert_int_eq(rename(name, away), 0);
		}
	}
	ck_assert_uint_ge(moved, 4);
	for (unsigned i = 1; i <= moved; i++) {
		snprintf(name, sizeof(name), "moved.%u", i);
		json_t *events = trace(name);
		calls += count(events, "X", NULL);
		json_decref(events);
	}
	ck_assert_uint_eq(calls, 2400);
	ck_assert_str_eq(said(), "");
}
END_TEST

/* The end of the file before needs room, too. */
START_TEST(a_split_that_fails_is_tried_again)
{
	struct tl_producer *thread = producer(0, 10, "main");
	unsigned calls, lost;

	tl_config.split_bytes = 256 * 1024;
	for (unsigned i = 0; i < 10; i++)
		hand_over(chunk_of(thread, i * 10000000ull, 3000));
	limit_files(200000);
	tl_writer_finish();
	ck_assert_ptr_nonnull(strstr(said(), "File too large, "));
	limit_files(RLIM_INFINITY);
	tl_writer_finish();
	ck_assert_uint_ge(read_split(0, &calls, &lost), 5);
	ck_assert_uint_eq(calls, 30000);
	ck_assert_uint_eq(lost, 0);
}
END_TEST

/* ---- Files that can't be written */

START_TEST(a_file_size_limit_does_not_kill)
{
	struct tl_producer *thread = producer(0, 10, "main");

	use(names[_i]);
	for (unsigned i = 0; i < 4; i++)
		hand_over(chunk_of(thread, i * 100000000ull, 8000));
	limit_files(_i ? 40000 : 1500000);
	tl_writer_finish();
	sigset_t pending;
	sigpending(&pending);
	ck_assert(!sigismember(&pending, SIGXFSZ));
	ck_assert_ptr_nonnull(strstr(said(), "File too large, "));
	ck_assert_ptr_nonnull(
		strstr(line, "events lost; raise the limit of a file's size (ulimit -f), "));
	ck_assert_ptr_eq(strchr(line, '\n'), line + strlen(line) - 1);
	json_t *events = trace(names[_i]), *end = metadata(events, "tracelayer_end");
	unsigned written = count(events, "X", NULL);
	ck_assert_int_eq(number_of(end, "events"), written);
	ck_assert_int_eq(number_of(end, "lost"), 32000 - written);
	json_t *lost = json_array_get(json_object_get(end, "lost_by_thread"), 0);
	ck_assert_int_eq(number_of(lost, "tid"), 10);
	ck_assert_int_eq(number_of(lost, "events"), 32000 - written);
	ck_assert_uint_lt(written, 32000);
	ck_assert(_i || written > 0);
	ck_assert(!tl_writer_is_complete());
	ck_assert_uint_gt(announced.undone, 0);
	json_decref(events);
	if (written)
		assert_told(names[_i], written);
	/* When there is room again, all of it is written. */
	limit_files(RLIM_INFINITY);
	hand_over(chunk_of(thread, 1000000000ull, 7));
	tl_writer_finish();
	events = trace(names[_i]);
	end = metadata(events, "tracelayer_end");
	ck_assert_uint_eq(count(events, "X", NULL), 32007);
	ck_assert_int_eq(number_of(end, "events"), 32007);
	ck_assert_int_eq(number_of(end, "lost"), 0);
	ck_assert_uint_eq(count(events, "M", "tracelayer"), 1);
	ck_assert_uint_ge(count(events, "M", "thread_name"), 1);
	ck_assert(tl_writer_is_complete());
	assert_told(names[_i], 32007);
	json_decref(events);
	ck_assert_str_eq(said(), "");
}
END_TEST

/* A call's time is its place in the thread: all of them, each once, one after the other. */
static void assert_in_order(json_t *events)
{
	json_t *event;
	size_t i;
	double last = -1;

	json_array_foreach(events, i, event) {
		if (strcmp(text_of(event, "ph"), "X"))
			continue;
		double ts = json_number_value(json_object_get(event, "ts"));
		assert_often(ts > last);
		last = ts;
	}
}

/* The names and metadata that were in it are written again. */
START_TEST(a_first_block_that_fails_takes_nothing_with_it)
{
	struct tl_producer *thread = producer(0, 10, "main");

	hand_over(chunk_of(thread, 0, 4000));
	limit_files(20000);
	tl_writer_finish();
	limit_files(RLIM_INFINITY);
	ck_assert_ptr_nonnull(strstr(said(), "4000 events lost"));
	hand_over(chunk_of(thread, 1000000000, 7));
	tl_writer_finish();
	json_t *events = trace("t.json");
	ck_assert_uint_eq(count(events, "X", NULL), 4007);
	ck_assert_uint_eq(count(events, "M", "tracelayer"), 1);
	ck_assert_uint_eq(count(events, "M", "thread_name"), 1);
	assert_in_order(events);
	json_decref(events);
}
END_TEST

START_TEST(a_full_device_is_said_once)
{
	struct tl_producer *thread = producer(0, 10, "main");

	use("/dev/full");
	for (int i = 0; i < 3; i++) {
		hand_over(chunk_of(thread, 0, 10));
		tl_writer_finish();
	}
	ck_assert_str_eq(
		said(), "tracelayer: /dev/full: No space left on device, 10 events lost; make room "
			"there, or name another file with TRACELAYER_OUTPUT\n");
	ck_assert_ptr_nonnull(strstr(reports, "failed full;"));
}
END_TEST

START_TEST(a_folder_that_is_not_there_is_said)
{
	char expected[400];

	use("missing/t.json");
	hand_over(chunk_of(producer(0, 10, "main"), 0, 10));
	tl_writer_finish();
	snprintf(expected, sizeof(expected),
		 "tracelayer: %s/missing/t.json: its folder is not there, 10 events lost; "
		 "name another file with TRACELAYER_OUTPUT\n",
		 folder);
	ck_assert_str_eq(said(), expected);
	ck_assert_uint_eq(atomic_load(&given_back), 0);
	/* Made after all, it gets what there was. */
	ck_assert_int_eq(mkdir("missing", 0700), 0);
	tl_writer_finish();
	json_t *events = trace("missing/t.json");
	ck_assert_uint_eq(count(events, "X", NULL), 10);
	ck_assert_int_eq(number_of(metadata(events, "tracelayer_end"), "lost"), 0);
	ck_assert_str_eq(said(), "");
	json_decref(events);
}
END_TEST

START_TEST(a_folder_without_permission_is_said)
{
	mkdir("closed", 0500);
	use("closed/t.json");
	ck_assert_int_eq(chmod(folder, 0755), 0);
	if (!getuid())
		ck_assert_int_eq(setresuid(-1, NOBODY, -1), 0);
	hand_over(chunk_of(producer(0, 10, "main"), 0, 10));
	tl_writer_finish();
	if (!getuid())
		ck_assert_int_eq(setresuid(-1, 0, -1), 0);
	ck_assert_ptr_nonnull(strstr(said(), "closed/t.json: Permission denied, 10 events lost"));
	ck_assert_uint_eq(entries("closed"), 0);
}
END_TEST

START_TEST(the_command_says_it_instead)
{
	run_says_it = true;
	use("missing/t.json");
	hand_over(chunk_of(producer(0, 10, "main"), 0, 10));
	tl_writer_finish();
	ck_assert_str_eq(said(), "");
}
END_TEST

START_TEST(a_file_that_was_replaced_is_left_alone)
{
	struct tl_producer *thread = producer(0, 10, "main");

	hand_over(chunk_of(thread, 0, 10));
	tl_writer_finish();
	ck_assert_int_eq(rename("t.json", "kept.json"), 0);
	ck_assert_int_eq(symlink("kept.json", "t.json"), 0);
	hand_over(chunk_of(thread, 1000000, 15));
	tl_writer_finish();
	ck_assert_str_eq(said(), "");
	json_t *events = trace("kept.json");
	ck_assert_uint_eq(count(events, "X", NULL), 10);
	json_decref(events);
	events = trace("t.1.json");
	ck_assert_uint_eq(count(events, "X", NULL), 15);
	ck_assert_uint_eq(count(events, "M", "thread_name"), 1);
	json_decref(events);
}
END_TEST

START_TEST(a_file_that_was_removed_is_made_again_and_its_events_are_lost)
{
	struct tl_producer *thread = producer(0, 10, "main");

	hand_over(chunk_of(thread, 0, 10));
	tl_writer_finish();
	ck_assert_int_eq(unlink("t.json"), 0);
	hand_over(chunk_of(thread, 1000000, 15));
	tl_writer_finish();
	ck_assert_ptr_nonnull(strstr(said(), ": its folder is not there, 10 events lost; "));
	json_t *events = trace("t.1.json"), *end = metadata(events, "tracelayer_end");
	ck_assert_uint_eq(count(events, "X", NULL), 15);
	ck_assert_int_eq(number_of(end, "events"), 15);
	ck_assert_int_eq(number_of(end, "lost"), 10);
	json_t *lost = json_array_get(json_object_get(end, "lost_by_thread"), 0);
	ck_assert_int_eq(number_of(lost, "events"), 10);
	json_decref(events);
}
END_TEST

/* ---- The thread */

/* The thread of ours, 0 if there is none. */
static int writer_thread(void)
{
	DIR *tasks = opendir("/proc/self/task");
	int found = 0;

	for (struct dirent *entry; (entry = readdir(tasks));) {
		char path[300], name[32] = "";
		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", entry->d_name);
		FILE *file = entry->d_name[0] == '.' ? NULL : fopen(path, "r");
		if (file && fgets(name, sizeof(name), file) && !strcmp(name, "tracelayer\n"))
			found = atoi(entry->d_name);
		if (file)
			fclose(file);
	}
	closedir(tasks);
	return found;
}

static int started_thread(struct tl_producer *producer)
{
	hand_over(chunk_of(producer, 0, 10));
	errno = 77;
	ck_assert(tl_writer_wake());
	ck_assert_int_eq(errno, 77);
	wait_for(&given_back, 1);
	int tid = writer_thread();
	ck_assert_int_ne(tid, 0);
	return tid;
}

static uint64_t status_of(int tid, const char *key)
{
	char path[100], text[200];
	uint64_t value = 0;

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", tid);
	FILE *file = fopen(path, "r");
	while (fgets(text, sizeof(text), file))
		if (!strncmp(text, key, strlen(key)))
			value = strtoull(text + strlen(key), NULL, 16);
	fclose(file);
	return value;
}

START_TEST(the_thread_takes_no_signal_and_no_descriptor)
{
	char path[100];
	unsigned descriptors = entries("/proc/self/fd");
	int tid = started_thread(producer(0, 10, "main"));

	/* All but those that can't be blocked. */
	ck_assert_uint_eq(status_of(tid, "SigBlk:") | 1 << (SIGKILL - 1) | 1 << (SIGSTOP - 1),
			  ~0ull);
	ck_assert_uint_eq(status_of(getpid(), "SigBlk:"), 0);
	ck_assert_uint_eq(entries("/proc/self/fd"), descriptors);
	snprintf(path, sizeof(path), "/proc/self/task/%d/fd", tid);
	ck_assert_uint_eq(entries(path), 1);
}
END_TEST

START_TEST(events_after_the_end_get_a_new_end_from_the_thread)
{
	struct tl_producer *thread = producer(0, 10, "main");

	started_thread(thread);
	for (unsigned round = 1; round < 4; round++) {
		tl_writer_finish();
		json_t *events = trace("t.json");
		ck_assert_uint_eq(count(events, "X", NULL), 10 * round);
		json_decref(events);
		hand_over(chunk_of(thread, round * 1000000, 10));
		if (round == 3)
			wait_for(&given_back, 4);
	}
	/* Nobody asked for this last one. */
	for (int i = 0; i < 1000; i++) {
		size_t size;
		char *bytes = whole_file("t.json", &size);
		json_t *events = json_loadb(bytes, size, 0, NULL);
		unsigned found = events ? count(events, "X", NULL) : 0;
		free(bytes);
		json_decref(events);
		if (found == 40)
			return;
		usleep(5000);
	}
	ck_abort_msg("the last events, or the end behind them, did not come");
}
END_TEST

static void wait_until(bool (*reached)(void))
{
	for (int i = 0; i < 5000 && !reached(); i++)
		usleep(1000);
	ck_assert(reached());
}

static bool is_refused(void)
{
	return atomic_load(&refused);
}

static bool is_not_refused(void)
{
	return !atomic_load(&refused);
}

/* What was refused is written, without a word: ten calls, and the 4000 of the second chunk. */
static void assert_all_come(void)
{
	wait_until(is_not_refused);
	wait_for(&given_back, 2);
	tl_writer_finish();
	ck_assert_str_eq(said(), "");
	json_t *events = trace("t.json");
	ck_assert_uint_eq(count(events, "X", NULL), 4010);
	ck_assert_int_eq(number_of(metadata(events, "tracelayer_end"), "lost"), 0);
	assert_in_order(events);
	json_decref(events);
}

START_TEST(the_thread_tries_again_until_there_is_room)
{
	struct tl_producer *thread = producer(0, 10, "main");

	started_thread(thread);
	limit_files(100000);
	hand_over(chunk_of(thread, 1000000, 4000));
	/*
	 * Producers are told not to wait, and what there was room for of that block is cut off
	 * again: killed now, the file ends with a whole event.
	 */
	wait_until(is_refused);
	ck_assert_uint_eq(atomic_load(&given_back), 1);
	size_t size;
	char *bytes = whole_file("t.json", &size);
	ck_assert_uint_lt(size, 100000);
	ck_assert(!memcmp(bytes + size - 3, "\"}}", 3));
	free(bytes);
	ck_assert_str_eq(said(), "");
	/* Nobody calls the writer, and no event comes. */
	limit_files(RLIM_INFINITY);
	assert_all_come();
}
END_TEST

static void limit_addresses(rlim_t bytes)
{
	struct rlimit limit;

	ck_assert_int_eq(getrlimit(RLIMIT_AS, &limit), 0);
	limit.rlim_cur = bytes;
	ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
}

/* A thread's lane is in memory of its own if its number is far from the others'. */
START_TEST(chunks_wait_where_there_is_no_memory_for_their_threads_lane)
{
	struct tl_producer *first = producer(0, 10, "main"), *later = producer(5000, 11, "later");
	struct tl_chunk *chunk = chunk_of(later, 1000000, 4000);

	started_thread(first);
	limit_addresses(1);
	hand_over(chunk);
	wait_until(is_refused);
	ck_assert_uint_eq(atomic_load(&given_back), 1);
	limit_addresses(RLIM_INFINITY);
	assert_all_come();
}
END_TEST

START_TEST(losses_of_the_thread_are_said_at_the_end)
{
	struct tl_producer *thread = producer(0, 10, "main");

	started_thread(thread);
	limit_files(100000);
	hand_over(chunk_of(thread, 1000000, 4000));
	wait_until(is_refused);
	tl_writer_finish();
	ck_assert_ptr_nonnull(strstr(said(), "File too large, 4000 events lost"));
	json_t *events = trace("t.json");
	ck_assert_uint_eq(count(events, "X", NULL), 10);
	ck_assert_int_eq(number_of(metadata(events, "tracelayer_end"), "lost"), 4000);
	json_decref(events);
}
END_TEST

/* The file's name leads nowhere, but the thread has it open: it sees that, and makes another. */
START_TEST(a_file_that_is_removed_under_the_thread_is_made_again)
{
	struct tl_producer *thread = producer(0, 10, "main");

	started_thread(thread);
	ck_assert_int_eq(unlink("t.json"), 0);
	ck_assert_int_eq(rmdir(folder), 0);
	hand_over(chunk_of(thread, 1000000, 20));
	wait_until(is_refused);
	ck_assert_int_eq(mkdir(folder, 0700), 0);
	ck_assert_int_eq(chdir(folder), 0);
	wait_until(is_not_refused);
	tl_writer_finish();
	ck_assert_ptr_nonnull(strstr(said(), "its folder is not there, 10 events lost"));
	json_t *events = trace("t.1.json");
	ck_assert_uint_eq(count(events, "X", NULL), 20);
	json_decref(events);
}
END_TEST

/*
 * ---- Input and output errors: a process may answer its own system calls, by a filter and a thread
 * that is asked.
 */

static int asked;	   /* the filter's descriptor */
static _Atomic int answer; /* an errno, 0: let it pass */
static _Atomic unsigned answers, asked_for;
static _Atomic bool hold; /* no answer yet */

static void *answer_writes(void *unused)
{
	for (;;) {
		struct seccomp_notif call = {0};
		struct seccomp_notif_resp response = {0};
		if (ioctl(asked, SECCOMP_IOCTL_NOTIF_RECV, &call))
			continue;
		atomic_fetch_add(&asked_for, 1);
		while (atomic_load(&hold))
			usleep(1000);
		response.id = call.id;
		response.error = -atomic_load(&answer);
		response.flags = response.error ? 0 : SECCOMP_USER_NOTIF_FLAG_CONTINUE;
		ioctl(asked, SECCOMP_IOCTL_NOTIF_SEND, &response);
		atomic_fetch_add(&answers, 1);
	}
	return unused;
}

static void fail_writes(void)
{
	static struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pwritev, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	static const struct sock_fprog program = {sizeof(filter) / sizeof(*filter), filter};
	pthread_t thread;

	ck_assert_int_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	asked = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
			     &program);
	ck_assert_msg(asked >= 0, "%s", strerror(errno));
	pthread_create(&thread, NULL, answer_writes, NULL);
}

static const int failures[] = {EIO, ENOSPC, EDQUOT, EINTR};

START_TEST(a_failing_disk_is_tried_again)
{
	struct tl_producer *thread = producer(0, 10, "main");
	int error = failures[_i];

	fail_writes();
	started_thread(thread);
	atomic_store(&answer, error);
	hand_over(chunk_of(thread, 1000000, 4000));
	/* An interrupted call is no failure. */
	if (error != EINTR)
		wait_until(is_refused);
	wait_for(&answers, atomic_load(&answers) + 5);
	atomic_store(&answer, 0);
	wait_for(&given_back, 2);
	ck_assert(!atomic_load(&refused));
	tl_writer_finish();
	ck_assert_str_eq(said(), "");
	json_t *events = trace("t.json");
	ck_assert_uint_eq(count(events, "X", NULL), 4010);
	assert_in_order(events);
	json_decref(events);
}
END_TEST

START_TEST(a_disk_that_fails_for_long_is_said_while_the_program_runs)
{
	struct tl_producer *thread = producer(0, 10, "main");

	fail_writes();
	started_thread(thread);
	atomic_store(&answer, ENOSPC);
	hand_over(chunk_of(thread, 1000000, 4000));
	wait_until(is_refused);
	for (int i = 0; i < 10000 && !*said(); i++)
		usleep(1000);
	ck_assert_ptr_nonnull(strstr(
		line,
		"/t.json: No space left on device, events stay in memory while there is room; make room there, "));
	ck_assert_ptr_eq(strchr(line, '\n'), line + strlen(line) - 1);
	/* Once, however long. */
	wait_for(&answers, atomic_load(&answers) + 5);
	ck_assert_str_eq(said(), "");
	atomic_store(&answer, 0);
	wait_until(is_not_refused);
	tl_writer_finish();
	ck_assert_str_eq(said(), "");
	json_t *events = trace("t.json");
	ck_assert_uint_eq(count(events, "X", NULL), 4010);
	json_decref(events);
}
END_TEST

START_TEST(a_disk_that_fails_for_good_is_said)
{
	struct tl_producer *thread = producer(0, 10, "main");

	fail_writes();
	started_thread(thread);
	atomic_store(&answer, EIO);
	hand_over(chunk_of(thread, 1000000, 4000));
	tl_writer_finish();
	tl_writer_finish();
	ck_assert_ptr_nonnull(strstr(said(), "/t.json: Input/output error, 4000 events lost; "));
	ck_assert_ptr_eq(strchr(line, '\n'), line + strlen(line) - 1);
	ck_assert(!tl_writer_is_complete());
}
END_TEST

#define PRODUCERS 3

static void *produce(void *producer)
{
	unsigned chunks = as_often(20, 60);

	for (unsigned i = 0; i < chunks; i++) {
		hand_over(chunk_of(producer, i * 10000000ull, 1000));
		tl_writer_wake();
	}
	return NULL;
}

START_TEST(many_threads_many_events)
{
	pthread_t threads[PRODUCERS];

	use(names[_i]);
	for (unsigned i = 0; i < PRODUCERS; i++)
		producer(i, 10 + i, "worker");
	struct tl_producer *one = producers;
	for (unsigned i = 0; i < PRODUCERS; i++, one = one->next)
		pthread_create(&threads[i], NULL, produce, one);
	for (unsigned i = 0; i < PRODUCERS; i++)
		pthread_join(threads[i], NULL);
	tl_writer_finish();
	unsigned chunks = PRODUCERS * as_often(20, 60);
	ck_assert_uint_eq(atomic_load(&given_back), chunks);
	json_t *events = trace(names[_i]);
	ck_assert_uint_eq(count(events, "X", NULL), chunks * 1000);
	json_decref(events);
}
END_TEST

/* In a process of its own: what its exit status is. */
static int status_of_child(void (*child)(void))
{
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		child();
		_exit(99);
	}
	/* A child that hangs is one that did not end. */
	for (int i = 0; i < 5000 && waitpid(pid, &status, WNOHANG) != pid; i++)
		usleep(1000);
	kill(pid, SIGKILL);
	return status;
}

/* Closes all it has, takes the numbers for a file of its own, and records on. */
static void close_and_reuse(void)
{
	started_thread(producers);
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
	int own = open("own", O_RDWR | O_CREAT, 0600);
	for (int fd = 4; own == 3 && fd < 100; fd++)
		own = dup(own) == fd ? own : -1;
	for (unsigned i = 1; i < 30; i++) {
		if (write(own, "mine", 4) != 4)
			_exit(1);
		hand_over(chunk_of(producers, i * 100000000ull, as_often(1000, 3000)));
	}
	tl_writer_finish();
	_exit(0);
}

START_TEST(a_program_that_closes_all_descriptors_harms_neither)
{
	use(names[_i]);
	producer(0, 10, "main");
	ck_assert_int_eq(status_of_child(close_and_reuse), 0);
	size_t size;
	char *bytes = whole_file("own", &size);
	ck_assert_uint_eq(size, 29 * 4);
	for (size_t i = 0; i < size; i += 4)
		assert_often(!memcmp(bytes + i, "mine", 4));
	json_t *events = trace(names[_i]);
	ck_assert_uint_eq(count(events, "X", NULL), 10 + 29 * as_often(1000, 3000));
	json_decref(events);
	free(bytes);
}
END_TEST

static void *end_last(void *unused)
{
	usleep(50000);
	return NULL;
}

static void leave_main(void)
{
	pthread_t thread;

	started_thread(producer(0, 10, "main"));
	pthread_create(&thread, NULL, end_last, NULL);
	pthread_exit(NULL);
}

START_TEST(a_process_ends_with_its_last_own_thread)
{
	int status = status_of_child(leave_main);

	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %x", status);
}
END_TEST

static void write_as_child(void)
{
	tl_writer_after_fork();
	queue = NULL;
	queue_end = &queue;
	use("child.json");
	memset(&facts, 0, sizeof(facts));
	tl_about_facts(&facts);
	hand_over(chunk_of(producers, 77000, 5));
	tl_writer_finish();
	json_t *events = trace("child.json");
	bool right = count(events, "X", NULL) == 5 &&
		     number_of(metadata(events, "tracelayer"), "pid") == getpid();
	_exit(right ? 0 : 1);
}

START_TEST(a_forked_child_writes_a_file_of_its_own)
{
	started_thread(producer(0, 10, "main"));
	ck_assert_int_eq(status_of_child(write_as_child), 0);
	tl_writer_finish();
	json_t *events = trace("t.json");
	ck_assert_uint_eq(count(events, "X", NULL), 10);
	json_decref(events);
}
END_TEST

static void refuse_clone(void)
{
	static struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	static const struct sock_fprog program = {sizeof(filter) / sizeof(*filter), filter};

	ck_assert_int_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	ck_assert_int_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

static bool is_ordinary_again(void)
{
	return sched_getscheduler(writer_thread()) == SCHED_OTHER;
}

/*
 * A producer that waits for the writer, which is in the middle of a block for as long as the test
 * likes.
 */
START_TEST(a_real_time_producer_lends_its_priority)
{
	struct tl_producer *thread = producer(0, 10, "main");
	struct sched_param own = {.sched_priority = 3}, lent = {0}, none = {0};

	fail_writes();
	int tid = started_thread(thread);
	atomic_store(&hold, true);
	hand_over(chunk_of(thread, 1000000, 4000));
	wait_for(&asked_for, atomic_load(&answers) + 1);
	ck_assert(!tl_writer_help());
	ck_assert_int_eq(sched_getscheduler(tid), SCHED_OTHER);
	/* Not everybody may have it. */
	if (!sched_setscheduler(0, SCHED_RR, &own)) {
		errno = 77;
		ck_assert(!tl_writer_help());
		ck_assert_int_eq(errno, 77);
		int policy = sched_getscheduler(tid);
		sched_getparam(tid, &lent);
		ck_assert_int_eq(sched_setscheduler(0, SCHED_OTHER, &none), 0);
		ck_assert_int_eq(policy, SCHED_RR);
		ck_assert_int_eq(lent.sched_priority, 3);
	}
	atomic_store(&hold, false);
	wait_for(&given_back, 2);
	wait_until(is_ordinary_again);
}
END_TEST

START_TEST(where_no_thread_can_be_made_producers_help)
{
	struct tl_producer *thread = producer(0, 10, "main");
	unsigned descriptors = entries("/proc/self/fd");

	ck_assert(!tl_writer_help()); /* there may be a thread yet */
	refuse_clone();
	ck_assert(!tl_writer_wake());
	ck_assert(!tl_writer_help());
	for (unsigned i = 0; i < 20; i++)
		hand_over(chunk_of(thread, i * 10000000, 1000));
	ck_assert(tl_writer_help());
	ck_assert_uint_ge(atomic_load(&given_back), 1);
	ck_assert_uint_lt(atomic_load(&given_back), 20);
	ck_assert_uint_eq(entries("/proc/self/fd"), descriptors);
	while (tl_writer_help())
		;
	ck_assert_uint_eq(atomic_load(&given_back), 20);
	tl_writer_finish();
	ck_assert_int_eq(writer_thread(), 0);
	json_t *events = trace("t.json");
	ck_assert_uint_eq(count(events, "X", NULL), 20000);
	json_decref(events);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("writer");
	TCase *tests = tcase_create("file"), *split = tcase_create("split"),
	      *failing = tcase_create("failures"), *threads = tcase_create("thread");

	tcase_add_checked_fixture(tests, start, stop);
	tcase_add_test(tests, without_events_there_is_no_file);
	tcase_add_test(tests, the_exit_handler_writes_what_is_there);
	tcase_add_test(tests, metadata_says_what_ran_where);
	tcase_add_loop_test(tests, later_events_go_before_the_end, 0, 2);
	tcase_add_loop_test(tests, many_blocks_make_one_file, 0, 2);
	tcase_add_test(tests, a_cut_gzip_file_opens_up_to_its_last_block);
	tcase_add_loop_test(tests, recovery_is_told_what_the_file_has, 0, 2);
	tcase_add_test(tests, unused_and_unfinished_places_are_stepped_over);
	tcase_add_test(tests, damaged_records_are_counted);
	tcase_add_test(tests, an_event_lane_is_named_once);
	tcase_add_test(tests, a_recycled_thread_number_is_another_lane);
	tcase_add_test(tests, a_lane_of_many_is_found_at_once);
	tcase_add_test(tests, a_thread_that_changes_its_name_is_named_again);
	tcase_add_test(tests, losses_are_in_the_trace_and_said_once);
	tcase_add_test(tests, calls_that_never_returned_are_said_to_be_that);
	tcase_add_test(tests, finishing_ends_though_recording_does_not);
	suite_add_tcase(suite, tests);

	tcase_add_checked_fixture(split, start, stop);
	tcase_add_loop_test(split, files_are_split_by_size, 0, 2);
	tcase_add_loop_test(split, files_are_split_by_time, 0, 2);
	tcase_add_test(split, files_of_a_split_trace_may_be_moved_away);
	tcase_add_test(split, a_split_that_fails_is_tried_again);
	suite_add_tcase(suite, split);

	tcase_add_checked_fixture(failing, start, stop);
	tcase_add_loop_test(failing, a_file_size_limit_does_not_kill, 0, 2);
	tcase_add_test(failing, a_first_block_that_fails_takes_nothing_with_it);
	tcase_add_test(failing, a_full_device_is_said_once);
	tcase_add_test(failing, a_folder_that_is_not_there_is_said);
	tcase_add_test(failing, a_folder_without_permission_is_said);
	tcase_add_test(failing, the_command_says_it_instead);
	tcase_add_test(failing, a_file_that_was_replaced_is_left_alone);
	tcase_add_test(failing, a_file_that_was_removed_is_made_again_and_its_events_are_lost);
	suite_add_tcase(suite, failing);

	tcase_add_checked_fixture(threads, start, stop);
	tcase_add_test(threads, the_thread_takes_no_signal_and_no_descriptor);
	tcase_add_loop_test(threads, a_program_that_closes_all_descriptors_harms_neither, 0, 2);
	tcase_add_test(threads, events_after_the_end_get_a_new_end_from_the_thread);
	tcase_add_test(threads, the_thread_tries_again_until_there_is_room);
	tcase_add_test(threads, chunks_wait_where_there_is_no_memory_for_their_threads_lane);
	tcase_add_test(threads, losses_of_the_thread_are_said_at_the_end);
	tcase_add_test(threads, a_file_that_is_removed_under_the_thread_is_made_again);
	tcase_add_loop_test(threads, a_failing_disk_is_tried_again, 0,
			    sizeof(failures) / sizeof(*failures));
	tcase_add_test(threads, a_disk_that_fails_for_long_is_said_while_the_program_runs);
	tcase_add_test(threads, a_disk_that_fails_for_good_is_said);
	tcase_add_loop_test(threads, many_threads_many_events, 0, 2);
	tcase_add_test(threads, a_process_ends_with_its_last_own_thread);
	tcase_add_test(threads, a_forked_child_writes_a_file_of_its_own);
	tcase_add_test(threads, a_real_time_producer_lends_its_priority);
	tcase_add_test(threads, where_no_thread_can_be_made_producers_help);
	suite_add_tcase(suite, threads);

	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
