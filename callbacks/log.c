/* SPDX-License-Identifier: MIT */
/*
 * log: one line per call, written when the call ends.
 *
 * 	PID-OF-THREAD SECONDS  NAME(parameter=value, …) = RESULT <DURATION>
 *
 * Seconds count from the first call and are those of the call's beginning. Calls inside other calls
 * are indented by two for each. With the option `begin`, a line is also written before the driver
 * is called, so that a call that never ends, or crashes, is the log's last line.
 *
 * Each line goes out by one write(2) of no more than PIPE_BUF bytes: lines of many threads and
 * processes stay whole, nothing is buffered, and there is no lock. It is not made on the stack,
 * which may be small.
 */
#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "callbacks/tool_common.h"
#include "common/workspace.h"

#define LINE   PIPE_BUF
#define RESULT 2048	      /* bytes of a result: more than any text's, escaped */
#define TAIL   (RESULT + 200) /* bytes of result and duration */

const unsigned tl_tool_version = TL_TOOL_VERSION;

static struct output output;
static uint64_t started; /* nanoseconds */
static __thread int tid;

/* A line under construction. */
struct line {
	char *at, *end;
};

/* What a line is made in. */
struct line_memory {
	char text[LINE], tail[TAIL], json[LINE], merged[LINE];
};

static struct tl_workspaces workspaces = {.size = sizeof(struct line_memory)};
static struct tl_workspaces inputs = {.size = LINE}; /* arguments as they were before a call */
static bool begins;				     /* have lines, too */

static void line_put(struct line *line, const char *bytes, size_t size)
{
	if (size > (size_t)(line->end - line->at))
		size = (size_t)(line->end - line->at);
	memcpy(line->at, bytes, size);
	line->at += size;
}

static void line_put_string(struct line *line, const char *string)
{
	line_put(line, string, strlen(string));
}

/* ---- JSON to what reads well in a line ---- */

/* digits; integers beyond 2^53, which have so many, come as text (tracelayer-trace(5)) */
#define LONG_NUMBER 16

static bool json_is_long_number(const char *text, size_t size)
{
	size_t sign = size > 0 && text[0] == '-';

	for (size_t i = sign; i < size; i++)
		if (!isdigit((unsigned char)text[i]))
			return false;
	return size - sign >= LONG_NUMBER;
}

/*
 * A value that nobody takes for a string, so that it needs no quotes: an address, a number, or
 * enumerators and flags.
 */
static bool text_is_plain(const char *text, size_t size)
{
	if (json_is_long_number(text, size))
		return true;
	if (size > 2 && text[0] == '0' && text[1] == 'x') {
		for (size_t i = 2; i < size; i++)
			if (!isxdigit((unsigned char)text[i]))
				return false;
		return true;
	}
	for (size_t i = 0; i < size; i++)
		if (!isupper((unsigned char)text[i]) && !isdigit((unsigned char)text[i]) &&
		    !strchr("_|+ ", text[i]))
			return false;
	return size > 0 && isupper((unsigned char)text[0]);
}

/* What a value was printed of. */
struct printed {
	const struct tl_type *type; /* NULL: not known */
	const void *place;	    /* of a parameter or the result itself, otherwise NULL */
};

/* What lists and structs that are not at their end yet were printed of. */
#define NESTED 16

struct nested {
	unsigned depth;
	struct printed within[NESTED];
};

static bool type_is_string(const struct tl_type *type)
{
	return type->kind == TL_KIND_POINTER && type->target && type->target->kind == TL_KIND_CHAR;
}

static struct printed param_find(const struct tl_view *view, const char *name, size_t size)
{
	const struct tl_function *function = view->function;

	for (uint32_t i = 0; i < function->count; i++)
		if (!strncmp(function->params[i].name, name, size) &&
		    !function->params[i].name[size])
			return (struct printed){function->params[i].type, view->params[i]};
	return (struct printed){NULL, NULL};
}

/* What pointers and arrays lead to; NULL where that has no type. */
static const struct tl_type *type_innermost(const struct tl_type *type)
{
	while (type && (type->kind == TL_KIND_POINTER || type->kind == TL_KIND_ARRAY))
		type = type->target;
	return type;
}

