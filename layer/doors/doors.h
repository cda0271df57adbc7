/* SPDX-License-Identifier: MIT */
/*
 * doors.h: the contract of layer/doors: the thin libraries that loaders load.
 *
 *	libze_tracing_layer.so.1		Level Zero's loader finds it in the place of its own
 *	libtracelayer_opencl_layer.so		OpenCL's loader loads it (OPENCL_LAYERS)
 *
 * And a part of libtracelayer-mpi.so, which `run --mpi` preloads, and which is linked to libtracelayer.so:
 * mpi_tables_given.c.
 *
 * A door is not linked to libtracelayer.so. It finds that library beside itself, or preloaded in
 * the process, and hands each pointer of the loader's tables to layer/resolve/loader_tables.h. So
 * one runtime and one set of tracers serve both ways in, and a call that goes through both is
 * traced once.
 *
 * Promise: without a usable libtracelayer.so the loader's tables stay as they are, the program
 * runs, and one line on stderr says so. A set-user-id program gets nothing, and no line.
 *
 * Who may call: loaders, in the thread that initialises them. Any thread may call tl_door_library,
 * but no signal handler. Nothing is to be done after a fork. No other room uses this one; the
 * headers below are for the code that tracegen writes (apis/ze_layer.c, apis/cl_layer.c).
 *
 * What it uses: layer/resolve's and layer/program's declarations; their functions by dlsym alone.
 */
#ifndef TL_LAYER_DOORS_DOORS_H
#define TL_LAYER_DOORS_DOORS_H

#include "layer/doors/runtime_library.h"

/* Generated code includes layer/doors/cl_layer.h or layer/doors/ze_layer.h, each with its API. */

#endif
