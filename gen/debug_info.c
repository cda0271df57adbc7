/* SPDX-License-Identifier: MIT */
/*
 * debug_info.c: see debug_info.h.
 */
#include <fcntl.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gen/allocate.h"
#include "gen/debug_info.h"

/* Seconds of processor time. Large libraries take some. */
#define CPU_LIMIT 120

/* ---- one library */

struct reading {
	struct debug *debug;
	struct debug_files files;
	struct debug_exports of;
	size_t nfunctions, ntyped, nfortran;
	const char *trouble; /* why there are no types */
};

/* Whether two versions of a function have the same parameters and the same result. */
static bool functions_are_alike(const struct function *a, const struct function *b)
{
	if (!a->passed != !b->passed || a->result != b->result || a->nparams != b->nparams ||
	    a->variadic != b->variadic)
		return false;
	for (size_t i = 0; i < a->nparams; i++)
		if (a->params[i].type != b->params[i].type)
			return false;
	return true;
}

/* One version of a function, from debug information, or by name alone. */
static struct function function_read(struct reading *reading, size_t index)
{
	const struct export *export = &reading->of.exports->list[index];
	struct function function = debug_function_named(reading->debug, export->name);

	if (!reading->trouble && reading->of.candidates[index].rank)
		reading->nfortran += debug_is_fortran(&reading->of.candidates[index].die);
	if (reading->trouble || !reading->of.candidates[index].rank ||
	    !debug_function(reading->debug, &reading->of.candidates[index].die, &function))
		return debug_function_named(reading->debug, export->name);
	return function;
}

/* A version that differs from the default one becomes a function of its own. */
static void functions_read(struct reading *reading)
{
	const struct exports *exports = reading->of.exports;
	struct model *model = reading->debug->model;

	for (size_t i = 0; i < exports->count;) {
		const char *name = exports->list[i].name;
		size_t first = model->nfunctions;

		*APPEND(model->functions, model->nfunctions) = function_read(reading, i);
		reading->nfunctions++;
		reading->ntyped += !model->functions[first].passed;
		for (i++; i < exports->count && !strcmp(exports->list[i].name, name); i++) {
			struct function other = function_read(reading, i);

			if (functions_are_alike(&model->functions[first], &other))
				continue;
			other.name = format_text("%s@%s", name, exports->list[i].version);
			*APPEND(model->functions, model->nfunctions) = other;
		}
	}
}

static const char *dwarf_trouble(void)
{
	return format_text("damaged (%s)", dwarf_errmsg(-1));
}

static Dwarf *dwarf_open(const char *path, int *file)
{
	*file = open(path, O_RDONLY | O_CLOEXEC);
	return *file < 0 ? NULL : dwarf_begin(*file, DWARF_C_READ);
}

/* The file stays open: names and DIEs point into libdw's memory. */
static void debug_info_read(struct reading *reading)
{
	struct debug_files *files = &reading->files;
	Dwarf *companion = NULL;
	int file;
	Dwarf *dwarf = dwarf_open(files->path, &file);

	if (dwarf && files->companion) {
		companion = dwarf_open(files->companion, &file);
		if (companion)
			dwarf_setalt(dwarf, companion);
	}
	if (!dwarf || (files->companion && !companion) ||
	    !debug_read_units(reading->debug, &reading->of, dwarf, files))
		reading->trouble = dwarf_trouble();
}

/* Writes the line about one library that the user reads. */
static void reading_report(const struct reading *reading, const char *soname, FILE *to)
{
	const struct debug_files *files = &reading->files;

	fprintf(to, "types: %s: ", soname);
	if (!files->path)
		fprintf(to,
			"names and times alone: there is no debug information; --header gives types, or the package that has it (NAME-dbgsym, NAME-debuginfo)");
	else if (reading->trouble)
		fprintf(to,
			"names and times alone: the debug information in %s is %s; install it anew, or give --header",
			files->path, reading->trouble);
	else if (!reading->ntyped && reading->nfortran)
		fprintf(to,
			"names and times alone: the debug information in %s is Fortran's, which does not say how parameters are passed; --header gives types",
			files->path);
	else if (!reading->ntyped && !reading->of.nlost && !files->missing)
		fprintf(to,
			"names and times alone: the debug information in %s has none of its functions; it may be damaged",
			files->path);
	else
		fprintf(to, "types of %zu of %zu functions, from the debug information in %s",
			reading->ntyped, reading->nfunctions, files->path);
	if (files->path && !reading->trouble && reading->of.nlost)
		fprintf(to, "; %s, which has a part of it, can't be read", reading->of.lost);
	else if (files->path && !reading->trouble && files->missing)
		fprintf(to, "; %s, which has a part of it, is not there", files->missing);
	fputc('\n', to);
}

static void library_read_types(struct debug *debug, const char *path, bool damaged, FILE *to)
{
	struct reading reading = {.debug = debug};
	struct exports *exports = allocate(sizeof *exports);
	struct model *model = debug->model;

	if (exports_read(path, exports) != 0)
		return;
	reading.of.exports = exports;
	debug_files_find(&reading.files, path);
	if (!reading.files.path)
		reading.trouble = "absent";
	else if (damaged)
		reading.trouble = "damaged (tracegen could not read it to its end)";
	else
		debug_info_read(&reading);
	functions_read(&reading);
	reading_report(&reading, exports->sonames[0], to);
	/* The first one is the library itself. */
	for (size_t i = 1; i < reading.files.nread; i++)
		*APPEND(model->files, model->nfiles) = reading.files.read[i];
	for (size_t i = 0; i < reading.files.nabsent; i++)
		*APPEND(model->absent, model->nabsent) = reading.files.absent[i];
}

struct model *model_from_debug_info(const struct exports *exports, bool damaged, FILE *to)
{
	struct debug debug = {.model = allocate(sizeof *debug.model)};

	/* libdw itself asks no server. A library that it loads may do so. */
	unsetenv("DEBUGINFOD_URLS");
	for (size_t i = 0; i < exports->npaths; i++)
		library_read_types(&debug, exports->paths[i], damaged, to);
	debug_flags(&debug);
	model_collect(debug.model, debug.types, debug.ntypes);
	return debug.model;
}

/* ---- the guard */

int debug_guard(int (*job)(void *with), void *with)
{
	const struct rlimit limit = {CPU_LIMIT, CPU_LIMIT}, none = {0, 0};
	int status;

	fflush(stdout);
	pid_t child = fork();
	if (child < 0)
		return job(with);
	if (child == 0) {
		setrlimit(RLIMIT_CPU, &limit);
		setrlimit(RLIMIT_CORE, &none);
		exit(job(with));
	}
	while (waitpid(child, &status, 0) < 0)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
