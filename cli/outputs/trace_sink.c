/* SPDX-License-Identifier: MIT */
/*
 * trace_sink.c: see trace_sink.h. The layer's writer does the same inside a traced process, without
 * an allocator (layer/write/writer_drain.c).
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/basics/basics.h"
#include "cli/leftovers/leftovers.h"
#include "cli/outputs/trace_encoder.h"
#include "cli/outputs/trace_sink.h"

/*
 * How long a file may stay open for writing after its process ended: the kernel closes descriptors
 * after it frees memory.
 */
#define BUSY_MS 1000

/* ---- the file ---- */

static int bytes_write_at(int fd, const char *bytes, size_t size, uint64_t offset)
{
	for (size_t done = 0; done < size;) {
		ssize_t n = pwrite(fd, bytes + done, size - done, (off_t)(offset + done));
		if (n > 0)
			done += (size_t)n;
		else if (n == 0)
			return EIO;
		else if (errno != EINTR)
			return errno;
	}
	return 0;
}

/* Cuts the file at this offset. /dev/null and the like need no cutting. */
static void sink_cut(const struct trace_sink *sink, uint64_t size)
{
	if (sink->output.regular && ftruncate(sink->fd, (off_t)size))
		return;
}

static void start_block(struct trace_sink *sink)
{
	sink->text = (struct tl_text){sink->block, sink->block + TRACE_SINK_TEXT, false};
	sink->maker->block(sink);
}

/* The bytes of the block that go to the file. `last`: it is the end of the file. */
static const char *sink_pack(struct trace_sink *sink, size_t *size, bool last)
{
	size_t plain = (size_t)(sink->text.at - sink->block);
	size_t header = 0;

	*size = plain;
	if (!sink->output.gzip)
		return sink->block;
	if (!sink->blocks)
		header = tl_gzip_header(sink->packed);
	*size = header + (last ? tl_gzip_end : tl_gzip_block)(&sink->gzip, sink->packed + header,
							      sink->block, plain);
	return sink->packed;
}

static void flush_block(struct trace_sink *sink)
{
	size_t size;
	const char *bytes =
		sink->error || sink->text.at == sink->block ? NULL : sink_pack(sink, &size, false);

	if (bytes)
		sink->error = bytes_write_at(sink->fd, bytes, size, sink->offset);
	if (bytes && !sink->error) {
		sink->offset += size;
		sink->blocks++;
		tl_gzip_keep(&sink->gzip);
		sink->maker->kept(sink);
	}
	start_block(sink);
}

/* ---- opening ---- */

static void sink_start(struct trace_sink *sink, struct tl_trace *trace)
{
	const struct tl_format *format = tl_format_written(sink->output.path);

	sink->trace = trace;
	sink->maker = format == &tl_format_tlt ? &record_pieces : &encoded_pieces;
	sink->block = need(malloc(TRACE_SINK_TEXT));
	sink->maker->start(sink, format);
	if (sink->output.gzip) {
		sink->packed = need(malloc(tl_gzip_bound(TRACE_SINK_TEXT)));
		sink->gzip_memory = need(malloc(TL_GZIP_MEMORY));
		tl_gzip_start(&sink->gzip, sink->gzip_memory);
	}
	start_block(sink);
}

static void sink_reset(struct trace_sink *sink)
{
	memset(sink, 0, sizeof(*sink));
	sink->fd = -1;
}

int trace_sink_create(struct trace_sink *sink, const char *path, struct tl_trace *trace)
{
	sink_reset(sink);
	if (strlen(path) >= sizeof(sink->output.path))
		return ENAMETOOLONG;
	strcpy(sink->output.path, path);
	sink->fd = tl_output_create(&sink->output);
	if (sink->fd < 0)
		return -sink->fd;
	sink->fresh = true;
	sink_start(sink, trace);
	return 0;
}

static bool file_is_busy(int fd)
{
	for (int waited = 0; leftover_unwritten(fd) == 0; waited += 10) {
		if (waited >= BUSY_MS)
			return true;
		nanosleep(&(struct timespec){0, 10000000}, NULL);
	}
	return false;
}

/*
 * Checks that no other process writes the file, and that it has all blocks. This needs read
 * permission; without it the check fails.
 */
