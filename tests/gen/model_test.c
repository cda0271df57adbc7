/* SPDX-License-Identifier: MIT */
/*
 * model_test.c: what tracegen reads from headers is what they say: the installed Level Zero and
 * OpenCL headers with their descriptors, and small headers written here for one thing each.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gen/allocate.h"
#include "gen/tracegen.h"

static struct model *ze, *cl;

static const char *place(const char *variable, const char *below)
{
	const char *folder = getenv(variable);

	return format_text("%s/%s", folder ? folder : ".", below);
}

static struct model *described(const char *descriptor)
{
	const char *path = place("top_srcdir", descriptor);
	struct model_sources sources = {0};

	if (descriptor_sources(path, &sources) != 0)
		return NULL;
	*APPEND(sources.flags, sources.nflags) =
		format_text("-I%s", place("top_builddir", "apis/include"));
	struct model *model = model_parse(&sources);
	return model && model_describe(model, path) == 0 ? model : NULL;
}

/* A model of a header that holds this text. */
static struct model *parsed(const char *text)
{
	char path[] = "gen-test-XXXXXX.h";
	int file = mkstemps(path, 2);
	FILE *stream = fdopen(file, "w");
	const char *header = path;

	fputs(text, stream);
	fclose(stream);
	struct model *model =
		model_parse(&(struct model_sources){.headers = &header, .nheaders = 1});
	unlink(path);
	ck_assert_ptr_nonnull(model);
	return model;
}

static const struct function *function(const struct model *model, const char *name)
{
	const struct function *found = model_function(model, name);

	ck_assert_msg(found != NULL, "no function %s", name);
	return found;
}

static const struct variable *variable(const struct variable *list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(list[i].name, name))
			return &list[i];
	ck_abort_msg("nothing is called %s", name);
	return NULL;
}

static const struct variable *param(const struct model *model, const char *of, const char *name)
{
	const struct function *in = function(model, of);

	return variable(in->params, in->nparams, name);
}

static const struct type *type(const struct model *model, const char *name)
{
	const struct type *found = model_type(model, name);

	ck_assert_msg(found != NULL, "no type %s", name);
	return found;
}

static const struct variable *member(const struct model *model, const char *of, const char *name)
{
	const struct type *in = type(model, of);

	return variable(in->members, in->nmembers, name);
}

static const struct enumerator *enumerator(const struct type *in, const char *name)
{
	for (size_t i = 0; i < in->nenumerators; i++)
		if (!strcmp(in->enumerators[i].name, name))
			return &in->enumerators[i];
	return NULL;
}

static size_t declared_in(const struct model *model, const char *header)
{
	size_t count = 0;

	for (size_t i = 0; i < model->nfunctions; i++)
		count += !strcmp(model->functions[i].where.file, header);
	return count;
}

#define ck_direction(variable_, direction_) ck_assert_uint_eq((variable_)->direction, (direction_))
#define ck_length(variable_, kind_, sibling_)                                                      \
	do {                                                                                       \
		ck_assert_int_eq((variable_)->length.kind, (kind_));                               \
		ck_assert_pstr_eq((variable_)->length.sibling, (sibling_));                        \
	} while (0)

/* Level Zero. */

START_TEST(every_level_zero_function_is_in_the_model)
{
	if (strcmp(ze->version, "1.4") != 0)
		return; /* other headers, other numbers */
	ck_assert_uint_eq(declared_in(ze, "level_zero/ze_api.h"), 144);
	ck_assert_uint_eq(declared_in(ze, "level_zero/zet_api.h"), 39);
	ck_assert_uint_eq(declared_in(ze, "level_zero/zes_api.h"), 106);
	ck_assert_uint_eq(declared_in(ze, "level_zero/ze_ddi.h"), 23);
	ck_assert_uint_eq(declared_in(ze, "level_zero/zet_ddi.h"), 13);
	ck_assert_uint_eq(declared_in(ze, "level_zero/zes_ddi.h"), 17);
}
END_TEST

START_TEST(a_flags_typedef_has_the_enumerators_of_its_enum)
{
	const struct type *flags = param(ze, "zeInit", "flags")->type;

	ck_assert_str_eq(flags->name, "ze_init_flags_t");
	ck_assert_int_eq(flags->kind, TL_KIND_FLAGS);
	ck_assert_uint_eq(flags->size, 4);
	ck_assert_int_eq(enumerator(flags, "ZE_INIT_FLAG_VPU_ONLY")->value, 2);
	ck_assert(!enumerator(flags, "ZE_INIT_FLAG_VPU_ONLY")->alias);
	ck_assert_msg(enumerator(flags, "ZE_INIT_FLAG_FORCE_UINT32")->alias, "a filler is no flag");
}
END_TEST

