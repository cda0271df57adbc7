/* SPDX-License-Identifier: MIT */
/*
 * roctx_ranges.c: ranges and marks of programs that are annotated with ROCTX. The runtime's hooks of
 * ROCTX's calls call this library (layer/program/roctx.h).
 */
#include <errno.h>

#include "annotations/annotation_ranges.h"
#include "annotations/annotation_threads.h"
#include "layer/program/roctx.h"

static struct annotation_about about_of_message(struct annotation_thread *thread,
						const char *message)
{
	uint32_t name = annotation_text(thread, message);

	return (struct annotation_about){.name = name ? name
						      : annotation_text(thread, "(no text)")};
}

static struct annotation_id roctx_id(uint64_t id)
{
	return (struct annotation_id){{ANNOTATION_ROCTX, id}};
}

static struct annotation_domain *roctx_domain(void)
{
	return annotation_domain_default(ANNOTATION_ROCTX);
}

static void roctx_push(const char *message)
{
	struct annotation_thread *thread = annotation_enter();

	if (!thread)
		return;
	int error = errno;
	struct annotation_about about = about_of_message(thread, message);
	annotation_push(thread, roctx_domain(), &about, 0);
	errno = error;
	annotation_leave(thread);
}

static void roctx_pop(void)
{
	struct annotation_thread *thread = annotation_enter();

	if (!thread)
		return;
	int error = errno;
	annotation_pop(thread, roctx_domain());
	errno = error;
	annotation_leave(thread);
}

static void roctx_start(uint64_t id, const char *message)
{
	struct annotation_thread *thread = annotation_enter();

	if (!thread)
		return;
	int error = errno;
	struct annotation_about about = about_of_message(thread, message);
	annotation_start(thread, roctx_domain(), roctx_id(id), &about);
	errno = error;
	annotation_leave(thread);
}

static void roctx_stop(uint64_t id)
{
	struct annotation_thread *thread = annotation_enter();

	if (!thread)
		return;
	int error = errno;
	annotation_end(roctx_id(id));
	errno = error;
	annotation_leave(thread);
}

static void roctx_mark(const char *message)
{
	struct annotation_thread *thread = annotation_enter();

	if (!thread)
		return;
	int error = errno;
	struct annotation_about about = about_of_message(thread, message);
	annotation_mark(thread, roctx_domain(), &about, 0);
	errno = error;
	annotation_leave(thread);
}

extern TL_EXPORT const struct tl_roctx_tool tl_roctx_tool;
const struct tl_roctx_tool tl_roctx_tool = {roctx_push, roctx_pop, roctx_start, roctx_stop,
					    roctx_mark};
