/* SPDX-License-Identifier: MIT */
/*
 * guess_rules.h: the rules by which tracegen guesses what neither a header's comments nor a
 * descriptor say. guess.c applies them; `tracegen suggest` writes the guesses as a descriptor.
 *
 * A wrong guess shows a wrong argument and does no more harm: memory is read by a checked copy.
 * Patterns are those of fnmatch(3) with FNM_EXTMATCH, and compared without regard to case.
 */
#ifndef TL_GEN_GUESS_RULES_H
#define TL_GEN_GUESS_RULES_H

#include <fnmatch.h>
#include <stdbool.h>

#include "tracelayer/api.h"

static inline bool rule_fits(const char *rule, const char *text)
{
	return fnmatch(rule, text, FNM_EXTMATCH | FNM_CASEFOLD) == 0;
}

/*
 * The name of an array's count, in lower case and without underscores; % is the array's name without
 * "p" in front and "s" behind. The first rule that a sibling fits decides.
 */
enum rule_unit {
	RULE_BYTES, /* the count is of bytes */
	RULE_UNITS, /* of elements; of bytes where these have no type */
	RULE_ITEMS, /* of elements; where these have no type, of something unknown: no rule then */
};

enum rule_place {
	RULE_ANYWHERE,
	RULE_BEHIND, /* right behind the array */
	RULE_BESIDE, /* right behind it or in front of it */
};

static const struct {
	const char *name;
	enum rule_unit unit;
	enum rule_place place;
} rules_counts[] = {
	{"@(n|len|lengthof)%?(s)", RULE_UNITS, RULE_ANYWHERE},
	{"@(num|nr|numof|numberof|count|countof)%?(s)", RULE_ITEMS, RULE_ANYWHERE},
	{"%?(s)@(n|len|length)", RULE_UNITS, RULE_ANYWHERE},
	{"%?(s)@(num|nr|count|cnt|nelem?(s)|nitems)", RULE_ITEMS, RULE_ANYWHERE},
	{"@(cb|nbytes|sizeof|size|bytesof)%?(s)", RULE_BYTES, RULE_ANYWHERE},
	{"%?(s)@(size|sz|bytes|nbytes|bytesize|sizeinbytes|byte@(len|length|count))", RULE_BYTES,
	 RULE_ANYWHERE},
	{"@(len|length)", RULE_UNITS, RULE_BEHIND},
	{"@(n|num|nr|count|cnt|nmemb|nelem?(s)|nitems|nelements|elements|entries)", RULE_ITEMS,
	 RULE_BESIDE},
	{"@(size|sz|bytes|n?(b)yte?(s)|max@(len|length|size)|buf?(fer)@(len|length|size|sz)|data@(len|length|size))",
	 RULE_BYTES, RULE_BEHIND},
};

/*
 * A count may also have the beginning of the array's name, as dictLength counts dictionary. The
 * ends of such a count's name, and the least length of that beginning.
 */
#define RULE_STEM_ENDS	"@(n|len|length|num|count|cnt)"
#define RULE_STEM_BYTES "@(size|sz|bytes)"
#define RULE_STEM_MIN	3

/* A variable with such a name is a count, and no array. */
#define RULE_IS_COUNT "@(n|*@(len|length|count|cnt|size|num|bytes|nread|nwritten|written)*)"

/* An array of char of such a name is no text, if it has a count: it may hold any byte. */
#define RULE_IS_BYTES "*@(buf|data|bytes|blob|mem|raw|input|src|source|payload|packet|msg|block)*"

/*
 * A call fills what a pointer without const leads to, with two exceptions: functions whose name
 * fits RULE_READS but not RULE_FILLS, and parameters whose name fits RULE_READ_NAMES. These read
 * it.
 */
#define RULE_READS                                                                                 \
	"@(*@(write|send|push|append|encode|submit|upload|feed|update)*|*_@(set|put|load|add)?(_*)|@(set|put)_*|*[a-z]@(Set|Put|Load|Add)[A-Z]*)"
