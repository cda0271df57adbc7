/* SPDX-License-Identifier: MIT */
/*
 * environment_test.c: how settings are read, the messages about wrong ones, and what globs match.
 */
#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/launcher.h"
#include "common/settings.h"
#include "layer/base/environment.h"

static struct tl_config config;
static char complaint[TL_COMPLAINT_MAX];

static void start(void)
{
	tl_settings_initial(&config);
	memset(complaint, 'x', sizeof(complaint));
}

static bool value(enum tl_setting_id id, const char *text)
{
	return tl_settings_value(&config, &tl_settings[id], text, complaint, sizeof(complaint));
}

static unsigned environment(const char *first, const char *second, const char *third)
{
	const char *list[] = {"HOME=/", first, second, third, NULL};

	return tl_settings_environment(&config, (char *const *)list, complaint);
}

START_TEST(defaults_are_those_of_the_table)
{
	ck_assert_str_eq(config.output, "trace.%e.%p.json");
	ck_assert(!config.output_set);
	ck_assert_uint_eq(config.level, TL_LEVEL_ALL);
	ck_assert_str_eq(config.include, "*");
	ck_assert_str_eq(config.exclude, "");
	ck_assert_int_eq(config.args, TL_ARGS_FULL);
	ck_assert_int_eq(config.full, TL_FULL_GROW);
	ck_assert_uint_eq(config.memory, 256 << 20);
	ck_assert(config.follow && config.device);
	ck_assert(!config.paused && !config.summary && !config.xpti && !config.secure);
}
END_TEST

START_TEST(an_environment_without_our_variables_is_right)
{
	ck_assert_uint_eq(environment("PATH=/bin", "TRACELAYERX=1", NULL), 0);
	ck_assert_str_eq(complaint, "");
	ck_assert(!config.output_set);
	ck_assert_uint_eq(tl_settings_environment(&config, NULL, complaint), 0);
}
END_TEST

START_TEST(variables_are_read)
{
	ck_assert_uint_eq(environment("TRACELAYER_OUTPUT=a.json", "TRACELAYER_LEVEL=request|Debug",
				      "TRACELAYER_ARGS=SCALARS"),
			  0);
	ck_assert_str_eq(config.output, "a.json");
	ck_assert(config.output_set);
	ck_assert_uint_eq(config.level, TL_LEVEL_REQUEST | TL_LEVEL_DEBUG);
	ck_assert_int_eq(config.args, TL_ARGS_SCALARS);
}
END_TEST

START_TEST(an_empty_value_is_the_default)
{
	ck_assert_uint_eq(
		environment("TRACELAYER_OUTPUT=", "TRACELAYER_LEVEL=", "TRACELAYER_MEMORY="), 0);
	ck_assert(!config.output_set);
	ck_assert_uint_eq(config.level, TL_LEVEL_ALL);
}
END_TEST

START_TEST(masks_are_words_joined)
{
	ck_assert(value(TL_SETTING_LEVEL, "standard"));
	ck_assert_uint_eq(config.level, TL_LEVEL_RUNTIME | TL_LEVEL_OPERATOR);
	ck_assert(value(TL_SETTING_LEVEL, "none"));
	ck_assert_uint_eq(config.level, 0);
	ck_assert(value(TL_SETTING_LEVEL, "runtime,debug"));
	ck_assert_uint_eq(config.level, TL_LEVEL_RUNTIME | TL_LEVEL_DEBUG);
	ck_assert(!value(TL_SETTING_LEVEL, "runtime|"));
	ck_assert(!value(TL_SETTING_LEVEL, "runtim"));
	ck_assert_str_eq(complaint, "no such word as 'runtim'; use all, none, request, runtime, "
				    "operator, debug, standard");
	ck_assert_uint_eq(config.level, TL_LEVEL_RUNTIME | TL_LEVEL_DEBUG);
}
END_TEST

static const struct {
	const char *text;
	uint64_t size; /* 0: wrong */
} sizes[] = {
	{"1048576", 1 << 20},
	{"1024K", 1 << 20},
	{"256M", 256 << 20},
	{"256m", 256 << 20},
	{"256MB", 256 << 20},
	{"256MiB", 256 << 20},
	{"2g", 2ull << 30},
	{"1T", 1ull << 40},
	{"1048575", 0},
	{"-1M", 0},
	{"M", 0},
	{"1Q", 0},
	{"1MM", 0},
	{"1.5M", 0},
	{" 1M", 0},
	{"1M ", 0},
	{"99999999999999999999", 0},
	{"9999999999G", 0},
	{"0x100000", 0},
};

