/* SPDX-License-Identifier: MIT */
/*
 * stream_callbacks.c: registering callbacks, and notifying them. pins.h explains how a notification
 * keeps its list of callbacks.
 *
 * Each pair of stream and type has a head: the listeners, and all registrations that there ever
 * were. No listener is NULL, one is the registration itself (plus TL_PIN_ALONE), more are a list. A
 * registration is never freed. .on says whether its callback is called; .known says whether the
 * dispatcher remembers that it was registered. Types up to 255, which are not user defined, have
 * their heads in one array. The types of one tool in one stream are on a page, which is made when
 * the first callback is registered there.
 *
 * A published list does not change, with one exception: unregistering replaces a callback by one
 * that does nothing, also in lists that notifications are using.
 */
#include <pthread.h>
#include <stdlib.h>

#include "xpti/dispatcher/stream_callbacks.h"
#include "xpti/dispatcher/pins.h"

struct registration {
	bool on, known;
	xpti_stream_id stream;
	xpti_callback callback;
	struct registration *next; /* of its head, in the order of registering */
};

struct entry {
	_Atomic(xpti_callback) callback;
	struct registration *registration;
};

struct list {
	struct list *next;	/* of retired ones */
	struct entry entries[]; /* after the last, one without a callback */
};

struct head {
	_Atomic(const void *) listeners;
	struct registration *registrations;
};

struct page {
	struct head heads[256];
};

/*
 * Protects everything here. Only .listeners, what they point at, and the pages are also read
 * without the lock: they are published.
 */
static pthread_mutex_t callbacks_lock = PTHREAD_MUTEX_INITIALIZER;
static struct head predefined[256][256];       /* by stream and type */
static _Atomic(struct page *) pages[256][256]; /* by stream and tool; [0] is not used */
/* how many types of a stream have listeners */
static _Atomic uint32_t listening[256];
static bool had_callback[256]; /* one was registered or unregistered */
static struct list *retired;

static inline struct head *head_of(xpti_stream_id stream, uint16_t type)
{
	if (likely(type < 256))
		return &predefined[stream][type];
	/* Acquire pairs with head_make's release: this thread sees the page clear. */
	struct page *page = atomic_load_explicit(&pages[stream][type >> 8], memory_order_acquire);
	return page ? &page->heads[type & 255] : NULL;
}

/* ---- notifying ---- */

static inline const void *listeners_of(struct head *head)
{
	/* Acquire pairs with head_publish's release: this thread sees the list's contents. */
	return atomic_load_explicit(&head->listeners, memory_order_acquire);
}

static inline void begin_outermost(struct tl_xpti_reader *reader)
{
	/*
	 * Acquire pairs with tl_xpti_wait_while's release: callbacks that were unregistered before
	 * this epoch are off.
	 */
	atomic_store_explicit(&reader->epoch,
			      atomic_load_explicit(&tl_xpti_epoch, memory_order_acquire),
			      memory_order_relaxed);
}

static inline void end_outermost(struct tl_xpti_reader *reader)
{
	/* Release pairs with tl_xpti_all_since's acquire. */
	atomic_store_explicit(&reader->epoch, 0, memory_order_release);
}

static inline void slot_set_list(struct tl_xpti_slot *slot, const void *list)
{
	/*
	 * Release pairs with the scans' acquire loads: a thread that waits for the previous list
	 * goes on after this thread is done with it.
	 */
	atomic_store_explicit(&slot->list, list, memory_order_release);
}

/* ---- the slow way: in a callback of another notification, and in other rare cases ---- */

/* A notification under way. Its cleanup ends it where the scope is left, also by an exception. */
struct pin {
	struct tl_xpti_reader *reader;
	struct tl_xpti_slot *slot;
	uint32_t level;
};

static inline void slot_end_list(struct tl_xpti_slot *slot)
{
	slot_set_list(slot, NULL);
	/* Release as in slot_set_list. */
	atomic_store_explicit(&slot->running, NULL, memory_order_release);
	tl_xpti_pin_cleared();
}

