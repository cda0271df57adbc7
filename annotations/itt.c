/* SPDX-License-Identifier: MIT */
/*
 * itt.c: tasks, regions, frames, events, markers, counters and metadata of programs that are
 * annotated with ITT.
 *
 * A part of ITT is linked into the program: its first call loads the collector that
 * INTEL_LIBITTNOTIFY64 names, and calls __itt_api_init with the table of the program's function
 * pointers. Each library that uses ITT has a table of its own. Functions that are not listed at the
 * end of this file stay as they are without a collector. Domains and strings are structs that the
 * program reads; some may be older than this library's part in it.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "annotations/annotation_events.h"
#include "annotations/annotation_ranges.h"
#include "annotations/annotation_threads.h"
#include "annotations/itt_abi.h"
#include "annotations/itt_values.h"
#include "layer/base/message.h"

#define TRACELAYER_LINKED
#include "tracelayer/tracelayer.h"

/* Enter the library up to the end of the block; in the rest of it, `thread` is the thread. */
struct visit {
	struct annotation_thread *thread;
	int error;
};

static inline void visit_end(struct visit *visit)
{
	if (!visit->thread)
		return;
	errno = visit->error;
	annotation_leave(visit->thread);
}

#define VISIT(thread, ...)                                                                         \
	struct visit visit_ __attribute__((cleanup(visit_end))) = {annotation_enter(), errno};     \
	struct annotation_thread *thread = visit_.thread;                                          \
	if (!thread)                                                                               \
	return __VA_ARGS__

/* ---- domains and strings */

static struct annotation_domain *domain_own(const struct itt_domain *domain)
{
	struct itt_domain *place = (struct itt_domain *)domain;

	if (!place)
		return annotation_domain_default(ANNOTATION_ITT);
	/* Release and acquire: the domain is complete. */
	void *own = atomic_load_explicit(&place->own, memory_order_acquire);
	if (TL_UNLIKELY(!own)) {
		own = annotation_domain_make(ANNOTATION_ITT, place->name ? place->name : "");
		atomic_store_explicit(&place->own, own, memory_order_release);
	}
	return own;
}

static uint32_t string_number(struct annotation_thread *thread, struct itt_string *string)
{
	uint32_t number = string && string->text
				  ? annotation_known_number(&string->own, string->text,
							    strnlen(string->text, 1024))
				  : 0;

	return number ? number : annotation_text(thread, "(no text)");
}

/*
 * The same name gives the same domain, string or event, also to threads that make one at once: whoever
 * comes later finds the other's among those that were added since it looked.
 */
static struct itt_domain *domain_find(struct itt_domain *domain, const struct itt_domain *until,
				      const char *name)
{
	while (domain != until && strcmp(domain->name, name))
		domain = domain->next;
	return domain != until ? domain : NULL;
}

static struct itt_domain *domain_create(const char *name)
{
	/* Release when one is added, acquire when it is read. */
	static _Atomic(struct itt_domain *) all;
	struct itt_domain *first = atomic_load_explicit(&all, memory_order_acquire);
	struct itt_domain *found = name ? domain_find(first, NULL, name) : NULL;
	struct itt_domain *made = NULL;

	if (found || !name)
		return found;
	if (!(made = annotation_keep(sizeof(*made))) ||
	    !(made->name = annotation_keep_text(name, strlen(name))))
		return NULL;
	made->enabled = 1;
	made->next = first;
	while (!atomic_compare_exchange_weak_explicit(&all, &first, made, memory_order_release,
						      memory_order_acquire)) {
		if ((found = domain_find(first, made->next, name)))
			return found;
		made->next = first;
	}
	return made;
}

static struct itt_string *string_find(struct itt_string *string, const struct itt_string *until,
				      const char *text)
{
	while (string != until && strcmp(string->text, text))
		string = string->next;
	return string != until ? string : NULL;
}

/* The handle of a text is the same each time: programs may compare handles. */
enum { STRING_BUCKETS = 1024 };
static struct itt_string *string_handle_create(const char *text)
{
	/* Release when one is added, acquire when it is read. */
	static _Atomic(struct itt_string *) buckets[STRING_BUCKETS];
	uint32_t hash = 5381;

