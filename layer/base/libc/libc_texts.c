/* SPDX-License-Identifier: MIT */
/*
 * libc_texts.c: the texts of errors, for libtracelayer.so alone. See libc.h. The C library's
 * function translates them, so it allocates and reads files.
 */
#include "layer/base/libc/own_libc.h"

#ifdef TL_OWN_LIBC

#include <errno.h>
#include <stddef.h>
#include <string.h>

/* For the errors of making, opening, reading, writing and mapping files. */
const char *strerrordesc_np(int error)
{
	switch (error) {
	case EPERM:
		return "Operation not permitted";
	case ENOENT:
		return "No such file or directory";
	case EIO:
		return "Input/output error";
	case ENXIO:
		return "No such device or address";
	case EBADF:
		return "Bad file descriptor";
	case EAGAIN:
		return "Resource temporarily unavailable";
	case ENOMEM:
		return "Cannot allocate memory";
	case EACCES:
		return "Permission denied";
	case EFAULT:
		return "Bad address";
	case EBUSY:
		return "Device or resource busy";
	case EEXIST:
		return "File exists";
	case ENODEV:
		return "No such device";
	case ENOTDIR:
		return "Not a directory";
	case EISDIR:
		return "Is a directory";
	case EINVAL:
		return "Invalid argument";
	case ENFILE:
		return "Too many open files in system";
	case EMFILE:
		return "Too many open files";
	case ETXTBSY:
		return "Text file busy";
	case EFBIG:
		return "File too large";
	case ENOSPC:
		return "No space left on device";
	case ESPIPE:
		return "Illegal seek";
	case EROFS:
		return "Read-only file system";
	case EMLINK:
		return "Too many links";
	case EPIPE:
		return "Broken pipe";
	case ENAMETOOLONG:
		return "File name too long";
	case ENOSYS:
		return "Function not implemented";
	case ELOOP:
		return "Too many levels of symbolic links";
	case EOVERFLOW:
		return "Value too large for defined data type";
	case EOPNOTSUPP:
		return "Operation not supported";
	case ENOBUFS:
		return "No buffer space available";
	case ETIMEDOUT:
		return "Connection timed out";
	case ESTALE:
		return "Stale file handle";
	case EDQUOT:
		return "Disk quota exceeded";
	case EREMOTEIO:
		return "Remote I/O error";
	case EHOSTDOWN:
		return "Host is down";
	case ENOTCONN:
		return "Transport endpoint is not connected";
	default:
		return NULL;
	}
}

#else
typedef int tl_nothing_here;
#endif
