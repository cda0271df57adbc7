/* SPDX-License-Identifier: MIT */
/* icd_program.c: programs of the OpenCL test driver, from any source; its kernels. */
#include <time.h>
#include <unistd.h>

#include "tests/drivers/icd_driver.h"

/* --- programs */

static cl_program new_program(cl_context context, char *source, cl_int *error)
{
	cl_program program = NULL;
	bool live = icd_live(context, CONTEXT, "clCreateProgram");

	if (live && source)
		program = icd_new(PROGRAM, sizeof(*program));
	if (program) {
		program->context = context;
		program->source = source;
		program->log = "";
		program->status = CL_BUILD_NONE;
		icd_hold(context);
	} else {
		free(source);
	}
	icd_set(error, program ? CL_SUCCESS : live ? CL_OUT_OF_HOST_MEMORY : CL_INVALID_CONTEXT);
	return program;
}

cl_program icd_clCreateProgramWithSource(cl_context context, cl_uint count, const char **strings,
					 const size_t *lengths, cl_int *error)
{
	char *source = NULL;
	size_t room = 0;
	FILE *stream = open_memstream(&source, &room);

	COUNT(clCreateProgramWithSource);
	for (cl_uint i = 0; stream && i < count; i++)
		fwrite(strings[i], 1, lengths && lengths[i] ? lengths[i] : strlen(strings[i]),
		       stream);
	if (stream)
		fclose(stream);
	return new_program(context, source, error);
}
EXPORTED(clCreateProgramWithSource);

cl_program icd_clCreateProgramWithBuiltInKernels(cl_context context, cl_uint count,
						 const cl_device_id *devices, const char *names,
						 cl_int *error)
{
	COUNT(clCreateProgramWithBuiltInKernels);
	cl_program program = new_program(context, strdup(names ? names : ""), error);

	if (program)
		program->status = CL_BUILD_SUCCESS;
	return program;
}
EXPORTED(clCreateProgramWithBuiltInKernels);

struct build {
	cl_program program;
	void(CL_CALLBACK *notify)(cl_program, void *);
	void *with;
};

static void *tell_of_build(void *build_)
{
	struct build *build = build_;

	build->notify(build->program, build->with);
	icd_drop(build->program);
	free(build);
	return NULL;
}

static void do_nothing(void)
{
}

/* As LLVM does it when it is loaded. */
static void register_handlers(void)
{
	const char *handlers = getenv("TEST_ICD_BUILD_HANDLERS");

	for (int i = handlers ? atoi(handlers) : 0; i > 0; i--)
		atexit(do_nothing);
}

/* With a callback, the build ends later, on another thread. */
cl_int icd_clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices,
			  const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
			  void *with)
{
	struct build *build;
	pthread_t thread;

	COUNT(clBuildProgram);
	register_handlers();
	if (!icd_live(program, PROGRAM, "clBuildProgram"))
		return CL_INVALID_PROGRAM;
	bool failed = !strncmp(program->source, "error:", 6);

	program->status = failed ? CL_BUILD_ERROR : CL_BUILD_SUCCESS;
	program->log = failed ? program->source + 6 : "";
	if (!notify)
		return failed ? CL_BUILD_PROGRAM_FAILURE : CL_SUCCESS;
	build = malloc(sizeof(*build));
	if (!build)
		return CL_OUT_OF_HOST_MEMORY;
	*build = (struct build){program, notify, with};
	icd_hold(program);
	if (pthread_create(&thread, NULL, tell_of_build, build))
		tell_of_build(build);
	else
		pthread_detach(thread);
	return CL_SUCCESS;
}
EXPORTED(clBuildProgram);

void icd_destroy_program(void *program_)
{
	cl_program program = program_;

	free(program->source);
	icd_drop(program->context);
}

REFERENCES(Program, cl_program, PROGRAM);

