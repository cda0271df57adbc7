/* SPDX-License-Identifier: MIT */
/*
 * Units under the whole programs of cl_functions.sh: symbol tables that the layer reads agree with the
 * dynamic linker's answers, closures pass every kind of parameter on, and get-proc functions'
 * results are wrapped and nothing beyond them is.
 *
 * The runtime is a double: it counts what it is told.
 */
#include <check.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "layer/resolve/closure.h"
#include "layer/resolve/loader_tables.h"
#include "layer/resolve/dlsym.h"
#include "layer/resolve/mpi_tables.h"
#include "layer/base/loaded_libraries.h"
#include "layer/resolve/shim_names.h"
#include "layer/resolve/real_function.h"
#include "layer/buffers/process_state.h"
#include "layer/resolve/api_table.h"
#include "layer/resolve/late_relocation.h"

/* --- the runtime's double */

static _Atomic unsigned adopted;

struct tl_shim_library *const tl_api_builtin[] = {NULL};

void tl_api_need(void)
{
}

void tl_late_relocate(void)
{
}

bool tl_api_awaits(void)
{
	return false;
}

bool tl_api_is_idle(void)
{
	return false;
}

bool tl_process_is_started(void)
{
	return true;
}

void tl_process_start(void)
{
}

bool tl_process_is_confined(void)
{
	return false;
}

void tl_api_by_caller(struct tl_shim *const *shims, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		atomic_fetch_or(&shims[i]->mode, TL_MODE_CALLER);
}

void tl_api_join(struct tl_shim *shim, struct tl_shim *of)
{
}

void tl_mpi_tables_choose(const struct tl_shim *shim, const void *real)
{
	(void)shim, (void)real;
}

/* With `holds`, the first thread waits in tl_api_adopt. */
static _Atomic bool holds, held, let_go;

void tl_api_adopt(struct tl_shim *shim, struct tl_shim *of)
{
	if (atomic_exchange(&holds, false)) {
		held = true;
		while (!let_go)
			usleep(100);
	}
	if (!__atomic_exchange_n(&shim->reserved, 1, __ATOMIC_SEQ_CST))
		atomic_fetch_add(&adopted, 1);
}

const struct tl_shim_library *tl_api_library(uint32_t number)
{
	(void)number;
	return NULL;
}

/* Calls of interposers' closures, of which there are none here. */
void *tl_call_enter(struct tl_call *call)
{
	(void)call;
	abort();
}

void tl_call_leave(struct tl_call *call, uint64_t result, const uint64_t *words, uint32_t count)
{
	(void)call, (void)result, (void)words, (void)count;
}

void tl_call_unwound(struct tl_call *call)
{
	(void)call;
}

const struct tl_dl *tl_dl(void)
{
	static struct tl_dl dl = {
		.dlopen = dlopen, .dlsym = dlsym, .dlvsym = dlvsym, .dlerror = dlerror};

	return &dl;
}

/* --- an API of a few functions */

struct small {
	int32_t x;
	float y;
};

struct large {
	char bytes[64];
	double d;
};

static const struct tl_type type_i8 = {.name = "int8_t", .kind = TL_KIND_INT, .size = 1};
static const struct tl_type type_u16 = {.name = "uint16_t", .kind = TL_KIND_UINT, .size = 2};
static const struct tl_type type_i32 = {.name = "int32_t", .kind = TL_KIND_INT, .size = 4};
static const struct tl_type type_u64 = {.name = "uint64_t", .kind = TL_KIND_UINT, .size = 8};
static const struct tl_type type_float = {.name = "float", .kind = TL_KIND_FLOAT, .size = 4};
static const struct tl_type type_double = {.name = "double", .kind = TL_KIND_FLOAT, .size = 8};
static const struct tl_type type_char = {.name = "char", .kind = TL_KIND_CHAR, .size = 1};
static const struct tl_type type_pointer = {.name = "void *", .kind = TL_KIND_POINTER, .size = 8};
static const struct tl_type type_bytes = {
	.name = "char[64]", .kind = TL_KIND_ARRAY, .size = 64, .count = 64, .target = &type_char};