START_TEST(sizes_are_numbers_with_units)
{
	uint64_t before = config.memory;
	bool right = value(TL_SETTING_MEMORY, sizes[_i].text);

	ck_assert_msg(right == !!sizes[_i].size, "%s", sizes[_i].text);
	ck_assert_msg(config.memory == (right ? sizes[_i].size : before), "%s", sizes[_i].text);
}
END_TEST

static const struct {
	const char *text;
	uint64_t bytes, ns; /* both 0: wrong */
} splits[] = {
	{"100M", 100 << 20, 0},	 {"64k", 64 << 10, 0},
	{"30s", 0, 30000000000}, {"1h", 0, 3600000000000},
	{"100ms", 0, 100000000}, {"63K", 0, 0},
	{"99ms", 0, 0},		 {"0", 0, 0},
	{"30x", 0, 0},		 {"s", 0, 0},
	{"-1s", 0, 0},
};

START_TEST(splits_are_sizes_or_times)
{
	bool right = value(TL_SETTING_SPLIT, splits[_i].text);

	ck_assert_msg(right == (splits[_i].bytes || splits[_i].ns), "%s", splits[_i].text);
	ck_assert_uint_eq(config.split_bytes, splits[_i].bytes);
	ck_assert_uint_eq(config.split_ns, splits[_i].ns);
	/* The last one counts. */
	ck_assert(value(TL_SETTING_SPLIT, "7h"));
	ck_assert_uint_eq(config.split_bytes, 0);
}
END_TEST

static const struct {
	const char *text;
	bool right;
} patterns[] = {
	{"t.json", true},     {"/a/%p-%e-%h-%r-%t.json.gz", true},
	{"100%%.json", true}, {"t", true},
	{"%", false},	      {"%x.json", false},
	{"t.json%", false},   {"a%%%", false},
	{"dir/", true},	      {"t.pftrace", true},
	{"t.tlt", true},      {"t.pftrace.gz", true},
	{"t.tlt.gz", false},  {"-", false},
	{"t.txt", false},     {"t.json.zst", false},
	{"a.b/t", true},      {"t.%p", true},
	{".hidden", true},    {"/dev/null", true},
	{"t.", true},	      {"t.gz", false},
};

START_TEST(output_patterns)
{
	ck_assert_msg(value(TL_SETTING_OUTPUT, patterns[_i].text) == patterns[_i].right, "%s",
		      patterns[_i].text);
}
END_TEST

/* When and how long is recorded. */
static const struct {
	enum tl_setting_id id;
	const char *text;
	const char *complaint; /* a part of it; NULL: none */
} whens[] = {
	{TL_SETTING_FULL, "grow", NULL},
	{TL_SETTING_FULL, "drop", NULL},
	{TL_SETTING_FULL, "RING", NULL},
	{TL_SETTING_FULL, "ring:64k", NULL},
	{TL_SETTING_FULL, "ring:63K", "use 64K or more"},
	{TL_SETTING_FULL, "ring:much", "use a number"},
	{TL_SETTING_FULL, "ring:", "use a number"},
	{TL_SETTING_FULL, "drop:64M", "use grow, drop, ring"},
	{TL_SETTING_FULL, "dorp", "use grow, drop, ring"},
	{TL_SETTING_START, "paused", NULL},
	{TL_SETTING_START, "watched", NULL},
	{TL_SETTING_START, "later", "use running, paused, watched"},
	{TL_SETTING_SNAPSHOT_ON, "USR1", NULL},
	{TL_SETTING_SNAPSHOT_ON, "sigusr2", NULL},
	{TL_SETTING_SNAPSHOT_ON, "KILL", "not a usable signal"},
	{TL_SETTING_SNAPSHOT_ON, "9", "not a usable signal"},
	{TL_SETTING_XPTI, "on", NULL},
	{TL_SETTING_XPTI, "2", "use yes or no"},
	{TL_SETTING_WINDOW, "2s:500ms:3", NULL},
	{TL_SETTING_WINDOW, "0s:500ms:1", NULL},
	{TL_SETTING_WINDOW, "2s:500ms", "not delay:length:repeats"},
	{TL_SETTING_WINDOW, "2:500ms:3", "not delay:length:repeats"},
	{TL_SETTING_WINDOW, "2s:0s:3", "not delay:length:repeats"},
	{TL_SETTING_SESSION, "night-3.b_2", NULL},
	{TL_SETTING_SESSION, "4711", "taken for a process"},
	{TL_SETTING_SESSION, "a b", "use letters"},
	{TL_SETTING_SESSION, "a/b", "use letters"},
	{TL_SETTING_SESSION, "a234567890123456789012345678901234567890123456789012345678901234",
	 "use 63"},
};

