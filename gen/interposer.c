/* SPDX-License-Identifier: MIT */
/*
 * interposer.c: which functions an interposer has, and its parts put together.
 *
 * A function that a header declares and the library exports has a stub for each of its versions.
 * The generic entry also serves functions that C code can't pass on (variadic functions, long
 * double, vectors). Functions that use their caller's frame can't be traced at all, and are refused
 * by name.
 */
#include "gen/interposer.h"

#include <ctype.h>
#include <elf.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "common/interposer_library.h"
#include "gen/allocate.h"
#include "gen/emit.h"
#include "gen/model_tables.h"
#include "tracelayer/shim.h"

/* ---- which functions */

static struct type *void_type(void)
{
	static struct type type = {.spelling = "void", .kind = TL_KIND_VOID};

	return &type;
}

/* Forget everything about a function but its name. */
static void function_forget(struct function *function)
{
	function->result = void_type();
	function->result_spelling = "void";
	function->params = NULL;
	function->nparams = 0;
	function->passed = 0;
	function->failure = TL_FAILURE_NEVER;
	function->flags &= ~(unsigned)(TL_FUNCTION_TEXT | TL_FUNCTION_ERRNO);
}

static struct interposed *export_find(const struct library *library, const char *name)
{
	size_t low = 0, high = library->nexports;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (strcmp(library->exports[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < library->nexports && !strcmp(library->exports[low].name, name)
		       ? &library->exports[low]
		       : NULL;
}

/* The export that a function's name (NAME or NAME@VERSION) stands for. */
static const struct interposed *export_of(const struct library *library, const char *name)
{
	const char *at = strchr(name, '@');
	const char *plain = at ? copy_bytes(name, (size_t)(at - name)) : name;
	const struct interposed *export = export_find(library, plain);

	for (; at && export; export ++)
		if (export == library->exports + library->nexports ||
		    strcmp(export->name, plain) != 0)
			return NULL;
		else if (!strcmp(export->version, at + 1))
			break;
	return export;
}

/*
 * True if a get-proc function may hand this function out. Then the library need not export it. One
 * that gets a name may know any function of the headers.
 */
static bool is_handed_out(const struct model *model, const struct function *function)
{
	for (size_t i = 0; i < model->ngetprocs; i++) {
		enum tl_getproc_kind kind = model->getprocs[i].kind;

		if (kind == TL_GETPROC_RETURNED || kind == TL_GETPROC_STORED)
			return true;
	}
	return model->ngetprocs && !function->exported;
}

/* How many functions the library exports, each with any number of versions. */
static size_t count_exports(const struct library *library)
{
	size_t count = 0;

	for (size_t i = 0; i < library->nexports; i++)
		count += !i || strcmp(library->exports[i - 1].name, library->exports[i].name) != 0;
	return count;
}

/* Known parameters of which the generic entry would pass on only a part. */
static bool params_are_too_large(const struct function *function)
{
	unsigned words = 0;

	for (size_t i = 0; i < function->nparams && words <= TL_SIGNATURE_WORDS; i++)
		words += emit_words(function->params[i].type);
	return words > TL_SIGNATURE_WORDS;
}

/*
 * Decide which functions of the headers get a stub. Prints which functions of the library are left
 * out, and counts those that no header declares.
 */
static void functions_choose(struct model *model, struct library *library)
{
	library->undeclared = count_exports(library);
	for (size_t i = 0; i < model->nfunctions; i++) {
		struct function *function = &model->functions[i];
		const struct interposed *export = export_of(library, function->name);
		const char *why = function_untraceable(export ? export->name : function->name);

		if (why) {
			function->left_out = why;
		} else if (function->left_out && function->only_generic) {
			/* Of a function without a prototype, not even its parameters are known. */
			function->passed |=
				strstr(function->left_out, "without a prototype") != NULL;
			function->left_out = NULL;
		}
		if (!function->left_out && !function->passed && params_are_too_large(function))
			function->left_out = "its parameters are larger than 2 KiB";
		if (function->left_out && export)
			printf("%s: %s\n", function->name, function->left_out);
		else if (!function->left_out && !export && !is_handed_out(model, function))
			function->left_out = "the library does not export it";
		function->exported = export != NULL;
		/* In a model of debug information, each version of a function counts. */
		if (function->exported && library->undeclared)
			library->undeclared--;
	}
}

/* Correct the pointers into the list of functions, which is about to move. */
static void getprocs_move(struct model *model, const struct function *from)
{
	for (size_t i = 0; i < model->ngetprocs; i++) {
		struct getproc *getproc = &model->getprocs[i];

		getproc->function = model->functions + (getproc->function - from);
		for (size_t j = 0; j < getproc->nentries; j++)
			getproc->entries[j].function =
				model->functions + (getproc->entries[j].function - from);
	}
}

/*
 * Versions of a function that new programs don't get are functions of their own, called
 * name@version: the runtime finds each one's real function by that.
 */
static void versions_add(struct model *model, struct library *library)
{
	size_t count = model->nfunctions;

	for (size_t i = 0; i < count; i++) {
		struct interposed *export = export_find(library, model->functions[i].name);
		const struct interposed *end = library->exports + library->nexports;
		const char *name = model->functions[i].name;

		if (model->functions[i].left_out || !export)
			continue;
		if (!export->is_default)
			model->functions[i].name = format_text("%s@%s", name, export->version);
		for (export ++; export < end && !strcmp(export->name, name); export ++) {
			const struct function *before = model->functions;
			struct function function = model->functions[i];

			function.name = format_text("%s@%s", name, export->version);
			/* Debug information may have told of it. */
			if (model_function(model, function.name))
				continue;
			*APPEND(model->functions, model->nfunctions) = function;
			getprocs_move(model, before);
		}
	}
}

/* Behind versions_add. Older versions of a function (name@version) stay as they are. */
static void compared_mark(struct model *model, const struct library *library)
{
	for (size_t i = 0; i < model->nfunctions; i++) {
		struct function *function = &model->functions[i];
		const struct interposed *export = export_find(library, function->name);

		if (export && export->compared)
			function->flags |= TL_FUNCTION_COMPARED;
	}
}

/* "libcurl.so.4" is curl. */
static void model_name(struct model *model, const struct library *library)
{
	const char *base = library->soname;
	const char *dot = strstr(base, ".so");

	if (!strncmp(base, "lib", 3))
		base += 3;
	if (!model->name)
		model->name = dot && dot > base ? copy_bytes(base, (size_t)(dot - base))
						: copy_text(base);
	if (!model->prefix)
		model->prefix = model->name;
	if (!model->nsonames)
		*APPEND(model->sonames, model->nsonames) = library->soname;
}

/* ---- the parts */

struct making {
	struct image image;
	const struct library *library;
	struct code_stub *stubs;
	size_t nstubs, unknown;
	struct spot got; /* one slot for each of imports */
};

/* Where the symbols are in `imports`. The integers' entries are in the order of their words. */
#define IMPORT_ENTRY	      0
#define IMPORT_ENTRY_WIDE     1
#define IMPORT_REGISTER	      2
#define IMPORT_ENTRY_INTEGERS 3
static const char *const imports[] = {
	"tl_generic_entry",
	"tl_generic_entry_wide",
	"tl_shim_register",
	"tl_generic_entry_integers_0",
	"tl_generic_entry_integers_1",
	"tl_generic_entry_integers_2",
	"tl_generic_entry_integers_3",
	"tl_generic_entry_integers_4",
	"tl_generic_entry_integers_5",
	"tl_generic_entry_integers_6",
};
#define NIMPORTS (sizeof(imports) / sizeof(*imports))

static struct spot import_slot(const struct making *making, unsigned import)
{
	return spot_behind(making->got, 8 * import);
}

static void imports_add(struct making *making)
{
	making->got = image_reserve(&making->image, PART_GOT, NIMPORTS * 8, 8);
	for (unsigned i = 0; i < NIMPORTS; i++)
		*APPEND(making->image.pointers, making->image.npointers) =
			(struct pointer){.at = spot_behind(making->got, 8 * i), .symbol = i + 1};
}

/* Which version of the library's the stub has: its number in .gnu.version. */
static unsigned version_number(const struct library *library, const struct interposed *export)
{
	if (!library->has_versions || !*export->version)
		return VER_NDX_GLOBAL;
	for (unsigned i = 0; i < library->nversions; i++)
		if (!strcmp(library->versions[i], export->version))
			return (i + 2) | (export->is_default ? 0 : 0x8000);
	return VER_NDX_GLOBAL;
}

/* The library has the function in several versions. */
static bool export_is_of_many(const struct library *library, const struct interposed *export)
{
	const struct interposed *end = library->exports + library->nexports;

	return (export > library->exports && !strcmp(export[-1].name, export->name)) ||
	       (export + 1 < end && !strcmp(export[1].name, export->name));
}

static unsigned import_of(const struct tl_signature *signature)
{
	if (signature->flags & TL_SIGNATURE_WIDE)
		return IMPORT_ENTRY_WIDE;
	if (signature->flags & TL_SIGNATURE_INTEGERS)
		return IMPORT_ENTRY_INTEGERS + signature->words;
	return IMPORT_ENTRY;
}

static void stub_add(struct making *making, const struct function *function, struct spot shim,
		     const struct tl_signature *signature)
{
	const struct interposed *export = export_of(making->library, function->name);
	struct code_stub stub = code_stub_add(&making->image, making->library->machine, shim,
					      import_slot(making, import_of(signature)));

	if (export) {
		stub.name = export->name;
		stub.version = version_number(making->library, export);
		stub.compared = function->flags & TL_FUNCTION_COMPARED &&
				!export_is_of_many(making->library, export);
	}
	*APPEND(making->stubs, making->nstubs) = stub;
	image_point(&making->image, spot_behind(shim, offsetof(struct tl_shim, entry)), stub.at);
}

/* The array of struct tl_shim, with a signature and a stub each. */
static struct spot shims_add(struct making *making, struct model *model,
			     const struct tl_signature *const *signatures, struct spot functions)
{
	struct image *image = &making->image;
	struct spot shims =
		image_reserve(image, PART_DATA, emit_count(model) * sizeof(struct tl_shim), 64);
	size_t i = 0;

	for (const struct function *f = emit_first(model); f; f = emit_next(model, f), i++) {
		struct spot shim = spot_behind(shims, i * sizeof(struct tl_shim));
		const uint32_t mode = TL_MODE_RESOLVE;

		memcpy(image_at(image, spot_behind(shim, offsetof(struct tl_shim, mode))), &mode,
		       sizeof mode);
		image_point(image, spot_behind(shim, offsetof(struct tl_shim, function)),
			    spot_behind(functions, i * sizeof(struct tl_function)));
		image_point(image, spot_behind(shim, offsetof(struct tl_shim, signature)),
			    image_add(image, PART_RODATA, signatures[i],
				      signature_size(signatures[i]), 8));
		stub_add(making, f, shim, signatures[i]);
	}
	return shims;
}

/* All late words are there. */
static void late_words_add(struct making *making, struct spot library)
{
	struct image *image = &making->image;
	struct spot late = spot_behind(library, offsetof(struct tl_interposer_library, late));
	size_t size = image_late_words(image) * sizeof(int32_t);
	struct spot words = image_reserve(image, PART_LATE_WORDS, size, sizeof(int32_t));
	struct spot tables = {PART_LATE, 0};

	image_point(image, spot_behind(late, offsetof(struct tl_late_words, first)), words);
	image_point(image, spot_behind(late, offsetof(struct tl_late_words, end)),
		    spot_behind(words, size));
	image_point(image, spot_behind(late, offsetof(struct tl_late_words, tables)), tables);
	image_point(image, spot_behind(late, offsetof(struct tl_late_words, tables_end)),
		    spot_behind(tables, image->parts[PART_LATE].size));
}

static void library_add(struct making *making, struct spot api, struct spot functions,
			struct spot shims)
{
	struct image *image = &making->image;
	struct spot library =
		image_reserve(image, PART_DATA, sizeof(struct tl_interposer_library), 8);
	struct tl_interposer_library *bytes = image_at(image, library);
	const struct tl_function *function = image_at(image, functions);

	bytes->library.abi = TL_GENERIC_ABI;
	for (size_t i = 0; i < making->nstubs; i++)
		bytes->flags |= function[i].flags;
	image_point(image, spot_behind(library, offsetof(struct tl_shim_library, api)), api);
	image_point(image, spot_behind(library, offsetof(struct tl_shim_library, shims)), shims);
	late_words_add(making, library);
	code_constructor_add(image, making->library->machine, library,
			     import_slot(making, IMPORT_REGISTER));
}

/* The shims' signatures. A function without one loses its parameters. */
static const struct tl_signature **signatures_make(struct making *making, struct model *model)
{
	const struct tl_signature **list = allocate((emit_count(model) + 1) * sizeof *list);
	size_t i = 0;

	for (const struct function *f = emit_first(model); f; f = emit_next(model, f)) {
		struct function *function = &model->functions[f - model->functions];

		list[i] = signature_of(function, making->library->machine);
		if (list[i]->flags & TL_SIGNATURE_UNKNOWN) {
			if (!function->passed)
				printf("%s: by name alone: where its arguments are depends on compilers and their options\n",
				       function->name);
			function_forget(function);
			making->unknown++;
		}
		i++;
	}
	return list;
}

static size_t count_left_out(const struct model *model)
{
	size_t count = 0;

	for (size_t i = 0; i < model->nfunctions; i++)
		count += model->functions[i].left_out && model->functions[i].exported;
	return count;
}

static int interposer_make(struct model *model, struct library *library, const char *output)
{
	struct making making = {.library = library};
	const char *slash = strrchr(output, '/');
	struct spot functions;

	versions_add(model, library);
	compared_mark(model, library);
	model_name(model, library);
	if (!emit_count(model)) {
		fprintf(stderr,
			"tracegen: %s exports none of the functions that the headers declare; name the library that has them\n",
			library->path);
		return -1;
	}
	imports_add(&making);
	const struct tl_signature **signatures = signatures_make(&making, model);
	struct spot api = tables_place(&making.image, tables_make(model), &functions);
	struct spot shims = shims_add(&making, model, signatures, functions);
	library_add(&making, api, functions, shims);
	code_frames_add(&making.image, library->machine);
	const struct elf_input input = {.library = library,
					.soname = slash ? slash + 1 : output,
					.stubs = making.stubs,
					.nstubs = making.nstubs,
					.imports = imports,
					.nimports = NIMPORTS};
	if (elf_write(&making.image, &input, output) != 0)
		return -1;
	printf("%zu functions of %s, %zu of them by name alone; %zu left out, %zu not declared by the headers\n",
	       making.nstubs, library->soname, making.unknown, count_left_out(model),
	       library->undeclared);
	return 0;
}

/*
 * True if libtracelayer.so itself calls this library. A shim there would call libtracelayer.so for
 * each of its own calls.
 */
static bool library_is_below(const struct library *library)
{
	static const char *const below[] = {"libc.so.*", "ld-linux*.so.*", "libpthread.so.*",
					    "libdl.so.*", "libtracelayer.so*"};

	for (size_t i = 0; i < sizeof below / sizeof *below; i++)
		if (fnmatch(below[i], library->soname, 0) == 0)
			return true;
	return false;
}

/*
 * The library, with the companions of the model, if there is one. NULL: it can't have an interposer
 * (printed).
 */
static struct library *library_check_traceable(const char *path, const struct model *model)
{
	struct library *library = library_read(path, model ? model->companions : NULL,
					       model ? model->ncompanions : 0);

	if (library && library_is_below(library)) {
		fprintf(stderr,
			"tracegen: %s: tracelayer itself calls it, so nothing can stand in front of it; use ltrace or strace for this library\n",
			library->soname);
		return NULL;
	}
	if (library && !library->nexports) {
		fprintf(stderr,
			"tracegen: %s: it exports no function; name the shared library that programs load\n",
			library->path);
		return NULL;
	}
	if (library && library->machine != EM_X86_64 && library->machine != EM_AARCH64) {
		fprintf(stderr,
			"tracegen: %s is for a machine that tracelayer does not know; it knows x86-64 and aarch64\n",
			library->path);
		return NULL;
	}
	return library;
}

bool interposer_can_be(const char *path)
{
	return library_check_traceable(path, NULL) != NULL;
}

int interposer_write(struct model *model, const char *path, const char *output)
{
	struct library *library = library_check_traceable(path, model);

	if (!library)
		return -1;
	functions_choose(model, library);
	return interposer_make(model, library, output);
}
