/* SPDX-License-Identifier: MIT */
/*
 * timeline_tar.c: a .pftrace for each rank, and Perfetto's manifest, in one archive.
 *
 *	{"perfetto_manifest": {"version": 1,
 *	 "trace_time": {"clock": "MONOTONIC", "file": "nodea/0.pftrace"},
 *	 "files": [{"path": "nodea/0.pftrace", "machine": {"name": "rank 0 nodea"}},
 *	           {"path": "nodeb/1.pftrace", "machine": {"name": "rank 1 nodeb"},
 *	            "clocks": {"clock": "MONOTONIC", "sync_to": {"file": "nodea/0.pftrace",
 *	                       "clock": "MONOTONIC"}, "offset_ns": 12}}]}}
 *
 * See https://perfetto.dev/docs/reference/perfetto-manifest. Each file keeps its own clock, and the
 * manifest relates it to that of the first file. Files of one machine's name are taken for one set
 * of processes, so each file has a machine of its own.
 */
#include "config.h"

#include <errno.h>

#include "cli/basics/basics.h"
#include "cli/export/export_timeline.h"

#if !HAVE_JANSSON

bool timeline_tar_is_there(const char *path)
{
	say_without_json(path);
	return false;
}

bool timeline_write_tar(struct timeline *timeline, int fd, const char *where)
{
	(void)timeline, (void)fd, (void)where;
	errno = ENOTSUP;
	return false;
}

#else

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/export/tar_file.h"
#include "cli/read/read.h"

#define MANIFEST "perfetto_manifest.json"

/* A file of the archive: processes [first, last). */
struct member {
	size_t first, last;
	char path[TAR_NAME];
	char machine[200];
};

struct archive {
	struct timeline *timeline;
	struct timeline_stream stream;
	struct member *members;
	size_t count;
	uint64_t modified;
};

/* --- which files there are */

/* A host's name as a folder's. */
static void host_put(char *to, size_t room, const char *host)
{
	snprintf(to, room, "%.60s", *host ? host : "unknown");
	for (char *at = to; *at; at++)
		if (*at == '/' || (unsigned char)*at < ' ')
			*at = '_';
	if (*to == '.')
		*to = '_';
}

static void member_name(struct member *member, const struct timeline_process *process,
			unsigned number)
{
	char host[64], more[16] = "";

	host_put(host, sizeof(host), process->host);
	if (number)
		snprintf(more, sizeof(more), ".%u", number);
	if (process->has_rank) {
		snprintf(member->path, sizeof(member->path), "%s/%lld%s.pftrace", host,
			 (long long)process->rank, more);
		snprintf(member->machine, sizeof(member->machine), "rank %lld %s%s",
			 (long long)process->rank, host, more);
		return;
	}
	snprintf(member->path, sizeof(member->path), "%s/none.%u%s.pftrace", host, process->pid,
		 more);
	snprintf(member->machine, sizeof(member->machine), "%.80s %u %s%s", process->program,
		 process->pid, host, more);
}

static bool is_of_rank(const struct timeline_process *process, const struct timeline_process *first)
{
	return process->has_rank && first->has_rank && process->rank == first->rank &&
	       !strcmp(process->host, first->host);
}

static void find_members(struct archive *archive)
{
	const struct timeline_inputs *inputs = &archive->timeline->inputs;
	struct names names = {0};

	archive->members = need(calloc(inputs->count, sizeof(*archive->members)));
	for (size_t i = 0, next; i < inputs->count; i = next) {
		struct member *member = &archive->members[archive->count++];
		uint32_t known;

		for (next = i + 1; next < inputs->count; next++)
			if (!is_of_rank(&inputs->list[next], &inputs->list[i]))
				break;
		member->first = i;
		member->last = next;
		unsigned number = 0;
		do {
			known = names.count;
			member_name(member, &inputs->list[i], number++);
		} while (names_number(&names, member->path) < known);
	}
	names_free(&names);
}

/* --- the manifest */

static int64_t member_shift(const struct archive *archive, const struct member *member)
{
	return archive->timeline->inputs.list[member->first].shift;
}

/* The file whose clock is the output's: that of the machine that was started first. */
static const struct member *member_of_clock(const struct archive *archive)
{
	const struct member *least = archive->members;

	for (size_t i = 1; i < archive->count; i++)
		if (member_shift(archive, &archive->members[i]) < member_shift(archive, least))
			least = &archive->members[i];
	return least;
}

