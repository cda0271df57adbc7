/* SPDX-License-Identifier: MIT */
/*
 * block_reader.c: see block_reader.h. The blocks are a ring. The caller holds the one that it took
 * last, and the thread fills the others. A file that is not compressed needs no thread: the kernel
 * reads ahead.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/basics/basics.h"
#include "cli/read/block_reader.h"

#define SLACK 16u /* bytes behind a block that may be looked at */

static ssize_t bytes_read(const struct block_reader *reader, unsigned char *to, int *error)
{
	ssize_t got;

	do {
		got = read(reader->descriptor, to, BLOCK_ROOM);
	} while (got < 0 && errno == EINTR);
	*error = got < 0 ? errno : 0;
	return got > 0 ? got : 0;
}

/* Inflates until there are bytes, or no more. */
static void block_inflate(struct block_reader *reader, struct block *block)
{
	while (!block->size && !block->is_last) {
		if (inflater_is_hungry(&reader->inflater)) {
			size_t got = (size_t)bytes_read(reader, reader->packed, &block->error);

			if (!got) {
				block->is_last = true;
				return;
			}
			inflater_feed(&reader->inflater, reader->packed, got);
		}
		block->is_damaged = !inflater_next(&reader->inflater, block->room + BLOCK_CARRY,
						   BLOCK_ROOM, &block->size, 0);
		block->is_last = block->is_damaged;
	}
}

static void block_fill(struct block_reader *reader, struct block *block)
{
	if (!block->room)
		block->room = need(malloc(BLOCK_CARRY + BLOCK_ROOM + SLACK));
	block->size = 0;
	block->is_last = block->is_damaged = false;
	block->error = 0;
	if (reader->packed) {
		block_inflate(reader, block);
	} else {
		block->size = (size_t)bytes_read(reader, block->room + BLOCK_CARRY, &block->error);
		block->is_last = !block->size;
	}
	memset(block->room + BLOCK_CARRY + block->size, 0, SLACK);
}

/* ---- ahead ---- */

static void *block_reader_main(void *context)
{
	struct block_reader *reader = context;
	bool ends = false;

	while (!ends) {
		pthread_mutex_lock(&reader->lock);
		while (!reader->stop && reader->filled - reader->taken == BLOCKS - 1)
			pthread_cond_wait(&reader->change, &reader->lock);
		ends = reader->stop;
		unsigned long next = reader->filled;
		pthread_mutex_unlock(&reader->lock);
		if (ends)
			break;
		struct block *block = &reader->blocks[next % BLOCKS];

		block_fill(reader, block);
		ends = block->is_last;
		pthread_mutex_lock(&reader->lock);
		reader->filled++;
		pthread_cond_signal(&reader->change);
		pthread_mutex_unlock(&reader->lock);
	}
	return NULL;
}

/* The block after the one that was taken last. */
static struct block *block_await(struct block_reader *reader)
{
	struct block *block = &reader->blocks[reader->taken % BLOCKS];

	if (!reader->is_ahead) {
		if (reader->filled == reader->taken) {
			block_fill(reader, block);
			reader->filled++;
		}
		return block;
	}
	pthread_mutex_lock(&reader->lock);
	while (reader->filled == reader->taken)
		pthread_cond_wait(&reader->change, &reader->lock);
	pthread_mutex_unlock(&reader->lock);
	return block;
}

static void block_take(struct block_reader *reader)
{
	if (reader->is_ahead)
		pthread_mutex_lock(&reader->lock);
	reader->taken++;
	if (reader->is_ahead) {
		pthread_cond_signal(&reader->change);
		pthread_mutex_unlock(&reader->lock);
	}
}

/* ---- what callers see ---- */

static void say_trouble(struct block_reader *reader, const struct block *block, unsigned long line)
{
	if (block->error == EISDIR)
		say("%s: it is a folder, and this needs a file; name a trace in it, or `tracelayer export %s -o all.json` makes one of its .tlt files",
		    reader->shown, reader->shown);
	else if (block->error)
		say("%s: cannot read: %s; give the path of a trace file", reader->shown,
		    strerror(block->error));
	else
		inflater_say(&reader->inflater, reader->shown, line);
}

bool block_next(struct block_reader *reader, unsigned char **at, unsigned char **end, size_t carry,
		bool *failed, unsigned long line)
{
	struct block *block = block_await(reader);
	unsigned char *first = block->room + BLOCK_CARRY;

	if (block->error || block->is_damaged) {
		if (!*failed)
			say_trouble(reader, block, line);
		*failed = true;
	}
	if (!block->size) {
		/* The last one is not taken: whoever asks again gets the same answer. */
		reader->cut = reader->packed && !*failed && !reader->inflater.is_whole;
		return false;
	}
	if (carry)
		memcpy(first - carry, *end - carry, carry);
	*at = first - carry;
	*end = first + block->size;
	if (!block->is_damaged)
		block_take(reader);
	else
		block->size = 0; /* and there is nothing behind it */
	return true;
}

/* A gzip file is known by its first bytes. They are in the first block then. */
static void block_reader_begin_gzip(struct block_reader *reader)
{
	struct block *first = &reader->blocks[0];

	reader->packed = first->room;
	inflater_start(&reader->inflater, NULL, INFLATER_GZIP);
	memmove(reader->packed, first->room + BLOCK_CARRY, first->size);
	inflater_feed(&reader->inflater, reader->packed, first->size);
	first->room = NULL;
	reader->filled = 0;
	pthread_mutex_init(&reader->lock, NULL);
	pthread_cond_init(&reader->change, NULL);
	reader->is_ahead = !pthread_create(&reader->thread, NULL, block_reader_main, reader);
}

void block_reader_start(struct block_reader *reader, int descriptor, const char *shown)
{
	*reader = (struct block_reader){.shown = shown, .descriptor = descriptor};
	const struct block *first = block_await(reader);
	const unsigned char *bytes = first->room + BLOCK_CARRY;

	if (first->size >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b)
		block_reader_begin_gzip(reader);
}

void block_reader_end(struct block_reader *reader)
{
	if (reader->is_ahead) {
		pthread_mutex_lock(&reader->lock);
		reader->stop = true;
		pthread_cond_signal(&reader->change);
		pthread_mutex_unlock(&reader->lock);
		pthread_join(reader->thread, NULL);
	}
	if (reader->packed)
		inflater_end(&reader->inflater);
	if (reader->descriptor != STDIN_FILENO)
		close(reader->descriptor);
	free(reader->packed);
	for (unsigned i = 0; i < BLOCKS; i++)
		free(reader->blocks[i].room);
}
