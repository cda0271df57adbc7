/* SPDX-License-Identifier: MIT */
/*
 * preloading.c: see preloading.h.
 *
 * LD_PRELOAD gets, in this order: the shims for MPI, the interposers, the layer, what the user has
 * there. Each step puts its libraries before those of the steps before it. The layer comes behind all
 * shims, so that what the dynamic linker finds next, behind the layer, is what the program would
 * find without them.
 */
#include "config.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/apis/apis.h"
#include "cli/basics/basics.h"
#include "cli/run/given_settings.h"
#include "cli/run/preloading.h"
#include "common/annotation_environment.h"
#include "common/installed.h"
#include "common/settings.h"
#include "common/tool_list.h"
#include "common/xpti_environment.h"

#define LIBRARY	    "libtracelayer.so"
#define MPI_LIBRARY "libtracelayer-mpi.so"

/* ---- tools ---- */

/* As an item of the list: colons are written \\:. */
static void add_escaped(FILE *to, const char *text)
{
	for (; *text; text++) {
		if (*text == ':')
			fputc('\\', to);
		fputc(*text, to);
	}
}

/*
 * See that every tool is there and its options have values where they need them, and name each by its whole path,
 * so that programs which the program starts find it from their own folders, too. Returns false where
 * one can't be used, which it has said.
 */
static bool find_tools(const char *library)
{
	struct tl_tool_item *item = need(malloc(sizeof(*item)));
	const char *list = getenv(tl_settings[TL_SETTING_TOOLS].variable);
	const char *from = given_elsewhere(&tl_settings[TL_SETTING_TOOLS]), *option;
	char here[PATH_MAX], path[PATH_MAX], *whole = NULL;
	size_t size = 0;
	FILE *to = need(open_memstream(&whole, &size));
	bool found = true;

	if (!getcwd(here, sizeof(here)))
		strcpy(here, ".");
	while (found && list && tl_tools_next(&list, item)) {
		found = tl_tools_find(item->name, library, here, path, sizeof(path));
		if (!found) {
			say("%s%stool %s: %s", from ? from : "", from ? ": " : "", item->name,
			    !strchr(item->name, '/')
				    ? "no such tool; give summary, log, leaks, faults, or a path"
			    : access(item->name, F_OK) == 0
				    ? "not a regular file; give the path of a tool library"
				    : "no such file; give the path of a tool library");
			break;
		}
		bool ours = tl_tools_is_ours(item->name, library);
		int length = 0;
		const char *fault = ours ? tl_tools_fault(item->options, &option, &length) : NULL;

		found = !fault;
		if (!found) {
			say("%s%stool %s: %.*s %s", from ? from : "", from ? ": " : "", item->name,
			    length, option, fault);
			break;
		}
		if (ftell(to) > 0)
			fputc(':', to);
		add_escaped(to, ours ? item->name : path);
		if (item->options[0]) {
			fputc('=', to);
			add_escaped(to, item->options);
		}
	}
	fclose(to);
	if (found && size)
		setenv(tl_settings[TL_SETTING_TOOLS].variable, whole, 1);
	free(whole);
	free(item);
	return found;
}

/* ---- LD_PRELOAD ---- */

/* Two lists whose items are separated by colons, as one. The second may be NULL. */
static char *lists_join(const char *first, const char *second)
{
	bool both = *first && second && *second;
	char *joined;

	if (asprintf(&joined, "%s%s%s", first, both ? ":" : "", second ? second : "") < 0)
		need(NULL);
	return joined;
}

/*
 * AddressSanitizer refuses to start behind another library, unless it is told not to look. It works
 * all the same. The layer tells it (layer/process/asan_options.c), unless the program has defaults of
 * its own. This is for such a program, if it is started here, and not for those that it starts.
 * `preload`: LD_PRELOAD without the layer, or NULL.
 */
static void let_asan_start(const struct program *program, const char *preload)
{
	const char *before = getenv("ASAN_OPTIONS");

	if (before && strstr(before, "verify_asan_link_order"))
		return;
	if (!preload_has_asan(preload) && !program_has_asan(program))
		return;
	char *value = lists_join(before ? before : "", "verify_asan_link_order=0");

	setenv("ASAN_OPTIONS", value, 1);
	free(value);
}

/* Puts libraries before what LD_PRELOAD has. */
static void preload_put_before(const char *libraries)
{
	char *value = lists_join(libraries, getenv("LD_PRELOAD"));

	setenv("LD_PRELOAD", value, 1);
	free(value);
}

/* False, after a message: it is not installed. */
static bool own_library(const char *name, char *found)
{
	bool there = installed_library(name, found);

	if (!there)
		say("%s: not found beside this command nor in %s; run `make install`", name,
		    LIBDIR);
	return there;
}

