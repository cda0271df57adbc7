/* SPDX-License-Identifier: MIT */
/*
 * model.c: memory and look-ups, for all parts of tracegen. See allocate.h and model.h.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "gen/allocate.h"
#include "gen/model.h"

#ifdef __SANITIZE_ADDRESS__
/* Memory that is kept until the end is no leak. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}
#endif

static void *memory_checked(void *memory)
{
	if (!memory) {
		fputs("tracegen: out of memory; give it more, or a smaller set of headers\n",
		      stderr);
		exit(1);
	}
	return memory;
}

void *allocate(size_t size)
{
	return memory_checked(calloc(1, size ? size : 1));
}

void *reallocate(void *old, size_t size)
{
	return memory_checked(realloc(old, size ? size : 1));
}

char *copy_bytes(const char *from, size_t size)
{
	char *copy = allocate(size + 1);

	memcpy(copy, from, size);
	return copy;
}

char *copy_text(const char *text)
{
	return copy_bytes(text, strlen(text));
}

char *name_squeezed(const char *from, size_t length)
{
	char *name = copy_bytes(from, length), *to = name;

	for (const char *c = name; *c; c++)
		if (isalnum((unsigned char)*c))
			*to++ = (char)tolower((unsigned char)*c);
	*to = '\0';
	return name;
}

char *format_text(const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	return memory_checked(text);
}

void *append_element(void *array, size_t *count, size_t size)
{
	char *elements;

	/*
	 * `array` is the address of some T *, read and written as bytes so that no type is broken.
	 */
	memcpy(&elements, array, sizeof elements);
	if ((*count & (*count - 1)) == 0) {
		size_t room = *count ? *count * 2 : 1;

		elements = reallocate(elements, room * size);
		memcpy(array, &elements, sizeof elements);
	}
	memset(elements + *count * size, 0, size);
	return elements + (*count)++ * size;
}

struct function *model_function(const struct model *model, const char *name)
{
	for (size_t i = 0; i < model->nfunctions; i++)
		if (!strcmp(model->functions[i].name, name))
			return &model->functions[i];
	for (size_t i = 0; i < model->nfunctions; i++)
		if (model->functions[i].declared && !strcmp(model->functions[i].declared, name))
			return &model->functions[i];
	return NULL;
}

struct type *model_type(const struct model *model, const char *name)
{
	for (size_t i = 0; i < model->ntypes; i++)
		if (model->types[i]->name && !strcmp(model->types[i]->name, name))
			return model->types[i];
	return NULL;
}

const char *model_flag_enum(const char *name)
{
	size_t length = strlen(name);

	if (length > 8 && !strcmp(name + length - 8, "_flags_t"))
		return format_text("%.*s_t", (int)length - 3, name);
	/* VkAccessFlags2KHR: what is behind "Flags" counts versions or names a vendor. */
	while (length && (isdigit((unsigned char)name[length - 1]) ||
			  isupper((unsigned char)name[length - 1])))
		length--;
	if (length > 5 && !strncmp(name + length - 5, "Flags", 5))
		return format_text("%.*sBits%s", (int)length - 1, name, name + length);
	return NULL;
}

/* The list of ends is closed by NULL. */
static bool name_ends(const char *name, const char *const *ends)
{
	size_t length = strlen(name);

	for (; *ends; ends++)
		if (length > strlen(*ends) && !strcmp(name + length - strlen(*ends), *ends))
			return true;
	return false;
}

/* A value that exists only to make the enum 32 bits wide. */
static bool enumerator_is_filler(const char *name)
{
	static const char *const ends[] = {"_FORCE_UINT32", "_FORCE_INT32", "_MAX_ENUM", NULL};

	return name_ends(name, ends);
}

/* An enum may have its value 0 also as the name of a group of errors. */
static bool enumerator_is_success(const struct enumerator *of)
{
	static const char *const ends[] = {"_OK", "_SUCCESS", "_NO_ERROR", "Success", NULL};

	return !of->value && name_ends(of->name, ends);
}

void enumerator_add(struct type *type, struct enumerator from)
{
	bool is_success = enumerator_is_success(&from);

	from.alias = from.alias || enumerator_is_filler(from.name);
	for (size_t i = 0; i < type->nenumerators; i++)
		if (!strcmp(type->enumerators[i].name, from.name))
			return;
	for (size_t i = 0; i < type->nenumerators; i++) {
		struct enumerator *other = &type->enumerators[i];

		if (other->value != from.value || other->alias)
			continue;
		if (is_success && !from.alias && !enumerator_is_success(other))
			other->alias = true;
		else
			from.alias = true;
	}
	*APPEND(type->enumerators, type->nenumerators) = from;
}

/* Types that were seen: every one, named or not. */
struct seen {
	const struct type **list;
	size_t count;
};

static void type_keep(struct model *model, struct type *type, struct seen *seen)
{
	if (!type)
		return;
	for (size_t i = 0; i < seen->count; i++)
		if (seen->list[i] == type)
			return;
	*APPEND(seen->list, seen->count) = type;
	if (type->name) {
		type->index = model->ntypes;
		*APPEND(model->types, model->ntypes) = type;
	}
	type_keep(model, type->target, seen);
	for (size_t i = 0; i < type->nmembers; i++)
		type_keep(model, type->members[i].type, seen);
}

void model_collect(struct model *model, struct type *const *chained, size_t nchained)
{
	struct seen seen = {0};

	model->types = NULL;
	model->ntypes = 0;
	for (size_t i = 0; i < model->nfunctions; i++) {
		type_keep(model, model->functions[i].result, &seen);
		for (size_t j = 0; j < model->functions[i].nparams; j++)
			type_keep(model, model->functions[i].params[j].type, &seen);
	}
	for (size_t i = 0; i < nchained; i++)
		if (chained[i]->has_stype)
			type_keep(model, chained[i], &seen);
	free(seen.list);
}
