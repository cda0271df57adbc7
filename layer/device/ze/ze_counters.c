/* SPDX-License-Identifier: MIT */
/*
 * ze_counters.c: see ze_counters.h.
 *
 * A core device's handle is its sysman handle, if the process runs with ZES_ENABLE_SYSMAN=1. The
 * layer does not set that: it would change what the program can do. A driver that tells nothing is
 * asked once, and a message says what to set.
 *
 * Everything here is the background thread's alone, so there is no lock.
 */
#include "layer/device/ze/ze_counters.h"

#include <level_zero/zes_api.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layer/base/message.h"
#include "layer/buffers/strings.h"
#include "layer/calls/event.h"
#include "layer/calls/hook.h"
#include "layer/device/background.h"
#include "layer/device/device_lanes.h"
#include "layer/device/ze/ze_devices.h"
#include "layer/device/ze/ze_driver_functions.h"
#include "tracelayer/api.h"

#define MOST 32u /* domains of one kind that a device has */

/* --- what the driver has */

#define SYSMAN_EACH(X)                                                                             \
	X(zesDeviceEnumPowerDomains)                                                               \
	X(zesPowerGetProperties)                                                                   \
	X(zesPowerGetEnergyCounter)                                                                \
	X(zesDeviceEnumFrequencyDomains)                                                           \
	X(zesFrequencyGetProperties)                                                               \
	X(zesFrequencyGetState)                                                                    \
	X(zesDeviceEnumEngineGroups)                                                               \
	X(zesEngineGetProperties)                                                                  \
	X(zesEngineGetActivity)                                                                    \
	X(zesDeviceEnumMemoryModules)                                                              \
	X(zesMemoryGetProperties)                                                                  \
	X(zesMemoryGetState)

static struct {
#define SYSMAN_FIELD(function) __typeof__(&function) function;
	SYSMAN_EACH(SYSMAN_FIELD)
#undef SYSMAN_FIELD
} sysman;

/* False: the loader lacks one of them. */
static bool sysman_look(void)
{
	static bool looked, complete;

	if (looked)
		return complete;
	looked = complete = true;
#define SYSMAN_FIND(function)                                                                      \
	sysman.function = tl_hook_real(#function);                                                 \
	complete &= sysman.function != NULL;
	SYSMAN_EACH(SYSMAN_FIND)
#undef SYSMAN_FIND
	return complete;
}

/* --- the domains of a device: each is one counter */

struct domain {
	struct domain *next;
	const struct domain_kind *kind;
	void *handle;
	char *label;
	uint32_t name, unit; /* texts' numbers; 0: not sampled yet */
	uint64_t amount, at; /* the latest reading of what only grows; .at is 0 before it */
};

struct domain_kind {
	const char *unit;
	/* As the zesDeviceEnum functions. */
	ze_result_t (*list)(zes_device_handle_t device, uint32_t *count, void **handles);
	/* What this domain is called, and its sub-device; -1: the whole device's. */
	const char *(*describe)(void *handle, int *part);
	/* False: there is no value now. */
	bool (*read)(struct domain *domain, double *value);
};

/*
 * How much has come since the latest reading, in the same units for each of time. False: this is
 * the first reading, or the driver began anew.
 */
static bool domain_rate(struct domain *domain, uint64_t amount, uint64_t at, double *rate)
{
	bool known = domain->at && at > domain->at && amount >= domain->amount;

	if (known)
		*rate = (double)(amount - domain->amount) / (double)(at - domain->at);
	/* The driver may tell the same reading twice. */
	if (known || !domain->at || at < domain->at || amount < domain->amount) {
		domain->amount = amount;
		domain->at = at;
	}
	return known;
}

static ze_result_t powers_list(zes_device_handle_t device, uint32_t *count, void **handles)
{
	return sysman.zesDeviceEnumPowerDomains(device, count, (zes_pwr_handle_t *)handles);
}

#define PART(properties) ((properties).onSubdevice ? (int)(properties).subdeviceId : -1)

static const char *power_describe(void *handle, int *part)
{
	zes_power_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_POWER_PROPERTIES};

	if (sysman.zesPowerGetProperties(handle, &properties) == ZE_RESULT_SUCCESS)
		*part = PART(properties);
	return "power";
}