START_TEST(when_to_record_is_read)
{
	struct tl_config before = config;
	bool right = value(whens[_i].id, whens[_i].text);

	ck_assert_msg(right == !whens[_i].complaint, "%s", whens[_i].text);
	if (!right) {
		ck_assert_msg(strstr(complaint, whens[_i].complaint) != NULL, "%s: %s",
			      whens[_i].text, complaint);
		ck_assert_mem_eq(&before, &config, sizeof(config));
	}
}
END_TEST

START_TEST(a_ring_has_a_size)
{
	ck_assert(value(TL_SETTING_FULL, "ring"));
	ck_assert_int_eq(config.full, TL_FULL_RING);
	ck_assert_uint_eq(config.ring, 8 << 20);
	ck_assert(value(TL_SETTING_FULL, "ring:64M"));
	ck_assert_uint_eq(config.ring, 64 << 20);
	ck_assert(value(TL_SETTING_WINDOW, "2s:500ms:3"));
	ck_assert_uint_eq(config.window.delay, 2000000000u);
	ck_assert_uint_eq(config.window.length, 500000000u);
	ck_assert_uint_eq(config.window.repeats, 3);
}
END_TEST

START_TEST(switches_have_one_set_of_words)
{
	static const char *const words[] = {"no", "yes",   "0",	   "1",	 "off",
					    "on", "false", "true", "NO", "Yes"};
	static const enum tl_setting_id ids[] = {TL_SETTING_SUMMARY, TL_SETTING_NESTED,
						 TL_SETTING_DEVICE, TL_SETTING_XPTI,
						 TL_SETTING_FOLLOW};

	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
		for (size_t j = 0; j < sizeof(words) / sizeof(*words); j++)
			ck_assert_msg(value(ids[i], words[j]), "%s", words[j]);
		ck_assert(!value(ids[i], "maybe"));
		ck_assert_str_eq(complaint, "no such word as 'maybe'; use yes or no");
		ck_assert_str_eq(tl_settings[ids[i]].metavar, "yes|no");
	}
	ck_assert(value(TL_SETTING_DEVICE, "off") && !config.device);
	ck_assert(value(TL_SETTING_DEVICE, "True") && config.device);
}
END_TEST

START_TEST(the_first_process_is_told_by_its_mark)
{
	ck_assert(value(TL_SETTING_FOLLOW, "no") && !config.follow && !config.first);
	ck_assert(value(TL_SETTING_FOLLOW, "no:12.34.56") && !config.follow);
	ck_assert_str_eq(config.first, "12.34.56");
	ck_assert(value(TL_SETTING_FOLLOW, "YES") && config.follow && !config.first);
	ck_assert(!value(TL_SETTING_FOLLOW, "maybe:1"));
	ck_assert_str_eq(complaint, "no such word as 'maybe'; use yes or no");
}
END_TEST

START_TEST(one_line_says_what_is_wrong)
{
	ck_assert_uint_eq(environment("TRACELAYER_MEMORY=much", NULL, NULL), 1);
	ck_assert_str_eq(complaint,
			 "tracelayer: TRACELAYER_MEMORY=much: not a size; use a number with "
			 "K, M or G, like 256M\n");
	ck_assert_uint_eq(config.memory, 256 << 20);
}
END_TEST

START_TEST(several_wrong_ones_share_the_line)
{
	ck_assert_uint_eq(
		environment("TRACELAYER_ARGS=x", "TRACELAYER_FOO=1", "TRACELAYER_LEVEL=x"), 3);
	ck_assert_str_eq(complaint,
			 "tracelayer: TRACELAYER_ARGS=x: no such word as 'x'; use none, "
			 "scalars, full (also wrong: TRACELAYER_FOO, TRACELAYER_LEVEL)\n");
}
END_TEST

