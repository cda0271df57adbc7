/* SPDX-License-Identifier: MIT */
/*
 * guess_flags.c: which macros a parameter called "flags" is a sum of. C says nothing of that. Headers
 * do, in three ways, and the first that gives a set decides:
 *
 *	1. The parameter's comment, or the function's, names them: `@see JAR_FLAG_*`.
 *	2. The comment above the group of macros, or behind each macro, names the function.
 *	3. Their names begin as the function's does, and go on as the parameter is called:
 *	   JAR_OPEN_FLAG_RAW of jar_open's flags; or JAR_FLAG_RAW, if there is no closer one.
 *
 * A set has at least two bits, and nothing but bits and sums of them. Values that count 0, 1, 2, 3
 * are no bits, unless the parameter is called flags; it has one of them.
 */
#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "gen/allocate.h"
#include "gen/guess.h"
#include "gen/guess_rules.h"

/* All constants of the headers as one list, with the comments above their groups. */
struct constant {
	const struct enumerator *value;
	const char *title;
};

struct flag_guesses {
	struct guesses *guesses;
	struct constant *constants;
	size_t count;
};

static bool is_one_bit(int64_t value)
{
	return value > 0 && (value & (value - 1)) == 0;
}

/* Every value is a bit, or a sum of the bits that have names; how many there are of each. */
static bool enum_is_bits(const struct type *type, unsigned *count, unsigned *sums)
{
	uint64_t bits = 0;

	*sums = 0;

	for (size_t i = 0; i < type->nenumerators; i++)
		if (is_one_bit(type->enumerators[i].value))
			bits |= (uint64_t)type->enumerators[i].value;
	*count = (unsigned)__builtin_popcountll(bits);
	for (size_t i = 0; i < type->nenumerators; i++) {
		int64_t value = type->enumerators[i].value;

		if (type->enumerators[i].alias || value == -1 || !value || is_one_bit(value))
			continue;
		if (((uint64_t)value & ~bits & 0x7fffffff) != 0)
			return false;
		++*sums;
	}
	return true;
}

bool enum_is_of_flags(const struct type *type, const char *name, bool *named)
{
	unsigned count, sums;
	size_t words = 0;

	if (!enum_is_bits(type, &count, &sums) || count < 2)
		return false;
	for (size_t i = 0; i < type->nenumerators; i++)
		words += rule_fits(RULE_FLAGS_ENUM, type->enumerators[i].name);
	*named = rule_fits(RULE_FLAGS_ENUM, name) || 2 * words > type->nenumerators;
	return *named ? sums <= count : !sums && count >= RULE_FLAGS_COUNT;
}

static bool is_word(char c)
{
	return c == '_' || isalnum((unsigned char)c);
}

/* True if `word` is in `text` as a whole word. */
static bool text_names(const char *text, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = text; at && (at = strstr(at, word)); at += length)
		if ((at == text || !is_word(at[-1])) && !is_word(at[length]))
			return true;
	return false;
}

/*
 * True if the values are 0, 1, 2, 3 and so on, and perhaps -1, for none of these. Such values are
 * numbers, and sums only by chance.
 */
static bool set_counts(const struct type *type)
{
	uint64_t seen = 0;

	for (size_t i = 0; i < type->nenumerators; i++) {
		if (type->enumerators[i].value == -1)
			continue;
		if ((uint64_t)type->enumerators[i].value > 63)
			return false;
		seen |= UINT64_C(1) << type->enumerators[i].value;
	}
	return (seen | 1) > 0x7 && ((seen | 1) & ((seen | 1) + 1)) == 0;
}

static bool set_is_of_bits(const struct type *type)
{
	uint64_t bits = 0;
	unsigned count = 0;

	for (size_t i = 0; i < type->nenumerators; i++) {
		uint64_t value = (uint64_t)type->enumerators[i].value;

		if (value && !(value & (value - 1))) {
			count += !(bits & value);
			bits |= value;
		}
	}
	for (size_t i = 0; i < type->nenumerators; i++)
		if ((uint64_t)type->enumerators[i].value & ~bits & UINT32_MAX)
			return false;
	return count >= 2;
}

