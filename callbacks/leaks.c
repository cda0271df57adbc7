/* SPDX-License-Identifier: MIT */
/*
 * leaks: objects that a program created and never destroyed, destroyed twice, or used after
 * destroying them; each with the call that created it and who made that call.
 *
 * Which functions create and which destroy is in the API's tables (TL_FUNCTION_CREATES, _DESTROYS,
 * _RETAINS). A creating function gives out its result, or what it stores in [out] parameters that
 * take one handle or pointer. If it has neither, it makes an object of the memory that its first
 * pointer leads to, as zlib's deflateInit. A destroying function destroys its pointer to memory,
 * else its last handle, else what its first pointer leads to, or the object that lies there.
 * Retains and releases are counted. An OpenCL command's event is created by the command. Where it
 * takes handles by an [in,out] pointer, it destroys those that it replaces: MPI_Test leaves the
 * handle of a request that is not done.
 *
 * An object is removed before the driver destroys it, and put back where that fails: once the
 * driver has destroyed it, another thread may get the same handle, before this thread's call
 * returns.
 *
 * Handles whose creation was not seen (devices, platforms) are ignored. A destroyed object is
 * remembered until a call gives out the same handle again.
 *
 * A library may also give out objects by calls of its own, which nobody sees: GLib does that with
 * what g_free gets. Then an address that was destroyed twice may have been given out in between.
 * Such a destroying function gives itself away: it gets objects that no call was seen to give out.
 * From then on its objects are not reported as destroyed again or used, only counted.
 */
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "callbacks/leak_callers.h"
#include "callbacks/leak_files.h"
#include "callbacks/tool_common.h"
#include "callbacks/tool_ending.h"

#define FRAMES	 16   /* of a creating call's backtrace */
#define ELEMENTS 1024 /* of an array of handles that are looked at */
#define REPORTS	 100  /* uses after destroying that are reported, at most */
#define OPEN	 256  /* destroying functions with objects from elsewhere, at most */

const unsigned tl_tool_version = TL_TOOL_VERSION;

struct object {
	uint64_t handle; /* 0: the place is free */
	const char *type;
	const struct tl_function *creator, *destroyer;
	long count;  /* references that the program has; 0: destroyed */
	bool said;   /* its use after destroying */
	bool ending; /* the call that destroys it has not returned */
	pthread_t ending_thread;
	int depth;
	void *frames[FRAMES];
	unsigned when; /* of leak_files.h: a library that frames lie in may be closed by now */
};

/*
 * Protects everything below. A thread that holds it calls no API. Tools do not see the calls of a
 * signal handler that interrupts a callback.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct object *objects; /* open addressing; room is a power of two */
static size_t room, used;
static unsigned reports;
static unsigned long unsure; /* wrong calls, unless the object was given out again */
static bool missed;	     /* memory was short */
static const struct tl_function *open_destroyers[OPEN];
static unsigned nopen;

static const char type_memory[] = "memory";

static struct output output;
/* The host's; NULL: an older host, which does not have it. */
static size_t (*callers)(const void *caller, void **frames, size_t most);

/* ---- the objects; under the lock ---- */

static size_t object_place(uint64_t handle)
{
	return (size_t)(handle * 0x9e3779b97f4a7c15 >> 20) & (room - 1);
}

static struct object *object_find(uint64_t handle)
{
	if (!room || !handle)
		return NULL;
	for (size_t i = object_place(handle); objects[i].handle; i = (i + 1) & (room - 1))
		if (objects[i].handle == handle)
			return &objects[i];
	return NULL;
}

static struct object *object_free_place(uint64_t handle)
{
	size_t i = object_place(handle);

	while (objects[i].handle)
		i = (i + 1) & (room - 1);
	return &objects[i];
}

/* Make room. Where most objects are destroyed ones, forget them. */
static bool objects_grow(void)
{
	struct object *old = objects;
	size_t old_room = room, living = 0;

	for (size_t i = 0; i < room; i++)
		living += old[i].handle && old[i].count > 0;
	bool forget = living < room / 8;
	size_t larger = forget && room ? room : room ? 2 * room : 1024;
	struct object *more = calloc(larger, sizeof(*more));
	if (!more)
		return false;
	objects = more;
	room = larger;
	used = 0;
	for (size_t i = 0; i < old_room; i++) {
		if (!old[i].handle || (forget && old[i].count <= 0))
			continue;
		*object_free_place(old[i].handle) = old[i];
		used++;
	}
	free(old);
	return true;
}

