/* SPDX-License-Identifier: MIT */
/*
 * trace_texts.c: the texts of a trace file, and the lanes that are no thread's.
 */
#include "format/file/trace_inside.h"

#define TEXT_MOST 1024u /* no text is longer */

void tl_reader_texts(struct trace *trace, const char *piece, uint64_t size)
{
	struct tl_strings_piece head;

	if (size < sizeof(head)) {
		problem(trace, "byte %llu: texts that are too short",
			(unsigned long long)(piece - trace->bytes));
		return;
	}
	memcpy(&head, piece, sizeof(head));
	/* In buffers, a piece that is not used has an index that no text has. */
	if (head.index > UINT32_MAX >> TL_STRINGS_BITS)
		return;
	struct texts *texts = tl_reader_append(trace, &trace->texts, &trace->ntexts,
					       &trace->texts_room, sizeof(*texts));
	if (texts)
		*texts = (struct texts){
			.number = ((uint64_t)head.index << TL_STRINGS_BITS) + head.first,
			.count = (size - sizeof(head)) / sizeof(struct tl_strings_unit),
			.place = (uint64_t)(piece - trace->bytes),
			.units = piece + sizeof(head)};
}

/* Bytes of the text that begins there; 0: no text begins there. */
static uint32_t text_size(const struct texts *texts, uint64_t at)
{
	struct tl_strings_unit unit;

	memcpy(&unit, texts->units + at * sizeof(unit), sizeof(unit));
	return unit.size > TEXT_MOST || unit.size > (texts->count - at - 1) * sizeof(unit)
		       ? 0
		       : unit.size;
}

const void *tl_trace_next_text(const struct tl_trace *seen, struct tl_trace_text_place *place,
			       uint32_t *number, size_t *size)
{
	const struct trace *trace = (const struct trace *)seen;

	for (; place->piece < trace->ntexts; place->piece++, place->unit = 0) {
		const struct texts *texts = &trace->texts[place->piece];

		for (uint64_t at = place->unit; at < texts->count; at++) {
			uint64_t units = (text_size(texts, at) + 7) / 8;
			if (!units)
				continue;
			*number = (uint32_t)(texts->number + at);
			*size = (1 + units) * sizeof(struct tl_strings_unit);
			place->unit = at + 1 + units;
			return texts->units + at * sizeof(struct tl_strings_unit);
		}
	}
	return NULL;
}

const char *tl_trace_string(const struct tl_trace *seen, uint32_t number, size_t *size)
{
	const struct trace *trace = (const struct trace *)seen;
	size_t low = 0, high = trace->ntexts;

	*size = 0;
	if (!high || number < trace->texts[0].number)
		return NULL;
	while (low + 1 < high) {
		size_t middle = (low + high) / 2;
		if (trace->texts[middle].number <= number)
			low = middle;
		else
			high = middle;
	}
	const struct texts *texts = &trace->texts[low];
	uint64_t at = number - texts->number;
	if (at >= texts->count)
		return NULL;
	*size = text_size(texts, at);
	return *size ? texts->units + (at + 1) * sizeof(struct tl_strings_unit) : NULL;
}

void tl_reader_named_lanes(struct trace *trace, const char *piece, uint64_t size)
{
	struct tl_lane_entry entry;

	for (uint64_t at = sizeof(struct tl_lanes_piece); at + sizeof(entry) <= size;
	     at += sizeof(entry)) {
		memcpy((void *)&entry, piece + at, sizeof(entry));
		if (!entry.lane)
			continue;
		struct tl_trace_named_lane *lane =
			tl_reader_append(trace, &trace->seen.named, &trace->seen.nnamed,
					 &trace->named_room, sizeof(*lane));
		if (lane)
			*lane = (struct tl_trace_named_lane){entry.lane, entry.shown, entry.name,
							     entry.sort};
	}
}

static int named_lanes_by_number(const void *a, const void *b)
{
	const struct tl_trace_named_lane *left = a, *right = b;

	return left->lane < right->lane ? -1 : left->lane > right->lane;
}

uint32_t tl_trace_shown_lane(const struct tl_trace *trace, uint32_t number)
{
	const struct tl_trace_named_lane wanted = {.lane = number};
	const struct tl_trace_named_lane *found =
		trace->nnamed ? bsearch(&wanted, trace->named, trace->nnamed, sizeof(wanted),
					named_lanes_by_number)
			      : NULL;

	return found ? found->shown : number;
}

static int texts_by_number(const void *a, const void *b)
{
	const struct texts *left = a, *right = b;

	if (left->number != right->number)
		return left->number < right->number ? -1 : 1;
	return left->place < right->place ? -1 : left->place > right->place;
}

/* Each once: a spool may have a lane several times. */
static void named_lanes_unique(struct tl_trace *seen)
{
	size_t kept = 0;

	tl_reader_sort(seen->named, seen->nnamed, sizeof(*seen->named), named_lanes_by_number);
	for (size_t i = 0; i < seen->nnamed; i++)
		if (!kept || seen->named[kept - 1].lane != seen->named[i].lane)
			seen->named[kept++] = seen->named[i];
	seen->nnamed = kept;
}

void tl_reader_sort_texts(struct trace *trace)
{
	tl_reader_sort(trace->texts, trace->ntexts, sizeof(*trace->texts), texts_by_number);
	named_lanes_unique(&trace->seen);
}
