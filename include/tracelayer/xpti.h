/* SPDX-License-Identifier: MIT */
/*
 * tracelayer/xpti.h: the XPTI tracing framework for C and C++. A library uses it to tell what it
 * does; a subscriber uses it to listen.
 *
 * A library that is instrumented:
 *
 *	uint8_t stream = xptiRegisterStream("my.stream");
 *	xptiInitialize("my.stream", 1, 0, "1.0");
 *	xpti_payload where = XPTI_PAYLOAD("solve", __FILE__, __LINE__, 0);
 *	uint64_t instance;
 *	xpti_event *event = xptiMakeEvent("solve", &where, xpti_event_algorithm,
 *					  xpti_activity_active, &instance);
 *	{
 *		XPTI_SCOPED_NOTIFY(stream, xpti_trace_task_begin, NULL, event, instance, NULL);
 *		solve();
 *	}			// the end of the scope notifies of task_end
 *	xptiFinalize("my.stream");
 *
 * A subscriber is a library that XPTI_SUBSCRIBERS names:
 *
 *	static void on_task(uint16_t type, xpti_event *parent, xpti_event *event,
 *			    uint64_t instance, const void *user_data)
 *	{
 *		printf("%s\n", xptiQueryPayload(event)->name);
 *	}
 *	void xptiTraceInit(unsigned major, unsigned minor, const char *version,
 *			   const char *stream)
 *	{
 *		xptiRegisterCallback(xptiRegisterStream(stream), xpti_trace_task_begin,
 *				     on_task);
 *	}
 *	void xptiTraceFinish(const char *stream) { }
 *
 * The dispatcher, libtracelayer-xpti.so, implements the functions. Source: the document "XPTI
 * Tracing Framework" and the behaviour of the original dispatcher. tracelayer-xpti(7) lists the
 * differences.
 *
 * Linking	Link libtracelayer-xptiproxy.a (-ltracelayer-xptiproxy). It loads the
 *		dispatcher that XPTI_FRAMEWORK_DISPATCHER names. Without a dispatcher every call
 *		returns at once; tracelayer-xpti(7) says what. Or link the dispatcher itself.
 * Environment	XPTI_SUBSCRIBERS: libraries, separated by commas. XPTI_TRACE_ENABLE: unset, empty,
 *		1 or true turn tracing on, anything else turns it off.
 *		XPTI_FRAMEWORK_DISPATCHER: for the proxy. The first call of any function reads
 *		them.
 * Threads	Any thread may call any function, also from callbacks and several threads at
 *		once. Signal handlers may not. Notifying, the checks, and looking up strings,
 *		objects and uids take no lock.
 * Ownership	The framework copies what it is given, except the key of a stash. What it returns
 *		belongs to the framework. Strings and objects stay readable for the life of the
 *		process; events, payloads and trace points until they are released or reset.
 * Errors	NULL, unknown ids and pointers to anything that is no event have the results
 *		listed below. None of them crashes.
 */
#ifndef TRACELAYER_XPTI_H
#define TRACELAYER_XPTI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define XPTI_API __attribute__((visibility("default")))

typedef uint32_t xpti_string_id; /* from 1 */
typedef int32_t xpti_object_id;	 /* from 0 */
typedef uint8_t xpti_stream_id;	 /* from 1, which is "xpti.framework" */
typedef int32_t xpti_result;

#define XPTI_INVALID_STRING ((xpti_string_id)0xFFFFFFFF)
#define XPTI_INVALID_OBJECT ((xpti_object_id)0x7FFFFFFF)
#define XPTI_INVALID_STREAM ((xpti_stream_id)255)
#define XPTI_INVALID_UID    ((uint64_t)0)

#define XPTI_RESULT_SUCCESS ((xpti_result)0)
/* tracing is off; or there is no further item */
#define XPTI_RESULT_FALSE     ((xpti_result)1)
#define XPTI_RESULT_FAIL      ((xpti_result)0x80004001)
#define XPTI_RESULT_NOTIMPL   ((xpti_result)0x80004002)
#define XPTI_RESULT_DUPLICATE ((xpti_result)0x80004003) /* it is already so */
#define XPTI_RESULT_NOTFOUND  ((xpti_result)0x80004004)
/* it was there before, and is there again */
#define XPTI_RESULT_UNDELETE   ((xpti_result)0x80004005)
#define XPTI_RESULT_INVALIDARG ((xpti_result)0x80004006)