static struct object *object_find_or_add(uint64_t handle)
{
	struct object *object = object_find(handle);

	if (object)
		return object;
	if (used >= room / 4 * 3 && !objects_grow()) {
		missed = true;
		return NULL;
	}
	used++;
	object = object_free_place(handle);
	object->handle = handle;
	return object;
}

/* ---- saying ---- */

/* Who called: the program's frames, from the one that made the API call. */
static int program_frames(const struct tl_view *view, void **frames)
{
	if (callers)
		return (int)callers(view->caller, frames, FRAMES);
	frames[0] = (void *)view->caller;
	return 1;
}

/* The file of a frame, if it was closed after that time. */
static bool frame_is_closed(const void *frame, unsigned when, struct leak_file *file)
{
	pthread_mutex_lock(&lock);
	/* The call lies before the address that it returns to. */
	const struct leak_file *closed = leak_file_closed(when, (const char *)frame - 1);
	if (closed)
		*file = *closed;
	pthread_mutex_unlock(&lock);
	return closed;
}

/*
 * Not under the lock: dladdr waits for a dlopen of another thread, whose constructors may make
 * calls that wait for the lock.
 */
static void frames_print(FILE *to, void *const *frames, int depth, unsigned when)
{
	for (int i = 0; i < depth; i++) {
		struct leak_file closed;
		Dl_info info;
		uintptr_t at = (uintptr_t)frames[i];
		if (frame_is_closed(frames[i], when, &closed)) {
			fprintf(to, "    %s (+0x%" PRIxPTR ")\n", closed.path, at - closed.base);
			continue;
		}
		/* The call lies before the address that it returns to. */
		if (!dladdr((void *)(at - 1), &info) || !info.dli_fname) {
			fprintf(to, "    %p\n", frames[i]);
			continue;
		}
		fprintf(to, "    %s", info.dli_fname);
		if (info.dli_sname)
			fprintf(to, " %s+0x%" PRIxPTR, info.dli_sname,
				at - (uintptr_t)info.dli_saddr);
		fprintf(to, " (+0x%" PRIxPTR ")\n", at - (uintptr_t)info.dli_fbase);
	}
}

/* Note what is loaded now. Not under the lock. Returns the number of now. */
static unsigned files_update(void)
{
	struct leak_look look = leak_files_look();

	pthread_mutex_lock(&lock);
	unsigned when = leak_files_note(&look);
	pthread_mutex_unlock(&lock);
	return when;
}

static const char *name_of(const char *type)
{
	return type ? type : "object";
}

/* Under the lock: count a wrong call. Returns whether to report it. */
static bool report_is_due(void)
{
	return reports++ < REPORTS;
}

/*
 * Report a wrong call, in one piece: the object is WHAT by the function THEN. Not under the lock:
 * see frames_print.
 */
static void report_call(const struct tl_view *view, const struct object *object, const char *what,
			const char *then)
{
	void *frames[FRAMES];
	char *text = NULL;
	size_t size = 0;

	FILE *to = open_memstream(&text, &size);
	if (!to)
		return;
	unsigned when = files_update();
	fprintf(to, "tracelayer: leaks: %s 0x%" PRIx64 " is %s by %s%s\n", name_of(object->type),
		object->handle, what, view->function->name, then);
	frames_print(to, frames, program_frames(view, frames), when);
	fprintf(to, "  it was destroyed by %s, and created by %s\n",
		object->destroyer ? object->destroyer->name : "another call",
		object->creator->name);
	frames_print(to, object->frames, object->depth, object->when);
	if (fclose(to) == 0)
		output_write(&output, text, size);
	free(text);
}

/* ---- what a call's parameters hold ---- */

static uint64_t word_at_place(const void *place)
{
	uint64_t word;

	memcpy(&word, place, sizeof(word));
	return word;
}

