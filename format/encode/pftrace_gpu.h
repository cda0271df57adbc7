/* SPDX-License-Identifier: MIT */
/*
 * pftrace_gpu.h: commands of devices as Perfetto's own GPU events. A part of pftrace.c, for
 * encoders with .gpu_events.
 *
 * A command is a GpuRenderStageEvent: Perfetto shows it in the group of its GPU, on a track of its
 * queue, and lists it in the table gpu_slice. GpuInfo tells the GPUs' names. Perfetto draws arrows
 * by the events' numbers: a call names those that it submitted, and an instant in the call that
 * waited names those that it waited for (GpuCorrelation). So an arrow leads from the call to the
 * command and from there to the wait, whenever each began.
 *
 * The number of a command is made of its correlation, because that is all that its call's record
 * knows. If a call submitted several commands, they share the number as long as one call waited for
 * them all. A command for which another call waited has a number of its own, and an instant in the
 * call that submitted it names that.
 */
#ifndef TL_FORMAT_ENCODE_PFTRACE_GPU_H
#define TL_FORMAT_ENCODE_PFTRACE_GPU_H

#include <stdbool.h>
#include <stdint.h>

#include "format/encode/encoder.h"
#include "format/encode/pftrace_gpu_list.h"
#include "format/encode/pftrace_names.h"
#include "format/encode/pftrace_notes.h"

#define TL_PF_LANES	  256
#define TL_PF_SUBMISSIONS 256
#define TL_PF_APIS	  8 /* values of enum tl_pf_gpu_api are below this */

/* What the file has of each is noted by block, as in struct tl_pf_name. */
struct tl_pf_gpu_lane {
	uint32_t tid;
	uint32_t block; /* of its description as a track of slices */
	int32_t sort;
	struct tl_pf_name *name;
};

struct tl_pf_submission {
	uint32_t correlation;
	uint32_t block;
	uint32_t to; /* the call that waited for the commands, as struct tl_event_arrows has it */
	uint64_t to_ns;
	uint64_t first; /* the command that wrote the wait's instant */
};

struct tl_pf_gpu_work {
	struct tl_pf_gpus own; /* where the encoder has no .gpus */
	uint32_t gpu_block[TL_PF_GPUS];
	uint32_t context_block[TL_PF_APIS];
	uint32_t nlanes;
	struct tl_pf_gpu_lane lanes[TL_PF_LANES];
	struct tl_pf_submission submissions[TL_PF_SUBMISSIONS];
};

/* Notes a lane. False: there are too many, and the lane has to be described now. */
bool tl_pf_gpu_lane(struct tl_encoder *encoder, uint32_t tid, struct tl_pf_text name, int32_t sort);

/*
 * Adds an event as a GPU event with its arrows, if it is a device's command. False: nothing was
 * added but the description of its lane, and it has to be added as a slice.
 */
bool tl_pf_packet_command(struct tl_encoder *encoder, struct tl_text *text,
			  const struct tl_event_record *event);

/* The number of the commands that a call submitted. */
static inline uint64_t tl_pf_gpu_event_id(const struct tl_encoder *encoder, uint32_t correlation)
{
	return (uint64_t)encoder->pid << 32 | correlation;
}

/* The field of a track's event that names GPU events. */
char *tl_pf_gpu_correlation(char *at, uint32_t field, uint64_t id);

/* The block is not in the file. Before tl_pf_names_drop. */
void tl_pf_gpu_drop(struct tl_pf_gpu_work *work, const struct tl_pf_names *names);

#endif
