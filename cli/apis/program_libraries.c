/* SPDX-License-Identifier: MIT */
/*
 * program_libraries.c: see program_libraries.h.
 *
 * The search is that of ld.so(8): DT_RPATH of the file that needs the library and of the program,
 * LD_LIBRARY_PATH, DT_RUNPATH, the cache, and the standard folders.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/apis/program_libraries.h"
#include "cli/basics/basics.h"
#include "cli/basics/words.h"
#include "common/library_file.h"
#include "common/library_path.h"
#include "common/program_file.h"

struct loading {
	struct words *names;
	char *program_rpath;
	bool whole;	    /* each was found, and read */
	const char *wanted; /* the library whose file is asked for, or NULL */
	char *where;	    /* its path, once it is found */
};

static bool names_have(const struct words *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++)
		if (!strcmp(names->item[i], name))
			return true;
	return false;
}

/*
 * A list of folders, to be freed, with the file's folder in place of $ORIGIN. NULL: it is empty.
 * *whole becomes false for other words of this kind, such as $LIB.
 */
static char *folders_expand(const struct tl_library_file *file, int64_t tag, const char *path,
			    bool *whole)
{
	static const char *const origins[] = {"$ORIGIN", "${ORIGIN}"};
	const Elf64_Dyn *entry = tl_library_file_entry(file, tag);
	const char *list = entry ? tl_library_file_string(file, entry->d_un.d_val) : NULL;
	const char *slash = strrchr(path, '/');
	char *text = NULL;
	size_t size;

	if (!list || !*list)
		return NULL;
	FILE *to = need(open_memstream(&text, &size));

	while (*list) {
		size_t word = 0;

		for (int i = 0; i < 2 && !word; i++)
			if (!strncmp(list, origins[i], strlen(origins[i])))
				word = strlen(origins[i]);
		if (word)
			fprintf(to, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
		else
			fputc(*list, to);
		*whole &= word || *list != '$';
		list += word ? word : 1;
	}
	need(fclose(to) ? NULL : text);
	return text;
}

static bool library_find(const struct loading *loading, const char *name, const char *rpath,
			 const char *runpath, char *path)
{
	const char *variable = getenv("LD_LIBRARY_PATH");
	const char *above = runpath ? NULL : loading->program_rpath;

	if (strchr(name, '/'))
		return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX;
	return (rpath && tl_library_in_folders(rpath, name, path)) ||
	       (above && tl_library_in_folders(above, name, path)) ||
	       (variable && tl_library_in_folders(variable, name, path)) ||
	       (runpath && tl_library_in_folders(runpath, name, path)) ||
	       tl_library_in_cache(name, path) ||
	       tl_library_in_folders(TL_LIBRARY_FOLDERS, name, path);
}

/* What the file needs, and what that needs in turn. */
static void loading_read(struct loading *loading, const char *path)
{
	struct tl_library_file file;
	char found[PATH_MAX];

	if (tl_library_file_open(path, &file)) {
		loading->whole = false;
		return;
	}
	char *runpath = folders_expand(&file, DT_RUNPATH, path, &loading->whole);
	char *rpath = runpath ? NULL : folders_expand(&file, DT_RPATH, path, &loading->whole);

	if (!loading->names->count && rpath)
		loading->program_rpath = need(strdup(rpath));
	for (size_t i = 0; i < file.ndynamic && file.dynamic[i].d_tag != DT_NULL; i++) {
		const char *name =
			file.dynamic[i].d_tag == DT_NEEDED
				? tl_library_file_string(&file, file.dynamic[i].d_un.d_val)
				: NULL;

		if (!name || names_have(loading->names, name))
			continue;
		words_add(loading->names, need(strdup(name)));
		if (!library_find(loading, name, rpath, runpath, found)) {
			loading->whole = false;
			continue;
		}
		if (loading->wanted && !loading->where && !strcmp(name, loading->wanted))
			loading->where = need(strdup(found));
		loading_read(loading, found);
	}
	free(runpath);
	free(rpath);
	tl_library_file_close(&file);
}

/* Starts it with standard output to that descriptor. No shell: a file's words are no commands. */
static bool linker_start(const char *program, const char *interpreter, int output, pid_t *child)
{
	char *const argv[] = {(char *)interpreter, (char *)"--list", (char *)program, NULL};
	posix_spawn_file_actions_t actions;

	if (posix_spawn_file_actions_init(&actions))
		return false;
	bool started = !posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO) &&
		       !posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null",
							 O_WRONLY, 0) &&
		       !posix_spawn(child, interpreter, &actions, NULL, argv, environ);

	posix_spawn_file_actions_destroy(&actions);
	return started;
}

/* What the dynamic linker lists for the program, to be freed; NULL: nothing. */
static char *program_list(const char *program, const char *interpreter)
{
	char *text = NULL;
	size_t room = 0;
	pid_t child;
	int ends[2];

	if (!*interpreter || pipe2(ends, O_CLOEXEC))
		return NULL;
	bool started = linker_start(program, interpreter, ends[1], &child);

	close(ends[1]);
	FILE *list = need(fdopen(ends[0], "r"));
	if (getdelim(&text, &room, '\0', list) <= 0) {
		free(text);
		text = NULL;
	}
	fclose(list);
	while (started && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	return text;
}

/* Reads the program's file, and what is loaded with it, if it has a dynamic linker. */
static void loading_read_all(struct loading *loading, const char *program,
			     struct tl_program_file *file)
{
	tl_program_file(program, file);
	if (*file->interpreter)
		loading_read(loading, program);
	free(loading->program_rpath);
}

void program_libraries_read(const char *program, struct program_libraries *libraries)
{
	struct loading loading = {.names = &libraries->names, .whole = true};
	struct tl_program_file file;

	*libraries = (struct program_libraries){0};
	loading_read_all(&loading, program, &file);
	if (!loading.whole)
		libraries->listed = program_list(program, file.interpreter);
}

bool program_libraries_have(const struct program_libraries *libraries, const char *soname)
{
	return names_have(&libraries->names, soname) ||
	       (libraries->listed && strstr(libraries->listed, soname));
}

void program_libraries_free(struct program_libraries *libraries)
{
	for (size_t i = 0; i < libraries->names.count; i++)
		free((char *)libraries->names.item[i]);
	words_free(&libraries->names);
	free(libraries->listed);
}

char *program_library_path(const char *program, const char *soname)
{
	struct program_libraries libraries = {0};
	struct loading loading = {.names = &libraries.names, .wanted = soname};
	struct tl_program_file file;

	loading_read_all(&loading, program, &file);
	program_libraries_free(&libraries);
	return loading.where;
}

bool library_is_installed(const char *soname)
{
	const char *folders = getenv("LD_LIBRARY_PATH");
	char path[PATH_MAX];

	return (folders && tl_library_in_folders(folders, soname, path)) ||
	       tl_library_in_cache(soname, path);
}
