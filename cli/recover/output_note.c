/* SPDX-License-Identifier: MIT */
/*
 * output_note.c: see output_note.h.
 *
 * The note is the piece in which the process itself would have said what its file is
 * (format/file/trace_file.h). It counts while .made is 1, which is stored last.
 */
#include "config.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/recover/output_note.h"
#include "format/encode/formats.h"
#include "format/file/trace_file.h"

/* The buffers file once more, to write to it; -1: that can't be. */
static int leftover_open_again(const struct leftover *leftover)
{
	int fd = open(leftover->path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat now;

	if (fd >= 0 && (fstat(fd, &now) || !leftover_is_file(leftover, &now))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* When the process last wrote says whether the machine was started again since. */
static void leftover_close_again(int fd, const struct leftover *leftover)
{
	const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, leftover->stat.st_mtim};

	futimens(fd, times);
	close(fd);
}

static bool piece_store(int fd, uint64_t at, const void *bytes, size_t size)
{
	return pwrite(fd, bytes, size, (off_t)at) == (ssize_t)size;
}

static bool piece_store_made(int fd, uint64_t at, uint32_t made)
{
	return piece_store(fd, at + offsetof(struct tl_output_piece, made), &made, sizeof(made));
}

/* No block has reached the new file. */
static bool piece_forget_blocks(int fd, uint64_t at)
{
	const struct tl_output_slot none = {.offset = 0};
	const uint64_t block = 0;

	return piece_store(fd, at + offsetof(struct tl_output_piece, slots), &none, sizeof(none)) &&
	       piece_store(fd, at + offsetof(struct tl_output_piece, block), &block, sizeof(block));
}

static bool path_make_absolute(char *to, size_t room, const char *path)
{
	size_t size = 0;

	if (*path != '/') {
		if (!getcwd(to, room))
			return false;
		size = strlen(to);
		to[size++] = '/';
	}
	if (size + strlen(path) >= room)
		return false;
	strcpy(to + size, path);
	return true;
}

static bool piece_store_file(int fd, uint64_t at, const struct tl_output *to, uint32_t number)
{
	static struct tl_output_piece piece;
	const size_t first = offsetof(struct tl_output_piece, format),
		     end = offsetof(struct tl_output_piece, pattern);

	memset(&piece, 0, sizeof(piece));
	piece.format = tl_format_written(to->path)->number;
	piece.gzip = to->gzip;
	piece.number = number;
	piece.device = to->device;
	piece.inode = to->inode;
	return path_make_absolute(piece.path, sizeof(piece.path), to->path) &&
	       piece_store_made(fd, at, 0) &&
	       piece_store(fd, at + first, (const char *)&piece + first, end - first) &&
	       piece_store_made(fd, at, 1);
}

bool output_note_put(const struct leftover *leftover, const struct tl_trace_output *from,
		     const struct tl_output *to, bool anew)
{
	/* The process was killed between its file's first block and the note of its file. */
	if (!from->at || !to->regular || (from->slot.blocks && !anew))
		return false;
	int fd = leftover_open_again(leftover);
	bool noted = fd >= 0 && (!anew || piece_forget_blocks(fd, from->at)) &&
		     piece_store_file(fd, from->at, to, from->number);

	if (fd >= 0)
		leftover_close_again(fd, leftover);
	return noted;
}

void output_note_drop(const struct leftover *leftover, const struct tl_trace_output *from)
{
	int fd = leftover_open_again(leftover);

	if (fd < 0)
		return;
	piece_store_made(fd, from->at, 0);
	leftover_close_again(fd, leftover);
}
