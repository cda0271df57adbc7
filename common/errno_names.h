/* SPDX-License-Identifier: MIT */
/*
 * errno_names.h: errno's values by name.
 */
#ifndef TL_COMMON_ERRNO_NAMES_H
#define TL_COMMON_ERRNO_NAMES_H

/* "ENOENT"; NULL: the value has no name. Numbers are the same on all machines that we know. */
const char *tl_errno_name(int error);

#endif
