/* SPDX-License-Identifier: MIT */
/*
 * interposer_cache.c: see interposer_cache.h.
 *
 * A line of a list is "HASH SIZE MTIME CTIME INODE PATH": the hash is XXH3 of 128 bits in
 * hexadecimal, the times are in nanoseconds. "absent PATH" is a file that tracegen looked for and
 * did not find, such as debug information that may be installed later. The last line is the interposer's
 * own: the dynamic linker would let a program die of a file that was cut short.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "cli/apis/interposer_cache.h"
#include "cli/basics/user_folders.h"
#include "cli/basics/basics.h"

#define LIST_HEAD "tracelayer interposer 3\n"
#define ABSENT	  "absent "

/* ---- one source file ---- */

struct source_state {
	uint64_t hash[2];
	uint64_t size, mtime, ctime, inode;
};

static bool source_look(const char *path, struct source_state *state)
{
	struct stat facts;

	if (stat(path, &facts))
		return false;
	state->size = (uint64_t)facts.st_size;
	state->mtime = time_ns(facts.st_mtim);
	state->ctime = time_ns(facts.st_ctim);
	state->inode = facts.st_ino;
	return true;
}

/* Its size is known. */
static bool source_hash(const char *path, struct source_state *state)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	XXH3_state_t *hash = need(XXH3_createState());
	char bytes[65536];
	ssize_t got = -1;

	XXH3_128bits_reset(hash);
	while (fd >= 0 && (got = read(fd, bytes, sizeof(bytes))) > 0)
		XXH3_128bits_update(hash, bytes, (size_t)got);
	if (fd >= 0)
		close(fd);
	XXH128_hash_t digest = XXH3_128bits_digest(hash);

	XXH3_freeState(hash);
	state->hash[0] = digest.high64;
	state->hash[1] = digest.low64;
	return got == 0;
}

static bool source_put(FILE *list, const char *path)
{
	struct source_state state;

	/* The mark that tracegen puts before a file that it did not find. */
	if (*path == '?')
		return fprintf(list, ABSENT "%s\n", path + 1) > 0;
	return source_look(path, &state) && source_hash(path, &state) &&
	       fprintf(list,
		       "%016" PRIx64 "%016" PRIx64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
		       " %s\n",
		       state.hash[0], state.hash[1], state.size, state.mtime, state.ctime,
		       state.inode, path) > 0;
}

/*
 * The hexadecimal hash, the numbers and the path of a line. Returns the path; NULL: the line is
 * damaged. No scanf, since a list of GTK's headers has 900 lines.
 */
static const char *source_parse(const char *line, struct source_state *state)
{
	uint64_t *const numbers[] = {&state->size, &state->mtime, &state->ctime, &state->inode};
	const char *at = line;

	*state = (struct source_state){0};
	for (int i = 0; i < 32; i++, at++) {
		const char *digits = "0123456789abcdef", *digit = *at ? strchr(digits, *at) : NULL;

		if (!digit)
			return NULL;
		state->hash[i / 16] = state->hash[i / 16] << 4 | (uint64_t)(digit - digits);
	}
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		if (*at++ != ' ' || *at < '0' || *at > '9')
			return NULL;
		for (; *at >= '0' && *at <= '9'; at++)
			*numbers[i] = *numbers[i] * 10 + (uint64_t)(*at - '0');
	}
	return *at == ' ' && at[1] ? at + 1 : NULL;
}

/* Whether the line's file has the same content. *touched: its times are different. */
static bool source_is_current(const char *line, bool *touched)
{
	struct source_state was, now;

	if (!strncmp(line, ABSENT, strlen(ABSENT)))
		return access(line + strlen(ABSENT), F_OK) != 0;
	const char *path = source_parse(line, &was);

	if (!path || !source_look(path, &now) || now.size != was.size)
		return false;
	if (now.mtime == was.mtime && now.ctime == was.ctime && now.inode == was.inode)
		return true;
	*touched = true;
	return source_hash(path, &now) && now.hash[0] == was.hash[0] && now.hash[1] == was.hash[1];
}

/* ---- an entry ---- */

/*
 * Whether a folder's files may run as this user. Those of another user may not, as after sudo with
 * the caller's HOME. root's may if nobody else can write there: it may have made them for all.
 */
static bool folder_is_trusted(const char *folder)
{
	struct stat stat;

	if (lstat(folder, &stat))
		return errno == ENOENT || errno == ENOTDIR || errno == EACCES;
	return stat.st_uid == geteuid() || (!stat.st_uid && !(stat.st_mode & 022));
}

/*
 * Programs of root may become other users, who can't read root's home. So what root makes lies here:
 * all can read it, and only root can write.
 */
static const char public_folder[] = "/var/cache/tracelayer/interposers";

/*
 * Once: root's folder exists, but is of no use. Where others could write, files of theirs may lie in
 * it, so it is not enough to take their right away.
 */