static const struct tl_variable small_members[] = {
	{.name = "x", .type = &type_i32, .offset = offsetof(struct small, x)},
	{.name = "y", .type = &type_float, .offset = offsetof(struct small, y)},
};
static const struct tl_variable large_members[] = {
	{.name = "bytes", .type = &type_bytes, .offset = offsetof(struct large, bytes)},
	{.name = "d", .type = &type_double, .offset = offsetof(struct large, d)},
};
static const struct tl_type type_small = {.name = "struct small",
					  .kind = TL_KIND_STRUCT,
					  .size = sizeof(struct small),
					  .count = 2,
					  .members = small_members};
static const struct tl_type type_large = {.name = "struct large",
					  .kind = TL_KIND_STRUCT,
					  .size = sizeof(struct large),
					  .count = 2,
					  .members = large_members};

enum { NARROW, SHORT, MANY, SMALL, LARGE, GET, TABLE, STORE, FUNCTIONS };

static const struct tl_variable narrow_params[] = {{.name = "a", .type = &type_i8},
						   {.name = "b", .type = &type_i32, .offset = 1}};
static const struct tl_variable many_params[] = {
	{.name = "a", .type = &type_u64},
	{.name = "b", .type = &type_double, .offset = 1},
	{.name = "c", .type = &type_i32, .offset = 2},
	{.name = "d", .type = &type_u64, .offset = 3},
	{.name = "e", .type = &type_u64, .offset = 4},
	{.name = "f", .type = &type_float, .offset = 5},
	{.name = "g", .type = &type_u64, .offset = 6},
	{.name = "h", .type = &type_u64, .offset = 7},
	{.name = "i", .type = &type_i8, .offset = 8},
	{.name = "j", .type = &type_u64, .offset = 9},
};
static const struct tl_variable small_params[] = {{.name = "s", .type = &type_small, .words = 1},
						  {.name = "by", .type = &type_i32, .offset = 1}};
static const struct tl_variable large_params[] = {
	{.name = "s", .type = &type_large, .words = 9},
	{.name = "by", .type = &type_double, .offset = 9}};
/* The name stands behind a struct by value, so that its word is not its number. */
static const struct tl_variable get_params[] = {
	{.name = "s", .type = &type_large, .words = 9},
	{.name = "name", .type = &type_pointer, .offset = 9}};
static const struct tl_variable table_params[] = {
	{.name = "version", .type = &type_i32},
	{.name = "table", .type = &type_pointer, .offset = 1}};

static const struct tl_variable store_params[] = {
	{.name = "name", .type = &type_pointer},
	{.name = "where", .type = &type_pointer, .offset = 1},
	{.name = "version", .type = &type_i32, .offset = 2}};

static const struct tl_api api;

#define FUNCTION(index_, name_, result_, params_)                                                  \
	[index_] = {.name = name_,                                                                 \
		    .result = &result_,                                                            \
		    .params = params_,                                                             \
		    .api = &api,                                                                   \
		    .index = index_,                                                               \
		    .count = sizeof(params_) / sizeof(*(params_))}

static const struct tl_function functions[FUNCTIONS] = {
	FUNCTION(NARROW, "tl_test_narrow", type_i8, narrow_params),
	FUNCTION(SHORT, "tl_test_short", type_u16, narrow_params),
	FUNCTION(MANY, "tl_test_many", type_double, many_params),
	FUNCTION(SMALL, "tl_test_small", type_small, small_params),
	FUNCTION(LARGE, "tl_test_large", type_large, large_params),
	FUNCTION(GET, "tl_test_get", type_pointer, get_params),
	FUNCTION(TABLE, "tl_test_table", type_i32, table_params),
	FUNCTION(STORE, "tl_test_store", type_i32, store_params),
};

static const struct tl_table_entry entries[] = {
	{0, NARROW, 0}, {8, SHORT, 0x10000}, {16, MANY, 0x10003}, {24, SMALL, 0}};
