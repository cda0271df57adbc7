/* SPDX-License-Identifier: MIT */
/*
 * profile_output.c: writes a profile, for people (a tree as text) and for viewers. See profile.h.
 *
 *	.folded			a line for each stack, outermost first, and its samples: what flame
 *				graphs are made of
 *	.speedscope.json	speedscope's own format: a profile in time for each thread
 *	.json			Chrome's: samples and stack frames
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/profile/profile.h"
#include "tables/table.h"

#define OUTSIDE "(outside of any label)"

static void write_tree(FILE *to, struct profiled *profiled)
{
	tl_profile_print(to, &profiled->profile);
}

/* ---- folded */

/* Samples in the node itself, not in a node below it. */
static uint64_t own_weight(const struct tl_profile_node *node)
{
	uint64_t weight = node->weight;

	for (const struct tl_profile_node *child = node->child; child; child = child->next)
		weight -= child->weight;
	return weight;
}

static void write_frames(FILE *to, const struct tl_profile_node *node)
{
	if (node->parent && node->parent->text) {
		write_frames(to, node->parent);
		fputc(';', to);
	}
	/* Replaces characters that would end a frame or a line. */
	for (const char *at = node->text; *at; at++) {
		char c = *at == ';' ? ':' : *at == '\n' || *at == '\r' ? ' ' : *at;

		if ((unsigned char)c < 0x20 || c == 0x7f)
			fprintf(to, "\\x%02x", (unsigned char)c);
		else
			fputc(c, to);
	}
}

static void write_folded_below(FILE *to, const struct tl_profile_node *node)
{
	uint64_t own = own_weight(node);

	if (own) {
		if (node->text)
			write_frames(to, node);
		else
			fputs(OUTSIDE, to);
		fprintf(to, " %llu\n", (unsigned long long)own);
	}
	for (const struct tl_profile_node *child = node->child; child; child = child->next)
		write_folded_below(to, child);
}

static void write_folded(FILE *to, struct profiled *profiled)
{
	tl_profile_sort(&profiled->profile.root);
	write_folded_below(to, &profiled->profile.root);
}

/* ---- JSON */

static void write_microseconds(FILE *to, uint64_t ns)
{
	fprintf(to, "%llu.%03u", (unsigned long long)(ns / 1000), (unsigned)(ns % 1000));
}

struct texts {
	const char **text;
	size_t count;
};

static void texts_gather(struct texts *texts, const struct tl_profile_node *node)
{
	if (node->text) {
		texts->text =
			need(reallocarray(texts->text, texts->count + 1, sizeof(*texts->text)));
		texts->text[texts->count++] = node->text;
	}
	for (node = node->child; node; node = node->next)
		texts_gather(texts, node);
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Each text once, in order. */
static void texts_unique(struct texts *texts)
{
	size_t kept = 0;

	if (texts->count)
		qsort(texts->text, texts->count, sizeof(*texts->text), compare_texts);
	for (size_t i = 0; i < texts->count; i++)
		if (!kept || strcmp(texts->text[kept - 1], texts->text[i]))
			texts->text[kept++] = texts->text[i];
	texts->count = kept;
}

/* Nodes get their texts' numbers. */
static void number_by_text(const struct texts *texts, struct tl_profile_node *node)
{
	if (node->text) {
		const char **found = bsearch(&node->text, texts->text, texts->count,
					     sizeof(*texts->text), compare_texts);
		node->number = (uint64_t)(found - texts->text);
	}
	for (node = node->child; node; node = node->next)
		number_by_text(texts, node);
}

/* ---- speedscope */

static void write_stack(FILE *to, const struct tl_profile_node *node, bool last)
{
	if (!node->text)
		return;
	write_stack(to, node->parent, false);
	fprintf(to, "%llu%s", (unsigned long long)node->number, last ? "" : ",");
}

static void write_lane(FILE *to, const struct profiled *profiled, const struct profile_lane *lane)
{
	uint64_t start = lane->runs[0].start, periods = 0;
	char name[64];

	for (size_t i = 0; i < lane->count; i++)
		periods += lane->runs[i].periods;
	snprintf(name, sizeof(name), "%s (tid %u)", lane->thread.name, lane->thread.tid);
	fputs("{\"type\":\"sampled\",\"name\":", to);
	print_json_string(name, to);
	fprintf(to,
		",\"unit\":\"nanoseconds\",\"startValue\":%llu,\"endValue\":%llu,\n\"samples\":[",
		(unsigned long long)start,
		(unsigned long long)(start + periods * profiled->period));
	for (size_t i = 0; i < lane->count; i++) {
		fputs(i ? ",[" : "[", to);
		write_stack(to, lane->runs[i].place, true);
		fputc(']', to);
	}
	fputs("],\n\"weights\":[", to);
	for (size_t i = 0; i < lane->count; i++)
		fprintf(to, "%s%llu", i ? "," : "",
			(unsigned long long)(lane->runs[i].periods * profiled->period));
	fputs("]}", to);
}

static void write_speedscope(FILE *to, struct profiled *profiled)
{
	struct texts texts = {0};
	bool any = false;

	texts_gather(&texts, &profiled->profile.root);
	texts_unique(&texts);
	number_by_text(&texts, &profiled->profile.root);
	fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"tracelayer\",\n\"name\":\"tracelayer profile\",\"shared\":{\"frames\":[",
	      to);
	for (size_t i = 0; i < texts.count; i++) {
		fputs(i ? ",\n{\"name\":" : "\n{\"name\":", to);
		print_json_string(texts.text[i], to);
		fputc('}', to);
	}
	fputs("]},\n\"profiles\":[", to);
	for (size_t i = 0; i < profiled->nlanes; i++) {
		if (!profiled->lanes[i]->count)
			continue;
		fputs(any ? ",\n" : "\n", to);
		any = true;
		write_lane(to, profiled, profiled->lanes[i]);
	}
	fputs("]}\n", to);
	free(texts.text);
}

