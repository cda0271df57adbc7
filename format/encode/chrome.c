/* SPDX-License-Identifier: MIT */
/*
 * chrome.c: see chrome.h.
 *
 *	{"ph":"X","pid":7,"name":"zeEventQueryStatus","cat":"level-zero,runtime","tid":8,
 *	 "ts":1.234,"dur":0.100,"args":{"hEvent":"0x10","result":"ZE_RESULT_SUCCESS"}}
 *
 * What is the same in every call of a function comes first, and is copied as one piece. ts and dur
 * are microseconds, written from whole nanoseconds, so that ts+dur of one event is exactly what its
 * clock read. A slice that touches the one before it has a fourth decimal in both: touching.h.
 */
#include "format/encode/chrome.h"

#include <string.h>

#include "common/digits.h"
#include "format/encode/encoder.h"
#include "format/encode/further_lanes.h"
#include "format/encode/stack_frames_text.h"
#include "common/levels.h"
#include "common/stages.h"

/* All that an event has besides its name and its arguments takes less. */
#define FIXED_MAX 1024
/* Names of functions may be longer: templates of C++ have such. Their beginning is shown. */
#define NAME_SHOWN 4096
/* Most that a head takes whose names have TL_CHROME_KEPT bytes together. */
#define HEAD_MAX 1536
/* Kept free behind the arguments: result, "unwound", "cut", and the closing braces. */
#define TAIL_MAX 2048
/* The name of a further lane. */
#define FURTHER_MAX 256

#define TEN_8 100000000u

static size_t name_shown(const char *name)
{
	size_t size = strlen(name), shown = NAME_SHOWN - 3;

	if (size <= NAME_SHOWN)
		return size;
	while ((name[shown] & 0xc0) == 0x80)
		shown--;
	return shown;
}

static void chrome_name(struct tl_text *text, const char *name)
{
	size_t shown = name_shown(name);

	tl_text_escape(text, name, shown);
	if (name[shown])
		tl_text_string(text, "…");
}

/*
 * Most that a head takes; the longest escape of a character has six. A head that is kept is one of
 * short names.
 */
static size_t head_room(const struct tl_function *function, const struct tl_chrome_name *name)
{
	size_t shown = name ? 0 : name_shown(function->name) + name_shown(function->api->name);

	return shown <= TL_CHROME_KEPT ? HEAD_MAX : HEAD_MAX + 6 * shown;
}

/* Everything up to the category, without its closing quote: an event that failed adds to it. */
static void chrome_head(const struct tl_chrome *chrome, struct tl_text *text,
			const struct tl_function *function)
{
	tl_text_string(text, ",\n{\"ph\":\"X\",\"pid\":");
	tl_text_unsigned(text, chrome->pid);
	tl_text_string(text, ",\"name\":\"");
	chrome_name(text, function->name);
	tl_text_string(text, "\",\"cat\":\"");
	chrome_name(text, function->api->name);
	tl_text_levels(text, function->level);
	tl_text_stage(text, function);
}

/* Completely, or not at all. */
static void chrome_result(struct tl_text *text, const struct tl_function *function, uint64_t result,
			  bool comma)
{
	struct tl_text whole = {text->at, text->end, false};

	tl_text_string(&whole, comma ? ",\"result\":" : "\"result\":");
	tl_value_print(&whole, function->result, &result);
	if (!whole.cut)
		text->at = whole.at;
}

static void name_make(const struct tl_chrome *chrome, struct tl_chrome_name *name,
		      const struct tl_function *function)
{
	struct tl_text text = {name->text, name->text + TL_CHROME_KEPT, false};

	chrome_head(chrome, &text, function);
	name->head = text.cut ? 0 : text.at - name->text;
	name->result = 0;
	name->zero_failed = tl_call_failed(function, 0);
	name->has_result = tl_call_has_result(function);
	name->function = function;
	tl_args_plan_make(&name->plan, function);
	name->is_plain = name->head && name->plan.is_whole;
	if (!name->head || !name->has_result)
		return;
	char *result = text.at;
	chrome_result(&text, function, 0, true);
	name->result = text.at - result;
}

