/* SPDX-License-Identifier: MIT */
/*
 * call_record.c: see call_record.h.
 */
#include "layer/calls/call_record.h"

#include "format/args/args.h"
#include "layer/base/cache_near.h"
#include "layer/calls/captured_memory.h"
#include "layer/calls/hook.h"
#include "layer/calls/open_calls.h"
#include "layer/calls/stack_numbers.h"

static TL_ALWAYS_INLINE void draft_capture_exit(struct tl_producer *producer,
						const struct tl_open_call *open,
						struct tl_draft *draft, bool *cut)
{
	const struct tl_function *function = draft->function;
	bool failed = tl_call_failed(function, draft->result);

	if (TL_UNLIKELY(function->flags & (TL_FUNCTION_TEXT | TL_FUNCTION_ERRNO)) &&
	    tl_scratch_capture_result(producer, open, function, draft->result, failed))
		draft->flags |= TL_RECORD_RESULT;
	if (!failed)
		tl_scratch_capture_exit(producer, open, function, draft->words, cut);
	else
		tl_scratch_walk_exit(producer, open, function, draft->words, TL_CAPTURE_FAILED,
				     cut);
}

/*
 * `stack`: the number of the stack's text, which becomes the record's last word; 0, as in the calls
 * that have to be fast: none.
 */
static TL_ALWAYS_INLINE void draft_commit(uint64_t *record, uint64_t size, struct tl_draft *draft,
					  uint32_t stack)
{
	if (stack) {
		draft->flags |= TL_RECORD_STACK;
		record[size / 8 - 1] = stack;
	}
	tl_draft_commit(record, size, draft);
}

static TL_ALWAYS_INLINE void draft_record_captured(struct tl_thread *thread,
						   const struct tl_open_call *open,
						   struct tl_draft *draft, uint32_t stack)
{
	struct tl_producer *producer = tl_producer_of(thread);
	struct tl_blob_sizes *sizes = tl_scratch_sizes(producer, open);
	bool cut = sizes->exit & TL_SCRATCH_CUT;

	sizes->exit = 0;
	if (!(draft->flags & TL_RECORD_UNWOUND))
		draft_capture_exit(producer, open, draft, &cut);
	draft->flags |= cut ? TL_RECORD_BLOBS | TL_RECORD_CUT : TL_RECORD_BLOBS;
	uint64_t blobs = sizeof(*sizes) + sizes->entry + sizes->exit,
		 size = tl_draft_size(draft) + blobs + (stack ? sizeof(uint64_t) : 0);
	uint64_t *record = tl_record_reserve(thread, size);
	if (!record)
		return;
	tl_record_copy_words(tl_draft_fill(record, draft), sizes, blobs / 8);
	draft_commit(record, size, draft, stack);
}

TL_NEAR_CODE void tl_draft_record_captured(struct tl_thread *thread,
					   const struct tl_open_call *open, struct tl_draft *draft)
{
	draft_record_captured(thread, open, draft, 0);
}

static __attribute__((noinline)) void draft_record_stacked(struct tl_thread *thread,
							   struct tl_draft *draft, uint32_t stack)
{
	uint64_t size = tl_draft_size(draft) + sizeof(uint64_t);
	uint64_t *record = tl_record_reserve(thread, size);

	if (!record)
		return;
	tl_draft_fill(record, draft);
	draft_commit(record, size, draft, stack);
}

static __attribute__((noinline)) void draft_record_captured_stacked(struct tl_thread *thread,
								    const struct tl_open_call *open,
								    struct tl_draft *draft,
								    uint32_t stack)
{
	draft_record_captured(thread, open, draft, stack);
}

void tl_record_left_call(struct tl_thread *thread, const struct tl_open_call *open, uint64_t start,
			 uint64_t duration, struct tl_cause cause)
{
	struct tl_draft draft = {.id = open->function,
				 .flags = TL_RECORD_UNWOUND,
				 .start = start,
				 .end = start + duration,
				 .cause = cause};
	uint32_t stack = tl_open_stack(open);

	if (!(open->mode & TL_MODE_RECORD))
		return;
	if (TL_UNLIKELY(stack)) {
		draft_record_stacked(thread, &draft, stack);
		return;
	}
	uint64_t *record = tl_record_reserve(thread, tl_draft_size(&draft));
	if (!record)
		return;
	tl_draft_fill(record, &draft);
	tl_draft_commit(record, tl_draft_size(&draft), &draft);
}

static struct tl_cause call_cause(const struct tl_call *call)
{
	return (struct tl_cause){call->mode & TL_MODE_DEVICE ? tl_hook_correlation(call) : 0,
				 call->request};
}

void tl_record_call(const struct tl_call *call, uint64_t end, uint32_t flags, uint64_t result,
		    const uint64_t *words, uint32_t count, uint32_t stack)
{
	struct tl_draft draft = {.function = call->shim->function,
				 .id = call->shim->id,
				 .mode = call->mode,
				 .flags = flags,
				 .start = call->start,
				 .end = end,
				 .result = result,
				 .words = words,
				 .cause = call_cause(call)};

	if (count < draft.function->words)
		draft.mode &= ~(uint32_t)TL_MODE_WORDS;
	draft.count = draft.mode & TL_MODE_WORDS ? draft.function->words : 0;
	if (draft.mode & TL_MODE_FOLLOW && tl_open_frame(call->open) == call->frame) {
		if (TL_UNLIKELY(stack))
			draft_record_captured_stacked(call->thread, call->open, &draft, stack);
		else
			tl_draft_record_captured(call->thread, call->open, &draft);
		return;
	}
	if (TL_UNLIKELY(stack))
		draft_record_stacked(call->thread, &draft, stack);
	else
		tl_draft_record(call->thread, &draft);
}
