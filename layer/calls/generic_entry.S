/* SPDX-License-Identifier: MIT */
/*
 * generic_entry.S: this machine's generic entry. Only that is assembled: an object without code would
 * have no note of landing pads either, and take the library's away.
 */
#if defined(__x86_64__)
#include "layer/calls/generic_entry_x86_64.S"
#elif defined(__aarch64__)
#include "layer/calls/generic_entry_aarch64.S"
#endif
