/* SPDX-License-Identifier: MIT */
/* arena_messages.c: see arena_messages.h. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "common/places.h"
#include "common/text.h"
#include "layer/base/message.h"
#include "layer/buffers/arena_messages.h"

void tl_arena_say_less(uint64_t wanted, uint64_t size)
{
	char line[256];
	struct tl_text text = {line, line + sizeof(line) - 1, false};

	tl_text_string(&text, "tracelayer: no addresses left for ");
	tl_text_unsigned(&text, wanted >> 20);
	tl_text_string(&text, "M of event buffers, so there are ");
	tl_text_unsigned(&text, size >> 20);
	tl_text_string(&text, "M; raise the limit (ulimit -v), or lower TRACELAYER_MEMORY\n");
	*text.at = 0;
	tl_message_say(line);
}

/* Why a folder has no file "for 64M of event buffers", and what the user can do; NULL: no such words. */
static const char *place_trouble(int error, const char **remedy)
{
	switch (error) {
	case ENOSPC:
	case EDQUOT:
		*remedy = "make room there, or lower TRACELAYER_MEMORY";
		return error == EDQUOT ? "the quota leaves no room" : "no room";
	case EFBIG:
		*remedy = "raise the limit (ulimit -f), or lower TRACELAYER_MEMORY";
		return "the limit of a file's size is too low";
	case ENOMEM:
		*remedy = "raise the limit (ulimit -v), or lower TRACELAYER_MEMORY";
		return "there are no addresses";
	case EMFILE:
		*remedy = "raise the limit (ulimit -n), or open fewer";
		return "too many files are open";
	case ENFILE:
		*remedy = "close other programs, or raise fs.file-max";
		return "too many files are open on this machine";
	/* Inherited rules of Landlock refuse by EACCES. */
	case EACCES:
	case EPERM:
	case EROFS:
		*remedy = "allow access, or set " TL_PLACES_VARIABLE;
		return "access is refused";
	case ENOENT:
		*remedy = "make it, or set " TL_PLACES_VARIABLE;
		return "there is no such folder";
	case ENOTDIR:
		*remedy = "put a folder in its place, or set " TL_PLACES_VARIABLE;
		return "a file is there, and no folder";
	default:
		*remedy = "set " TL_PLACES_VARIABLE " to another folder";
		return NULL;
	}
}

void tl_arena_say_place(const char *first, int error, const char *folder, uint64_t wanted)
{
	char line[512];
	struct tl_text text = {line, line + sizeof(line) - 1, false};
	const char *remedy, *trouble = place_trouble(error, &remedy),
			    *words = strerrordesc_np(error);

	tl_text_string(&text, "tracelayer: ");
	tl_text_string(&text, first);
	tl_text_string(&text, ": ");
	if (!trouble && words) {
		tl_text_string(&text, words);
		tl_text_string(&text, ", so ");
	}
	tl_text_string(&text, trouble ? trouble : "no file can be made");
	tl_text_string(&text, " for ");
	tl_text_unsigned(&text, wanted >> 20);
	tl_text_string(&text, "M of event buffers; they are in ");
	tl_text_string(&text, folder ? folder
				     : "the process's own memory, and a crash loses what is not "
				       "written");
	tl_text_string(&text, ": ");
	tl_text_string(&text, remedy);
	tl_text_string(&text, "\n");
	*text.at = 0;
	if (!text.cut)
		tl_message_say(line);
}
