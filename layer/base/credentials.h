/* SPDX-License-Identifier: MIT */
/*
 * credentials.h: when the process changes its user, groups or capabilities, the writer's thread
 * makes the same change.
 *
 * The kernel keeps these for each thread. The C library changes them in all threads that it knows;
 * it does not know the writer's. So libtracelayer.so exports the functions that change them
 * (layer/process/setid.c). Such a function calls the one that the program would have reached. When
 * that has succeeded, the writer's thread makes the change before the program goes on.
 */
#ifndef TL_LAYER_BASE_CREDENTIALS_H
#define TL_LAYER_BASE_CREDENTIALS_H

#include <linux/capability.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tl_credential {
	TL_CREDENTIAL_USER,
	TL_CREDENTIAL_GROUP,
	TL_CREDENTIAL_GROUPS,
	TL_CREDENTIAL_CAPABILITIES
};

/* One change, as it was read from the thread that made it. */
struct tl_credentials {
	enum tl_credential kind;
	uint32_t real, effective, saved; /* user or group */
	const uint32_t *groups;
	size_t ngroups;
	struct __user_cap_data_struct capabilities[_LINUX_CAPABILITY_U32S_3];
};

#define TL_GROUPS_MAX 65536 /* the kernel's NGROUPS_MAX */

/*
 * Read the calling thread's current state of the kind in .kind. `groups` has room for
 * TL_GROUPS_MAX, if .kind asks for groups. False: it can't be known.
 */
bool tl_credentials_read(struct tl_credentials *credentials, uint32_t *groups);

/* Make the change in the calling thread alone. False: the kernel refuses. */
bool tl_credentials_take(const struct tl_credentials *credentials);

#endif
