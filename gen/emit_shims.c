/* SPDX-License-Identifier: MIT */
/*
 * emit_shims.c: PREFIX_shims.c, the functions between a program and the API. tracelayer/shim.h has
 * their building blocks.
 *
 * A shim is shim_NAME in C and NAME in the symbol table: headers may define macros of the
 * functions' names, declare the functions with attributes, or not declare them.
 */
#include <string.h>

#include "gen/allocate.h"
#include "gen/emit.h"

/* The suffix of a shim's own variables: "_" if a parameter has the name of one of them. */
static const char *function_suffix(const struct function *function)
{
	static const char *const names[] = {"shim", "caller", "params", "result",
					    "call", "real",   "mode"};

	for (size_t i = 0; i < function->nparams; i++)
		for (size_t j = 0; j < sizeof names / sizeof *names; j++)
			if (!strcmp(function->params[i].name, names[j]))
				return "_";
	return "";
}

static bool function_returns(const struct function *function)
{
	return function->result->kind != TL_KIND_VOID;
}

static bool type_is_aggregate(const struct type *type)
{
	return type->kind == TL_KIND_STRUCT || type->kind == TL_KIND_UNION;
}

/*
 * A function that is known by name only gets as many words as parameters as it may have. So the
 * callee finds in registers and on the stack what the caller put there.
 */
static char *function_parameters(const struct function *function)
{
	char *text = copy_text("");

	if (!function->passed)
		return emit_parameters(function);
	for (unsigned i = 0; i < function->passed; i++)
		text = format_text("%s%suintptr_t word%u", text, i ? ", " : "", i);
	return text;
}

static bool function_has_parameters(const struct function *function)
{
	return function->nparams || function->passed;
}

/* "hEvent, pCount" */
static char *function_arguments(const struct function *function)
{
	char *text = copy_text("");

	for (unsigned i = 0; i < function->passed; i++)
		text = format_text("%s%sword%u", text, i ? ", " : "", i);
	for (size_t i = 0; i < function->nparams; i++)
		text = format_text("%s%s%s", text, i ? ", " : "", function->params[i].name);
	return text;
}

/* ", hEvent, pCount", or nothing */
static const char *list_continued(const char *list)
{
	return *list ? format_text(", %s", list) : "";
}

/* Each 8-byte word of the parameters as an expression, ", (uint64_t)hEvent, TL_WORD_OF(desc, 0),
 * TL_WORD_OF(desc, 1)". */
static char *function_words(const struct function *function)
{
	char *text = copy_text("");

	for (size_t i = 0; i < function->nparams; i++) {
		const struct variable *param = &function->params[i];

		if (!type_is_aggregate(param->type) && param->type->kind != TL_KIND_FLOAT) {
			text = format_text("%s, (uint64_t)%s", text, param->name);
			continue;
		}
		for (unsigned j = 0; j < emit_words(param->type); j++)
			text = format_text("%s, TL_WORD_OF(%s, %u)", text, param->name, j);
	}
	return text;
}

/* A result as 64 bits, zero-extended from its size. */
static const char *function_result_word(const struct function *function, const char *result)
{
	const struct type *type = function->result;

	if (!function_returns(function))
		return "0";
	if (type_is_aggregate(type) || type->kind == TL_KIND_FLOAT)
		return format_text("TL_WORD_OF(%s, 0)", result);
	if (type->size < 8)
		return format_text("(uint%u_t)%s", (unsigned)type->size * 8, result);
	return format_text("(uint64_t)%s", result);
}

/*
 * The parameters of the real function. It has "..." where the descriptor says what callers pass.
 * The shim has parameters there, which are passed in the same way.
 */
static char *function_real_parameters(const struct function *function)
{
	struct function named = *function;

	if (!function->nvariadic)
		return function_parameters(function);
	named.nparams -= function->nvariadic;
	return format_text("%s, ...", emit_parameters(&named));
}

static void emit_pointer_type(FILE *to, const struct function *function)
{
	emit_line(to, 0, "typedef %s;",
		  emit_declare(function->result_spelling,
			       format_text("(*pfn_%s)(%s)", function->name,
					   function_real_parameters(function))));
	if (function->declared)
		fprintf(to, "TL_DECLARED_AS(%s, %s);\n", function->declared, function->name);
	else if (!function->undeclared)
		fprintf(to, "TL_DECLARED(%s);\n", function->name);
	fputc('\n', to);
}

