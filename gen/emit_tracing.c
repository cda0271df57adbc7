/* SPDX-License-Identifier: MIT */
/*
 * emit_tracing.c: PREFIX_tracing.c, the part of Level Zero's tracing interface that exists once for
 * each function: zelTracer<X>RegisterCallback, and the function of each slot of the legacy callback
 * tables.
 *
 * layer/program/zel_tracer.c has the rest.
 */
#include <stdlib.h>
#include <string.h>

#include "gen/allocate.h"
#include "gen/emit.h"

#define BEGINS "zelTracer"
#define ENDS   "RegisterCallback"

/*
 * The function that a register function is for: zeInit for zelTracerInitRegisterCallback, if zeInit
 * has a shim. NULL: it is no register function.
 */
static const struct function *registers_function(const struct model *model,
						 const struct function *registers)
{
	const char *name = registers->name;
	size_t length = strlen(name);

	if (strncmp(name, BEGINS, strlen(BEGINS)) || length <= strlen(BEGINS ENDS) ||
	    strcmp(name + length - strlen(ENDS), ENDS))
		return NULL;
	const char *what = copy_bytes(name + strlen(BEGINS), length - strlen(BEGINS ENDS));
	const struct function *function = model_function(model, format_text("ze%s", what));
	if (!function) /* zelTracerGetDefaultContextRegisterCallback: zerGetDefaultContext */
		function = model_function(model, format_text("zer%s", what));
	return function && !function->left_out ? function : NULL;
}

void emit_registers(FILE *to, const struct model *model, const char *call,
		    char *(*which)(const struct model *model, const struct function *function))
{
	for (size_t i = 0; i < model->nfunctions; i++) {
		const struct function *registers = &model->functions[i];
		const struct function *function = registers_function(model, registers);

		if (!function)
			continue;
		fprintf(to, "\n/* %s, %s:%u */\n", registers->name, registers->where.file,
			registers->where.line);
		emit_line(to, 0, "TL_EXPORT ze_result_t %s(%s)", registers->name,
			  emit_parameters(registers));
		fputs("{\n", to);
		emit_line(to, 1, "return %s(%s, (int)%s, %s, (tl_callback)%s);", call,
			  registers->params[0].name, registers->params[1].name,
			  which(model, function), registers->params[2].name);
		fputs("}\n", to);
	}
}

/*
 * The register function that later headers have for a function that these headers lack. NULL: it
 * has none.
 */
static char *function_register_name(const struct function *function)
{
	const char *what =
		function->name + (strncmp(function->name, "zer", 3) ? strlen("ze") : strlen("zer"));

	if (!function->passed || strncmp(function->name, "ze", 2) || *what < 'A' || *what > 'Z')
		return NULL;
	return format_text(BEGINS "%s" ENDS, what);
}

/* No parameter is a struct, so the places of parameters hold for every machine. */
static bool function_has_plain_places(const struct function *function)
{
	bool plain = function->nplaces == function->passed;

	for (size_t i = 0; i < function->nplaces; i++)
		plain &= function->places[i] == i;
	return plain;
}

/*
 * A callback gets the addresses of parameters, which follow from their places. Where the places are
 * not known, the register function returns "unsupported". It has to exist, because our handles must
 * not reach the loader's function of that name.
 */
void emit_undeclared_registers(FILE *to, const struct model *model, const char *call,
			       char *(*which)(const struct model *model,
					      const struct function *function))
{
	for (const struct function *f = emit_first(model); f; f = emit_next(model, f)) {
		const char *name = function_register_name(f);

		if (!name)
			continue;
		fprintf(to, "\n/* %s, %s:%u */\n", f->name, f->where.file, f->where.line);
		emit_line(
			to, 0,
			"TL_EXPORT ze_result_t %s(zel_tracer_handle_t hTracer, int type, tl_callback callback);",
			name);
		emit_line(
			to, 0,
			"TL_EXPORT ze_result_t %s(zel_tracer_handle_t hTracer, int type, tl_callback callback)",
			name);
		fputs("{\n", to);
		if (!function_has_plain_places(f))
			fputs("#if !defined(__x86_64__)\n\treturn ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;\n#endif\n",
			      to);
		emit_line(to, 1, "return %s(hTracer, type, %s, callback);", call, which(model, f));
		fputs("}\n", to);
	}
}

static char *function_shim_reference(const struct model *model, const struct function *function)
{
	return format_text("&%s_shims[%zu]", model->prefix, emit_index(model, function));
}

/* The function whose callback type a slot has. */
static const struct function *slot_find_function(const struct model *model,
						 const struct variable *slot)
{
	for (const struct function *f = emit_first(model); f; f = emit_next(model, f))
		if (f->callback_type && slot->type->name &&
		    !strcmp(f->callback_type, slot->type->name))
			return f;
	return NULL;
}

static void emit_slots(FILE *to, const struct model *model)
{
	const struct type *table = model_type(model, "ze_callbacks_t");

	fputs("\n/* The legacy tables, zel_core_callbacks_t: frozen, 120 slots of functions of version 1.0. */\n"
	      "const struct tl_zel_slot tl_zel_slots[] = {\n",
	      to);
	for (size_t i = 0; table && i < table->nmembers; i++) {
		const struct type *group = table->members[i].type;
		for (size_t j = 0; j < group->nmembers; j++) {
			const struct function *function =
				slot_find_function(model, &group->members[j]);
			if (function)
				fprintf(to,
					"\t{ offsetof(ze_callbacks_t, %s.%s), &%s_shims[%zu] },\n",
					table->members[i].name, group->members[j].name,
					model->prefix, emit_index(model, function));
		}
	}
	fputs("\t{ 0, NULL },\n};\n", to);
}

bool emits_tracing(const struct model *model)
{
	return model_function(model, "zelTracerSetEnabled") != NULL;
}

/*
 * What the interface exports, one symbol a line: the functions above, and those of
 * layer/program/zel_tracer.c.
 */
int emit_tracing_exports(const struct model *model, FILE *to)
{
	static const char *const fixed[] = {
		"zelDisableTracingLayer", "zelEnableTracingLayer", "zelGetTracingLayerState",
		"zelTracerCreate",	  "zelTracerDestroy",	   "zelTracerResetAllCallbacks",
		"zelTracerSetEnabled",	  "zelTracerSetEpilogues", "zelTracerSetPrologues"};

	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
		fprintf(to, "%s\n", fixed[i]);
	for (size_t i = 0; i < model->nfunctions; i++)
		if (registers_function(model, &model->functions[i]))
			fprintf(to, "%s\n", model->functions[i].name);
	fputs("# of functions that are known by name only\n", to);
	for (const struct function *f = emit_first(model); f; f = emit_next(model, f))
		if (function_register_name(f))
			fprintf(to, "%s\n", function_register_name(f));
	return emit_done(to, model, "exports");
}

int emit_tracing(const struct model *model, FILE *to)
{
	emit_title(to, model, "tracing.c",
		   "what Level Zero's tracing interface has for each function");
	fputs("#include \"layer/program/zel_tracer.h\"\n\n", to);
	emit_includes(to, model);
	fprintf(to, "\nextern struct tl_shim %s_shims[] __attribute__((visibility(\"hidden\")));\n",
		model->prefix);
	emit_registers(to, model, "tl_zel_register", function_shim_reference);
	emit_undeclared_registers(to, model, "tl_zel_register", function_shim_reference);
	emit_slots(to, model);
	return emit_done(to, model, "tracing.c");
}
