/*
 * streams.c: callbacks and notifications; pins.h tells how a notification keeps its list of callbacks.
 *
 * Each stream and type has a head: the list that notifications use, NULL where nobody listens, and the registrations that there ever were. A registration
 * is never freed; .on says if it is called, .known if it is remembered that it was. Types up to 255, those that are not user defined, have
 * their heads in one array; a tool's types of one stream lie on a page that is made when the first is registered.
 */
#include <pthread.h>
#include <stdlib.h>

#include "xpti/dispatcher.h"
#include "xpti/pins.h"

struct registration {
	_Atomic bool on;
	bool known;
	xpti_stream_id stream;
	xpti_callback callback;
	struct registration *next;	/* of its head, in the order of registering */
};

struct entry {
	xpti_callback callback;
	struct registration *registration;
};

/* Never changes once it is published. */
struct list {
	struct list *next;		/* of retired ones */
	uint32_t count;
	struct entry entries[];
};

struct head {
	_Atomic(struct list *) list;
	struct registration *registrations;
};

struct page {
	struct head heads[256];
};

/* Protects all but the reading of .list, .on and the pages; the latter are published. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct head predefined[256][256];		/* by stream and type */
static _Atomic(struct page *) pages[256][256];		/* by stream and tool; [0] is not used */
static _Atomic uint32_t listening[256];			/* types of a stream that someone listens to */
static bool had_callback[256];				/* the stream has had one */
static struct list *retired;

static inline struct head *head_of(xpti_stream_id stream, uint16_t type)
{
	if (likely(type < 256))
		return &predefined[stream][type];
	/* Acquire pairs with make_head's release: the page is clear. */
	struct page *page = atomic_load_explicit(&pages[stream][type >> 8], memory_order_acquire);
	return page ? &page->heads[type & 255] : NULL;
}

/* ---- notifying ---- */

/* A notification under way; ends by itself where the scope is left, also by an exception. */
struct pin {
	struct tl_xpti_reader *reader;
	struct tl_xpti_slot *slot;
};

static inline void end_callback(struct tl_xpti_slot *slot)
{
	/* Release: the callback's work is done before whoever unregistered it goes on. Pairs with the scans' acquire loads. */
	atomic_store_explicit(&slot->running, NULL, memory_order_release);
	tl_xpti_pin_cleared();
}

static inline void unpin(struct pin *pin)
{
	pin->reader->depth--;
	if (likely(pin->reader->depth == 0))
		/* Release pairs with tl_xpti_all_since's acquire. */
		atomic_store_explicit(&pin->reader->epoch, 0, memory_order_release);
	/* Release pairs with the scans' acquire loads: the list is done with. */
	atomic_store_explicit(&pin->slot->list, NULL, memory_order_release);
	end_callback(pin->slot);
}

/* The list that the notification uses; NULL: nobody listens any more. */
static inline struct list *pin_list(struct tl_xpti_slot *slot, struct head *head)
{
	/* Acquire pairs with publish's release: the list's contents, here and below. */
	struct list *list = atomic_load_explicit(&head->list, memory_order_acquire);

	for (;;) {
		/* Release, as unpin's store, which a scan that comes late doesn't see any more. */
		atomic_store_explicit(&slot->list, list, memory_order_release);
		tl_xpti_pin_barrier();
		struct list *again = atomic_load_explicit(&head->list, memory_order_acquire);
		if (likely(again == list))
			return list;
		list = again;
	}
}

static __attribute__((noinline)) xpti_result call_back(struct head *head, uint16_t type, xpti_event *parent, xpti_event *object,
						       uint64_t instance, const void *user_data)
{
	struct tl_xpti_reader *reader = tl_xpti_thread.reader;

	if (unlikely(!reader) && !(reader = tl_xpti_reader_make()))
		return XPTI_RESULT_FAIL;
	struct tl_xpti_slot *slot = likely(reader->depth < TL_PIN_SLOTS) ? &reader->slots.at[reader->depth] : tl_xpti_slot_deep(reader);
	if (unlikely(!slot))
		return XPTI_RESULT_FAIL;
	if (likely(reader->depth == 0))
		/* Acquire pairs with tl_xpti_wait_while's release: what was unregistered before this epoch is off. */
		atomic_store_explicit(&reader->epoch, atomic_load_explicit(&tl_xpti_epoch, memory_order_acquire), memory_order_relaxed);
	reader->depth++;
	struct pin pin __attribute__((cleanup(unpin), unused)) = { reader, slot };
	struct list *list = pin_list(slot, head);
	for (uint32_t i = 0, count = list ? list->count : 0; i < count; i++) {
		const struct entry *entry = &list->entries[i];
		/* Release, as end_callback's. */
		atomic_store_explicit(&slot->running, entry->registration, memory_order_release);
		tl_xpti_pin_barrier();
		if (likely(atomic_load_explicit(&entry->registration->on, memory_order_relaxed)))
			entry->callback(type, parent, object, instance, user_data);
		if (i + 1 < count)
			end_callback(slot);
	}
	return XPTI_RESULT_SUCCESS;
}

