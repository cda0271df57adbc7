/* SPDX-License-Identifier: MIT */
/*
 * xpti_environment.c: see xpti_environment.h. The names of variables and what they may be are
 * XPTI's.
 */
#include "common/xpti_environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool variable_set_beside(const char *variable, const char *before, const char *folder,
				const char *library)
{
	size_t size = strlen(before) + strlen(folder) + strlen(library) + 3;
	char *value = malloc(size);

	if (!value)
		return false;
	snprintf(value, size, "%s%s%s/%s", before, *before ? "," : "", folder, library);
	bool done = setenv(variable, value, 1) == 0;
	free(value);
	return done;
}

/* Whether the list has our subscriber, in whatever folder. */
static bool list_has_own(const char *list)
{
	for (const char *at = list; (at = strstr(at, TL_XPTI_TIMELINE)); at++) {
		char end = at[strlen(TL_XPTI_TIMELINE)];
		if ((at == list || at[-1] == '/' || at[-1] == ',') && (!end || end == ','))
			return true;
	}
	return false;
}

/* SYCL's unified runtime reports its calls only if its own tracing layer is on. */
static bool ur_set_layers(void)
{
	static const char layer[] = "UR_LAYER_TRACING";
	const char *layers = getenv("UR_ENABLE_LAYERS");

	if (!layers || !*layers)
		return setenv("UR_ENABLE_LAYERS", layer, 1) == 0;
	if (strstr(layers, layer))
		return true;
	size_t size = strlen(layers) + sizeof(layer) + 1;
	char *both = malloc(size);
	if (!both)
		return false;
	snprintf(both, size, "%s,%s", layers, layer);
	bool done = setenv("UR_ENABLE_LAYERS", both, 1) == 0;
	free(both);
	return done;
}

bool tl_xpti_set_environment(const char *folder)
{
	const char *dispatcher = getenv("XPTI_FRAMEWORK_DISPATCHER"),
		   *subscribers = getenv("XPTI_SUBSCRIBERS");

	if (strchr(folder, ',') || !ur_set_layers())
		return false;
	if ((!dispatcher || !*dispatcher) &&
	    !variable_set_beside("XPTI_FRAMEWORK_DISPATCHER", "", folder, TL_XPTI_DISPATCHER))
		return false;
	if (subscribers && list_has_own(subscribers))
		return true;
	return variable_set_beside("XPTI_SUBSCRIBERS", subscribers ? subscribers : "", folder,
				   TL_XPTI_TIMELINE);
}

const char *tl_xpti_turned_off(void)
{
	const char *value = getenv("XPTI_TRACE_ENABLE");

	return !value || !*value || strcmp(value, "1") == 0 || strcmp(value, "true") == 0 ? NULL
											  : value;
}