	if (!text)
		return NULL;
	for (const char *at = text; *at; at++)
		hash = hash * 33 + (unsigned char)*at;
	_Atomic(struct itt_string *) *bucket = &buckets[hash % STRING_BUCKETS];
	struct itt_string *first = atomic_load_explicit(bucket, memory_order_acquire);
	struct itt_string *found = string_find(first, NULL, text);
	struct itt_string *made = NULL;
	if (found)
		return found;
	if (!(made = annotation_keep(sizeof(*made))) ||
	    !(made->text = annotation_keep_text(text, strlen(text))))
		return NULL;
	made->next = first;
	while (!atomic_compare_exchange_weak_explicit(bucket, &first, made, memory_order_release,
						      memory_order_acquire)) {
		if ((found = string_find(first, made->next, text)))
			return found;
		made->next = first;
	}
	return made;
}

/* ---- ids */

/* What a started range is: the kinds have ids of their own. */
enum kind { OVERLAPPED, REGION, FRAME };

static struct annotation_id started_id(const struct itt_domain *domain, enum kind kind,
				       struct itt_id id)
{
	return (struct annotation_id){{(uint64_t)(uintptr_t)domain_own(domain) | kind, id.words[0],
				       id.words[1], id.words[2]}};
}

/* One number for an id; 0: none. */
static uint64_t id_number(struct itt_id id)
{
	return id.words[0] ^ id.words[1] * UINT64_C(0x9e3779b97f4a7c15) ^ id.words[2] << 32;
}

static struct annotation_about about_of(uint32_t name, struct itt_id id, struct itt_id parent)
{
	struct annotation_about about;

	about.name = name;
	about.nargs = 0;
	if (id.words[0])
		annotation_add(&about, ANNOTATION_KEY(id), TL_VALUE_HEX_64, id.words[0]);
	if (parent.words[0])
		annotation_add(&about, ANNOTATION_KEY(parent), TL_VALUE_HEX_64, parent.words[0]);
	return about;
}

/* ---- tasks: a stack for each thread and domain */

static void task_begin(const struct itt_domain *domain, struct itt_id id, struct itt_id parent,
		       struct itt_string *name)
{
	VISIT(thread);
	struct annotation_about about = about_of(string_number(thread, name), id, parent);
	annotation_push(thread, domain_own(domain), &about, id_number(id));
}

static void task_begin_fn(const struct itt_domain *domain, struct itt_id id, struct itt_id parent,
			  void *function)
{
	char text[32];

	VISIT(thread);
	int size = snprintf(text, sizeof(text), "function at %p", function);
	struct annotation_about about =
		about_of(annotation_text_sized(text, (size_t)size), id, parent);
	annotation_push(thread, domain_own(domain), &about, id_number(id));
}

static void task_end(const struct itt_domain *domain)
{
	VISIT(thread);
	annotation_pop(thread, domain_own(domain));
}

/* With a clock of the program's: the task has the times of the calls. */
static void task_begin_ex(const struct itt_domain *domain, void *clock, unsigned long long time,
			  struct itt_id id, struct itt_id parent, struct itt_string *name)
{
	(void)clock, (void)time;
	task_begin(domain, id, parent, name);
}

static void task_begin_fn_ex(const struct itt_domain *domain, void *clock, unsigned long long time,
			     struct itt_id id, struct itt_id parent, void *function)
{
	(void)clock, (void)time;
	task_begin_fn(domain, id, parent, function);
}

static void task_end_ex(const struct itt_domain *domain, void *clock, unsigned long long time)
{
	(void)clock, (void)time;
	task_end(domain);
}

/* ---- ranges that any thread may end */

static void range_begin(const struct itt_domain *domain, enum kind kind, struct itt_id id,
			struct itt_id parent, struct itt_string *name)
{
	VISIT(thread);
	struct annotation_about about = about_of(string_number(thread, name), id, parent);
	annotation_start(thread, domain_own(domain), started_id(domain, kind, id), &about);
}

static void range_end(const struct itt_domain *domain, enum kind kind, struct itt_id id)
{
	VISIT(thread);
	annotation_end(started_id(domain, kind, id));
}

static void task_begin_overlapped(const struct itt_domain *domain, struct itt_id id,
				  struct itt_id parent, struct itt_string *name)
{
	range_begin(domain, OVERLAPPED, id, parent, name);
}

static void task_end_overlapped(const struct itt_domain *domain, struct itt_id id)
{
	range_end(domain, OVERLAPPED, id);
}

