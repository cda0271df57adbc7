/* SPDX-License-Identifier: MIT */
/*
 * report_page.c: see report_page.h.
 *
 * The page's text comes from page.html, where @NAME@ stands for a part. Data is JSON, and columns of
 * varints in base64. No "<" of a trace reaches the page: JSON has \u003c for it, so that no name
 * becomes markup. The scripts have a nonce, so that nothing else could run.
 */
#include "config.h"

#include "cli/report/report_page.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "cli/report/page_files.h"

/* ---- JSON ---- */

/* "<" is only in strings. */
static void json_print(FILE *to, const char *json)
{
	for (size_t size; *json; json += size) {
		size = strcspn(json, "<");
		fwrite(json, 1, size, to);
		if (json[size] == '<') {
			fputs("\\u003c", to);
			size++;
		}
	}
}

static void string_print(FILE *to, const char *text)
{
	char *json = NULL;
	size_t size;

	if (!strchr(text, '<')) {
		print_json_string(text, to);
		return;
	}
	FILE *memory = need(open_memstream(&json, &size));

	print_json_string(text, memory);
	fclose(memory);
	json_print(to, need(json));
	free(json);
}

static void optional_print(FILE *to, const char *text)
{
	if (text)
		string_print(to, text);
	else
		fputs("null", to);
}

static void lanes_print(FILE *to, const struct report_model *model)
{
	size_t *counts = NULL, at = 0;

	fputs("\"lanes\":[", to);
	for (uint32_t i = 0; i < model->keys.lanes.count; i++) {
		const struct report_lane *lane = &model->lanes[i];

		fprintf(to, "%s{\"process\":%u,\"queue\":%s,\"number\":", i ? ",\n" : "\n",
			lane->process, lane->is_queue ? "true" : "false");
		string_print(to, lane->number);
		fputs(",\"name\":", to);
		optional_print(to, lane->name);
		fputs(",\"rows\":[", to);
		counts = need(reallocarray(counts, lane->nrows + 1, sizeof(*counts)));
		memset(counts, 0, (lane->nrows + 1) * sizeof(*counts));
		for (; at < model->nslices && model->slices[at].lane == i; at++)
			counts[model->slices[at].row]++;
		for (uint32_t row = 0; row < lane->nrows; row++)
			fprintf(to, "%s%zu", row ? "," : "", counts[row]);
		fputs("]}", to);
	}
	fputs("],\n", to);
	free(counts);
}

static void processes_print(FILE *to, const struct report_model *model)
{
	fputs("\"processes\":[", to);
	for (uint32_t i = 0; i < model->keys.processes.count; i++) {
		const struct report_process *process = &model->processes[i];
		char *facts = process->facts ? json_dumps(process->facts, JSON_COMPACT) : NULL;

		fprintf(to, "%s{\"file\":%d,\"number\":", i ? ",\n" : "\n", process->file);
		string_print(to, process->number);
		fputs(",\"name\":", to);
		optional_print(to, process->name);
		fputs(",\"labels\":", to);
		optional_print(to, process->labels);
		fputs(",\"facts\":", to);
		json_print(to, facts ? facts : "null");
		fputs("}", to);
		free(facts);
	}
	fputs("],\n", to);
}

static void kinds_print(FILE *to, const struct report_model *model)
{
	fputs("\"kinds\":[", to);
	for (uint32_t i = 0; i < model->kinds.count; i++) {
		uint64_t kind = model->kinds.list[i];

		fprintf(to, "%s%u,%u,%u", i ? "," : "", kind_name(kind), kind_category(kind),
			kind_flags(kind));
	}
	fputs("],\n\"addresses\":[", to);
	for (uint32_t i = 0; i < model->addresses.count; i++)
		fprintf(to, "%s\"%llx\"", i ? "," : "",
			(unsigned long long)model->addresses.list[i]);
	fputs("],\n\"texts\":[", to);
	for (uint32_t i = 0; i < model->texts.count; i++) {
		fputs(i ? ",\n" : "\n", to);
		string_print(to, model->texts.list[i]);
	}
	fputs("],\n", to);
}

/* For each frame the number of the one that called it, and its name. */
static void frames_print(FILE *to, const struct report_model *model)
{
	fputs("\"frames\":[", to);
	for (uint32_t i = 0; i < model->stacks.frames.count; i++)
		fprintf(to, "%s%u,%u", i ? "," : "", event_stacks_caller(&model->stacks, i + 1),
			model->frame_names[i]);
	fputs("],\n", to);
}

