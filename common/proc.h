/* SPDX-License-Identifier: MIT */
/*
 * proc.h: facts about processes, and about the machine, from the kernel's small files.
 *
 * By system calls only: async-signal-safe, and fit for the writer's thread. errno may change.
 */
#ifndef TL_COMMON_PROC_H
#define TL_COMMON_PROC_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of a file, as many as there are and fit. Returns how many; 0 also if it can't be read. */
size_t tl_proc_read(const char *path, char *to, size_t room);

/*
 * A file's first line, without its newline, ended by a NUL. Returns its length; 0 also if it can't
 * be read.
 */
size_t tl_proc_line(const char *path, char *to, size_t room);

/*
 * The value of a field of /proc/PID/stat, as proc(5) numbers them, and a number there; "" and 0: there is
 * no such field. Field 2, the program's name, may contain spaces and parentheses.
 */
const char *tl_proc_stat_field(const char *stat, int field);
uint64_t tl_proc_stat_number(const char *stat, int field);

/*
 * When a process started, in hundredths of a second of the boot. Tells it from other processes that
 * had its number; the same in each time namespace. 0: it can't be read.
 */
uint64_t tl_proc_start_time(uint32_t pid);

/* The kernel's number of the calling process's pid namespace. 0: it can't be read. */
uint64_t tl_proc_namespace(void);

/*
 * How many nanoseconds CLOCK_MONOTONIC is ahead of the machine's in the calling process's time
 * namespace; 0 also if there are no such namespaces. A process that has made one for its children
 * (unshare) is not in it.
 */
int64_t tl_proc_time_offset(void);

/* The name of this boot of the machine; "": it can't be read. */
#define TL_PROC_BOOT 40
void tl_proc_boot(char boot[TL_PROC_BOOT]);

#endif