static void task_begin_overlapped_ex(const struct itt_domain *domain, void *clock,
				     unsigned long long time, struct itt_id id,
				     struct itt_id parent, struct itt_string *name)
{
	(void)clock, (void)time;
	range_begin(domain, OVERLAPPED, id, parent, name);
}

static void task_end_overlapped_ex(const struct itt_domain *domain, void *clock,
				   unsigned long long time, struct itt_id id)
{
	(void)clock, (void)time;
	range_end(domain, OVERLAPPED, id);
}

static void region_begin(const struct itt_domain *domain, struct itt_id id, struct itt_id parent,
			 struct itt_string *name)
{
	range_begin(domain, REGION, id, parent, name);
}

static void region_end(const struct itt_domain *domain, struct itt_id id)
{
	range_end(domain, REGION, id);
}

/* ---- frames: named for their domain; each id has one that is open */

static struct itt_id frame_id(const struct itt_id *id)
{
	return id ? *id : (struct itt_id){{0, 0, 0}};
}

static uint32_t frame_name(struct annotation_thread *thread, const struct itt_domain *domain)
{
	uint32_t number = annotation_text(thread, domain ? domain->name : NULL);

	return number ? number : annotation_text(thread, "frame");
}

static void frame_begin(const struct itt_domain *domain, struct itt_id *id)
{
	VISIT(thread);
	struct annotation_about about = {.name = frame_name(thread, domain)};
	annotation_start_once(thread, domain_own(domain), started_id(domain, FRAME, frame_id(id)),
			      &about);
}

static void frame_end(const struct itt_domain *domain, struct itt_id *id)
{
	VISIT(thread);
	annotation_end(started_id(domain, FRAME, frame_id(id)));
}

/* The times are those of get_timestamp. */
static void frame_submit(const struct itt_domain *domain, struct itt_id *id, uint64_t begin,
			 uint64_t end)
{
	(void)id;
	VISIT(thread);
	struct annotation_about about = {.name = frame_name(thread, domain)};
	if (!tl_guest_wanted(ANNOTATION_LEVEL))
		return;
	uint64_t now = tl_guest_now();
	if (end == ITT_NO_TIMESTAMP || end > now)
		end = now;
	if (begin && begin <= end && domain_own(domain))
		annotation_slice(domain_own(domain), &about, begin, end);
}

static uint64_t get_timestamp(void)
{
	VISIT(thread, 0);
	return tl_guest_wanted(ANNOTATION_LEVEL) ? tl_guest_now() : 0;
}

/* ---- events: numbers with names */

enum { EVENTS = 65536, EVENT_BUCKETS = 4096 };
struct itt_event {
	struct itt_event *next; /* of the bucket */
	struct annotation_string *name;
	int number;
};
static _Atomic(struct itt_event *) events[EVENTS]; /* release and acquire: complete */

/* Too many types of events: say so once in the process. */
static void events_refuse(void)
{
	static atomic_flag told = ATOMIC_FLAG_INIT;

	if (!atomic_flag_test_and_set_explicit(&told, memory_order_relaxed))
		tl_message_say(
			"tracelayer: annotations: this process has more than 65535 types of ITT events; the others are not in the trace\n");
}

static struct itt_event *event_make(const char *name, size_t size)
{
	static _Atomic int last;
	int before = atomic_load_explicit(&last, memory_order_relaxed);

	do {
		if (before >= EVENTS - 1) {
			events_refuse();
			return NULL;
		}
	} while (!atomic_compare_exchange_weak_explicit(
		&last, &before, before + 1, memory_order_relaxed, memory_order_relaxed));
	struct itt_event *event = annotation_keep(sizeof(*event));
	if (!event || !(event->name = annotation_string_make(name, size)))
		return NULL;
	event->number = before + 1;
	atomic_store_explicit(&events[event->number], event, memory_order_release);
	return event;
}

static struct itt_event *event_find(struct itt_event *event, const struct itt_event *until,
				    const char *name, size_t size)
{
	for (; event != until; event = event->next)
		if (event->name->size == size && !memcmp(event->name->text, name, size))
			return event;
	return NULL;
}

