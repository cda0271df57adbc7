/* SPDX-License-Identifier: MIT */
/*
 * selection.c: see selection.h.
 */
#include "config.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/basics/basics.h"
#include "cli/read/selection.h"
#include "common/settings.h"

void selection_add(char **list, const char *globs)
{
	char *longer;

	if (asprintf(&longer, "%s%s%s", *list ? *list : "", *list ? "," : "", globs) < 0)
		need(NULL);
	free(*list);
	*list = longer;
}

/* ---- times ---- */

static const struct {
	const char *word;
	double ns;
} units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};

#define UNITS (sizeof(units) / sizeof(*units))

/* A number that is neither negative nor larger than `most`, and what is behind it. */
static bool number_take(const char **at, double most, double *number)
{
	char *end;

	if (!isdigit((unsigned char)**at) && **at != '.')
		return false;
	*number = strtod(*at, &end);
	if (end == *at || !(*number >= 0) || *number > most)
		return false;
	*at = end;
	return true;
}

/* Seconds, or another unit that is named. */
static bool point_take_number(const char **at, struct time_point *point)
{
	double number, ns = 1e9;

	if (!number_take(at, 1e15, &number))
		return false;
	for (size_t i = 0; i < UNITS; i++) {
		size_t size = strlen(units[i].word);

		if (strncmp(*at, units[i].word, size) || isalnum((unsigned char)(*at)[size]))
			continue;
		ns = units[i].ns;
		*at += size;
		break;
	}
	if (number * ns > 1e18)
		return false;
	point->ns = (uint64_t)llround(number * ns);
	return true;
}

/* "2026-11-24T04:05:44", with a part of a second or not; a Z says that it is not local time. */
static bool point_take_date(const char **at, struct time_point *point)
{
	struct tm parts = {.tm_isdst = -1};
	double part = 0;
	char *end = strptime(*at, "%Y-%m-%dT%H:%M:%S", &parts);

	if (!end)
		end = strptime(*at, "%Y-%m-%d %H:%M:%S", &parts);
	if (!end || end - *at < 19)
		return false;
	*at = end;
	if (**at == '.' && !number_take(at, 1, &part))
		return false;
	bool is_universal = **at == 'Z';
	time_t seconds = is_universal ? timegm(&parts) : mktime(&parts);

	*at += is_universal;
	if (seconds < 0)
		return false;
	point->kind = POINT_DATE;
	point->ns = (uint64_t)seconds * 1000000000u + (uint64_t)llround(part * 1e9);
	return true;
}

static void point_free(struct time_point *point)
{
	free(point->name);
	*point = (struct time_point){.kind = POINT_NONE};
}

static bool point_take(const char **at, struct time_point *point);

/* Whether the text is the end of a range: nothing, or one time. */
static bool text_is_point(const char *text)
{
	struct time_point point = {.kind = POINT_NONE};
	bool is_point = !*text || (point_take(&text, &point) && !*text);

	point_free(&point);
	return is_point;
}

/* A name may have colons itself: it ends at the last one that a time follows. */
static size_t name_length(const char *name)
{
	for (size_t size = strlen(name); size > 1; size--)
		if (name[size - 1] == ':' && text_is_point(name + size) &&
		    (name[size] || size < 2 || name[size - 2] != ':'))
			return size - 1;
	return strlen(name);
}

/* NONE: there is none here. False: it is not sound. */
static bool point_take(const char **at, struct time_point *point)
{
	if (**at == '@') {
		size_t size = name_length(++*at);

		point->kind = POINT_NAME;
		point->name = need(strndup(*at, size));
		*at += size;
		return size != 0;
	}
	if (**at == '=') {
		++*at;
		point->kind = POINT_CLOCK;
		return point_take_number(at, point);
	}
	if (point_take_date(at, point))
		return true;
	point->kind = POINT_START;
	return point_take_number(at, point);
}

static bool is_between(char letter)
{
	return letter == '-' || letter == ':';
}

