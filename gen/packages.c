/* SPDX-License-Identifier: MIT */
/*
 * packages.c: see packages.h.
 */
#include "gen/packages.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gen/allocate.h"

#define NOT_FOUND 127 /* the shell's exit code */

void flags_add(const char *text, const char ***flags, size_t *nflags)
{
	char *copy = copy_text(text), *rest;

	for (char *flag = strtok_r(copy, " \t\n", &rest); flag;
	     flag = strtok_r(NULL, " \t\n", &rest))
		*APPEND(*flags, *nflags) = flag;
}

static const char *pkg_config(void)
{
	const char *program = getenv("PKG_CONFIG");

	return program && *program ? program : "pkg-config";
}

/* Whether it is safe as a word for the shell, too. */
static bool is_package_name(const char *name)
{
	for (const char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("+-_.", *c))
			return false;
	return *name;
}

/* Of the several lines that pkg-config prints where it fails, the last says of which package and why. */
static void say_failed(const char *package, int status)
{
	char *line = NULL, *unknown = format_text("ackage '%s'", package);
	size_t size = 0;
	FILE *from =
		popen(format_text("%s --cflags '%s' 2>&1 >/dev/null", pkg_config(), package), "re");

	while (from && getline(&line, &size, from) > 0)
		line[strcspn(line, "\n")] = '\0';
	if (from)
		pclose(from);
	fprintf(stderr, "tracegen: --pkg %s: ", package);
	if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND)
		fprintf(stderr, "%s can't be started; install it, or set PKG_CONFIG\n",
			pkg_config());
	else if (!line || !*line || strstr(line, unknown))
		fprintf(stderr,
			"pkg-config doesn't know it; install the package's -dev package, or set PKG_CONFIG_PATH\n");
	else
		fprintf(stderr,
			"pkg-config says: %s; install what it needs, or set PKG_CONFIG_PATH\n",
			line);
	free(line);
	free(unknown);
}

int package_flags(const char *package, bool needed, const char ***flags, size_t *nflags)
{
	char *line = NULL;
	size_t size = 0;

	if (!is_package_name(package)) {
		fprintf(stderr,
			"tracegen: --pkg %s: no name of a package; `pkg-config --list-all` lists them\n",
			package);
		return -1;
	}
	FILE *from =
		popen(format_text("%s --cflags '%s' 2>/dev/null", pkg_config(), package), "re");
	ssize_t length = from ? getline(&line, &size, from) : -1;
	int status = from ? pclose(from) : -1;

	if (status == 0 && length > 0)
		flags_add(line, flags, nflags);
	free(line);
	if (status == 0 || !needed)
		return 0;
	say_failed(package, status);
	return -1;
}

static bool names_have(const char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

/*
 * pkg-config prints which packages one requires, each with the version that it needs, and where its
 * file is.
 */
void packages_add_files(const char *const *packages, size_t npackages, const char ***files,
			size_t *nfiles)
{
	const char **names = NULL;
	size_t nnames = 0, size = 0;
	char *line = NULL;

	for (size_t i = 0; i < npackages; i++)
		if (!names_have(names, nnames, packages[i]))
			*APPEND(names, nnames) = packages[i];
	for (size_t i = 0; i < nnames; i++) {
		FILE *from = popen(
			format_text(
				"exec 2>/dev/null; %s --variable=pcfiledir %s && %s --print-requires --print-requires-private %s",
				pkg_config(), names[i], pkg_config(), names[i]),
			"re");

		for (int number = 0; from && getline(&line, &size, from) > 0; number++) {
			line[strcspn(line, number ? " \t\n" : "\n")] = '\0';
			if (!number && *line == '/')
				*APPEND(*files, *nfiles) = format_text("%s/%s.pc", line, names[i]);
			else if (number && is_package_name(line) &&
				 !names_have(names, nnames, line))
				*APPEND(names, nnames) = copy_text(line);
		}
		if (from)
			pclose(from);
	}
	free(line);
	free(names);
}

static void folder_add_absent(const char *folder, const char *header, const char ***paths,
			      size_t *npaths)
{
	const char *path = format_text("%s/%s", folder, header);

	if (access(path, F_OK) != 0)
		*APPEND(*paths, *npaths) = path;
}

void header_add_absent(const char *header, const char *const *flags, size_t nflags,
		       const char ***paths, size_t *npaths)
{
	static const char *const words[] = {"-isystem", "-iquote", "-idirafter", "-I"};

	header += *header == '?';
	if (*header == '/')
		return;
	for (size_t i = 0; i < nflags; i++)
		for (size_t j = 0; j < sizeof words / sizeof *words; j++) {
			size_t length = strlen(words[j]);

			if (strncmp(flags[i], words[j], length) != 0)
				continue;
			if (flags[i][length])
				folder_add_absent(flags[i] + length, header, paths, npaths);
			else if (i + 1 < nflags)
				folder_add_absent(flags[++i], header, paths, npaths);
			break;
		}
	folder_add_absent("/usr/local/include", header, paths, npaths);
	folder_add_absent("/usr/include", header, paths, npaths);
}