START_TEST(level_zero_comments_give_directions_and_lengths)
{
	const struct variable *v = param(ze, "zeDriverGet", "pCount");

	ck_direction(v, TL_IN | TL_OUT | TL_OBLIGED);
	ck_length(v, TL_LENGTH_CONSTANT, NULL);
	v = param(ze, "zeDriverGet", "phDrivers");
	/* [in,out], but its count is the callee's */
	ck_direction(v, TL_OUT | TL_OPTIONAL | TL_OBLIGED);
	ck_length(v, TL_LENGTH_POINTEE, "pCount");
	v = param(ze, "zeDeviceGetMemoryProperties", "pMemProperties");
	/* an stype and a chain go in */
	ck_direction(v, TL_IN | TL_OUT | TL_OPTIONAL | TL_OBLIGED);
	v = param(ze, "zeCommandListAppendLaunchKernel", "phWaitEvents");
	ck_direction(v, TL_IN | TL_OPTIONAL | TL_OBLIGED);
	ck_length(v, TL_LENGTH_VALUE, "numWaitEvents");
	v = param(ze, "zeContextCreate", "phContext");
	ck_direction(v, TL_OUT | TL_OBLIGED);
	v = param(ze, "zeDriverGetExtensionFunctionAddress", "name");
	ck_direction(v, TL_IN | TL_OBLIGED);
	ck_length(v, TL_LENGTH_STRING, NULL);
	v = param(ze, "zeMemFree", "ptr");
	ck_direction(v, TL_IN);
	ck_length(v, TL_LENGTH_NONE, NULL);
	v = member(ze, "ze_module_constants_t", "pConstantIds");
	ck_direction(v, TL_IN | TL_OBLIGED);
	ck_length(v, TL_LENGTH_VALUE, "numConstants");
}
END_TEST

