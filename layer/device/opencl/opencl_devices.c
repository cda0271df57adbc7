/* SPDX-License-Identifier: MIT */
/*
 * opencl_devices.c: see opencl_devices.h.
 *
 * A driver with clGetDeviceAndHostTimer is asked for the device's clock now and then, between two
 * readings of the host's clock. The host time that it returns is not used, because OpenCL does not
 * say which clock it is. Other drivers stamp each command inside of the call that enqueues it,
 * which is a reading, too. Where the stamp is of one of the host's clocks (PoCL's is
 * CLOCK_MONOTONIC_RAW), that clock can be read at any time. The first commands show whether their
 * stamps are of the clock that is read. If they are not, all that is known is that a command runs
 * after its submission and before its end is seen.
 *
 * If stamps later stop fitting, the clock was set: then it is read at once.
 */
#include "layer/device/opencl/opencl_devices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layer/device/device_lanes.h"
#include "layer/buffers/clock.h"
#include "layer/calls/hook.h"
#include "layer/base/cache_near.h"

#define HZ   1000000000u /* OpenCL's clocks count nanoseconds */
#define BITS 64u
/* nanoseconds by which stamps may fall out of the calls around them */
#define SLACK 20000u
/* nanoseconds between readings because of stamps that do not fit */
#define FORCED	 10000000u
#define READINGS 5u   /* readings of a clock at a time */
#define GOOD	 500u /* nanoseconds that a good one takes */
/* nanoseconds between checks whether a clock must be read */
#define LOOK_AGAIN 1000000u
#define LOOKS	   16u /* commands that the host's clocks are compared with */
/* nanoseconds by which stamps may still lie outside of the call */
#define ALIKE 1000u

/* held while adding to the table; no driver is called under it */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct tl_handles table;
/* release when one is put in front, acquire to walk */
static struct tl_cl_device *_Atomic all;

/* --- the table */

/* Devices of the same name are told apart by their number. Under the lock. */
static char *device_name(const char *name)
{
	unsigned number = 1;
	char *text;

	for (const struct tl_cl_device *device = atomic_load_explicit(&all, memory_order_relaxed);
	     device; device = device->next)
		number += strncmp(device->name, name, strlen(name)) == 0 &&
			  strchr(" ", device->name[strlen(name)]);
	if (number == 1)
		return strdup(name);
	return asprintf(&text, "%s #%u", name, number) < 0 ? NULL : text;
}

/* "OpenCL 3.0 PoCL" is 30. 0: not known. */
static unsigned version_read(const char *version)
{
	unsigned major = 0, minor = 0;

	return sscanf(version, "OpenCL %u.%u", &major, &minor) == 2 ? major * 10 + minor : 0;
}

/*
 * Which functions its driver has: no loader keeps a program from calling one that is newer. The
 * platform decides, since a device may be another platform's that this one passes on (SOCL).
 */
static unsigned device_version(cl_device_id id)
{
	char text[256] = "", whole[256] = "";
	cl_platform_id platform = NULL;
	unsigned version = 0, platform_version;

	if (tl_cl.clGetDeviceInfo(id, CL_DEVICE_VERSION, sizeof(text) - 1, text, NULL) ==
	    CL_SUCCESS)
		version = version_read(text);
	if (tl_cl.clGetPlatformInfo &&
	    tl_cl.clGetDeviceInfo(id, CL_DEVICE_PLATFORM, sizeof(platform), &platform, NULL) ==
		    CL_SUCCESS &&
	    platform &&
	    tl_cl.clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof(whole) - 1, whole,
				    NULL) == CL_SUCCESS &&
	    (platform_version = version_read(whole)) && platform_version < version)
		version = platform_version;
	return version;
}

struct identity {
	cl_uchar uuid[CL_UUID_SIZE_KHR];
	cl_device_pci_bus_info_khr pci;
	bool has_uuid, has_pci, tells_spills;
};

