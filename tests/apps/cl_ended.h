/* SPDX-License-Identifier: MIT */
/*
 * cl_ended.h: a command has ended, and no call has waited for it: a driver's callback says so.
 */
#ifndef TESTS_APPS_CL_ENDED_H
#define TESTS_APPS_CL_ENDED_H

#include "cl_device.h"

#define PAUSE 100   /* microseconds */
#define ENDED 20000 /* the same: for a driver's threads to end, or to release what had ended */

static atomic_bool ended;

static void CL_CALLBACK say_ended(cl_event event, cl_int status, void *unused)
{
	(void)event;
	(void)status;
	(void)unused;
	ended = true;
}

/* At most one command is looked at. */
static void ended_look_at(cl_event event)
{
	ended = false;
	DO(clSetEventCallback(event, CL_COMPLETE, say_ended, NULL));
}

static void ended_await(void)
{
	while (!ended)
		usleep(PAUSE);
	usleep(ENDED);
}

#endif
