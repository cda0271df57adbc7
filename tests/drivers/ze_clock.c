/* SPDX-License-Identifier: MIT */
/*
 * The device's clock: another frequency and epoch than the host's, as configured, with a drift and
 * steps. It runs from the host's raw clock, which no time daemon slews, as an oscillator of its own
 * would; so even without drift it moves against CLOCK_MONOTONIC.
 *
 *	ticks(t) = epoch + t * hz * (1 + ppm / 10^6) + steps until t
 *
 * t: seconds since the driver was loaded.
 */
#include "ze_device.h"
#include "ze_driver.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DEVICE_DISTANCE 1000000007ull /* ticks between the epochs of neighbouring devices */

uint64_t clock_hz;
uint32_t clock_bits, clock_kernel_bits;

bool clock_steady;

static clockid_t host_clock = CLOCK_MONOTONIC_RAW;
static uint64_t base_ns, epoch, step_after_ns;
static int64_t drift_ppm, step_ticks;

static uint64_t read_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void clock_start(void)
{
	const char *host = config_text("CLOCK_HOST"), *step = config_text("CLOCK_STEP");

	if (host && strcmp(host, "monotonic") == 0)
		host_clock = CLOCK_MONOTONIC;
	clock_hz = config_number("CLOCK_HZ", 19200000);
	clock_bits = (uint32_t)config_number("CLOCK_BITS", 36);
	clock_kernel_bits = (uint32_t)config_number("CLOCK_KERNEL_BITS", 32);
	drift_ppm = (int64_t)config_number("CLOCK_DRIFT_PPM", 0);
	epoch = config_number("CLOCK_EPOCH", 0x1234567890);
	clock_steady = config_number("CLOCK_STEADY", 0) != 0;
	step_after_ns = UINT64_MAX;
	if (step && strchr(step, ':')) {
		step_after_ns = strtoull(step, NULL, 0) * 1000000;
		step_ticks = strtoll(strchr(step, ':') + 1, NULL, 0);
	}
	base_ns = read_ns(host_clock);
}

uint64_t clock_host_ns(void)
{
	return read_ns(host_clock);
}

/* Both clocks at one moment: read again where the thread lost its processor between them. */
static uint64_t read_both(uint64_t *monotonic_ns)
{
	uint64_t before, device, after;
	int tries = 0;

	do {
		before = read_ns(CLOCK_MONOTONIC);
		device = read_ns(host_clock);
		after = read_ns(CLOCK_MONOTONIC);
	} while (after - before > 2000 && ++tries < 10);
	*monotonic_ns = before + (after - before) / 2;
	return device;
}

struct stamp clock_now(ze_device_handle_t device)
{
	ze_device_handle_t root = device->root;
	struct stamp now;
	uint64_t elapsed = read_both(&now.ns) - base_ns;
	__int128 scaled = (__int128)elapsed * clock_hz * (1000000 + drift_ppm);

	now.ticks = epoch + root->number * DEVICE_DISTANCE + (uint64_t)(scaled / 1000000000000000);
	now.ticks += (uint64_t)atomic_load_explicit(&root->clock_offset, memory_order_relaxed);
	if (elapsed >= step_after_ns)
		now.ticks += (uint64_t)step_ticks;
	return now;
}

uint64_t clock_wrap(uint64_t ticks, uint32_t bits)
{
	return bits >= 64 ? ticks : ticks & ((1ull << bits) - 1);
}

int test_ze_step_clock(uint32_t device, int64_t ticks)
{
	if (device >= the_driver.device_count)
		return -1;
	atomic_fetch_add(&the_driver.devices[device].clock_offset, ticks);
	return 0;
}

uint64_t test_ze_ticks(uint32_t device, uint64_t *monotonic_ns)
{
	if (device >= the_driver.device_count)
		return 0;
	struct stamp now = clock_now(&the_driver.devices[device]);
	if (monotonic_ns)
		*monotonic_ns = now.ns;
	return now.ticks;
}