static void public_refuse(const char *folder, const struct stat *stat)
{
	static bool said;

	if (said)
		return;
	said = true;
	if (!S_ISDIR(stat->st_mode))
		say("%s: interposers are kept in root's home, where the users that programs become can't read them: it is no folder; remove it",
		    folder);
	else if (stat->st_uid)
		say("%s: interposers are kept in root's home, where the users that programs become can't read them: the folder belongs to another user; remove it",
		    folder);
	else if (stat->st_mode & 022)
		say("%s: interposers are kept in root's home, where the users that programs become can't read them: others can write to the folder; remove it",
		    folder);
	else
		say("%s: interposers are kept in root's home, where the users that programs become can't read them: the folder has mode %04o; change it with chmod 755",
		    folder, (unsigned)(stat->st_mode & 07777));
}

/* Whether only root can write there, and all can read. */
static bool public_is_sound(const struct stat *stat)
{
	return S_ISDIR(stat->st_mode) && !stat->st_uid && (stat->st_mode & 027) == 05;
}

/* Make the folder unless it exists. Whether it is sound. */
static bool public_make(const char *folder)
{
	struct stat stat;

	/* By chmod, because the umask would cut mkdir's mode. */
	if (!mkdir(folder, 0700) && chmod(folder, 0755))
		return false;
	if (lstat(folder, &stat))
		return false;
	if (public_is_sound(&stat))
		return true;
	public_refuse(folder, &stat);
	return false;
}

static bool public_exists(const char *folder)
{
	struct stat stat;

	return !lstat(folder, &stat) && public_is_sound(&stat);
}

/* Root's interposers are for all, unless root has named a folder for them. */
static bool public_is_wanted(void)
{
	const char *given = getenv("XDG_CACHE_HOME");

	return !geteuid() && !(given && *given == '/');
}

static bool public_is_usable(bool (*check)(const char *folder))
{
	char outer[sizeof(public_folder)];

	strcpy(outer, public_folder);
	*strrchr(outer, '/') = '\0';
	return check(outer) && check(public_folder) && !access(public_folder, W_OK | X_OK);
}

static bool entry_is_public(const struct cache_entry *entry)
{
	return !strcmp(entry->folder, public_folder);
}

static bool entry_folder(struct cache_entry *entry)
{
	if (!public_is_wanted() || !public_is_usable(public_make))
		return user_folder("XDG_CACHE_HOME", ".cache", "interposers", entry->folder);
	strcpy(entry->folder, public_folder);
	return true;
}

/* The entry's files, in its folder. False: their paths are too long. */
static bool entry_name_files(struct cache_entry *entry, const char *label, const char *const *words)
{
	char name[96];
	XXH3_state_t *hash = need(XXH3_createState());

	XXH3_128bits_reset(hash);
	for (; *words; words++)
		XXH3_128bits_update(hash, *words, strlen(*words) + 1);
	XXH128_hash_t digest = XXH3_128bits_digest(hash);

	XXH3_freeState(hash);
	snprintf(name, sizeof(name), "%.48s-%016" PRIx64 "%016" PRIx64, label, digest.high64,
		 digest.low64);
	for (char *at = name; *at; at++)
		if (strchr("/ :", *at))
			*at = '_';
	return snprintf(entry->library, PATH_MAX, "%s/%s.so", entry->folder, name) < PATH_MAX &&
	       snprintf(entry->list, PATH_MAX, "%s/%s.list", entry->folder, name) < PATH_MAX &&
	       snprintf(entry->log, PATH_MAX, "%s/%s.log", entry->folder, name) < PATH_MAX;
}

/* LD_PRELOAD can't express such a path. */
static bool folder_is_inexpressible(const char *folder)
{
	return strpbrk(folder, " :") != NULL;
}

bool cache_place(struct cache_entry *entry, const char *label, const char *const *words)
{
	if (!entry_folder(entry)) {
		say("no home folder to keep interposers in; set XDG_CACHE_HOME");
		return false;
	}
	if (!entry_name_files(entry, label, words)) {
		say("%s: cannot keep interposers there: %s; set XDG_CACHE_HOME to another folder",
		    entry->folder, strerror(ENAMETOOLONG));
		return false;
	}
	if (!folder_is_trusted(entry->folder)) {
		say("%s: the folder belongs to another user; set XDG_CACHE_HOME to one of yours",
		    entry->folder);
		return false;
	}
	if (folder_is_inexpressible(entry->folder)) {
		say("%s: its path has a space or a colon, which LD_PRELOAD can't express; set XDG_CACHE_HOME to another folder",
		    entry->folder);
		return false;
	}
	return true;
}

bool cache_make_folder(const struct cache_entry *entry)
{
	int error = user_folder_make(entry->folder);

	if (error)
		say("%s: cannot keep interposers there: %s; set XDG_CACHE_HOME to a folder that can be written",
		    entry->folder, strerror(error));
	return !error;
}