/* False: no such text. */
static bool range_take(struct time_point points[2], const char *text)
{
	if (!is_between(*text) && !point_take(&text, &points[0]))
		return false;
	if (!*text && points[0].kind == POINT_NAME) {
		points[1] = (struct time_point){POINT_NAME, 0, need(strdup(points[0].name))};
		return true;
	}
	if (!is_between(*text++))
		return false;
	if (*text && !point_take(&text, &points[1]))
		return false;
	return !*text && (points[0].kind || points[1].kind);
}

bool selection_time_is_open(const struct selection *selection)
{
	return selection->points[0].kind > POINT_START || selection->points[1].kind > POINT_START;
}

bool selection_take_time(struct selection *selection, const char *text)
{
	struct time_point points[2] = {{.kind = POINT_NONE}, {.kind = POINT_NONE}};
	bool taken = range_take(points, text);

	for (int i = 0; i < 2; i++)
		point_free(&selection->points[i]);
	memcpy(selection->points, points, sizeof(points));
	selection->has_time = taken;
	selection->from = points[0].kind == POINT_START ? points[0].ns : 0;
	selection->to = points[1].kind == POINT_START ? points[1].ns : UINT64_MAX / 4;
	return taken && (selection_time_is_open(selection) || selection->to >= selection->from);
}

bool duration_take(int64_t *ns, const char *text)
{
	char *end;
	double number = strtod(text, &end);

	if (end == text || !(number >= 0))
		return false;
	for (size_t i = 0; i < UNITS; i++)
		if (!strcmp(end, units[i].word) && number * units[i].ns < 1e18) {
			*ns = (int64_t)llround(number * units[i].ns);
			return true;
		}
	return false;
}

/* ---- what is selected ---- */

bool selection_has(const char *list, const char *text, uint64_t number)
{
	char digits[24];

	if (!list || tl_glob_any(list, text))
		return true;
	snprintf(digits, sizeof(digits), "%" PRIu64, number);
	return tl_glob_any(list, digits);
}

static bool list_has(const char *list, const char *text)
{
	return text && tl_glob_any(list, text);
}

/* "queue 2, Device" */
static bool queue_is_named(const struct selection *selection, const struct selected_lane *lane)
{
	const char *comma = lane->name ? strstr(lane->name, ", ") : NULL;
	const char *device = lane->device ? lane->device : comma ? comma + 2 : NULL;

	if (selection->device && !list_has(selection->device, device) &&
	    !list_has(selection->device, lane->hardware))
		return false;
	return !selection->queue || list_has(selection->queue, lane->name) ||
	       list_has(selection->queue, lane->queue);
}

bool selection_has_lane(const struct selection *selection, const struct selected_lane *lane)
{
	bool wants_queues = selection_wants_queues(selection);

	if (!selection->thread && !wants_queues)
		return true;
	if (selection->thread &&
	    (list_has(selection->thread, lane->name) || list_has(selection->thread, lane->number)))
		return true;
	return wants_queues && lane->is_queue && queue_is_named(selection, lane);
}

bool selection_has_request(const struct selection *selection, const char *id)
{
	if (!selection->request)
		return true;
	return id && *id && strcmp(id, "0") != 0 && strcmp(id, "-") != 0 &&
	       tl_glob_any(selection->request, id);
}

bool selection_is_within(const struct selection *selection)
{
	return selection->has_time || selection->thread || selection->name || selection->queue ||
	       selection->device || selection->request || selection->failed || selection->longer;
}

bool selection_is_any(const struct selection *selection)
{
	return selection_is_within(selection) || selection->process || selection->ranks;
}

void selection_say_empty(size_t files)
{
	say("%s nothing that is selected; see --name, --thread, --time and the other options that select",
	    files == 1 ? "the trace has" : "the traces have");
}

void selection_free(struct selection *selection)
{
	free(selection->process);
	free(selection->thread);
	free(selection->name);
	free(selection->queue);
	free(selection->device);
	free(selection->request);
	for (int i = 0; i < 2; i++)
		point_free(&selection->points[i]);
}