START_TEST(memory_that_may_be_the_devices_is_never_followed)
{
	static const char *const cases[][2] = {
		{"zeCommandListAppendLaunchMultipleKernelsIndirect", "pCountBuffer"},
		{"zeCommandListAppendLaunchMultipleKernelsIndirect", "pLaunchArgumentsBuffer"},
		{"zeCommandListAppendLaunchKernelIndirect", "pLaunchArgumentsBuffer"},
		{"zeCommandListAppendWriteGlobalTimestamp", "dstptr"},
		{"zeCommandListAppendQueryKernelTimestamps", "dstptr"},
		{"zeCommandListAppendQueryKernelTimestamps", "pOffsets"},
		{"zeCommandListAppendMemoryCopy", "dstptr"},
		{"zeCommandListAppendMemoryCopy", "srcptr"},
		{"zeCommandListAppendMemoryFill", "ptr"},
		{"zeVirtualMemMap", "ptr"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct variable *v = param(ze, cases[i][0], cases[i][1]);

		ck_assert_msg(v->length.kind == TL_LENGTH_NONE, "%s: %s is followed", cases[i][0],
			      cases[i][1]);
		ck_assert_msg(!(v->direction & TL_OBLIGED), "%s: %s is taken for the host's",
			      cases[i][0], cases[i][1]);
	}
	/* The same name, but the host's own. */
	ck_length(param(ze, "zeEventQueryKernelTimestamp", "dstptr"), TL_LENGTH_CONSTANT, NULL);
	/* Read where it is the device's, so only by a checked copy. */
	const struct variable *pattern = param(ze, "zeCommandListAppendMemoryFill", "pattern");
	ck_length(pattern, TL_LENGTH_VALUE, "pattern_size");
	ck_assert(pattern->length.bytes);
	ck_direction(pattern, TL_IN);
}
END_TEST

START_TEST(chains_know_what_each_stype_announces)
{
	ck_assert_int_eq(type(ze, "ze_device_properties_t")->stype, 3);
	ck_assert_int_eq(type(ze, "ze_float_atomic_ext_properties_t")->stype, 0x10003);
	/* Its enumerator is not called as the struct is; the comment says which is meant. */
	ck_assert_int_eq(type(ze, "ze_image_memory_properties_exp_t")->stype, 0x20007);
	ck_assert_str_eq(member(ze, "zes_device_properties_t", "stype")->type->name,
			 "zes_structure_type_t");
	ck_assert(type(ze, "zes_device_properties_t")->has_stype);
	ck_assert(type(ze, "zet_metric_group_properties_t")->has_stype);
	for (size_t i = 0; i < ze->ntypes; i++) {
		const struct type *one = ze->types[i];

		if (one->kind == TL_KIND_STRUCT && one->nmembers > 1 &&
		    !strcmp(one->members[0].name, "stype"))
			ck_assert_msg(one->has_stype, "nothing announces %s", one->name);
	}
}
END_TEST

static const struct getproc *getproc_named(const struct model *model, const char *name)
{
	for (size_t i = 0; i < model->ngetprocs; i++)
		if (!strcmp(model->getprocs[i].function->name, name))
			return &model->getprocs[i];
	return NULL;
}

START_TEST(every_function_stands_in_one_function_table)
{
	size_t *count = allocate(ze->nfunctions * sizeof *count);

	for (size_t i = 0; i < ze->ngetprocs; i++)
		for (size_t j = 0; j < ze->getprocs[i].nentries; j++) {
			const struct function *one = ze->getprocs[i].entries[j].function;

			count[one - ze->functions]++;
			ck_assert(ze->getprocs[i].function->flags & TL_FUNCTION_GETPROC);
			ck_assert_str_eq(ze->getprocs[i].where, "pDdiTable");
		}
	for (size_t i = 0; i < ze->nfunctions; i++) {
		const char *file = ze->functions[i].where.file, *end = strstr(file, "_api.h");

		if (end && !strstr(file, "layers/"))
			ck_assert_msg(count[i] == 1, "%s stands in %zu tables",
				      ze->functions[i].name, count[i]);
	}
	const struct getproc *global = getproc_named(ze, "zeGetGlobalProcAddrTable");

	ck_assert_ptr_nonnull(global);
	ck_assert_str_eq(global->entries[0].member->name, "pfnInit");
	ck_assert_str_eq(global->entries[0].function->name, "zeInit");
}
END_TEST

START_TEST(the_headers_own_params_structs_and_callback_types_are_found)
{
	for (size_t i = 0; i < ze->nfunctions; i++) {
		const struct function *one = &ze->functions[i];

		if (strcmp(one->where.file, "level_zero/ze_api.h") != 0)
			continue;
		ck_assert_msg(one->params_type && one->callback_type, "%s", one->name);
	}
	ck_assert_str_eq(function(ze, "zeDeviceGetP2PProperties")->params_type,
			 "ze_device_get_p2_p_properties_params_t");
	ck_assert_str_eq(function(ze, "zeInit")->callback_type, "ze_pfnInitCb_t");
}
END_TEST

START_TEST(level_zero_functions_have_levels_results_and_roles)
{
	ck_assert_uint_eq(function(ze, "zeCommandListAppendLaunchKernel")->level, TL_LEVEL_RUNTIME);
	ck_assert_uint_eq(function(ze, "zeEventHostSynchronize")->level, TL_LEVEL_RUNTIME);
	ck_assert_uint_eq(function(ze, "zeMemAllocDevice")->level, TL_LEVEL_RUNTIME);
	ck_assert_uint_eq(function(ze, "zeDeviceGetProperties")->level, TL_LEVEL_DEBUG);
	ck_assert_uint_eq(function(ze, "zeEventQueryStatus")->level, TL_LEVEL_DEBUG);
	ck_assert_uint_eq(function(ze, "zeCommandListAppendQueryKernelTimestamps")->level,
			  TL_LEVEL_RUNTIME);
	/* Two rules match; the first decides. */
	ck_assert_uint_eq(function(ze, "zeMemGetIpcHandle")->level, TL_LEVEL_DEBUG);
	ck_assert_int_eq(function(ze, "zeInit")->failure, TL_FAILURE_NONZERO);
	ck_assert(function(ze, "zeInit")->flags & TL_FUNCTION_INITIALISES);
	ck_assert(function(ze, "zeMemAllocDevice")->flags & TL_FUNCTION_CREATES);
	ck_assert(function(ze, "zeMemFree")->flags & TL_FUNCTION_DESTROYS);
	ck_assert_str_eq(function(ze, "zeInit")->unsupported,
			 "ZE_RESULT_ERROR_UNSUPPORTED_FEATURE");
	ck_assert_uint_eq(ze->nsuccesses, 1);
	ck_assert_int_eq(ze->successes[0], 1);
	ck_assert_ptr_nonnull(function(ze, "zelTracerCreate")->left_out);
	ck_assert_int_eq(type(ze, "ze_bool_t")->kind, TL_KIND_BOOL);
	ck_assert_int_eq(type(ze, "ze_device_handle_t")->kind, TL_KIND_HANDLE);
}
END_TEST

/* OpenCL. */

START_TEST(defines_under_a_comment_become_the_enum_that_it_names)
{
	const struct type *t = param(cl, "clGetDeviceInfo", "param_name")->type;

	ck_assert_str_eq(t->name, "cl_device_info");
	ck_assert_int_eq(t->kind, TL_KIND_ENUM);
	ck_assert_int_eq(enumerator(t, "CL_DEVICE_NAME")->value, 0x102b);
	/* From cl_ext.h, under a comment of the same name. */
	ck_assert_ptr_nonnull(enumerator(t, "CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR"));
	/* A remark in the middle of a group does not end it. */
	ck_assert_ptr_nonnull(enumerator(t, "CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF"));
	/* Other types have values of the same number. */
	ck_assert_ptr_null(enumerator(t, "CL_PLATFORM_NAME"));
}
END_TEST

START_TEST(bit_fields_become_flags)
{
	const struct type *t = param(cl, "clGetDeviceIDs", "device_type")->type;

	ck_assert_int_eq(t->kind, TL_KIND_FLAGS);
	ck_assert_uint_eq(t->size, 8);
	ck_assert_int_eq(enumerator(t, "CL_DEVICE_TYPE_ALL")->value, 0xffffffff);
	t = param(cl, "clSVMAlloc", "flags")->type;
	ck_assert_int_eq(t->kind, TL_KIND_FLAGS);
	/* One comment names two types. */
	ck_assert_ptr_nonnull(enumerator(t, "CL_MEM_READ_ONLY"));
	ck_assert_ptr_nonnull(
		enumerator(param(cl, "clCreateBuffer", "flags")->type, "CL_MEM_READ_ONLY"));
	/* The name of a property among the bits is not one. */
	t = param(cl, "clCreateCommandQueue", "properties")->type;
	ck_assert_ptr_nonnull(enumerator(t, "CL_QUEUE_PROFILING_ENABLE"));
	ck_assert_ptr_null(enumerator(t, "CL_QUEUE_PRIORITY_KHR"));
}
END_TEST

START_TEST(opencl_results_are_error_codes)
{
	const struct function *f = function(cl, "clFinish");

	ck_assert_str_eq(f->result->name, "cl_error");
	ck_assert_str_eq(f->result_spelling, "cl_int");
	ck_assert_uint_eq(f->result->size, 4);
	ck_assert_int_eq(enumerator(f->result, "CL_INVALID_COMMAND_QUEUE")->value, -36);
	ck_assert_int_eq(enumerator(f->result, "CL_PLATFORM_NOT_FOUND_KHR")->value, -1001);
	ck_assert_int_eq(f->failure, TL_FAILURE_NEGATIVE);
	const struct variable *code = param(cl, "clCreateBuffer", "errcode_ret");
	ck_assert_str_eq(code->type->target->name, "cl_error");
	ck_direction(code, TL_OUT | TL_OPTIONAL | TL_OBLIGED | TL_ALWAYS);
	ck_assert_int_eq(function(cl, "clCreateBuffer")->failure, TL_FAILURE_NULL);
	ck_assert_int_eq(function(cl, "clCreateBuffer")->layer, TL_LAYER_RUNTIME);
	ck_assert_int_eq(function(cl, "clCreateBuffer")->phase, TL_PHASE_PREPARATION);
	ck_assert_int_eq(function(cl, "clEnqueueReadBuffer")->layer, TL_LAYER_DRIVER);
	ck_assert_int_eq(function(cl, "clEnqueueReadBuffer")->phase, TL_PHASE_RESULTS);
	ck_assert_int_eq(function(cl, "clBuildProgram")->phase, TL_PHASE_COMPILATION);
	ck_assert_ptr_nonnull(strstr(function(cl, "clCreateBuffer")->unsupported,
				     "*errcode_ret = CL_INVALID_OPERATION"));
	ck_assert_int_eq(type(cl, "cl_bool")->kind, TL_KIND_BOOL);
}
END_TEST

START_TEST(opencl_parameter_names_give_directions_and_lengths)
{
	const struct variable *v = param(cl, "clEnqueueNDRangeKernel", "event_wait_list");

	ck_direction(v, TL_IN | TL_OPTIONAL | TL_OBLIGED);
	ck_length(v, TL_LENGTH_VALUE, "num_events_in_wait_list");
	ck_length(param(cl, "clEnqueueNDRangeKernel", "global_work_size"), TL_LENGTH_VALUE,
		  "work_dim");
	v = param(cl, "clEnqueueReadBufferRect", "region");
	ck_length(v, TL_LENGTH_CONSTANT, NULL);
	ck_assert_uint_eq(v->length.constant, 3);
	v = param(cl, "clCreateContext", "properties");
	ck_length(v, TL_LENGTH_ZERO_ENDED, NULL);
	ck_assert_uint_eq(v->length.constant, 2);
	ck_assert_uint_eq(param(cl, "clCreateSubDevices", "properties")->length.constant, 1);
	v = param(cl, "clGetDeviceInfo", "param_value");
	ck_direction(v, TL_OUT | TL_OPTIONAL | TL_OBLIGED);
	ck_length(v, TL_LENGTH_VALUE, "param_value_size");
	ck_assert(v->length.bytes);
	ck_direction(param(cl, "clSetKernelExecInfo", "param_value"), TL_IN | TL_OBLIGED);
	ck_length(param(cl, "clEnqueueReadBuffer", "ptr"), TL_LENGTH_NONE, NULL);
	ck_length(param(cl, "clGetDeviceIDs", "devices"), TL_LENGTH_VALUE, "num_entries");
	ck_length(param(cl, "clCreateContext", "devices"), TL_LENGTH_VALUE, "num_devices");
	ck_assert_int_eq(param(cl, "clSetEventCallback", "pfn_notify")->type->kind,
			 TL_KIND_FUNCTION);
}
END_TEST

START_TEST(opencl_functions_are_exported_or_got_by_name)
{
	ck_assert(function(cl, "clFinish")->exported);
	ck_assert(function(cl, "clGetGLContextInfoKHR")->exported);
	ck_assert(!function(cl, "clCreateCommandBufferKHR")->exported);
	ck_assert_uint_eq(cl->ngetprocs, 2);
	ck_assert_str_eq(cl->getprocs[1].function->name,
			 "clGetExtensionFunctionAddressForPlatform");
	ck_assert_str_eq(cl->getprocs[1].name, "func_name");
	ck_assert_int_eq(cl->getprocs[1].kind, TL_GETPROC_RETURNED);
	ck_assert_ptr_nonnull(function(cl, "clInitLayer")->left_out);
}
END_TEST

/* Anything in C. */

START_TEST(records_keep_their_shape)
{
	struct model *model = parsed("struct node;\n"
				     "struct shape {\n"
				     "	unsigned a : 3, : 2, b : 27;\n"
				     "	union { struct node *left; long number; };\n"
				     "	struct { short x, y; };\n"
				     "	union { int i; float f; } named;\n"
				     "	char name[16];\n"
				     "	int grid[2][3];\n"
				     "	struct shape *next;\n"
				     "};\n"
				     "void draw(const struct shape *shape);\n");
	const struct type *shape = param(model, "draw", "shape")->type->target;
	const struct variable *b = variable(shape->members, shape->nmembers, "b");

	ck_assert_uint_eq(shape->size, 72);
	ck_assert_uint_eq(shape->nmembers, 9);
	ck_assert_uint_eq(b->bit_offset, 5);
	ck_assert_uint_eq(b->bit_width, 27);
	/*
	 * An unnamed union goes by its first member, an unnamed struct's members are the outer
	 * one's.
	 */
	ck_assert_int_eq(variable(shape->members, shape->nmembers, "left")->type->kind,
			 TL_KIND_UNION);
	ck_assert_uint_eq(variable(shape->members, shape->nmembers, "y")->offset, 18);
	ck_assert_int_eq(variable(shape->members, shape->nmembers, "named")->type->kind,
			 TL_KIND_UNION);
	ck_assert_uint_eq(variable(shape->members, shape->nmembers, "name")->type->count, 16);
	ck_assert_uint_eq(variable(shape->members, shape->nmembers, "grid")->type->target->count,
			  3);
	/* It leads back to itself. */
	ck_assert_ptr_eq(variable(shape->members, shape->nmembers, "next")->type->target, shape);
}
END_TEST

START_TEST(parameters_keep_their_kind)
{
	struct model *model = parsed(
		"#include <stdint.h>\n"
		"typedef struct thing thing_t, *thing_p;\n"
		"typedef enum { RED = 1, SCARLET = 1, BLUE = -2, LARGE_FORCE_UINT32 = 0x7fffffff } colour_t;\n"
		"_Bool f(thing_p a, thing_t *b, colour_t c, uint64_t d, signed char e, double g, int (*h)(const char *),\n"
		"	const int i[4], void *const j, volatile unsigned short k, int);\n");
	const struct function *f = function(model, "f");
	const struct type *colour = f->params[2].type;

	ck_assert_int_eq(f->result->kind, TL_KIND_BOOL);
	ck_assert_int_eq(f->params[0].type->kind, TL_KIND_HANDLE);
	ck_assert_int_eq(f->params[1].type->kind, TL_KIND_HANDLE);
	ck_assert_int_eq(colour->kind, TL_KIND_ENUM);
	ck_assert(!enumerator(colour, "RED")->alias && enumerator(colour, "SCARLET")->alias &&
		  enumerator(colour, "LARGE_FORCE_UINT32")->alias);
	ck_assert_int_eq(enumerator(colour, "BLUE")->value, -2);
	ck_assert_int_eq(f->params[3].type->kind, TL_KIND_UINT);
	ck_assert_uint_eq(f->params[3].type->size, 8);
	ck_assert_int_eq(f->params[4].type->kind, TL_KIND_INT);
	ck_assert_int_eq(f->params[5].type->kind, TL_KIND_FLOAT);
	ck_assert_int_eq(f->params[6].type->kind, TL_KIND_FUNCTION);
	ck_assert_uint_eq(f->params[6].type->nmembers, 1);
	ck_assert_int_eq(f->params[7].type->kind, TL_KIND_POINTER);
	ck_assert_str_eq(f->params[7].spelling, "const int *");
	ck_assert_uint_eq(f->params[7].length.constant, 4);
	ck_assert_int_eq(f->params[8].type->kind, TL_KIND_POINTER);
	ck_assert_ptr_null(f->params[8].type->target);
	ck_assert_uint_eq(f->params[9].type->size, 2);
	ck_assert_str_eq(f->params[10].name, "arg10");
}
END_TEST

START_TEST(elements_of_arrays_keep_their_typedef)
{
	struct model *model =
		parsed("typedef int thing;\n"
		       "void f(const thing a[], thing b[2], const char *const c[]);\n");
	const struct function *f = function(model, "f");

	ck_assert_str_eq(f->params[0].spelling, "const thing *");
	ck_assert(f->params[0].type->is_const);
	ck_assert_str_eq(f->params[0].type->target->name, "thing");
	ck_assert_str_eq(f->params[1].spelling, "thing *");
	ck_assert(!f->params[1].type->is_const);
	ck_assert_uint_eq(f->params[1].length.constant, 2);
	ck_assert_str_eq(f->params[2].spelling, "const char *const *");
}
END_TEST

START_TEST(arrays_and_functions_are_passed_as_pointers)
{
	struct model *model =
		parsed("typedef int four_t[4];\ntypedef int call_t(char);\n"
		       "void f(four_t a, call_t b, int c[*], int (*d)[3], int e[2][3]);\n");
	const struct function *f = function(model, "f");

	ck_assert_int_eq(f->params[0].type->kind, TL_KIND_POINTER);
	ck_assert_str_eq(f->params[0].spelling, "int *");
	ck_assert_uint_eq(f->params[0].length.constant, 4);
	ck_assert_int_eq(f->params[1].type->kind, TL_KIND_FUNCTION);
	ck_assert_str_eq(f->params[1].spelling, "int (*)(char)");
	ck_assert_str_eq(f->params[2].spelling, "int *");
	ck_assert_uint_eq(f->params[3].type->target->count, 3);
	ck_assert_str_eq(f->params[4].spelling, "int (*)[3]");
}
END_TEST

START_TEST(what_cannot_be_passed_on_is_left_out_with_its_reason)
{
	struct model *model = parsed("#include <stdarg.h>\n"
				     "struct unknown;\n"
				     "typedef float four __attribute__((vector_size(16)));\n"
				     "int variadic(const char *format, ...);\n"
				     "int listed(const char *format, va_list list);\n"
				     "long double wide(int a);\n"
				     "void vector(four a);\n"
				     "void incomplete(struct unknown a);\n"
				     "int unprototyped();\n"
				     "struct { int x; } unnamed(void);\n"
				     "static int inside(void) { return 1; }\n"
				     "int fine(const char *text, void *list);\n");
	static const char *const reasons[][2] = {
		{"variadic", "variadic"},      {"listed", "parameter list is a va_list"},
		{"wide", "long double"},       {"vector", "parameter a is a vector"},
		{"incomplete", "incomplete"},  {"unprototyped", "prototype"},
		{"unnamed", "without a name"},
	};

	for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
		const char *why = function(model, reasons[i][0])->left_out;

		ck_assert_msg(why && strstr(why, reasons[i][1]), "%s: %s", reasons[i][0],
			      why ? why : "taken");
	}
	ck_assert_ptr_null(function(model, "fine")->left_out);
	ck_assert_ptr_null(model_function(model, "inside"));
}
END_TEST

