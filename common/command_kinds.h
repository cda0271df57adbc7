/* SPDX-License-Identifier: MIT */
/*
 * command_kinds.h: the kinds of devices' commands, by name.
 */
#ifndef TL_COMMON_COMMAND_KINDS_H
#define TL_COMMON_COMMAND_KINDS_H

#include "tracelayer/device.h"

/* "kernel", "read", …: what a slice says of itself. */
extern const char *const tl_kind_words[TL_DEVICE_KINDS];

/* TL_DEVICE_OTHER for a word that is none of them. */
enum tl_device_kind tl_kind_named(const char *word);

#endif
