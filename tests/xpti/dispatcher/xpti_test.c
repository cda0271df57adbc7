/* SPDX-License-Identifier: MIT */
/*
 * xpti_test.c: what the XPTI dispatcher's functions do, sentence by sentence: strings, objects,
 * payloads, events, callbacks, notifications, checks, metadata, what is a thread's own, defaults,
 * reset; and what the original gets wrong and this one doesn't.
 *
 * Built three times: xpti_test is linked with the dispatcher; xpti_table_test (XPTI_TABLE) loads it
 * and takes each function with dlsym; xpti_proxy_test (XPTI_PROXY) is linked with the static proxy.
 * proxy.sh runs xpti_test with the dispatcher preloaded. Every test is a process of its own,
 * in which nothing has been called yet.
 */
#include <check.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/assert_often.h"
#include "tests/lib/sandbox.h"
#include "tests/xpti/dispatcher/xpti_slow.h"
#include "tracelayer/xpti.h"
#ifdef XPTI_TABLE
#include "xpti/table.h"
#endif

/* The binary interface: offsets as the original's C++ header has them. */
#define AT(type, member, offset)                                                                   \
	_Static_assert(offsetof(type, member) == (offset), #type "." #member)
AT(xpti_payload, stack_trace, 8);
AT(xpti_payload, source_file, 16);
AT(xpti_payload, line_no, 24);
AT(xpti_payload, column_no, 28);
AT(xpti_payload, code_ptr_va, 32);
AT(xpti_payload, internal, 40);
AT(xpti_payload, flags, 48);
AT(xpti_payload, uid_p1, 56);
AT(xpti_payload, uid_p3, 72);
AT(xpti_event, data_id, 8);
AT(xpti_event, instance_id, 16);
AT(xpti_event, event_type, 24);
AT(xpti_event, activity_type, 26);
AT(xpti_event, source_id, 32);
AT(xpti_event, target_id, 40);
AT(xpti_event, payload, 48);
AT(xpti_event, metadata, 56);
AT(xpti_event, global_user_data, 112);
AT(xpti_event, flags, 120);
AT(xpti_object, data, 8);
AT(xpti_object, type, 16);
_Static_assert(sizeof(xpti_payload) == 80 && sizeof(xpti_event) == 128 && sizeof(xpti_object) == 24,
	       "sizes");

static xpti_payload place(const char *name, const char *file, uint32_t line)
{
	return XPTI_PAYLOAD(name, file, line, 1);
}

static xpti_event *event_of(const char *name)
{
	xpti_payload payload = place(name, "test.c", 1);
	uint64_t instance;
	xpti_event *event = xptiMakeEvent(name, &payload, xpti_event_algorithm,
					  xpti_activity_active, &instance);

	assert_often(event);
	return event;
}

/* ---- callbacks that note that they were called ---- */

static char called[64];
static struct {
	uint16_t type;
	xpti_event *parent, *object;
	uint64_t instance;
	const void *user_data;
} last;

static void note(char letter)
{
	size_t length = strlen(called);

	ck_assert_uint_lt(length, sizeof(called) - 1);
	called[length] = letter;
	called[length + 1] = '\0';
}

static void on_a(uint16_t type, xpti_event *parent, xpti_event *object, uint64_t instance,
		 const void *user_data)
{
	last.type = type;
	last.parent = parent;
	last.object = object;
	last.instance = instance;
	last.user_data = user_data;
	note('a');
}

static void on_b(uint16_t type, xpti_event *parent, xpti_event *object, uint64_t instance,
		 const void *user_data)
{
	note('b');
}

static uint8_t stream;

/* A stream with tracing on. */
static void start(void)
{
	stream = xptiRegisterStream("test");
	xptiForceSetTraceEnabled(true);
	called[0] = '\0';
}

static const char *notify(uint16_t type)
{
	called[0] = '\0';
	ck_assert_int_eq(xptiNotifySubscribers(stream, type, NULL, (xpti_event *)1, 0, NULL),
			 XPTI_RESULT_SUCCESS);
	return called;
}

/* ---- init ---- */

START_TEST(the_first_stream_is_the_frameworks_and_the_default)
{
	ck_assert_uint_eq(xptiGetDefaultStreamID(), 1);
	ck_assert_uint_eq(xptiRegisterStream("xpti.framework"), 1);
	ck_assert_uint_eq(xptiGetEffectiveStreamDetailLevel(1), xpti_detail_normal);
	ck_assert_uint_eq(xptiGetEffectiveStreamDetailLevel(200), xpti_detail_normal);
}
END_TEST

START_TEST(without_subscribers_tracing_is_off)
{
	ck_assert(!xptiTraceEnabled());
	xptiForceSetTraceEnabled(true);
	ck_assert(xptiTraceEnabled());
	xptiForceSetTraceEnabled(false);
	ck_assert(!xptiTraceEnabled());
}
END_TEST

START_TEST(initialize_wants_a_stream_and_a_version)
{
	ck_assert_int_eq(xptiInitialize(NULL, 1, 0, "1"), XPTI_RESULT_INVALIDARG);
	/* As in the original, the framework's stream has begun. */
	ck_assert_uint_eq(xptiGetEffectiveStreamDetailLevel(1), xpti_detail_none);
	ck_assert_int_eq(xptiInitialize("s", 1, 0, NULL), XPTI_RESULT_INVALIDARG);
	ck_assert_int_eq(xptiInitialize("s", 1, 0, "1"), XPTI_RESULT_SUCCESS);
	ck_assert_int_eq(xptiInitialize("s", 1, 0, "1"), XPTI_RESULT_SUCCESS);
	ck_assert_uint_eq(xptiRegisterStream("s"), 2);
	ck_assert_uint_eq(xptiGetEffectiveStreamDetailLevel(2), xpti_detail_none);
	xptiReset();
	ck_assert_uint_eq(xptiGetEffectiveStreamDetailLevel(2), xpti_detail_normal);
}
END_TEST

START_TEST(finalize_turns_a_streams_callbacks_off)
{
	start();
	ck_assert_int_eq(xptiRegisterCallback(stream, 10, on_a), XPTI_RESULT_SUCCESS);
	xptiFinalize(NULL);
	ck_assert_str_eq(notify(10), "a");
	xptiFinalize("test");
	ck_assert_str_eq(notify(10), "");
	ck_assert(!xptiCheckTraceEnabled(stream, 10));
	ck_assert_int_eq(xptiRegisterCallback(stream, 10, on_a), XPTI_RESULT_UNDELETE);
}
END_TEST

START_TEST(the_framework_ends_with_its_last_user_and_begins_anew)
{
	start();
	xptiFrameworkInitialize();
	xptiFrameworkInitialize();
	xptiFrameworkFinalize();
	ck_assert(xptiTraceEnabled());
	xptiFrameworkFinalize();
	ck_assert(!xptiTraceEnabled());
	xptiForceSetTraceEnabled(true);
	xptiFrameworkFinalize(); /* one too many */
	ck_assert(xptiTraceEnabled());
	xptiFrameworkInitialize();
	xptiFrameworkFinalize();
	ck_assert(xptiTraceEnabled());
	xptiFrameworkInitialize();
	xptiFrameworkInitialize();
	xptiFrameworkFinalize();
	ck_assert(!xptiTraceEnabled());
}
END_TEST

/* ---- streams ---- */

START_TEST(streams_have_numbers_by_name)
{
	uint8_t one = xptiRegisterStream("one");

	ck_assert_uint_eq(one, 2);
	ck_assert_uint_eq(xptiRegisterStream("two"), 3);
	ck_assert_uint_eq(xptiRegisterStream("one"), one);
	ck_assert_uint_eq(xptiRegisterStream(NULL), 255);
	ck_assert_uint_eq(xptiRegisterStream(""), 255);
	xptiReset();
	ck_assert_uint_eq(xptiRegisterStream("three"), 4);
	ck_assert_uint_eq(xptiRegisterStream("one"), one);
}
END_TEST

START_TEST(no_two_streams_share_a_number)
{
	char name[32];

	for (int i = 2; i <= 254; i++) {
		snprintf(name, sizeof(name), "stream %d", i);
		ck_assert_uint_eq(xptiRegisterStream(name), i);
	}
	ck_assert_uint_eq(xptiRegisterStream("one more"), 255);
	ck_assert_uint_eq(xptiRegisterStream("stream 254"), 254);
}
END_TEST

START_TEST(a_stream_is_unregistered)
{
	start();
	ck_assert_int_eq(xptiUnregisterStream(NULL), XPTI_RESULT_INVALIDARG);
	ck_assert_int_eq(xptiUnregisterStream("test"), XPTI_RESULT_NOTFOUND);
	ck_assert_int_eq(xptiUnregisterStream("unknown"), XPTI_RESULT_NOTFOUND);
	ck_assert_int_eq(xptiUnregisterCallback(stream, 10, on_a), XPTI_RESULT_NOTFOUND);
	ck_assert_int_eq(xptiUnregisterStream("test"), XPTI_RESULT_SUCCESS);
	/* the unknown one has taken a number */
	ck_assert_uint_eq(xptiRegisterStream("next"), stream + 2);
	xptiRegisterCallback(stream, 10, on_a);
	xptiRegisterCallback(stream, 0x1ff, on_a);
	ck_assert_int_eq(xptiUnregisterStream("test"), XPTI_RESULT_SUCCESS);
	ck_assert_str_eq(notify(10), "");
	ck_assert_str_eq(notify(0x1ff), "");
	ck_assert(!xptiCheckTraceEnabled(stream, 10) && !xptiCheckTraceEnabled(stream, 0));
}
END_TEST

/* ---- strings and objects ---- */

START_TEST(strings_have_numbers_from_1)
{
	char *a = NULL, *b = NULL, *again = NULL;
	char text[] = "alpha";

	ck_assert_uint_eq(xptiRegisterString(text, &a), 1);
	ck_assert_uint_eq(xptiRegisterString("beta", &b), 2);
	text[0] = 'X';
	ck_assert_uint_eq(xptiRegisterString("alpha", &again), 1);
	ck_assert_ptr_eq(a, again);
	ck_assert_str_eq(a, "alpha");
	ck_assert_ptr_eq(xptiLookupString(1), a);
	ck_assert_ptr_eq(xptiLookupString(2), b);
}
END_TEST

START_TEST(what_is_no_string_has_no_number)
{
	char *text = (char *)1;

	ck_assert_uint_eq(xptiRegisterString(NULL, &text), XPTI_INVALID_STRING);
	ck_assert_uint_eq(xptiRegisterString("x", NULL), XPTI_INVALID_STRING);
	text = (char *)1;
	ck_assert_uint_eq(xptiRegisterString("", &text), XPTI_INVALID_STRING);
	ck_assert_ptr_null(text); /* the original leaves it as it was */
	ck_assert_ptr_null(xptiLookupString(0));
	ck_assert_ptr_null(xptiLookupString(1));
	ck_assert_ptr_null(xptiLookupString(XPTI_INVALID_STRING));
	ck_assert_ptr_null(xptiLookupString(0x80000000));
}
END_TEST

START_TEST(texts_stay_where_they_are)
{
	enum { MANY = 50000 };
	static char *texts[MANY];
	char name[32], *again;

	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "text %d", i);
		assert_often_eq(xptiRegisterString(name, &texts[i]), i + 1);
	}
	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "text %d", i);
		assert_often_eq(xptiRegisterString(name, &again), i + 1);
		assert_often(again == texts[i]);
		assert_often(xptiLookupString((xpti_string_id)i + 1) == texts[i]);
	}
}
END_TEST

