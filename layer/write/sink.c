/* SPDX-License-Identifier: MIT */
/*
 * sink.c: see sink.h.
 *
 * `offset` moves only when the last byte of a block was written. What a failed attempt left behind
 * it is cut off again, so that the file ends with a whole block whenever possible.
 *
 * A pipe has no offsets, and nothing can be written again: what was written has reached its reader.
 * So a block is written to its last byte, however slow the reader is, as long as there is one. When
 * the reader has gone, the next reader gets a new beginning.
 *
 * What recovery reads (struct tl_output_piece) must be right whenever the process is killed. So it
 * is stored in this order: first the state after the block, in the slot that .block does not name;
 * then the block, in the file; then .block, which names that slot. A new file is announced in the
 * same way: .made is cleared; an empty block is committed, whose slot says that the file has
 * nothing; then the new file's name is stored, and .made is set.
 */
#include "layer/write/sink.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "layer/buffers/arena.h"
#include "layer/base/environment.h"
#include "layer/base/run_report.h"

#define SLICE_MS    100	  /* between two looks at a full pipe */
#define PATIENCE_MS 10000 /* of waiting for a reader that reads nothing */

void tl_sink_start(struct tl_sink *sink, struct tl_bounded_lock *pen, void *gzip, char *packed)
{
	sink->pen = pen;
	sink->packed = packed;
	tl_gzip_start(&sink->gzip, gzip);
}

/* --- what recovery reads */

static void block_commit(struct tl_sink *sink, uint64_t block)
{
	struct tl_output_piece *piece = tl_arena_output();

	sink->block = block;
	/*
	 * Release: for recovery, in another process, which reads this before the slot and the
	 * chunks.
	 */
	if (piece)
		atomic_store_explicit(&piece->block, block, memory_order_release);
}

static void slot_fill(uint64_t block, const struct tl_output_slot *slot)
{
	struct tl_output_piece *piece = tl_arena_output();

	if (piece)
		piece->slots[block % 2] = *slot;
	/*
	 * Keeps the compiler from moving this behind the file's system calls. A killed process's
	 * own stores are all there, in their order.
	 */
	atomic_signal_fence(memory_order_seq_cst);
}

/* Notes in the buffers that there is no file now. */
static void output_tell_none(struct tl_sink *sink)
{
	const struct tl_output_slot nothing = {0};
	struct tl_output_piece *piece = tl_arena_output();

	if (!piece)
		return;
	/* Release: for recovery, in another process, as below. */
	atomic_store_explicit(&piece->made, 0, memory_order_release);
	slot_fill(sink->block + 1, &nothing);
	block_commit(sink, sink->block + 1);
}

static void path_copy(char *to, size_t room, const char *path)
{
	size_t length = strnlen(path, room - 1);

	memcpy(to, path, length);
	to[length] = 0;
}

/* Stores the new file. Called after output_tell_none, or when there was no file yet. */
static void output_tell_made(const struct tl_sink *sink)
{
	struct tl_output_piece *piece = tl_arena_output();

	if (!piece)
		return;
	piece->format = sink->format->number;
	piece->gzip = sink->output.gzip;
	piece->number = sink->file - 1;
	piece->device = sink->output.device;
	piece->inode = sink->output.inode;
	path_copy(piece->path, sizeof(piece->path), sink->output.path);
	/* Release: for recovery, in another process; all the rest is stored. */
	atomic_store_explicit(&piece->made, 1, memory_order_release);
}

/* --- the file */

bool tl_sink_is_stream(const struct tl_sink *sink)
{
	static char path[TL_OUTPUT_PATH];
	struct stat file;

	if (sink->made)
		return sink->output.stream;
	return tl_output_expand(path, sizeof(path), tl_config.output, tl_config.rank) &&
	       !stat(path, &file) && S_ISFIFO(file.st_mode);
}

/* A file that is made late in its time has what was recorded in all of that. */
static void file_note_due(struct tl_sink *sink)
{
	uint64_t now = tl_clock_gettime_ticks();

	if (!sink->completes && now >= tl_sink_due(sink))
		tl_sink_set_due(sink, now + tl_config.split_ns);
}