/* NULL: the function's name is too long to be kept. */
static struct tl_chrome_name *name_of_function(const struct tl_chrome *chrome,
					       const struct tl_function *function, uint32_t id)
{
	if (!chrome->names)
		return NULL;
	struct tl_chrome_name *name = &chrome->names[(id + (id >> 16) * 397) % TL_CHROME_NAMES];
	if (name->function != function)
		name_make(chrome, name, function);
	return name->head ? name : NULL;
}

/* The arguments, with room left for what follows them. Returns whether some were left out. */
static bool chrome_args(struct tl_text *text, const struct tl_function *function,
			const struct tl_chrome_name *name, const struct tl_args_kept *kept)
{
	struct tl_text args = {text->at, text->end - TAIL_MAX, false};

	if (!kept->words || !function->count)
		return false;
	if (name)
		tl_args_plan_print(&name->plan, &args, kept);
	else
		tl_args_print(&args, function, kept);
	text->at = args.at;
	return args.cut;
}

static char *chrome_head_of_call(const struct tl_chrome *chrome, char *at,
				 const struct tl_function *function,
				 const struct tl_chrome_name *name)
{
	struct tl_text head = {at, at + head_room(function, name), false};

	if (name)
		return tl_text_copy_pieces(at, name->text, name->head);
	chrome_head(chrome, &head, function);
	return head.at;
}

/*
 * Up to where `ns` has its last eight digits, which are 0 to 10^8 - 1 more than .from. Returns whether
 * there are such digits.
 */
static bool time_make(struct tl_chrome_time *time, uint32_t tid, uint64_t ns)
{
	char text[TL_CHROME_TIME + TL_DECIMAL_ROOM], *at = text;

	_Static_assert(sizeof("\",\"tid\":4294967295,\"ts\":184467440737") - 1 <= TL_CHROME_TIME,
		       "it fits");
	time->size = 0;
	/* No leading zeros, and the sum of .from and eight digits fits. */
	if (ns < TEN_8 || ns > UINT64_MAX - TEN_8)
		return false;
	at = PUT(at, "\",\"tid\":");
	at = tl_digits_decimal(at, tid);
	at = PUT(at, ",\"ts\":");
	at = tl_digits_decimal(at, ns / TEN_8);
	*time = (struct tl_chrome_time){
		.from = ns - ns % TEN_8, .tid = tid, .size = (uint32_t)(at - text)};
	memcpy(time->text, text, time->size);
	return true;
}

/* The end of the category, the thread, and when the call began. */
static inline char *chrome_start(const struct tl_chrome *chrome, char *at, uint32_t tid,
				 uint64_t start)
{
	struct tl_chrome_time *time = chrome->time;

	if (time && ((time->size && time->tid == tid && start - time->from < TEN_8) ||
		     time_make(time, tid, start))) {
		memcpy(at, time->text, sizeof(time->text));
		return tl_digits_put_microseconds(at + time->size, (uint32_t)(start - time->from));
	}
	at = PUT(at, "\",\"tid\":");
	at = tl_digits_decimal(at, tid);
	at = PUT(at, ",\"ts\":");
	return tl_digits_microseconds(at, start);
}

/* A part of a function's event begins. */
static inline void chrome_hint(const struct tl_chrome *chrome, const char *at, uint32_t *place)
{
	if (chrome->hints && place)
		tl_repeat_hint(chrome->hints, at, place);
}

/* An event begins. The two braces that end the one before are alike, too. */
static inline void chrome_hint_head(const struct tl_chrome *chrome, const char *at,
				    struct tl_chrome_name *name)
{
	if (chrome->hints && name)
		tl_repeat_hint(chrome->hints, at - 2 * (at - chrome->hints->base >= 2),
			       &name->places.head);
}

/* Where and when a call is drawn. */
struct span {
	uint64_t start, end; /* nanoseconds */
	uint32_t tid, further;
	bool moves;
};