/* The type of a notification. The end of a begin is the next number. */
enum xpti_trace_point_type {
	xpti_trace_unknown = 0,
	xpti_trace_graph_create = 2,
	xpti_trace_node_create = 4,
	xpti_trace_edge_create = 6,
	xpti_trace_region_begin = 8,
	xpti_trace_region_end = 9,
	xpti_trace_task_begin = 10,
	xpti_trace_task_end = 11,
	xpti_trace_barrier_begin = 12,
	xpti_trace_barrier_end = 13,
	xpti_trace_lock_begin = 14,
	xpti_trace_lock_end = 15,
	xpti_trace_signal = 16,
	xpti_trace_transfer_begin = 18,
	xpti_trace_transfer_end = 19,
	xpti_trace_thread_begin = 20,
	xpti_trace_thread_end = 21,
	xpti_trace_wait_begin = 22,
	xpti_trace_wait_end = 23,
	xpti_trace_function_begin = 24,
	xpti_trace_function_end = 25,
	xpti_trace_metadata = 26,
	xpti_trace_function_with_args_begin = 28,
	xpti_trace_function_with_args_end = 29,
	xpti_trace_mem_alloc_begin = 32,
	xpti_trace_mem_alloc_end = 33,
	xpti_trace_mem_release_begin = 34,
	xpti_trace_mem_release_end = 35,
	xpti_trace_offload_memory_object_construct = 36,
	xpti_trace_offload_memory_object_destruct = 37,
	xpti_trace_offload_memory_object_associate = 38,
	xpti_trace_offload_memory_object_release = 39,
	xpti_trace_offload_accessor = 40,
	xpti_trace_queue_create = 42,
	xpti_trace_queue_destroy = 43,
	xpti_trace_diagnostics = 126,
	xpti_trace_user_defined = 0x80,
};

/* What kind of work an event stands for. */
enum xpti_trace_event_type {
	xpti_event_unknown = 0,
	xpti_event_graph,
	xpti_event_algorithm,
	xpti_event_barrier,
	xpti_event_scheduler,
	xpti_event_async,
	xpti_event_lock,
	xpti_event_offload_read,
	xpti_event_offload_write,
	xpti_event_offload_memory_object,
	xpti_event_offload_accessor,
	xpti_event_user_defined = 0x80,
};

/* What the work is, as far as time is concerned. */
enum xpti_activity {
	xpti_activity_unknown = 0,
	xpti_activity_active = 1,
	xpti_activity_overhead = 2,
	xpti_activity_background = 4,
	xpti_activity_sleep = 8
};

/* How to read the bytes of an object. */
enum xpti_metadata_type {
	xpti_metadata_binary,
	xpti_metadata_string,
	xpti_metadata_signed,
	xpti_metadata_unsigned,
	xpti_metadata_floating,
	xpti_metadata_boolean
};

/* How much a stream tells. */
enum xpti_detail_level {
	xpti_detail_none,
	xpti_detail_basic,
	xpti_detail_normal,
	xpti_detail_verbose
};

/* Which members of a payload are valid. */
enum xpti_payload_flag {
	xpti_payload_has_name = 1,
	xpti_payload_has_source_file = 2,
	xpti_payload_has_code_pointer = 4,
	xpti_payload_has_line = 8,
	xpti_payload_has_column = 0x10,
	xpti_payload_has_stack_trace = 0x20,
	xpti_payload_registered = 0x8000,
	xpti_payload_has_hash = 0x20000,
};

/* Which members of an event are valid. */
enum xpti_event_flag {
	xpti_event_has_uid = 1,
	xpti_event_has_source_uid = 2,
	xpti_event_has_target_uid = 4,
	xpti_event_has_event_type = 8,
	xpti_event_has_activity_type = 0x10,
	xpti_event_has_payload = 0x20,
};

/* A place in the code. */
typedef struct {
	const char *name; /* of the function */
	const char *stack_trace;
	const char *source_file;
	uint32_t line_no, column_no;
	const void *code_ptr_va;
	uint64_t internal; /* the uid, once the payload is registered */
	uint64_t flags;	   /* enum xpti_payload_flag */
	/* string id of the file << 32 | line; string id of the name; not used */
	uint64_t uid_p1, uid_p2, uid_p3;
} xpti_payload;