static void facts_print(FILE *to, const struct report_model *model, struct table *const *tables,
			size_t ntables, const struct page_files *files)
{
	char *json = NULL;
	size_t size;
	FILE *memory = need(open_memstream(&json, &size));

	fputs("{\"files\":[", to);
	for (int i = 0; i < files->count; i++) {
		fputs(i ? "," : "", to);
		string_print(to, files->paths[i]);
	}
	fprintf(to,
		"],\n\"maker\":\"%s\",\"first\":%lld,\"last\":%lld,\"slices\":%zu,\"arrows\":%zu,\n",
		PACKAGE_STRING, (long long)model->first, (long long)model->last, model->nslices,
		model->narrows);
	processes_print(to, model);
	lanes_print(to, model);
	kinds_print(to, model);
	frames_print(to, model);
	table_print(tables, ntables, TABLE_AS_JSON, memory);
	fclose(memory);
	fputs("\"summary\":", to);
	json_print(to, need(json));
	fputs("}\n", to);
	free(json);
}

/* ---- columns ---- */

static void column_print(FILE *to, const char *name, struct bytes *bytes)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char line[4096];
	size_t count = bytes->count, at = 0;

	bytes_text(bytes, "\0\0", 2);
	fprintf(to, "<script type=\"application/octet-stream\" id=\"%s\">", name);
	for (size_t i = 0; i < count; i += 3) {
		const unsigned char *from = bytes->list + i;

		line[at++] = digits[from[0] >> 2];
		line[at++] = digits[(from[0] & 3) << 4 | from[1] >> 4];
		line[at++] = i + 1 < count ? digits[(from[1] & 15) << 2 | from[2] >> 6] : '=';
		line[at++] = i + 2 < count ? digits[from[2] & 63] : '=';
		if (at == sizeof(line)) {
			fwrite(line, 1, at, to);
			at = 0;
		}
	}
	fwrite(line, 1, at, to);
	fputs("</script>\n", to);
	free(bytes->list);
	*bytes = (struct bytes){0};
}

/* A slice's start counts from the end of the one before it in its row. */
static void slices_print(FILE *to, const struct report_model *model)
{
	struct bytes starts = {0}, durations = {0}, kinds = {0}, args = {0}, stacks = {0};
	bool has_stacks = model->stacks.frames.count > 0;
	int64_t end = 0;

	for (size_t i = 0; i < model->nslices; i++) {
		const struct report_slice *slice = &model->slices[i];

		if (!i || slice->lane != slice[-1].lane || slice->row != slice[-1].row)
			end = model->first;
		bytes_number(&starts, (uint64_t)(slice->start - end));
		bytes_number(&durations, (uint64_t)slice->duration);
		bytes_number(&kinds, slice->kind);
		bytes_number(&args, slice->shape);
		bytes_text(&args, (const char *)model->values.list + slice->values, slice->nvalues);
		if (has_stacks)
			bytes_number(&stacks, slice->stack);
		end = slice->start + slice->duration;
	}
	column_print(to, "starts", &starts);
	column_print(to, "durations", &durations);
	column_print(to, "sliceKinds", &kinds);
	column_print(to, "arguments", &args);
	column_print(to, "stacks", &stacks);
}

static void arrows_print(FILE *to, const struct report_model *model)
{
	struct bytes arrows = {0};
	int64_t last = model->first;

	for (size_t i = 0; i < model->narrows; i++) {
		const struct report_arrow *arrow = &model->arrows[i];
		int64_t length = arrow->to - arrow->from;
		int64_t step = arrow->from - last;

		bytes_number(&arrows, (uint64_t)step << 1 ^ (uint64_t)(step >> 63));
		bytes_number(&arrows, arrow->from_lane);
		bytes_number(&arrows, (uint64_t)length << 1 ^ (uint64_t)(length >> 63));
		bytes_number(&arrows, arrow->to_lane);
		last = arrow->from;
	}
	column_print(to, "arrowEnds", &arrows);
}

/* ---- the whole ---- */

static bool page_nonce(char nonce[33])
{
	unsigned char random[16];

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return false;
	for (int i = 0; i < 16; i++)
		snprintf(nonce + 2 * i, 3, "%02x", random[i]);
	return true;
}

bool page_write(FILE *to, const struct report_model *model, struct table *const *tables,
		size_t ntables, const struct page_files *files)
{
	const char *at = page_html, *mark;
	char nonce[33];

	if (!page_nonce(nonce))
		return false;
	for (; (mark = strchr(at, '@')); at = strchr(mark + 1, '@') + 1) {
		fwrite(at, 1, (size_t)(mark - at), to);
		if (!strncmp(mark, "@NONCE@", 7)) {
			fputs(nonce, to);
		} else if (!strncmp(mark, "@STYLE@", 7)) {
			fputs(page_css, to);
		} else if (!strncmp(mark, "@FLAME@", 7)) {
			fputs(page_flame, to);
		} else if (!strncmp(mark, "@SCRIPT@", 8)) {
			fputs(page_js, to);
		} else if (!strncmp(mark, "@FACTS@", 7)) {
			facts_print(to, model, tables, ntables, files);
		} else if (!strncmp(mark, "@COLUMNS@", 9)) {
			slices_print(to, model);
			arrows_print(to, model);
		}
	}
	fputs(at, to);
	return !ferror(to);
}
