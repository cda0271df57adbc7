/* SPDX-License-Identifier: MIT */
/*
 * writer.c: see writer.h.
 *
 * Who writes holds the pen, a lock that protects everything in `writer` that isn't atomic, and what
 * block.c, sink.c and lanes.c keep. That is the writer thread; or, in a process that has none, the
 * exit handler or a producer that helps. While others than the writer thread hold it all signals
 * are blocked, so that no handler can want it on the same thread.
 *
 * Chunks become blocks of about a MiB (block.c), and a block goes to the file whole (sink.c). A
 * block that can't be written keeps its chunks, and is tried again whenever the writer wakes, while
 * recording goes on in the memory that there is. What does not fit there any more is lost and
 * counted; nobody waits for a writer that can't write. What is still there when the process ends is
 * counted as lost, too, but stays in the buffers file, from where `tracelayer recover` can put it
 * into the file when that has room again.
 *
 * The file's end is written behind the last block, and over it go the blocks that come after it.
 * With TRACELAYER_SPLIT a file that is long or old enough gets its end, and the next block begins
 * another.
 *
 * The writer thread has a descriptor of the file in a table of its own. Others open the file by its
 * name for as long as they hold the pen.
 *
 * A producer with no room left writes itself only where there is no writer thread. With one it
 * waits, for that one is all it takes: a descriptor opened in the program's table, in the middle of
 * its run, could be closed and its number taken by another thread before we write to it. What a
 * producer can do is to see to it that the thread runs. One of real-time priority, for whom others
 * may have to wait for ever, lends it that until everything is written (tl_raw_thread_lend); all
 * others share their processors with it fairly, and leave them to it while they wait.
 */
#include "layer/write/writer.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "format/file/record.h"
#include "layer/buffers/arena.h"
#include "layer/write/block.h"
#include "layer/buffers/buffer.h"
#include "layer/buffers/clock.h"
#include "layer/base/environment.h"
#include "layer/write/recording_control.h"
#include "layer/base/credentials.h"
#include "layer/buffers/lanes.h"
#include "layer/buffers/process_state.h"
#include "layer/base/bounded_lock.h"
#include "layer/base/futex.h"
#include "layer/base/run_report.h"
#include "layer/base/message.h"
#include "layer/write/sink.h"
#include "layer/base/raw_thread.h"

/* blocks that the thread writes before it looks who else wants something */
#define TURN	    16
#define PATIENCE_MS 10000	 /* without any progress, before the exit handler gives up */
#define RETRY_MS    100		 /* between two attempts to write what could not be written */
#define TROUBLE_MS  2000	 /* of attempts, before it is said */
#define SMALLEST    (16u * 1024) /* block, where files are split into small ones */

/* One mapping, made when there is first something to write. */
struct memory {
	struct tl_block_memory block;
	char packed[TL_BLOCK_TEXT + TL_BLOCK_TEXT / 1024 + 256];
	_Alignas(64) char gzip[TL_GZIP_MEMORY];
};

enum thread_state { THREAD_NONE, THREAD_STARTING, THREAD_RUNS, THREAD_REFUSED };

static struct {
	struct tl_bounded_lock pen; /* protects what follows .answered */
	_Atomic uint32_t thread;    /* enum thread_state */
	/* Exit handlers at work: no thread is started for their chunks. */
	_Atomic uint32_t finishing;
	/* Ends of the file that the writer thread is to write, and has written. */
	_Atomic uint32_t asked, answered;
	_Atomic bool last;	 /* nothing comes after the next end: a pipe gets it */
	_Atomic uint32_t closer; /* thread that has the pen for good */
	_Atomic bool leave;	 /* the thread is to end */
	/* of credentials that the thread is to make, and has made */
	_Atomic uint32_t changes, followed;
	struct tl_credentials change;
	_Atomic bool change_is_known;
	_Atomic bool suspended; /* there was one */
	_Atomic bool lent;	/* it has a producer's priority */
	struct tl_raw_thread raw;

	struct memory *memory;
	struct tl_block block;
	struct tl_sink sink;
	_Atomic bool complete;	/* the last end that was asked for is behind all there was */
	int failing;		/* why the last attempt to write failed; 0: it did not */
	uint64_t failing_since; /* ns */
	/* what was recorded up to now is written, and nothing that comes meanwhile */
	bool bounded;

