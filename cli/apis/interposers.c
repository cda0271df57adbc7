/* SPDX-License-Identifier: MIT */
/*
 * interposers.c: finds the interposer for a request in the cache, or has tracegen make it.
 */
#include "config.h"

#include <string.h>

#include "cli/apis/apis.h"
#include "cli/basics/basics.h"

#if !HAVE_TRACEGEN

int interposer_find(const struct interposer_request *request, char **paths)
{
	const char *what = request->api		    ? request->api
			   : request->library	    ? request->library
			   : request->headers.count ? request->headers.item[0]
						    : "an interposer";

	*paths = need(strdup(""));
	say("%s: this tracelayer was built without tracegen, which makes shims for more libraries; install libclang-14-dev, libelf-dev, libdw-dev, libjansson-dev and libxxhash-dev and build it again",
	    what);
	return EXIT_BROKEN;
}

char *interposer_api_of(const char *library)
{
	(void)library;
	return NULL;
}

#else

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/apis/api_descriptors.h"
#include "cli/apis/interposer_cache.h"
#include "cli/apis/program_libraries.h"
#include "common/installed.h"

extern char **environ;

/* ---- which descriptor ---- */

/* Whether the word is in one of the names that lead to the program: mpirun is mpirun.openmpi. */
static bool program_is_called(const char *program, const char *word)
{
	char path[PATH_MAX], target[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s", program) >= (int)sizeof(path))
		return false;
	for (int links = 0; links < 16; links++) {
		char *slash = strrchr(path, '/');

		if (strstr(slash ? slash : path, word))
			return true;
		ssize_t length = readlink(path, target, sizeof(target) - 1);

		if (length <= 0)
			return false;
		target[length] = '\0';
		if (*target == '/' || !slash)
			slash = path;
		else
			slash++;
		size_t room = sizeof(path) - (size_t)(slash - path);

		if (strlen(target) >= room)
			return false;
		strcpy(slash, target);
	}
	return false;
}

static bool descriptor_suits(const struct api_descriptor *descriptor, const char *program,
			     const struct program_libraries *libraries, const char *word)
{
	for (char **soname = descriptor->sonames; soname && *soname; soname++)
		if (program_libraries_have(libraries, *soname))
			return true;
	return program_is_called(program, word);
}

static bool descriptor_is_installed(const struct api_descriptor *descriptor)
{
	for (char **soname = descriptor->sonames; soname && *soname; soname++)
		if (library_is_installed(*soname))
			return true;
	return false;
}

/* The descriptors that a name stands for. */
struct chosen {
	const struct api_descriptor **item;
	size_t count;
	bool kinds; /* there are descriptors called NAME-KIND */
};

static void chosen_add(struct chosen *chosen, const struct api_descriptor *item)
{
	chosen->item = need(
		reallocarray(chosen->item, chosen->count + 1, sizeof(struct api_descriptor *)));
	chosen->item[chosen->count++] = item;
}

/*
 * Of descriptors called NAME-KIND the one whose library the program loads, or whose KIND is in the
 * launcher's name. If the program does not tell, all whose library is installed: at a function's
 * first call, the layer knows which one it is.
 */
static struct chosen descriptors_choose(const struct api_descriptors *list, const char *name,
					const char *program)
{
	struct chosen chosen = {0};
	size_t length = strlen(name);
	struct program_libraries libraries = {0};

	for (size_t i = 0; i < list->count; i++) {
		const struct api_descriptor *item = &list->item[i];

		if (strncmp(item->name, name, length) || item->name[length] != '-')
			continue;
		if (program && !chosen.kinds)
			program_libraries_read(program, &libraries);
		chosen.kinds = true;
		if (program &&
		    descriptor_suits(item, program, &libraries, item->name + length + 1)) {
			chosen.count = 0;
			chosen_add(&chosen, item);
			break;
		}
		if (descriptor_is_installed(item))
			chosen_add(&chosen, item);
	}
	program_libraries_free(&libraries);
	return chosen;
}

/* ---- making one ---- */

/* Whether the word is a path, or -I and a path, that depends on the current folder. */
static bool word_is_relative(const char *word)
{
	if (!strncmp(word, "-I", 2))
		return word[2] != '/';
	return word[0] != '/' && !access(word, F_OK);
}

/* The current folder, if the meaning of the words depends on it; otherwise "". */
static char *words_folder(const struct words *words)
{
	for (size_t i = 0; i < words->count; i++)
		if (word_is_relative(words->item[i]))
			return getcwd(NULL, 0);
	return NULL;
}

/* Its output also depends on tracegen itself, and on where it looks for files. */
static void words_add_surroundings(struct words *words, const char *tracegen)
{
	static const char *const variables[] = {"LD_LIBRARY_PATH",
						"CPATH",
						"C_INCLUDE_PATH",
						"PKG_CONFIG_PATH",
						"PKG_CONFIG_LIBDIR",
						"DEBUGINFOD_CACHE_PATH",
						NULL};
	struct stat facts;
	char *text, *here = words_folder(words);

	if (stat(tracegen, &facts))
		facts = (struct stat){0};
	if (asprintf(&text, "%s %lld %lld.%09ld %s", tracegen, (long long)facts.st_size,
		     (long long)facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec, here ? here : "") < 0)
		need(NULL);
	free(here);
	words_add(words, PACKAGE_VERSION);
	words_add(words, text);
	for (const char *const *name = variables; *name; name++)
		words_add(words, getenv(*name) ? getenv(*name) : "");
}

/* Returns tracegen's exit code, or 127 if it can't be started. Its output goes to the log. */
static int tracegen_run(struct words *words, const char *log)
{
	posix_spawn_file_actions_t actions;
	pid_t child;
	int status;

	need(posix_spawn_file_actions_init(&actions) ||
			     posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log,
							      O_WRONLY | O_CREAT | O_TRUNC, 0600) ||
			     posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO,
							      STDERR_FILENO)
		     ? NULL
		     : words);
	int error =
		posix_spawn(&child, words->item[0], &actions, NULL, (char **)words->item, environ);

	posix_spawn_file_actions_destroy(&actions);
	if (error) {
		say("%s: cannot be started: %s; reinstall tracelayer", words->item[0],
		    strerror(error));
		return 127;
	}
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return 127;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* The line in which tracegen says where types come from, if there is no header. */
#define TYPES_LINE "types: "