START_TEST(a_huge_string_is_a_string)
{
	size_t size = 20u << 20;
	char *huge = malloc(size), *text;

	memset(huge, 'h', size - 1);
	huge[size - 1] = '\0';
	ck_assert_uint_eq(xptiRegisterString(huge, &text), 1);
	ck_assert_str_eq(xptiLookupString(1), huge);
}
END_TEST

START_TEST(reset_takes_numbers_and_not_texts)
{
	char *a, *b;

	xptiRegisterString("first", &a);
	xptiRegisterString("second", &b);
	xptiReset();
	ck_assert_ptr_null(xptiLookupString(1));
	ck_assert_ptr_null(xptiLookupString(2));
	ck_assert_str_eq(b, "second"); /* who still has it can still read it */
	ck_assert_uint_eq(xptiRegisterString("second", &a), 1);
	ck_assert_str_eq(xptiLookupString(1), "second");
}
END_TEST

START_TEST(objects_have_numbers_from_0)
{
	char bytes[4] = {1, 0, 2, 3};

	ck_assert_int_eq(xptiRegisterObject(NULL, 4, 0), XPTI_INVALID_OBJECT);
	ck_assert_int_eq(xptiRegisterObject(bytes, SIZE_MAX, 0), XPTI_INVALID_OBJECT);
	ck_assert_int_eq(xptiRegisterObject(bytes, 4, xpti_metadata_unsigned), 0);
	ck_assert_int_eq(xptiRegisterObject(bytes, 3, xpti_metadata_binary), 1);
	ck_assert_int_eq(xptiRegisterObject(bytes, 4, xpti_metadata_string), 0);
	xpti_object object = xptiLookupObject(0);
	ck_assert_uint_eq(object.size, 4);
	ck_assert_mem_eq(object.data, bytes, 4);
	ck_assert_uint_eq(object.type, xpti_metadata_unsigned); /* the first type */
	xptiReset();
	ck_assert_ptr_eq(xptiLookupObject(0).data, object.data);
	ck_assert_int_eq(xptiRegisterObject(bytes, 4, 0), 0);
}
END_TEST

START_TEST(what_is_no_object_is_empty)
{
	const xpti_object_id ids[] = {0, -1, 12345, XPTI_INVALID_OBJECT, INT32_MIN};

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		xpti_object object = xptiLookupObject(ids[i]);
		ck_assert(object.size == 0 && object.data == NULL && object.type == 0);
	}
}
END_TEST

START_TEST(objects_stay_where_they_are)
{
	uint32_t value = 0;

	xptiRegisterObject((char *)&value, sizeof(value), 0);
	const char *first = xptiLookupObject(0).data;
	for (value = 1; value < 20000; value++)
		assert_often_eq(xptiRegisterObject((char *)&value, sizeof(value), 0), value);
	ck_assert_ptr_eq(xptiLookupObject(0).data, first);
	ck_assert_mem_eq(first, "\0\0\0\0", 4);
}
END_TEST

/* ---- payloads ---- */

START_TEST(a_payload_needs_a_name_a_file_or_an_address)
{
	xpti_payload none = {0}, bare = place("f", "f.c", 1), line = bare, code = bare,
		     name = place("f", NULL, 1), file = place(NULL, "f.c", 1), null = bare,
		     lineless = file, nameless = place(NULL, "f.c", 1), fileless = nameless,
		     unknown = file;

	bare.flags = 0;
	line.flags = xpti_payload_has_line | xpti_payload_has_column;
	code.flags = null.flags = xpti_payload_has_code_pointer;
	code.code_ptr_va = &code;
	name.flags = xpti_payload_has_name;
	file.flags = xpti_payload_has_source_file | xpti_payload_has_line;
	lineless.flags = xpti_payload_has_source_file;
	nameless.flags = xpti_payload_has_name;
	fileless.flags = unknown.flags = file.flags;
	fileless.source_file = NULL;
	unknown.line_no = UINT32_MAX;
	ck_assert_uint_eq(xptiRegisterPayload(NULL), 0);
	ck_assert_uint_eq(xptiRegisterPayload(&none), 0);
	ck_assert_uint_eq(xptiRegisterPayload(&bare), 0);
	ck_assert_uint_eq(xptiRegisterPayload(&line), 0);
	ck_assert_uint_eq(xptiRegisterPayload(&null), 0);
	ck_assert_uint_eq(xptiRegisterPayload(&lineless), 0);
	ck_assert_uint_eq(xptiRegisterPayload(&nameless), 0);
	ck_assert_uint_eq(xptiRegisterPayload(&fileless), 0);
	ck_assert_uint_eq(xptiRegisterPayload(&unknown), 0);
	ck_assert_uint_ne(xptiRegisterPayload(&code), 0);
	ck_assert_uint_ne(xptiRegisterPayload(&name), 0);
	ck_assert_uint_ne(xptiRegisterPayload(&file), 0);
	ck_assert_str_eq(xptiQueryPayloadByUID(name.internal)->source_file, "<unknown-file>");
	ck_assert_str_eq(xptiQueryPayloadByUID(file.internal)->name, "<unknown-function>");
	/* What was missing is there now. */
	ck_assert_str_eq(name.source_file, "<unknown-file>");
	ck_assert_str_eq(file.name, "<unknown-function>");
	ck_assert_str_eq(code.name, "<unknown-function>");
	ck_assert_str_eq(code.source_file, "<unknown-file>");
	nameless.flags |= xpti_payload_has_code_pointer;
	nameless.code_ptr_va = &code;
	ck_assert_uint_ne(xptiRegisterPayload(&nameless), 0);
	ck_assert_str_eq(nameless.name, "<unknown-function>");
}
END_TEST

START_TEST(registering_notes_the_uid_in_the_payload)
{
	xpti_payload payload = place("func", "file.c", 77);
	char *text;

	if (_i)
		setenv("XPTI_USE_STRICT_HASH", "1", 1);
	uint64_t uid = xptiRegisterPayload(&payload);

	ck_assert_uint_eq(payload.internal, uid);
	ck_assert_uint_eq(payload.flags, 0x801b);
	ck_assert_uint_eq(xptiFindEvent(uid)->event_type, xpti_event_algorithm);
	ck_assert_uint_eq(xptiFindEvent(uid)->activity_type, xpti_activity_active);
	ck_assert_uint_eq(xptiFindEvent(uid)->flags, 0x39);
	payload = place("func", "file.c", 77);
	uid = xptiRegisterPayload(&payload);
	ck_assert_uint_eq(payload.flags, 0x1b); /* the place is known */
	ck_assert_uint_eq(payload.uid_p1, (uint64_t)xptiRegisterString("file.c", &text) << 32 | 77);
	ck_assert_uint_eq(payload.uid_p2, xptiRegisterString("func", &text));
	ck_assert_str_eq(xptiQueryPayloadByUID(uid)->name, "func");
}
END_TEST

