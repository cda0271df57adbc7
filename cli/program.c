/*
 * program: finds the file as execvp does, follows a script to its interpreter, and reads the ELF
 * headers of that.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "cli/program.h"

#define INTERPRETERS 4 /* scripts that interpret scripts: as deep as Linux follows them */

#if defined(__x86_64__)
#define OUR_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define OUR_MACHINE EM_AARCH64
#endif

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
			if (why == EACCES)
				error = EACCES;
		}
		at += length;
		if (!*at)
			return error;
	}
}

static int find(const char *name, char *found)
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

	if (word && !find(word, found))
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

static enum program_nature elf_nature(Elf *elf, const char **machine)
{
	GElf_Ehdr header;
	size_t count;

	if (!gelf_getehdr(elf, &header) || elf_getphdrnum(elf, &count))
		return PROGRAM_UNKNOWN;
	/* x32 programs have our machine, but the other class. */
	if (header.e_machine != OUR_MACHINE || gelf_getclass(elf) != ELFCLASS64) {
		*machine = header.e_machine == OUR_MACHINE ? "a 32-bit ABI"
							   : machine_name(header.e_machine);
		return PROGRAM_FOREIGN;
	}
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr segment;

		if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_INTERP)
			return PROGRAM_DYNAMIC;
	}
	return PROGRAM_STATIC;
}

/* The dynamic loader will run in secure mode: the file gives the process rights that we do not
 * have. */
static bool is_privileged(const char *path)
{
	struct stat status;

	if (stat(path, &status))
		return false;
	if (status.st_mode & S_ISUID && status.st_uid != getuid())
		return true;
	if (status.st_mode & S_ISGID && status.st_mode & S_IXGRP && status.st_gid != getgid())
		return true;
	return getuid() && getxattr(path, "security.capability", NULL, 0) > 0;
}

static void examine(struct program *program)
{
	int descriptor = open(program->file, O_RDONLY | O_CLOEXEC);

	program->nature = PROGRAM_UNKNOWN;
	if (descriptor >= 0 && elf_version(EV_CURRENT) != EV_NONE) {
		Elf *elf = elf_begin(descriptor, ELF_C_READ, NULL);

		if (elf && elf_kind(elf) == ELF_K_ELF) {
			program->elf = true;
			program->nature = elf_nature(elf, &program->machine);
		}
		elf_end(elf);
	}
	if (descriptor >= 0)
		close(descriptor);
	/* A program that may be executed but not read runs in secure mode, too. */
	if (program->nature != PROGRAM_FOREIGN && is_privileged(program->file))
		program->nature = PROGRAM_PRIVILEGED;
}

int program_find(const char *name, struct program *program)
{
	memset(program, 0, sizeof(*program));
	int error = find(name, program->path);

	if (error)
		return error;
	strcpy(program->file, program->path);
	char interpreter[PATH_MAX];

	for (int i = 0; i < INTERPRETERS && interpreter_of(program->file, interpreter); i++) {
		program->script = true;
		strcpy(program->file, interpreter);
	}
	examine(program);
	return 0;
}
