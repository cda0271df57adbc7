/*
 * writer.c: see writer.h.
 *
 * Who writes holds the pen, a lock that protects everything in `writer` that isn't atomic. That is
 * the writer thread; or, in a process that has none, the exit handler or a producer that helps.
 * While others than the writer thread hold it all signals are blocked, so that no handler can want
 * it on the same thread.
 *
 * The file is a JSON array with one event a line. Text is gathered in blocks of about a MiB, and a
 * block goes to the file whole: `offset` is where the next one belongs, and moves only when the
 * last byte of a block was taken. Each block starts as if the one before it had not been there, so
 * one that can't be written (the disk is full) is dropped, its events counted as lost, and the file
 * stays sound. The array's end is written at `offset` too, but does not move it: events that come
 * after the end are put over it, and a new end behind them.
 *
 * The writer thread has a descriptor of the file in a table of its own. Others open the file by its
 * name for as long as they hold the pen.
 */
#include "layer/writer.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "format/chrome.h"
#include "format/gzip.h"
#include "format/output.h"
#include "layer/about.h"
#include "layer/buffer.h"
#include "layer/clock.h"
#include "layer/config.h"
#include "layer/control.h"
#include "layer/lanes.h"
#include "layer/pen.h"
#include "layer/report.h"
#include "layer/runtime.h"
#include "layer/say.h"
#include "layer/thread_raw.h"

#define BLOCK	    (1024u * 1024) /* a block is written when it has grown beyond this */
#define TEXT	    (BLOCK + 64 * 1024 + TL_CHROME_EVENT_MAX)
#define SCRATCH	    (64u * 1024) /* arguments of a metadata event */
#define HELD	    32		 /* chunks whose text is in the block */
#define PARTS	    (HELD + 2)
#define PATIENCE_MS 10000 /* without any progress, before the exit handler gives up */

/* One mapping, made when there is first something to write. */
struct memory {
	struct tl_chrome_name names[TL_CHROME_NAMES];
	char text[TEXT];
	char scratch[TL_ABOUT_SCRATCH];
	char packed[TEXT + TEXT / 1024 + 256];
	_Alignas(64) char zlib[TL_GZIP_MEMORY];
};

/* Events of one lane in the block that is being made. */
struct part {
	struct tl_lane *lane;
	uint64_t events;
};

enum thread_state { THREAD_NONE, THREAD_STARTING, THREAD_RUNS, THREAD_REFUSED };

static struct {
	struct tl_pen pen;	 /* protects what follows .answered */
	_Atomic uint32_t thread; /* enum thread_state */
	/* Exit handlers at work, or system calls that want none: no thread is started. */
	_Atomic uint32_t finishing;
	/* Ends of the file that the writer thread is to write, and has written. */
	_Atomic uint32_t asked, answered;
	_Atomic bool leave;  /* the thread is to end */
	_Atomic bool suspended; /* there was one */
	struct tl_thread_raw raw;

	struct memory *memory;
	struct tl_facts facts;
	struct tl_chrome chrome;
	struct tl_text text; /* the block */
	struct tl_gzip gzip;
	struct tl_output output;
	int fd;		/* in the file table of the pen's holder, -1: not open there */
	bool made;	/* the file exists */
	bool refused;	/* it could not be made */
	bool begun;	/* its metadata are in it */
	bool ended;	/* it has an end, at .offset */
	bool beginning; /* the block has the metadata */
	uint64_t offset;

	struct tl_chunk *held[HELD]; /* given back when the block is written */
	unsigned held_count;
	struct part parts[PARTS];
	unsigned part_count;

	uint64_t events;  /* in the file */
	uint64_t dropped; /* lost because the file did not take them */
	int error;	  /* why, of the first time */
	uint64_t said;	  /* losses that have been said on stderr */
	bool failure_said;
} writer = {.fd = -1};

/* ---- The file */

static void note_error(int error)
{
	if (!writer.error)
		writer.error = error;
}

