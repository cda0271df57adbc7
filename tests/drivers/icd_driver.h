/* SPDX-License-Identifier: MIT */
/*
 * icd_driver.h: what the files of the OpenCL test driver share. icd.h describes the driver and its
 * settings.
 *
 * 	icd_report.c	settings, clocks, counts of calls, the log of commands, misuse
 * 	icd_object.c	objects and their references, properties
 * 	icd_device.c	platform, device, context; the table that the loader calls by
 * 	icd_memory.c	buffers, images, shared memory
 * 	icd_event.c	events and their callbacks
 * 	icd_queue.c	queues, and the threads that run their commands
 * 	icd_enqueue.c	the commands
 * 	icd_extensions.c	commands of extensions
 * 	icd_program.c	programs and kernels
 *
 * One mutex guards all objects, one condition variable tells of every change: this is a test bed,
 * not a fast driver.
 */
#ifndef TESTS_ICD_DRIVER_H
#define TESTS_ICD_DRIVER_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl_icd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/drivers/icd.h"

#define EXPORT		__attribute__((visibility("default")))
#define ARGS_MAX	8
#define NAME_MAX_LENGTH 128
#define COUNT_OF(array) (sizeof(array) / sizeof(*(array)))

#ifdef ICD_SECOND
#define INSTANCE 'b'
#else
#define INSTANCE 'a'
#endif

/*
 * Each function is written as icd_X and exported as X: the driver's own table refers to icd_X,
 * whatever X is bound to.
 */
