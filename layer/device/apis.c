/*
 * apis.c: the APIs whose devices' work is shown.
 */
#include <stddef.h>

#include "layer/device/device.h"

const struct tl_device_api *const tl_device_apis[] = { NULL };
