/* SPDX-License-Identifier: MIT */
/*
 * emit.c: how C is written down: declarations, names, lines, includes.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gen/allocate.h"
#include "gen/emit.h"

#define WIDTH 100

static const struct function *function_with_shim(const struct model *model, size_t from)
{
	for (; from < model->nfunctions; from++)
		if (!model->functions[from].left_out)
			return &model->functions[from];
	return NULL;
}

const struct function *emit_first(const struct model *model)
{
	return function_with_shim(model, 0);
}

const struct function *emit_next(const struct model *model, const struct function *after)
{
	return function_with_shim(model, (size_t)(after - model->functions) + 1);
}

size_t emit_index(const struct model *model, const struct function *function)
{
	size_t index = 0;

	for (const struct function *f = emit_first(model); f && f != function;
	     f = emit_next(model, f))
		index++;
	return index;
}

size_t emit_count(const struct model *model)
{
	return emit_index(model, NULL);
}

int emit_compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

char *emit_declare(const char *spelling, const char *what)
{
	const char *at = strstr(spelling, "(*");
	size_t length = strlen(spelling);

	if (at) {
		/* "void (*const)(int)": the name stands after the qualifiers of the pointer. */
		at += 2;
		at += strspn(at, "*");
		size_t word = strspn(at, "abcdefghijklmnopqrstuvwxyz_");
		const char *space = word ? " " : "";
		return format_text("%.*s%s%s%s", (int)(at + word - spelling), spelling, space, what,
				   at + word);
	}
	if ((at = strchr(spelling, '[')))
		return format_text("%.*s %s%s", (int)(at - spelling), spelling, what, at);
	return format_text("%s%s%s", spelling, length && spelling[length - 1] == '*' ? "" : " ",
			   what);
}

const char *emit_value_spelling(const char *spelling)
{
	if (!strncmp(spelling, "const ", 6) && !strchr(spelling, '*'))
		return spelling + 6;
	return spelling;
}

char *emit_upper(const char *text)
{
	char *copy = copy_text(text);

	for (char *c = copy; *c; c++)
		*c = (char)toupper((unsigned char)*c);
	return copy;
}

char *emit_parameters(const struct function *function)
{
	char *text = copy_text(function->nparams ? "" : "void");

	for (size_t i = 0; i < function->nparams; i++)
		text = format_text(
			"%s%s%s", text, i ? ", " : "",
			emit_declare(function->params[i].spelling, function->params[i].name));
	return text;
}

/* The s of "IDs" doesn't begin a word. */
static bool word_is_plural(const char *at)
{
	return at[0] == 's' && !islower((unsigned char)at[1]);
}

/*
 * A new word begins at an upper-case letter behind a lower-case one, and at the last of several
 * that a lower-case one follows. Digits belong to what they stand in: Image2D, P2PProperties.
 */
static bool word_begins(const char *name, size_t i)
{
	if (!i || !isupper((unsigned char)name[i]) || name[i - 1] == '_')
		return false;
	return islower((unsigned char)name[i - 1]) ||
	       (islower((unsigned char)name[i + 1]) && !word_is_plural(name + i + 1));
}

char *emit_snake(const char *name)
{
	char *snake = allocate(2 * strlen(name) + 1), *to = snake;

	for (size_t i = 0; name[i]; i++) {
		if (word_begins(name, i))
			*to++ = '_';
		*to++ = (char)tolower((unsigned char)name[i]);
	}
	return snake;
}

unsigned emit_words(const struct type *type)
{
	if (type->kind == TL_KIND_VOID)
		return 0;
	if (type->kind == TL_KIND_STRUCT || type->kind == TL_KIND_UNION || type->wide)
		return (unsigned)((type->size + 7) / 8);
	return 1;
}

/*
 * Where to break a line, so that at most `room` columns stand before the break: after a comma that
 * is not in a string. 0: nowhere.
 */
static size_t line_break(const char *text, size_t room)
{
	size_t best = 0;
	bool quoted = false;

	for (size_t i = 0; text[i] && i < room; i++) {
		quoted ^= text[i] == '"' && (!i || text[i - 1] != '\\');
		if (!quoted && text[i] == ',' && text[i + 1] == ' ')
			best = i + 1;
	}
	return best;
}

void emit_line(FILE *to, unsigned indent, const char *format, ...)
{
	va_list arguments;
	char *text, *rest;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	for (rest = text; rest;) {
		size_t room = indent < 8 ? WIDTH - 8 * indent : WIDTH / 2;
		size_t end = strlen(rest) > room ? line_break(rest, room) : 0;

		for (unsigned i = 0; i < indent; i++)
			fputc('\t', to);
		if (!end) {
			fprintf(to, "%s\n", rest);
			break;
		}
		fprintf(to, "%.*s\n", (int)end, rest);
		if (rest == text)
			indent += 2;
		rest += end + 1;
	}
	free(text);
}

void emit_title(FILE *to, const struct model *model, const char *file, const char *what)
{
	fprintf(to, "/*\n * %s_%s: %s of %s%s%s.\n * Made by tracegen from", model->prefix, file,
		what, model->name, model->version ? " " : "", model->version ? model->version : "");
	for (size_t i = 0; i < model->nheaders; i++)
		fprintf(to, "%s%s", i ? ",\n *\t" : " ", model->headers[i]);
	fputs(".\n * Changes belong into the descriptor or into tracegen.\n */\n", to);
}

static void emit_flag(FILE *to, const char *flag)
{
	size_t name = strcspn(flag + 2, "=");
	const char *value = flag[2 + name] ? flag + 3 + name : "1";

	if (!strncmp(flag, "-D", 2))
		fprintf(to, "#ifndef %.*s\n#define %.*s %s\n#endif\n", (int)name, flag + 2,
			(int)name, flag + 2, value);
	else if (!strncmp(flag, "-U", 2))
		fprintf(to, "#undef %s\n", flag + 2);
	else if (!strncmp(flag, "-include", 8))
		fprintf(to, flag[8] == '/' ? "#include \"%s\"\n" : "#include <%s>\n", flag + 8);
}

void emit_includes(FILE *to, const struct model *model)
{
	for (size_t i = 0; i < model->nflags; i++)
		emit_flag(to, model->flags[i]);
	for (size_t i = 0; i < model->nheaders; i++)
		fprintf(to, model->headers[i][0] == '/' ? "#include \"%s\"\n" : "#include <%s>\n",
			model->headers[i]);
	fputc('\n', to);
}

int emit_done(FILE *to, const struct model *model, const char *file)
{
	if (fflush(to) == 0 && !ferror(to))
		return 0;
	fprintf(stderr, "tracegen: %s_%s: %s; is the disk full?\n", model->prefix, file,
		strerror(errno));
	return -1;
}