static int file_make(struct tl_sink *sink)
{
	struct tl_output *output = &sink->output;

	if (!tl_output_expand(output->path, sizeof(output->path), tl_config.output, tl_config.rank))
		return ENAMETOOLONG;
	if (*tl_config.job)
		tl_output_make_job_folders(output->path);
	/*
	 * Later files get higher numbers, whatever became of the earlier files. A name with the
	 * time in it differs anyway.
	 */
	output->number = strstr(tl_config.output, "%t") ? 0 : sink->next;
	int fd = tl_output_create(output);
	if (fd < 0)
		return -fd;
	sink->fd = fd;
	sink->next = output->number + 1;
	sink->made = true;
	sink->file++;
	sink->whole = false;
	if (tl_config.split_ns)
		file_note_due(sink);
	sink->format = tl_format_written(output->path);
	output_tell_made(sink);
	tl_report_trace(output->path);
	return 0;
}

/* The next block begins a new file. */
static void file_forget(struct tl_sink *sink)
{
	tl_sink_close(sink);
	sink->made = sink->ended = sink->broken = false;
	sink->offset = sink->longest = sink->events = 0;
	sink->blocks = 0;
	tl_gzip_renew(&sink->gzip);
	output_tell_none(sink);
}

/* The file was removed: its events count as lost. */
static void file_lose(struct tl_sink *sink)
{
	sink->gone += sink->events;
	file_forget(sink);
}

static bool file_is_removed(const struct tl_sink *sink)
{
	struct stat stat;

	return sink->output.regular && !fstat(sink->fd, &stat) && !stat.st_nlink;
}

static int file_reopen(struct tl_sink *sink)
{
	int fd = tl_output_reopen(&sink->output);

	if (fd == -ENOENT)
		file_lose(sink);
	else if (fd == -ESTALE || fd == -ELOOP || fd == -TL_OUTPUT_LINK)
		tl_sink_leave(sink);
	else if (fd < 0)
		return -fd;
	sink->fd = fd < 0 ? -1 : fd;
	return 0;
}

int tl_sink_open(struct tl_sink *sink)
{
	int error = 0;

	if (sink->broken)
		tl_sink_leave(sink);
	if (sink->made && sink->fd < 0)
		error = file_reopen(sink);
	else if (sink->made && file_is_removed(sink))
		file_lose(sink);
	if (!error && !sink->made)
		error = file_make(sink);
	return error;
}

void tl_sink_close(struct tl_sink *sink)
{
	if (sink->fd >= 0)
		syscall(SYS_close, sink->fd);
	sink->fd = -1;
}

void tl_sink_leave(struct tl_sink *sink)
{
	file_forget(sink);
}

/* --- writing */

/* So many bytes at the front of the vector have been written. */
static void vector_advance(struct iovec **vector, unsigned *count, size_t done)
{
	while (*count && done >= (*vector)->iov_len) {
		done -= (*vector)->iov_len;
		++*vector;
		--*count;
	}
	if (done) {
		(*vector)->iov_base = (char *)(*vector)->iov_base + done;
		(*vector)->iov_len -= done;
	}
}

static int vector_write_at(const struct tl_sink *sink, struct iovec *vector, unsigned count)
{
	uint64_t at = sink->offset;
	int error = 0;

	vector_advance(&vector, &count, 0);
	while (count && !error) {
		long n = syscall(SYS_pwritev, sink->fd, vector, count, (unsigned long)at, 0ul);
		if (n > 0) {
			at += n;
			vector_advance(&vector, &count, n);
		} else if (n == 0) {
			error = EIO;
		} else if (errno != EINTR) {
			error = errno;
		}
		tl_bounded_lock_progress(sink->pen);
	}
	if (error && at > sink->offset && sink->output.regular)
		syscall(SYS_ftruncate, sink->fd, sink->offset);
	return error;
}

