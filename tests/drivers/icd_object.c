/* SPDX-License-Identifier: MIT */
/*
 * icd_object.c: the objects of the OpenCL test driver: whether the program may use them, their
 * references, and what clGetXInfo returns.
 */
#include "tests/drivers/icd_driver.h"

/* How many buried objects are still known. */
#define GRAVES 65536

pthread_mutex_t icd_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t icd_changed = PTHREAD_COND_INITIALIZER;

static const struct {
	const char *name;
	cl_int invalid;
	void (*destroy)(void *object);
} kinds[KINDS] = {
	[PLATFORM] = {"platform", CL_INVALID_PLATFORM, NULL},
	[DEVICE] = {"device", CL_INVALID_DEVICE, NULL},
	[CONTEXT] = {"context", CL_INVALID_CONTEXT, NULL},
	[QUEUE] = {"queue", CL_INVALID_COMMAND_QUEUE, icd_destroy_queue},
	[MEM] = {"mem", CL_INVALID_MEM_OBJECT, icd_destroy_mem},
	[PROGRAM] = {"program", CL_INVALID_PROGRAM, icd_destroy_program},
	[KERNEL] = {"kernel", CL_INVALID_KERNEL, icd_destroy_kernel},
	[EVENT] = {"event", CL_INVALID_EVENT, icd_destroy_event},
};

static struct object *graves[GRAVES];
static unsigned dead;
static struct {
	unsigned objects, references;
} left[KINDS];

void *icd_new(enum kind kind, size_t size)
{
	struct object *object = calloc(1, size);

	if (!object)
		return NULL;
	*object = (struct object){&icd_table, kind, 1, 0};
	pthread_mutex_lock(&icd_lock);
	left[kind].objects++;
	left[kind].references++;
	pthread_mutex_unlock(&icd_lock);
	return object;
}

/* Without the lock: destructors' callbacks may call anything. */
static void bury(struct object *object)
{
	if (kinds[object->kind].destroy)
		kinds[object->kind].destroy(object);
	pthread_mutex_lock(&icd_lock);
	left[object->kind].objects--;
	struct object **grave = &graves[dead++ % GRAVES], *old = *grave;

	*grave = object;
	pthread_mutex_unlock(&icd_lock);
	free(old);
}

static void misused(const struct object *object, const char *function, const char *what)
{
	char line[64];

	snprintf(line, sizeof(line), "%s %s", kinds[object->kind].name, what);
	icd_misuse(function, line);
}

/*
 * A callback may use an event that the program has no reference to: then the command still holds
 * it.
 */
bool icd_live(const void *object_, enum kind kind, const char *function)
{
	const struct object *object = object_;

	if (!object || object->kind != kind)
		return false;
	pthread_mutex_lock(&icd_lock);
	bool live = object->references || (kind == EVENT && object->holds);

	pthread_mutex_unlock(&icd_lock);
	if (!live)
		misused(object, function, "used after its end");
	return live;
}

bool icd_all_live(cl_uint count, const void *objects, enum kind kind, const char *function)
{
	for (cl_uint i = 0; i < count; i++)
		if (!icd_live(((void *const *)objects)[i], kind, function))
			return false;
	return true;
}

void icd_hold(void *object)
{
	pthread_mutex_lock(&icd_lock);
	((struct object *)object)->holds++;
	pthread_mutex_unlock(&icd_lock);
}

void icd_drop(void *object_)
{
	struct object *object = object_;

	if (!object)
		return;
	pthread_mutex_lock(&icd_lock);
	bool last = !--object->holds && !object->references;

	pthread_mutex_unlock(&icd_lock);
	if (last)
		bury(object);
}

cl_int icd_retain(void *object_, enum kind kind, const char *function)
{
	struct object *object = object_;

	if (!icd_live(object, kind, function))
		return kinds[kind].invalid;
	pthread_mutex_lock(&icd_lock);
	object->references++;
	left[kind].references++;
	pthread_mutex_unlock(&icd_lock);
	return CL_SUCCESS;
}

cl_int icd_release(void *object_, enum kind kind, const char *function)
{
	struct object *object = object_;

	if (!object || object->kind != kind)
		return kinds[kind].invalid;
	pthread_mutex_lock(&icd_lock);
	bool held = object->references, last = object->references == 1;

	if (held) {
		object->references--;
		left[kind].references--;
		last = last && !object->holds;
		if (kind == QUEUE && !object->references)
			((cl_command_queue)object)->ends = true;
		pthread_cond_broadcast(&icd_changed);
	}
	pthread_mutex_unlock(&icd_lock);
	if (!held) {
		misused(object, function, "released too often");
		return kinds[kind].invalid;
	}
	if (last)
		bury(object);
	return CL_SUCCESS;
}

const char *icd_left(enum kind kind, unsigned *objects, unsigned *references)
{
	pthread_mutex_lock(&icd_lock);
	*objects = left[kind].objects;
	*references = left[kind].references;
	pthread_mutex_unlock(&icd_lock);
	return kinds[kind].name;
}

cl_int icd_give(const struct answer *answer, const void *value, size_t size)
{
	if (answer->needed)
		*answer->needed = size;
	if (!answer->to)
		return CL_SUCCESS;
	if (answer->room < size)
		return CL_INVALID_VALUE;
	if (size)
		memcpy(answer->to, value, size);
	return CL_SUCCESS;
}

static cl_int give_field(const struct property *property, const void *object,
			 const struct answer *answer)
{
	const char *field = (const char *)object + property->offset;
	char value[64];

	if (property->from == TEXT_FIELD) {
		const char *text = *(char *const *)field;

		return icd_give(answer, text ? text : "", text ? strlen(text) + 1 : 1);
	}
	pthread_mutex_lock(&icd_lock);
	memcpy(value, field, property->size);
	pthread_mutex_unlock(&icd_lock);
	return icd_give(answer, value, property->size);
}

cl_int icd_property(const struct property *properties, size_t count, const void *object,
		    const struct answer *answer)
{
	for (size_t i = 0; i < count; i++) {
		const struct property *it = &properties[i];

		if (it->which != answer->which)
			continue;
		if (it->from != VALUE)
			return give_field(it, object, answer);
		return it->value ? icd_give(answer, it->value, it->size) : CL_INVALID_VALUE;
	}
	return CL_INVALID_VALUE;
}