static const struct tl_versioned_name names[] = {{"tl_test_narrow", UINT32_MAX, 200},
						 {"tl_test_narrow", SHORT, 100},
						 {"tl_test_other", MANY, 100}};
static const struct tl_getproc getprocs[] = {
	{.kind = TL_GETPROC_RETURNED, .name = 1, .function = GET},
	{.kind = TL_GETPROC_TABLE,
	 .version = 0,
	 .where = 1,
	 .function = TABLE,
	 .count = 4,
	 .entries = entries},
	{.kind = TL_GETPROC_STORED,
	 .name = 0,
	 .where = 1,
	 .version = 2,
	 .function = STORE,
	 .count = 3,
	 .names = names,
	 .until = 300},
};
static const char *const sonames[] = {"libtracelayer-test-no-such.so.1", NULL};
static const struct tl_api api = {.name = "test",
				  .version = "1",
				  .sonames = sonames,
				  .functions = functions,
				  .count = FUNCTIONS,
				  .getprocs = getprocs,
				  .ngetprocs = 3};
static struct tl_shim shims[FUNCTIONS];
static struct tl_shim_library library = {.abi = TL_SHIM_ABI, .api = &api, .shims = shims};

/* The bodies that tracegen would write: take the arguments apart, call the real function. */
static _Atomic unsigned invoked;

static void invoke(struct tl_shim *shim, void *caller, void **args, void *result)
{
	void *real = shim->real;

	ck_assert_ptr_null(caller);
	atomic_fetch_add(&invoked, 1);
	switch (shim->function->index) {
	case NARROW:
		*(int8_t *)result =
			((int8_t(*)(int8_t, int32_t))real)(*(int8_t *)args[0], *(int32_t *)args[1]);
		break;
	case SHORT:
		*(uint16_t *)result = ((uint16_t(*)(int8_t, int32_t))real)(*(int8_t *)args[0],
									   *(int32_t *)args[1]);
		break;
	case MANY:
		*(double *)result = ((double (*)(uint64_t, double, int32_t, uint64_t, uint64_t,
						 float, uint64_t, uint64_t, int8_t, uint64_t))real)(
			*(uint64_t *)args[0], *(double *)args[1], *(int32_t *)args[2],
			*(uint64_t *)args[3], *(uint64_t *)args[4], *(float *)args[5],
			*(uint64_t *)args[6], *(uint64_t *)args[7], *(int8_t *)args[8],
			*(uint64_t *)args[9]);
		break;
	case SMALL:
		*(struct small *)result = ((struct small(*)(struct small, int32_t))real)(
			*(struct small *)args[0], *(int32_t *)args[1]);
		break;
	case LARGE:
		*(struct large *)result = ((struct large(*)(struct large, double))real)(
			*(struct large *)args[0], *(double *)args[1]);
		break;
	}
}

static void entry_of_its_own(void)
{
}

/* An API nobody has asked for anything yet, whose shims have real functions of their own. */
static void set_up(void)
{
	static char reals[FUNCTIONS];

	for (int i = 0; i < FUNCTIONS; i++) {
		shims[i] = (struct tl_shim){.function = &functions[i],
					    .entry = (void *)entry_of_its_own,
					    .invoke = invoke};
		shims[i].real = &reals[i];
	}
	tl_resolve_add(&library);
}

/* --- symbol tables */

struct comparison {
	const char *soname;
	unsigned functions, agreed;
};

