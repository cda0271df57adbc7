/* SPDX-License-Identifier: MIT */
/*
 * cl_hostile: passes what no polite program passes, and prints what the driver says to it.
 *
 *	names		quotes, backslashes, control characters, bytes that are not UTF-8, strings
 *			of every awkward length
 *	pages		pointers to memory that must not be touched: pages without access where the
 *			API promises not to look, strings and arrays that end right before such a
 *			page
 *	nothing		NULL wherever the loader or the driver answers with an error
 *
 * A tracer that reads one byte more than the call allows kills this program.
 *
 * With -l it only prints the names, each as hexadecimal bytes on a line, for the checker of the
 * trace.
 */
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cl_app.h"

static char long_name[601], split_name[300];

static const char *const names[] = {
	"plain",
	"",
	"quote\" back\\slash \\u0041 \\\" /",
	"bell\a backspace\b tab\t newline\n return\r feed\f escape\033 delete\177 unit\037 one\001",
	"gr\303\274\303\237e \346\274\242\345\255\227 \360\237\230\200",
	"lone \200 continuation, \377\376 never, \300\200 overlong, \340\200\257 overlong",
	"half \342\202",
	"surrogate \355\240\200 beyond \364\220\200\200 five \370\210\200\200\200",
	"</script><b>\342\200\250\342\200\251 %s%n%d ${HOME} `id`",
	"{\"name\":\"evil\",\"ph\":\"X\"},",
	long_name,  /* longer than any tracer keeps */
	split_name, /* a two-byte character across byte 256 */
};
#define NAMES (sizeof(names) / sizeof(names[0]))

static const char source[] = "__kernel void nothing(__global int *a, int b) { a[0] = b; }\n";

static struct app app;
static long page;

static void make_names(void)
{
	memset(long_name, 'n', sizeof(long_name) - 1);
	memset(split_name, 's', 255);
	strcpy(split_name + 255, "\303\274 after");
}

static void list_names(void)
{
	for (size_t i = 0; i < NAMES; i++) {
		for (const char *c = names[i]; *c; c++)
			printf("%02x", (unsigned char)*c);
		putchar('\n');
	}
}

/* One page that may be read and written, before one that may not be touched. Returns the border. */
static char *border(void)
{
	char *pages = mmap(NULL, 2 * (size_t)page, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED || mprotect(pages + page, (size_t)page, PROT_NONE)) {
		perror("mmap");
		exit(2);
	}
	return pages + page;
}

static void said(const char *what, cl_int error)
{
	printf("%s: %d\n", what, (int)error);
}

static void try_names(cl_program program)
{
	cl_int error;

	for (size_t i = 0; i < NAMES; i++) {
		if (clCreateKernel(program, names[i], &error))
			printf("a kernel of that name?\n");
		said("clCreateKernel", error);
		if (clCreateProgramWithBuiltInKernels(app.context, 1, &app.device, names[i],
						      &error))
			printf("a built-in kernel of that name?\n");
		said("clCreateProgramWithBuiltInKernels", error);
		const char *text = names[i];
		cl_program untried = clCreateProgramWithSource(app.context, 1, &text, NULL, &error);
		said("clCreateProgramWithSource", error);
		if (untried)
			DO(clReleaseProgram(untried));
	}
}

static void try_build_options(void)
{
	static const char *const options[] = {
		"--quote\"",
		"-\\",
		"-\001\037",
		"-\377\376",
		"-DA=\"gr\303\274\303\237e\" --unknown",
	};
	const char *text = source;
	cl_int error;

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		cl_program program = clCreateProgramWithSource(app.context, 1, &text, NULL, &error);
		CHECK(error, "clCreateProgramWithSource");
		said("clBuildProgram",
		     clBuildProgram(program, 1, &app.device, options[i], NULL, NULL));
		DO(clReleaseProgram(program));
	}
}

/* Strings and arrays whose last byte is the last that may be read. */
static void try_borders(cl_program program)
{
	cl_int error;
	char *end = border();

	char *name = end - sizeof("nothing");
	memcpy(name, "nothing", sizeof("nothing"));
	cl_kernel kernel = clCreateKernel(program, name, &error);
	said("clCreateKernel, name at a border", error);

	/* Exactly as long as `lengths` says, with no NUL behind it. */
	size_t length = sizeof(source) - 1;
	char *text = end - length;
	memcpy(text, source, length);
	const char **texts = (const char **)(border() - sizeof(char *));
	size_t *lengths = (size_t *)(border() - sizeof(size_t));
	*texts = text;
	*lengths = length;
	cl_program again = clCreateProgramWithSource(app.context, 1, texts, lengths, &error);
	said("clCreateProgramWithSource, source at a border", error);
	said("clBuildProgram", clBuildProgram(again, 0, NULL, NULL, NULL, NULL));

	cl_context_properties *properties =
		(cl_context_properties *)(border() - 3 * sizeof(cl_context_properties));
	properties[0] = CL_CONTEXT_PLATFORM;
	properties[1] = (cl_context_properties)app.platform;
	properties[2] = 0;
	cl_context context = clCreateContext(properties, 1, &app.device, NULL, NULL, &error);
	said("clCreateContext, properties at a border", error);

	cl_int *value = (cl_int *)(border() - sizeof(cl_int));
	*value = 7;
	said("clSetKernelArg, value at a border", clSetKernelArg(kernel, 1, sizeof(*value), value));

	cl_uint *count = (cl_uint *)(border() - sizeof(cl_uint));
	said("clGetPlatformIDs, count at a border", clGetPlatformIDs(0, NULL, count));
	char *answer = border() - 4;
	size_t *size = (size_t *)(border() - sizeof(size_t));
	said("clGetDeviceInfo, answer at a border",
	     clGetDeviceInfo(app.device, CL_DEVICE_MAX_COMPUTE_UNITS, 4, answer, size));

	DO(clReleaseContext(context));
	DO(clReleaseProgram(again));
	DO(clReleaseKernel(kernel));
}

