/* SPDX-License-Identifier: MIT */
/*
 * The software device of the Level Zero test driver: its objects, and what its files offer each
 * other.
 *
 * One lock, device_lock, protects everything that changes: queues, submissions, events' timestamps,
 * fences, allocations. Everything that waits, waits on device_changed, which is broadcast at each
 * change that somebody may wait for. That is slow and simple, as a test bed should be; only
 * zeEventQueryStatus and the counters do without the lock. No lock is held while a hook or a kernel
 * runs, but for the engine's own, which is taken before device_lock.
 *
 * Every queue and every immediate list has a worker thread of its own, started by its first
 * submission. An engine (queue group and index) runs one command at a time, whichever queue it
 * comes from, but is free while a queue waits for events.
 */
#ifndef TESTS_ZE_DEVICE_H
#define TESTS_ZE_DEVICE_H

#include <level_zero/ze_api.h>
#include <level_zero/ze_ddi.h>
#include <level_zero/zes_api.h>
#include <level_zero/zes_ddi.h>
#include <level_zero/zet_api.h>
#include <level_zero/zet_ddi.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef ZE_DRIVER_INSTANCE
#define ZE_DRIVER_INSTANCE "a"
#endif

/* ---- entries: ze_entry.c */

enum entry {
#define TABLE(getter, type)
#define HAVE(function, field, since) ENTRY_##function,
#define NONE(function, field, since) ENTRY_##function,
#define END
#include "ze_functions.def"
#undef TABLE
#undef HAVE
#undef NONE
#undef END
	ENTRY_COUNT
};

extern _Atomic bool entry_watched[ENTRY_COUNT];
ze_result_t entry_watch(enum entry entry);
void *entry_find(const char *name);

/* The first line of every API function: counts, runs the test's hook, and returns the result that a
 * test wants instead of the call. */
