/* SPDX-License-Identifier: MIT */
/*
 * Contexts and memory. Host and shared memory is ordinary memory. Device memory has two addresses:
 * the program's, which is mapped without access, because the host can't access a discrete card's
 * memory; and a view for the device's threads.
 */
#include "ze_device.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct allocation {
	struct allocation *next;
	ze_memory_type_t type;
	ze_device_handle_t device;
	char *address;	     /* the program's */
	char *view;	     /* the device's; the same for host and shared memory */
	size_t size, mapped; /* asked for; of both mappings */
	uint64_t id;
};

static struct allocation *allocations; /* device_lock */
static uint64_t last_id;	       /* device_lock */

/* ---- contexts */

ze_result_t zeContextCreate(ze_driver_handle_t driver, const ze_context_desc_t *desc,
			    ze_context_handle_t *context)
{
	ENTER(zeContextCreate);
	NEED_HANDLE(driver);
	NEED_POINTER(desc);
	NEED_POINTER(context);
	*context = calloc(1, sizeof(**context));
	if (!*context)
		return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
	(*context)->driver = driver;
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeContextCreateEx(ze_driver_handle_t driver, const ze_context_desc_t *desc,
			      uint32_t count, ze_device_handle_t *devices,
			      ze_context_handle_t *context)
{
	ENTER(zeContextCreateEx);
	NEED_HANDLE(driver);
	NEED_POINTER(desc);
	NEED_POINTER(context);
	if (count && !devices)
		return ZE_RESULT_ERROR_INVALID_SIZE;
	*context = calloc(1, sizeof(**context));
	if (!*context)
		return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
	(*context)->driver = driver;
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeContextDestroy(ze_context_handle_t context)
{
	ENTER(zeContextDestroy);
	NEED_HANDLE(context);
	free(context);
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeContextGetStatus(ze_context_handle_t context)
{
	ENTER(zeContextGetStatus);
	NEED_HANDLE(context);
	return device_is_lost(NULL) ? ZE_RESULT_ERROR_DEVICE_LOST : ZE_RESULT_SUCCESS;
}

ze_result_t zeContextSystemBarrier(ze_context_handle_t context, ze_device_handle_t device)
{
	ENTER(zeContextSystemBarrier);
	NEED_HANDLE(context && device);
	atomic_thread_fence(memory_order_seq_cst);
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeContextMakeMemoryResident(ze_context_handle_t context, ze_device_handle_t device,
					void *pointer, size_t size)
{
	ENTER(zeContextMakeMemoryResident);
	NEED_HANDLE(context && device);
	NEED_POINTER(pointer);
	return size ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_SIZE;
}

ze_result_t zeContextEvictMemory(ze_context_handle_t context, ze_device_handle_t device,
				 void *pointer, size_t size)
{
	ENTER(zeContextEvictMemory);
	NEED_HANDLE(context && device);
	NEED_POINTER(pointer);
	return size ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_SIZE;
}

/* ---- finding an allocation */

static struct allocation *find(const void *pointer)
{
	const char *p = pointer;

	for (struct allocation *a = allocations; a; a = a->next)
		if (p >= a->address && p < a->address + a->size)
			return a;
	return NULL;
}

void *memory_view(const void *pointer)
{
	char *p = (char *)(uintptr_t)pointer;

	pthread_mutex_lock(&device_lock);
	struct allocation *a = find(pointer);
	if (a)
		p = a->view + (p - a->address);
	pthread_mutex_unlock(&device_lock);
	return p;
}

static uint64_t in_use_locked(ze_device_handle_t device)
{
	uint64_t sum = 0;

	for (struct allocation *a = allocations; a; a = a->next)
		if (a->type == ZE_MEMORY_TYPE_DEVICE && a->device->root == device->root)
			sum += a->mapped;
	return sum;
}

uint64_t memory_in_use(ze_device_handle_t device)
{
	pthread_mutex_lock(&device_lock);
	uint64_t sum = in_use_locked(device);
	pthread_mutex_unlock(&device_lock);
	return sum;
}

/* ---- allocating */

static bool host_readable(void)
{
	const char *where = config_text("DEVICE_MEMORY");

	return where && strcmp(where, "host") == 0;
}

/* Both addresses of a device allocation. The program's is aligned by mapping more and giving the
 * ends back. */
static bool map_both(struct allocation *a, size_t alignment)
{
	int fd = memfd_create("ze device memory", MFD_CLOEXEC);
	char *room = MAP_FAILED, *view = MAP_FAILED;
	bool ok = false;

	if (fd < 0)
		return false;
	if (ftruncate(fd, (off_t)a->mapped) == 0) {
		room = mmap(NULL, a->mapped + alignment, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0);
		view = mmap(NULL, a->mapped, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	}
	if (room != MAP_FAILED && view != MAP_FAILED) {
		char *start = (char *)(((uintptr_t)room + alignment - 1) & ~(alignment - 1));
		int access = host_readable() ? PROT_READ | PROT_WRITE : PROT_NONE;

		ok = mmap(start, a->mapped, access, MAP_SHARED | MAP_FIXED, fd, 0) == start;
		if (start > room)
			munmap(room, (size_t)(start - room));
		munmap(start + a->mapped, (size_t)(room + alignment - start));
		a->address = start;
		a->view = view;
	}
	close(fd);
	return ok;
}

static bool get_memory(struct allocation *a, size_t alignment)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (a->type == ZE_MEMORY_TYPE_DEVICE) {
		a->mapped = (a->size + page - 1) & ~(page - 1);
		return map_both(a, alignment < page ? page : alignment);
	}
	void *memory = NULL;
	if (posix_memalign(&memory, alignment < 64 ? 64 : alignment, a->size) != 0)
		return false;
	a->address = a->view = memory;
	return true;
}

static void give_memory_back(struct allocation *a)
{
	if (a->type != ZE_MEMORY_TYPE_DEVICE) {
		free(a->address);
		return;
	}
	munmap(a->address, a->mapped);
	munmap(a->view, a->mapped);
}

static ze_result_t allocate(ze_memory_type_t type, ze_device_handle_t device, size_t size,
			    size_t alignment, void **pointer)
{
	if (size == 0 || size > DEVICE_MEMORY_SIZE)
		return ZE_RESULT_ERROR_UNSUPPORTED_SIZE;
	if (alignment == 0)
		alignment = 64;
	if ((alignment & (alignment - 1)) || alignment > (2u << 20))
		return ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT;
	if (type == ZE_MEMORY_TYPE_DEVICE && memory_in_use(device) + size > DEVICE_MEMORY_SIZE)
		return ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY;

	struct allocation *a = calloc(1, sizeof(*a));
	if (!a)
		return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
	*a = (struct allocation){.type = type, .device = device, .size = size};
	if (!get_memory(a, alignment)) {
		free(a);
		return type == ZE_MEMORY_TYPE_DEVICE ? ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY
						     : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
	}
	pthread_mutex_lock(&device_lock);
	a->id = ++last_id;
	a->next = allocations;
	allocations = a;
	pthread_mutex_unlock(&device_lock);
	*pointer = a->address;
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeMemAllocShared(ze_context_handle_t context,
			     const ze_device_mem_alloc_desc_t *device_desc,
			     const ze_host_mem_alloc_desc_t *host_desc, size_t size,
			     size_t alignment, ze_device_handle_t device, void **pointer)
{
	ENTER(zeMemAllocShared);
	NEED_HANDLE(context);
	NEED_POINTER(device_desc && host_desc && pointer);
	return allocate(ZE_MEMORY_TYPE_SHARED, device, size, alignment, pointer);
}

ze_result_t zeMemAllocDevice(ze_context_handle_t context, const ze_device_mem_alloc_desc_t *desc,
			     size_t size, size_t alignment, ze_device_handle_t device,
			     void **pointer)
{
	ENTER(zeMemAllocDevice);
	NEED_HANDLE(context && device);
	NEED_POINTER(desc && pointer);
	return allocate(ZE_MEMORY_TYPE_DEVICE, device, size, alignment, pointer);
}

ze_result_t zeMemAllocHost(ze_context_handle_t context, const ze_host_mem_alloc_desc_t *desc,
			   size_t size, size_t alignment, void **pointer)
{
	ENTER(zeMemAllocHost);
	NEED_HANDLE(context);
	NEED_POINTER(desc && pointer);
	return allocate(ZE_MEMORY_TYPE_HOST, NULL, size, alignment, pointer);
}

static ze_result_t release(void *pointer)
{
	struct allocation *a = NULL;

	pthread_mutex_lock(&device_lock);
	for (struct allocation **link = &allocations; *link; link = &(*link)->next)
		if ((*link)->address == pointer) {
			a = *link;
			*link = a->next;
			break;
		}
	pthread_mutex_unlock(&device_lock);
	if (!a)
		return ZE_RESULT_ERROR_INVALID_ARGUMENT;
	give_memory_back(a);
	free(a);
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeMemFree(ze_context_handle_t context, void *pointer)
{
	ENTER(zeMemFree);
	NEED_HANDLE(context);
	NEED_POINTER(pointer);
	return release(pointer);
}

ze_result_t zeMemFreeExt(ze_context_handle_t context, const ze_memory_free_ext_desc_t *desc,
			 void *pointer)
{
	ENTER(zeMemFreeExt);
	NEED_HANDLE(context);
	NEED_POINTER(desc && pointer);
	return release(pointer);
}

/* ---- asking */

ze_result_t zeMemGetAllocProperties(ze_context_handle_t context, const void *pointer,
				    ze_memory_allocation_properties_t *properties,
				    ze_device_handle_t *device)
{
	ENTER(zeMemGetAllocProperties);
	NEED_HANDLE(context);
	NEED_POINTER(pointer && properties);
	pthread_mutex_lock(&device_lock);
	const struct allocation *a = find(pointer);
	properties->type = a ? a->type : ZE_MEMORY_TYPE_UNKNOWN;
	properties->id = a ? a->id : 0;
	properties->pageSize = a ? (uint64_t)sysconf(_SC_PAGESIZE) : 0;
	if (device)
		*device = a ? a->device : NULL;
	pthread_mutex_unlock(&device_lock);
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeMemGetAddressRange(ze_context_handle_t context, const void *pointer, void **base,
				 size_t *size)
{
	ENTER(zeMemGetAddressRange);
	NEED_HANDLE(context);
	NEED_POINTER(pointer);
	pthread_mutex_lock(&device_lock);
	const struct allocation *a = find(pointer);
	if (a && base)
		*base = a->address;
	if (a && size)
		*size = a->size;
	pthread_mutex_unlock(&device_lock);
	return a ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_ARGUMENT;
}