/* A payload for a place with a name. The texts must stay valid until it is registered. */
#define XPTI_PAYLOAD(function, file, line, column)                                                 \
	((xpti_payload){(function), NULL, (file), (uint32_t)(line), (uint32_t)(column), NULL, 0,   \
			xpti_payload_has_name | xpti_payload_has_source_file |                     \
				xpti_payload_has_line | xpti_payload_has_column,                   \
			0, 0, 0})

/*
 * An event's metadata: a map from string ids to object ids. It is a libstdc++
 * std::unordered_map<uint32_t, int32_t>, and C++ may use it as one. In C, go from .first along
 * .next. No thread may read it while another thread adds to the metadata of the same event.
 */
typedef struct xpti_metadata_node {
	struct xpti_metadata_node *next;
	xpti_string_id key;
	xpti_object_id value;
} xpti_metadata_node;

typedef struct {
	xpti_metadata_node **buckets;
	size_t bucket_count;
	xpti_metadata_node *first;
	size_t count;
	float max_load;
	uint32_t pad;
	size_t next_resize;
	xpti_metadata_node *single_bucket;
} xpti_metadata;

/* One instance of a trace point. */
typedef struct {
	uint64_t unique_id; /* payload->internal */
	/* how many events this place has had so far, with this one */
	uint64_t data_id, instance_id;
	uint16_t event_type;	/* enum xpti_trace_event_type, or user defined */
	uint16_t activity_type; /* enum xpti_activity */
	uint32_t unused;
	uint64_t source_id, target_id; /* edges: the unique ids of their ends */
	xpti_payload *payload;
	xpti_metadata metadata;
	void *global_user_data; /* for tools; the framework does not use it */
	uint64_t flags;		/* enum xpti_event_flag */
} xpti_event;

/* A registered object: its bytes belong to the framework. */
typedef struct {
	size_t size;
	const char *data;
	uint8_t type; /* enum xpti_metadata_type */
} xpti_object;

/*
 * user_data of the function_with_args types points to this. For the function types it points to the
 * name of the function.
 */
typedef struct {
	uint32_t function_id;
	const char *function_name;
	void *args_data, *ret_data;
	void *user_data;
} xpti_function_with_args;

/* user_data of the mem_alloc and mem_release types. mem_alloc_begin has no address yet. */
typedef struct {
	uintptr_t mem_object_handle;
	uintptr_t alloc_pointer;
	size_t alloc_size, guard_zone_size; /* bytes */
	uint64_t reserved;
} xpti_mem_alloc_data;

/*
 * A subscriber's callback. It runs in the thread that notifies. parent, object, instance and
 * user_data are what the notifier passed; user_data is valid until the callback returns. A callback
 * may call any function of this header, and may throw.
 */
typedef void (*xpti_callback)(uint16_t trace_type, xpti_event *parent, xpti_event *object,
			      uint64_t instance, const void *user_data);

/*
 * The interfaces of a trace point: C++ objects with virtual functions (Itanium ABI). In C, call
 * iface->vtbl->name(iface). The four interfaces of a trace point are parts of one object, and are
 * valid as long as the trace point.
 */
typedef struct xpti_payload_if {
	const struct xpti_payload_vtbl *vtbl;
} xpti_payload_if;
typedef struct xpti_event_if {
	const struct xpti_event_vtbl *vtbl;
} xpti_event_if;
typedef struct xpti_metadata_if {
	const struct xpti_metadata_vtbl *vtbl;
} xpti_metadata_if;
typedef struct xpti_tracepoint_if {
	const struct xpti_tracepoint_vtbl *vtbl;
} xpti_tracepoint_if;

/*
 * The place of a trace point. name, source_file, line_no, column_no and payload_flags return the
 * members of its payload; name_string_id and file_string_id the ids of its texts; uid64 its uid.
 * is_valid: false once the trace point is released. payload_ref: the payload itself.
 */