/* The variables of a traced body. */
static void emit_variables(FILE *to, const struct function *function, const char *_)
{
	char *addresses = copy_text("");

	for (size_t i = 0; i < function->nparams; i++)
		addresses =
			format_text("%s%s&%s", addresses, i ? ", " : "", function->params[i].name);
	/*
	 * The words lie in memory in the order in which they were passed: a struct parameter may
	 * take several.
	 */
	for (size_t i = 0; i < function->nplaces; i++)
		addresses = format_text("%s%s&words[%u]", addresses, i ? ", " : "",
					function->places[i]);
	if (function->passed)
		emit_line(to, 1, "uintptr_t words[] = {%s};", function_arguments(function));
	if (function_has_parameters(function))
		emit_line(to, 1, "const void *const params%s[] = {%s};", _, addresses);
	if (function_returns(function))
		emit_line(to, 1, "%s = %s;",
			  emit_declare(emit_value_spelling(function->result_spelling),
				       format_text("result%s", _)),
			  type_is_aggregate(function->result) ? "{0}" : "0");
}

/* "words[0], words[1]": callbacks may have changed them. */
static const char *function_arguments_traced(const struct function *function)
{
	char *text = copy_text("");

	for (unsigned i = 0; i < function->passed; i++)
		text = format_text("%s%swords[%u]", text, i ? ", " : "", i);
	return function->passed ? text : function_arguments(function);
}

static void emit_real_call(FILE *to, const struct function *function, const char *_)
{
	fprintf(to, "\tif (TL_LIKELY(real%s))\n", _);
	if (function_returns(function))
		emit_line(to, 2, "result%s = real%s(%s);", _, _,
			  function_arguments_traced(function));
	else
		emit_line(to, 2, "real%s(%s);", _, function_arguments_traced(function));
	if (!function->unsupported || !function_returns(function))
		return;
	fputs("\telse\n", to);
	emit_line(to, 2, strchr(function->unsupported, ',') ? "result%s = (%s);" : "result%s = %s;",
		  _, function->unsupported);
}

static void emit_traced(FILE *to, const struct function *function, const char *_)
{
	const char *more_parameters = function_has_parameters(function)
					      ? format_text(", %s", function_parameters(function))
					      : "";
	const char *result = format_text("result%s", _);

	emit_line(to, 0, "static TL_TRACED %s",
		  emit_declare(
			  emit_value_spelling(function->result_spelling),
			  format_text(
				  "traced_%s(struct tl_shim *shim%s, struct tl_caller caller%s%s)",
				  function->name, _, _, more_parameters)));
	fputs("{\n", to);
	emit_variables(to, function, _);
	fprintf(to, "\tTL_CALL(call%s, shim%s, caller%s, %s%s, %s);\n", _, _, _,
		function_has_parameters(function) ? "params" : "NULL",
		function_has_parameters(function) ? _ : "",
		function_returns(function) ? format_text("&%s", result) : "NULL");
	fprintf(to, "\tpfn_%s real%s = tl_call_enter(&call%s);\n\n", function->name, _, _);
	emit_real_call(to, function, _);
	emit_line(to, 1, "TL_CALL_LEAVE(call%s, %s%s);", _, function_result_word(function, result),
		  function_words(function));
	if (function_returns(function))
		fprintf(to, "\treturn %s;\n", result);
	fputs("}\n\n", to);
}

/* An entry passes a call on to the traced body. */
static void emit_traced_call(FILE *to, const struct function *function, const char *condition)
{
	const char *name = function->name, *list = function_arguments(function);

	fprintf(to, "\tif (TL_UNLIKELY(%s))%s\n", condition,
		function_returns(function) ? "" : " {");
	emit_line(to, 2, "%straced_%s(SHIM(%s), TL_CALLER%s);",
		  function_returns(function) ? "return " : "", name, name, list_continued(list));
	if (!function_returns(function))
		fputs("\t\treturn;\n\t}\n", to);
}