/* A number or handle of this size. 0: it can't be read. */
static uint64_t word_if_readable(uint64_t address, uint32_t size)
{
	uint64_t word = 0;
	size_t bytes = size < sizeof(word) ? size : sizeof(word);
	const struct iovec here = {&word, bytes}, there = {(void *)(uintptr_t)address, bytes};
	int saved = errno;
	bool read = process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)bytes;

	errno = saved;
	return read ? word : 0;
}

static bool is_handle(const struct tl_type *type)
{
	return type->kind == TL_KIND_HANDLE && (type->size == 8 || type->size == 4);
}

/* One object: a handle, or memory. */
static bool is_object(const struct tl_type *type)
{
	return is_handle(type) || (type->size == 8 && type->kind == TL_KIND_POINTER &&
				   (!type->target || type->target->kind == TL_KIND_VOID));
}

/* What a call gives out may be an object of another function's: g_strdup makes memory for g_free. */
static bool is_address(const struct tl_type *type)
{
	return is_handle(type) || (type->kind == TL_KIND_POINTER && type->size == 8);
}

static uint64_t handle_at_place(const void *place, const struct tl_type *type)
{
	uint64_t handle = 0;

	memcpy(&handle, place, type->size < 8 ? type->size : 8);
	return handle;
}

/*
 * The API has this handle from the start: it has a name, or is the address of a variable that a
 * library exports (Open MPI's MPI_COMM_WORLD).
 */
static bool handle_is_predefined(const struct tl_type *type, uint64_t handle)
{
	Dl_info info;

	if (type->kind != TL_KIND_HANDLE)
		return false;
	for (uint32_t i = 0; i < type->count; i++)
		if (!memcmp(&type->enumerators[i].value, &handle, type->size))
			return true;
	return type->size == 8 && dladdr((void *)(uintptr_t)handle, &info) && info.dli_sname &&
	       (uintptr_t)info.dli_saddr == handle;
}

static bool name_has_prefix(const char *name, const char *prefix)
{
	return !strncmp(name, prefix, strlen(prefix));
}

/* An OpenCL command gives out an event. */
static bool is_command(const struct tl_function *function)
{
	return name_has_prefix(function->name, "clEnqueue") ||
	       name_has_prefix(function->name, "clCommand");
}

static bool function_retains(const struct tl_function *function)
{
	return function->flags & TL_FUNCTION_RETAINS;
}

/* The first parameter that is a pointer; -1: none. */
static int first_pointer_param(const struct tl_function *function)
{
	for (uint32_t i = 0; i < function->count; i++)
		if (function->params[i].type->kind == TL_KIND_POINTER)
			return (int)i;
	return -1;
}

/* The parameter is a place for objects that the call gives out. */
static bool gives_objects(const struct tl_variable *param)
{
	return param->type->kind == TL_KIND_POINTER && param->type->target &&
	       is_object(param->type->target) && param->direction & TL_OUT &&
	       !(param->direction & TL_IN) && !param->length.bytes;
}

/* A place for one address: an object, or a text that the caller is to free. */
static bool gives_one(const struct tl_variable *param)
{
	return param->type->kind == TL_KIND_POINTER && param->type->target &&
	       is_address(param->type->target) && param->direction & TL_OUT &&
	       !(param->direction & TL_IN) && !param->length.bytes &&
	       param->length.kind == TL_LENGTH_CONSTANT && param->length.constant == 1;
}

/* The parameter with what a destroying function destroys; -1: none. */
static int destroyed_param(const struct tl_function *function)
{
	int last = -1;

	for (uint32_t i = 0; i < function->count; i++) {
		const struct tl_type *type = function->params[i].type;
		if (!is_object(type))
			continue;
		last = (int)i;
		if (type->kind == TL_KIND_POINTER)
			break;
	}
	return last >= 0 ? last : first_pointer_param(function);
}

/* The parameter that leads to the handles that a destroying function destroys; -1: none does. */
static int destroyed_places(const struct tl_function *function)
{
	const unsigned both = TL_IN | TL_OUT | TL_OBLIGED;

	for (uint32_t i = 0; function->flags & TL_FUNCTION_DESTROYS && i < function->count; i++) {
		const struct tl_variable *param = &function->params[i];

		if (param->type->kind == TL_KIND_POINTER && param->type->target &&
		    is_handle(param->type->target) && (param->direction & both) == both)
			return (int)i;
	}
	return -1;
}

