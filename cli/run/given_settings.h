/* SPDX-License-Identifier: MIT */
/*
 * given_settings.h: the settings that the layer gets, and where each is from. A setting of the
 * command line goes before one of the environment, that before one of the file beside the program,
 * and that before one of the user's own file.
 *
 * They are kept where the layer reads them: in the environment. One run in a process.
 */
#ifndef TL_CLI_RUN_GIVEN_SETTINGS_H
#define TL_CLI_RUN_GIVEN_SETTINGS_H

#include <stdbool.h>

#include "common/settings.h"
#include "cli/run/config_file.h"

#define CONFIG_FILE "tracelayer.conf"

/* To be called first: what the environment has. */
void given_begin(void);

/*
 * An option of the command line; NULL: without a value. A wrong value ends the process, after a
 * message. --tool may come several times.
 */
void given_option(const struct tl_setting *setting, const char *value);

/* --ring=SIZE */
void given_ring(const char *size);

/*
 * Reads the program's and the user's tracelayer.conf, or `file` in place of both. Options that are
 * no settings go to `other`. False after a message.
 */
bool given_files(const char *program, const char *file, config_take other, void *user);

/* The line of a file, or the variable, that the setting is from; NULL: an option, or the default. */
const char *given_elsewhere(const struct tl_setting *setting);

/* Prints each setting, its value, and where it is from. Returns an exit code. */
int given_show(void);

#endif
