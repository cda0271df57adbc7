/* SPDX-License-Identifier: MIT */
/*
 * nn_mark.c: see nn_mark.h.
 */
#include "config.h"

#include <string.h>

#include "cli/systrace/nn_mark.h"
#include "cli/systrace/systrace_row.h"

/* Where `what` begins; NULL: nowhere. */
static char *find_text(char *text, size_t size, const char *what)
{
	return memmem(text, size, what, strlen(what));
}

static size_t remove_all(char *text, size_t size, const char *what)
{
	size_t length = strlen(what);
	char *at = text;

	while ((at = find_text(at, size - (size_t)(at - text), what))) {
		memmove(at, at + length, size - length - (size_t)(at - text));
		size -= length;
	}
	return size;
}

/*
 * Corrects two sorts of marks that Android's runtime writes wrongly. To free an event or an
 * execution is a part of the execution. To execute with a compilation is no switch. Returns the new
 * size.
 */
static size_t correct_mark(char *text, size_t size)
{
	if (find_text(text, size, "ANeuralNetworksEvent_free") ||
	    find_text(text, size, "ANeuralNetworksExecution_free")) {
		for (char *at = text; (at = find_text(at, size - (size_t)(at - text), "_PT"));
		     at += 3)
			at[2] = 'E';
		return size;
	}
	if (find_text(text, size, "[SW][NN_LA_PR]executeWithCompilation"))
		return remove_all(text, size, "[SW]");
	return size;
}

/* "B|5143|": what follows it, or NULL. Not only at the beginning. */
static const char *behind_process(const char *text, const char *end)
{
	for (const char *at = text; (at = memmem(at, (size_t)(end - at), "B|", 2)); at++) {
		const char *p = at + 2;

		while (p < end && *p >= '0' && *p <= '9')
			p++;
		if (p > at + 2 && p < end && *p == '|')
			return p + 1;
	}
	return NULL;
}

/*
 * The tag: the last brackets that have something in them and, behind them, something other than a
 * closing one. So it is LR and PC in "[SW][NN_LR_PC]f", also where f is "operator[]".
 */
static const char *find_tag(const char *text, const char *end, size_t *size)
{
	const char *begin = behind_process(text, end), *close = NULL;

	if (!begin)
		return NULL;
	for (const char *at = end; at > begin;) {
		at--;
		if (*at == ']') {
			close = at;
		} else if (*at == '[' && close && close > at + 1 && close + 1 < end &&
			   close[1] != ']') {
			*size = (size_t)(close - at - 1);
			return at + 1;
		}
	}
	return NULL;
}

/* "NN_LR_PC". */
static bool parse_tag(struct mark *mark, const char *tag, size_t size)
{
	const char *end = tag + size, *nn_layer = memchr(tag, '_', size), *nn_phase;

	if (!nn_layer)
		return false;
	nn_layer++;
	nn_phase = memchr(nn_layer, '_', (size_t)(end - nn_layer));
	if (!nn_phase || memchr(nn_phase + 1, '_', (size_t)(end - nn_phase - 1)))
		return false;
	mark->nn_layer = nn_layer_number(nn_layer, (size_t)(nn_phase - nn_layer));
	nn_phase++;
	mark->nn_phase = nn_phase_number(nn_phase, (size_t)(end - nn_phase));
	return true;
}

/*
 * Marks of HIDL, Android's way between processes, which have no tag. Any other mark is of no layer.
 */
static enum mark_fault map_untagged(struct mark *mark, const char *text, size_t size)
{
	bool notify = row_has(text, size, "notify");

	if (row_has(text, size, "::client"))
		mark->nn_layer = notify ? NN_LAYER_LX : NN_LAYER_LI;
	else if (row_has(text, size, "::server"))
		mark->nn_layer = notify ? NN_LAYER_LX : NN_LAYER_LD;
	else if (row_has(text, size, "getCapabilities") ||
		 row_has(text, size, "getSupportedOperations"))
		mark->nn_layer = NN_LAYER_LD;
	else if (!row_has(text, size, "HIDL"))
		mark->nn_layer = NN_LAYER_LX;
	else
		return MARK_OTHER;