/* A driver is only asked for what it says that it has: some print a message about anything else. */
static void identity_ask(struct identity *identity, cl_device_id id)
{
	char *extensions;
	size_t size = 0;

	*identity = (struct identity){.has_uuid = false};
	if (tl_cl.clGetDeviceInfo(id, CL_DEVICE_EXTENSIONS, 0, NULL, &size) != CL_SUCCESS ||
	    !(extensions = calloc(1, size + 1)))
		return;
	if (tl_cl.clGetDeviceInfo(id, CL_DEVICE_EXTENSIONS, size, extensions, NULL) == CL_SUCCESS) {
		identity->has_uuid =
			strstr(extensions, "cl_khr_device_uuid") &&
			tl_cl.clGetDeviceInfo(id, CL_DEVICE_UUID_KHR, sizeof(identity->uuid),
					      identity->uuid, NULL) == CL_SUCCESS;
		identity->has_pci =
			strstr(extensions, "cl_khr_pci_bus_info") &&
			tl_cl.clGetDeviceInfo(id, CL_DEVICE_PCI_BUS_INFO_KHR, sizeof(identity->pci),
					      &identity->pci, NULL) == CL_SUCCESS;
		identity->tells_spills = strstr(extensions, "cl_intel_required_subgroup_size");
	}
	free(extensions);
}

static void device_identify(struct tl_device *device, const struct identity *identity)
{
	const struct tl_pci_address address = {identity->pci.pci_domain, identity->pci.pci_bus,
					       identity->pci.pci_device,
					       identity->pci.pci_function};

	tl_device_identify(device, "opencl", identity->has_uuid ? identity->uuid : NULL,
			   identity->has_pci ? &address : NULL);
}

static struct tl_cl_device *device_new(cl_device_id id, const char *name, unsigned version,
				       const struct identity *identity)
{
	struct tl_cl_device *device = calloc(1, sizeof(*device));

	if (!device)
		return NULL;
	device->name = device_name(name);
	device->device = device->name ? tl_device_new(device->name) : NULL;
	if (!device->device) {
		free(device->name);
		free(device);
		return NULL;
	}
	device_identify(device->device, identity);
	device->handle.key = id;
	device->tells_spills = identity->tells_spills;
	device->version = version;
	device->clock =
		tl_cl.clGetDeviceAndHostTimer && version >= 21 ? TL_CL_TIMERS : TL_CL_QUEUED;
	pthread_mutex_init(&device->lock, NULL);
	tl_clock_fit_start(&device->fit, HZ, BITS);
	device->next = atomic_load_explicit(&all, memory_order_relaxed);
	atomic_store_explicit(&all, device, memory_order_release);
	tl_handles_put(&table, &device->handle);
	return device;
}

/* Parts of a device have its clock, and are shown as it. */
static cl_device_id device_whole(cl_device_id id)
{
	cl_device_id parent = NULL;

	while (tl_cl.clGetDeviceInfo(id, CL_DEVICE_PARENT_DEVICE, sizeof(parent), &parent, NULL) ==
		       CL_SUCCESS &&
	       parent)
		id = parent;
	return id;
}

/* Without the blanks that some drivers put around it. */
static const char *name_trimmed(char *name)
{
	size_t length = strlen(name);

	while (length && name[length - 1] == ' ')
		name[--length] = 0;
	return name + strspn(name, " ");
}

static void clock_read_if_due(struct tl_cl_device *device, uint64_t at, bool whatever);

struct tl_cl_device *tl_cl_device_of(cl_device_id id)
{
	char name[256] = "";

	id = device_whole(id);
	struct tl_cl_device *device = (struct tl_cl_device *)tl_handles_find(&table, id);
	if (device ||
	    tl_cl.clGetDeviceInfo(id, CL_DEVICE_NAME, sizeof(name) - 1, name, NULL) != CL_SUCCESS)
		return device;
	unsigned version = device_version(id);
	struct identity identity;
	identity_ask(&identity, id);
	pthread_mutex_lock(&lock);
	device = (struct tl_cl_device *)tl_handles_find(&table, id);
	bool met = device;
	if (!device)
		device = device_new(id, name_trimmed(name), version, &identity);
	pthread_mutex_unlock(&lock);
	if (!met && device)
		clock_read_if_due(device, tl_device_now(), true);
	return device;
}

struct tl_cl_device *tl_cl_device_of_context(cl_context context)
{
	cl_device_id devices[64];
	size_t size = 0;

	if (!context ||
	    tl_cl.clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof(devices), devices, &size) !=
		    CL_SUCCESS ||
	    !size)
		return NULL;
	return tl_cl_device_of(devices[0]);
}

/* --- readings */

/*
 * Use another clock from now on; what is known of the current one is wrong. Under the device's
 * lock.
 */