static int output_inspect(const struct tl_output *output, const struct tl_trace_output *from)
{
	int fd = open(output->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	struct stat stat;
	int error = 0;

	if (fd < 0)
		return errno;
	if (fstat(fd, &stat) || stat.st_dev != output->device || stat.st_ino != output->inode)
		error = ESTALE;
	else if (!S_ISREG(stat.st_mode) && !S_ISCHR(stat.st_mode))
		error = ESPIPE;
	else if (S_ISREG(stat.st_mode) && file_is_busy(fd))
		error = EBUSY;
	else if (S_ISREG(stat.st_mode) && (uint64_t)stat.st_size < from->slot.offset)
		error = EINVAL;
	close(fd);
	return error;
}

static void output_describe(struct tl_output *output, const struct tl_trace_output *from)
{
	memcpy(output->path, from->path, sizeof(output->path));
	output->device = from->device;
	output->inode = from->inode;
	output->gzip = from->gzip;
}

/* Sets the sink as if it had written what is in the file. */
static void sink_take_over(struct trace_sink *sink, const struct tl_output_slot *from)
{
	sink->before = *from;
	sink->offset = from->offset;
	sink->blocks = from->blocks;
	sink->events = from->events;
	sink->gzip.crc = from->crc;
	sink->gzip.size = from->size;
}

int trace_sink_continue(struct trace_sink *sink, const struct tl_trace_output *from,
			struct tl_trace *trace)
{
	struct stat stat;

	sink_reset(sink);
	if (tl_format_written(from->path)->number != from->format)
		return ENOTSUP;
	output_describe(&sink->output, from);
	int error = output_inspect(&sink->output, from);

	if (error)
		return error;
	sink->fd = tl_output_reopen(&sink->output);
	if (sink->fd < 0)
		return -sink->fd;
	sink->output.regular = !fstat(sink->fd, &stat) && S_ISREG(stat.st_mode);
	sink_start(sink, trace);
	sink_take_over(sink, &from->slot);
	return 0;
}

static bool is_packed(const char *path)
{
	size_t size = strlen(path);

	return size >= 3 && !strcmp(path + size - 3, ".gz");
}

bool trace_sink_adopt(struct trace_sink *sink, const char *path, uint64_t since,
		      struct tl_trace *trace)
{
	struct tl_trace_output *from = need(calloc(1, sizeof(*from)));
	struct stat stat;
	bool adopted = false;

	if (strlen(path) < sizeof(from->path) && !lstat(path, &stat) && S_ISREG(stat.st_mode) &&
	    !stat.st_size && stat.st_uid == geteuid() && (uint64_t)stat.st_ctim.tv_sec >= since) {
		strcpy(from->path, path);
		from->format = tl_format_written(path)->number;
		from->gzip = is_packed(path);
		from->device = stat.st_dev;
		from->inode = stat.st_ino;
		adopted = !trace_sink_continue(sink, from, trace);
	}
	free(from);
	return adopted;
}

static int copy_bytes(int from, int to, uint64_t size)
{
	static char bytes[256 * 1024];

	for (uint64_t done = 0; done < size;) {
		size_t wanted = size - done < sizeof(bytes) ? (size_t)(size - done) : sizeof(bytes);
		ssize_t n = pread(from, bytes, wanted, (off_t)done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? errno : EINVAL;
		int error = bytes_write_at(to, bytes, (size_t)n, done);
		if (error)
			return error;
		done += (uint64_t)n;
	}
	return 0;
}

int trace_sink_copy(struct trace_sink *sink, const char *path, const struct tl_trace_output *from,
		    struct tl_trace *trace)
{
	struct tl_output *original = need(calloc(1, sizeof(*original)));

	sink_reset(sink);
	output_describe(original, from);
	int error = tl_format_written(path)->number == from->format && is_packed(path) == from->gzip
			    ? output_inspect(original, from)
			    : ENOTSUP;

	if (!error)
		error = trace_sink_create(sink, path, trace);
	if (!error) {
		int fd = open(original->path,
			      O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
		sink->error = fd < 0 ? errno : copy_bytes(fd, sink->fd, from->slot.offset);
		if (fd >= 0)
			close(fd);
		sink_take_over(sink, &from->slot);
	}
	free(original);
	return error;
}

/* ---- what goes there ---- */

static bool sink_is_empty(const struct trace_sink *sink)
{
	return !sink->blocks && sink->text.at == sink->block;
}

void trace_sink_make_room(struct trace_sink *sink)
{
	if ((size_t)(sink->text.at - sink->block) >= TRACE_SINK_BLOCK)
		flush_block(sink);
}

void trace_sink_begin(struct trace_sink *sink)
{
	sink->maker->begin(sink, sink_is_empty(sink));
}

struct trace_sink_taken trace_sink_lane(struct trace_sink *sink, size_t lane, uint64_t end)
{
	struct trace_sink_taken taken = sink->maker->lane(sink, &sink->trace->lanes[lane], end);

	sink->events += taken.events + sink->trace->lanes[lane].nopens;
	return taken;
}

/* ---- the end ---- */

static int sink_write_end(struct trace_sink *sink, struct tl_totals *totals)
{
	size_t size;

	totals->events = sink->events;
	sink->maker->end(sink, totals);
	const char *bytes = sink_pack(sink, &size, true);
	int error = bytes_write_at(sink->fd, bytes, size, sink->offset);

	if (!error)
		sink_cut(sink, sink->offset + size);
	return error;
}

/* Removes the file that the sink made, but not another one that has its name now. */
static void remove_fresh(const struct trace_sink *sink)
{
	char name[NAME_MAX + 1];
	int folder = tl_output_folder(sink->output.path, name);
	struct stat stat;

	if (folder < 0)
		return;
	if (!fstatat(folder, name, &stat, AT_SYMLINK_NOFOLLOW) &&
	    stat.st_dev == sink->output.device && stat.st_ino == sink->output.inode)
		unlinkat(folder, name, 0);
	close(folder);
}

/*
 * Restores the file as it was, with an end if there is room. Cutting first makes room. The end
 * counts what the file lacks now as lost.
 */
static void sink_give_up(struct trace_sink *sink, struct tl_totals *totals)
{
	if (sink->fresh && sink->output.regular) {
		remove_fresh(sink);
		return;
	}
	const struct tl_output_slot before = sink->before;

	totals->lost += sink->events - before.events;
	sink_take_over(sink, &before);
	sink_cut(sink, sink->offset);
	start_block(sink);
	if (sink->blocks && sink_write_end(sink, totals))
		sink_cut(sink, sink->offset);
}

int trace_sink_end(struct trace_sink *sink, uint64_t last, struct tl_totals *totals)
{
	sink->last = last;
	sink->maker->close(sink);
	flush_block(sink);
	if (!sink->error)
		sink->error = sink_write_end(sink, totals);
	if (sink->error)
		sink_give_up(sink, totals);
	return sink->error;
}

void trace_sink_close(struct trace_sink *sink)
{
	if (sink->fd >= 0)
		close(sink->fd);
	free(sink->block);
	free(sink->packed);
	free(sink->gzip_memory);
	trace_encoder_end(&sink->encoder);
	sink_reset(sink);
}
