/* SPDX-License-Identifier: MIT */
/*
 * settings.h: the settings that the layer and `tracelayer run` share, how their values are read,
 * and the messages about wrong ones.
 *
 * Nothing here allocates, prints, or knows a locale; all of it may run in a library's constructor.
 */
#ifndef TL_COMMON_SETTINGS_H
#define TL_COMMON_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracelayer/api.h"

enum tl_args { TL_ARGS_NONE, TL_ARGS_SCALARS, TL_ARGS_FULL };
enum tl_full { TL_FULL_GROW, TL_FULL_DROP, TL_FULL_RING };

/* The settings in force. Strings point to what was read, or to constants. */
struct tl_config {
	const char *output;  /* pattern */
	const char *job;     /* folder of a job, in place of .output; "": none */
	const char *ranks;   /* set of the ranks that are traced */
	const char *buffers; /* folder for buffers files; "": where there is room */
	bool output_set;     /* TRACELAYER_OUTPUT was given */
	unsigned level;
	unsigned context_level; /* added to that of every trace context */
	const char *include, *exclude;
	enum tl_args args;
	const char *stack; /* globs of the functions whose calls get their stacks; "": none */
	const char *tools;
	/* for tracelayer/nntrace.h, which reads the environment itself */
	const char *trace_marker;
	const char *cupti; /* yes, no, or libcupti's path */
	bool summary, paused, watched, follow, nested, device, annotations, xpti;
	bool gpu_tracks; /* a .pftrace has Perfetto's own GPU tracks */
	/* without .follow: the first process's mark (common/follow.h); NULL: there is none yet */
	const char *first;
	/* a child, without .follow, or a launcher, with it: it records nothing and has no tools */
	bool left_alone;
	enum tl_full full;
	uint64_t ring; /* TL_FULL_RING: bytes of each thread's ring */
	uint64_t memory;
	bool memory_given; /* the user set it */
	const char *session;
	int snapshot_on; /* signal, 0: none */
	struct {
		uint64_t delay, length; /* ns */
		uint64_t repeats;	/* 0: no window */
	} window;
	uint64_t split_bytes, split_ns; /* 0: not */
	uint64_t sample_device;		/* nanoseconds between two samples; 0: none */
	bool secure;			/* a set-user-id program: do nothing */
	/* the rank that an MPI launcher gave the process; -1: none */
	int64_t rank;
};

enum tl_setting_id {
#define SETTING(id, ...) TL_SETTING_##id,
#include "common/settings_table.h"
#undef SETTING
	TL_SETTINGS
};

enum tl_value_kind {
	TL_VALUE_PATTERN, /* a file name with % patterns */
	TL_VALUE_LEVEL,	  /* words of a mask, joined with | or a comma */
	TL_VALUE_TEXT,	  /* anything */
	TL_VALUE_WORD,	  /* one of .words */
	TL_VALUE_FULL,	  /* the same, or ring:SIZE */
	/* letters, digits, dots, dashes and underscores, not digits alone */
	TL_VALUE_NAME,
	TL_VALUE_SWITCH, /* yes, no, 1, 0, on, off, true, false */
	TL_VALUE_FOLLOW, /* a switch, or no:MARK */
	TL_VALUE_SIZE,	 /* bytes: 65536, 64K, 256M, 2G */
	TL_VALUE_SIGNAL, /* USR1, SIGUSR1, 10 */
	TL_VALUE_WINDOW, /* delay:length:repeats */
	TL_VALUE_SPLIT,	 /* a size or a time */
	TL_VALUE_PERIOD, /* a time, 1 ms or more */
	TL_VALUE_JOB,	 /* a folder, in place of an output pattern */
	TL_VALUE_FOLDER, /* an absolute path */
	TL_VALUE_RANKS,	 /* a set of ranks: common/rank_set.h */
};

/* A row of settings_table.h. */
struct tl_setting {
	enum tl_setting_id id;
	const char *variable; /* whole: TRACELAYER_OUTPUT */
	const char *option;   /* without its dashes */
	char letter;
	const char *metavar;
	const char *implied;
	const char *initial;
	enum tl_value_kind kind;
	const char *words;
	const char *help;
};

extern const struct tl_setting tl_settings[TL_SETTINGS];

/*
 * Set by `tracelayer run` when it has printed what is wrong, so that the layer doesn't print it
 * again.
 */
#define TL_SETTINGS_CHECKED "TRACELAYER_CHECKED"

/* Bytes of a ring, unless they are given; and the least. */
#define TL_RING_SIZE	 (8u << 20)
#define TL_RING_SMALLEST (64u << 10)

/* Most that TRACELAYER_SESSION takes: it must fit tl_file_header.session. */
#define TL_SESSION_MAX 63

/* Most that a complaint takes. */
#define TL_COMPLAINT_MAX 512

/* Everything at its default. */
void tl_settings_initial(struct tl_config *config);

/*
 * Read one value into the config; an empty one stands for the default. If it is invalid, or its
 * feature is not in this version: the config stays as it was, `why` becomes "<why>; <what to do>",
 * and the result is false. Words are read in either case.
 */
bool tl_settings_value(struct tl_config *config, const struct tl_setting *setting,
		       const char *value, char *why, size_t room);

/*
 * Read every TRACELAYER_ variable of an environment. Errors become one whole line (`tracelayer: …`,
 * newline included) in `complaint`, of TL_COMPLAINT_MAX bytes; without an error that is empty.
 * Returns how many variables are wrong.
 */
unsigned tl_settings_environment(struct tl_config *config, char *const *environment,
				 char *complaint);

/* The setting closest to a misspelt variable (whole name), or NULL if none is close. */
const struct tl_setting *tl_settings_nearest(const char *variable);

/*
 * `name` matches one of the comma-separated globs: * any run, ? any character, [a-z] and
 * [!a-z] one of a set; spaces around are not part.
 */
bool tl_glob_any(const char *globs, const char *name);

/* Whether level, include and exclude select this function to be recorded. */
bool tl_settings_select(const struct tl_config *config, const struct tl_function *function);

#endif