static const struct property program_properties[] = {
	A_FIELD(CL_PROGRAM_REFERENCE_COUNT, struct _cl_program, object.references),
	A_FIELD(CL_PROGRAM_CONTEXT, struct _cl_program, context),
	A_VALUE(CL_PROGRAM_NUM_DEVICES, cl_uint, 1),
	A_VALUE(CL_PROGRAM_DEVICES, cl_device_id, &icd_device),
	A_TEXT(CL_PROGRAM_SOURCE, struct _cl_program, source),
};

cl_int icd_clGetProgramInfo(cl_program program, cl_program_info which, size_t room, void *to,
			    size_t *needed)
{
	COUNT(clGetProgramInfo);
	if (!icd_live(program, PROGRAM, "clGetProgramInfo"))
		return CL_INVALID_PROGRAM;
	return GIVE_PROPERTY(program_properties, program, which, room, to, needed);
}
EXPORTED(clGetProgramInfo);

static const struct property build_properties[] = {
	A_FIELD(CL_PROGRAM_BUILD_STATUS, struct _cl_program, status),
	TEXT(CL_PROGRAM_BUILD_OPTIONS, ""),
	A_TEXT(CL_PROGRAM_BUILD_LOG, struct _cl_program, log),
};

cl_int icd_clGetProgramBuildInfo(cl_program program, cl_device_id device,
				 cl_program_build_info which, size_t room, void *to, size_t *needed)
{
	COUNT(clGetProgramBuildInfo);
	if (!icd_live(program, PROGRAM, "clGetProgramBuildInfo"))
		return CL_INVALID_PROGRAM;
	return GIVE_PROPERTY(build_properties, program, which, room, to, needed);
}
EXPORTED(clGetProgramBuildInfo);

/* --- what kernels do */

static char *memory_of(const struct argument *argument)
{
	void *value;

	memcpy(&value, argument->value, sizeof(value));
	return argument->shared ? value : ((cl_mem)value)->memory;
}

static cl_uint uint_of(const struct argument *argument)
{
	cl_uint value;

	/* Arguments are packed, without alignment. */
	memcpy(&value, argument->value, sizeof(value));
	return value;
}

static cl_ulong ulong_of(const struct argument *argument)
{
	cl_ulong value;

	memcpy(&value, argument->value, sizeof(value));
	return value;
}

static cl_int run_vector_add(struct command *command)
{
	const float *a = (float *)memory_of(&command->arguments[0]),
		    *b = (float *)memory_of(&command->arguments[1]);
	float *c = (float *)memory_of(&command->arguments[2]);
	size_t count = uint_of(&command->arguments[3]);

	for (size_t i = 0; i < command->items && i < count; i++)
		c[i] = a[i] + b[i];
	return CL_COMPLETE;
}

static cl_int run_fill_kernel(struct command *command)
{
	cl_uint *memory = (cl_uint *)memory_of(&command->arguments[0]);

	for (size_t i = 0; i < command->items && i < uint_of(&command->arguments[2]); i++)
		memory[i] = uint_of(&command->arguments[1]);
	return CL_COMPLETE;
}

static cl_int run_spin(struct command *command)
{
	uint64_t until = icd_now().ns + ulong_of(&command->arguments[0]);

	while (icd_now().ns < until)
		;
	return CL_COMPLETE;
}

static cl_int run_sleep(struct command *command)
{
	cl_ulong ns = ulong_of(&command->arguments[0]);

	nanosleep(&(struct timespec){(time_t)(ns / 1000000000), (long)(ns % 1000000000)}, NULL);
	return CL_COMPLETE;
}

static cl_int run_nothing(struct command *command)
{
	return CL_COMPLETE;
}

static cl_int run_fail(struct command *command)
{
	return (cl_int)uint_of(&command->arguments[0]);
}

__attribute__((noreturn)) static cl_int run_hang(struct command *command)
{
	for (;;)
		pause();
}

/* What the arguments are: b a buffer, i 4 bytes, l 8 bytes. */
static const struct kernel_kind {
	const char *name, *arguments;
	cl_int (*run)(struct command *command);
} kernel_kinds[] = {
	{"vector_add", "bbbi", run_vector_add},
	{"fill", "bii", run_fill_kernel},
	{"spin", "l", run_spin},
	{"sleep", "l", run_sleep},
	{"empty", "", run_nothing},
	{"fail", "i", run_fail},
	{"hang", "", run_hang},
};

