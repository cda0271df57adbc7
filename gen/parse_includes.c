/* SPDX-License-Identifier: MIT */
/*
 * parse_includes.c: standard headers that programs must include before a library's header. Such a
 * header uses a type that it does not declare (jpeglib.h: FILE, libnfs: struct timeval), or it
 * declares more functions if a standard header was included before it (gmp.h: stdio.h).
 */
#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

#include "gen/allocate.h"
#include "gen/libclang.h"
#include "gen/parse.h"

/* The header of the type that an error calls missing. NULL: the type is not in the list. */
static const char *include_missing(const char *what)
{
	static const struct {
		const char *types, *header;
	} known[] = {
		{"@(size_t|ptrdiff_t|wchar_t|NULL|offsetof)", "stddef.h"},
		{"?(u)int@(8|16|32|64|ptr|max)_t", "stdint.h"},
		{"@(bool|true|false)", "stdbool.h"},
		{"FILE", "stdio.h"},
		{"va_list", "stdarg.h"},
		{"@(time_t|clock_t)", "time.h"},
		{"@(u_int|u_char|u_long|u_short|ssize_t|off_t|pid_t|uid_t|gid_t|mode_t)",
		 "sys/types.h"},
		{"struct @(tm|timespec)", "time.h"},
		{"struct timeval", "sys/time.h"},
		{"fd_set", "sys/select.h"},
		{"struct stat", "sys/stat.h"},
		{"struct iovec", "sys/uio.h"},
		{"@(socklen_t|struct sockaddr?(_storage)|struct msghdr)", "sys/socket.h"},
		{"@(in_addr_t|struct sockaddr_in?(6)|struct in?(6)_addr)", "netinet/in.h"},
	};
	/* The other messages quote nothing before the type. */
	const char *incomplete = strstr(what, "incomplete type"),
		   *quote = strchr(incomplete ? incomplete : what, '\''),
		   *end = quote ? strchr(quote + 1, '\'') : NULL;

	if (!end || (!strstr(what, "unknown type") && !strstr(what, "undeclared") && !incomplete))
		return NULL;
	const char *name = copy_bytes(quote + 1, (size_t)(end - quote) - 1);
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (fnmatch(known[i].types, name, FNM_EXTMATCH) == 0)
			return known[i].header;
	return NULL;
}

/* Returns whether the header was not in the list before. */
static bool include_add(struct parse *parse, const char *header)
{
	for (size_t i = 0; i < parse->nflags; i++)
		if (!strcmp(parse->flags[i], header))
			return false;
	*APPEND(parse->flags, parse->nflags) = "-include";
	*APPEND(parse->flags, parse->nflags) = header;
	return true;
}

static bool includes_add_missing(struct parse *parse)
{
	unsigned count = clang_getNumDiagnostics(parse->unit);
	bool added = false;

	for (unsigned i = 0; i < count; i++) {
		CXDiagnostic diagnostic = clang_getDiagnostic(parse->unit, i);
		const char *header =
			include_missing(cxstring_text(clang_getDiagnosticSpelling(diagnostic)));

		added |= header && include_add(parse, header);
		clang_disposeDiagnostic(diagnostic);
	}
	return added;
}

/* The macros by which a header asks whether a standard header was included before it. */
static const struct asked {
	const char *macro, *header;
} asked_for[] = {
	{"_STDIO_H", "stdio.h"},
	{"_STDINT_H", "stdint.h"},
	{"INTMAX_C", "stdint.h"},
	{"_STDARG_H", "stdarg.h"},
};

/* Whether "defined (" or "#ifdef " stands in front of this place, without a "!" in front of it. */
static bool text_asks_at(const char *text, const char *at)
{
	static const char *const words[] = {"defined", "#ifdef"};

	while (at > text && (at[-1] == ' ' || at[-1] == '\t' || at[-1] == '('))
		at--;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t length = strlen(words[i]);

		if ((size_t)(at - text) > length && !strncmp(at - length, words[i], length))
			return at[-(ptrdiff_t)length - 1] != '!';
	}
	return false;
}

static bool text_asks(const char *text, size_t size, const char *macro)
{
	size_t length = strlen(macro);
	const char *end = text + size, *at = text;

	while ((at = memmem(at, (size_t)(end - at), macro, length))) {
		if (text_asks_at(text, at) && !isalnum((unsigned char)at[length]) &&
		    at[length] != '_')
			return true;
		at += length;
	}
	return false;
}

/* Comments name headers, too: only "include <HEADER>" counts. */
static bool text_includes(const char *text, size_t size, const char *header)
{
	const char *name = format_text("<%s>", header), *end = text + size, *at = text;
	const size_t length = strlen("include");

	while ((at = memmem(at, (size_t)(end - at), name, strlen(name)))) {
		const char *word = at++;

		while (word > text && (word[-1] == ' ' || word[-1] == '\t'))
			word--;
		if ((size_t)(word - text) <= length ||
		    strncmp(word - length, "include", length) != 0)
			continue;
		for (word -= length; word > text && (word[-1] == ' ' || word[-1] == '\t');)
			word--;
		if (word > text && word[-1] == '#')
			return true;
	}
	return false;
}

struct asking {
	struct parse *parse;
	bool added;
};

static void file_look(CXFile file, CXSourceLocation *stack, unsigned depth, CXClientData data)
{
	struct asking *asking = data;
	size_t size;
	const char *text = clang_getFileContents(asking->parse->unit, file, &size);

	(void)stack, (void)depth;
	for (size_t i = 0; text && i < sizeof asked_for / sizeof *asked_for; i++)
		if (text_asks(text, size, asked_for[i].macro) &&
		    !text_includes(text, size, asked_for[i].header))
			asking->added |= include_add(asking->parse, asked_for[i].header);
}

bool parse_add_includes(struct parse *parse)
{
	struct asking asking = {.parse = parse};
	bool added = includes_add_missing(parse);

	clang_getInclusions(parse->unit, file_look, &asking);
	return added || asking.added;
}
