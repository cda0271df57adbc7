/* SPDX-License-Identifier: MIT */
/*
 * program_control.c: the functions by which the program pauses, resumes, ends and writes out
 * recording (tracelayer/tracelayer.h). layer/write/recording_control.c serves requests from
 * outside.
 */
#include <errno.h>
#include <stdbool.h>

#include "layer/base/environment.h"
#include "layer/buffers/process_state.h"
#include "layer/resolve/recording.h"
#include "layer/write/recording_control.h"
#include "layer/write/writer.h"

#define TRACELAYER_LINKED
#include "tracelayer/tracelayer.h"

static int recording_change(enum tl_file_recording to)
{
	int error = errno;

	tl_process_start();
	tl_process_notice_fork();
	if (tl_config.secure)
		return TL_ABSENT;
	tl_control_end_window();
	bool done = tl_recording_switch(to);
	/* A thread must be there to receive a request to resume. */
	if (done && to != TL_FILE_RECORDS)
		tl_control_listen();
	errno = error;
	return done ? TL_DONE : TL_STOPPED;
}

TL_EXPORT int tl_pause(void)
{
	return recording_change(TL_FILE_PAUSED);
}

TL_EXPORT int tl_resume(void)
{
	return recording_change(TL_FILE_RECORDS);
}

TL_EXPORT int tl_snapshot(void)
{
	int error = errno;
	bool failed = false;

	tl_process_start();
	tl_process_notice_fork();
	if (tl_config.secure)
		return TL_ABSENT;
	if (tl_process_has_records()) {
		tl_writer_finish();
		failed = !tl_writer_is_complete();
	}
	errno = error;
	return failed ? TL_FAILED : TL_DONE;
}

TL_EXPORT int tl_stop(void)
{
	int answer = recording_change(TL_FILE_STOPPED);

	return answer == TL_ABSENT ? answer : tl_snapshot();
}

TL_EXPORT int tl_recording(void)
{
	return tl_process_is_recording();
}

/* For programs that are not linked with the library. */
extern TL_EXPORT const struct tl_switch tl_switch_here;
const struct tl_switch tl_switch_here = {
	sizeof(struct tl_switch), tl_pause, tl_resume, tl_snapshot, tl_stop, tl_recording};
