/*
 * chrome.c: see chrome.h.
 *
 *	{"ph":"X","pid":7,"name":"zeEventQueryStatus","cat":"level-zero,runtime","tid":8,
 *	 "ts":1.234,"dur":0.100,"args":{"hEvent":"0x10","result":"ZE_RESULT_SUCCESS"}}
 *
 * What is the same in every call of a function comes first, and is copied as one piece. ts and dur
 *are microseconds, written from whole nanoseconds, so that ts+dur of one event is exactly what its
 *clock read.
 */
#include "format/chrome.h"

#include <string.h>

/* All that an event has besides its name and its arguments takes less. */
#define FIXED_MAX 1024
#define HEAD_MAX  1024
/* Kept free behind the arguments: result, "unwound", "cut", and the closing braces. */
#define TAIL_MAX 2048

static const char pairs[] = "00010203040506070809"
			    "10111213141516171819"
			    "20212223242526272829"
			    "30313233343536373839"
			    "40414243444546474849"
			    "50515253545556575859"
			    "60616263646566676869"
			    "70717273747576777879"
			    "80818283848586878889"
			    "90919293949596979899";

static inline unsigned digits_of(uint64_t value)
{
	unsigned digits = 1;

	for (;;) {
		if (value < 10)
			return digits;
		if (value < 100)
			return digits + 1;
		if (value < 1000)
			return digits + 2;
		if (value < 10000)
			return digits + 3;
		value /= 10000;
		digits += 4;
	}
}

char *tl_chrome_decimal(char *to, uint64_t value)
{
	char *end = to + digits_of(value), *at = end;

	for (; value >= 100; value /= 100)
		memcpy(at -= 2, pairs + value % 100 * 2, 2);
	if (value >= 10)
		memcpy(at - 2, pairs + value * 2, 2);
	else
		at[-1] = '0' + value;
	return end;
}

/* Nanoseconds as microseconds with three decimals. */
static char *microseconds(char *to, uint64_t ns)
{
	unsigned rest = ns % 1000;

	to = tl_chrome_decimal(to, ns / 1000);
	to[0] = '.';
	to[1] = '0' + rest / 100;
	memcpy(to + 2, pairs + rest % 100 * 2, 2);
	return to + 4;
}

#define PUT(to, literal)                                                                           \
	((char *)memcpy((to), (literal), sizeof(literal) - 1) + sizeof(literal) - 1)

static void put_number(struct tl_text *text, uint64_t value)
{
	char digits[20];

	tl_text_put(text, digits, tl_chrome_decimal(digits, value) - digits);
}

/* Up to the category, whose closing quote is left to the event: it may have failed. */
static void put_head(const struct tl_chrome *chrome, struct tl_text *text,
		     const struct tl_function *function)
{
	static const char *const levels[] = {"request", "runtime", "operator", "debug"};

	tl_text_string(text, ",\n{\"ph\":\"X\",\"pid\":");
	put_number(text, chrome->pid);
	tl_text_string(text, ",\"name\":\"");
	tl_text_escape(text, function->name, strlen(function->name));
	tl_text_string(text, "\",\"cat\":\"");
	tl_text_escape(text, function->api->name, strlen(function->api->name));
	for (unsigned i = 0; i < sizeof(levels) / sizeof(*levels); i++) {
		if (function->level & 1u << i) {
			tl_text_string(text, ",");
			tl_text_put(text, levels[i], strlen(levels[i]));
		}
	}
}

static bool has_result(const struct tl_function *function)
{
	return function->result && function->result->kind != TL_KIND_VOID &&
	       function->result->size <= sizeof(uint64_t);
}

/* Whole, or not at all. */
static void put_result(struct tl_text *text, const struct tl_function *function, uint64_t result,
		       bool comma)
{
	struct tl_text whole = {text->at, text->end, false};

	tl_text_string(&whole, comma ? ",\"result\":" : "\"result\":");
	tl_value_print(&whole, function->result, &result);
	if (!whole.cut)
		text->at = whole.at;
}

static void make_name(const struct tl_chrome *chrome, struct tl_chrome_name *name,
		      const struct tl_function *function)
{
	struct tl_text text = {name->text, name->text + sizeof(name->text), false};

	put_head(chrome, &text, function);
	name->head = text.cut ? 0 : text.at - name->text;
	name->result = 0;
	name->zero_failed = tl_call_failed(function, 0);
	name->function = function;
	if (!name->head || !has_result(function))
		return;
	char *result = text.at;
	put_result(&text, function, 0, true);
	name->result = text.at - result;
}

/* NULL where the function's name is too long to be kept. */
static const struct tl_chrome_name *name_of(const struct tl_chrome *chrome,
					    const struct tl_function *function, uint32_t id)
{
	if (!chrome->names)
		return NULL;
	struct tl_chrome_name *name = &chrome->names[(id + (id >> 16) * 101) % TL_CHROME_NAMES];
	if (name->function != function)
		make_name(chrome, name, function);
	return name->head ? name : NULL;
}

/* The parts of a call's record; false where they don't fit into it. */
struct parts {
	const uint64_t *words;
	const char *entry, *exit;
	struct tl_blob_sizes sizes;
};

