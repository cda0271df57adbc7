/* SPDX-License-Identifier: MIT */
/*
 * otf2_archive.c: see otf2_archive.h.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/export/otf2_archive.h"

/* The names in the order in which they are moved: the one that readers open comes last. */
static const char *const endings[] = {"", ".def", ".otf2"};
#define ENDINGS (sizeof(endings) / sizeof(*endings))

static int path_in(char path[PATH_MAX], const char *folder, const char *name, const char *ending)
{
	return snprintf(path, PATH_MAX, "%s/%s%s", folder, name, ending) < PATH_MAX ? 0
										    : ENAMETOOLONG;
}

static bool name_is_taken(const struct otf2_place *place)
{
	char path[PATH_MAX];
	struct stat about;

	for (size_t i = 0; i < ENDINGS; i++)
		if (!path_in(path, place->folder, place->name, endings[i]) && !lstat(path, &about))
			return true;
	return false;
}

static int path_split(struct otf2_place *place, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t size = strlen(name) - strlen(".otf2");

	if (size >= sizeof(place->asked) || strlen(path) >= PATH_MAX - 32)
		return ENAMETOOLONG;
	memcpy(place->asked, name, size);
	memcpy(place->name, name, size);
	if (slash)
		snprintf(place->folder, PATH_MAX, "%.*s", (int)(slash - path), path);
	else
		strcpy(place->folder, ".");
	if (slash == path)
		strcpy(place->folder, "/");
	return 0;
}

/* A name that is taken gets the first free number, as other outputs do. */
static void name_number(struct otf2_place *place)
{
	for (unsigned number = 1; name_is_taken(place); number++)
		snprintf(place->name, sizeof(place->name), "%s.%u", place->asked, number);
}

static volatile sig_atomic_t stopped; /* the signal */

static void note_signal(int number)
{
	stopped = number;
}

bool otf2_place_is_stopped(void)
{
	return stopped;
}

static void hold_signals(void)
{
	static const int numbers[] = {SIGHUP, SIGINT, SIGTERM};
	struct sigaction old, action = {.sa_handler = note_signal};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (!sigaction(numbers[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
}

int otf2_place_open(struct otf2_place *place, const char *path, bool force)
{
	int error;

	memset(place, 0, sizeof(*place));
	place->force = force;
	error = path_split(place, path);
	if (error)
		return error;
	if (!force)
		name_number(place);
	if (path_in(place->made, place->folder, ".otf2-", "XXXXXX"))
		return ENAMETOOLONG;
	hold_signals();
	return mkdtemp(place->made) ? 0 : errno;
}

static int entry_remove(const char *path, const struct stat *about, int kind, struct FTW *at)
{
	(void)about;
	(void)kind;
	(void)at;
	return remove(path);
}

/* A folder with all that is in it, or a file. */
static void path_remove(const char *path)
{
	nftw(path, entry_remove, 16, FTW_DEPTH | FTW_PHYS);
}

/* Removes an archive of that name, and nothing that is none: its first file must be there. */
static int archive_remove(const struct otf2_place *place)
{
	char path[PATH_MAX];
	struct stat about;

	if (path_in(path, place->folder, place->name, ".otf2"))
		return ENAMETOOLONG;
	if (lstat(path, &about))
		return name_is_taken(place) ? EEXIST : 0;
	if (!S_ISREG(about.st_mode))
		return EEXIST;
	for (size_t i = 0; i < ENDINGS; i++)
		if (!path_in(path, place->folder, place->name, endings[i]))
			path_remove(path);
	return 0;
}

/* Without -f nothing is replaced. Some file systems can't move in that way. */
static int entry_move(const struct otf2_place *place, const char *from, const char *to)
{
	struct stat about;

	if (!place->force && !renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE))
		return 0;
	if (!place->force && errno != EINVAL && errno != ENOSYS)
		return errno;
	if (!place->force && !lstat(to, &about))
		return EEXIST;
	return rename(from, to) ? errno : 0;
}

/* All of it, or nothing. */
static int archive_move(const struct otf2_place *place)
{
	char from[PATH_MAX], to[PATH_MAX];
	int error = 0;
	size_t moved = 0;

	while (moved < ENDINGS && !error) {
		error = path_in(from, place->made, place->asked, endings[moved]) ||
					path_in(to, place->folder, place->name, endings[moved])
				? ENAMETOOLONG
				: entry_move(place, from, to);
		moved += !error;
	}
	while (error && moved > 0)
		if (!path_in(to, place->folder, place->name, endings[--moved]))
			path_remove(to);
	return error;
}

int otf2_place_close(struct otf2_place *place, bool keep)
{
	int error = 0;

	keep = keep && !stopped;
	if (keep && place->force)
		error = archive_remove(place);
	if (keep && !error)
		error = archive_move(place);
	/* Without -f the name was free; somebody has taken it meanwhile. */
	while (keep && !place->force && error == EEXIST) {
		name_number(place);
		error = archive_move(place);
	}
	path_remove(place->made);
	if (stopped) {
		signal(stopped, SIG_DFL);
		raise(stopped);
	}
	return error;
}
