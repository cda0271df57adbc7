/* SPDX-License-Identifier: MIT */
/*
 * rank_sum.c: see rank_sum.h.
 */
#include "config.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "cli/tally/rank_sum.h"

#define MAGIC	    "tlsum\0\0\2"
#define MAGIC_SIZE  8
#define HEAD	    (MAGIC_SIZE + 8)
#define FILE_MOST   (UINT32_C(1) << 30)
#define VARINT_MOST 10

void rank_sum_begin(struct rank_sum *sum, const char *host, int64_t rank)
{
	*sum = (struct rank_sum){.host = need(strdup(host)), .rank = rank};
}

void rank_sum_clear(struct rank_sum *sum)
{
	free(sum->host);
	names_free(&sum->names);
	tally_free(&sum->tally);
	free(sum->queues);
	*sum = (struct rank_sum){.rank = -1};
}

static void times_extend(struct rank_sum *to, int64_t begin, int64_t end)
{
	if (!begin && !end)
		return;
	if (!to->begin || begin < to->begin)
		to->begin = begin;
	if (end > to->end)
		to->end = end;
}

void rank_sum_merge(struct rank_sum *to, const struct rank_sum *from, bool queues)
{
	uint32_t *numbers = need(calloc(from->names.count + 1, sizeof(*numbers)));

	for (uint32_t i = 0; i < from->names.count; i++)
		numbers[i] = names_number(&to->names, from->names.list[i]);
	tally_merge(&to->tally, &from->tally, NULL, numbers);
	to->files += from->files;
	to->lost += from->lost;
	times_extend(to, from->begin, from->end);
	if (queues && from->nqueues) {
		to->queues = need(
			reallocarray(to->queues, to->nqueues + from->nqueues, sizeof(*to->queues)));
		for (uint32_t i = 0; i < from->nqueues; i++) {
			to->queues[to->nqueues] = from->queues[i];
			to->queues[to->nqueues].name = numbers[from->queues[i].name];
			to->queues[to->nqueues++].hardware = numbers[from->queues[i].hardware];
		}
	}
	free(numbers);
}

/* ---- writing ---- */

struct bytes {
	unsigned char *list;
	size_t count, room;
};

static void put_number(struct bytes *bytes, uint64_t number)
{
	if (bytes->room - bytes->count < VARINT_MOST) {
		bytes->room = bytes->room ? 2 * bytes->room : 4096;
		bytes->list = need(realloc(bytes->list, bytes->room));
	}
	for (; number > 127; number >>= 7)
		bytes->list[bytes->count++] = (unsigned char)(number | 128);
	bytes->list[bytes->count++] = (unsigned char)number;
}

static void put_signed(struct bytes *bytes, int64_t number)
{
	put_number(bytes, (uint64_t)number << 1 ^ (uint64_t)(number >> 63));
}

static void put_text(struct bytes *bytes, const char *text)
{
	size_t size = strlen(text);

	put_number(bytes, size);
	while (bytes->room - bytes->count < size) {
		bytes->room = bytes->room ? 2 * bytes->room : 4096;
		bytes->list = need(realloc(bytes->list, bytes->room));
	}
	memcpy(bytes->list + bytes->count, text, size);
	bytes->count += size;
}

/* Places that have numbers, each as its distance from the last one and its count; then a 0. */
static void put_places(struct bytes *bytes, const struct histogram *times)
{
	unsigned last = 0;

	for (unsigned row = 0; row < HISTOGRAM_ROWS; row++)
		for (unsigned place = 0; times->rows[row] && place < HISTOGRAM_PLACES; place++) {
			unsigned at = row * HISTOGRAM_PLACES + place + 1;

			if (!times->rows[row][place])
				continue;
			put_number(bytes, at - last);
			put_number(bytes, times->rows[row][place]);
			last = at;
		}
	put_number(bytes, 0);
}

static void put_row(struct bytes *bytes, const struct tally_row *row, bool histogram)
{
	uint64_t best;

	memcpy(&best, &row->best, sizeof(best));
	put_number(bytes, row->kind);
	put_number(bytes, row->name);
	put_number(bytes, (uint64_t)row->failed);
	put_number(bytes, (uint64_t)row->bytes);
	put_number(bytes, (uint64_t)row->bytes_time);
	put_number(bytes, best);
	put_number(bytes, (uint64_t)row->times.count);
	put_number(bytes, (uint64_t)row->times.sum);
	put_number(bytes, (uint64_t)row->times.min);
	put_number(bytes, (uint64_t)row->times.max);
	if (histogram)
		put_places(bytes, &row->times);
	else
		put_number(bytes, 0);
}