static void compare_library(const struct tl_loaded *loaded, void *closure)
{
	struct comparison *comparison = closure;
	const struct tl_elf *elf = NULL;

	for (unsigned i = 0; i < loaded->count; i++)
		if (tl_elf_is_named(&loaded->elf[i], comparison->soname))
			elf = &loaded->elf[i];
	ck_assert_ptr_nonnull(elf);
	/* The dynamic symbols end where their names begin, in every library made by the usual
	 * linkers. */
	for (const ElfW(Sym) *s = elf->symbols + 1; (const char *)s < elf->strings; s++) {
		const char *name = elf->strings + s->st_name;
		const ElfW(Sym) *found;
		void *answer;

		if (s->st_shndx == SHN_UNDEF || ELF64_ST_TYPE(s->st_info) != STT_FUNC ||
		    ELF64_ST_BIND(s->st_info) == STB_LOCAL)
			continue;
		found = tl_elf_lookup(elf, name, tl_elf_hash(name), NULL);
		answer = dlsym(RTLD_DEFAULT, name);
		comparison->functions++;
		comparison->agreed +=
			(found ? (void *)(elf->base + found->st_value) : NULL) == answer;
	}
}

START_TEST(functions_are_found_as_dlsym_finds_them)
{
	struct comparison comparison = {.soname = "libOpenCL.so.1"};

	ck_assert_ptr_nonnull(dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_GLOBAL));
	ck_assert(tl_loaded_with(compare_library, &comparison));
	ck_assert_uint_gt(comparison.functions, 100);
	ck_assert_uint_eq(comparison.agreed, comparison.functions);
}
END_TEST

static void look_up_versions(const struct tl_loaded *loaded, void *closure)
{
	const char *name = "pthread_cond_wait";

	for (unsigned i = 0; i < loaded->count; i++) {
		const struct tl_elf *elf = &loaded->elf[i];
		const char *const *version = closure;

		if (!tl_elf_is_named(elf, "libc.so.6"))
			continue;
		const ElfW(Sym) *by_default = tl_elf_lookup(elf, name, tl_elf_hash(name), NULL);
		const ElfW(Sym) *by_version = tl_elf_lookup(elf, name, tl_elf_hash(name), *version);

		ck_assert_ptr_eq((void *)(elf->base + by_default->st_value),
				 dlsym(RTLD_DEFAULT, name));
		ck_assert_ptr_eq((void *)(elf->base + by_version->st_value),
				 dlvsym(RTLD_DEFAULT, name, *version));
		ck_assert_ptr_null(tl_elf_lookup(elf, name, tl_elf_hash(name), "NO_SUCH_VERSION"));
		*(const char **)closure = NULL;
	}
}

START_TEST(the_default_version_is_found_unless_another_is_asked)
{
	const char *version = sizeof(void *) == 8 ? "GLIBC_2.3.2" : "";

#ifdef __aarch64__
	version = "GLIBC_2.17";
#endif
	tl_loaded_with(look_up_versions, &version);
	ck_assert_ptr_null(version);
}
END_TEST

static void look_at_startup(const struct tl_loaded *loaded, void *closure)
{
	bool *in_startup = closure;

	for (unsigned i = 0; i < loaded->count; i++) {
		if (tl_elf_is_named(&loaded->elf[i], "libOpenCL.so.1"))
			ck_assert_uint_ge(i, loaded->startup);
		if (tl_elf_is_named(&loaded->elf[i], "libc.so.6"))
			*in_startup = i < loaded->startup;
	}
}

START_TEST(what_was_opened_later_is_not_of_the_global_scope)
{
	bool libc_is_in = false;

	ck_assert_ptr_nonnull(dlopen("libOpenCL.so.1", RTLD_NOW));
	tl_loaded_with(look_at_startup, &libc_is_in);
	ck_assert(libc_is_in);
}
END_TEST

START_TEST(only_executable_memory_is_code)
{
	static int variable;
	void *generated =
		mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ck_assert(tl_loaded_is_code((void *)tl_loaded_is_code));
	ck_assert(tl_loaded_is_code(generated));
	ck_assert(!tl_loaded_is_code(&variable));
#if defined(__x86_64__)
	/* Other machines' linkers put constants beside the code, where they can be executed. */
	ck_assert(!tl_loaded_is_code("text"));
#endif
	ck_assert(!tl_loaded_is_code((void *)8));
	munmap(generated, 4096);
}
END_TEST

/* --- closures */

