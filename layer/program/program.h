/* SPDX-License-Identifier: MIT */
/*
 * program.h: the contract of layer/program: how the program itself talks to the layer.
 *
 *	program_control.c	tl_pause, tl_resume, tl_snapshot, tl_stop (tracelayer/tracelayer.h)
 *	context.h		trace contexts, and requests that threads work on
 *				(tracelayer/trace_context.h)
 *	marks.h			marks of layers and phases (tracelayer/nntrace.h)
 *	roctx.h			ROCTX's calls, for libtracelayer-annotations.so
 *	xpti_events.h		events of XPTI streams, from libtracelayer-xpti-timeline.so
 *	zel_tracer.h		Level Zero's zelTracer functions, on the layer's tracers
 *
 * It promises that these functions may be called at any time: before the library's constructor has
 * run, in a forked child, after main. If nothing is recorded they return at once. errno stays as it
 * was.
 *
 * Programs may call the public functions from any thread; each public header says which of them are
 * for signal handlers, too. The after_fork functions are for the only thread of a forked child.
 *
 * The room uses layer/calls (events, tracers, requests), layer/write (the file's end, serving
 * requests), layer/resolve (switching recording), layer/buffers and layer/base.
 */
#ifndef TL_LAYER_PROGRAM_PROGRAM_H
#define TL_LAYER_PROGRAM_PROGRAM_H

#include "layer/program/context.h"
#include "layer/program/marks.h"
#include "layer/program/roctx.h"
#include "layer/program/xpti_events.h"
#include "layer/program/zel_tracer.h"

#endif