/* --- kernels */

static const struct kernel_kind *kind_of(const char *name)
{
	size_t length = strcspn(name, "@");

	for (size_t i = 0; i < COUNT_OF(kernel_kinds); i++)
		if (strlen(kernel_kinds[i].name) == length &&
		    !strncmp(kernel_kinds[i].name, name, length))
			return &kernel_kinds[i];
	return NULL;
}

cl_kernel icd_clCreateKernel(cl_program program, const char *name, cl_int *error)
{
	const struct kernel_kind *kind = name ? kind_of(name) : NULL;
	cl_kernel kernel = NULL;

	COUNT(clCreateKernel);
	if (!icd_live(program, PROGRAM, "clCreateKernel") || program->status != CL_BUILD_SUCCESS ||
	    !kind) {
		icd_set(error, !program ? CL_INVALID_PROGRAM
			       : kind	? CL_INVALID_PROGRAM_EXECUTABLE
					: CL_INVALID_KERNEL_NAME);
		return NULL;
	}
	kernel = icd_new(KERNEL, sizeof(*kernel));
	if (kernel) {
		icd_hold(program);
		kernel->program = program;
		kernel->context = program->context;
		kernel->kind = kind;
		kernel->nargs = (cl_uint)strlen(kind->arguments);
		kernel->name = strdup(name);
	}
	icd_set(error, kernel ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY);
	return kernel;
}
EXPORTED(clCreateKernel);

void icd_destroy_kernel(void *kernel_)
{
	cl_kernel kernel = kernel_;

	icd_drop(kernel->program);
	free(kernel->name);
}

REFERENCES(Kernel, cl_kernel, KERNEL);

static cl_int set_argument(cl_kernel kernel, cl_uint index, size_t size, const void *value,
			   bool shared)
{
	if (index >= kernel->nargs)
		return CL_INVALID_ARG_INDEX;
	if (size != (kernel->kind->arguments[index] == 'i' ? 4 : 8))
		return CL_INVALID_ARG_SIZE;
	if (!value)
		return CL_INVALID_ARG_VALUE;
	kernel->arguments[index].size = size;
	kernel->arguments[index].shared = shared;
	memcpy(kernel->arguments[index].value, value, size);
	return CL_SUCCESS;
}

cl_int icd_clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
	COUNT(clSetKernelArg);
	if (!icd_live(kernel, KERNEL, "clSetKernelArg"))
		return CL_INVALID_KERNEL;
	return set_argument(kernel, index, size, value, false);
}
EXPORTED(clSetKernelArg);

cl_int icd_clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint index, const void *value)
{
	COUNT_NEW(clSetKernelArgSVMPointer, CL_INVALID_OPERATION);
	if (!icd_live(kernel, KERNEL, "clSetKernelArgSVMPointer"))
		return CL_INVALID_KERNEL;
	return set_argument(kernel, index, sizeof(value), &value, true);
}
EXPORTED(clSetKernelArgSVMPointer);

cl_int icd_clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info which, size_t size,
			       const void *value)
{
	COUNT_NEW(clSetKernelExecInfo, CL_INVALID_OPERATION);
	return icd_live(kernel, KERNEL, "clSetKernelExecInfo") ? CL_SUCCESS : CL_INVALID_KERNEL;
}
EXPORTED(clSetKernelExecInfo);

static const struct property kernel_properties[] = {
	A_TEXT(CL_KERNEL_FUNCTION_NAME, struct _cl_kernel, name),
	A_FIELD(CL_KERNEL_NUM_ARGS, struct _cl_kernel, nargs),
	A_FIELD(CL_KERNEL_REFERENCE_COUNT, struct _cl_kernel, object.references),
	A_FIELD(CL_KERNEL_CONTEXT, struct _cl_kernel, context),
	A_FIELD(CL_KERNEL_PROGRAM, struct _cl_kernel, program),
	TEXT(CL_KERNEL_ATTRIBUTES, ""),
};

