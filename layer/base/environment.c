/* SPDX-License-Identifier: MIT */
/*
 * environment.c: reads the environment once. See environment.h.
 *
 * The environment's strings are the program's. The program may change them, or write its title over
 * them. So this file copies what it keeps, into a fixed place: a constructor should not allocate.
 */
#include "layer/base/environment.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "common/follow.h"
#include "common/launcher.h"
#include "common/output.h"
#include "common/rank_set.h"
#include "common/text.h"
#include "layer/base/message.h"
#include "layer/base/start_page.h"

struct tl_config tl_config TL_START;
struct tl_launched tl_launched;

static char complaint[TL_COMPLAINT_MAX] TL_START;
static bool checked TL_START; /* `tracelayer run` has checked the settings */
static char kept[24 * 1024];
static size_t kept_size TL_START;

/* Returns the copy, or NULL where it does not fit. */
static const char *string_keep(const char *string)
{
	size_t size = strlen(string) + 1;

	if (size > sizeof(kept) - kept_size)
		return NULL;
	char *copy = memcpy(kept + kept_size, string, size);
	kept_size += size;
	return copy;
}

static void setting_keep(enum tl_setting_id id, const char **text)
{
	const char *initial = tl_settings[id].initial;
	const char *copy = *text == initial ? initial : string_keep(*text);

	*text = copy ? copy : initial;
	if (copy)
		return;
	/* The value may be several thousand characters long, so the line does not quote it. */
	static const char head[] = "tracelayer: ", tail[] = ": too long; shorten it\n";
	size_t length = strlen(tl_settings[id].variable);
	memcpy(complaint, head, sizeof(head) - 1);
	memcpy(complaint + sizeof(head) - 1, tl_settings[id].variable, length);
	memcpy(complaint + sizeof(head) - 1 + length, tail, sizeof(tail));
}

/*
 * The program may change its directory before the file is made; the user meant the folder that it
 * was started in. A % in the folder's name is doubled, since the result is still a pattern.
 */
static void output_make_absolute(void)
{
	char *to = kept + kept_size, *end = kept + sizeof(kept);
	char folder[4096];
	size_t size = strlen(tl_config.output) + 1;

	if (tl_config.output[0] == '/' || !getcwd(folder, sizeof(folder)) || folder[0] != '/')
		return;
	for (const char *from = folder; *from; from++) {
		if (end - to < 2)
			return;
		*to++ = *from;
		if (*from == '%')
			*to++ = '%';
	}
	if ((size_t)(end - to) < size + 1)
		return;
	if (to[-1] != '/')
		*to++ = '/';
	memcpy(to, tl_config.output, size);
	tl_config.output = kept + kept_size;
	kept_size = to + size - kept;
}

/*
 * A job's folder becomes a pattern, and %j is filled in: the processes that this one starts may
 * belong to another job, or to none.
 */
static void output_settle_job(void)
{
	char folder[TL_LAUNCHER_FOLDER], *to;

	if (*tl_config.job) {
		to = kept + kept_size;
		if (!tl_output_job_pattern(to, sizeof(kept) - kept_size, tl_config.job))
			return;
		kept_size += strlen(to) + 1;
		tl_config.output = to;
		tl_config.output_set = true;
	}
	if (!strstr(tl_config.output, "%j"))
		return;
	if (tl_config.rank < 0)
		tl_launcher_tells(&tl_launched);
	tl_launcher_folder(folder, &tl_launched);
	to = kept + kept_size;
	if (!tl_output_expand_step(to, sizeof(kept) - kept_size, tl_config.output, folder))
		return;
	kept_size += strlen(to) + 1;
	tl_config.output = to;
}

void tl_config_leave_alone(void)
{
	tl_config.left_alone = true;
	tl_config.level = TL_LEVEL_NONE;
	tl_config.tools = "";
	tl_config.summary = false;
}

/*
 * Without --follow: find out whether this is the first process. If the environment names none, it
 * is. Then it writes its number into the environment for all its children: in place, so that the
 * program may pass on `environ` or the array that main was given.
 */