static int8_t narrow(int8_t a, int32_t b)
{
	return (int8_t)(a + b);
}

static uint16_t short_of(int8_t a, int32_t b)
{
	return (uint16_t)(a + b);
}

static double many(uint64_t a, double b, int32_t c, uint64_t d, uint64_t e, float f, uint64_t g,
		   uint64_t h, int8_t i, uint64_t j)
{
	return (double)a + 10 * b + 100.0 * c + 1e3 * (double)d + 1e4 * (double)e + 1e5 * f +
	       1e6 * (double)g + 1e7 * (double)h + 1e8 * i + 1e9 * (double)j;
}

static struct small small_of(struct small s, int32_t by)
{
	return (struct small){s.x + by, s.y * (float)by};
}

static struct large large_of(struct large s, double by)
{
	s.bytes[63] = 'z';
	s.d += by;
	return s;
}

START_TEST(narrow_results_keep_their_sign)
{
	int8_t (*through)(int8_t, int32_t) =
		(int8_t(*)(int8_t, int32_t))tl_closure_for(&shims[NARROW], (void *)narrow);
	uint16_t (*through_short)(int8_t, int32_t) =
		(uint16_t(*)(int8_t, int32_t))tl_closure_for(&shims[SHORT], (void *)short_of);

	ck_assert((void *)through != (void *)narrow);
	ck_assert_int_eq(through(-100, 28), -72);
	ck_assert_int_eq(through(100, 27), 127);
	ck_assert_int_eq(through_short(-1, 0), 65535);
	ck_assert_uint_eq(invoked, 3);
}
END_TEST

START_TEST(arguments_in_registers_and_on_the_stack_arrive)
{
	double (*through)(uint64_t, double, int32_t, uint64_t, uint64_t, float, uint64_t, uint64_t,
			  int8_t, uint64_t) =
		(double (*)(uint64_t, double, int32_t, uint64_t, uint64_t, float, uint64_t,
			    uint64_t, int8_t, uint64_t))tl_closure_for(&shims[MANY], (void *)many);

	ck_assert_double_eq(through(1, 2.5, -3, 4, 5, 6.5f, 7, 8, -9, 10),
			    many(1, 2.5, -3, 4, 5, 6.5f, 7, 8, -9, 10));
}
END_TEST

START_TEST(structs_by_value_arrive_and_come_back)
{
	struct small (*through)(struct small, int32_t) =
		(struct small(*)(struct small, int32_t))tl_closure_for(&shims[SMALL],
								       (void *)small_of);
	struct large (*through_large)(struct large, double) =
		(struct large(*)(struct large, double))tl_closure_for(&shims[LARGE],
								      (void *)large_of);
	struct small small = through((struct small){7, 1.5f}, 3);
	struct large large = through_large((struct large){"abc", 1.25}, 2);

	ck_assert_int_eq(small.x, 10);
	ck_assert_float_eq(small.y, 4.5f);
	ck_assert_str_eq(large.bytes, "abc");
	ck_assert_int_eq(large.bytes[63], 'z');
	ck_assert_double_eq(large.d, 3.25);
}
END_TEST

static void *make_all(void *unused)
{
	void **made = calloc(64, sizeof(void *));

	for (uintptr_t i = 0; i < 64; i++)
		made[i] = tl_closure_for(&shims[NARROW], (void *)(0x1000 + i));
	return made;
}

START_TEST(threads_that_ask_at_once_get_the_same_closures)
{
	pthread_t threads[8];
	void **made[8];

	for (int t = 0; t < 8; t++)
		pthread_create(&threads[t], NULL, make_all, NULL);
	for (int t = 0; t < 8; t++)
		pthread_join(threads[t], (void **)&made[t]);
	for (int t = 1; t < 8; t++)
		ck_assert_mem_eq(made[0], made[t], 64 * sizeof(void *));
	for (int i = 1; i < 64; i++)
		ck_assert_ptr_ne(made[0][i], made[0][i - 1]);
	ck_assert_uint_eq(adopted, 64);
	for (int t = 0; t < 8; t++)
		free(made[t]);
}
END_TEST

