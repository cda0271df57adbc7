/* SPDX-License-Identifier: MIT */
/*
 * nn_names.h: the layers and phases of NNAPI's marks, and which may stand below which.
 *
 * A mark "[NN_LR_PC]name" says that the layer LR, the runtime, spends time in the phase PC,
 * compilation. Marks with other names are kept, but no table counts them.
 */
#ifndef TL_CLI_SYSTRACE_NN_NAMES_H
#define TL_CLI_SYSTRACE_NN_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum nn_layer {
	NN_LAYER_LA,		 /* application */
	NN_LAYER_LR,		 /* runtime */
	NN_LAYER_LI,		 /* between processes */
	NN_LAYER_LD,		 /* driver */
	NN_LAYER_LC,		 /* processor, where there is no driver */
	NN_LAYERS,		 /* those that tables have */
	NN_LAYER_LT = NN_LAYERS, /* in tables: the total */
	NN_LAYER_LU,		 /* utility code */
	NN_LAYER_LX,		 /* no layer: the mark is not NNAPI's */
	NN_LAYER_NONE,		 /* of the root above all marks of a thread */
	NN_LAYERS_KNOWN,
};

enum nn_phase {
	NN_PHASE_PO,		  /* overall */
	NN_PHASE_PI,		  /* initialisation */
	NN_PHASE_PP,		  /* preparation */
	NN_PHASE_PC,		  /* compilation */
	NN_PHASE_PE,		  /* execution */
	NN_PHASE_PIO,		  /* its parts: input and output, */
	NN_PHASE_PTR,		  /* transformation, */
	NN_PHASE_PCO,		  /* computation, */
	NN_PHASE_PR,		  /* results */
	NN_PHASE_PT,		  /* termination */
	NN_PHASES,		  /* those that tables have */
	NN_PHASE_PWU = NN_PHASES, /* overall: warming up, */
	NN_PHASE_PBM,		  /* a benchmark */
	NN_PHASE_PU,		  /* the mark above has the phase */
	NN_PHASE_NONE,
	NN_PHASES_KNOWN,
};

/* What an application is doing overall: PO, PWU or PBM. */
enum overall { OVERALL_PO, OVERALL_PWU, OVERALL_PBM, OVERALLS };

/* Numbers of names, also of those that are in none of these lists. `size` is the name's length. */
uint16_t nn_layer_number(const char *name, size_t size);
uint16_t nn_phase_number(const char *name, size_t size);
const char *nn_layer_name(uint16_t nn_layer);
const char *nn_phase_name(uint16_t nn_phase);
const char *nn_overall_name(enum overall overall);
void nn_names_free(void);

/* A part of execution. */
bool nn_phase_is_of_execution(uint16_t nn_phase);

/* The phase may stand below the other one, within a layer too, and counts for itself there. */
bool nn_phase_nests(uint16_t above, uint16_t below);

/* The layer calls the other one. */
bool nn_layer_calls(uint16_t above, uint16_t below);

#endif