/* ---- Chrome */

static void write_frames_below(FILE *to, struct tl_profile_node *parent, uint64_t *number)
{
	for (struct tl_profile_node *node = parent->child; node; node = node->next) {
		node->number = ++*number;
		fprintf(to, "%s\"%llu\":{\"category\":\"tracelayer\",\"name\":",
			node->number > 1 ? ",\n" : "\n", (unsigned long long)node->number);
		print_json_string(node->text, to);
		if (parent->text)
			fprintf(to, ",\"parent\":\"%llu\"", (unsigned long long)parent->number);
		fputc('}', to);
		write_frames_below(to, node, number);
	}
}

static void write_thread_names(FILE *to, const struct profiled *profiled)
{
	for (size_t i = 0; i < profiled->nlanes; i++) {
		const struct watched_thread *thread = &profiled->lanes[i]->thread;
		fprintf(to,
			"%s{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%u,\"tid\":%u,\"args\":{\"name\":",
			i ? ",\n" : "\n", thread->pid, thread->tid);
		print_json_string(thread->name, to);
		fputs("}}", to);
	}
}

/*
 * One sample for each period, because viewers count them. Samples outside of any label have no
 * frame and are left out.
 */
static void write_run(FILE *to, const struct profiled *profiled, const struct profile_lane *lane,
		      const struct profile_run *run, bool *any)
{
	for (uint64_t i = 0; run->place->text && i < run->periods; i++) {
		fprintf(to,
			"%s{\"cpu\":0,\"tid\":%u,\"name\":\"sample\",\"weight\":1,\"sf\":\"%llu\",\"ts\":",
			*any ? ",\n" : "\n", lane->thread.tid,
			(unsigned long long)run->place->number);
		write_microseconds(to, run->start + i * profiled->period);
		fputc('}', to);
		*any = true;
	}
}

static void write_chrome(FILE *to, struct profiled *profiled)
{
	uint64_t number = 0;
	bool any = false;

	fputs("{\"traceEvents\":[", to);
	write_thread_names(to, profiled);
	fputs("],\n\"stackFrames\":{", to);
	write_frames_below(to, &profiled->profile.root, &number);
	fputs("},\n\"samples\":[", to);
	for (size_t i = 0; i < profiled->nlanes; i++)
		for (size_t j = 0; j < profiled->lanes[i]->count; j++)
			write_run(to, profiled, profiled->lanes[i], &profiled->lanes[i]->runs[j],
				  &any);
	fputs("]}\n", to);
}

/* ---- which */

static const struct profile_format formats[] = {
	{".txt", false, write_tree},
	{".folded", false, write_folded},
	{".speedscope.json", true, write_speedscope},
	{".json", true, write_chrome},
};

const struct profile_format *profile_format_of(const char *path)
{
	size_t size = strlen(path);

	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		size_t ending = strlen(formats[i].ending);
		if (size > ending && !strcmp(path + size - ending, formats[i].ending))
			return &formats[i];
	}
	return NULL;
}