static int event_create(const char *name, int room)
{
	/* Release when one is added, acquire when it is read. */
	static _Atomic(struct itt_event *) buckets[EVENT_BUCKETS];
	size_t size = name ? strnlen(name, room > 0 ? (size_t)room : 1024) : 0;
	uint32_t hash = 5381;

	if (!name)
		return 0;
	for (size_t i = 0; i < size; i++)
		hash = hash * 33 + (unsigned char)name[i];
	_Atomic(struct itt_event *) *bucket = &buckets[hash % EVENT_BUCKETS];
	struct itt_event *first = atomic_load_explicit(bucket, memory_order_acquire);
	struct itt_event *found = event_find(first, NULL, name, size);
	struct itt_event *made = NULL;
	if (found)
		return found->number;
	if (!(made = event_make(name, size)))
		return 0;
	made->next = first;
	while (!atomic_compare_exchange_weak_explicit(bucket, &first, made, memory_order_release,
						      memory_order_acquire)) {
		/* The number of the one that was made stays unused. */
		if ((found = event_find(first, made->next, name, size)))
			return found->number;
		made->next = first;
	}
	return made->number;
}

static int event_start(int number)
{
	struct itt_event *event =
		number > 0 && number < EVENTS
			? atomic_load_explicit(&events[number], memory_order_acquire)
			: NULL;

	VISIT(thread, 0);
	uint32_t name = event ? annotation_string_number(event->name) : 0;
	if (name)
		annotation_event_start(thread, domain_own(NULL), (uint32_t)number, name);
	return 0;
}

static int event_end(int number)
{
	VISIT(thread, 0);
	annotation_event_end(thread, domain_own(NULL), (uint32_t)number);
	return 0;
}

/* ---- markers and metadata */

static void scope_add(struct annotation_thread *thread, struct annotation_about *about, int scope)
{
	static const char *const scopes[] = {"unknown", "global", "track_group",
					     "track",	"task",	  "marker"};

	if (scope > 0 && scope < (int)(sizeof(scopes) / sizeof(*scopes)))
		annotation_add(about, ANNOTATION_KEY(scope), TL_VALUE_STRING,
			       annotation_text(thread, scopes[scope]));
}

static void marker_record(const struct itt_domain *domain, struct itt_id id,
			  struct itt_string *name, int scope)
{
	VISIT(thread);
	struct annotation_about about =
		about_of(string_number(thread, name), id, (struct itt_id){{0, 0, 0}});
	scope_add(thread, &about, scope);
	annotation_mark(thread, domain_own(domain), &about, 0);
}

static void marker_ex(const struct itt_domain *domain, void *clock, unsigned long long time,
		      struct itt_id id, struct itt_string *name, int scope)
{
	(void)clock, (void)time;
	marker_record(domain, id, name, scope);
}

/*
 * Say more of what has this id: a task of this thread, or what is started. Without an id it is the
 * innermost task. What fits nothing, or comes after the end, becomes a mark.
 */
static void metadata_put(struct annotation_thread *thread, const struct itt_domain *domain,
			 struct itt_id id, struct tl_event_arg arg)
{
	struct annotation_domain *own = domain_own(domain);
	struct annotation_range *range = annotation_innermost(thread, own, id_number(id));

	if (range && range->about.nargs < ANNOTATION_ARGS) {
		annotation_add_own(&range->about, arg);
		return;
	}
	if (id.words[0] && (annotation_started_add(started_id(domain, OVERLAPPED, id), arg) ||
			    annotation_started_add(started_id(domain, REGION, id), arg) ||
			    annotation_started_add(started_id(domain, FRAME, id), arg)))
		return;
	struct annotation_about about =
		about_of(annotation_text(thread, "metadata"), id, (struct itt_id){{0, 0, 0}});
	annotation_add_own(&about, arg);
	annotation_mark(thread, own, &about, 0);
}

/*
 * Of a scope's current object. Only tasks have one here. What is said of a track, or of all, is a
 * mark.
 */
static void metadata_put_in_scope(struct annotation_thread *thread, const struct itt_domain *domain,
				  int scope, struct tl_event_arg arg)
{
	struct annotation_about about = {.name = annotation_text(thread, "metadata")};

	if (scope == ITT_SCOPE_TASK) {
		metadata_put(thread, domain, (struct itt_id){{0, 0, 0}}, arg);
		return;
	}
	scope_add(thread, &about, scope);
	annotation_add_own(&about, arg);
	annotation_mark(thread, domain_own(domain), &about, 0);
}

static bool arg_take_values(struct tl_event_arg *arg, int type, size_t count, void *values)
{
	return count && values && itt_values_read(arg, type, count, values);
}

/* `size` 0: to its NUL. */
static bool arg_take_text(struct tl_event_arg *arg, const char *text, size_t size)
{
	arg->kind = TL_VALUE_STRING;
	arg->value = annotation_text_sized(text, size ? size : 1024);
	return arg->value;
}

