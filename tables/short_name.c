/* SPDX-License-Identifier: MIT */
/*
 * short_name.c: see short_name.h.
 */
#include "config.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "tables/short_name.h"

#define ELLIPSIS "..."

static bool is_of_word(char letter)
{
	return isalnum((unsigned char)letter) || letter == '_';
}

/* Behind the name of an operator, whose brackets are none; `at` if there is no such name here. */
static char *operator_pass(const char *name, char *at)
{
	static const char word[] = "operator";
	char *behind = at + sizeof(word) - 1;

	if (strncmp(at, word, sizeof(word) - 1) || (at > name && is_of_word(at[-1])))
		return at;
	if (!strncmp(behind, "()", 2) || !strncmp(behind, "[]", 2))
		return behind + 2;
	return behind + strspn(behind, "<>=-!+*/%^&|~,");
}

/* The bracket that closes the one at `at`; NULL: none does. */
static char *group_end(const char *name, char *at)
{
	static const char opening[] = "<({[", closing[] = ">)}]";
	size_t depth = 0;

	for (; *at; at++) {
		char *behind = operator_pass(name, at);

		if (behind > at) {
			at = behind - 1;
			continue;
		}
		depth += strchr(opening, *at) != NULL;
		if (strchr(closing, *at) && !(*at == '>' && at[-1] == '-') && !--depth)
			return at;
	}
	return NULL;
}

/* What is between brackets goes. Returns the closing one. */
static char *group_spare(char *open, char *end)
{
	const size_t size = sizeof(ELLIPSIS) - 1;

	if ((size_t)(end - open - 1) <= size)
		return end;
	memcpy(open + 1, ELLIPSIS, size);
	memmove(open + 1 + size, end, strlen(end) + 1);
	return open + 1 + size;
}

/* Parameters stand behind a name. A space stands before "(anonymous namespace)" and in other names. */
static bool is_group(const char *name, const char *at, char bracket)
{
	return *at == bracket && at > name && (is_of_word(at[-1]) || strchr(">])", at[-1]));
}

static bool groups_spare(char *name, char bracket, int room, int (*columns)(const char *text))
{
	for (char *at = name; *at && columns(name) > room; at++) {
		char *behind = operator_pass(name, at), *end;

		if (behind > at && bracket == '(' && *behind == '(')
			at = behind;
		else if (behind > at) {
			at = behind - 1;
			continue;
		} else if (!is_group(name, at, bracket)) {
			continue;
		}
		end = group_end(name, at);
		if (!end)
			return false;
		at = group_spare(at, end);
	}
	return columns(name) <= room;
}

/* The next :: that is not in brackets; NULL: there is none. */
static char *scope_find(const char *name, char *at)
{
	for (char *end; *at; at++) {
		char *behind = operator_pass(name, at);

		if (behind > at)
			at = behind - 1;
		else if (strchr("<({[", *at) && (end = group_end(name, at)))
			at = end;
		else if (!strncmp(at, "::", 2))
			return at;
	}
	return NULL;
}

/* How much of the name's beginning has room beside the rest. */
static size_t beginning_size(const char *name, const char *rest, int room,
			     int (*columns)(const char *text))
{
	const int least = 4, left = room - (int)sizeof(ELLIPSIS) + 1 - columns(rest);
	size_t size = left < least ? 0 : (size_t)left;

	/* Not within a character of UTF-8. */
	while (size && ((unsigned char)name[size] & 0xc0) == 0x80)
		size--;
	return size;
}

/*
 * Scopes go, the first ones first. The last one stays with `keep`, and so do all where that would not be enough.
 * Otherwise, a part of the first one stays where there is room.
 */
static bool scopes_spare(char *name, int room, bool keep, int (*columns)(const char *text))
{
	const size_t size = sizeof(ELLIPSIS) - 1;
	char *from = scope_find(name, name), *next;
	bool fits = false;

	for (; from; from = next) {
		next = scope_find(name, from + 2);
		fits = from - name > (long)size && (int)size + columns(from) <= room;
		if (fits || !next)
			break;
	}
	if (!from || from - name <= (long)size || (keep && (!fits || !next)))
		return false;
	size_t front = keep ? 0 : beginning_size(name, from, room, columns);

	memmove(name + front + size, from, strlen(from) + 1);
	memcpy(name + front, ELLIPSIS, size);
	return fits;
}

void name_spare(char *name, int room, int (*columns)(const char *text))
{
	if (columns(name) <= room || (!strstr(name, "::") && !strchr(name, '(')))
		return;
	if (!groups_spare(name, '<', room, columns) && !scopes_spare(name, room, true, columns) &&
	    !groups_spare(name, '(', room, columns))
		scopes_spare(name, room, false, columns);
}