	/* lost: no file took them, or it was removed with them, or they can't be read */
	uint64_t dropped;
	uint64_t unwritten; /* recorded, and waiting for a file that takes them */
	uint64_t told;	    /* losses that the ends of earlier files told of */
	int error;	    /* why, of the first time */
	uint64_t said;	    /* losses that have been said on stderr */
	bool failure_said;
	bool trouble_said;		 /* while events could still wait */
	char line[TL_OUTPUT_PATH + 512]; /* to be said: who says it may be on a small stack */
} writer = {.sink.fd = -1};

static void note_error(int error)
{
	if (!writer.error)
		writer.error = error;
}

static bool set_up(void)
{
	if (writer.memory)
		return true;
	if (!tl_arena_begin())
		return false;
	struct memory *memory = mmap(NULL, sizeof(struct memory), PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return false;
	if (!tl_sink_start(&writer.sink, &writer.pen, memory->gzip, memory->packed)) {
		munmap(memory, sizeof(struct memory));
		return false;
	}
	writer.memory = memory;
	writer.block.memory = &memory->block;
	return true;
}

/* ---- Losses */

/*
 * Losses that the buffers counted. Those that no record has told of yet are put down to their
 * thread's lane.
 */
static uint64_t count_lost(void)
{
	uint64_t lost = 0;

	for (struct tl_producer *producer = tl_buffer_producers(); producer;
	     producer = producer->next) {
		uint64_t own = atomic_load_explicit(&producer->lost, memory_order_relaxed) +
			       atomic_load_explicit(&producer->unentered, memory_order_relaxed);
		struct tl_lane *lane = own ? tl_lane_of(producer) : NULL;
		if (lane)
			lane->unsaid = own - producer->lost_said;
		lost += own;
	}
	return lost;
}

static void add_unwritten(void *unused, const struct tl_producer *producer, uint64_t events)
{
	struct tl_lane *lane = tl_lane_of(producer);

	(void)unused;
	if (lane)
		lane->unwritten += events;
	writer.unwritten += events;
}

static void forget_unwritten(void)
{
	writer.unwritten = 0;
	for (uint32_t i = 0; i < tl_lane_count(); i++)
		if (tl_lane_at(i))
			tl_lane_at(i)->unwritten = 0;
}

/* What can't be written is with the buffers. */
static void count_unwritten(void)
{
	forget_unwritten();
	if (writer.failing)
		tl_buffer_count(add_unwritten, NULL);
}

static uint64_t all_lost(void)
{
	return count_lost() + writer.dropped + writer.unwritten;
}

static void lost_by_thread(void *unused, void (*put)(void *to, uint32_t tid, uint64_t lost),
			   void *to)
{
	(void)unused;
	for (uint32_t i = 0; i < tl_lane_count(); i++) {
		const struct tl_lane *lane = tl_lane_at(i);
		if (lane && tl_lane_lost(lane))
			put(to, lane->tid, tl_lane_lost(lane));
	}
}

/* A file's end has told of all losses so far. */
static void settle_losses(void)
{
	for (uint32_t i = 0; i < tl_lane_count(); i++) {
		struct tl_lane *lane = tl_lane_at(i);
		if (lane)
			lane->told += tl_lane_lost(lane);
	}
	writer.told = all_lost();
}

/* A chunk of which nothing can be kept. */
static void drop_chunk(const struct tl_chunk *chunk)
{
	for (const char *at = chunk->begin; at < chunk->end;) {
		const struct tl_call_record *record = (const void *)at;
		writer.dropped += tl_record_counts(record->type);
		at += record->size ? 8 * record->size : 8;
	}
	note_error(ENOMEM);
}

/* ---- The file */

/* What it had is lost with it. */
static void settle_removed_file(uint32_t file)
{
	for (uint32_t i = 0; i < tl_lane_count(); i++) {
		struct tl_lane *lane = tl_lane_at(i);
		if (lane && lane->in == file)
			lane->dropped += lane->events;
	}
	writer.dropped += writer.sink.gone;
	writer.sink.gone = 0;
	note_error(ENOENT);
}

static int open_file(void)
{
	uint32_t file = writer.sink.file;
	int error = tl_sink_open(&writer.sink);

	if (writer.sink.gone)
		settle_removed_file(file);
	return error;
}

/*
 * Behind the last block: totals, and what ends the format. A pipe gets it once only, at the very
 * end.
 */
static int write_end(void)
{
	uint64_t lost = all_lost();
	const struct tl_totals totals = {
		.events = writer.sink.events,
		.lost = lost > writer.told ? lost - writer.told : 0,
		.lost_by_thread = lost_by_thread,
		.overwritten = tl_buffer_overwritten(),
	};

	tl_block_end(&writer.block, &writer.sink, &totals);
	return tl_sink_end(&writer.sink, writer.block.vector, writer.block.vectors);
}

static bool is_full(void)
{
	const struct tl_sink *sink = &writer.sink;

	if (!sink->made || !sink->events || sink->output.stream)
		return false;
	if (tl_config.split_bytes && sink->offset + sink->longest > tl_config.split_bytes)
		return true;
	return tl_config.split_ns && tl_clock_gettime_ticks() - sink->since >= tl_config.split_ns;
}

/* This one is complete. */
static int next_file(void)
{
	uint64_t told = writer.told;
	int error = write_end();

	if (error)
		return error;
	settle_losses();
	tl_report_finished(writer.sink.output.path, writer.sink.events, writer.told - told);
	tl_sink_leave(&writer.sink);
	return open_file();
}

static size_t block_limit(void)
{
	uint64_t part = tl_config.split_bytes / 8;

	if (!part || part > TL_BLOCK_SIZE)
		return TL_BLOCK_SIZE;
	return part < SMALLEST ? SMALLEST : part;
}

/* ---- Blocks */

static bool take_chunk(void)
{
	struct tl_chunk *chunk;

	/* Threads that go on recording would keep a flush for ever otherwise. */
	while ((!writer.bounded || tl_buffer_is_flushing()) && (chunk = tl_buffer_take())) {
		struct tl_lane *lane = tl_lane_of(chunk->producer);
		tl_clock_settle();
		if (lane) {
			tl_block_hold(&writer.block, chunk, lane);
			return true;
		}
		drop_chunk(chunk);
		tl_buffer_give_back(chunk);
	}
	return false;
}

static void fill_block(void)
{
	struct tl_block *block = &writer.block;
	size_t limit = block_limit();

	tl_block_start(block, &writer.sink);
	while (tl_block_has_room(block, limit) && (block->used < block->held || take_chunk()))
		tl_block_add(block, limit);
}

/* Recovery is told how far the block goes in each chunk, before it is written. */
static void announce_block(void)
{
	uint64_t number = tl_sink_next_block(&writer.sink);

	for (unsigned i = 0; i < writer.block.used; i++)
		tl_buffer_will_write(writer.block.parts[i].chunk, writer.block.parts[i].to, number);
}

static void revoke_block(void)
{
	for (unsigned i = 0; i < writer.block.used; i++)
		tl_buffer_not_written(writer.block.parts[i].chunk);
}

static void count_damage(void)
{
	for (unsigned i = 0; i < writer.block.used; i++) {
		if (!writer.block.parts[i].damaged)
			continue;
		/* What follows can't be found, nor counted: it is one loss. */
		writer.block.parts[i].lane->dropped++;
		writer.dropped++;
		note_error(EBADMSG);
	}
}

static int put_block(void)
{
	struct tl_block *block = &writer.block;
	uint64_t events = tl_block_close(block);

	announce_block();
	int error =
		tl_sink_put(&writer.sink, block->vector, block->vectors, events, writer.dropped);
	if (error) {
		revoke_block();
		tl_block_failed(block);
		return error;
	}
	count_damage();
	tl_block_kept(block);
	return 0;
}

/* While it can't be written, nobody waits for the writer. */
static void set_failing(int error)
{
	if (error)
		note_error(error);
	bool as_before = !writer.failing == !error;
	writer.failing = error;
	if (as_before)
		return;
	writer.failing_since = tl_clock_gettime_ticks();
	tl_buffer_refuse(error);
}

static bool write_block(void)
{
	int error = set_up() ? open_file() : ENOMEM;

	if (!error && is_full())
		error = next_file();
	if (!error) {
		fill_block();
		error = put_block();
	}
	set_failing(error);
	return !error;
}

/*
 * Write what is queued, but at most so many blocks; *more is set where there is more. A flush ends
 * with what it began with, though threads go on recording. False: something is left that can't be
 * written now.
 */
static bool drain(unsigned blocks, bool *more)
{
	bool written = true;

	/* What waited is not lost yet. */
	forget_unwritten();
	while (written && blocks && (writer.block.held || take_chunk())) {
		written = write_block();
		blocks--;
	}
	*more = written && !blocks;
	while (writer.block.held) {
		const struct tl_part *part = &writer.block.parts[--writer.block.held];
		tl_buffer_put_back(part->chunk, part->from);
	}
	return written;
}

/* ---- The end */

/* Other threads' events may tell of calls in it before its own turn comes. */
static void note_gap(struct tl_producer *producer, const char *from, const char *to)
{
	struct tl_lane *lane = tl_lane_of(producer);

	for (const char *at = from; lane && at < to;) {
		const struct tl_call_record *record = (const void *)at;
		/* Pairs with the committing store in tl_record_commit. */
		uint64_t head = atomic_load_explicit((const _Atomic uint64_t *)(const void *)at,
						     memory_order_acquire);
		if ((head >> 16 & 0xff) == TL_RECORD_CALL) {
			tl_clock_settle();
			tl_lane_gap(lane, tl_clock_ns(record->start));
			return;
		}
		at += head & 0xffff ? 8 * (head & 0xffff) : 8;
	}
}

/* With the pen: everything out, and an end behind it. */
static void finish(void)
{
	bool last = atomic_load_explicit(&writer.last, memory_order_relaxed), more;

	tl_clock_settle();
	tl_buffer_flush();
	tl_buffer_gaps(note_gap);
	writer.bounded = tl_buffer_is_flushing();
	bool written = drain(UINT_MAX, &more);
	writer.bounded = false;
	count_unwritten();
	if (!writer.sink.file && !all_lost()) {
		/* Nothing was traced: no file. */
		atomic_store_explicit(&writer.complete, true, memory_order_relaxed);
		return;
	}
	int error = set_up() ? open_file() : ENOMEM;
	if (!error && (last || !writer.sink.output.stream))
		error = write_end();
	if (error)
		note_error(error);
	atomic_store_explicit(&writer.complete, !error && written, memory_order_relaxed);
}

/*
 * With the pen: some of what is queued out; true where there is more. Where the file has had its
 * end, it gets a new one. Threads that record as fast as can be written must not keep those from
 * the pen who are to end the process.
 */
static bool drain_on(void)
{
	bool ended = writer.sink.ended, more;

	drain(TURN, &more);
	if (!ended || !writer.sink.made || writer.sink.ended)
		return more;
	count_unwritten();
	write_end();
	return more;
}

/* ---- What is said */

static const char *reason(int error)
{
	const char *text = tl_output_words(error);

	if (!text)
		text = strerrordesc_np(error);
	if (error == EBADMSG)
		return "damaged records";
	if (error == ESTALE)
		return "the file was moved or replaced";
	return text ? text : "cannot be written";
}

static const char *remedy(int error)
{
	switch (error) {
	case 0:
		return "raise TRACELAYER_MEMORY";
	case ENOSPC:
	case EDQUOT:
	case EFBIG:
		return "make room there, or name another file with TRACELAYER_OUTPUT";
	case EBADMSG:
		return "please report it";
	case ENOMEM:
		return "raise the limit of memory (ulimit -v), or lower TRACELAYER_MEMORY";
	default:
		return "name another file with TRACELAYER_OUTPUT";
	}
}

static const char *file_name(void)
{
	return *writer.sink.output.path ? writer.sink.output.path : tl_config.output;
}

static struct tl_text line_about_file(char *line, size_t room)
{
	struct tl_text text = {line, line + room - 2, false};

	tl_text_string(&text, "tracelayer: ");
	tl_text_string(&text, file_name());
	tl_text_string(&text, ": ");
	return text;
}

static void say_line(struct tl_text *text, const char *line, void (*say)(const char *line))
{
	memcpy(text->at, "\n", 2);
	say(line);
}

/* What is still in the buffers file can be had, when the cause is gone. */
static void put_remedy(struct tl_text *text, int error)
{
	if (!writer.unwritten || !*tl_arena_path()) {
		tl_text_string(text, remedy(error));
		return;
	}
	tl_text_string(text, "`tracelayer recover ");
	tl_text_unsigned(text, tl_arena_facts()->pid);
	tl_text_string(text, "` brings them back once that is mended");
}

/* There were no buffers, or not from the first, so more of them can't be the remedy. */
static void say_no_memory(uint64_t lost)
{
	struct tl_text text = line_about_file(writer.line, sizeof(writer.line));

	tl_text_string(&text, "no memory for event buffers, ");
	tl_text_unsigned(&text, lost);
	tl_text_string(&text, lost == 1 ? " event lost; " : " events lost; ");
	tl_text_string(&text, remedy(ENOMEM));
	say_line(&text, writer.line, tl_message_say);
}

static void say_losses(void)
{
	struct tl_text text = line_about_file(writer.line, sizeof(writer.line));
	uint64_t all = all_lost();
	int error = writer.dropped || writer.unwritten ? writer.error : 0;

	if (writer.failure_said || (!error && all <= writer.said))
		return;
	if (!error && tl_arena_was_refused()) {
		writer.said = all;
		if (!tl_report_no_memory(all))
			say_no_memory(all);
		return;
	}
	if (error) {
		tl_text_string(&text, reason(error));
		tl_text_string(&text, ", ");
	}
	tl_text_unsigned(&text, all);
	tl_text_string(&text, all == 1 ? " event lost; " : " events lost; ");
	put_remedy(&text, error);
	/* Once: what a file system refuses, it refuses again. */
	writer.failure_said = error;
	writer.said = all;
	if (!error || !tl_report_failed(file_name(), error))
		say_line(&text, writer.line, tl_message_say);
}

/*
 * A file can't be written for a while, and nobody is about to end it who would say so: now somebody
 * may still mend it. Once, since at the end it is said what came of it; and not at once, since
 * programs end, and what is in the way may go. `say`: tl_message_say, or tl_message_say_apart on the writer thread.
 */
static void say_trouble(void (*say)(const char *line))
{
	struct tl_text text = line_about_file(writer.line, sizeof(writer.line));

	if (!writer.failing || writer.trouble_said ||
	    tl_clock_gettime_ticks() - writer.failing_since < TROUBLE_MS * 1000000ull)
		return;
	writer.trouble_said = true;
	tl_text_string(&text, reason(writer.failing));
	tl_text_string(&text, ", events stay in memory while there is room; ");
	tl_text_string(&text, remedy(writer.failing));
	say_line(&text, writer.line, say);
}

/* Whoever has the pen makes no progress, so this is said without it. */
static void say_stuck(void)
{
	char line[TL_OUTPUT_PATH + 512];
	struct tl_text text = line_about_file(line, sizeof(line));

	tl_text_string(&text,
		       "nothing could be written for 10 seconds, and the trace is cut short; "
		       "name a file on another disk with TRACELAYER_OUTPUT");
	say_line(&text, line, tl_message_say);
}

/* ---- The thread */

/*
 * The process is to have one thread. Release: pairs with the acquire of who asks whether there is
 * one.
 */
static int leave(void)
{
	tl_sink_close(&writer.sink);
	tl_control_listens(false);
	tl_control_answer();
	tl_bounded_lock_release(&writer.pen);
	atomic_store_explicit(&writer.thread, THREAD_NONE, memory_order_release);
	return 0;
}

/*
 * Sleep until there is something to do. What can't be written is tried again soon, though nobody
 * calls.
 */
static void pause_thread(void)
{
	if (atomic_exchange_explicit(&writer.lent, false, memory_order_relaxed))
		tl_raw_thread_give_back();
	if (writer.failing && !tl_control_is_asked())
		tl_futex_wait(&writer.asked,
			      atomic_load_explicit(&writer.answered, memory_order_relaxed),
			      tl_control_patience(RETRY_MS));
	else
		/* However little is recorded: pairs of clocks as often as that. */
		tl_buffer_wait(tl_control_patience(200));
}

static void make_way(void)
{
	const struct timespec moment = {.tv_nsec = 1000000};

	syscall(SYS_nanosleep, &moment, NULL);
}

/* Become who the process has become. False: the kernel refuses, so this thread must not go on. */
static bool follow_change(void)
{
	/* Acquire: pairs with the release of who asks for the change, so that it is all there. */
	uint32_t asked = atomic_load_explicit(&writer.changes, memory_order_acquire);

	if (asked == atomic_load_explicit(&writer.followed, memory_order_relaxed))
		return true;
	if (!atomic_load_explicit(&writer.change_is_known, memory_order_relaxed) ||
	    !tl_credentials_take(&writer.change))
		return false;
	/* Release: who waits sees that it was made. */
	atomic_store_explicit(&writer.followed, asked, memory_order_release);
	tl_futex_wake(&writer.followed);
	return true;
}

/* Whoever has the pen may have it for good, and the process goes on. */
static bool take_pen(void)
{
	do {
		if (!follow_change())
			return false;
	} while (!tl_bounded_lock_take(&writer.pen, RETRY_MS));
	return true;
}

/*
 * The thread, which has more rights than the process. Its file is opened again by others, if they
 * may. They have the pen, perhaps, but leave the file alone as long as there is a thread. Release:
 * pairs with the acquire of who asks for that.
 */
static int give_up(void)
{
	tl_sink_close(&writer.sink);
	tl_control_listens(false);
	atomic_store_explicit(&writer.thread, THREAD_REFUSED, memory_order_release);
	tl_futex_wake(&writer.followed);
	return 0;
}

static int thread_main(void *unused)
{
	(void)unused;
	bool separate = tl_raw_thread_separate();
	atomic_store_explicit(&writer.thread, separate ? THREAD_RUNS : THREAD_REFUSED,
			      memory_order_release);
	if (!separate)
		return 0;
	if (!take_pen())
		return give_up();
	/* An earlier thread had it open. Before the program goes where the name leads nowhere. */
	if (writer.sink.made)
		open_file();
	tl_bounded_lock_release(&writer.pen);
	tl_control_listens(true);
	for (bool more = false;; more ? (void)0 : pause_thread()) {
		bool up_to_date = tl_control_serve();
		if (!take_pen())
			return give_up();
		tl_clock_settle();
		uint32_t asked = atomic_load_explicit(&writer.asked, memory_order_acquire);
		bool ending = asked != atomic_load_explicit(&writer.answered, memory_order_relaxed);
		if (up_to_date || ending)
			finish();
		else
			more = drain_on();
		if (!ending) {
			say_trouble(tl_message_say_apart);
		} else {
			atomic_store_explicit(&writer.answered, asked, memory_order_release);
			tl_futex_wake(&writer.answered);
		}
		if (atomic_load_explicit(&writer.leave, memory_order_relaxed))
			return leave();
		bool wanted = tl_bounded_lock_release(&writer.pen);
		tl_control_answer();
		/* Who waits for the pen has to wake up first, and would find it taken again. */
		if (wanted)
			make_way();
	}
}

bool tl_writer_wake(void)
{
	uint32_t state = atomic_load_explicit(&writer.thread, memory_order_acquire);
	int error = errno;

	if (state == THREAD_RUNS || state == THREAD_STARTING)
		return true;
	if (state == THREAD_REFUSED)
		return false;
	/*
	 * A child that shares our memory would have it as a thread of its own, and take it along.
	 */
	if (atomic_load_explicit(&writer.finishing, memory_order_relaxed) || !tl_process_is_owner())
		return true;
	/*
	 * In one order with hold_thread: that sees this, or this sees that no thread is to start.
	 */
	if (!atomic_compare_exchange_strong_explicit(&writer.thread, &state, THREAD_STARTING,
						     memory_order_seq_cst, memory_order_acquire))
		return state != THREAD_REFUSED;
	if (atomic_load_explicit(&writer.finishing, memory_order_seq_cst)) {
		atomic_store_explicit(&writer.thread, THREAD_NONE, memory_order_release);
		return true;
	}
	atomic_store_explicit(&writer.leave, false, memory_order_relaxed);
	bool started = tl_raw_thread_start(thread_main, &writer.raw);
	if (!started)
		atomic_store_explicit(&writer.thread, THREAD_REFUSED, memory_order_release);
	errno = error;
	return started;
}

bool tl_writer_help(void)
{
	struct tl_signals signals;
	int error = errno;

	uint32_t state = atomic_load_explicit(&writer.thread, memory_order_acquire);
	if (state == THREAD_RUNS && tl_raw_thread_lend(&writer.raw))
		atomic_store_explicit(&writer.lent, true, memory_order_relaxed);
	if (state != THREAD_REFUSED) {
		errno = error;
		return false;
	}
	tl_signals_hold(&signals);
	bool mine = tl_bounded_lock_try(&writer.pen);
	uint32_t before = tl_bounded_lock_progress_made(&writer.pen);
	if (mine) {
		bool more;
		drain(8, &more);
		say_trouble(tl_message_say);
		tl_sink_close(&writer.sink);
		tl_bounded_lock_release(&writer.pen);
	}
	bool helped = mine && before != tl_bounded_lock_progress_made(&writer.pen);
	tl_signals_back(&signals);
	errno = error;
	return helped;
}

static bool is_threaded(void)
{
	/* Acquire: pairs with the release of the thread that ends. */
	uint32_t state = atomic_load_explicit(&writer.thread, memory_order_acquire);

	return state == THREAD_RUNS || state == THREAD_STARTING;
}

/* The writer thread does it. False when it gets nowhere, or is no more. */
static bool ask_thread(void)
{
	uint32_t mine = atomic_fetch_add_explicit(&writer.asked, 1, memory_order_acq_rel) + 1;
	uint32_t progress = tl_bounded_lock_progress_made(&writer.pen), now, answered;

	tl_buffer_wake();
	tl_futex_wake(&writer.asked);
	for (int waited = 0; waited < PATIENCE_MS && is_threaded(); waited += 100) {
		answered = atomic_load_explicit(&writer.answered, memory_order_acquire);
		if ((int32_t)(answered - mine) >= 0)
			return true;
		tl_futex_wait(&writer.answered, answered, 100);
		now = tl_bounded_lock_progress_made(&writer.pen);
		waited = now == progress ? waited : 0;
		progress = now;
	}
	return false;
}

static bool on_signal_stack(void)
{
	stack_t stack;

	return !sigaltstack(NULL, &stack) && (stack.ss_flags & SS_ONSTACK);
}

/*
 * That stack may be small. And a pipe must stay open until the very end, which it can only in a
 * table of its own.
 */
static bool wants_thread(void)
{
	if (on_signal_stack())
		return true;
	/* Without the arena nothing was recorded. */
	if (is_threaded() || !tl_arena_facts() || !tl_bounded_lock_take(&writer.pen, PATIENCE_MS))
		return false;
	bool stream = tl_sink_is_stream(&writer.sink);
	tl_bounded_lock_release(&writer.pen);
	return stream;
}

/* Everything is in the file, by whoever could. False where nothing moves. */
static bool finish_somehow(void)
{
	if (is_threaded() && !ask_thread() && is_threaded())
		return false;
	if (!tl_bounded_lock_take(&writer.pen, PATIENCE_MS))
		return false;
	if (!is_threaded()) {
		finish();
		tl_sink_close(&writer.sink);
	}
	return true;
}

static uint32_t this_thread(void)
{
	return (uint32_t)syscall(SYS_gettid);
}

/*
 * With `close`, the pen is kept: whatever is recorded from now on, nobody writes, and the end
 * stays.
 */
static void end_file(bool close)
{
	struct tl_signals signals;
	int error = errno;

	tl_signals_hold(&signals);
	/*
	 * A handler that interrupted this thread between its close and the system call that it was
	 * for.
	 */
	if (atomic_load_explicit(&writer.closer, memory_order_relaxed) == this_thread())
		tl_writer_open();
	if (wants_thread())
		tl_writer_wake();
	atomic_fetch_add_explicit(&writer.finishing, 1, memory_order_relaxed);
	if (finish_somehow()) {
		if (writer.sink.ended)
			tl_report_finished(writer.sink.output.path, writer.sink.events,
					   all_lost() - writer.told);
		say_losses();
		if (close)
			atomic_store_explicit(&writer.closer, this_thread(), memory_order_relaxed);
		else
			tl_bounded_lock_release(&writer.pen);
	} else {
		say_stuck();
	}
	atomic_fetch_sub_explicit(&writer.finishing, 1, memory_order_relaxed);
	tl_signals_back(&signals);
	errno = error;
}

void tl_writer_finish(void)
{
	end_file(false);
}

void tl_writer_close(bool last)
{
	if (last)
		atomic_store_explicit(&writer.last, true, memory_order_relaxed);
	end_file(true);
	if (last && tl_writer_is_complete())
		tl_arena_done(true);
}

void tl_writer_open(void)
{
	uint32_t self = this_thread();

	if (!atomic_compare_exchange_strong_explicit(&writer.closer, &self, 0, memory_order_relaxed,
						     memory_order_relaxed))
		return;
	atomic_store_explicit(&writer.last, false, memory_order_relaxed);
	tl_bounded_lock_release(&writer.pen);
}

/* No thread starts from here on; and one that was about to has started, or not. */
static void hold_thread(void)
{
	const struct timespec moment = {.tv_nsec = 100000};

	atomic_fetch_add_explicit(&writer.finishing, 1, memory_order_seq_cst);
	for (int naps = 0;
	     naps < PATIENCE_MS * 10 &&
	     atomic_load_explicit(&writer.thread, memory_order_seq_cst) == THREAD_STARTING;
	     naps++)
		syscall(SYS_nanosleep, &moment, NULL);
}

void tl_writer_hold(void)
{
	int error = errno;

	hold_thread();
	errno = error;
}

void tl_writer_let_go(void)
{
	atomic_fetch_sub_explicit(&writer.finishing, 1, memory_order_relaxed);
}

bool tl_writer_follow(const struct tl_credentials *credentials)
{
	if (!is_threaded())
		return true;
	if (credentials)
		writer.change = *credentials;
	atomic_store_explicit(&writer.change_is_known, credentials, memory_order_relaxed);
	/* Release: pairs with the acquire in follow_change. */
	uint32_t mine = atomic_fetch_add_explicit(&writer.changes, 1, memory_order_release) + 1,
		 followed;
	tl_buffer_wake();
	tl_futex_wake(&writer.asked);
	for (int waited = 0; waited < PATIENCE_MS; waited += RETRY_MS) {
		/* Acquire: pairs with the release there. */
		followed = atomic_load_explicit(&writer.followed, memory_order_acquire);
		if (followed == mine || !is_threaded())
			return true;
		tl_futex_wait(&writer.followed, followed, RETRY_MS);
	}
	/* It is stuck in a write. Another change may come before it looks, so it is to end then. */
	atomic_store_explicit(&writer.change_is_known, false, memory_order_relaxed);
	return false;
}

void tl_writer_suspend(void)
{
	int error = errno;

	hold_thread();
	/* Of several threads, for whom it is in vain anyway, one waits. */
	if (is_threaded() && !atomic_exchange_explicit(&writer.leave, true, memory_order_relaxed)) {
		tl_buffer_wake();
		atomic_store_explicit(&writer.suspended,
				      tl_raw_thread_join(&writer.raw, PATIENCE_MS),
				      memory_order_relaxed);
	}
	errno = error;
}

void tl_writer_resume(void)
{
	int error = errno;
	bool again = atomic_exchange_explicit(&writer.suspended, false, memory_order_relaxed);

	atomic_fetch_sub_explicit(&writer.finishing, 1, memory_order_relaxed);
	if (again)
		tl_writer_wake();
	errno = error;
}

bool tl_writer_is_complete(void)
{
	return atomic_load_explicit(&writer.complete, memory_order_relaxed);
}

void tl_writer_after_fork(void)
{
	struct memory *memory = writer.memory;

	/* The parent's thread, its file table and its half-made block are not here. */
	memset(&writer, 0, sizeof(writer));
	writer.sink.fd = -1;
	tl_lanes_forget();
	if (memory)
		munmap(memory, sizeof(*memory));
}
