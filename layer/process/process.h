/* SPDX-License-Identifier: MIT */
/*
 * process.h: the contract of layer/process: the process as a whole, from loading to its end.
 *
 * The room is the roof: it uses every other room of layer/, and no room uses it. What lower rooms
 * need of it they reach by functions that it gives them at the start, and by tl_process_stages
 * (layer/buffers/process_state.h). So this header includes none.
 *
 *	process_parts.c		the table of parts: what each part of the layer does at the start,
 *				at the first call, around forks and at the end
 *	process_start.c		loading, and the first watched call
 *	process_fork.c		forks, with and without fork handlers
 *	process_exit.c		exit handlers, and the end of the file
 *	process_end.c		_exit, quick_exit, exec, posix_spawn, unshare, setns
 *	confine.c		seccomp filters; seccomp_filter.c asks a filter
 *	setid.c			the setuid family, for the writer's thread
 *	preload.c, exec_image.c	how the library came in; what a started program will be
 *	tool_libraries.c	loading tool libraries, and their end
 *
 * It promises:
 *
 *	Loading reads the environment and sets modes. It prints nothing and makes no file.
 *	Whatever way a process ends, what it recorded is in the file, or in buffers that
 *	`tracelayer recover` finds.
 *	A forked child has its own buffers and its own file, and none of its parent's events, also
 *	where no fork handler ran.
 *	Nothing is ever taken down: calls made after the exit handlers still work.
 *	Functions exported in the C library's place do what those do, also in signal handlers and in
 *	children of vfork.
 */
#ifndef TL_LAYER_PROCESS_PROCESS_H
#define TL_LAYER_PROCESS_PROCESS_H

#endif