/* ---- events ---- */

START_TEST(make_event_wants_a_payload_and_an_instance)
{
	xpti_payload payload = place("f", "f.c", 1), none = {0};
	uint64_t instance = 5;

	ck_assert_ptr_null(xptiMakeEvent("f", NULL, 1, 1, &instance));
	ck_assert_ptr_null(xptiMakeEvent("f", &none, 1, 1, &instance));
	ck_assert_ptr_null(xptiMakeEvent("f", &payload, 1, 1, NULL));
	ck_assert_ptr_nonnull(xptiMakeEvent(NULL, &payload, 1, 1, &instance));
	ck_assert_uint_eq(instance, 1);
}
END_TEST

START_TEST(an_event_says_what_it_is)
{
	char name[] = "kernel", file[] = "kernel.c";
	xpti_payload payload = place(name, file, 12), before = payload;
	uint64_t instance;
	xpti_event *event = xptiMakeEvent("other", &payload, xpti_event_barrier,
					  xpti_activity_overhead, &instance);

	ck_assert_mem_eq(&payload, &before, sizeof(payload)); /* the caller's is not touched */
	name[0] = file[0] = 'X';
	ck_assert_str_eq(event->payload->name, "kernel");
	ck_assert_str_eq(event->payload->source_file, "kernel.c");
	ck_assert_uint_eq(event->payload->line_no, 12);
	ck_assert_uint_eq(event->payload->column_no, 1);
	ck_assert_uint_ne(event->unique_id, 0);
	ck_assert_uint_eq(event->unique_id, event->payload->internal);
	ck_assert(event->instance_id == 1 && event->data_id == 1);
	ck_assert(event->source_id == 0 && event->target_id == 0);
	ck_assert_uint_eq(event->event_type, xpti_event_barrier);
	ck_assert_uint_eq(event->activity_type, xpti_activity_overhead);
	ck_assert_uint_eq(event->flags, xpti_event_has_uid | xpti_event_has_event_type |
						xpti_event_has_activity_type |
						xpti_event_has_payload);
	ck_assert_uint_eq(event->payload->flags & 0x28000,
			  xpti_payload_registered | xpti_payload_has_hash);
	ck_assert_uint_eq(event->metadata.count, 0);
	ck_assert_ptr_null(event->global_user_data);
	ck_assert_ptr_eq(xptiQueryPayload(event), event->payload);
}
END_TEST

START_TEST(an_event_without_a_name_or_file_is_of_an_unknown_one)
{
	xpti_payload name = place("f", "f.c", 1), file = place("f", "f.c", 1),
		     empty = place("", "", 1);
	uint64_t instance;

	name.flags &= ~(uint64_t)xpti_payload_has_source_file;
	file.flags &= ~(uint64_t)xpti_payload_has_name;
	xpti_event *event = xptiMakeEvent("g", &name, 1, 1, &instance);
	ck_assert_str_eq(event->payload->name, "f");
	ck_assert_str_eq(event->payload->source_file, "<unknown-file>");
	event = xptiMakeEvent("g", &file, 1, 1, &instance);
	ck_assert_str_eq(event->payload->name, "<unknown-function>");
	ck_assert_str_eq(event->payload->source_file, "f.c");
	/* These were given. */
	event = xptiMakeEvent("g", &empty, 1, 1, &instance);
	ck_assert_str_eq(event->payload->name, "");
	ck_assert_str_eq(event->payload->source_file, "");
}
END_TEST

/* Each pair has one 32-bit FNV hash, which is what the original tells names apart by. */
START_TEST(names_of_the_same_hash_are_different_names)
{
	static const char *const same[][2] = {
		{"costarring", "liquid"}, {"declinate", "macallums"}, {"altarage", "zinke"}};
	char *one, *other;
	uint64_t instance;

	for (int i = 0; i < 3; i++) {
		xpti_payload first = place(same[i][0], same[i][0], 1),
			     second = place(same[i][1], same[i][0], 1),
			     third = place(same[i][0], same[i][1], 1);
		xpti_payload *all[] = {&first, &second, &third};
		ck_assert_uint_ne(xptiRegisterString(same[i][0], &one),
				  xptiRegisterString(same[i][1], &other));
		ck_assert_str_eq(other, same[i][1]);
		for (int k = 0; k < 3; k++) {
			ck_assert_str_eq(xptiMakeEvent("", all[k], 1, 1, &instance)->payload->name,
					 all[k]->name);
			ck_assert_uint_eq(instance, 1);
		}
	}
}
END_TEST

START_TEST(each_call_makes_a_new_event_and_counts_its_place)
{
	xpti_payload payload = place("f", "f.c", 1), column = payload, line = place("f", "f.c", 2),
		     name = place("g", "f.c", 1), file = place("f", "g.c", 1);
	xpti_payload *others[] = {&column, &line, &name, &file};
	uint64_t instance;

	column.column_no = 9;
	xpti_event *first = xptiMakeEvent("f", &payload, 1, 1, &instance),
		   *second = xptiMakeEvent("f", &payload, 1, 1, &instance);
	ck_assert_ptr_ne(first, second);
	ck_assert_ptr_ne(first->payload, second->payload);
	ck_assert_uint_ne(first->unique_id, second->unique_id);
	ck_assert_uint_eq(instance, 2);
	for (int i = 0; i < 4; i++) {
		xptiMakeEvent("f", others[i], 1, 1, &instance);
		ck_assert_uint_eq(instance, 1);
	}
	xptiRegisterPayload(&payload); /* counts, too */
	xptiCreateTracepoint("f", "f.c", 1, 1, NULL);
	xptiMakeEvent("f", &payload, 1, 1, &instance);
	ck_assert_uint_eq(instance, 5);
	xptiReleaseEvent(first);
	xptiMakeEvent("f", &payload, 1, 1, &instance); /* goes on after a release */
	ck_assert_uint_eq(instance, 6);
}
END_TEST

START_TEST(events_are_found_by_uid)
{
	xpti_event *event = event_of("f");
	const uint64_t none[] = {0,
				 1,
				 10000,
				 1000000,
				 UINT32_MAX,
				 event->unique_id + 1,
				 event->unique_id + (1ull << 32),
				 1ull << 63,
				 UINT64_MAX,
				 (uint64_t)(uintptr_t)event};

	ck_assert_ptr_eq(xptiFindEvent(event->unique_id), event);
	ck_assert_ptr_eq(xptiQueryPayloadByUID(event->unique_id), event->payload);
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		ck_assert_ptr_null(xptiFindEvent(none[i]));
		ck_assert_ptr_null(xptiQueryPayloadByUID(none[i]));
		ck_assert_ptr_null(xptiLookupEvent(none[i]));
		ck_assert_ptr_null(xptiLookupPayload(none[i]));
	}
}
END_TEST

START_TEST(a_released_event_is_found_no_more)
{
	xpti_event *event = event_of("f");
	uint64_t uid = event->unique_id;

	xptiReleaseEvent(NULL);
	xptiReleaseEvent((xpti_event *)8);
	ck_assert_ptr_nonnull(xptiFindEvent(uid));
	xptiReleaseEvent(event);
	xptiReleaseEvent(event);
	ck_assert_ptr_null(xptiFindEvent(uid));
	ck_assert_ptr_null(xptiQueryPayload(event));
	ck_assert_ptr_null(xptiQueryMetadata(event));
	ck_assert_int_eq(xptiAddMetadata(event, "k", 0), XPTI_RESULT_INVALIDARG);
}
END_TEST

START_TEST(uids_are_forgotten_by_reset_and_never_used_twice)
{
	enum { MANY = 2000, ROUNDS = 10 };
	static uint64_t uids[ROUNDS][MANY];

	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < MANY; i++)
			uids[round][i] = event_of("f")->unique_id;
		for (int i = 0; i < round * MANY; i++)
			/* nor when their slots are used again */
			assert_often(!xptiFindEvent(uids[i / MANY][i % MANY]));
		xptiReset();
		for (int i = 0; i < MANY; i++)
			assert_often(!xptiFindEvent(uids[round][i]));
	}
	ck_assert_uint_eq(event_of("f")->instance_id, 1);
}
END_TEST

START_TEST(queries_of_what_is_no_event_are_empty)
{
	xpti_payload payload = place("f", "f.c", 1);
	xpti_event own = {.payload = &payload};

	if (_i)
		refuse_process_vm_readv();
	errno = EXDEV;
	ck_assert_ptr_null(xptiQueryPayload(NULL));
	/* the original returns (void *)56 */
	ck_assert_ptr_null(xptiQueryMetadata(NULL));
	ck_assert_ptr_null(xptiQueryPayload((xpti_event *)1));
	ck_assert_ptr_null(xptiQueryPayload((xpti_event *)8));
	ck_assert_ptr_null(xptiQueryMetadata((xpti_event *)8));
	ck_assert_int_eq(xptiAddMetadata((xpti_event *)8, "k", 0), XPTI_RESULT_INVALIDARG);
	ck_assert_ptr_eq(xptiQueryPayload(&own), &payload); /* a program's own event */
	ck_assert_ptr_eq(xptiQueryMetadata(&own), &own.metadata);
	ck_assert_int_eq(errno, EXDEV);
}
END_TEST

