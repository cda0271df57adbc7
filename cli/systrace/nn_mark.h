/* SPDX-License-Identifier: MIT */
/*
 * nn_mark.h: takes apart the text of a mark that begins something.
 */
#ifndef TL_CLI_SYSTRACE_NN_MARK_H
#define TL_CLI_SYSTRACE_NN_MARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/systrace/nn_names.h"

/*
 * The functions whose calls are counted one by one. The time of execution is the sum of these
 * calls, and not of phases.
 */
enum timed_function {
	TIMED_NONE,
	TIMED_START, /* ANeuralNetworksExecution_startCompute */
	TIMED_WAIT,  /* ANeuralNetworksEvent_wait */
	/* ANeuralNetworksExecution_create, which tells how many executions there are */
	TIMED_CREATE,
	TIMED_FREE, /* from here on each call's own time counts */
	TIMED_EVENT_CREATE,
	TIMED_EVENT_FREE,
	TIMED_SET_INPUT,
	TIMED_SET_OUTPUT,
	TIMED_SET_INPUT_MEMORY,
	TIMED_SET_OUTPUT_MEMORY,
	TIMED_DRIVER_EXECUTE, /* HIDL::IPreparedModel::execute::server */
	TIMED_DRIVER_NOTIFY,  /* HIDL::IExecutionCallback::notify::client */
	TIMED_FUNCTIONS,
};

/* Which rule of the contract a mark breaks. */
enum mark_fault {
	MARK_SOUND,
	MARK_TAG,   /* its brackets do not hold a layer and a phase */
	MARK_OTHER, /* a HIDL mark of which neither client nor server can be told */
};

struct mark {
	uint16_t nn_layer, nn_phase;
	bool switches;	/* [SW]: it ends what the mark before it began */
	bool subtracts; /* [SUB] */
	enum timed_function function;
};

/* Takes a mark apart that begins with B. `text` may be written to. */
enum mark_fault mark_parse(struct mark *mark, char *text, size_t size);

/* Whether the mark begins a run, as Android calls it. */
#define MARK_RUN "[NN_LA_PO]"

/* Where Android's tool looks for drivers. */
#define MARK_DEVICE "HIDL::IDevice"

#endif
