/* SPDX-License-Identifier: MIT */
/*
 * trace_inside.c: see trace_inside.h: the memory of a trace that is read, its problems, and the pages
 * of its file.
 */
#include "format/file/trace_inside.h"

#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/types.h>

#define PROBLEMS_MAX 100

/* --- memory, problems */

/* Room for one more element. The old ones may move. */
void *tl_reader_append(struct trace *trace, void *list, size_t *count, size_t *room, size_t each)
{
	void **array = list;

	if (*count == *room) {
		size_t more = *room ? 2 * *room : 64;
		void *larger = realloc(*array, more * each);
		if (!larger) {
			trace->failed = true;
			return NULL;
		}
		*array = larger;
		*room = more;
	}
	return memset((char *)*array + (*count)++ * each, 0, each);
}

void *tl_reader_zeroed(struct trace *trace, size_t count, size_t each)
{
	void *memory = calloc(count ? count : 1, each);

	if (!memory)
		trace->failed = true;
	return memory;
}

void tl_trace_problem(struct tl_trace *seen, const char *format, ...)
{
	struct trace *trace = (struct trace *)seen;
	char line[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	if (!seen->problems)
		seen->problems = tl_reader_zeroed(trace, PROBLEMS_MAX + 1, sizeof(*seen->problems));
	if (!seen->problems)
		return;
	if (seen->nproblems >= PROBLEMS_MAX) {
		snprintf(line, sizeof(line), "and %zu more", ++trace->more_problems);
		free(seen->problems[PROBLEMS_MAX]);
		seen->nproblems = PROBLEMS_MAX;
	}
	seen->problems[seen->nproblems] = strdup(line);
	if (seen->problems[seen->nproblems])
		seen->nproblems++;
}

void tl_reader_sort(void *list, size_t count, size_t each,
		    int (*compare)(const void *, const void *))
{
	if (count)
		qsort(list, count, each, compare);
}

/* --- the file's pages */

/*
 * Takes bytes of a mapped file out of memory; the kernel brings them back. Without this, all that
 * was ever looked at of a large file would count as the process's memory. Linux maps pages around
 * the one that is read, up to a large folio: those go, too.
 */
#define PAGES_AROUND (UINT64_C(2) << 20)

void tl_reader_release(const struct trace *trace, uint64_t from, uint64_t to)
{
	from -= from % PAGES_AROUND;
	to += PAGES_AROUND - to % PAGES_AROUND;
	to = to < trace->size ? to : trace->size;
	if (trace->mapped && from < to)
		madvise((char *)trace->mapped + from, to - from, MADV_DONTNEED);
}

void tl_trace_left(const struct tl_trace *seen, const struct tl_trace_run *run,
		   struct tl_trace_place *place, struct tl_trace_passed *passed)
{
	const struct trace *trace = (const struct trace *)seen;
	uint64_t from = run->offset + place->told, until = run->offset + place->at;

	if (run->records < trace->bytes || run->records >= trace->bytes + trace->size)
		return; /* a gap's record lies elsewhere */
	passed->from = !passed->bytes || from < passed->from ? from : passed->from;
	passed->until = !passed->bytes || until > passed->until ? until : passed->until;
	passed->bytes += place->at - place->told;
	place->told = place->at;
	if (passed->bytes < TL_TRACE_RELEASED)
		return;
	tl_reader_release(trace, passed->from, passed->until);
	passed->bytes = 0;
}
