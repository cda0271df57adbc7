// SPDX-License-Identifier: MIT
/*
 * xpti_cxx_test.cc: the XPTI dispatcher from C++17: trace points through abstract classes, metadata
 * as the std::unordered_map that it is, callbacks that throw.
 *
 * The classes are declared here as the original's header declares its own: what counts is the order
 * of the virtual functions. Their names are not those of tracelayer/xpti.h, whose functions are
 * called with casts.
 *
 * Built twice: xpti_cxx_test is linked with the dispatcher, xpti_cxx_proxy_test (XPTI_PROXY) with
 * the static proxy.
 */
#include <check.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "tracelayer/xpti.h"

/* Not in an unnamed namespace: the compiler would know that nobody implements them. */
namespace xpti
{

struct payload_t {
	virtual ~payload_t() = default;
	virtual const char *name() const = 0;
	virtual const char *source_file() const = 0;
	virtual uint32_t line_no() const = 0;
	virtual uint32_t column_no() const = 0;
	virtual uint64_t payload_flags() const = 0;
	virtual int32_t name_string_id() const = 0;
	virtual int32_t file_string_id() const = 0;
	virtual uint64_t uid64() const = 0;
	virtual bool is_valid() const = 0;
	virtual xpti_payload *payload_ref() = 0;
};

struct metadata_t {
	virtual ~metadata_t() = default;
	virtual int32_t first_item(char **key, int32_t *value) = 0;
	virtual int32_t next_item(char **key, int32_t *value) = 0;
	virtual int32_t add_item(const char *key, int32_t value) = 0;
	virtual size_t count() const = 0;
};

struct event_t {
	virtual ~event_t() = default;
	virtual payload_t *payload() = 0;
	virtual metadata_t *metadata() = 0;
	virtual uint64_t uid64() const = 0;
	virtual uint64_t instance() const = 0;
	virtual uint16_t event_type() const = 0;
	virtual uint16_t activity_type() const = 0;
	virtual uint64_t source_uid64() const = 0;
	virtual uint64_t target_uid64() const = 0;
	virtual uint64_t event_flags() const = 0;
	virtual void set_activity_type(int type) = 0;
	virtual void set_event_type(uint16_t type) = 0;
	virtual xpti_payload *payload_ref() = 0;
	virtual xpti_event *event_ref() = 0;
};

struct tracepoint_t {
	virtual ~tracepoint_t() = default;
	virtual payload_t *payload() = 0;
	virtual metadata_t *metadata() = 0;
	virtual event_t *event() = 0;
	virtual uint64_t uid64() const = 0;
	virtual uint64_t instance() const = 0;
	virtual xpti_event *event_ref() = 0;
	virtual xpti_payload *payload_ref() = 0;
};

} // namespace xpti

/* A program's own operator new: what both sides of a map take memory from. */
static size_t taken;

void *operator new(size_t size)
{
	taken++;
	if (void *memory = malloc(size))
		return memory;
	throw std::bad_alloc();
}

void operator delete(void *memory) noexcept
{
	free(memory);
}

void operator delete(void *memory, size_t) noexcept
{
	free(memory);
}

