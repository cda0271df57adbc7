/* SPDX-License-Identifier: MIT */
/*
 * cl_counter: counts the calls that a program makes into OpenCL, without anything of
 * tracelayer's.
 *
 * It is a layer of the loader's (OPENCL_LAYERS, clInitLayer): the loader hands it every call,
 * however the program came by the function, so the counts are also those of programs that open the
 * loader with dlopen. The functions' names and order are the preprocessor's reading of CL/cl_icd.h
 * (cl_slots.h, made by tests/whole/local.mk); a slot that is no function of the loader's own is passed
 * on like any other.
 *
 * The counts lie in a file that is mapped, so that a program may end as it likes. WHOLE_COUNTS
 * names it; %p is the process. It holds one 64-bit number for each slot, in the order of
 * cl_slots.h. Functions that the program gets from clGetExtensionFunctionAddress and calls
 * through the pointer don't come by here.
 */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <CL/cl_layer.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum slot {
#define SLOT(name, number) SLOT_##name,
#include "tests/whole/cl_slots.h"
#undef SLOT
	SLOTS
};
_Static_assert(SLOTS * sizeof(void *) == sizeof(cl_icd_dispatch),
	       "cl_slots.h has every slot of the loader's table");

static const char *const slot_names[SLOTS] = {
#define SLOT(name, number) #name,
#include "tests/whole/cl_slots.h"
#undef SLOT
};

/* What comes after us, and the file's memory; the stubs below know both by name. */
void *whole_next[SLOTS] __attribute__((visibility("hidden")));
uint64_t *whole_counts __attribute__((visibility("hidden")));

/*
 * A stub adds one to its slot's count and jumps on, leaving every argument where it is. Written
 * outside of any function, because not every compiler knows functions without a frame.
 */
#if defined(__x86_64__)
#define STUB(name, number)                                                                         \
	"stub_" #name ":\n"                                                                        \
	"	movq whole_counts(%rip), %r11\n"                                                         \
	"	lock incq " #number " * 8(%r11)\n"                                                 \
	"	jmp *whole_next + " #number " * 8(%rip)\n"
#elif defined(__aarch64__)
#define STUB(name, number)                                                                         \
	"stub_" #name ":\n"                                                                        \
	"	adrp x16, whole_counts\n"                                                                \
	"	ldr x16, [x16, :lo12:whole_counts]\n"                                                    \
	"	add x16, x16, " #number " * 8\n"                                                   \
	"1:	ldxr x14, [x16]\n"                                                                     \
	"	add x14, x14, 1\n"                                                                       \
	"	stxr w15, x14, [x16]\n"                                                                  \
	"	cbnz w15, 1b\n"                                                                          \
	"	adrp x16, whole_next\n"                                                                  \
	"	add x16, x16, :lo12:whole_next\n"                                                        \
	"	ldr x16, [x16, " #number " * 8]\n"                                                 \
	"	br x16\n"
#else
#error "cl_counter.c: write a stub for this processor"
#endif
__asm__(".text\n.balign 16\n"
#define SLOT(name, number) STUB(name, number)
#include "tests/whole/cl_slots.h"
#undef SLOT
);
#define SLOT(name, number) extern void stub_##name(void) __attribute__((visibility("hidden")));
#include "tests/whole/cl_slots.h"
#undef SLOT

static void (*const stubs[SLOTS])(void) = {
#define SLOT(name, number) stub_##name,
#include "tests/whole/cl_slots.h"
#undef SLOT
};
static cl_icd_dispatch ours;

static void fail(const char *what)
{
	perror(what);
	_exit(99);
}

/* The counts' file, and beside it (.names) the slots' names. */
static void open_counts(void)
{
	const char *pattern = getenv("WHOLE_COUNTS");
	char path[4096], names[4104];
	const char *mark = pattern ? strstr(pattern, "%p") : NULL;

	if (!pattern)
		fail("WHOLE_COUNTS");
	if (mark)
		snprintf(path, sizeof(path), "%.*s%d%s", (int)(mark - pattern), pattern,
			 (int)getpid(), mark + 2);
	else
		snprintf(path, sizeof(path), "%s", pattern);
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, SLOTS * sizeof(*whole_counts)))
		fail(path);
	void *memory = mmap(NULL, SLOTS * sizeof(*whole_counts), PROT_READ | PROT_WRITE, MAP_SHARED,
			    fd, 0);
	if (memory == MAP_FAILED)
		fail(path);
	whole_counts = memory;
	close(fd);

	snprintf(names, sizeof(names), "%s.names", path);
	FILE *file = fopen(names, "we");
	if (!file)
		fail(names);
	for (int i = 0; i < SLOTS; i++)
		fprintf(file, "%s\n", slot_names[i]);
	fclose(file);
}

cl_int clGetLayerInfo(cl_layer_info name, size_t size, void *value, size_t *size_ret)
{
	static const char called[] = "cl_counter";
	const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
	const void *answer = name == CL_LAYER_API_VERSION ? (const void *)&version : called;
	size_t needed = name == CL_LAYER_API_VERSION ? sizeof(version) : sizeof(called);

	if (name != CL_LAYER_API_VERSION && name != CL_LAYER_NAME)
		return CL_INVALID_VALUE;
	if (value && size < needed)
		return CL_INVALID_VALUE;
	if (value)
		memcpy(value, answer, needed);
	if (size_ret)
		*size_ret = needed;
	return CL_SUCCESS;
}

cl_int clInitLayer(cl_uint count, const cl_icd_dispatch *next, cl_uint *count_ret,
		   const cl_icd_dispatch **ours_ret)
{
	size_t size = count < SLOTS ? count : SLOTS;

	open_counts();
	memcpy(whole_next, next, size * sizeof(void *));
	memcpy(&ours, stubs, sizeof(ours));
	*count_ret = (cl_uint)size;
	*ours_ret = &ours;
	return CL_SUCCESS;
}