static void follow_find_first(void)
{
	const char *variable = tl_settings[TL_SETTING_FOLLOW].variable;
	static char entry[40 + TL_FOLLOW_MARK];
	char mark[TL_FOLLOW_MARK];
	size_t length = strlen(variable);

	tl_follow_mark(mark);
	if (tl_config.first) {
		if (strcmp(tl_config.first, mark))
			tl_config_leave_alone();
		return;
	}
	struct tl_text text = {.at = entry, .end = entry + sizeof(entry) - 1};
	tl_text_string(&text, variable);
	tl_text_string(&text, "=no:");
	tl_text_string(&text, mark);
	for (char **one = environ; one && *one; one++)
		if (!strncmp(*one, variable, length) && (*one)[length] == '=')
			*one = entry;
}

/*
 * A launcher that starts the ranks is no rank itself, and the user does not want its device
 * queries. Whoever does asks for its trace alone.
 */
static bool program_is_launcher(void)
{
	return tl_launcher_is(program_invocation_short_name);
}

void tl_config_read(void)
{
	tl_settings_initial(&tl_config);
	if (getauxval(AT_SECURE)) {
		tl_config.secure = true;
		tl_config.level = TL_LEVEL_NONE;
		return;
	}
	tl_settings_environment(&tl_config, environ, complaint);
	tl_config.rank = tl_launcher_rank();
	if (tl_config.rank >= 0)
		tl_launcher_tells(&tl_launched);
	if (!tl_config.follow)
		follow_find_first();
	else if (program_is_launcher())
		tl_config_leave_alone();
	if (tl_config.rank >= 0 && !tl_rank_set_has(tl_config.ranks, tl_config.rank))
		tl_config_leave_alone();
	tl_config.first = NULL;
	setting_keep(TL_SETTING_OUTPUT, &tl_config.output);
	setting_keep(TL_SETTING_JOB, &tl_config.job);
	setting_keep(TL_SETTING_RANKS, &tl_config.ranks);
	setting_keep(TL_SETTING_BUFFERS, &tl_config.buffers);
	setting_keep(TL_SETTING_INCLUDE, &tl_config.include);
	setting_keep(TL_SETTING_EXCLUDE, &tl_config.exclude);
	setting_keep(TL_SETTING_STACK, &tl_config.stack);
	setting_keep(TL_SETTING_TOOLS, &tl_config.tools);
	setting_keep(TL_SETTING_SESSION, &tl_config.session);
	checked = getenv(TL_SETTINGS_CHECKED) || tl_config.left_alone;
	if (checked)
		complaint[0] = 0;
	if (tl_config.level == TL_LEVEL_NONE)
		return;
	output_settle_job();
	output_make_absolute();
}

/*
 * Complains now about a file that can't be made, while the user can still correct it, and not only
 * when there is something to write.
 */
static void complain_of_output(void)
{
	/* Static: the thread that makes the first call may be on a small stack. */
	static char line[TL_OUTPUT_PATH + 256], path[TL_OUTPUT_PATH];
	struct tl_text text = {line, line + sizeof(line) - 2, false};
	int error;

	if (!tl_output_expand(path, sizeof(path), tl_config.output, tl_config.rank))
		return;
	error = *tl_config.job ? -tl_output_make_job_folders(path) : 0;
	if (!error)
		error = -tl_output_check(path);
	if (!error)
		return;
	const char *why = tl_output_words(error);

	if (!why)
		why = strerrordesc_np(error);
	tl_text_string(&text, "tracelayer: ");
	tl_text_string(&text, path);
	tl_text_string(&text, ": ");
	tl_text_string(&text, why ? why : "it can't be made");
	tl_text_string(&text, "; correct that, or name another file with TRACELAYER_OUTPUT");
	memcpy(text.at, "\n", 2);
	tl_message_say(line);
}

void tl_config_complain(void)
{
	static atomic_flag said = ATOMIC_FLAG_INIT;

	if (checked || atomic_flag_test_and_set_explicit(&said, memory_order_relaxed))
		return;
	if (complaint[0])
		tl_message_say(complaint);
	else if (tl_config.level != TL_LEVEL_NONE && tl_config.output_set)
		complain_of_output();
}

bool tl_config_selects(const struct tl_function *function)
{
	return tl_settings_select(&tl_config, function);
}