/* Pointers to memory that must not be touched, in calls that fail, or that don't use them. */
static void try_forbidden(cl_program program)
{
	void *forbidden = border();
	cl_int error;
	cl_command_queue queue = app_queue(&app);
	cl_kernel kernel = clCreateKernel(program, "nothing", &error);
	CHECK(error, "clCreateKernel");
	cl_mem memory = clCreateBuffer(app.context, CL_MEM_READ_WRITE, 64, NULL, &error);
	CHECK(error, "clCreateBuffer");

	clCreateBuffer(app.context, CL_MEM_READ_WRITE, 64, forbidden, &error);
	said("clCreateBuffer, host pointer without its flag", error);
	said("clSetKernelArg, no such argument", clSetKernelArg(kernel, 99, 4, forbidden));
	said("clSetKernelArg, wrong size", clSetKernelArg(kernel, 1, 12345, forbidden));
	said("clEnqueueWriteBuffer, beyond the buffer",
	     clEnqueueWriteBuffer(queue, memory, CL_TRUE, 64, 64, forbidden, 0, NULL, NULL));
	said("clEnqueueReadBuffer, beyond the buffer",
	     clEnqueueReadBuffer(queue, memory, CL_TRUE, 64, 64, forbidden, 0, NULL, NULL));
	said("clEnqueueWriteBuffer, list without a count",
	     clEnqueueWriteBuffer(queue, memory, CL_TRUE, 0, 4, &error, 0, forbidden, NULL));
	said("clGetPlatformIDs, no entries", clGetPlatformIDs(0, forbidden, NULL));
	said("clGetDeviceInfo, no such query",
	     clGetDeviceInfo(app.device, 0xffffff, 64, forbidden, NULL));
	said("clCreateProgramWithSource, none",
	     (clCreateProgramWithSource(app.context, 0, forbidden, NULL, &error), error));
	said("clBuildProgram, list without a count",
	     clBuildProgram(program, 0, forbidden, NULL, NULL, NULL));
	said("clSetEventCallback, no event",
	     clSetEventCallback(NULL, CL_COMPLETE, NULL, forbidden));

	DO(clReleaseMemObject(memory));
	DO(clReleaseKernel(kernel));
	DO(clReleaseCommandQueue(queue));
}

static void try_nothing(void)
{
	cl_int error;

	said("clGetPlatformIDs", clGetPlatformIDs(1, NULL, NULL));
	said("clGetDeviceIDs", clGetDeviceIDs(app.platform, CL_DEVICE_TYPE_ALL, 0, NULL, NULL));
	said("clGetDeviceInfo", clGetDeviceInfo(NULL, CL_DEVICE_NAME, 0, NULL, NULL));
	said("clCreateContext", (clCreateContext(NULL, 0, NULL, NULL, NULL, &error), error));
	said("clCreateKernel", (clCreateKernel(NULL, NULL, &error), error));
	said("clCreateKernel, nowhere to put the error", clCreateKernel(NULL, NULL, NULL) != NULL);
	said("clCreateProgramWithSource",
	     (clCreateProgramWithSource(app.context, 0, NULL, NULL, &error), error));
	said("clBuildProgram", clBuildProgram(NULL, 0, NULL, NULL, NULL, NULL));
	said("clWaitForEvents", clWaitForEvents(0, NULL));
	said("clReleaseEvent", clReleaseEvent(NULL));
	said("clReleaseMemObject", clReleaseMemObject(NULL));
	said("clFinish", clFinish(NULL));
	said("clGetExtensionFunctionAddress",
	     clGetExtensionFunctionAddressForPlatform(app.platform, "clNoSuchFunction") != NULL);
}

int main(int argc, char **argv)
{
	page = sysconf(_SC_PAGESIZE);
	make_names();
	if (argc > 1 && !strcmp(argv[1], "-l")) {
		list_names();
		return 0;
	}
	app = app_open();
	cl_program program = app_build(&app, source);
	try_names(program);
	try_build_options();
	try_borders(program);
	try_forbidden(program);
	try_nothing();
	DO(clReleaseProgram(program));
	app_close(&app);
	return 0;
}
