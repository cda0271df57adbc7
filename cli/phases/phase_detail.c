/* SPDX-License-Identifier: MIT */
/*
 * phase_detail.c: see phase_detail.h.
 */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "cli/phases/phase_detail.h"
#include "cli/systrace/systrace.h"
#include "common/text.h"

#define SHOWN_MARK 200

void phase_detail_mark(struct systrace_text *text, uint64_t offset, char *to, size_t size)
{
	const char *line = systrace_text_at(text, offset), *mark = strstr(line, ROW_FUNCTION);

	for (mark = mark ? mark + strlen(ROW_FUNCTION) : line; *mark && size > 1; mark++, size--)
		*to++ = (unsigned char)*mark < ' ' || *mark == 0x7f ? '?' : *mark;
	*to = '\0';
}

void phase_detail_place(struct systrace_text *text, uint64_t offset, char *to, size_t size)
{
	const char *line, *end, *time;

	if (!text->is_made) {
		snprintf(to, size, "%s:%" PRIu64, text->is_inside ? " (unpacked)" : "",
			 systrace_text_line(text, offset));
		return;
	}
	line = systrace_text_at(text, offset);
	end = strstr(line, ": " ROW_FUNCTION);
	time = end ? memrchr(line, ' ', (size_t)(end - line)) : NULL;
	snprintf(to, size, ": at%.*s s", time ? (int)(end - time) : 0, time ? time : "");
}

static void print_sums(FILE *to, const struct tree_sums *sums)
{
	for (enum overall overall = 0; overall < OVERALLS; overall++)
		for (uint16_t nn_layer = 0; nn_layer < NN_LAYERS; nn_layer++)
			for (uint16_t nn_phase = 0; nn_phase < NN_PHASES; nn_phase++)
				if (sums->times[overall][nn_layer][nn_phase] != 0)
					fprintf(to, "  %s_%s_%s %.6f\n", nn_overall_name(overall),
						nn_layer_name(nn_layer), nn_phase_name(nn_phase),
						sums->times[overall][nn_layer][nn_phase]);
}

static unsigned depth_of(const struct pool *pool, uint32_t node)
{
	unsigned depth = 0;

	for (; pool->nodes[node].above; node = pool->nodes[node].above)
		depth++;
	return depth;
}

static void print_node(FILE *to, const struct pool *pool, uint32_t number,
		       struct systrace_text *text)
{
	static const char *const kinds[] = {[NODE_MARK] = "",
					    [NODE_DUMMY] = "",
					    [NODE_COPY] = " counted here",
					    [NODE_ADDED] = " added"};
	const struct node *node = &pool->nodes[number];
	char bytes[SHOWN_MARK], mark[4 * SHOWN_MARK + 1];
	struct tl_text shown = {mark, mark + sizeof(mark) - 1, false};

	phase_detail_mark(text, node->offset, bytes, sizeof(bytes));
	tl_text_shown(&shown, bytes, strlen(bytes));
	*shown.at = '\0';
	fprintf(to, "  %*s%s %s_%s %.6f %s%s%s%s\n", (int)(2 * depth_of(pool, number)), "",
		nn_overall_name(node->overall), nn_layer_name(node->nn_layer),
		nn_phase_name(node->nn_phase), tree_time(pool, number), mark, kinds[node->kind],
		node->subtracts ? " counts elsewhere" : "",
		tree_is_detail(pool, number) ? " detail" : "");
}

void phase_detail_print(FILE *to, const struct run *run, struct systrace_text *text)
{
	for (size_t i = 0; i < run->ntrackers; i++) {
		const struct tracker *tracker = &run->trackers[i];

		if (!tracker->root)
			continue;
		fprintf(to, "%" PRIu64 " %s\n", tracker->thread,
			tracker->is_driver ? "Driver" : "App");
		print_sums(to, &tracker->sums);
		for (uint32_t node = tree_next(&run->pool, tracker->root, tracker->root); node;
		     node = tree_next(&run->pool, tracker->root, node))
			print_node(to, &run->pool, node, text);
	}
}
