/* SPDX-License-Identifier: MIT */
/*
 * descriptor_variables.c: "variables", "outputs" and "enums": what a descriptor says of parameters,
 * results and members.
 */
#include <fnmatch.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "common/stages.h"
#include "gen/allocate.h"
#include "gen/descriptor.h"
#include "gen/comment.h"

/*
 * "variables": tags for parameters (FUNCTION:NAME), results (FUNCTION:return) and members
 * (TYPE.NAME).
 */

struct variable_rule {
	const char *pattern; /* of the variable's own name */
	const char *key;     /* the whole, as written */
	struct tags tags;
	struct type *type;	 /* for "enums": what the variable's type becomes */
	const char *of;		 /* for "enums": variables of this type only, unless NULL */
	struct variable ***done; /* variables that an earlier rule decided */
	size_t *ndone;
	bool matched;
};

static bool variable_is_done(const struct variable_rule *rule, const struct variable *variable)
{
	for (size_t i = 0; i < *rule->ndone; i++)
		if ((*rule->done)[i] == variable)
			return true;
	return false;
}

static void variables_tag(struct descriptor *descriptor, struct variable_rule *rule,
			  struct variable *list, size_t count, const char *owner)
{
	for (size_t i = 0; i < count; i++) {
		if (!pattern_matches(rule->pattern, list[i].name))
			continue;
		rule->matched = true;
		if (variable_is_done(rule, &list[i]))
			continue;
		/*
		 * A pattern is for many functions. It skips those that lack the sibling that its
		 * length names.
		 */
		struct variable before = list[i];
		if (!variable_settle(&list[i], &rule->tags, list, count)) {
			list[i] = before;
			if (!name_is_pattern(rule->key))
				descriptor_wrong(
					descriptor, "variables", rule->key,
					format_text(
						"%s has no %s%s%s to count %s by; correct the name",
						owner, rule->tags.length.sibling,
						rule->tags.length.member ? "->" : "",
						rule->tags.length.member ? rule->tags.length.member
									 : "",
						list[i].name));
			continue;
		}
		*APPEND(*rule->done, *rule->ndone) = &list[i];
	}
}

static void params_tag(struct descriptor *descriptor, struct function *function, void *more)
{
	variables_tag(descriptor, more, function->params, function->nparams, function->name);
}

static void members_tag(struct descriptor *descriptor, struct type *type, void *more)
{
	variables_tag(descriptor, more, type->members, type->nmembers, type->spelling);
}

/* "owner:name" or "owner.name" in two; the separator, or 0 after saying what is wrong. */
static char variable_split(struct descriptor *descriptor, const char *key, const char *text,
			   char **owner, const char **name)
{
	char *copy = copy_text(text), *at = strpbrk(copy, ":.");
	char separator = at ? *at : '\0';

	if (!at) {
		descriptor_wrong(
			descriptor, key, text,
			format_text(
				"\"%s\" is neither FUNCTION:PARAMETER nor TYPE.MEMBER; write it so",
				text));
		return '\0';
	}
	*at = '\0';
	*owner = copy;
	*name = at + 1;
	return separator;
}

static void variable_check(struct descriptor *descriptor, const char *key, const char *text,
			   bool matched)
{
	if (!matched && *text != '?' && !name_is_pattern(text))
		descriptor_wrong(
			descriptor, key, text,
			format_text(
				"nothing is called %s; correct the name, or write \"?%s\" if other versions have it",
				text, text));
}

/* The tags of a variable: a string, or {"tags": …, "comment": …}. */
static const char *variable_tags(struct descriptor *descriptor, const char *key, json_t *value)
{
	static const char *const keys[] = {"tags", NULL};

	if (!json_is_object(value))
		return descriptor_string(descriptor, key, value);
	descriptor_check_keys(descriptor, value, keys);
	const char *tags = descriptor_text(descriptor, value, "tags", true);
	return tags ? tags : "";
}

void describe_variables(struct descriptor *descriptor)
{
	struct variable **done = NULL;
	size_t ndone = 0;
	const char *key;
	json_t *value;

	json_object_foreach(
		descriptor_value(descriptor, descriptor->root, "variables", JSON_OBJECT), key,
		value) {
		struct variable_rule rule = {.key = key, .done = &done, .ndone = &ndone};
		char *owner = NULL;
		char separator =
			variable_split(descriptor, "variables", key, &owner, &rule.pattern);

		rule.tags = tags_read(variable_tags(descriptor, key, value));
		if (rule.tags.unknown)
			descriptor_wrong(
				descriptor, key, NULL,
				format_text("unknown tag [%s]; tracelayer-descriptor(5) lists them",
					    rule.tags.unknown));
		if (separator == ':')
			descriptor_each_function(descriptor, "variables", owner, params_tag, &rule);
		else if (separator)
			descriptor_each_type(descriptor, "variables", owner, members_tag, &rule);
		variable_check(descriptor, "variables", key,
			       !separator || rule.matched || *owner == '?');
	}
	free(done);
}

