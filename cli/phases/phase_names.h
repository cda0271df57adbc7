/* SPDX-License-Identifier: MIT */
/*
 * phase_names.h: the layers and phases that NNAPI's marks name, and what may stand below what.
 *
 * A mark "[NN_LR_PC]name" says that the layer LR, the runtime, spends time in the phase PC,
 * compilation. Marks may name others than these: such names are kept apart, and nothing is added up
 * for them.
 */
#ifndef TL_CLI_PHASES_PHASE_NAMES_H
#define TL_CLI_PHASES_PHASE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum layer {
	LAYER_LA,	   /* application */
	LAYER_LR,	   /* runtime */
	LAYER_LI,	   /* between processes */
	LAYER_LD,	   /* driver */
	LAYER_LC,	   /* processor, where there is no driver */
	LAYERS,		   /* those that tables have */
	LAYER_LT = LAYERS, /* in tables: the total */
	LAYER_LU,	   /* utility code */
	LAYER_LX,	   /* no layer: the mark is not NNAPI's */
	LAYER_NONE,	   /* of what stands above all marks of a thread */
	LAYERS_KNOWN,
};

enum phase {
	PHASE_PO,	    /* overall */
	PHASE_PI,	    /* initialisation */
	PHASE_PP,	    /* preparation */
	PHASE_PC,	    /* compilation */
	PHASE_PE,	    /* execution */
	PHASE_PIO,	    /* its parts: input and output, */
	PHASE_PTR,	    /* transformation, */
	PHASE_PCO,	    /* computation, */
	PHASE_PR,	    /* results */
	PHASE_PT,	    /* termination */
	PHASES,		    /* those that tables have */
	PHASE_PWU = PHASES, /* overall: warming up, */
	PHASE_PBM,	    /* a benchmark */
	PHASE_PU,	    /* what phase it is, the mark above says */
	PHASE_NONE,
	PHASES_KNOWN,
};

/* What an application is doing overall: PO, PWU or PBM. */
enum overall { OVERALL_PO, OVERALL_PWU, OVERALL_PBM, OVERALLS };

/* Numbers of names, also of those that are in none of these lists. `size` is the name's length. */
uint16_t layer_number(const char *name, size_t size);
uint16_t phase_number(const char *name, size_t size);
const char *layer_name(uint16_t layer);
const char *phase_name(uint16_t phase);
const char *overall_name(enum overall overall);
void phase_names_free(void);

/* A part of execution. */
bool phase_is_of_execution(uint16_t phase);

/* The phase may stand below the other one, within a layer too, and counts for itself there. */
bool phase_nests(uint16_t above, uint16_t below);

/* The layer calls the other one. */
bool layer_calls(uint16_t above, uint16_t below);

#endif
