/* SPDX-License-Identifier: MIT */
/*
 * icd_memory.c: buffers, images and shared memory of the OpenCL test driver. All of it is the
 * host's.
 */
#include "tests/drivers/icd_driver.h"

/* --- buffers */

cl_mem icd_clCreateBufferWithProperties(cl_context context, const cl_mem_properties *properties,
					cl_mem_flags flags, size_t size, void *host, cl_int *error)
{
	cl_mem mem;

	COUNT_NEW(clCreateBufferWithProperties, NULL);
	if (!icd_live(context, CONTEXT, "clCreateBufferWithProperties") || !size ||
	    (!host && flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR))) {
		icd_set(error, !context ? CL_INVALID_CONTEXT
			       : !size	? CL_INVALID_BUFFER_SIZE
					: CL_INVALID_HOST_PTR);
		return NULL;
	}
	mem = icd_new(MEM, sizeof(*mem));
	if (mem) {
		mem->context = context;
		mem->type = CL_MEM_OBJECT_BUFFER;
		mem->flags = flags;
		mem->size = size;
		mem->borrowed = flags & CL_MEM_USE_HOST_PTR;
		mem->memory = mem->borrowed ? host : calloc(1, size);
		icd_hold(context);
		if (mem->memory && flags & CL_MEM_COPY_HOST_PTR)
			memcpy(mem->memory, host, size);
		if (mem->memory && !mem->borrowed)
			icd_log_memory((int64_t)size);
	}
	icd_set(error, mem && mem->memory ? CL_SUCCESS : CL_MEM_OBJECT_ALLOCATION_FAILURE);
	return mem;
}
EXPORTED(clCreateBufferWithProperties);

cl_mem icd_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host,
			  cl_int *error)
{
	COUNT(clCreateBuffer);
	return BY_NAME(clCreateBufferWithProperties(context, NULL, flags, size, host, error));
}
EXPORTED(clCreateBuffer);

cl_mem icd_clCreateSubBuffer(cl_mem parent, cl_mem_flags flags, cl_buffer_create_type type,
			     const void *where, cl_int *error)
{
	const cl_buffer_region *region = where;
	cl_mem mem = NULL;

	COUNT(clCreateSubBuffer);
	if (icd_live(parent, MEM, "clCreateSubBuffer") && region &&
	    type == CL_BUFFER_CREATE_TYPE_REGION && region->origin <= parent->size &&
	    region->size <= parent->size - region->origin)
		mem = icd_new(MEM, sizeof(*mem));
	if (mem) {
		mem->context = parent->context;
		mem->type = CL_MEM_OBJECT_BUFFER;
		mem->flags = flags ? flags : parent->flags;
		mem->size = region->size;
		mem->memory = parent->memory + region->origin;
		mem->borrowed = true;
		mem->parent = parent;
		icd_hold(mem->context);
		icd_hold(parent);
	}
	icd_set(error, mem ? CL_SUCCESS : parent ? CL_INVALID_VALUE : CL_INVALID_MEM_OBJECT);
	return mem;
}
EXPORTED(clCreateSubBuffer);

void icd_destroy_mem(void *mem_)
{
	cl_mem mem = mem_;

	if (mem->destroyed)
		mem->destroyed(mem, mem->destroyed_with);
	if (!mem->borrowed) {
		free(mem->memory);
		icd_log_memory(-(int64_t)mem->size);
	}
	icd_drop(mem->parent);
	icd_drop(mem->context);
}

REFERENCES(MemObject, cl_mem, MEM);

cl_int icd_clSetMemObjectDestructorCallback(cl_mem mem, void(CL_CALLBACK *function)(cl_mem, void *),
					    void *with)
{
	COUNT(clSetMemObjectDestructorCallback);
	if (!icd_live(mem, MEM, "clSetMemObjectDestructorCallback") || !function)
		return CL_INVALID_VALUE;
	mem->destroyed = function;
	mem->destroyed_with = with;
	return CL_SUCCESS;
}
EXPORTED(clSetMemObjectDestructorCallback);

