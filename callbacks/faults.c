/* SPDX-License-Identifier: MIT */
/*
 * faults: makes chosen calls fail without reaching the driver, so that a program's handling of
 * errors can be tested.
 *
 *	faults=GLOB[/WHEN][=RESULT][,...][,seed=N][,quiet][,file=PATH]
 *
 * WHEN is N (the Nth of the calls that match, counted over all threads of a process), N+ (it and
 * all later ones) or P% (each with that probability); without it every call fails. Whether a call
 * fails by probability depends on the seed and on its number alone, so that a run can be repeated.
 *
 * RESULT is a number or an enumerator's name. It is the function's result; where a function returns
 * an object, its result is NULL and the code goes to the parameter that takes one (OpenCL's
 * errcode_ret). Without it: out of host memory for OpenCL and Level Zero, 0 for a truth value, else -1,
 * or NULL.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "callbacks/tool_common.h"

#define RULES 64

enum when { ALWAYS, ONCE, FROM, PROBABLY };

struct rule {
	char glob[256];
	enum when when;
	uint64_t number; /* ONCE, FROM: which call; PROBABLY: below this of 2 to the 64 */
	bool has_result, by_name;
	int64_t result;
	char name[128];
	_Atomic uint64_t calls;
};

const unsigned tl_tool_version = TL_TOOL_VERSION;

static struct rule rules[RULES];
static unsigned nrules;
static uint64_t seed;
static bool quiet;
static struct output output;

/* ---- results ---- */

static const struct tl_enumerator *type_enumerator(const struct tl_type *type, const char *name)
{
	for (uint32_t i = 0; type->kind == TL_KIND_ENUM && i < type->count; i++)
		if (!strcmp(type->enumerators[i].name, name))
			return &type->enumerators[i];
	return NULL;
}

/* The parameter for the error code of a function that returns an object; -1: there is none. */
static int error_code_param(const struct tl_function *function)
{
	for (uint32_t i = 0; i < function->count; i++) {
		const struct tl_variable *param = &function->params[i];
		if (param->type->kind == TL_KIND_POINTER && param->type->target &&
		    param->type->target->kind == TL_KIND_ENUM && param->direction & TL_OUT &&
		    !(param->direction & TL_IN))
			return (int)i;
	}
	return -1;
}

/* The type of a function's error code, NULL where it has none. */
static const struct tl_type *error_code_type(const struct tl_function *function)
{
	if (function->failure != TL_FAILURE_NULL)
		return function->result;
	int param = error_code_param(function);
	return param < 0 ? NULL : function->params[param].type->target;
}

/* Of truth values, also those that are an int by another name: gboolean, Bool. */
static bool type_is_truth(const struct tl_type *type)
{
	return type &&
	       (type->kind == TL_KIND_BOOL || (type->name && strcasestr(type->name, "bool")));
}

/* The code that a rule gives a function. False: the rule can't be used on it. */
static bool error_code_for(const struct rule *rule, const struct tl_function *function,
			   int64_t *code)
{
	static const char *const usual[] = {"CL_OUT_OF_HOST_MEMORY",
					    "ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY"};
	const struct tl_type *type = error_code_type(function);
	const struct tl_enumerator *found = NULL;

	*code = rule->has_result ? rule->result : type_is_truth(type) ? 0 : -1;
	if (rule->by_name) {
		found = type ? type_enumerator(type, rule->name) : NULL;
		if (found)
			*code = (int64_t)found->value;
		return found;
	}
	for (size_t i = 0;
	     !rule->has_result && type && !found && i < sizeof(usual) / sizeof(*usual); i++)
		found = type_enumerator(type, usual[i]);
	if (found)
		*code = (int64_t)found->value;
	/* A function that never fails can only fail with a RESULT. */
	return function->failure != TL_FAILURE_NEVER || rule->has_result;
}

static void error_code_store(void *to, int64_t value, const struct tl_type *type)
{
	float number = (float)value;
	double wide = (double)value;

	if (type->kind == TL_KIND_FLOAT && type->size == sizeof(number))
		memcpy(to, &number, sizeof(number));
	else if (type->kind == TL_KIND_FLOAT && type->size == sizeof(wide))
		memcpy(to, &wide, sizeof(wide));
	else
		memcpy(to, &value, type->size < sizeof(value) ? type->size : sizeof(value));
}

