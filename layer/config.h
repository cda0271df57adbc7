/*
 * config.h: the settings, from one table (layer/config_table.h) that also makes `tracelayer run --help` and the man page.
 *
 * Read once, by the library's constructor, without a word: what is wrong is said at the first traced call, once (or by `tracelayer run`
 * before the program starts, which then sets TRACELAYER_CHECKED so that the layer doesn't say it again).
 */
#ifndef TL_LAYER_CONFIG_H
#define TL_LAYER_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "tracelayer/api.h"

enum tl_args { TL_ARGS_NONE, TL_ARGS_SCALARS, TL_ARGS_FULL };
enum tl_full { TL_FULL_GROW, TL_FULL_DROP, TL_FULL_RING };

struct tl_config {
	const char *output;	/* pattern */
	bool output_set;	/* TRACELAYER_OUTPUT was given */
	unsigned level;
	const char *include, *exclude;
	enum tl_args args;
	const char *tools;
	bool summary, paused, follow, device, xpti;
	enum tl_full full;
	uint64_t memory;
	const char *session;
	bool secure;		/* set-user-id program: do nothing */
};

/* The settings in force. Valid from the constructor on. */
extern struct tl_config tl_config;

/* Read the environment (`environ`'s strings; nothing is copied out of it later). Called once from the constructor. */
void tl_config_read(void);

/* Print what was wrong, one line, if anything was and nobody has yet. Called at the first traced call. */
void tl_config_complain(void);

/* The function's level, include and exclude say: record it. */
bool tl_config_selects(const struct tl_function *function);

#endif
