/*
 * record_file.c: see record_file.h.
 */
#include "config.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/record_file.h"

bool record_file_is(const char *path)
{
	char magic[sizeof(((struct tl_file_header *)NULL)->magic)];
	int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) : -1;
	bool is = fd >= 0 && pread(fd, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
		  !memcmp(magic, TL_FILE_MAGIC, sizeof(magic));

	if (fd >= 0)
		close(fd);
	return is;
}

struct tl_trace *record_file_open(const char *path)
{
	char why[256];
	struct tl_trace *trace = tl_trace_open(path, why, sizeof(why));

	if (!trace) {
		say("%s: %s", path, why);
		return NULL;
	}
	if (trace->header.kind != TL_FILE_SPOOL) {
		say("%s: it is what a process records into; `tracelayer recover` makes a trace of what a dead one left", path);
		tl_trace_close(trace);
		return NULL;
	}
	tl_trace_use(trace);
	return trace;
}

void record_file_damaged(struct tl_trace *trace, uint64_t byte)
{
	tl_trace_problem(trace, "byte %llu: records that can't be told apart, up to their chunk's end", (unsigned long long)byte);
}

uint64_t record_file_lost(const struct tl_trace *trace)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < trace->nlanes; i++)
		lost += trace->lanes[i].lost;
	return trace->lost > lost ? trace->lost : lost;
}

int record_file_judge(const struct tl_trace *trace, const char *path, uint64_t unknown, const char *where)
{
	if (unknown)
		say("%s: %llu records are damaged, or of functions that it does not describe; %s has the others", path, (unsigned long long)unknown,
		    where);
	if (trace->nproblems)
		say("%s: %s%s; %s has all that is sound", path, trace->problems[0], trace->nproblems > 1 ? ", and more of the kind" : "", where);
	else if (!trace->ended)
		say("%s: it ends early: its process was killed, or is still writing; %s has all that is there", path, where);
	return unknown || trace->nproblems || !trace->ended ? EXIT_INCOMPLETE : EXIT_DONE;
}
