/* SPDX-License-Identifier: MIT */
/*
 * command_options.c: see command_options.h.
 *
 * argp's messages about options have several lines, and there is no way to add to them. So
 * getopt_long goes over the arguments first, with the same table, and stops at the first option
 * that is unknown, lacks its value, or has one that it does not take.
 */
#include "config.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/command_options.h"

#include "common/message_line.h"

static bool only_list;

void options_only_list(void)
{
	only_list = true;
}

/* ---- messages ---- */

static const char *called; /* what options_parse got as argv[0]: "tracelayer summary" */

/* In messages about options, the program's name is enough: the next words say the command. */
__attribute__((format(printf, 1, 2), noreturn)) static void options_refuse(const char *format, ...)
{
	const char *slash = strrchr(called, '/'), *name = slash ? slash + 1 : called;
	char program[MESSAGE_WHO_MOST + 1] = "";
	va_list arguments;

	snprintf(program, sizeof(program), "%.*s", (int)strcspn(name, " "), name);
	va_start(arguments, format);
	message_line(program, format, arguments);
	va_end(arguments);
	exit(argp_err_exit_status);
}

static void *options_need(void *allocated)
{
	if (!allocated)
		options_refuse("out of memory; close other programs");
	return allocated;
}

/* ---- slips ---- */

#define WORD_MOST 40

