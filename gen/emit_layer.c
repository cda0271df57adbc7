/* SPDX-License-Identifier: MIT */
/*
 * emit_layer.c: PREFIX_layer.c, the part of a loader's layer that exists once for each function.
 * Level Zero's loader looks up zeGet*ProcAddrTable and zelTracer<X>RegisterCallback in its tracing
 * layer; OpenCL's layer has a list of the dispatch table's slots and their functions.
 *
 * A layer gives functions to the runtime by name, not by number: the runtime may have been made
 * from other headers.
 */
#include <string.h>

#include "gen/allocate.h"
#include "gen/emit.h"

#define DISPATCH "cl_icd_dispatch"

/* Level Zero's loader offers a layer the tables of its core and of its runtime (zer). */
static bool getproc_is_offered(const struct getproc *getproc)
{
	const char *name = getproc->function->name;

	return getproc->kind == TL_GETPROC_TABLE &&
	       (!strncmp(name, "zeGet", 5) || !strncmp(name, "zerGet", 6));
}

static void emit_getter(FILE *to, const struct getproc *getproc)
{
	const struct function *function = getproc->function;

	fprintf(to, "\n/* %s, %s:%u */\n", function->name, function->where.file,
		function->where.line);
	if (function->undeclared)
		emit_line(to, 0, "TL_EXPORT ze_result_t %s(%s);", function->name,
			  emit_parameters(function));
	emit_line(to, 0, "TL_EXPORT ze_result_t %s(%s)", function->name, emit_parameters(function));
	fputs("{\n", to);
	emit_line(
		to, 1,
		"return tl_ze_layer_table(\"%s\", (uint32_t)%s, %s, __builtin_return_address(0));",
		function->name, getproc->version, getproc->where);
	fputs("}\n", to);
}

static char *function_quoted(const struct model *model, const struct function *function)
{
	return format_text("\"%s\"", function->name);
}

static void emit_level_zero(const struct model *model, FILE *to)
{
	fputs("#include \"layer/doors/ze_layer.h\"\n\n", to);
	emit_includes(to, model);
	for (size_t i = 0; i < model->ngetprocs; i++)
		if (getproc_is_offered(&model->getprocs[i]))
			emit_getter(to, &model->getprocs[i]);
	emit_registers(to, model, "tl_ze_layer_register", function_quoted);
	emit_undeclared_registers(to, model, "tl_ze_layer_register", function_quoted);
}

static void emit_opencl(const struct model *model, const struct type *table, FILE *to)
{
	fputs("#include \"layer/doors/cl_layer.h\"\n\n", to);
	fputs("const struct tl_cl_slot tl_cl_slots[] = {\n", to);
	for (size_t i = 0; i < table->nmembers; i++)
		if (model_function(model, table->members[i].name))
			fprintf(to, "\t{ offsetof(" DISPATCH ", %s), \"%s\" },\n",
				table->members[i].name, table->members[i].name);
	fputs("\t{ 0, NULL },\n};\n", to);
}

bool emits_layer(const struct model *model)
{
	return emits_tracing(model) || model_type(model, DISPATCH);
}

int emit_layer(const struct model *model, FILE *to)
{
	emit_title(to, model, "layer.c", "what the loader's own layer has for each function");
	if (emits_tracing(model))
		emit_level_zero(model, to);
	else
		emit_opencl(model, model_type(model, DISPATCH), to);
	return emit_done(to, model, "layer.c");
}