/* The number that a parameter leads to, or that a member of the struct there has; 0: not known. */
static uint64_t number_behind(const struct tl_view *view, const struct tl_length *length)
{
	const struct tl_type *type = view->function->params[length->sibling].type->target;
	uint64_t place = word_at_place(view->params[length->sibling]);

	if (!place || !type)
		return 0;
	if (length->kind == TL_LENGTH_POINTEE)
		return word_if_readable(place, type->size) * length->constant;
	if (length->constant >= type->count)
		return 0;
	const struct tl_variable *member = &type->members[length->constant];
	return word_if_readable(place + member->offset, member->type->size);
}

/* How many elements a length stands for; 0: not known. */
static uint64_t elements_counted(const struct tl_view *view, const struct tl_length *length)
{
	uint64_t count = 0;

	if (length->kind == TL_LENGTH_CONSTANT)
		return length->constant;
	if (length->kind == TL_LENGTH_VALUE)
		count = length->constant *
			handle_at_place(view->params[length->sibling],
					view->function->params[length->sibling].type);
	else if (length->kind == TL_LENGTH_POINTEE || length->kind == TL_LENGTH_MEMBER)
		count = number_behind(view, length);
	return count < ELEMENTS ? count : ELEMENTS;
}

/*
 * How many objects the call reads from this parameter, an array of handles. 0: it is no such array,
 * or its length is not known.
 */
static uint64_t elements_read(const struct tl_view *view, const struct tl_variable *param)
{
	const unsigned read = TL_IN | TL_OBLIGED;

	if (param->type->kind != TL_KIND_POINTER || !param->type->target ||
	    !is_handle(param->type->target) || (param->direction & read) != read ||
	    param->length.bytes)
		return 0;
	return elements_counted(view, &param->length);
}

/* ---- calls ---- */

static bool object_is_known(const struct object *object)
{
	return object && object->creator;
}

/* Others inside of such a call may use the object: XCloseDisplay has Mesa call XFreeGC. */
static bool object_is_ending_here(const struct object *object)
{
	return object->ending && pthread_equal(object->ending_thread, pthread_self());
}

static void object_has_ended(uint64_t handle)
{
	pthread_mutex_lock(&lock);
	struct object *object = object_find(handle);
	if (object && object_is_ending_here(object))
		object->ending = false;
	pthread_mutex_unlock(&lock);
}

static void object_created(const struct tl_view *view, uint64_t handle, const struct tl_type *type)
{
	void *frames[FRAMES];
	int depth = program_frames(view, frames);

	if (!handle || handle_is_predefined(type, handle))
		return;
	struct leak_look look = leak_files_look();
	pthread_mutex_lock(&lock);
	unsigned when = leak_files_note(&look);
	struct object *object = object_find_or_add(handle);
	/* Numbers may be shared: MPICH gives all requests that are done at once the same one. */
	if (object_is_known(object) && object->count > 0 && type->size == 4) {
		object->count++;
	} else if (object) {
		*object = (struct object){.handle = handle,
					  .creator = view->function,
					  .count = 1,
					  .depth = depth,
					  .when = when};
		object->type = type->kind == TL_KIND_HANDLE ? type->name : type_memory;
		memcpy(object->frames, frames, (size_t)depth * sizeof(*frames));
	}
	pthread_mutex_unlock(&lock);
}

static void object_forget_creator(struct object *object)
{
	object->creator = NULL; /* unknown, like a device */
	object->count = 1;
}

/* A call has given this handle out: it is in use, even if the table says that it was destroyed. */
static void objects_count(uint64_t handle)
{
	pthread_mutex_lock(&lock);
	struct object *object = object_find(handle);
	if (object && object->count <= 0)
		object_forget_creator(object);
	pthread_mutex_unlock(&lock);
}

static bool destroyer_is_open(const struct tl_function *function)
{
	for (unsigned i = 0; function && i < nopen; i++)
		if (open_destroyers[i] == function)
			return true;
	return false;
}