static json_t *manifest_file(const struct archive *archive, const struct member *member,
			     const struct member *reference)
{
	int64_t offset = member_shift(archive, member) - member_shift(archive, reference);
	json_t *file = json_pack("{s:s, s:{s:s}}", "path", member->path, "machine", "name",
				 member->machine);

	if (member != reference)
		json_object_set_new(need(file), "clocks",
				    need(json_pack("{s:s, s:{s:s, s:s}, s:I}", "clock", "MONOTONIC",
						   "sync_to", "file", reference->path, "clock",
						   "MONOTONIC", "offset_ns", (json_int_t)offset)));
	return need(file);
}

static char *manifest_text(const struct archive *archive)
{
	const struct member *reference = member_of_clock(archive);
	json_t *files = need(json_array()), *manifest;
	char *text;

	for (size_t i = 0; i < archive->count; i++)
		json_array_append_new(files,
				      manifest_file(archive, &archive->members[i], reference));
	manifest = need(json_pack("{s:{s:i, s:{s:s, s:s}, s:o}}", "perfetto_manifest", "version", 1,
				  "trace_time", "clock", "MONOTONIC", "file", reference->path,
				  "files", files));
	text = need(json_dumps(manifest, JSON_INDENT(1) | JSON_PRESERVE_ORDER));
	json_decref(manifest);
	return text;
}

/* --- the archive */

static void archive_head(struct archive *archive, const char *name, uint64_t size)
{
	char head[TAR_BLOCK];

	tar_head(head, name, size, archive->modified);
	timeline_stream_put(&archive->stream, head, sizeof(head));
}

static void archive_pad(struct archive *archive, size_t size)
{
	static const char zeros[TAR_END];

	timeline_stream_put(&archive->stream, zeros, size);
}

static void archive_put(struct archive *archive, const char *name, const char *text)
{
	archive_head(archive, name, strlen(text));
	timeline_stream_put(&archive->stream, text, strlen(text));
	archive_pad(archive, tar_padding(strlen(text)));
}

/* False: errno says why. */
static bool archive_copy(struct archive *archive, int spool, const char *name)
{
	uint64_t size = (uint64_t)lseek(spool, 0, SEEK_END);
	char *piece = need(malloc(TAR_BLOCK * TAR_BLOCK));

	archive_head(archive, name, size);
	for (uint64_t at = 0; at < size && !archive->stream.error;) {
		ssize_t n = file_read(spool, name, piece, TAR_BLOCK * TAR_BLOCK, at);
		if (n <= 0) {
			archive->stream.error = EIO;
			break;
		}
		timeline_stream_put(&archive->stream, piece, (size_t)n);
		at += (uint64_t)n;
	}
	free(piece);
	archive_pad(archive, tar_padding(size));
	return !archive->stream.error;
}

/* The processes' clocks, relative to that of the first of them. */
static void member_set_clock(struct archive *archive, const struct member *member, int64_t shift)
{
	struct timeline_inputs *inputs = &archive->timeline->inputs;

	for (size_t i = member->first; i < member->last; i++)
		inputs->list[i].shift -= shift;
	inputs->start -= (uint64_t)shift;
}

/* A file's size stands before it, so it is made in a temporary file. */
static bool archive_member(struct archive *archive, const struct member *member, const char *where)
{
	int64_t shift = member_shift(archive, member);
	struct timeline_stream stream;
	int spool = spool_open();

	if (spool < 0)
		return false;
	timeline_numbers_free(&archive->timeline->numbers);
	archive->timeline->numbers = (struct timeline_numbers){.fresh = 0};
	member_set_clock(archive, member, shift);
	timeline_stream_start(&stream, spool, false);
	bool written =
		timeline_write_some(archive->timeline, &stream, member->first, member->last, where);
	int error = errno;
	member_set_clock(archive, member, -shift);
	errno = error;
	written = written && archive_copy(archive, spool, member->path);
	error = errno;
	close(spool);
	errno = error;
	return written;
}

bool timeline_tar_is_there(const char *path)
{
	(void)path;
	return true;
}

bool timeline_write_tar(struct timeline *timeline, int fd, const char *where)
{
	struct archive archive = {.timeline = timeline, .modified = (uint64_t)time(NULL)};
	bool written = true;

	timeline->format = &tl_format_pftrace;
	timeline_stream_start(&archive.stream, fd, timeline->gzip);
	find_members(&archive);
	char *manifest = manifest_text(&archive);

	archive_put(&archive, MANIFEST, manifest);
	free(manifest);
	for (size_t i = 0; i < archive.count && written; i++)
		written = archive_member(&archive, &archive.members[i], where);
	archive_pad(&archive, TAR_END);
	int error = errno;
	bool ended = timeline_stream_end(&archive.stream);
	free(archive.members);
	if (!written)
		errno = error;
	return written && ended;
}

#endif