/* Microjoules in a microsecond. */
static bool power_read(struct domain *domain, double *value)
{
	zes_power_energy_counter_t now = {0};

	return sysman.zesPowerGetEnergyCounter(domain->handle, &now) == ZE_RESULT_SUCCESS &&
	       domain_rate(domain, now.energy, now.timestamp, value);
}

static ze_result_t frequencies_list(zes_device_handle_t device, uint32_t *count, void **handles)
{
	return sysman.zesDeviceEnumFrequencyDomains(device, count, (zes_freq_handle_t *)handles);
}

static const char *frequency_describe(void *handle, int *part)
{
	zes_freq_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_FREQ_PROPERTIES};

	if (sysman.zesFrequencyGetProperties(handle, &properties) != ZE_RESULT_SUCCESS)
		return "frequency";
	*part = PART(properties);
	return properties.type == ZES_FREQ_DOMAIN_MEMORY ? "memory frequency" : "frequency";
}

/* Negative: the driver doesn't know. */
static bool frequency_read(struct domain *domain, double *value)
{
	zes_freq_state_t now = {.stype = ZES_STRUCTURE_TYPE_FREQ_STATE};

	if (sysman.zesFrequencyGetState(domain->handle, &now) != ZE_RESULT_SUCCESS ||
	    now.actual < 0)
		return false;
	*value = now.actual;
	return true;
}

static ze_result_t engines_list(zes_device_handle_t device, uint32_t *count, void **handles)
{
	return sysman.zesDeviceEnumEngineGroups(device, count, (zes_engine_handle_t *)handles);
}

static const char *engine_name(zes_engine_group_t type)
{
	switch (type) {
	case ZES_ENGINE_GROUP_ALL:
		return "all engines";
	case ZES_ENGINE_GROUP_COMPUTE_ALL:
		return "compute engines";
	case ZES_ENGINE_GROUP_MEDIA_ALL:
		return "media engines";
	case ZES_ENGINE_GROUP_COPY_ALL:
		return "copy engines";
	case ZES_ENGINE_GROUP_COMPUTE_SINGLE:
		return "compute engine";
	case ZES_ENGINE_GROUP_RENDER_SINGLE:
		return "render engine";
	case ZES_ENGINE_GROUP_COPY_SINGLE:
		return "copy engine";
	default:
		return "engine";
	}
}

static const char *engine_describe(void *handle, int *part)
{
	zes_engine_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_ENGINE_PROPERTIES};

	if (sysman.zesEngineGetProperties(handle, &properties) != ZE_RESULT_SUCCESS)
		return "engine";
	*part = PART(properties);
	return engine_name(properties.type);
}

static bool engine_read(struct domain *domain, double *value)
{
	zes_engine_stats_t now = {0};

	if (sysman.zesEngineGetActivity(domain->handle, &now) != ZE_RESULT_SUCCESS ||
	    !domain_rate(domain, now.activeTime, now.timestamp, value))
		return false;
	*value = *value < 1 ? *value * 100 : 100;
	return true;
}

static ze_result_t memories_list(zes_device_handle_t device, uint32_t *count, void **handles)
{
	return sysman.zesDeviceEnumMemoryModules(device, count, (zes_mem_handle_t *)handles);
}

static const char *memory_describe(void *handle, int *part)
{
	zes_mem_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_MEM_PROPERTIES};

	if (sysman.zesMemoryGetProperties(handle, &properties) == ZE_RESULT_SUCCESS)
		*part = PART(properties);
	return "memory in use";
}

static bool memory_read(struct domain *domain, double *value)
{
	zes_mem_state_t now = {.stype = ZES_STRUCTURE_TYPE_MEM_STATE};

	if (sysman.zesMemoryGetState(domain->handle, &now) != ZE_RESULT_SUCCESS ||
	    now.free > now.size)
		return false;
	*value = (double)(now.size - now.free);
	return true;
}