START_TEST(unique_ids_count_from_1)
{
	ck_assert_uint_eq(xptiGetUniqueId(), 1);
	ck_assert_uint_eq(xptiGetUniqueId(), 2);
	xptiReset();
	ck_assert_uint_eq(xptiGetUniqueId(), 1);
}
END_TEST

/* ---- trace points ---- */

START_TEST(a_trace_point_has_four_interfaces)
{
	int code;
	xpti_tracepoint_if *point = xptiCreateTracepoint("func", "file.c", 3, 4, &code);
	uint64_t uid = point->vtbl->uid64(point);
	const xpti_payload_if *payload = xptiLookupPayload(uid);

	ck_assert_uint_ne(uid, 0);
	ck_assert_ptr_eq(point->vtbl->payload(point), payload);
	ck_assert_ptr_eq(point->vtbl->event(point), xptiLookupEvent(uid));
	ck_assert_ptr_eq(point->vtbl->event_ref(point), xptiFindEvent(uid));
	ck_assert_ptr_eq(point->vtbl->payload_ref(point), xptiQueryPayloadByUID(uid));
	ck_assert_int_eq((char *)point - (char *)payload, 24);
	ck_assert_str_eq(payload->vtbl->name(payload), "func");
	ck_assert_ptr_eq(point->vtbl->payload_ref(point)->code_ptr_va, &code);
}
END_TEST

/* Flags say what a place has; a name and a file it always has in the end. */
START_TEST(a_trace_point_has_flags)
{
	static const struct {
		const char *function, *file;
		void *code;
		uint64_t flags;
	} cases[] = {{"f", "f.c", NULL, 0x1b},	 {"f", "f.c", (void *)8, 0x1f},
		     {"f", NULL, NULL, 3},	 {"f", "", (void *)8, 7},
		     {NULL, "f.c", NULL, 0x1b},	 {"", "f.c", (void *)8, 0x1f},
		     {NULL, NULL, (void *)8, 7}, {NULL, NULL, NULL, 0x1b}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		xpti_tracepoint_if *point = xptiCreateTracepoint(cases[i].function, cases[i].file,
								 (uint32_t)i, 1, cases[i].code);
		ck_assert_uint_eq(point->vtbl->payload_ref(point)->flags,
				  cases[i].flags | xpti_payload_registered | xpti_payload_has_hash);
		const xpti_event *event = point->vtbl->event_ref(point);
		ck_assert_int_eq(event->event_type, xpti_event_algorithm);
		ck_assert_int_eq(event->activity_type, xpti_activity_active);
		ck_assert_uint_eq(event->flags, xpti_event_has_uid | xpti_event_has_payload |
							xpti_event_has_event_type |
							xpti_event_has_activity_type);
	}
}
END_TEST

START_TEST(an_unknown_place_is_a_place)
{
	xpti_tracepoint_if *point = xptiCreateTracepoint(NULL, NULL, 7, 8, NULL);
	xpti_payload *payload = point->vtbl->payload_ref(point);

	ck_assert_str_eq(payload->name, "<unknown-function>");
	ck_assert_str_eq(payload->source_file, "<unknown-file>");
	ck_assert(payload->line_no == 0 && payload->column_no == 0);
	point = xptiCreateTracepoint("f", NULL, 7, 8, (void *)-1);
	payload = point->vtbl->payload_ref(point);
	ck_assert_str_eq(payload->source_file, "<unknown-file>");
	ck_assert(payload->line_no == 7 && payload->column_no == 8);
	point = xptiCreateTracepoint(NULL, "", 7, 8, (void *)-1);
	payload = point->vtbl->payload_ref(point);
	ck_assert_str_eq(payload->name, "<unknown-function>");
	ck_assert(payload->line_no == 7 && payload->column_no == 8);
	/* A file without a line says too little. */
	point = xptiCreateTracepoint(NULL, "f.c", UINT32_MAX, 8, NULL);
	payload = point->vtbl->payload_ref(point);
	ck_assert_str_eq(payload->source_file, "<unknown-file>");
	ck_assert(payload->line_no == 0 && payload->column_no == 0);
}
END_TEST

START_TEST(a_deleted_trace_point_is_gone)
{
	xpti_tracepoint_if *point = xptiCreateTracepoint("f", "f.c", 1, 1, NULL);
	uint64_t uid = point->vtbl->uid64(point);

	ck_assert_int_eq(xptiDeleteTracepoint(NULL), XPTI_RESULT_INVALIDARG);
	ck_assert_int_eq(xptiDeleteTracepoint((xpti_tracepoint_if *)8), XPTI_RESULT_NOTFOUND);
	ck_assert_int_eq(xptiDeleteTracepoint(point), XPTI_RESULT_SUCCESS);
	ck_assert_int_eq(xptiDeleteTracepoint(point), XPTI_RESULT_NOTFOUND);
	ck_assert_ptr_null(xptiLookupEvent(uid));
	ck_assert_ptr_null(xptiLookupPayload(uid));
	ck_assert_ptr_null(xptiFindEvent(uid));
	ck_assert_ptr_null(xptiQueryPayloadByUID(uid));
	point = xptiCreateTracepoint("f", "f.c", 1, 1, NULL);
	ck_assert_uint_eq(point->vtbl->instance(point), 2);
}
END_TEST

START_TEST(deleted_trace_points_are_used_again)
{
	enum { MANY = 4096 };
	static xpti_tracepoint_if *seen[MANY];
	int same = 0;

	for (int i = 0; i < MANY; i++) {
		xpti_tracepoint_if *point = xptiCreateTracepoint("f", "f.c", 1, 1, NULL);
		for (int k = 0; k < i && !seen[i]; k++)
			same += seen[k] == point;
		seen[i] = point;
		ck_assert_uint_eq(
			point->vtbl->metadata(point)->vtbl->count(point->vtbl->metadata(point)), 0);
		xptiAddMetadata(point->vtbl->event_ref(point), "key", i);
		xptiDeleteTracepoint(point);
	}
	ck_assert_int_gt(same, MANY / 2);
}
END_TEST

/* ---- what is odd, and yet an argument ---- */

/* 16 MiB of text. */
static char *huge_text(char letter)
{
	size_t size = 16u << 20;
	char *huge = malloc(size);

	memset(huge, letter, size - 1);
	huge[size - 1] = '\0';
	return huge;
}

START_TEST(huge_names_are_names)
{
	char *huge = huge_text('h'), *other = huge_text('h'), *text;
	xpti_payload payload = {.name = huge,
				.source_file = huge,
				.stack_trace = other,
				.line_no = 1,
				.flags = xpti_payload_has_name | xpti_payload_has_source_file |
					 xpti_payload_has_stack_trace};
	uint64_t instance;

	ck_assert_int_eq(xptiInitialize(huge, 1, 0, other), XPTI_RESULT_SUCCESS);
	ck_assert_uint_eq(xptiRegisterStream(other), 2);
	ck_assert_int_eq(xptiUnregisterStream(other), XPTI_RESULT_NOTFOUND);
	xptiFinalize(huge);
	ck_assert_uint_eq(xptiRegisterUserDefinedTracePoint(huge, 1), 1 << 8 | 0x81);
	ck_assert_uint_eq(xptiRegisterUserDefinedEventType(other, 1), 1 << 8 | 0x81);
	xpti_event *event = xptiMakeEvent(other, &payload, 1, 1, &instance);
	ck_assert_str_eq(event->payload->name, other);
	ck_assert_ptr_eq(event->payload->name, event->payload->source_file);
	ck_assert_str_eq(event->payload->stack_trace, huge);
	ck_assert_int_eq(xptiAddMetadata(event, huge, xptiRegisterObject(huge, 16u << 20, 0)),
			 XPTI_RESULT_SUCCESS);
	ck_assert_int_eq(xptiAddMetadata(event, other, 2), XPTI_RESULT_DUPLICATE);
	ck_assert_mem_eq(xptiLookupObject(0).data, huge, 16u << 20);
	ck_assert_ptr_nonnull(
		xptiCreateTracepoint(huge, other, UINT32_MAX, UINT32_MAX, (void *)-1));
	ck_assert_uint_eq(event->metadata.first->key, xptiRegisterString(other, &text));
	ck_assert_int_eq(xptiStashTuple(huge, UINT64_MAX), XPTI_RESULT_SUCCESS);
}
END_TEST

START_TEST(empty_names_are_none)
{
	ck_assert_int_eq(xptiInitialize("", 1, 0, ""), XPTI_RESULT_SUCCESS);
	ck_assert_uint_eq(xptiGetEffectiveStreamDetailLevel(XPTI_INVALID_STREAM), xpti_detail_none);
	ck_assert_int_eq(xptiUnregisterStream(""), XPTI_RESULT_NOTFOUND);
	xptiFinalize("");
	ck_assert_int_eq(xptiRegisterCallback(XPTI_INVALID_STREAM, 10, on_a), XPTI_RESULT_SUCCESS);
	ck_assert_int_eq(xptiUnregisterStream(""), XPTI_RESULT_SUCCESS);
	ck_assert_int_eq(xptiRegisterCallback(XPTI_INVALID_STREAM, 10, on_a), XPTI_RESULT_UNDELETE);
	ck_assert_uint_eq(xptiRegisterStream("next"), 2); /* it has taken no number */
	ck_assert_uint_eq(xptiRegisterUserDefinedEventType("", 0), 255 << 8 | 0x80);
	ck_assert_int_eq(xptiRegisterObject("", 0, 0), 0); /* no bytes are an object */
	ck_assert_uint_eq(xptiLookupObject(0).size, 0);
	ck_assert_int_eq(xptiRegisterObject("x", 0, 0), 0);
	ck_assert_str_eq(xptiCreateTracepoint("", "", 1, 1, NULL)
				 ->vtbl->payload_ref(xptiCreateTracepoint("", "", 1, 1, NULL))
				 ->name,
			 "<unknown-function>");
	ck_assert_int_eq(xptiStashTuple("", 0), XPTI_RESULT_SUCCESS);
}
END_TEST