#define RULE_FILLS	"*@(get|read|recv|receive|query|fetch|recieve)*"
#define RULE_READ_NAMES "@(in|in_*|input*|src*|source*|from*|pIn*|pSrc*)"

/* Functions that end what a pointer leads to: after the call there is nothing to read. */
#define RULE_ENDS                                                                                  \
	"*@(free|destroy|delete|close|release|unref|dispose|finalize|finalise|cleanup|clear|reset|detach|drop)*"

/* Lists that end with NULL, and places for the program's own data: no object comes out of these. */
#define RULE_NOT_OUT "*@(argv|envp|environ|list|array|user|priv|ctx|context|cookie|opaque|closure)*"

/* For functions with such names, a negative result or NULL is no failure. */
#define RULE_NEGATIVE_IS_FINE                                                                      \
	"*@(cmp|compare|coll|diff|sub|sign|offset|delta|neg|abs|min|max|round|mul|div|add|log)*"
#define RULE_NULL_IS_FINE                                                                                                            \
	"@(*@(get|find|next|prev|first|last|lookup|search|query|peek|current|parent|child|sibling|head|tail|error|data|name|value)*" \
	"|*@(poll|remove|delete|steal|detach|dequeue|exchange|list_reverse|list_concat|list_sort)*"                                  \
	"|*@([!o]check|iter|hook|join|pop|nth)|*@(pop|nth)_*|*marshal*flags)"

/*
 * A comment that has the word errno says that a failed call sets it, unless the result itself is the
 * number.
 */
#define RULE_ERRNO_SET                                                                             \
	"@(*@(set|sets|setting|in|with|via|and|check|see|read|inspect|consult|use|through|by)*([!a-z])?(the|global|the global|variable)*([!a-z])errno*|*errno*([!a-z])@(is|was|will be|set|indicat|contain|check|appropriate)*)"
#define RULE_ERRNO_RETURNED                                                                        \
	"@(*@(-|negative|negative value of|negated|minus)*([!a-z])errno*|*return?(s) @(an|the) errno*)"

/* An enum that says whether a call succeeded: its own name, and the name of its value 0. */
#define RULE_STATUS_ENUM                                                                           \
	"*@(result|error|err|errno|status|code|ret|rc|retcode|errcode|errorcode|errors)?(_t|_e|s)"
#define RULE_STATUS_FINE                                                                           \
	"*@(ok|okay|success|succeeded|noerr|noerror|no_err|no_error|none|no_errors)*"

/*
 * An enum whose values are bits. Either it has at least RULE_FLAGS_COUNT of the values 1, 2, 4, 8
 * and so on, and no sums; or its name, or most of its values' names, fit RULE_FLAGS_ENUM, and it
 * has no more sums than bits.
 */
#define RULE_FLAGS_ENUM	 "*@(flag|mask|bits|bitfield|caps)*"
#define RULE_FLAGS_COUNT 4

/*
 * Flags that are macros: parameters that may be sums of them; parameters whose name says nothing
 * else; comments above groups of such macros; the word in the macros' names, in capitals.
 */
#define RULE_FLAGS_PARAM                                                                           \
	"@(?(*_)@(flag|mode|option|opt|mask)?(s)|*[a-z]@(Flag|Mode|Option|Mask)?(s))"
#define RULE_FLAGS_PLAIN "@(flag|mode|option|opt|mask)?(s)"
#define RULE_FLAGS_TITLE "*@(flag|option|mode|mask|bit)*"
#define RULE_FLAGS_WORD	 "@(FLAG|MODE|OPTION|OPT|MASK|FL)?(S)"

/* Functions that make an object, and those that end one; here case counts. */
#define RULE_CREATES                                                                               \
	"@(*[Cc]reate*|*[Oo]pen?(_*|[0-9]*|[A-Z]*|)|*_new?(_*)|*[a-z]New*|new_*|*_init|*[a-z]Init?(_|[0-9])*|*[Aa]lloc*|*_dup|*_clone|*[Cc]onnect*|*_start)"