static inline struct span chrome_span(const struct tl_chrome *chrome, uint32_t tid,
				      const struct tl_call_record *record)
{
	uint64_t stop = tl_record_end(record->start, record->duration);
	struct span span = {.start = chrome->ns(chrome->source, record->start), .tid = tid};
	uint64_t end = chrome->ns(chrome->source, stop);

	span.end = end > span.start ? end : span.start;
	if (chrome->touching) {
		struct tl_touching_place place =
			tl_touching_next(chrome->touching, tid, span.start, span.end,
					 chrome->further_lanes && !tl_further_is_lane(tid));

		span.moves = place.moves;
		span.further = place.further;
		span.tid = tl_further_lane(tid, place.further);
	}
	return span;
}

/* The name of a further lane, once in a block. There is room for it. */
static __attribute__((noinline)) void chrome_tell_further(const struct tl_chrome *chrome,
							  struct tl_text *text, uint32_t tid,
							  uint32_t further)
{
	char args[80];
	struct tl_text name = {args, args + sizeof(args) - 1, false};

	if (tl_touching_told(chrome->touching, tid, further))
		return;
	tl_text_string(&name, "\"name\":\"" TL_FURTHER_NAME);
	tl_text_unsigned(&name, tid);
	tl_text_string(&name, "\",\"" TL_FURTHER_THREAD "\":");
	tl_text_unsigned(&name, tid);
	*name.at = 0;
	tl_chrome_metadata(chrome, text, tl_further_lane(tid, further), "thread_name", args);
}

static inline char *chrome_times(const struct tl_chrome *chrome, char *at, const struct span *span,
				 uint32_t *place)
{
	uint64_t start = span->start, end = span->end;
	bool moves = span->moves;

	at = chrome_start(chrome, at, span->tid, start);
	chrome_hint(chrome, at, place);
	if (moves)
		at = PUT(at, "2,\"dur\":");
	else
		at = PUT(at, ",\"dur\":");
	if (end == start)
		return chrome->touching ? PUT(at, "0.0001") : PUT(at, "0.000");
	at = tl_digits_microseconds(at, end - start - moves);
	return moves ? PUT(at, "8") : at;
}

/* With the text that it leads to, or with errno. */
static void chrome_told_result(struct tl_text *text, const struct tl_function *function,
			       const struct tl_args_kept *kept, uint64_t result, bool comma)
{
	struct tl_text whole = {text->at + comma, text->end, false};

	tl_args_visit_result(&tl_json_sink, &whole, function, kept, result);
	if (whole.at == text->at + comma)
		return;
	if (comma)
		*text->at = ',';
	text->at = whole.at;
}

static void chrome_call_result(struct tl_text *text, const struct tl_function *function,
			       const struct tl_chrome_name *name, const struct tl_args_kept *kept,
			       uint64_t result, bool first)
{
	if (kept->result)
		chrome_told_result(text, function, kept, result, !first);
	else if (!name)
		chrome_result(text, function, result, !first);
	else if (!result && name->result)
		text->at = tl_text_copy_pieces(text->at, name->text + name->head + first,
					       name->result - (size_t)first);
	else
		tl_args_plan_result(&name->plan, text, result, first);
}

static char *chrome_number(char *at, const char *key, uint32_t number)
{
	size_t size = strlen(key);

	at = PUT(at, ",\"");
	at = (char *)memcpy(at, key, size) + size;
	at = PUT(at, "\":");
	return tl_digits_decimal(at, number);
}

static char *chrome_cause(char *at, const struct tl_function *function, struct tl_cause cause)
{
	if (cause.correlation)
		at = chrome_number(at, tl_args_own_key(function, "tracelayer_correlation"),
				   cause.correlation);
	if (cause.request)
		at = chrome_number(at, tl_args_own_key(function, "tracelayer_request"),
				   cause.request);
	return at;
}

