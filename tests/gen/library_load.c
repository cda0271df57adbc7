/* SPDX-License-Identifier: MIT */
/*
 * library_load LIBRARY NAMES [KIND FUNCTION]: loads a library and looks its functions up, as programs
 * do. NAMES is a file with a name in each line, or name@version. Prints
 *
 *	library PATH
 *	function NAME FILE FILE OFFSET	the file that the name is found in; the file where dladdr says
 *					that the function lies, and its symbol's address in that
 *					file, or 0 where it has no name
 *	result TEXT			what FUNCTION returned; KIND is text or number
 *
 * tests/gen/libraries.py runs it, bare and with an interposer preloaded.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

/* The loaded file with that address; an interposed dladdr would name another. */
struct place {
	const void *address;
	const char *path;
};

static int place_look(struct dl_phdr_info *info, size_t size, void *closure)
{
	struct place *place = closure;

	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		size_t offset =
			(size_t)((ElfW(Addr))place->address - info->dlpi_addr - segment->p_vaddr);

		if (segment->p_type == PT_LOAD && offset < segment->p_memsz) {
			place->path = info->dlpi_name;
			return 1;
		}
	}
	return 0;
}

static void *name_find(char *name)
{
	char *version = strchr(name, '@');

	if (!version)
		return dlsym(RTLD_DEFAULT, name);
	*version = '\0';
	void *address = dlvsym(RTLD_DEFAULT, name, version + 1);
	*version = '@';
	return address;
}

static void function_print(char *name)
{
	struct place place = {.address = name_find(name), .path = "-"};
	Dl_info info = {.dli_fname = "-"};
	const ElfW(Sym) *symbol = NULL;

	if (place.address) {
		dl_iterate_phdr(place_look, &place);
		dladdr1(place.address, &info, (void **)&symbol, RTLD_DL_SYMENT);
	}
	/* Where an IFUNC leads need not have a name. */
	printf("function %s %s %s %lx\n", name, place.path, info.dli_fname,
	       symbol ? (unsigned long)symbol->st_value : 0ul);
}

static void names_print(const char *path)
{
	FILE *names = fopen(path, "r");
	char line[512];

	while (names && fgets(line, sizeof line, names)) {
		line[strcspn(line, "\n")] = '\0';
		function_print(line);
	}
	if (names)
		fclose(names);
}

/* Versions are asked for without arguments, or with nothing but zeros. */
static void result_print(const char *kind, const char *name)
{
	void *address = dlsym(RTLD_DEFAULT, name);

	if (!address) {
		puts("result -");
	} else if (!strcmp(kind, "text")) {
		const char *(*function)(long, long) = (const char *(*)(long, long))address;
		const char *text = function(0, 0);

		printf("result %.*s\n", text ? (int)strcspn(text, "\n") : 1, text ? text : "-");
	} else {
		int (*function)(long, long) = (int (*)(long, long))address;

		printf("result %d\n", function(0, 0));
	}
}

int main(int argc, char **argv)
{
	void *library = argc > 2 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
	struct link_map *map;

	if (!library || dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) {
		fprintf(stderr, "library_load: %s\n",
			argc > 2 ? dlerror() : "give library and names");
		return 1;
	}
	printf("library %s\n", map->l_name);
	names_print(argv[2]);
	if (argc > 4)
		result_print(argv[3], argv[4]);
	return 0;
}
