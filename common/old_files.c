/* SPDX-License-Identifier: MIT */
/*
 * old_files.c: what asks for files for --enable-portable, see old_glibc.h. The kernel's struct stat is the C
 * library's on both machines.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/old_glibc.h"

#define OLD_STAT(about_type, stat_of, lstat_of, fstat_of, fstatat_of)                              \
	OLD_HERE int fstatat_of(int folder, const char *restrict path, about_type *restrict about, \
				int flags)                                                         \
	{                                                                                          \
		return (int)syscall(SYS_newfstatat, folder, path, about, flags);                   \
	}                                                                                          \
	OLD_HERE int stat_of(const char *restrict path, about_type *restrict about)                \
	{                                                                                          \
		return fstatat_of(AT_FDCWD, path, about, 0);                                       \
	}                                                                                          \
	OLD_HERE int lstat_of(const char *restrict path, about_type *restrict about)               \
	{                                                                                          \
		return fstatat_of(AT_FDCWD, path, about, AT_SYMLINK_NOFOLLOW);                     \
	}                                                                                          \
	OLD_HERE int fstat_of(int fd, about_type *about)                                           \
	{                                                                                          \
		return (int)syscall(SYS_fstat, fd, about);                                         \
	}

OLD_STAT(struct stat, stat, lstat, fstat, fstatat)
/* For what was built for large files. */
OLD_STAT(struct stat64, stat64, lstat64, fstat64, fstatat64)

/* Kernels before 5.9 have none, either. */
OLD_HERE int close_range(unsigned first, unsigned last, int flags)
{
	long result = syscall(SYS_close_range, first, last, flags), limit = sysconf(_SC_OPEN_MAX);

	if (!result || errno != ENOSYS || flags)
		return (int)result;
	for (unsigned fd = first; fd <= last && (long)fd < limit; fd++)
		close((int)fd);
	return 0;
}
