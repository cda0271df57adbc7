/* SPDX-License-Identifier: MIT */
/*
 * fuzz_xpti.c: whatever is called of the XPTI dispatcher's functions for strings, objects,
 * payloads, events, trace points and metadata, in whatever order and with whatever arguments, each
 * returns what a simple model of it says; and nothing is read or written that isn't theirs.
 *
 * The input is a list of calls. Texts and objects are taken from it so that there are not too many
 * different ones: they are kept for ever.
 *
 * With clang -fsanitize=fuzzer a libFuzzer target; with FUZZ_STANDALONE it makes its inputs itself.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/random.h"
#include "tracelayer/xpti.h"

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

#define SOUND(condition)                                                                           \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: it does not hold that %s\n", __FILE__, __LINE__,   \
				#condition);                                                       \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

/* ---- the input ---- */

static const uint8_t *at, *end;

static uint64_t take(size_t bytes)
{
	uint64_t value = 0;
	size_t left = (size_t)(end - at);

	memcpy(&value, at, bytes < left ? bytes : left);
	at += bytes < left ? bytes : left;
	return value;
}

/*
 * Bytes by number, of sizes at which hashing and comparing change their way; as large as the memory
 * that they are in.
 */
static char *bytes_of(uint8_t number, size_t *size)
{
	static const size_t sizes[] = {0,  1,  2,  3,  4,  7,  8,  9,	15,  16,
				       17, 31, 32, 33, 63, 64, 65, 255, 256, 5000};
	enum { SIZES = sizeof(sizes) / sizeof(sizes[0]) };

	*size = sizes[number % SIZES];
	char *bytes = malloc(*size);
	if (*size) {
		memset(bytes, 'a', *size);
		bytes[*size - 1] = (char)('a' + number / SIZES);
	}
	return bytes;
}

/* A text to be freed; or NULL, as one of eight is. */
static char *take_text(void)
{
	uint8_t kind = (uint8_t)take(1);
	char *text, *bytes;
	size_t size;

	if (kind % 8 == 0)
		return NULL;
	if (kind % 8 < 4) {
		uint16_t letters = (uint16_t)take(2);
		text = malloc(3);
		memcpy(text, &letters, 2);
		text[2] = '\0';
		size = strlen(text);
		return realloc(text, size + 1);
	}
	bytes = bytes_of((uint8_t)take(1), &size);
	text = malloc(size + 1);
	if (size)
		memcpy(text, bytes, size);
	text[size] = '\0';
	free(bytes);
	return text;
}

/* ---- the model ---- */

enum { MAX = 2000, MAX_OBJECTS = 600 };

static const char *texts[MAX]; /* the dispatcher's own; number 1 is the first */
static uint32_t text_count;

struct model_object {
	char *bytes;
	size_t size;
	uint8_t type;
};
static struct model_object objects[MAX_OBJECTS]; /* they outlive reset */
static int32_t object_count;

struct model_place {
	uint32_t name, file, line, column;
	uint64_t instances;
};
static struct model_place places[MAX];
static uint32_t place_count;

struct model_event {
	xpti_event *event;
	uint64_t uid;
	uint32_t keys[MAX];
	int32_t values[MAX];
	size_t metadata;
};
static struct model_event events[MAX]; /* those that have not been released */
static uint32_t event_count;
static uint64_t gone[MAX]; /* uids of those that have been */
static uint32_t gone_count;

static uint32_t known_number(const char *text)
{
	for (uint32_t i = 0; i < text_count; i++)
		if (strcmp(texts[i], text) == 0)
			return i + 1;
	return 0;
}

/* What the dispatcher must have given to a text; it is looked up there, too. */
static uint32_t number_of(const char *text)
{
	uint32_t number = known_number(text);
	const char *found = xptiLookupString(number ? number : text_count + 1);

	SOUND(found && strcmp(found, text) == 0);
	if (number) {
		SOUND(found == texts[number - 1]);
		return number;
	}
	texts[text_count++] = found;
	return text_count;
}

static void forget(void)
{
	text_count = place_count = event_count = gone_count = 0;
}

static bool full(void)
{
	return text_count > MAX - 8 || place_count == MAX || event_count == MAX ||
	       gone_count == MAX;
}

