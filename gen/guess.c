/* SPDX-License-Identifier: MIT */
/*
 * guess.c: applies guess_rules.h to a model. A guess has the words of a descriptor, and goes into
 * the model as a descriptor's words do. So a descriptor that `tracegen suggest` writes has the same
 * effect as the guesses.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "gen/allocate.h"
#include "gen/comment.h"
#include "gen/guess.h"
#include "gen/guess_rules.h"

static void guess_add(struct guesses *guesses, struct guess guess)
{
	*APPEND(guesses->list, guesses->count) = guess;
}

/* Types. */

static void type_guess_flags(struct guesses *guesses, struct type *type)
{
	bool named;

	if (type->kind != TL_KIND_ENUM || !enum_is_of_flags(type, type->spelling, &named))
		return;
	guess_add(guesses, (struct guess){.kind = GUESS_FLAGS,
					  .name = type->spelling,
					  .why = named ? "its values are bits, and its name says so"
						       : "its values are bits",
					  .type = type});
}

/* Results. */

/* True if the name of an enum's value 0 means success. */
static bool enum_is_status(const struct type *type, bool *negative)
{
	bool fine = false;
	size_t below = 0, above = 0;

	for (size_t i = 0; i < type->nenumerators; i++) {
		fine |= type->enumerators[i].value == 0 &&
			rule_fits(RULE_STATUS_FINE, type->enumerators[i].name);
		below += type->enumerators[i].value < 0;
		above += type->enumerators[i].value > 0 && !type->enumerators[i].alias;
	}
	/* None of Vulkan's positive results is a failure; all of curl_multi's are. */
	*negative = below > above;
	return fine && rule_fits(RULE_STATUS_ENUM, type->spelling);
}

/* The word errno, and not a part of another one (archive_errno). */
static bool comment_has_errno(const char *comment)
{
	for (const char *at = comment; at && (at = strstr(at, "errno")); at += 5)
		if (at[5] != '_' && !isalnum((unsigned char)at[5]) &&
		    (at == comment || (at[-1] != '_' && !isalnum((unsigned char)at[-1]))))
			return true;
	return false;
}

/* The comment says that a call which fails sets errno. */
static bool function_sets_errno(const struct function *function)
{
	char *comment = function->comment ? copy_text(function->comment) : NULL;

	if (!comment || !comment_has_errno(comment))
		return false;
	for (char *c = comment; *c; c++)
		if (isspace((unsigned char)*c))
			*c = ' ';
	return rule_fits(RULE_ERRNO_SET, comment) && !rule_fits(RULE_ERRNO_RETURNED, comment);
}

static bool type_is_text(const struct type *type)
{
	return type->kind == TL_KIND_POINTER && type->is_const && type->target &&
	       type->target->kind == TL_KIND_CHAR;
}

/* Which results are failures, as a descriptor has it; NULL: none are, as far as is known. */
static const char *function_failure(const struct function *function, bool sets_errno,
				    const char **why)
{
	const struct type *result = function->result;
	bool negative;

	if (result->kind == TL_KIND_ENUM && enum_is_status(result, &negative)) {
		*why = negative ? "an enum whose failures are negative"
				: "an enum whose value 0 means success";
		return negative ? "negative" : "nonzero";
	}
	if (result->kind == TL_KIND_INT && result->size >= 4 &&
	    (sets_errno || !rule_fits(RULE_NEGATIVE_IS_FINE, function->name))) {
		*why = "a negative number means failure by custom";
		return "negative";
	}
	if ((type_is_object(result) && !rule_fits(RULE_NULL_IS_FINE, function->name)) ||
	    (sets_errno && result->kind == TL_KIND_POINTER)) {
		*why = "NULL means failure by custom, where nothing is looked up";
		return "null";
	}
	return NULL;
}

static void function_guess_result(struct guesses *guesses, struct function *function)
{
	struct guess guess = {.kind = GUESS_RESULT, .name = function->name, .function = function};
	bool sets_errno = function_sets_errno(function);

	guess.says = function_failure(function, sets_errno, &guess.why);
	if (guess.says && sets_errno) {
		guess.sets_errno = true;
		guess.why = "its comment says that errno is set where it fails";
	}
	if (type_is_text(function->result)) {
		guess.text = true;
		guess.why = guess.says ? format_text("%s; a const char * is text", guess.why)
				       : "a const char * is text";
	}
	if (!guess.says && !guess.text)
		return;
	guess.says = guess.says ? guess.says : "never";
	guess_add(guesses, guess);
}

