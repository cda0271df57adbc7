/* SPDX-License-Identifier: MIT */
/*
 * message_line.c: see message_line.h.
 */
#include "config.h"

#include <stdio.h>

#include "common/message_line.h"
#include "common/text.h"

void message_line(const char *who, const char *format, va_list arguments)
{
	/* One write keeps the line whole, while the traced program prints, too. */
	char message[4096], line[4 + MESSAGE_WHO_MOST + 4 * sizeof(message)];
	struct tl_text text = {line, line + sizeof(line) - 1, false};
	int length = vsnprintf(message, sizeof(message), format, arguments);

	if (length > (int)sizeof(message) - 1)
		length = sizeof(message) - 1;
	tl_text_string(&text, who);
	tl_text_string(&text, ": ");
	/* The message may quote names from files. */
	tl_text_shown(&text, message, length > 0 ? (size_t)length : 0);
	*text.at++ = '\n';
	fwrite(line, 1, (size_t)(text.at - line), stderr);
	fflush(stderr);
}