static void log_print(const char *log, FILE *to)
{
	FILE *from = fopen(log, "re");
	char text[4096];
	size_t length;

	while (from && (length = fread(text, 1, sizeof(text), from)) > 0)
		fwrite(text, 1, length, to);
	if (from)
		fclose(from);
}

/* tracegen's message, or none: where the cache's disk is full, the log has none either. */
static bool log_has_message(const char *log)
{
	FILE *from = fopen(log, "re");
	char *line = NULL;
	size_t room = 0;
	bool found = false;

	while (from && !found && getline(&line, &room, from) > 0)
		found = strncmp(line, TYPES_LINE, strlen(TYPES_LINE)) != 0;
	if (from)
		fclose(from);
	free(line);
	return found;
}

/*
 * The log ends with "N functions of LIBRARY, …; N left out". Prints one line if functions are left
 * out, and one that says where types come from.
 */
static void log_report(const struct cache_entry *entry)
{
	FILE *from = fopen(entry->log, "re");
	char *line = NULL, *last = NULL;
	size_t room = 0;

	while (from && getline(&line, &room, from) > 0) {
		free(last);
		last = need(strndup(line, strcspn(line, "\n")));
		if (!strncmp(last, TYPES_LINE, strlen(TYPES_LINE)))
			say("%s", last + strlen(TYPES_LINE));
	}
	if (last && !strstr(last, "; 0 left out"))
		say("%s; the reasons are in %s", last, entry->log);
	if (from)
		fclose(from);
	free(line);
	free(last);
}

static int interposer_make(const struct cache_entry *entry, struct words *words,
			   const struct words *flags, bool quiet)
{
	char library[PATH_MAX + 32], sources[PATH_MAX + 32];
	unsigned own = 0;
	int code;

	/* Processes of several hosts may have one number and share the cache. */
	if (getrandom(&own, sizeof(own), GRND_NONBLOCK) != sizeof(own))
		own = (unsigned)getpid();
	snprintf(library, sizeof(library), "%s.%08x", entry->library, own);
	snprintf(sources, sizeof(sources), "%s.sources.%08x", entry->list, own);
	words_add(words, "-o");
	words_add(words, library);
	words_add(words, "--sources");
	words_add(words, sources);
	if (flags->count) {
		words_add(words, "--");
		words_add_all(words, flags);
	}
	code = tracegen_run(words, entry->log);
	if (code) {
		unlink(library);
		unlink(sources);
		if (log_has_message(entry->log))
			log_print(entry->log, stderr);
		else if (code != 127)
			say("%s: cannot be made; free some space, or set XDG_CACHE_HOME to a folder that has some",
			    entry->library);
		unlink(entry->log);
		/* The dynamic linker has printed which library is missing. */
		if (code == 127)
			say("tracegen cannot run here; install the library that is missing, or make the interposer on another machine: tracelayer apis --build");
		return code == 2 ? EXIT_USAGE : EXIT_BROKEN;
	}
	int error = cache_keep(entry, library, sources);

	if (error)
		say("%s: cannot be written: %s; set XDG_CACHE_HOME to a folder that can be written",
		    entry->library, strerror(error));
	else if (!quiet)
		log_report(entry);
	return error ? EXIT_BROKEN : EXIT_DONE;
}

