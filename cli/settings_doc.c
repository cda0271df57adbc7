/* SPDX-License-Identifier: MIT */
/*
 * settings_doc: prints the table of settings as documentation, so that pages and source agree. Runs
 * at build time only.
 *
 *	settings_doc mdoc	list items for a manual page
 *	settings_doc markdown	the table in README.md
 */
#include <stdio.h>
#include <string.h>

#include "common/settings.h"

/* Text for mdoc: a line must not begin with a control character. A backslash begins an escape. */
static void print_mdoc(const char *text)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", stdout);
	for (; *text; text++)
		switch (*text) {
		case '\\':
			fputs("\\e", stdout);
			break;
		case '-':
			fputs("\\-", stdout);
			break;
		default:
			putchar(*text);
		}
}

static void mdoc_item(const struct tl_setting *setting)
{
	printf(".It ");
	if (setting->letter)
		printf("Fl %c Ar \"%s\" , ", setting->letter, setting->metavar);
	if (setting->implied)
		printf("Fl \\-%s Ns Oo = Ns Ar \"%s\" Oc , ", setting->option, setting->metavar);
	else
		printf("Fl \\-%s Ns = Ns Ar \"%s\" , ", setting->option, setting->metavar);
	printf("Ev %s\n", setting->variable);
	print_mdoc(setting->help);
	if (*setting->initial) {
		printf(".\nThe default is\n.Ql ");
		print_mdoc(setting->initial);
		printf(" .\n");
	} else {
		printf(".\n");
	}
}

/* A bar would end the cell. */
static void print_cell(const char *text)
{
	for (; *text; text++)
		printf(*text == '|' ? "\\|" : "%c", *text);
}

static void markdown_row(const struct tl_setting *setting)
{
	printf("| `");
	if (setting->letter)
		printf("-%c`, `", setting->letter);
	printf("--%s=", setting->option);
	print_cell(setting->metavar);
	printf("` | `%s` | ", setting->variable);
	if (*setting->initial)
		printf("`%s`", setting->initial);
	printf(" | ");
	print_cell(setting->help);
	printf(" |\n");
}

int main(int argc, char **argv)
{
	int markdown = argc == 2 && !strcmp(argv[1], "markdown");

	if (argc != 2 || (!markdown && strcmp(argv[1], "mdoc"))) {
		fputs("settings_doc: say mdoc or markdown\n", stderr);
		return 2;
	}
	if (markdown)
		printf("| option of `tracelayer run` | environment | default | |\n| --- | --- | --- | --- |\n");
	for (int i = 0; i < TL_SETTINGS; i++)
		(markdown ? markdown_row : mdoc_item)(&tl_settings[i]);
	return fflush(stdout) || ferror(stdout);
}