	if (row_has(text, size, "IAllocator"))
		mark->nn_phase = NN_PHASE_PU;
	else if (row_has(text, size, "getCapabilities"))
		mark->nn_phase = NN_PHASE_PI;
	else if (row_has(text, size, "prepareModel") ||
		 row_has(text, size, "getSupportedOperations") ||
		 row_has(text, size, "IPreparedModelCallback"))
		mark->nn_phase = NN_PHASE_PC;
	else if (row_has(text, size, "execute") || row_has(text, size, "IExecutionCallback"))
		mark->nn_phase = NN_PHASE_PE;
	else
		mark->nn_phase = NN_PHASE_PI;
	return MARK_SOUND;
}

static enum timed_function timed_function(const char *name, size_t size)
{
	static const struct {
		const char *name;
		enum timed_function function;
	} timed[] = {
		{"ANeuralNetworksExecution_startCompute", TIMED_START},
		{"ANeuralNetworksEvent_wait", TIMED_WAIT},
		{"ANeuralNetworksExecution_create", TIMED_CREATE},
		{"ANeuralNetworksExecution_free", TIMED_FREE},
		{"ANeuralNetworksEvent_create", TIMED_EVENT_CREATE},
		{"ANeuralNetworksEvent_free", TIMED_EVENT_FREE},
		{"ANeuralNetworksExecution_setInput", TIMED_SET_INPUT},
		{"ANeuralNetworksExecution_setOutput", TIMED_SET_OUTPUT},
		{"ANeuralNetworksExecution_setInputFromMemory", TIMED_SET_INPUT_MEMORY},
		{"ANeuralNetworksExecution_setOutputFromMemory", TIMED_SET_OUTPUT_MEMORY},
		{"HIDL::IPreparedModel::execute::server", TIMED_DRIVER_EXECUTE},
		{"HIDL::IExecutionCallback::notify::client", TIMED_DRIVER_NOTIFY},
	};

	if (size < 2 || (memcmp(name, "AN", 2) && memcmp(name, "HI", 2)))
		return TIMED_NONE;
	for (size_t i = 0; i < sizeof(timed) / sizeof(*timed); i++)
		if (strlen(timed[i].name) == size && !memcmp(timed[i].name, name, size))
			return timed[i].function;
	return TIMED_NONE;
}

/* The name of the mark's function: the text after the second bar, without [SW], [SUB] and tag. */
static enum timed_function find_function(char *text, size_t size)
{
	char *end = text + size, *name = memchr(text, '|', size), *close;

	name = name ? memchr(name + 1, '|', (size_t)(end - name - 1)) : NULL;
	if (!name)
		return TIMED_NONE;
	name++;
	close = memchr(name, '|', (size_t)(end - name));
	if (close)
		end = close;
	if (!find_text(name, (size_t)(end - name), "[NN_"))
		return timed_function(name, (size_t)(end - name));
	end = name + remove_all(name, (size_t)(end - name), "[SUB]");
	end = name + remove_all(name, (size_t)(end - name), "[SW]");
	name = memchr(name, ']', (size_t)(end - name));
	if (!name)
		return TIMED_NONE;
	name++;
	close = memchr(name, ']', (size_t)(end - name));
	if (close)
		end = close;
	return timed_function(name, remove_all(name, (size_t)(end - name), "["));
}

enum mark_fault mark_parse(struct mark *mark, char *text, size_t size)
{
	size_t tag_size;
	const char *tag;

	size = correct_mark(text, size);
	*mark = (struct mark){
		.switches = find_text(text, size, "[SW]") != NULL,
		.subtracts = find_text(text, size, "[SUB]") != NULL,
	};
	tag = find_tag(text, text + size, &tag_size);
	if (tag && !parse_tag(mark, tag, tag_size))
		return MARK_TAG;
	if (!tag && map_untagged(mark, text, size))
		return MARK_OTHER;
	mark->function = find_function(text, size);
	return MARK_SOUND;
}