static struct printed member_find(const struct tl_type *type, const char *name, size_t size)
{
	const struct tl_type *whole = type_innermost(type);

	if (whole && (whole->kind == TL_KIND_STRUCT || whole->kind == TL_KIND_UNION))
		for (uint32_t i = 0; i < whole->count; i++)
			if (!strncmp(whole->members[i].name, name, size) &&
			    !whole->members[i].name[size])
				return (struct printed){whole->members[i].type, NULL};
	return (struct printed){NULL, NULL};
}

static void nested_enter(struct nested *nested, const struct printed *printed)
{
	if (nested->depth < NESTED)
		nested->within[nested->depth] = (struct printed){printed->type, NULL};
	nested->depth++;
}

/* What the list or struct around a value was printed of, where that is known. */
static struct printed nested_within(const struct nested *nested)
{
	return nested->depth && nested->depth <= NESTED ? nested->within[nested->depth - 1]
							: (struct printed){NULL, NULL};
}

static bool text_is_address(const char *text, size_t size)
{
	return size > 2 && text[0] == '0' && text[1] == 'x' && text_is_plain(text, size);
}

/*
 * Whether the text is that of the program. In its place stands the address where the pointer is
 * NULL or leads nowhere.
 */
static bool printed_is_string(const struct printed *printed, const char *text, size_t size)
{
	char address[32];

	if (!printed->place || !type_is_string(printed->type))
		return !text_is_address(text, size);
	snprintf(address, sizeof(address), "0x%" PRIxPTR, *(const uintptr_t *)printed->place);
	return strlen(address) != size || memcmp(address, text, size) != 0;
}

/* What stands for a list or a struct that has nothing in it, or for elements that are not shown. */
static bool text_is_remark(const char *text, size_t size)
{
	const size_t dots = strlen("…");

	return (size == 2 && (!memcmp(text, "[]", 2) || !memcmp(text, "{}", 2))) ||
	       (size >= dots && !memcmp(text, "…", dots));
}

/* Whether a value needs no quotes: all have none but the program's texts. */
static bool printed_is_plain(const struct printed *printed, const char *text, size_t size)
{
	const struct tl_type *type = type_innermost(printed->type);

	if (!printed->type)
		return text_is_plain(text, size);
	switch (type ? type->kind : TL_KIND_VOID) {
	case TL_KIND_CHAR:
		return printed->type != type && !printed_is_string(printed, text, size);
	case TL_KIND_VOID: /* bytes of any kind; what looks like text is shown as that */
		return text_is_address(text, size);
	case TL_KIND_ENUM:
	case TL_KIND_FLAGS: /* also names in lower case */
		return true;
	case TL_KIND_FLOAT: /* NaN and Infinity are, the bytes of a long double are not */
		return !memchr(text, ' ', size) || text_is_remark(text, size);
	default:
		return text_is_plain(text, size) || text_is_remark(text, size);
	}
}

/* A JSON string that begins at `json`: where it ends, behind its quote. */
static const char *json_string_end(const char *json)
{
	for (json++; *json && *json != '"'; json++)
		if (*json == '\\' && json[1])
			json++;
	return *json ? json + 1 : json;
}

/* {"a":"0x1","b":{"c":"X"}} becomes a=0x1, b={c=X}; strings of the program keep their quotes. */
static void line_put_plain(struct line *line, const struct tl_view *view, struct printed printed,
			   const char *json)
{
	struct nested nested = {.depth = 0};

	while (*json) {
		if (*json == '"') {
			const char *end = json_string_end(json), *name = json + 1;
			size_t size = (size_t)(end - json) - 2, length = strcspn(name, ":\"");
			if (*end == ':') {
				printed = nested.depth ? member_find(nested_within(&nested).type,
								     name, length)
						       : param_find(view, name, length);
				line_put(line, name, size);
				line_put(line, "=", 1);
				end++;
			} else if (printed_is_plain(&printed, name, size)) {
				line_put(line, name, size);
			} else {
				line_put(line, json, size + 2);
			}
			json = end;
			continue;
		}
		if (*json == '{' || *json == '[') {
			nested_enter(&nested, &printed);
			printed.place = NULL;
		} else if (*json == '}' || *json == ']') {
			printed = nested_within(&nested);
			nested.depth--;
		}
		line_put(line, json, 1);
		if (*json == ',')
			line_put(line, " ", 1);
		json++;
	}
}