/* The part of an entry that records a call by itself. */
static void emit_recorded(FILE *to, const struct function *function, const char *_)
{
	const char *name = function->name, *list = function_arguments(function);
	const char *result = format_text("result%s", _);
	const char *leave = format_text("TL_RECORDED_LEAVE(call%s, %s)", _,
					function_result_word(function, result));

	emit_traced_call(to, function, format_text("tl_mode_is_traced(mode%s)", _));
	emit_line(to, 1, "TL_RECORDED(call%s%s);", _, function_words(function));
	fprintf(to, "\treal%s = tl_recorded_enter(call%s, SHIM(%s), mode%s);\n", _, _, name, _);
	emit_traced_call(to, function, format_text("!real%s", _));
	fprintf(to, "\tTL_RECORDED_UNWINDS(call%s);\n", _);
	if (!function_returns(function)) {
		emit_line(to, 1, "real%s(%s);", _, list);
		emit_line(to, 1, "%s;", leave);
		return;
	}
	emit_line(to, 1, "%s = real%s(%s);",
		  emit_declare(emit_value_spelling(function->result_spelling), result), _, list);
	if (type_is_aggregate(function->result) || function->result->kind == TL_KIND_FLOAT) {
		emit_line(to, 1, "%s;", leave);
		fprintf(to, "\treturn %s;\n", result);
	} else {
		emit_line(to, 1, "return (%s)%s;", emit_value_spelling(function->result_spelling),
			  leave);
	}
}

static void emit_entry(FILE *to, const struct function *function, const char *_)
{
	const char *name = function->name;
	char *entry = emit_declare(emit_value_spelling(function->result_spelling),
				   format_text("shim_%s(%s)", name, function_parameters(function)));

	if (function->exported)
		emit_line(to, 0, "TL_EXPORT %s __asm__(\"%s\");", entry, name);
	emit_line(to, 0, "%sTL_ENTRY %s", function->exported ? "" : "static ", entry);
	fprintf(to, "{\n\tpfn_%s real%s = tl_shim_direct(SHIM(%s));\n\n", name, _, name);
	if (function_returns(function)) {
		fprintf(to, "\tif (TL_LIKELY(real%s))\n", _);
		emit_line(to, 2, "return real%s(%s);", _, function_arguments(function));
	} else {
		fprintf(to, "\tif (TL_LIKELY(real%s)) {\n", _);
		emit_line(to, 2, "real%s(%s);", _, function_arguments(function));
		fputs("\t\treturn;\n\t}\n", to);
	}
	fprintf(to, "\tuint64_t mode%s = tl_shim_mode(SHIM(%s));\n", _, name);
	emit_recorded(to, function, _);
	fputs("}\n\n", to);
}

/* "*(ze_event_handle_t *)args[0], *(uint32_t *)args[1]" */
static char *function_arguments_unpacked(const struct function *function)
{
	char *text = copy_text("");

	for (unsigned i = 0; i < function->passed; i++)
		text = format_text("%s%s*(uintptr_t *)args[%u]", text, i ? ", " : "", i);
	for (size_t i = 0; i < function->nparams; i++)
		text = format_text("%s%s*(%s)args[%zu]", text, i ? ", " : "",
				   emit_declare(function->params[i].spelling, "*"), i);
	return text;
}

/* libffi wants an integer result widened to a word, and others as they are. */
static void emit_invoke(FILE *to, const struct function *function)
{
	const struct type *type = function->result;
	const char *call =
		format_text("traced_%s(shim, (struct tl_caller){caller, TL_STACK}%s)",
			    function->name, list_continued(function_arguments_unpacked(function)));
	const char *spelling = emit_value_spelling(function->result_spelling);

	emit_line(
		to, 0,
		"static void invoke_%s(struct tl_shim *shim, void *caller, void **args, void *result)",
		function->name);
	fputs("{\n", to);
	if (!function_has_parameters(function))
		fputs("\t(void)args;\n", to);
	if (!function_returns(function))
		fputs("\t(void)result;\n", to);
	if (!function_returns(function))
		emit_line(to, 1, "%s;", call);
	else if (type_is_aggregate(type) || type->kind == TL_KIND_FLOAT || type->size == 8)
		emit_line(to, 1, "*(%s)result = %s;", emit_declare(spelling, "*"), call);
	else if (type->kind == TL_KIND_INT || type->kind == TL_KIND_CHAR)
		emit_line(to, 1, "*(int64_t *)result = %s;", call);
	else
		emit_line(to, 1, "*(uint64_t *)result = (uint%u_t)%s;", (unsigned)type->size * 8,
			  call);
	fputs("}\n\n", to);
}