static const struct domain_kind kinds[] = {
	{"W", powers_list, power_describe, power_read},
	{"MHz", frequencies_list, frequency_describe, frequency_read},
	{"%", engines_list, engine_describe, engine_read},
	{"bytes", memories_list, memory_describe, memory_read},
};
#define KINDS (sizeof(kinds) / sizeof(*kinds))

/* --- the devices */

static struct domain *domains, **domains_end = &domains;

/* "power, NAME"; the second of these is "power 2, NAME". NULL: memory is short. */
static char *domain_label(const char *what, int part, const char *device)
{
	char numbered[80], *label;
	unsigned same = 1;
	int length = snprintf(numbered, sizeof(numbered), "%s", what);

	if (part >= 0)
		length += snprintf(numbered + length, sizeof(numbered) - (size_t)length,
				   " of sub-device %d", part);
	for (;;) {
		if (same > 1)
			snprintf(numbered + length, sizeof(numbered) - (size_t)length, " %u", same);
		if (asprintf(&label, "%s, %s", numbered, device) < 0)
			return NULL;
		const struct domain *other = domains;
		while (other && strcmp(other->label, label) != 0)
			other = other->next;
		if (!other)
			return label;
		free(label);
		same++;
	}
}

static void domain_add(const struct domain_kind *kind, void *handle, const char *device)
{
	struct domain *domain = calloc(1, sizeof(*domain));
	int part = -1;

	if (!domain)
		return;
	const char *what = kind->describe(handle, &part);
	domain->label = domain_label(what, part, device);
	if (!domain->label) {
		free(domain);
		return;
	}
	domain->kind = kind;
	domain->handle = handle;
	*domains_end = domain;
	domains_end = &domain->next;
}

static unsigned device_add(ze_device_handle_t device, const char *name)
{
	void *handles[MOST];
	unsigned added = 0;

	for (size_t kind = 0; kind < KINDS; kind++) {
		uint32_t count = 0;
		zes_device_handle_t its = (zes_device_handle_t)device;
		if (kinds[kind].list(its, &count, NULL) != ZE_RESULT_SUCCESS || !count)
			continue;
		count = count < MOST ? count : MOST;
		if (kinds[kind].list(its, &count, handles) != ZE_RESULT_SUCCESS)
			continue;
		for (uint32_t i = 0; i < count && i < MOST; i++, added++)
			domain_add(&kinds[kind], handles[i], name);
	}
	return added;
}

static void say_nothing_told(const char *device)
{
	char line[ZE_MAX_DEVICE_NAME + 200];

	snprintf(line, sizeof(line),
		 "tracelayer: %s: its driver tells no counters for --sample-device; set "
		 "ZES_ENABLE_SYSMAN=1 in the program's environment\n",
		 device);
	tl_message_say(line);
}

static void devices_add(void)
{
	static bool said;
	ze_device_handle_t device;
	const char *name;

	while (tl_ze_device_next(&device, &name)) {
		bool has = sysman_look() && device_add(device, name);
		if (has || said)
			continue;
		said = true;
		say_nothing_told(name);
	}
}

static void domain_put(struct domain *domain, double value)
{
	if (!domain->name) {
		domain->name = tl_string_of(domain->label);
		domain->unit = tl_string_of(domain->kind->unit);
	}
	tl_device_sample(domain->name, domain->unit, value);
}

void tl_ze_counters_sample(void)
{
	double value;

	if (!tl_event_wanted(TL_LEVEL_OPERATOR))
		return;
	devices_add();
	for (struct domain *domain = domains; domain; domain = domain->next)
		if (!tl_device_has_ended() && domain->kind->read(domain, &value))
			domain_put(domain, value);
}

/* What the parent's list takes stays: another thread may have been in the allocator. */
void tl_ze_counters_forget(void)
{
	domains = NULL;
	domains_end = &domains;
}
