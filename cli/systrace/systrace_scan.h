/* SPDX-License-Identifier: MIT */
/*
 * systrace_scan.h: finds the lines of interest in a large text. Few lines of a systrace are of
 * interest, so reading a systrace takes as long as this search.
 *
 * Sixteen bytes at a time are compared, in vectors that gcc and clang have for every machine. What
 * looks like such a line is looked at closely by the caller.
 */
#ifndef TL_CLI_SYSTRACE_SYSTRACE_SCAN_H
#define TL_CLI_SYSTRACE_SYSTRACE_SCAN_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t scan_vector __attribute__((vector_size(16)));

/* What the search looks for: all signs, or only that of rows with marks. */
enum scan_signs { SCAN_ALL, SCAN_ROWS };

static inline scan_vector scan_load(const char *at)
{
	scan_vector vector;

	memcpy(&vector, at, sizeof(vector));
	return vector;
}

static inline bool scan_any(scan_vector vector)
{
	uint64_t halves[2];

	memcpy(halves, &vector, sizeof(halves));
	return (halves[0] | halves[1]) != 0;
}

/*
 * Bytes where "k_w" begins, of tracing_mark_write; and the beginnings of "[NN", "HIDL::" and
 * "</script>", by two bytes of each.
 */
static inline scan_vector scan_signs_at(const char *at, enum scan_signs signs)
{
	scan_vector here = scan_load(at), next = scan_load(at + 1);
	scan_vector found =
		(scan_vector)((here == 'k') & (next == '_') & (scan_load(at + 2) == 'w'));

	if (signs == SCAN_ALL)
		found |= (scan_vector)(((here == '[') & (next == 'N')) |
				       ((here == 'L') & (next == ':')) |
				       ((here == '<') & (next == '/')));
	return found;
}

static inline bool scan_sign(const char *at, enum scan_signs signs)
{
	if (at[0] == 'k')
		return at[1] == '_' && at[2] == 'w';
	if (signs != SCAN_ALL)
		return false;
	return (at[0] == '[' && at[1] == 'N') || (at[0] == 'L' && at[1] == ':') ||
	       (at[0] == '<' && at[1] == '/');
}

/* The memory behind the text must be readable for this many bytes. */
#define SCAN_BEHIND 66

/* The first sign in these 64 bytes, of which one has one, or the text's end. */
static inline const char *scan_closely(const char *at, const char *end, enum scan_signs signs)
{
	while (!scan_any(scan_signs_at(at, signs)))
		at += 16;
	while (at < end && !scan_sign(at, signs))
		at++;
	return at < end ? at : end;
}

/* The first sign in the text, or its end. */
static inline const char *signs_scan(const char *at, const char *end, enum scan_signs signs)
{
	for (; at < end; at += 64)
		if (scan_any(scan_signs_at(at, signs) | scan_signs_at(at + 16, signs) |
			     scan_signs_at(at + 32, signs) | scan_signs_at(at + 48, signs)))
			return scan_closely(at, end, signs);
	return end;
}

#endif
