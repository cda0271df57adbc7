/* SPDX-License-Identifier: MIT */
/*
 * profiler_other.h: another source file of profiler_forms.c's program, which has labels of its own.
 */
#ifndef PROFILER_OTHER_H
#define PROFILER_OTHER_H

#ifdef __cplusplus
extern "C"
#endif
	__attribute__((visibility("default"))) void
	profiler_other(const char *(*labels)(void));

#endif