/* ---- which calls ---- */

/* A well mixed number for each call (splitmix64). */
static uint64_t fault_chance(uint64_t call)
{
	uint64_t x = seed + call * 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

/* * any run, ? any character. */
static bool rule_matches(const char *glob, const char *name)
{
	const char *star = NULL, *from = NULL;

	while (*name) {
		if (*glob == '*') {
			star = glob++;
			from = name;
		} else if (*glob == '?' || *glob == *name) {
			glob++;
			name++;
		} else if (star) {
			glob = star + 1;
			name = ++from;
		} else {
			return false;
		}
	}
	return glob[strspn(glob, "*")] == 0;
}

static bool rule_strikes(struct rule *rule, uint64_t *call)
{
	*call = atomic_fetch_add_explicit(&rule->calls, 1, memory_order_relaxed) + 1;
	switch (rule->when) {
	case ALWAYS:
		return true;
	case ONCE:
		return *call == rule->number;
	case FROM:
		return *call >= rule->number;
	case PROBABLY:
		return fault_chance(*call) < rule->number;
	}
	return false;
}

static void fault_print(const struct tl_function *function, uint64_t call, int64_t code)
{
	const struct tl_type *type = error_code_type(function);
	char line[512], number[32];
	const char *name = NULL;

	for (uint32_t i = 0; type && type->kind == TL_KIND_ENUM && i < type->count; i++)
		if ((int64_t)type->enumerators[i].value == code)
			name = type->enumerators[i].name;
	snprintf(number, sizeof(number), "%lld", (long long)code);
	bool returns = function->result->kind != TL_KIND_VOID;
	int size = snprintf(line, sizeof(line),
			    "tracelayer: faults: %s %s%s (call %llu of its rule)\n", function->name,
			    returns ? "fails with " : "does nothing",
			    !returns ? ""
			    : name   ? name
			    : type   ? number
				     : "NULL",
			    (unsigned long long)call);
	if (size > 0 && (size_t)size < sizeof(line) && !quiet)
		output_write(&output, line, (size_t)size);
}

/* Every rule counts every call that matches it. The first rule that applies decides. */
static enum tl_verdict fault_before(const struct tl_view *view, void *user_data,
				    void **instance_data)
{
	const struct tl_function *function = view->function;
	struct rule *struck = NULL;
	uint64_t number = 0, call;
	int64_t code = 0, its;

	for (unsigned i = 0; i < nrules; i++) {
		if (!rule_matches(rules[i].glob, function->name) ||
		    !error_code_for(&rules[i], function, &its) || !rule_strikes(&rules[i], &call) ||
		    struck)
			continue;
		struck = &rules[i];
		number = call;
		code = its;
	}
	if (!struck)
		return TL_GO_ON;
	if (function->failure != TL_FAILURE_NULL && function->result->kind != TL_KIND_VOID)
		error_code_store(view->result, code, function->result);
	*instance_data = struck;
	fault_print(function, number, code);
	return TL_SKIP;
}

/*
 * Put the code where the function would have put it. This is an epilogue because the shim of a
 * skipped call puts a code of its own there first.
 */
static void fault_after(const struct tl_view *view, void *user_data, void **instance_data)
{
	const struct tl_function *function = view->function;
	int param = *instance_data && function->failure == TL_FAILURE_NULL
			    ? error_code_param(function)
			    : -1;
	int64_t code;

	if (param < 0 || view->flags & TL_VIEW_UNWOUND)
		return;
	void *place = *(void **)view->params[param];
	if (place && error_code_for(*instance_data, function, &code))
		error_code_store(place, code, function->params[param].type->target);
}

/* ---- options ---- */

static bool rule_read_when(struct rule *rule, const char *text)
{
	char *end;

	errno = 0;
	double percent = strtod(text, &end);
	if (end != text && !strcmp(end, "%") && percent >= 0 && percent <= 100) {
		rule->when = PROBABLY;
		rule->number = percent >= 100 ? UINT64_MAX
					      : (uint64_t)(percent / 100 * 18446744073709551616.0);
		return true;
	}
	rule->number = strtoull(text, &end, 10);
	rule->when = *end == '+' ? FROM : ONCE;
	return end != text && rule->number > 0 && !end[*end == '+'] && !errno && *text != '-';
}

/* 0 if the rule matches a function that can have this result; else what tl_tool_start returns. */
static int rule_check(const struct tl_tool_host *host, const struct rule *rule)
{
	const struct tl_api *api;
	const char *met = NULL;
	bool returns = false;
	int64_t code;

	for (unsigned number = 0; (api = tl_api_at(number)); number++)
		for (uint32_t i = 0; i < api->count; i++) {
			if (!rule_matches(rule->glob, api->functions[i].name))
				continue;
			met = api->functions[i].name;
			returns |= api->functions[i].result->kind != TL_KIND_VOID;
			if (error_code_for(rule, &api->functions[i], &code))
				return 0;
		}
	if (!met)
		return refuse(host, "no function matches %s; give names of functions, with * and ?",
			      rule->glob);
	if (rule->by_name)
		return refuse(
			host,
			"%s=%s: %s has no such result; give one of its error codes, or a number",
			rule->glob, rule->name, met);
	if (!returns)
		return refuse(host, "%s: %s returns nothing; with =0 its calls do nothing, too",
			      rule->glob, met);
	return refuse(host, "%s: %s never fails; give the result that it is to have", rule->glob,
		      met);
}

static int rule_read(const struct tl_tool_host *host, char *key, const char *result)
{
	char *when = strchr(key, '/'), *end;
	struct rule *rule = &rules[nrules];

	if (nrules == RULES)
		return refuse(host, "more than %d rules; give fewer", RULES);
	if (when)
		*when++ = 0;
	if (strlen(key) >= sizeof(rule->glob))
		return refuse(host, "%.60s...: no function's name is that long; give a shorter one",
			      key);
	if (when && !rule_read_when(rule, when))
		return refuse(
			host,
			"%s/%s: no such time; give N for the Nth call, N+ for it and all after it, or P%%",
			key, when);
	snprintf(rule->glob, sizeof(rule->glob), "%s", key);
	if (*result) {
		errno = 0;
		rule->result = strtoll(result, &end, 0);
		rule->has_result = true;
		rule->by_name = *end != 0;
		if (errno || strlen(result) >= sizeof(rule->name))
			return refuse(
				host,
				"%s=%.60s: no such result; give an enumerator's name or a number",
				key, result);
		strcpy(rule->name, result);
	}
	nrules++;
	return rule_check(host, rule);
}

static int seed_read(const struct tl_tool_host *host, const char *value)
{
	char *end;

	seed = strtoull(value, &end, 0);
	return end == value || *end ? refuse(host, "seed=%.60s: no number; give one", value) : 0;
}

static int options_read(const struct tl_tool_host *host, char *file)
{
	const char *options = host->options;
	static struct option option;
	int status = options_check(host);

	while (status == 0 && option_next(&options, &option)) {
		if (option_is(&option, "seed"))
			status = seed_read(host, option.value);
		else if (option_is(&option, "quiet"))
			quiet = true;
		else if (option_is(&option, "file"))
			strcpy(file, option.value);
		else
			status = rule_read(host, option.key, option.value);
	}
	return status;
}

/* The child counts its own calls only. */
static void faults_after_fork(void)
{
	for (unsigned i = 0; i < nrules; i++)
		atomic_store_explicit(&rules[i].calls, 0, memory_order_relaxed);
	output_after_fork(&output);
}

int tl_tool_start(const struct tl_tool_host *host)
{
	static char globs[RULES * (sizeof(rules[0].glob) + 1)];
	static char file[4096];
	int status = options_read(host, file);

	if (status)
		return status;
	if (!nrules)
		return refuse(
			host,
			"no calls are named; say which are to fail: faults=clCreateBuffer/2=CL_OUT_OF_RESOURCES");
	status = output_open(&output, host, file);
	if (status)
		return status;
	for (unsigned i = 0; i < nrules; i++) {
		strcat(globs, i ? "," : "");
		strcat(globs, rules[i].glob);
	}
	pthread_atfork(NULL, NULL, faults_after_fork);
	return trace(host, globs, fault_before, fault_after);
}