/* ---- the options ---- */

enum {
	OPTION_TIME = 0x1000,
	OPTION_PROCESS,
	OPTION_THREAD,
	OPTION_QUEUE,
	OPTION_DEVICE,
	OPTION_NAME,
	OPTION_REQUEST,
	OPTION_FAILED,
	OPTION_LONGER
};

/* In three tables, because not every command has a use for all. */
static const struct argp_option thread_options[] = {
	{"time", OPTION_TIME, "FROM:TO", 0,
	 "only what lies in this time: seconds from the start of the trace (or 5ms), a date as 2026-11-24T04:05:44, =SECONDS of the trace's "
	 "clock, or @NAME, the first slice or mark of that name; either may be missing. @NAME alone: while that lasts",
	 0},
	{"process", OPTION_PROCESS, "GLOBS", 0,
	 "only processes whose program or number these globs match; commas between them", 0},
	{"thread", OPTION_THREAD, "GLOBS", 0,
	 "only threads and queues whose name or number these globs match", 0},
	{"name", OPTION_NAME, "GLOBS", 0,
	 "only calls, events and commands whose name these globs match", 0},
	{0},
};

static const struct argp_option length_options[] = {
	{"longer-than", OPTION_LONGER, "TIME", 0, "only what took so long, like 500us, 1ms or 2s",
	 0},
	{0},
};

static const struct argp_option call_options[] = {
	{"queue", OPTION_QUEUE, "GLOBS", 0,
	 "only commands of queues whose name or number these globs match; calls only with --thread",
	 0},
	{"device", OPTION_DEVICE, "GLOBS", 0,
	 "only commands of devices whose name, bus address or UUID these globs match; calls only with --thread",
	 0},
	{"request", OPTION_REQUEST, "GLOBS", 0, "only what belongs to requests of these numbers",
	 0},
	{"failed", OPTION_FAILED, NULL, 0, "only calls that failed", 0},
	{0},
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct selection *selection = state->input;

	switch (key) {
	case OPTION_TIME:
		if (!selection_take_time(selection, argument))
			option_refuse(
				state,
				"--time=%s: give two times, such as 0.5:2, 500ms:, :2026-11-24T04:05:44 or @begin:@end, or one @NAME",
				argument);
		return 0;
	case OPTION_PROCESS:
		selection_add(&selection->process, argument);
		return 0;
	case OPTION_THREAD:
		selection_add(&selection->thread, argument);
		return 0;
	case OPTION_QUEUE:
		selection_add(&selection->queue, argument);
		return 0;
	case OPTION_DEVICE:
		selection_add(&selection->device, argument);
		return 0;
	case OPTION_NAME:
		selection_add(&selection->name, argument);
		return 0;
	case OPTION_REQUEST:
		selection_add(&selection->request, argument);
		return 0;
	case OPTION_FAILED:
		selection->failed = true;
		return 0;
	case OPTION_LONGER:
		if (!duration_take(&selection->longer, argument))
			option_refuse(
				state,
				"--longer-than=%s: give a number and ns, us, ms or s, like 1ms",
				argument);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

const struct argp selection_threads_argp = {.options = thread_options, .parser = parse_option};

/* The one child parses into the same selection. */
static error_t parse_more(int key, char *argument, struct argp_state *state)
{
	if (key != ARGP_KEY_INIT)
		return parse_option(key, argument, state);
	state->child_inputs[0] = state->input;
	return 0;
}

static const struct argp_child threads_child[] = {{&selection_threads_argp, 0, NULL, 0}, {0}};

const struct argp selection_marks_argp = {
	.options = length_options, .parser = parse_more, .children = threads_child};

static const struct argp_child marks_child[] = {{&selection_marks_argp, 0, NULL, 0}, {0}};

const struct argp selection_argp = {
	.options = call_options, .parser = parse_more, .children = marks_child};