START_TEST(a_misspelt_variable_gets_a_suggestion)
{
	ck_assert_uint_eq(environment("TRACELAYER_LEVLE=all", NULL, NULL), 1);
	ck_assert_str_eq(complaint, "tracelayer: TRACELAYER_LEVLE: no such setting; did you mean "
				    "TRACELAYER_LEVEL?\n");
	ck_assert_uint_eq(environment("TRACELAYER_UNLIKE=all", NULL, NULL), 1);
	ck_assert_str_eq(complaint, "tracelayer: TRACELAYER_UNLIKE: no such setting; see "
				    "tracelayer-run(1)\n");
	ck_assert_ptr_eq(tl_settings_nearest("TRACELAYER_OUTPT"), &tl_settings[TL_SETTING_OUTPUT]);
	ck_assert_ptr_eq(tl_settings_nearest("TRACELAYER_EXCLUDES"),
			 &tl_settings[TL_SETTING_EXCLUDE]);
	ck_assert_ptr_eq(tl_settings_nearest("TRACELAYER_arg"), &tl_settings[TL_SETTING_ARGS]);
	ck_assert_ptr_null(tl_settings_nearest("TRACELAYER_"));
	ck_assert_ptr_null(tl_settings_nearest("OUTPUT"));
}
END_TEST

START_TEST(the_line_stays_one_short_line)
{
	static char variables[64][300];
	char *list[65];

	for (int i = 0; i < 64; i++) {
		snprintf(variables[i], sizeof(variables[i]), "TRACELAYER_NONSENSE%d=\n\x1b", i);
		memset(variables[i] + 30, 'y', 200);
		list[i] = variables[i];
	}
	list[64] = NULL;
	ck_assert_uint_eq(tl_settings_environment(&config, list, complaint), 64);
	size_t size = strnlen(complaint, sizeof(complaint));
	ck_assert_uint_lt(size, sizeof(complaint));
	ck_assert_ptr_eq(strchr(complaint, '\n'), complaint + size - 1);
	ck_assert_int_eq(complaint[size - 2], ')');
	ck_assert_ptr_null(strchr(complaint, 0x1b));
	/* A value alone is cut too. */
	memcpy(variables[0], "TRACELAYER_LEVEL=", 17);
	list[1] = NULL;
	ck_assert_uint_eq(tl_settings_environment(&config, list, complaint), 1);
	ck_assert_uint_lt(strlen(complaint), 300);
}
END_TEST