struct xpti_payload_vtbl {
	void (*destroy)(xpti_payload_if *); /* does nothing, as in the other interfaces */
	/* releases the trace point, as delete does in C++; so in the other interfaces */
	void (*destroy_and_free)(xpti_payload_if *);
	const char *(*name)(const xpti_payload_if *);
	const char *(*source_file)(const xpti_payload_if *);
	uint32_t (*line_no)(const xpti_payload_if *);
	uint32_t (*column_no)(const xpti_payload_if *);
	uint64_t (*payload_flags)(const xpti_payload_if *);
	int32_t (*name_string_id)(const xpti_payload_if *);
	int32_t (*file_string_id)(const xpti_payload_if *);
	uint64_t (*uid64)(const xpti_payload_if *);
	bool (*is_valid)(const xpti_payload_if *);
	xpti_payload *(*payload_ref)(xpti_payload_if *);
};

/*
 * The event of a trace point. The functions return or set the members of its xpti_event; payload and
 * metadata return the other interfaces; payload_ref and event_ref the structs themselves.
 */
struct xpti_event_vtbl {
	void (*destroy)(xpti_event_if *);
	void (*destroy_and_free)(xpti_event_if *);
	xpti_payload_if *(*payload)(xpti_event_if *);
	xpti_metadata_if *(*metadata)(xpti_event_if *);
	uint64_t (*uid64)(const xpti_event_if *);
	uint64_t (*instance)(const xpti_event_if *);
	uint16_t (*event_type)(const xpti_event_if *);
	uint16_t (*activity_type)(const xpti_event_if *);
	uint64_t (*source_uid64)(const xpti_event_if *);
	uint64_t (*target_uid64)(const xpti_event_if *);
	uint64_t (*event_flags)(const xpti_event_if *);
	void (*set_activity_type)(xpti_event_if *, int);
	void (*set_event_type)(xpti_event_if *, uint16_t);
	xpti_payload *(*payload_ref)(xpti_event_if *);
	xpti_event *(*event_ref)(xpti_event_if *);
};

/*
 * The metadata of a trace point's event. Each trace point has one position for first_item and
 * next_item, so only one thread at a time may go through the items. key and value may be NULL; *key
 * becomes the framework's copy.
 */
struct xpti_metadata_vtbl {
	void (*destroy)(xpti_metadata_if *);
	void (*destroy_and_free)(xpti_metadata_if *);
	/* XPTI_RESULT_FALSE: there is no item */
	xpti_result (*first_item)(xpti_metadata_if *, char **key, xpti_object_id *value);
	/* call it after first_item; XPTI_RESULT_FALSE: no further item */
	xpti_result (*next_item)(xpti_metadata_if *, char **key, xpti_object_id *value);
	/* as xptiAddMetadata */
	xpti_result (*add_item)(xpti_metadata_if *, const char *key, xpti_object_id value);
	size_t (*count)(const xpti_metadata_if *);
};

/* A trace point: its other three interfaces, its uid and instance, and its structs. */
struct xpti_tracepoint_vtbl {
	void (*destroy)(xpti_tracepoint_if *);
	void (*destroy_and_free)(xpti_tracepoint_if *);
	xpti_payload_if *(*payload)(xpti_tracepoint_if *);
	xpti_metadata_if *(*metadata)(xpti_tracepoint_if *);
	xpti_event_if *(*event)(xpti_tracepoint_if *);
	uint64_t (*uid64)(const xpti_tracepoint_if *);
	uint64_t (*instance)(const xpti_tracepoint_if *);
	xpti_event *(*event_ref)(xpti_tracepoint_if *);
	xpti_payload *(*payload_ref)(xpti_tracepoint_if *);
};

/* ---- what a subscriber defines ---- */

/*
 * A stream begins. Every call of xptiInitialize calls this before it returns, in the same thread.
 * `version` and `stream` are valid during the call.
 */
XPTI_API void xptiTraceInit(unsigned int major, unsigned int minor, const char *version,
			    const char *stream);
/* A stream ends. xptiFinalize calls this before it turns the callbacks of the stream off. */
XPTI_API void xptiTraceFinish(const char *stream);
/*
 * Optional: stores the level of detail that the subscriber wants of a stream (enum
 * xpti_detail_level). Where it has no wish, it returns false and stores nothing, which means the
 * normal level. What is stored counts in any case.
 */
XPTI_API bool xptiQuerySubscriberStreamDetailLevel(const char *stream, uint8_t *level);

/* ---- the framework ---- */

/*
 * Count the users of the framework. A program needs neither function. When the last user calls
 * Finalize, the framework unloads the subscribers and forgets everything but the numbers of
 * streams, tools and objects, also what other threads do meanwhile. Initialize waits for the end of
 * that. A subscriber stays loaded while its code runs, also where it calls Finalize itself.
 */