/* A destroying call has taken no reference, and succeeded: was its object ever given out? */
static void destroyer_look(const struct tl_view *view)
{
	const struct tl_function *function = view->function;
	int param = destroyed_param(function);

	if (param < 0)
		return;
	uint64_t handle = handle_at_place(view->params[param], function->params[param].type);
	pthread_mutex_lock(&lock);
	if (handle && !missed && !object_find(handle) && nopen < OPEN &&
	    !destroyer_is_open(function))
		open_destroyers[nopen++] = function;
	pthread_mutex_unlock(&lock);
}

/*
 * Under the lock: a destroyed object is used or destroyed by this call. False: it may have been
 * given out again by a call that nobody sees. Then it counts as unknown. So does memory that two
 * functions destroy: it may have become another object (g_free, g_list_free), or the first function
 * takes no reference (g_source_destroy, g_source_unref).
 */
static bool call_is_wrong(const struct tl_view *view, struct object *object)
{
	bool memory = object->type == type_memory, other = object->destroyer != view->function;

	if (!destroyer_is_open(view->function) && !destroyer_is_open(object->destroyer) &&
	    !(memory && other))
		return true;
	unsure++;
	object_forget_creator(object);
	return false;
}

static void object_used_by(const struct tl_view *view, uint64_t handle)
{
	struct object used_object;
	bool due = false;

	pthread_mutex_lock(&lock);
	struct object *object = object_find(handle);
	if (object_is_known(object) && object->count <= 0 && !object->said &&
	    !object_is_ending_here(object) && call_is_wrong(view, object)) {
		object->said = true;
		due = report_is_due();
		used_object = *object;
	}
	pthread_mutex_unlock(&lock);
	if (due)
		report_call(view, &used_object, "used", " after it was destroyed");
}

/* Such a function may be asked about an object that is gone: H5Iis_valid. */
static bool function_asks(const struct tl_function *function)
{
	return strstr(function->name, "is_valid") || strstr(function->name, "IsValid");
}

static void uses_report(const struct tl_view *view, int except)
{
	const struct tl_function *function = view->function;

	if (function_asks(function))
		return;
	for (uint32_t i = 0; i < function->count; i++) {
		const struct tl_variable *param = &function->params[i];
		if ((int)i == except)
			continue;
		if (is_handle(param->type)) {
			object_used_by(view, handle_at_place(view->params[i], param->type));
			continue;
		}
		uint64_t count = elements_read(view, param);
		const char *array = count ? *(const char **)view->params[i] : NULL;
		const struct tl_type *element = param->type->target;
		for (uint64_t j = 0; array && j < count; j++)
			object_used_by(view, handle_at_place(array + element->size * j, element));
	}
}

/* Returns whether a reference was taken. */
static bool object_take_reference(const struct tl_view *view, uint64_t handle)
{
	struct object destroyed;
	bool taken = false, due = false;

	pthread_mutex_lock(&lock);
	struct object *object = object_find(handle);
	if (object_is_known(object) && object->count <= 0 && object_is_ending_here(object)) {
		/* by a call inside of the one that ends it */
	} else if (object_is_known(object) && object->count <= 0) {
		due = call_is_wrong(view, object) && report_is_due();
		destroyed = *object;
	} else if (object_is_known(object)) {
		object->count--;
		object->destroyer = view->function;
		object->ending = true;
		object->ending_thread = pthread_self();
		taken = true;
	}
	pthread_mutex_unlock(&lock);
	if (due)
		report_call(view, &destroyed, "destroyed again", "");
	return taken;
}

/* The instance data of a call that destroys handles by a pointer. */
struct taken {
	uint64_t count;
	uint64_t handle[]; /* 0: no reference was taken */
};

static struct taken *handles_take(const struct tl_view *view, int places)
{
	const struct tl_variable *param = &view->function->params[places];
	const struct tl_type *type = param->type->target;
	const char *array = *(const char **)view->params[places];
	uint64_t count = array ? elements_read(view, param) : 0;
	struct taken *taken =
		count ? calloc(1, sizeof(*taken) + count * sizeof(*taken->handle)) : NULL;

	for (uint64_t i = 0; taken && i < count; i++) {
		uint64_t handle = handle_at_place(array + type->size * i, type);

		if (object_take_reference(view, handle))
			taken->handle[i] = handle;
	}
	if (taken)
		taken->count = count;
	return taken;
}