/* The beginning of the names of the cache's files. */
static const char *request_label(const struct interposer_request *request)
{
	const char *name = request->library ? request->library : request->api;
	const char *slash = strrchr(name, '/');

	return slash ? slash + 1 : name;
}

#if defined(__x86_64__)
#define OWN_MACHINE EM_X86_64
#define OWN_NAME    "x86-64"
#elif defined(__aarch64__)
#define OWN_MACHINE EM_AARCH64
#define OWN_NAME    "aarch64"
#endif

/* Whether the interposer is for programs that can load libtracelayer.so; prints a message if not. */
static bool interposer_fits(const struct cache_entry *entry, const char *library)
{
	Elf64_Ehdr header = {.e_machine = OWN_MACHINE};
	FILE *file = fopen(entry->library, "re");

	if (file) {
		if (fread(&header, sizeof(header), 1, file) != 1)
			header.e_machine = EM_NONE;
		fclose(file);
	}
	if (header.e_machine != OWN_MACHINE)
		say("%s: the library is for another processor, and this tracelayer for " OWN_NAME
		    "; name the library that the program loads",
		    library);
	return header.e_machine == OWN_MACHINE;
}

/* The words for tracegen, and those that the interposer's key is made of. */
struct order {
	char tracegen[PATH_MAX];
	struct words words, keyed;
	char *library; /* see own_library */
};

/*
 * The path of a library that only the program finds, in a folder that it names itself (RUNPATH), to be
 * freed. NULL: it is not such a one.
 */
static char *own_library(const struct interposer_request *request)
{
	char *path, *whole;

	if (!request->program || strchr(request->library, '/') ||
	    library_is_installed(request->library))
		return NULL;
	path = program_library_path(request->program, request->library);
	if (!path || *path == '/')
		return path;
	/* Not realpath: the file's name is to stay the one that is asked for. */
	char *here = need(getcwd(NULL, 0));

	if (asprintf(&whole, "%s/%s", here, path) < 0)
		need(NULL);
	free(here);
	free(path);
	return whole;
}

/* False: there is no tracegen. */
static bool order_begin(struct order *order, const struct interposer_request *request,
			const char *descriptor)
{
	*order = (struct order){.words = {0}};
	if (!installed_program("tracegen", order->tracegen))
		return false;
	words_add(&order->words, order->tracegen);
	words_add(&order->words, "interposer");
	if (descriptor) {
		words_add(&order->words, "--api");
		words_add(&order->words, descriptor);
	}
	if (request->library) {
		order->library = own_library(request);
		words_add(&order->words, "--lib");
		words_add(&order->words, order->library ? order->library : request->library);
	}
	if (request->pkg) {
		words_add(&order->words, "--pkg");
		words_add(&order->words, request->pkg);
	}
	for (size_t i = 0; i < request->headers.count; i++) {
		words_add(&order->words, "--header");
		words_add(&order->words, request->headers.item[i]);
	}
	for (size_t i = 1; i < order->words.count; i++)
		words_add(&order->keyed, order->words.item[i]);
	words_add(&order->keyed, "--");
	words_add_all(&order->keyed, &request->flags);
	words_add_surroundings(&order->keyed, order->tracegen);
	return true;
}

static void order_end(struct order *order)
{
	words_free(&order->words);
	words_free(&order->keyed);
	free(order->library);
}

/* It is in the cache; checks that, and tells of it. */
static int interposer_give(const struct interposer_request *request,
			   const struct cache_entry *entry, char *path)
{
	if (request->program && !interposer_fits(entry, request_label(request)))
		return EXIT_BROKEN;
	strcpy(path, entry->library);
	if (request->log)
		log_print(entry->log, request->log);
	return EXIT_DONE;
}

static int order_carry_out(struct order *order, const struct interposer_request *request,
			   char *path)
{
	struct cache_entry entry;
	int code = EXIT_DONE;

	if (!cache_place(&entry, request_label(request), order->keyed.item))
		return EXIT_BROKEN;
	if (!cache_is_current(&entry))
		code = cache_make_folder(&entry)
			       ? interposer_make(&entry, &order->words, &request->flags,
						 request->log || request->quiet)
			       : EXIT_BROKEN;
	return code == EXIT_DONE ? interposer_give(request, &entry, path) : code;
}

static int interposer_for(const struct interposer_request *request, const char *descriptor,
			  char *path)
{
	struct order order;
	int code = EXIT_BROKEN;

	if (order_begin(&order, request, descriptor))
		code = order_carry_out(&order, request, path);
	else
		say("tracegen: not found beside this command; run `make install`, or install the package that has it");
	order_end(&order);
	return code;
}

