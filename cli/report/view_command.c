/* SPDX-License-Identifier: MIT */
/*
 * view_command.c: `tracelayer view`: makes a page in a folder of its own and opens a browser on it. See
 * report.h.
 */
#include "config.h"

#include "cli/basics/basics.h"
#include "cli/report/report.h"

#if !HAVE_JANSSON

int command_view(int argc, char **argv)
{
	(void)argc, (void)argv;
	return say_without_json("view");
}

#else

#include <argp.h>
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/read/read.h"
#include "cli/report/report_make.h"

enum { WORDS = 32 };

struct wishes {
	const char *browser;
	struct page_files files;
};

static const struct argp_option options[] = {
	{"browser", 'b', "COMMAND", 0,
	 "the browser; %s in it stands for the page's path (default: $BROWSER, then what the desktop has)",
	 0},
	{0},
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct wishes *wishes = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &wishes->files;
		return 0;
	case 'b':
		wishes->browser = argument;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.children = page_files_argp,
	.args_doc = "TRACE...",
	.doc = "Makes the page of `tracelayer report` in a temporary folder and opens it in a browser. Where there is no display, it says where the "
	       "page is.\v"
	       "Exit code: 0 done, 1 a file is broken, 2 usage, 3 a file ends early (the page shows what is there).",
};

/* WORD with the path in the place of each %s. */
static char *word_with(const char *word, const char *path, bool *named)
{
	char *whole = NULL;
	size_t size;
	FILE *to = need(open_memstream(&whole, &size));

	for (; *word; word++)
		if (word[0] == '%' && word[1] == 's') {
			fputs(path, to);
			*named = true;
			word++;
		} else {
			putc(*word, to);
		}
	fclose(to);
	return need(whole);
}

/* True: COMMAND ran and ended well. Its words are parted by spaces; a command that does not name the page gets it as its last argument. */
static bool browser_open(const char *command, const char *path)
{
	char *text = need(strdup(command)), *rest = NULL, *argv[WORDS + 2];
	bool named = false;
	int count = 0, status = 0;
	pid_t browser;

	for (char *word = strtok_r(text, " ", &rest); word && count < WORDS;
	     word = strtok_r(NULL, " ", &rest))
		argv[count++] = word_with(word, path, &named);
	if (!named)
		argv[count++] = need(strdup(path));
	argv[count] = NULL;
	bool opened = count > !named && !posix_spawnp(&browser, argv[0], NULL, NULL, argv, environ);

	while (opened && waitpid(browser, &status, 0) < 0)
		opened = errno == EINTR;
	while (count)
		free(argv[--count]);
	free(text);
	return opened && WIFEXITED(status) && !WEXITSTATUS(status);
}

/* COMMANDS: one or more, parted by colons, as $BROWSER has them. */
static bool browser_of(const char *commands, const char *path)
{
	char *text = need(strdup(commands)), *rest = NULL;
	bool opened = false;

	for (char *one = strtok_r(text, ":", &rest); one && !opened;
	     one = strtok_r(NULL, ":", &rest))
		opened = browser_open(one, path);
	free(text);
	return opened;
}

static bool is_set(const char *name)
{
	const char *value = getenv(name);

	return value && *value;
}

/* Prints the path first: a browser may stay in the foreground until the user closes it. */
static void page_show(const char *browser, const char *path)
{
	bool has_display = is_set("DISPLAY") || is_set("WAYLAND_DISPLAY");

	say("page: %s", path);
	if (browser ? browser_open(browser, path)
		    : is_set("BROWSER") && browser_of(getenv("BROWSER"), path))
		return;
	if (browser)
		say("%s did not open it; give another --browser, or open the page by hand",
		    browser);
	else if (!has_display)
		say("there is no display here; copy the page to where a browser is, and open it there");
	else if (!browser_of("xdg-open:sensible-browser:x-www-browser:firefox:chromium", path))
		say("no browser was found; name one with --browser, or open the page by hand");
}

/* A new folder that nobody else can enter; NULL: none could be made, and a message has said so. The name is the caller's to free. */
static char *folder_make(void)
{
	const char *temporary = is_set("TMPDIR") ? getenv("TMPDIR") : "/tmp";
	char *folder;

	need(asprintf(&folder, "%s/tracelayer-view.XXXXXX", temporary) < 0 ? NULL : folder);
	if (mkdtemp(folder))
		return folder;
	say("%s: %s; set TMPDIR to a folder where files can be made", temporary, strerror(errno));
	free(folder);
	return NULL;
}

int command_view(int argc, char **argv)
{
	struct wishes wishes = {0};
	char *path;

	options_parse(&argp, argc, argv, 0, &wishes);
	char *folder = folder_make();

	if (!folder)
		return EXIT_BROKEN;
	need(asprintf(&path, "%s/trace.html", folder) < 0 ? NULL : path);
	int code = report_make(&wishes.files, path, false);

	selection_free(&wishes.files.selection);
	if (code == EXIT_BROKEN || code == EXIT_USAGE)
		rmdir(folder);
	else
		page_show(wishes.browser, path);
	free(path);
	free(folder);
	return code;
}

#endif