/* "outputs": what no comment, guess or rule says of a function's pointers. */
static void params_fill(struct descriptor *descriptor, struct function *function, void *more)
{
	static const struct tags tags = {.direction = TL_OUT, .checked = true};

	(void)descriptor, (void)more;
	for (size_t i = 0; i < function->nparams; i++) {
		struct variable *param = &function->params[i];
		const struct type *target = param->type->target;

		if (param->type->kind == TL_KIND_POINTER && !param->type->is_const &&
		    !param->direction && target && target->kind != TL_KIND_VOID &&
		    target->kind != TL_KIND_FUNCTION && !target->incomplete)
			variable_settle(param, &tags, function->params, function->nparams);
	}
}

void describe_outputs(struct descriptor *descriptor)
{
	size_t count = 0;
	const char **names = descriptor_texts(descriptor, descriptor->root, "outputs", &count);

	for (size_t i = 0; i < count; i++)
		descriptor_each_function(descriptor, "outputs", names[i], params_fill, NULL);
}

/* "enums": types made of constants, for variables whose own type is a plain integer. */

static struct type *enum_make(struct descriptor *descriptor, json_t *object, const char *name)
{
	static const char *const keys[] = {"type",   "groups", "constants", "flags",
					   "handle", "where",  "comment",   NULL};
	struct model *model = descriptor->model;
	json_t *groups = descriptor_value(descriptor, object, "groups", JSON_ARRAY),
	       *constants = descriptor_value(descriptor, object, "constants", JSON_ARRAY);
	struct type *type = allocate(sizeof *type);

	descriptor_check_keys(descriptor, object, keys);
	type->name = name;
	type->kind = json_is_true(json_object_get(object, "flags"))    ? TL_KIND_FLAGS
		     : json_is_true(json_object_get(object, "handle")) ? TL_KIND_HANDLE
								       : TL_KIND_ENUM;
	for (size_t i = 0; i < model->nconstants; i++)
		for (size_t j = 0; j < model->constants[i].nvalues; j++) {
			struct enumerator value = model->constants[i].values[j];

			if (pattern_any_matches(groups, model->constants[i].title) ||
			    pattern_any_matches(constants, value.name))
				enumerator_add(type, value);
		}
	if (!type->nenumerators)
		descriptor_wrong(
			descriptor, "enums", name,
			format_text(
				"\"%s\" matches no constants of the headers; correct its groups or constants",
				name));
	return type;
}

/* The variable's type becomes the enum, which takes the size of the type it stands for. */
static struct type *type_replaced(struct variable_rule *rule, struct type *old)
{
	if (rule->of && strcmp(old->spelling, rule->of) != 0)
		return old;
	rule->matched = true;
	if (!rule->type->size) {
		rule->type->size = old->size;
		rule->type->align = old->align;
	}
	return rule->type->size == old->size ? rule->type : old;
}

static struct type *type_replaced_target(struct variable_rule *rule, struct type *pointer)
{
	if (pointer->kind != TL_KIND_POINTER || !pointer->target)
		return type_replaced(rule, pointer);
	struct type *target = type_replaced(rule, pointer->target);
	if (target == pointer->target)
		return pointer;
	struct type *copy = allocate(sizeof *copy);
	*copy = *pointer;
	copy->target = target;
	return copy;
}

static void params_retype(struct descriptor *descriptor, struct function *function, void *more)
{
	struct variable_rule *rule = more;

	(void)descriptor;
	if (pattern_matches(rule->pattern, "return"))
		function->result = type_replaced(rule, function->result);
	for (size_t i = 0; i < function->nparams; i++)
		if (pattern_matches(rule->pattern, function->params[i].name))
			function->params[i].type =
				type_replaced_target(rule, function->params[i].type);
}

static void members_retype(struct descriptor *descriptor, struct type *type, void *more)
{
	struct variable_rule *rule = more;

	(void)descriptor;
	for (size_t i = 0; i < type->nmembers; i++)
		if (pattern_matches(rule->pattern, type->members[i].name))
			type->members[i].type = type_replaced_target(rule, type->members[i].type);
}

void describe_enums(struct descriptor *descriptor)
{
	const char *name;
	json_t *object;

	json_object_foreach(descriptor_value(descriptor, descriptor->root, "enums", JSON_OBJECT),
			    name, object) {
		size_t count = 0;
		struct type *type = enum_make(descriptor, object, copy_text(name));
		const char *of = descriptor_text(descriptor, object, "type", true);
		const char **where = descriptor_texts(descriptor, object, "where", &count);

		type->spelling = type->name;
		for (size_t i = 0; i < count; i++) {
			struct variable_rule rule = {.key = where[i], .type = type, .of = of};
			char *owner = NULL;
			char separator =
				variable_split(descriptor, name, where[i], &owner, &rule.pattern);

			if (separator == ':')
				descriptor_each_function(descriptor, name, owner, params_retype,
							 &rule);
			else if (separator)
				descriptor_each_type(descriptor, name, owner, members_retype,
						     &rule);
			variable_check(descriptor, name, where[i], !separator || rule.matched);
		}
	}
}
