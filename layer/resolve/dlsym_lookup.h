/* SPDX-License-Identifier: MIT */
/*
 * dlsym_lookup.h: one lookup by the program's dlsym or dlvsym, for the files that answer it:
 *
 *	dlsym.c		the exported functions, and who gets what
 *	dlsym_real.c	the real functions
 *	dlsym_search.c	what there would be without us
 *	dlsym_zel.c	names of Level Zero that have no shim, but matter all the same
 */
#ifndef TL_LAYER_RESOLVE_DLSYM_LOOKUP_H
#define TL_LAYER_RESOLVE_DLSYM_LOOKUP_H

#include <link.h>
#include <stdbool.h>

#include "layer/resolve/dlsym.h"
#include "layer/resolve/library_roles.h"

/*
 * The arguments of dlsym, as the assembly in dlsym.c lays them out on the stack. The hook may
 * change them.
 */
struct tl_question {
	void *handle;
	const char *name;
	const char *version; /* NULL: dlsym */
	void *answer;	     /* used if the hook returns NULL */
};

/* libc's, and the next one after ours, which is another interposer's if there is one */
struct tl_real_dl {
	struct tl_dl libc, next;
};

struct tl_lookup {
	struct tl_question *question;
	const struct tl_real_dl *real;
	struct tl_shim *shim; /* NULL: the name has none */
	const void *caller;
	bool foreign; /* a loader or a driver asks */
};

/* The assembly calls it. */
void *tl_dlsym_hook(struct tl_question *question, const void *caller);
void *tl_dlsym_deep_hook(struct tl_question *question, const void *caller);

/* The library that asks, if it is a loader, a driver or our own; NULL: the program asks. */
const struct tl_known_library *tl_lookup_asking_library(const void *caller);

/* A library asks that has a loader linked into it. */
bool tl_lookup_is_of_linked_loader(const struct tl_lookup *lookup);

/* --- dlsym_real.c */

const struct tl_real_dl *tl_real_dl(void);

/* Ask for the same name (and version) with another handle. */
void *tl_question_ask(const struct tl_dl *dl, const struct tl_question *question, void *handle);

/*
 * --- dlsym_search.c: lookups that pass over our own libraries; NULL: no library defines the name
 */

/* In the scope that the caller's library has of its own. */
void *tl_lookup_in_scope(const struct tl_lookup *lookup);

/* In any library that is loaded: whether one defines the name. */
bool tl_lookup_in_any(const struct tl_lookup *lookup);

/*
 * Behind the caller. True: our function would be the next one, and the search ended there. Else
 * *in_loader is the function that comes next, if a loader defines it.
 */
bool tl_lookup_behind_caller(const struct tl_lookup *lookup, void **in_loader);

/* In the library with that dynamic section, and what it needs. */
void *tl_lookup_in_library(const struct tl_lookup *lookup, const ElfW(Dyn) *dynamic);

/* --- dlsym_zel.c */

void *tl_zel_lookup(const struct tl_lookup *lookup);
void tl_zel_notice_linked_loader(const struct tl_lookup *lookup);
void tl_zel_tell_linked_loader_apart(const struct tl_lookup *lookup);

#endif