static void put_sum(struct bytes *bytes, const struct rank_sum *sum, bool histograms)
{
	put_text(bytes, sum->host);
	put_signed(bytes, sum->rank);
	put_number(bytes, sum->files);
	put_signed(bytes, sum->begin);
	put_signed(bytes, sum->end);
	put_number(bytes, sum->lost);
	put_number(bytes, sum->names.count);
	for (uint32_t i = 0; i < sum->names.count; i++)
		put_text(bytes, sum->names.list[i]);
	put_number(bytes, sum->tally.nrows);
	for (uint32_t i = 0; i < sum->tally.nrows; i++)
		put_row(bytes, &sum->tally.rows[i], histograms);
	put_number(bytes, sum->nqueues);
	for (uint32_t i = 0; i < sum->nqueues; i++) {
		put_number(bytes, sum->queues[i].name);
		put_number(bytes, sum->queues[i].hardware);
		put_number(bytes, (uint64_t)sum->queues[i].commands);
		put_number(bytes, (uint64_t)sum->queues[i].busy);
		put_number(bytes, (uint64_t)sum->queues[i].span);
	}
}

static int write_all(int fd, const void *bytes, size_t size)
{
	const char *at = bytes;

	while (size) {
		ssize_t written = write(fd, at, size);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return errno;
		at += written;
		size -= (size_t)written;
	}
	return 0;
}

static int payload_write(int fd, const struct bytes *bytes)
{
	unsigned char head[HEAD];
	uint32_t size = htole32((uint32_t)bytes->count),
		 crc = htole32((uint32_t)crc32(0, bytes->list, (uInt)bytes->count));

	memcpy(head, MAGIC, MAGIC_SIZE);
	memcpy(head + MAGIC_SIZE, &size, 4);
	memcpy(head + MAGIC_SIZE + 4, &crc, 4);
	int error = write_all(fd, head, sizeof(head));

	return error ? error : write_all(fd, bytes->list, bytes->count);
}

int rank_sums_put(int fd, const struct rank_sum *sums, size_t count, bool histograms)
{
	struct bytes bytes = {0};

	put_number(&bytes, count);
	for (size_t i = 0; i < count; i++)
		put_sum(&bytes, &sums[i], histograms || !i);
	int error = bytes.count < FILE_MOST ? payload_write(fd, &bytes) : EFBIG;

	free(bytes.list);
	return error;
}

int rank_sums_write(const char *path, const struct rank_sum *sums, size_t count, bool histograms)
{
	char *temporary;

	if (asprintf(&temporary, "%s.XXXXXX", path) < 0)
		need(NULL);
	int fd = mkostemp(temporary, O_CLOEXEC), error = fd < 0 ? errno : 0;

	if (!error)
		error = rank_sums_put(fd, sums, count, histograms);
	if (fd >= 0 && close(fd) && !error)
		error = errno;
	if (!error && rename(temporary, path))
		error = errno;
	if (error && fd >= 0)
		unlink(temporary);
	free(temporary);
	return error;
}

/* ---- reading ---- */

struct input {
	const unsigned char *at, *end;
	bool bad;
};

static uint64_t take_number(struct input *input)
{
	uint64_t number = 0;

	for (unsigned shift = 0; shift < 64 && input->at < input->end; shift += 7) {
		unsigned char byte = *input->at++;

		number |= (uint64_t)(byte & 127) << shift;
		if (!(byte & 128))
			return number;
	}
	input->bad = true;
	return 0;
}

static int64_t take_signed(struct input *input)
{
	uint64_t number = take_number(input);

	return (int64_t)(number >> 1 ^ -(number & 1));
}

/* A count or a time: not negative. */
static int64_t take_amount(struct input *input)
{
	uint64_t number = take_number(input);

	input->bad |= number > INT64_MAX;
	return number > INT64_MAX ? 0 : (int64_t)number;
}

/* A count of what follows, each at least a byte. */
static uint32_t take_count(struct input *input)
{
	uint64_t number = take_number(input);

	if (number > (uint64_t)(input->end - input->at)) {
		input->bad = true;
		return 0;
	}
	return (uint32_t)number;
}

static char *take_text(struct input *input)
{
	uint32_t size = take_count(input);
	char *text = need(strndup((const char *)input->at, size));

	input->at += size;
	return text;
}

static void take_places(struct input *input, struct histogram *times)
{
	uint64_t at = 0, step;

	while ((step = take_number(input)) && !input->bad) {
		at = step > HISTOGRAM_ROWS * HISTOGRAM_PLACES ? UINT32_MAX : at + step;
		if (at > HISTOGRAM_ROWS * HISTOGRAM_PLACES) {
			input->bad = true;
			return;
		}
		histogram_add_place(times, (unsigned)(at - 1) / HISTOGRAM_PLACES,
				    (unsigned)(at - 1) % HISTOGRAM_PLACES,
				    (uint64_t)take_amount(input));
	}
}

static void take_row(struct input *input, struct rank_sum *sum, const uint32_t *numbers,
		     uint32_t count)
{
	uint64_t kind = take_number(input), name = take_number(input), best;

	if (kind >= TALLY_KINDS || name >= count) {
		input->bad = true;
		return;
	}
	struct tally_row *row = tally_row(&sum->tally, (enum tally_kind)kind, 0, numbers[name]);

	row->failed = take_amount(input);
	row->bytes = take_amount(input);
	row->bytes_time = take_amount(input);
	best = take_number(input);
	memcpy(&row->best, &best, sizeof(best));
	input->bad |= !(row->best >= 0 && row->best < 1e18);
	row->times.count = take_amount(input);
	row->times.sum = take_amount(input);
	row->times.min = take_amount(input);
	row->times.max = take_amount(input);
	take_places(input, &row->times);
}

