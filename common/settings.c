/* SPDX-License-Identifier: MIT */
/*
 * settings.c: reading settings. See settings.h.
 */
#include "common/settings.h"

#include <signal.h>
#include <string.h>
#include <sys/stat.h>

#include "common/launcher.h"
#include "common/output.h"
#include "common/rank_set.h"
#include "common/output_formats.h"
#include "common/places.h"
#include "common/run_protocol.h"

#define PREFIX		"TRACELAYER_"
#define SMALLEST_SPLIT	(64u * 1024)
#define SHORTEST_SPLIT	100000000ull
#define SHORTEST_PERIOD 1000000u /* nanoseconds */

const struct tl_setting tl_settings[TL_SETTINGS] = {
#define SETTING(id, variable, option, letter, metavar, implied, initial, kind, words, help)        \
	[TL_SETTING_##id] = {TL_SETTING_##id, PREFIX variable, option,		letter, metavar,   \
			     implied,	      initial,	       TL_VALUE_##kind, words,	help},
#include "common/settings_table.h"
#undef SETTING
};

/* Text that is cut where its room ends, always with a NUL. */
struct line {
	char *at, *end;
};

static struct line line_begin(char *to, size_t room)
{
	*to = 0;
	return (struct line){to, to + room - 1};
}

static void line_put_bytes(struct line *line, const char *bytes, size_t size)
{
	for (; size && line->at < line->end; bytes++, size--)
		*line->at++ = (unsigned char)*bytes < ' ' ? '?' : *bytes;
	*line->at = 0;
}

static void line_put(struct line *line, const char *string)
{
	line_put_bytes(line, string, strlen(string));
}

/* A value that a user typed: its first 60 bytes. */
static void line_put_value(struct line *line, const char *value, size_t size)
{
	line_put_bytes(line, value, size > 60 ? 60 : size);
	if (size > 60)
		line_put(line, "...");
}

static bool value_refuse(char *why, size_t room, const char *reason, const char *remedy)
{
	struct line line = line_begin(why, room);

	line_put(&line, reason);
	line_put(&line, "; ");
	line_put(&line, remedy);
	return false;
}

static bool word_refuse(char *why, size_t room, const char *word, size_t size, const char *words)
{
	struct line line = line_begin(why, room);

	line_put(&line, "no such word as '");
	line_put_value(&line, word, size);
	line_put(&line, "'; use ");
	line_put(&line, words);
	return false;
}

static char char_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

static bool word_is(const char *text, size_t size, const char *word)
{
	if (strlen(word) != size)
		return false;
	for (size_t i = 0; i < size; i++)
		if (char_lower(text[i]) != char_lower(word[i]))
			return false;
	return true;
}

/* The index of a word in a list like "none, scalars, full"; -1: it is not there. */
static int word_index(const char *words, const char *text, size_t size)
{
	for (int i = 0; *words; i++) {
		size_t length = strcspn(words, ",");
		if (length == size) {
			size_t same = 0;
			while (same < size && char_lower(text[same]) == words[same])
				same++;
			if (same == size)
				return i;
		}
		words += length;
		words += strspn(words, ", ");
	}
	return -1;
}

static bool read_level(unsigned *level, const struct tl_setting *setting, const char *value,
		       char *why, size_t room)
{
	static const unsigned char levels[] = {
		TL_LEVEL_ALL,	   TL_LEVEL_NONE,  TL_LEVEL_REQUEST,  TL_LEVEL_RUNTIME,
		TL_LEVEL_OPERATOR, TL_LEVEL_DEBUG, TL_LEVEL_STANDARD,
	};
	unsigned mask = 0;

	for (const char *word = value;; word++) {
		size_t size = strcspn(word, "|,");
		int i = word_index(setting->words, word, size);
		if (i < 0)
			return word_refuse(why, room, word, size, setting->words);
		mask |= levels[i];
		word += size;
		if (!*word)
			break;
	}
	*level = mask;
	return true;
}

static bool read_switch(bool *to, const char *value, size_t size, char *why, size_t room)
{
	static const char *const words[] = {"0", "1", "no", "yes", "off", "on", "false", "true"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (word_is(value, size, words[i])) {
			*to = i & 1;
			return true;
		}
	}
	return word_refuse(why, room, value, size, "yes or no");
}

/* The first process puts its mark behind a colon. */
static bool read_follow(struct tl_config *config, const char *value, char *why, size_t room)
{
	size_t size = strcspn(value, ":");

	if (!read_switch(&config->follow, value, size, why, room))
		return false;
	config->first = value[size] && !config->follow ? value + size + 1 : NULL;
	return true;
}

/* Digits at the start of a text. Returns what follows them, NULL where there are none or too many.
 */
static const char *read_digits(const char *text, uint64_t *to)
{
	const char *start = text;

	*to = 0;
	for (; *text >= '0' && *text <= '9'; text++)
		if (__builtin_mul_overflow(*to, 10, to) ||
		    __builtin_add_overflow(*to, *text - '0', to))
			return NULL;
	return text == start ? NULL : text;
}

/* 64K, 64k, 64KB and 64KiB are all 65536. */
static bool read_size(uint64_t *to, const char *value, size_t size)
{
	uint64_t number;
	const char *unit = read_digits(value, &number);

	if (!unit || unit > value + size)
		return false;
	size -= unit - value;
	unsigned shift = 0;
	if (size) {
		switch (char_lower(*unit)) {
		case 'k':
			shift = 10;
			break;
		case 'm':
			shift = 20;
			break;
		case 'g':
			shift = 30;
			break;
		case 't':
			shift = 40;
			break;
		default:
			return false;
		}
		if (size > 1 && !word_is(unit + 1, size - 1, "B") &&
		    !word_is(unit + 1, size - 1, "iB"))
			return false;
	}
	if (number > (uint64_t)INT64_MAX >> shift)
		return false;
	*to = number << shift;
	return true;
}

/* 500ms, 2s, 1m, 1h to nanoseconds. */
static bool read_time(uint64_t *to, const char *value, size_t size)
{
	static const struct {
		const char *unit;
		uint64_t ns;
	} units[] = {
		{"ns", 1},
		{"us", 1000},
		{"ms", 1000000},
		{"s", 1000000000},
		{"m", 60 * 1000000000ull},
		{"min", 60 * 1000000000ull},
		{"h", 3600 * 1000000000ull},
	};
	uint64_t number;
	const char *unit = read_digits(value, &number);

	if (!unit || unit >= value + size)
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (word_is(unit, value + size - unit, units[i].unit))
			return !__builtin_mul_overflow(number, units[i].ns, to);
	return false;
}

static bool read_window(struct tl_config *config, const char *value)
{
	uint64_t delay, length, repeats;
	size_t first = strcspn(value, ":");

	if (!read_time(&delay, value, first) || !value[first])
		return false;
	value += first + 1;
	size_t second = strcspn(value, ":");
	if (!read_time(&length, value, second) || !value[second])
		return false;
	const char *end = read_digits(value + second + 1, &repeats);
	if (!end || *end || !length || !repeats)
		return false;
	config->window.delay = delay;
	config->window.length = length;
	config->window.repeats = repeats;
	return true;
}

static bool read_signal(int *to, const char *value)
{
	static const struct {
		const char *name;
		int number;
	} signals[] = {
		{"HUP", SIGHUP},   {"INT", SIGINT},   {"QUIT", SIGQUIT}, {"USR1", SIGUSR1},
		{"USR2", SIGUSR2}, {"ALRM", SIGALRM}, {"TERM", SIGTERM}, {"CONT", SIGCONT},
		{"IO", SIGIO},	   {"PWR", SIGPWR},   {"URG", SIGURG},	 {"WINCH", SIGWINCH},
	};
	uint64_t number;
	const char *end = read_digits(value, &number);

	if (end && !*end && number >= 1 && number <= 64 && number != SIGKILL && number != SIGSTOP) {
		*to = (int)number;
		return true;
	}
	if (strlen(value) > 3 && word_is(value, 3, "SIG"))
		value += 3;
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		if (word_is(value, strlen(value), signals[i].name)) {
			*to = signals[i].number;
			return true;
		}
	}
	return false;
}