/* ---- strings and objects ---- */

static void register_string(void)
{
	char *text = take_text(), *copy = (char *)1, mark = (char)take(1);
	char **where = mark == 7 ? NULL : &copy;
	xpti_string_id number = xptiRegisterString(text, where);

	if (!text || !*text || !where) {
		SOUND(number == XPTI_INVALID_STRING);
		SOUND(!where || !copy);
	} else {
		SOUND(number == number_of(text));
		SOUND(copy == xptiLookupString(number) && copy != text);
	}
	free(text);
}

static void look_up_string(void)
{
	uint32_t number = (uint32_t)take(take(1) % 2 ? 1 : 4);
	const char *found = xptiLookupString(number);

	SOUND(found == (number && number <= text_count ? texts[number - 1] : NULL));
}

static void register_object(void)
{
	size_t size;
	uint8_t number = (uint8_t)take(1), type = (uint8_t)take(1);
	char *bytes = bytes_of(number, &size);
	int32_t i = 0;

	SOUND(xptiRegisterObject(NULL, size, type) == XPTI_INVALID_OBJECT);
	if (!bytes)
		return;
	while (i < object_count &&
	       (objects[i].size != size || (size && memcmp(objects[i].bytes, bytes, size) != 0)))
		i++;
	SOUND(xptiRegisterObject(bytes, size, type) == i);
	if (i == object_count)
		objects[object_count++] = (struct model_object){bytes, size, type};
	else
		free(bytes);
}

static void look_up_object(void)
{
	int32_t number = (int32_t)take(take(1) % 2 ? 1 : 4);
	xpti_object object = xptiLookupObject(number);

	if (number < 0 || number >= object_count) {
		SOUND(!object.size && !object.data && !object.type);
		return;
	}
	SOUND(object.size == objects[number].size && object.type == objects[number].type &&
	      object.data != objects[number].bytes);
	SOUND(!object.size || memcmp(object.data, objects[number].bytes, object.size) == 0);
}

/* ---- payloads, events, trace points ---- */

static const char * or (bool given, const char *text, const char *otherwise)
{
	return given && text ? text : otherwise;
}

/* The place of a payload that the dispatcher has just accepted, one more time. */
static struct model_place *visit(const xpti_payload *payload)
{
	struct model_place key = {.line = payload->line_no, .column = payload->column_no};
	uint32_t i = 0;

	key.name = number_of(
		or (payload->flags & xpti_payload_has_name, payload->name, "<unknown-function>"));
	key.file = number_of(or (payload->flags & xpti_payload_has_source_file,
				 payload->source_file, "<unknown-file>"));
	while (i < place_count && (places[i].name != key.name || places[i].file != key.file ||
				   places[i].line != key.line || places[i].column != key.column))
		i++;
	if (i == place_count)
		places[place_count++] = key;
	places[i].instances++;
	return &places[i];
}

static void check_payload(const xpti_payload *got, const xpti_payload *wanted,
			  const struct model_place *place)
{
	SOUND(got->name == texts[place->name - 1] && got->source_file == texts[place->file - 1]);
	SOUND(got->line_no == wanted->line_no && got->column_no == wanted->column_no &&
	      got->code_ptr_va == wanted->code_ptr_va);
	SOUND(got->uid_p1 == ((uint64_t)place->file << 32 | got->line_no) &&
	      got->uid_p2 == place->name);
	SOUND(got->flags == (wanted->flags | xpti_payload_has_name | xpti_payload_has_source_file |
			     xpti_payload_registered | xpti_payload_has_hash));
	bool stack = wanted->flags & xpti_payload_has_stack_trace && wanted->stack_trace &&
		     *wanted->stack_trace;
	SOUND(stack ? strcmp(got->stack_trace, wanted->stack_trace) == 0 : !got->stack_trace);
}

