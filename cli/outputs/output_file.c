/* SPDX-License-Identifier: MIT */
/*
 * output_file.c: see output_file.h.
 *
 * The folder is found once, by a walk that does not follow other users' links, and everything is
 * done inside it. The file stays in this folder, whatever happens to the path in between.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/basics/basics.h"
#include "cli/outputs/output_file.h"
#include "common/output.h"

#define TRIES 100

/* Removed when a signal ends us. */
static volatile int unfinished_folder = -1;
static char unfinished[NAME_MAX + 1];

static void remove_and_die(int number)
{
	if (unfinished_folder >= 0)
		unlinkat(unfinished_folder, unfinished, 0);
	signal(number, SIG_DFL);
	raise(number);
}

static void clean_up_on_signals(const struct output_file *file)
{
	static const int numbers[] = {SIGHUP, SIGINT, SIGTERM};
	struct sigaction old, action = {.sa_handler = remove_and_die};

	strcpy(unfinished, file->made);
	unfinished_folder = file->folder;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (!sigaction(numbers[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
}

const char *output_file_trouble(int error)
{
	const char *words = tl_output_words(error);

	return words ? words : strerror(error);
}

const char *output_file_remedy(int error, const char *otherwise)
{
	switch (error) {
	case ENOMEM:
		return "raise the limit of memory (ulimit -v)";
	case EMFILE:
		return "raise the limit of open files (ulimit -n)";
	case EFBIG:
		return "raise the limit of a file's size (ulimit -f), or put it elsewhere";
	default:
		return otherwise;
	}
}

int output_file_check(const char *path)
{
	struct stat there;

	if (!strcmp(path, "-"))
		return 0;
	return !lstat(path, &there) && S_ISDIR(there.st_mode) ? EISDIR : -tl_output_check(path);
}

/* The path as the user gave it, with the name that the file has. */
static int name_path(struct output_file *file)
{
	const char *slash = strrchr(file->asked, '/');
	int length = slash ? (int)(slash - file->asked) + 1 : 0;

	return snprintf(file->path, sizeof(file->path), "%.*s%s", length, file->asked, file->name) <
			       (int)sizeof(file->path)
		       ? 0
		       : ENAMETOOLONG;
}

/* Finds a free name, from this number on. */
static int choose_name(struct output_file *file, uint32_t *number)
{
	const char *slash = strrchr(file->asked, '/'), *plain = slash ? slash + 1 : file->asked;
	struct stat stat;

	for (;; *number = tl_output_free_number(file->folder, plain, *number + 1)) {
		strcpy(file->name, plain);
		if (*number && !tl_output_number(file->name, sizeof(file->name), *number))
			return ENAMETOOLONG;
		if (fstatat(file->folder, file->name, &stat, AT_SYMLINK_NOFOLLOW))
			return errno == ENOENT ? name_path(file) : errno;
	}
}

static int make_temporary(struct output_file *file)
{
	for (int tries = 0; tries < TRIES; tries++) {
		uint32_t chance = 0;

		if (getrandom(&chance, sizeof(chance), GRND_NONBLOCK) < 0)
			chance = (uint32_t)getpid() * TRIES + (uint32_t)tries;
		snprintf(file->made, sizeof(file->made), "%.*s.%06x", NAME_MAX - 7, file->name,
			 chance & 0xffffff);
		file->fd = openat(file->folder, file->made,
				  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (file->fd >= 0 || errno != EEXIST)
			break;
	}
	return file->fd >= 0 ? 0 : errno;
}

static int open_in_folder(struct output_file *file)
{
	uint32_t number = 0;
	int error = name_path(file);
	struct stat there;

	file->fd = tl_output_special(file->folder, file->name, 0);
	if (file->fd != -EEXIST)
		return file->fd < 0 ? -file->fd : 0;
	/* A number would make a file beside it, which nobody asked for. */
	if (!fstatat(file->folder, file->name, &there, AT_SYMLINK_NOFOLLOW) &&
	    S_ISDIR(there.st_mode))
		return EISDIR;
	if (!error && !file->force)
		error = choose_name(file, &number);
	if (!error)
		error = make_temporary(file);
	file->temporary = !error;
	if (file->temporary)
		clean_up_on_signals(file);
	return error;
}

int output_file_open(struct output_file *file, const char *asked, bool force)
{
	*file = (struct output_file){
		.asked = asked, .force = force, .fd = STDOUT_FILENO, .folder = -1};
	if (!strcmp(asked, "-")) {
		strcpy(file->path, "the output");
		return 0;
	}
	file->folder = tl_output_folder(asked, file->name);
	if (file->folder < 0)
		return -file->folder;
	int error = open_in_folder(file);

	if (error)
		close(file->folder);
	return error;
}

/* A file system without RENAME_NOREPLACE takes two steps. */
static int rename_or_fail(const struct output_file *file)
{
	if (!renameat2(file->folder, file->made, file->folder, file->name, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return errno;
	return linkat(file->folder, file->made, file->folder, file->name, 0) ||
			       unlinkat(file->folder, file->made, 0)
		       ? errno
		       : 0;
}

static int take_name(struct output_file *file)
{
	uint32_t number = 0;
	int error;

	if (file->force)
		return renameat(file->folder, file->made, file->folder, file->name) ? errno : 0;
	/* Somebody may have taken the name in between. */
	while ((error = rename_or_fail(file)) == EEXIST)
		if ((error = choose_name(file, &number)))
			return error;
	return error;
}

int output_file_close(struct output_file *file, bool keep)
{
	int error = 0;

	if (file->folder < 0)
		return 0;
	if (close(file->fd))
		error = errno;
	if (file->temporary && keep && !error)
		error = take_name(file);
	if (file->temporary && (!keep || error))
		unlinkat(file->folder, file->made, 0);
	unfinished_folder = -1;
	close(file->folder);
	return error;
}

void output_file_say(const struct output_file *file)
{
	if (file->folder >= 0 && strcmp(file->asked, file->path))
		say("%s: that name is taken; written to %s (-f overwrites)", file->asked,
		    file->path);
}