static const struct property mem_properties[] = {
	A_FIELD(CL_MEM_TYPE, struct _cl_mem, type),
	A_FIELD(CL_MEM_FLAGS, struct _cl_mem, flags),
	A_FIELD(CL_MEM_SIZE, struct _cl_mem, size),
	A_FIELD(CL_MEM_CONTEXT, struct _cl_mem, context),
	A_FIELD(CL_MEM_ASSOCIATED_MEMOBJECT, struct _cl_mem, parent),
	A_FIELD(CL_MEM_REFERENCE_COUNT, struct _cl_mem, object.references),
};

cl_int icd_clGetMemObjectInfo(cl_mem mem, cl_mem_info which, size_t room, void *to, size_t *needed)
{
	COUNT(clGetMemObjectInfo);
	if (!icd_live(mem, MEM, "clGetMemObjectInfo"))
		return CL_INVALID_MEM_OBJECT;
	return GIVE_PROPERTY(mem_properties, mem, which, room, to, needed);
}
EXPORTED(clGetMemObjectInfo);

/* --- images */

static const struct {
	cl_image_format format;
	size_t element;
} formats[] = {
	{{CL_RGBA, CL_UNORM_INT8}, 4},
	{{CL_R, CL_UNSIGNED_INT8}, 1},
	{{CL_RGBA, CL_FLOAT}, 16},
};

cl_int icd_clGetSupportedImageFormats(cl_context context, cl_mem_flags flags,
				      cl_mem_object_type type, cl_uint room, cl_image_format *to,
				      cl_uint *count)
{
	COUNT(clGetSupportedImageFormats);
	for (cl_uint i = 0; to && i < room && i < COUNT_OF(formats); i++)
		to[i] = formats[i].format;
	if (count)
		*count = COUNT_OF(formats);
	return CL_SUCCESS;
}
EXPORTED(clGetSupportedImageFormats);

static size_t element_of(const cl_image_format *format)
{
	for (size_t i = 0; format && i < COUNT_OF(formats); i++)
		if (formats[i].format.image_channel_order == format->image_channel_order &&
		    formats[i].format.image_channel_data_type == format->image_channel_data_type)
			return formats[i].element;
	return 0;
}

static size_t at_least_1(size_t size)
{
	return size ? size : 1;
}