/*
 * A name without an ending, or one that only the pattern's letters make up, is fine: it gets the
 * default format.
 */
static bool has_known_ending(const char *value)
{
	const char *slash = strrchr(value, '/'), *base = slash ? slash + 1 : value,
		   *dot = strrchr(base, '.');

	return !dot || dot == base || !dot[1] || strchr(dot, '%') || tl_output_ending(base).known;
}

/* Pipes, devices and folders may have any ending. */
static bool path_is_special(const char *path)
{
	struct stat about;

	return stat(path, &about) == 0 && !S_ISREG(about.st_mode);
}

static bool check_pattern(const char *value, char *why, size_t room)
{
	for (const char *at = strchr(value, '%'); at; at = strchr(at + 2, '%'))
		if (!at[1] || !strchr("pehrjRt%", at[1]))
			return value_refuse(why, room, "unknown % pattern",
					    "use %p, %e, %h, %r, %j, %t, or %% for a % itself");
	if (!strcmp(value, "-"))
		return value_refuse(why, room, "standard output is the program's own",
				    "name a file or a pipe");
	struct tl_output_ending ending = tl_output_ending(value);
	if (ending.size && !ending.known)
		return value_refuse(why, room, "this format is not compressed",
				    "use .tlt, and compress it afterwards");
	if (!has_known_ending(value) && !path_is_special(value))
		return value_refuse(why, room, "no format has this ending",
				    "use " TL_OUTPUT_ENDINGS);
	return true;
}