static void add_event(xpti_event *event, const xpti_payload *payload)
{
	struct model_place *place = visit(payload);

	SOUND(event->unique_id && event->unique_id == event->payload->internal);
	SOUND(event->instance_id == place->instances && event->data_id == place->instances);
	SOUND(!event->source_id && !event->target_id && !event->global_user_data &&
	      !event->metadata.count);
	check_payload(event->payload, payload, place);
	for (uint32_t i = 0; i < event_count; i++)
		SOUND(events[i].event != event && events[i].uid != event->unique_id);
	for (uint32_t i = 0; i < gone_count; i++)
		SOUND(gone[i] != event->unique_id);
	events[event_count].event = event;
	events[event_count].uid = event->unique_id;
	events[event_count++].metadata = 0;
}

static void register_payload(xpti_payload *payload, bool valid)
{
	xpti_payload before = *payload;
	uint64_t uid = xptiRegisterPayload(payload);

	SOUND(valid == (uid != 0));
	if (!valid) {
		SOUND(memcmp(&before, payload, sizeof(before)) == 0);
		return;
	}
	xpti_event *event = (xpti_event *)xptiFindEvent(uid);
	SOUND(event && event->event_type == xpti_event_algorithm &&
	      event->activity_type == xpti_activity_active);
	add_event(event, &before);
	SOUND(payload->internal == uid &&
	      payload->flags ==
		      (before.flags | xpti_payload_has_name | xpti_payload_has_source_file |
		       (event->instance_id == 1 ? xpti_payload_registered : 0)));
	SOUND(payload->name == or
	      (before.flags & xpti_payload_has_name, before.name, event->payload->name));
	SOUND(payload->source_file == or (before.flags & xpti_payload_has_source_file,
					  before.source_file, event->payload->source_file));
	SOUND(payload->uid_p1 == event->payload->uid_p1 &&
	      payload->uid_p2 == event->payload->uid_p2);
}

static void make_event(xpti_payload *payload, bool valid)
{
	xpti_payload before = *payload;
	uint16_t type = (uint16_t)take(2), activity = (uint8_t)take(1);
	bool counts = take(1) % 8;
	uint64_t instance = 0;
	xpti_event *event =
		xptiMakeEvent(payload->name, payload, type, activity, counts ? &instance : NULL);

	SOUND(memcmp(&before, payload, sizeof(before)) == 0);
	SOUND((event != NULL) == (valid && counts));
	if (!event)
		return;
	SOUND(event->event_type == type && event->activity_type == activity &&
	      event->instance_id == instance);
	add_event(event, payload);
}

static void create_tracepoint(xpti_payload *payload)
{
	xpti_tracepoint_if *point =
		xptiCreateTracepoint(payload->name, payload->source_file, payload->line_no,
				     payload->column_no, (void *)payload->code_ptr_va);

	SOUND(point && point->vtbl->event_ref(point) == xptiFindEvent(point->vtbl->uid64(point)));
	bool named = payload->name && *payload->name,
	     filed = payload->source_file && *payload->source_file, coded = payload->code_ptr_va;
	bool unknown = !named && !coded && (!filed || payload->line_no == UINT32_MAX);
	if (unknown) {
		payload->name = "<unknown-function>";
		payload->source_file = "<unknown-file>";
		payload->line_no = payload->column_no = 0;
	}
	payload->flags = (named || unknown ? xpti_payload_has_name : 0) |
			 (coded ? xpti_payload_has_code_pointer : 0);
	if (filed || unknown)
		payload->flags |= xpti_payload_has_source_file | xpti_payload_has_line |
				  xpti_payload_has_column;
	add_event(point->vtbl->event_ref(point), payload);
}

static void make(unsigned how)
{
	char *name = take_text(), *file = take_text(), *stack = take_text();
	uint8_t line = (uint8_t)take(1);
	xpti_payload payload = {.name = name,
				.stack_trace = stack,
				.source_file = file,
				.line_no = line % 8,
				.column_no = line / 64,
				.code_ptr_va = (void *)(uintptr_t)line,
				.flags = take(1) ^ take(1) << 8};
	bool valid = (payload.flags & xpti_payload_has_name && name) ||
		     (payload.flags & xpti_payload_has_source_file && file && line != 0xff &&
		      payload.flags & xpti_payload_has_line) ||
		     (payload.flags & xpti_payload_has_code_pointer && line);

	if (line == 0xff)
		payload.line_no = payload.column_no = UINT32_MAX;
	if (how == 0)
		register_payload(&payload, valid);
	else if (how == 1)
		make_event(&payload, valid);
	else
		create_tracepoint(&payload);
	free(name);
	free(file);
	free(stack);
}

