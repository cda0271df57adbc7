/* SPDX-License-Identifier: MIT */
/*
 * pftrace_notes.h: arguments as debug annotations.
 */
#ifndef TL_FORMAT_ENCODE_PFTRACE_NOTES_H
#define TL_FORMAT_ENCODE_PFTRACE_NOTES_H

#include "format/args/args.h"
#include "format/encode/pftrace.h"
#include "format/encode/pftrace_names.h"

struct tl_pf_text {
	const char *bytes;
	size_t size;
};

static inline struct tl_pf_text tl_pf_text(const char *string)
{
	return (struct tl_pf_text){string, strlen(string)};
}

/* Must be free behind .end: sizes that take more than a byte move what follows them. */
#define TL_PF_NOTES_SPARE 1024

#define TL_PF_NOTES_DEPTH 64 /* annotations in annotations */

/* Where annotations go. One that has no room is left out whole, and .text.cut set. */
struct tl_pf_notes {
	struct tl_text text; /* the first: sinks are given no more */
	struct tl_pf_names *names;
	unsigned depth; /* annotations that are begun and not ended */
};

static inline bool tl_pf_notes_have_room(struct tl_pf_notes *notes, size_t size)
{
	if ((size_t)(notes->text.end - notes->text.at) >= size)
		return true;
	notes->text.cut = true;
	return false;
}

/* A function's parameter, or its result. */
struct tl_pf_step {
	const char *key;
	struct tl_pf_name *name; /* the key's; NULL: it has none */
	const struct tl_type *type;
	uint32_t word;
	uint8_t how;
	uint8_t unused; /* bits of the word that are not the value's */
	/* The enumerator that came last. */
	uint64_t value;
	struct tl_pf_name *enumerator;
};

void tl_pf_step_make(struct tl_pf_step *step, struct tl_pf_names *names,
		     const struct tl_variable *variable);

/*
 * Adds a parameter that needs no captured memory. False: it needs that, and nothing was added.
 * `captured`: there is such memory.
 */
bool tl_pf_note_step(struct tl_pf_notes *notes, struct tl_pf_step *step, uint64_t word,
		     bool captured);

/* Adds one with a value in the field of DebugAnnotation for its kind; a double by its bits. */
void tl_pf_note_value(struct tl_pf_notes *notes, struct tl_pf_text key, uint32_t field,
		      uint64_t value);

/* Adds an integer; beyond 2 to the 53 it is text, as in JSON (tl_text_integer). */
void tl_pf_note_integer(struct tl_pf_notes *notes, struct tl_pf_text key, uint64_t value,
			bool is_signed);

/* Adds one with a string that may come again. */
void tl_pf_note_string(struct tl_pf_notes *notes, struct tl_pf_text key, struct tl_pf_text string);

/* pftrace_sink.c: the text that this sink is given is the one of a struct tl_pf_notes. */
extern const struct tl_sink tl_pf_sink;

/*
 * Parts of a DebugAnnotation for which there is room. Each returns where it ends. The key; a string
 * that comes again; and an integer, as tl_pf_note_integer has it.
 */
char *tl_pf_note_key(struct tl_pf_notes *notes, char *at, struct tl_pf_name *name,
		     struct tl_pf_text key);
char *tl_pf_note_repeated(struct tl_pf_notes *notes, char *at, struct tl_pf_name *name,
			  struct tl_pf_text string);
char *tl_pf_note_number(char *at, uint64_t value, bool is_signed);
#define TL_PF_STRING_ROOM (TL_PF_STRING_MAX + TL_PROTOBUF_NUMBER)
#define TL_PF_NOTE_ROOM	  (TL_PF_STRING_ROOM + 3 * TL_PROTOBUF_NUMBER)

/* pftrace_members.c: the members of a JSON object, without its braces. */
void tl_pf_note_members(struct tl_pf_notes *notes, const char *members, size_t size);

/*
 * A string as a field: bytes that are not UTF-8 are replaced, all beyond 1024 bytes are left out.
 * Up to TL_PF_STRING_MAX bytes.
 */
char *tl_pf_string(char *at, uint32_t field, struct tl_pf_text string);
#define TL_PF_STRING_MAX 3200

/* A name of the string as tl_pf_string writes it. */
struct tl_pf_name *tl_pf_name_clean(struct tl_pf_names *names, uint32_t field,
				    struct tl_pf_text string);

#endif
