/* SPDX-License-Identifier: MIT */
/*
 * proc.h: what the kernel tells of processes, and of itself, in small files.
 *
 * By system calls only: async-signal-safe, and fit for the writer's thread. errno may change.
 */
#ifndef TL_COMMON_PROC_H
#define TL_COMMON_PROC_H

#include <stddef.h>
#include <stdint.h>

/*
 * Bytes of a file, as many as there are and fit. Returns how many; 0 also where it can't be read.
 */
size_t tl_proc_read(const char *path, char *to, size_t room);

/*
 * A file's first line, without its newline, ended by a NUL. Returns its length; 0 also where it
 * can't be read.
 */
size_t tl_proc_line(const char *path, char *to, size_t room);

/*
 * When a process started, in hundredths of a second of the boot: what tells it from others of its
 * number. 0: it can't be read.
 */
uint64_t tl_proc_start_time(uint32_t pid);

/* The kernel's number of the calling process's pid namespace. 0: it can't be read. */
uint64_t tl_proc_namespace(void);

/*
 * Nanoseconds that CLOCK_MONOTONIC is ahead of the machine's in the calling process's time
 * namespace; 0 also where there are no such namespaces. Who has made one for its children (unshare)
 * is not in it.
 */
int64_t tl_proc_time_offset(void);

/* What this boot of the machine is called; "": it can't be read. */
#define TL_PROC_BOOT 40
void tl_proc_boot(char boot[TL_PROC_BOOT]);

#endif