/* Constants whose names begin so. */
static void set_add_prefix(const struct flag_guesses *all, struct type *set, const char *prefix,
			   size_t length)
{
	for (size_t i = 0; i < all->count; i++)
		if (!strncmp(all->constants[i].value->name, prefix, length) &&
		    all->constants[i].value->name[length])
			enumerator_add(set, *all->constants[i].value);
}

/* 1. "JAR_FLAG_*" in a comment, or two constants by their names. */
static void set_of_comment(const struct flag_guesses *all, struct type *set, const char *comment)
{
	for (const char *at = comment; at && *at;) {
		size_t length = 0;

		while (isupper((unsigned char)at[length]) || isdigit((unsigned char)at[length]) ||
		       at[length] == '_')
			length++;
		if (length > 2 && at[length - 1] == '_' && isupper((unsigned char)*at))
			set_add_prefix(all, set, at, length);
		else if (length > 2 && !is_word(at[length]))
			for (size_t i = 0; i < all->count; i++)
				if (strlen(all->constants[i].value->name) == length &&
				    !strncmp(all->constants[i].value->name, at, length))
					enumerator_add(set, *all->constants[i].value);
		at += length;
		while (*at && is_word(*at))
			at++;
		while (*at && !is_word(*at))
			at++;
	}
}

/* 2. "flags for jar_open" above the macros, or "for jar_open" behind each. */
static void set_of_mentions(const struct flag_guesses *all, struct type *set,
			    const struct function *function)
{
	for (size_t i = 0; i < all->count; i++) {
		const struct constant *constant = &all->constants[i];

		if ((rule_fits(RULE_FLAGS_TITLE, constant->title) &&
		     text_names(constant->title, function->name)) ||
		    (constant->value->comment &&
		     text_names(constant->value->comment, function->name)))
			enumerator_add(set, *constant->value);
	}
}

/* The length of "JAR_OPEN_" in "JAR_OPEN_FLAG_RAW", if FLAG is a word for flags; 0: the name has another form. */
static size_t constant_stem(const char *name, size_t *prefix)
{
	for (const char *at = strchr(name, '_'); at; at = strchr(at + 1, '_')) {
		size_t length = strcspn(at + 1, "_");

		if (at[1 + length] &&
		    fnmatch(RULE_FLAGS_WORD, copy_bytes(at + 1, length), FNM_EXTMATCH) == 0) {
			*prefix = (size_t)(at - name) + 1 + length + 1;
			return (size_t)(at - name);
		}
	}
	return 0;
}

/* The function's name begins as the constant's does: jarOpen, jar_open and JAR_OPEN. */
static bool stem_begins(const char *stem, size_t length, const char *function)
{
	for (size_t i = 0; i < length; i++) {
		if (stem[i] == '_')
			continue;
		while (*function == '_')
			function++;
		if (toupper((unsigned char)*function++) != stem[i])
			return false;
	}
	return true;
}

/* 3. The closest family; nothing where two are as close. */
static void set_of_names(const struct flag_guesses *all, struct type *set,
			 const struct function *function)
{
	const char *best = NULL;
	size_t best_stem = 0, best_prefix = 0;
	bool two = false;

	for (size_t i = 0; i < all->count; i++) {
		const char *name = all->constants[i].value->name;
		size_t prefix = 0, stem = constant_stem(name, &prefix);

		if (!stem || stem < best_stem || !stem_begins(name, stem, function->name))
			continue;
		if (stem > best_stem)
			two = false;
		else if (prefix != best_prefix || strncmp(best, name, prefix) != 0)
			two = true;
		best = name;
		best_stem = stem;
		best_prefix = prefix;
	}
	if (best && !two)
		set_add_prefix(all, set, best, best_prefix);
}

/* True if the header gives the parameter no name. The model then calls it "arg1". */
static bool param_is_unnamed(const struct variable *param)
{
	return !strncmp(param->name, "arg", 3) && isdigit((unsigned char)param->name[3]);
}