/* One that has not been released; NULL where there is none. */
static struct model_event *take_event(void)
{
	uint8_t number = (uint8_t)take(1);

	return event_count ? &events[number % event_count] : NULL;
}

static void release(void)
{
	struct model_event *event = take_event();

	if (!event)
		return;
	xpti_event_if *face = (xpti_event_if *)xptiLookupEvent(event->uid);
	SOUND(face && face->vtbl->event_ref(face) == event->event);
	/* The four interfaces lie side by side, the trace point's last. */
	xpti_tracepoint_if *point = (xpti_tracepoint_if *)(void *)((char *)face + 16);
	SOUND(point->vtbl->uid64(point) == event->uid);
	switch (take(1) % 3) {
	case 0:
		xptiReleaseEvent(event->event);
		break;
	case 1:
		SOUND(xptiDeleteTracepoint(point) == XPTI_RESULT_SUCCESS);
		break;
	default:
		face->vtbl->destroy_and_free(face);
	}
	xptiReleaseEvent(event->event);
	SOUND(xptiDeleteTracepoint(point) == XPTI_RESULT_NOTFOUND);
	SOUND(!xptiQueryPayload(event->event) && !xptiQueryMetadata(event->event));
	SOUND(xptiAddMetadata(event->event, "key", 1) == XPTI_RESULT_INVALIDARG);
	gone[gone_count++] = event->uid;
	memmove(event, event + 1, (size_t)(&events[event_count] - (event + 1)) * sizeof(*event));
	event_count--;
}

static void look_up_uid(void)
{
	uint8_t kind = (uint8_t)take(1), number = (uint8_t)take(1);
	uint64_t uid = take(8);
	uint32_t i = 0;

	if (kind % 2 && event_count)
		/* or with one bit changed */
		uid = events[number % event_count].uid ^ (kind & 2 ? 0 : uid & -uid);
	else if (kind & 2 && gone_count)
		uid = gone[number % gone_count];
	while (i < event_count && events[i].uid != uid)
		i++;
	const xpti_event *wanted = i < event_count ? events[i].event : NULL;
	SOUND(xptiFindEvent(uid) == wanted &&
	      xptiQueryPayloadByUID(uid) == (wanted ? wanted->payload : NULL));
	SOUND(!xptiLookupEvent(uid) == !wanted && !xptiLookupPayload(uid) == !wanted);
}

/*
 * A pointer that leads to no event: a small one, one that no process has, or one beside an event.
 */
static void use_bogus(void)
{
	uint8_t kind = (uint8_t)take(1);
	uint64_t bits = take(8);
	struct model_event *event = take_event();
	void *bogus = (void *)(uintptr_t)(bits % 4096);

	if (kind % 3 == 1)
		bogus = (void *)(uintptr_t)(bits | 1ull << 63);
	else if (kind % 3 == 2 && event)
		bogus = (char *)event->event + (int)(bits % 4095) - 2047;
	/*
	 * Beyond the aligned 256 KiB that trace points lie in is memory that a program's own event
	 * might lie in.
	 */
	if (kind % 3 == 2 && event && ((uintptr_t)bogus ^ (uintptr_t)event->event) >> 18)
		return;
	for (uint32_t i = 0; i < event_count; i++) {
		/* It has hit one, or its trace point. */
		if (bogus == (void *)events[i].event ||
		    (char *)events[i].event - (char *)bogus == 8)
			return;
	}
	SOUND(!xptiQueryPayload(bogus) && !xptiQueryMetadata(bogus));
	SOUND(xptiAddMetadata(bogus, "key", 1) == XPTI_RESULT_INVALIDARG);
	xptiReleaseEvent(bogus);
	SOUND(xptiDeleteTracepoint(bogus) ==
	      (bogus ? XPTI_RESULT_NOTFOUND : XPTI_RESULT_INVALIDARG));
	SOUND(xptiSetTracepointScopeData(bogus) == XPTI_RESULT_INVALIDARG);
	for (uint32_t i = 0; i < event_count; i++)
		SOUND(xptiFindEvent(events[i].uid) == events[i].event);
}