/* The place for a text setting. */
static const char **text_of(struct tl_config *config, enum tl_setting_id id)
{
	switch (id) {
	case TL_SETTING_OUTPUT:
		return &config->output;
	case TL_SETTING_JOB:
		return &config->job;
	case TL_SETTING_RANKS:
		return &config->ranks;
	case TL_SETTING_BUFFERS:
		return &config->buffers;
	case TL_SETTING_INCLUDE:
		return &config->include;
	case TL_SETTING_EXCLUDE:
		return &config->exclude;
	case TL_SETTING_STACK:
		return &config->stack;
	case TL_SETTING_TOOLS:
		return &config->tools;
	case TL_SETTING_CUPTI:
		return &config->cupti;
	case TL_SETTING_TRACE_MARKER:
		return &config->trace_marker;
	default:
		return &config->session;
	}
}

static bool *switch_of(struct tl_config *config, enum tl_setting_id id)
{
	switch (id) {
	case TL_SETTING_SUMMARY:
		return &config->summary;
	case TL_SETTING_NESTED:
		return &config->nested;
	case TL_SETTING_DEVICE:
		return &config->device;
	case TL_SETTING_ANNOTATIONS:
		return &config->annotations;
	default:
		return &config->xpti;
	}
}

static void word_set(struct tl_config *config, enum tl_setting_id id, int index)
{
	switch (id) {
	case TL_SETTING_ARGS:
		config->args = (enum tl_args)index;
		break;
	case TL_SETTING_GPU_TRACKS:
		config->gpu_tracks = index;
		break;
	default:
		config->paused = index;
		config->watched = index == 2;
	}
}

/* grow, drop, ring, or ring:SIZE. */
static bool read_full(struct tl_config *config, const struct tl_setting *setting, const char *value,
		      char *why, size_t room)
{
	size_t size = strcspn(value, ":");
	int index = word_index(setting->words, value, size);
	uint64_t ring = TL_RING_SIZE;

	if (index < 0 || (value[size] && index != TL_FULL_RING))
		return word_refuse(why, room, value, strlen(value),
				   "grow, drop, ring or ring:SIZE");
	if (value[size] && !read_size(&ring, value + size + 1, strlen(value + size + 1)))
		return value_refuse(why, room, "not a size",
				    "use a number with K, M or G, like 64M");
	if (ring < TL_RING_SMALLEST)
		return value_refuse(why, room, "too small", "use 64K or more");
	config->full = (enum tl_full)index;
	config->ring = ring;
	return true;
}