START_TEST(without_tags_only_what_const_promises_is_followed)
{
	struct model *model = parsed(
		"struct point { int x, y; };\n"
		"void f(const char *name, char *buffer, const struct point *from, struct point *to, const int *many, int *out);\n");
	const struct function *f = function(model, "f");

	ck_length(&f->params[0], TL_LENGTH_STRING, NULL);
	ck_direction(&f->params[0], TL_IN);
	ck_length(&f->params[1], TL_LENGTH_NONE, NULL);
	ck_length(&f->params[2], TL_LENGTH_CONSTANT, NULL);
	ck_direction(&f->params[2], TL_IN);
	ck_length(&f->params[3], TL_LENGTH_NONE, NULL);
	ck_length(&f->params[4], TL_LENGTH_NONE, NULL);
	ck_length(&f->params[5], TL_LENGTH_NONE, NULL);
}
END_TEST

START_TEST(comments_of_every_style_are_read)
{
	struct model *model = parsed(
		"/**\n * Opens it.\n * @param[out] handle - where it goes,\n *   if it goes\n * @return 0\n */\n"
		"int a(int **handle,\n	int second /* the second */);\n"
		"int b(int *x, ///< [out] first line\n"
		"	       ///< and second\n"
		"      // plain, in front\n"
		"      int y);\n"
		"int c(\n  char **error  /* OUT: why */\n);\n"
		"// not this one\n\nint d(int *x); /* but this */\n"
		"int e(int *x); int f(int *y); // of f\n");
	const struct variable *v = param(model, "a", "handle");

	ck_assert_str_eq(v->comment, "[out] where it goes,\nif it goes");
	ck_direction(v, TL_OUT | TL_OBLIGED);
	ck_assert_str_eq(param(model, "a", "second")->comment, "the second");
	ck_assert_ptr_nonnull(strstr(function(model, "a")->comment, "Opens it."));
	ck_assert_str_eq(param(model, "b", "x")->comment, "[out] first line and second");
	ck_direction(param(model, "c", "error"), TL_OUT | TL_OBLIGED);
	ck_direction(param(model, "d", "x"), 0);
	ck_assert_str_eq(function(model, "d")->comment, "but this");
	ck_assert_ptr_null(function(model, "e")->comment);
	ck_assert_str_eq(function(model, "f")->comment, "of f");
}
END_TEST