XPTI_API void xptiFrameworkInitialize(void);
XPTI_API void xptiFrameworkFinalize(void);
/*
 * Forget all strings, events, trace points, callbacks, counters and levels of detail. Streams,
 * tools, objects and defaults stay. When this returns, no callback that was registered before runs
 * in another thread.
 */
XPTI_API void xptiReset(void);

/* A stream begins: tell all subscribers. INVALIDARG: stream or version is NULL. */
XPTI_API xpti_result xptiInitialize(const char *stream, uint32_t major, uint32_t minor,
				    const char *version);
/*
 * A stream ends: tell all subscribers, then turn the callbacks of the stream off. When this
 * returns, none of them runs in another thread. The first call in a process also ends
 * "xpti.framework", before the stream.
 */
XPTI_API void xptiFinalize(const char *stream);
/* True if tracing is on: XPTI_TRACE_ENABLE allows it, and at least one subscriber is loaded. */
XPTI_API bool xptiTraceEnabled(void);
/* Turn tracing on or off for the process, whatever the environment says. */
XPTI_API void xptiForceSetTraceEnabled(bool yes);
/*
 * Only in the static proxy: look for the dispatcher again, where none was found so far. For
 * programs that set XPTI_FRAMEWORK_DISPATCHER themselves.
 */
XPTI_API void xptiTraceTryToEnable(void);
/*
 * True if a notification of this type (0: of any type) on this stream would call a callback; always
 * false for the number 0.
 */
XPTI_API bool xptiCheckTraceEnabled(xpti_stream_id stream, uint16_t trace_type);

/*
 * The number of a stream. The same name always has the same number. XPTI_INVALID_STREAM: the name
 * is NULL or empty, or there are more than 254 streams.
 */
XPTI_API uint8_t xptiRegisterStream(const char *stream);
/*
 * Ends a stream as xptiFinalize does. INVALIDARG: NULL. NOTFOUND: no callback of the stream was
 * ever registered or unregistered.
 */
XPTI_API xpti_result xptiUnregisterStream(const char *stream);
/* The highest level of detail that a subscriber wants of a stream: enum xpti_detail_level. */
XPTI_API uint8_t xptiGetEffectiveStreamDetailLevel(xpti_stream_id stream);

/* ---- strings and objects ---- */

/*
 * The number of a string; stores the framework's copy in *table_string. Equal strings have the same
 * number and the same copy. XPTI_INVALID_STRING: an argument is NULL, the string is empty, or
 * memory is short.
 */
XPTI_API xpti_string_id xptiRegisterString(const char *string, char **table_string);
/* The string with this number. NULL: there is none. */
XPTI_API const char *xptiLookupString(xpti_string_id id);
/*
 * The number of `size` bytes. Equal bytes have the same number, and keep the type of the first
 * registration (enum xpti_metadata_type). XPTI_INVALID_OBJECT: NULL, 2 GiB or more, or memory is
 * short.
 */
XPTI_API xpti_object_id xptiRegisterObject(const char *data, size_t size, uint8_t type);
/* The object with this number. { 0, NULL, 0 }: there is none. */
XPTI_API xpti_object xptiLookupObject(xpti_object_id id);

/* ---- trace points ---- */

/*
 * Register a place in the code. Returns a new uid, and stores it in payload->internal; also sets
 * .uid_p1 and .uid_p2, a name and a file that are missing ("<unknown-function>",
 * "<unknown-file>"), their flags, and for the first payload of a place xpti_payload_registered. Its
 * event is an active algorithm. XPTI_INVALID_UID: NULL, a payload with neither name, source file
 * with a line, nor code address that is there, or memory is short.
 */
XPTI_API uint64_t xptiRegisterPayload(xpti_payload *payload);
/*
 * Make an event of a place. Stores in *instance how many events the place has had. `name` is not
 * used. Release the event with xptiReleaseEvent. NULL: the payload is not valid, instance is NULL,
 * or memory is short.
 */
XPTI_API xpti_event *xptiMakeEvent(const char *name, xpti_payload *payload, uint16_t event_type,
				   int32_t activity, uint64_t *instance);