/* Room is left for the arguments' braces and what follows them. */
static char *chrome_stack(const struct tl_chrome *chrome, char *at, const char *end, uint32_t stack)
{
	struct tl_chrome_stack *kept =
		&chrome->kept_stacks[stack * 0x9e3779b1u >> 26 & (TL_CHROME_STACKS - 1)];
	struct tl_text text = {at, (char *)end - FIXED_MAX - TAIL_MAX, false};

	if (kept->number == stack) {
		tl_text_put(&text, kept->text, kept->size);
		return text.at;
	}
	tl_json_stack(chrome->stacks, &text, stack);
	if (text.at - at <= TL_CHROME_STACK_KEPT && text.at > at) {
		kept->number = stack;
		kept->size = (uint32_t)(text.at - at);
		memcpy(kept->text, at, kept->size);
	}
	return text.at;
}

/*
 * Whether it is a call that has returned, and of which nothing is kept but its arguments' words. Most
 * are such.
 */
static inline bool call_is_plain(const struct tl_call_record *record,
				 const struct tl_chrome_name *name)
{
	return name && name->is_plain && !(record->flags & ~TL_RECORD_WORDS);
}

/*
 * The end of a plain call, from its arguments on. Each member gets a comma, and the first comma becomes
 * the brace. NULL: this is not for here.
 */
static inline char *chrome_plain_end(const struct tl_chrome *chrome, const struct tl_text *text,
				     char *at, const struct tl_call_record *record,
				     struct tl_chrome_name *name)
{
	size_t words = record->flags & TL_RECORD_WORDS ? name->function->words : 0;
	ptrdiff_t rest = text->end - at - (FIXED_MAX + TAIL_MAX) - name->plan.room;
	char *args, *starts[TL_PLAN_STEPS];

	if (rest < 0)
		return NULL;
	chrome_hint(chrome, at, &name->places.args);
	at = args = PUT(at, ",\"args\":");
	if (words)
		at = tl_args_plan_put(&name->plan, at, (size_t)rest,
				      (const uint64_t *)(const void *)(record + 1),
				      chrome->hints ? starts : NULL);
	if (!at)
		return NULL;
	/* The first member's name follows the part before it. */
	for (unsigned i = 1; chrome->hints && words && i < name->plan.count; i++)
		tl_repeat_hint(chrome->hints, starts[i], &name->places.steps[i]);
	chrome_hint(chrome, at, &name->places.end);
	if (name->has_result && !record->result && name->result) {
		at = tl_text_copy_pieces(at, name->text + name->head, name->result);
	} else if (name->has_result) {
		struct tl_text whole = {at, text->end - 2, false};

		tl_args_plan_result(&name->plan, &whole, record->result, false);
		if (whole.cut)
			return NULL;
		at = whole.at;
	}
	at += at == args;
	*args = '{';
	return PUT(at, "}}");
}

/* The end of any call, from its arguments on. */
static void chrome_call_end(struct tl_text *text, const struct tl_function *function,
			    const struct tl_call_record *record, const struct tl_chrome_name *name,
			    const struct tl_args_kept *kept, bool returned)
{
	bool was_cut = text->cut;
	char *first = PUT(text->at, ",\"args\":{"), *at;

	text->at = first;
	bool cut = chrome_args(text, function, name, kept) || (record->flags & TL_RECORD_CUT);
	if (returned)
		chrome_call_result(text, function, name, kept, record->result, text->at == first);
	text->cut = was_cut;
	at = text->at;
	if (record->flags & TL_RECORD_UNWOUND)
		at = PUT(at, ",\"unwound\":true");
	if (cut)
		at = PUT(at, ",\"cut\":true");
	if (record->flags & TL_RECORD_CAUSE)
		at = chrome_cause(at, function, tl_record_cause(record));
	/* There was nothing before the first of these: remove its comma. */
	if (text->at == first && at != first)
		memmove(first, first + 1, --at - first);
	text->at = PUT(at, "}}");
}

