/* SPDX-License-Identifier: MIT */
/*
 * live_texts.c: see live_texts.h.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/live/live_texts.h"

#define TEXT_MOST 1024u /* no text is longer */

void live_texts_add_strings(struct live_texts *texts, const struct tl_piece *piece, uint64_t size)
{
	texts->strings =
		need(reallocarray(texts->strings, texts->nstrings + 1, sizeof(*texts->strings)));
	texts->strings[texts->nstrings++] = (struct live_strings){(const void *)piece, size};
}

void live_texts_add_queues(struct live_texts *texts, const struct tl_piece *piece, uint64_t size)
{
	texts->queues =
		need(reallocarray(texts->queues, texts->nqueues + 1, sizeof(*texts->queues)));
	texts->queues[texts->nqueues++] = (struct live_queues){(const void *)piece, size};
}

/* A copy of the text; NULL: no piece has it (yet). */
static char *text_find(const struct live_texts *texts, uint32_t number)
{
	for (size_t i = 0; i < texts->nstrings; i++) {
		const struct tl_strings_piece *piece = texts->strings[i].piece;
		uint64_t units = (texts->strings[i].size - sizeof(*piece)) / sizeof(*piece->units);
		uint64_t first = ((uint64_t)piece->index << TL_STRINGS_BITS) + piece->first;
		uint64_t at = number - first;

		if (number < first || at >= units)
			continue;
		/* Acquire: pairs with the release of .size, which is stored last. */
		uint32_t size = __atomic_load_n(&piece->units[at].size, __ATOMIC_ACQUIRE);
		if (size && size <= TEXT_MOST && size <= (units - at - 1) * sizeof(*piece->units))
			return need(strndup((const char *)&piece->units[at + 1], size));
	}
	return NULL;
}

const char *live_texts_text(struct live_texts *texts, uint32_t number)
{
	for (size_t i = 0; i < texts->ntexts; i++)
		if (texts->texts[i].number == number)
			return texts->texts[i].text;
	char *text = text_find(texts, number);
	if (!text)
		return NULL;
	texts->texts = need(reallocarray(texts->texts, texts->ntexts + 1, sizeof(*texts->texts)));
	texts->texts[texts->ntexts++] = (struct live_text){number, text};
	return text;
}

const char *live_texts_queue(struct live_texts *texts, uint32_t lane)
{
	for (size_t i = 0; i < texts->nqueues; i++) {
		const struct tl_lanes_piece *piece = texts->queues[i].piece;
		uint64_t count = (texts->queues[i].size - sizeof(*piece)) / sizeof(*piece->lanes);

		for (uint64_t j = 0; j < count; j++)
			/* Acquire: pairs with the release of .lane, which is stored last. */
			if (atomic_load_explicit(&piece->lanes[j].lane, memory_order_acquire) ==
			    lane)
				return live_texts_text(texts, piece->lanes[j].name);
	}
	return NULL;
}

void live_texts_free(struct live_texts *texts)
{
	for (size_t i = 0; i < texts->ntexts; i++)
		free(texts->texts[i].text);
	free(texts->texts);
	free(texts->strings);
	free(texts->queues);
}