#define FUNCTION(name)		    extern __typeof__(name) icd_##name;
#define FUNCTION_WITHOUT_SLOT(name) FUNCTION(name)
#include "tests/drivers/icd_functions.def"
#undef FUNCTION
#undef FUNCTION_WITHOUT_SLOT
#define EXPORTED(function)                                                                         \
	extern __typeof__(icd_##function) function EXPORT __attribute__((alias("icd_" #function)))

extern const cl_icd_dispatch icd_table;

/* --- icd_report.c */

struct count {
	const char *name;
	_Atomic uint64_t outside, own;
	uint64_t reserved;
};

extern __thread unsigned icd_inside;

void icd_called(struct count *count);

/* Each function's first line. */
#define COUNT(function)                                                                            \
	do {                                                                                       \
		static struct count count __attribute__((section("icd_counts"), used,              \
							 aligned(32))) = {#function, 0, 0, 0};     \
		icd_called(&count);                                                                \
	} while (0)

/* The same in functions that OpenCL 1.2 lacks: only the driver itself may call them there. */
#define COUNT_NEW(function, failure)                                                               \
	do {                                                                                       \
		COUNT(function);                                                                   \
		if (!icd_inside && icd_is_old()) {                                                 \
			icd_misuse(#function, "called in a driver of OpenCL 1.2");                 \
			return failure;                                                            \
		}                                                                                  \
	} while (0)

/* A call that the driver makes to its own function: counted as such. */
#define OWN(call)                                                                                  \
	({                                                                                         \
		icd_inside++;                                                                      \
		__auto_type result_ = (call);                                                      \
		icd_inside--;                                                                      \
		result_;                                                                           \
	})

/*
 * The same for an exported function, by its name: through the PLT, bound to the first definition.
 */
#define BY_NAME(call) OWN(call)

const char *icd_setting(const char *name);
bool icd_setting_is(const char *name, const char *value);
bool icd_is_old(void);

/* TEST_ICD_FAIL: the code for that function, or CL_SUCCESS. */
cl_int icd_wished_failure(const char *function);

/* A line for TEST_ICD_MISUSE. */
void icd_misuse(const char *function, const char *what);

/* The driver is in use: its end must be noticed. */
void icd_begin(void);

/* One instant by both clocks. */
struct stamp {
	uint64_t ticks, ns;
};

struct stamp icd_now(void);
uint64_t icd_host_timer(void);

void icd_log_enqueued(cl_event event);
void icd_log_ended(cl_event event, cl_int status);
void icd_log_memory(int64_t bytes);

/* --- icd_object.c */

enum kind { PLATFORM, DEVICE, CONTEXT, QUEUE, MEM, PROGRAM, KERNEL, EVENT, KINDS };

/*
 * Every object begins with the table that the loader dispatches by. `references` are the program's,
 * and what it sees; `holds` are the driver's, for commands under way and for objects that need this
 * one. An object without either is buried: it keeps its memory for a long while, so that its use is
 * noticed.
 */
struct object {
	const cl_icd_dispatch *dispatch;
	enum kind kind;
	unsigned references, holds;
};

extern pthread_mutex_t icd_lock;
extern pthread_cond_t icd_changed;

void *icd_new(enum kind kind, size_t size);
/*
 * Whether the program may use it; using a released object is misuse. The second one: all of a list.
 */
bool icd_live(const void *object, enum kind kind, const char *function);
bool icd_all_live(cl_uint count, const void *objects, enum kind kind, const char *function);
void icd_hold(void *object);
void icd_drop(void *object);
cl_int icd_retain(void *object, enum kind kind, const char *function);
cl_int icd_release(void *object, enum kind kind, const char *function);
/* For the log's last lines: what is left of a kind. */
const char *icd_left(enum kind kind, unsigned *objects, unsigned *references);

/* clRetainX and clReleaseX. */
#define REFERENCES(name, type, kind)                                                               \
	cl_int icd_clRetain##name(type object)                                                     \
	{                                                                                          \
		COUNT(clRetain##name);                                                             \
		return icd_retain(object, kind, "clRetain" #name);                                 \
	}                                                                                          \
	EXPORTED(clRetain##name);                                                                  \
	cl_int icd_clRelease##name(type object)                                                    \
	{                                                                                          \
		COUNT(clRelease##name);                                                            \
		return icd_release(object, kind, "clRelease" #name);                               \
	}                                                                                          \
	EXPORTED(clRelease##name)

/*
 * What clGetXInfo knows: values, or where they are in the object. No value and no size: there is no
 * such property.
 */
struct property {
	cl_uint which;
	enum { VALUE, FIELD, TEXT_FIELD } from;
	size_t size, offset;
	const void *value;
};

#define A_VALUE(which, type, ...)                                                                  \
	{                                                                                          \
		which, VALUE, sizeof(type), 0, (const type[])                                      \
		{                                                                                  \
			__VA_ARGS__                                                                \
		}                                                                                  \
	}
#define VALUES(which, type, n, ...)                                                                \
	{                                                                                          \
		which, VALUE, (n) * sizeof(type), 0, (const type[])                                \
		{                                                                                  \
			__VA_ARGS__                                                                \
		}                                                                                  \
	}
#define TEXT(which, text)                                                                          \
	{                                                                                          \
		which, VALUE, sizeof(text), 0, text                                                \
	}
#define NONE(which)                                                                                \
	{                                                                                          \
		which, VALUE, 0, 0, NULL                                                           \
	}
#define A_FIELD(which, type, member)                                                               \
	{                                                                                          \
		which, FIELD, sizeof(((type *)0)->member), offsetof(type, member), NULL            \
	}
#define A_TEXT(which, type, member)                                                                \
	{                                                                                          \
		which, TEXT_FIELD, 0, offsetof(type, member), NULL                                 \
	}

/* Where the answer goes: clGetXInfo's parameters. */
struct answer {
	cl_uint which;
	size_t room;
	void *to;
	size_t *needed;
};

cl_int icd_give(const struct answer *answer, const void *value, size_t size);
cl_int icd_property(const struct property *properties, size_t count, const void *object,
		    const struct answer *answer);
#define GIVE_PROPERTY(properties, object, which, room, to, needed)                                 \
	icd_property(properties, COUNT_OF(properties), object,                                     \
		     &(struct answer){which, room, to, needed})

static inline void icd_set(cl_int *error, cl_int value)
{
	if (error)
		*error = value;
}

/* --- the objects */

struct _cl_platform_id {
	struct object object;
};

struct _cl_device_id {
	struct object object;
};

struct _cl_context {
	struct object object;
};

struct _cl_mem {
	struct object object;
	cl_context context;
	cl_mem_object_type type;
	cl_mem_flags flags;
	size_t size;
	char *memory;
	bool borrowed; /* CL_MEM_USE_HOST_PTR, or its parent's: not the driver's */
	cl_mem parent;
	cl_image_format format;
	size_t element, width, height, depth, row, slice; /* an image's */
	void(CL_CALLBACK *destroyed)(cl_mem, void *);
	void *destroyed_with;
};

struct _cl_program {
	struct object object;
	cl_context context;
	char *source;
	const char *log;
	cl_build_status status;
};

struct argument {
	size_t size;
	bool shared; /* the value is an address */
	char value[8];
};

struct kernel_kind;

struct _cl_kernel {
	struct object object;
	cl_program program;
	cl_context context;
	const struct kernel_kind *kind;
	cl_uint nargs;
	char *name;
	struct argument arguments[ARGS_MAX];
};

struct callback {
	struct callback *next;
	cl_int at;
	void(CL_CALLBACK *function)(cl_event, cl_int, void *);
	void *with;
};

enum moment { QUEUED, SUBMITTED, STARTED, ENDED, MOMENTS };

struct _cl_event {
	struct object object;
	cl_context context;
	cl_command_queue queue; /* NULL: a user event */
	cl_command_type type;
	cl_int status;
	bool profiled;
	struct stamp at[MOMENTS];
	unsigned number, queue_number; /* in the log */
	char kernel[NAME_MAX_LENGTH];
	struct callback *callbacks;
};

/* A block of rows and slices, in a memory object or in the host's memory. */
struct view {
	cl_mem mem;
	char *host;
	size_t offset, row, slice;
};

struct command {
	struct command *next;
	cl_event event;
	cl_uint nwaits, nmems;
	cl_event *waits;
	cl_mem *mems; /* held until it has ended */
	bool after_all, before_all;
	cl_int (*run)(struct command *command);
	struct view from, to;
	size_t region[3]; /* bytes, rows, slices */
	char pattern[128];
	size_t pattern_bytes;
	cl_kernel kernel;
	struct argument arguments[ARGS_MAX];
	size_t items;
	void(CL_CALLBACK *native)(void *);
	void *native_with;
	void **shared; /* to be freed by it */
	void(CL_CALLBACK *freeing)(cl_command_queue, cl_uint, void **, void *);
	void *freeing_with;
};

struct _cl_command_queue {
	struct object object;
	cl_context context;
	cl_device_id device;
	cl_command_queue_properties properties;
	cl_queue_properties list[8];
	size_t list_size;
	unsigned number;
	struct command *first, **last; /* until they have ended */
	bool ends;
};

extern struct _cl_platform_id icd_platform;
extern struct _cl_device_id icd_device;

void icd_destroy_queue(void *queue);
void icd_destroy_mem(void *mem);
void icd_destroy_program(void *program);
void icd_destroy_kernel(void *kernel);
void icd_destroy_event(void *event);

/* --- icd_event.c */

cl_event icd_new_event(cl_context context, cl_command_queue queue, cl_command_type type);
/* Called with the lock; callbacks run without it, and find the status. */
void icd_advance(cl_event event, cl_int status);
/* Wait until it is complete or failed; returns its status. */
cl_int icd_await(cl_event event);

/* --- icd_queue.c */

/* A new command, not filled in yet; NULL, and why, where it can't be made. */
struct command *icd_command(cl_command_queue queue, cl_command_type type, const char *function,
			    cl_uint nwaits, const cl_event *waits, cl_int *error);
/* Room for the objects that it holds; they are held from submission on. */
bool icd_command_mems(struct command *command, cl_uint count);
void icd_free_command(struct command *command);
cl_int icd_submit(struct command *command, const char *function, bool blocking, cl_event *event);

/* --- icd_memory.c */

void icd_free_shared(void *memory, const char *function);
void *icd_function_of_memory(const char *name);

/* --- icd_extensions.c */

void *icd_function_of_extension(const char *name);

#endif