START_TEST(a_length_that_names_no_sibling_is_no_length)
{
	struct model *model = parsed(
		"void f(int *a, ///< [in][range(0, b)] x\n	int c);\n"
		"void g(int *a, ///< [in][range(0, count)] x\n	int count);\n"
		"void h(int *a, ///< [in][range(0, *count)] x\n	int *count ///< [in] n\n);\n");

	ck_length(&function(model, "f")->params[0], TL_LENGTH_NONE, NULL);
	ck_length(&function(model, "g")->params[0], TL_LENGTH_VALUE, "count");
	ck_length(&function(model, "h")->params[0], TL_LENGTH_POINTEE, "count");
}
END_TEST

START_TEST(a_length_may_be_a_member_of_a_sibling_or_count_an_array_in_place)
{
	struct model *model = parsed(
		"struct some { double real; int count; int used;\n"
		"	int all[9]; ///< [range(0, used)] x\n	int none[9]; ///< [range(0, real)] x\n};\n"
		"void f(const struct some *info, int *a ///< [out][range(0, info->count)] x\n);\n"
		"void g(const struct some *info, int *a ///< [out][range(0, info->real)] x\n);\n"
		"void h(const struct some *info, int *a ///< [out][range(0, info->nothing)] x\n);\n"
		"void i(int info, int *a ///< [out][range(0, info->count)] x\n);\n");
	const struct variable *v = param(model, "f", "a");

	ck_length(v, TL_LENGTH_MEMBER, "info");
	ck_assert_str_eq(v->length.member, "count");
	ck_direction(v, TL_OUT | TL_OBLIGED);
	ck_length(param(model, "g", "a"), TL_LENGTH_NONE, NULL);
	ck_length(param(model, "h", "a"), TL_LENGTH_NONE, NULL);
	ck_length(param(model, "i", "a"), TL_LENGTH_NONE, NULL);
	ck_length(member(model, "some", "all"), TL_LENGTH_VALUE, "used");
	ck_length(member(model, "some", "none"), TL_LENGTH_NONE, NULL);
}
END_TEST