/* All of it at `offset`, or an error. What a failed attempt left is cut off again. */
static int write_at(const char *bytes, size_t size, uint64_t offset)
{
	size_t done = 0;
	int error = 0;

	while (done < size && !error) {
		long n = syscall(SYS_pwrite64, writer.fd, bytes + done, size - done, offset + done);
		if (n > 0)
			done += n;
		else if (n == 0)
			error = EIO;
		else if (errno != EINTR)
			error = errno;
		tl_pen_progress(&writer.pen);
	}
	if (error && done && writer.output.regular)
		syscall(SYS_ftruncate, writer.fd, offset);
	return error;
}

static bool make_file(void)
{
	if (!tl_output_expand(writer.output.path, sizeof(writer.output.path), tl_config.output,
			      tl_config.rank)) {
		note_error(ENAMETOOLONG);
		return false;
	}
	int fd = tl_output_create(&writer.output);
	if (fd < 0) {
		note_error(-fd);
		return false;
	}
	writer.fd = fd;
	writer.made = true;
	tl_report_trace(writer.output.path);
	return true;
}

/* The file is open in the pen holder's table. */
static bool open_file(void)
{
	if (writer.fd >= 0)
		return true;
	if (!writer.made) {
		writer.refused = writer.refused || !make_file();
		return !writer.refused;
	}
	int fd = tl_output_reopen(&writer.output);
	if (fd < 0)
		note_error(-fd);
	else
		writer.fd = fd;
	return fd >= 0;
}

static void close_file(void)
{
	if (writer.fd >= 0)
		syscall(SYS_close, writer.fd);
	writer.fd = -1;
}

/* ---- Blocks */

static struct tl_about about(void)
{
	return (struct tl_about){&writer.chrome, &writer.text, writer.memory->scratch};
}

static void put_lane_name(struct tl_lane *lane, const struct tl_producer *producer)
{
	const struct tl_about here = about();

	memcpy(lane->name, producer->name, sizeof(lane->name));
	tl_about_thread(&here, lane->tid, lane->name);
	lane->named = true;
}

static void start_block(void)
{
	writer.text = (struct tl_text){writer.memory->text, writer.memory->text + TEXT, false};
	writer.part_count = 0;
	writer.beginning = false;
	if (!writer.begun) {
		const struct tl_about here = about();
		tl_about_process(&here, &writer.facts);
		writer.beginning = true;
	}
}

/* Where the block's events count, if it gets written or if it doesn't. */
static void settle_block(bool written)
{
	for (unsigned i = 0; i < writer.part_count; i++) {
		struct part *part = &writer.parts[i];
		if (written) {
			writer.events += part->events;
			continue;
		}
		part->lane->dropped += part->events;
		part->lane->named = false;
		writer.dropped += part->events;
	}
	if (written && writer.beginning)
		writer.begun = true;
	for (unsigned i = 0; i < writer.held_count; i++)
		tl_buffer_give_back(writer.held[i]);
	writer.held_count = 0;
}

static size_t pack_block(size_t size)
{
	char *out = writer.memory->packed;
	size_t header = writer.offset ? 0 : tl_gzip_header(out);

	return header + tl_gzip_block(&writer.gzip, out + header, writer.memory->text, size);
}

/* Write what has been gathered. */
static void flush_block(void)
{
	const char *bytes = writer.memory->text;
	size_t size = writer.text.at - bytes;
	bool written = false;

	if (open_file()) {
		if (writer.output.gzip) {
			size = pack_block(size);
			bytes = writer.memory->packed;
		}
		writer.ended = false;
		int error = write_at(bytes, size, writer.offset);
		written = !error;
		if (written) {
			writer.offset += size;
			tl_gzip_keep(&writer.gzip);
		} else {
			note_error(error);
		}
	}
	settle_block(written);
	start_block();
}