/* Notifications of functions, memory, offloading and diagnostics can do without an event; and of no type at all, as the original has it. */
static bool can_lack_object(uint16_t type)
{
	return type == xpti_trace_unknown || type == xpti_trace_function_begin || type == xpti_trace_function_end ||
	       type == xpti_trace_function_with_args_begin || type == xpti_trace_function_with_args_end ||
	       (type >= xpti_trace_mem_alloc_begin && type <= xpti_trace_offload_accessor) || type == xpti_trace_diagnostics;
}

xpti_result xptiNotifySubscribers(xpti_stream_id stream, uint16_t type, xpti_event *parent, xpti_event *object, uint64_t instance,
				  const void *user_data)
{
	if (!tl_xpti_enabled())
		return XPTI_RESULT_FALSE;
	if (unlikely(!object) && !(user_data && can_lack_object(type)))
		return XPTI_RESULT_INVALIDARG;
	struct head *head = head_of(stream, type);
	if (!head || !atomic_load_explicit(&head->list, memory_order_relaxed))
		return XPTI_RESULT_SUCCESS;
	return call_back(head, type, parent, object, instance, user_data);
}

bool xptiCheckTraceEnabled(xpti_stream_id stream, uint16_t type)
{
	if (!tl_xpti_enabled() || !tl_xpti_stream_exists(stream))
		return false;
	if (type == 0)
		return atomic_load_explicit(&listening[stream], memory_order_relaxed) != 0;
	struct head *head = head_of(stream, type);
	return head && atomic_load_explicit(&head->list, memory_order_relaxed);
}

/* ---- registering; all under lock, but for the waiting ---- */

static struct head *make_head(xpti_stream_id stream, uint16_t type)
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
static void reclaim(void)
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

/* Make the head's list of the registrations that are on. False: no memory; the old one stays. */
static bool publish(xpti_stream_id stream, struct head *head)
{
	uint32_t count = 0;
	struct list *old = atomic_load_explicit(&head->list, memory_order_relaxed), *list = NULL;

	for (struct registration *r = head->registrations; r; r = r->next)
		count += atomic_load_explicit(&r->on, memory_order_relaxed);
	if (count) {
		list = malloc(sizeof(*list) + count * sizeof(list->entries[0]));
		if (!list)
			return false;
		list->next = NULL;
		list->count = 0;
		for (struct registration *r = head->registrations; r; r = r->next)
			if (atomic_load_explicit(&r->on, memory_order_relaxed))
				list->entries[list->count++] = (struct entry){ r->callback, r };
	}
	if (!old != !list)
		atomic_fetch_add_explicit(&listening[stream], list ? 1 : -1u, memory_order_relaxed);
	/* Release pairs with pin_list's acquire. */
	atomic_store_explicit(&head->list, list, memory_order_release);
	if (old) {
		old->next = retired;
		retired = old;
	}
	return true;
}

static struct registration *find(struct head *head, xpti_callback callback)
{
	struct registration *r = head ? head->registrations : NULL;

	while (r && r->callback != callback)
		r = r->next;
	return r;
}

/* Callbacks are called in the order of their first registering. */
static struct registration *append(xpti_stream_id stream, struct head *head, xpti_callback callback)
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

static xpti_result turn_on(xpti_stream_id stream, uint16_t type, xpti_callback callback)
{
	struct head *head = make_head(stream, type);
	struct registration *r = find(head, callback);

	if (!head)
		return XPTI_RESULT_FAIL;
	if (r && atomic_load_explicit(&r->on, memory_order_relaxed))
		return XPTI_RESULT_DUPLICATE;
	if (!r && !(r = append(stream, head, callback)))
		return XPTI_RESULT_FAIL;
	atomic_store_explicit(&r->on, true, memory_order_relaxed);
	if (!publish(stream, head)) {
		atomic_store_explicit(&r->on, false, memory_order_relaxed);
		return XPTI_RESULT_FAIL;
	}
	bool again = r->known;
	r->known = true;
	had_callback[stream] = true;
	return again ? XPTI_RESULT_UNDELETE : XPTI_RESULT_SUCCESS;
}

