/* SPDX-License-Identifier: MIT */
/*
 * given_settings.c: see given_settings.h.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/basics/basics.h"
#include "cli/run/given_settings.h"
#include "cli/run/run_job.h"
#include "tables/tables.h"

/* By setting. NULL: it is the default. */
static const char *origins[TL_SETTINGS];
static const char command_line[] = "command line";

static bool is_given(const struct tl_setting *setting)
{
	return origins[setting->id] != NULL;
}

void given_begin(void)
{
	for (int i = 0; i < TL_SETTINGS; i++)
		if (getenv(tl_settings[i].variable))
			origins[i] = tl_settings[i].variable;
}

/* `origin` NULL: only look at the value. False: it is wrong, and `why` says why. */
static bool setting_take(const struct tl_setting *setting, const char *value, const char *origin,
			 char *why)
{
	struct tl_config config;
	/* The program may start others in other folders. */
	char *folder = setting->id == TL_SETTING_BUFFERS ? run_folder_absolute(value) : NULL;

	value = folder ? folder : value;
	tl_settings_initial(&config);
	bool good = tl_settings_value(&config, setting, value, why, TL_COMPLAINT_MAX);

	if (good && origin) {
		if (setenv(setting->variable, value, 1))
			need(NULL);
		origins[setting->id] = origin;
	}
	free(folder);
	return good;
}

/* ---- the command line ---- */

/* --tool, once or several times. They are looked for later, when the library is known. */
static const char *tools_add(const char *list)
{
	static char *tools;
	char *longer;

	if (asprintf(&longer, "%s%s%s", tools ? tools : "", tools ? ":" : "", list) < 0)
		need(NULL);
	free(tools);
	tools = longer;
	return tools;
}

void given_option(const struct tl_setting *setting, const char *value)
{
	char why[TL_COMPLAINT_MAX];

	if (!value)
		value = setting->implied;
	if (setting->id == TL_SETTING_TOOLS)
		value = tools_add(value);
	if (!setting_take(setting, value, command_line, why)) {
		say("--%s=%s: %s", setting->option, value, why);
		exit(EXIT_USAGE);
	}
}

/* The flight recorder's short name. The caller frees it. */
static char *ring_value(const char *size)
{
	char *value;

	if (asprintf(&value, "ring:%s", size) < 0)
		need(NULL);
	return value;
}

void given_ring(const char *size)
{
	char why[TL_COMPLAINT_MAX], *value = ring_value(size);

	if (!setting_take(&tl_settings[TL_SETTING_FULL], value, command_line, why)) {
		say("--ring=%s: %s", size, why);
		exit(EXIT_USAGE);
	}
	free(value);
}

/* ---- files ---- */

/* What the lines of a file need to know. */
struct reading {
	bool given[TL_SETTINGS]; /* before this file */
	config_take other;
	void *user;
};

static const char *origin_of(const struct config_line *line)
{
	char *origin;

	if (asprintf(&origin, "%s:%u", line->file, line->number) < 0)
		need(NULL);
	return origin;
}

/* `ring` has a form of its own of the setting `full`. */
static const char *line_metavar(const struct config_line *line, const struct tl_setting *setting)
{
	return strcmp(line->name, setting->option) ? "SIZE" : setting->metavar;
}

static bool line_set(const struct reading *reading, const struct config_line *line,
		     const struct tl_setting *setting, const char *value)
{
	char why[TL_COMPLAINT_MAX];

	if (!value) {
		say("%s:%u: %s: no value; write %s = %s", line->file, line->number, line->name,
		    line->name, line_metavar(line, setting));
		return false;
	}
	const char *origin = reading->given[setting->id] ? NULL : origin_of(line);

	if (setting_take(setting, value, origin, why))
		return true;
	say("%s:%u: %s = %s: %s", line->file, line->number, line->name,
	    line->value ? line->value : value, why);
	return false;
}

static bool line_take(const struct config_line *line, void *user)
{
	struct reading *reading = user;

	for (int i = 0; i < TL_SETTINGS; i++)
		if (!strcmp(line->name, tl_settings[i].option))
			return line_set(reading, line, &tl_settings[i],
					line->value ? line->value : tl_settings[i].implied);
	if (strcmp(line->name, "ring") != 0)
		return reading->other(line, reading->user);
	char *value = line->value ? ring_value(line->value) : NULL;
	bool good = line_set(reading, line, &tl_settings[TL_SETTING_FULL], value);

	free(value);
	return good;
}

static bool file_take(const char *file, bool needed, config_take other, void *user)
{
	struct reading reading = {.other = other, .user = user};
	bool wrong;
	FILE *from = config_open(file, &wrong);

	if (!from && needed && !wrong)
		say("--config=%s: there is no such file, or it may not be read; check the path",
		    file);
	if (!from)
		return !wrong && !needed;
	for (int i = 0; i < TL_SETTINGS; i++)
		reading.given[i] = is_given(&tl_settings[i]);
	bool good = config_read(from, file, line_take, &reading);

	fclose(from);
	return good;
}

/* The file in the folder of the program; NULL: it can't be told. The caller frees it. */
static char *beside_program(const char *program)
{
	char *real = program ? realpath(program, NULL) : NULL, *file = NULL;

	if (real &&
	    asprintf(&file, "%.*s" CONFIG_FILE, (int)(strrchr(real, '/') + 1 - real), real) < 0)
		need(NULL);
	free(real);
	return file;
}

bool given_files(const char *program, const char *file, config_take other, void *user)
{
	char own[PATH_MAX], *beside;
	bool good = true;

	if (file)
		return !strcmp(file, "no") || file_take(file, true, other, user);
	if ((beside = beside_program(program)))
		good = file_take(beside, false, other, user);
	free(beside);
	if (good && user_folder("XDG_CONFIG_HOME", ".config", CONFIG_FILE, own))
		good = file_take(own, false, other, user);
	return good;
}

const char *given_elsewhere(const struct tl_setting *setting)
{
	return origins[setting->id] != command_line ? origins[setting->id] : NULL;
}

/* ---- showing ---- */

int given_show(void)
{
	static const struct table_column columns[] = {
		{"setting", "SETTING", TABLE_TEXT, false},
		{"value", "VALUE", TABLE_TEXT, false},
		{"from", "FROM", TABLE_TEXT, false},
	};
	struct table *table = table_new("settings", columns, 3);

	for (int i = 0; i < TL_SETTINGS; i++) {
		const struct tl_setting *setting = &tl_settings[i];
		const char *value = is_given(setting) ? getenv(setting->variable) : NULL;

		table_row(table);
		table_text(table, 0, setting->option);
		/* An empty variable stands for the default. */
		table_text(table, 1, value && *value ? value : setting->initial);
		table_text(table, 2, is_given(setting) ? origins[i] : "default");
	}
	int failed = table_print(&table, 1, TABLE_AS_TEXT, stdout);

	table_free(table);
	return failed ? EXIT_BROKEN : EXIT_DONE;
}
