/* SPDX-License-Identifier: MIT */
/*
 * symbols.c: see symbols.h. A file is looked for once, at the first address in it.
 */
#include "config.h"

#include "cli/basics/basics.h"
#include "cli/read/read.h"
#include "cli/symbols/symbols.h"
#include "format/encode/stack_frames_text.h"

#if !HAVE_LIBDW

/* Without libdw every function is shown by its library and address. */
struct symbols {
	bool was_asked;
};

struct symbols *symbols_open(const char *folders)
{
	(void)folders;
	return need(calloc(1, sizeof(struct symbols)));
}

void symbols_close(struct symbols *symbols)
{
	free(symbols);
}

void symbols_name(void *of, struct tl_text *text, const struct tl_stack_library *library,
		  uint64_t address)
{
	struct symbols *symbols = of;

	symbols->was_asked = true;
	tl_frame_place(text, library, address);
}

void symbols_say_missing(const struct symbols *symbols)
{
	if (symbols->was_asked)
		say("this tracelayer was built without libdw, so that functions of stacks have no names; install libdw-dev and build it again");
}

#else

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/basics/list_room.h"

#define PATH_ROOM 4096
#define ID_ROOM	  160 /* hexadecimal digits of a build id, at most */

/* A library of a trace. */
struct module {
	char *path, id[ID_ROOM];
	Dwfl *dwfl;
	Dwfl_Module *file; /* NULL: there is none */
	GElf_Addr bias;	   /* what libdwfl adds to the file's addresses */
	bool is_other;	   /* a file was there, with another build id */
	/* What was asked before; by its place, the name. NULL: it has none. */
	struct numbers addresses;
	char **names;
	size_t names_room;
};

struct symbols {
	char *folders;
	struct module **modules;
	size_t nmodules;
};

static char *debug_folders; /* NULL: libdw's own */

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
	.debuginfo_path = &debug_folders,
};

struct symbols *symbols_open(const char *folders)
{
	struct symbols *symbols = need(calloc(1, sizeof(*symbols)));

	symbols->folders = folders ? need(strdup(folders)) : NULL;
	return symbols;
}

static void module_free(struct module *module)
{
	if (module->dwfl)
		dwfl_end(module->dwfl);
	for (uint32_t i = 0; i < module->addresses.count; i++)
		free(module->names[i]);
	free(module->names);
	numbers_free(&module->addresses);
	free(module->path);
	free(module);
}

void symbols_close(struct symbols *symbols)
{
	if (!symbols)
		return;
	for (size_t i = 0; i < symbols->nmodules; i++)
		module_free(symbols->modules[i]);
	free(symbols->modules);
	free(symbols->folders);
	free(symbols);
}

/* --- files */

/* Whether the file's build id is the library's. Without any, paths have to do. */
static bool module_is_file(struct module *module, Dwfl_Module *file)
{
	const unsigned char *bits;
	GElf_Addr at;
	int size = dwfl_module_build_id(file, &bits, &at);
	char id[ID_ROOM] = "";

	for (int i = 0; i < size && 2 * i + 3 < ID_ROOM; i++)
		snprintf(id + (size_t)(2 * i), 3, "%02x", bits[i]);
	return !strcmp(id, module->id);
}

static bool module_try(struct module *module, const char *path)
{
	if (access(path, R_OK) != 0)
		return false;
	Dwfl *dwfl = dwfl_begin(&callbacks);
	if (!dwfl)
		return false;
	Dwfl_Module *file = dwfl_report_offline(dwfl, path, path, -1);
	dwfl_report_end(dwfl, NULL, NULL);
	if (file && module_is_file(module, file) && dwfl_module_getelf(file, &module->bias)) {
		module->dwfl = dwfl;
		module->file = file;
		return true;
	}
	module->is_other |= file != NULL;
	dwfl_end(dwfl);
	return false;
}

static bool module_try_id(struct module *module, const char *folder)
{
	char path[PATH_ROOM];

	if (strlen(module->id) < 3)
		return false;
	snprintf(path, sizeof(path), "%s/.build-id/%.2s/%s.debug", folder, module->id,
		 module->id + 2);
	if (module_try(module, path))
		return true;
	snprintf(path, sizeof(path), "%s/.build-id/%.2s/%s", folder, module->id, module->id + 2);
	return module_try(module, path);
}

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool module_try_folder(struct module *module, const char *folder)
{
	char path[PATH_ROOM];

	if (module_try_id(module, folder))
		return true;
	snprintf(path, sizeof(path), "%s/%s", folder, module->path);
	if (module_try(module, path))
		return true;
	snprintf(path, sizeof(path), "%s/%s", folder, file_name(module->path));
	return module_try(module, path);
}

