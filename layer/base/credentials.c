/* SPDX-License-Identifier: MIT */
/*
 * credentials.c: see credentials.h. layer/process/setid.c asks for the changes.
 */
#include "layer/base/credentials.h"

#include <sys/syscall.h>
#include <unistd.h>

/* --- in the writer's thread */

static bool capabilities_take(const struct __user_cap_data_struct *capabilities)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};

	return !syscall(SYS_capset, &header, capabilities);
}

bool tl_credentials_take(const struct tl_credentials *credentials)
{
	switch (credentials->kind) {
	case TL_CREDENTIAL_USER:
		return !syscall(SYS_setresuid, credentials->real, credentials->effective,
				credentials->saved);
	case TL_CREDENTIAL_GROUP:
		return !syscall(SYS_setresgid, credentials->real, credentials->effective,
				credentials->saved);
	case TL_CREDENTIAL_GROUPS:
		return !syscall(SYS_setgroups, credentials->ngroups, credentials->groups);
	case TL_CREDENTIAL_CAPABILITIES:
		return capabilities_take(credentials->capabilities);
	}
	return false;
}

/* --- in the thread that made the change */

static bool capabilities_read(struct __user_cap_data_struct *capabilities)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};

	return !syscall(SYS_capget, &header, capabilities);
}

static bool groups_read(struct tl_credentials *credentials, uint32_t *groups)
{
	long count = !groups ? -1 : syscall(SYS_getgroups, TL_GROUPS_MAX, groups);

	credentials->groups = groups;
	credentials->ngroups = (size_t)count;
	return count >= 0;
}

bool tl_credentials_read(struct tl_credentials *credentials, uint32_t *groups)
{
	switch (credentials->kind) {
	case TL_CREDENTIAL_USER:
		return !syscall(SYS_getresuid, &credentials->real, &credentials->effective,
				&credentials->saved);
	case TL_CREDENTIAL_GROUP:
		return !syscall(SYS_getresgid, &credentials->real, &credentials->effective,
				&credentials->saved);
	case TL_CREDENTIAL_GROUPS:
		return groups_read(credentials, groups);
	case TL_CREDENTIAL_CAPABILITIES:
		return capabilities_read(credentials->capabilities);
	}
	return false;
}
