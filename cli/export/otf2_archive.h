/* SPDX-License-Identifier: MIT */
/*
 * otf2_archive.h: an archive of OTF2 on disk. It is a file NAME.otf2 and, beside it, NAME.def and a
 * folder NAME. They are made in a folder of their own and get their names when all is there.
 */
#ifndef TL_CLI_EXPORT_OTF2_ARCHIVE_H
#define TL_CLI_EXPORT_OTF2_ARCHIVE_H

#include <limits.h>
#include <stdbool.h>

struct otf2_place {
	char folder[PATH_MAX];	   /* where the archive is to be */
	char made[PATH_MAX];	   /* where it is made */
	char name[NAME_MAX + 1];   /* without ".otf2" */
	char asked[NAME_MAX - 15]; /* likewise: what the user asked for, and its name in .made */
	bool force;		   /* an archive of that name is replaced */
};

/*
 * A signal asked the command to end. From otf2_place_open on, such signals wait for
 * otf2_place_close, which removes what is not whole and then lets them end the command.
 */
bool otf2_place_is_stopped(void);

/* Makes a folder for an archive that is to be called PATH. 0, or an errno. */
int otf2_place_open(struct otf2_place *place, const char *path, bool force);

/* `keep`: moves the archive to its place; else removes it. 0, or an errno. */
int otf2_place_close(struct otf2_place *place, bool keep);

#endif
