/* SPDX-License-Identifier: MIT */
/*
 * shown_names.h: what a function is called to the user. Traces have the names that compilers of C++ and
 * Rust made (_ZN7QString6appendERKS_); a user wants those of the source (QString::append(QString const&)).
 *
 * A command says who makes the one of the other (cli/symbols/demangle.h). Unless it does, names are
 * shown as they are. Each name is made once in a process. Safe in several threads.
 */
#ifndef TL_CLI_READ_SHOWN_NAMES_H
#define TL_CLI_READ_SHOWN_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/read/json.h"
#include "cli/read/plain_event.h"

/* The name in the source, which the caller frees. NULL: the name is shown as it is. */
typedef char *(*name_maker)(const char *name);

/* From now on; NULL: nobody. Returns who did before. Not while another thread asks for names. */
name_maker names_made_by(name_maker maker);

/* Whether a compiler may have made the name, by how it begins. No function of C begins so. */
static inline bool name_is_made(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
}

/* For names of which name_is_made. Valid as long as the process; without a maker, it is `made` itself. */
const char *name_of_made(const char *made);

static inline const char *name_shown(const char *name)
{
	return name_is_made(name) ? name_of_made(name) : name;
}

/*
 * Whether globs match a name as it is shown, or what the compiler made of it. The name itself, as it is
 * shown, is such a glob, with its commas and brackets.
 */
bool name_matches(const char *globs, const char *shown);

#define NAMES_NEAR 256

/* The names and the categories that events had lately. Zeroed at first. */
struct near_names {
	struct {
		const char *made, *shown; /* NULL: none yet */
		size_t made_size, shown_size;
	} names[NAMES_NEAR];
	char words[64];
	size_t words_size;
	bool is_call;
};

/* Events of a call that begins or ends, in JSON, get the function's name as it is shown. */
void event_show_name(json_t *event);
void plain_event_show_made(struct plain_event *event, struct near_names *near);

static inline void plain_event_show_name(struct plain_event *event, struct near_names *near)
{
	if (event->name.size > 2 && name_is_made(event->name.at))
		plain_event_show_made(event, near);
}

#endif