static void metadata_add(const struct itt_domain *domain, struct itt_id id, struct itt_string *key,
			 int type, size_t count, void *values)
{
	VISIT(thread);
	struct tl_event_arg arg = {.key = string_number(thread, key)};
	if (arg_take_values(&arg, type, count, values))
		metadata_put(thread, domain, id, arg);
}

static void metadata_str_add(const struct itt_domain *domain, struct itt_id id,
			     struct itt_string *key, const char *text, size_t size)
{
	VISIT(thread);
	struct tl_event_arg arg = {.key = string_number(thread, key)};
	if (arg_take_text(&arg, text, size))
		metadata_put(thread, domain, id, arg);
}

static void metadata_add_with_scope(const struct itt_domain *domain, int scope,
				    struct itt_string *key, int type, size_t count, void *values)
{
	VISIT(thread);
	struct tl_event_arg arg = {.key = string_number(thread, key)};
	if (arg_take_values(&arg, type, count, values))
		metadata_put_in_scope(thread, domain, scope, arg);
}

static void metadata_str_add_with_scope(const struct itt_domain *domain, int scope,
					struct itt_string *key, const char *text, size_t size)
{
	VISIT(thread);
	struct tl_event_arg arg = {.key = string_number(thread, key)};
	if (arg_take_text(&arg, text, size))
		metadata_put_in_scope(thread, domain, scope, arg);
}

/* A text like printf's. */
static void metadata_format(const struct itt_domain *domain, struct itt_id id,
			    const struct itt_string *format, va_list list)
{
	char text[512];

	VISIT(thread);
	if (!format || !format->text)
		return;
	int size = vsnprintf(text, sizeof(text), format->text, list);
	struct tl_event_arg arg = {.key = ANNOTATION_KEY(metadata), .kind = TL_VALUE_STRING};
	arg.value = size > 0 ? annotation_text_sized(text, sizeof(text)) : 0;
	if (arg.value)
		metadata_put(thread, domain, id, arg);
}

static void formatted_metadata_add(const struct itt_domain *domain, struct itt_string *format, ...)
{
	va_list list;

	va_start(list, format);
	metadata_format(domain, (struct itt_id){{0, 0, 0}}, format, list);
	va_end(list);
}

static void formatted_metadata_add_overlapped(const struct itt_domain *domain, struct itt_id id,
					      struct itt_string *format, ...)
{
	va_list list;

	va_start(list, format);
	metadata_format(domain, id, format, list);
	va_end(list);
}

/* ---- counters */

static struct itt_counter *counter_create(const char *name, const char *domain)
{
	return itt_counter_make(name, domain, ITT_U64);
}

static struct itt_counter *counter_create_v3(const struct itt_domain *domain, const char *name,
					     int type)
{
	return itt_counter_make(name, domain ? domain->name : NULL, type);
}

static void counter_set(struct itt_counter *counter, void *value)
{
	VISIT(thread);
	itt_counter_set(counter, value);
}

static void counter_set_ex(struct itt_counter *counter, void *clock, unsigned long long time,
			   void *value)
{
	(void)clock, (void)time;
	counter_set(counter, value);
}

static void counter_change(struct itt_counter *counter, int64_t delta)
{
	VISIT(thread);
	itt_counter_add(counter, delta);
}

static void counter_inc(struct itt_counter *counter)
{
	counter_change(counter, 1);
}

static void counter_dec(struct itt_counter *counter)
{
	counter_change(counter, -1);
}

static void counter_inc_delta(struct itt_counter *counter, unsigned long long delta)
{
	counter_change(counter, (int64_t)delta);
}

static void counter_dec_delta(struct itt_counter *counter, unsigned long long delta)
{
	counter_change(counter, -(int64_t)delta);
}

static struct itt_counter *counter_of(const struct itt_domain *domain, struct itt_string *name)
{
	return itt_counter_make(name ? name->text : NULL, domain ? domain->name : NULL, ITT_U64);
}

static void counter_inc_v3(const struct itt_domain *domain, struct itt_string *name)
{
	counter_change(counter_of(domain, name), 1);
}

static void counter_dec_v3(const struct itt_domain *domain, struct itt_string *name)
{
	counter_change(counter_of(domain, name), -1);
}