static struct part *part_of(struct tl_lane *lane)
{
	if (!writer.part_count || writer.parts[writer.part_count - 1].lane != lane)
		writer.parts[writer.part_count++] = (struct part){lane, 0};
	return &writer.parts[writer.part_count - 1];
}

/*
 * A chunk's records, one after the other. Returns where it stopped: the chunk's end, or a record
 * that there is no more room for. Words of zero are places that were reserved and not used; a
 * record without a type is one whose writer never came to its end.
 */
static const char *encode(const struct tl_chunk *chunk, const char *at, struct tl_lane *lane)
{
	struct part *part = part_of(lane);

	while (at < chunk->end && writer.text.at - writer.memory->text < (ptrdiff_t)BLOCK) {
		const struct tl_call_record *record = (const void *)at;
		/* Pairs with the committing store in tl_record_commit. */
		uint64_t head = atomic_load_explicit((const _Atomic uint64_t *)(const void *)at,
						     memory_order_acquire);
		uint8_t type = head >> 16 & 0xff;
		if (type == TL_RECORD_NONE) {
			at += head & 0xffff ? 8 * (head & 0xffff) : 8;
			continue;
		}
		size_t size = tl_chrome_record(&writer.chrome, &writer.text, lane->tid, record,
					       chunk->end - at);
		if (!size) {
			/* Damaged. What follows can't be found, nor counted: it is one loss. */
			lane->dropped++;
			writer.dropped++;
			note_error(EBADMSG);
			return chunk->end;
		}
		part->events += type == TL_RECORD_CALL;
		if (type == TL_RECORD_LOST)
			lane->lost += record->result;
		at += size;
	}
	return at;
}

/* Count a chunk's calls as lost. */
static void drop_chunk(const struct tl_chunk *chunk, struct tl_lane *lane)
{
	for (const char *at = chunk->begin; at < chunk->end;) {
		const struct tl_call_record *record = (const void *)at;
		if (record->type == TL_RECORD_CALL) {
			writer.dropped++;
			if (lane)
				lane->dropped++;
		} else if (record->type == TL_RECORD_LOST && lane) {
			lane->lost += record->result;
		}
		at += record->size ? 8 * record->size : 8;
	}
}

static void write_chunk(struct tl_chunk *chunk)
{
	struct tl_lane *lane = tl_lane_of(chunk->producer->lane, chunk->producer->shown);
	const char *at = chunk->begin;

	tl_pen_progress(&writer.pen);
	if (!lane || !writer.memory || !open_file()) {
		if (!lane || !writer.memory)
			note_error(ENOMEM);
		drop_chunk(chunk, lane);
		tl_buffer_give_back(chunk);
		return;
	}
	for (;;) {
		if (!lane->named || memcmp(lane->name, chunk->producer->name, sizeof(lane->name)))
			put_lane_name(lane, chunk->producer);
		at = encode(chunk, at, lane);
		if (at >= chunk->end)
			break;
		flush_block();
	}
	writer.held[writer.held_count++] = chunk;
	if (writer.held_count == HELD)
		flush_block();
}