/* The event with this uid. NULL: there is none, or it was released. */
XPTI_API const xpti_event *xptiFindEvent(uint64_t uid);
/* The payload of an event, or of the event with this uid. NULL: there is none. */
XPTI_API const xpti_payload *xptiQueryPayload(xpti_event *event);
XPTI_API const xpti_payload *xptiQueryPayloadByUID(uint64_t uid);
/* Release an event with its payload, metadata and interfaces. Ignores NULL and what is no event. */
XPTI_API void xptiReleaseEvent(xpti_event *event);
/*
 * Add to the metadata of an event. `value` is the number of an object. DUPLICATE: the key was
 * there, and has the new value now. INVALIDARG: NULL, an empty key, or no event. FAIL: memory is
 * short.
 */
XPTI_API xpti_result xptiAddMetadata(xpti_event *event, const char *key, xpti_object_id value);
/* The metadata of an event. NULL: it is no event. */
XPTI_API xpti_metadata *xptiQueryMetadata(xpti_event *event);
/* A number that was not returned before, from 1. */
XPTI_API uint64_t xptiGetUniqueId(void);

/*
 * Make a trace point: an event of a place that is used through its interfaces, of the type
 * xpti_event_algorithm. A function or file that is NULL or empty becomes "<unknown-function>" or
 * "<unknown-file>". Where there is no function, no file with a line, and no code_ptr_va, it is the
 * unknown place, of line and column 0. code_ptr_va is kept and never followed. NULL: memory is
 * short. Delete it with xptiDeleteTracepoint.
 */
XPTI_API xpti_tracepoint_if *xptiCreateTracepoint(const char *function, const char *file,
						  uint32_t line, uint32_t column,
						  void *code_ptr_va);
/* INVALIDARG: NULL. NOTFOUND: it is no trace point, or was deleted before. */
XPTI_API xpti_result xptiDeleteTracepoint(xpti_tracepoint_if *tracepoint);
/* The interfaces of the trace point with this uid. NULL: there is none. */
XPTI_API const xpti_payload_if *xptiLookupPayload(uint64_t uid);
XPTI_API const xpti_event_if *xptiLookupEvent(uint64_t uid);

/* ---- notifying ---- */

/*
 * Call `callback` for all notifications of a stream with this type. Callbacks are called in the
 * order of registering. A callback that is registered during a notification is called from the next
 * one on. INVALIDARG: NULL. DUPLICATE: it is registered already. UNDELETE: it was unregistered, and
 * is registered again. FAIL: memory is short.
 */
XPTI_API xpti_result xptiRegisterCallback(xpti_stream_id stream, uint16_t trace_type,
					  xpti_callback callback);
/*
 * When this returns, whatever it returns, the callback does not run in another thread, and is not
 * called again unless it is registered again. Exception: two callbacks that unregister each other
 * from two threads do not wait for each other. INVALIDARG: NULL. NOTFOUND: it was never registered.
 * DUPLICATE: it was unregistered already.
 */
XPTI_API xpti_result xptiUnregisterCallback(xpti_stream_id stream, uint16_t trace_type,
					    xpti_callback callback);
/*
 * Call the callbacks, in the calling thread. object and parent are passed on as they are. FALSE:
 * tracing is off. INVALIDARG: object is NULL; only the function, memory, offload and diagnostics
 * types may have user_data instead. FAIL: memory is short.
 */
XPTI_API xpti_result xptiNotifySubscribers(xpti_stream_id stream, uint16_t trace_type,
					   xpti_event *parent, xpti_event *object,
					   uint64_t instance, const void *user_data);

/* ---- values of the calling thread ---- */

/* A number that a program or tool gives to what the thread does; 0 at first. */
XPTI_API uint64_t xptiGetUniversalId(void);
XPTI_API void xptiSetUniversalId(uint64_t uid);
/* Keep one key and one value. The key is kept as a pointer. FAIL: key is NULL. */
XPTI_API xpti_result xptiStashTuple(const char *key, uint64_t value);
/* INVALIDARG: key or value is NULL. NOTFOUND: nothing is stashed. */
XPTI_API xpti_result xptiGetStashedTuple(char **key, uint64_t *value);
XPTI_API void xptiUnstashTuple(void);
/*
 * The trace point of the thread's current scope. NULL: there is none, or it was deleted. Set also
 * sets the universal id; Unset sets both back. INVALIDARG: it is no trace point.
 */