#define RULE_DESTROYS                                                                              \
	"@(*_destroy_*|*[Dd]estroy?([A-Z]*)|*[Ff]ree?([A-Z]*|_mem*)|free_*|*[Rr]elease?([A-Z]*)|*[Uu]nref|*[Dd]ispose?([A-Z]*)|*[Dd]isconnect?([A-Z]*))"
/* With these, only functions that take nothing but objects: gdbm_delete takes a key, and ends that. */
#define RULE_DESTROYS_OBJECTS "@(*_del|*[Dd]elete?([A-Z]*))"
/* A function with a weak end ends an object only if a function with the same beginning makes one. */
static const char *const rules_weak_ends[] = {"close", "Close",	  "close_v2", "_end",	  "End",
					      "_fini", "_deinit", "_cleanup", "_finalize"};
static const char *const rules_beginnings[] = {"open",	  "Open",   "_init", "Init",
					       "_create", "Create", "_new",  "_start"};
/*
 * A function that takes an object alone ends it, if the function makes it whose name has the other
 * word of a pair: glp_delete_prob, because of glp_create_prob.
 */
static const char *const rules_pairs[][2] = {{"_free_", "_alloc_"},    {"_free_", "_create_"},
					     {"_free_", "_new_"},      {"_free_", "_init_"},
					     {"_delete_", "_create_"}, {"_delete_", "_new_"},
					     {"_del_", "_new_"},       {"_close_", "_open_"},
					     {"_close", "_init"},      {"Close", "Open"}};
/*
 * A function that takes an object alone takes one more reference to it, if one of the functions
 * above ends the same object.
 */
#define RULE_RETAINS                                                                               \
	"*@(_ref|_reference|_retain|_add_ref|_addref|_up_ref|[a-z]@(Ref|Reference|Retain|AddRef))"
/*
 * A passing end is none if a function with the same beginning and a lasting end takes the same
 * object, and nothing else: archive_read_close leaves it to archive_read_free. But if the opposite
 * function makes the object, both end it (snd_mixer_open, snd_mixer_close, snd_mixer_free), unless
 * references are counted.
 */
static const char *const rules_passing_ends[] = {"close", "Close", "disconnect", "Disconnect"};
static const char *const rules_passing_starts[] = {"open", "Open", "connect", "Connect"};
#define RULE_LASTING_ENDS "@([Ff]ree|[Dd]estroy|[Dd]ispose|[Uu]nref|[Rr]elease)"
#define RULE_COUNTED_ENDS "[Uu]nref"
/*
 * Such an end is none, either, if two functions with the same beginning count the object's
 * references: wgpuBufferDestroy gives up the buffer's memory, and leaves it to wgpuBufferRelease.
 * (What goes with an unref may give up a reference, as g_hash_table_destroy.)
 */
#define RULE_GIVES_REFERENCE "[Rr]elease"
#define RULE_TAKES_REFERENCE "@(retain|add_ref|addref|Retain|AddRef)"
static const char *const rules_ends_of_use[] = {"destroy", "Destroy", "dispose", "Dispose"};
/* Nor is av_frame_unref an end of the frame, if av_frame_free takes the place that it lies in. */
static const char *const rules_ends_of_content[] = {"_unref", "Unref"};
#define RULE_ENDS_AT_PLACE "@(_free|_freep|Free)"
/*
 * A function that names what it ends, and takes an object and other values, ends what it names:
 * XDestroyWindow takes a Display, and ends a window. These words name nothing.
 */
static const char *const rules_end_verbs[] = {"free",	 "Free",    "destroy",
					      "Destroy", "release", "Release"};
#define RULE_ENDED_ALL                                                                             \
	"?(_)@([Aa]ll|[Ff]ull|[Ll]ist|[Aa]rray|[Vv]ector|[Tt]able|[Ss]truct|[Dd]eep|[Ee]x|[Ss]elf|[Oo]bject|[Ff]lag|[Ww]ith*|[0-9]|p|v|n)?(s|_*)"

#endif