/* *registration becomes what is to be waited for, also where somebody else has turned it off and still waits. */
static xpti_result turn_off(xpti_stream_id stream, uint16_t type, xpti_callback callback, struct registration **registration)
{
	struct head *head = head_of(stream, type);
	struct registration *r = find(head, callback);

	*registration = r;
	if (!r || !r->known)
		return XPTI_RESULT_NOTFOUND;
	if (!atomic_load_explicit(&r->on, memory_order_relaxed))
		return XPTI_RESULT_DUPLICATE;
	/* Without memory for a shorter list the old one goes on, and skips it. */
	atomic_store_explicit(&r->on, false, memory_order_relaxed);
	publish(stream, head);
	return XPTI_RESULT_SUCCESS;
}

xpti_result xptiRegisterCallback(xpti_stream_id stream, uint16_t type, xpti_callback callback)
{
	tl_xpti_start();
	if (!callback)
		return XPTI_RESULT_INVALIDARG;
	pthread_mutex_lock(&lock);
	xpti_result result = turn_on(stream, type, callback);
	reclaim();
	pthread_mutex_unlock(&lock);
	return result;
}

static bool runs(struct tl_xpti_slot *slot, const void *registration)
{
	return tl_xpti_slot_running(slot) == registration;
}

xpti_result xptiUnregisterCallback(xpti_stream_id stream, uint16_t type, xpti_callback callback)
{
	struct registration *registration = NULL;

	tl_xpti_start();
	if (!callback)
		return XPTI_RESULT_INVALIDARG;
	pthread_mutex_lock(&lock);
	xpti_result result = turn_off(stream, type, callback, &registration);
	reclaim();
	pthread_mutex_unlock(&lock);
	if (registration)
		tl_xpti_wait_while(runs, registration);
	return result;
}

/* ---- many at once ---- */

static void head_off(xpti_stream_id stream, struct head *head, bool forget)
{
	for (struct registration *r = head->registrations; r; r = r->next) {
		atomic_store_explicit(&r->on, false, memory_order_relaxed);
		if (forget)
			r->known = false;
	}
	if (atomic_load_explicit(&head->list, memory_order_relaxed))
		publish(stream, head);
}

static void stream_off(xpti_stream_id stream, bool forget)
{
	for (unsigned type = 0; type < 256; type++)
		head_off(stream, &predefined[stream][type], forget);
	for (unsigned tool = 1; tool < 256; tool++) {
		struct page *page = atomic_load_explicit(&pages[stream][tool], memory_order_relaxed);
		for (unsigned type = 0; page && type < 256; type++)
			head_off(stream, &page->heads[type], forget);
	}
	if (forget)
		had_callback[stream] = false;
}

static bool runs_of_stream(struct tl_xpti_slot *slot, const void *stream)
{
	const struct registration *running = tl_xpti_slot_running(slot);

	return running && running->stream == *(const uint8_t *)stream;
}

static bool runs_any(struct tl_xpti_slot *slot, const void *unused)
{
	return tl_xpti_slot_running(slot) != NULL;
}

bool tl_xpti_callbacks_off(uint8_t stream)
{
	pthread_mutex_lock(&lock);
	bool had = had_callback[stream];
	if (had)
		stream_off(stream, false);
	reclaim();
	pthread_mutex_unlock(&lock);
	if (had)
		tl_xpti_wait_while(runs_of_stream, &stream);
	return had;
}

void tl_xpti_callbacks_reset(void)
{
	pthread_mutex_lock(&lock);
	for (unsigned stream = 0; stream < 256; stream++)
		if (had_callback[stream])
			stream_off((xpti_stream_id)stream, true);
	reclaim();
	pthread_mutex_unlock(&lock);
	tl_xpti_wait_while(runs_any, NULL);
}

bool tl_xpti_in_callback(void)
{
	return tl_xpti_thread.reader && tl_xpti_thread.reader->depth;
}

void tl_xpti_callbacks_lock(void)
{
	pthread_mutex_lock(&lock);
}

void tl_xpti_callbacks_unlock(void)
{
	pthread_mutex_unlock(&lock);
}