/* Variables. */

/* The parameters of a function, or the members of a struct. */
struct siblings {
	struct variable *list;
	size_t count;
	const char *function; /* NULL: members */
	const char **names;   /* as rules compare them: of counts, else NULL */
	struct counted {
		const struct variable *by; /* NULL: nothing counts it */
		bool bytes;
	} * counted;
};

/* "pValues" is values: the name without what says that it is a pointer. */
static char *name_of_pointee(const char *name)
{
	size_t prefix = 0;

	if (!strncmp(name, "lp", 2) && isupper((unsigned char)name[2]))
		prefix = 2;
	else if (!strncmp(name, "p_", 2) || !strncmp(name, "pp", 2))
		prefix = 2;
	else if (!strncmp(name, "ph", 2) && isupper((unsigned char)name[2]))
		prefix = 2;
	else if (*name == 'p' && isupper((unsigned char)name[1]))
		prefix = 1;
	name += name[prefix] ? prefix : 0;
	return name_squeezed(name, strlen(name));
}

/* "pValues" is value: the part that a count's name may share with it. */
static const char *name_of_element(const char *name)
{
	char *base = name_of_pointee(name);
	size_t length = strlen(base);

	if (length > 5 && !strcmp(base + length - 3, "ies"))
		return format_text("%.*sy", (int)length - 3, base);
	if (length > 3 && base[length - 1] == 's')
		base[length - 1] = '\0';
	return base;
}

/* A rule with the array's name in place of %. */
static const char *rule_for(const char *rule, const char *base)
{
	const char *at = strchr(rule, '%');

	return at ? format_text("%.*s%s%s", (int)(at - rule), rule, base, at + 1) : rule;
}

static bool type_is_count(const struct type *type)
{
	return (type->kind == TL_KIND_INT || type->kind == TL_KIND_UINT) && type->size >= 2;
}

static bool variable_can_count(const struct variable *variable)
{
	const struct type *type = variable->type;

	return type_is_count(type) || (type->kind == TL_KIND_POINTER && type->target &&
				       !type->is_const && type_is_count(type->target));
}

static bool type_is_untyped(const struct type *type)
{
	return !type || type->kind == TL_KIND_VOID;
}

static bool rule_fits_place(enum rule_place rule, size_t array, size_t count)
{
	return rule == RULE_ANYWHERE || count == array + 1 ||
	       (rule == RULE_BESIDE && count + 1 == array);
}

/* (T **array, size_t *count): the call says where its array is, and how long. */
static bool array_comes_out(const struct variable *array, const struct variable *count)
{
	return array->type->target && array->type->target->kind == TL_KIND_POINTER &&
	       !array->type->is_const && count->type->kind == TL_KIND_POINTER;
}

/* dictLength counts dictionary: `base` begins as the count's name does. */
static bool stem_counts(const char *base, const char *count, bool *bytes)
{
	size_t stem = 0;

	while (base[stem] && base[stem] == count[stem])
		stem++;
	*bytes = rule_fits(RULE_STEM_BYTES, count + stem);
	return stem >= RULE_STEM_MIN && (*bytes || rule_fits(RULE_STEM_ENDS, count + stem));
}

static bool sibling_may_count(const struct siblings *all, size_t array, size_t count)
{
	return all->names[count] && count != array &&
	       !array_comes_out(&all->list[array], &all->list[count]);
}

/* The sibling that counts an array, by the first rule that fits one. */
static struct counted array_count(const struct siblings *all, size_t index)
{
	const struct variable *array = &all->list[index];
	const struct type *target = array->type->target;
	const char *base = name_of_element(array->name);
	bool untyped = type_is_untyped(target), bytes;
	bool object = !untyped && (target->kind == TL_KIND_STRUCT || target->kind == TL_KIND_UNION);