/* Reads a session's name, which must differ from a process's number, and fit in a file's name. */
static bool read_name(const char **to, const char *value, char *why, size_t room)
{
	static const char others[] = "._-";
	size_t size = strlen(value), digits = strspn(value, "0123456789");

	for (const char *at = value; *at; at++)
		if (!(char_lower(*at) >= 'a' && char_lower(*at) <= 'z') &&
		    !(*at >= '0' && *at <= '9') && !strchr(others, *at))
			return value_refuse(why, room, "not a valid name",
					    "use letters, digits, dots, dashes and underscores");
	if (digits == size)
		return value_refuse(why, room, "a number, which would be taken for a process",
				    "put a letter into it");
	if (size > TL_SESSION_MAX)
		return value_refuse(why, room, "too long", "use 63 characters at most");
	*to = value;
	return true;
}

static bool read_split(struct tl_config *config, const char *value, char *why, size_t room)
{
	uint64_t bytes = 0, ns = 0;

	if (!read_size(&bytes, value, strlen(value)) && !read_time(&ns, value, strlen(value)))
		return value_refuse(why, room, "neither a size nor a time",
				    "use one like 100M or 30s");
	if (bytes < SMALLEST_SPLIT && ns < SHORTEST_SPLIT)
		return value_refuse(why, room, "too small", "use 64K or 100ms, or more");
	config->split_bytes = bytes;
	config->split_ns = ns;
	return true;
}

static bool read_period(uint64_t *to, const char *value, char *why, size_t room)
{
	uint64_t ns;

	if (!read_time(&ns, value, strlen(value)))
		return value_refuse(why, room, "not a time", "use one like 10ms or 1s");
	if (ns < SHORTEST_PERIOD)
		return value_refuse(why, room, "too short", "use 1ms or more");
	*to = ns;
	return true;
}

/* Read a value that is not empty, whether or not its feature is there yet. */
static bool read_value(struct tl_config *config, const struct tl_setting *setting,
		       const char *value, char *why, size_t room)
{
	uint64_t size;
	int index;

	switch (setting->kind) {
	case TL_VALUE_PATTERN:
		if (!check_pattern(value, why, room))
			return false;
		*text_of(config, setting->id) = value;
		return true;
	case TL_VALUE_RANKS:
		if (!tl_rank_set_is(value))
			return value_refuse(why, room, "not a set of ranks",
					    "use numbers, ranges and steps, like 0,8-15,*/16");
		*text_of(config, setting->id) = value;
		return true;
	case TL_VALUE_FOLDER:
		if (value[0] != '/')
			return value_refuse(why, room, "not an absolute path",
					    "give the folder's path from / on");
		if (strlen(value) >= TL_PLACES_FOLDER)
			return value_refuse(why, room, "too long",
					    "give a folder with a shorter path");
		*text_of(config, setting->id) = value;
		return true;
	case TL_VALUE_JOB:
	case TL_VALUE_TEXT:
		*text_of(config, setting->id) = value;
		return true;
	case TL_VALUE_LEVEL:
		return read_level(setting->id == TL_SETTING_CONTEXT_LEVEL ? &config->context_level
									  : &config->level,
				  setting, value, why, room);
	case TL_VALUE_SWITCH:
		return read_switch(switch_of(config, setting->id), value, strlen(value), why, room);
	case TL_VALUE_FOLLOW:
		return read_follow(config, value, why, room);
	case TL_VALUE_WORD:
		index = word_index(setting->words, value, strlen(value));
		if (index < 0)
			return word_refuse(why, room, value, strlen(value), setting->words);
		word_set(config, setting->id, index);
		return true;
	case TL_VALUE_FULL:
		return read_full(config, setting, value, why, room);
	case TL_VALUE_NAME:
		return read_name(text_of(config, setting->id), value, why, room);
	case TL_VALUE_SIZE:
		if (!read_size(&size, value, strlen(value)))
			return value_refuse(why, room, "not a size",
					    "use a number with K, M or G, like 256M");
		if (size < 1 << 20)
			return value_refuse(why, room, "too small", "use 1M or more");
		config->memory = size;
		config->memory_given = true;
		return true;
	case TL_VALUE_SIGNAL:
		return read_signal(&config->snapshot_on, value) ||
		       value_refuse(why, room, "not a usable signal", "use one like USR1");
	case TL_VALUE_WINDOW:
		return read_window(config, value) ||
		       value_refuse(why, room, "not delay:length:repeats",
				    "use times with units, like 2s:500ms:3");
	case TL_VALUE_SPLIT:
		return read_split(config, value, why, room);
	case TL_VALUE_PERIOD:
		return read_period(&config->sample_device, value, why, room);
	}
	return false;
}

