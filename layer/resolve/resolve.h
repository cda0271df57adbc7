/* SPDX-License-Identifier: MIT */
/*
 * resolve.h: the contract of layer/resolve: which function a call gets.
 *
 * Shims have the names of the functions that they stand for. So a name alone does not say which
 * function a caller means. This room finds the real function behind each shim, tells the program's
 * calls from those of loaders and drivers, and makes sure that each call is traced once.
 *
 *	real_function.h	the real function of a shim; what get-proc functions give out
 *	call_origin.h	who makes a call
 *	asked_versions.h	callers that ask for an older version of a function
 *	dlsym.h		the program's dlsym, dlvsym, dlerror, dladdr and dladdr1, and the real ones
 *	loader_tables.h	the runtime's interface for the loaders' own layers (layer/doors)
 *	function_tables.h	tables of functions in structs
 *	object_lookup.h	which loaded object an address lies in
 *	mpi_tables.h	what MPI's handles and statuses are
 *	mpi_world.h	MPI_COMM_WORLD and MPI_GROUP_EMPTY of Open MPI
 *	newer_loader.h	a line about a loader that is newer than this build
 *
 * For the room itself: library_roles.h (loaders, drivers, our own libraries), shim_names.h (from a
 * name to its shim), closure.h (a shim for each further real function of a name), dlsym_lookup.h
 * (one lookup by dlsym), own_references.h (a loader's calls of its own functions), call_slots.h (slots
 * that serve calls only), late_relocation.h (the pointers in the built-in tables), deep_bound.h
 * (plugins that are opened with RTLD_DEEPBIND), profiling_names.h (MPI's calls from Fortran).
 *
 * Promise: a loader's or a driver's own call gets the real function, and is not recorded. errno is
 * kept, and so is the program's pending dlerror, unless a library has to be kept loaded or found by
 * soname, which happens once for each.
 *
 * Who may call: any thread. The first call of a function may come from a signal handler; what it
 * then needs (dlopen) is what the program's own call to the driver would need. No function of this
 * room may be called within tl_loaded_with. After a fork nothing has to be done: its lists only
 * grow.
 *
 * What it uses: layer/buffers, layer/base, libffi.
 */
#ifndef TL_LAYER_RESOLVE_RESOLVE_H
#define TL_LAYER_RESOLVE_RESOLVE_H

#include "layer/resolve/api_table.h"
#include "layer/resolve/asked_versions.h"
#include "layer/resolve/call_origin.h"
#include "layer/resolve/closure.h"
#include "layer/resolve/dlsym.h"
#include "layer/resolve/function_identity.h"
#include "layer/resolve/function_tables.h"
#include "layer/resolve/loaded_interposers.h"
#include "layer/resolve/loader_tables.h"
#include "layer/resolve/mpi_tables.h"
#include "layer/resolve/mpi_world.h"
#include "layer/resolve/newer_loader.h"
#include "layer/resolve/object_lookup.h"
#include "layer/resolve/real_function.h"
#include "layer/resolve/recording.h"

#endif
