/* SPDX-License-Identifier: MIT */
/*
 * temporary_file.c: see temporary_file.h.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/basics/basics.h"
#include "cli/read/temporary_file.h"

#define PIECE (64u << 10)

int spool_open(void)
{
	const char *const folders[] = {getenv("TMPDIR"), "/var/tmp", "/tmp"};
	int file = -1;

	for (size_t i = 0; file < 0 && i < sizeof(folders) / sizeof(*folders); i++)
		if (folders[i] && *folders[i])
			file = open(folders[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (file < 0)
		say("no temporary file: %s; have TMPDIR name a folder that can be written to",
		    strerror(errno));
	return file;
}

static void spool_say_failed(int error)
{
	say("cannot write a temporary file: %s; free some space, or have TMPDIR name another folder",
	    error ? strerror(error) : "not all was written");
}

bool spool_close(FILE *spool)
{
	bool whole = !ferror(spool);

	errno = 0; /* which an earlier failure may not have left */
	whole = !fclose(spool) && whole;
	if (!whole)
		spool_say_failed(errno);
	return whole;
}

bool spool_write(int spool, const unsigned char *bytes, size_t size)
{
	while (size) {
		ssize_t written = write(spool, bytes, size);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0) {
			spool_say_failed(errno);
			return false;
		}
		bytes += written;
		size -= (size_t)written;
	}
	return true;
}

void spool_show(int spool)
{
	progress_show("%.1f MB unpacked or read", (double)lseek(spool, 0, SEEK_CUR) / 1e6);
}

/* Prints why a read failed. Returns the read's result. */
static ssize_t read_checked(ssize_t got, const char *path)
{
	if (got < 0)
		say("%s: cannot read: %s; give the path of a trace file", path, strerror(errno));
	return got;
}

ssize_t file_read(int file, const char *path, void *to, size_t size, uint64_t offset)
{
	ssize_t got;

	do
		got = pread(file, to, size, (off_t)offset);
	while (got < 0 && errno == EINTR);
	return read_checked(got, path);
}

int spool_pipe(int file, const char *path)
{
	unsigned char *piece = need(malloc(PIECE));
	int spool = spool_open();
	bool sound = spool >= 0;
	ssize_t got;

	while (sound && (got = read(file, piece, PIECE))) {
		if (got < 0 && errno == EINTR)
			continue;
		spool_show(spool);
		sound = read_checked(got, path) > 0 && spool_write(spool, piece, (size_t)got);
	}
	free(piece);
	if (sound)
		return spool;
	if (spool >= 0)
		close(spool);
	return -1;
}
