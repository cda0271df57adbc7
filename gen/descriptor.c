/* SPDX-License-Identifier: MIT */
/*
 * descriptor.c: what headers can't say, from gen/apis/NAME.json, checked against the headers.
 * doc/tracelayer-descriptor.5 is its manual.
 *
 * A name without wildcards must exist in the headers, unless a "?" stands in front of it: then some
 * versions of the headers lack it. A pattern may match nothing. Whatever is wrong is said with the
 * line that it stands on.
 */
#include <fnmatch.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "common/stages.h"
#include "gen/allocate.h"
#include "gen/comment.h"
#include "gen/tracegen.h"

struct descriptor {
	const char *path;
	char *text; /* the file, for the lines of what is wrong in it */
	json_t *root;
	struct model *model;
	bool failed;
};

/* Saying what is wrong. */

/*
 * The line of the first "text" in quotes behind the first "key" in quotes. jansson forgets where it
 * read things.
 */
static unsigned line_of(const struct descriptor *descriptor, const char *key, const char *text)
{
	const char *at = descriptor->text, *found;
	unsigned line = 1;

	if ((found = strstr(at, format_text("\"%s\"", key))))
		at = found;
	if (text && (found = strstr(at, format_text("\"%s\"", text))))
		at = found;
	for (const char *c = descriptor->text; c < at; c++)
		line += *c == '\n';
	return line;
}

/* `key` and `text` say where; both are strings of the file. */
static void wrong(struct descriptor *descriptor, const char *key, const char *text,
		  const char *what)
{
	fprintf(stderr, "tracegen: %s:%u: %s\n", descriptor->path, line_of(descriptor, key, text),
		what);
	descriptor->failed = true;
}

/* Reading values of the right kind. */

static const char *text_at(struct descriptor *descriptor, json_t *object, const char *key,
			   bool needed)
{
	json_t *value = json_object_get(object, key);

	if (json_is_string(value))
		return copy_text(json_string_value(value));
	if (value)
		wrong(descriptor, key, NULL,
		      format_text("\"%s\" must be a string; put it in quotes", key));
	else if (needed)
		wrong(descriptor, key, NULL, format_text("\"%s\" is missing; add it", key));
	return NULL;
}

static json_t *kind_at(struct descriptor *descriptor, json_t *object, const char *key,
		       json_type kind)
{
	json_t *value = json_object_get(object, key);

	if (value && json_typeof(value) != kind) {
		wrong(descriptor, key, NULL,
		      format_text("\"%s\" must be %s; see tracelayer-descriptor(5)", key,
				  kind == JSON_ARRAY ? "a list, in []" : "an object, in {}"));
		return NULL;
	}
	return value;
}

static const char *string_in(struct descriptor *descriptor, const char *key, json_t *value)
{
	if (json_is_string(value))
		return json_string_value(value);
	wrong(descriptor, key, NULL,
	      format_text("\"%s\" must hold strings; put each in quotes", key));
	return "";
}

static const char **texts_at(struct descriptor *descriptor, json_t *object, const char *key,
			     size_t *count)
{
	json_t *list = kind_at(descriptor, object, key, JSON_ARRAY), *one;
	const char **texts = NULL;
	size_t i;

	json_array_foreach(list, i, one)
		*APPEND(texts, *count) = copy_text(string_in(descriptor, key, one));
	return texts;
}

/* An object may have these keys and no others. `allowed` ends with NULL. */
static void check_keys(struct descriptor *descriptor, json_t *object, const char *const *allowed)
{
	const char *key;
	json_t *value;

	json_object_foreach(object, key, value) {
		bool known = false;

		for (size_t i = 0; allowed[i]; i++)
			known |= !strcmp(key, allowed[i]);
		if (!known)
			wrong(descriptor, key, NULL,
			      format_text(
				      "unknown key \"%s\"; see tracelayer-descriptor(5) for those there are",
				      key));
	}
}

static const char *const all_keys[] = {
	"name",	       "prefix",   "version",	"headers",	 "headers_left_out",
	"flags",       "sonames",  "handles",	"bools",	 "numbers",
	"enums",       "results",  "successes", "levels",	 "phases",
	"initialises", "creates",  "destroys",	"exported",	 "left_out",
	"variables",   "getprocs", "since",	"first_members", "newer",
	"chains",      "comment",  NULL};

/* Names and patterns. */

static bool is_pattern(const char *name)
{
	return strpbrk(*name == '?' ? name + 1 : name, "*?[(") != NULL;
}

static bool matches(const char *pattern, const char *name)
{
	return fnmatch(*pattern == '?' ? pattern + 1 : pattern, name, FNM_EXTMATCH) == 0;
}

/* Whether a name that matched nothing is a mistake; says so if it is. */
static void check_matched(struct descriptor *descriptor, const char *key, const char *name,
			  bool matched, const char *what)
{
	if (!matched && *name != '?' && !is_pattern(name))
		wrong(descriptor, key, name,
		      format_text(
			      "the headers have no %s %s; correct the name, or write \"?%s\" if other versions have it",
			      what, name, name));
}

/* Call `each` for the functions that a name or pattern means. */
static void for_functions(struct descriptor *descriptor, const char *key, const char *name,
			  void (*each)(struct descriptor *descriptor, struct function *function,
				       void *more),
			  void *more)
{
	struct model *model = descriptor->model;
	bool matched = false;

	for (size_t i = 0; i < model->nfunctions; i++)
		if (matches(name, model->functions[i].name)) {
			matched = true;
			each(descriptor, &model->functions[i], more);
		}
	check_matched(descriptor, key, name, matched, "function");
}