static void take_queue(struct input *input, struct rank_sum *sum, const uint32_t *numbers,
		       uint32_t count)
{
	uint64_t name = take_number(input), hardware = take_number(input);
	struct queue_sum queue = {.commands = take_amount(input)};

	queue.busy = take_amount(input);
	queue.span = take_amount(input);
	if (name >= count || hardware >= count) {
		input->bad = true;
		return;
	}
	queue.name = numbers[name];
	queue.hardware = numbers[hardware];
	sum->queues[sum->nqueues++] = queue;
}

static void take_sum(struct input *input, struct rank_sum *sum)
{
	*sum = (struct rank_sum){.host = take_text(input)};
	sum->rank = take_signed(input);
	input->bad |= sum->rank < -1;
	sum->files = (uint32_t)take_amount(input);
	sum->begin = take_signed(input);
	sum->end = take_signed(input);
	sum->lost = (uint64_t)take_amount(input);
	uint32_t count = take_count(input);
	uint32_t *numbers = need(calloc((size_t)count + 1, sizeof(*numbers)));

	for (uint32_t i = 0; i < count && !input->bad; i++) {
		char *name = take_text(input);
		numbers[i] = names_number(&sum->names, name);
		free(name);
	}
	uint32_t rows = take_count(input);
	for (uint32_t i = 0; i < rows && !input->bad; i++)
		take_row(input, sum, numbers, count);
	uint32_t queues = take_count(input);
	sum->queues = need(calloc((size_t)queues + 1, sizeof(*sum->queues)));
	for (uint32_t i = 0; i < queues && !input->bad; i++)
		take_queue(input, sum, numbers, count);
	free(numbers);
}

static bool sum_refuse(char *why, size_t room, const char *what)
{
	snprintf(why, room, "%s", what);
	return false;
}

/* All are checked before the first is given out. */
static bool payload_decode(struct input input, rank_sum_taker each, void *user)
{
	uint32_t count = take_count(&input);

	for (uint32_t i = 0; i < count && !input.bad; i++) {
		struct rank_sum sum;

		take_sum(&input, &sum);
		if (each && !input.bad)
			each(user, &sum);
		rank_sum_clear(&sum);
	}
	return !input.bad && input.at == input.end;
}

bool rank_sums_decode(const unsigned char *bytes, size_t size, rank_sum_taker each, void *user,
		      char *why, size_t room)
{
	uint32_t length, crc;

	if (size < HEAD || memcmp(bytes, MAGIC, MAGIC_SIZE - 1))
		return sum_refuse(why, room, "it is no sum of a rank");
	if (bytes[MAGIC_SIZE - 1] != MAGIC[MAGIC_SIZE - 1])
		return sum_refuse(why, room, "it is of another version of tracelayer");
	memcpy(&length, bytes + MAGIC_SIZE, 4);
	memcpy(&crc, bytes + MAGIC_SIZE + 4, 4);
	if (le32toh(length) != size - HEAD)
		return sum_refuse(why, room, "it is cut short");
	if (le32toh(crc) != (uint32_t)crc32(0, bytes + HEAD, (uInt)(size - HEAD)))
		return sum_refuse(why, room, "it is damaged");
	struct input input = {.at = bytes + HEAD, .end = bytes + size};

	/* A file whose checksum is right was written by rank_sums_write, or to make trouble. */
	if (!payload_decode(input, NULL, NULL))
		return sum_refuse(why, room, "it is damaged");
	return payload_decode(input, each, user);
}

bool rank_sums_is(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char magic[MAGIC_SIZE];
	ssize_t size = fd < 0 ? -1 : pread(fd, magic, sizeof(magic), 0);

	if (fd >= 0)
		close(fd);
	return size == MAGIC_SIZE && !memcmp(magic, MAGIC, MAGIC_SIZE - 1);
}

bool rank_sums_read(const char *path, rank_sum_taker each, void *user, char *why, size_t room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	unsigned char *bytes = NULL;
	struct stat about;
	bool read_all = false;
	ssize_t size = 0;

	if (fd < 0)
		return sum_refuse(why, room, strerror(errno));
	if (fstat(fd, &about) || !S_ISREG(about.st_mode) || about.st_size > (off_t)FILE_MOST) {
		close(fd);
		return sum_refuse(why, room, "it is no sum of a rank");
	}
	bytes = need(malloc((size_t)about.st_size + 1));
	while (size < about.st_size) {
		ssize_t got = read(fd, bytes + size, (size_t)(about.st_size - size));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		size += got;
	}
	close(fd);
	if (size < about.st_size)
		sum_refuse(why, room, "it can't be read");
	else
		read_all = rank_sums_decode(bytes, (size_t)size, each, user, why, room);
	free(bytes);
	return read_all;
}