static void set_up(void)
{
	if (writer.memory)
		return;
	struct memory *memory = mmap(NULL, sizeof(struct memory), PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return;
	if (!tl_gzip_start(&writer.gzip, memory->zlib)) {
		munmap(memory, sizeof(struct memory));
		return;
	}
	writer.memory = memory;
	tl_about_facts(&writer.facts);
	writer.chrome = (struct tl_chrome){
		.pid = (uint32_t)syscall(SYS_getpid),
		.ns = tl_clock_ns,
		.function = tl_runtime_function,
		.names = memory->names,
	};
	start_block();
}

/* The first call of a chunk began after this tick: it holds nothing older. */
static bool is_newer(const struct tl_chunk *chunk, uint64_t ticks)
{
	const struct tl_call_record *record = (const void *)chunk->begin;

	return record->type == TL_RECORD_CALL && record->start > ticks;
}

/*
 * Write what is queued, but at most `most` chunks, and none after the first that is newer than
 * `until`. While a chunk is held the buffer has no other one of its thread for us, so it is asked
 * again once the block is written.
 */
static void drain(unsigned most, uint64_t until)
{
	struct tl_chunk *chunk;
	bool newer = false, any;

	do {
		for (any = false; most && !newer && (chunk = tl_buffer_take()); most--) {
			set_up();
			tl_clock_settle();
			newer = is_newer(chunk, until);
			write_chunk(chunk);
			any = true;
		}
		if (writer.held_count)
			flush_block();
	} while (any);
}

/* ---- The end */

/* Losses that the buffers counted. Those that no record has told of yet are put down to their
 * thread's lane. */
static uint64_t count_lost(void)
{
	uint64_t lost = 0;

	for (struct tl_producer *producer = tl_buffer_producers(); producer;
	     producer = producer->next) {
		uint64_t own = atomic_load_explicit(&producer->lost, memory_order_relaxed);
		struct tl_lane *lane = own ? tl_lane_of(producer->lane, producer->shown) : NULL;
		if (lane)
			lane->unsaid = own - producer->lost_said;
		lost += own;
	}
	return lost;
}

static void put_lost_threads(struct tl_text *args)
{
	const char *comma = "";
	uint32_t count = tl_lane_count();

	for (uint32_t i = 0; i < count; i++) {
		const struct tl_lane *lane = tl_lane_at(i);
		uint64_t lost = lane ? lane->lost + lane->unsaid + lane->dropped : 0;
		if (!lost)
			continue;
		if (args->end - args->at < 128)
			return;
		tl_text_string(args, comma);
		tl_text_string(args, "{\"tid\":");
		tl_text_unsigned(args, lane->tid);
		tl_text_string(args, ",\"events\":");
		tl_text_unsigned(args, lost);
		tl_text_string(args, "}");
		comma = ",";
	}
}

/* Behind the last block: totals, and the array's end. Leaves the block empty. */
static void write_end(uint64_t lost)
{
	const struct tl_about here = about();
	struct tl_text args = tl_about_args(&here);

	tl_text_string(&args, "\"events\":");
	tl_text_unsigned(&args, writer.events);
	tl_text_string(&args, ",\"lost\":");
	tl_text_unsigned(&args, lost + writer.dropped);
	tl_text_string(&args, ",\"lost_by_thread\":[");
	put_lost_threads(&args);
	tl_text_string(&args, "]");
	tl_about_put(&here, 0, "tracelayer_end", &args);
	tl_text_string(&writer.text, "\n]\n");

	const char *bytes = writer.memory->text;
	size_t size = writer.text.at - bytes, header = 0;
	if (writer.output.gzip) {
		header = writer.offset ? 0 : tl_gzip_header(writer.memory->packed);
		size = header +
		       tl_gzip_end(&writer.gzip, writer.memory->packed + header, bytes, size);
		bytes = writer.memory->packed;
	}
	int error = write_at(bytes, size, writer.offset);
	if (error)
		note_error(error);
	else if (writer.output.regular)
		syscall(SYS_ftruncate, writer.fd, writer.offset + size);
	writer.ended = !error;
	start_block();
}

/* With the pen: everything out, and an end behind it. */
static void finish(void)
{
	uint64_t ticks = tl_clock_is_counter() ? tl_counter() : tl_clock_gettime_ticks();

	tl_clock_settle();
	tl_buffer_flush();
	drain(UINT32_MAX, ticks);
	uint64_t lost = count_lost();
	if (!writer.begun && !lost && !writer.dropped)
		return; /* nothing was traced: no file */
	set_up();
	if (writer.memory && open_file())
		write_end(lost);
}

/* With the pen: what is queued out. Where the file has had its end, it gets a new one. */
static void drain_on(void)
{
	bool ended = writer.ended;

	drain(UINT32_MAX, UINT64_MAX);
	if (ended && !writer.ended)
		write_end(count_lost());
}

/* ---- What is said */

static const char *reason(int error)
{
	const char *text = strerrordesc_np(error);

	if (error == EBADMSG)
		return "damaged records";
	if (error == ESTALE)
		return "the file was moved or replaced";
	if (error == ELOOP)
		return "a symbolic link on the way belongs to somebody else";
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
	default:
		return "name another file with TRACELAYER_OUTPUT";
	}
}