void tl_settings_initial(struct tl_config *config)
{
	char why[TL_COMPLAINT_MAX];

	memset(config, 0, sizeof(*config));
	config->rank = -1;
	config->output = config->job = config->ranks = config->buffers = config->include =
		config->exclude = config->stack = config->tools = config->trace_marker =
			config->session = "";
	for (size_t i = 0; i < TL_SETTINGS; i++)
		if (*tl_settings[i].initial)
			read_value(config, &tl_settings[i], tl_settings[i].initial, why,
				   sizeof(why));
	config->memory_given = false;
}

bool tl_settings_value(struct tl_config *config, const struct tl_setting *setting,
		       const char *value, char *why, size_t room)
{
	return !*value || read_value(config, setting, value, why, room);
}

/* The edit distance (letters changed, added, left out or swapped), at most `limit` + 1. */
static unsigned edit_distance(const char *a, const char *b, unsigned limit)
{
	unsigned char rows[3][32];
	size_t m = strlen(a), n = strlen(b);

	if (n >= sizeof(rows[0]) || m >= sizeof(rows[0]))
		return limit + 1;
	for (size_t j = 0; j <= n; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= m; i++) {
		unsigned char *row = rows[i % 3];
		const unsigned char *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
		row[0] = i;
		for (size_t j = 1; j <= n; j++) {
			bool same = char_lower(a[i - 1]) == char_lower(b[j - 1]);
			unsigned best = last[j - 1] + !same;
			if (last[j] + 1u < best)
				best = last[j] + 1;
			if (row[j - 1] + 1u < best)
				best = row[j - 1] + 1;
			if (i > 1 && j > 1 && char_lower(a[i - 1]) == char_lower(b[j - 2]) &&
			    char_lower(a[i - 2]) == char_lower(b[j - 1]) &&
			    before[j - 2] + 1u < best)
				best = before[j - 2] + 1;
			row[j] = best;
		}
	}
	return rows[m % 3][n] <= limit ? rows[m % 3][n] : limit + 1;
}

const struct tl_setting *tl_settings_nearest(const char *variable)
{
	const struct tl_setting *nearest = NULL;
	unsigned best = 3;

	if (strncmp(variable, PREFIX, strlen(PREFIX)))
		return NULL;
	variable += strlen(PREFIX);
	for (size_t i = 0; i < TL_SETTINGS; i++) {
		const char *name = tl_settings[i].variable + strlen(PREFIX);
		/* A short word is close to anything: two of its three letters must be right. */
		unsigned limit = strlen(name) < 4 ? 1 : 2;
		unsigned d = edit_distance(variable, name, limit);
		if (d <= limit && d < best) {
			best = d;
			nearest = &tl_settings[i];
		}
	}
	return nearest;
}

static const struct tl_setting *setting_named(const char *variable, size_t size)
{
	for (size_t i = 0; i < TL_SETTINGS; i++)
		if (strlen(tl_settings[i].variable) == size &&
		    !memcmp(variable, tl_settings[i].variable, size))
			return &tl_settings[i];
	return NULL;
}

/* Variables that are no settings: the command sets them for the layer, or scripts/ use them. */
static bool variable_is_reserved(const char *variable, size_t size)
{
	return word_is(variable, size, TL_SETTINGS_CHECKED) ||
	       word_is(variable, size, TL_REPORT_VARIABLE) ||
	       word_is(variable, size, TL_LAUNCHER_STEP) ||
	       word_is(variable, size, TL_LAUNCHER_AGAIN) ||
	       word_is(variable, size, PREFIX "OFFLINE");
}

/* What is wrong with one variable of an environment, as "NAME=value: why; what to do". False where
 * nothing is. */