/* JSON. */

static char *written(const struct model *model, size_t *size)
{
	char *text;
	FILE *stream = open_memstream(&text, size);

	ck_assert_int_eq(model_write(model, stream), 0);
	fclose(stream);
	return text;
}

static struct model *read_back(const char *text, size_t size)
{
	char path[] = "gen-test-XXXXXX";
	int file = mkstemp(path);

	ck_assert_int_eq(write(file, text, size), (ssize_t)size);
	close(file);
	struct model *model = model_read(path);
	unlink(path);
	return model;
}

START_TEST(a_model_reads_back_as_it_was_written)
{
	const struct model *models[] = {
		ze, cl,
		parsed("union u { int a; struct { char *b; }; };\nextern int f(union u v, int w[2]);\n"),
		parsed("struct s { int n; };\nvoid f(struct s *s, int *a ///< [out][range(0, s->n)] x\n);\n")};

	for (size_t i = 0; i < 4; i++) {
		size_t first, second;
		char *one = written(models[i], &first);
		struct model *again = read_back(one, first);

		ck_assert_ptr_nonnull(again);
		ck_assert_uint_eq(again->nfunctions, models[i]->nfunctions);
		ck_assert_uint_eq(again->ntypes, models[i]->ntypes);
		char *other = written(again, &second);
		ck_assert_uint_eq(first, second);
		ck_assert_int_eq(memcmp(one, other, first), 0);
	}
}
END_TEST