static void device_use_clock(struct tl_cl_device *device, enum tl_cl_clock clock)
{
	device->clock = clock;
	tl_clock_fit_start(&device->fit, HZ, BITS);
}

static uint64_t host_clock_read(clockid_t id)
{
	struct timespec time = {0};

	clock_gettime(id, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* 0: the driver can't. */
static uint64_t device_read_timer(const struct tl_cl_device *device)
{
	cl_ulong stamp = 0, host = 0;
	cl_int status = tl_cl.clGetDeviceAndHostTimer((cl_device_id)(uintptr_t)device->handle.key,
						      &stamp, &host);

	return status == CL_SUCCESS ? stamp : 0;
}

/* One reading of the device's clock, between two of the host's. */
struct reading {
	uint64_t before, stamp, after;
};

static uint64_t reading_width(const struct reading *reading)
{
	return reading->after - reading->before;
}

/* .stamp is 0 where it can't be read. */
static struct reading reading_once(const struct tl_cl_device *device, enum tl_cl_clock clock)
{
	struct reading reading = {.before = tl_device_now()};

	reading.stamp =
		clock == TL_CL_TIMERS ? device_read_timer(device) : host_clock_read(device->host);
	reading.after = tl_device_now();
	return reading;
}

/* The thread may lose the processor during a reading, so the best of several counts. */
static struct reading reading_best(const struct tl_cl_device *device, enum tl_cl_clock clock)
{
	struct reading best = reading_once(device, clock);

	for (unsigned i = 1; i < READINGS && best.stamp && reading_width(&best) > GOOD; i++) {
		struct reading other = reading_once(device, clock);
		if (other.stamp && reading_width(&other) < reading_width(&best))
			best = other;
	}
	return best;
}

/* By one thread at a time; no lock is held while the driver is asked. */
static void clock_read(struct tl_cl_device *device, enum tl_cl_clock clock)
{
	TL_HOOK_UNCANCELLED();
	const struct reading reading = reading_best(device, clock);

	pthread_mutex_lock(&device->lock);
	device->reading = false;
	if (device->clock == clock && reading.stamp)
		tl_clock_fit_pair(&device->fit, reading.stamp, reading.before, reading.after);
	else if (device->clock == clock)
		device_use_clock(device, TL_CL_QUEUED);
	pthread_mutex_unlock(&device->lock);
}

static bool clock_can_be_read(const struct tl_cl_device *device)
{
	return device->clock <= TL_CL_HOST;
}

/*
 * Read the clock, if it must be read and no other thread does. `whatever`: also if it was read
 * lately.
 */
static void clock_read_if_due(struct tl_cl_device *device, uint64_t at, bool whatever)
{
	pthread_mutex_lock(&device->lock);
	enum tl_cl_clock clock = device->clock;
	bool reads = clock_can_be_read(device) && !device->reading &&
		     (whatever || tl_clock_fit_due(&device->fit, at));
	device->reading |= reads;
	pthread_mutex_unlock(&device->lock);
	if (reads)
		clock_read(device, clock);
}

/* To those who look, another thread reads it. */
void tl_cl_devices_leave(void)
{
	for (struct tl_cl_device *device = atomic_load_explicit(&all, memory_order_acquire); device;
	     device = device->next) {
		pthread_mutex_lock(&device->lock);
		device->reading = true;
		pthread_mutex_unlock(&device->lock);
	}
}

TL_NEAR_CODE void tl_cl_device_keep_up(struct tl_cl_device *device, uint64_t now)
{
	if (!clock_can_be_read(device) ||
	    now < atomic_load_explicit(&device->look_again, memory_order_relaxed))
		return;
	atomic_store_explicit(&device->look_again, now + tl_clock_ticks(LOOK_AGAIN),
			      memory_order_relaxed);
	clock_read_if_due(device, tl_device_now(), false);
}

/* --- which clock it is */

/* By this clock of the host, the command's stamp lies inside of the call that enqueued it. */
static bool work_is_stamped_by(clockid_t id, const struct tl_device_work *work)
{
	uint64_t before = tl_device_now(), there = host_clock_read(id), after = tl_device_now();
	uint64_t low = work->queued + (before - there), high = work->queued + (after - there);

	return high + ALIKE >= work->submitted.start && low <= work->submitted.end + ALIKE;
}

/*
 * Drivers of processors use the host's clocks. Choose one only where no other one fits. Under the
 * device's lock.
 */
static void device_look_for_host_clock(struct tl_cl_device *device,
				       const struct tl_device_work *work)
{
	static const clockid_t clocks[] = {CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_REALTIME};
	unsigned fit = 0;

	if (device->clock != TL_CL_QUEUED || device->looks >= LOOKS || !(work->has & TL_RAW_QUEUED))
		return;
	device->looks++;
	for (unsigned i = 0; i < sizeof(clocks) / sizeof(*clocks); i++) {
		if (!work_is_stamped_by(clocks[i], work))
			continue;
		device->host = clocks[i];
		fit++;
	}
	if (fit != 1)
		return;
	device_use_clock(device, TL_CL_HOST);
	device->looks = LOOKS;
	const struct reading reading = reading_best(device, TL_CL_HOST);
	tl_clock_fit_pair(&device->fit, reading.stamp, reading.before, reading.after);
}

/* The command's stamp lies inside of the call that enqueued it. Under the device's lock. */
static void device_use_stamp(struct tl_cl_device *device, const struct tl_device_work *work,
			     bool whatever)
{
	const struct tl_device_call *call = &work->submitted;

	if (device->clock == TL_CL_QUEUED && work->has & TL_RAW_QUEUED && work->queued &&
	    call->start > device->fit.asked &&
	    (whatever || tl_clock_fit_due(&device->fit, call->start)))
		tl_clock_fit_pair(&device->fit, work->queued, call->start, call->end);
	if (device->clock == TL_CL_BRACKETS)
		tl_clock_fit_bracket(&device->fit, work->raw_start, work->raw_end, call->start,
				     work->end);
}

/* --- times */

static uint64_t stamp_convert(struct tl_cl_device *device, uint64_t stamp, uint64_t about)
{
	return tl_clock_fit_convert(&device->fit, stamp, BITS, about).ns;
}

/*
 * The times are there, and lie between the call that submitted the command and `seen`. Under the
 * device's lock.
 */
static bool work_find_times(struct tl_cl_device *device, struct tl_device_work *work, uint64_t seen)
{
	if (!device->fit.segments && device->clock != TL_CL_BRACKETS)
		return false;
	work->start =
		stamp_convert(device, work->has & TL_RAW_START ? work->raw_start : work->raw_end,
			      work->submitted.start);
	work->end = stamp_convert(device, work->raw_end, seen);
	return work->start + SLACK >= work->submitted.start && work->end <= seen + SLACK;
}

/*
 * The stamps do not fit. Ask for another reading, or use another clock if they never did. Under the
 * lock, which is released in between.
 */
static bool work_find_times_again(struct tl_cl_device *device, struct tl_device_work *work,
				  uint64_t seen)
{
	uint64_t at = tl_device_now();

	if (device->proven && at - device->forced < FORCED)
		return false;
	device->forced = at;
	pthread_mutex_unlock(&device->lock);
	clock_read_if_due(device, at, true);
	pthread_mutex_lock(&device->lock);
	device_use_stamp(device, work, true);
	return work_find_times(device, work, seen);
}

void tl_cl_device_convert(struct tl_cl_device *device, struct tl_device_work *work, uint64_t seen)
{
	pthread_mutex_lock(&device->lock);
	work->end = seen;
	device_look_for_host_clock(device, work);
	device_use_stamp(device, work, false);
	bool fits =
		work_find_times(device, work, seen) || work_find_times_again(device, work, seen);
	while (!fits && !device->proven && device->clock != TL_CL_BRACKETS) {
		device_use_clock(device, clock_can_be_read(device) ? TL_CL_QUEUED : TL_CL_BRACKETS);
		work->end = seen;
		device_use_stamp(device, work, true);
		fits = work_find_times(device, work, seen);
	}
	device->proven |= fits;
	if (!work->start)
		work->start = work->submitted.start;
	pthread_mutex_unlock(&device->lock);
}

void tl_cl_devices_after_fork(void)
{
	pthread_mutex_init(&lock, NULL);
	for (struct tl_cl_device *device = atomic_load_explicit(&all, memory_order_acquire); device;
	     device = device->next) {
		pthread_mutex_init(&device->lock, NULL);
		device->reading = false;
	}
}
