/* SPDX-License-Identifier: MIT */
/*
 * writer_losses.c: how many events no file has, and of which threads.
 *
 * An event is lost in one of three ways. The buffers had no room for it (struct tl_producer counts
 * those). It was dropped: its file was removed, or its record can't be read (.dropped). Or it waits
 * for a file that takes it (.unwritten): then it is lost only if the process ends before there is
 * such a file.
 *
 * Every caller holds the pen.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>

#include "format/file/record.h"
#include "layer/buffers/buffer.h"
#include "layer/buffers/lanes.h"
#include "layer/write/writer_state.h"

void tl_writer_note_error(int error)
{
	if (!tl_writer.error)
		tl_writer.error = error;
}

/*
 * Losses that the buffers counted. The lane's .unsaid: those that no LOST record tells of. Meanwhile
 * threads lose more, and say so. Acquire: pairs with the release in tl_current_say_lost; so what is
 * lost by then is not less than what is said.
 */
static uint64_t buffers_count_lost(void)
{
	uint64_t lost = 0;

	/* A thread that has ended may have said its losses since, and another has its producer. */
	for (uint32_t i = 0; i < tl_lane_count(); i++)
		if (tl_lane_at(i))
			tl_lane_at(i)->unsaid = 0;
	for (struct tl_producer *producer = tl_buffer_producers(); producer;
	     producer = producer->next) {
		uint64_t said = __atomic_load_n(&producer->lost_said, __ATOMIC_ACQUIRE);
		uint64_t own = atomic_load_explicit(&producer->lost, memory_order_relaxed);
		if (!tl_writer.goes_on)
			own += atomic_load_explicit(&producer->unentered, memory_order_relaxed);
		struct tl_lane *lane = own ? tl_lane_of(producer) : NULL;
		if (lane)
			lane->unsaid = own - said;
		lost += own;
	}
	return lost;
}

static void lane_add_unwritten(void *unused, const struct tl_producer *producer, uint64_t events)
{
	struct tl_lane *lane = tl_lane_of(producer);

	(void)unused;
	if (lane)
		lane->unwritten += events;
	tl_writer.unwritten += events;
}

/*
 * Every drain comes here, and there is a lane for each thread there ever was. So the lanes are looked
 * at only where one has something to forget.
 */
void tl_writer_forget_unwritten(void)
{
	if (!tl_writer.unwritten)
		return;
	tl_writer.unwritten = 0;
	for (uint32_t i = 0; i < tl_lane_count(); i++)
		if (tl_lane_at(i))
			tl_lane_at(i)->unwritten = 0;
}

void tl_writer_count_unwritten(void)
{
	tl_writer_forget_unwritten();
	if (tl_writer.failing)
		tl_buffer_count(lane_add_unwritten, NULL);
}

uint64_t tl_writer_losses(void)
{
	return buffers_count_lost() + tl_writer.dropped + tl_writer.unwritten;
}

void tl_writer_losses_by_thread(void *unused, void (*put)(void *to, uint32_t tid, uint64_t lost),
				void *to)
{
	(void)unused;
	for (uint32_t i = 0; i < tl_lane_count(); i++) {
		const struct tl_lane *lane = tl_lane_at(i);
		if (lane && tl_lane_lost(lane))
			put(to, lane->tid, tl_lane_lost(lane));
	}
}

void tl_writer_settle_losses(void)
{
	for (uint32_t i = 0; i < tl_lane_count(); i++) {
		struct tl_lane *lane = tl_lane_at(i);
		if (lane)
			lane->told += tl_lane_lost(lane);
	}
	tl_writer.losses_told = tl_writer_losses();
}

void tl_writer_drop_file(uint32_t file)
{
	for (uint32_t i = 0; i < tl_lane_count(); i++) {
		struct tl_lane *lane = tl_lane_at(i);
		if (lane && lane->in == file)
			lane->dropped += lane->events;
	}
	tl_writer.dropped += tl_writer.sink.gone;
	tl_writer.sink.gone = 0;
	tl_writer_note_error(ENOENT);
}