static bool find_parts(struct parts *parts, const struct tl_function *function,
		       const struct tl_call_record *record)
{
	size_t left = record->size * 8 - sizeof(*record);
	const char *at = (const char *)(record + 1);

	memset(parts, 0, sizeof(*parts));
	if (!(record->flags & TL_RECORD_WORDS))
		return !(record->flags & TL_RECORD_BLOBS);
	if (left < function->words * 8u)
		return false;
	parts->words = (const uint64_t *)(const void *)at;
	at += function->words * 8u;
	left -= function->words * 8u;
	if (!(record->flags & TL_RECORD_BLOBS))
		return true;
	if (left < sizeof(parts->sizes))
		return false;
	memcpy(&parts->sizes, at, sizeof(parts->sizes));
	at += sizeof(parts->sizes);
	left -= sizeof(parts->sizes);
	if ((parts->sizes.entry | parts->sizes.exit) % 8 || parts->sizes.entry > left ||
	    parts->sizes.exit > left - parts->sizes.entry)
		return false;
	parts->entry = at;
	parts->exit = at + parts->sizes.entry;
	return true;
}

/* The arguments, with room left for what follows them. Returns whether some had to be left out. */
static bool put_args(struct tl_text *text, const struct tl_function *function,
		     const struct parts *parts)
{
	struct tl_text args = {text->at, text->end - TAIL_MAX, false};

	if (!parts->words || !function->count)
		return false;
	tl_args_print(&args, function, parts->words, parts->entry, parts->sizes.entry, parts->exit,
		      parts->sizes.exit);
	text->at = args.at;
	return args.cut;
}

static bool put_call(const struct tl_chrome *chrome, struct tl_text *text, uint32_t tid,
		     const struct tl_call_record *record, const struct tl_function *function)
{
	struct parts parts;
	uint64_t stop;

	if (!find_parts(&parts, function, record))
		return false;
	if (text->end - text->at < FIXED_MAX + HEAD_MAX + TAIL_MAX) {
		text->cut = true;
		return true;
	}
	if (__builtin_add_overflow(record->start, record->duration, &stop))
		stop = UINT64_MAX;
	uint64_t start = chrome->ns(record->start), end = chrome->ns(stop);
	const struct tl_chrome_name *name = name_of(chrome, function, record->function);
	bool returned = !(record->flags & TL_RECORD_UNWOUND) && has_result(function);
	bool failed =
		returned && (record->result || !name ? tl_call_failed(function, record->result)
						     : name->zero_failed);
	if (name) {
		memcpy(text->at, name->text, name->head);
		text->at += name->head;
	} else {
		struct tl_text head = {text->at, text->at + HEAD_MAX, false};
		put_head(chrome, &head, function);
		text->at = head.at;
	}
	char *at = text->at;
	if (failed)
		at = PUT(at, ",failed");
	at = PUT(at, "\",\"tid\":");
	at = tl_chrome_decimal(at, tid);
	at = PUT(at, ",\"ts\":");
	at = microseconds(at, start);
	at = PUT(at, ",\"dur\":");
	at = microseconds(at, end > start ? end - start : 0);
	at = PUT(at, ",\"args\":{");

	char *first = at;
	text->at = at;
	bool cut = put_args(text, function, &parts) || (record->flags & TL_RECORD_CUT);
	if (returned) {
		bool comma = text->at != first;
		if (name && !record->result && name->result) {
			unsigned skip = !comma;
			memcpy(text->at, name->text + name->head + skip, name->result - skip);
			text->at += name->result - skip;
		} else {
			put_result(text, function, record->result, comma);
		}
	}
	at = text->at;
	if (record->flags & TL_RECORD_UNWOUND)
		at = PUT(at, ",\"unwound\":true");
	if (cut)
		at = PUT(at, ",\"cut\":true");
	/* Nothing stood before the first of these two: its comma goes. */
	if (text->at == first && at != first)
		memmove(first, first + 1, --at - first);
	text->at = PUT(at, "}}");
	return true;
}

static void put_lost(const struct tl_chrome *chrome, struct tl_text *text, uint32_t tid,
		     const struct tl_call_record *record)
{
	if (text->end - text->at < FIXED_MAX) {
		text->cut = true;
		return;
	}
	char *at = PUT(text->at, ",\n{\"ph\":\"i\",\"s\":\"t\",\"pid\":");
	at = tl_chrome_decimal(at, chrome->pid);
	at = PUT(at, ",\"name\":\"lost\",\"cat\":\"tracelayer\",\"tid\":");
	at = tl_chrome_decimal(at, tid);
	at = PUT(at, ",\"ts\":");
	at = microseconds(at, chrome->ns(record->start));
	at = PUT(at, ",\"args\":{\"events\":");
	/* Some parsers know no larger integers. */
	at = tl_chrome_decimal(at, record->result > INT64_MAX ? INT64_MAX : record->result);
	text->at = PUT(at, "}}");
}

size_t tl_chrome_record(const struct tl_chrome *chrome, struct tl_text *text, uint32_t tid,
			const struct tl_call_record *record, size_t size)
{
	const struct tl_function *function;

	if (size < 8 || record->size * 8u > size)
		return 0;
	switch (record->type) {
	case TL_RECORD_CALL:
		if (record->size * 8u < sizeof(*record))
			return 0;
		function = chrome->function(record->function);
		if (!function || !put_call(chrome, text, tid, record, function))
			return 0;
		break;
	case TL_RECORD_LOST:
		if (record->size * 8u < sizeof(*record))
			return 0;
		put_lost(chrome, text, tid, record);
		break;
	case TL_RECORD_NAME:
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
	put_number(&whole, chrome->pid);
	tl_text_string(&whole, ",\"name\":\"");
	tl_text_put(&whole, name, strlen(name));
	tl_text_string(&whole, "\",\"tid\":");
	put_number(&whole, tid);
	tl_text_string(&whole, ",\"args\":{");
	tl_text_put(&whole, args, strlen(args));
	tl_text_string(&whole, "}}");
	if (whole.cut)
		text->cut = true;
	else
		text->at = whole.at;
}