START_TEST(a_model_that_was_read_serves_as_the_one_that_was_parsed)
{
	size_t size;
	char *text = written(ze, &size);
	struct model *again = read_back(text, size);

	ck_assert_ptr_nonnull(again);
	ck_assert_int_eq(param(again, "zeInit", "flags")->type->kind, TL_KIND_FLAGS);
	ck_length(param(again, "zeDriverGet", "phDrivers"), TL_LENGTH_POINTEE, "pCount");
	ck_assert_int_eq(type(again, "ze_device_properties_t")->stype, 3);
	ck_assert_ptr_eq(param(again, "zeInit", "flags")->type,
			 model_type(again, "ze_init_flags_t"));
	ck_assert_uint_eq(again->ngetprocs, ze->ngetprocs);
	ck_assert_str_eq(
		getproc_named(again, "zeGetGlobalProcAddrTable")->entries[0].function->name,
		"zeInit");
	for (size_t i = 0; i < again->ntypes; i++)
		ck_assert_uint_eq(again->types[i]->index, i);
}
END_TEST

START_TEST(the_same_headers_give_the_same_bytes)
{
	size_t first, second;
	char *one = written(cl, &first),
	     *other = written(described("gen/apis/opencl.json"), &second);

	ck_assert_uint_eq(first, second);
	ck_assert_int_eq(memcmp(one, other, first), 0);
}
END_TEST