/*
 * Numbers that nobody has been given: a callback may wait there for them, and notifications come to
 * it.
 */
START_TEST(every_stream_and_type_is_safe)
{
	static const xpti_stream_id streams[] = {0, 1, 2, 127, 128, 254, 255};
	static const uint16_t types[] = {0, 1, 255, 256, 0x8080, UINT16_MAX};

	start();
	for (size_t s = 0; s < sizeof(streams) / sizeof(streams[0]); s++)
		for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++) {
			called[0] = '\0';
			ck_assert_int_eq(xptiNotifySubscribers(streams[s], types[t], NULL,
							       (xpti_event *)1, 0, NULL),
					 XPTI_RESULT_SUCCESS);
			ck_assert_int_eq(xptiUnregisterCallback(streams[s], types[t], on_a),
					 XPTI_RESULT_NOTFOUND);
			ck_assert_int_eq(xptiRegisterCallback(streams[s], types[t], on_a),
					 XPTI_RESULT_SUCCESS);
			ck_assert_int_eq(xptiNotifySubscribers(streams[s], types[t], NULL,
							       (xpti_event *)-1, 0, NULL),
					 XPTI_RESULT_SUCCESS);
			ck_assert_str_eq(called, "a");
			ck_assert_int_eq(xptiCheckTraceEnabled(streams[s], types[t]),
					 streams[s] != 0);
			ck_assert_int_eq(xptiUnregisterCallback(streams[s], types[t], on_a),
					 XPTI_RESULT_SUCCESS);
		}
	for (int i = 0; i < 256; i++)
		ck_assert_uint_eq(xptiGetEffectiveStreamDetailLevel((xpti_stream_id)i),
				  xpti_detail_normal);
}
END_TEST

START_TEST(pointers_that_lead_to_no_event_do_no_harm)
{
	xpti_event *event = event_of("f");
	char *freed = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *hidden = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(freed, 4096);
	void *const bogus[] = {(void *)1,
			       (void *)8,
			       (void *)64,
			       (void *)4096,
			       (void *)-1,
			       (void *)-8,
			       (void *)(1ull << 63),
			       (void *)(1ull << 47),
			       freed,
			       hidden,
			       hidden + 4088,
			       (char *)event + 8,
			       (char *)event - 8,
			       (char *)event + 1,
			       (char *)event + 4096,
			       event->payload};

	for (size_t i = 0; i < sizeof(bogus) / sizeof(bogus[0]); i++) {
		ck_assert_ptr_null(xptiQueryPayload(bogus[i]));
		ck_assert_ptr_null(xptiQueryMetadata(bogus[i]));
		ck_assert_int_eq(xptiAddMetadata(bogus[i], "k", 1), XPTI_RESULT_INVALIDARG);
		xptiReleaseEvent(bogus[i]);
		if (bogus[i] == (char *)event - 8)
			continue; /* the trace point */
		ck_assert_int_eq(xptiDeleteTracepoint(bogus[i]), XPTI_RESULT_NOTFOUND);
		ck_assert_int_eq(xptiSetTracepointScopeData(bogus[i]), XPTI_RESULT_INVALIDARG);
	}
	ck_assert_ptr_eq(xptiFindEvent(event->unique_id), event);
	ck_assert_uint_eq(event->metadata.count, 0);
}
END_TEST

/* ---- callbacks ---- */

START_TEST(registering_tells_what_was_before)
{
	start();
	ck_assert_int_eq(xptiRegisterCallback(stream, 10, NULL), XPTI_RESULT_INVALIDARG);
	ck_assert_int_eq(xptiUnregisterCallback(stream, 10, NULL), XPTI_RESULT_INVALIDARG);
	ck_assert_int_eq(xptiUnregisterCallback(stream, 10, on_a), XPTI_RESULT_NOTFOUND);
	ck_assert_int_eq(xptiRegisterCallback(stream, 10, on_a), XPTI_RESULT_SUCCESS);
	ck_assert_int_eq(xptiRegisterCallback(stream, 10, on_a), XPTI_RESULT_DUPLICATE);
	ck_assert_int_eq(xptiUnregisterCallback(stream, 11, on_a), XPTI_RESULT_NOTFOUND);
	ck_assert_int_eq(xptiUnregisterCallback(stream, 10, on_a), XPTI_RESULT_SUCCESS);
	ck_assert_int_eq(xptiUnregisterCallback(stream, 10, on_a), XPTI_RESULT_DUPLICATE);
	ck_assert_str_eq(notify(10), "");
	ck_assert_int_eq(xptiRegisterCallback(stream, 10, on_a), XPTI_RESULT_UNDELETE);
	ck_assert_str_eq(notify(10), "a");
}
END_TEST

START_TEST(callbacks_are_called_in_the_order_of_registering)
{
	start();
	xptiRegisterCallback(stream, 10, on_b);
	xptiRegisterCallback(stream, 10, on_a);
	ck_assert_str_eq(notify(10), "ba");
	ck_assert_str_eq(notify(11), "");
}
END_TEST

START_TEST(unregistering_one_callback_leaves_the_other)
{
	start();
	xptiRegisterCallback(stream, 10, on_a);
	xptiRegisterCallback(stream, 10, on_b);
	xptiUnregisterCallback(stream, 10, on_a);
	ck_assert(xptiCheckTraceEnabled(stream, 10));
	ck_assert_str_eq(notify(10), "b");
	xptiUnregisterCallback(stream, 10, on_a);
	ck_assert(xptiCheckTraceEnabled(stream, 10));
	/* never registered */
	xptiUnregisterCallback(stream, 10, (xpti_callback)(void (*)(void))start);
	ck_assert(xptiCheckTraceEnabled(stream, 10));
	xptiUnregisterCallback(stream, 10, on_b);
	ck_assert(!xptiCheckTraceEnabled(stream, 10));
}
END_TEST

START_TEST(a_notification_passes_everything_on)
{
	int user;

	start();
	xptiRegisterCallback(stream, 10, on_a);
	ck_assert_int_eq(
		xptiNotifySubscribers(stream, 10, (xpti_event *)2, (xpti_event *)3, 4, &user),
		XPTI_RESULT_SUCCESS);
	ck_assert(last.type == 10 && last.parent == (xpti_event *)2 &&
		  last.object == (xpti_event *)3 && last.instance == 4 && last.user_data == &user);
}
END_TEST

START_TEST(user_defined_types_are_notified)
{
	start();
	uint16_t type = xptiRegisterUserDefinedTracePoint("tool", XPTI_TRACE_POINT_BEGIN(3));
	ck_assert(!xptiCheckTraceEnabled(stream, type));
	ck_assert_str_eq(notify(type), "");
	xptiRegisterCallback(stream, type, on_a);
	ck_assert(xptiCheckTraceEnabled(stream, type));
	ck_assert_str_eq(notify(type), "a");
	ck_assert_uint_eq(last.type, type);
	ck_assert_str_eq(notify(type + 1), "");
	ck_assert_str_eq(notify(type & 0xff), "");
}
END_TEST

START_TEST(tracing_off_comes_first)
{
	start();
	xptiRegisterCallback(stream, 10, on_a);
	xptiForceSetTraceEnabled(false);
	ck_assert_int_eq(xptiNotifySubscribers(stream, 10, NULL, NULL, 0, NULL), XPTI_RESULT_FALSE);
	ck_assert_int_eq(xptiNotifySubscribers(stream, 10, NULL, (xpti_event *)1, 0, NULL),
			 XPTI_RESULT_FALSE);
	ck_assert_str_eq(called, "");
	ck_assert(!xptiCheckTraceEnabled(stream, 10));
}
END_TEST

START_TEST(only_some_types_do_without_an_event)
{
	int user;

	start();
	for (unsigned type = 0; type < 65536; type++) {
		bool may = type == 0 || type == 24 || type == 25 || type == 28 || type == 29 ||
			   (type >= 32 && type <= 40) || type == 126;
		assert_often_eq(xptiNotifySubscribers(stream, (uint16_t)type, NULL, NULL, 0, &user),
				may ? XPTI_RESULT_SUCCESS : XPTI_RESULT_INVALIDARG);
		assert_often_eq(xptiNotifySubscribers(stream, (uint16_t)type, NULL, NULL, 0, NULL),
				XPTI_RESULT_INVALIDARG);
		assert_often_eq(xptiNotifySubscribers(stream, (uint16_t)type, NULL, (xpti_event *)1,
						      0, NULL),
				XPTI_RESULT_SUCCESS);
	}
	/* no such stream */
	ck_assert_int_eq(xptiNotifySubscribers(77, 10, NULL, (xpti_event *)1, 0, NULL),
			 XPTI_RESULT_SUCCESS);
}
END_TEST