/* The lines of a list, in `text`. */
struct list_lines {
	char *text, **line;
	size_t count; /* without the head */
};

/* False: there is no list, or it is of another version. */
static bool list_read(const struct cache_entry *entry, struct list_lines *list)
{
	FILE *file = fopen(entry->list, "re");
	size_t room = 0, size = strlen(LIST_HEAD);
	char *end;

	*list = (struct list_lines){0};
	if (!file)
		return false;
	if (getdelim(&list->text, &room, '\0', file) <= 0 || strncmp(list->text, LIST_HEAD, size)) {
		fclose(file);
		return false;
	}
	fclose(file);
	for (char *at = list->text + size; (end = strchr(at, '\n')) != NULL; at = end + 1) {
		if (!(list->count & (list->count + 1)))
			list->line = need(
				reallocarray(list->line, 2 * list->count + 2, sizeof(*list->line)));
		list->line[list->count++] = at;
		*end = '\0';
	}
	return list->count > 0;
}

static void list_free(struct list_lines *list)
{
	free(list->text);
	free(list->line);
}

/* Write the list again: the files are the same, but their times have changed. */
static void cache_refresh(const struct cache_entry *entry, const struct list_lines *list)
{
	char temporary[PATH_MAX + 16];
	bool whole;

	snprintf(temporary, sizeof(temporary), "%s.%d", entry->list, getpid());
	FILE *to = fopen(temporary, "we");

	if (!to)
		return;
	whole = fputs(LIST_HEAD, to) >= 0;
	for (size_t i = 0; i < list->count; i++) {
		struct source_state was;
		const char *path = source_parse(list->line[i], &was);

		/* Absent files stay as they are. */
		whole &= path ? source_put(to, path) : fprintf(to, "%s\n", list->line[i]) > 0;
	}
	if (fclose(to) || !whole || rename(temporary, entry->list))
		unlink(temporary);
}

/*
 * A file of another user is made again. It may lie here since a time when others could write to the
 * folder.
 */
static bool file_is_trusted(const char *path)
{
	struct stat stat;

	return !lstat(path, &stat) && S_ISREG(stat.st_mode) &&
	       (!stat.st_uid || stat.st_uid == geteuid());
}

bool cache_is_current(const struct cache_entry *entry)
{
	struct list_lines list = {.text = NULL};
	bool touched = false;
	bool current = file_is_trusted(entry->list) && file_is_trusted(entry->library) &&
		       list_read(entry, &list) && !access(entry->library, R_OK);

	for (size_t i = 0; current && i < list.count; i++)
		current = source_is_current(list.line[i], &touched);
	if (current && touched)
		cache_refresh(entry, &list);
	list_free(&list);
	return current;
}

bool cache_has(struct cache_entry *entry, const char *label, const char *const *words)
{
	if (!public_is_wanted()) {
		if (!user_folder("XDG_CACHE_HOME", ".cache", "interposers", entry->folder))
			return false;
	} else if (public_is_usable(public_exists)) {
		strcpy(entry->folder, public_folder);
	} else {
		return false;
	}
	return entry_name_files(entry, label, words) && folder_is_trusted(entry->folder) &&
	       !folder_is_inexpressible(entry->folder) && cache_is_current(entry);
}

/* The sources are those that tracegen names. Returns 0 or an errno. */
static int list_put_sources(FILE *to, FILE *from)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t length;
	int error = 0;

	errno = 0;
	if (fputs(LIST_HEAD, to) < 0)
		error = errno ? errno : EIO;
	while (!error && (length = getline(&line, &room, from)) > 0) {
		line[length - 1] = '\0';
		if (!source_put(to, line))
			error = errno ? errno : EIO;
	}
	free(line);
	return error;
}

int cache_keep(const struct cache_entry *entry, const char *library, const char *sources)
{
	char temporary[PATH_MAX + 16];
	int error = 0;

	snprintf(temporary, sizeof(temporary), "%s.%d", entry->list, getpid());
	errno = 0;
	FILE *from = fopen(sources, "re"), *to = from ? fopen(temporary, "we") : NULL;

	error = to ? list_put_sources(to, from) : errno ? errno : EIO;
	if (from)
		fclose(from);
	/* The old list must not stand beside the new library. */
	if (!error && unlink(entry->list) && errno != ENOENT)
		error = errno;
	if (!error && entry_is_public(entry) && chmod(library, 0644))
		error = errno;
	if (!error && rename(library, entry->library))
		error = errno;
	if (!error && !source_put(to, entry->library))
		error = errno ? errno : EIO;
	if (to && fclose(to) && !error)
		error = errno;
	if (!error && rename(temporary, entry->list))
		error = errno;
	if (error) {
		unlink(temporary);
		unlink(library);
	}
	unlink(sources);
	return error;
}