/* Where the value that begins at `json` ends: at a comma, a bracket that it did not open, or the end. */
static const char *json_value_end(const char *json)
{
	unsigned depth = 0;

	while (*json && (depth || !strchr(",}]", *json))) {
		depth += *json == '{' || *json == '[';
		depth -= *json == '}' || *json == ']';
		json = *json == '"' ? json_string_end(json) : json + 1;
	}
	return json;
}

/* Of the members that `json` begins with: the value of the one with this key, with its quotes; NULL: none. */
static const char *json_member(const char *json, const char *key, size_t size)
{
	while (*json == '"') {
		const char *end = json_string_end(json);
		if ((size_t)(end - json) == size && !memcmp(json, key, size) && *end == ':')
			return end + 1;
		json = json_value_end(end);
		json += *json == ',';
	}
	return NULL;
}

static bool param_is_input(const struct tl_view *view, const char *name)
{
	const struct tl_function *function = view->function;
	size_t size = strcspn(name, ":\"");

	for (uint32_t i = 0; i < function->count; i++)
		if (!strncmp(function->params[i].name, name, size) &&
		    !function->params[i].name[size])
			return !(function->params[i].direction & TL_OUT);
	return false;
}

/*
 * The members of `after`, where an input's value is that of `before`: the call may have changed or
 * freed the memory since, as MPI_Waitall does with its requests. Whole members only.
 */
static void json_merge(char *to, size_t room, const struct tl_view *view, const char *after,
		       const char *before)
{
	char *at = to, *limit = to + room - 1;

	while (*after == '"') {
		const char *key = after, *value = json_string_end(key) + 1, *taken = NULL;
		size_t size = (size_t)(value - 1 - key);

		after = json_value_end(value);
		if (param_is_input(view, key + 1))
			taken = json_member(before, key, size);
		taken = taken ? taken : value;
		size_t length = (size_t)(json_value_end(taken) - taken);
		if (size + length + 2 > (size_t)(limit - at))
			break;
		if (at > to)
			*at++ = ',';
		memcpy(at, key, size);
		at[size] = ':';
		memcpy(at + size + 1, taken, length);
		at += size + 1 + length;
		after += *after == ',';
	}
	*at = 0;
}

/* ---- lines ---- */

static void line_put_begin(struct line *line, const struct tl_view *view, uint64_t ns)
{
	char text[64];
	uint64_t since = ns > started ? ns - started : 0;

	if (!tid)
		tid = (int)syscall(SYS_gettid);
	snprintf(text, sizeof(text), "%d %llu.%06llu  ", tid,
		 (unsigned long long)(since / 1000000000),
		 (unsigned long long)(since / 1000 % 1000000));
	line_put_string(line, text);
	for (uint32_t i = 0; i < view->depth && i < 20; i++)
		line_put(line, "  ", 2);
}

static bool function_has_outputs(const struct tl_function *function)
{
	for (uint32_t i = 0; i < function->count; i++)
		if (function->params[i].direction & TL_OUT)
			return true;
	return false;
}

/* The arguments as the call's line shows them. `before`: what was printed before the call, or NULL. */
static const char *call_print(const struct tl_view *view, struct line_memory *memory,
			      const char *before)
{
	if (before && (!view->end || !function_has_outputs(view->function)))
		return before;
	tl_view_print(view, memory->json, sizeof(memory->json));
	if (!before)
		return memory->json;
	json_merge(memory->merged, sizeof(memory->merged), view, memory->json, before);
	return memory->merged;
}

/* Replace the part that does not fit by dots. */
static void line_put_call(struct line *line, const struct tl_view *view, struct line_memory *memory,
			  const char *before)
{
	line_put_string(line, view->function->name);
	line_put(line, "(", 1);
	line_put_plain(line, view, (struct printed){NULL, NULL}, call_print(view, memory, before));
	if (line->at == line->end)
		memcpy(line->at - 3, "...", 3);
}