/* Whether any of a list of patterns matches. */
static bool any_matches(json_t *list, const char *name)
{
	json_t *one;
	size_t i;

	json_array_foreach(list, i, one)
		if (json_is_string(one) && matches(json_string_value(one), name))
			return true;
	return false;
}

/* Every type that the model reaches, named or not, by its spelling. */
struct type_search {
	const char *pattern;
	void (*each)(struct descriptor *descriptor, struct type *type, void *more);
	void *more;
	struct type **seen;
	size_t nseen;
	bool matched;
};

static void search_type(struct descriptor *descriptor, struct type *type,
			struct type_search *search)
{
	if (!type)
		return;
	for (size_t i = 0; i < search->nseen; i++)
		if (search->seen[i] == type)
			return;
	*APPEND(search->seen, search->nseen) = type;
	search_type(descriptor, type->target, search);
	for (size_t i = 0; i < type->nmembers; i++)
		search_type(descriptor, type->members[i].type, search);
	if (matches(search->pattern, type->spelling)) {
		search->matched = true;
		search->each(descriptor, type, search->more);
	}
}

static void for_types(struct descriptor *descriptor, const char *key, const char *name,
		      void (*each)(struct descriptor *descriptor, struct type *type, void *more),
		      void *more)
{
	struct model *model = descriptor->model;
	struct type_search search = {.pattern = name, .each = each, .more = more};

	for (size_t i = 0; i < model->nfunctions; i++) {
		search_type(descriptor, model->functions[i].result, &search);
		for (size_t j = 0; j < model->functions[i].nparams; j++)
			search_type(descriptor, model->functions[i].params[j].type, &search);
	}
	for (size_t i = 0; i < model->ntypes; i++)
		search_type(descriptor, model->types[i], &search);
	free(search.seen);
	check_matched(descriptor, key, name, search.matched, "type");
}

/* The value of an enumerator or a constant by its name. */
static bool constant_value(const struct model *model, const char *name, int64_t *value)
{
	for (size_t i = 0; i < model->ntypes; i++)
		for (size_t j = 0; j < model->types[i]->nenumerators; j++)
			if (!strcmp(model->types[i]->enumerators[j].name, name)) {
				*value = model->types[i]->enumerators[j].value;
				return true;
			}
	for (size_t i = 0; i < model->nconstants; i++)
		for (size_t j = 0; j < model->constants[i].nvalues; j++)
			if (!strcmp(model->constants[i].values[j].name, name)) {
				*value = model->constants[i].values[j].value;
				return true;
			}
	return false;
}

/* "version": a string, or {"from": NAME, "parts": [[divide, modulo], …]}. */
static void describe_version(struct descriptor *descriptor)
{
	static const char *const keys[] = {"from", "parts", NULL};
	json_t *version = json_object_get(descriptor->root, "version"), *part;
	char *text = copy_text("");
	int64_t value = 0;
	size_t i;

	if (!json_is_object(version)) {
		descriptor->model->version = text_at(descriptor, descriptor->root, "version", true);
		return;
	}
	check_keys(descriptor, version, keys);
	const char *from = text_at(descriptor, version, "from", true);
	if (!from)
		return;
	if (!constant_value(descriptor->model, from, &value))
		wrong(descriptor, "version", from,
		      format_text(
			      "the headers have no constant %s; name the macro or enumerator with the version",
			      from));
	json_array_foreach(kind_at(descriptor, version, "parts", JSON_ARRAY), i, part) {
		int64_t divide = json_integer_value(json_array_get(part, 0)),
			modulo = json_integer_value(json_array_get(part, 1));

		if (divide <= 0 || modulo <= 0)
			wrong(descriptor, "parts", NULL,
			      "\"parts\" must hold pairs of whole numbers above 0; see tracelayer-descriptor(5)");
		else
			text = format_text("%s%s%lld", text, i ? "." : "",
					   (long long)(value / divide % modulo));
	}
	descriptor->model->version = text;
}

/* "handles", "bools", "numbers": what kind types are. */

static void set_kind(struct descriptor *descriptor, struct type *type, void *kind)
{
	(void)descriptor;
	type->kind = *(enum tl_kind *)kind;
	type->name = type->name ? type->name : type->spelling;
	type->enumerators = NULL;
	type->nenumerators = 0;
	if (type->kind != TL_KIND_HANDLE)
		return;
	type->target = NULL;
	type->members = NULL;
	type->nmembers = 0;
}

static void describe_kinds(struct descriptor *descriptor)
{
	static const struct {
		const char *key;
		enum tl_kind kind;
	} kinds[] = {
		{"handles", TL_KIND_HANDLE}, {"bools", TL_KIND_BOOL}, {"numbers", TL_KIND_UINT}};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		size_t count = 0;
		const char **names = texts_at(descriptor, descriptor->root, kinds[i].key, &count);
		enum tl_kind kind = kinds[i].kind;

		for (size_t j = 0; j < count; j++)
			for_types(descriptor, kinds[i].key, names[j], set_kind, &kind);
	}
}

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

static bool is_done(const struct variable_rule *rule, const struct variable *variable)
{
	for (size_t i = 0; i < *rule->ndone; i++)
		if ((*rule->done)[i] == variable)
			return true;
	return false;
}