static inline void pin_end(struct pin *pin)
{
	if (pin->level)
		pin->reader->nested = pin->level - 1;
	else
		end_outermost(pin->reader);
	slot_end_list(pin->slot);
}

/* Pin the listeners. NULL: nobody listens any more. */
static inline const void *pin_listeners(struct tl_xpti_slot *slot, struct head *head)
{
	for (;;) {
		const void *listeners = listeners_of(head);
		slot_set_list(slot, listeners);
		tl_xpti_pin_barrier();
		if (likely(listeners_of(head) == listeners))
			return listeners;
		/*
		 * The slot may have named a callback that is not called now. Another thread may be
		 * waiting for it.
		 */
		slot_set_list(slot, NULL);
		tl_xpti_pin_cleared();
	}
}

static inline void list_call_all(struct tl_xpti_slot *slot, const struct list *list, uint16_t type,
				 xpti_event *parent, xpti_event *object, uint64_t instance,
				 const void *user_data)
{
	const struct entry *entry = list->entries;

	do {
		/* Release as in slot_set_list: it also ends the previous callback. */
		atomic_store_explicit(&slot->running, entry->registration, memory_order_release);
		tl_xpti_pin_cleared();
		atomic_load_explicit(&entry->callback, memory_order_relaxed)(type, parent, object,
									     instance, user_data);
	} while (atomic_load_explicit(&(++entry)->callback, memory_order_relaxed));
}

static __attribute__((noinline)) xpti_result notify_nested(struct head *head, uint16_t type,
							   xpti_event *parent, xpti_event *object,
							   uint64_t instance, const void *user_data)
{
	struct tl_xpti_reader *reader = tl_xpti_thread.reader;

	if (unlikely(!reader) && !(reader = tl_xpti_reader_make()))
		return XPTI_RESULT_FAIL;
	uint32_t level = tl_xpti_in_notification(reader) ? reader->nested + 1 : 0;
	struct tl_xpti_slot *slot = likely(level < TL_PIN_SLOTS) ? &reader->slots.at[level]
								 : tl_xpti_slot_deep(reader, level);
	if (unlikely(!slot))
		return XPTI_RESULT_FAIL;
	if (level)
		reader->nested = level;
	else
		begin_outermost(reader);
	struct pin pin __attribute__((cleanup(pin_end), unused)) = {reader, slot, level};
	const void *listeners = pin_listeners(slot, head);
	const struct registration *alone = tl_xpti_alone(listeners);
	if (alone)
		alone->callback(type, parent, object, instance, user_data);
	else if (listeners)
		list_call_all(slot, listeners, type, parent, object, instance, user_data);
	return XPTI_RESULT_SUCCESS;
}

/* ---- the fast way: no notification around this one, as nearly always ---- */

static inline bool is_outermost_notification(struct tl_xpti_reader *reader)
{
	return likely(reader != NULL) && likely(!tl_xpti_in_notification(reader));
}

/* Runs also where an exception ends the notification. */
static inline void end_alone(struct tl_xpti_reader **reader)
{
	end_outermost(*reader);
	slot_set_list(&(*reader)->slots.at[0], NULL);
	tl_xpti_pin_cleared();
}

static inline void end_several(struct tl_xpti_reader **reader)
{
	end_outermost(*reader);
	slot_end_list(&(*reader)->slots.at[0]);
}

/* False: the listeners have changed. */
static inline bool begin_notification(struct tl_xpti_reader *reader, struct head *head,
				      const void *listeners)
{
	begin_outermost(reader);
	slot_set_list(&reader->slots.at[0], listeners);
	tl_xpti_pin_barrier();
	if (likely(listeners_of(head) == listeners))
		return true;
	end_alone(&reader);
	return false;
}

/* The caller has seen one callback. */
static __attribute__((noinline)) xpti_result notify_alone(struct head *head, uint16_t type,
							  xpti_event *parent, xpti_event *object,
							  uint64_t instance, const void *user_data)
{
	const void *listeners = listeners_of(head);
	const struct registration *alone = tl_xpti_alone(listeners);
	struct tl_xpti_reader *reader = tl_xpti_thread.reader;

	if (unlikely(!alone) || !is_outermost_notification(reader) ||
	    !begin_notification(reader, head, listeners))
		return notify_nested(head, type, parent, object, instance, user_data);
	struct tl_xpti_reader *begun __attribute__((cleanup(end_alone), unused)) = reader;
	alone->callback(type, parent, object, instance, user_data);
	return XPTI_RESULT_SUCCESS;
}