int run_preload(struct program *program)
{
	char library[PATH_MAX];

	if (!own_library(LIBRARY, library))
		return EXIT_BROKEN;
	if (strpbrk(library, " :")) {
		say("%s: its path has a space or a colon, which LD_PRELOAD can't express; move it",
		    library);
		return EXIT_BROKEN;
	}
	if (!find_tools(library))
		return EXIT_USAGE;
	const char *before = getenv("LD_PRELOAD");
	char *value = lists_join(library, before);

	/* Otherwise the program would not start, or its dynamic linker would print an error. */
	if (program_takes(program, value)) {
		let_asan_start(program, before);
		setenv("LD_PRELOAD", value, 1);
	}
	free(value);
	return EXIT_DONE;
}

static int bring_interposers(const struct preloading *wanted, const struct program *program)
{
	char *paths, *list = need(strdup(""));
	int code = EXIT_DONE;

	for (size_t i = 0; i < wanted->interposers && code == EXIT_DONE; i++) {
		wanted->interposer[i].program = program->path;
		wanted->interposer[i].quiet = !wanted->speak;
		code = interposer_find(&wanted->interposer[i], &paths);
		char *longer = lists_join(list, paths);
		free(paths);
		free(list);
		list = longer;
	}
	if (code == EXIT_DONE && *list)
		preload_put_before(list);
	free(list);
	return code;
}

/* --mpi: shims that were made when tracelayer was built. */
static int bring_mpi(void)
{
	char library[PATH_MAX];

	if (!own_library(MPI_LIBRARY, library))
		return EXIT_BROKEN;
	preload_put_before(library);
	return EXIT_DONE;
}

/* ---- what else is told by the environment ---- */

/*
 * --xpti. Libraries of the program may load the dispatcher before the layer is there to see to it,
 * so it is done here.
 */
static int bring_xpti(void)
{
	char dispatcher[PATH_MAX], timeline[PATH_MAX];

	if (!installed_library(TL_XPTI_DISPATCHER, dispatcher) ||
	    !installed_library(TL_XPTI_TIMELINE, timeline)) {
		say("%s and %s: not found beside this command nor in %s; run `make install`",
		    TL_XPTI_DISPATCHER, TL_XPTI_TIMELINE, LIBDIR);
		return EXIT_BROKEN;
	}
	*strrchr(timeline, '/') = '\0';
	if (!tl_xpti_set_environment(timeline)) {
		say("%s: its path has a comma, which XPTI_SUBSCRIBERS can't express; move it",
		    timeline);
		return EXIT_BROKEN;
	}
	if (tl_xpti_turned_off())
		say("--xpti: XPTI_TRACE_ENABLE=%s turns XPTI off, so no stream will be recorded; unset it",
		    tl_xpti_turned_off());
	return EXIT_DONE;
}

/*
 * --annotations. A tool that the user has named keeps its place, and a line says so. A library that
 * is missing is an error only where the user has asked for it.
 */
static int bring_annotations(bool speak)
{
	char library[PATH_MAX];
	const char *interface, *variable, *other;

	if (!installed_library(TL_ANNOTATIONS, library)) {
		if (!getenv(tl_settings[TL_SETTING_ANNOTATIONS].variable))
			return EXIT_DONE;
		say("%s: not found beside this command nor in %s; run `make install`, or give --annotations=no",
		    TL_ANNOTATIONS, LIBDIR);
		return EXIT_BROKEN;
	}
	if (!tl_annotation_set_environment(library))
		need(NULL);
	for (int n = 0; (variable = tl_annotation_variable(n, &interface)); n++)
		if (speak && (other = tl_annotation_other_tool(n)))
			say("%s=%s: what the program tells %s goes there and will not be in the trace; unset it",
			    variable, other, interface);
	return EXIT_DONE;
}

/* ---- all of it ---- */

static int libraries_preload(const struct preloading *wanted, struct program *program)
{
	const char *there = getenv("LD_PRELOAD");
	char *before = there ? need(strdup(there)) : NULL;
	int code = EXIT_DONE;

	if (program->nature != TL_PROGRAM_FOREIGN)
		code = run_preload(program);
	if (code == EXIT_DONE)
		code = bring_interposers(wanted, program);
	if (code == EXIT_DONE && wanted->mpi)
		code = bring_mpi();
	if (program->nature == TL_PROGRAM_FOREIGN || program->nature == TL_PROGRAM_LIBC) {
		if (before)
			setenv("LD_PRELOAD", before, 1);
		else
			unsetenv("LD_PRELOAD");
	}
	free(before);
	return code;
}

int preloading_prepare(const struct preloading *wanted, struct program *program)
{
	int code = libraries_preload(wanted, program);

	if (code == EXIT_DONE && wanted->xpti)
		code = bring_xpti();
	if (code == EXIT_DONE && wanted->annotations)
		code = bring_annotations(wanted->speak);
	return code;
}
