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

OLD_HERE int fstatat(int folder, const char *restrict path, struct stat *restrict about, int flags)
{
	return (int)syscall(SYS_newfstatat, folder, path, about, flags);
}

OLD_HERE int stat(const char *restrict path, struct stat *restrict about)
{
	return fstatat(AT_FDCWD, path, about, 0);
}

OLD_HERE int lstat(const char *restrict path, struct stat *restrict about)
{
	return fstatat(AT_FDCWD, path, about, AT_SYMLINK_NOFOLLOW);
}

OLD_HERE int fstat(int fd, struct stat *about)
{
	return (int)syscall(SYS_fstat, fd, about);
}

/* For what was built for large files. */
OLD_HERE int fstatat64(int folder, const char *restrict path, struct stat64 *restrict about,
		       int flags)
{
	return (int)syscall(SYS_newfstatat, folder, path, about, flags);
}

OLD_HERE int stat64(const char *restrict path, struct stat64 *restrict about)
{
	return fstatat64(AT_FDCWD, path, about, 0);
}

OLD_HERE int lstat64(const char *restrict path, struct stat64 *restrict about)
{
	return fstatat64(AT_FDCWD, path, about, AT_SYMLINK_NOFOLLOW);
}

OLD_HERE int fstat64(int fd, struct stat64 *about)
{
	return (int)syscall(SYS_fstat, fd, about);
}

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