static struct type *set_begin(const struct variable *param)
{
	struct type *set = allocate(sizeof *set);

	set->kind = TL_KIND_FLAGS;
	set->size = param->type->size;
	set->align = param->type->align;
	return set;
}

/* The type of an earlier guess with the same flags, for a parameter of the same type; NULL: there is none. */
static struct type *set_known(const struct guesses *guesses, const struct type *set,
			      const struct type *old)
{
	for (size_t i = 0; i < guesses->count; i++) {
		const struct guess *guess = &guesses->list[i];
		bool same = guess->kind == GUESS_CONSTANTS &&
			    guess->type->nenumerators == set->nenumerators &&
			    !strcmp(guess->variable->type->spelling, old->spelling);

		for (size_t j = 0; same && j < set->nenumerators; j++)
			same = !strcmp(guess->type->enumerators[j].name, set->enumerators[j].name);
		if (same)
			return guess->type;
	}
	return NULL;
}

static void param_guess_flags(const struct flag_guesses *all, struct function *function,
			      struct variable *param)
{
	static const char *const whys[] = {
		"its comment names them", "the function's comment names them",
		"their comments name the function", "their names begin as the function's does"};
	struct guess guess = {.kind = GUESS_CONSTANTS, .function = function, .variable = param};
	struct type *set = NULL;

	for (size_t way = 0; way < sizeof whys / sizeof *whys && !guess.why; way++) {
		set = set_begin(param);
		if (way == 0)
			set_of_comment(all, set, param->comment);
		else if (way == 1 && rule_fits(RULE_FLAGS_PLAIN, param->name))
			set_of_comment(all, set, function->comment);
		else if (way == 2)
			set_of_mentions(all, set, function);
		else if (way == 3 && !param_is_unnamed(param))
			set_of_names(all, set, function);
		bool named;
		set->name = set->spelling = format_text("%s_%s", function->name, param->name);
		/* What an enum of that name would not be: a model is guessed at once more. */
		bool counts = set_counts(set) && !rule_fits("*flag*", param->name) &&
			      !enum_is_of_flags(set, set->name, &named);
		if (counts)
			set->kind = TL_KIND_ENUM;
		if (counts || set_is_of_bits(set))
			guess.why = whys[way];
	}
	if (!guess.why)
		return;
	guess.type = set_known(all->guesses, set, param->type);
	if (!guess.type)
		guess.type = set;
	guess.name = format_text("%s:%s", function->name, param->name);
	*APPEND(all->guesses->list, all->guesses->count) = guess;
}

static bool type_is_word(const struct type *type)
{
	return (type->kind == TL_KIND_INT || type->kind == TL_KIND_UINT) && type->size >= 2;
}

/*
 * True if the parameter's name says flags. A parameter without a name counts if its type's name does, or
 * if it is the function's only number.
 */
static bool param_may_be_flags(const struct function *function, const struct variable *param)
{
	size_t words = 0;

	if (!type_is_word(param->type))
		return false;
	if (!param_is_unnamed(param))
		return rule_fits(RULE_FLAGS_PARAM, param->name);
	for (size_t i = 0; i < function->nparams; i++)
		words += type_is_word(function->params[i].type);
	return words == 1 || rule_fits("*flag*", param->type->spelling);
}

void model_guess_flags(const struct model *model, struct guesses *guesses)
{
	struct flag_guesses all = {.guesses = guesses};

	for (size_t i = 0; i < model->nconstants; i++)
		for (size_t j = 0; !model->constants[i].is_enum && j < model->constants[i].nvalues;
		     j++)
			*APPEND(all.constants, all.count) = (struct constant){
				&model->constants[i].values[j], model->constants[i].title};
	for (size_t i = 0; all.count && i < model->nfunctions; i++) {
		struct function *function = &model->functions[i];

		for (size_t j = 0; j < function->nparams; j++)
			if (param_may_be_flags(function, &function->params[j]))
				param_guess_flags(&all, function, &function->params[j]);
	}
}