static void line_put_result(struct line *line, const struct tl_view *view,
			    struct line_memory *memory)
{
	char text[64];
	uint64_t ns = tl_ticks_ns(view->end) - tl_ticks_ns(view->start);

	line_put_string(line, ")");
	if (view->flags & TL_VIEW_UNWOUND) {
		line_put_string(line, " left without a result");
	} else if (tl_view_print_result(view, memory->json, RESULT)) {
		line_put_string(line, " = ");
		line_put_plain(line, view, (struct printed){view->function->result, view->result},
			       memory->json);
	} else if (view->function->result->kind != TL_KIND_VOID) {
		line_put_string(line, " = ...");
	}
	if (view->flags & TL_VIEW_SKIPPED)
		line_put_string(line, " (the driver was not called)");
	snprintf(text, sizeof(text), " <%llu.%03llu us>\n", (unsigned long long)(ns / 1000),
		 (unsigned long long)(ns % 1000));
	line_put_string(line, text);
}

/* The line of a call that begins at `ns`, and what stands behind its arguments. */
static void line_write(struct line_memory *memory, const struct tl_view *view, uint64_t ns,
		       const char *before, size_t tail)
{
	struct line line = {memory->text, memory->text + sizeof(memory->text) - tail};

	line_put_begin(&line, view, ns);
	line_put_call(&line, view, memory, before);
	line.end = memory->text + sizeof(memory->text);
	line_put(&line, memory->tail, tail);
	output_write(&output, memory->text, (size_t)(line.at - memory->text));
}

static void line_write_begin(const struct tl_view *view, const char *before)
{
	static const char open_end[] = ") ...\n";
	struct line_memory *memory = tl_workspace_take(&workspaces);

	if (!memory)
		return;
	memcpy(memory->tail, open_end, sizeof(open_end) - 1);
	line_write(memory, view, tl_ticks_ns(tl_ticks_now()), before, sizeof(open_end) - 1);
	tl_workspace_give_back(memory);
}

static enum tl_verdict log_before(const struct tl_view *view, void *user_data, void **instance_data)
{
	if (begins || view->function->flags & TL_FUNCTION_FOLLOWS)
		*instance_data = tl_workspace_take(&inputs);
	if (*instance_data)
		tl_view_print(view, *instance_data, LINE);
	if (begins)
		line_write_begin(view, *instance_data);
	return TL_GO_ON;
}

static void log_after(const struct tl_view *view, void *user_data, void **instance_data)
{
	struct line_memory *memory = tl_workspace_take(&workspaces);

	if (memory) {
		struct line tail = {memory->tail, memory->tail + sizeof(memory->tail)};
		line_put_result(&tail, view, memory);
		line_write(memory, view, tl_ticks_ns(view->start), *instance_data,
			   (size_t)(tail.at - memory->tail));
		tl_workspace_give_back(memory);
	}
	if (*instance_data)
		tl_workspace_give_back(*instance_data);
}

/* ---- the beginning ---- */

/* Options have commas between them, so globs have plus signs. */
static void globs_read(char *globs, const char *value)
{
	do
		*globs++ = *value == '+' ? ',' : *value;
	while (*value++);
}

static void log_after_fork(void)
{
	tid = 0;
	output_after_fork(&output);
}

int tl_tool_start(const struct tl_tool_host *host)
{
	const char *options = host->options;
	static struct option option;
	static char file[sizeof(option.value)] = "", globs[sizeof(option.value)] = "*";
	int status = options_check(host);

	if (status)
		return status;
	while (option_next(&options, &option)) {
		if (option_is(&option, "file"))
			strcpy(file, option.value);
		else if (option_is(&option, "begin"))
			begins = true;
		else if (option_is(&option, "calls"))
			globs_read(globs, option.value);
		else
			return refuse(host, "no such option: %s; give file, calls or begin",
				      option.key);
	}
	status = output_open(&output, host, file);
	if (status)
		return status;
	pthread_atfork(NULL, NULL, log_after_fork);
	started = tl_ticks_ns(tl_ticks_now());
	return trace(host, globs, log_before, log_after);
}
