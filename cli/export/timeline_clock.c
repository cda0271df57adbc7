/* SPDX-License-Identifier: MIT */
/*
 * timeline_clock.c: see timeline_clock.h.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/export/timeline_clock.h"

/*
 * Two readings of one clock differ by far less, even while the time of day is being corrected. Time
 * namespaces differ by more: they are set in seconds.
 */
#define SAME_CLOCK_NS 100000000

int64_t timeline_offset(const struct tl_trace *trace)
{
	return (int64_t)(trace->facts.realtime_ns - trace->facts.monotonic_ns);
}

static bool clock_is_of(const struct timeline_clock *clock, const char *boot, int64_t offset)
{
	int64_t apart = clock->offset - offset;

	return *boot && !strcmp(clock->boot, boot) && apart < SAME_CLOCK_NS &&
	       apart > -SAME_CLOCK_NS;
}

int64_t timeline_clocks_offset(struct timeline_clocks *clocks, const char *boot, int64_t offset)
{
	struct timeline_clock *clock;

	for (size_t i = 0; i < clocks->count; i++)
		if (clock_is_of(&clocks->list[i], boot, offset))
			return clocks->list[i].offset;
	clocks->list = need(reallocarray(clocks->list, clocks->count + 1, sizeof(*clocks->list)));
	clock = &clocks->list[clocks->count++];
	*clock = (struct timeline_clock){.offset = offset};
	memcpy(clock->boot, boot, strnlen(boot, sizeof(clock->boot) - 1));
	return offset;
}

void timeline_clocks_free(struct timeline_clocks *clocks)
{
	free(clocks->list);
	*clocks = (struct timeline_clocks){0};
}
