/* SPDX-License-Identifier: MIT */
/*
 * writer_messages.c: the messages that the writer prints when events are lost, or may be.
 *
 * Each message is one line: the file, what happened, and what the user can do. If `tracelayer run`
 * prints its own line at the program's end (tl_report_failed and tl_report_no_memory return true),
 * the layer prints none.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "common/output.h"
#include "common/text.h"
#include "layer/base/environment.h"
#include "layer/base/message.h"
#include "layer/base/run_report.h"
#include "layer/buffers/arena.h"
#include "layer/buffers/buffer.h"
#include "layer/buffers/clock.h"
#include "layer/write/writer_state.h"

#define TROUBLE_MS 2000 /* of failed attempts to write, before a message */

static const char *error_reason(int error)
{
	const char *text = tl_output_words(error);

	if (!text)
		text = strerrordesc_np(error);
	if (error == EBADMSG)
		return "damaged records";
	if (error == ESTALE)
		return "the file was moved or replaced";
	return text ? text : "cannot be written";
}

static const char *error_remedy(int error)
{
	switch (error) {
	case 0:
		return "raise TRACELAYER_MEMORY";
	case ENOSPC:
	case EDQUOT:
		return "make room there, or name another file with TRACELAYER_OUTPUT";
	case EFBIG:
		return "raise the limit of a file's size (ulimit -f), or name another file with "
		       "TRACELAYER_OUTPUT";
	case EMFILE:
		return "raise the limit of open files (ulimit -n)";
	case EBADMSG:
		return "please report it";
	case ENOMEM:
		return "raise the limit of memory (ulimit -v), or lower TRACELAYER_MEMORY";
	default:
		return "name another file with TRACELAYER_OUTPUT";
	}
}

static const char *file_name(void)
{
	return *tl_writer.sink.output.path ? tl_writer.sink.output.path : tl_config.output;
}

static struct tl_text line_begin(char *line, size_t room)
{
	struct tl_text text = {line, line + room - 2, false};

	tl_text_string(&text, "tracelayer: ");
	tl_text_string(&text, file_name());
	tl_text_string(&text, ": ");
	return text;
}

static void line_say(struct tl_text *text, const char *line, void (*say)(const char *line))
{
	memcpy(text->at, "\n", 2);
	say(line);
}

/* The events that are still in the buffers file can be recovered when the cause is gone. */
static void line_put_remedy(struct tl_text *text, uint64_t lost, int error)
{
	if (!error && tl_buffer_unreturned() >= lost) {
		/* In a forked child the count may be its parent's, too. */
		tl_text_string(text, "they are calls that never returned, of which more were open "
				     "in one thread than can be kept");
		return;
	}
	if (!error && tl_buffer_early() >= lost) {
		tl_text_string(text, "a child that shares this process's memory (vfork) made them, "
				     "before this process's first call");
		return;
	}
	if (!tl_writer.unwritten || !*tl_arena_path()) {
		tl_text_string(text, error_remedy(error));
		return;
	}
	tl_text_string(text, "`tracelayer recover ");
	tl_text_unsigned(text, tl_arena_facts()->pid);
	tl_text_string(text, "` brings ");
	if (tl_writer.unwritten < lost) {
		tl_text_unsigned(text, tl_writer.unwritten);
		tl_text_string(text, " of them back once that is corrected");
	} else {
		tl_text_string(text, "them back once that is corrected");
	}
	if (tl_report_is_out_of_reach()) {
		tl_text_string(text, ", unless they are in a sandbox that takes ");
		tl_text_string(text, tl_arena_path());
		tl_text_string(text, " with it");
	}
}

/* There were no buffers, at least at first, so a larger TRACELAYER_MEMORY would not help. */
static void say_no_memory(uint64_t lost)
{
	struct tl_text text = line_begin(tl_writer.line, sizeof(tl_writer.line));

	tl_text_string(&text, "no memory for event buffers, ");
	tl_text_unsigned(&text, lost);
	tl_text_string(&text, lost == 1 ? " event lost; " : " events lost; ");
	tl_text_string(&text, error_remedy(ENOMEM));
	line_say(&text, tl_writer.line, tl_message_say);
}

void tl_writer_say_losses(void)
{
	struct tl_text text = line_begin(tl_writer.line, sizeof(tl_writer.line));
	uint64_t all = tl_writer_losses();
	int error = tl_writer.dropped || tl_writer.unwritten ? tl_writer.error : 0;

	if (tl_writer.failure_said || (!error && all <= tl_writer.losses_said))
		return;
	if (!error && tl_arena_was_refused()) {
		tl_writer.losses_said = all;
		if (!tl_report_no_memory(all))
			say_no_memory(all);
		return;
	}
	if (error) {
		tl_text_string(&text, error_reason(error));
		tl_text_string(&text, ", ");
	}
	tl_text_unsigned(&text, all);
	tl_text_string(&text, all == 1 ? " event lost; " : " events lost; ");
	line_put_remedy(&text, all, error);
	/* Once: what a file system refuses, it refuses again. */
	tl_writer.failure_said = error;
	tl_writer.losses_said = all;
	if (!error || !tl_report_failed(file_name(), error))
		line_say(&text, tl_writer.line, tl_message_say);
}

void tl_writer_say_stackless(void)
{
	struct tl_text text = line_begin(tl_writer.line, sizeof(tl_writer.line));
	uint64_t all = tl_buffer_stackless();

	if (!all || tl_writer.stackless_said)
		return;
	tl_writer.stackless_said = true;
	tl_text_unsigned(&text, all);
	tl_text_string(&text, all == 1 ? " call has" : " calls have");
	tl_text_string(
		&text,
		" no stack, since there were too many different ones; select functions with --stack=GLOBS");
	line_say(&text, tl_writer.line, tl_message_say);
}

void tl_writer_say_trouble(void (*say)(const char *line))
{
	struct tl_text text = line_begin(tl_writer.line, sizeof(tl_writer.line));

	if (!tl_writer.failing || tl_writer.trouble_said ||
	    tl_clock_gettime_ticks() - tl_writer.failing_since < TROUBLE_MS * 1000000ull)
		return;
	tl_writer.trouble_said = true;
	tl_text_string(&text, error_reason(tl_writer.failing));
	tl_text_string(&text, ", events stay in memory while there is room; ");
	tl_text_string(&text, error_remedy(tl_writer.failing));
	line_say(&text, tl_writer.line, say);
}

void tl_writer_say_stuck(void)
{
	char line[TL_OUTPUT_PATH + 512];
	struct tl_text text = line_begin(line, sizeof(line));

	tl_text_string(&text,
		       "nothing could be written for 10 seconds, and the trace is cut short; "
		       "name a file on another disk with TRACELAYER_OUTPUT");
	line_say(&text, line, tl_message_say);
}