static const struct {
	const char *globs, *name;
	bool match;
} globs[] = {
	{"*", "", true},
	{"*", "zeInit", true},
	{"", "zeInit", false},
	{"zeInit", "zeInit", true},
	{"zeInit", "zeInitDrivers", false},
	{"zeInit*", "zeInitDrivers", true},
	{"ze?nit", "zeInit", true},
	{"ze?", "ze", false},
	{"*Event*", "zeEventCreate", true},
	{"*Event", "zeEventCreate", false},
	{"ze*Create*", "zeEventPoolCreate", true},
	{"a*b*c", "aXbXbXc", true},
	{"a*b*c", "aXbXbX", false},
	{"cl*, zes*", "zesInit", true},
	{"cl*,zes*", "zeInit", false},
	{",,", "zeInit", false},
	{"ze[EI]*", "zeInit", true},
	{"ze[!EI]*", "zeInit", false},
	{"ze[A-J]nit", "zeInit", true},
	{"ze[a-j]nit", "zeInit", false},
	{"ze[Init", "ze[Init", true},
	{"ze[Init", "zeInit", false},
	{"[]]x", "]x", true},
	{"ZE*", "zeInit", false},
	{"**t", "zeInit", true},
	{"zeInit,", "zeInit", true},
	{"*a*a*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false},
};

START_TEST(globs_match_function_names)
{
	ck_assert_msg(tl_glob_any(globs[_i].globs, globs[_i].name) == globs[_i].match, "%s on %s",
		      globs[_i].globs, globs[_i].name);
}
END_TEST

START_TEST(level_include_and_exclude_select_together)
{
	const struct tl_function create = {.name = "zeEventCreate", .level = TL_LEVEL_RUNTIME};
	const struct tl_function query = {.name = "zeEventQuery", .level = TL_LEVEL_DEBUG};

	ck_assert(tl_settings_select(&config, &create) && tl_settings_select(&config, &query));
	ck_assert(value(TL_SETTING_LEVEL, "standard"));
	ck_assert(tl_settings_select(&config, &create) && !tl_settings_select(&config, &query));
	ck_assert(value(TL_SETTING_EXCLUDE, "*Create"));
	ck_assert(!tl_settings_select(&config, &create));
	ck_assert(value(TL_SETTING_LEVEL, "all") && value(TL_SETTING_INCLUDE, "cl*"));
	ck_assert(!tl_settings_select(&config, &query));
}
END_TEST

/* What the layer keeps must survive a program that writes its title over its environment, and that
 * changes its directory. */
START_TEST(what_is_kept_is_the_layers_own)
{
	static char entry[] = "TRACELAYER_OUTPUT=%p.json", globs[] = "TRACELAYER_INCLUDE=zeInit";
	char *list[] = {entry, globs, NULL}, **before = environ, expected[5000], folder[4096];

	ck_assert_ptr_nonnull(getcwd(folder, sizeof(folder)));
	ck_assert_ptr_null(strchr(folder, '%'));
	snprintf(expected, sizeof(expected), "%s/%%p.json", folder);
	environ = list;
	tl_config_read();
	memset(entry, 0, sizeof(entry));
	memset(globs, 0, sizeof(globs));
	environ = before;
	ck_assert_str_eq(tl_config.output, expected);
	ck_assert(tl_config.output_set);
	ck_assert_str_eq(tl_config.include, "zeInit");
}
END_TEST

START_TEST(a_value_of_thousands_of_characters_is_refused)
{
	static char entry[40000] = "TRACELAYER_EXCLUDE=";
	char *list[] = {entry, NULL}, **before = environ;

	memset(entry + strlen(entry), 'x', sizeof(entry) - 100);
	environ = list;
	tl_config_read();
	environ = before;
	ck_assert_str_eq(tl_config.exclude, "");
}
END_TEST

START_TEST(ranks_are_those_of_launchers)
{
	static const char *const variables[] = {
		"PMIX_RANK",	       "PMI_RANK",    "OMPI_COMM_WORLD_RANK",
		"MV2_COMM_WORLD_RANK", "PALS_RANKID", "SLURM_PROCID"};

	for (int i = 0; i < 6; i++)
		unsetenv(variables[i]);
	setenv("SLURM_STEP_ID", "2", 1);
	tl_config_read();
	ck_assert_int_eq(tl_config.rank, -1);
	for (int i = 0; i < 6; i++) {
		setenv(variables[i], "12", 1);
		tl_config_read();
		ck_assert_int_eq(tl_config.rank, 12);
		setenv(variables[i], "12x", 1);
		tl_config_read();
		ck_assert_int_eq(tl_config.rank, -1);
		setenv(variables[i], "", 1);
		tl_config_read();
		ck_assert_int_eq(tl_config.rank, -1);
		unsetenv(variables[i]);
	}
	unsetenv("SLURM_STEP_ID");
}
END_TEST

START_TEST(what_is_no_rank_claims_none)
{
	/* A batch script has a number, but no srun started it. */
	setenv("SLURM_PROCID", "0", 1);
	ck_assert_int_eq(tl_launcher_rank(), -1);
	setenv("SLURM_STEP_ID", "4294967291", 1);
	ck_assert_int_eq(tl_launcher_rank(), -1);
	setenv("SLURM_STEP_ID", "0", 1);
	ck_assert_int_eq(tl_launcher_rank(), 0);
	/* MPI's own number counts before Slurm's. */
	setenv("PMI_RANK", "3", 1);
	ck_assert_int_eq(tl_launcher_rank(), 3);
	unsetenv("PMI_RANK");
	unsetenv("SLURM_STEP_ID");
	unsetenv("SLURM_PROCID");
	/* A name that anybody may use. */
	setenv("RANK", "1", 1);
	ck_assert_int_eq(tl_launcher_rank(), -1);
	setenv("WORLD_SIZE", "4", 1);
	ck_assert_int_eq(tl_launcher_rank(), -1);
	setenv("LOCAL_RANK", "1", 1);
	ck_assert_int_eq(tl_launcher_rank(), 1);
	setenv("RANK", "4", 1);
	ck_assert_int_eq(tl_launcher_rank(), -1);
	unsetenv("RANK");
	unsetenv("WORLD_SIZE");
	unsetenv("LOCAL_RANK");
}
END_TEST

START_TEST(launchers_are_known_by_name)
{
	ck_assert(tl_launcher_is("mpirun") && tl_launcher_is("/usr/bin/mpirun.openmpi") &&
		  tl_launcher_is("mpiexec.hydra"));
	ck_assert(tl_launcher_is("srun") && tl_launcher_is("orterun") &&
		  tl_launcher_is("hydra_pmi_proxy"));
	ck_assert(!tl_launcher_is("mpirunner") && !tl_launcher_is("mpi") && !tl_launcher_is("") &&
		  !tl_launcher_is("/srun/app"));
}
END_TEST

/* What the layer says of an environment at the first traced call. `times` calls, so that "once"
 * shows. */
static void complains(const char *first, const char *second, const char *expected)
{
	const char *list[] = {first, second, NULL};
	char line[2 * TL_COMPLAINT_MAX] = "";
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_int_eq(dup2(ends[1], 2), 2);
	char **before = environ;
	environ = (char **)list;
	tl_config_read();
	environ = before;
	tl_config_complain();
	tl_config_complain();
	close(2);
	close(ends[1]);
	ck_assert_int_ge(read(ends[0], line, sizeof(line) - 1), 0);
	ck_assert_str_eq(line, expected);
}

START_TEST(the_complaint_is_made_once)
{
	complains("TRACELAYER_ARGS=x", NULL,
		  "tracelayer: TRACELAYER_ARGS=x: no such word as 'x'; use none, scalars, full\n");
}
END_TEST

START_TEST(the_complaint_is_not_made_after_the_command_made_it)
{
	complains("TRACELAYER_ARGS=x", "TRACELAYER_CHECKED=1", "");
}
END_TEST

START_TEST(a_closed_stderr_pipe_does_not_kill)
{
	const char *list[] = {"TRACELAYER_ARGS=x", NULL};
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	close(ends[0]);
	ck_assert_int_eq(dup2(ends[1], 2), 2);
	signal(SIGPIPE, SIG_DFL);
	char **before = environ;
	environ = (char **)list;
	tl_config_read();
	environ = before;
	tl_config_complain();
	sigset_t pending;
	sigpending(&pending);
	ck_assert(!sigismember(&pending, SIGPIPE));
}
END_TEST

#define COUNT(array) (int)(sizeof(array) / sizeof(*(array)))

int main(void)
{
	Suite *suite = suite_create("config");
	TCase *tests = tcase_create("settings");

	tcase_add_checked_fixture(tests, start, NULL);
	tcase_add_test(tests, defaults_are_those_of_the_table);
	tcase_add_test(tests, an_environment_without_our_variables_is_right);
	tcase_add_test(tests, variables_are_read);
	tcase_add_test(tests, an_empty_value_is_the_default);
	tcase_add_test(tests, masks_are_words_joined);
	tcase_add_loop_test(tests, sizes_are_numbers_with_units, 0, COUNT(sizes));
	tcase_add_loop_test(tests, splits_are_sizes_or_times, 0, COUNT(splits));
	tcase_add_loop_test(tests, output_patterns, 0, COUNT(patterns));
	tcase_add_test(tests, switches_have_one_set_of_words);
	tcase_add_test(tests, the_first_process_is_told_by_its_mark);
	tcase_add_loop_test(tests, when_to_record_is_read, 0, sizeof(whens) / sizeof(*whens));
	tcase_add_test(tests, a_ring_has_a_size);
	tcase_add_test(tests, one_line_says_what_is_wrong);
	tcase_add_test(tests, several_wrong_ones_share_the_line);
	tcase_add_test(tests, a_misspelt_variable_gets_a_suggestion);
	tcase_add_test(tests, the_line_stays_one_short_line);
	tcase_add_loop_test(tests, globs_match_function_names, 0, COUNT(globs));
	tcase_add_test(tests, level_include_and_exclude_select_together);
	tcase_add_test(tests, what_is_kept_is_the_layers_own);
	tcase_add_test(tests, a_value_of_thousands_of_characters_is_refused);
	tcase_add_test(tests, ranks_are_those_of_launchers);
	tcase_add_test(tests, what_is_no_rank_claims_none);
	tcase_add_test(tests, launchers_are_known_by_name);
	tcase_add_test(tests, the_complaint_is_made_once);
	tcase_add_test(tests, the_complaint_is_not_made_after_the_command_made_it);
	tcase_add_test(tests, a_closed_stderr_pipe_does_not_kill);
	suite_add_tcase(suite, tests);

	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
