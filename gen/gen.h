/* SPDX-License-Identifier: MIT */
/*
 * gen.h: the contract of gen, tracegen: makes tracing code from the headers of an API. A program of its
 * own: nothing outside the room includes its headers.
 *
 * A header and a descriptor (gen/apis/*.json) become a model; the model becomes code.
 *
 * 	parse.c            the header, by libclang: functions, parameters, types
 * 	comment.c          what the header's comments say of parameters
 * 	descriptor.c       what the descriptor adds: which parameters are out, which are arrays, ...
 * 	check.c            what is wrong with either, with file and line
 * 	model.h            the model, and model_json.c the model as a JSON file
 * 	emit_*.c           the code, one file of it each; an emitter reads the model and nothing else
 *
 * The room uses format/file (descriptions of an API), common and include/. One thread, one run: what it
 * allocates is never freed (allocate.h).
 */
#ifndef TL_GEN_GEN_H
#define TL_GEN_GEN_H

#endif