/*
 * Whether a parameter or a result is one word in a general register, or nothing. How a shorter word
 * is widened depends on its type; so its spelling stands for it.
 */
static const char *word_key(const struct type *type, const char *spelling)
{
	if (type->kind == TL_KIND_VOID)
		return "void";
	if (type_is_aggregate(type) || type->kind == TL_KIND_FLOAT || type->size > 8)
		return NULL;
	return type->size == 8 ? "q" : spelling;
}

/* Shims of functions with the same key are the same machine code, but for names. NULL: of no others. */
static const char *function_key(const struct function *function)
{
	const char *word = word_key(function->result, function->result_spelling);
	const char *unsupported = function->unsupported ? function->unsupported : "";
	char *key;

	if (!word || function->nhidden)
		return NULL;
	key = format_text("%s %s|%d %u", word, unsupported, function->exported,
			  function->nvariadic);
	for (size_t i = 0; i < function->nparams; i++) {
		const struct variable *param = &function->params[i];

		if (!(word = word_key(param->type, param->spelling)))
			return NULL;
		/* "(*errcode_ret = …, NULL)" names a parameter: that has to be the same one. */
		key = format_text("%s|%s %s", key, word,
				  strstr(unsupported, param->name) ? param->name : "");
	}
	for (size_t i = 0; i < function->nplaces; i++)
		key = format_text("%s|%u", key, function->places[i]);
	return format_text("%s|%u", key, function->passed);
}

/* For each function of the model the first one whose shim is the same machine code. */
static const struct function **functions_like(const struct model *model)
{
	const struct function **like = allocate(model->nfunctions * sizeof *like);
	const char **keys = allocate(model->nfunctions * sizeof *keys);

	for (const struct function *f = emit_first(model); f; f = emit_next(model, f)) {
		size_t i = (size_t)(f - model->functions);

		keys[i] = function_key(f);
		like[i] = f;
		for (size_t j = 0; keys[i] && j < i && like[i] == f; j++)
			if (keys[j] && !strcmp(keys[i], keys[j]))
				like[i] = &model->functions[j];
	}
	return like;
}

/* A shim, or what stands for it where TL_COPIES has gen/copies.awk make it of another's. */
static void emit_shim(FILE *to, const struct function *function, const struct function *like)
{
	const char *_ = function_suffix(function);

	fprintf(to, "/* %s, %s:%u */\n", function->name, function->where.file,
		function->where.line);
	emit_pointer_type(to, function);
	if (like != function)
		fprintf(to, "#ifdef TL_COPIES\nTL_COPY(%s, %s, %s%s);\n#else\n", function->name,
			like->name, function->exported ? "" : "shim_", function->name);
	emit_traced(to, function, _);
	emit_entry(to, function, _);
	emit_invoke(to, function);
	if (like != function)
		fputs("#endif\n\n", to);
}

/* With TL_COPIES each shim that others are made of has a symbol for its struct tl_shim: the copies have theirs in its place. */
static void emit_copies(FILE *to, const struct model *model)
{
	unsigned index = 0;

	fputs("#ifdef TL_COPIES /* gen/copies.awk says more */\n"
	      "_Static_assert(sizeof(struct tl_shim) == 64, \"as below\");\n"
	      "#define TL_COPY(name, like, entry)                              \\\n"
	      "\t__asm__(\"# copy \" #name \" \" #like);                       \\\n"
	      "\textern TL_EXPORT void shim_##name(void) __asm__(#entry);   \\\n"
	      "\textern TL_EXPORT void invoke_##name(struct tl_shim *shim, \\\n"
	      "\t\t\t\t\t    void *caller, void **args, void *result)\n"
	      "#define SHIM(name) (&shim_of_##name)\n",
	      to);
	for (const struct function *f = emit_first(model); f; f = emit_next(model, f), index++)
		fprintf(to,
			"extern TL_HIDDEN struct tl_shim shim_of_%s;\n"
			"__asm__(\".set shim_of_%s, %s_shims + 64 * %u\");\n",
			f->name, f->name, model->prefix, index);
	fputs("#else\n", to);
}