	for (size_t i = 0; i < sizeof rules_counts / sizeof *rules_counts; i++) {
		const char *rule = rule_for(rules_counts[i].name, base);

		if ((untyped && rules_counts[i].unit == RULE_ITEMS) ||
		    (object && rules_counts[i].place != RULE_ANYWHERE))
			continue;
		for (size_t j = 0; j < all->count; j++)
			if (sibling_may_count(all, index, j) &&
			    rule_fits_place(rules_counts[i].place, index, j) &&
			    rule_fits(rule, all->names[j]))
				return (struct counted){&all->list[j],
							rules_counts[i].unit == RULE_BYTES};
	}
	for (size_t j = 0; j < all->count; j++)
		if (sibling_may_count(all, index, j) && stem_counts(base, all->names[j], &bytes))
			return (struct counted){&all->list[j], bytes};
	return (struct counted){0};
}

static struct siblings siblings_of(struct variable *list, size_t count, const char *function)
{
	struct siblings all = {.list = list,
			       .count = count,
			       .function = function,
			       .names = allocate(count * sizeof *all.names),
			       .counted = allocate(count * sizeof *all.counted)};

	for (size_t i = 0; i < count; i++)
		if (variable_can_count(&list[i]))
			all.names[i] = name_of_pointee(list[i].name);
	for (size_t i = 0; i < count; i++)
		if (list[i].type->kind == TL_KIND_POINTER &&
		    !rule_fits(RULE_IS_COUNT, list[i].name))
			all.counted[i] = array_count(&all, i);
	return all;
}

/* True if the variable is the count of a sibling that is no number itself. */
static bool variable_counts(const struct siblings *all, size_t index)
{
	for (size_t i = 0; i < all->count; i++) {
		const struct type *target = all->list[i].type->target;

		if (all->counted[i].by == &all->list[index] && !(target && type_is_count(target)))
			return true;
	}
	return false;
}

static bool type_is_byte(const struct type *type)
{
	return !type || type->kind == TL_KIND_VOID || type->kind == TL_KIND_CHAR || type->size == 1;
}

/* True if elements of this type can be shown. */
static bool type_is_element(const struct type *type)
{
	return type_is_byte(type) ||
	       (type->kind != TL_KIND_FUNCTION && type->kind != TL_KIND_ARRAY && !type->incomplete);
}

/* True if comments or the type itself already say how to follow the variable. */
static bool variable_is_told(const struct variable *variable)
{
	struct tags tags = tags_read(variable->comment);
	bool of_const = variable->type->is_const && !(variable->direction & TL_OUT);

	return tags.direction || tags.has_length || tags.address || tags.unknown ||
	       (variable->length.kind != TL_LENGTH_NONE &&
		(!of_const || variable->length.constant != 1));
}

static void array_guess(const struct siblings *all, size_t index, struct guess *guess)
{
	const struct variable *array = &all->list[index], *count = all->counted[index].by;
	bool bytes = all->counted[index].bytes;
	const struct type *target = array->type->target;
	bool pointee = count->type->kind == TL_KIND_POINTER;
	bool in = array->type->is_const || !all->function ||
		  rule_fits(RULE_READ_NAMES, array->name) ||
		  (rule_fits(RULE_READS, all->function) && !rule_fits(RULE_FILLS, all->function));

	guess->says = format_text("[%s][%s%s%s)][checked]", in ? "in" : "out",
				  bytes && !type_is_byte(target) ? "bytes(" : "range(0, ",
				  pointee ? "*" : "", count->name);
	guess->why = format_text("%s counts its %s", count->name,
				 bytes || type_is_byte(target) ? "bytes" : "elements");
}

/* Guess what a pointer leads to, and whether it goes in or comes out. False: there is no guess. */
static bool variable_guess(const struct siblings *all, size_t index, struct guess *guess)
{
	const struct variable *variable = &all->list[index];
	const struct type *type = variable->type, *target = type->target;

	if (type->kind != TL_KIND_POINTER || variable_is_told(variable) ||
	    !type_is_element(target) ||
	    (!type->is_const && (!all->function || rule_fits(RULE_ENDS, all->function))))
		return false;
	bool text = target && target->kind == TL_KIND_CHAR && type->is_const;
	bool scalar = target && target->kind != TL_KIND_VOID && target->kind != TL_KIND_STRUCT &&
		      target->kind != TL_KIND_UNION;
	if (all->counted[index].by && (!text || rule_fits(RULE_IS_BYTES, variable->name))) {
		array_guess(all, index, guess);
	} else if (type->is_const || !scalar || type_is_byte(target)) {
		/* const alone has already settled text and single structs. */
		return false;
	} else if (variable_counts(all, index)) {
		guess->says = "[in,out][elements(1)][checked]";
		guess->why = "it counts an array, before the call and behind it";
	} else if (rule_fits(RULE_NOT_OUT, variable->name)) {
		return false;
	} else {
		guess->says = "[out][elements(1)][checked]";
		guess->why =
			target->kind == TL_KIND_POINTER || target->kind == TL_KIND_HANDLE
				? "a pointer to a pointer is where an object comes out"
				: "a pointer to a number that is not const is where it comes out";
	}
	return true;
}

