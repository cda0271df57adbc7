/* SPDX-License-Identifier: MIT */
/*
 * record_reader.c: see record_reader.h: opening a file in the record format, visiting its pieces,
 * and closing it. trace_inside.h says which file does the rest.
 */
#include "format/file/trace_inside.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/file/describe.h"

/* --- pieces */

static bool bytes_are_zero(const char *bytes, uint64_t size)
{
	return !size || (!bytes[0] && !memcmp(bytes, bytes + 1, size - 1));
}

static bool piece_has_head(const struct trace *trace, uint64_t at, struct tl_piece *piece)
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

	return piece_has_head(trace, at, piece) && piece->size >= sizeof(*piece) &&
	       piece->size <= trace->size - at && piece->size % unit == 0;
}

/*
 * The first place with data, from `at` on. Holes are skipped without reading them: reading a page
 * of a hole takes time, and in a file in memory it allocates the page.
 */
static uint64_t file_behind_hole(const struct trace *trace, uint64_t at)
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
static uint64_t piece_next(const struct trace *trace, uint64_t at)
{
	struct tl_piece piece;

	for (at = file_behind_hole(trace, at); at < trace->size;
	     at = file_behind_hole(trace, at + trace->seen.header.alignment))
		if (piece_has_head(trace, at, &piece))
			return at;
	return trace->size;
}

static void piece_read(struct trace *trace, uint64_t at, uint32_t kind, uint64_t size)
{
	const char *piece = trace->bytes + at;

	switch (kind) {
	case TL_PIECE_FACTS:
		tl_reader_facts(trace, piece, size);
		break;
	case TL_PIECE_OUTPUT:
		tl_reader_output(trace, piece, size);
		break;
	case TL_PIECE_CLOCK:
		tl_reader_clock(trace, piece, size);
		break;
	case TL_PIECE_API:
		tl_reader_api(trace, piece, size);
		break;
	case TL_PIECE_THREAD:
		tl_reader_thread(trace, piece, size);
		break;
	case TL_PIECE_CHUNK:
		tl_reader_chunk(trace, piece, size);
		break;
	case TL_PIECE_END:
		tl_reader_end(trace, piece, size);
		break;
	case TL_PIECE_STRINGS:
		tl_reader_texts(trace, piece, size);
		break;
	case TL_PIECE_LANES:
		tl_reader_named_lanes(trace, piece, size);
		break;
	default:
		break;
	}
}

#define RELEASED_AT_ONCE (UINT64_C(8) << 20)

/*
 * In buffers a piece may be missing, and the pieces behind it are found. In a spool, piece follows
 * piece.
 */
static void pieces_read(struct trace *trace)
{
	uint64_t at = trace->seen.header.header_size, released = 0;
	bool is_spool = trace->seen.header.kind == TL_FILE_SPOOL;
	struct tl_piece piece;

	while (at < trace->size && !trace->failed) {
		if (at - released > RELEASED_AT_ONCE) {
			tl_reader_release(trace, released, at);
			released = at;
		}
		if (is_sound_piece(trace, at, &piece)) {
			piece_read(trace, at, piece.kind, piece.size);
			at += piece.size;
			continue;
		}
		/*
		 * A piece with a wrong size ends where the next one begins. Of a file that was cut,
		 * it is the last.
		 */
		bool begun = piece_has_head(trace, at, &piece);
		uint64_t next = piece_next(trace, at + trace->seen.header.alignment);
		if (begun) {
			problem(trace, "byte %llu: a piece of %llu bytes, of which %llu are there",
				(unsigned long long)at, (unsigned long long)piece.size,
				(unsigned long long)(next - at));
			piece_read(trace, at, piece.kind, next - at);
		} else if (is_spool) {
			problem(trace, "byte %llu: %llu bytes that are no piece",
				(unsigned long long)at, (unsigned long long)(next - at));
		} else if (at + sizeof(piece) <= trace->size &&
			   !bytes_are_zero(trace->bytes + at + offsetof(struct tl_piece, magic),
					   sizeof(piece.magic))) {
			/* A process that is killed while it makes a piece stores no magic. */
			problem(trace, "byte %llu: no piece begins here", (unsigned long long)at);
		}
		at = next;
	}
}

/* --- opening and closing */

#define CUT	    "it ends within its header, so it is a part of a file"
#define HEADER_MOST (1u << 20) /* bytes */

static const char *header_fault(const struct trace *trace)
{
	const struct tl_file_header *header = &trace->seen.header;

	if (bytes_are_zero(header->magic, sizeof(header->magic)))
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
	if (header->header_size < sizeof(*header) || header->header_size % 8 ||
	    header->header_size > HEADER_MOST)
		return "its beginning is damaged";
	if (header->header_size > trace->size)
		return CUT;
	if (header->alignment < 8 || header->alignment > 1u << 20 ||
	    header->alignment & (header->alignment - 1) || header->header_size % header->alignment)
		return "its beginning is damaged";
	return NULL;
}

static struct tl_trace *trace_read(struct trace *trace, char *why, size_t room)
{
	const char *fault = "it is not in the record format";

	if (trace->size >= sizeof(trace->seen.header)) {
		memcpy((void *)&trace->seen.header, trace->bytes, sizeof(trace->seen.header));
		fault = header_fault(trace);
	} else if (trace->size >= sizeof(trace->seen.header.magic) &&
		   !memcmp(trace->bytes, TL_FILE_MAGIC, sizeof(trace->seen.header.magic))) {
		fault = CUT;
	}
	trace->seen.header.boot[sizeof(trace->seen.header.boot) - 1] = 0;
	trace->seen.header.session[sizeof(trace->seen.header.session) - 1] = 0;
	if (!fault) {
		if (trace->seen.header.kind == TL_FILE_BUFFERS)
			trace->seen.resumed = trace->seen.header.resumed;
		pieces_read(trace);
		if (!trace->failed)
			tl_reader_finish(trace);
		if (!trace->failed)
			tl_reader_find_spans(trace);
		fault = trace->failed ? "there is not enough memory for it" : NULL;
	}
	trace->fd = -1;
	if (!fault)
		return &trace->seen;
	snprintf(why, room, "%s", fault);
	tl_trace_close(&trace->seen);
	return NULL;
}

static struct trace *trace_new(char *why, size_t room)
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
	struct trace *trace = trace_new(why, room);

	if (!trace)
		return NULL;
	trace->bytes = bytes;
	trace->size = size;
	return trace_read(trace, why, room);
}

/* Read a pipe to its end. */
static bool file_read(struct trace *trace, int fd)
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

static bool file_map(struct trace *trace, int fd, uint64_t size)
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
	struct trace *trace = trace_new(why, room);
	struct stat about;

	if (!trace)
		return NULL;
	if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0
		    ? file_map(trace, fd, (uint64_t)about.st_size)
		    : file_read(trace, fd))
		return trace_read(trace, why, room);
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
