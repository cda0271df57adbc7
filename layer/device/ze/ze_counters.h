/* SPDX-License-Identifier: MIT */
/*
 * ze_counters.h: what Level Zero's system management (sysman) tells of devices: power, frequency,
 * load of engines, memory in use. As counters, if the settings ask for them.
 */
#ifndef TL_LAYER_DEVICE_ZE_ZE_COUNTERS_H
#define TL_LAYER_DEVICE_ZE_ZE_COUNTERS_H

/*
 * One sample of all counters of all devices that the program has used. On the background thread, as
 * inside of a hook, without tl_ze_lock: a driver may take long for it.
 */
void tl_ze_counters_sample(void);

/* In a forked child. */
void tl_ze_counters_forget(void);

#endif
