/* SPDX-License-Identifier: MIT */
/*
 * trace_facts.c: what a trace file says about its process, its APIs, the output file, and the end.
 */
#include "config.h"

#include "format/file/trace_inside.h"

#if HAVE_JANSSON
#include <jansson.h>
#endif

#include "format/file/describe.h"

void tl_reader_api(struct trace *trace, const char *piece, uint64_t size)
{
	uint64_t place = (uint64_t)(piece - trace->bytes);
	struct tl_api_piece head;
	char why[256];

	if (size < sizeof(head)) {
		problem(trace, "byte %llu: an API's description that is too short",
			(unsigned long long)place);
		return;
	}
	memcpy(&head, piece, sizeof(head));
	if (head.number >= API_NUMBERS || head.size > size - sizeof(head)) {
		problem(trace, "byte %llu: the description of API %u is not there",
			(unsigned long long)place, head.number);
		return;
	}
	if (trace->apis[head.number])
		return;
	trace->apis[head.number] =
		tl_describe_read(piece + sizeof(head), head.size, why, sizeof(why));
	if (!trace->apis[head.number])
		problem(trace, "byte %llu: the description of API %u: %s",
			(unsigned long long)place, head.number, why);
}

void tl_trace_show_names(struct tl_trace *trace, const char *(*shown)(const char *name))
{
	const struct trace *read = (const struct trace *)trace;

	for (uint32_t i = 0; i < API_NUMBERS; i++)
		if (read->apis[i])
			tl_describe_show_names((struct tl_api *)read->apis[i], shown);
}

const struct tl_api *tl_trace_api(const struct tl_trace *trace, uint32_t number)
{
	return number < API_NUMBERS ? ((const struct trace *)trace)->apis[number] : NULL;
}

const struct tl_function *tl_trace_function(const struct tl_trace *trace, uint32_t id)
{
	const struct tl_api *api = tl_trace_api(trace, id >> 16);

	return api && (id & 0xffff) < api->count ? &api->functions[id & 0xffff] : NULL;
}

/* ---- members ---- */

static bool text_is_line(const char *text, uint32_t size)
{
	bool one_line = true;

	for (uint32_t i = 0; i < size; i++)
		one_line &= (unsigned char)text[i] >= 0x20;
	return one_line;
}

#if HAVE_JANSSON

/* As an object. NULL: it is none. */
static json_t *members_read(const char *members, uint32_t size)
{
	char *object = malloc((size_t)size + 2);
	json_t *json;

	if (!object)
		return NULL;
	object[0] = '{';
	memcpy(object + 1, members, size);
	object[size + 1] = '}';
	json = json_loadb(object, (size_t)size + 2, JSON_REJECT_DUPLICATES, NULL);
	free(object);
	return json;
}

/* They are copied into the trace unchanged. */
static bool text_is_members(const char *members, uint32_t size)
{
	json_t *json = text_is_line(members, size) ? members_read(members, size) : NULL;

	json_decref(json);
	return json != NULL;
}

bool tl_facts_text(const struct tl_facts *facts, const char *key, char *to, size_t room)
{
	json_t *json = members_read(facts->members, facts->members_size);
	const char *text = json_string_value(json_object_get(json, key));

	snprintf(to, room, "%s", text ? text : "");
	json_decref(json);
	return text != NULL;
}

#else

/* Without jansson nobody can tell. What tracelayer wrote has members. */
static bool text_is_members(const char *members, uint32_t size)
{
	return text_is_line(members, size);
}

/*
 * A quote within a text has a backslash in front, so that "KEY":" is nowhere but at a member. A text with
 * such escapes counts as none.
 */
bool tl_facts_text(const struct tl_facts *facts, const char *key, char *to, size_t room)
{
	char member[64];
	int length = snprintf(member, sizeof(member), "\"%s\":\"", key);
	const char *at = memmem(facts->members, facts->members_size, member, (size_t)length);
	const char *end;

	*to = 0;
	if (!at)
		return false;
	at += length;
	end = memchr(at, '"', facts->members_size - (size_t)(at - facts->members));
	if (!end || memchr(at, '\\', (size_t)(end - at)))
		return false;
	snprintf(to, room, "%.*s", (int)(end - at), at);
	return true;
}

#endif

/* ---- pieces ---- */

void tl_reader_facts(struct trace *trace, const char *piece, uint64_t size)
{
	struct tl_facts *facts = &trace->seen.facts;

	const size_t head = offsetof(struct tl_facts_piece, facts);

	if (size < head + offsetof(struct tl_facts, members)) {
		problem(trace, "byte %llu: facts that are too short",
			(unsigned long long)(piece - trace->bytes));
		return;
	}
	/* The part that the members do not fill may be left out. */
	size = size - head < sizeof(*facts) ? size - head : sizeof(*facts);
	memset(facts, 0, sizeof(*facts));
	memcpy(facts, piece + head, size);
	facts->program[sizeof(facts->program) - 1] = 0;
	facts->host[sizeof(facts->host) - 1] = 0;
	facts->has_rank = !!facts->has_rank;
	/* A NUL follows the members. */
	if (facts->members_size > size - offsetof(struct tl_facts, members) ||
	    facts->members_size >= sizeof(facts->members) ||
	    !text_is_members(facts->members, facts->members_size)) {
		problem(trace, "byte %llu: facts that are no JSON",
			(unsigned long long)(piece - trace->bytes));
		facts->members_size = 0;
	}
	memset(facts->members + facts->members_size, 0,
	       sizeof(facts->members) - facts->members_size);
	trace->seen.has_facts = true;
}

void tl_reader_output(struct trace *trace, const char *piece, uint64_t size)
{
	struct tl_trace_output *output = &trace->seen.output;
	struct tl_output_piece *copy = size < sizeof(*copy) ? NULL : malloc(sizeof(*copy));

	if (!copy) {
		problem(trace, "byte %llu: the description of the output is too short",
			(unsigned long long)(piece - trace->bytes));
		return;
	}
	memcpy(copy, piece, sizeof(*copy));
	*output = (struct tl_trace_output){.made = copy->made == 1,
					   .format = (enum tl_output_format)copy->format,
					   .gzip = copy->gzip != 0,
					   .number = copy->number,
					   .device = copy->device,
					   .inode = copy->inode,
					   .block = copy->block,
					   .slot = copy->slots[copy->block % 2],
					   .at = (uint64_t)(piece - trace->bytes)};
	memcpy(output->path, copy->path, sizeof(output->path) - 1);
	memcpy(output->pattern, copy->pattern, sizeof(output->pattern) - 1);
	free(copy);
	if (output->made && (output->format >= TL_OUTPUT_FORMATS || !*output->path)) {
		problem(trace, "byte %llu: an output of no known format, or without a path",
			(unsigned long long)(piece - trace->bytes));
		output->made = false;
	}
	trace->seen.has_output = true;
}

void tl_reader_end(struct trace *trace, const char *piece, uint64_t size)
{
	struct tl_end_piece end = {.overwritten = 0};

	if (size < offsetof(struct tl_end_piece, overwritten))
		return;
	memcpy(&end, piece, size < sizeof(end) ? size : sizeof(end));
	/* Cut: the file has less of it than its size says. */
	if (end.piece.size > size)
		return;
	trace->seen.ended = true;
	trace->seen.events = end.events;
	trace->seen.lost = end.lost;
	trace->seen.last = end.last;
	trace->seen.overwritten = end.overwritten;
	trace->seen.end_clocks = end.clocks;
	trace->seen.end_time = end.time_of_day;
	trace->seen.resumed = end.resumed;
	trace->seen.stackless = end.stackless;
}
