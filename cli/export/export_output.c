/* SPDX-License-Identifier: MIT */
/*
 * export_output.c: the file that `tracelayer export` makes. It is written under another name, and gets
 * its own when it is whole (output_file.h).
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/export/export_job.h"
#include "cli/outputs/outputs.h"

bool export_output_open(struct export *export)
{
	int error = output_file_open(&export->file, export->output, export->force);

	if (error)
		say("%s: %s; %s", export->output, output_file_trouble(error),
		    output_file_remedy(error, "give another place with -o"));
	return !error;
}

bool export_output_close(struct export *export, bool written)
{
	int failed = written ? 0 : errno, error = output_file_close(&export->file, written);

	error = failed ? failed : error;
	if (error)
		say("%s: %s; no file was left there; %s", export->output, strerror(error),
		    output_file_remedy(error, "free some space, or give another place with -o"));
	else
		output_file_say(&export->file);
	return !error;
}