XPTI_API const xpti_tracepoint_if *xptiGetTracepointScopeData(void);
XPTI_API xpti_result xptiSetTracepointScopeData(xpti_tracepoint_if *tracepoint);
XPTI_API void xptiUnsetTracepointScopeData(void);
/* Does what xptiCreateTracepoint does, for a trace point that becomes the scope's. */
XPTI_API const xpti_tracepoint_if *xptiRegisterTracepointScope(const char *function,
							       const char *file, uint32_t line,
							       uint32_t column, void *code_ptr_va);
/* Whether scopes notify of their begin and end by themselves. For the whole process. */
XPTI_API void xptiEnableTracepointScopeNotification(bool yes);
XPTI_API bool xptiCheckTracepointScopeNotification(void);

/* ---- defaults of the process ---- */

/* Values for tools to agree on; the framework itself does not use them. */
XPTI_API xpti_stream_id xptiGetDefaultStreamID(void);
/* INVALIDARG: 128 or more. */
XPTI_API xpti_result xptiSetDefaultStreamID(xpti_stream_id stream);
XPTI_API uint16_t xptiGetDefaultEventType(void);
XPTI_API xpti_result xptiSetDefaultEventType(uint16_t event_type); /* INVALIDARG: 0 */
XPTI_API uint16_t xptiGetDefaultTraceType(void);
XPTI_API xpti_result xptiSetDefaultTraceType(uint16_t trace_type); /* INVALIDARG: 0 */

/* ---- types that tools define ---- */

/*
 * The two functions below take these values. Each tool has 64 pairs of begin and end, and 128 event
 * types.
 */
#define XPTI_TRACE_POINT_BEGIN(value) (xpti_trace_user_defined | (value) << 1)
#define XPTI_TRACE_POINT_END(value)   (xpti_trace_user_defined | (value) << 1 | 1)
#define XPTI_EVENT(value)	      (xpti_event_user_defined | (value))
/* The parts of a type. The tool's id is 0 for types that are not user defined. */
#define XPTI_TOOL_ID(type)		   ((uint8_t)((uint16_t)(type) >> 8))
#define XPTI_EXTRACT_USER_DEFINED_ID(type) ((uint16_t)(type)&0x7f)

/*
 * Returns tool's number << 8 | 0x80 | value. The same name always has the same number, from 1. The
 * number is 255 where the name is NULL or empty, or there are more than 254 tools.
 */
XPTI_API uint16_t xptiRegisterUserDefinedTracePoint(const char *tool, uint8_t value);
XPTI_API uint16_t xptiRegisterUserDefinedEventType(const char *tool, uint8_t value);

/* ---- scoped notification ---- */

/*
 * XPTI_SCOPED_NOTIFY notifies of a begin here, and of the end where the scope ends, on whatever way
 * it is left. At most one of them may stand on a line. Use the macro; the struct and the two
 * functions are its parts.
 */
struct xpti_scope {
	xpti_event *parent, *object;
	uint64_t instance;
	const void *user_data;
	uint16_t end_type;
	xpti_stream_id stream;
	bool begun;
};

static inline struct xpti_scope xpti_scope_begin(xpti_stream_id stream, uint16_t trace_type,
						 xpti_event *parent, xpti_event *object,
						 uint64_t instance, const void *user_data)
{
	struct xpti_scope scope = {parent,
				   object,
				   instance,
				   user_data,
				   (uint16_t)(trace_type | 1),
				   stream,
				   xptiTraceEnabled()};

	if (scope.begun)
		(void)xptiNotifySubscribers(stream, trace_type, parent, object, instance,
					    user_data);
	return scope;
}

static inline void xpti_scope_end(struct xpti_scope *scope)
{
	if (scope->begun)
		(void)xptiNotifySubscribers(scope->stream, scope->end_type, scope->parent,
					    scope->object, scope->instance, scope->user_data);
}

#define XPTI_SCOPE_NAME2(line) xpti_scope_##line
#define XPTI_SCOPE_NAME(line)  XPTI_SCOPE_NAME2(line)
#define XPTI_SCOPED_NOTIFY(stream, trace_type, parent, object, instance, user_data)                \
	struct xpti_scope XPTI_SCOPE_NAME(__LINE__)                                                \
		__attribute__((cleanup(xpti_scope_end), unused)) =                                 \
			xpti_scope_begin(stream, trace_type, parent, object, instance, user_data)

#ifdef __cplusplus
}
#endif

#endif
