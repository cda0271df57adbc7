/* SPDX-License-Identifier: MIT */
/*
 * demangle.c: see demangle.h. Without libiberty, C++'s own library is asked if it is there, and Rust's names
 * stay as they are.
 *
 * A name may stand for one that has twice the length for every few letters more, and a trace may come from anywhere.
 * libiberty gives the name in pieces, and what is too long ends that with a jump.
 */
#include "config.h"

#include <dlfcn.h>
#if HAVE_LIBIBERTY
#include <libiberty/demangle.h>
#include <setjmp.h>
#endif
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/read/read.h"
#include "cli/symbols/demangle.h"
#include "common/text.h"

#define NAME_MOST                                                                                  \
	16384 /* bytes of a name that is shown; a longer one stays as the compiler made it */

#if HAVE_LIBIBERTY

struct demangled {
	jmp_buf too_long;
	size_t size;
	char bytes[NAME_MOST];
};

static void demangled_take(const char *bytes, size_t size, void *user)
{
	struct demangled *name = user;

	if (size >= sizeof(name->bytes) - name->size)
		longjmp(name->too_long, 1);
	memcpy(name->bytes + name->size, bytes, size);
	name->size += size;
}

/* Rust's older names are like those of C++. A part may have been given when it turns out to be none. */
static bool demangled_make(struct demangled *name, const char *made)
{
	if (setjmp(name->too_long))
		return false;
	name->size = 0;
	if (rust_demangle_callback(made, 0, demangled_take, name))
		return true;
	name->size = 0;
	return cplus_demangle_v3_callback(made, DMGL_PARAMS | DMGL_ANSI, demangled_take, name);
}

static char *name_in_source(const char *made)
{
	struct demangled *name = need(malloc(sizeof(*name)));
	char *copy = demangled_make(name, made) ? need(strndup(name->bytes, name->size)) : NULL;

	free(name);
	return copy;
}

#else

/*
 * References to parts of the name before them: S_, S0_, T_ and so on. As each part may have several, so many
 * give a name of some megabytes at most.
 */
#define REFERENCES_MOST 40

static unsigned references_count(const char *made)
{
	unsigned count = 0;

	for (const char *at = made; *at; at++) {
		if (*at == 'S' || *at == 'T')
			count += at[1 + strspn(at + 1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")] ==
				 '_';
	}
	return count;
}

typedef char *(*cxx_demangler)(const char *name, char *room, size_t *size, int *status);

static char *name_in_source(const char *made)
{
	static cxx_demangler of_cxx;
	static bool is_looked_for;
	void *library;
	int status;

	if (!is_looked_for && (library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL)))
		*(void **)&of_cxx = dlsym(library, "__cxa_demangle");
	is_looked_for = true;
	if (!of_cxx || made[1] != 'Z' || references_count(made) > REFERENCES_MOST)
		return NULL;
	return of_cxx(made, NULL, NULL, &status);
}

#endif

/* A name of Rust may have any characters, by their numbers. */
static bool name_is_text(const char *name)
{
	for (size_t left = strlen(name), length; left; left -= length, name += length) {
		length = tl_text_utf8_length(name, left);
		if (!length || (unsigned char)*name < ' ' || *name == 0x7f)
			return false;
	}
	return true;
}

static char *function_name(const char *made)
{
	char *name = name_in_source(made);

	if (name && strlen(name) < NAME_MOST && name_is_text(name))
		return name;
	free(name);
	return NULL;
}

/* ---- the option ---- */

enum { OPTION_NO_DEMANGLE = 0x3000 };

static const struct argp_option options[] = {
	{"no-demangle", OPTION_NO_DEMANGLE, NULL, 0,
	 "show functions of C++ and Rust by the names that the compiler made, such as _Z3fooi", 0},
	{0},
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	(void)argument;
	(void)state;
	if (key != ARGP_KEY_INIT && key != OPTION_NO_DEMANGLE)
		return ARGP_ERR_UNKNOWN;
	names_made_by(key == OPTION_NO_DEMANGLE ? NULL : function_name);
	return 0;
}

const struct argp names_argp = {.options = options, .parser = parse_option};