static const char *file_name(void)
{
	return *writer.output.path ? writer.output.path : tl_config.output;
}

static struct tl_text line_about_file(char *line, size_t room)
{
	struct tl_text text = {line, line + room - 2, false};

	tl_text_string(&text, "tracelayer: ");
	tl_text_string(&text, file_name());
	tl_text_string(&text, ": ");
	return text;
}

static void say_line(struct tl_text *text, const char *line)
{
	memcpy(text->at, "\n", 2);
	tl_say(line);
}

static void say_losses(void)
{
	/* Who says it may be on a small stack, and has the pen. */
	static char line[TL_OUTPUT_PATH + 512];
	struct tl_text text = line_about_file(line, sizeof(line));
	uint64_t all = count_lost() + writer.dropped;
	int error = writer.dropped || !writer.ended ? writer.error : 0;

	if (writer.failure_said || (!error && all <= writer.said))
		return;
	if (error) {
		tl_text_string(&text, reason(error));
		tl_text_string(&text, ", ");
	}
	tl_text_unsigned(&text, all);
	tl_text_string(&text, all == 1 ? " event lost; " : " events lost; ");
	tl_text_string(&text, remedy(error));
	/* Once: what a file system refuses, it refuses again. */
	writer.failure_said = error;
	writer.said = all;
	if (!error || !tl_report_failed(file_name(), error))
		say_line(&text, line);
}

/* Whoever has the pen makes no progress, so this is said without it. */
static void say_stuck(void)
{
	char line[TL_OUTPUT_PATH + 512];
	struct tl_text text = line_about_file(line, sizeof(line));

	tl_text_string(&text,
		       "nothing could be written for 10 seconds, and the trace is cut short; "
		       "name a file on another disk with TRACELAYER_OUTPUT");
	say_line(&text, line);
}

/* ---- The thread */

/* The process is to have one thread. Release: pairs with the acquire of who asks whether there is one. */
static int leave(void)
{
	close_file();
	tl_control_listens(false);
	tl_control_answer();
	tl_pen_release(&writer.pen);
	atomic_store_explicit(&writer.thread, THREAD_NONE, memory_order_release);
	return 0;
}