/* Writes to a pipe, whose reader may be slow. */
static int vector_write_stream(const struct tl_sink *sink, struct iovec *vector, unsigned count)
{
	int waited = 0;

	vector_advance(&vector, &count, 0);
	while (count) {
		long n = syscall(SYS_writev, sink->fd, vector, count);
		if (n > 0) {
			vector_advance(&vector, &count, n);
			tl_bounded_lock_progress(sink->pen);
			waited = 0;
		} else if (n < 0 && errno == EAGAIN && waited < PATIENCE_MS) {
			struct pollfd ready = {.fd = sink->fd, .events = POLLOUT};
			struct timespec slice = {.tv_nsec = SLICE_MS * 1000000l};
			waited += syscall(SYS_ppoll, &ready, 1, &slice, NULL, 8) ? 0 : SLICE_MS;
		} else if (n >= 0 || errno != EINTR) {
			return n < 0 ? errno : EIO;
		}
	}
	return 0;
}

static size_t vector_size(const struct iovec *vector, unsigned count)
{
	size_t size = 0;

	for (unsigned i = 0; i < count; i++)
		size += vector[i].iov_len;
	return size;
}

/* Compresses what of a block is text; `packed` is not. */
static void block_compress(struct tl_sink *sink, struct iovec *vector, unsigned count,
			   const struct tl_packed *packed)
{
	char *to = sink->packed;

	tl_gzip_pieces(&sink->gzip);
	for (unsigned i = 0; i < count; i++) {
		if (packed && vector[i].iov_base == packed->bytes) {
			tl_gzip_join(&sink->gzip, &packed++->piece);
			continue;
		}
		char *start = to;
		to += sink->offset || i ? 0 : tl_gzip_header(to);
		to += tl_gzip_add(&sink->gzip, to, vector[i].iov_base, vector[i].iov_len);
		vector[i] = (struct iovec){start, (size_t)(to - start)};
	}
}

static void end_compress(struct tl_sink *sink, struct iovec *vector)
{
	size_t header = sink->offset ? 0 : tl_gzip_header(sink->packed);
	size_t size =
		tl_gzip_end(&sink->gzip, sink->packed + header, vector->iov_base, vector->iov_len);

	vector->iov_base = sink->packed;
	vector->iov_len = header + size;
}

/* A part of a block that a pipe's reader has can't be taken back. */
static int block_write(struct tl_sink *sink, struct iovec *vector, unsigned count)
{
	int error;

	if (!sink->output.stream)
		return vector_write_at(sink, vector, count);
	error = vector_write_stream(sink, vector, count);
	sink->broken = error;
	return error;
}

uint64_t tl_sink_next_block(const struct tl_sink *sink)
{
	return sink->block + 1;
}

int tl_sink_put(struct tl_sink *sink, struct iovec *vector, unsigned count,
		const struct tl_packed *packed, uint64_t events, uint64_t dropped)
{
	uint64_t block = tl_sink_next_block(sink);

	if (sink->output.gzip)
		block_compress(sink, vector, count, packed);
	size_t size = vector_size(vector, count);
	const struct tl_output_slot slot = {
		.offset = sink->offset + size,
		.events = sink->events + events,
		.dropped = dropped,
		.crc = sink->gzip.next_crc,
		.size = sink->gzip.next_size,
		.blocks = sink->blocks + 1,
	};
	slot_fill(block, &slot);
	sink->ended = false;
	int error = block_write(sink, vector, count);
	if (error)
		return error;
	tl_gzip_keep(&sink->gzip);
	sink->offset = slot.offset;
	sink->events = slot.events;
	sink->blocks = slot.blocks;
	sink->longest = size > sink->longest ? size : sink->longest;
	block_commit(sink, block);
	return 0;
}

/* Takes away what an earlier, longer end left behind. Most files have none, and a cut takes long. */
static void file_cut(const struct tl_sink *sink, uint64_t size)
{
	if (syscall(SYS_lseek, sink->fd, 0, SEEK_END) != (long)size)
		syscall(SYS_ftruncate, sink->fd, size);
}

int tl_sink_end(struct tl_sink *sink, struct iovec *vector, unsigned count)
{
	if (sink->output.gzip)
		end_compress(sink, vector);
	size_t size = vector_size(vector, count);
	int error = block_write(sink, vector, count);
	if (!error && sink->output.regular)
		file_cut(sink, sink->offset + size);
	sink->ended = !error;
	return error;
}
