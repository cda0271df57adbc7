/*
 * core_records.h: records that tell what they should be, for tests of the buffers.
 */
#ifndef TL_TESTS_CORE_RECORDS_H
#define TL_TESTS_CORE_RECORDS_H

#include "format/record.h"
#include "tests/core_doubles.h"
#include "tracelayer/shim.h"

/* A record that says who wrote it, the how-manieth it is, and is easily seen to be torn. */
static inline bool put(struct tl_thread *thread, uint64_t who, uint64_t number)
{
	uint64_t size = sizeof(struct tl_call_record) + 8 * (number % 3);
	uint64_t *record = tl_record_reserve(thread, size);

	if (!record)
		return false;
	record[1] = number;
	record[2] = ~number;
	record[3] = who;
	for (uint64_t i = 0; i < number % 3; i++)
		record[4 + i] = number ^ who;
	/* A function number that the toy has no words for. */
	tl_record_commit(record, size / 8 | (uint64_t)TL_RECORD_CALL << 16 | (uint64_t)TOY_INIT << 32);
	return true;
}

static inline bool is_whole(const struct seen *one)
{
	uint64_t number = one->call.start;

	return one->call.duration == ~number && one->call.size == 4 + number % 3;
}

#endif