static bool object_is_alive(uint64_t handle)
{
	pthread_mutex_lock(&lock);
	const struct object *object = object_find(handle);
	bool alive = object_is_known(object) && object->count > 0;
	pthread_mutex_unlock(&lock);
	return alive;
}

static bool object_is_new(uint64_t handle)
{
	pthread_mutex_lock(&lock);
	bool is_new = !object_find(handle);
	pthread_mutex_unlock(&lock);
	return is_new;
}

/*
 * The object that a call destroys by this parameter. If that leads to the place of an object, it is
 * the object: av_frame_free empties the place. What was given out itself is no such place. The call
 * may be given any address, and refuse it.
 */
static uint64_t destroyed_object(const struct tl_view *view, int param)
{
	const struct tl_type *type = view->function->params[param].type;
	uint64_t handle = handle_at_place(view->params[param], type);
	bool place = type->kind == TL_KIND_POINTER && type->target && type->target->size == 8 &&
		     is_address(type->target);

	if (!handle || !place || !object_is_new(handle))
		return handle;
	uint64_t held = word_if_readable(handle, 8);
	return object_is_alive(held) ? held : handle;
}

/* The instance data of a call that destroys: set where it took a reference. */
static enum tl_verdict leaks_before(const struct tl_view *view, void *user_data,
				    void **instance_data)
{
	const struct tl_function *function = view->function;
	int object = function->flags & TL_FUNCTION_DESTROYS ? destroyed_param(function) : -1;
	int places = destroyed_places(function);

	uses_report(view, places >= 0 ? places : object);
	if (places >= 0)
		*instance_data = handles_take(view, places);
	else if (object >= 0) {
		uint64_t handle = destroyed_object(view, object);

		if (object_take_reference(view, handle))
			*instance_data = (void *)(uintptr_t)handle;
	}
	return TL_GO_ON;
}

static void object_add_reference(uint64_t handle)
{
	pthread_mutex_lock(&lock);
	struct object *object = object_find(handle);
	if (object_is_known(object))
		object->count++;
	pthread_mutex_unlock(&lock);
}

/* What the call left as it was, it did not destroy. */
static void handles_put_back(const struct tl_view *view, int places, struct taken *taken)
{
	const struct tl_type *type = view->function->params[places].type->target;
	const char *array = *(const char **)view->params[places];

	for (uint64_t i = 0; i < taken->count; i++) {
		object_has_ended(taken->handle[i]);
		if (taken->handle[i] &&
		    handle_at_place(array + type->size * i, type) == taken->handle[i])
			object_add_reference(taken->handle[i]);
	}
	free(taken);
}

/* What a creating call made: its result, or the memory that it was given. */
static void made_object_add(const struct tl_view *view, bool stored)
{
	const struct tl_type *result = view->function->result;
	int param = first_pointer_param(view->function);

	if (is_object(result) || (result->kind == TL_KIND_POINTER && result->size == 8))
		object_created(view, handle_at_place(view->result, result), result);
	else if (!stored && param >= 0)
		object_created(view, word_at_place(view->params[param]),
			       view->function->params[param].type);
}

/*
 * How many objects a call has stored behind this parameter. (n, T *objects, n_t *n_ret): the next
 * parameter says how many there are, which may be fewer than there is room for.
 */
static uint64_t elements_stored(const struct tl_view *view, uint32_t param)
{
	const struct tl_variable *params = view->function->params;
	const struct tl_length *length = &params[param].length;
	uint64_t count = elements_counted(view, length);

	if (length->kind != TL_LENGTH_VALUE || param + 1 == view->function->count)
		return count;
	const struct tl_variable *next = &params[param + 1];
	uint64_t place = word_at_place(view->params[param + 1]);
	if ((next->direction & (TL_IN | TL_OUT)) != TL_OUT || !place ||
	    next->type->kind != TL_KIND_POINTER ||
	    next->type->target != params[length->sibling].type)
		return count;
	uint64_t stored = word_if_readable(place, next->type->target->size);
	return stored < count ? stored : count;
}

