/* SPDX-License-Identifier: MIT */
/*
 * inflated.h: how large compressed bytes may become. A trace compresses well, since its events are
 * alike, but their times differ: more than 60 to 1 was never seen. What goes far beyond was made to
 * fill memory or disks.
 */
#ifndef TL_CLI_READ_INFLATED_H
#define TL_CLI_READ_INFLATED_H

#include <stdbool.h>
#include <stdint.h>

#define INFLATED_FREE  (64ull << 20) /* so much is always allowed */
#define INFLATED_RATIO 250u

/*
 * So far: bytes taken, and bytes that they became. False: these are no trace's, which was said of
 * `path`.
 */
bool inflated_is_sound(const char *path, uint64_t in, uint64_t out);

#endif