static void module_find(const struct symbols *symbols, struct module *module)
{
	char *folders = symbols->folders ? need(strdup(symbols->folders)) : NULL, *rest = folders;

	for (char *folder; (folder = strsep(&rest, ":"));)
		if (*folder && module_try_folder(module, folder)) {
			free(folders);
			return;
		}
	free(folders);
	if (!module_try(module, module->path))
		module_try_id(module, "/usr/lib/debug");
}

static bool module_is(const struct module *module, const struct tl_stack_library *library)
{
	return strlen(module->id) == library->id_size &&
	       !memcmp(module->id, library->id, library->id_size) &&
	       strlen(module->path) == library->path_size &&
	       !memcmp(module->path, library->path, library->path_size);
}

static struct module *module_of(struct symbols *symbols, const struct tl_stack_library *library)
{
	for (size_t i = 0; i < symbols->nmodules; i++)
		if (module_is(symbols->modules[i], library))
			return symbols->modules[i];
	if (library->id_size >= ID_ROOM || memchr(library->path, 0, library->path_size))
		return NULL;
	struct module *module = need(calloc(1, sizeof(*module)));
	symbols->modules = need(
		realloc(symbols->modules, (symbols->nmodules + 1) * sizeof(*symbols->modules)));
	symbols->modules[symbols->nmodules++] = module;
	module->path = need(strndup(library->path, library->path_size));
	memcpy(module->id, library->id, library->id_size);
	module_find(symbols, module);
	return module;
}

/* --- names */

/* Whether a character of UTF-8 began before this byte. */
static bool is_inside_character(char byte)
{
	return ((unsigned char)byte & 0xc0) == 0x80;
}

/* C++ templates make names of any length. The middle goes: what differs is often at the end. */
static void name_shorten(char *name)
{
	static const char mark[] = "…";
	const size_t most = TL_FRAME_NAME_MAX - 1, kept = (most - (sizeof(mark) - 1)) / 2;
	size_t size = strlen(name);

	if (size <= most)
		return;
	char *end = name + kept, *rest = name + size - kept;
	while (end > name && is_inside_character(*end))
		end--;
	while (is_inside_character(*rest))
		rest++;
	memcpy(end, mark, sizeof(mark) - 1);
	memmove(end + sizeof(mark) - 1, rest, strlen(rest) + 1);
}

static char *name_find(const struct module *module, uint64_t address)
{
	GElf_Off offset;
	GElf_Sym symbol;
	const char *name = dwfl_module_addrinfo(module->file, address + module->bias, &offset,
						&symbol, NULL, NULL, NULL);
	char *shown;

	if (!name)
		return NULL;
	/* Without the version of a symbol: name@@VERSION. */
	shown = need(strdup(name_shown(name)));
	if (!strcmp(shown, name))
		shown[strcspn(shown, "@")] = 0;
	name_shorten(shown);
	return shown;
}

static const char *symbol_of(struct module *module, uint64_t address)
{
	uint32_t known = module->addresses.count, place = numbers_add(&module->addresses, address);

	if (place == known) {
		LIST_ROOM(module->names, place, module->names_room);
		module->names[place] = name_find(module, address);
	}
	return module->names[place];
}

void symbols_name(void *of, struct tl_text *text, const struct tl_stack_library *library,
		  uint64_t address)
{
	struct symbols *symbols = of;
	struct module *module = library ? module_of(symbols, library) : NULL;
	const char *name = module && module->file ? symbol_of(module, address) : NULL;

	if (name)
		tl_text_string(text, name);
	else
		tl_frame_place(text, library, address);
}

void symbols_say_missing(const struct symbols *symbols)
{
	for (size_t i = 0; i < symbols->nmodules; i++) {
		const struct module *module = symbols->modules[i];
		/* The kernel's own has no file. */
		if (module->file || module->path[0] != '/')
			continue;
		say("%s: %s, so its functions have no names; give a folder that has it with --symbols",
		    module->path,
		    module->is_other ? "not the file that was traced (another build id)"
				     : "not there");
	}
}

#endif