/* The beginning of the file, which all its shims share. */
static void emit_beginning(FILE *to, const struct model *model)
{
	const char *prefix = model->prefix;

	fputs("#include <tracelayer/shim.h>\n\n", to);
	emit_includes(to, model);
	fputs("/* Functions that the headers call deprecated are traced like others. */\n"
	      "#pragma GCC diagnostic ignored \"-Wdeprecated-declarations\"\n\n"
	      "/* The headers that this is compiled with declare the function as those that it was made from. */\n"
	      "#define TL_DECLARED(name) TL_DECLARED_AS(name, name)\n"
	      "#define TL_DECLARED_AS(declared, name)                                                           \\\n"
	      "\t_Static_assert(__builtin_types_compatible_p(__typeof__(declared), __typeof__(*(pfn_##name)0)), \\\n"
	      "\t\t       #name \" is declared otherwise here; make the shims anew from these headers\")\n\n",
	      to);
	fprintf(to, "extern const struct tl_api tl_api_%s;\n", prefix);
	fprintf(to, "extern TL_HIDDEN const struct tl_function %s_functions[];\n", prefix);
	fprintf(to, "extern TL_HIDDEN struct tl_shim %s_shims[];\n", prefix);
	fprintf(to, "extern TL_HIDDEN struct tl_shim_library tl_library_%s;\n\n", prefix);
	fputs("enum {\n", to);
	for (const struct function *f = emit_first(model); f; f = emit_next(model, f))
		fprintf(to, "\tINDEX_%s,\n", f->name);
	fputs("};\n", to);
	emit_copies(to, model);
	fprintf(to, "#define SHIM(name) (&%s_shims[INDEX_##name])\n#endif\n\n", prefix);
}

static void emit_shim_table(FILE *to, const struct model *model)
{
	const char *prefix = model->prefix;

	fprintf(to,
		"#define DEFINE(name)                                                                             \\\n"
		"\t[INDEX_##name] = {                                                                       \\\n"
		"\t\t.mode = TL_MODE_RESOLVE,                                                         \\\n"
		"\t\t.function = &%s_functions[INDEX_##name],                                         \\\n"
		"\t\t.entry = (void *)shim_##name,                                                    \\\n"
		"\t\t.invoke = invoke_##name,                                                         \\\n"
		"\t\t.reserved = TL_SHIM_UNREGISTERED(&tl_library_%s),                                  \\\n"
		"\t}\n\n",
		prefix, prefix);
	fprintf(to, "struct tl_shim %s_shims[] = {\n", prefix);
	for (const struct function *f = emit_first(model); f; f = emit_next(model, f))
		fprintf(to, "\tDEFINE(%s),\n", f->name);
	fputs("};\n\n", to);
	fprintf(to,
		"struct tl_shim_library tl_library_%s = {TL_SHIM_ABI, &tl_api_%s, %s_shims};\n\n",
		prefix, prefix, prefix);
	fprintf(to,
		"#ifdef TL_SHIM_LIBRARY\n"
		"static __attribute__((constructor)) void register_shims(void)\n"
		"{\n"
		"\ttl_shim_register(&tl_library_%s);\n"
		"}\n"
		"#endif\n",
		prefix);
}

static void emit_left_out(FILE *to, const struct model *model)
{
	bool any = false;

	for (size_t i = 0; i < model->nfunctions; i++) {
		const struct function *function = &model->functions[i];

		if (!function->left_out)
			continue;
		fprintf(to, any ? " *\t%s: %s\n" : "\n/*\n * Without a shim:\n *\t%s: %s\n",
			function->name, function->left_out);
		any = true;
	}
	if (any)
		fputs(" */\n", to);
}

int emit_shims(const struct model *model, FILE *to)
{
	const struct function **like = functions_like(model);

	emit_title(to, model, "shims.c", "the shims");
	emit_beginning(to, model);
	for (const struct function *f = emit_first(model); f; f = emit_next(model, f))
		emit_shim(to, f, like[f - model->functions]);
	emit_shim_table(to, model);
	emit_left_out(to, model);
	return emit_done(to, model, "shims.c");
}