/* Of one to three dimensions; the host's memory is copied, without gaps. */
cl_mem icd_clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *format,
			 const cl_image_desc *desc, void *host, cl_int *error)
{
	size_t element = element_of(format), size = 0;
	cl_mem mem = NULL;

	COUNT(clCreateImage);
	if (element && desc)
		size = element * at_least_1(desc->image_width) * at_least_1(desc->image_height) *
		       at_least_1(desc->image_depth);
	if (size && flags & CL_MEM_USE_HOST_PTR)
		size = 0;
	if (size)
		mem = BY_NAME(clCreateBuffer(context, flags, size, host, error));
	else
		icd_set(error,
			element ? CL_INVALID_IMAGE_DESCRIPTOR : CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
	if (!mem)
		return NULL;
	mem->type = desc->image_type;
	mem->format = *format;
	mem->element = element;
	mem->width = desc->image_width;
	mem->height = desc->image_height;
	mem->depth = desc->image_depth;
	mem->row = element * at_least_1(mem->width);
	mem->slice = mem->row * at_least_1(mem->height);
	return mem;
}
EXPORTED(clCreateImage);

static const struct property image_properties[] = {
	A_FIELD(CL_IMAGE_FORMAT, struct _cl_mem, format),
	A_FIELD(CL_IMAGE_ELEMENT_SIZE, struct _cl_mem, element),
	A_FIELD(CL_IMAGE_ROW_PITCH, struct _cl_mem, row),
	A_FIELD(CL_IMAGE_SLICE_PITCH, struct _cl_mem, slice),
	A_FIELD(CL_IMAGE_WIDTH, struct _cl_mem, width),
	A_FIELD(CL_IMAGE_HEIGHT, struct _cl_mem, height),
	A_FIELD(CL_IMAGE_DEPTH, struct _cl_mem, depth),
};

cl_int icd_clGetImageInfo(cl_mem image, cl_image_info which, size_t room, void *to, size_t *needed)
{
	COUNT(clGetImageInfo);
	if (!icd_live(image, MEM, "clGetImageInfo") || !image->element)
		return CL_INVALID_MEM_OBJECT;
	return GIVE_PROPERTY(image_properties, image, which, room, to, needed);
}
EXPORTED(clGetImageInfo);

/*
 * --- shared memory: clSVM…, and Intel's extension, whose blocks begin with a byte that names the
 * driver
 */

struct block {
	struct block *next;
	size_t size;
	void *memory;
};

static struct block *blocks;

static void *new_block(size_t size)
{
	struct block *block = malloc(sizeof(*block));

	if (!block)
		return NULL;
	block->size = size;
	block->memory = calloc(1, at_least_1(size));
	pthread_mutex_lock(&icd_lock);
	block->next = blocks;
	blocks = block;
	pthread_mutex_unlock(&icd_lock);
	icd_log_memory((int64_t)size);
	return block->memory;
}

void icd_free_shared(void *memory, const char *function)
{
	struct block *found;

	if (!memory)
		return;
	pthread_mutex_lock(&icd_lock);
	struct block **at = &blocks;

	while (*at && (*at)->memory != memory)
		at = &(*at)->next;
	found = *at;
	if (found)
		*at = found->next;
	pthread_mutex_unlock(&icd_lock);
	if (!found) {
		icd_misuse(function, "shared memory that isn't there");
		return;
	}
	icd_log_memory(-(int64_t)found->size);
	free(found->memory);
	free(found);
}

void *icd_clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment)
{
	COUNT_NEW(clSVMAlloc, NULL);
	return size && icd_live(context, CONTEXT, "clSVMAlloc") ? new_block(size) : NULL;
}
EXPORTED(clSVMAlloc);

void icd_clSVMFree(cl_context context, void *memory)
{
	COUNT_NEW(clSVMFree, );
	icd_free_shared(memory, "clSVMFree");
}
EXPORTED(clSVMFree);

static void *host_mem_alloc(cl_context context, const cl_bitfield *properties, size_t size,
			    cl_uint alignment, cl_int *error)
{
	COUNT(clHostMemAllocINTEL);
	char *memory = new_block(size);

	if (memory)
		memory[0] = INSTANCE;
	icd_set(error, memory ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY);
	return memory;
}

/* Device and host share the memory. */
static void *device_mem_alloc(cl_context context, cl_device_id device,
			      const cl_bitfield *properties, size_t size, cl_uint alignment,
			      cl_int *error)
{
	COUNT(clDeviceMemAllocINTEL);
	void *memory = new_block(size);

	icd_set(error, memory ? CL_SUCCESS : CL_OUT_OF_RESOURCES);
	return memory;
}

static void *shared_mem_alloc(cl_context context, cl_device_id device,
			      const cl_bitfield *properties, size_t size, cl_uint alignment,
			      cl_int *error)
{
	COUNT(clSharedMemAllocINTEL);
	void *memory = new_block(size);

	icd_set(error, memory ? CL_SUCCESS : CL_OUT_OF_RESOURCES);
	return memory;
}

static cl_int mem_free(cl_context context, void *memory)
{
	COUNT(clMemFreeINTEL);
	icd_free_shared(memory, "clMemFreeINTEL");
	return CL_SUCCESS;
}

void *icd_function_of_memory(const char *name)
{
	if (!strcmp(name, "clHostMemAllocINTEL"))
		return (void *)host_mem_alloc;
	if (!strcmp(name, "clDeviceMemAllocINTEL"))
		return (void *)device_mem_alloc;
	if (!strcmp(name, "clSharedMemAllocINTEL"))
		return (void *)shared_mem_alloc;
	if (!strcmp(name, "clMemFreeINTEL"))
		return (void *)mem_free;
	return NULL;
}