static void *make_one(void *unused)
{
	return tl_closure_for(&shims[NARROW], (void *)narrow);
}

/* As in a child that was forked while another thread made the closure. */
START_TEST(a_closure_whose_maker_does_not_go_on_is_finished_by_who_needs_it)
{
	pthread_t maker;
	void *made;

	holds = true;
	pthread_create(&maker, NULL, make_one, NULL);
	while (!held)
		usleep(100);
	void *entry = tl_closure_for(&shims[NARROW], (void *)narrow);
	ck_assert_ptr_ne(entry, (void *)narrow);
	ck_assert_uint_eq(adopted, 1);
	let_go = true;
	pthread_join(maker, &made);
	ck_assert_ptr_eq(made, entry);
	ck_assert_uint_eq(adopted, 1);
}
END_TEST

/* --- which pointer the program gets */

START_TEST(the_functions_own_pointer_gives_the_shim)
{
	shims[NARROW].real = (void *)narrow;
	ck_assert_ptr_eq(tl_resolve_closure(&shims[NARROW], (void *)narrow),
			 (void *)entry_of_its_own);
	ck_assert_uint_eq(adopted, 0);
}
END_TEST

START_TEST(the_first_pointer_of_an_unknown_function_becomes_its_own)
{
	shims[NARROW].real = NULL;
	errno = 77;
	ck_assert_ptr_eq(tl_resolve_closure(&shims[NARROW], (void *)narrow),
			 (void *)entry_of_its_own);
	ck_assert_ptr_eq(shims[NARROW].real, (void *)narrow);
	ck_assert_ptr_ne(tl_resolve_closure(&shims[NARROW], (void *)short_of),
			 (void *)entry_of_its_own);
	ck_assert_int_eq(errno, 77);
}
END_TEST

START_TEST(a_table_is_wrapped_as_far_as_its_version_goes)
{
	static char no_code;
	void *table[4] = {(void *)narrow, (void *)short_of, (void *)many, &no_code};
	const uint64_t words[] = {0x10002, (uintptr_t)table};
	int32_t result = 0;

	tl_resolve_wrap(&shims[TABLE], words, &result);
	ck_assert_ptr_ne(table[0], (void *)narrow);
	ck_assert_ptr_ne(table[1], (void *)short_of);
	ck_assert_ptr_eq(table[2], (void *)many);
	ck_assert_ptr_eq(table[3], &no_code);
	ck_assert_int_eq(((int8_t(*)(int8_t, int32_t))table[0])(1, 2), 3);
	ck_assert_int_eq(((uint16_t(*)(int8_t, int32_t))table[1])(1, 2), 3);
}
END_TEST

START_TEST(a_returned_pointer_is_wrapped_by_the_name_asked_for)
{
	uint64_t words[10] = {[9] = (uintptr_t) "tl_test_narrow"};
	void *result = (void *)narrow, *unknown = (void *)narrow, *nothing = NULL;

	tl_resolve_wrap(&shims[GET], words, &result);
	ck_assert_ptr_ne(result, (void *)narrow);
	ck_assert_int_eq(((int8_t(*)(int8_t, int32_t))result)(20, 2), 22);
	tl_resolve_wrap(&shims[GET], words, &nothing);
	ck_assert_ptr_null(nothing);
	words[9] = (uintptr_t) "tl_test_nobody_knows";
	tl_resolve_wrap(&shims[GET], words, &unknown);
	ck_assert_ptr_eq(unknown, (void *)narrow);
}
END_TEST

/* The shim of what the program gets for the pointer `real`, or NULL if that is `real` itself. */
static struct tl_shim *shim_of_stored(const char *name, int32_t version, void *real)
{
	void *place = real;
	/* The upper half of an int's register may hold anything. */
	const uint64_t words[] = {(uintptr_t)name, (uintptr_t)&place,
				  0xffffffff00000000 | (uint32_t)version};
	int32_t result = 0;