/* ---- metadata ---- */

static void add_metadata(void)
{
	struct model_event *event = take_event();
	char *key = take_text();
	int32_t value = (int32_t)take(4);
	bool by_interface = take(1) % 2, valid = event && key && *key;
	size_t i = 0;

	if (!event) {
		SOUND(xptiAddMetadata(NULL, key, value) == XPTI_RESULT_INVALIDARG);
		free(key);
		return;
	}
	xpti_event_if *face = (xpti_event_if *)xptiLookupEvent(event->uid);
	xpti_metadata_if *metadata = face->vtbl->metadata(face);
	xpti_result result = by_interface ? metadata->vtbl->add_item(metadata, key, value)
					  : xptiAddMetadata(event->event, key, value);
	if (valid) {
		uint32_t number = number_of(key);
		while (i < event->metadata && event->keys[i] != number)
			i++;
		SOUND(result ==
		      (i < event->metadata ? XPTI_RESULT_DUPLICATE : XPTI_RESULT_SUCCESS));
		event->keys[i] = number;
		event->values[i] = value;
		event->metadata += i == event->metadata;
	} else {
		SOUND(result == XPTI_RESULT_INVALIDARG);
	}
	SOUND(metadata->vtbl->count(metadata) == event->metadata);
	free(key);
}

static bool has_item(const struct model_event *event, uint32_t key, int32_t value)
{
	for (size_t i = 0; i < event->metadata; i++)
		if (event->keys[i] == key)
			return event->values[i] == value;
	return false;
}

static void read_metadata(const struct model_event *event)
{
	xpti_metadata *map = xptiQueryMetadata(event->event);
	xpti_event_if *face = (xpti_event_if *)xptiLookupEvent(event->uid);
	xpti_metadata_if *metadata = face->vtbl->metadata(face);
	size_t count = 0;
	char *key;
	int32_t value;

	SOUND(map == &event->event->metadata && map->count == event->metadata);
	for (xpti_metadata_node *node = map->first; node; node = node->next, count++)
		SOUND(count < event->metadata && has_item(event, node->key, node->value));
	SOUND(count == event->metadata);
	xpti_result more = metadata->vtbl->first_item(metadata, &key, &value);
	for (count = 0; more == XPTI_RESULT_SUCCESS;
	     more = metadata->vtbl->next_item(metadata, &key, &value), count++)
		SOUND(count < event->metadata && has_item(event, known_number(key), value));
	SOUND(more == XPTI_RESULT_FALSE && count == event->metadata);
}

/* ---- all of them ---- */

static void call(void)
{
	uint8_t which = (uint8_t)take(1);
	struct model_event *event;

	switch (which % 12) {
	case 0:
		register_string();
		break;
	case 1:
		look_up_string();
		break;
	case 2:
		register_object();
		break;
	case 3:
		look_up_object();
		break;
	case 4:
		make(0);
		break;
	case 5:
		make(1);
		break;
	case 6:
		make(2);
		break;
	case 7:
		add_metadata();
		break;
	case 8:
		release();
		break;
	case 9:
		look_up_uid();
		break;
	case 10:
		use_bogus();
		break;
	default:
		if ((event = take_event()))
			read_metadata(event);
		if (which > 250) {
			xptiReset();
			forget();
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	at = input;
	end = input + size;
	xptiReset();
	forget();
	while (at < end && !full())
		call();
	for (uint32_t i = 0; i < event_count; i++)
		read_metadata(&events[i]);
	return 0;
}

#ifdef FUZZ_STANDALONE
int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 20000;
	static uint8_t input[1200];

	/* Much is of a few values, so that names meet again. */
	for (long i = 0; i < rounds; i++) {
		size_t size = next_random() % sizeof(input);
		for (size_t k = 0; k < size; k++)
			input[k] = (uint8_t)(next_random() >> next_random() % 7);
		LLVMFuzzerTestOneInput(input, size);
	}
	printf("%ld lists of calls return what they should\n", rounds);
	return 0;
}
#endif
