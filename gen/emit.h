/* SPDX-License-Identifier: MIT */
/*
 * emit.h: what the emit_*.c share: how C is written down.
 *
 * Each emitter is a set of functions that print one section of output each, from the model alone.
 */
#ifndef TL_GEN_EMIT_H
#define TL_GEN_EMIT_H

#include "gen/model.h"

/*
 * Functions with a shim, in the order in which tl_api.functions and PREFIX_shims have them:
 *
 *	for (const struct function *f = emit_first(model); f; f = emit_next(model, f))
 */
const struct function *emit_first(const struct model *model);
const struct function *emit_next(const struct model *model, const struct function *after);
size_t emit_count(const struct model *model);
size_t emit_index(const struct model *model, const struct function *function);

/* For qsort and bsearch of arrays of names. */
int emit_compare_names(const void *a, const void *b);

/* Declare something of a type: ("const char *", "x") gives `const char *x`, ("void (*)(int)", "f")
 * gives `void (*f)(int)`. */
char *emit_declare(const char *spelling, const char *what);

/* The type a variable would need to hold the value: without a leading const where there is no
 * pointer. */
const char *emit_value_spelling(const char *spelling);

/* "cl_command_queue queue, const cl_event *events", or "void". */
char *emit_parameters(const struct function *function);

/* zeCommandListCreate -> ze_command_list_create, clEnqueueNDRangeKernel ->
 * cl_enqueue_nd_range_kernel */
char *emit_snake(const char *name);

/* CL, DRIVER. */
char *emit_upper(const char *text);

/* 8-byte words that a value takes as a parameter. */
unsigned emit_words(const struct type *type);

/* Print a line and break it after commas where it gets longer than a page is wide; `indent` tabs in
 * front. */
void emit_line(FILE *to, unsigned indent, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The file's first comment. */
void emit_title(FILE *to, const struct model *model, const char *file, const char *what);

/* The macros that the headers need, and the headers. */
void emit_includes(FILE *to, const struct model *model);

/*
 * Print every zelTracer<X>RegisterCallback as `return CALL(tracer, type, WHICH, callback)`. which()
 * names the function that the callback is for.
 */
void emit_registers(FILE *to, const struct model *model, const char *call,
		    char *(*which)(const struct model *model, const struct function *function));

/* The same for the functions that the headers lack. */
void emit_undeclared_registers(FILE *to, const struct model *model, const char *call,
			       char *(*which)(const struct model *model,
					      const struct function *function));

/* -1 where writing failed (printed). */
int emit_done(FILE *to, const struct model *model, const char *file);

#endif