namespace
{

using namespace xpti;
using map_t = std::unordered_map<uint32_t, int32_t>;
static_assert(sizeof(map_t) == sizeof(xpti_metadata), "the map's layout");

tracepoint_t *make(const char *name)
{
	return reinterpret_cast<tracepoint_t *>(
		xptiCreateTracepoint(name, "code.cc", 12, 34, nullptr));
}

map_t &map_of(tracepoint_t *point)
{
	return reinterpret_cast<map_t &>(*xptiQueryMetadata(point->event_ref()));
}

uint32_t id_of(const std::string &text)
{
	char *copy;

	return xptiRegisterString(text.c_str(), &copy);
}

START_TEST(a_payload_has_virtual_functions)
{
	tracepoint_t *point = make("func");
	payload_t *payload = point->payload();

	ck_assert_str_eq(payload->name(), "func");
	ck_assert_str_eq(payload->source_file(), "code.cc");
	ck_assert_uint_eq(payload->line_no(), 12);
	ck_assert_uint_eq(payload->column_no(), 34);
	ck_assert_uint_eq(payload->payload_flags() & 0x3, 0x3);
	ck_assert_int_eq(payload->name_string_id(), int(id_of("func")));
	ck_assert_int_eq(payload->file_string_id(), int(id_of("code.cc")));
	ck_assert_uint_eq(payload->uid64(), point->uid64());
	ck_assert(payload->is_valid());
	ck_assert_ptr_eq(payload->payload_ref(), point->payload_ref());
	ck_assert_ptr_eq(reinterpret_cast<const payload_t *>(xptiLookupPayload(point->uid64())),
			 payload);
	/* the object's beginning */
	ck_assert_ptr_eq(dynamic_cast<void *>(point), static_cast<void *>(payload));
}
END_TEST

START_TEST(an_event_has_virtual_functions)
{
	tracepoint_t *point = make("func");
	event_t *event = point->event();

	make("func");
	ck_assert_ptr_eq(event->payload(), point->payload());
	ck_assert_ptr_eq(event->metadata(), point->metadata());
	ck_assert_uint_eq(event->uid64(), point->uid64());
	ck_assert_uint_eq(event->instance(), 1);
	ck_assert_uint_eq(point->instance(), 1);
	ck_assert_uint_eq(event->event_type(), xpti_event_algorithm);
	event->set_event_type(xpti_event_graph);
	event->set_activity_type(xpti_activity_sleep);
	ck_assert_uint_eq(event->event_type(), xpti_event_graph);
	ck_assert_uint_eq(event->activity_type(), xpti_activity_sleep);
	ck_assert_uint_eq(event->event_flags(), 0x1 | 0x8 | 0x10 | 0x20);
	point->event_ref()->source_id = 5;
	point->event_ref()->target_id = 6;
	ck_assert_uint_eq(event->source_uid64(), 5);
	ck_assert_uint_eq(event->target_uid64(), 6);
	ck_assert_ptr_eq(event->payload_ref(), point->payload_ref());
	ck_assert_ptr_eq(event->event_ref(), point->event_ref());
	ck_assert_ptr_eq(reinterpret_cast<const event_t *>(xptiLookupEvent(point->uid64())), event);
}
END_TEST

START_TEST(metadata_has_virtual_functions)
{
	metadata_t *metadata = make("func")->metadata();
	char *key = nullptr;
	int32_t value = 0;
	std::set<std::pair<std::string, int32_t>> seen;

	ck_assert_int_eq(metadata->first_item(&key, &value), XPTI_RESULT_FALSE);
	ck_assert_int_eq(metadata->next_item(&key, &value), XPTI_RESULT_FALSE);
	/* the value as it is given */
	ck_assert_int_eq(metadata->add_item("one", 1), XPTI_RESULT_SUCCESS);
	ck_assert_int_eq(metadata->add_item("two", 2), XPTI_RESULT_SUCCESS);
	ck_assert_int_eq(metadata->add_item("two", 3), XPTI_RESULT_DUPLICATE);
	ck_assert_int_eq(metadata->add_item(nullptr, 3), XPTI_RESULT_INVALIDARG);
	ck_assert_uint_eq(metadata->count(), 2);
	for (int32_t more = metadata->first_item(&key, &value); more == XPTI_RESULT_SUCCESS;
	     more = metadata->next_item(&key, &value))
		seen.emplace(key, value);
	ck_assert(seen == (std::set<std::pair<std::string, int32_t>>{{"one", 1}, {"two", 3}}));
	ck_assert_int_eq(metadata->next_item(&key, &value), XPTI_RESULT_FALSE);
}
END_TEST

START_TEST(metadata_is_an_unordered_map)
{
	for (int count : {0, 1, 2, 12, 13, 14, 100, 3000}) {
		tracepoint_t *point = make("map");
		map_t &map = map_of(point), wanted;

		ck_assert_uint_eq(map.size(), 0);
		ck_assert(map.find(77) == map.end());
		for (int i = 0; i < count; i++) {
			std::string key = "key " + std::to_string(i * 37 % count);
			xptiAddMetadata(point->event_ref(), key.c_str(), i);
			wanted[id_of(key)] = i;
		}
		ck_assert_uint_eq(map.size(), wanted.size());
		ck_assert(map == wanted);
		for (auto &[key, value] : wanted) {
			ck_assert(map.find(key) != map.end());
			ck_assert_int_eq(map.at(key), value);
			ck_assert_uint_eq(map.bucket(key), key % map.bucket_count());
		}
		ck_assert(map.find(0xfffffff0) == map.end());
		ck_assert(map.load_factor() <= map.max_load_factor());
		map_t copy = map, moved = std::move(copy);
		ck_assert(moved == wanted);
	}
}
END_TEST

/* Both sides insert, in turns, over many growths; then C++ erases. */
START_TEST(programs_insert_too)
{
	tracepoint_t *point = make("both");
	map_t &map = map_of(point), wanted;

	for (int i = 0; i < 6000; i++) {
		std::string key = "k" + std::to_string(i);
		uint32_t id = id_of(key);
		if (i % 3 == 0)
			map[id] = i;
		else
			ck_assert_int_eq(xptiAddMetadata(point->event_ref(), key.c_str(), i),
					 XPTI_RESULT_SUCCESS);
		wanted[id] = i;
		if (i % 500 == 0)
			ck_assert(map == wanted);
	}
	ck_assert(map == wanted);
	map.rehash(3);
	map.max_load_factor(4.0f);
	map.rehash(0);
	xptiAddMetadata(point->event_ref(), "after", 1);
	ck_assert_int_eq(map.at(id_of("after")), 1);
	for (auto it = map.begin(); it != map.end();)
		it = it->second % 2 ? map.erase(it) : std::next(it);
	ck_assert_uint_eq(map.size(), 3000);
	xptiAddMetadata(point->event_ref(), "k1", 11);
	ck_assert_int_eq(map.at(id_of("k1")), 11);
	map.clear();
	ck_assert_int_eq(xptiAddMetadata(point->event_ref(), "k1", 12), XPTI_RESULT_SUCCESS);
	ck_assert_uint_eq(map.size(), 1);
	ck_assert_int_eq(xptiDeleteTracepoint(reinterpret_cast<xpti_tracepoint_if *>(point)),
			 XPTI_RESULT_SUCCESS);
}
END_TEST

START_TEST(metadata_takes_its_memory_from_operator_new)
{
	tracepoint_t *point = make("memory");
	size_t before = taken;

	xptiAddMetadata(point->event_ref(), "k", 1);
	ck_assert_uint_eq(taken, before + 2); /* a node, and the first buckets */
	xptiAddMetadata(point->event_ref(), "l", 1);
	ck_assert_uint_eq(taken, before + 3);
}
END_TEST

START_TEST(delete_releases_a_trace_point)
{
	tracepoint_t *point = make("func");
	uint64_t uid = point->uid64();

	delete point;
	ck_assert_ptr_null(xptiFindEvent(uid));
}
END_TEST

void throws(uint16_t, xpti_event *, xpti_event *, uint64_t, const void *)
{
	throw std::runtime_error("from a callback");
}

START_TEST(an_exception_leaves_a_notification)
{
	uint8_t stream = xptiRegisterStream("s");
	int caught = 0;

	xptiForceSetTraceEnabled(true);
	xptiRegisterCallback(stream, 10, throws);
	for (int i = 0; i < 100; i++) {
		try {
			xptiNotifySubscribers(stream, 10, nullptr,
					      reinterpret_cast<xpti_event *>(1), 0, nullptr);
		} catch (const std::runtime_error &error) {
			caught += !strcmp(error.what(), "from a callback");
		}
	}
	ck_assert_int_eq(caught, 100);
	ck_assert_int_eq(xptiUnregisterCallback(stream, 10, throws), XPTI_RESULT_SUCCESS);
	xptiReset();
}
END_TEST

int begun, ended;

void on_begin(uint16_t, xpti_event *, xpti_event *, uint64_t, const void *)
{
	begun++;
}

void on_end(uint16_t, xpti_event *, xpti_event *, uint64_t, const void *)
{
	ended++;
}

/* Every function once, with C++'s own types. */
START_TEST(every_function_can_be_called)
{
	char *text;
	uint64_t instance, value;

	xptiFrameworkInitialize();
	ck_assert_int_eq(xptiInitialize("all", 1, 2, "1.2"), XPTI_RESULT_SUCCESS);
	xptiForceSetTraceEnabled(true);
	ck_assert(xptiTraceEnabled());
	uint8_t stream = xptiRegisterStream("all");
	ck_assert_uint_eq(xptiGetEffectiveStreamDetailLevel(stream), xpti_detail_none);
	xptiSetDefaultStreamID(stream);
	ck_assert_uint_eq(xptiGetDefaultStreamID(), stream);
	xptiSetDefaultEventType(xpti_event_async);
	ck_assert_uint_eq(xptiGetDefaultEventType(), xpti_event_async);
	xptiSetDefaultTraceType(xpti_trace_wait_begin);
	ck_assert_uint_eq(xptiGetDefaultTraceType(), xpti_trace_wait_begin);
	uint16_t type = xptiRegisterUserDefinedTracePoint("tool", XPTI_TRACE_POINT_BEGIN(1));
	ck_assert_uint_ne(xptiRegisterUserDefinedEventType("tool", XPTI_EVENT(1)), 0);
	ck_assert_int_eq(xptiRegisterCallback(stream, type, on_begin), XPTI_RESULT_SUCCESS);
	ck_assert_int_eq(xptiRegisterCallback(stream, uint16_t(type + 1), on_end),
			 XPTI_RESULT_SUCCESS);
	ck_assert(xptiCheckTraceEnabled(stream, type));

	xpti_payload payload = XPTI_PAYLOAD("all", "all.cc", 1, 2);
	xpti_event *event =
		xptiMakeEvent("all", &payload, xpti_event_graph, xpti_activity_active, &instance);
	{
		XPTI_SCOPED_NOTIFY(stream, type, nullptr, event, instance, nullptr);
	}
	ck_assert(begun == 1 && ended == 1);
	ck_assert_int_eq(xptiNotifySubscribers(stream, type, nullptr, event, instance, nullptr),
			 XPTI_RESULT_SUCCESS);
	ck_assert_int_eq(begun, 2);
	ck_assert_int_eq(xptiUnregisterCallback(stream, type, on_begin), XPTI_RESULT_SUCCESS);
	ck_assert_ptr_eq(xptiFindEvent(event->unique_id), event);
	ck_assert_ptr_eq(xptiQueryPayload(event), event->payload);
	ck_assert_ptr_eq(xptiQueryPayloadByUID(event->unique_id), event->payload);
	ck_assert_uint_ne(xptiRegisterPayload(&payload), 0);
	ck_assert_int_eq(
		xptiAddMetadata(event, "k", xptiRegisterObject("v", 1, xpti_metadata_string)),
		XPTI_RESULT_SUCCESS);
	ck_assert_uint_eq(xptiQueryMetadata(event)->count, 1);
	ck_assert_str_eq(xptiLookupString(xptiRegisterString("text", &text)), "text");
	ck_assert_uint_eq(xptiLookupObject(0).size, 1);
	ck_assert_uint_eq(xptiGetUniqueId() + 1, xptiGetUniqueId());
	xptiSetUniversalId(9);
	ck_assert_uint_eq(xptiGetUniversalId(), 9);
	xptiStashTuple("key", 8);
	ck_assert_int_eq(xptiGetStashedTuple(&text, &value), XPTI_RESULT_SUCCESS);
	xptiUnstashTuple();
	xptiEnableTracepointScopeNotification(true);
	ck_assert(xptiCheckTracepointScopeNotification());

	auto *point = const_cast<xpti_tracepoint_if *>(
		xptiRegisterTracepointScope("scope", "all.cc", 3, 4, nullptr));
	ck_assert_int_eq(xptiSetTracepointScopeData(point), XPTI_RESULT_SUCCESS);
	ck_assert_ptr_eq(xptiGetTracepointScopeData(), point);
	ck_assert_uint_eq(xptiGetUniversalId(), reinterpret_cast<tracepoint_t *>(point)->uid64());
	xptiUnsetTracepointScopeData();
	ck_assert_int_eq(xptiDeleteTracepoint(point), XPTI_RESULT_SUCCESS);
	xptiReleaseEvent(event);
	ck_assert_int_eq(xptiUnregisterStream("all"), XPTI_RESULT_SUCCESS);
	xptiFinalize("all");
	xptiReset();
	xptiFrameworkFinalize();
}
END_TEST

} // namespace

int main()
{
	unsetenv("XPTI_SUBSCRIBERS");
	unsetenv("XPTI_TRACE_ENABLE");
#ifdef XPTI_PROXY
	setenv("XPTI_FRAMEWORK_DISPATCHER", XPTI_TEST_LIBRARY, 1);
#endif
	Suite *all = suite_create("xpti");
	TCase *tests = tcase_create("c++");

	suite_add_tcase(all, tests);
	tcase_add_test(tests, a_payload_has_virtual_functions);
	tcase_add_test(tests, an_event_has_virtual_functions);
	tcase_add_test(tests, metadata_has_virtual_functions);
	tcase_add_test(tests, metadata_is_an_unordered_map);
	tcase_add_test(tests, programs_insert_too);
	tcase_add_test(tests, metadata_takes_its_memory_from_operator_new);
	tcase_add_test(tests, delete_releases_a_trace_point);
	tcase_add_test(tests, an_exception_leaves_a_notification);
	tcase_add_test(tests, every_function_can_be_called);
	SRunner *runner = srunner_create(all);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
