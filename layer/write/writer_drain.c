/* SPDX-License-Identifier: MIT */
/*
 * writer_drain.c: from queued chunks to the file.
 *
 * Chunks become blocks of about a MiB (block.c), and a block goes to the file whole (sink.c). A
 * block that can't be written keeps its chunks, and is tried again whenever the writer wakes, while
 * recording goes on in the memory that there is. What does not fit there any more is lost and
 * counted; nobody waits for a writer that can't write. What is still there when the process ends is
 * counted as lost, too, but stays in the buffers file, from where `tracelayer recover` can put it
 * into the file when that has room again.
 *
 * The file's end is written behind the last block. Blocks that come later overwrite it. With
 * TRACELAYER_SPLIT a file that is long or old enough gets its end, and the next block begins
 * another.
 *
 * Every caller holds the pen.
 */
#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>

#include "format/file/record.h"
#include "format/file/record_words.h"
#include "layer/base/environment.h"
#include "layer/base/run_report.h"
#include "layer/buffers/arena.h"
#include "layer/buffers/buffer.h"
#include "layer/buffers/clock.h"
#include "layer/buffers/lanes.h"
#include "layer/write/ahead.h"
#include "layer/write/block.h"
#include "layer/write/sink.h"
#include "layer/write/writer.h"
#include "layer/write/writer_state.h"

#define TURN	 16	      /* so many blocks the thread writes before it looks for requests */
#define SMALLEST (16u * 1024) /* of a block, if files are split into small ones */

/* ---- The file */