#define ENTER(function)                                                                            \
	do {                                                                                       \
		if (atomic_load_explicit(&entry_watched[ENTRY_##function],                         \
					 memory_order_relaxed)) {                                  \
			ze_result_t wanted = entry_watch(ENTRY_##function);                        \
			if (wanted != ZE_RESULT_SUCCESS)                                           \
				return wanted;                                                     \
		}                                                                                  \
	} while (0)

#define NEED_HANDLE(handle)                                                                        \
	do {                                                                                       \
		if (!(handle))                                                                     \
			return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;                                \
	} while (0)

#define NEED_POINTER(pointer)                                                                      \
	do {                                                                                       \
		if (!(pointer))                                                                    \
			return ZE_RESULT_ERROR_INVALID_NULL_POINTER;                               \
	} while (0)

/* ---- environment and files: ze_entry.c */

const char *config_text(const char *name);
uint64_t config_number(const char *name, uint64_t otherwise);
char *config_file(const char *name); /* with %p replaced; the caller frees it; NULL: not set */

/* ---- clock: ze_clock.c */

struct stamp {
	uint64_t ticks; /* of the device, not wrapped */
	uint64_t ns;	/* CLOCK_MONOTONIC */
};

void clock_start(void);
struct stamp clock_now(ze_device_handle_t device);
uint64_t clock_wrap(uint64_t ticks, uint32_t bits);
uint64_t clock_host_ns(void); /* the host clock that the driver reports */
extern uint64_t clock_hz;
extern bool clock_steady; /* commands take ticks that depend on nothing but the program */
extern uint32_t clock_bits, clock_kernel_bits;

/* ---- devices: ze_properties.c */

#define MAX_DEVICES    4
#define MAX_SUBDEVICES 4
#define GROUPS	       2 /* 0: compute and copy, 1: copy only */
#define ENGINES	       2 /* of each group */

struct engine {
	pthread_mutex_t lock; /* held while a command runs */
	uint32_t group, index;
	uint64_t busy_ns; /* device_lock */
};

struct _ze_device_handle_t {
	uint32_t number; /* of its root among the driver's devices */
	int32_t sub;	 /* -1: the root itself */
	ze_device_handle_t root;
	_Atomic bool lost;
	_Atomic int64_t clock_offset; /* ticks */
	struct engine engines[GROUPS][ENGINES];
};

struct _ze_driver_handle_t {
	uint32_t device_count, sub_count;
	struct _ze_device_handle_t devices[MAX_DEVICES], subs[MAX_DEVICES][MAX_SUBDEVICES];
};

struct _ze_context_handle_t {
	ze_driver_handle_t driver;
};

extern struct _ze_driver_handle_t the_driver;
extern pthread_mutex_t device_lock;
extern pthread_cond_t device_changed;

void device_lose(ze_device_handle_t device);
bool device_is_lost(ze_device_handle_t device); /* NULL: any */

/* Waits, with device_lock held, until done(arg); NOT_READY after timeout nanoseconds (UINT64_MAX:
 * never). device NULL: any. */
ze_result_t device_wait(ze_device_handle_t device, bool (*done)(void *arg), void *arg,
			uint64_t timeout);

/* Fills a "how many, which" pair of arguments the way that every getter of the API does; false:
 * only *count was to be set. */
bool device_list_count(uint32_t *count, bool have_array, uint32_t available);

/* ---- memory: ze_memory.c */

void *memory_view(const void *pointer); /* where the device finds what is at this address */
uint64_t memory_in_use(ze_device_handle_t device);
#define DEVICE_MEMORY_SIZE (1ull << 30)

/* ---- events and fences: ze_event.c */

struct command;

struct _ze_event_handle_t {
	ze_event_pool_handle_t pool; /* NULL: no event was created at this index */
	_Atomic uint32_t signaled;
	uint64_t turn;	  /* device_lock: of an event that counts: the command that it stands for */
	uint64_t session; /* device_lock: of a graph's capture that a command signals it in */
	uint32_t index;
	struct stamp start, end; /* device_lock */
};

struct _ze_event_pool_handle_t {
	bool timestamps;
	bool counts; /* counter-based: an event stands for what was last to signal it */
	ze_event_pool_flags_t flags;
	bool single; /* the only event's, which goes with it */
	uint32_t count;
	struct _ze_event_handle_t events[];
};

void event_signal(ze_event_handle_t event, struct stamp start, struct stamp end);
void event_reset(ze_event_handle_t event);
bool event_is_signaled(ze_event_handle_t event);
ze_kernel_timestamp_result_t event_timestamps(ze_event_handle_t event);
/* Its event, if it counts, stands for it from now on; or for each command of its list. */
void event_submitted(struct command *command, bool alone);
void event_signal_by(struct command *command, struct stamp start, struct stamp end);

struct _ze_fence_handle_t {
	struct queue *queue;
	bool signaled; /* device_lock */
};

/* ---- kernels: ze_kernels.c */

#define MAX_ARGUMENTS 6

enum argument_kind { ARGUMENT_POINTER, ARGUMENT_VALUE, ARGUMENT_LOCAL };

union argument {
	void *pointer;
	uint32_t u32;
	uint64_t u64;
	float f32;
	size_t local_size;
};

struct launch {
	const struct builtin *builtin;
	char *name;
	union argument arguments[MAX_ARGUMENTS];
	uint32_t group_size[3], offset[3];
	ze_group_count_t groups;
	const ze_group_count_t *indirect; /* NULL, or where the device finds the group counts */
	struct queue *queue;		  /* set while it runs */
};

struct builtin {
	const char *name;
	uint32_t argument_count;
	struct {
		enum argument_kind kind;
		size_t size;
	} arguments[MAX_ARGUMENTS];
	void (*run)(const struct launch *launch);
};

extern const struct builtin builtins[];
extern const uint32_t builtin_count;

/* ---- modules: ze_module.c */

struct _ze_kernel_handle_t {
	ze_module_handle_t module;
	const struct builtin *builtin;
	char *name;
	union argument arguments[MAX_ARGUMENTS];
	bool set[MAX_ARGUMENTS];
	uint32_t group_size[3], offset[3];
	ze_kernel_indirect_access_flags_t indirect;
};

/* ---- command lists and queues: ze_list.c, ze_queue.c */

enum command_kind {
	COMMAND_BARRIER,
	COMMAND_COPY,
	COMMAND_COPY_REGION,
	COMMAND_IMAGE,
	COMMAND_FILL,
	COMMAND_TIMESTAMP,
	COMMAND_SIGNAL,
	COMMAND_WAIT,
	COMMAND_RESET,
	COMMAND_QUERY,
	COMMAND_LAUNCH,
	COMMAND_PREFETCH,
	COMMAND_HOST,
	COMMAND_LISTS,
	COMMAND_GRAPH,
};

struct command {
	struct command *next;
	enum command_kind kind;
	ze_event_handle_t signal;
	uint64_t turn; /* device_lock: of .signal, if that counts */
	uint32_t wait_count;
	ze_event_handle_t *waits;
	void *to;
	const void *from;
	size_t size;
	size_t *offsets;      /* query */
	uint32_t event_count; /* query; reset: 1 */
	ze_event_handle_t *events;
	unsigned char pattern[128]; /* fill */
	size_t pattern_size;
	ze_copy_region_t to_region, from_region;
	uint32_t to_pitch, to_slice, from_pitch, from_slice;
	struct launch *launches;
	uint32_t launch_count;
	void (*function)(void *); /* host */
	void *user_data;
	uint32_t list_count; /* lists, of which all commands are executed here */
	ze_command_list_handle_t *lists;
	uint64_t id; /* of a mutable command; 0: it is none */
	uint32_t may_change;
	const uint32_t
		*launch_limit; /* NULL, or where the device finds how many of the launches to run */
};

struct submission {
	struct submission *next;
	struct command *commands;
	ze_command_list_handle_t list; /* NULL: the commands are the submission's own */
	ze_fence_handle_t fence;
};

struct queue {
	struct queue *next; /* of all */
	ze_device_handle_t device;
	struct engine *engine;
	uint32_t number;
	bool synchronous;
	pthread_t thread;
	bool started, closing;
	struct submission *current, *first, **last;
	uint64_t submitted, completed;
	uint64_t steady; /* ticks, if clock_steady: what its launches took so far */
};

struct _ze_command_queue_handle_t {
	struct queue queue;
};

struct _ze_command_list_handle_t {
	ze_device_handle_t device;
	uint32_t group;
	bool closed;
	uint32_t running; /* submissions not finished; device_lock */
	struct command *first, **last;
	struct queue *queue;	   /* an immediate list's */
	uint64_t next_id, last_id; /* of a mutable list; 0: the next command is not mutable */
	uint32_t next_may_change;
	uint64_t session; /* of the capture of a graph that it took part in last */
};

ze_result_t queue_open(struct queue *queue, ze_device_handle_t device,
		       const ze_command_queue_desc_t *desc);
void queue_close(struct queue *queue);
ze_result_t queue_submit(struct queue *queue, struct submission *submission);
bool queue_is_closing(struct queue *queue);
void queues_configure(void);
void queues_forked(void);
/* Waits for all that the device's queues have been given. */
ze_result_t queues_wait(ze_device_handle_t device);
void *recent_find(const char *name); /* ze_recent.c; NULL: no such function */
bool recent_captures(ze_command_list_handle_t list, struct command *command);
/* A command is begun, filled in, and finished: put into the list, or handed to an immediate list's
 * queue. */
ze_result_t command_begin(ze_command_list_handle_t list, enum command_kind kind,
			  ze_event_handle_t signal, uint32_t wait_count, ze_event_handle_t *waits,
			  struct command **made);
ze_result_t command_finish(ze_command_list_handle_t list, struct command *command);
void command_free(struct command *command);
const char *command_name(const struct command *command);
void command_run(struct command *command, struct queue *queue, uint64_t *amount);

#endif