/* What a call stored behind one of its parameters. What no creating call stores is in use. */
static void stored_objects_add(const struct tl_view *view, uint32_t number, const char *array,
			       bool created)
{
	const struct tl_variable *param = &view->function->params[number];
	const struct tl_type *type = param->type->target;
	uint64_t count = elements_stored(view, number);

	for (uint64_t i = 0; i < count; i++) {
		const char *place = array + type->size * i;
		uint64_t handle = param->direction & TL_OBLIGED
					  ? handle_at_place(place, type)
					  : word_if_readable((uintptr_t)place, type->size);

		if (created)
			object_created(view, handle, type);
		else
			objects_count(handle);
	}
}

/* What a call stored in its [out] parameters, and returned. */
static void given_objects_add(const struct tl_view *view)
{
	const struct tl_function *function = view->function;
	bool creates = function->flags & TL_FUNCTION_CREATES, stored = false;

	for (uint32_t i = 0; i < function->count; i++) {
		const struct tl_variable *param = &function->params[i];
		bool objects = gives_objects(param), one = gives_one(param);
		const void *place = objects || one ? *(void *const *)view->params[i] : NULL;
		stored |= objects;
		if (!place)
			continue;
		if (objects)
			stored_objects_add(
				view, i, place,
				creates || (is_command(function) && !strcmp(param->name, "event")));
		else
			objects_count(handle_at_place(place, param->type->target));
	}
	if (creates)
		made_object_add(view, stored);
	else if (is_address(function->result))
		objects_count(handle_at_place(view->result, view->function->result));
}

/* To the object that a retaining call gives out, or to its first parameter. */
static void reference_taken(const struct tl_view *view)
{
	const struct tl_type *result = view->function->result;

	if (!is_object(result))
		object_add_reference(word_at_place(view->params[0]));
	else if (object_is_alive(word_at_place(view->result)))
		object_add_reference(word_at_place(view->result));
	else
		object_created(view, word_at_place(view->result), result);
}

static void leaks_after(const struct tl_view *view, void *user_data, void **instance_data)
{
	bool failed = view->flags & (TL_VIEW_UNWOUND | TL_VIEW_SKIPPED) || tl_view_failed(view);
	int places = destroyed_places(view->function);

	if (*instance_data && places < 0)
		object_has_ended((uint64_t)(uintptr_t)*instance_data);
	if (*instance_data && places >= 0)
		handles_put_back(view, places, *instance_data);
	else if (*instance_data && failed)
		object_add_reference((uint64_t)(uintptr_t)*instance_data);
	if (failed)
		return;
	if (view->function->flags & TL_FUNCTION_DESTROYS && !*instance_data && places < 0)
		destroyer_look(view);
	if (function_retains(view->function))
		reference_taken(view);
	else if (*instance_data && view->function->flags & TL_FUNCTION_CREATES)
		made_object_add(view, false); /* as realloc does */
	else if (*instance_data)
		return;
	else
		given_objects_add(view);
}

/* ---- the end ---- */

static bool object_is_leaked(const struct object *object)
{
	return object->handle && object->creator && object->count > 0;
}

/* Whether the frames are of the same files, though they were noted at two times. */
static bool files_are_alike(const struct object *a, const struct object *b)
{
	struct leak_file of_a, of_b;

	for (int i = 0; a->when != b->when && i < a->depth; i++) {
		bool a_closed = frame_is_closed(a->frames[i], a->when, &of_a);
		bool b_closed = frame_is_closed(b->frames[i], b->when, &of_b);

		if (a_closed != b_closed ||
		    (a_closed && (of_a.base != of_b.base || strcmp(of_a.path, of_b.path))))
			return false;
	}
	return true;
}

static bool objects_are_alike(const struct object *a, const struct object *b)
{
	return a->creator == b->creator && a->depth == b->depth &&
	       !memcmp(a->frames, b->frames, (size_t)a->depth * sizeof(*a->frames)) &&
	       files_are_alike(a, b);
}

static int objects_compare(const void *x, const void *y)
{
	const struct object *a = x, *b = y;

	if (a->creator != b->creator)
		return a->creator < b->creator ? -1 : 1;
	if (a->depth != b->depth)
		return a->depth - b->depth;
	int order = memcmp(a->frames, b->frames, (size_t)a->depth * sizeof(*a->frames));
	if (!order && a->when != b->when)
		return a->when < b->when ? -1 : 1;
	return order ? order : a->handle < b->handle ? -1 : 1;
}