START_TEST(a_check_says_who_listens)
{
	start();
	ck_assert(!xptiCheckTraceEnabled(stream, 0));
	xptiRegisterCallback(stream, 10, on_a);
	ck_assert(xptiCheckTraceEnabled(stream, 10));
	ck_assert(!xptiCheckTraceEnabled(stream, 11));
	ck_assert(xptiCheckTraceEnabled(stream, 0)); /* any type */
	ck_assert(!xptiCheckTraceEnabled(0, 10));
	xptiRegisterCallback(77, 10, on_a);
	ck_assert(xptiCheckTraceEnabled(77, 10)); /* no such stream, but it would be called */
	ck_assert(!xptiCheckTraceEnabled(78, 10));
	xptiReset();
	ck_assert(!xptiCheckTraceEnabled(stream, 10));
	ck_assert(!xptiCheckTraceEnabled(stream, 0));
	ck_assert_int_eq(xptiRegisterCallback(stream, 10, on_a), XPTI_RESULT_SUCCESS);
}
END_TEST

/* Older headers declare the stream with 16 bits; what is above its 8 doesn't count. */
START_TEST(a_check_by_an_older_header_is_the_same)
{
	bool (*older)(uint16_t stream, uint16_t type);

	*(void **)&older = (void *)xptiCheckTraceEnabled;
	start();
	xptiRegisterCallback(stream, 10, on_a);
	ck_assert(older(stream, 10) && older((uint16_t)(0x100 | stream), 10) &&
		  older((uint16_t)(0xff00 | stream), 0));
	ck_assert(!older(0x100, 10) && !older(0xffff, 10));
}
END_TEST

static void register_b(uint16_t type, xpti_event *parent, xpti_event *object, uint64_t instance,
		       const void *user_data)
{
	note('r');
	ck_assert_int_ne(xptiRegisterCallback(stream, type, on_b), XPTI_RESULT_FAIL);
}

START_TEST(what_is_registered_in_a_callback_waits_for_the_next_notification)
{
	start();
	xptiRegisterCallback(stream, 10, register_b);
	ck_assert_str_eq(notify(10), "r");
	ck_assert_str_eq(notify(10), "rb");
}
END_TEST

static void unregister_both(uint16_t type, xpti_event *parent, xpti_event *object,
			    uint64_t instance, const void *user_data)
{
	note('u');
	ck_assert_int_eq(xptiUnregisterCallback(stream, type, unregister_both),
			 XPTI_RESULT_SUCCESS);
	ck_assert_int_eq(xptiUnregisterCallback(stream, type, on_b), XPTI_RESULT_SUCCESS);
}

START_TEST(what_is_unregistered_in_a_callback_is_not_called_any_more)
{
	start();
	xptiRegisterCallback(stream, 10, unregister_both);
	xptiRegisterCallback(stream, 10, on_b);
	xptiRegisterCallback(stream, 10, on_a);
	ck_assert_str_eq(notify(10), "ua");
	ck_assert_str_eq(notify(10), "a");
}
END_TEST

static void reset_all(uint16_t type, xpti_event *parent, xpti_event *object, uint64_t instance,
		      const void *user_data)
{
	note('z');
	xptiReset();
}

START_TEST(a_callback_may_reset)
{
	start();
	xptiRegisterCallback(stream, 10, reset_all);
	xptiRegisterCallback(stream, 10, on_a);
	ck_assert_str_eq(notify(10), "z");
	ck_assert_str_eq(notify(10), "");
}
END_TEST

static void deeper(uint16_t type, xpti_event *parent, xpti_event *object, uint64_t instance,
		   const void *user_data)
{
	if (instance < 100)
		xptiNotifySubscribers(stream, type, NULL, object, instance + 1, NULL);
	else
		note('d');
}

START_TEST(notifications_nest)
{
	start();
	xptiRegisterCallback(stream, 10, deeper);
	ck_assert_str_eq(notify(10), "d");
	ck_assert_str_eq(notify(10), "d");
	ck_assert_int_eq(xptiUnregisterCallback(stream, 10, deeper), XPTI_RESULT_SUCCESS);
}
END_TEST

static void *notifier(void *type)
{
	xptiNotifySubscribers(stream, (uint16_t)(uintptr_t)type, NULL, (xpti_event *)1, 0, NULL);
	return NULL;
}