cl_int icd_clGetKernelInfo(cl_kernel kernel, cl_kernel_info which, size_t room, void *to,
			   size_t *needed)
{
	COUNT(clGetKernelInfo);
	if (!icd_live(kernel, KERNEL, "clGetKernelInfo"))
		return CL_INVALID_KERNEL;
	return GIVE_PROPERTY(kernel_properties, kernel, which, room, to, needed);
}
EXPORTED(clGetKernelInfo);

static const struct property work_group_properties[] = {
	A_VALUE(CL_KERNEL_WORK_GROUP_SIZE, size_t, 1024),
	A_VALUE(CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, size_t, 1),
	A_VALUE(CL_KERNEL_LOCAL_MEM_SIZE, cl_ulong, 0),
	A_VALUE(CL_KERNEL_PRIVATE_MEM_SIZE, cl_ulong, 0),
};

cl_int icd_clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
				    cl_kernel_work_group_info which, size_t room, void *to,
				    size_t *needed)
{
	COUNT(clGetKernelWorkGroupInfo);
	if (!icd_live(kernel, KERNEL, "clGetKernelWorkGroupInfo"))
		return CL_INVALID_KERNEL;
	cl_int result = GIVE_PROPERTY(work_group_properties, kernel, which, room, to, needed);
	if (result == CL_INVALID_VALUE)
		icd_misuse("clGetKernelWorkGroupInfo", "asked for what the device does not have");
	return result;
}
EXPORTED(clGetKernelWorkGroupInfo);

/* --- running them */

static bool is_buffer(cl_kernel kernel, cl_uint index)
{
	return kernel->kind->arguments[index] == 'b' && !kernel->arguments[index].shared;
}

static bool arguments_are_set(cl_kernel kernel)
{
	for (cl_uint i = 0; i < kernel->nargs; i++)
		if (!kernel->arguments[i].size ||
		    (is_buffer(kernel, i) && !icd_live(*(cl_mem *)kernel->arguments[i].value, MEM,
						       "clEnqueueNDRangeKernel")))
			return false;
	return true;
}

static bool hold_buffers(struct command *command, cl_kernel kernel)
{
	cl_uint held = 0;

	if (!icd_command_mems(command, ARGS_MAX))
		return false;
	for (cl_uint i = 0; i < kernel->nargs; i++)
		if (is_buffer(kernel, i))
			command->mems[held++] = *(cl_mem *)kernel->arguments[i].value;
	command->nmems = held;
	return true;
}

cl_int icd_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
				  const size_t *offset, const size_t *global, const size_t *local,
				  cl_uint nwaits, const cl_event *waits, cl_event *event)
{
	struct command *command;
	cl_int error;

	COUNT(clEnqueueNDRangeKernel);
	if (!queue || !icd_live(kernel, KERNEL, "clEnqueueNDRangeKernel"))
		return !queue ? CL_INVALID_COMMAND_QUEUE : CL_INVALID_KERNEL;
	if (!global || dimensions < 1 || dimensions > 3)
		return CL_INVALID_WORK_DIMENSION;
	if (!arguments_are_set(kernel))
		return CL_INVALID_KERNEL_ARGS;
	command = icd_command(queue, CL_COMMAND_NDRANGE_KERNEL, "clEnqueueNDRangeKernel", nwaits,
			      waits, &error);
	if (!command)
		return error;
	command->kernel = kernel;
	command->items = 1;
	for (cl_uint i = 0; i < dimensions; i++)
		command->items *= global[i];
	memcpy(command->arguments, kernel->arguments, sizeof(command->arguments));
	hold_buffers(command, kernel);
	command->run = kernel->kind->run;
	return icd_submit(command, "clEnqueueNDRangeKernel", false, event);
}
EXPORTED(clEnqueueNDRangeKernel);

cl_int icd_clEnqueueTask(cl_command_queue queue, cl_kernel kernel, cl_uint nwaits,
			 const cl_event *waits, cl_event *event)
{
	const size_t one = 1;

	COUNT(clEnqueueTask);
	return BY_NAME(
		clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, nwaits, waits, event));
}
EXPORTED(clEnqueueTask);