/* Objects that one place made, under one heading. */
static void leaked_print(FILE *to, const struct object *leaked, size_t count)
{
	for (size_t i = 0, next; i < count; i = next) {
		for (next = i + 1; next < count && objects_are_alike(&leaked[i], &leaked[next]);
		     next++)
			;
		fprintf(to, "  %zu %s created by %s and never destroyed:", next - i,
			name_of(leaked[i].type), leaked[i].creator->name);
		for (size_t j = i; j < next && j < i + 4; j++)
			fprintf(to, " 0x%" PRIx64, leaked[j].handle);
		fputs(next - i > 4 ? " ...\n" : "\n", to);
		frames_print(to, leaked[i].frames, leaked[i].depth, leaked[i].when);
	}
}

/* What is said at the end. */
struct ending {
	struct object *leaked; /* NULL: memory was short */
	size_t count;
	unsigned reports;
	unsigned long unsure;
	bool missed;
};

static struct ending ending_take(void)
{
	pthread_mutex_lock(&lock);
	struct ending ending = {.leaked = malloc((used + 1) * sizeof(struct object)),
				.reports = reports,
				.unsure = unsure,
				.missed = missed};
	for (size_t i = 0; ending.leaked && i < room; i++)
		if (object_is_leaked(&objects[i]))
			ending.leaked[ending.count++] = objects[i];
	pthread_mutex_unlock(&lock);
	return ending;
}

static void ending_print(FILE *to, const struct ending *ending)
{
	struct object *leaked = ending->leaked;
	size_t count = ending->count;
	struct leak_callers callers;

	leak_callers_init(&callers);
	fprintf(to,
		"tracelayer: leaks: %zu object%s never destroyed, %u wrong call%s (process %d)\n",
		count, count == 1 ? "" : "s", ending->reports, ending->reports == 1 ? "" : "s",
		(int)getpid());
	for (size_t i = 0; i < count; i++) {
		struct leak_file closed;

		if (frame_is_closed(leaked[i].frames[0], leaked[i].when, &closed))
			leak_callers_add_file(&callers, (const void *)closed.start, closed.path);
		else
			leak_callers_add(&callers, leaked[i].frames[0]);
	}
	leak_callers_print(to, &callers);
	if (count)
		qsort(leaked, count, sizeof(*leaked), objects_compare);
	leaked_print(to, leaked, count);
	if (ending->unsure)
		fprintf(to,
			"  %lu address%s came to a destroying call again: a call that is not traced may have given %s out in between\n",
			ending->unsure, ending->unsure == 1 ? "" : "es",
			ending->unsure == 1 ? "it" : "them");
	if (ending->missed || !leaked)
		fputs("  memory was short: there may be more\n", to);
}

static void tool_report(void)
{
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return;
	files_update();
	struct ending ending = ending_take();
	ending_print(to, &ending);
	if (fclose(to) == 0)
		output_write(&output, text, size);
	free(ending.leaked);
	free(text);
}

/* ---- the beginning ---- */

static void before_fork(void)
{
	pthread_mutex_lock(&lock);
}

static void after_fork_in_parent(void)
{
	pthread_mutex_unlock(&lock);
}

/* The child answers for its own objects only. */
static void after_fork_in_child(void)
{
	if (room)
		memset(objects, 0, room * sizeof(*objects));
	used = 0;
	reports = 0;
	unsure = 0;
	output_after_fork(&output);
	leak_files_after_fork_in_child();
	pthread_mutex_unlock(&lock);
}

int tl_tool_start(const struct tl_tool_host *host)
{
	const char *options = host->options;
	static struct option option;
	static char file[sizeof(option.value)] = "";
	int status = options_check(host);

	if (status)
		return status;
	while (option_next(&options, &option)) {
		if (option_is(&option, "file"))
			strcpy(file, option.value);
		else if (option_is(&option, "late"))
			report_late = true;
		else
			return refuse(host, "no such option: %s; give file or late", option.key);
	}
	status = output_open(&output, host, file);
	if (status)
		return status;
	if (host->size >= offsetof(struct tl_tool_host, callers) + sizeof(host->callers))
		callers = host->callers;
	pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
	return trace(host, "*", leaks_before, leaks_after);
}