/* The caller has seen several callbacks. */
static __attribute__((noinline)) xpti_result notify_several(struct head *head, uint16_t type,
							    xpti_event *parent, xpti_event *object,
							    uint64_t instance,
							    const void *user_data)
{
	const void *listeners = listeners_of(head);
	struct tl_xpti_reader *reader = tl_xpti_thread.reader;

	if (unlikely(!listeners || tl_xpti_alone(listeners)) ||
	    !is_outermost_notification(reader) || !begin_notification(reader, head, listeners))
		return notify_nested(head, type, parent, object, instance, user_data);
	struct tl_xpti_reader *begun __attribute__((cleanup(end_several), unused)) = reader;
	list_call_all(&reader->slots.at[0], listeners, type, parent, object, instance, user_data);
	return XPTI_RESULT_SUCCESS;
}

/* ---- the notification ---- */

/*
 * Notifications of functions, memory, offloading and diagnostics need no event. As in the original,
 * neither do notifications of type 0.
 */
static bool can_lack_object(uint16_t type)
{
	return type == xpti_trace_unknown || type == xpti_trace_function_begin ||
	       type == xpti_trace_function_end || type == xpti_trace_function_with_args_begin ||
	       type == xpti_trace_function_with_args_end ||
	       (type >= xpti_trace_mem_alloc_begin && type <= xpti_trace_offload_accessor) ||
	       type == xpti_trace_diagnostics;
}

/* The dispatcher may not have started; the object may be missing; the type may be a tool's. */
static __attribute__((noinline)) xpti_result notify_slowly(xpti_stream_id stream, uint16_t type,
							   xpti_event *parent, xpti_event *object,
							   uint64_t instance, const void *user_data)
{
	if (!tl_xpti_enabled())
		return XPTI_RESULT_FALSE;
	if (!object && !(user_data && can_lack_object(type)))
		return XPTI_RESULT_INVALIDARG;
	struct head *head = head_of(stream, type);
	return head && listeners_of(head)
		       ? notify_alone(head, type, parent, object, instance, user_data)
		       : XPTI_RESULT_SUCCESS;
}

__attribute__((aligned(64))) xpti_result
xptiNotifySubscribers(xpti_stream_id stream, uint16_t type, xpti_event *parent, xpti_event *object,
		      uint64_t instance, const void *user_data)
{
	uint32_t state = tl_xpti_state_now();

	if (unlikely(state == TL_XPTI_STARTED))
		return XPTI_RESULT_FALSE;
	if (unlikely(state != (TL_XPTI_STARTED | TL_XPTI_ENABLED)))
		return notify_slowly(stream, type, parent, object, instance, user_data);
	if (unlikely(!object || type > 255))
		return notify_slowly(stream, type, parent, object, instance, user_data);
	struct head *head = &predefined[stream][type];
	const void *listeners = listeners_of(head);
	if (!listeners)
		return XPTI_RESULT_SUCCESS;
	return tl_xpti_alone(listeners)
		       ? notify_alone(head, type, parent, object, instance, user_data)
		       : notify_several(head, type, parent, object, instance, user_data);
}

bool xptiCheckTraceEnabled(xpti_stream_id stream, uint16_t type)
{
	if (!tl_xpti_enabled() || !stream)
		return false;
	if (type == 0)
		return atomic_load_explicit(&listening[stream], memory_order_relaxed) != 0;
	struct head *head = head_of(stream, type);
	return head && listeners_of(head);
}

/* ---- registering; all under the lock, except for waiting ---- */

static struct head *head_make(xpti_stream_id stream, uint16_t type)
{
	struct head *head = head_of(stream, type);

