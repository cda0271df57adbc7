/* SPDX-License-Identifier: MIT */
/*
 * pftrace_gpu_list.h: the GPUs of a .pftrace. If several encoders write a file, they share one list
 * (tl_encoder.gpus), which is zeroed before.
 */
#ifndef TL_FORMAT_ENCODE_PFTRACE_GPU_LIST_H
#define TL_FORMAT_ENCODE_PFTRACE_GPU_LIST_H

#include <stdbool.h>
#include <stdint.h>

#define TL_PF_GPUS	32
#define TL_PF_GPU_LABEL 160 /* bytes of a GPU's name */

struct tl_pf_gpu {
	char name[TL_PF_GPU_LABEL], host[65], pci[16]; /* "": not known */
	uint8_t uuid[16];
	bool has_uuid;
	uint8_t api; /* enum tl_pf_gpu_api */
};

/* The GPUs of a file: a GPU's number is its place. */
struct tl_pf_gpus {
	uint32_t count;
	char host[65]; /* where the events that come now are from */
	struct tl_pf_gpu gpu[TL_PF_GPUS];
};

struct tl_encoder;
struct tl_event_record;

/* The events that follow come from this machine. */
void tl_pf_gpu_host(struct tl_encoder *encoder, const char host[64]);

/*
 * Notes what an event, which comes later, tells of its device. Only the first command of a queue
 * tells all, and it may be of a thread whose records stand behind those of others. For encoders
 * with .gpus.
 */
void tl_pf_gpu_foresee(struct tl_encoder *encoder, const struct tl_event_record *event);

#endif