static bool variable_is_wrong(struct tl_config *config, const char *entry, char *what, size_t room)
{
	size_t size = strcspn(entry, "=");
	const struct tl_setting *setting = setting_named(entry, size);
	struct line line = line_begin(what, room);
	char why[TL_COMPLAINT_MAX / 2];

	if (!entry[size] || variable_is_reserved(entry, size))
		return false;
	if (setting) {
		if (tl_settings_value(config, setting, entry + size + 1, why, sizeof(why)))
			return false;
		line_put_value(&line, entry, strlen(entry));
		line_put(&line, ": ");
		line_put(&line, why);
		return true;
	}
	char name[64];
	struct line copy = line_begin(name, sizeof(name));
	line_put_bytes(&copy, entry, size);
	setting = tl_settings_nearest(name);
	line_put_value(&line, entry, size);
	line_put(&line, ": no such setting; ");
	line_put(&line, setting ? "did you mean " : "see tracelayer-run(1)");
	if (setting) {
		line_put(&line, setting->variable);
		line_put(&line, "?");
	}
	return true;
}

unsigned tl_settings_environment(struct tl_config *config, char *const *environment,
				 char *complaint)
{
	/* Room for the closing words is kept, so that the line ends as a line however much is
	 * wrong. */
	struct line line = line_begin(complaint, TL_COMPLAINT_MAX - 16);
	char what[TL_COMPLAINT_MAX / 2 + 128];
	unsigned wrong = 0;

	for (; environment && *environment; environment++) {
		const char *entry = *environment;
		if (strncmp(entry, PREFIX, strlen(PREFIX)) ||
		    !variable_is_wrong(config, entry, what, sizeof(what)))
			continue;
		if (!wrong++) {
			line_put(&line, "tracelayer: ");
			line_put(&line, what);
		} else {
			/* One line in all: of the further ones, the names. */
			line_put(&line, wrong == 2 ? " (also wrong: " : ", ");
			line_put_bytes(&line, entry, strcspn(entry, "="));
		}
	}
	line.end = complaint + TL_COMPLAINT_MAX - 2;
	if (wrong > 1)
		line_put(&line, ")");
	if (wrong) {
		*line.at++ = '\n';
		*line.at = 0;
	}
	const struct tl_setting *output = &tl_settings[TL_SETTING_OUTPUT];
	config->output_set = config->output != output->initial;
	return wrong;
}

/* One of a set, from behind its bracket. *end becomes what follows it, or NULL where the bracket
 * isn't closed. */
static bool glob_in_set(const char *set, const char *stop, char c, const char **end)
{
	bool negated = set < stop && (*set == '!' || *set == '^'), found = false;
	const char *at = set + negated;

	for (const char *first = at; at < stop && (*at != ']' || at == first); at++) {
		if (at + 2 < stop && at[1] == '-' && at[2] != ']') {
			found |= c >= at[0] && c <= at[2];
			at += 2;
		} else {
			found |= c == *at;
		}
	}
	*end = at < stop ? at + 1 : NULL;
	return found != negated;
}

/* Of several stars only the last has to be tried again: what an earlier one took can stay as short
 * as it was. */
static bool glob_one(const char *glob, const char *stop, const char *name)
{
	const char *star = NULL, *retry = NULL;

	while (*name || glob < stop) {
		const char *next = glob + 1;
		bool match = false;
		if (glob < stop && *glob == '*') {
			star = glob++;
			retry = name;
			if (glob == stop)
				return true;
			continue;
		}
		if (glob < stop && *name) {
			match = *glob == '?' || *glob == *name;
			if (*glob == '[') {
				const char *end;
				bool found = glob_in_set(glob + 1, stop, *name, &end);
				if (end) {
					match = found;
					next = end;
				}
			}
		}
		if (match) {
			glob = next;
			name++;
			continue;
		}
		if (!star || !*retry)
			return false;
		glob = star + 1;
		name = ++retry;
	}
	return true;
}

bool tl_glob_any(const char *globs, const char *name)
{
	while (*globs) {
		size_t size = strcspn(globs, ",");
		const char *start = globs, *stop = globs + size;
		while (start < stop && *start == ' ')
			start++;
		while (stop > start && stop[-1] == ' ')
			stop--;
		if (start < stop && glob_one(start, stop, name))
			return true;
		globs += size + (globs[size] == ',');
	}
	return false;
}

bool tl_settings_select(const struct tl_config *config, const struct tl_function *function)
{
	return (function->level & config->level) && tl_glob_any(config->include, function->name) &&
	       !tl_glob_any(config->exclude, function->name);
}
