/* SPDX-License-Identifier: MIT */
/*
 * gen.h: the contract of gen, tracegen: makes tracing code from the headers of an API. A program
 * of its own: nothing outside the room includes its headers.
 *
 * A header and a descriptor (gen/apis/*.json) become a model; the model becomes code.
 *
 *	parse*.c           the headers, by libclang: functions, parameters, types, constants
 *	comment.c          what the headers' comments say of parameters
 *	debug_*.c          in place of headers: a library's debug information, by libdw
 *	exports.c          what shared libraries export; library.c finds them as the loader does
 *	refused.c          functions that no shim can stand in front of
 *	guess*             guesses, by rules, about what comments and descriptor don't say
 *	suggest.c          guesses as a descriptor
 *	descriptor*.c      what the descriptor adds: directions, lengths, handles, levels, ...
 *	model.h            the model; model_json.c writes and reads it as a JSON file
 *	model_tables.c     the model as the tables of tracelayer/api.h
 *	emit_*.c           the code, one file of it each; an emitter reads the model and nothing else
 *	check.c            whether a library exports functions that have no shim
 *	tracegen.c         the command
 *
 * The room uses format/file (descriptions of an API), common and include/. One thread, one run:
 * what it allocates is never freed (allocate.h).
 */
#ifndef TL_GEN_GEN_H
#define TL_GEN_GEN_H

#endif
