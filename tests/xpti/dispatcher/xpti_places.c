/* SPDX-License-Identifier: MIT */
/*
 * xpti_places.c: what a dispatcher makes of a place in the code of which something is missing.
 *
 *	xpti_places DISPATCHER
 *
 * For each combination of name, file, line, column and address it prints the trace point, the event
 * and the payload, each in a process of its own. (Code addresses are not printed: see
 * tracelayer-xpti(7).)
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracelayer/xpti.h"
#include "xpti/table.h"

static void print_event(const char *what, xpti_event *event)
{
	if (!event) {
		printf("%s: none\n", what);
		return;
	}
	const xpti_payload *payload = xptiQueryPayload(event);
	printf("%s: kind %u activity %u flags %" PRIx64 " instance %" PRIu64 " %s %s:%u:%u flags "
	       "%" PRIx64 " uid %d\n",
	       what, event->event_type, event->activity_type, event->flags, event->instance_id,
	       payload->name, payload->source_file, payload->line_no, payload->column_no,
	       payload->flags, payload->internal == event->unique_id);
}

static void print_place(xpti_payload payload)
{
	xpti_tracepoint_if *point =
		xptiCreateTracepoint(payload.name, payload.source_file, payload.line_no,
				     payload.column_no, (void *)payload.code_ptr_va);
	uint64_t instance = 77;

	print_event("trace point", point->vtbl->event_ref(point));
	/* The original dies of a name or file that is NULL. */
	if (!payload.name || !payload.source_file)
		return;
	payload.flags =
		(*payload.name ? xpti_payload_has_name : 0) |
		(*payload.source_file ? xpti_payload_has_source_file | xpti_payload_has_line |
						xpti_payload_has_column
				      : 0) |
		(payload.code_ptr_va ? xpti_payload_has_code_pointer : 0);
	xpti_payload copy = payload;
	print_event("event",
		    xptiMakeEvent("name", &copy, xpti_event_graph, xpti_activity_sleep, &instance));
	printf("instance %" PRIu64 "\n", instance);
	copy = payload;
	bool valid = xptiRegisterPayload(&copy) != XPTI_INVALID_UID;
	printf("payload: valid %d flags %" PRIx64 "\n", valid, copy.flags);
}

int main(int argc, char **argv)
{
	static const char *const names[] = {NULL, "", "function"}, *const files[] = {NULL, "",
										     "f.c"};
	int status = 0, failed = 0;

	for (int i = 0; argc == 2 && i < 3 * 3 * 2 * 2 * 2; i++) {
		xpti_payload payload = {.name = names[i % 3],
					.source_file = files[i / 3 % 3],
					.line_no = i / 9 % 2 * 7,
					.column_no = i / 18 % 2 * 9,
					.code_ptr_va = i / 36 ? (void *)0x1234 : NULL};
		printf("%d\n", i);
		fflush(stdout);
		if (fork() == 0) {
			const char *why = xpti_table_load(argv[1]);
			if (why)
				puts(why);
			else
				print_place(payload);
			exit(why != NULL);
		}
		wait(&status);
		failed |= status;
	}
	return failed || argc != 2;
}