	tl_resolve_wrap(&shims[STORE], words, &result);
	return place == real ? NULL : tl_closure_at(place);
}

START_TEST(a_stored_pointer_is_wrapped_as_the_function_of_its_version)
{
	const char *name = "tl_test_narrow";

	ck_assert_ptr_eq(shim_of_stored(name, 99, (void *)narrow)->function, &functions[NARROW]);
	ck_assert_ptr_eq(shim_of_stored(name, 100, (void *)short_of)->function, &functions[SHORT]);
	ck_assert_ptr_eq(shim_of_stored(name, 199, (void *)short_of)->function, &functions[SHORT]);
	/* The headers lack the function of these versions. */
	ck_assert_ptr_null(shim_of_stored(name, 200, (void *)narrow));
	ck_assert_ptr_null(shim_of_stored(name, 300, (void *)narrow));
}
END_TEST

START_TEST(a_version_that_nobody_knows_is_left_alone_unless_exported)
{
	void *place = (void *)many;
	const uint64_t words[] = {(uintptr_t) "tl_test_other", (uintptr_t)&place, 301};
	int32_t result = 0;

	ck_assert_ptr_nonnull(shim_of_stored("tl_test_other", 300, (void *)many));
	ck_assert_ptr_null(shim_of_stored("tl_test_other", 301, (void *)many));
	shims[MANY].real = (void *)many;
	tl_resolve_wrap(&shims[STORE], words, &result);
	ck_assert_ptr_eq(place, (void *)entry_of_its_own);
}
END_TEST

START_TEST(a_function_that_nobody_has_stays_unknown_and_dlerror_pending)
{
	shims[LARGE].real = NULL;
	ck_assert_ptr_null(dlsym(RTLD_DEFAULT, "tl_test_pending"));
	ck_assert_ptr_null(tl_resolve_real(&shims[LARGE], NULL));
	ck_assert_ptr_nonnull(strstr(dlerror(), "tl_test_pending"));
	ck_assert(!tl_resolve_is_loaded(&api));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("resolve");
	TCase *elf = tcase_create("elf"), *closure = tcase_create("closure"),
	      *pointer = tcase_create("pointer");

	tcase_add_test(elf, functions_are_found_as_dlsym_finds_them);
	tcase_add_test(elf, the_default_version_is_found_unless_another_is_asked);
	tcase_add_test(elf, what_was_opened_later_is_not_of_the_global_scope);
	tcase_add_test(elf, only_executable_memory_is_code);
	tcase_add_checked_fixture(closure, set_up, NULL);
	tcase_add_test(closure, narrow_results_keep_their_sign);
	tcase_add_test(closure, arguments_in_registers_and_on_the_stack_arrive);
	tcase_add_test(closure, structs_by_value_arrive_and_come_back);
	tcase_add_test(closure, threads_that_ask_at_once_get_the_same_closures);
	tcase_add_test(closure, a_closure_whose_maker_does_not_go_on_is_finished_by_who_needs_it);
	tcase_add_checked_fixture(pointer, set_up, NULL);
	tcase_add_test(pointer, the_functions_own_pointer_gives_the_shim);
	tcase_add_test(pointer, the_first_pointer_of_an_unknown_function_becomes_its_own);
	tcase_add_test(pointer, a_table_is_wrapped_as_far_as_its_version_goes);
	tcase_add_test(pointer, a_returned_pointer_is_wrapped_by_the_name_asked_for);
	tcase_add_test(pointer, a_stored_pointer_is_wrapped_as_the_function_of_its_version);
	tcase_add_test(pointer, a_version_that_nobody_knows_is_left_alone_unless_exported);
	tcase_add_test(pointer, a_function_that_nobody_has_stays_unknown_and_dlerror_pending);
	suite_add_tcase(suite, elf);
	suite_add_tcase(suite, closure);
	suite_add_tcase(suite, pointer);
	SRunner *runner = srunner_create(suite);

	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);

	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