static int thread_main(void *unused)
{
	(void)unused;
	bool separate = tl_thread_raw_separate();
	atomic_store_explicit(&writer.thread, separate ? THREAD_RUNS : THREAD_REFUSED,
			      memory_order_release);
	if (!separate)
		return 0;
	tl_pen_take(&writer.pen, INT_MAX);
	/* An earlier thread had it open. Before the program goes where the name leads nowhere. */
	if (writer.made)
		open_file();
	tl_pen_release(&writer.pen);
	tl_control_listens(true);
	/* However little is recorded: pairs of clocks as often as that. */
	for (;; tl_buffer_wait(tl_control_patience(200))) {
		bool up_to_date = tl_control_serve();
		tl_pen_take(&writer.pen, INT_MAX);
		tl_clock_settle();
		uint32_t asked = atomic_load_explicit(&writer.asked, memory_order_acquire);
		if (up_to_date || asked != atomic_load_explicit(&writer.answered, memory_order_relaxed))
			finish();
		else
			drain_on();
		if (asked != atomic_load_explicit(&writer.answered, memory_order_relaxed)) {
			atomic_store_explicit(&writer.answered, asked, memory_order_release);
			tl_futex_wake(&writer.answered);
		}
		if (atomic_load_explicit(&writer.leave, memory_order_relaxed))
			return leave();
		tl_pen_release(&writer.pen);
		tl_control_answer();
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
	/* A child that shares our memory would have it as a thread of its own, and take it along. */
	if (atomic_load_explicit(&writer.finishing, memory_order_relaxed) || !tl_runtime_is_owner())
		return true;
	if (!atomic_compare_exchange_strong_explicit(&writer.thread, &state, THREAD_STARTING,
						     memory_order_acquire, memory_order_acquire))
		return state != THREAD_REFUSED;
	atomic_store_explicit(&writer.leave, false, memory_order_relaxed);
	bool started = tl_thread_raw_start(thread_main, &writer.raw);
	if (!started)
		atomic_store_explicit(&writer.thread, THREAD_REFUSED, memory_order_release);
	errno = error;
	return started;
}

bool tl_writer_help(void)
{
	struct tl_signals signals;
	int error = errno;

	/* With a thread, the file is open in its table; to open it in the program's would take a
	 * number there. */
	if (atomic_load_explicit(&writer.thread, memory_order_acquire) != THREAD_REFUSED)
		return false;
	tl_signals_hold(&signals);
	bool mine = tl_pen_try(&writer.pen);
	uint32_t before = tl_pen_progress_made(&writer.pen);
	if (mine) {
		drain(8, UINT64_MAX);
		close_file();
		tl_pen_release(&writer.pen);
	}
	bool helped = mine && before != tl_pen_progress_made(&writer.pen);
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
	uint32_t progress = tl_pen_progress_made(&writer.pen), now, answered;

	tl_buffer_wake();
	for (int waited = 0; waited < PATIENCE_MS && is_threaded(); waited += 100) {
		answered = atomic_load_explicit(&writer.answered, memory_order_acquire);
		if ((int32_t)(answered - mine) >= 0)
			return true;
		tl_futex_wait(&writer.answered, answered, 100);
		now = tl_pen_progress_made(&writer.pen);
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

/* Everything is in the file, by whoever could. False where nothing moves. */
static bool finish_somehow(void)
{
	if (is_threaded() && !ask_thread() && is_threaded())
		return false;
	if (!tl_pen_take(&writer.pen, PATIENCE_MS))
		return false;
	if (!is_threaded()) {
		finish();
		close_file();
	}
	return true;
}

void tl_writer_finish(void)
{
	struct tl_signals signals;
	int error = errno;

	tl_signals_hold(&signals);
	if (on_signal_stack())
		tl_writer_wake();
	atomic_fetch_add_explicit(&writer.finishing, 1, memory_order_relaxed);
	if (finish_somehow()) {
		if (writer.ended)
			tl_report_finished(writer.output.path, writer.events,
					   count_lost() + writer.dropped);
		say_losses();
		tl_pen_release(&writer.pen);
	} else {
		say_stuck();
	}
	atomic_fetch_sub_explicit(&writer.finishing, 1, memory_order_relaxed);
	tl_signals_back(&signals);
	errno = error;
}

void tl_writer_suspend(void)
{
	int error = errno;

	atomic_fetch_add_explicit(&writer.finishing, 1, memory_order_relaxed);
	/* Of several threads, for whom it is in vain anyway, one waits. */
	if (is_threaded() && !atomic_exchange_explicit(&writer.leave, true, memory_order_relaxed)) {
		tl_buffer_wake();
		atomic_store_explicit(&writer.suspended, tl_thread_raw_join(&writer.raw, PATIENCE_MS),
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
	return writer.ended ? !writer.dropped : !writer.made && !writer.refused && !writer.dropped;
}

void tl_writer_after_fork(void)
{
	struct memory *memory = writer.memory;

	/* The parent's thread, its file table and its half-made block are not here. */
	memset(&writer, 0, sizeof(writer));
	writer.fd = -1;
	tl_lanes_forget();
	if (memory)
		munmap(memory, sizeof(*memory));
}