static bool memory_map(void)
{
	if (tl_writer.memory)
		return true;
	if (!tl_arena_begin())
		return false;
	struct tl_writer_memory *memory =
		mmap(NULL, sizeof(struct tl_writer_memory), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return false;
	tl_sink_start(&tl_writer.sink, &tl_writer.pen, memory->gzip, memory->packed);
	tl_writer.sink.gzip.hints = &tl_writer.block.hints;
	tl_writer.memory = memory;
	tl_writer.block.memory = &memory->block;
	return true;
}

int tl_writer_open_file(void)
{
	uint32_t file = tl_writer.sink.file;
	int error = tl_sink_open(&tl_writer.sink);

	if (tl_writer.sink.gone)
		tl_writer_drop_file(file);
	return error;
}

static struct tl_writer_end end_now(void)
{
	uint64_t lost = tl_writer_losses();

	return (struct tl_writer_end){
		.events = tl_writer.sink.events,
		.lost = lost > tl_writer.losses_told ? lost - tl_writer.losses_told : 0,
		.overwritten = tl_buffer_overwritten(),
		.stackless = tl_buffer_stackless(),
	};
}

/* Many exit handlers ask for the end, and most have nothing new to say. */
static bool end_is_up_to_date(const struct tl_writer_end *now)
{
	const struct tl_writer_end *there = &tl_writer.end;

	return tl_writer.sink.ended && there->events == now->events && there->lost == now->lost &&
	       there->overwritten == now->overwritten && there->stackless == now->stackless &&
	       there->unfinished == now->unfinished;
}

/*
 * Behind the last block: totals, and the format's end. A pipe gets these once, at the very end. Of
 * `ends_at`, see tl_block_end.
 */
static int file_write_end(uint64_t ends_at)
{
	struct tl_writer_end end = end_now();
	const struct tl_totals totals = {
		.events = end.events,
		.lost = end.lost,
		.lost_by_thread = tl_writer_losses_by_thread,
		.overwritten = end.overwritten,
		.stackless = end.stackless,
	};

	tl_block_end(&tl_writer.block, &tl_writer.sink, &totals, ends_at);
	end.unfinished = tl_writer.block.unfinished;
	end.reported = end_is_up_to_date(&end) && tl_writer.end.reported;
	tl_writer.end = end;
	return tl_sink_end(&tl_writer.sink, tl_writer.block.vector, tl_writer.block.vectors);
}

static bool file_is_full(void)
{
	const struct tl_sink *sink = &tl_writer.sink;

	if (!sink->made || !sink->events || sink->output.stream)
		return false;
	if (tl_config.split_bytes && sink->offset + sink->longest > tl_config.split_bytes)
		return true;
	return tl_config.split_ns &&
	       (sink->whole || (!sink->completes && tl_clock_gettime_ticks() >= tl_sink_due(sink)));
}

/* The file has all that was recorded in its time. */
static void file_complete(void)
{
	struct tl_sink *sink = &tl_writer.sink;

	sink->whole = true;
	sink->completes = false;
	tl_sink_set_due(sink, tl_clock_gettime_ticks() + tl_config.split_ns);
}

uint64_t tl_writer_file_due(void)
{
	return tl_sink_due(&tl_writer.sink);
}

/* The file is complete: end it, and begin the next one. */
static int file_next(void)
{
	uint64_t told = tl_writer.losses_told;

	tl_writer.goes_on = true;
	int error = file_write_end(0);
	if (!error)
		tl_writer_settle_losses();
	tl_writer.goes_on = false;
	if (error)
		return error;
	tl_report_finished(tl_writer.sink.output.path, tl_writer.sink.events,
			   tl_writer.losses_told - told);
	tl_sink_leave(&tl_writer.sink);
	return tl_writer_open_file();
}

static size_t block_limit(void)
{
	uint64_t part = tl_config.split_bytes / 8;

	if (!part || part > TL_BLOCK_SIZE)
		return TL_BLOCK_SIZE;
	return part < SMALLEST ? SMALLEST : part;
}

/* ---- Blocks */

/* While the file can't be written, no producer waits for the writer. */
static void failing_set(int error)
{
	if (error)
		tl_writer_note_error(error);
	bool as_before = !tl_writer.failing == !error;
	tl_writer.failing = error;
	if (as_before)
		return;
	tl_writer.failing_since = tl_clock_gettime_ticks();
	tl_buffer_refuse(error);
}

/* False: there is none, or (.laneless) there is no memory for what is known of its thread. */
static bool block_take_chunk(void)
{
	/* Without .flush_only, threads that go on recording would keep a flush going for ever. */
	struct tl_chunk *chunk =
		!tl_writer.flush_only || tl_buffer_is_flushing() ? tl_buffer_take() : NULL;
	struct tl_lane *lane = chunk ? tl_lane_of(chunk->producer) : NULL;

	tl_clock_settle();
	if (lane) {
		tl_block_hold(&tl_writer.block, chunk, lane);
		return true;
	}
	if (chunk) {
		tl_buffer_put_back(chunk, chunk->begin);
		tl_writer.laneless = true;
	}
	return false;
}

/* With another thread's help: what is ready goes into the block; waiting for that at first. */
static void block_fill_ahead(struct tl_block *block, size_t limit)
{
	while (block->held < TL_BLOCK_PARTS && tl_ahead_has_room() && block_take_chunk())
		tl_ahead_put(&block->parts[block->held - 1]);
	tl_ahead_ring();
	while (block->used < block->held && tl_block_has_room(block, limit) &&
	       (!block->used || tl_ahead_is_ready(&block->parts[block->used])))
		tl_block_add(block, limit);
}

static void block_fill(void)
{
	struct tl_block *block = &tl_writer.block;
	size_t limit = block_limit();

	tl_block_start(block, &tl_writer.sink);
	if (block->begun && tl_ahead_begin(block, &tl_writer.sink)) {
		block_fill_ahead(block, limit);
		return;
	}
	while (tl_block_has_room(block, limit) && (block->used < block->held || block_take_chunk()))
		tl_block_add(block, limit);
}

/* Before the block is written: tell recovery how far it goes in each chunk. */
static void block_announce(void)
{
	uint64_t number = tl_sink_next_block(&tl_writer.sink);

	for (unsigned i = 0; i < tl_writer.block.used; i++)
		tl_buffer_will_write(tl_writer.block.parts[i].chunk, tl_writer.block.parts[i].to,
				     number);
}

static void block_revoke(void)
{
	for (unsigned i = 0; i < tl_writer.block.used; i++)
		tl_buffer_not_written(tl_writer.block.parts[i].chunk);
}

static void block_count_damage(void)
{
	for (unsigned i = 0; i < tl_writer.block.used; i++) {
		if (!tl_writer.block.parts[i].damaged)
			continue;
		/* The records that follow can't be read, nor counted: they count as one loss. */
		tl_writer.block.parts[i].lane->dropped++;
		tl_writer.dropped++;
		tl_writer_note_error(EBADMSG);
	}
}

static int block_put(void)
{
	struct tl_block *block = &tl_writer.block;
	uint64_t events = tl_block_close(block);

	block_announce();
	int error = tl_sink_put(&tl_writer.sink, block->vector, block->vectors, block->packed,
				events, tl_writer.dropped);
	if (error) {
		block_revoke();
		tl_block_failed(block);
		return error;
	}
	block_count_damage();
	tl_ahead_kept(block);
	tl_block_kept(block);
	return 0;
}

static bool block_write(void)
{
	int error = memory_map() ? tl_writer_open_file() : ENOMEM;

	if (!error && file_is_full())
		error = file_next();
	if (!error) {
		block_fill();
		error = block_put();
	}
	failing_set(error);
	return !error;
}

bool tl_writer_drain(unsigned blocks, bool *more)
{
	bool written = true;

	/* Events that wait for a file are not lost yet. */
	tl_writer_forget_unwritten();
	tl_writer.laneless = false;
	while (written && blocks && (tl_writer.block.held || block_take_chunk())) {
		if (!tl_writer.writes_all)
			tl_buffer_make_ahead();
		written = block_write();
		blocks--;
	}
	if (tl_writer.laneless) {
		/* Its chunk waits, as for a file that can't be written. */
		failing_set(ENOMEM);
		written = false;
	}
	*more = written && !blocks;
	tl_ahead_stop();
	while (tl_writer.block.held) {
		const struct tl_part *part = &tl_writer.block.parts[--tl_writer.block.held];
		tl_buffer_put_back(part->chunk, part->from);
	}
	return written;
}

/* ---- Everything, and the end */

/*
 * Notes a gap in a lane's records. Other threads' events may refer to the lane's calls before the
 * lane's own records are written.
 */
static void lane_note_gap(struct tl_producer *producer, const char *from, const char *to)
{
	struct tl_lane *lane = tl_lane_of(producer);

	for (const char *at = from; lane && at < to;) {
		const struct tl_call_record *record = (const void *)at;
		uint64_t word = tl_record_first_word(at);
		if (tl_record_type_of(word) == TL_RECORD_CALL) {
			tl_clock_settle();
			tl_lane_gap(lane, tl_clock_ns(record->start));
			return;
		}
		at += tl_record_step(word);
	}
}

/* A process may have made no other calls than those that its threads are in. */
static bool some_are_unfinished(void)
{
	const struct tl_producer *producer = tl_buffer_producers();

	while (producer && !tl_buffer_unfinished(producer, &tl_writer.block.calls))
		producer = producer->next;
	return producer;
}

void tl_writer_write_all(void)
{
	bool last = atomic_load_explicit(&tl_writer.last, memory_order_relaxed), more;

	tl_clock_settle();
	tl_buffer_flush();
	tl_buffer_gaps(lane_note_gap);
	tl_writer.flush_only = tl_buffer_is_flushing();
	tl_writer.writes_all = true;
	bool written = tl_writer_drain(UINT_MAX, &more);
	tl_writer.flush_only = tl_writer.writes_all = false;
	if (tl_writer.sink.completes)
		file_complete();
	tl_writer_count_unwritten();
	if (!tl_writer.sink.file && !tl_writer_losses() && !(last && some_are_unfinished())) {
		/* Nothing was traced: no file. */
		atomic_store_explicit(&tl_writer.complete, true, memory_order_relaxed);
		return;
	}
	/* The last end is written in any case: a pipe has none yet, and the file may be gone. */
	const struct tl_writer_end now = end_now();
	if (!last && end_is_up_to_date(&now)) {
		atomic_store_explicit(&tl_writer.complete, written, memory_order_relaxed);
		return;
	}
	int error = memory_map() ? tl_writer_open_file() : ENOMEM;
	/* Threads went on until now: calls made within unfinished ones end before those do. */
	if (!error && (last || !tl_writer.sink.output.stream))
		error = file_write_end(last ? tl_clock_now() : 0);
	if (error)
		tl_writer_note_error(error);
	atomic_store_explicit(&tl_writer.complete, !error && written, memory_order_relaxed);
}

bool tl_writer_drain_turn(void)
{
	bool ended = tl_writer.sink.ended, more;

	tl_writer_drain(TURN, &more);
	if (!ended || !tl_writer.sink.made || tl_writer.sink.ended)
		return more;
	tl_writer_count_unwritten();
	file_write_end(0);
	return more;
}