START_TEST(unregister_returns_when_nobody_is_inside)
{
	pthread_t threads[3];

	start();
	xptiRegisterCallback(stream, 10, slow);
	pthread_create(&threads[0], NULL, notifier, (void *)10);
	pthread_create(&threads[1], NULL, notifier, (void *)10);
	while (inside < 2)
		usleep(1000);
	pthread_create(&threads[2], NULL, leaver, NULL);
	ck_assert_int_eq(xptiUnregisterCallback(stream, 10, slow), XPTI_RESULT_SUCCESS);
	ck_assert_int_eq(inside, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}
END_TEST

START_TEST(unregister_waits_for_its_own_callback_alone)
{
	pthread_t thread;

	start();
	xptiRegisterCallback(stream, 10, slow);
	xptiRegisterCallback(stream, 10, on_a);
	pthread_create(&thread, NULL, notifier, (void *)10);
	while (inside < 1)
		usleep(1000);
	ck_assert_int_eq(xptiUnregisterCallback(stream, 10, on_a), XPTI_RESULT_SUCCESS);
	ck_assert_int_eq(inside, 1);
	may_leave = 1;
	pthread_join(thread, NULL);
	/* though it was in the list that the notification had begun with */
	ck_assert_str_eq(called, "");
}
END_TEST

START_TEST(reset_returns_when_nobody_is_inside)
{
	pthread_t threads[2];

	start();
	xptiRegisterCallback(stream, 10, slow);
	pthread_create(&threads[0], NULL, notifier, (void *)10);
	while (inside < 1)
		usleep(1000);
	pthread_create(&threads[1], NULL, leaver, NULL);
	xptiReset();
	ck_assert_int_eq(inside, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}
END_TEST

static void *other_notifier(void *other)
{
	xptiNotifySubscribers(*(uint8_t *)other, 10, NULL, (xpti_event *)1, 0, NULL);
	return NULL;
}

static _Atomic int others_inside, others_may_leave;

static void slow_other(uint16_t type, xpti_event *parent, xpti_event *object, uint64_t instance,
		       const void *user_data)
{
	others_inside++;
	while (!others_may_leave)
		usleep(1000);
	others_inside--;
}

START_TEST(a_stream_has_ended_when_nobody_is_inside)
{
	pthread_t threads[3];
	uint8_t other = xptiRegisterStream("other");

	start();
	xptiRegisterCallback(stream, 10, slow);
	xptiRegisterCallback(other, 10, slow_other);
	pthread_create(&threads[0], NULL, notifier, (void *)10);
	pthread_create(&threads[1], NULL, other_notifier, &other);
	while (inside < 1 || others_inside < 1)
		usleep(1000);
	pthread_create(&threads[2], NULL, leaver, NULL);
	if (_i)
		ck_assert_int_eq(xptiUnregisterStream("test"), XPTI_RESULT_SUCCESS);
	else
		xptiFinalize("test");
	ck_assert_int_eq(inside, 0);
	ck_assert_int_eq(others_inside, 1); /* those of other streams are not waited for */
	others_may_leave = 1;
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}
END_TEST

static void unregister_1(uint16_t type, xpti_event *parent, xpti_event *object, uint64_t instance,
			 const void *user_data);
static void unregister_2(uint16_t type, xpti_event *parent, xpti_event *object, uint64_t instance,
			 const void *user_data);

static void both_in(uint16_t other, xpti_callback callback)
{
	inside++;
	while (inside < 2)
		usleep(1000);
	xptiUnregisterCallback(stream, other, callback);
}

static void unregister_1(uint16_t type, xpti_event *parent, xpti_event *object, uint64_t instance,
			 const void *user_data)
{
	both_in(11, unregister_2);
}

static void unregister_2(uint16_t type, xpti_event *parent, xpti_event *object, uint64_t instance,
			 const void *user_data)
{
	both_in(10, unregister_1);
}

START_TEST(callbacks_that_unregister_each_other_do_not_hang)
{
	pthread_t threads[2];

	start();
	xptiRegisterCallback(stream, 10, unregister_1);
	xptiRegisterCallback(stream, 11, unregister_2);
	pthread_create(&threads[0], NULL, notifier, (void *)10);
	pthread_create(&threads[1], NULL, notifier, (void *)11);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	ck_assert(!xptiCheckTraceEnabled(stream, 0));
}
END_TEST

static void finalizes(uint16_t type, xpti_event *parent, xpti_event *object, uint64_t instance,
		      const void *user_data)
{
	inside++;
	while (inside < 2)
		usleep(1000);
	xptiFinalize("test");
}

START_TEST(callbacks_that_finalize_their_stream_do_not_hang)
{
	pthread_t threads[2];

	start();
	xptiRegisterCallback(stream, 10, finalizes);
	pthread_create(&threads[0], NULL, notifier, (void *)10);
	pthread_create(&threads[1], NULL, notifier, (void *)10);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	ck_assert(!xptiCheckTraceEnabled(stream, 0));
	ck_assert_int_eq(xptiRegisterCallback(stream, 10, finalizes), XPTI_RESULT_UNDELETE);
	/* alone */
	ck_assert_int_eq(xptiNotifySubscribers(stream, 10, NULL, (xpti_event *)1, 0, NULL),
			 XPTI_RESULT_SUCCESS);
	ck_assert(!xptiCheckTraceEnabled(stream, 0));
}
END_TEST

START_TEST(a_child_goes_on_alone)
{
	pthread_t thread;
	int status;

	start();
	xptiRegisterCallback(stream, 10, slow);
	xptiRegisterCallback(stream, 11, on_a);
	pthread_create(&thread, NULL, notifier, (void *)10);
	while (inside < 1)
		usleep(1000);
	pid_t child = fork();
	if (!child) {
		bool good = strcmp(notify(11), "a") == 0 &&
			    xptiUnregisterCallback(stream, 10, slow) == XPTI_RESULT_SUCCESS;
		xptiReset();
		_exit(good ? 7 : 1);
	}
	may_leave = 1;
	pthread_join(thread, NULL);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}
END_TEST

#ifndef XPTI_TABLE /* the header's own functions call the linked ones */
START_TEST(scopes_notify_of_begin_and_end)
{
	xpti_event *event = event_of("scope");

	start();
	xptiRegisterCallback(stream, xpti_trace_task_begin, on_a);
	xptiRegisterCallback(stream, xpti_trace_task_end, on_b);
	{
		XPTI_SCOPED_NOTIFY(stream, xpti_trace_task_begin, NULL, event, 3, NULL);
		ck_assert_str_eq(called, "a");
		ck_assert(last.object == event && last.instance == 3);
	}
	ck_assert_str_eq(called, "ab");
}
END_TEST
#endif

/* ---- metadata ---- */

START_TEST(metadata_is_keys_and_values)
{
	xpti_event *event = event_of("f");
	char *text;

	ck_assert_int_eq(xptiAddMetadata(NULL, "k", 1), XPTI_RESULT_INVALIDARG);
	ck_assert_int_eq(xptiAddMetadata(event, NULL, 1), XPTI_RESULT_INVALIDARG);
	ck_assert_int_eq(xptiAddMetadata(event, "", 1), XPTI_RESULT_INVALIDARG);
	ck_assert_int_eq(xptiAddMetadata(event, "k", 1), XPTI_RESULT_SUCCESS);
	ck_assert_int_eq(xptiAddMetadata(event, "k", 2), XPTI_RESULT_DUPLICATE);
	xpti_metadata *map = xptiQueryMetadata(event);
	ck_assert_ptr_eq(map, &event->metadata);
	ck_assert_uint_eq(map->count, 1);
	ck_assert_uint_eq(map->first->key, xptiRegisterString("k", &text)); /* interned */
	ck_assert_int_eq(map->first->value, 2);
	/* each event has its own */
	ck_assert_uint_eq(event_of("f")->metadata.count, 0);
}
END_TEST

START_TEST(much_metadata_is_found_again)
{
	xpti_event *event = event_of("f");
	char key[32], *text;
	size_t seen = 0;

	for (int i = 0; i < 5000; i++) {
		snprintf(key, sizeof(key), "key %d", i);
		ck_assert_int_eq(xptiAddMetadata(event, key, i), XPTI_RESULT_SUCCESS);
	}
	for (int i = 0; i < 5000; i++) {
		snprintf(key, sizeof(key), "key %d", i);
		ck_assert_int_eq(xptiAddMetadata(event, key, i + 1), XPTI_RESULT_DUPLICATE);
	}
	uint32_t first = xptiRegisterString("key 0", &text);
	for (xpti_metadata_node *node = event->metadata.first; node; node = node->next, seen++)
		ck_assert_int_eq(node->value, (int)(node->key - first) + 1);
	ck_assert_uint_eq(seen, 5000);
	ck_assert_uint_eq(event->metadata.count, 5000);
}
END_TEST

/* ---- a thread's own ---- */

static void *finds_nothing(void *unused)
{
	char *key;
	uint64_t value;

	ck_assert_int_eq(xptiGetStashedTuple(&key, &value), XPTI_RESULT_NOTFOUND);
	ck_assert_ptr_null(xptiGetTracepointScopeData());
	ck_assert_uint_eq(xptiGetUniversalId(), 0);
	return NULL;
}

static void in_another_thread(void *(*run)(void *))
{
	pthread_t thread;

	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
}

START_TEST(a_thread_stashes_one_tuple)
{
	static const char name[] = "key";
	char *key = NULL;
	uint64_t value = 0;

	ck_assert_int_eq(xptiStashTuple(NULL, 1), XPTI_RESULT_FAIL);
	ck_assert_int_eq(xptiGetStashedTuple(NULL, &value), XPTI_RESULT_INVALIDARG);
	ck_assert_int_eq(xptiGetStashedTuple(&key, &value), XPTI_RESULT_NOTFOUND);
	ck_assert_int_eq(xptiStashTuple(name, 41), XPTI_RESULT_SUCCESS);
	ck_assert_int_eq(xptiStashTuple(name, 42), XPTI_RESULT_SUCCESS);
	in_another_thread(finds_nothing);
	ck_assert_int_eq(xptiGetStashedTuple(&key, &value), XPTI_RESULT_SUCCESS);
	ck_assert_ptr_eq(key, name); /* the pointer, no copy */
	ck_assert_uint_eq(value, 42);
	xptiUnstashTuple();
	/* the original still finds it */
	ck_assert_int_eq(xptiGetStashedTuple(&key, &value), XPTI_RESULT_NOTFOUND);
}
END_TEST

START_TEST(a_thread_has_a_universal_id)
{
	ck_assert_uint_eq(xptiGetUniversalId(), 0);
	xptiSetUniversalId(99);
	ck_assert_uint_eq(xptiGetUniversalId(), 99);
	in_another_thread(finds_nothing);
}
END_TEST

START_TEST(a_thread_is_in_a_scope)
{
	xpti_tracepoint_if *point =
		(xpti_tracepoint_if *)xptiRegisterTracepointScope("f", "f.c", 1, 1, NULL);

	ck_assert_ptr_null(xptiGetTracepointScopeData());
	ck_assert_int_eq(xptiSetTracepointScopeData(NULL), XPTI_RESULT_INVALIDARG);
	ck_assert_int_eq(xptiSetTracepointScopeData((xpti_tracepoint_if *)8),
			 XPTI_RESULT_INVALIDARG);
	ck_assert_int_eq(xptiSetTracepointScopeData(point), XPTI_RESULT_SUCCESS);
	ck_assert_ptr_eq(xptiGetTracepointScopeData(), point);
	ck_assert_uint_eq(xptiGetUniversalId(), point->vtbl->uid64(point));
	in_another_thread(finds_nothing);
	xptiUnsetTracepointScopeData();
	ck_assert_ptr_null(xptiGetTracepointScopeData());
	ck_assert_uint_eq(xptiGetUniversalId(), 0);
	xptiSetTracepointScopeData(point);
	xptiDeleteTracepoint(point);
	ck_assert_ptr_null(xptiGetTracepointScopeData());
}
END_TEST

START_TEST(scopes_notify_by_themselves_if_told_to)
{
	ck_assert(!xptiCheckTracepointScopeNotification());
	xptiEnableTracepointScopeNotification(true);
	ck_assert(xptiCheckTracepointScopeNotification());
	xptiEnableTracepointScopeNotification(false);
	ck_assert(!xptiCheckTracepointScopeNotification());
}
END_TEST

/* ---- defaults and types of one's own ---- */

START_TEST(defaults_can_be_set_and_outlive_reset)
{
	ck_assert_uint_eq(xptiGetDefaultEventType(), xpti_event_algorithm);
	ck_assert_uint_eq(xptiGetDefaultTraceType(), xpti_trace_function_begin);
	ck_assert_int_eq(xptiSetDefaultStreamID(128), XPTI_RESULT_INVALIDARG);
	ck_assert_int_eq(xptiSetDefaultStreamID(255), XPTI_RESULT_INVALIDARG);
	ck_assert_int_eq(xptiSetDefaultStreamID(127), XPTI_RESULT_SUCCESS);
	ck_assert_int_eq(xptiSetDefaultEventType(0), XPTI_RESULT_INVALIDARG);
	ck_assert_int_eq(xptiSetDefaultEventType(xpti_event_graph), XPTI_RESULT_SUCCESS);
	ck_assert_int_eq(xptiSetDefaultTraceType(0), XPTI_RESULT_INVALIDARG);
	ck_assert_int_eq(xptiSetDefaultTraceType(xpti_trace_task_begin), XPTI_RESULT_SUCCESS);
	xptiReset();
	ck_assert_uint_eq(xptiGetDefaultStreamID(), 127);
	ck_assert_uint_eq(xptiGetDefaultEventType(), xpti_event_graph);
	ck_assert_uint_eq(xptiGetDefaultTraceType(), xpti_trace_task_begin);
}
END_TEST

START_TEST(tools_have_types_of_their_own)
{
	uint16_t begin = xptiRegisterUserDefinedTracePoint("one", XPTI_TRACE_POINT_BEGIN(5));
	uint16_t end = xptiRegisterUserDefinedTracePoint("one", XPTI_TRACE_POINT_END(5));

	ck_assert_uint_eq(begin, 1 << 8 | 0x80 | 10);
	ck_assert_uint_eq(end, begin + 1);
	ck_assert_uint_eq(XPTI_TOOL_ID(begin), 1);
	ck_assert_uint_eq(XPTI_EXTRACT_USER_DEFINED_ID(begin), 10);
	ck_assert_uint_eq(XPTI_TOOL_ID(xpti_trace_task_begin), 0);
	ck_assert_uint_eq(xptiRegisterUserDefinedEventType("two", XPTI_EVENT(3)),
			  2 << 8 | 0x80 | 3);
	xptiReset();
	ck_assert_uint_eq(xptiRegisterUserDefinedEventType("three", 0), 3 << 8 | 0x80);
	ck_assert_uint_eq(xptiRegisterUserDefinedEventType("one", 0), 1 << 8 | 0x80);
	ck_assert_uint_eq(xptiRegisterUserDefinedTracePoint(NULL, 0) >> 8, 255);
}
END_TEST

/* ---- many ---- */

#if !defined(XPTI_TABLE) && !defined(XPTI_PROXY) /* once is enough */
/* Tables are as full with either. make stress: a million. */
static int how_many;

static long resident(void)
{
	long size = 0, pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(fscanf(file, "%ld %ld", &size, &pages), 2);
	fclose(file);
	return pages * sysconf(_SC_PAGESIZE);
}

/*
 * Say how much memory each of how_many took since there were `before` bytes; no more than `most`.
 * Returns how how_many there are now.
 */
static long say_each(const char *what, long before, long most)
{
	long now = resident(), each = (now - before) / how_many;

	printf("# each of %d %s: %ld bytes\n", how_many, what, each);
	fflush(stdout);
#ifndef __SANITIZE_ADDRESS__
	ck_assert_int_lt(each, most);
#endif
	return now;
}

static const char *name_of(int i)
{
	static char name[32];

	snprintf(name, sizeof(name), "function_%d", i);
	return name;
}

START_TEST(very_many_trace_points_and_strings)
{
	how_many = getenv("STRESS") ? 1000000 : 250000;
	uint64_t *uids = malloc((size_t)how_many * sizeof(*uids)), instance;
	char *text;

	memset(uids, 0, (size_t)how_many * sizeof(*uids)); /* so that its pages are there before */
	xptiGetUniqueId();
	long used = resident();
	for (int i = 0; i < how_many; i++)
		assert_often_eq(xptiRegisterString(name_of(i), &text), i + 1);
	used = say_each("strings of 15 characters", used, 160);
	for (int i = 0; i < how_many; i += 17)
		assert_often(!strcmp(xptiLookupString((xpti_string_id)i + 1), name_of(i)));
	for (int i = 0; i < how_many; i++) {
		xpti_payload payload = place(name_of(i), "file.c", (uint32_t)i);
		xpti_event *event = xptiMakeEvent("", &payload, 1, 1, &instance);
		assert_often(event && instance == 1);
		uids[i] = event->unique_id;
	}
	used = say_each("trace points, each of a place of its own", used, 480);
	for (int i = 0; i < how_many; i += 17) {
		const xpti_event *event = xptiFindEvent(uids[i]);
		assert_often(event && event->unique_id == uids[i] &&
			     strcmp(event->payload->name, name_of(i)) == 0);
	}
	for (int i = 0; i < how_many; i++) {
		xpti_payload payload = place("function_0", "file.c", 0);
		assert_often(xptiMakeEvent("", &payload, 1, 1, &instance));
	}
	ck_assert_uint_eq(instance, how_many + 1);
	say_each("trace points of one place", used, 320);
	ck_assert_uint_eq(xptiRegisterString("one more", &text), how_many + 2);
	xptiReset();
	for (int i = 0; i < how_many; i += 17) {
		assert_often(!xptiFindEvent(uids[i]));
		assert_often(!xptiLookupString((xpti_string_id)i + 1));
	}
}
END_TEST
#endif

static Suite *suite(void)
{
	Suite *all = suite_create("xpti");
	TCase *tests = tcase_create("dispatcher");

	tcase_set_timeout(tests, 60);
	suite_add_tcase(all, tests);
#define ADD(test) tcase_add_test(tests, test)
	ADD(the_first_stream_is_the_frameworks_and_the_default);
	ADD(without_subscribers_tracing_is_off);
	ADD(initialize_wants_a_stream_and_a_version);
	ADD(finalize_turns_a_streams_callbacks_off);
	ADD(the_framework_ends_with_its_last_user_and_begins_anew);
	ADD(streams_have_numbers_by_name);
	ADD(no_two_streams_share_a_number);
	ADD(a_stream_is_unregistered);
	ADD(strings_have_numbers_from_1);
	ADD(what_is_no_string_has_no_number);
	ADD(texts_stay_where_they_are);
	ADD(a_huge_string_is_a_string);
	ADD(reset_takes_numbers_and_not_texts);
	ADD(objects_have_numbers_from_0);
	ADD(what_is_no_object_is_empty);
	ADD(objects_stay_where_they_are);
	ADD(a_payload_needs_a_name_a_file_or_an_address);
	tcase_add_loop_test(tests, registering_notes_the_uid_in_the_payload, 0, 2);
	ADD(make_event_wants_a_payload_and_an_instance);
	ADD(an_event_says_what_it_is);
	ADD(an_event_without_a_name_or_file_is_of_an_unknown_one);
	ADD(names_of_the_same_hash_are_different_names);
	ADD(each_call_makes_a_new_event_and_counts_its_place);
	ADD(events_are_found_by_uid);
	ADD(a_released_event_is_found_no_more);
	ADD(uids_are_forgotten_by_reset_and_never_used_twice);
	tcase_add_loop_test(tests, queries_of_what_is_no_event_are_empty, 0, 2);
	ADD(unique_ids_count_from_1);
	ADD(a_trace_point_has_four_interfaces);
	ADD(a_trace_point_has_flags);
	ADD(an_unknown_place_is_a_place);
	ADD(a_deleted_trace_point_is_gone);
	ADD(deleted_trace_points_are_used_again);
	ADD(huge_names_are_names);
	ADD(empty_names_are_none);
	ADD(every_stream_and_type_is_safe);
	ADD(pointers_that_lead_to_no_event_do_no_harm);
	ADD(registering_tells_what_was_before);
	ADD(callbacks_are_called_in_the_order_of_registering);
	ADD(unregistering_one_callback_leaves_the_other);
	ADD(a_notification_passes_everything_on);
	ADD(user_defined_types_are_notified);
	ADD(tracing_off_comes_first);
	ADD(only_some_types_do_without_an_event);
	ADD(a_check_says_who_listens);
	ADD(a_check_by_an_older_header_is_the_same);
	ADD(what_is_registered_in_a_callback_waits_for_the_next_notification);
	ADD(what_is_unregistered_in_a_callback_is_not_called_any_more);
	ADD(a_callback_may_reset);
	ADD(notifications_nest);
	ADD(unregister_returns_when_nobody_is_inside);
	ADD(unregister_waits_for_its_own_callback_alone);
	ADD(reset_returns_when_nobody_is_inside);
	tcase_add_loop_test(tests, a_stream_has_ended_when_nobody_is_inside, 0, 2);
	ADD(callbacks_that_unregister_each_other_do_not_hang);
	ADD(callbacks_that_finalize_their_stream_do_not_hang);
	ADD(a_child_goes_on_alone);
#ifndef XPTI_TABLE
	ADD(scopes_notify_of_begin_and_end);
#endif
	ADD(metadata_is_keys_and_values);
	ADD(much_metadata_is_found_again);
	ADD(a_thread_stashes_one_tuple);
	ADD(a_thread_has_a_universal_id);
	ADD(a_thread_is_in_a_scope);
	ADD(scopes_notify_by_themselves_if_told_to);
	ADD(defaults_can_be_set_and_outlive_reset);
	ADD(tools_have_types_of_their_own);
#if !defined(XPTI_TABLE) && !defined(XPTI_PROXY)
	TCase *many = tcase_create("many");
	tcase_set_timeout(many, 120);
	suite_add_tcase(all, many);
	tcase_add_test(many, very_many_trace_points_and_strings);
#endif
	return all;
}

int main(void)
{
	unsetenv("XPTI_SUBSCRIBERS");
	unsetenv("XPTI_TRACE_ENABLE");
#ifdef XPTI_TABLE
	const char *missing =
		xpti_table_load(getenv("XPTI_TEST_DISPATCHER") ? getenv("XPTI_TEST_DISPATCHER")
							       : XPTI_TEST_LIBRARY);
	if (missing) {
		printf("Bail out! %s\n", missing);
		return 99;
	}
#endif
#ifdef XPTI_PROXY
	setenv("XPTI_FRAMEWORK_DISPATCHER", XPTI_TEST_LIBRARY, 1);
#endif
	SRunner *runner = srunner_create(suite());
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