	if (head)
		return head;
	struct page *page = calloc(1, sizeof(*page));
	if (!page)
		return NULL;
	/* Release pairs with head_of's acquire. */
	atomic_store_explicit(&pages[stream][type >> 8], page, memory_order_release);
	return &page->heads[type & 255];
}

/* Free the retired lists that no notification uses. */
static void lists_reclaim(void)
{
	struct list **link = &retired;

	if (!retired)
		return;
	tl_xpti_heavy_barrier();
	while (*link) {
		struct list *list = *link;
		if (tl_xpti_is_pinned(list)) {
			link = &list->next;
		} else {
			*link = list->next;
			free(list);
		}
	}
}

static struct list *list_make(const struct head *head, uint32_t count)
{
	struct list *list = malloc(sizeof(*list) + (count + 1) * sizeof(list->entries[0]));
	struct entry *entry = list ? list->entries : NULL;

	if (!list)
		return NULL;
	list->next = NULL;
	for (struct registration *r = head->registrations; r; r = r->next)
		if (r->on) {
			atomic_init(&entry->callback, r->callback);
			entry++->registration = r;
		}
	atomic_init(&entry->callback, NULL);
	return list;
}

static void callback_do_nothing(uint16_t type, xpti_event *parent, xpti_event *object,
				uint64_t instance, const void *user_data)
{
}

/*
 * Replace the callbacks that are off. Callbacks that still run are waited for later, after a heavy
 * barrier.
 */
static void list_silence(struct list *list)
{
	for (struct entry *entry = list->entries;
	     atomic_load_explicit(&entry->callback, memory_order_relaxed); entry++)
		if (!entry->registration->on)
			atomic_store_explicit(&entry->callback, callback_do_nothing,
					      memory_order_relaxed);
}

static void lists_silence_retired(void)
{
	for (struct list *list = retired; list; list = list->next)
		list_silence(list);
}

/*
 * From now on call the registrations that are on. False: memory is short; then the listeners stay
 * as they were, less those that are off.
 */
static bool head_publish(xpti_stream_id stream, struct head *head)
{
	uint32_t count = 0;
	const void *old = listeners_of(head), *now = NULL;

	for (struct registration *r = head->registrations; r; r = r->next)
		if (r->on && ++count == 1)
			now = (char *)r + TL_PIN_ALONE;
	if (count > 1 && !(now = list_make(head, count))) {
		if (old && !tl_xpti_alone(old))
			list_silence((struct list *)old);
		return false;
	}
	if (!old != !now)
		atomic_fetch_add_explicit(&listening[stream], now ? 1 : -1u, memory_order_relaxed);
	/* Release pairs with listeners_of's acquire. */
	atomic_store_explicit(&head->listeners, now, memory_order_release);
	if (old && !tl_xpti_alone(old)) {
		struct list *list = (struct list *)old;
		list->next = retired;
		retired = list;
	}
	return true;
}

static struct registration *registration_find(struct head *head, xpti_callback callback)
{
	struct registration *r = head ? head->registrations : NULL;

	while (r && r->callback != callback)
		r = r->next;
	return r;
}

/* Callbacks are called in the order of their first registering. */
static struct registration *registration_append(xpti_stream_id stream, struct head *head,
						xpti_callback callback)
{
	struct registration **link = &head->registrations, *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->stream = stream;
	r->callback = callback;
	while (*link)
		link = &(*link)->next;
	*link = r;
	return r;
}

static xpti_result callback_turn_on(xpti_stream_id stream, uint16_t type, xpti_callback callback)
{
	struct head *head = head_make(stream, type);
	struct registration *r = registration_find(head, callback);

	if (!head)
		return XPTI_RESULT_FAIL;
	if (r && r->on)
		return XPTI_RESULT_DUPLICATE;
	if (!r && !(r = registration_append(stream, head, callback)))
		return XPTI_RESULT_FAIL;
	r->on = true;
	if (!head_publish(stream, head)) {
		r->on = false;
		return XPTI_RESULT_FAIL;
	}
	bool again = r->known;
	r->known = true;
	had_callback[stream] = true;
	return again ? XPTI_RESULT_UNDELETE : XPTI_RESULT_SUCCESS;
}

