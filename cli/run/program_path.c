/* SPDX-License-Identifier: MIT */
/*
 * program_path.c: see program_path.h. Finds the file as execvp does, and follows a script to its
 * interpreter. common/program_file.h tells what kind of file that is.
 */
#include "config.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/run/program_path.h"
#include "common/library_file.h"

#define INTERPRETERS 4 /* scripts that interpret scripts: as deep as Linux follows them */

/* The beginnings of its file's names: gcc's and clang's. */
static const char *const asan_names[] = {"libasan.so", "libclang_rt.asan"};

/* The errno that executing the file would give; 0 where it can be. */
static int cannot_execute(const char *path)
{
	struct stat status;

	if (stat(path, &status))
		return errno;
	if (!S_ISREG(status.st_mode) || faccessat(AT_FDCWD, path, X_OK, AT_EACCESS))
		return EACCES;
	return 0;
}

static int find_in_path(const char *name, char *found)
{
	const char *path = getenv("PATH");
	int error = ENOENT;

	if (!path)
		path = "/bin:/usr/bin";
	for (const char *at = path;; at++) {
		size_t length = strcspn(at, ":");
		int wanted = snprintf(found, PATH_MAX, "%.*s%s%s", (int)length, at,
				      length ? "/" : "", name);

		if (wanted < PATH_MAX) {
			int why = cannot_execute(found);

			if (!why)
				return 0;
			/* Nobody may know what is in a folder that can't be searched. */
			if (why == EACCES && !access(found, F_OK))
				error = EACCES;
		}
		at += length;
		if (!*at)
			return error;
	}
}

static int find_program(const char *name, char *found)
{
	if (!*name)
		return ENOENT;
	if (!strchr(name, '/'))
		return find_in_path(name, found);
	if (snprintf(found, PATH_MAX, "%s", name) >= PATH_MAX)
		return ENAMETOOLONG;
	return cannot_execute(found);
}

/*
 * The interpreter that a script's first line names. `#!/usr/bin/env [-S] NAME` is looked through,
 * as it is how most scripts find theirs. Returns false where the file is no script.
 */
static bool interpreter_of(const char *path, char *interpreter)
{
	char line[256] = "", *rest = line + 2;
	FILE *file = fopen(path, "re");

	if (!file)
		return false;
	if (!fgets(line, sizeof(line), file))
		line[0] = '\0';
	fclose(file);
	if (strncmp(line, "#!", 2))
		return false;
	char *word = strtok_r(rest, " \t\n", &rest);

	if (!word)
		return false;
	snprintf(interpreter, PATH_MAX, "%s", word);
	const char *base = strrchr(word, '/');

	if (strcmp(base ? base + 1 : word, "env"))
		return true;
	do {
		word = strtok_r(NULL, " \t\n", &rest);
	} while (word && (*word == '-' || strchr(word, '=')));
	char found[PATH_MAX];

	if (word && !find_program(word, found))
		snprintf(interpreter, PATH_MAX, "%s", found);
	return true;
}

static const char *machine_name(int machine)
{
	switch (machine) {
	case EM_386:
		return "32-bit x86";
	case EM_X86_64:
		return "x86-64";
	case EM_ARM:
		return "32-bit Arm";
	case EM_AARCH64:
		return "AArch64";
	case EM_RISCV:
		return "RISC-V";
	case EM_PPC64:
		return "POWER";
	default:
		return "another architecture";
	}
}

static void program_examine(struct program *program)
{
	struct tl_program_file file;

	tl_program_file(program->file, &file);
	program->nature = file.nature;
	program->elf = file.elf;
	program->machine = file.narrow ? "a 32-bit ABI" : machine_name(file.machine);
	strcpy(program->loader, file.interpreter);
}

static bool is_same_file(const char *one, const char *other)
{
	struct stat a, b;

	return !stat(one, &a) && !stat(other, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/*
 * `loader --list` loads all that the program would, runs none of it, and fails where something is
 * missing.
 */
static bool loader_loads(const char *loader, const char *file, const char *preload)
{
	int status = -1;
	pid_t trial = fork();

	if (trial < 0)
		return true;
	if (!trial) {
		int null = open("/dev/null", O_RDWR | O_CLOEXEC);
		for (int fd = 0; fd < 3; fd++)
			dup2(null, fd);
		setenv("LD_PRELOAD", preload, 1);
		execl(loader, loader, "--list", file, NULL);
		_exit(0);
	}
	while (waitpid(trial, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

bool program_takes(struct program *program, const char *preload)
{
	struct tl_program_file own;

	if (program->nature == TL_PROGRAM_FOREIGN || program->nature == TL_PROGRAM_LIBC)
		return false;
	if (program->nature != TL_PROGRAM_DYNAMIC || !*program->loader)
		return true;
	tl_program_file("/proc/self/exe", &own);
	if (!*own.interpreter || is_same_file(own.interpreter, program->loader) ||
	    loader_loads(program->loader, program->file, preload))
		return true;
	program->nature = TL_PROGRAM_LIBC;
	return false;
}

int program_find(const char *name, struct program *program)
{
	memset(program, 0, sizeof(*program));
	int error = find_program(name, program->path);

	if (error)
		return error;
	strcpy(program->file, program->path);
	char interpreter[PATH_MAX];

	for (int i = 0; i < INTERPRETERS && interpreter_of(program->file, interpreter); i++) {
		program->script = true;
		strcpy(program->file, interpreter);
	}
	program_examine(program);
	return 0;
}

static bool list_has(const char *list, const char *name)
{
	for (const char *at = list; at && (at = strstr(at, name)); at++)
		if (at == list || strchr(": /", at[-1]))
			return true;
	return false;
}

bool preload_has_asan(const char *preload)
{
	return list_has(preload, asan_names[0]) || list_has(preload, asan_names[1]);
}

static bool is_asan(const char *name)
{
	return !strncmp(name, asan_names[0], strlen(asan_names[0])) ||
	       !strncmp(name, asan_names[1], strlen(asan_names[1]));
}

bool program_has_asan(const struct program *program)
{
	struct tl_library_file file;
	bool has = false;

	if (!program->elf || tl_library_file_open(program->file, &file))
		return false;
	for (size_t i = 0; !has && i < file.ndynamic && file.dynamic[i].d_tag != DT_NULL; i++) {
		const char *name =
			file.dynamic[i].d_tag == DT_NEEDED
				? tl_library_file_string(&file, file.dynamic[i].d_un.d_val)
				: NULL;
		has = name && is_asan(name);
	}
	tl_library_file_close(&file);
	return has;
}