static size_t smaller_of(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * How many letters have to be inserted, left out, replaced or swapped with their neighbour ("optimal
 * string alignment").
 */
static size_t words_distance(const char *one, const char *other)
{
	size_t rows[3][WORD_MOST + 1], width = strlen(other);

	for (size_t j = 0; j <= width; j++)
		rows[0][j] = j;
	for (size_t i = 1; one[i - 1]; i++) {
		size_t *row = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];

		row[0] = i;
		for (size_t j = 1; j <= width; j++) {
			size_t replaced = last[j - 1] + (one[i - 1] != other[j - 1]);
			row[j] = smaller_of(smaller_of(last[j], row[j - 1]) + 1, replaced);
			if (i > 1 && j > 1 && one[i - 1] == other[j - 2] &&
			    one[i - 2] == other[j - 1])
				row[j] = smaller_of(row[j], before[j - 2] + 1);
		}
	}
	return rows[strlen(one) % 3][width];
}

bool word_is_nearer(const char *word, const char *name, size_t *distance)
{
	size_t length = strlen(word);

	if (length > WORD_MOST || strlen(name) > WORD_MOST)
		return false;
	size_t found = words_distance(word, name);

	/* Of a short word, a third may be wrong. */
	if (found >= *distance || 3 * found > length + 1)
		return false;
	*distance = found;
	return true;
}

/* ---- the table ---- */

static bool option_ends_table(const struct argp_option *option)
{
	return !option->name && !option->key && !option->doc && !option->group;
}

static bool option_has_name(const struct argp_option *option)
{
	return option->name && !(option->flags & OPTION_DOC);
}

static bool option_has_letter(const struct argp_option *option)
{
	return option->key > ' ' && option->key < 127 && !(option->flags & OPTION_DOC);
}

/* An alias takes what the option before it takes. */
static const struct argp_option *option_meant(const struct argp_option *option)
{
	while (option->flags & OPTION_ALIAS)
		option--;
	return option;
}

static int option_takes(const struct argp_option *option)
{
	if (!option->arg)
		return no_argument;
	return option->flags & OPTION_ARG_OPTIONAL ? optional_argument : required_argument;
}

static void option_print(const struct argp_option *option, const char *name)
{
	const struct argp_option *meant = option_meant(option);
	const char *form = "%s\t=%s\t%s\n";

	if (!meant->arg)
		form = "%s\t%s\t%s\n";
	else if (meant->flags & OPTION_ARG_OPTIONAL)
		form = "%s\t[=%s]\t%s\n";
	printf(form, name, meant->arg ? meant->arg : "", meant->doc ? meant->doc : "");
}

static void table_list(const struct argp *argp)
{
	for (const struct argp_option *o = argp->options; o && !option_ends_table(o); o++) {
		if (option_meant(o)->flags & OPTION_HIDDEN || o->flags & OPTION_HIDDEN)
			continue;
		if (option_has_letter(o))
			option_print(o, (const char[]){'-', (char)o->key, 0});
		if (option_has_name(o)) {
			printf("--");
			option_print(o, o->name);
		}
	}
	for (const struct argp_child *child = argp->children; child && child->argp; child++)
		table_list(child->argp);
}

static void options_list(const struct argp *argp)
{
	table_list(argp);
	puts("--help\t\tprint the options");
}

/* ---- the check ---- */

/*
 * What getopt_long gives for options that have names, and in optopt, where their values are wrong:
 * argp's own, which end the command; and FOUND_NAME + N, so that it sees that two names are two
 * options.
 */
enum {
	FOUND_HELP = 256,
	FOUND_USAGE,
	FOUND_VERSION,
	FOUND_NAME,
};

static const struct option own_options[] = {{"help", no_argument, NULL, FOUND_HELP},
					    {"usage", no_argument, NULL, FOUND_USAGE},
					    {"version", no_argument, NULL, FOUND_VERSION},
					    {NULL, 0, NULL, 0}};

struct getopt_table {
	struct option *names;
	const struct argp_option **named; /* the same options in argp's table */
	size_t nnames;
	char letters[3 * 256]; /* as getopt wants them */
	const struct argp_option *lettered[128];
	const struct argp_option *empty; /* the first one whose value was empty */
};

static void letters_add(struct getopt_table *table, const struct argp_option *option)
{
	char *at = table->letters + strlen(table->letters);
	int takes = option_takes(option_meant(option));

	*at++ = (char)option->key;
	if (takes != no_argument)
		*at++ = ':';
	if (takes == optional_argument)
		*at++ = ':';
	*at = 0;
	table->lettered[option->key] = option_meant(option);
}

static size_t options_count(const struct argp *argp)
{
	size_t count = 0;

	for (const struct argp_option *o = argp->options; o && !option_ends_table(o); o++)
		count++;
	for (const struct argp_child *child = argp->children; child && child->argp; child++)
		count += options_count(child->argp);
	return count;
}

static void options_add(struct getopt_table *table, const struct argp *argp)
{
	for (const struct argp_option *o = argp->options; o && !option_ends_table(o); o++) {
		if (option_has_letter(o))
			letters_add(table, o);
		if (option_has_name(o)) {
			int number = (int)table->nnames++;

			table->named[number] = option_meant(o);
			table->names[number] = (struct option){
				o->name, option_takes(option_meant(o)), NULL, FOUND_NAME + number};
		}
	}
	for (const struct argp_child *child = argp->children; child && child->argp; child++)
		options_add(table, child->argp);
}

static void table_make(struct getopt_table *table, const struct argp *argp, unsigned flags)
{
	size_t most = options_count(argp) + sizeof(own_options) / sizeof(*own_options);

	*table = (struct getopt_table){
		.names = options_need(calloc(most, sizeof(*table->names))),
		.named = options_need(calloc(most, sizeof(*table->named))),
	};
	strcpy(table->letters, flags & ARGP_IN_ORDER ? "+:V" : ":V");
	options_add(table, argp);
	memcpy(&table->names[table->nnames], own_options, sizeof(own_options));
}

static void table_note_value(struct getopt_table *table, int found, const char *value)
{
	const struct argp_option *option =
		found >= FOUND_NAME ? table->named[found - FOUND_NAME] : table->lettered[found];

	if (!table->empty && value && !value[strspn(value, " \t")] &&
	    !(option->flags & OPTION_MAY_BE_EMPTY))
		table->empty = option;
}

/* "--tabel=calls": without the value. */
static const char *name_of(const char *argument)
{
	size_t length = strcspn(argument + 2, "=");

	return options_need(strndup(argument + 2, length));
}

/* Refuses a text that is the beginning of several names. */
static void name_refuse_ambiguous(const struct getopt_table *table, const char *text)
{
	char *names = NULL;
	size_t size = 0;
	FILE *to = options_need(open_memstream(&names, &size));

	for (const struct option *o = table->names; o->name; o++)
		if (!strncmp(o->name, text, strlen(text)))
			fprintf(to, "%s--%s", ftell(to) ? ", " : "", o->name);
	fclose(to);
	if (size)
		options_refuse("--%s: several options begin so: %s; write the one that you mean",
			       text, names);
	free(names);
}

static const char *name_nearest(const struct getopt_table *table, const char *name)
{
	size_t distance = WORD_FAR;
	const char *nearest = NULL;

	for (const struct option *o = table->names; o->name; o++)
		if (word_is_nearer(name, o->name, &distance))
			nearest = o->name;
	return nearest;
}

static void name_refuse(const struct getopt_table *table, const char *command, const char *argument)
{
	const char *name = name_of(argument);

	name_refuse_ambiguous(table, name);
	const char *nearest = name_nearest(table, name);

	if (nearest)
		options_refuse(
			"--%s: no such option; did you mean --%s? `%s --help` lists the options",
			name, nearest, command);
	else
		options_refuse("--%s: no such option; `%s --help` lists the options", name,
			       command);
}

/* Ends the command as argp does for its own option of that name. */
static void own_option_obey(const struct argp *argp, const char *command, const char *option,
			    void *input)
{
	char *given[] = {(char *)command, (char *)option, NULL};

	argp_parse(argp, 2, given, 0, NULL, input);
}

/* -? is --help, and so is -h, where no option of the command is called so. */
static void letter_refuse(const struct argp *argp, const char *command, int letter, void *input)
{
	if (letter == 'h' || letter == '?')
		own_option_obey(argp, command, "--help", input);
	options_refuse("-%c: no such option; `%s --help` lists the options", letter, command);
}

/* `found` says which option: FOUND_NAME + N, one of argp's own, or its letter. */
static void value_refuse(const struct getopt_table *table, const char *command,
			 const char *argument, int found)
{
	const char *value = strchr(argument, '=');

	if (found < FOUND_HELP)
		options_refuse("-%c: its value is missing; `%s --help` lists the options", found,
			       command);
	else if (value)
		options_refuse("%s: this option takes no value; leave out %s", argument, value);
	else
		options_refuse("--%s: its value is missing; `%s --help` lists the options",
			       table->names[found - FOUND_NAME].name, command);
}

/*
 * Returns the first option whose value is empty or blank; NULL: there is none. getopt_long moves the
 * arguments about, so it gets a list of its own.
 */
static const struct argp_option *options_check(const struct argp *argp, int argc, char **argv,
					       unsigned flags, void *input)
{
	char **copy = options_need(calloc((size_t)argc + 1, sizeof(*copy)));
	struct getopt_table table;
	int found;

	memcpy(copy, argv, (size_t)argc * sizeof(*copy));
	table_make(&table, argp, flags);
	opterr = 0;
	optind = 0; /* from the beginning */
	do {
		int at = optind;

		found = getopt_long(argc, copy, table.letters, table.names, NULL);
		const char *argument = copy[optind > at ? optind - 1 : at];
		if (found == ':' || (found == '?' && optopt >= FOUND_HELP))
			value_refuse(&table, argv[0], argument, optopt);
		else if (found == '?' && optopt)
			letter_refuse(argp, argv[0], optopt, input);
		else if (found == '?')
			name_refuse(&table, argv[0], argument);
		else if (found == FOUND_HELP)
			own_option_obey(argp, argv[0], "--help", input);
		else if (found == FOUND_USAGE)
			own_option_obey(argp, argv[0], "--usage", input);
		else if (found == FOUND_VERSION || found == 'V')
			own_option_obey(argp, argv[0], "--version", input);
		else if (found != -1)
			table_note_value(&table, found, optarg);
	} while (found != -1);
	/* Behind a program's name the arguments are the program's. */
	for (int i = optind; i < argc && !(flags & ARGP_IN_ORDER); i++)
		if (!*copy[i])
			options_refuse(
				"an argument is empty; leave it out, or give what `%s --help` lists",
				argv[0]);
	opterr = 1;
	optind = 0;
	free(table.names);
	free(table.named);
	free(copy);
	return table.empty;
}

void options_parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input)
{
	called = argv[0];
	if (only_list) {
		options_list(argp);
		exit(EXIT_SUCCESS);
	}
	const struct argp_option *empty = options_check(argp, argc, argv, flags, input);

	/* Without argp's own: it has a --program-name that nobody knows of, so --pro would be two. */
	argp_parse(argp, argc, argv, flags | ARGP_NO_HELP, NULL, input);
	/* The command itself comes first: it may know what a value looks like. */
	if (empty && empty->name)
		options_refuse("--%s: its value is empty; give %s, or leave the option out",
			       empty->name, empty->arg);
	else if (empty)
		options_refuse("-%c: its value is empty; give %s, or leave the option out",
			       empty->key, empty->arg);
}

void option_refuse(const struct argp_state *state, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	message_line(state->name, format, arguments);
	va_end(arguments);
	exit(argp_err_exit_status);
}