/*
 * *registration becomes the registration to wait for, also where another thread has turned it off
 * and still waits.
 */
static xpti_result callback_turn_off(xpti_stream_id stream, uint16_t type, xpti_callback callback,
				     struct registration **registration)
{
	struct head *head = head_of(stream, type);
	struct registration *r = registration_find(head, callback);

	*registration = r;
	if (!r || !r->known)
		return XPTI_RESULT_NOTFOUND;
	if (!r->on)
		return XPTI_RESULT_DUPLICATE;
	r->on = false;
	head_publish(stream, head);
	lists_silence_retired();
	return XPTI_RESULT_SUCCESS;
}

xpti_result xptiRegisterCallback(xpti_stream_id stream, uint16_t type, xpti_callback callback)
{
	tl_xpti_start();
	if (!callback)
		return XPTI_RESULT_INVALIDARG;
	pthread_mutex_lock(&callbacks_lock);
	xpti_result result = callback_turn_on(stream, type, callback);
	lists_reclaim();
	pthread_mutex_unlock(&callbacks_lock);
	return result;
}

static bool slot_runs(struct tl_xpti_slot *slot, const void *registration)
{
	return tl_xpti_slot_running(slot) == registration;
}

xpti_result xptiUnregisterCallback(xpti_stream_id stream, uint16_t type, xpti_callback callback)
{
	struct registration *registration = NULL;

	tl_xpti_start();
	if (!callback)
		return XPTI_RESULT_INVALIDARG;
	pthread_mutex_lock(&callbacks_lock);
	/* As in the original, that is enough for xptiUnregisterStream to find the stream. */
	had_callback[stream] = true;
	xpti_result result = callback_turn_off(stream, type, callback, &registration);
	lists_reclaim();
	pthread_mutex_unlock(&callbacks_lock);
	if (registration)
		tl_xpti_wait_while(slot_runs, registration);
	return result;
}

/* ---- many at once ---- */

static void head_off(xpti_stream_id stream, struct head *head, bool forget)
{
	for (struct registration *r = head->registrations; r; r = r->next) {
		r->on = false;
		if (forget)
			r->known = false;
	}
	if (listeners_of(head))
		head_publish(stream, head);
}

static void stream_off(xpti_stream_id stream, bool forget)
{
	for (unsigned type = 0; type < 256; type++)
		head_off(stream, &predefined[stream][type], forget);
	for (unsigned tool = 1; tool < 256; tool++) {
		struct page *page =
			atomic_load_explicit(&pages[stream][tool], memory_order_relaxed);
		for (unsigned type = 0; page && type < 256; type++)
			head_off(stream, &page->heads[type], forget);
	}
	lists_silence_retired();
	if (forget)
		had_callback[stream] = false;
}

static bool slot_runs_stream(struct tl_xpti_slot *slot, const void *stream)
{
	const struct registration *running = tl_xpti_slot_running(slot);

	return running && running->stream == *(const uint8_t *)stream;
}

static bool slot_runs_any(struct tl_xpti_slot *slot, const void *unused)
{
	return tl_xpti_slot_running(slot) != NULL;
}

bool tl_xpti_callbacks_off(uint8_t stream)
{
	pthread_mutex_lock(&callbacks_lock);
	bool had = had_callback[stream];
	if (had)
		stream_off(stream, false);
	lists_reclaim();
	pthread_mutex_unlock(&callbacks_lock);
	if (had)
		tl_xpti_wait_while(slot_runs_stream, &stream);
	return had;
}

void tl_xpti_callbacks_reset(void)
{
	pthread_mutex_lock(&callbacks_lock);
	for (unsigned stream = 0; stream < 256; stream++)
		if (had_callback[stream])
			stream_off((xpti_stream_id)stream, true);
	lists_reclaim();
	pthread_mutex_unlock(&callbacks_lock);
	tl_xpti_wait_while(slot_runs_any, NULL);
}

void tl_xpti_callbacks_lock(void)
{
	pthread_mutex_lock(&callbacks_lock);
}

void tl_xpti_callbacks_unlock(void)
{
	pthread_mutex_unlock(&callbacks_lock);
}