static void counter_inc_delta_v3(const struct itt_domain *domain, struct itt_string *name,
				 unsigned long long delta)
{
	counter_change(counter_of(domain, name), (int64_t)delta);
}

static void counter_dec_delta_v3(const struct itt_domain *domain, struct itt_string *name,
				 unsigned long long delta)
{
	counter_change(counter_of(domain, name), -(int64_t)delta);
}

/* ---- the thread's name, and the collection */

static void thread_set_name(const char *name)
{
	VISIT(thread);
	annotation_name_thread(thread, ANNOTATION_ITT, thread->tid, annotation_text(thread, name));
}

static int thr_name_set(const char *name, int size)
{
	(void)size;
	thread_set_name(name);
	return 0;
}

static void pause_collection(void)
{
	tl_pause();
}

static void resume_collection(void)
{
	tl_resume();
}

static void pause_scoped(int scope)
{
	if (scope & ITT_COLLECTION_HOST)
		tl_pause();
}

static void resume_scoped(int scope)
{
	if (scope & ITT_COLLECTION_HOST)
		tl_resume();
}

/* ---- the collector's side */

static const struct {
	const char *name; /* without "__itt_" */
	void *function;
} functions[] = {
	{"domain_create", domain_create},
	{"string_handle_create", string_handle_create},
	{"task_begin", task_begin},
	{"task_begin_fn", task_begin_fn},
	{"task_end", task_end},
	{"task_begin_ex", task_begin_ex},
	{"task_begin_fn_ex", task_begin_fn_ex},
	{"task_end_ex", task_end_ex},
	{"task_begin_overlapped", task_begin_overlapped},
	{"task_end_overlapped", task_end_overlapped},
	{"task_begin_overlapped_ex", task_begin_overlapped_ex},
	{"task_end_overlapped_ex", task_end_overlapped_ex},
	{"region_begin", region_begin},
	{"region_end", region_end},
	{"frame_begin_v3", frame_begin},
	{"frame_end_v3", frame_end},
	{"frame_submit_v3", frame_submit},
	{"get_timestamp", get_timestamp},
	{"event_create", event_create},
	{"event_start", event_start},
	{"event_end", event_end},
	{"marker", marker_record},
	{"marker_ex", marker_ex},
	{"metadata_add", metadata_add},
	{"metadata_str_add", metadata_str_add},
	{"metadata_add_with_scope", metadata_add_with_scope},
	{"metadata_str_add_with_scope", metadata_str_add_with_scope},
	{"formatted_metadata_add", formatted_metadata_add},
	{"formatted_metadata_add_overlapped", formatted_metadata_add_overlapped},
	{"counter_create", counter_create},
	{"counter_create_typed", itt_counter_make},
	{"counter_create_v3", counter_create_v3},
	{"counter_set_value", counter_set},
	{"counter_set_value_v3", counter_set},
	{"counter_set_value_ex", counter_set_ex},
	{"counter_inc", counter_inc},
	{"counter_dec", counter_dec},
	{"counter_inc_delta", counter_inc_delta},
	{"counter_dec_delta", counter_dec_delta},
	{"counter_inc_v3", counter_inc_v3},
	{"counter_dec_v3", counter_dec_v3},
	{"counter_inc_delta_v3", counter_inc_delta_v3},
	{"counter_dec_delta_v3", counter_dec_delta_v3},
	{"thread_set_name", thread_set_name},
	{"thr_name_set", thr_name_set},
	{"pause", pause_collection},
	{"resume", resume_collection},
	{"pause_scoped", pause_scoped},
	{"resume_scoped", resume_scoped},
};

static void *function_find(const char *name)
{
	static const char prefix[] = "__itt_";

	if (strncmp(name, prefix, sizeof(prefix) - 1) != 0)
		return NULL;
	name += sizeof(prefix) - 1;
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (!strcmp(functions[i].name, name))
			return functions[i].function;
	return NULL;
}

/* If nothing is recorded here, all functions do nothing. */
TL_EXPORT void __itt_api_init(struct itt_global *program, uint32_t groups);
TL_EXPORT void __itt_api_init(struct itt_global *program, uint32_t groups)
{
	int error = errno;
	bool joins = annotations && tl_guest_joins(ANNOTATION_LEVEL);

	(void)groups;
	for (struct itt_function *at = program ? program->functions : NULL; at && at->name; at++) {
		void *own = joins ? function_find(at->name) : NULL;
		*at->function = own ? own : at->null_function;
	}
	errno = error;
}