/* 128 bits from the last of a unit on are the most that there is. */
START_TEST(a_bit_field_lies_in_its_unit)
{
	static const char *const form =
		"{\"format\":\"tracelayer-model-1\",\"types\":[{\"name\":\"i\",\"spelling\":\"i\",\"kind\":\"int\",\"size\":8},"
		"{\"name\":\"t\",\"spelling\":\"t\",\"kind\":\"struct\",\"size\":24,\"members\":[{\"name\":\"m\",\"spelling\":\"i\","
		"\"type\":\"i\",\"bit_offset\":%u,\"bit_width\":%u}]}]}";
	char text[400];

	ck_assert_ptr_nonnull(read_back(text, (size_t)sprintf(text, form, 63, 128)));
	ck_assert_ptr_null(read_back(text, (size_t)sprintf(text, form, 64, 1)));
	ck_assert_ptr_null(read_back(text, (size_t)sprintf(text, form, 0, 129)));
}
END_TEST

START_TEST(a_damaged_model_is_refused)
{
	static const char *const damaged[] = {
		"",
		"{",
		"[]",
		"{\"format\":\"other\"}",
		"{\"format\":\"tracelayer-model-1\",\"functions\":[{\"name\":\"f\",\"result\":\"gone\",\"result_spelling\":\"int\"}]}",
		"{\"format\":\"tracelayer-model-1\",\"types\":[{\"name\":\"t\",\"spelling\":\"t\",\"kind\":\"odd\"}]}",
		"{\"format\":\"tracelayer-model-1\",\"getprocs\":[{\"kind\":\"returned\",\"function\":\"f\"}]}",
	};

	for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++)
		ck_assert_msg(!read_back(damaged[i], strlen(damaged[i])), "taken: %s", damaged[i]);
}
END_TEST

static Suite *suite(void)
{
	Suite *all = suite_create("tracegen model");
	TCase *part;

	part = tcase_create("Level Zero");
	tcase_add_test(part, every_level_zero_function_is_in_the_model);
	tcase_add_test(part, a_flags_typedef_has_the_enumerators_of_its_enum);
	tcase_add_test(part, level_zero_comments_give_directions_and_lengths);
	tcase_add_test(part, memory_that_may_be_the_devices_is_never_followed);
	tcase_add_test(part, chains_know_what_each_stype_announces);
	tcase_add_test(part, every_function_stands_in_one_function_table);
	tcase_add_test(part, the_headers_own_params_structs_and_callback_types_are_found);
	tcase_add_test(part, level_zero_functions_have_levels_results_and_roles);
	suite_add_tcase(all, part);

	part = tcase_create("OpenCL");
	tcase_add_test(part, defines_under_a_comment_become_the_enum_that_it_names);
	tcase_add_test(part, bit_fields_become_flags);
	tcase_add_test(part, opencl_results_are_error_codes);
	tcase_add_test(part, opencl_parameter_names_give_directions_and_lengths);
	tcase_add_test(part, opencl_functions_are_exported_or_got_by_name);
	suite_add_tcase(all, part);

	part = tcase_create("C");
	tcase_add_test(part, records_keep_their_shape);
	tcase_add_test(part, parameters_keep_their_kind);
	tcase_add_test(part, arrays_and_functions_are_passed_as_pointers);
	tcase_add_test(part, elements_of_arrays_keep_their_typedef);
	tcase_add_test(part, what_cannot_be_passed_on_is_left_out_with_its_reason);
	tcase_add_test(part, without_tags_only_what_const_promises_is_followed);
	tcase_add_test(part, comments_of_every_style_are_read);
	tcase_add_test(part, a_length_that_names_no_sibling_is_no_length);
	tcase_add_test(part, a_length_may_be_a_member_of_a_sibling_or_count_an_array_in_place);
	suite_add_tcase(all, part);

	part = tcase_create("JSON");
	tcase_add_test(part, a_model_reads_back_as_it_was_written);
	tcase_add_test(part, a_model_that_was_read_serves_as_the_one_that_was_parsed);
	tcase_add_test(part, the_same_headers_give_the_same_bytes);
	tcase_add_test(part, a_bit_field_lies_in_its_unit);
	tcase_add_test(part, a_damaged_model_is_refused);
	suite_add_tcase(all, part);
	return all;
}

int main(void)
{
	/* Read once; each test runs in a process of its own that inherits them. */
	ze = described("gen/apis/level-zero.json");
	cl = described("gen/apis/opencl.json");
	if (!ze || !cl)
		return 99;
	SRunner *runner = srunner_create(suite());
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