static void tag_variables(struct descriptor *descriptor, struct variable_rule *rule,
			  struct variable *list, size_t count, const char *owner)
{
	for (size_t i = 0; i < count; i++) {
		if (!matches(rule->pattern, list[i].name))
			continue;
		rule->matched = true;
		if (is_done(rule, &list[i]))
			continue;
		/*
		 * A pattern is for many: where its length names a sibling that this one has not, it
		 * is not for this one.
		 */
		struct variable before = list[i];
		if (!variable_settle(&list[i], &rule->tags, list, count)) {
			list[i] = before;
			if (!is_pattern(rule->key))
				wrong(descriptor, "variables", rule->key,
				      format_text("%s has no %s to count %s by; correct the name",
						  owner, rule->tags.length.sibling, list[i].name));
			continue;
		}
		*APPEND(*rule->done, *rule->ndone) = &list[i];
	}
}

static void tag_params(struct descriptor *descriptor, struct function *function, void *more)
{
	tag_variables(descriptor, more, function->params, function->nparams, function->name);
}

static void tag_members(struct descriptor *descriptor, struct type *type, void *more)
{
	tag_variables(descriptor, more, type->members, type->nmembers, type->spelling);
}

/* "owner:name" or "owner.name" in two; the separator, or 0 after saying what is wrong. */
static char split_variable(struct descriptor *descriptor, const char *key, const char *text,
			   char **owner, const char **name)
{
	char *copy = copy_text(text), *at = strpbrk(copy, ":.");
	char separator = at ? *at : '\0';

	if (!at) {
		wrong(descriptor, key, text,
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

static void check_variable(struct descriptor *descriptor, const char *key, const char *text,
			   bool matched)
{
	if (!matched && *text != '?' && !is_pattern(text))
		wrong(descriptor, key, text,
		      format_text(
			      "nothing is called %s; correct the name, or write \"?%s\" if other versions have it",
			      text, text));
}

static void describe_variables(struct descriptor *descriptor)
{
	struct variable **done = NULL;
	size_t ndone = 0;
	const char *key;
	json_t *value;

	json_object_foreach(kind_at(descriptor, descriptor->root, "variables", JSON_OBJECT), key,
			    value) {
		struct variable_rule rule = {.key = key, .done = &done, .ndone = &ndone};
		char *owner = NULL;
		char separator =
			split_variable(descriptor, "variables", key, &owner, &rule.pattern);

		rule.tags = tags_read(string_in(descriptor, key, value));
		if (rule.tags.unknown)
			wrong(descriptor, key, NULL,
			      format_text(
				      "unknown tag [%s]; see tracelayer-descriptor(5) for those there are",
				      rule.tags.unknown));
		if (separator == ':')
			for_functions(descriptor, "variables", owner, tag_params, &rule);
		else if (separator)
			for_types(descriptor, "variables", owner, tag_members, &rule);
		check_variable(descriptor, "variables", key,
			       !separator || rule.matched || *owner == '?');
	}
	free(done);
}

/* "enums": types made of constants, for variables whose own type is a plain integer. */

static struct type *enum_made(struct descriptor *descriptor, json_t *object, const char *name)
{
	static const char *const keys[] = {"type",  "groups",  "constants", "flags",
					   "where", "comment", NULL};
	struct model *model = descriptor->model;
	json_t *groups = kind_at(descriptor, object, "groups", JSON_ARRAY),
	       *constants = kind_at(descriptor, object, "constants", JSON_ARRAY);
	struct type *type = allocate(sizeof *type);

	check_keys(descriptor, object, keys);
	type->name = name;
	type->kind = json_is_true(json_object_get(object, "flags")) ? TL_KIND_FLAGS : TL_KIND_ENUM;
	for (size_t i = 0; i < model->nconstants; i++)
		for (size_t j = 0; j < model->constants[i].nvalues; j++) {
			struct enumerator value = model->constants[i].values[j];

			if (any_matches(groups, model->constants[i].title) ||
			    any_matches(constants, value.name))
				enumerator_add(type, value);
		}
	if (!type->nenumerators)
		wrong(descriptor, "enums", name,
		      format_text(
			      "\"%s\" matches no constants of the headers; correct its groups or constants",
			      name));
	return type;
}

/* The variable's type becomes the enum, which takes the size of the type it stands for. */
static struct type *replaced(struct variable_rule *rule, struct type *old)
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

static struct type *replaced_target(struct variable_rule *rule, struct type *pointer)
{
	if (pointer->kind != TL_KIND_POINTER || !pointer->target)
		return replaced(rule, pointer);
	struct type *target = replaced(rule, pointer->target);
	if (target == pointer->target)
		return pointer;
	struct type *copy = allocate(sizeof *copy);
	*copy = *pointer;
	copy->target = target;
	return copy;
}

static void retype_params(struct descriptor *descriptor, struct function *function, void *more)
{
	struct variable_rule *rule = more;

	(void)descriptor;
	if (matches(rule->pattern, "return"))
		function->result = replaced(rule, function->result);
	for (size_t i = 0; i < function->nparams; i++)
		if (matches(rule->pattern, function->params[i].name))
			function->params[i].type = replaced_target(rule, function->params[i].type);
}

static void retype_members(struct descriptor *descriptor, struct type *type, void *more)
{
	struct variable_rule *rule = more;

	(void)descriptor;
	for (size_t i = 0; i < type->nmembers; i++)
		if (matches(rule->pattern, type->members[i].name))
			type->members[i].type = replaced_target(rule, type->members[i].type);
}

static void describe_enums(struct descriptor *descriptor)
{
	const char *name;
	json_t *object;

	json_object_foreach(kind_at(descriptor, descriptor->root, "enums", JSON_OBJECT), name,
			    object) {
		size_t count = 0;
		struct type *type = enum_made(descriptor, object, copy_text(name));
		const char *of = text_at(descriptor, object, "type", true);
		const char **where = texts_at(descriptor, object, "where", &count);

		type->spelling = type->name;
		for (size_t i = 0; i < count; i++) {
			struct variable_rule rule = {.key = where[i], .type = type, .of = of};
			char *owner = NULL;
			char separator =
				split_variable(descriptor, name, where[i], &owner, &rule.pattern);

			if (separator == ':')
				for_functions(descriptor, name, owner, retype_params, &rule);
			else if (separator)
				for_types(descriptor, name, owner, retype_members, &rule);
			check_variable(descriptor, name, where[i], !separator || rule.matched);
		}
	}
}

/*
 * "results": which values mean failure, and what to return where the real library lacks the
 * function.
 */

static bool rule_applies(json_t *rule, const struct function *function)
{
	const char *type = json_string_value(json_object_get(rule, "type"));
	json_t *functions = json_object_get(rule, "functions"),
	       *params = json_object_get(rule, "params"), *one;
	size_t i;

	if (type && !matches(type, function->result_spelling))
		return false;
	if (functions && !any_matches(functions, function->name))
		return false;
	json_array_foreach(params, i, one) {
		bool has = false;

		for (size_t j = 0; j < function->nparams; j++)
			has |= json_is_string(one) &&
			       matches(json_string_value(one), function->params[j].name);
		if (!has)
			return false;
	}
	return true;
}

static enum tl_failure failure_named(struct descriptor *descriptor, const char *name)
{
	static const char *const names[] = {"never", "nonzero", "negative", "null"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(names[i], name))
			return (enum tl_failure)i;
	wrong(descriptor, "failure", name,
	      format_text("no failure is called \"%s\"; there are never, nonzero, negative, null",
			  name));
	return TL_FAILURE_NEVER;
}

static void describe_results(struct descriptor *descriptor)
{
	static const char *const keys[] = {"type",	  "functions", "params", "failure",
					   "unsupported", "comment",   NULL};
	json_t *rules = kind_at(descriptor, descriptor->root, "results", JSON_ARRAY), *rule;
	struct model *model = descriptor->model;
	size_t i;

	json_array_foreach(rules, i, rule) {
		const char *failure = text_at(descriptor, rule, "failure", true);

		check_keys(descriptor, rule, keys);
		if (failure)
			failure_named(descriptor, failure);
	}
	for (size_t j = 0; j < model->nfunctions && !descriptor->failed; j++) {
		struct function *function = &model->functions[j];

		json_array_foreach(rules, i, rule) {
			if (!rule_applies(rule, function))
				continue;
			function->failure = failure_named(
				descriptor, text_at(descriptor, rule, "failure", true));
			function->unsupported = text_at(descriptor, rule, "unsupported", false);
			break;
		}
	}
}

static void describe_successes(struct descriptor *descriptor)
{
	struct model *model = descriptor->model;
	size_t count = 0;
	const char **names = texts_at(descriptor, descriptor->root, "successes", &count);

	for (size_t i = 0; i < count; i++) {
		int64_t value;

		if (constant_value(model, names[i], &value))
			*APPEND(model->successes, model->nsuccesses) = value;
		else
			check_matched(descriptor, "successes", names[i], false, "constant");
	}
}

/* "levels", "initialises", "creates", "destroys", "exported", "left_out". */

static void set_level(struct descriptor *descriptor, struct function *function, void *level)
{
	(void)descriptor;
	function->level = *(unsigned *)level;
}

/* The first that matches decides, so the last is applied first. */
static void describe_levels(struct descriptor *descriptor)
{
	static const struct {
		const char *name;
		unsigned level;
	} levels[] = {{"request", TL_LEVEL_REQUEST},
		      {"runtime", TL_LEVEL_RUNTIME},
		      {"operator", TL_LEVEL_OPERATOR},
		      {"debug", TL_LEVEL_DEBUG}};
	static const char *const keys[] = {"level", "functions", NULL};
	json_t *rules = kind_at(descriptor, descriptor->root, "levels", JSON_ARRAY);

	for (size_t i = json_array_size(rules); i-- > 0;) {
		json_t *rule = json_array_get(rules, i);
		const char *name = text_at(descriptor, rule, "level", true);
		unsigned level = 0;
		size_t count = 0;
		const char **functions = texts_at(descriptor, rule, "functions", &count);

		check_keys(descriptor, rule, keys);
		for (size_t j = 0; name && j < sizeof levels / sizeof *levels; j++)
			if (!strcmp(name, levels[j].name))
				level = levels[j].level;
		if (name && !level)
			wrong(descriptor, "level", name,
			      format_text(
				      "no level is called \"%s\"; there are request, runtime, operator, debug",
				      name));
		for (size_t j = 0; j < count; j++)
			for_functions(descriptor, "levels", functions[j], set_level, &level);
	}
}

struct stage {
	enum tl_work_layer layer;
	enum tl_work_phase phase;
};

static void set_stage(struct descriptor *descriptor, struct function *function, void *stage)
{
	const struct stage *said = stage;

	(void)descriptor;
	function->layer = said->layer;
	function->phase = said->phase;
}

/* The number of the word that stands under a key; 0 after an error. */
static size_t word_at(struct descriptor *descriptor, json_t *rule, const char *key,
		      const char *const *words, size_t count)
{
	const char *word = text_at(descriptor, rule, key, true);
	char *known = copy_text("");

	for (size_t i = 1; i < count; i++) {
		if (word && !strcmp(word, words[i]))
			return i;
		known = format_text("%s%s%s", known, *known ? ", " : "", words[i]);
	}
	if (word)
		wrong(descriptor, key, word,
		      format_text("no %s is called \"%s\"; there are %s", key, word, known));
	return 0;
}

/* "phases": as "levels". */
static void describe_phases(struct descriptor *descriptor)
{
	static const char *const keys[] = {"layer", "phase", "functions", NULL};
	json_t *rules = kind_at(descriptor, descriptor->root, "phases", JSON_ARRAY);

	for (size_t i = json_array_size(rules); i-- > 0;) {
		json_t *rule = json_array_get(rules, i);
		size_t count = 0;

		check_keys(descriptor, rule, keys);
		struct stage stage = {(enum tl_work_layer)word_at(descriptor, rule, "layer",
								  tl_layer_words, TL_LAYERS),
				      (enum tl_work_phase)word_at(descriptor, rule, "phase",
								  tl_phase_words, TL_PHASES)};
		const char **functions = texts_at(descriptor, rule, "functions", &count);
		for (size_t j = 0; j < count; j++)
			for_functions(descriptor, "phases", functions[j], set_stage, &stage);
	}
}

static void set_flag(struct descriptor *descriptor, struct function *function, void *flag)
{
	(void)descriptor;
	function->flags |= *(unsigned *)flag;
}

static void set_exported(struct descriptor *descriptor, struct function *function, void *nothing)
{
	(void)descriptor;
	(void)nothing;
	function->exported = true;
}

static void set_left_out(struct descriptor *descriptor, struct function *function, void *why)
{
	(void)descriptor;
	function->left_out = why;
}

static void describe_flags(struct descriptor *descriptor)
{
	static const struct {
		const char *key;
		unsigned flag;
	} flags[] = {{"initialises", TL_FUNCTION_INITIALISES},
		     {"creates", TL_FUNCTION_CREATES},
		     {"destroys", TL_FUNCTION_DESTROYS}};

	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
		size_t count = 0;
		const char **names = texts_at(descriptor, descriptor->root, flags[i].key, &count);
		unsigned flag = flags[i].flag;

		for (size_t j = 0; j < count; j++)
			for_functions(descriptor, flags[i].key, names[j], set_flag, &flag);
	}
}

/* The name of one of the headers stands for all that it declares. */
static bool export_header(struct model *model, const char *name)
{
	bool is_header = false;

	for (size_t i = 0; i < model->nheaders; i++)
		is_header |= !strcmp(model->headers[i], name);
	for (size_t i = 0; is_header && i < model->nfunctions; i++)
		if (!strcmp(model->functions[i].where.file, name))
			model->functions[i].exported = true;
	return is_header;
}

static void describe_exports(struct descriptor *descriptor)
{
	struct model *model = descriptor->model;
	size_t count = 0;
	const char **names = texts_at(descriptor, descriptor->root, "exported", &count);

	for (size_t i = 0; json_object_get(descriptor->root, "exported") && i < model->nfunctions;
	     i++)
		model->functions[i].exported = false;
	for (size_t i = 0; i < count; i++)
		if (!export_header(model, names[i]))
			for_functions(descriptor, "exported", names[i], set_exported, NULL);
}

static void describe_left_out(struct descriptor *descriptor)
{
	const char *name;
	json_t *why;

	json_object_foreach(kind_at(descriptor, descriptor->root, "left_out", JSON_OBJECT), name,
			    why)
		for_functions(descriptor, "left_out", name, set_left_out,
			      copy_text(string_in(descriptor, name, why)));
}

/*
 * "newer": functions that later headers have. They get shims by their names alone, which pass on as
 * many words as the function may have parameters, so that a loader that is newer than the headers
 * is traced, too.
 */

/* The type that is spelled so somewhere in the headers. */
static struct type *type_spelled(const struct model *model, const char *spelling)
{
	for (size_t i = 0; i < model->nfunctions; i++) {
		const struct function *function = &model->functions[i];

		if (!strcmp(function->result_spelling, spelling))
			return function->result;
		for (size_t j = 0; j < function->nparams; j++)
			if (!strcmp(function->params[j].spelling, spelling))
				return function->params[j].type;
	}
	return NULL;
}

/*
 * The function, added if the headers lack it; its parameters are for the caller to say. NULL after
 * an error, and where the headers have it.
 */
static struct function *add_newer(struct descriptor *descriptor, const char *name,
				  const char *result)
{
	struct model *model = descriptor->model;
	struct type *type = type_spelled(model, result);

	if (model_function(model, name))
		return NULL;
	if (!type) {
		wrong(descriptor, "newer", name,
		      format_text("the headers have no type %s; correct the name", result));
		return NULL;
	}
	struct function *function = APPEND(model->functions, model->nfunctions);
	const char *slash = strrchr(descriptor->path, '/');
	*function =
		(struct function){.name = copy_text(name),
				  .result = type,
				  .result_spelling = copy_text(result),
				  .undeclared = true,
				  .exported = true,
				  .level = TL_LEVEL_DEBUG,
				  .where = {.file = copy_text(slash ? slash + 1 : descriptor->path),
					    .line = line_of(descriptor, "newer", name)}};
	return function;
}

/* A getter has the parameters of all getters, but for the type of its table. */
static void add_newer_getter(struct descriptor *descriptor, const char *name)
{
	static const struct {
		const char *name, *spelling;
		unsigned direction;
	} params[] = {{"version", "ze_api_version_t", TL_IN},
		      {"pDdiTable", "void *", TL_IN | TL_OUT}};
	struct function *function = add_newer(descriptor, name, "ze_result_t");

	for (size_t i = 0; function && i < sizeof params / sizeof *params; i++) {
		struct type *type = type_spelled(descriptor->model, params[i].spelling);

		if (!type) {
			wrong(descriptor, "newer", name,
			      format_text("the headers have no type %s, which getters take",
					  params[i].spelling));
			return;
		}
		*APPEND(function->params, function->nparams) =
			(struct variable){.name = params[i].name,
					  .type = type,
					  .spelling = params[i].spelling,
					  .direction = params[i].direction,
					  .where = function->where};
	}
}

static const char *newer_text(json_t *row, size_t i)
{
	return json_string_value(json_array_get(row, i));
}

/*
 * Where each parameter begins among the words: one after the other, unless the row says otherwise.
 */
static void add_places(struct function *function, json_t *row)
{
	json_t *list = json_array_get(row, 4), *place;
	size_t i;

	json_array_foreach(list, i, place)
		*APPEND(function->places, function->nplaces) = (unsigned)json_integer_value(place);
	for (i = 0; !list && i < function->passed; i++)
		*APPEND(function->places, function->nplaces) = (unsigned)i;
}

/* [name, since, words], [name, since, words, result], or [name, since, words, result, [places]] */
static bool is_newer_row(struct descriptor *descriptor, json_t *row)
{
	json_t *place;
	size_t i;
	bool is_row = newer_text(row, 0) && newer_text(row, 1) &&
		      json_is_integer(json_array_get(row, 2)) &&
		      json_array_size(row) <= (json_is_array(json_array_get(row, 4)) ? 5u
					       : newer_text(row, 3)		     ? 4u
										     : 3u);

	json_array_foreach(json_array_get(row, 4), i, place)
		is_row &= json_integer_value(place) >= 0 &&
			  json_integer_value(place) < json_integer_value(json_array_get(row, 2));

	if (!is_row)
		wrong(descriptor, "newer", newer_text(row, 0),
		      "\"newer\" must hold functions as [name, version, words]; see tracelayer-descriptor(5)");
	else if (json_integer_value(json_array_get(row, 2)) < 1 ||
		 json_integer_value(json_array_get(row, 2)) > TL_PASSED_MAX)
		wrong(descriptor, "newer", newer_text(row, 0),
		      format_text("1 to %d words can be passed on; correct the number",
				  TL_PASSED_MAX));
	return is_row;
}

static void describe_newer(struct descriptor *descriptor)
{
	static const char *const keys[] = {"getter", "from", "functions", "comment", NULL};
	json_t *group, *row;
	size_t i, j;

	json_array_foreach(kind_at(descriptor, descriptor->root, "newer", JSON_ARRAY), i, group) {
		const char *getter = text_at(descriptor, group, "getter", false);

		check_keys(descriptor, group, keys);
		if (getter)
			add_newer_getter(descriptor, getter);
		json_array_foreach(kind_at(descriptor, group, "functions", JSON_ARRAY), j, row) {
			if (!is_newer_row(descriptor, row))
				return;
			const char *result = newer_text(row, 3);
			struct function *function = add_newer(descriptor, newer_text(row, 0),
							      result ? result : "ze_result_t");
			if (!function)
				continue;
			function->passed = (unsigned)json_integer_value(json_array_get(row, 2));
			add_places(function, row);
		}
	}
}

/* "getprocs" and "since": functions that hand out functions. */

/*
 * What "*" stands for in `pattern`, put in the place of each "*" of `shape`, in order. NULL where
 * the text does not match.
 */
static char *substitute(const char *text, const char *pattern, const char *shape)
{
	const char *parts[8];
	size_t lengths[8], nparts = 0;
	char *out = copy_text("");

	for (; *pattern; pattern++) {
		if (*pattern != '*') {
			if (*text++ != *pattern)
				return NULL;
			continue;
		}
		/*
		 * Up to the next literal text; the last one up to where what is left fits the end.
		 */
		size_t literal = strcspn(pattern + 1, "*");
		const char *next = copy_bytes(pattern + 1, literal), *at = NULL;

		if (nparts == sizeof parts / sizeof *parts)
			return NULL;
		if (pattern[1 + literal])
			at = strstr(text, next);
		else if (strlen(text) >= literal && !strcmp(text + strlen(text) - literal, next))
			at = text + strlen(text) - literal;
		if (!at)
			return NULL;
		parts[nparts] = text;
		lengths[nparts++] = (size_t)(at - text);
		text = at;
	}
	if (*text)
		return NULL;
	for (size_t used = 0; *shape; shape++)
		if (*shape == '*' && used < nparts) {
			out = format_text("%s%.*s", out, (int)lengths[used], parts[used]);
			used++;
		} else {
			out = format_text("%s%c", out, *shape);
		}
	return out;
}

static const struct variable *param_named(const struct function *function, const char *name)
{
	for (size_t i = 0; name && i < function->nparams; i++)
		if (!strcmp(function->params[i].name, name))
			return &function->params[i];
	return NULL;
}

struct getproc_rule {
	enum tl_getproc_kind kind;
	const char *functions, *name, *where, *version, *member_type, *member_function;
};

/*
 * From which version on a function is there, as "newer" has it; NULL: it does not name the
 * function.
 */
static const char *newer_since(const struct descriptor *descriptor, const char *function)
{
	json_t *group, *row;
	size_t i, j;

	json_array_foreach(json_object_get(descriptor->root, "newer"), i, group)
		json_array_foreach(json_object_get(group, "functions"), j, row)
			if (newer_text(row, 0) && !strcmp(newer_text(row, 0), function))
				return newer_text(row, 1);
	return NULL;
}

static uint32_t read_version(const char *text)
{
	unsigned major = 0, minor = 0;

	return text && sscanf(text, "%u.%u", &major, &minor) == 2 ? major << 16 | minor : 0;
}

/*
 * From which version on a table has a member. Tables grow at their end, and a program may ask for a
 * table as it was before: writing what it has not yet would be writing behind it. So what is
 * neither among the first members nor under "since" counts as being as new as these headers.
 */
static uint32_t since_of(struct descriptor *descriptor, const struct type *table, size_t member,
			 const char *function)
{
	json_t *first = json_object_get(descriptor->root, "first_members");
	const char *text = json_string_value(
		json_object_get(json_object_get(descriptor->root, "since"), function));
	text = text ? text : newer_since(descriptor, function);
	uint32_t version = read_version(text ? text : descriptor->model->version);

	if (text && !version)
		wrong(descriptor, "since", function,
		      format_text("\"%s\" is no version; write it as \"1.6\"", text));
	if (text || !first)
		return text ? version : 0;
	return (json_int_t)member < json_integer_value(json_object_get(first, table->spelling))
		       ? 0
		       : version;
}

static void add_entries(struct descriptor *descriptor, struct getproc *getproc,
			const struct getproc_rule *rule)
{
	struct type *table = getproc->table;

	for (size_t i = 0; i < table->nmembers; i++) {
		const char *name = substitute(table->members[i].spelling, rule->member_type,
					      rule->member_function);
		struct function *function = name ? model_function(descriptor->model, name) : NULL;

		if (!function)
			continue;
		__typeof__(getproc->entries) entry = APPEND(getproc->entries, getproc->nentries);
		entry->member = &table->members[i];
		entry->function = function;
		entry->since = since_of(descriptor, table, i, function->name);
	}
}

static void add_getproc(struct descriptor *descriptor, struct function *function, void *more)
{
	const struct getproc_rule *rule = more;
	struct model *model = descriptor->model;
	struct getproc getproc = {.kind = rule->kind,
				  .function = function,
				  .name = rule->name,
				  .where = rule->where,
				  .version = rule->version};
	const char *const params[] = {rule->name, rule->where, rule->version};
	const struct variable *where = param_named(function, rule->where);

	if (function->left_out)
		return;
	for (size_t i = 0; i < 3; i++)
		if (params[i] && !param_named(function, params[i])) {
			wrong(descriptor, rule->functions, params[i],
			      format_text("%s has no parameter %s; correct the name",
					  function->name, params[i]));
			return;
		}
	/* The members of a newer table stand under "newer". */
	if (rule->kind == TL_GETPROC_TABLE && !function->undeclared) {
		getproc.table =
			where && where->type->kind == TL_KIND_POINTER ? where->type->target : NULL;
		if (!getproc.table || getproc.table->kind != TL_KIND_STRUCT) {
			wrong(descriptor, rule->functions, rule->where,
			      format_text("%s of %s is no pointer to a table; correct \"where\"",
					  rule->where, function->name));
			return;
		}
		add_entries(descriptor, &getproc, rule);
	}
	function->flags |= TL_FUNCTION_GETPROC;
	*APPEND(model->getprocs, model->ngetprocs) = getproc;
}

static void describe_getprocs(struct descriptor *descriptor)
{
	static const char *const keys[] = {
		"kind",	       "functions",	  "name", "where", "version",
		"member_type", "member_function", NULL};
	static const char *const kinds[] = {"returned", "stored", "table"};
	json_t *one;
	size_t i;

	json_array_foreach(kind_at(descriptor, descriptor->root, "getprocs", JSON_ARRAY), i, one) {
		bool is_table, known = false;
		const char *kind = text_at(descriptor, one, "kind", true);
		struct getproc_rule rule = {.functions =
						    text_at(descriptor, one, "functions", true)};

		check_keys(descriptor, one, keys);
		for (unsigned j = 0; kind && j < 3; j++)
			if (!strcmp(kind, kinds[j])) {
				rule.kind = (enum tl_getproc_kind)j;
				known = true;
			}
		if (kind && !known)
			wrong(descriptor, "getprocs", kind,
			      format_text(
				      "no get-proc function is \"%s\"; there are returned, stored, table",
				      kind));
		is_table = rule.kind == TL_GETPROC_TABLE;
		rule.name = text_at(descriptor, one, "name", !is_table);
		rule.where = text_at(descriptor, one, "where", rule.kind != TL_GETPROC_RETURNED);
		rule.version = text_at(descriptor, one, "version", is_table);
		rule.member_type = text_at(descriptor, one, "member_type", is_table);
		rule.member_function = text_at(descriptor, one, "member_function", is_table);
		if (!descriptor->failed)
			for_functions(descriptor, "getprocs", rule.functions, add_getproc, &rule);
	}
}

/*
 * What "newer" adds to the tables: members that stand behind those of the headers, or all of a
 * table that these lack.
 */
static void describe_newer_members(struct descriptor *descriptor)
{
	struct model *model = descriptor->model;
	json_t *group, *row;
	size_t i, j;

	json_array_foreach(json_object_get(descriptor->root, "newer"), i, group) {
		const char *getter = text_at(descriptor, group, "getter", false);
		json_int_t from = json_integer_value(json_object_get(group, "from"));
		struct getproc *getproc = NULL;

		for (size_t k = 0; getter && k < model->ngetprocs; k++)
			if (!strcmp(model->getprocs[k].function->name, getter) &&
			    model->getprocs[k].kind == TL_GETPROC_TABLE)
				getproc = &model->getprocs[k];
		json_array_foreach(json_object_get(group, "functions"), j, row) {
			struct function *function =
				newer_text(row, 0) ? model_function(model, newer_text(row, 0))
						   : NULL;

			if (!getproc || !function || !function->undeclared)
				continue;
			struct variable *member = allocate(sizeof *member);
			*member = (struct variable){.name = function->name,
						    .offset = (uint64_t)(from + (json_int_t)j) *
							      sizeof(void *)};
			__typeof__(getproc->entries) entry =
				APPEND(getproc->entries, getproc->nentries);
			entry->member = member;
			entry->function = function;
			entry->since = read_version(newer_text(row, 1));
			if (!entry->since)
				wrong(descriptor, "newer", function->name,
				      format_text("\"%s\" is no version; write it as \"1.6\"",
						  newer_text(row, 1)));
		}
	}
}

static void ignore_type(struct descriptor *descriptor, struct type *type, void *nothing)
{
	(void)descriptor;
	(void)type;
	(void)nothing;
}

/* The names under "first_members" are tables; those under "since" are functions. */
static void check_tables(struct descriptor *descriptor)
{
	const char *name;
	json_t *value;

	json_object_foreach(kind_at(descriptor, descriptor->root, "first_members", JSON_OBJECT),
			    name, value) {
		if (!strcmp(name, "comment"))
			continue;
		if (!json_is_integer(value))
			wrong(descriptor, name, NULL,
			      format_text(
				      "\"%s\" must be a number of members; write it without quotes",
				      name));
		for_types(descriptor, "first_members", name, ignore_type, NULL);
	}
	json_object_foreach(kind_at(descriptor, descriptor->root, "since", JSON_OBJECT), name,
			    value)
		if (!model_function(descriptor->model, *name == '?' ? name + 1 : name))
			check_matched(descriptor, "since", name, false, "function");
}

/* "chains": what the names don't tell. */

static void set_stype(struct descriptor *descriptor, struct type *type, void *value)
{
	(void)descriptor;
	type->has_stype = true;
	type->stype = *(int64_t *)value;
}

static void describe_chains(struct descriptor *descriptor)
{
	const char *name;
	json_t *constant;

	json_object_foreach(kind_at(descriptor, descriptor->root, "chains", JSON_OBJECT), name,
			    constant) {
		const char *text = string_in(descriptor, name, constant);
		int64_t value;

		if (constant_value(descriptor->model, *text == '?' ? text + 1 : text, &value))
			for_types(descriptor, "chains", name, set_stype, &value);
		else
			check_matched(descriptor, "chains", text, false, "constant");
	}
}

/* The whole. */

static char *read_file(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;

	if (!file)
		return NULL;
	ssize_t length = getdelim(&text, &size, '\0', file);
	fclose(file);
	return length < 0 ? copy_text("") : text;
}

static bool open_descriptor(struct descriptor *descriptor, const char *path)
{
	json_error_t error;

	descriptor->path = path;
	descriptor->text = read_file(path);
	if (!descriptor->text) {
		fprintf(stderr, "tracegen: %s: %m; name an existing descriptor with --api\n", path);
		return false;
	}
	descriptor->root = json_loads(descriptor->text, JSON_REJECT_DUPLICATES, &error);
	if (!descriptor->root) {
		fprintf(stderr, "tracegen: %s:%d: %s; correct the JSON there\n", path, error.line,
			error.text);
		return false;
	}
	if (!json_is_object(descriptor->root)) {
		fprintf(stderr, "tracegen: %s:1: a descriptor is an object; put it in {}\n", path);
		return false;
	}
	check_keys(descriptor, descriptor->root, all_keys);
	return true;
}

int descriptor_sources(const char *path, const char ***headers, size_t *nheaders,
		       const char ***flags, size_t *nflags)
{
	struct descriptor descriptor = {0};

	if (!open_descriptor(&descriptor, path))
		return -1;
	*headers = texts_at(&descriptor, descriptor.root, "headers", nheaders);
	*flags = texts_at(&descriptor, descriptor.root, "flags", nflags);
	if (!*nheaders)
		wrong(&descriptor, "headers", NULL,
		      "\"headers\" is missing or empty; name the headers to read");
	json_decref(descriptor.root);
	return descriptor.failed ? -1 : 0;
}

int model_describe(struct model *model, const char *path)
{
	static void (*const parts[])(struct descriptor *) = {
		describe_newer,	    describe_version,	    describe_kinds,	describe_enums,
		describe_variables, describe_results,	    describe_successes, describe_levels,
		describe_phases,    describe_flags,	    describe_exports,	describe_left_out,
		describe_getprocs,  describe_newer_members, check_tables,	describe_chains,
	};
	struct descriptor descriptor = {.model = model};

	if (!open_descriptor(&descriptor, path))
		return -1;
	model->name = text_at(&descriptor, descriptor.root, "name", true);
	model->prefix = text_at(&descriptor, descriptor.root, "prefix", true);
	model->sonames = texts_at(&descriptor, descriptor.root, "sonames", &model->nsonames);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		parts[i](&descriptor);
	model_collect(model, model->types, model->ntypes);
	json_decref(descriptor.root);
	return descriptor.failed ? -1 : 0;
}