static int descriptor_interposer(const struct interposer_request *request,
				 const struct api_descriptor *descriptor, char *path)
{
	*path = '\0';
	if (descriptor->trouble) {
		say("%s: %s; correct it", descriptor->path, descriptor->trouble);
		return EXIT_BROKEN;
	}
	if (descriptor->origin == API_BUILT_IN)
		return EXIT_DONE;
	return interposer_for(request, descriptor->path, path);
}

static bool is_companion(const struct api_descriptor *descriptor, const char *soname)
{
	for (char **one = descriptor->companions; one && *one; one++)
		if (!strcmp(*one, soname))
			return true;
	return false;
}

/*
 * Of several libraries that have the API, each with versions of its own (HDF5's of MPI, curl's of
 * GnuTLS), the one that the program loads, else the first that is installed. NULL: at most one is.
 */
static const char *library_choose(const struct api_descriptor *descriptor, const char *program)
{
	struct program_libraries libraries = {0};
	const char *first = NULL, *loaded = NULL;
	size_t installed = 0;

	for (char **soname = descriptor->sonames; soname && *soname; soname++)
		if (!is_companion(descriptor, *soname) && library_is_installed(*soname) &&
		    !installed++)
			first = *soname;
	if (program && installed > 1)
		program_libraries_read(program, &libraries);
	for (char **soname = descriptor->sonames; soname && *soname && !loaded; soname++)
		if (!is_companion(descriptor, *soname) &&
		    program_libraries_have(&libraries, *soname))
			loaded = *soname;
	program_libraries_free(&libraries);
	return installed < 2 ? NULL : loaded ? loaded : first;
}

/*
 * The same for a descriptor that is not read yet. To read Vulkan's takes as long as half of what
 * `run` does otherwise, and it was read when the interposer was made, if that is current. One
 * for a library that was chosen is not found so.
 */
static int unread_interposer(const struct interposer_request *request,
			     struct api_descriptor *descriptor, char *path)
{
	struct cache_entry entry;
	struct order order;
	bool kept = order_begin(&order, request, descriptor->path) &&
		    cache_has(&entry, request_label(request), order.keyed.item);

	order_end(&order);
	if (kept)
		return interposer_give(request, &entry, path);
	api_descriptor_read(descriptor);
	struct interposer_request wished = *request;

	if (!wished.library)
		wished.library = library_choose(descriptor, request->program);
	return descriptor_interposer(&wished, descriptor, path);
}

/* If one can't be made, and there is another, it is left out. */
static int chosen_interposers(const struct interposer_request *request, const struct chosen *chosen,
			      char **paths)
{
	char path[PATH_MAX], *longer;
	size_t made = 0;
	int code = EXIT_DONE;

	for (size_t i = 0; i < chosen->count; i++) {
		int one = descriptor_interposer(request, chosen->item[i], path);

		if (one != EXIT_DONE) {
			code = one;
			continue;
		}
		made++;
		if (asprintf(&longer, "%s%s%s", *paths, **paths ? ":" : "", path) < 0)
			need(NULL);
		free(*paths);
		*paths = longer;
	}
	return made ? EXIT_DONE : code;
}

static bool descriptor_has(const struct api_descriptor *descriptor, const char *library)
{
	for (char **soname = descriptor->sonames; soname && *soname; soname++)
		if (!strcmp(*soname, library))
			return true;
	return false;
}

char *interposer_api_of(const char *library)
{
	struct api_descriptors list;
	char *name = NULL;

	api_descriptors_find(&list, false);
	for (size_t i = 0; i < list.count && !name; i++)
		if (list.item[i].origin != API_BUILT_IN && descriptor_has(&list.item[i], library))
			name = need(strdup(list.item[i].name));
	api_descriptors_free(&list);
	return name;
}

int interposer_find(const struct interposer_request *request, char **paths)
{
	struct api_descriptors list;
	char path[PATH_MAX] = "";
	int code;

	if (!request->api || strchr(request->api, '/')) {
		code = interposer_for(request, request->api, path);
		*paths = need(strdup(path));
		return code;
	}
	if (api_descriptors_find_named(&list, request->api)) {
		code = unread_interposer(request, &list.item[0], path);
		*paths = need(strdup(path));
		api_descriptors_free(&list);
		return code;
	}
	*paths = need(strdup(""));
	api_descriptors_find_kinds(&list, request->api);
	struct chosen chosen = descriptors_choose(&list, request->api, request->program);

	if (chosen.count) {
		code = chosen_interposers(request, &chosen, paths);
	} else if (chosen.kinds) {
		say("%s: none of its libraries is installed; `tracelayer apis` lists them. If one lies elsewhere, set LD_LIBRARY_PATH",
		    request->api);
		code = EXIT_BROKEN;
	} else {
		say("%s: no such API; `tracelayer apis` lists the APIs", request->api);
		code = EXIT_USAGE;
	}
	free(chosen.item);
	api_descriptors_free(&list);
	return code;
}

#endif