static void function_guess_params(struct guesses *guesses, struct function *function)
{
	struct siblings all = siblings_of(function->params, function->nparams, function->name);

	for (size_t i = 0; i < function->nparams; i++) {
		struct guess guess = {.kind = GUESS_VARIABLE,
				      .function = function,
				      .variable = &function->params[i]};

		guess.name = format_text("%s:%s", function->name, function->params[i].name);
		if (variable_guess(&all, i, &guess))
			guess_add(guesses, guess);
	}
}

static void type_guess_members(struct guesses *guesses, struct type *type)
{
	if (type->kind != TL_KIND_STRUCT || strpbrk(type->spelling, "(:."))
		return;
	struct siblings all = siblings_of(type->members, type->nmembers, NULL);
	for (size_t i = 0; i < type->nmembers; i++) {
		struct guess guess = {
			.kind = GUESS_VARIABLE, .type = type, .variable = &type->members[i]};

		guess.name = format_text("%s.%s", type->spelling, type->members[i].name);
		if (type->members[i].type->is_const && variable_guess(&all, i, &guess))
			guess_add(guesses, guess);
	}
}

struct guesses model_guess(const struct model *model)
{
	struct guesses guesses = {0};

	for (size_t i = 0; i < model->ntypes; i++)
		type_guess_flags(&guesses, model->types[i]);
	for (size_t i = 0; i < model->nfunctions; i++) {
		struct function *function = &model->functions[i];

		if (function->left_out && !function->only_generic)
			continue;
		function_guess_result(&guesses, function);
		function_guess_params(&guesses, function);
	}
	for (size_t i = 0; i < model->ntypes; i++)
		type_guess_members(&guesses, model->types[i]);
	model_guess_objects(model, &guesses);
	model_guess_flags(model, &guesses);
	return guesses;
}

static enum tl_failure failure_guessed(const char *says)
{
	return !strcmp(says, "negative") ? TL_FAILURE_NEGATIVE
	       : !strcmp(says, "null")	 ? TL_FAILURE_NULL
	       : !strcmp(says, "never")	 ? TL_FAILURE_NEVER
					 : TL_FAILURE_NONZERO;
}

void model_apply_guesses(const struct guesses *guesses)
{
	for (size_t i = 0; i < guesses->count; i++) {
		const struct guess *guess = &guesses->list[i];
		struct tags tags;

		switch (guess->kind) {
		case GUESS_FLAGS:
			guess->type->kind = TL_KIND_FLAGS;
			break;
		case GUESS_RESULT:
			guess->function->failure = failure_guessed(guess->says);
			guess->function->flags |= guess->text ? TL_FUNCTION_TEXT : 0u;
			guess->function->flags |= guess->sets_errno ? TL_FUNCTION_ERRNO : 0u;
			break;
		case GUESS_CREATES:
			guess->function->flags |= TL_FUNCTION_CREATES;
			break;
		case GUESS_DESTROYS:
			guess->function->flags |= TL_FUNCTION_DESTROYS;
			break;
		case GUESS_RETAINS:
			guess->function->flags |= TL_FUNCTION_RETAINS;
			break;
		case GUESS_CONSTANTS:
			guess->variable->type = guess->type;
			break;
		case GUESS_VARIABLE:
			tags = tags_read(guess->says);
			if (guess->function)
				variable_settle(guess->variable, &tags, guess->function->params,
						guess->function->nparams);
			else
				variable_settle(guess->variable, &tags, guess->type->members,
						guess->type->nmembers);
			break;
		}
	}
}
