/* SPDX-License-Identifier: MIT */
/*
 * calls.h: the contract of layer/calls: what happens between a shim and the real function.
 *
 * A shim serves in its own entry what is ordinary (tracelayer/shim.h). All else comes here: first
 * calls, calls with tracers or hooks, arguments captured from memory, calls that end otherwise than
 * by returning. The room keeps the stack of open calls of each thread, makes records of calls and
 * of other events, and runs callbacks.
 *
 * It promises:
 *
 *	A prologue that ran has its epilogue run, on whatever way the call ends: return, exception,
 *	cancellation, longjmp, the thread's end. The same for a hook's `before` and `after`.
 *	Destroying a tracer returns only when no thread is inside one of its callbacks, or owes one.
 *	A call leaves errno as the real function left it.
 *	After a thread's first call there is no lock, no allocation and no system call on the path
 *	of a call that is recorded, but where a chunk is handed over.
 *	Calls that callbacks and hooks make pass through unwatched.
 *
 * Who may call, and from where:
 *
 *	event.h, request.h	any thread, a signal handler too (once the thread has made a call).
 *	thread.h		the thread itself.
 *	hook.h, inside_hook.h	hooks of higher rooms; tl_hook_set by one thread at a time for each setter.
 *	tracers.h		any thread, but not a signal handler. The after_fork functions: the
 *				only thread of a forked child.
 *	open_calls.h		the thread whose calls they are.
 *	slow_path.h		the same.
 *	stack_numbers.h		the same; the after_fork function: the only thread of a forked child.
 *
 * The room uses layer/write (only what that room promises to calls), layer/resolve, layer/buffers,
 * layer/base and format/args. Of higher rooms it knows functions that they give at the start: the
 * work for the first call (layer/base/first_call.h), tl_call_after_initialising,
 * tl_tracer_at_create and tl_submission_listens.
 */
#ifndef TL_LAYER_CALLS_CALLS_H
#define TL_LAYER_CALLS_CALLS_H

#include "layer/calls/event.h"
#include "layer/calls/hook.h"
#include "layer/calls/hook_thread.h"
#include "layer/calls/inside_hook.h"
#include "layer/calls/open_calls.h"
#include "layer/calls/request.h"
#include "layer/calls/slow_path.h"
#include "layer/calls/stack_numbers.h"
#include "layer/calls/thread.h"
#include "layer/calls/tracers.h"

#endif