static bool chrome_call(const struct tl_chrome *chrome, struct tl_text *text, uint32_t tid,
			const struct tl_call_record *record, const struct tl_function *function)
{
	struct tl_chrome_name *name = name_of_function(chrome, function, record->function);
	bool plain = call_is_plain(record, name);
	struct tl_args_kept kept;

	if (plain && record->flags & TL_RECORD_WORDS &&
	    record->size < sizeof(*record) / 8 + function->words)
		return false;
	if (!plain && !tl_args_find(&kept, function, record))
		return false;
	if ((size_t)(text->end - text->at) <
	    FURTHER_MAX + FIXED_MAX + head_room(function, name) + TAIL_MAX) {
		text->cut = true;
		return true;
	}
	bool returned = !(record->flags & TL_RECORD_UNWOUND) &&
			(name ? name->has_result : tl_call_has_result(function));
	bool failed =
		returned && (record->result || !name ? tl_call_failed(function, record->result)
						     : name->zero_failed);
	struct span span = chrome_span(chrome, tid, record);

	if (span.further)
		chrome_tell_further(chrome, text, tid, span.further);
	chrome_hint_head(chrome, text->at, name);
	char *at = chrome_head_of_call(chrome, text->at, function, name);
	if (failed)
		at = PUT(at, ",failed");
	at = chrome_times(chrome, at, &span, name ? &name->places.duration : NULL);
	if (plain) {
		char *end = chrome_plain_end(chrome, text, at, record, name);

		if (end) {
			text->at = end;
			return true;
		}
		tl_args_find(&kept, function, record);
	}
	uint32_t stack = chrome->stacks ? tl_record_stack(record) : 0;
	if (stack)
		at = chrome_stack(chrome, at, text->end, stack);
	chrome_hint(chrome, at, name ? &name->places.args : NULL);
	text->at = at;
	chrome_call_end(text, function, record, name, &kept, returned);
	return true;
}

static void chrome_lost(const struct tl_chrome *chrome, struct tl_text *text, uint32_t tid,
			const struct tl_call_record *record)
{
	if (text->end - text->at < FIXED_MAX) {
		text->cut = true;
		return;
	}
	char *at = PUT(text->at, ",\n{\"ph\":\"i\",\"s\":\"t\",\"pid\":");
	at = tl_digits_decimal(at, chrome->pid);
	at = PUT(at, ",\"name\":\"lost\",\"cat\":\"tracelayer\",\"tid\":");
	at = tl_digits_decimal(at, tid);
	at = PUT(at, ",\"ts\":");
	at = tl_digits_microseconds(at, chrome->ns(chrome->source, record->start));
	at = PUT(at, ",\"args\":{\"events\":");
	/* Some parsers know no larger integers. */
	at = tl_digits_decimal(at, record->result > INT64_MAX ? INT64_MAX : record->result);
	text->at = PUT(at, "}}");
}

size_t tl_chrome_record(const struct tl_chrome *chrome, struct tl_text *text, uint32_t tid,
			const struct tl_call_record *record, size_t size)
{
	const struct tl_function *function;

	if (!tl_record_is_whole(record, size))
		return 0;
	switch (record->type) {
	case TL_RECORD_CALL:
		function = chrome->function(chrome->source, record->function);
		if (!function || !chrome_call(chrome, text, tid, record, function))
			return 0;
		break;
	case TL_RECORD_LOST:
		chrome_lost(chrome, text, tid, record);
		break;
	case TL_RECORD_PAD:
		break;
	default:
		return 0;
	}
	return record->size * 8u;
}

void tl_chrome_metadata(const struct tl_chrome *chrome, struct tl_text *text, uint32_t tid,
			const char *name, const char *args)
{
	struct tl_text whole = {text->at, text->end, false};

	tl_text_string(&whole, ",\n{\"ph\":\"M\",\"pid\":");
	tl_text_unsigned(&whole, chrome->pid);
	tl_text_string(&whole, ",\"name\":\"");
	tl_text_put(&whole, name, strlen(name));
	tl_text_string(&whole, "\",\"tid\":");
	tl_text_unsigned(&whole, tid);
	tl_text_string(&whole, ",\"args\":{");
	tl_text_put(&whole, args, strlen(args));
	tl_text_string(&whole, "}}");
	if (whole.cut)
		text->cut = true;
	else
		text->at = whole.at;
}
